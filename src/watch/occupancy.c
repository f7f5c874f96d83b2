#include "watch/occupancy.h"

/* Granularities of allocation, the same from sm_75 to sm_120 but for shared memory on sm_75. */
enum {
    REGISTERS_PER_WARP_UNIT = 256, /* a warp's registers are granted in this unit */
    SUBPARTITIONS = 4,             /* an SM's register file is split into these; a warp lives in one */
    REGISTERS_MIN = 16             /* a thread never gets fewer */
};

static unsigned round_up(unsigned value, unsigned unit) { return (value + unit - 1) / unit * unit; }

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static unsigned limit_of_registers(const eng_gpu *gpu, unsigned registers, unsigned warps) {
    unsigned a_warp = round_up(registers * 32, REGISTERS_PER_WARP_UNIT);
    unsigned warps_held = gpu->registers_per_sm / SUBPARTITIONS / a_warp * SUBPARTITIONS;
    return warps_held / warps;
}

/* The driver sets shared memory to the smallest size at which it does not limit the launch, else the largest. */
static unsigned choose_carveout(const eng_gpu *gpu, unsigned needed) {
    const unsigned *size = gpu->carveouts;
    while (size[1] && *size < needed) size++;
    return *size;
}

watch_occupancy watch_occupancy_of(const eng_gpu *gpu, const watch_footprint *block, uint64_t grid_blocks) {
    watch_occupancy o = {0};
    unsigned warps = block->threads ? (block->threads + 31) / 32 : 1;
    unsigned unit = gpu->major == 7 ? 256 : 128;
    o.registers = block->registers < REGISTERS_MIN ? REGISTERS_MIN : block->registers;
    o.shared_driver = gpu->shared_reserved;
    o.limit_blocks = gpu->max_blocks_per_sm;
    o.limit_warps = gpu->max_warps_per_sm / warps;
    o.limit_registers = limit_of_registers(gpu, o.registers, warps);

    unsigned others = least(least(o.limit_blocks, o.limit_warps), o.limit_registers);
    unsigned shared = round_up(block->shared_static + block->shared_dynamic + o.shared_driver, unit);
    o.shared_config = choose_carveout(gpu, others * shared);
    o.limit_shared = shared ? least(o.shared_config / shared, o.limit_blocks) : o.limit_blocks;

    o.blocks = least(others, o.limit_shared);
    o.warps = o.blocks * warps;
    o.fraction = (double)o.warps / gpu->max_warps_per_sm;
    if (o.blocks) o.waves = (double)grid_blocks / ((double)o.blocks * gpu->sms);
    o.limiter = o.limit_warps == o.blocks       ? "warps"
                : o.limit_registers == o.blocks ? "registers"
                : o.limit_blocks == o.blocks    ? "blocks"
                                                : "shared memory";
    return o;
}
