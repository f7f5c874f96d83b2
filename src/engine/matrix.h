/* How LDSM and STSM lay matrices of 8 by 8 16-bit elements over the lanes: lane 8 m + r gives the address of row r of matrix m. Without
 * .T lane l has elements 2 (l % 4) and the next of row l / 4 in register m; with it, of the transposed matrix. */
#ifndef WG_ENGINE_MATRIX_H
#define WG_ENGINE_MATRIX_H

#include "engine/machine.h"

static inline bool is_transposed(const eng_ins *i) { return i->x >> 16 & 1; }
static inline uint32_t matrices(const eng_ins *i) { return i->x >> 8 & 7; }
/* Where the lane's element is (0: its first, 1: its second). */
static inline uint64_t element_at(const uint64_t A[32], unsigned matrix, unsigned lane, unsigned which, bool transposed) {
    return transposed ? A[matrix * 8 + 2 * (lane % 4) + which] + lane / 4 * 2 : A[matrix * 8 + lane / 4] + lane % 4 * 4 + which * 2;
}

#endif
