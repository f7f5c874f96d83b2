/* Contexts: the slots, groups, shared and local memory of a running block, used for one block after another. */
#include <stdlib.h>
#include <string.h>

#include "engine/run.h"

/* What a program reads before it wrote: like device memory, a pattern that no one mistakes for a result. */
enum { FILL_BYTE = 0xa5 };

static void broadcast(uint8_t *R, uint32_t slot, uint32_t value) {
    uint32_t *at = (uint32_t *)(void *)(R + slot);
    for (unsigned l = 0; l < 32; l++) at[l] = value;
}

static uint32_t const_value(const eng_grid *grid, const eng_fill *f) {
    uint32_t v = 0;
    const eng_bank *bank = &grid->banks[f->bank < ENG_BANKS ? f->bank : 0];
    if (f->bank < ENG_BANKS && (uint64_t)f->value + f->width <= bank->size) memcpy(&v, bank->bytes + f->value, f->width);
    if (f->sign && f->width == 1) v = (uint32_t)(int32_t)(int8_t)v;
    if (f->sign && f->width == 2) v = (uint32_t)(int32_t)(int16_t)v;
    return v;
}

/* Special registers that are fixed while a block runs; numbers as in sass_special_name. */
static uint32_t special_value(const eng_warp *w, unsigned sr, unsigned lane) {
    const eng_grid *grid = w->worker->grid;
    uint32_t thread = w->index * 32 + lane, bit = 1u << lane;
    switch (sr) {
    case 0x00: return lane;
    case 0x02: return grid->warps << 8;   /* VIRTCFG: warps of a block */
    case 0x03: return w->index << 8;      /* VIRTID: warp in its block */
    case 0x20: return thread % grid->block[0] | thread / grid->block[0] % grid->block[1] << 16 |
                      thread / (grid->block[0] * grid->block[1]) << 26;
    case 0x21: return thread % grid->block[0];
    case 0x22: return thread / grid->block[0] % grid->block[1];
    case 0x23: return thread / (grid->block[0] * grid->block[1]);
    case 0x25: case 0x26: case 0x27: return w->block->index[sr - 0x25];
    case 0x28: return grid->block[0] | grid->block[1] << 16;
    case 0x2f: return (uint32_t)(ENG_SHARED_WINDOW >> 32);
    case 0x32: return grid->shared_size;
    case 0x38: return bit;
    case 0x39: return bit - 1;
    case 0x3a: return bit | (bit - 1);
    case 0x3b: return ~(bit | (bit - 1));
    case 0x3c: return ~(bit - 1);
    default: return 0;
    }
}

static void fill(eng_warp *w, const eng_fill *f) {
    const eng_grid *grid = w->worker->grid;
    if (f->kind == ENG_FILL_VALUE) broadcast(w->R, f->slot, f->value);
    if (f->kind == ENG_FILL_CONST) broadcast(w->R, f->slot, const_value(grid, f));
    if (f->kind == ENG_FILL_SPECIAL)
        for (unsigned l = 0; l < 32; l++) ((uint32_t *)(void *)(w->R + f->slot))[l] = special_value(w, f->value, l);
}

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

eng_blk *eng_context_new(eng_worker *worker) {
    const eng_grid *grid = worker->grid;
    const eng_plan *plan = grid->plan;
    /* an odd number of lines more, so that the same register of several warps does not share a cache set */
    size_t slots = round_up(plan->end, 4096) + 5 * 64;
    size_t shared = round_up(grid->shared_size, 64) + 64, local = round_up((size_t)grid->local_size * 32, 64);
    size_t size = round_up(grid->warps * (slots + local) + shared, 4096);
    eng_blk *block = calloc(1, sizeof *block);
    eng_warp *warps = aligned_alloc(64, round_up(grid->warps * sizeof *warps, 64));
    eng_group *groups = calloc(grid->warps * 34u, sizeof *groups);
    uint8_t *memory = aligned_alloc(4096, size);
    if (!block || !warps || !groups || !memory) {
        free(block);
        free(warps);
        free(groups);
        free(memory);
        return NULL;
    }
    memset(warps, 0, grid->warps * sizeof *warps);
    memset(memory, 0, size);
    *block = (eng_blk){.n_warps = grid->warps, .warps = warps, .worker = worker, .shared = memory};
    for (uint32_t n = 0; n < grid->warps; n++) {
        eng_warp *w = &warps[n];
        *w = (eng_warp){.R = memory + shared + n * (slots + local), .index = n, .worker = worker, .block = block,
                        .shared = memory, .shared_size = grid->shared_size, .local_size = grid->local_size,
                        .groups = groups + n * 34u, .stop = plan->stop, .barrier_b = plan->barriers,
                        .counts = worker->counts};
        w->local = w->R + slots;
        for (size_t f = 0; f < plan->fills.count; f++) fill(w, &plan->fills.at[f]);
    }
    return block;
}

void eng_context_free(eng_blk *block) {
    if (!block) return;
    free(block->warps[0].groups);
    free(block->warps);
    free(block->shared);
    free(block);
}

static void start_warp(eng_warp *w, uint32_t threads) {
    const eng_plan *plan = w->worker->grid->plan;
    uint32_t lanes = threads >= 32 ? ENG_ALL : (1u << threads) - 1;
    memset(w->P, 0, sizeof w->P);
    w->P[ENG_PT] = w->P[ENG_UPT] = ENG_ALL;
    w->exited = ~lanes;
    w->worked = 0;
    w->mask = 0;
    w->executed = 0;
    w->spins = w->b2r = 0;
    memset(w->arrived, 0, sizeof w->arrived);
    w->state = ENG_WARP_READY;
    w->groups[0] = (eng_group){.pc = plan->start, .at = plan->start, .mask = lanes, .state = ENG_GROUP_READY};
    w->n_groups = 1;
    if (w->local_size) memset(w->local, FILL_BYTE, (size_t)w->local_size * 32);
    for (size_t k = 0; k < plan->live_in.count; k++) memset(w->R + plan->live_in.at[k], 0, ENG_SLOT);
    for (size_t f = 0; f < plan->fills.count; f++)
        if (plan->fills.at[f].per_block) fill(w, &plan->fills.at[f]);
}

void eng_context_start(eng_blk *block, uint64_t linear) {
    const eng_grid *grid = block->worker->grid;
    block->linear = linear;
    block->index[0] = (uint32_t)(linear % grid->grid[0]);
    block->index[1] = (uint32_t)(linear / grid->grid[0] % grid->grid[1]);
    block->index[2] = (uint32_t)(linear / grid->grid[0] / grid->grid[1]);
    block->live_warps = block->n_warps;
    block->live_lanes = grid->threads;
    block->running = true;
    memset(block->barriers, 0, sizeof block->barriers);
    memset(block->shared, FILL_BYTE, grid->shared_size);
    for (uint32_t n = 0; n < block->n_warps; n++) start_warp(&block->warps[n], grid->threads - n * 32);
}
