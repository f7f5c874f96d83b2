/* Registers that hold a constant for a while: a kernel parameter, an immediate, a thread index. Instructions read the
 * constant's slot instead, and a move that nobody reads any more is counted but not executed.
 *
 * Forward: which slot each register equals at each place, over all ways that lead there. Backward: which registers are
 * still read as registers. Both are facts about one thread's way through the code, so they hold for each lane whatever
 * the others do. Where the ways are not known (calls, jump tables) nothing is assumed. */
#include <stdlib.h>
#include <string.h>

#include "engine/plan.h"

#define UNSEEN (ENG_NO_INDEX - 1) /* no way has led here yet */
enum { PLACES = 512, UREG0 = 256, SWEEPS = 40, MAX_STATES = 1 << 22 };

static unsigned place_of(const sass_operand *op) {
    if (op->kind == SASS_REG && op->reg != SASS_RZ) return op->reg;
    if (op->kind == SASS_UREG && op->reg != SASS_URZ) return UREG0 + op->reg;
    return PLACES;
}
static bool unguarded(const sass_instr *in) { return (in->guard.reg & 7) == SASS_PT && !in->guard.inv; }

/* --- what an instruction reads --------------------------------------------------------------------- */

typedef eng_reads reads; /* runs of registers that are read as one vector */

static void add_read(reads *r, unsigned place, unsigned words) {
    if (place >= PLACES || !words) return;
    r->run[r->n].place = (uint16_t)place;
    r->run[r->n++].words = (uint16_t)words;
}
static void add_operand(reads *r, const sass_instr *in, const sass_operand *op) {
    unsigned words = sass_src_regs(in, op);
    if ((in->op == SASS_IMAD_HI || in->op == SASS_UIMAD_HI) && op == &in->c) words = 2;
    add_read(r, place_of(op), words);
    if (op->kind == SASS_BINDLESS && op->reg != SASS_URZ) add_read(r, UREG0 + op->reg, 2);
    if (op->kind == SASS_CONST && op->index != SASS_RZ) add_read(r, (op->index_uniform ? UREG0 : 0) + op->index, 1);
}
static bool is_window(const sass_instr *in) {
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_SHARED_LD: case SASS_CLASS_SHARED_ST: case SASS_CLASS_SHARED_ATOM:
    case SASS_CLASS_LOCAL_LD: case SASS_CLASS_LOCAL_ST: return true;
    default: return false;
    }
}
/* Global addresses are pairs, and so are the uniform registers that are added to them. */
static void add_address(reads *r, const sass_address *m, unsigned words) {
    if (!m->present) return;
    if (m->base != SASS_RZ) add_read(r, m->base, words);
    if (m->uniform != SASS_URZ) add_read(r, UREG0 + m->uniform, words);
}
static reads reads_of(const sass_instr *in) {
    reads r = {0};
    add_operand(&r, in, &in->a);
    add_operand(&r, in, &in->b);
    add_operand(&r, in, &in->c);
    add_operand(&r, in, &in->extra);
    bool surface = sass_class_of((sass_op)in->op) == SASS_CLASS_SURFACE; /* up to three coordinates */
    add_address(&r, &in->mem, surface ? 3 : is_window(in) ? 1 : 2);
    add_address(&r, &in->mem2, 1);
    return r;
}

eng_reads eng_reads_of(const sass_instr *in) { return reads_of(in); }

/* What instructions see: the state, but vectors of registers must be slots in a row, or registers. */
static void make_view(const uint32_t state[PLACES], const reads *r, uint32_t view[PLACES]) {
    for (unsigned k = 0; k < r->n; k++) {
        unsigned place = r->run[k].place, words = r->run[k].words;
        for (unsigned w = 0; w < words && place + w < PLACES; w++) view[place + w] = state[place + w];
    }
    for (unsigned k = 0; k < r->n; k++) {
        unsigned place = r->run[k].place, words = r->run[k].words;
        bool row = state[place] < UNSEEN;
        for (unsigned w = 1; w < words; w++) row &= place + w < PLACES && state[place + w] == state[place] + w * ENG_SLOT;
        for (unsigned w = 0; w < words && !row && place + w < PLACES; w++) view[place + w] = ENG_NO_INDEX;
    }
}

/* --- what a move's result is ------------------------------------------------------------------------- */

static uint32_t slot_of(eng_plan *plan, const uint32_t *state, const sass_operand *op, unsigned word) {
    unsigned place = place_of(op);
    if (word) return ENG_NO_INDEX;
    if (place < PLACES) return state[place] < UNSEEN ? state[place] : ENG_NO_INDEX;
    if (eng_is_zero(op)) return plan->zero;
    if (op->kind == SASS_IMM) return eng_slot_value(plan, (uint32_t)op->value);
    if (op->kind == SASS_CONST && op->index == SASS_RZ) return eng_slot_const_run(plan, op->bank, (uint32_t)op->value, 1);
    return ENG_NO_INDEX;
}
static uint32_t loaded(eng_plan *plan, const sass_instr *in, unsigned word) {
    const sass_operand *a = &in->a;
    if (a->kind != SASS_CONST || a->index != SASS_RZ) return ENG_NO_INDEX;
    switch (in->type) {
    case SASS_U8: case SASS_S8: return eng_slot_const(plan, a->bank, (uint32_t)a->value, 1, in->type == SASS_S8);
    case SASS_U16: case SASS_S16: return eng_slot_const(plan, a->bank, (uint32_t)a->value, 2, in->type == SASS_S16);
    case SASS_B64: return eng_slot_const_run(plan, a->bank, (uint32_t)a->value, 2) + word * ENG_SLOT;
    case SASS_B128: return eng_slot_const_run(plan, a->bank, (uint32_t)a->value, 4) + word * ENG_SLOT;
    default: return eng_slot_const_run(plan, a->bank, (uint32_t)a->value, 1);
    }
}
/* The slot that an instruction copies into a word of its result; ENG_NO_INDEX: it does more, or only sometimes. */
static uint32_t copied(eng_plan *plan, const uint32_t *state, const sass_instr *in, unsigned word) {
    if (!unguarded(in)) return ENG_NO_INDEX;
    bool signs = in->a.neg || in->a.abs || in->a.inv || in->b.neg || in->c.neg || in->c.abs || in->c.inv;
    if (signs && in->op != SASS_HFMA2_MMA && in->op != SASS_HFMA2) return ENG_NO_INDEX;
    switch (in->op) {
    case SASS_MOV: return (in->byte & 15) == 15 ? slot_of(plan, state, &in->a, word) : ENG_NO_INDEX;
    case SASS_UMOV: return slot_of(plan, state, &in->a, word);
    case SASS_LDC: case SASS_ULDC: case SASS_ULDC_R: case SASS_LDCU: return loaded(plan, in, word);
    case SASS_IMAD: /* RZ * RZ + c */
        if (in->flags & SASS_X || !(eng_is_zero(&in->a) || eng_is_zero(&in->b))) return ENG_NO_INDEX;
        return slot_of(plan, state, &in->c, word);
    case SASS_HFMA2: case SASS_HFMA2_MMA: return eng_half_constant(in) ? slot_of(plan, state, &in->c, word) : ENG_NO_INDEX;
    case SASS_CS2R: return in->a.value == 0xff ? plan->zero + word * ENG_SLOT : ENG_NO_INDEX;
    case SASS_S2R: case SASS_S2UR: return eng_special_fixed(in) ? eng_slot_special(plan, (unsigned)in->a.value) : ENG_NO_INDEX;
    default: return ENG_NO_INDEX;
    }
}
static unsigned words_written(const sass_instr *in) {
    unsigned words = sass_dst_regs(in);
    return place_of(&in->dst) < PLACES ? (words ? words : 1) : 0;
}
static void step(eng_plan *plan, uint32_t state[PLACES], const sass_instr *in) {
    unsigned place = place_of(&in->dst), words = words_written(in);
    uint32_t slots[16];
    for (unsigned w = 0; w < words && w < 16; w++) slots[w] = copied(plan, state, in, w);
    for (unsigned w = 0; w < words && place + w < PLACES; w++) state[place + w] = w < 16 ? slots[w] : ENG_NO_INDEX;
    for (unsigned w = 0, second = place_of(&in->dst2); w < sass_dst2_regs(in) && second + w < PLACES; w++) state[second + w] = ENG_NO_INDEX;
}

/* --- blocks -------------------------------------------------------------------------------------------- */

typedef struct flow_block {
    unsigned first, last;
    unsigned succ[2]; /* blocks; ENG_NO_INDEX: none */
    bool unknown_in, unknown_out;
} flow_block;

typedef struct flow {
    eng_plan *plan;
    eng_unit *unit;
    flow_block *blocks;
    unsigned n_blocks, n_places;
    uint16_t places[PLACES]; /* those that the unit names */
    uint32_t *in;            /* [block][index in places] */
    uint64_t entry[PLACES / 64]; /* registers that are read where the function begins, before anybody wrote them */
} flow;

static unsigned block_at(const flow *f, const unsigned *block_of, uint64_t target) {
    return target < (uint64_t)f->unit->n * 16 ? block_of[target / 16] : ENG_NO_INDEX;
}

static bool make_blocks(flow *f) {
    const eng_unit *unit = f->unit;
    unsigned *block_of = malloc((unit->n + 1) * sizeof *block_of);
    f->blocks = calloc(unit->n + 1u, sizeof *f->blocks);
    if (!block_of || !f->blocks) return free(block_of), false;
    for (unsigned n = 0; n < unit->n; n++) {
        if (n == 0 || unit->leader[n]) {
            f->blocks[f->n_blocks].first = n;
            f->blocks[f->n_blocks++].unknown_in = n == 0 || unit->leader[n] == ENG_LEADER_UNKNOWN;
        }
        f->blocks[f->n_blocks - 1].last = n;
        block_of[n] = f->n_blocks - 1;
    }
    for (unsigned b = 0; b < f->n_blocks; b++) {
        flow_block *block = &f->blocks[b];
        const sass_instr *in = &unit->instrs[block->last];
        sass_class cls = sass_class_of((sass_op)in->op);
        bool sometimes = !unguarded(in) || (in->psrc[0].present && (in->psrc[0].reg != SASS_PT || in->psrc[0].inv)) ||
                         (in->psrc[1].present && (in->psrc[1].reg != SASS_PT || in->psrc[1].inv));
        block->succ[0] = block->succ[1] = ENG_NO_INDEX;
        bool leaves = cls == SASS_CLASS_BRANCH || cls == SASS_CLASS_EXIT || cls == SASS_CLASS_CALL;
        if (!leaves || sometimes || (in->op == SASS_BRA && in->sub >= 2)) block->succ[0] = b + 1 < f->n_blocks ? b + 1 : ENG_NO_INDEX;
        if (cls == SASS_CLASS_BRANCH && in->has_target) block->succ[1] = block_at(f, block_of, in->target);
        block->unknown_out = cls == SASS_CLASS_CALL || (cls == SASS_CLASS_BRANCH && (!in->has_target || block->succ[1] == ENG_NO_INDEX)) ||
                             sass_class_of((sass_op)in->op) == SASS_CLASS_OTHER;
    }
    free(block_of);
    return true;
}

static void find_places(flow *f) {
    bool named[PLACES] = {false};
    for (unsigned n = 0; n < f->unit->n; n++) {
        const sass_instr *in = &f->unit->instrs[n];
        reads r = reads_of(in);
        for (unsigned k = 0; k < r.n; k++)
            for (unsigned w = 0; w < r.run[k].words && r.run[k].place + w < PLACES; w++) named[r.run[k].place + w] = true;
        for (unsigned w = 0; w < words_written(in) && place_of(&in->dst) + w < PLACES; w++) named[place_of(&in->dst) + w] = true;
    }
    for (unsigned p = 0; p < PLACES; p++)
        if (named[p]) f->places[f->n_places++] = (uint16_t)p;
}

static void load_state(const flow *f, unsigned b, uint32_t state[PLACES]) {
    for (unsigned k = 0; k < f->n_places; k++) {
        uint32_t v = f->in[(size_t)b * f->n_places + k];
        state[f->places[k]] = v == UNSEEN || f->blocks[b].unknown_in ? ENG_NO_INDEX : v;
    }
}
static bool meet(flow *f, unsigned b, const uint32_t state[PLACES]) {
    bool changed = false;
    uint32_t *in = &f->in[(size_t)b * f->n_places];
    for (unsigned k = 0; k < f->n_places; k++) {
        uint32_t v = state[f->places[k]], was = in[k], now = was == UNSEEN ? v : was == v ? was : ENG_NO_INDEX;
        in[k] = now;
        changed |= now != was;
    }
    return changed;
}

/* Which slot each register equals where a block begins. False: it does not settle. */
static bool go_forward(flow *f) {
    bool *todo = calloc(f->n_blocks, sizeof *todo), more = true;
    uint32_t state[PLACES];
    if (!todo) return false;
    for (size_t k = 0; k < (size_t)f->n_blocks * f->n_places; k++) f->in[k] = UNSEEN;
    for (unsigned b = 0; b < f->n_blocks; b++) todo[b] = f->blocks[b].unknown_in;
    unsigned sweeps = 0;
    for (; more && sweeps < SWEEPS; sweeps++) {
        more = false;
        for (unsigned b = 0; b < f->n_blocks; b++) {
            if (!todo[b]) continue;
            todo[b] = false;
            load_state(f, b, state);
            for (unsigned n = f->blocks[b].first; n <= f->blocks[b].last; n++) step(f->plan, state, &f->unit->instrs[n]);
            for (unsigned s = 0; s < 2; s++) {
                unsigned to = f->blocks[b].succ[s];
                if (to != ENG_NO_INDEX && meet(f, to, state)) todo[to] = more = true;
            }
        }
    }
    free(todo);
    return !more;
}

/* --- who is read as a register --------------------------------------------------------------------------- */

static void set_bit(uint64_t *bits, unsigned p) { bits[p / 64] |= UINT64_C(1) << p % 64; }
static void clear_bit(uint64_t *bits, unsigned p) { bits[p / 64] &= ~(UINT64_C(1) << p % 64); }
static bool get_bit(const uint64_t *bits, unsigned p) { return bits[p / 64] >> p % 64 & 1; }

/* Backward through a block from what is read after it; notes in elided (unless NULL) the moves that nobody reads. */
static void back_through(flow *f, unsigned b, uint64_t live[PLACES / 64], uint8_t *elided, const uint32_t *states) {
    for (unsigned n = f->blocks[b].last + 1; n-- > f->blocks[b].first;) {
        const sass_instr *in = &f->unit->instrs[n];
        const uint32_t *state = states + (size_t)(n - f->blocks[b].first) * PLACES;
        unsigned place = place_of(&in->dst), words = words_written(in);
        uint32_t view[PLACES];
        reads r = reads_of(in);
        make_view(state, &r, view);
        if (words && unguarded(in)) {
            bool dead = true;
            for (unsigned w = 0; w < words && place + w < PLACES; w++)
                dead &= !get_bit(live, place + w) && copied(f->plan, state, in, w) != ENG_NO_INDEX;
            for (unsigned w = 0; w < words && place + w < PLACES; w++) clear_bit(live, place + w);
            if (elided) elided[n] = dead;
            if (dead) continue;
        }
        for (unsigned k = 0; k < r.n; k++)
            for (unsigned w = 0; w < r.run[k].words && r.run[k].place + w < PLACES; w++)
                if (view[r.run[k].place + w] >= UNSEEN) set_bit(live, r.run[k].place + w);
    }
}

static uint32_t *states_of(flow *f, unsigned b) { /* before each instruction of a block */
    size_t n = f->blocks[b].last - f->blocks[b].first + 1;
    uint32_t *states = malloc((n + 1) * PLACES * sizeof *states);
    if (!states) return NULL;
    memset(states, 0xff, PLACES * sizeof *states);
    load_state(f, b, states);
    for (size_t k = 0; k < n; k++) {
        memcpy(states + (k + 1) * PLACES, states + k * PLACES, PLACES * sizeof *states);
        step(f->plan, states + (k + 1) * PLACES, &f->unit->instrs[f->blocks[b].first + k]);
    }
    return states;
}

static bool live_after(const flow *f, const uint64_t *live_in, unsigned b, uint64_t live[PLACES / 64]) {
    if (f->blocks[b].unknown_out) {
        memset(live, 0xff, PLACES / 8);
        return true;
    }
    memset(live, 0, PLACES / 8);
    for (unsigned s = 0; s < 2; s++)
        if (f->blocks[b].succ[s] != ENG_NO_INDEX)
            for (unsigned k = 0; k < PLACES / 64; k++) live[k] |= live_in[(size_t)f->blocks[b].succ[s] * (PLACES / 64) + k];
    return true;
}

static bool go_backward(flow *f, uint8_t *elided) {
    size_t words = PLACES / 64;
    uint64_t *live_in = calloc(f->n_blocks * words, sizeof *live_in), live[PLACES / 64];
    bool more = true, ok = live_in != NULL;
    for (unsigned sweeps = 0; ok && more && sweeps < SWEEPS; sweeps++) {
        more = false;
        for (unsigned b = f->n_blocks; ok && b-- > 0;) {
            uint32_t *states = states_of(f, b);
            if (!states) ok = false;
            else {
                live_after(f, live_in, b, live);
                back_through(f, b, live, NULL, states);
                more |= memcmp(live, live_in + b * words, sizeof live) != 0;
                memcpy(live_in + b * words, live, sizeof live);
            }
            free(states);
        }
    }
    ok &= !more;
    for (unsigned b = 0; ok && b < f->n_blocks; b++) {
        uint32_t *states = states_of(f, b);
        if (states) {
            live_after(f, live_in, b, live);
            back_through(f, b, live, elided, states);
            if (b == 0) memcpy(f->entry, live, sizeof live);
        } else ok = false;
        free(states);
    }
    free(live_in);
    return ok;
}

/* --- for the planner ---------------------------------------------------------------------------------------- */

static void forget(uint32_t table[PLACES]) {
    for (unsigned p = 0; p < PLACES; p++) table[p] = ENG_NO_INDEX;
}

/* Registers that a kernel may read before it writes them begin as zero: what an earlier warp left in the slot would
 * depend on how blocks are shared out. */
static void note_entry(eng_plan *plan, const uint64_t entry[PLACES / 64]) {
    for (unsigned p = 0; p < PLACES; p++) {
        bool exists = p < UREG0 ? p < plan->n_regs : p - UREG0 < plan->n_uregs;
        uint32_t slot = p < UREG0 ? p * ENG_SLOT : plan->uregs + (p - UREG0) * ENG_SLOT;
        if (exists && (!entry || get_bit(entry, p)) && !wg_vec_push(&plan->live_in, slot)) eng_refuse(plan, "no memory");
    }
}

/* Fills unit->flow_in and unit->elided, or leaves them NULL: then every move is executed. */
static void analyse(eng_plan *plan, eng_unit *unit) {
    flow f = {.plan = plan, .unit = unit};
    bool entry_known = false;
    uint8_t *elided = wg_arena_array(plan->arena, unit->n + 1u, 1);
    bool ok = elided && make_blocks(&f);
    if (ok) find_places(&f);
    size_t states = (size_t)f.n_blocks * f.n_places;
    if (ok && states && states < MAX_STATES && (f.in = malloc(states * sizeof *f.in)) && go_forward(&f) && go_backward(&f, elided)) {
        uint32_t **in = wg_arena_array(plan->arena, unit->n + 1u, sizeof *in);
        for (unsigned b = 0; in && b < f.n_blocks; b++) {
            uint32_t *state = wg_arena_array(plan->arena, PLACES, sizeof *state);
            if (!state) break;
            forget(state);
            load_state(&f, b, state);
            in[f.blocks[b].first] = state;
        }
        unit->elided = elided;
        unit->flow_in = in;
        entry_known = true;
    }
    if (unit == &plan->units.at[0]) note_entry(plan, entry_known ? f.entry : NULL);
    free(f.in);
    free(f.blocks);
}

void eng_find_constants(eng_plan *plan) {
    forget(plan->constants);
    forget(plan->state);
    /* The driver's functions may read registers, and who watches them wants every move to be executed. */
    if (plan->indirect_calls || plan->traced) note_entry(plan, NULL);
    else
        for (size_t u = 0; u < plan->units.count; u++) analyse(plan, &plan->units.at[u]);
}

bool eng_constants_before(eng_plan *plan, const eng_unit *unit, unsigned n) {
    if (!unit->flow_in) return forget(plan->constants), false;
    if (unit->flow_in[n]) memcpy(plan->state, unit->flow_in[n], sizeof plan->state);
    reads r = reads_of(&unit->instrs[n]);
    forget(plan->constants);
    make_view(plan->state, &r, plan->constants);
    return unit->elided[n];
}

void eng_constants_after(eng_plan *plan, const eng_unit *unit, unsigned n) {
    if (unit->flow_in) step(plan, plan->state, &unit->instrs[n]);
}
