/* Thread block clusters (sm_90): blocks that are under way together, a barrier over all of them, and shared memory that
 * each may reach of the others. */
#ifndef WG_ENGINE_CLUSTER_H
#define WG_ENGINE_CLUSTER_H

#include "engine/machine.h"

struct eng_cluster {
    eng_blk *blocks[ENG_CLUSTER_BLOCKS]; /* by rank; NULL: has not begun */
    uint32_t size;
    uint32_t live, arrived; /* lanes, of all blocks; those of them that have arrived at the barrier */
    uint32_t phase;         /* times that it has completed */
};

/* Before the blocks of a new cluster begin. */
void eng_cluster_begin(eng_cluster *cluster, const eng_grid *grid);
/* A block of it, just started. */
void eng_cluster_join(eng_cluster *cluster, eng_blk *block, uint32_t rank);

/* The barrier: lanes arrive; those of lanes that must still wait for others; lanes have ended. */
void eng_cluster_arrive(eng_warp *w, uint32_t lanes);
static inline uint32_t eng_cluster_waits(const eng_warp *w, uint32_t lanes) { return w->cluster_arrived & lanes; }
void eng_cluster_exit(eng_warp *w, uint32_t lanes);

/* Shared memory as an access reaches it: address 0 of the space, the first address beyond, and what it is to the watches. */
typedef struct eng_reach {
    uint8_t *at;
    uint64_t end;
    eng_space space;
} eng_reach;
/* That of the block with this rank, whose addresses lanes hold, by its whole addresses (space CLUSTER). False: there is no
 * such block, or it has ended: the launch ends. */
bool eng_cluster_reach(eng_warp *w, const eng_ins *i, uint32_t rank, uint32_t lanes, const uint64_t *addresses, eng_reach *out);

#endif
