/* Nodes: found or made, sums and products in their one form. */
#include "evidence/ops.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

enum { MAX_TERMS = 48, MAX_FACTORS = 4 };

/* --- the table ------------------------------------------------------------------------------------ */

static uint64_t hash_of(const ev_node *n, const uint32_t *words) {
    uint64_t h = wg_hash_u64((uint64_t)n->kind << 56 ^ (uint64_t)n->op << 48 ^ (uint64_t)n->n << 32 ^ n->imm);
    for (unsigned k = 0; k < n->n; k++) h = wg_hash_u64(h ^ words[k]);
    return h;
}
static bool same_node(const ev_graph *g, ev_id id, const ev_node *n, const uint32_t *words) {
    const ev_node *m = ev_at(g, id);
    return m->kind == n->kind && m->op == n->op && m->n == n->n && m->imm == n->imm &&
           (n->n == 0 || memcmp(&g->pool.at[m->at], words, n->n * sizeof *words) == 0);
}
static bool grow_table(ev_graph *g) {
    const size_t room = g->room ? g->room * 2 : 4096;
    uint32_t *table = calloc(room, sizeof *table);
    if (!table) return false;
    for (size_t id = 1; id < g->nodes.count; id++) {
        const ev_node *n = ev_at(g, (ev_id)id);
        size_t slot = hash_of(n, g->pool.at ? &g->pool.at[n->at] : NULL) & (room - 1);
        while (table[slot]) slot = (slot + 1) & (room - 1);
        table[slot] = (uint32_t)id;
    }
    free(g->table);
    g->table = table;
    g->room = room;
    return true;
}

static void bound(ev_graph *g, ev_node *n, const uint32_t *words);

/* words may lie in the pool itself. */
static ev_id intern(ev_graph *g, ev_node n, const uint32_t *words) {
    if (g->failed) return 0;
    if (n.kind == EV_CONST && n.imm == 0 && g->nodes.count) return 0;
    if ((g->nodes.count + 1) * 2 > g->room && !grow_table(g)) goto failed;
    size_t slot = hash_of(&n, words) & (g->room - 1);
    for (; g->table[slot]; slot = (slot + 1) & (g->room - 1))
        if (same_node(g, g->table[slot], &n, words)) return g->table[slot];
    uint32_t copy[2 * MAX_TERMS + 2] = {0};
    if (n.n) memcpy(copy, words, n.n * sizeof *words);
    bound(g, &n, copy);
    n.at = (uint32_t)g->pool.count;
    for (unsigned k = 0; k < n.n; k++)
        if (!wg_vec_push(&g->pool, copy[k])) goto failed;
    if (!wg_vec_push(&g->nodes, n)) goto failed;
    const ev_id id = (ev_id)(g->nodes.count - 1);
    if (id) g->table[slot] = id;
    return id;
failed:
    g->failed = true;
    return 0;
}

bool ev_graph_start(ev_graph *g) {
    *g = (ev_graph){0};
    intern(g, (ev_node){.kind = EV_CONST}, NULL);
    return !g->failed;
}
void ev_graph_free(ev_graph *g) {
    wg_vec_free(&g->nodes);
    wg_vec_free(&g->pool);
    free(g->table);
    *g = (ev_graph){0};
}

ev_id ev_const(ev_graph *g, uint32_t v) { return intern(g, (ev_node){.kind = EV_CONST, .imm = v}, NULL); }
ev_id ev_leaf_of(ev_graph *g, ev_leaf leaf, uint32_t a, uint32_t b) {
    const uint32_t words[2] = {a, b};
    return intern(g, (ev_node){.kind = EV_LEAF, .op = (uint8_t)leaf, .n = 2}, words);
}

/* --- what is known of a value's bits ------------------------------------------------------------------ */

static uint32_t ones_up_to(uint32_t v) { return v ? UINT32_MAX >> __builtin_clz(v) : 0; }
static unsigned low_zeros(uint32_t zeros) { return ~zeros ? (unsigned)__builtin_ctz(~zeros) : 32; }
static uint32_t low_mask(unsigned n) { return n >= 32 ? UINT32_MAX : (1u << n) - 1; }

/* Limits of CUDA: at most 1024 threads a block along x and y, 64 along z; grids up to 2^31-1, 65535, 65535. */
static uint32_t most_of_leaf(ev_leaf leaf, uint32_t a, uint32_t b) {
    static const uint32_t block[3] = {1024, 1024, 64}, grid[3] = {0x7fffffff, 65535, 65535};
    switch (leaf) {
    case EV_TID: return block[a] - 1;
    case EV_NTID: return block[a];
    case EV_CTAID: return grid[a] - 1;
    case EV_NCTAID: return grid[a];
    case EV_LANE: return 31;
    case EV_VALUE: return ev_word_is_truth(b) ? 1 : UINT32_MAX;
    case EV_PHI: return b >= EV_TRUTH_SLOTS ? 1 : UINT32_MAX;
    case EV_PARAM: return b == 1 ? 0xff : b == 2 ? 0xffff : UINT32_MAX;
    default: return UINT32_MAX;
    }
}
static void bound_sum(const ev_graph *g, ev_node *n, const uint32_t *words) {
    uint64_t most = n->imm;
    unsigned zeros = n->imm ? (unsigned)__builtin_ctz(n->imm) : 32;
    for (unsigned k = 0; k < n->n; k += 2) {
        const ev_node *t = ev_at(g, words[k + 1]);
        if (most <= UINT32_MAX) most += (uint64_t)words[k] * t->most;
        const unsigned z = low_zeros(t->zeros) + (unsigned)__builtin_ctz(words[k]);
        if (z < zeros) zeros = z;
    }
    n->most = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
    n->zeros = low_mask(zeros);
    /* 1 - p of a truth value */
    if (n->imm == 1 && n->n == 2 && words[0] == UINT32_MAX && ev_at(g, words[1])->most <= 1) n->most = 1, n->zeros = ~1u;
}
static void bound_product(const ev_graph *g, ev_node *n, const uint32_t *words) {
    uint64_t most = 1;
    unsigned zeros = 0;
    for (unsigned k = 0; k < n->n; k++) {
        const ev_node *t = ev_at(g, words[k]);
        if (most <= UINT32_MAX) most *= t->most;
        zeros += low_zeros(t->zeros);
    }
    n->most = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
    n->zeros = low_mask(zeros);
}
static void bound_op(const ev_graph *g, ev_node *n, const uint32_t *words) {
    const ev_node *a = ev_at(g, words[0]), *b = n->n > 1 ? ev_at(g, words[1]) : a;
    uint32_t shift;
    n->most = UINT32_MAX;
    switch ((ev_op)n->op) {
    case EV_LUT: { /* where a, b and c are known zeros, the table's first bit decides */
        const ev_node *c = ev_at(g, words[2]);
        const uint32_t za = a->zeros, zb = b->zeros, zc = c->zeros;
        uint32_t may = 0; /* bits that some row can set */
        for (unsigned row = 0; row < 8; row++)
            if (n->imm >> row & 1) may |= (row & 4 ? ~za : UINT32_MAX) & (row & 2 ? ~zb : UINT32_MAX) & (row & 1 ? ~zc : UINT32_MAX);
        /* rows with a clear operand are only possible where it is not known to be one: not tracked */
        n->zeros = ~may;
        break;
    }
    case EV_SHR:
        if (ev_is_const(g, words[1], &shift) && shift < 32) {
            n->most = a->most >> shift;
            n->zeros = a->zeros >> shift | ~(UINT32_MAX >> shift);
        }
        break;
    case EV_SAR:
        if (ev_is_const(g, words[1], &shift) && shift < 32 && a->most <= INT32_MAX) n->most = a->most >> shift;
        break;
    case EV_UDIV: n->most = a->most / n->imm; break;
    case EV_SDIV: n->most = a->most <= INT32_MAX ? a->most / n->imm : UINT32_MAX; break;
    case EV_UMIN: n->most = a->most < b->most ? a->most : b->most; break;
    case EV_UMAX: n->most = a->most > b->most ? a->most : b->most; break;
    case EV_BFE:
        if (ev_is_const(g, words[1], &shift) && shift < 32 && !n->imm) n->most = low_mask(shift), n->zeros = ~low_mask(shift);
        break;
    case EV_SELECT: {
        const ev_node *c = ev_at(g, words[2]);
        n->most = b->most > c->most ? b->most : c->most;
        n->zeros = b->zeros & c->zeros;
        break;
    }
    case EV_FIRST: n->most = a->most, n->zeros = a->zeros; break;
    case EV_CARRY: case EV_CARRY_WIDE: case EV_LESS: case EV_BELOW: case EV_EQUAL: n->most = 1; break;
    case EV_POPC: n->most = 32; break;
    default: break;
    }
}
static void bound(ev_graph *g, ev_node *n, const uint32_t *words) {
    n->zeros = 0;
    switch ((ev_kind)n->kind) {
    case EV_CONST: n->most = n->imm, n->zeros = ~n->imm; return;
    case EV_LEAF: n->most = most_of_leaf((ev_leaf)n->op, words[0], words[1]); break;
    case EV_SUM: bound_sum(g, n, words); break;
    case EV_PRODUCT: bound_product(g, n, words); break;
    case EV_OP: bound_op(g, n, words); break;
    }
    n->zeros |= ~ones_up_to(n->most);
    if (~n->zeros < n->most) n->most = ~n->zeros;
}

/* --- sums -------------------------------------------------------------------------------------------------- */

typedef struct sum {
    uint32_t constant;
    unsigned n;
    bool full; /* more terms than fit */
    struct {
        uint32_t factor;
        ev_id node;
    } term[MAX_TERMS];
} sum;

static void sum_term(sum *s, uint32_t factor, ev_id node) {
    unsigned at = 0;
    while (at < s->n && s->term[at].node < node) at++;
    if (at < s->n && s->term[at].node == node) {
        s->term[at].factor += factor;
        if (s->term[at].factor) return;
        memmove(&s->term[at], &s->term[at + 1], (s->n - at - 1) * sizeof s->term[0]);
        s->n--;
    } else if (s->n == MAX_TERMS) {
        s->full = true;
    } else if (factor) {
        memmove(&s->term[at + 1], &s->term[at], (s->n - at) * sizeof s->term[0]);
        s->term[at].factor = factor, s->term[at].node = node;
        s->n++;
    }
}
static void sum_add(const ev_graph *g, sum *s, ev_id id, uint32_t factor) {
    const ev_node *n = ev_at(g, id);
    if (n->kind == EV_CONST || n->kind == EV_SUM) s->constant += factor * n->imm;
    if (n->kind == EV_CONST) return;
    if (n->kind != EV_SUM) sum_term(s, factor, id);
    else
        for (unsigned k = 0; k < n->n; k += 2) sum_term(s, factor * ev_word(g, id, k), ev_word(g, id, k + 1));
}
/* (x >> n) << n clears bits: that says more than a shift back. */
static bool shifts_back(const ev_graph *g, uint32_t factor, ev_id node, ev_id *of, uint32_t *shift) {
    const ev_node *n = ev_at(g, node);
    if (n->kind != EV_OP || (n->op != EV_SHR && n->op != EV_SAR) || !ev_is_const(g, ev_word(g, node, 1), shift)) return false;
    *of = ev_word(g, node, 0);
    return *shift < 32 && factor % (1u << *shift) == 0;
}
static bool divides(ev_graph *g, sum *s);
/* x & m, with a constant. */
static bool masked(const ev_graph *g, ev_id id, ev_id *x, uint32_t *m) {
    if (!ev_is_op(g, id, EV_LUT) || ev_at(g, id)->imm != 0xc0 || !ev_is_const(g, ev_word(g, id, 1), m)) return false;
    *x = ev_word(g, id, 0);
    return true;
}
/* Two parts of one value are more of it. */
static bool joins(ev_graph *g, sum *s) {
    ev_id x, y;
    uint32_t m, n;
    for (unsigned k = 0; k < s->n; k++) {
        if (!masked(g, s->term[k].node, &x, &m)) continue;
        for (unsigned j = k + 1; j < s->n; j++) {
            const uint32_t factor = s->term[k].factor;
            if (s->term[j].factor != factor || !masked(g, s->term[j].node, &y, &n) || x != y || (m & n)) continue;
            const ev_id one = s->term[k].node, other = s->term[j].node;
            sum_term(s, 0u - factor, one);
            sum_term(s, 0u - factor, other);
            sum_add(g, s, ev_and(g, x, ev_const(g, m | n)), factor);
            return true;
        }
    }
    return false;
}
static ev_id sum_node(ev_graph *g, sum *s) {
    while (divides(g, s) || joins(g, s)) continue;
    for (unsigned k = 0; k < s->n; k++) {
        ev_id of;
        uint32_t shift, factor = s->term[k].factor;
        if (!shifts_back(g, factor, s->term[k].node, &of, &shift)) continue;
        const ev_id cleared = ev_and(g, of, ev_const(g, ~low_mask(shift)));
        sum_term(s, 0u - factor, s->term[k].node);
        /* the cleared bits make all factors alike that agree in the others: the smallest one */
        sum_add(g, s, cleared, (uint32_t)((int32_t)factor >> shift));
        k = UINT32_MAX; /* again from the start */
    }
    if (s->n == 0) return ev_const(g, s->constant);
    if (s->n == 1 && s->constant == 0 && s->term[0].factor == 1) return s->term[0].node;
    uint32_t words[2 * MAX_TERMS];
    for (unsigned k = 0; k < s->n; k++) words[2 * k] = s->term[k].factor, words[2 * k + 1] = s->term[k].node;
    return intern(g, (ev_node){.kind = EV_SUM, .n = (uint16_t)(2 * s->n), .imm = s->constant}, words);
}
/* h >> s (signed) plus its sign bit, where h is a high word of x times a magic number, is x / d. */
static bool divides(ev_graph *g, sum *s) {
    for (unsigned k = 0; k < s->n; k++) {
        const ev_id sign = s->term[k].node;
        uint32_t n;
        if (!ev_is_op(g, sign, EV_SHR) || !ev_is_const(g, ev_word(g, sign, 1), &n) || n != 31) continue;
        const ev_id h = ev_word(g, sign, 0);
        for (unsigned j = 0; j < s->n; j++) {
            const ev_id t = s->term[j].node;
            uint32_t shift = 0;
            if (s->term[j].factor != s->term[k].factor) continue;
            if (t != h && (!ev_is_op(g, t, EV_SAR) || ev_word(g, t, 0) != h || !ev_is_const(g, ev_word(g, t, 1), &shift))) continue;
            const ev_id quotient = ev_signed_quotient(g, h, shift);
            if (!quotient) continue;
            const uint32_t factor = s->term[k].factor;
            sum_term(s, 0u - factor, sign);
            sum_term(s, 0u - factor, t);
            sum_add(g, s, quotient, factor);
            return true;
        }
    }
    return false;
}
ev_id ev_add(ev_graph *g, ev_id a, ev_id b) {
    sum s = {0};
    sum_add(g, &s, a, 1);
    sum_add(g, &s, b, 1);
    return s.full ? ev_make(g, EV_PLUS, 0, a, b, 0, 0) : sum_node(g, &s);
}
ev_id ev_scale(ev_graph *g, ev_id a, uint32_t factor) {
    sum s = {0};
    sum_add(g, &s, a, factor);
    return sum_node(g, &s);
}

/* --- products ------------------------------------------------------------------------------------------------ */

/* Product of two nodes that are neither constants nor sums. */
static ev_id monomial(ev_graph *g, ev_id a, ev_id b) {
    ev_id all[2 * MAX_FACTORS];
    unsigned n = 0;
    const ev_id of[2] = {a, b};
    for (unsigned s = 0; s < 2; s++) {
        const bool product = ev_at(g, of[s])->kind == EV_PRODUCT;
        for (unsigned k = 0; k < (product ? ev_at(g, of[s])->n : 1u); k++) {
            const ev_id f = product ? ev_word(g, of[s], k) : of[s];
            unsigned at = n++;
            for (; at > 0 && all[at - 1] > f; at--) all[at] = all[at - 1];
            all[at] = f;
        }
        if (n > MAX_FACTORS) { /* too long to multiply out: the first factor as one */
            all[0] = a, all[1] = b, n = 2;
            if (a > b) all[0] = b, all[1] = a;
            break;
        }
    }
    return intern(g, (ev_node){.kind = EV_PRODUCT, .n = (uint16_t)n}, all);
}
static unsigned terms_of(const ev_graph *g, ev_id id) {
    const ev_node *n = ev_at(g, id);
    return n->kind == EV_SUM ? n->n / 2 + (n->imm != 0) : 1;
}
ev_id ev_mul(ev_graph *g, ev_id a, ev_id b) {
    uint32_t v;
    if (ev_is_const(g, a, &v)) return ev_scale(g, b, v);
    if (ev_is_const(g, b, &v)) return ev_scale(g, a, v);
    const ev_node *x = ev_at(g, a), *y = ev_at(g, b);
    if (x->kind != EV_SUM && y->kind != EV_SUM) return monomial(g, a, b);
    if (terms_of(g, a) * terms_of(g, b) > MAX_TERMS) { /* kept as it is */
        const ev_id words[2] = {a < b ? a : b, a < b ? b : a};
        return intern(g, (ev_node){.kind = EV_PRODUCT, .n = 2}, words);
    }
    if (x->kind != EV_SUM) {
        const ev_id t = a;
        a = b, b = t;
    }
    sum s = {0};
    const unsigned n = ev_at(g, a)->n;
    sum_add(g, &s, b, ev_at(g, a)->imm);
    for (unsigned k = 0; k < n; k += 2) {
        const uint32_t factor = ev_word(g, a, k);
        const ev_id node = ev_word(g, a, k + 1), part = ev_mul(g, node, b);
        sum_add(g, &s, part, factor);
    }
    if (!s.full) return sum_node(g, &s);
    const ev_id words[2] = {a < b ? a : b, a < b ? b : a};
    return intern(g, (ev_node){.kind = EV_PRODUCT, .n = 2}, words);
}

/* --- operations: ops.c decides the form, this makes the node ---------------------------------------------------- */

ev_id ev_intern_op(ev_graph *g, ev_op op, uint32_t imm, const ev_id *args) {
    return intern(g, (ev_node){.kind = EV_OP, .op = (uint8_t)op, .n = (uint16_t)ev_op_args(op), .imm = imm}, args);
}

/* --- walking -------------------------------------------------------------------------------------------------------- */

unsigned ev_args(const ev_graph *g, ev_id id) {
    const ev_node *n = ev_at(g, id);
    return n->kind == EV_SUM ? n->n / 2 : n->kind == EV_PRODUCT || n->kind == EV_OP ? n->n : 0;
}
ev_id ev_arg(const ev_graph *g, ev_id id, unsigned k) { return ev_word(g, id, ev_at(g, id)->kind == EV_SUM ? 2 * k + 1 : k); }

void ev_mark_down(const ev_graph *g, uint8_t *mark) {
    for (ev_id k = (ev_id)g->nodes.count; k-- > 0;) {
        if (!mark[k]) continue;
        for (unsigned n = ev_args(g, k); n-- > 0;) mark[ev_arg(g, k, n)] = 1;
    }
}

ev_id ev_remake(ev_graph *g, ev_id id, const ev_id *map) {
    const ev_node n = *ev_at(g, id);
    ev_id r;
    switch ((ev_kind)n.kind) {
    case EV_CONST:
    case EV_LEAF: return map[id];
    case EV_SUM:
        r = ev_const(g, n.imm);
        for (unsigned k = 0; k < n.n; k += 2) {
            const uint32_t factor = ev_word(g, id, k);
            r = ev_add(g, r, ev_scale(g, map[ev_word(g, id, k + 1)], factor));
        }
        return r;
    case EV_PRODUCT:
        r = map[ev_word(g, id, 0)];
        for (unsigned k = 1; k < n.n; k++) r = ev_mul(g, r, map[ev_word(g, id, k)]);
        return r;
    default: {
        ev_id a[4] = {0};
        for (unsigned k = 0; k < n.n; k++) a[k] = map[ev_word(g, id, k)];
        return ev_make(g, (ev_op)n.op, n.imm, a[0], a[1], a[2], a[3]);
    }
    }
}
