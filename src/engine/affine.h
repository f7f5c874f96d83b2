/* Sums c + k[0]*tid.x + ... + k[5]*ctaid.z: what an index is that depends on nothing but the thread's place in the
 * grid. All arithmetic is modulo 2^64; where a value is meant as an integer, its range says whether it is one. */
#ifndef WG_ENGINE_AFFINE_H
#define WG_ENGINE_AFFINE_H

#include <stdbool.h>
#include <stdint.h>

enum { AFF_TID = 0, AFF_CTAID = 3, AFF_TERMS = 6 };

typedef struct affine {
    int64_t c, k[AFF_TERMS];
} affine;

affine aff_const(int64_t c);
affine aff_add(const affine *a, const affine *b);
affine aff_scale(const affine *a, int64_t by);
/* The same modulo 2^32, with the least coefficients: how 32-bit values are kept. */
affine aff_word(const affine *a);
bool aff_is_const(const affine *a);
bool aff_equal_word(const affine *a, const affine *b); /* modulo 2^32 */
/* Least and greatest value for term n running over 0 .. count[n]-1. False: beyond 62 bits. */
bool aff_range(const affine *a, const uint32_t count[AFF_TERMS], int64_t *least, int64_t *most);
/* Are the bytes [a, a + n) of two threads apart whenever the threads are of different blocks? True only if so. */
bool aff_apart(const affine *a, const uint32_t count[AFF_TERMS], uint64_t n);
/* Of any two threads. */
bool aff_all_apart(const affine *a, const uint32_t count[AFF_TERMS], uint64_t n);

#endif
