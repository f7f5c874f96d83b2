/* What each instruction does to the shadows of its operands: a bit of a result is undefined when it can differ with the
 * undefined bits of the sources. Exact where code relies on it (moves, masks, shifts, bytes, selections, comparisons and
 * predicates that are joined with others), careful elsewhere: any undefined bit makes all of the result undefined. */
#include "engine/undefined_step.h"

static uint32_t all_tainted(step *s) {
    uint32_t bits = 0;
    for (unsigned k = 0; k < 4; k++) bits |= tainted(s, &s->op->source[k]);
    for (unsigned k = 0; k < s->op->n_addresses; k++) bits |= tainted(s, &s->op->address[k]);
    for (unsigned k = 0; k < 3; k++) bits |= pred_tainted(s, s->op->ps[k]);
    return bits;
}

/* Word `word` of the result, for the lanes that execute; where it is undefined whether they do, all of it is. */
static void put(step *s, uint32_t d, const lanes *value) {
    uint32_t *to = shadow(s, d), any = 0;
    if (d >= s->w->worker->grid->plan->zero && d < s->w->worker->grid->plan->uregs) return;
    EACH {
        if (s->on >> l & 1) to[l] = value->at[l];
        if (s->maybe >> l & 1) to[l] = UINT32_MAX;
        any |= to[l];
    }
    unsigned n = d / ENG_SLOT;
    if (n >= ENG_SHADOWED) return;
    if (!any) {
        s->t->dirty[n / 64] &= ~(UINT64_C(1) << n % 64);
        return;
    }
    s->t->dirty[n / 64] |= UINT64_C(1) << n % 64;
    if (s->origin) s->t->slot_origin[n] = s->origin | (s->op->computes ? ENG_COMPUTED : 0);
}
static void put_word(step *s, unsigned word, lanes value) {
    if (word < s->op->words) put(s, s->op->d + word * ENG_SLOT, &value);
}
static void put_pred(step *s, unsigned k, uint32_t undefined) {
    uint8_t pd = s->op->pd[k];
    if (pd == ENG_PSINK) return;
    s->t->P[pd] = (s->t->P[pd] & ~s->on) | (undefined & s->on) | s->maybe;
    if (!s->t->P[pd]) return;
    s->t->preds = true;
    if (s->origin) s->t->pred_origin[pd] = s->origin;
}
static lanes filled(uint32_t bits) {
    lanes r;
    EACH r.at[l] = bits >> l & 1 ? UINT32_MAX : 0;
    return r;
}
static uint32_t left_of(uint32_t u) { return u | (0u - u); } /* the lowest undefined bit and all above */

/* --- rules for results ------------------------------------------------------------------------------------ */

static void rule_any(step *s) {
    uint32_t bits = all_tainted(s);
    if (s->i->uni && bits) bits = ENG_ALL;
    for (unsigned k = 0; k < s->op->words; k++) put_word(s, k, filled(bits));
    for (unsigned k = 0; k < s->op->d2_words; k++) {
        lanes f = filled(bits);
        put(s, s->op->d2 + k * ENG_SLOT, &f);
    }
    for (unsigned k = 0; k < 2; k++) put_pred(s, k, bits);
}

static void rule_copy(step *s) {
    lanes r[8];
    for (unsigned k = 0; k < s->op->words; k++) r[k] = shadow_of(s, &s->op->source[0], k);
    for (unsigned k = 0; k < s->op->words; k++) put_word(s, k, r[k]);
}

static void rule_select(step *s) {
    uint32_t unsure = pred_tainted(s, s->op->ps[0]), yes = eng_pred(s->w, s->op->ps[0]);
    lanes r[2];
    for (unsigned k = 0; k < s->op->words && k < 2; k++) {
        lanes ua = shadow_of(s, &s->op->source[0], k), ub = shadow_of(s, &s->op->source[1], k);
        lanes a = value_of(s, &s->op->source[0], k), b = value_of(s, &s->op->source[1], k);
        bool raw = s->op->in->op != SASS_FSEL; /* its sources may change signs */
        EACH r[k].at[l] = unsure >> l & 1 ? (raw ? (a.at[l] ^ b.at[l]) | ua.at[l] | ub.at[l] : UINT32_MAX)
                                          : yes >> l & 1 ? ua.at[l] : ub.at[l];
    }
    for (unsigned k = 0; k < s->op->words && k < 2; k++) put_word(s, k, r[k]);
}

/* Sums: nothing below the lowest undefined bit of any source can differ. */
static void sum(step *s, uint32_t carry_in, const lanes *low, const lanes *high) {
    lanes r, h = {{0}};
    uint32_t carry = 0;
    EACH {
        r.at[l] = carry_in >> l & 1 ? UINT32_MAX : left_of(low->at[l]);
        carry |= (uint32_t)(r.at[l] != 0) << l;
        if (high) h.at[l] = r.at[l] ? UINT32_MAX : left_of(high->at[l]);
        if (high) carry |= (uint32_t)(h.at[l] != 0) << l;
    }
    put_word(s, 0, r);
    if (high) put_word(s, 1, h);
    for (unsigned k = 0; k < 2; k++) put_pred(s, k, carry);
}
static uint32_t carries(step *s) { return pred_tainted(s, s->op->ps[0]) | pred_tainted(s, s->op->ps[1]); }
static lanes either(lanes a, lanes b) {
    EACH a.at[l] |= b.at[l];
    return a;
}
static void rule_left(step *s) {
    const undef_operand *o = s->op->source;
    lanes low = either(either(shadow_of(s, &o[0], 0), shadow_of(s, &o[1], 0)), shadow_of(s, &o[2], 0));
    lanes high = either(either(shadow_of(s, &o[0], 1), shadow_of(s, &o[1], 1)), shadow_of(s, &o[2], 1));
    sum(s, carries(s), &low, s->op->words == 2 ? &high : NULL);
}
static void rule_lea(step *s) {
    const undef_operand *o = s->op->source;
    lanes u = shadow_of(s, &o[0], 0), b = shadow_of(s, &o[1], 0);
    EACH u.at[l] = (u.at[l] << s->op->in->shift) | b.at[l];
    sum(s, carries(s), &u, NULL);
}
/* The lowest bit of a product that can differ: a factor that is defined moves the other one's up by its trailing zeros (bf16 in the
 * upper half of a word is made by times 65536), and a zero makes them matter to nobody. */
static uint64_t lowest_of_product(uint32_t a, uint32_t ua, uint32_t b, uint32_t ub) {
    if ((!a && !ua) || (!b && !ub) || !(ua | ub)) return 0;
    uint32_t defined = !ua ? a : !ub ? b : 1, u = ua | ub;
    return (uint64_t)(u & (0u - u)) << __builtin_ctz(defined);
}
static lanes product(step *s, lanes *high) {
    const undef_operand *o = s->op->source;
    lanes ua = shadow_of(s, &o[0], 0), ub = shadow_of(s, &o[1], 0), a = value_of(s, &o[0], 0), b = value_of(s, &o[1], 0), r;
    EACH {
        uint64_t lowest = lowest_of_product(a.at[l], ua.at[l], b.at[l], ub.at[l]);
        r.at[l] = (uint32_t)lowest;
        if (high) high->at[l] |= (uint32_t)(lowest >> 32);
    }
    return r;
}
static void rule_imad(step *s) {
    lanes u = either(product(s, NULL), shadow_of(s, &s->op->source[2], 0));
    sum(s, carries(s), &u, NULL);
}
static void rule_wide(step *s) {
    lanes high = shadow_of(s, &s->op->source[2], 1), u = either(product(s, &high), shadow_of(s, &s->op->source[2], 0));
    sum(s, carries(s), &u, &high);
}

/* Which bits of a table's result can differ with the undefined bits of its three sources. */
static uint32_t table(const uint32_t v[3], const uint32_t u[3], unsigned lut, uint32_t *never_zero) {
    uint32_t can_0 = 0, can_1 = 0;
    for (unsigned n = 0; n < 8; n++) {
        uint32_t can = UINT32_MAX;
        for (unsigned k = 0; k < 3; k++) can &= u[k] | (n & 4u >> k ? v[k] : ~v[k]);
        if (lut >> n & 1) can_1 |= can;
        else can_0 |= can;
    }
    if (never_zero) *never_zero = ~can_0;
    return can_0 & can_1;
}
static void rule_lop3(step *s) {
    lanes v[3], u[3], r;
    uint32_t unsure = 0, q = eng_pred(s->w, s->op->ps[0]), uq = pred_tainted(s, s->op->ps[0]);
    bool with = s->op->in->flags & SASS_PAND;
    for (unsigned k = 0; k < 3; k++) v[k] = value_of(s, &s->op->source[k], 0), u[k] = shadow_of(s, &s->op->source[k], 0);
    EACH {
        uint32_t value[3], undefined[3], ones;
        for (unsigned k = 0; k < 3; k++) value[k] = v[k].at[l], undefined[k] = u[k].at[l];
        r.at[l] = table(value, undefined, s->op->in->lut, &ones);
        if (r.at[l] && !ones) unsure |= 1u << l; /* zero or not? */
    }
    put_word(s, 0, r);
    uint32_t decided = with ? ~q & ~uq : q & ~uq; /* by the other predicate */
    put_pred(s, 0, (unsure | uq) & ~decided);
}
static void rule_plop3(step *s) {
    uint32_t v[3], u[3];
    for (unsigned k = 0; k < 3; k++) v[k] = eng_pred(s->w, s->op->ps[k]), u[k] = pred_tainted(s, s->op->ps[k]);
    uint32_t r0 = table(v, u, s->op->in->lut, NULL), r1 = table(v, u, s->op->in->lut2, NULL);
    put_pred(s, 0, r0);
    put_pred(s, 1, r1);
}

/* Shifts and choices of bytes: the instruction itself, done to the shadows, with the real count or selector. */
static void rule_moved(step *s) {
    const undef_op *op = s->op;
    uint32_t unsure = tainted(s, &op->source[1]), any = tainted(s, &op->source[0]) | tainted(s, &op->source[2]);
    if (unsure || s->maybe) {
        bool old = any;
        if (old) op->shadow[0].fn(&op->shadow[0], s->w, s->R, s->w->mask);
        lanes r;
        memcpy(&r, shadow(s, op->d), sizeof r);
        EACH r.at[l] = unsure >> l & 1 ? UINT32_MAX : old ? r.at[l] : 0;
        put_word(s, 0, r);
    } else if (any) {
        op->shadow[0].fn(&op->shadow[0], s->w, s->R, s->w->mask);
        lanes r;
        memcpy(&r, shadow(s, op->d), sizeof r);
        put_word(s, 0, r);
    } else {
        put_word(s, 0, filled(0));
    }
}

/* --- comparisons and predicates ------------------------------------------------------------------------------ */

/* Lanes for which the predicates that the instruction writes depend on ps[0]: it is done with either value. */
static void depends_on_joined(const step *s, uint32_t depends[2]) {
    uint32_t *P = s->w->P, old[ENG_PREDS], with[2][2];
    memcpy(old, P, sizeof old);
    for (unsigned value = 0; value < 2; value++) {
        P[s->op->ps[0] & 0x1f] = value ? ENG_ALL : 0;
        s->op->shadow[0].fn(&s->op->shadow[0], s->w, s->R, s->w->mask);
        for (unsigned k = 0; k < 2; k++) with[value][k] = P[s->op->pd[k]];
        memcpy(P, old, sizeof old);
    }
    for (unsigned k = 0; k < 2; k++) depends[k] = with[0][k] ^ with[1][k];
}

/* A comparison whose lanes in u are undefined, joined with the predicate ps[0]: either may decide alone. */
static void joined(step *s, uint32_t u) {
    uint32_t q = eng_pred(s->w, s->op->ps[0]), uq = pred_tainted(s, s->op->ps[0]), depends[2] = {ENG_ALL, ENG_ALL};
    unsigned bop = s->op->in->bop;
    uint32_t decided = bop == SASS_AND ? ~q & ~uq : bop == SASS_OR ? q & ~uq : 0;
    if (uq & ~u & s->on) depends_on_joined(s, depends);
    for (unsigned k = 0; k < 2; k++) put_pred(s, k, (u & ~decided) | (uq & (u | depends[k])));
}
static void rule_compare(step *s) {
    uint32_t u = tainted(s, &s->op->source[0]) | tainted(s, &s->op->source[1]) | pred_tainted(s, s->op->ps[1]);
    joined(s, u);
}

/* By the least and the greatest value that each side can have. */
static bool can_differ(uint32_t a, uint32_t ua, uint32_t b, uint32_t ub, unsigned cmp, bool is_signed) {
    if (!(ua | ub) || cmp == SASS_F || cmp == SASS_T) return false;
    if (cmp == SASS_EQ || cmp == SASS_NE) return !((a ^ b) & ~(ua | ub));
    uint32_t flip = is_signed ? 0x80000000u : 0; /* signed order as unsigned; flipping keeps which bits are undefined */
    a ^= flip, b ^= flip;
    uint32_t a0 = a & ~ua, a1 = a | ua, b0 = b & ~ub, b1 = b | ub;
    if (cmp == SASS_LT || cmp == SASS_GE) return (a1 < b0) != (a0 < b1);
    return (a1 <= b0) != (a0 <= b1);
}
static void rule_compare_int(step *s) {
    const undef_operand *o = s->op->source;
    lanes a = value_of(s, &o[0], 0), b = value_of(s, &o[1], 0), ua = shadow_of(s, &o[0], 0), ub = shadow_of(s, &o[1], 0);
    uint32_t u = 0, low = s->op->in->flags & SASS_EX ? pred_tainted(s, s->op->ps[1]) : 0;
    bool is_signed = s->op->in->flags & SASS_SIGNED;
    EACH {
        bool equal = !((a.at[l] ^ b.at[l]) & ~(ua.at[l] | ub.at[l])); /* the high words may be: the low ones decide */
        bool differs = can_differ(a.at[l], ua.at[l], b.at[l], ub.at[l], s->op->in->cmp, is_signed);
        if (s->op->in->flags & SASS_EX && (ua.at[l] | ub.at[l]) && equal) differs = true;
        u |= (uint32_t)(differs || (low >> l & 1 && equal)) << l;
    }
    joined(s, u);
}

static void rule_p2r(step *s) {
    lanes r = shadow_of(s, &s->op->source[0], 0), keep = value_of(s, &s->op->source[1], 0);
    unsigned from = s->op->in->op == SASS_UP2UR ? ENG_UP : 0, shift = 8 * s->op->in->byte;
    EACH {
        uint32_t word = 0, mask = keep.at[l] & 0xff;
        for (unsigned n = 0; n < 7; n++) word |= (s->t->P[from + n] >> l & 1) << n;
        r.at[l] = (r.at[l] & ~(mask << shift)) | (word & mask) << shift;
        if (word && !s->origin)
            for (unsigned n = 0; n < 7; n++)
                if (word >> n & 1) s->origin = s->t->pred_origin[from + n];
    }
    put_word(s, 0, r);
}
static void rule_r2p(step *s) {
    lanes u = shadow_of(s, &s->op->source[0], 0), mask = value_of(s, &s->op->source[1], 0);
    unsigned from = s->op->in->op == SASS_UR2UP ? ENG_UP : 0;
    for (unsigned n = 0; n < 7; n++) {
        uint32_t bits = 0, written = 0;
        EACH {
            bits |= (u.at[l] >> (8 * s->op->in->byte) >> n & 1) << l;
            written |= (mask.at[l] >> n & 1) << l;
        }
        written &= s->on;
        s->t->P[from + n] = (s->t->P[from + n] & ~written) | (bits & written) | (s->maybe & written);
        if (s->t->P[from + n]) s->t->preds = true, s->t->pred_origin[from + n] = s->origin ? s->origin : s->t->pred_origin[from + n];
    }
}

/* --- across lanes ------------------------------------------------------------------------------------------------ */

static void rule_r2ur(step *s) {
    lanes u = shadow_of(s, &s->op->source[0], 0), r;
    uint32_t any = 0;
    if (!s->on) return;
    EACH any |= s->on >> l & 1 ? u.at[l] : 0;
    EACH r.at[l] = u.at[__builtin_ctz(s->on)];
    s->on = ENG_ALL;
    put_word(s, 0, r);
    put_pred(s, 0, any ? ENG_ALL : 0);
}

/* Whether all lanes, or any, vote for it can be decided without those whose vote is undefined. */
static void rule_vote(step *s) {
    uint32_t u = pred_tainted(s, s->op->ps[0]) & s->on, votes = eng_pred(s->w, s->op->ps[0]) & s->on & ~u;
    bool ballot = s->op->words != 0, open = false;
    unsigned kind = s->op->in->sub;
    if (kind == SASS_VOTE_ANY) open = !votes;
    else if (kind == SASS_VOTE_ALL) open = (votes | u) == s->on;
    else open = (votes | u) == s->on || !votes;
    if (u && (ballot || open)) eng_undefined_report(s->w, &s->op->real, ENG_DECIDES_VOTE, u, s->origin, ENG_GLOBAL, 0);
    s->t->P[s->op->ps[0] & 0x1f] &= ~u;
    if (s->op->in->op == SASS_VOTEU && s->on) s->on = ENG_ALL;
    put_word(s, 0, filled(0));
    for (unsigned k = 0; k < 2; k++) put_pred(s, k, 0);
}

static void rule_shfl(step *s) {
    const undef_operand *o = s->op->source;
    lanes u = shadow_of(s, &o[0], 0), b = value_of(s, &o[1], 0), c = value_of(s, &o[2], 0), r;
    uint32_t unsure = tainted(s, &o[1]) | tainted(s, &o[2]);
    EACH {
        uint32_t segment = c.at[l] >> 8 & 31, clamp = c.at[l] & 31, low = l & segment, most = low | (clamp & ~segment), n = b.at[l] & 31;
        int32_t j;
        bool valid;
        switch (s->op->in->sub) {
        case SASS_SHFL_UP: j = (int32_t)l - (int32_t)n, valid = j >= (int32_t)most; break;
        case SASS_SHFL_DOWN: j = (int32_t)(l + n), valid = j <= (int32_t)most; break;
        case SASS_SHFL_BFLY: j = (int32_t)(l ^ n), valid = j <= (int32_t)most; break;
        default: j = (int32_t)(low | (n & ~segment)), valid = j <= (int32_t)most;
        }
        unsigned from = valid ? (unsigned)j & 31 : l;
        r.at[l] = unsure >> l & 1 ? UINT32_MAX : s->w->mask >> from & 1 ? u.at[from] : 0; /* shuffle-lane tells of the others */
    }
    put_word(s, 0, r);
    put_pred(s, 0, unsure);
}

static void rule_redux(step *s) {
    uint32_t bits = tainted(s, &s->op->source[0]) & s->on;
    bool uniform = s->op->in->op != SASS_MATCH;
    if (uniform && s->on) s->on = ENG_ALL;
    for (unsigned k = 0; k < s->op->words; k++) put_word(s, k, filled(bits ? ENG_ALL : 0));
    for (unsigned k = 0; k < 2; k++) put_pred(s, k, bits ? ENG_ALL : 0);
}

/* Lane l holds parts of rows l / 4 and l / 4 + 8 of A and D, of column l / 4 of B, and of columns 2 (l % 4) and the next of D. */
static void rule_tensor(step *s) {
    uint32_t a = tainted(s, &s->op->source[0]), b = tainted(s, &s->op->source[1]), c = tainted(s, &s->op->source[2]), d = c;
    d |= tainted(s, &s->op->source[3]) ? ENG_ALL : 0;
    EACH {
        if (a >> l & 1) d |= 15u << l / 4 * 4;
        if (b >> l & 1) d |= 0x11111111u << l / 8;
    }
    for (unsigned k = 0; k < s->op->words; k++) put_word(s, k, filled(d));
}

/* --- parts of registers --------------------------------------------------------------------------------------------- */

/* Which halves of the operand the halves of the result are made of. */
static lanes halves_of(step *s, unsigned k) {
    lanes u = shadow_of(s, &s->op->source[k], 0);
    const sass_operand *ops[] = {&s->op->in->a, &s->op->in->b, &s->op->in->c};
    EACH {
        uint32_t low = u.at[l] & 0xffff, high = u.at[l] >> 16;
        switch (ops[k]->swizzle) {
        case 2: high = low; break;
        case 3: low = high; break;
        case 0: break;
        default: low = high = low | high;
        }
        u.at[l] = (low ? 0xffffu : 0) | (high ? 0xffff0000u : 0);
    }
    return u;
}
static void rule_halves(step *s) {
    lanes r = either(either(halves_of(s, 0), halves_of(s, 1)), halves_of(s, 2));
    uint32_t unsure = pred_tainted(s, s->op->ps[0]);
    EACH r.at[l] |= unsure >> l & 1 ? UINT32_MAX : 0;
    put_word(s, 0, r);
}

/* Conversions that take a byte or a half of their register. */
static void rule_part(step *s) {
    const sass_instr *in = s->op->in;
    unsigned bits = in->stype == SASS_U8 || in->stype == SASS_S8 ? 8 : in->stype == SASS_U16 || in->stype == SASS_S16 || in->stype == SASS_F16 || in->stype == SASS_BF16 ? 16 : 0;
    if (!bits || s->op->source[0].words != 1) {
        rule_any(s);
        return;
    }
    lanes u = shadow_of(s, &s->op->source[0], 0);
    uint32_t keep = ((1u << bits) - 1) << (bits == 8 ? 8 * (in->byte & 3) : in->byte & 1 || in->a.swizzle == 3 ? 16 : 0), any = 0;
    EACH any |= (uint32_t)((u.at[l] & keep) != 0) << l;
    for (unsigned k = 0; k < s->op->words; k++) put_word(s, k, filled(any));
}

/* --- what decides ----------------------------------------------------------------------------------------------------- */

/* Told once: afterwards the operand counts as defined. */
static void settle(step *s, const undef_operand *o, uint32_t lanes_told) {
    for (unsigned k = 0; k < o->words && o->kind == SASS_REG; k++) {
        if (!is_dirty(s->t, o->slot + k * ENG_SLOT)) continue;
        uint32_t *u = shadow(s, o->slot + k * ENG_SLOT);
        EACH u[l] = lanes_told >> l & 1 ? 0 : u[l];
    }
}
static void decide(step *s, const undef_operand *o, eng_undefined_use use) {
    s->origin = 0;
    uint32_t u = tainted(s, o) & s->on;
    if (!u) return;
    eng_undefined_report(s->w, &s->op->real, use, u, s->origin, ENG_GLOBAL, 0);
    settle(s, o, s->i->uni ? ENG_ALL : u);
    s->origin = 0;
}
static void decide_address(step *s) {
    for (unsigned k = 0; k < s->op->n_addresses; k++) decide(s, &s->op->address[k], ENG_DECIDES_ADDRESS);
}
static void decide_pred(step *s, uint8_t ps, uint32_t on, eng_undefined_use use) {
    s->origin = 0;
    uint32_t u = pred_tainted(s, ps) & on;
    if (!u) return;
    eng_undefined_report(s->w, &s->op->real, use, u, s->origin, ENG_GLOBAL, 0);
    s->t->P[ps & 0x1f] &= (ps & 0x1f) >= ENG_UP && (ps & 0x1f) < ENG_UPT ? 0 : ~u;
    s->origin = 0;
}
static void decide_guard(step *s, eng_undefined_use use) {
    if (!s->maybe) return;
    decide_pred(s, s->i->guard, s->mask, use);
    s->maybe = 0;
}

static void rule_load(step *s) {
    decide_address(s);
    if (s->maybe) pred_tainted(s, s->i->guard);
    for (unsigned k = 0; k < s->op->words; k++) put_word(s, k, filled(0));
    for (unsigned k = 0; k < 2; k++) put_pred(s, k, 0);
}
static void rule_store(step *s) {
    decide_guard(s, ENG_DECIDES_STORE);
    decide_address(s);
}
/* There is no swap of less than a word: code for it reads the word, changes its own bytes and swaps all of it, the others as they were.
 * Lanes for which these are the only undefined ones: they decide nothing. */
static uint32_t only_put_back(step *s) {
    const undef_operand *compare = &s->op->source[0], *new = &s->op->source[1];
    const bool swaps = s->op->in->sub == SASS_ATOM_CAS || s->op->in->sub == SASS_ATOM_CAST_SPIN;
    uint32_t found = 0;
    if (!swaps || s->op->real.width != 4 || compare->kind != SASS_REG) return 0;
    const bool pair = compare->words == 2; /* both in registers side by side */
    lanes u = shadow_of(s, compare, 0), v = pair ? shadow_of(s, compare, 1) : shadow_of(s, new, 0);
    lanes old = value_of(s, compare, 0), now = pair ? value_of(s, compare, 1) : value_of(s, new, 0);
    EACH {
        uint32_t undefined = u.at[l] | v.at[l];
        bool same = undefined && u.at[l] == v.at[l];
        for (unsigned b = 0; b < 32; b += 8)
            if (undefined >> b & 255) same &= (old.at[l] >> b & 255) == (now.at[l] >> b & 255);
        found |= (uint32_t)same << l;
    }
    return found & s->on;
}

/* All that these lanes have of what came from there counts as defined. */
static void settle_origin(step *s, uint32_t origin, uint32_t lanes_settled) {
    for (unsigned n = 0; n < ENG_SHADOWED; n++) {
        if (!is_dirty(s->t, n * ENG_SLOT) || ((s->t->slot_origin[n] ^ origin) & ~ENG_COMPUTED)) continue;
        uint32_t *u = shadow(s, n * ENG_SLOT);
        EACH u[l] = lanes_settled >> l & 1 ? 0 : u[l];
    }
}

static void rule_atomic(step *s) {
    decide_guard(s, ENG_DECIDES_STORE);
    decide_address(s);
    s->origin = 0;
    s->t->put_back = only_put_back(s);
    if (s->t->put_back) settle_origin(s, s->origin, s->t->put_back);
    s->origin = 0;
    for (unsigned k = 0; k < 3; k++) decide(s, &s->op->source[k], ENG_DECIDES_ATOMIC);
    for (unsigned k = 0; k < s->op->words; k++) put_word(s, k, filled(0));
    for (unsigned k = 0; k < 2; k++) put_pred(s, k, 0);
}
static void rule_branch(step *s) {
    decide_guard(s, ENG_DECIDES_BRANCH);
    uint32_t on = s->on;
    for (unsigned k = 0; k < 2; k++) {
        decide_pred(s, s->op->ps[k], on, ENG_DECIDES_BRANCH);
        on &= eng_pred(s->w, s->op->ps[k]);
    }
}
static void rule_jump(step *s) {
    decide_guard(s, ENG_DECIDES_BRANCH);
    decide(s, &s->op->source[0], ENG_DECIDES_JUMP);
}
static void rule_barrier(step *s) {
    decide_guard(s, ENG_DECIDES_BARRIER);
    decide_pred(s, s->op->ps[0], s->on, ENG_DECIDES_BARRIER);
}

static void (*const rules[])(step *s) = {
    [UNDEF_ANY] = rule_any, [UNDEF_COPY] = rule_copy, [UNDEF_SELECT] = rule_select, [UNDEF_LEFT] = rule_left, [UNDEF_LEA] = rule_lea,
    [UNDEF_IMAD] = rule_imad, [UNDEF_WIDE] = rule_wide, [UNDEF_LOP3] = rule_lop3, [UNDEF_PLOP3] = rule_plop3, [UNDEF_MOVED] = rule_moved,
    [UNDEF_COMPARE] = rule_compare, [UNDEF_COMPARE_INT] = rule_compare_int, [UNDEF_P2R] = rule_p2r, [UNDEF_R2P] = rule_r2p,
    [UNDEF_R2UR] = rule_r2ur, [UNDEF_VOTE] = rule_vote, [UNDEF_SHFL] = rule_shfl, [UNDEF_REDUX] = rule_redux, [UNDEF_TENSOR] = rule_tensor,
    [UNDEF_HALVES] = rule_halves, [UNDEF_PART] = rule_part, [UNDEF_LOAD] = rule_load, [UNDEF_STORE] = rule_store,
    [UNDEF_ATOMIC] = rule_atomic, [UNDEF_BRANCH] = rule_branch, [UNDEF_JUMP] = rule_jump, [UNDEF_BARRIER] = rule_barrier};

/* Is anything of what the instruction reads or writes undefined? */
static bool concerned(const step *s) {
    const undef_op *op = s->op;
    for (unsigned k = 0; k < 4; k++)
        if (any_dirty(s, &op->source[k])) return true;
    for (unsigned k = 0; k < op->n_addresses; k++)
        if (any_dirty(s, &op->address[k])) return true;
    for (unsigned k = 0; k < op->words; k++)
        if (is_dirty(s->t, op->d + k * ENG_SLOT)) return true;
    for (unsigned k = 0; k < op->d2_words; k++)
        if (is_dirty(s->t, op->d2 + k * ENG_SLOT)) return true;
    if (!s->t->preds) return false;
    bool any = s->maybe || op->rule == UNDEF_P2R || op->rule == UNDEF_R2P;
    for (unsigned k = 0; k < 3; k++) any |= pred_dirty(s, op->ps[k]);
    for (unsigned k = 0; k < 2; k++) any |= s->t->P[op->pd[k]] != 0;
    return any;
}

void eng_undefined_step(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    step s = {.i = i, .op = i->ptr, .w = w, .t = w->undefined, .R = R, .mask = mask | i->uni};
    if (s.op->rule == UNDEF_NOTHING) return;
    s.on = s.mask & (w->P[i->guard] ^ i->ginv);
    s.maybe = s.t->preds ? s.t->P[i->guard] & s.mask : 0;
    if (!concerned(&s)) return;
    if (s.maybe) pred_tainted(&s, i->guard);
    rules[s.op->rule](&s);
}
