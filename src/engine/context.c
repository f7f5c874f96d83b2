/* Contexts: the slots and local memory of a warp that is under way; and the blocks that warps belong to.
 *
 * A warp gets a context when it begins and gives it back when it ends, so that warps that do not wait for each other
 * use the same few cache lines one after the other. Constants are filled once, when a context is made. */
#include <stdlib.h>
#include <string.h>

#include "engine/order.h"
#include "engine/memory_inner.h"
#include "engine/run.h"
#include "engine/undefined.h"

/* What a program reads before it wrote: like device memory, a pattern that no one mistakes for a result. */
enum { FILL_BYTE = 0xa5 };

typedef struct eng_context {
    struct eng_context *next;
    uint64_t block; /* whose values the slots that vary by block hold, plus 1 */
    uint8_t *R, *local;
    uint32_t *local_undefined;
    struct eng_undefined *undefined;
} eng_context;

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* --- values of slots -------------------------------------------------------------------------- */

static void broadcast(uint8_t *R, uint32_t slot, uint32_t value) {
    uint64_t *at = (uint64_t *)__builtin_assume_aligned(R + slot, 64), both = (uint64_t)value << 32 | value;
    for (unsigned l = 0; l < 16; l++) at[l] = both;
}

static uint32_t const_value(const eng_grid *grid, const eng_fill *f) {
    uint32_t v = 0;
    const eng_bank *bank = &grid->banks[f->bank < ENG_BANKS ? f->bank : 0];
    if (f->bank < ENG_BANKS && (uint64_t)f->value + f->width <= bank->size) memcpy(&v, bank->bytes + f->value, f->width);
    if (f->sign && f->width == 1) v = (uint32_t)(int32_t)(int8_t)v;
    if (f->sign && f->width == 2) v = (uint32_t)(int32_t)(int16_t)v;
    return v;
}

/* Special registers by number, as in sass_special_name. */
static uint32_t lane_value(const eng_grid *grid, unsigned sr, uint32_t warp, uint32_t lane) {
    uint32_t thread = warp * 32 + lane, bit = 1u << lane, nx = grid->block[0], ny = grid->block[1];
    switch (sr) {
    case 0x00: return lane;
    case 0x02: return grid->warps << 8;   /* VIRTCFG: warps of a block */
    case 0x03: return warp << 8;          /* VIRTID: warp in its block */
    case 0x20: return thread % nx | thread / nx % ny << 16 | thread / (nx * ny) << 26;
    case 0x21: return thread % nx;
    case 0x22: return thread / nx % ny;
    case 0x23: return thread / (nx * ny);
    case 0x28: return nx | ny << 16;
    case 0x2f: return (uint32_t)(ENG_SHARED_WINDOW >> 32);
    case 0x32: return grid->shared_size;
    case 0x37: return 0; /* the least address that the stack may reach: local memory begins there */
    case 0x38: return bit;
    case 0x39: return bit - 1;
    case 0x3a: return bit | (bit - 1);
    case 0x3b: return ~(bit | (bit - 1));
    case 0x3c: return ~(bit - 1);
    default: return 0;
    }
}
static uint32_t block_value(const eng_blk *block, unsigned sr) {
    if (sr >= 0x25 && sr <= 0x27) return block->index[sr - 0x25];
    if (sr == ENG_SR_RANK) return block->rank;
    if (sr == ENG_SR_TO_OWN) return -block->warps[0].shared_base;
    return (uint32_t)(block->linear % block->worker->device->gpu->sms); /* VIRTUALSMID */
}

static void fill(const eng_grid *grid, uint8_t *R, const eng_fill *f) {
    if (f->kind == ENG_FILL_VALUE) broadcast(R, f->slot, f->value);
    if (f->kind == ENG_FILL_CONST) broadcast(R, f->slot, const_value(grid, f));
    if (f->kind == ENG_FILL_SPECIAL)
        for (uint32_t l = 0; l < 32; l++) ((uint32_t *)(void *)(R + f->slot))[l] = lane_value(grid, f->value, 0, l);
}

/* by_warp[warp][start][lane], for those of plan->starts that differ by warp. */
bool eng_grid_fill(eng_grid *grid) {
    const eng_plan *plan = grid->plan;
    size_t n = plan->starts.count;
    if (!n) return true;
    grid->by_warp = aligned_alloc(64, grid->warps * n * ENG_SLOT);
    if (!grid->by_warp) return false;
    for (uint32_t w = 0; w < grid->warps; w++)
        for (size_t s = 0; s < n; s++)
            for (uint32_t l = 0; l < 32; l++)
                grid->by_warp[(w * n + s) * 32 + l] = lane_value(grid, plan->starts.at[s].value, w, l);
    return true;
}

/* --- contexts ----------------------------------------------------------------------------------- */

static eng_context *new_context(eng_worker *k) {
    const eng_grid *grid = k->grid;
    bool shadows = eng_undefined_wanted(grid->plan);
    size_t local = (size_t)grid->local_size * 32, slots = grid->plan->shadow;
    size_t undefined = shadows ? round_up(sizeof(struct eng_undefined), 64) : 0, head = round_up(sizeof(eng_context), 64) + undefined;
    size_t size = round_up(head + (slots + local) * (shadows ? 2 : 1), 64);
    uint8_t *at = aligned_alloc(64, size);
    if (!at) {
        k->status = wg_fail(&k->err, WG_ERR_MEMORY, "no memory for a warp of %s", grid->function->demangled);
        k->stop = true;
        return NULL;
    }
    memset(at, 0, head + slots * (shadows ? 2 : 1));
    eng_context *c = (eng_context *)(void *)at;
    *c = (eng_context){.R = at + head, .local = at + head + slots * (shadows ? 2 : 1)};
    if (shadows) {
        c->undefined = (struct eng_undefined *)(void *)(at + head - undefined);
        c->local_undefined = (uint32_t *)(void *)(c->local + local);
    }
    for (size_t f = 0; f < grid->plan->fills.count; f++) fill(grid, c->R, &grid->plan->fills.at[f]);
    return c;
}

bool eng_context_begin(eng_warp *w) {
    eng_worker *k = w->worker;
    const eng_grid *grid = k->grid;
    const eng_plan *plan = grid->plan;
    eng_context *c = k->contexts;
    if (c) k->contexts = c->next;
    else if (!(c = new_context(k))) return false;
    w->context = c;
    w->R = c->R;
    w->local = c->local;
    uint32_t threads = grid->threads - w->index * 32, lanes = threads >= 32 ? ENG_ALL : (1u << threads) - 1;
    memset(w->P, 0, sizeof w->P);
    w->P[ENG_PT] = w->P[ENG_UPT] = ENG_ALL;
    w->exited = ~lanes;
    w->worked = w->mask = 0;
    w->pc = NULL;
    w->executed = 0;
    w->clock_reads = 0, w->clock_seen = w->clock_ahead = 0;
    w->spins = w->b2r = w->matrices = w->awaited = 0;
    w->strayed = false;
    w->parted = NULL;
    w->met = 0;
    w->groups[0] = (eng_group){.pc = plan->start, .at = plan->start, .mask = lanes, .state = ENG_GROUP_READY};
    w->n_groups = 1;
    if (w->local_size) memset(w->local, FILL_BYTE, (size_t)w->local_size * 32);
    w->undefined = c->undefined;
    w->local_undefined = c->local_undefined;
    if (w->undefined) eng_undefined_begin(w);
    for (size_t n = 0; n < plan->live_in.count; n++) memset(w->R + plan->live_in.at[n], 0, ENG_SLOT);
    bool same_block = c->block == w->block->linear + 1;
    c->block = w->block->linear + 1;
    const uint32_t *by_warp = grid->by_warp + w->index * plan->starts.count * 32;
    for (size_t s = 0; s < plan->starts.count; s++) {
        const eng_fill *f = &plan->starts.at[s];
        if (f->varies == ENG_BY_WARP) memcpy(w->R + f->slot, by_warp + s * 32, ENG_SLOT);
        else if (!same_block) broadcast(w->R, f->slot, block_value(w->block, f->value));
    }
    return true;
}

void eng_context_end(eng_warp *w) {
    w->context->next = w->worker->contexts;
    w->worker->contexts = w->context;
    w->context = NULL;
}

void eng_contexts_free(eng_worker *worker) {
    for (eng_context *c = worker->contexts, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    worker->contexts = NULL;
}

/* --- blocks --------------------------------------------------------------------------------------- */

enum { GROUPS = 34 }; /* of a warp: 32 disjoint ones, and room while they are moved */

eng_blk *eng_block_new(eng_worker *worker) {
    const eng_grid *grid = worker->grid;
    eng_blk *block = calloc(1, sizeof *block);
    eng_warp *warps = aligned_alloc(64, round_up(grid->warps * sizeof *warps, 64));
    eng_group *groups = calloc((size_t)grid->warps * GROUPS, sizeof *groups);
    bool shadows = eng_undefined_wanted(grid->plan) && !grid->plan->writes_shared;
    size_t shared = round_up(grid->shared_size, 64) + 64, bits = shadows ? round_up(grid->shared_size / 8 + 64, 64) : 0;
    uint8_t *memory = aligned_alloc(64, shared + bits);
    if (!block || !warps || !groups || !memory) {
        free(block);
        free(warps);
        free(groups);
        free(memory);
        return NULL;
    }
    memset(memory, 0, grid->function->shared_reserve);
    *block = (eng_blk){.n_warps = grid->warps, .warps = warps, .worker = worker, .shared = memory, .memory = memory, .groups = groups,
                        .shared_bits = shadows ? memory + shared : NULL};
    for (uint32_t n = 0; n < grid->warps; n++) block->order[n] = (uint8_t)n;
    for (uint32_t n = 0; n < grid->warps; n++)
        warps[n] = (eng_warp){.index = n, .worker = worker, .block = block, .shared = memory, .shared_size = grid->shared_size,
                              .shared_bits = block->shared_bits, .shared_plain = grid->shared_size, .local_size = grid->local_size, .groups = groups + (size_t)n * GROUPS, .stop = grid->plan->stop,
                              .barrier_b = grid->plan->barriers, .counts = worker->counts};
    return block;
}

void eng_block_free(eng_blk *block) {
    if (!block) return;
    for (uint32_t n = 0; n < block->n_warps; n++)
        if (block->warps[n].context) eng_context_end(&block->warps[n]);
    free(block->groups);
    free(block->warps);
    free(block->memory);
    free(block);
}

void eng_block_start(eng_blk *block, uint64_t linear) {
    const eng_grid *grid = block->worker->grid;
    block->linear = linear;
    block->index[0] = (uint32_t)(linear % grid->grid[0]);
    block->index[1] = (uint32_t)(linear / grid->grid[0] % grid->grid[1]);
    block->index[2] = (uint32_t)(linear / grid->grid[0] / grid->grid[1]);
    block->live_warps = block->n_warps;
    block->live_lanes = grid->threads;
    block->running = true;
    block->astray = false;
    if (block->worker->shuffled) eng_order_warps(grid->launch->seed, linear, block->order, block->n_warps);
    if (block->barriers_used) {
        memset(block->barriers, 0, sizeof block->barriers);
        memset(block->whole, 0, sizeof block->whole);
        for (uint32_t n = 0; n < block->n_warps; n++) memset(block->warps[n].arrived, 0, sizeof block->warps[n].arrived);
        block->barriers_used = 0;
    }
    for (uint32_t n = 0; block->registers_moved && n < block->n_warps; n++) block->warps[n].registers = 0;
    block->registers_moved = false;
    uint32_t reserve = grid->function->shared_reserve; /* the driver's, which programs do not touch */
    if (grid->shared_size > reserve) {
        memset(block->shared, 0, reserve); /* but by mistake: then the worker's next block must not see it */
        memset(block->shared + reserve, FILL_BYTE, grid->shared_size - reserve);
    }
    if (block->shared_bits) {
        memset(block->shared_bits, 0, grid->shared_size / 8 + 1);
        mem_bits_set(block->shared_bits, 0, reserve);
        for (uint32_t n = 0; n < block->n_warps; n++) block->warps[n].shared_plain = reserve;
        memset(block->shared_origins, 0, sizeof block->shared_origins);
    }
    for (uint32_t n = 0; n < block->n_warps; n++) block->warps[n].state = ENG_WARP_READY;
    block->ready = block->n_warps == 32 ? ENG_ALL : (1u << block->n_warps) - 1;
}
