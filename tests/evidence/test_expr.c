/* Whatever form an expression is brought into, it has the value of the operations that made it: random trees of all
 * operations over random leaves, against plain arithmetic. */
#include "evidence/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/map.h"

enum { TREES = 200000, OPS = 24, LEAVES = 6 };

static uint64_t seed;
static uint32_t dice(uint32_t n) { return (uint32_t)(wg_hash_u64(++seed) >> 33) % n; }

/* Constants that simplifications look for, more often than others. */
static uint32_t some_constant(void) {
    static const uint32_t likely[] = {0, 1, 2, 3, 5, 7, 16, 27, 28, 29, 30, 31, 32, 33, 63, 0xff, 0x1f, 0x3fc, 0xffffffff, 0xfffffff0, 0x80000000,
                                      0x7fffffff, 0x24924925, 0x92492493, 0xaaaaaaab, 0x55555556, 0xcccccccd, 0x3210, 0x7610, 0x5410, 0x4140};
    return dice(4) ? likely[dice(sizeof likely / sizeof *likely)] : (uint32_t)wg_hash_u64(++seed);
}

typedef struct value {
    ev_id id;
    ev_lanes lanes; /* what it must be */
    int op;         /* that made it, -1: a sum, a product, a leaf */
    uint32_t imm, from[4];
} value;

/* Leaves keep the limits that CUDA sets them: the simplifications count on those. */
static const struct { ev_leaf leaf; uint32_t a, b, most; } leaves[LEAVES] = {
    {EV_TID, 0, 0, 1023}, {EV_LANE, 0, 0, 31}, {EV_CTAID, 0, 0, 0x7ffffffe}, {EV_NTID, 0, 0, 1024}, {EV_PARAM, 0, 4, 0xffffffff}, {EV_PARAM, 8, 2, 0xffff}};
static ev_lanes leaf_lanes[LEAVES];

static void leaf_value(void *ctx, ev_id id, const ev_node *node, ev_lanes *out) {
    (void)node;
    *out = leaf_lanes[((const uint8_t *)ctx)[id]];
}

static value combine(ev_graph *g, const value *of, unsigned n) {
    static const ev_op ops[] = {EV_LUT, EV_LUT, EV_LUT, EV_SHL, EV_SHR, EV_SHR, EV_SAR, EV_SAR, EV_FUNNEL, EV_MULHI, EV_CARRY, EV_CARRY_WIDE, EV_UDIV,
                                EV_SDIV, EV_UMIN, EV_UMAX, EV_SMIN, EV_SMAX, EV_ABS, EV_PRMT, EV_BFE, EV_BMSK, EV_POPC, EV_FLO, EV_BREV,
                                EV_LESS, EV_BELOW, EV_EQUAL, EV_SELECT};
    const value *a = &of[dice(n)], *b = &of[dice(n)], *c = &of[dice(n)], *d = &of[dice(n)];
    value r = {.op = -1};
    const uint32_t how = dice(10);
    if (how < 2) {
        r.id = ev_add(g, a->id, b->id);
        for (unsigned l = 0; l < 32; l++) r.lanes.lane[l] = a->lanes.lane[l] + b->lanes.lane[l];
        return r;
    }
    if (how < 4) {
        const uint32_t factor = some_constant();
        r.id = ev_scale(g, a->id, factor);
        for (unsigned l = 0; l < 32; l++) r.lanes.lane[l] = a->lanes.lane[l] * factor;
        return r;
    }
    if (how == 4) {
        r.id = ev_mul(g, a->id, b->id);
        for (unsigned l = 0; l < 32; l++) r.lanes.lane[l] = a->lanes.lane[l] * b->lanes.lane[l];
        return r;
    }
    const ev_op op = ops[dice(sizeof ops / sizeof *ops)];
    uint32_t imm = 0;
    if (op == EV_LUT) imm = dice(256);
    else if (op == EV_UDIV || op == EV_SDIV) imm = 1 + dice(100);
    else if (op == EV_FUNNEL || op == EV_MULHI || op == EV_CARRY_WIDE || op == EV_BFE) imm = dice(2);
    else if (op == EV_CARRY) imm = dice(4);
    else if (op == EV_FLO) imm = dice(4);
    else if (op == EV_PRMT) imm = dice(3) ? 0 : dice(7);
    r.op = (int)op, r.imm = imm;
    r.id = ev_make(g, op, imm, a->id, b->id, c->id, d->id);
    for (unsigned l = 0; l < 32; l++) {
        const uint32_t v[4] = {a->lanes.lane[l], b->lanes.lane[l], c->lanes.lane[l], d->lanes.lane[l]};
        r.lanes.lane[l] = ev_apply(op, imm, v);
        if (l == 0) memcpy(r.from, v, sizeof v);
    }
    return r;
}

static void one_tree(void) {
    ev_graph g;
    value values[LEAVES + 6 + OPS] = {0};
    uint8_t which[4096] = {0};
    unsigned n = 0;
    assert_true(ev_graph_start(&g));
    for (unsigned k = 0; k < LEAVES; k++) {
        values[n].id = ev_leaf_of(&g, leaves[k].leaf, leaves[k].a, leaves[k].b);
        which[values[n].id] = (uint8_t)k;
        for (unsigned l = 0; l < 32; l++) {
            const uint32_t v = some_constant();
            leaf_lanes[k].lane[l] = leaves[k].most == UINT32_MAX ? v : v % (leaves[k].most + 1);
        }
        values[n].lanes = leaf_lanes[k];
        n++;
    }
    for (unsigned k = 0; k < 6; k++, n++) {
        const uint32_t v = some_constant();
        values[n].id = ev_const(&g, v);
        for (unsigned l = 0; l < 32; l++) values[n].lanes.lane[l] = v;
    }
    for (unsigned k = 0; k < OPS; k++, n++) values[n] = combine(&g, values, n);
    uint8_t *mark = calloc(g.nodes.count, 1);
    ev_lanes *out = malloc(g.nodes.count * sizeof *out);
    assert_true(mark && out && g.nodes.count < sizeof which);
    for (unsigned k = 0; k < n; k++) mark[values[k].id] = 1;
    ev_mark_down(&g, mark);
    ev_evaluate(&g, mark, 0, leaf_value, which, out);
    for (unsigned k = 0; k < n; k++) {
        const ev_node *node = ev_at(&g, values[k].id);
        for (unsigned l = 0; l < 32; l++) {
            const uint32_t want = values[k].lanes.lane[l], is = out[values[k].id].lane[l];
            if (want != is) print_error("value %u, lane %u: 0x%x, not 0x%x: operation %d (%u) of 0x%x 0x%x 0x%x 0x%x\n", k, l, is, want, values[k].op,
                            values[k].imm, values[k].from[0], values[k].from[1], values[k].from[2], values[k].from[3]);
            assert_int_equal(want, is);
            assert_true(is <= node->most);       /* what is said of its range, */
            assert_int_equal(is & node->zeros, 0); /* and of its bits, is so */
        }
    }
    free(mark);
    free(out);
    ev_graph_free(&g);
}
static void test_trees(void **state) {
    (void)state;
    for (unsigned k = 0; k < TREES / 10; k++) {
        seed = (uint64_t)k * 1000003;
        one_tree();
    }
}

/* Divisions are found by their magic numbers, and are those of C for every kind of x. */
static ev_id signed_division(ev_graph *g, ev_id x, uint32_t m, unsigned s) {
    const ev_id h = ev_make(g, EV_MULHI, 1, x, ev_const(g, m), 0, (int32_t)m < 0 ? x : 0);
    return ev_add(g, ev_make(g, EV_SAR, 0, h, ev_const(g, s), 0, 0), ev_make(g, EV_SHR, 0, h, ev_const(g, 31), 0, 0));
}
static void test_divisions(void **state) {
    (void)state;
    ev_graph g;
    assert_true(ev_graph_start(&g));
    const ev_id x = ev_leaf_of(&g, EV_PARAM, 0, 4);
    assert_int_equal(signed_division(&g, x, 0x92492493, 2), ev_make(&g, EV_SDIV, 7, x, 0, 0, 0));
    assert_int_equal(signed_division(&g, x, 0x55555556, 0), ev_make(&g, EV_SDIV, 3, x, 0, 0, 0));
    assert_int_equal(signed_division(&g, x, 0x66666667, 2), ev_make(&g, EV_SDIV, 10, x, 0, 0, 0));
    const ev_id third = ev_make(&g, EV_SHR, 0, ev_make(&g, EV_MULHI, 0, x, ev_const(&g, 0xaaaaaaab), 0, 0), ev_const(&g, 1), 0, 0);
    assert_int_equal(third, ev_make(&g, EV_UDIV, 3, x, 0, 0, 0));
    /* x / 7 needs a number of 33 bits */
    const ev_id t = ev_make(&g, EV_MULHI, 0, x, ev_const(&g, 0x24924925), 0, 0);
    const ev_id half = ev_make(&g, EV_SHR, 0, ev_add(&g, x, ev_scale(&g, t, UINT32_MAX)), ev_const(&g, 1), 0, 0);
    assert_int_equal(ev_make(&g, EV_SHR, 0, ev_add(&g, half, t), ev_const(&g, 2), 0, 0), ev_make(&g, EV_UDIV, 7, x, 0, 0, 0));
    /* a number that only looks like one */
    const ev_id other = ev_make(&g, EV_SHR, 0, ev_make(&g, EV_MULHI, 0, x, ev_const(&g, 0xaaaaaa00), 0, 0), ev_const(&g, 1), 0, 0);
    assert_int_equal(ev_at(&g, other)->op, EV_SHR);
    ev_graph_free(&g);
}

/* One form for what is equal. */
static void test_forms(void **state) {
    (void)state;
    ev_graph g;
    assert_true(ev_graph_start(&g));
    const ev_id tid = ev_leaf_of(&g, EV_TID, 0, 0), n = ev_leaf_of(&g, EV_PARAM, 0, 4);
    assert_int_equal(ev_scale(&g, ev_make(&g, EV_SHR, 0, n, ev_const(&g, 5), 0, 0), 32), ev_and(&g, n, ev_const(&g, ~31u)));
    assert_int_equal(ev_and(&g, ev_add(&g, tid, ev_scale(&g, n, 32)), ev_const(&g, 31)), ev_and(&g, tid, ev_const(&g, 31)));
    assert_int_equal(ev_and(&g, tid, ev_const(&g, 1023)), tid);
    assert_int_equal(ev_make(&g, EV_SHR, 0, tid, ev_const(&g, 10), 0, 0), 0);
    assert_int_equal(ev_add(&g, ev_and(&g, n, ev_const(&g, 31)), ev_and(&g, n, ev_const(&g, ~31u))), n);
    assert_int_equal(ev_mul(&g, ev_add(&g, tid, n), ev_const(&g, 4)), ev_add(&g, ev_scale(&g, n, 4), ev_scale(&g, tid, 4)));
    ev_graph_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_divisions), cmocka_unit_test(test_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
