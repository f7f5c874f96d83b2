/* Verdicts in words. */
#include <stdlib.h>
#include <string.h>

#include "evidence/access.h"
#include "evidence/names.h"

const char *ev_verdict_name(ev_verdict v) {
    static const char *const names[] = {[EV_COALESCED] = "coalesced",   [EV_STRIDED] = "strided",
                                        [EV_BROADCAST] = "broadcast",   [EV_SCATTERED] = "scattered",
                                        [EV_DEPENDS] = "depends",       [EV_DATA] = "data-dependent",
                                        [EV_CONFLICT_FREE] = "conflict-free", [EV_CONFLICTS] = "conflicts",
                                        [EV_SPILL] = "spill",           [EV_LOCAL_ARRAY] = "local-array"};
    return (unsigned)v < sizeof names / sizeof *names ? names[v] : "";
}
const char *ev_space_name(const ev_access *a) {
    return a->generic ? "generic" : a->space == ENG_SHARED ? "shared" : a->space == ENG_LOCAL ? "local" : "global";
}

/* --- parts of the words ---------------------------------------------------------------------------------- */

/* Where a value that decides an address came from. */
static void say_source(ev_flow *flow, ev_id leaf, wg_text *out) {
    const uint32_t a = ev_word(&flow->g, leaf, 0);
    const ev_leaf kind = (ev_leaf)ev_at(&flow->g, leaf)->op;
    if (kind != EV_LOAD && kind != EV_VALUE) {
        wg_text_add(out, "depends on ");
        const struct ev_names names = ev_names_of(flow);
        ev_show(&flow->g, leaf, &names, out);
        if (kind == EV_PHI) wg_text_add(out, ", which has more than one value");
        return;
    }
    const img_line *line = img_line_at(flow->function, a * 16);
    wg_text_printf(out, kind == EV_LOAD ? "data-dependent: on the %s at 0x%04x" : "data-dependent: on the result of %s at 0x%04x",
                   sass_name((sass_op)flow->code[a].op), a * 16);
    if (line && line->line) wg_text_printf(out, ", line %u", line->line);
}

/* Names of what all lanes share and what moves the lanes apart by different amounts. */
typedef struct sharers {
    wg_text *out;
    ev_id seen[4];
    unsigned n;
} sharers;
static void note_shared(ev_flow *flow, ev_id leaf, void *ctx) {
    sharers *s = ctx;
    if (ev_varies(flow, leaf) || s->n >= 3) return;
    for (unsigned k = 0; k < s->n; k++)
        if (s->seen[k] == leaf) return;
    s->seen[s->n++] = leaf;
    const struct ev_names names = ev_names_of(flow);
    if (s->n > 1) wg_text_add(s->out, ", ");
    ev_show(&flow->g, leaf, &names, s->out);
}
static void say_what_decides(ev_flow *flow, ev_id address, wg_text *out) {
    sharers s = {.out = out};
    const ev_node *n = ev_at(&flow->g, address);
    if (n->kind != EV_SUM) ev_each_leaf(flow, address, note_shared, &s);
    for (unsigned k = 0; n->kind == EV_SUM && k < ev_args(&flow->g, address); k++) {
        const ev_id term = ev_arg(&flow->g, address, k);
        if (ev_varies(flow, term)) ev_each_leaf(flow, term, note_shared, &s);
    }
    if (!s.n) wg_text_add(out, "the place of the warp in its block");
}
static void say_range(ev_range r, const char *one, const char *many, wg_text *out) {
    if (r.least == r.most) wg_text_printf(out, "%u %s", r.most, r.most == 1 ? one : many);
    else wg_text_printf(out, "%u to %u %s", r.least, r.most, many);
}

/* --- by space ------------------------------------------------------------------------------------------------ */

static void judge_shared(ev_flow *flow, ev_access *a, bool data, bool same, wg_text *out) {
    if (data) {
        a->verdict = EV_DATA;
        say_source(flow, ev_data_leaf(flow, a->address), out);
        return;
    }
    if (a->ways.most <= 1) {
        a->verdict = a->has_stride && a->stride == 0 ? EV_BROADCAST : EV_CONFLICT_FREE;
        wg_text_add(out, a->verdict == EV_BROADCAST ? "broadcast: all lanes one place" : "conflict-free");
        if (!same) wg_text_add(out, ", in every case that was tried");
        return;
    }
    a->verdict = EV_CONFLICTS;
    if (a->ways.least == a->ways.most) wg_text_printf(out, "%u-way bank conflict", a->ways.most);
    else wg_text_printf(out, "%s up to %u-way bank conflicts", a->ways.least <= 1 ? "none" : "from 2", a->ways.most);
    if (a->atomic) wg_text_add(out, ", atomics on one word not counted");
    if (!same) {
        wg_text_add(out, ", by ");
        say_what_decides(flow, a->address, out);
    }
}
static void judge_local(ev_flow *flow, ev_access *a, bool data, wg_text *out) {
    if (!data && a->has_stride && a->stride == 0) {
        a->verdict = EV_SPILL;
        wg_text_add(out, "a fixed place: a spill, or an array whose indices are constants");
        return;
    }
    a->verdict = EV_LOCAL_ARRAY;
    wg_text_add(out, "indexed array in local memory");
    if (data) {
        wg_text_add(out, ", ");
        say_source(flow, ev_data_leaf(flow, a->address), out);
    }
}
static void say_use(const ev_access *a, wg_text *out) {
    /* the worst case, as so many bytes of each sector of 32 */
    const unsigned moved = a->sectors.most * 32, used = moved ? (a->used.least * 32 + moved / 2) / moved : 0;
    wg_text_printf(out, "%u of 32 bytes used", used);
}
static void judge_global(ev_flow *flow, ev_access *a, bool data, bool same, wg_text *out) {
    const unsigned ideal = (a->used.most + 31) / 32;
    const uint32_t step = a->stride < 0 ? 0u - (uint32_t)a->stride : (uint32_t)a->stride;
    if (data) {
        a->verdict = EV_DATA;
        say_source(flow, ev_data_leaf(flow, a->address), out);
    } else if (a->has_stride && step == 0) {
        a->verdict = EV_BROADCAST;
        wg_text_add(out, a->atomic ? "all lanes one place: the atomics of a warp meet there"
                         : a->load ? "broadcast: all lanes read one place" : "all lanes write one place");
    } else if (a->has_stride && step == a->width) {
        a->verdict = EV_COALESCED;
        wg_text_add(out, a->stride < 0 ? "coalesced, backwards" : "coalesced");
        if (a->sectors.least > ideal) wg_text_printf(out, ", misaligned: %u sectors where %u hold the bytes", a->sectors.most, ideal);
        else if (a->sectors.most > ideal) wg_text_printf(out, "; %u sectors, %u where the start is misaligned", ideal, a->sectors.most);
    } else if (a->has_stride) {
        a->verdict = EV_STRIDED;
        wg_text_printf(out, "strided by %s%u bytes: ", a->stride < 0 ? "-" : "", step);
        say_use(a, out);
    } else if (!same && a->sectors.most > ideal + 1 && a->sectors.least != a->sectors.most) {
        a->verdict = EV_DEPENDS;
        say_range(a->sectors, "sector", "sectors", out);
        wg_text_add(out, ", by ");
        say_what_decides(flow, a->address, out);
    } else if (a->sectors.most <= ideal + 1) {
        a->verdict = EV_COALESCED;
        wg_text_add(out, "no single step, but side by side: ");
        say_range(a->sectors, "sector", "sectors", out);
    } else {
        a->verdict = EV_SCATTERED;
        wg_text_add(out, "no single step: ");
        say_range(a->sectors, "sector", "sectors", out);
        wg_text_add(out, ", ");
        say_use(a, out);
    }
}

bool ev_judge(ev_flow *flow, ev_access *a, bool data, bool same) {
    wg_text words = {0};
    if (a->space == ENG_SHARED) judge_shared(flow, a, data, same, &words);
    else if (a->space == ENG_LOCAL) judge_local(flow, a, data, &words);
    else judge_global(flow, a, data, same, &words);
    if (a->converged && !data) wg_text_add(&words, " *");
    a->words = words.failed ? NULL : wg_arena_strdup(flow->arena, words.at ? words.at : "");
    wg_text_free(&words);
    return a->words != NULL;
}
