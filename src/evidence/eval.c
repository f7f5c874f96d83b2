/* Expressions as numbers, for the 32 lanes of a warp at once. */
#include "evidence/expr.h"

static void evaluate_op(const ev_graph *g, ev_id id, const ev_node *n, unsigned first, ev_lanes *values) {
    const ev_lanes *arg[4] = {0};
    for (unsigned k = 0; k < n->n; k++) arg[k] = &values[ev_word(g, id, k)];
    ev_lanes *out = &values[id];
    for (unsigned l = 0; l < 32; l++) {
        uint32_t v[4] = {0};
        if (n->op == EV_FIRST) {
            out->lane[l] = arg[0]->lane[first];
            continue;
        }
        for (unsigned k = 0; k < n->n; k++) v[k] = arg[k]->lane[l];
        out->lane[l] = ev_apply((ev_op)n->op, n->imm, v);
    }
}

void ev_evaluate(const ev_graph *g, const uint8_t *mark, unsigned first,
                 void (*leaf)(void *ctx, ev_id id, const ev_node *node, ev_lanes *out), void *ctx, ev_lanes *values) {
    for (ev_id id = 0; id < g->nodes.count; id++) {
        const ev_node *n = ev_at(g, id);
        ev_lanes *out = &values[id];
        if (!mark[id]) continue;
        switch ((ev_kind)n->kind) {
        case EV_LEAF: leaf(ctx, id, n, out); break;
        case EV_OP: evaluate_op(g, id, n, first, values); break;
        case EV_CONST:
        case EV_SUM:
        case EV_PRODUCT:
            for (unsigned l = 0; l < 32; l++) out->lane[l] = n->kind == EV_PRODUCT ? 1 : n->imm;
            for (unsigned k = 0; n->kind == EV_SUM && k < n->n; k += 2)
                for (unsigned l = 0; l < 32; l++) out->lane[l] += ev_word(g, id, k) * values[ev_word(g, id, k + 1)].lane[l];
            for (unsigned k = 0; n->kind == EV_PRODUCT && k < n->n; k++)
                for (unsigned l = 0; l < 32; l++) out->lane[l] *= values[ev_word(g, id, k)].lane[l];
            break;
        }
    }
}
