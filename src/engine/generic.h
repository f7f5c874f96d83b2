/* Generic addresses: which space an address lies in, and what its offset there is. For exec_*.c. */
#ifndef WG_ENGINE_GENERIC_H
#define WG_ENGINE_GENERIC_H

#include "engine/window.h"

/* Lanes of `on` by space; offsets gets, for lanes of shared and local memory, the place in the window. */
typedef struct spaces {
    uint32_t global, shared, local;
} spaces;
static inline spaces split_spaces(const uint64_t *A, uint32_t on, uint64_t *offsets) {
    spaces s = {0, 0, 0};
    for (unsigned l = 0; l < 32; l++) {
        uint64_t window = A[l] >> 56;
        offsets[l] = A[l] & UINT64_C(0xffffffffffffff);
        s.shared |= (uint32_t)(window == ENG_SHARED_WINDOW >> 56) << l;
        s.local |= (uint32_t)(window == ENG_LOCAL_WINDOW >> 56) << l;
    }
    s.shared &= on;
    s.local &= on;
    s.global = on & ~(s.shared | s.local);
    return s;
}

#endif
