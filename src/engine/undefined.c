/* Undefined values while a warp runs: which stream it is in, what loads bring, who is told. */
#include "engine/undefined.h"

#include <stdlib.h>
#include <string.h>

#include "engine/run.h"
#include "engine/view.h"

enum { ORIGINS = 4096, RECENT = 16 };
struct eng_origins { /* the latest of a worker; older ones are forgotten */
    uint32_t next; /* number of the next one */
    eng_origin at[ORIGINS];
};

static uint32_t *slot_at(const eng_warp *w, uint32_t slot) {
    return (uint32_t *)(void *)(w->R + w->worker->grid->plan->shadow + slot);
}
static unsigned first_lane(uint32_t lanes) { return (unsigned)__builtin_ctz(lanes | 0x80000000u); }

/* --- origins and reports --------------------------------------------------------------------------- */

static bool same_actor(const eng_actor *a, const eng_actor *b) {
    return a->instr == b->instr && a->function == b->function && a->block == b->block && a->warp == b->warp;
}

/* From 1; below ENG_COMPUTED. */
static uint32_t number_of(eng_warp *w, const eng_origin *origin) {
    eng_worker *k = w->worker;
    if (!k->origins && !(k->origins = calloc(1, sizeof *k->origins))) return 0;
    struct eng_origins *all = k->origins;
    for (uint32_t n = all->next; n-- > 0 && all->next - n <= RECENT;) {
        const eng_origin *o = &all->at[n % ORIGINS];
        if (o->kind == origin->kind && same_actor(&o->at, &origin->at) && o->store == origin->store) return n + 1;
    }
    all->at[all->next % ORIGINS] = *origin;
    return ++all->next;
}

static const eng_origin *origin_at(const eng_worker *k, uint32_t number) {
    static const eng_origin unknown;
    number &= ~ENG_COMPUTED;
    if (!k->origins || !number || k->origins->next - number >= ORIGINS) return &unknown;
    return &k->origins->at[(number - 1) % ORIGINS];
}

void eng_undefined_origin_of(const eng_warp *w, uint32_t number, eng_origin *out) { *out = *origin_at(w->worker, number); }

static eng_actor actor_of(const eng_warp *w, const eng_ins *i, uint32_t lanes) {
    return (eng_actor){.function = i->function, .warp = (uint16_t)w->index, .instr = i->id, .block = w->block->linear,
                       .lane = (uint8_t)first_lane(lanes)};
}

void eng_undefined_report(eng_warp *w, const eng_ins *i, eng_undefined_use use, uint32_t lanes, uint32_t origin, eng_space space, uint64_t address) {
    _Static_assert(sizeof(eng_origin) <= 32 * sizeof(uint64_t), "an origin fits into a vector of addresses");
    if (!lanes || !(w->worker->wants & 1u << ENG_EV_UNDEFINED)) return;
    eng_event *ev = eng_event_new(w);
    uint64_t *room = eng_event_lanes(w, &ev);
    uint16_t general = ev->general;
    memcpy(room, origin_at(w->worker, origin), sizeof(eng_origin));
    *ev = (eng_event){.kind = ENG_EV_UNDEFINED, .address = address, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index,
                      .mask = lanes, .more = use, .cls = ENG_GENERAL, .space = (uint8_t)space, .width = i->width,
                      .access = i->access, .general = general};
    eng_event_done(w);
}

/* --- streams ------------------------------------------------------------------------------------------ */

static void mark(struct eng_undefined *t, uint32_t slot) {
    unsigned n = slot / ENG_SLOT;
    if (n < ENG_SHADOWED) t->dirty[n / 64] |= UINT64_C(1) << n % 64;
}

void eng_undefined_begin(eng_warp *w) {
    struct eng_undefined *t = w->undefined;
    const eng_plan *plan = w->worker->grid->plan;
    for (unsigned k = 0; k < ENG_SHADOWED / 64; k++) /* what the warp before left */
        for (uint64_t left = t->dirty[k]; left; left &= left - 1)
            memset(slot_at(w, (k * 64 + (unsigned)__builtin_ctzll(left)) * ENG_SLOT), 0, ENG_SLOT);
    memset(t->dirty, 0, sizeof t->dirty);
    memset(t->P, 0, sizeof t->P);
    t->slow = t->pending = t->preds = false;
    if (w->local_size) memset(w->local_undefined, 0xff, (size_t)w->local_size * 32);
    t->local_origin = 0;
    if (!plan->slow.count || !(plan->undefined_in.count || plan->undefined_preds)) return;
    eng_origin origin = {.kind = ENG_ORIGIN_REGISTER, .at = {.function = (uint16_t)plan->units.at[0].function, .warp = (uint16_t)w->index,
                                                              .block = w->block->linear, .lane = (uint8_t)first_lane(~w->exited)}};
    uint32_t number = number_of(w, &origin);
    for (size_t k = 0; k < plan->undefined_in.count; k++) {
        uint32_t slot = plan->undefined_in.at[k];
        memset(slot_at(w, slot), 0xff, ENG_SLOT);
        mark(t, slot);
        if (slot / ENG_SLOT < ENG_SHADOWED) t->slot_origin[slot / ENG_SLOT] = number;
    }
    for (unsigned p = 0; p < ENG_PREDS; p++)
        if (plan->undefined_preds >> p & 1) t->P[p] = ENG_ALL, t->pred_origin[p] = number, t->preds = true;
    t->slow = true;
    w->groups[0].pc = w->groups[0].at = eng_undefined_at(plan, &plan->units.at[0], 0);
}

/* Where an instruction of one stream stands in the other; self: the instruction, not what stands before it. */
static const eng_ins *in_other(const eng_warp *w, const eng_ins *i, bool to_slow, bool self) {
    const eng_plan *plan = w->worker->grid->plan;
    const eng_unit *unit = i ? eng_plan_unit(plan, i->function) : NULL;
    if (!unit) return i;
    bool end = i->fn == w->worker->device->stop;
    if (to_slow) return end ? &plan->slow.at[unit->slow_stop] : &plan->slow.at[self ? unit->slow[i->id].self : unit->slow[i->id].at];
    return end ? plan->stop : &plan->ins.at[self ? unit->planned[i->id].self : unit->planned[i->id].ins];
}

static void move_groups(eng_warp *w, bool to_slow) {
    for (unsigned n = 0; n < w->n_groups; n++) {
        w->groups[n].at = in_other(w, w->groups[n].at, to_slow, w->groups[n].at != w->groups[n].pc);
        w->groups[n].pc = in_other(w, w->groups[n].pc, to_slow, false);
    }
    if (w->pc) w->pc = in_other(w, w->pc, to_slow, false);
    w->undefined->slow = to_slow;
}

static void forget_all(eng_warp *w) {
    struct eng_undefined *t = w->undefined;
    for (unsigned k = 0; k < ENG_SHADOWED; k++)
        if (t->dirty[k / 64] >> k % 64 & 1) memset(slot_at(w, k * ENG_SLOT), 0, ENG_SLOT);
    memset(t->dirty, 0, sizeof t->dirty);
}

const eng_ins *eng_undefined_enter(eng_warp *w, const eng_ins *i) {
    eng_plan *plan = w->worker->grid->plan;
    eng_view *v = w->worker->memory_state;
    w->undefined->pending = false;
    if (!plan->slow.count && v->parallel) { /* others look at the plan: it is made by one worker alone */
        v->failed = true;
        forget_all(w);
        return eng_end(w, i);
    }
    if (!eng_undefined_plan(plan)) return forget_all(w), i + 1;
    move_groups(w, true);
    return eng_undefined_at(plan, eng_plan_unit(plan, i->function), i->id + 1);
}

static bool is_zero(const uint32_t *slot) {
    uint32_t any = 0;
    for (unsigned l = 0; l < 32; l++) any |= slot[l];
    return !any;
}

/* Drops what is not read any more; nothing left: the fast stream goes on. */
const eng_ins *eng_undefined_block(const eng_ins *i, eng_warp *w) {
    struct eng_undefined *t = w->undefined;
    const eng_unit *unit = i->ptr;
    const eng_plan *plan = w->worker->grid->plan;
    const uint64_t *live = unit->live ? unit->live[i->id] : NULL;
    unsigned first_uniform = plan->uregs / ENG_SLOT;
    uint64_t left = 0;
    for (unsigned k = 0; k < ENG_SHADOWED / 64; k++) {
        for (uint64_t bits = t->dirty[k]; bits; bits &= bits - 1) {
            unsigned n = k * 64 + (unsigned)__builtin_ctzll(bits);
            bool uniform = n >= first_uniform;
            unsigned place = uniform ? n - first_uniform + 256 : n;
            uint32_t *slot = slot_at(w, n * ENG_SLOT);
            bool dead = place < 512 && live && !(live[place / 64] >> place % 64 & 1) && (!uniform || !w->n_groups);
            if (n < plan->n_regs || uniform) {
                if (dead)
                    for (unsigned l = 0; l < 32; l++) slot[l] = uniform || w->mask >> l & 1 ? 0 : slot[l];
                for (unsigned l = 0; l < 32 && w->exited && !uniform; l++) slot[l] = w->exited >> l & 1 ? 0 : slot[l];
            } else {
                memset(slot, 0, ENG_SLOT);
            }
            if (is_zero(slot)) t->dirty[k] &= ~(UINT64_C(1) << n % 64);
        }
        left |= t->dirty[k];
    }
    if (t->preds) {
        t->preds = false;
        for (unsigned p = 0; p < ENG_PREDS; p++) {
            unsigned place = 512 + (p < 7 ? p : p - ENG_UP + 7);
            bool dead = live && p != ENG_PT && p < ENG_UPT && !(live[place / 64] >> place % 64 & 1);
            if (dead && (p < ENG_UP || !w->n_groups)) t->P[p] &= p < ENG_UP ? ~w->mask : 0;
            if (p == ENG_PT || p >= ENG_UPT) t->P[p] = 0;
            else if (p < ENG_UP) t->P[p] &= ~w->exited;
            t->preds |= t->P[p] != 0;
        }
    }
    if (left || t->preds) return NULL;
    move_groups(w, false);
    return &plan->ins.at[unit->planned[i->id].ins];
}

/* --- what loads bring ----------------------------------------------------------------------------------- */

void eng_undefined_shared_origin(eng_warp *w, uint64_t address, uint32_t origin) {
    uint32_t place = (uint32_t)(address / 32), n = place % 64;
    w->block->shared_origins[n].place = place + 1;
    w->block->shared_origins[n].origin = origin;
}

static uint32_t origin_of_load(eng_warp *w, const eng_ins *i, uint64_t address, unsigned lane, eng_space space) {
    eng_origin o = {.kind = ENG_ORIGIN_MEMORY, .at = actor_of(w, i, 1u << lane)};
    uint32_t place = (uint32_t)(address / 32), n = place % 64;
    if (space == ENG_SHARED && w->block->shared_origins[n].place == place + 1) return w->block->shared_origins[n].origin;
    if (space == ENG_LOCAL && w->undefined->local_origin) return w->undefined->local_origin;
    o.at.space = (uint8_t)space;
    o.at.width = i->width;
    o.at.address = address;
    if (space == ENG_GLOBAL) {
        const eng_allocation *a = eng_memory_find(w->worker->memory, address, NULL);
        o.allocation = a ? a->id : 0;
        eng_memory_undefined_store(w->worker->memory, address, &o.store);
    }
    return number_of(w, &o);
}

uint32_t eng_undefined_origin_in_shared(eng_warp *w, const eng_ins *i, uint64_t address, unsigned lane) { return origin_of_load(w, i, address, lane, ENG_SHARED); }

static void put(eng_warp *w, uint32_t slot, unsigned lane, uint32_t undefined, uint32_t origin) {
    slot_at(w, slot)[lane] = undefined;
    if (!undefined) return;
    mark(w->undefined, slot);
    if (slot / ENG_SLOT < ENG_SHADOWED) w->undefined->slot_origin[slot / ENG_SLOT] = origin;
}

static uint32_t spread(uint32_t bytes) { /* a bit a byte -> eight */
    uint32_t r = 0;
    for (unsigned b = 0; b < 4; b++) r |= bytes >> b & 1 ? 0xffu << 8 * b : 0;
    return r;
}

uint32_t eng_undefined_in_shared(const eng_warp *w, uint64_t address, unsigned n) {
    uint32_t undefined = 0;
    for (unsigned b = 0; b < n; b++)
        if (address + b >= w->shared_plain && !(w->shared_bits[(address + b) / 8] >> (address + b) % 8 & 1)) undefined |= 1u << b;
    return undefined;
}

static void put_bytes(eng_warp *w, const eng_ins *i, unsigned lane, uint32_t bytes, uint32_t origin) {
    enum { SIGNED = 4 }; /* MEM_SIGNED of access.h */
    for (unsigned word = 0; word < (i->width > 4 ? i->width / 4u : 1); word++) {
        uint32_t undefined = spread(bytes >> 4 * word & 15);
        if (i->width < 4 && i->x & SIGNED && bytes >> (i->width - 1) & 1) undefined |= UINT32_MAX << 8 * i->width;
        put(w, i->d + word * ENG_SLOT, lane, undefined, origin);
    }
}

void eng_undefined_loaded(eng_warp *w, const eng_ins *i, const uint64_t *A, uint32_t lanes, eng_space space) {
    enum { SIGNED = 4 };
    struct eng_undefined *t = w->undefined;
    uint32_t origin = 0, some = 0;
    if (!t || i->d >= w->worker->grid->plan->zero) return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = first_lane(left);
        if (space == ENG_LOCAL) {
            uint32_t undefined[4] = {0}, any = 0;
            for (unsigned b = 0; b < i->width; b += 4) undefined[b / 4] = w->local_undefined[(A[l] + b) / 4 * 32 + l];
            if (i->width < 4) undefined[0] = undefined[0] >> A[l] % 4 * 8 & ((1u << 8 * i->width) - 1);
            if (i->width < 4 && i->x & SIGNED && undefined[0] >> (8 * i->width - 1) & 1) undefined[0] |= UINT32_MAX << 8 * i->width;
            for (unsigned k = 0; k < 4; k++) any |= undefined[k];
            if (any && !origin) origin = origin_of_load(w, i, A[l], l, space);
            for (unsigned k = 0; any && k < (i->width > 4 ? i->width / 4u : 1); k++) put(w, i->d + k * ENG_SLOT, l, undefined[k], origin);
            some |= any;
            continue;
        }
        uint32_t bytes = space == ENG_GLOBAL ? mem_undefined_bytes(w->worker->memory_state, A[l], i->width) : eng_undefined_in_shared(w, A[l], i->width);
        if (!bytes) continue;
        if (!origin) origin = origin_of_load(w, i, A[l] + first_lane(bytes), l, space);
        put_bytes(w, i, l, bytes, origin);
        some |= bytes;
    }
    t->pending = some && !t->slow;
}

void eng_undefined_loaded_matrix(eng_warp *w, const eng_ins *i, uint32_t undefined[4][32], unsigned count, uint32_t on, uint64_t address) {
    struct eng_undefined *t = w->undefined;
    uint32_t origin = origin_of_load(w, i, address, first_lane(on), ENG_SHARED), some = 0;
    if (i->d >= w->worker->grid->plan->zero) return;
    for (unsigned m = 0; m < count; m++)
        for (uint32_t left = on; left; left &= left - 1) {
            put(w, i->d + m * ENG_SLOT, first_lane(left), undefined[m][first_lane(left)], origin);
            some |= undefined[m][first_lane(left)];
        }
    t->pending = some && !t->slow;
}

void eng_undefined_atomic(eng_warp *w, const eng_ins *i, const uint64_t *A, uint32_t lanes, eng_space space) {
    if (w->undefined && w->undefined->slow) lanes &= ~w->undefined->put_back;
    if (!w->undefined || !lanes) return;
    unsigned l = first_lane(lanes);
    eng_undefined_report(w, i, ENG_DECIDES_MEMORY, lanes, origin_of_load(w, i, A[l], l, space), space, A[l]);
}

void eng_undefined_copied(eng_warp *w, uint64_t shared, uint32_t bytes) {
    for (unsigned b = 0; b < 16; b++)
        if (bytes >> b & 1) w->shared_bits[(shared + b) / 8] &= (uint8_t)~(1u << (shared + b) % 8);
    for (uint32_t n = 0; bytes && n < w->block->n_warps; n++)
        if (w->block->warps[n].shared_plain > shared) w->block->warps[n].shared_plain = (uint32_t)shared;
}

void eng_undefined_clear(eng_warp *w, uint32_t slot, uint32_t lanes) {
    if (!w->undefined || !w->undefined->slow) return;
    for (unsigned l = 0; l < 32; l++)
        if (lanes >> l & 1) slot_at(w, slot)[l] = 0;
}

void eng_undefined_advance(eng_blk *block) {
    uint32_t plain = block->warps[0].shared_plain, size = block->warps[0].shared_size;
    bool set;
    if (plain >= size) return;
    uint64_t stop = mem_bits_run(block->shared_bits, plain, size, &set);
    if (!set) return;
    for (uint32_t n = 0; n < block->n_warps; n++) block->warps[n].shared_plain = (uint32_t)stop;
}
