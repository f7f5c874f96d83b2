/* Generic addresses: which space an address lies in, and what its offset there is. For exec_*.c. */
#ifndef WG_ENGINE_GENERIC_H
#define WG_ENGINE_GENERIC_H

#include "engine/window.h"

/* Lanes of `on` by space; offsets gets, for lanes of shared and local memory, the place in the window. cluster: shared memory of other
 * blocks, whose places hold the rank. */
typedef struct spaces {
    uint32_t global, shared, local, cluster;
} spaces;
static inline void split_ranks(const eng_warp *w, spaces *s, uint64_t *offsets) {
    ENG_LANES(l, s->shared) {
        bool own = offsets[l] >> ENG_RANK_SHIFT == w->shared_base >> ENG_RANK_SHIFT;
        if (own) offsets[l] -= w->shared_base;
        s->cluster |= (uint32_t)!own << l;
    }
    s->shared &= ~s->cluster;
}
static inline spaces split_spaces(const eng_warp *w, const uint64_t *A, uint32_t on, uint64_t *offsets) {
    spaces s = {0, 0, 0, 0};
    for (unsigned l = 0; l < 32; l++) {
        uint64_t window = A[l] >> 56;
        offsets[l] = A[l] & UINT64_C(0xffffffffffffff);
        s.shared |= (uint32_t)(window == ENG_SHARED_WINDOW >> 56) << l;
        s.local |= (uint32_t)(window == ENG_LOCAL_WINDOW >> 56) << l;
    }
    s.shared &= on;
    s.local &= on;
    s.global = on & ~(s.shared | s.local);
    if (ENG_UNLIKELY(s.shared && w->cluster && w->cluster->size > 1)) split_ranks(w, &s, offsets);
    return s;
}

#endif
