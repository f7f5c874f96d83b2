/* Occupancy: how many blocks of a launch an SM holds at once, and what stops it from holding more.
 * A pure function of the launch and the device; all 42 launches of tests/truth agree with an H200. */
#ifndef WG_WATCH_OCCUPANCY_H
#define WG_WATCH_OCCUPANCY_H

#include <stdint.h>

#include "engine/engine.h"

typedef struct watch_footprint { /* what one block needs */
    unsigned threads;
    unsigned registers;      /* a thread, as the code states */
    unsigned shared_static;  /* bytes, without the driver's reserve */
    unsigned shared_dynamic; /* bytes */
} watch_footprint;

typedef struct watch_occupancy {
    unsigned limit_blocks, limit_registers, limit_shared, limit_warps; /* blocks an SM could hold, by each resource */
    unsigned blocks, warps; /* blocks and warps an SM holds: the least of the limits */
    unsigned registers;     /* a thread, as the hardware grants them */
    unsigned shared_driver; /* bytes a block that the driver takes */
    unsigned shared_config; /* bytes that the SM's shared memory is set to */
    double fraction;        /* warps held / warps that fit, 0 to 1 */
    double waves;           /* blocks of the grid / blocks that the whole device holds at once */
    const char *limiter;    /* "warps", "registers", "blocks", "shared memory": the first that is the least */
} watch_occupancy;

watch_occupancy watch_occupancy_of(const eng_gpu *gpu, const watch_footprint *block, uint64_t grid_blocks);

#endif
