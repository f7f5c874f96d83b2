#include "engine/walk.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 512, UREG0 = 256, MAX_FORMS = 1024, HASH = 4096 };
enum { UNKNOWN = 0, UNSEEN = UINT16_MAX }; /* values; others are a form's number * 2 + half + 2 */

typedef uint16_t value;

/* The addends of a low word whose carry a predicate holds. */
typedef struct carry {
    unsigned n;
    value addends[3];
} carry;

struct walk {
    const eng_grid *grid;
    wg_arena *arena;
    const eng_unit *unit;
    const sass_cfg *cfg;
    value (*at)[PLACES]; /* by basic block: where it begins */
    uint32_t count[AFF_TERMS];
    affine *forms;
    uint16_t *hash; /* number of a form + 1 */
    unsigned n_forms;
    value state[PLACES];
    carry carries[16]; /* by predicate, uniform ones from 8 on; n 0: it is none. Of this basic block. */
    carry made;        /* by the instruction that is being looked at */
};

/* --- values --------------------------------------------------------------------------------- */

static value intern(walk *k, const affine *form, unsigned half) {
    uint64_t h = (uint64_t)form->c;
    for (unsigned n = 0; n < AFF_TERMS; n++) h = (h ^ (uint64_t)form->k[n]) * UINT64_C(0x9e3779b97f4a7c15);
    for (h >>= 40;; h++) {
        uint16_t *slot = &k->hash[h % HASH];
        if (*slot && memcmp(&k->forms[*slot - 1], form, sizeof *form)) continue;
        if (!*slot && k->n_forms == MAX_FORMS) return UNKNOWN;
        if (!*slot) k->forms[k->n_forms] = *form, *slot = (uint16_t)++k->n_forms;
        return (value)((*slot - 1) * 2 + (int)half + 2);
    }
}
static value word(walk *k, affine form) {
    form = aff_word(&form);
    return intern(k, &form, 0);
}
static const affine *form_of(const walk *k, value v) { return &k->forms[(v - 2) / 2]; }
static bool is_high(value v) { return v & 1; }
static bool known_word(value v) { return v != UNKNOWN && !is_high(v); }

static bool constant(const walk *k, value v, int64_t *c) {
    if (!known_word(v) || !aff_is_const(form_of(k, v))) return false;
    *c = form_of(k, v)->c;
    return true;
}

/* Makes of a word the integer that it is, signed or not. False: its range does not say which. */
static bool in_range(const walk *k, affine *out, bool is_signed) {
    int64_t least, most;
    if (!aff_range(out, k->count, &least, &most)) return false;
    if (is_signed) return least >= INT32_MIN && most <= INT32_MAX;
    if (most < 0) out->c += INT64_C(1) << 32, least += INT64_C(1) << 32, most += INT64_C(1) << 32;
    return least >= 0 && most <= UINT32_MAX;
}
static bool integer(const walk *k, value v, bool is_signed, affine *out) {
    if (!known_word(v)) return false;
    *out = *form_of(k, v);
    return in_range(k, out, is_signed);
}

/* The 64 bits of two words. */
static bool pair(const walk *k, value low, value high, affine *out) {
    if (!known_word(low) || high == UNKNOWN) return false;
    if (is_high(high)) {
        *out = *form_of(k, high);
        return aff_equal_word(form_of(k, low), out);
    }
    affine up = aff_scale(form_of(k, high), INT64_C(1) << 32);
    if (!integer(k, low, false, out)) return false;
    *out = aff_add(out, &up);
    return true;
}

/* --- operands ------------------------------------------------------------------------------- */

static value constant_word(walk *k, unsigned bank, int64_t at) {
    uint32_t v;
    if (bank || at < 0 || (uint64_t)at + 4 > k->grid->banks[0].size) return UNKNOWN; /* the others are variables */
    memcpy(&v, k->grid->banks[0].bytes + at, 4);
    return word(k, aff_const(v));
}

/* Word 0 or 1 of a source, without its signs. */
static value plain(walk *k, const sass_operand *op, unsigned n) {
    if (op->kind == SASS_REG && op->reg != SASS_RZ) return op->reg + n < UREG0 ? k->state[op->reg + n] : UNKNOWN;
    if (op->kind == SASS_UREG && op->reg != SASS_URZ) return op->reg + n < UREG0 ? k->state[UREG0 + op->reg + n] : UNKNOWN;
    if (op->kind == SASS_CONST && op->index == SASS_RZ) return constant_word(k, op->bank, op->value + 4 * n);
    if (op->kind == SASS_IMM) return word(k, aff_const(n ? 0 : op->value));
    return eng_is_zero(op) ? word(k, aff_const(0)) : UNKNOWN;
}
static value signed_word(walk *k, const sass_operand *op) {
    value v = plain(k, op, 0);
    if (op->abs) return UNKNOWN;
    if (!op->neg && !op->inv) return v;
    if (!known_word(v)) return UNKNOWN;
    affine minus = aff_scale(form_of(k, v), -1);
    if (op->inv) minus.c--;
    return word(k, minus);
}
static bool plain_pair(walk *k, const sass_operand *op, affine *out) {
    return !op->neg && !op->inv && !op->abs && pair(k, plain(k, op, 0), plain(k, op, 1), out);
}
static bool no_signs(const sass_operand *op) { return !op->neg && !op->inv && !op->abs; }

/* --- sums and their carries ------------------------------------------------------------------ */

static unsigned pred_place(const sass_pred *p) { return (p->uniform ? 8u : 0u) + (p->reg & 7); }
static bool is_pred(const sass_pred *p) { return p->present && (p->reg & 7) != SASS_PT; }
static bool is_false(const sass_pred *p) { return !p->present || ((p->reg & 7) == SASS_PT && p->inv); }

static value add_words(walk *k, const value *v, unsigned n) {
    affine total = aff_const(0);
    for (unsigned j = 0; j < n; j++) {
        if (!known_word(v[j])) return UNKNOWN;
        total = aff_add(&total, form_of(k, v[j]));
    }
    return word(k, total);
}

/* A low word's sum: remembers its addends for the high word's. */
static value add_low(walk *k, const sass_instr *in, const value *v, unsigned n, bool plain_addends) {
    if (is_pred(&in->pdst[0]) && !is_pred(&in->pdst[1]) && plain_addends) {
        k->made.n = n;
        memcpy(k->made.addends, v, n * sizeof *v);
    }
    return add_words(k, v, n);
}

/* A high word's sum: 2^32 times its addends, and those of the low word that the carry comes from. An addend that is the
 * high word of a form belongs to the low word of that form. */
static value add_high(walk *k, const sass_pred *in, const value *high, unsigned n) {
    affine total = aff_const(0);
    const carry *c = is_pred(in) && !in->inv ? &k->carries[pred_place(in)] : NULL;
    bool used[3] = {false};
    if (!c || !c->n) return UNKNOWN;
    for (unsigned l = 0; l < c->n; l++) {
        unsigned h = 0;
        affine low;
        if (!known_word(c->addends[l])) return UNKNOWN;
        while (h < n && (used[h] || !is_high(high[h]) || high[h] == UNKNOWN ||
                         !aff_equal_word(form_of(k, high[h]), form_of(k, c->addends[l]))))
            h++;
        if (h < n) used[h] = true, low = *form_of(k, high[h]);
        else if (!integer(k, c->addends[l], false, &low)) return UNKNOWN;
        total = aff_add(&total, &low);
    }
    for (unsigned h = 0; h < n; h++) {
        if (used[h]) continue;
        if (!known_word(high[h])) return UNKNOWN;
        affine up = aff_scale(form_of(k, high[h]), INT64_C(1) << 32);
        total = aff_add(&total, &up);
    }
    return intern(k, &total, 1);
}

/* --- instructions ---------------------------------------------------------------------------- */

static value add3(walk *k, const sass_instr *in) {
    value v[3] = {signed_word(k, &in->a), signed_word(k, &in->b), signed_word(k, &in->c)};
    if (!(in->flags & SASS_X)) return add_low(k, in, v, 3, no_signs(&in->a) && no_signs(&in->b) && no_signs(&in->c));
    return is_false(&in->psrc[1]) && !is_pred(&in->pdst[0]) ? add_high(k, &in->psrc[0], v, 3) : UNKNOWN;
}

/* The high word of a shifted sum: that of the pair (or of the sign-extended word), plus b and the low sum's carry. */
static value lea_high(walk *k, const sass_instr *in, value b) {
    const bool from_word = in->flags & SASS_SX32;
    affine a, shifted;
    bool known = from_word ? integer(k, plain(k, &in->a, 0), true, &a) : pair(k, plain(k, &in->a, 0), plain(k, &in->c, 0), &a);
    if (!known || !no_signs(&in->a) || is_pred(&in->pdst[0])) return UNKNOWN;
    shifted = aff_scale(&a, INT64_C(1) << in->shift);
    if (in->flags & SASS_X) {
        value sum = add_high(k, &in->psrc[0], (value[]){intern(k, &shifted, 1), b}, 2);
        if (sum != UNKNOWN || !from_word || in->shift != 1) return sum;
        return add_high(k, &in->psrc[0], (value[]){intern(k, &a, 1), b}, 2); /* the sign word alone: a and 2a have the same */
    }
    if (!known_word(b)) return UNKNOWN;
    a = aff_scale(form_of(k, b), INT64_C(1) << 32);
    a = aff_add(&a, &shifted);
    return intern(k, &a, 1);
}

static value lea(walk *k, const sass_instr *in) {
    value v[2] = {signed_word(k, &in->a), signed_word(k, &in->b)};
    if (in->flags & SASS_HI) return lea_high(k, in, v[1]);
    if (!known_word(v[0]) || in->flags & SASS_X) return UNKNOWN;
    v[0] = word(k, aff_scale(form_of(k, v[0]), INT64_C(1) << in->shift));
    return add_low(k, in, v, 2, no_signs(&in->a) && no_signs(&in->b));
}

/* Bitwise not. */
static value lop3(walk *k, const sass_instr *in) {
    value v = in->lut == 0x0f ? plain(k, &in->a, 0) : in->lut == 0x33 ? plain(k, &in->b, 0) : in->lut == 0x55 ? plain(k, &in->c, 0) : UNKNOWN;
    if (!known_word(v) || !no_signs(&in->a) || !no_signs(&in->b) || !no_signs(&in->c)) return UNKNOWN;
    affine minus = aff_scale(form_of(k, v), -1);
    minus.c--;
    return word(k, minus);
}

static value mad(walk *k, const sass_instr *in) {
    value a = signed_word(k, &in->a), b = signed_word(k, &in->b), c = signed_word(k, &in->c);
    int64_t by;
    if (constant(k, a, &by)) a = b;
    else if (!constant(k, b, &by)) return UNKNOWN;
    if (in->flags & SASS_X) { /* as an addition: a zero product */
        return by == 0 && !is_pred(&in->pdst[0]) ? add_high(k, &in->psrc[0], &c, 1) : UNKNOWN;
    }
    if (by == 0 && !is_pred(&in->pdst[0])) return c; /* a move, of high words too */
    if (!known_word(a)) return UNKNOWN;
    value v[2] = {word(k, aff_scale(form_of(k, a), by)), c};
    return is_pred(&in->pdst[0]) ? UNKNOWN : add_words(k, v, 2);
}

static bool mad_wide(walk *k, const sass_instr *in, affine *out) {
    const bool is_signed = in->flags & SASS_SIGNED;
    affine a, b, c;
    if (in->flags & SASS_X || !no_signs(&in->a) || !no_signs(&in->b) || is_pred(&in->pdst[0])) return false;
    if (!integer(k, plain(k, &in->a, 0), is_signed, &a) || !integer(k, plain(k, &in->b, 0), is_signed, &b)) return false;
    if (!plain_pair(k, &in->c, &c)) return false;
    if (aff_is_const(&a)) *out = aff_scale(&b, a.c);
    else if (aff_is_const(&b)) *out = aff_scale(&a, b.c);
    else return false;
    *out = aff_add(out, &c);
    return true;
}

/* A pair shifted left, or the sign of a word. */
static value shift(walk *k, const sass_instr *in) {
    const bool right = in->flags & SASS_RIGHT, hi = in->flags & SASS_HI;
    int64_t n;
    affine a;
    if (!no_signs(&in->a) || !no_signs(&in->b) || !no_signs(&in->c) || !constant(k, plain(k, &in->b, 0), &n)) return UNKNOWN;
    if (right) {
        if (!hi || in->type != SASS_S32 || n != 31 || !integer(k, plain(k, &in->c, 0), true, &a)) return UNKNOWN;
        return intern(k, &a, 1);
    }
    if (n < 0 || n > 31) return UNKNOWN;
    if (!hi) {
        value low = plain(k, &in->a, 0);
        return known_word(low) ? word(k, aff_scale(form_of(k, low), INT64_C(1) << n)) : UNKNOWN;
    }
    if (!pair(k, plain(k, &in->a, 0), plain(k, &in->c, 0), &a)) return UNKNOWN;
    a = aff_scale(&a, INT64_C(1) << n);
    return intern(k, &a, 1);
}

static value special(walk *k, const sass_instr *in) {
    const int64_t sr = in->a.value;
    affine a = aff_const(0);
    unsigned term;
    if (sr == 0xff || (sr == ENG_SR_RANK && k->grid->cluster_size == 1)) return word(k, a); /* zero; a block is the first of its cluster */
    if (sr >= 0x21 && sr <= 0x23 && in->op != SASS_S2UR) term = AFF_TID + (unsigned)(sr - 0x21);
    else if (sr >= 0x25 && sr <= 0x27) term = AFF_CTAID + (unsigned)(sr - 0x25);
    else return UNKNOWN;
    if (k->count[term] > 1) a.k[term] = 1;
    return word(k, a);
}

/* Only what all lanes agree about may go to a uniform register. */
static value uniform(walk *k, value v) {
    if (v == UNKNOWN) return v;
    for (unsigned n = AFF_TID; n < AFF_CTAID; n++)
        if (form_of(k, v)->k[n]) return UNKNOWN;
    return v;
}

static unsigned results(walk *k, const sass_instr *in, value out[4]) {
    affine wide;
    switch (in->op) {
    case SASS_S2R: case SASS_S2UR: return out[0] = special(k, in), 1;
    case SASS_CS2R: return out[0] = out[1] = in->a.value == 0xff ? word(k, aff_const(0)) : UNKNOWN, 2;
    case SASS_MOV: return out[0] = (in->byte & 15) == 15 && no_signs(&in->a) ? plain(k, &in->a, 0) : UNKNOWN, 1;
    case SASS_UMOV: return out[0] = no_signs(&in->a) ? plain(k, &in->a, 0) : UNKNOWN, 1;
    case SASS_R2UR: case SASS_R2UR_90: return out[0] = uniform(k, plain(k, &in->a, 0)), 1;
    case SASS_HFMA2: case SASS_HFMA2_MMA: return out[0] = eng_half_constant(in) ? plain(k, &in->c, 0) : UNKNOWN, 1;
    case SASS_LDC: case SASS_ULDC: case SASS_ULDC_R: case SASS_LDCU:
        if (in->a.kind != SASS_CONST || in->a.index != SASS_RZ || in->width < 4) return 0;
        for (unsigned n = 0; n < in->width / 4u; n++) out[n] = constant_word(k, in->a.bank, in->a.value + 4 * n);
        return in->width / 4u;
    case SASS_IADD3: case SASS_UIADD3: return out[0] = add3(k, in), 1;
    case SASS_VIADD: return out[0] = in->shape ? UNKNOWN : add_words(k, (value[]){signed_word(k, &in->a), signed_word(k, &in->b)}, 2), 1;
    case SASS_LEA: case SASS_ULEA: return out[0] = lea(k, in), 1;
    case SASS_IMAD: case SASS_UIMAD: return out[0] = mad(k, in), 1;
    case SASS_IMAD_WIDE: case SASS_UIMAD_WIDE:
        if (!mad_wide(k, in, &wide)) return 0;
        return out[0] = intern(k, &wide, 0), out[1] = intern(k, &wide, 1), 2;
    case SASS_LOP3: case SASS_ULOP3: return out[0] = lop3(k, in), 1;
    case SASS_SHF: case SASS_USHF: return out[0] = shift(k, in), 1;
    default: return 0;
    }
}

/* --- addresses ------------------------------------------------------------------------------- */

bool walk_global(const walk *k, const sass_address *m, affine *at) {
    const affine offset = aff_const(m->offset);
    *at = aff_const(0);
    if (m->base != SASS_RZ) {
        value low = k->state[m->base];
        if (m->wide ? m->base + 1 >= UREG0 || !pair(k, low, k->state[m->base + 1], at) : !integer(k, low, false, at)) return false;
    }
    if (m->uniform != SASS_URZ) {
        affine add;
        if (m->uniform + 1 >= UREG0 || !pair(k, k->state[UREG0 + m->uniform], k->state[UREG0 + m->uniform + 1], &add)) return false;
        *at = aff_add(at, &add);
    }
    *at = aff_add(at, &offset);
    return true;
}

/* 32 bits, as its words are. */
bool walk_shared(const walk *k, const sass_address *m, affine *at) {
    affine sum = aff_const(m->offset);
    if (m->scale > 1) return false;
    const unsigned place[2] = {m->base != SASS_RZ ? m->base : PLACES, m->uniform != SASS_URZ ? UREG0 + m->uniform : PLACES};
    for (unsigned n = 0; n < 2; n++) {
        if (place[n] == PLACES) continue;
        if (place[n] > PLACES || !known_word(k->state[place[n]])) return false;
        sum = aff_add(&sum, form_of(k, k->state[place[n]]));
    }
    *at = aff_word(&sum);
    return in_range(k, at, false);
}

/* --- the walk -------------------------------------------------------------------------------- */

static void write_words(walk *k, const sass_operand *dst, unsigned n, const value *v, bool always) {
    unsigned first = dst->kind == SASS_REG && dst->reg != SASS_RZ ? dst->reg : dst->kind == SASS_UREG && dst->reg != SASS_URZ ? UREG0 + dst->reg : PLACES;
    for (unsigned w = 0; w < n && first + w < PLACES; w++)
        k->state[first + w] = always || k->state[first + w] == v[w] ? v[w] : UNKNOWN;
}

static void note_carries(walk *k, const sass_instr *in, bool always) {
    for (unsigned n = 0; n < 2; n++)
        if (is_pred(&in->pdst[n])) k->carries[pred_place(&in->pdst[n])].n = 0;
    if (in->op == SASS_R2P || in->op == SASS_UR2UP) memset(k->carries, 0, sizeof k->carries);
    if (k->made.n && always) k->carries[pred_place(&in->pdst[0])] = k->made;
}

static void step(walk *k, const sass_instr *in) {
    const bool always = (in->guard.reg & 7) == SASS_PT && !in->guard.inv;
    value out[PLACES / 2] = {UNKNOWN};
    k->made.n = 0;
    if (!results(k, in, out)) memset(out, 0, sizeof out);
    note_carries(k, in, always);
    const unsigned words = sass_dst_regs(in), more = sass_dst2_regs(in);
    write_words(k, &in->dst, words ? words : 1, out, always);
    if (more) memset(out, 0, sizeof out), write_words(k, &in->dst2, more, out, always);
}

/* What holds at `to` when control also comes from where the state is. True: less than before. */
static bool join(value *to, const value *state) {
    bool less = false;
    for (unsigned p = 0; p < PLACES; p++) {
        if (to[p] == state[p] || to[p] == UNKNOWN) continue;
        to[p] = to[p] == UNSEEN ? state[p] : UNKNOWN;
        less = true;
    }
    return less;
}

static void begin_block(walk *k, const value *state) {
    memcpy(k->state, state, sizeof k->state);
    memset(k->carries, 0, sizeof k->carries);
}

static bool follow(walk *k) {
    enum { SWEEPS = 32 };
    const sass_cfg *cfg = k->cfg;
    value(*at)[PLACES] = k->at;
    bool changed = true;
    memset(at, 0xff, cfg->n_blocks * sizeof *at);
    memset(at[0], 0, sizeof *at);
    for (unsigned sweep = 0; changed && sweep < SWEEPS; sweep++) {
        changed = false;
        for (size_t b = 0; b < cfg->n_blocks; b++) {
            if (at[b][0] == UNSEEN) continue;
            begin_block(k, at[b]);
            for (uint32_t n = cfg->blocks[b].first; n <= cfg->blocks[b].last; n++) step(k, &k->unit->instrs[n]);
            for (unsigned s = 0; s < 2; s++)
                if (cfg->blocks[b].succ[s] != UINT32_MAX) changed |= join(at[cfg->blocks[b].succ[s]], k->state);
        }
    }
    return !changed;
}

void walk_visit(walk *k, void (*visit)(void *context, walk *k, const sass_instr *in), void *context) {
    for (size_t b = 0; b < k->cfg->n_blocks; b++) {
        if (k->at[b][0] == UNSEEN) continue;
        begin_block(k, k->at[b]);
        for (uint32_t n = k->cfg->blocks[b].first; n <= k->cfg->blocks[b].last; n++) {
            visit(context, k, &k->unit->instrs[n]);
            step(k, &k->unit->instrs[n]);
        }
    }
}

const sass_cfg *walk_cfg(const walk *k) { return k->cfg; }
const uint32_t *walk_count(const walk *k) { return k->count; }

static bool begin(walk *k, const eng_unit *unit) {
    k->unit = unit;
    if (!(k->arena = wg_arena_new()) || !(k->cfg = sass_cfg_build(k->arena, unit->instrs, unit->n, NULL, 0))) return false;
    k->at = wg_arena_array(k->arena, k->cfg->n_blocks, sizeof *k->at);
    k->forms = wg_arena_array(k->arena, MAX_FORMS, sizeof *k->forms);
    k->hash = wg_arena_array(k->arena, HASH, sizeof *k->hash);
    if (!k->at || !k->forms || !k->hash) return false;
    for (size_t b = 0; b < k->cfg->n_blocks; b++)
        if (k->cfg->blocks[b].indirect) return false;
    return follow(k);
}

walk *walk_new(const eng_grid *grid) {
    const eng_plan *plan = grid->plan;
    if (plan->units.count != 1 || plan->units.at[0].n > WALK_MOST) return NULL;
    walk *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->grid = grid;
    for (unsigned d = 0; d < 3; d++) k->count[AFF_TID + d] = grid->block[d], k->count[AFF_CTAID + d] = grid->grid[d];
    if (begin(k, &plan->units.at[0])) return k;
    walk_free(k);
    return NULL;
}

void walk_free(walk *k) {
    if (!k) return;
    wg_arena_free(k->arena);
    free(k);
}
