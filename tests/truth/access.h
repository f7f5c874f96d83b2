/* Where the lanes of a warp go, in the kernels of access.cu: lane l to offset + stride * n, or spread at random; only those in
 * mask. n is l with the bits of flip changed and those of drop at 0, so that lanes meet; the upper half's drop is drop >> 8. All
 * in bytes. */
typedef struct access_place {
    int stride, offset, flip;
    unsigned mask, drop;
    int spread;    /* != 0: to a multiple of this, at random */
    int to_stride; /* of the shared side of an asynchronous copy */
} access_place;
