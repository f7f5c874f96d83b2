/* c[0x0]: what the driver puts before a launch's parameters, and the parameters (facts: docs/formats.md). */
#include "engine/bank0.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put32(uint8_t *bank, uint32_t at, uint32_t v) { memcpy(bank + at, &v, 4); }
static void put64(uint8_t *bank, uint32_t at, uint64_t v) { memcpy(bank + at, &v, 8); }

/* Code of sm_90 finds a block's cluster by multiplying with reciprocals, and cuts: they are never too small. */
static float reciprocal(uint32_t n) {
    float r = 1.0f / (float)n;
    return (double)r * n < 1.0 ? nextafterf(r, 1.0f) : r;
}

static void describe_cluster(const eng_grid *grid, uint8_t *bank) {
    enum { EXPLICIT = 0x140, BLOCKS = 0x144, RECIPROCALS = 0x150, CLUSTERS = 0x15c, ALL_BLOCKS = 0x188 };
    put32(bank, EXPLICIT, grid->launch->cluster[0] != 0);
    put32(bank, ALL_BLOCKS, grid->cluster_size);
    for (unsigned d = 0; d < 3; d++) {
        float r = reciprocal(grid->cluster[d]);
        put32(bank, BLOCKS + 4 * d, grid->cluster[d]);
        memcpy(bank + RECIPROCALS + 4 * d, &r, 4);
        put32(bank, CLUSTERS + 4 * d, grid->grid[d] / grid->cluster[d]);
    }
}

static void fill(const eng_grid *grid, uint8_t *bank) {
    const img_function *f = grid->function;
    bool blackwell = grid->code->module->sm >= 100;
    for (unsigned d = 0; d < 3; d++) {
        put32(bank, (blackwell ? 0x360 : 0) + 4 * d, grid->block[d]);
        put32(bank, (blackwell ? 0x370 : 12) + 4 * d, grid->grid[d]);
    }
    put64(bank, blackwell ? 0x340 : 0x18, ENG_SHARED_WINDOW);
    put64(bank, blackwell ? 0x2f8 : 0x20, ENG_LOCAL_WINDOW);
    put32(bank, blackwell ? 0x37c : 0x28, grid->local_size);
    if (!blackwell) put64(bank, grid->code->module->sm >= 90 ? 0xd0 : 0x50, grid->code->constants); /* c[0x3] as a generic address, for -G code */
    if (!blackwell) put32(bank, 0x2c, grid->launch->shared_dynamic); /* %dynamic_smem_size */
    if (!blackwell) put32(bank, 0x114, f->shared_reserve);           /* which %total_smem_size leaves out of SR_SMEMSZ */
    if (grid->code->module->sm >= 90 && !blackwell) describe_cluster(grid, bank);
    if (f->param_bytes && grid->launch->params) memcpy(bank + f->param_base, grid->launch->params, f->param_bytes);
}

/* The words that cooperative groups' grid barrier counts in. The code finds their address in two environment registers,
 * the high half in the first, and traps where it is 0: then the launch was not a cooperative one. */
static wg_status place_grid_barrier(const eng_grid *grid, uint8_t *bank, wg_error *err) {
    enum { BYTES = 16 };
    eng_device *device = grid->code->device;
    int sm = grid->code->module->sm;
    if (sm >= 100) return WG_OK;
    if (!device->grid_barrier) {
        const eng_allocation *a;
        wg_status st = eng_memory_alloc(device->memory, BYTES, ENG_ALLOC_GLOBAL, &a, err);
        if (st != WG_OK) return wg_context(err, "the grid barrier");
        eng_memory_set_name(device->memory, a->address, "grid barrier");
        device->grid_barrier = a->address;
    }
    uint32_t at = sm >= 90 ? 0x44 : 0x8c;
    put32(bank, at, (uint32_t)(device->grid_barrier >> 32));
    put32(bank, at + 4, (uint32_t)device->grid_barrier);
    return eng_memory_fill(device->memory, device->grid_barrier, &(uint8_t){0}, 1, BYTES, err);
}

/* --- parameters as memory ------------------------------------------------------------------------------- */

/* Where code finds the generic address of its parameters, when it takes that of one (`__grid_constant__`). Before sm_90 it
 * is the address of the whole bank. */
static uint32_t address_at(int sm) { return sm >= 100 ? 0x348 : sm >= 90 ? 0x198 : 0x40; }

static bool reads(const sass_operand *operand, uint32_t at) {
    return operand->kind == SASS_CONST && operand->bank == 0 && operand->value == at;
}

bool eng_bank0_takes_parameters(const sass_instr *in, int sm) {
    const uint32_t at = address_at(sm);
    return reads(&in->a, at) || reads(&in->b, at) || reads(&in->c, at);
}

/* A copy of the parameters in device memory, the same for all launches of a plan. Aligned as in the bank: tensor maps must be. */
static wg_status place_parameters(const eng_grid *grid, uint8_t *bank, wg_error *err) {
    const img_function *f = grid->function;
    eng_plan *plan = grid->plan;
    eng_memory *memory = grid->code->device->memory;
    int sm = grid->code->module->sm;
    const uint32_t behind = f->param_base % 256; /* what allocations are aligned to */
    if (!f->param_bytes || !plan->takes_parameters) return WG_OK;
    if (!plan->parameters) {
        const eng_allocation *a;
        wg_status st = eng_memory_alloc(memory, behind + f->param_bytes, ENG_ALLOC_GLOBAL, &a, err);
        if (st != WG_OK) return wg_context(err, "the parameters of %s", f->demangled);
        eng_memory_set_device(memory, a->address, grid->code->number);
        eng_memory_set_name(memory, a->address, "kernel parameters");
        eng_memory_set_read_only(memory, a->address);
        plan->parameters = a->address;
    }
    const uint64_t at = plan->parameters + behind;
    put64(bank, address_at(sm), sm >= 90 ? at : at - f->param_base);
    return eng_memory_copy(memory, at, (uint64_t)(uintptr_t)(bank + f->param_base), f->param_bytes, ENG_HOST_TO_DEVICE, err);
}

wg_status eng_bank0_make(eng_grid *grid, wg_error *err) {
    const img_function *f = grid->function;
    uint32_t n = f->param_base + f->param_bytes, size = n < 0x400 ? 0x400 : (n + 15) & ~15u;
    uint8_t *bank = calloc(1, size);
    if (!bank) return wg_fail(err, WG_ERR_MEMORY, "no memory for constants");
    grid->banks[0] = (eng_bank){bank, size};
    fill(grid, bank);
    wg_status st = place_parameters(grid, bank, err);
    if (st == WG_OK && grid->launch->cooperative) st = place_grid_barrier(grid, bank, err);
    return st;
}

void eng_bank0_free(eng_grid *grid) {
    free((void *)(uintptr_t)grid->banks[0].bytes);
    grid->banks[0] = (eng_bank){0};
}
