#include "evidence/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/access.h"
#include "evidence/names.h"

enum { MOST_STEPS = 48 };

/* --- the instructions behind an address ------------------------------------------------------------- */

typedef struct slice {
    uint32_t at[MOST_STEPS]; /* instructions, ascending */
    unsigned n;
    bool more;
} slice;

static bool add(slice *s, uint32_t instr) {
    unsigned at = 0;
    while (at < s->n && s->at[at] < instr) at++;
    if (at < s->n && s->at[at] == instr) return false;
    if (s->n == MOST_STEPS) {
        s->more = true;
        return false;
    }
    memmove(&s->at[at + 1], &s->at[at], (s->n - at) * sizeof s->at[0]);
    s->at[at] = instr;
    s->n++;
    return true;
}
/* Sources of an instruction; loads end the search: what they read is data. */
static void follow(const ev_flow *flow, slice *s, uint32_t instr) {
    uint32_t stack[4 * MOST_STEPS], depth = 0;
    stack[depth++] = instr;
    while (depth) {
        const uint32_t i = stack[--depth];
        const ev_fact *f = &flow->facts[i];
        for (unsigned k = 0; k < 5; k++) {
            const uint32_t def = f->sources[k];
            if (def == EV_NO_DEF || def == EV_MANY_DEFS || !add(s, def - 1)) continue;
            if (!flow->code[def - 1].mem.present && depth < 4 * MOST_STEPS) stack[depth++] = def - 1;
        }
    }
}

/* --- constants --------------------------------------------------------------------------------------------- */

/* A half-precision number: its bits are bits of the integer. */
static double half_value(uint32_t h) {
    const int exponent = (int)(h >> 10 & 31);
    const double fraction = h & 0x3ff, sign = h & 0x8000 ? -1 : 1;
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}
static void say_half(uint32_t v, wg_text *out) {
    wg_text_printf(out, "%d: the two halves of the constant are its bits", (int32_t)v);
    if (v && v < 0x400) wg_text_printf(out, "; %.17g is %u * 2^-24", half_value(v), v);
    else if (v && v < 0x10000) wg_text_printf(out, "; %.17g has the bits 0x%04x", half_value(v), v);
    else if (v) wg_text_printf(out, "; %.17g, %.17g have the bits 0x%04x, 0x%04x", half_value(v >> 16), half_value(v & 0xffff), v >> 16, v & 0xffff);
}
/* How a multiplier stands in the instruction; false where there is nothing to say. */
static bool say_constant(const sass_instr *in, uint32_t value, bool is_const, wg_text *out) {
    switch ((sass_op)in->op) {
    case SASS_HFMA2:
    case SASS_HFMA2_MMA:
        if (!is_const) return false;
        say_half(value, out);
        return true;
    case SASS_IMAD:
        if (is_const && in->c.kind == SASS_IMM) wg_text_printf(out, "%d: 0 * 0 + the constant, a move on the multiplier", (int32_t)value);
        else if (in->b.kind == SASS_IMM && in->b.value > 0 && !(in->b.value & (in->b.value - 1)) && in->b.value > 1)
            wg_text_printf(out, "a multiplication by %u, which is a shift by %d", (unsigned)in->b.value, __builtin_ctz((unsigned)in->b.value));
        else return false;
        return true;
    case SASS_MOV:
    case SASS_UMOV:
        if (!is_const) return false;
        wg_text_printf(out, "%d: as it stands", (int32_t)value);
        return true;
    case SASS_LEA:
    case SASS_ULEA:
        if (in->flags & SASS_HI) return false;
        wg_text_printf(out, "the first source times %u (shift by %u) plus the second", 1u << (in->shift & 31), in->shift);
        return true;
    case SASS_SHF:
    case SASS_USHF:
        if ((in->flags & SASS_RIGHT) || (in->flags & SASS_HI) || in->b.kind != SASS_IMM) return false;
        wg_text_printf(out, "a multiplication by %u", 1u << (in->b.value & 31));
        return true;
    default: return false;
    }
}

/* --- output ----------------------------------------------------------------------------------------------------- */

typedef struct step_text {
    char instr[160];
    char *value;
    wg_text how;
} step_text;
static step_text step_of(const ev_kernel *k, uint32_t i) {
    ev_flow *flow = k->flow;
    step_text s = {.value = ev_text_of(flow, flow->facts[i].value)};
    uint32_t v = 0;
    const bool is_const = ev_is_const(&flow->g, flow->facts[i].value, &v);
    sass_print(&flow->code[i], s.instr, sizeof s.instr);
    say_constant(&flow->code[i], v, is_const, &s.how);
    return s;
}

void ev_explain_text(const ev_kernel *k, const ev_access *a, wg_text *out) {
    slice s = {0};
    follow(k->flow, &s, a->instr);
    for (unsigned n = 0; n < s.n; n++) {
        step_text t = step_of(k, s.at[n]);
        wg_text_printf(out, "          %04x  %-48s = %s\n", s.at[n] * 16, t.instr, t.value ? t.value : "?");
        if (t.how.at) wg_text_printf(out, "                (%s)\n", t.how.at);
        wg_text_free(&t.how);
    }
    if (s.more) wg_text_add(out, "          ... and more\n");
}
json_t *ev_explain_json(const ev_kernel *k, const ev_access *a) {
    slice s = {0};
    follow(k->flow, &s, a->instr);
    json_t *list = json_array();
    for (unsigned n = 0; n < s.n; n++) {
        step_text t = step_of(k, s.at[n]);
        json_t *o = json_pack("{s:i,s:s,s:s}", "offset", (int)(s.at[n] * 16), "instruction", t.instr, "value", t.value ? t.value : "?");
        if (o && t.how.at) json_object_set_new(o, "how", json_string(t.how.at));
        json_array_append_new(list, o);
        wg_text_free(&t.how);
    }
    return list;
}
