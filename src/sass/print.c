#include "sass/forms.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- bounded text ----------------------------------------------------------------------- */

void sass_put(sass_text *out, const char *fmt, ...) {
    va_list args;
    const size_t room = out->len < out->size ? out->size - out->len : 0;
    va_start(args, fmt);
    const int n = vsnprintf(room ? out->buf + out->len : NULL, room, fmt, args);
    va_end(args);
    if (n > 0) out->len += (size_t)n;
}

void sass_item(sass_text *out) {
    sass_put(out, out->items++ ? ", " : " ");
}

void sass_put_hex(sass_text *out, int64_t value) {
    const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    sass_put(out, "%s0x%llx", value < 0 ? "-" : "", (unsigned long long)size);
}

/* nvdisasm's way with values that are not finite: a sign always, a blank after. */
static void put_special(sass_text *out, bool negative, bool is_nan, bool quiet) {
    sass_put(out, "%c%s ", negative ? '-' : '+', !is_nan ? "INF" : quiet ? "QNAN" : "SNAN");
}
static void put_finite(sass_text *out, double value) {
    sass_put(out, fabs(value) >= 1e9 ? "%.20e" : "%.20g", value);
}

void sass_put_f32(sass_text *out, uint32_t v) {
    float value;
    memcpy(&value, &v, sizeof value);
    if ((v & 0x7f800000) == 0x7f800000)
        put_special(out, v >> 31, v & 0x7fffff, v & 0x400000);
    else
        put_finite(out, value);
}

void sass_put_f64(sass_text *out, uint64_t v) {
    double value;
    memcpy(&value, &v, sizeof value);
    if ((v >> 52 & 0x7ff) == 0x7ff)
        put_special(out, v >> 63, v << 12 != 0, v >> 51 & 1);
    else
        put_finite(out, value);
}

void sass_put_f16(sass_text *out, uint16_t v) {
    const int exponent = v >> 10 & 31, fraction = v & 0x3ff;
    if (exponent == 31) {
        put_special(out, v >> 15, fraction, v & 0x200);
        return;
    }
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    put_finite(out, v >> 15 ? -size : size);
}

/* --- an instruction ----------------------------------------------------------------------- */

/* As much as can be said without taking the word for something that it is not. */
static void put_unknown(sass_text *out, const sass_instr *instr) {
    sass_put(out, ".word 0x%016llx, 0x%016llx", (unsigned long long)instr->lo, (unsigned long long)instr->hi);
}

static void put_guard(sass_text *out, const sass_pred *guard) {
    if (guard->reg == SASS_PT && !guard->inv) return;
    sass_put(out, "@%s%s", guard->inv ? "!" : "", guard->uniform ? "UP" : "P");
    if (guard->reg == SASS_PT)
        sass_put(out, "T ");
    else
        sass_put(out, "%u ", guard->reg);
}

static void put_modifiers(sass_text *out, const sass_row *row, const sass_instr *instr) {
    for (const uint8_t *id = row->mods; *id; id++) {
        unsigned value;
        const sass_mod *mod = &sass_mods[*id];
        if (!sass_mod_value(mod, instr, &value)) continue;
        const char *text = sass_mod_text(mod, instr, value);
        if (text && *text) sass_put(out, ".%s", text);
    }
}

size_t sass_print(const sass_instr *instr, char *buf, size_t size) {
    sass_text out = {.buf = buf, .size = size};
    if (size) buf[0] = 0;
    if (instr->op == SASS_UNKNOWN || instr->op >= SASS_OP_COUNT) {
        put_unknown(&out, instr);
        return out.len;
    }
    const sass_row *row = &sass_rows[instr->op];
    put_guard(&out, &instr->guard);
    sass_put(&out, "%s", row->text);
    put_modifiers(&out, row, instr);
    sass_instr copy = *instr; /* the walk's slots are writable */
    sass_cursor at = {.instr = &copy, .row = row, .form = (unsigned)bits(instr, 9, 3)};
    for (const uint8_t *id = row->operands; *id; id++) {
        const sass_operand_spec *spec = &sass_operand_specs[*id];
        spec->show(&at, &out, spec->arg, spec->arg2);
    }
    return out.len;
}
