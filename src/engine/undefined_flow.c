/* Which registers a kernel may read before it writes them, and which are still read where a basic block begins.
 *
 * The first is asked for with every plan, so it must not name registers that guards keep apart: in
 *     @P0 LDG R5;  @P0 FADD R6, R5, R6
 * R5 is written "under P0" and read under P0. So each register is defined, or perhaps not, or surely where a literal (a
 * predicate, or its opposite) is true; and of literals it is kept which others they imply (P1 = x > 0 && P0). */
#include <stdlib.h>
#include <string.h>

#include "engine/undefined.h"

enum { REGS = 512, PREDS = 14, PLACES = REGS + PREDS, LITERALS = 2 * PREDS, SWEEPS = 64 };
enum { DEFINED, UNDEFINED, UNDER /* + literal */ };
#define NONE LITERALS

typedef struct state {
    uint8_t at[PLACES];
    uint32_t implies[LITERALS]; /* bits: literals that are true where this one is */
    bool seen;
} state;

static unsigned literal(const sass_pred *p) {
    if ((p->reg & 7) == SASS_PT) return NONE;
    return ((p->uniform ? 7u : 0u) + (p->reg & 7)) * 2 + p->inv;
}
static unsigned place_of(const sass_operand *op) {
    if (op->kind == SASS_REG && op->reg != SASS_RZ) return op->reg;
    if (op->kind == SASS_UREG && op->reg != SASS_URZ) return 256u + op->reg;
    return PLACES;
}
static bool all_preds(const sass_instr *in) {
    return in->op == SASS_P2R || in->op == SASS_R2P || in->op == SASS_UP2UR || in->op == SASS_UR2UP;
}
static uint32_t truths(const state *s, unsigned lit) { return lit == NONE ? 0 : s->implies[lit] | UINT32_C(1) << lit; }

/* --- what an instruction writes ------------------------------------------------------------------- */

static void define(state *s, unsigned place, unsigned guard) {
    uint8_t *at = &s->at[place];
    if (guard == NONE || *at == UNDER + (guard ^ 1)) *at = DEFINED;
    else if (*at == UNDEFINED) *at = (uint8_t)(UNDER + guard);
}

/* The predicate gets another value: what was defined under its old one is so under a literal that implied it, if any. */
static void forget_pred(state *s, unsigned pred) {
    unsigned instead[2] = {NONE, NONE};
    for (unsigned side = 0; side < 2; side++)
        for (unsigned m = 0; m < LITERALS; m++)
            if (m / 2 != pred && s->implies[m] >> (2 * pred + side) & 1) instead[side] = m;
    for (unsigned p = 0; p < PLACES; p++) {
        if (s->at[p] < UNDER || (s->at[p] - UNDER) / 2u != pred) continue;
        unsigned other = instead[(s->at[p] - UNDER) & 1];
        s->at[p] = (uint8_t)(other == NONE ? UNDEFINED : UNDER + other);
    }
    for (unsigned m = 0; m < LITERALS; m++) s->implies[m] &= ~(UINT32_C(3) << 2 * pred);
    s->implies[2 * pred] = s->implies[2 * pred + 1] = 0;
}

/* What follows for the sources where a table's result is v: those that have one value in all its rows. */
static uint32_t from_table(const state *s, const sass_instr *in, unsigned lut, bool v) {
    uint32_t follows = 0;
    for (unsigned k = 0; k < 3; k++) {
        unsigned bit = 4u >> k, lit = literal(&in->psrc[k]), seen = 0;
        bool constant[3];
        for (unsigned j = 0; j < 3; j++) constant[j] = !in->psrc[j].present || literal(&in->psrc[j]) == NONE;
        for (unsigned n = 0; n < 8; n++) {
            bool possible = (lut >> n & 1) == v;
            for (unsigned j = 0; j < 3; j++) possible &= !constant[j] || !(n & 4u >> j) == in->psrc[j].inv; /* PT */
            if (possible) seen |= n & bit ? 2u : 1u;
        }
        if (lit != NONE && in->psrc[k].present && (seen == 1 || seen == 2)) follows |= truths(s, seen == 2 ? lit : lit ^ 1);
    }
    return follows;
}
static bool is_compare(unsigned op) {
    return op == SASS_ISETP || op == SASS_UISETP || op == SASS_FSETP || op == SASS_DSETP || op == SASS_HSETP2;
}
static void write_pred(state *s, const sass_instr *in, unsigned k, unsigned guard) {
    if (!in->pdst[k].present || (in->pdst[k].reg & 7) == SASS_PT) return;
    unsigned pred = literal(&(sass_pred){.reg = in->pdst[k].reg, .uniform = in->pdst[k].uniform}) / 2;
    uint32_t yes = 0, no = 0;
    if (guard == NONE && is_compare(in->op) && in->psrc[0].present && literal(&in->psrc[0]) != NONE) {
        if (in->bop == SASS_AND) yes = truths(s, literal(&in->psrc[0]));
        if (in->bop == SASS_OR) no = truths(s, literal(&in->psrc[0]) ^ 1);
    } else if (guard == NONE && (in->op == SASS_PLOP3 || in->op == SASS_UPLOP3)) {
        unsigned lut = k ? in->lut2 : in->lut;
        yes = from_table(s, in, lut, true);
        no = from_table(s, in, lut, false);
    }
    forget_pred(s, pred);
    s->implies[2 * pred] = yes & ~(UINT32_C(3) << 2 * pred);
    s->implies[2 * pred + 1] = no & ~(UINT32_C(3) << 2 * pred);
    define(s, REGS + pred, guard);
}
static void write_run(state *s, const sass_operand *op, unsigned words, unsigned guard) {
    unsigned place = place_of(op);
    for (unsigned w = 0; place < REGS && w < (words ? words : 1) && place + w < REGS; w++) define(s, place + w, guard);
}
static void writes(state *s, const sass_instr *in) {
    unsigned guard = literal(&in->guard);
    write_run(s, &in->dst, sass_dst_regs(in), guard);
    if (in->dst2.kind) write_run(s, &in->dst2, sass_dst2_regs(in), guard);
    if (in->op == SASS_R2P || in->op == SASS_UR2UP)
        for (unsigned p = 0; p < 7; p++) {
            unsigned pred = p + (in->op == SASS_UR2UP ? 7 : 0);
            forget_pred(s, pred);
            s->at[REGS + pred] = DEFINED;
        }
    else
        for (unsigned k = 0; k < 2; k++) write_pred(s, in, k, guard);
}

/* --- where ways meet ------------------------------------------------------------------------------------ */

static bool meet(state *into, const state *from, uint32_t truth) {
    state s = *from;
    bool changed = !into->seen;
    for (unsigned p = 0; truth && p < PLACES; p++)
        if (s.at[p] >= UNDER && truth >> (s.at[p] - UNDER) & 1) s.at[p] = DEFINED;
    if (!into->seen) return *into = s, into->seen = true;
    for (unsigned p = 0; p < PLACES; p++) {
        uint8_t a = into->at[p], b = s.at[p], m = a == b ? a : a == DEFINED ? b : b == DEFINED ? a : UNDEFINED;
        changed |= m != a;
        into->at[p] = m;
    }
    for (unsigned l = 0; l < LITERALS; l++) {
        uint32_t m = into->implies[l] & s.implies[l];
        changed |= m != into->implies[l];
        into->implies[l] = m;
    }
    return changed;
}

/* --- blocks ------------------------------------------------------------------------------------------------ */

typedef struct block {
    unsigned first, last;
    unsigned next, target; /* blocks; UINT32_MAX: none */
    bool anywhere;         /* goes where the code does not say */
} block;
typedef struct flow {
    const eng_unit *unit;
    const img_function *function;
    block *blocks;
    unsigned n, *of; /* by instruction */
} flow;

static bool always(const sass_instr *in) {
    bool more = false;
    for (unsigned k = 0; k < 2; k++) more |= in->psrc[k].present && literal(&in->psrc[k]) != NONE;
    return literal(&in->guard) == NONE && !in->guard.inv && !more && !(in->op == SASS_BRA && in->sub >= 2);
}
static void free_flow(flow *f) {
    free(f->blocks);
    free(f->of);
}
static bool make_flow(flow *f, const eng_plan *plan, const eng_unit *unit) {
    *f = (flow){.unit = unit, .function = &plan->code->module->functions[unit->function],
                .blocks = calloc(unit->n + 1u, sizeof *f->blocks), .of = calloc(unit->n + 1u, sizeof *f->of)};
    if (!f->blocks || !f->of) return free_flow(f), false;
    for (unsigned n = 0; n < unit->n; n++) {
        if (!n || unit->leader[n]) f->blocks[f->n++].first = n;
        f->blocks[f->n - 1].last = n;
        f->of[n] = f->n - 1;
    }
    for (unsigned b = 0; b < f->n; b++) {
        const sass_instr *in = &unit->instrs[f->blocks[b].last];
        sass_class cls = sass_class_of((sass_op)in->op);
        bool inside = in->has_target && in->target < f->function->code_size && in->target % 16 == 0 && in->op != SASS_BSSY;
        bool jumps = cls == SASS_CLASS_BRANCH || cls == SASS_CLASS_EXIT || in->op == SASS_RET;
        f->blocks[b].next = (jumps && always(in)) || b + 1 == f->n ? UINT32_MAX : b + 1;
        f->blocks[b].target = inside && (cls == SASS_CLASS_BRANCH || cls == SASS_CLASS_CALL) && in->op != SASS_CALL_ABS
                                  ? f->of[in->target / 16] : UINT32_MAX;
        f->blocks[b].anywhere = cls == SASS_CLASS_CALL || (cls == SASS_CLASS_BRANCH && f->blocks[b].target == UINT32_MAX);
    }
    return true;
}

/* --- before they are written ---------------------------------------------------------------------------------- */

static void note(eng_plan *plan, const state *s, unsigned place, uint32_t truth) {
    uint8_t at = s->at[place];
    if (at == DEFINED || (at >= UNDER && truth >> (at - UNDER) & 1)) return;
    if (place >= REGS) {
        unsigned pred = place - REGS;
        plan->undefined_preds |= UINT32_C(1) << (pred < 7 ? pred : ENG_UP + pred - 7);
        return;
    }
    bool exists = place < 256 ? place < plan->n_regs : place - 256 < plan->n_uregs;
    uint32_t slot = place < 256 ? place * ENG_SLOT : plan->uregs + (place - 256) * ENG_SLOT;
    for (size_t k = 0; k < plan->undefined_in.count; k++)
        if (plan->undefined_in.at[k] == slot) return;
    if (exists && !wg_vec_push(&plan->undefined_in, slot)) eng_refuse(plan, "no memory");
}
static void note_reads(eng_plan *plan, const state *s, const sass_instr *in) {
    unsigned guard = literal(&in->guard);
    uint32_t truth = truths(s, guard);
    eng_reads r = eng_reads_of(in);
    for (unsigned k = 0; k < r.n; k++)
        for (unsigned w = 0; w < r.run[k].words && r.run[k].place + w < REGS; w++) note(plan, s, r.run[k].place + w, truth);
    if (guard != NONE) note(plan, s, REGS + guard / 2, 0);
    for (unsigned k = 0; k < 3; k++)
        if (in->psrc[k].present && literal(&in->psrc[k]) != NONE) note(plan, s, REGS + literal(&in->psrc[k]) / 2, truth);
}

static bool flow_out(const flow *f, unsigned b, const state *s, state *in) {
    const block *k = &f->blocks[b];
    const sass_instr *last = &f->unit->instrs[k->last];
    unsigned guard = literal(&last->guard);
    bool alone = guard != NONE && !(last->psrc[0].present && literal(&last->psrc[0]) != NONE) &&
                 !(last->psrc[1].present && literal(&last->psrc[1]) != NONE) && !(last->op == SASS_BRA && last->sub >= 2);
    sass_class cls = sass_class_of((sass_op)last->op);
    bool leaves = cls == SASS_CLASS_BRANCH || cls == SASS_CLASS_EXIT || last->op == SASS_RET;
    bool more = false;
    if (k->target != UINT32_MAX) more |= meet(&in[k->target], s, truths(s, guard)) && k->target <= b;
    if (k->next != UINT32_MAX) meet(&in[k->next], s, alone && leaves ? truths(s, guard ^ 1) : 0);
    for (size_t t = 0; k->anywhere && t < f->function->n_branch_targets; t++) {
        uint32_t at = f->function->branch_targets[t] / 16;
        if (at < f->unit->n) more |= meet(&in[f->of[at]], s, 0) && f->of[at] <= b;
    }
    return more;
}

bool eng_undefined_entry(eng_plan *plan) {
    flow f;
    if (!make_flow(&f, plan, &plan->units.at[0])) return false;
    state *in = calloc(f.n, sizeof *in), s;
    if (!in) return free_flow(&f), false;
    memset(in[0].at, UNDEFINED, sizeof in[0].at);
    in[0].seen = true;
    bool more = true;
    for (unsigned sweep = 0; more && sweep < SWEEPS; sweep++) {
        more = false;
        for (unsigned b = 0; b < f.n; b++) {
            if (!in[b].seen) continue;
            s = in[b];
            for (unsigned n = f.blocks[b].first; n <= f.blocks[b].last; n++) writes(&s, &f.unit->instrs[n]);
            more |= flow_out(&f, b, &s, in);
        }
    }
    for (unsigned b = 0; b < f.n; b++) {
        s = in[b];
        for (unsigned n = f.blocks[b].first; s.seen && n <= f.blocks[b].last; n++) {
            note_reads(plan, &s, &f.unit->instrs[n]);
            writes(&s, &f.unit->instrs[n]);
        }
    }
    free(in);
    free_flow(&f);
    return true;
}

/* --- still read ---------------------------------------------------------------------------------------------------- */

enum { WORDS = (PLACES + 63) / 64 };
static void set_bit(uint64_t *bits, unsigned p) { bits[p / 64] |= UINT64_C(1) << p % 64; }
static void clear_bit(uint64_t *bits, unsigned p) { bits[p / 64] &= ~(UINT64_C(1) << p % 64); }

static void kill(uint64_t *live, const sass_operand *op, unsigned words) {
    unsigned place = place_of(op);
    for (unsigned w = 0; place < REGS && w < (words ? words : 1) && place + w < REGS; w++) clear_bit(live, place + w);
}
static void back_over(uint64_t *live, const sass_instr *in) {
    if (literal(&in->guard) == NONE && !in->guard.inv) {
        kill(live, &in->dst, sass_dst_regs(in));
        for (unsigned k = 0; k < 2 && !all_preds(in); k++)
            if (in->pdst[k].present && (in->pdst[k].reg & 7) != SASS_PT) clear_bit(live, REGS + (in->pdst[k].uniform ? 7u : 0u) + (in->pdst[k].reg & 7));
    }
    eng_reads r = eng_reads_of(in);
    for (unsigned k = 0; k < r.n; k++)
        for (unsigned w = 0; w < r.run[k].words && r.run[k].place + w < REGS; w++) set_bit(live, r.run[k].place + w);
    if (literal(&in->guard) != NONE) set_bit(live, REGS + literal(&in->guard) / 2);
    for (unsigned k = 0; k < 3; k++)
        if (in->psrc[k].present && literal(&in->psrc[k]) != NONE) set_bit(live, REGS + literal(&in->psrc[k]) / 2);
    for (unsigned p = 0; all_preds(in) && p < PREDS; p++) set_bit(live, REGS + p);
}

static void live_after(const flow *f, unsigned b, const uint64_t *live_in, uint64_t *live) {
    const block *k = &f->blocks[b];
    memset(live, k->anywhere ? 0xff : 0, WORDS * sizeof *live);
    for (unsigned w = 0; w < WORDS; w++) {
        if (k->next != UINT32_MAX) live[w] |= live_in[(size_t)k->next * WORDS + w];
        if (k->target != UINT32_MAX) live[w] |= live_in[(size_t)k->target * WORDS + w];
    }
}

bool eng_undefined_live(eng_plan *plan, eng_unit *unit) {
    flow f;
    if (!make_flow(&f, plan, unit)) return false;
    uint64_t *live_in = wg_arena_array(plan->arena, (size_t)f.n * WORDS, sizeof *live_in), live[WORDS];
    unit->live = wg_arena_array(plan->arena, unit->n + 1u, sizeof *unit->live);
    bool more = live_in && unit->live, ok = more;
    for (unsigned sweep = 0; more && sweep < SWEEPS; sweep++) {
        more = false;
        for (unsigned b = f.n; b-- > 0;) {
            live_after(&f, b, live_in, live);
            for (unsigned n = f.blocks[b].last + 1; n-- > f.blocks[b].first;) back_over(live, &unit->instrs[n]);
            more |= memcmp(live, live_in + (size_t)b * WORDS, sizeof live) != 0;
            memcpy(live_in + (size_t)b * WORDS, live, sizeof live);
        }
    }
    for (unsigned b = 0; ok && !more && b < f.n; b++) unit->live[f.blocks[b].first] = live_in + (size_t)b * WORDS;
    free_flow(&f);
    return ok;
}
