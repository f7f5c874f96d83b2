/* Expressions as text: sums with what moves the whole warp first, then what moves the lanes, then the constant. */
#include "evidence/expr.h"

#include <stdlib.h>

enum { TOO_DEEP = 12, TOO_LONG = 1200 };

static void show(const ev_graph *g, ev_id id, const struct ev_names *names, unsigned depth, bool inner, wg_text *out);

/* Place of a term in a sum: bases, then threads, blocks, the rest. */
static unsigned rank_of(const ev_graph *g, uint32_t factor, ev_id id) {
    const ev_node *n = ev_at(g, id);
    unsigned rank = 60;
    if (n->kind == EV_LEAF) {
        switch ((ev_leaf)n->op) {
        case EV_PARAM:
        case EV_CBANK:
        case EV_STACK: return factor == 1 ? 0 : 50;
        case EV_LANE: return 10;
        case EV_TID: return 11 + ev_word(g, id, 0);
        case EV_CTAID: return 30 + ev_word(g, id, 0);
        case EV_LOOP: return 40;
        default: return 45;
        }
    }
    if (n->kind == EV_PRODUCT)
        for (unsigned k = 0; k < n->n; k++) {
            const unsigned r = rank_of(g, 2, ev_word(g, id, k)) + 5;
            if (r < rank) rank = r;
        }
    return n->kind == EV_OP ? 20 : rank;
}

static void show_number(uint32_t v, wg_text *out) { wg_text_printf(out, v > 9 ? "0x%x" : "%u", v); }

static void show_sum(const ev_graph *g, ev_id id, const struct ev_names *names, unsigned depth, wg_text *out) {
    const ev_node *n = ev_at(g, id);
    const unsigned terms = n->n / 2;
    struct term {
        unsigned rank, k;
    } order[64];
    for (unsigned k = 0; k < terms; k++) {
        const struct term t = {rank_of(g, ev_word(g, id, 2 * k), ev_word(g, id, 2 * k + 1)), k};
        unsigned at = k;
        for (; at > 0 && order[at - 1].rank > t.rank; at--) order[at] = order[at - 1];
        order[at] = t;
    }
    for (unsigned k = 0; k < terms; k++) {
        const uint32_t factor = ev_word(g, id, 2 * order[k].k);
        const bool minus = (int32_t)factor < 0;
        const uint32_t size = minus ? 0 - factor : factor;
        wg_text_add(out, k ? minus ? " - " : " + " : minus ? "-" : "");
        if (size != 1) wg_text_printf(out, "%u*", size);
        show(g, ev_word(g, id, 2 * order[k].k + 1), names, depth + 1, true, out);
    }
    if (!n->imm) return;
    const bool minus = (int32_t)n->imm < 0;
    wg_text_add(out, minus ? " - " : " + ");
    wg_text_printf(out, "0x%x", minus ? 0 - n->imm : n->imm);
}

static void show_infix(const ev_graph *g, ev_id id, const char *sign, const struct ev_names *names, unsigned depth, wg_text *out) {
    show(g, ev_word(g, id, 0), names, depth + 1, true, out);
    wg_text_add(out, sign);
    show(g, ev_word(g, id, 1), names, depth + 1, true, out);
}
static const char *infix_of(const ev_node *n) {
    switch ((ev_op)n->op) {
    case EV_PLUS: return " + ";
    case EV_SHL: return " << ";
    case EV_SHR: return " >> ";
    case EV_SAR: return " >>s ";
    case EV_LESS: return " <s ";
    case EV_BELOW: return " < ";
    case EV_EQUAL: return " == ";
    case EV_LUT: return n->imm == 0xc0 ? " & " : n->imm == 0xfc ? " | " : n->imm == 0x3c ? " ^ " : NULL;
    default: return NULL;
    }
}
static void show_op(const ev_graph *g, ev_id id, const struct ev_names *names, unsigned depth, bool inner, wg_text *out) {
    static const char *const words[EV_OPS] = {
        [EV_LUT] = "lop3", [EV_FUNNEL] = "funnel", [EV_MULHI] = "mulhi", [EV_CARRY] = "carry", [EV_CARRY_WIDE] = "carry",
        [EV_UMIN] = "min", [EV_UMAX] = "max", [EV_SMIN] = "min_s", [EV_SMAX] = "max_s", [EV_ABS] = "abs", [EV_PRMT] = "prmt",
        [EV_BFE] = "low_bits", [EV_BMSK] = "bits", [EV_POPC] = "popc", [EV_FLO] = "flo", [EV_BREV] = "brev",
        [EV_SELECT] = "select", [EV_FIRST] = "first"};
    const ev_node *n = ev_at(g, id);
    const char *infix = infix_of(n);
    if (n->op == EV_UDIV || n->op == EV_SDIV) infix = "";
    if (infix && inner) wg_text_add(out, "(");
    if (n->op == EV_UDIV || n->op == EV_SDIV) {
        show(g, ev_word(g, id, 0), names, depth + 1, true, out);
        wg_text_printf(out, " / %u", n->imm);
    } else if (infix) {
        show_infix(g, id, infix, names, depth, out);
    } else {
        wg_text_add(out, words[n->op] ? words[n->op] : "?");
        if (n->op == EV_LUT) wg_text_printf(out, "_%02x", n->imm);
        unsigned args = n->n;
        while (n->op != EV_LUT && n->op != EV_SELECT && args > 2 && ev_word(g, id, args - 1) == 0) args--;
        for (unsigned k = 0; k < args; k++) {
            wg_text_add(out, k ? ", " : "(");
            show(g, ev_word(g, id, k), names, depth + 1, false, out);
        }
        wg_text_add(out, ")");
    }
    if (infix && inner) wg_text_add(out, ")");
}

static void show(const ev_graph *g, ev_id id, const struct ev_names *names, unsigned depth, bool inner, wg_text *out) {
    const ev_node *n = ev_at(g, id);
    if (depth > TOO_DEEP || out->count > names->limit) {
        if (out->count > names->limit + 16) return;
        wg_text_add(out, "...");
        return;
    }
    switch ((ev_kind)n->kind) {
    case EV_CONST: show_number(n->imm, out); return;
    case EV_LEAF: names->leaf(names->ctx, g, id, out); return;
    case EV_SUM:
        if (inner) wg_text_add(out, "(");
        show_sum(g, id, names, depth, out);
        if (inner) wg_text_add(out, ")");
        return;
    case EV_PRODUCT:
        for (unsigned k = 0; k < n->n; k++) {
            if (k) wg_text_add(out, "*");
            show(g, ev_word(g, id, k), names, depth + 1, true, out);
        }
        return;
    case EV_OP: show_op(g, id, names, depth, inner, out); return;
    }
}
void ev_show(const ev_graph *g, ev_id id, const struct ev_names *names, wg_text *out) {
    struct ev_names limited = *names;
    limited.limit = out->count + TOO_LONG;
    show(g, id, &limited, 0, false, out);
}
