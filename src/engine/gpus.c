/* The table of simulated devices. */
#include "engine/engine.h"

#include <strings.h>

enum { KIB = 1024 };

/* Sizes that an SM's shared memory is configured to, by architecture (programming guide, "Shared Memory"
 * of each compute capability). An H200's driver was never seen to choose less than 32 KiB, nor 64 KiB where
 * blocks needed 40 to 44 KiB (it took 100): those are left out, so that occupancy is what it reports. */
static const unsigned carveouts_turing[] = {32 * KIB, 64 * KIB, 0};
static const unsigned carveouts_ampere[] = {32 * KIB, 64 * KIB, 100 * KIB, 132 * KIB, 164 * KIB, 0};
static const unsigned carveouts_small[] = {32 * KIB, 64 * KIB, 100 * KIB, 0};
static const unsigned carveouts_hopper[] = {32 * KIB, 100 * KIB, 132 * KIB, 164 * KIB, 196 * KIB, 228 * KIB, 0};

#define CARVEOUTS(cc)                                                                                        \
    ((cc) == 75 ? carveouts_turing                                                                           \
     : (cc) == 80 ? carveouts_ampere : (cc) == 90 || (cc) == 100 ? carveouts_hopper : carveouts_small)

static const eng_gpu gpus[] = {
#define ENG_GPU(id_, name_, cc, sms_, warps, blocks, shared, optin, reserved, memory_kib, l2_kib, clock_mhz, memory_mhz, bus,  \
                gbps)                                                                                        \
    {.id = id_,                                                                                              \
     .name = name_,                                                                                          \
     .major = (cc) / 10,                                                                                     \
     .minor = (cc) % 10,                                                                                     \
     .sms = sms_,                                                                                            \
     .max_warps_per_sm = warps,                                                                              \
     .max_blocks_per_sm = blocks,                                                                            \
     .max_threads_per_sm = (warps) * 32,                                                                     \
     .max_threads_per_block = 1024,                                                                          \
     .registers_per_sm = 65536,                                                                              \
     .registers_per_block = 65536,                                                                           \
     .shared_per_sm = (shared) * KIB,                                                                        \
     .shared_per_block = 48 * KIB,                                                                           \
     .shared_per_block_optin = (optin) * KIB,                                                                \
     .shared_reserved = reserved,                                                                            \
     .memory = UINT64_C(1024) * (memory_kib),                                                                 \
     .l2 = (l2_kib) * KIB,                                                                                   \
     .clock_khz = (clock_mhz) * 1000,                                                                        \
     .memory_clock_khz = (memory_mhz) * 1000,                                                                \
     .bus_bits = bus,                                                                                        \
     .bandwidth = (gbps) * 1e9,                                                                              \
     .carveouts = CARVEOUTS(cc)},
#include "engine/gpus.def"
#undef ENG_GPU
};
enum { GPUS = sizeof gpus / sizeof gpus[0] };

const eng_gpu *eng_gpu_at(unsigned i) { return i < GPUS ? &gpus[i] : NULL; }

const eng_gpu *eng_gpu_find(const char *id) {
    for (unsigned i = 0; id && i < GPUS; i++)
        if (strcasecmp(id, gpus[i].id) == 0) return &gpus[i];
    return NULL;
}

/* The first row of the same major version and the lowest minor one that is not below the code's. */
const eng_gpu *eng_gpu_for_sm(int sm) {
    const eng_gpu *best = NULL;
    for (unsigned i = 0; i < GPUS; i++) {
        const eng_gpu *gpu = &gpus[i];
        if (gpu->major != sm / 10 || gpu->minor < sm % 10) continue;
        if (!best || gpu->minor < best->minor) best = gpu;
    }
    return best;
}
