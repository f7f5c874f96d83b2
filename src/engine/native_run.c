/* One run: slots in vector registers, the loop over lanes, what comes before and after it. */
#include "engine/native_run.h"

#include <stddef.h>

enum { LANES_AT_ONCE = 8, ROUND_BYTES = LANES_AT_ONCE * 4, NEVER = UINT8_MAX };

const native_words native_words_of[ENG_LIFTS_N] = {
#define X(name, a_, b_, c_, d_) [ENG_LIFT_##name] = {a_, b_, c_, d_},
    ENG_LIFT_ROWS(X)
#undef X
};
#define BASE(b)      x86_mem(R14, (int32_t)(offsetof(eng_load_frame, at) + 8 * (b)))

static const int written_in[NATIVE_PREDS] = {RBX, RBP, R12, R13}; /* the caller's: pushed when they are needed */

#define WARP(field)  x86_mem(RSI, (int32_t)offsetof(eng_warp, field))
#define PRED(p)      x86_mem(RSI, (int32_t)(offsetof(eng_warp, P) + 4 * (p)))
#define COUNTER(n)   x86_mem(R10, (int32_t)((n) * 8))

bool native_guarded(const eng_ins *i) { return i->guard != ENG_PT || i->ginv; }

/* --- what comes later in the run ------------------------------------------------------------------------ */

static bool covers(uint32_t first, unsigned words, uint32_t slot) {
    return words && slot >= first && slot < first + words * ENG_SLOT;
}
static bool reads(const eng_ins *i, eng_lift lift, uint32_t slot) {
    const native_words *w = &native_words_of[lift];
    return covers(i->a, w->a, slot) || covers(i->b, w->b, slot) || covers(i->c, w->c, slot) ||
           (native_guarded(i) && covers(i->d, w->d, slot));
}
/* Instructions until the slot is read; NEVER: not before it is written, or not in this run. */
static unsigned next_read(const native_run *r, uint32_t slot) {
    for (unsigned k = r->k + 1; k < r->n; k++) {
        if (reads(&r->first[k], r->lifts[k], slot)) return k - r->k;
        if (covers(r->first[k].d, native_words_of[r->lifts[k]].d, slot)) return NEVER;
    }
    return NEVER;
}

bool native_constant(const native_run *r, uint32_t slot, uint32_t *value) {
    const eng_plan *plan = r->plan;
    for (size_t f = 0; f < plan->fills.count; f++)
        if (plan->fills.at[f].slot == slot && plan->fills.at[f].kind == ENG_FILL_VALUE) return *value = plan->fills.at[f].value, true;
    return false;
}
bool native_uniform(const eng_plan *plan, uint32_t slot) {
    if (slot >= plan->zero && slot < plan->sink) return true;
    if (slot >= plan->uregs && slot < plan->uregs + plan->n_uregs * ENG_SLOT) return true;
    for (size_t f = 0; f < plan->fills.count; f++)
        if (plan->fills.at[f].slot == slot) return plan->fills.at[f].kind != ENG_FILL_SPECIAL;
    return false;
}

/* --- slots in registers ------------------------------------------------------------------------------------- */

static x86_rm slot_at(uint32_t slot) { return x86_mem(RDX, (int32_t)slot); }

static void make_canonical(native_run *r, int v) {
    if (!r->value[v].nan) return;
    v_op_imm(&r->x, V_FCMP, NATIVE_SPARE, v, x86_reg(v), CMP_UNORDERED);
    v_blendv(&r->x, v, v, x86_constant(&r->x, 0x7fffffff, false), NATIVE_SPARE);
    r->value[v].nan = false;
}
static void put_away(native_run *r, int v) {
    native_value *value = &r->value[v];
    if (value->slot == ENG_NO_INDEX || !value->dirty) return;
    make_canonical(r, v);
    int from = v;
    if (r->some && !value->uniform) {
        v_load(&r->x, NATIVE_SPARE, slot_at(value->slot));
        v_blendv(&r->x, NATIVE_SPARE, NATIVE_SPARE, x86_reg(v), NATIVE_MASK);
        from = NATIVE_SPARE;
    }
    v_store(&r->x, slot_at(value->slot), from);
    value->dirty = false;
}
static int find(const native_run *r, uint32_t slot) {
    for (int v = 0; v < NATIVE_VALUES; v++)
        if (r->value[v].slot == slot) return v;
    return -1;
}
/* A free register, or the one whose value is needed last. */
static int make_room(native_run *r) {
    int best = -1;
    unsigned furthest = 0;
    for (int v = 0; v < NATIVE_VALUES; v++) {
        if (r->pinned >> v & 1) continue;
        if (r->value[v].slot == ENG_NO_INDEX) return v;
        unsigned next = next_read(r, r->value[v].slot) * 2 + !r->value[v].dirty;
        if (next >= furthest) furthest = next, best = v;
    }
    put_away(r, best);
    r->value[best].slot = ENG_NO_INDEX;
    return best;
}
/* --- what loads have left ----------------------------------------------------------------------------------- */

static int find_pending(const native_run *r, uint32_t slot) {
    for (unsigned n = 0; n < r->n_pending; n++)
        if (r->pending[n].slot == slot) return (int)n;
    return -1;
}
static void forget_pending(native_run *r, uint32_t slot) {
    int n = find_pending(r, slot);
    if (n >= 0) r->pending[n] = r->pending[--r->n_pending];
}
static bool is_uniform(const native_run *r, int n) {
    return r->loads->bases[r->loads->loads[r->pending[n].load].base].shape == ENG_LOAD_UNIFORM;
}
/* Where a word of this round lies, or the one word that all lanes get; reg becomes its pointer. */
static x86_rm point_to(native_run *r, int n, int reg) {
    const eng_one_load *load = &r->loads->loads[r->pending[n].load];
    const eng_load_base *base = &r->loads->bases[load->base];
    unsigned word = r->pending[n].word;
    if (eng_load_copied(base)) return (x86_rm){.base = R14, .indexed = true, .disp = (int32_t)((load->words + word) * ENG_SLOT)};
    g_op(&r->x, 0x8b, true, reg, BASE(load->base));
    return (x86_rm){.base = reg, .indexed = base->shape == ENG_LOAD_CONTIGUOUS, .disp = (int32_t)(load->ins->imm + 4 * word)};
}
static void fetch(native_run *r, int n, int v) {
    x86_rm from = point_to(r, n, R8);
    v_op(&r->x, is_uniform(r, n) ? V_FBROADCAST : V_LOAD, v, 0, from);
}
void native_load(native_run *r, const eng_ins *i, unsigned words) {
    for (unsigned word = 0; word < words; word++) {
        uint32_t slot = i->d + word * ENG_SLOT;
        int v = find(r, slot);
        if (v >= 0) r->value[v].slot = ENG_NO_INDEX;
        forget_pending(r, slot);
        if (slot >= r->plan->sink && slot < r->plan->sink + ENG_RZ_SLOTS * ENG_SLOT) continue;
        r->pending[r->n_pending++] = (native_pending){slot, (uint8_t)r->n_loaded, (uint8_t)word};
    }
    r->n_loaded++;
}
static void store_pending(native_run *r) {
    for (unsigned n = 0; n < r->n_pending; n++) {
        fetch(r, (int)n, NATIVE_SPARE);
        v_store(&r->x, slot_at(r->pending[n].slot), NATIVE_SPARE);
    }
}

/* --- sources and targets -------------------------------------------------------------------------------------- */

static int hold(native_run *r, uint32_t slot) {
    int v = make_room(r);
    r->value[v] = (native_value){.slot = slot};
    r->pinned |= (uint16_t)(1u << v);
    return v;
}

int native_float(native_run *r, uint32_t slot) {
    int v = find(r, slot);
    int n = find_pending(r, slot);
    if (n >= 0) {
        v = hold(r, slot);
        fetch(r, n, v);
        r->value[v].dirty = true;
        forget_pending(r, slot);
    } else if (v < 0) {
        v = hold(r, slot);
        v_load(&r->x, v, slot_at(slot));
    }
    r->pinned |= (uint16_t)(1u << v);
    return v;
}
int native_source(native_run *r, uint32_t slot) {
    int v = native_float(r, slot);
    make_canonical(r, v);
    return v;
}
x86_rm native_float_rm(native_run *r, uint32_t slot) {
    int n = find_pending(r, slot);
    if (n >= 0 && !is_uniform(r, n) && !r->pointed && next_read(r, slot) == NEVER) return r->pointed = true, point_to(r, n, R11);
    if (n < 0 && find(r, slot) < 0 && next_read(r, slot) == NEVER) return slot_at(slot);
    return x86_reg(native_float(r, slot));
}
x86_rm native_source_rm(native_run *r, uint32_t slot) {
    x86_rm rm = native_float_rm(r, slot);
    if (rm.base == X86_REGISTER) make_canonical(r, rm.reg);
    return rm;
}

int native_target(native_run *r, const eng_ins *i, unsigned word) {
    if (native_guarded(i)) return S0;
    uint32_t slot = i->d + word * ENG_SLOT;
    int v = find(r, slot);
    return v < 0 ? hold(r, slot) : v;
}
void native_done(native_run *r, const eng_ins *i, unsigned word, bool nan) {
    uint32_t slot = i->d + word * ENG_SLOT;
    int v = find(r, slot);
    if (!native_guarded(i)) forget_pending(r, slot);
    if (native_guarded(i)) {
        if (nan) {
            v_op_imm(&r->x, V_FCMP, S2, S0, x86_reg(S0), CMP_UNORDERED);
            v_blendv(&r->x, S0, S0, x86_constant(&r->x, 0x7fffffff, false), S2);
        }
        v = native_source(r, slot);
        native_expand(r, S2, i->guard, i->ginv);
        v_blendv(&r->x, v, v, x86_reg(S0), S2);
        nan = false;
    }
    r->value[v].nan = nan;
    r->value[v].uniform = i->uni;
    r->value[v].dirty = slot < r->plan->sink || slot >= r->plan->sink + ENG_RZ_SLOTS * ENG_SLOT;
    r->pinned |= (uint16_t)(1u << v);
}

/* --- predicates --------------------------------------------------------------------------------------------------- */

static int written_register(const native_run *r, unsigned p) {
    for (unsigned n = 0; n < r->n_written; n++)
        if (r->written[n] == p) return written_in[n];
    return -1;
}
void native_predicate(native_run *r, int reg, unsigned p, bool inverted) {
    x86 *x = &r->x;
    int from = written_register(r, p);
    if (from >= 0) {
        g_op(x, 0x8b, false, reg, x86_reg(from));
        g_shift(x, 5, reg, 32 - LANES_AT_ONCE); /* this round's bits came in last, at the top */
    } else {
        g_load_byte(x, reg, x86_mem(R9, (int32_t)(offsetof(eng_warp, P) + 4 * p)));
    }
    if (inverted) g_imm(x, 6, false, x86_reg(reg), 0xff);
}
static void expand_bits(native_run *r, int v, int reg) {
    x86_rm bits = x86_constant(&r->x, 1, true);
    x86_vex(&r->x, V_MOVD, v, 0, x86_reg(reg), 0, 0);
    v_op(&r->x, V_BROADCAST, v, 0, x86_reg(v));
    v_op(&r->x, V_AND, v, v, bits);
    v_op(&r->x, V_EQ, v, v, bits);
}
void native_expand(native_run *r, int v, unsigned p, bool inverted) {
    native_predicate(r, R8, p, inverted);
    expand_bits(r, v, R8);
}
void native_set_predicate(native_run *r, const eng_ins *i, unsigned p, int reg) {
    int into = written_in[r->n_written];
    r->written_uniform[r->n_written] = i->uni;
    r->written[r->n_written++] = (uint8_t)p;
    g_shift(&r->x, 5, into, LANES_AT_ONCE);
    g_shift(&r->x, 4, reg, 32 - LANES_AT_ONCE);
    g_op(&r->x, 0x0b, false, into, x86_reg(reg));
}

/* --- counts -------------------------------------------------------------------------------------------------------- */

static void count_block(native_run *r, const eng_ins *i) {
    x86 *x = &r->x;
    g_op(x, 0x8b, true, R10, WARP(counts));
    g_imm(x, 0, true, COUNTER(i->x + ENG_COUNT_WARPS), 1);
    if (r->some) {
        g_popcount(x, R8, RCX);
        g_op(x, 0x01, true, R8, COUNTER(i->x + ENG_COUNT_LANES));
    } else {
        g_imm(x, 0, true, COUNTER(i->x + ENG_COUNT_LANES), 32);
    }
    g_imm(x, 0, true, WARP(executed), (int32_t)i->y);
    g_imm(x, 5, true, WARP(budget), (int32_t)i->imm);
}
/* Lanes of the group for which a predicate is true, in R8. */
static void lanes_on(native_run *r, unsigned p, bool inverted) {
    g_op(&r->x, 0x8b, false, R8, PRED(p));
    if (inverted) g_imm(&r->x, 6, false, x86_reg(R8), -1);
    g_op(&r->x, 0x23, false, R8, x86_reg(RCX));
}
static void count_guard(native_run *r, const eng_ins *i) {
    lanes_on(r, i->guard, i->ginv);
    g_popcount(&r->x, R8, R8);
    g_op(&r->x, 0x8b, true, R10, WARP(counts));
    g_op(&r->x, 0x01, true, R8, COUNTER(i->x));
}
static bool sets(const eng_ins *i, eng_lift lift, unsigned p) {
    switch (lift) {
    case ENG_LIFT_ADD2_CARRY: case ENG_LIFT_LEA_CARRY: case ENG_LIFT_LOP3_TEST: return i->pd[0] == p;
    case ENG_LIFT_ISETP: case ENG_LIFT_FSETP: return i->pd[0] == p || i->pd[1] == p;
    default: return false;
    }
}
/* Of a guard that the run itself sets before: at the end; of others: at the beginning. */
static void count_guards(native_run *r, bool at_end) {
    for (unsigned k = 0; k < r->n; k++) {
        if (r->lifts[k] != ENG_LIFT_COUNT_GUARD) continue;
        bool set = false;
        for (unsigned b = 0; b < k; b++) set |= sets(&r->first[b], (eng_lift)r->lifts[b], r->first[k].guard);
        if (set == at_end) count_guard(r, &r->first[k]);
    }
}

/* --- head and tail --------------------------------------------------------------------------------------------------- */

static unsigned predicates_written(const native_run *r) {
    unsigned n = 0;
    for (unsigned p = 0; p < ENG_PREDS; p++)
        for (unsigned k = 0; p != ENG_PSINK && k < r->n; k++) n += sets(&r->first[k], (eng_lift)r->lifts[k], p);
    return n;
}

static void one_round(native_run *r) {
    x86 *x = &r->x;
    if (r->some) {
        g_load_byte(x, R8, x86_mem(R9, (int32_t)offsetof(eng_warp, mask)));
        expand_bits(r, NATIVE_MASK, R8);
    }
    for (r->k = 0; r->k < r->n; r->k++) {
        r->pinned = 0;
        r->pointed = false;
        native_op(r, &r->first[r->k], (eng_lift)r->lifts[r->k]);
    }
    for (int v = 0; v < NATIVE_VALUES; v++) put_away(r, v);
    store_pending(r);
}

static void store_predicates(native_run *r) {
    x86 *x = &r->x;
    for (unsigned n = 0; n < r->n_written; n++) {
        if (r->some && !r->written_uniform[n]) { /* lanes outside the mask keep theirs */
            g_op(x, 0x8b, false, R8, PRED(r->written[n]));
            g_op(x, 0x33, false, R8, x86_reg(written_in[n]));
            g_op(x, 0x8b, false, R10, x86_reg(RCX));
            g_imm(x, 6, false, x86_reg(R10), -1);
            g_op(x, 0x23, false, R8, x86_reg(R10));
            g_op(x, 0x33, false, written_in[n], x86_reg(R8));
        }
        g_op(x, 0x89, false, written_in[n], PRED(r->written[n]));
    }
}

/* On to the instruction behind the run. */
static void go_on(native_run *r, unsigned n) {
    g_imm(&r->x, 0, true, x86_reg(RDI), (int32_t)(n * sizeof(eng_ins)));
    g_jump_through(&r->x, x86_mem(RDI, 0));
}
/* The branch at the end, where its lanes stay together and the group need not yield; else its handler. */
static void branch(native_run *r, const eng_ins *i) {
    x86 *x = &r->x;
    lanes_on(r, i->guard, i->ginv);
    for (unsigned k = 0; k < 2; k++) {
        if (!(i->z & (k ? 8 : 4))) continue;
        g_op(x, 0x8b, false, R10, PRED(i->ps[k] & 0x1f));
        if (i->ps[k] & ENG_PINV) g_imm(x, 6, false, x86_reg(R10), -1);
        g_op(x, 0x23, false, R8, x86_reg(R10));
    }
    g_op(x, 0x85, false, R8, x86_reg(R8));
    uint8_t *none = x86_jump(x, 4), *yield = NULL;
    g_op(x, 0x3b, false, R8, x86_reg(RCX));
    uint8_t *parts = x86_jump(x, 5);
    if (i->z & 1) {
        g_imm(x, 7, true, WARP(budget), 0);
        yield = x86_jump(x, 12);
    }
    g_op(x, 0x8b, true, R10, WARP(counts));
    g_popcount(x, R8, R8);
    g_op(x, 0x01, true, R8, COUNTER(i->x + ENG_COUNT_ON));
    g_mov_imm64(x, RDI, (uint64_t)(uintptr_t)i->target);
    g_jump_through(x, x86_mem(RDI, 0));
    x86_land(x, none);
    if (i->z & (4 | 8)) { /* the guard may have let them go */
        lanes_on(r, i->guard, i->ginv);
        g_popcount(x, R8, R8);
        g_op(x, 0x8b, true, R10, WARP(counts));
        g_op(x, 0x01, true, R8, COUNTER(i->x + ENG_COUNT_BARRED));
    }
    go_on(r, r->n);
    x86_land(x, parts);
    if (yield) x86_land(x, yield);
    go_on(r, r->n - 1);
}

static void go_otherwise(native_run *r) {
    union { eng_fn fn; uint64_t at; } to = {.fn = r->otherwise};
    g_mov_imm64(&r->x, RAX, to.at);
    g_jump_to(&r->x, RAX);
}
/* R14 becomes the frame. Where the loads need their handlers, those do the whole run. */
static void call_loads(native_run *r) {
    static const int saved[] = {RDI, RSI, RDX, RCX}; /* with R14, which stays pushed, the stack is aligned */
    x86 *x = &r->x;
    union { eng_loads_fn fn; uint64_t at; } to = {.fn = r->do_loads};
    g_push(x, R14);
    for (unsigned n = 0; n < 4; n++) g_push(x, saved[n]);
    g_mov_imm64(x, RDI, (uint64_t)(uintptr_t)r->loads);
    g_mov_imm64(x, RAX, to.at);
    g_call(x, RAX);
    for (unsigned n = 4; n-- > 0;) g_pop(x, saved[n]);
    g_op(x, 0x8b, true, R14, x86_reg(RAX));
    g_op(x, 0x85, true, RAX, x86_reg(RAX));
    uint8_t *done = x86_jump(x, 5);
    g_pop(x, R14);
    go_otherwise(r);
    x86_land(x, done);
}

static void make(native_run *r) {
    x86 *x = &r->x;
    unsigned saved = predicates_written(r);
    for (int v = 0; v < NATIVE_VALUES; v++) r->value[v] = (native_value){.slot = ENG_NO_INDEX};
    r->n_written = r->n_pending = r->n_loaded = 0;
    if (r->loads) call_loads(r);
    if (r->lifts[0] == ENG_LIFT_COUNT) count_block(r, r->first);
    count_guards(r, false);
    bool loops = false;
    for (unsigned k = 0; k < r->n; k++) loops |= r->lifts[k] < ENG_LIFT_COUNT;
    if (loops) {
        for (unsigned n = 0; n < saved; n++) g_push(x, written_in[n]);
        g_mov_imm(x, RAX, 0);
        g_op(x, 0x8b, true, R9, x86_reg(RSI));
        uint8_t *top = x->at;
        one_round(r);
        g_imm(x, 0, true, x86_reg(RDX), ROUND_BYTES);
        g_imm(x, 0, true, x86_reg(R9), 1);
        g_imm(x, 0, false, x86_reg(RAX), ROUND_BYTES);
        g_imm(x, 7, false, x86_reg(RAX), ENG_SLOT);
        x86_land_at(x, x86_jump(x, 5), top);
        v_zero_upper(x); /* as handlers do: what comes next may be code without AVX */
        g_imm(x, 5, true, x86_reg(RDX), ENG_SLOT);
        store_predicates(r);
        for (unsigned n = saved; n-- > 0;) g_pop(x, written_in[n]);
    }
    if (r->loads) g_pop(x, R14);
    count_guards(r, true);
    if (r->lifts[r->n - 1] == ENG_LIFT_BRA) branch(r, &r->first[r->n - 1]);
    else go_on(r, r->n);
}

bool native_make_run(native_run *r) {
    x86 *x = &r->x;
    g_imm(x, 7, false, x86_reg(RCX), -1);
    uint8_t *some = x86_jump(x, 5);
    r->some = false;
    make(r);
    x86_land(x, some);
    r->some = true;
    if (r->loads) go_otherwise(r);
    else make(r);
    return !x->full;
}
