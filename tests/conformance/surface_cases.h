/* Surfaces that a GPU and the simulated machine access by the same words; plain C, for both hosts. */
#ifndef WG_TESTS_CONFORMANCE_SURFACE_CASES_H
#define WG_TESTS_CONFORMANCE_SURFACE_CASES_H

#include "probe.h"

enum { SURFACE_THREADS = PROBE_BLOCK, SURFACE_COLUMNS = 9 /* of the results: registers and predicates */, SURFACE_BYTES = 2048 /* of the largest */ };
enum { SURFACE_UNSIGNED, SURFACE_SIGNED, SURFACE_FLOAT };
enum { SURFACE_LAYERED = 1, SURFACE_CUBE = 2, SURFACE_TEXTURE = 4 /* asked about only */ };
typedef struct surface_case {
    int width, height, depth; /* 0: not a dimension; depth is the layers, or the faces, of such */
    int format, components, bits, flags, levels;
} surface_case;
static const surface_case surface_cases[] = {
    {32, 0, 0, SURFACE_UNSIGNED, 1, 32, 0, 0},  {16, 8, 0, SURFACE_UNSIGNED, 1, 32, 0, 0}, {16, 0, 4, SURFACE_UNSIGNED, 1, 32, SURFACE_LAYERED, 0},
    {8, 4, 3, SURFACE_UNSIGNED, 1, 32, SURFACE_LAYERED, 0}, {8, 4, 3, SURFACE_UNSIGNED, 1, 32, 0, 0}, {16, 8, 0, SURFACE_UNSIGNED, 1, 8, 0, 0},
    {16, 8, 0, SURFACE_SIGNED, 4, 8, 0, 0}, {16, 8, 0, SURFACE_UNSIGNED, 2, 16, 0, 0}, {16, 8, 0, SURFACE_FLOAT, 4, 16, 0, 0},
    {16, 8, 0, SURFACE_FLOAT, 1, 32, 0, 0}, {16, 8, 0, SURFACE_UNSIGNED, 4, 32, 0, 0}, {16, 8, 0, SURFACE_FLOAT, 2, 32, 0, 0},
    {16, 8, 0, SURFACE_SIGNED, 1, 16, 0, 0}, {16, 8, 0, SURFACE_SIGNED, 1, 32, 0, 0}, {16, 8, 0, SURFACE_UNSIGNED, 1, 32, SURFACE_TEXTURE, 4},
    {8, 8, 6, SURFACE_UNSIGNED, 1, 32, SURFACE_CUBE | SURFACE_TEXTURE, 0}, {4, 4, 12, SURFACE_UNSIGNED, 1, 32, SURFACE_CUBE | SURFACE_LAYERED | SURFACE_TEXTURE, 0},
    {16, 8, 0, SURFACE_UNSIGNED, 4, 8, 0, 0}, {16, 8, 0, SURFACE_FLOAT, 1, 16, 0, 0},
};
enum { SURFACE_CASES = sizeof surface_cases / sizeof *surface_cases, SURFACE_AS_TEXTURE = 100 /* added to a case's number: a texture object of it */ };
static inline unsigned surface_texel(const surface_case *c) { return (unsigned)(c->components * c->bits) / 8; }
static inline unsigned surface_size(const surface_case *c) {
    return (unsigned)c->width * (unsigned)(c->height ? c->height : 1) * (unsigned)(c->depth ? c->depth : 1) * surface_texel(c);
}
static inline void surface_fill(uint8_t *bytes, unsigned n) {
    for (unsigned k = 0; k < n; k++) bytes[k] = (uint8_t)(k * 37 + (k >> 8) * 11 + 5);
}

/* How a word is fed: 0 a value a thread, 1 the same for all (so that it does not matter who is last), 2 floats, 3 the same ones.
 * + 10: x in elements; + 20: some x between elements. */
enum { SURFACE_SAME = 1, SURFACE_FLOATS = 2, SURFACE_X_ELEMENTS = 10, SURFACE_X_BETWEEN = 20 };
/* width: bytes that the word accesses, of which x is a multiple. No two threads are at one place inside. */
static inline void surface_inputs(const surface_case *c, int texture, int data, int width, uint32_t handle, uint32_t *in, uint32_t *uni) {
    static const int far[] = {INT32_MIN, INT32_MAX - 15, 0x10000, -0x10000, 0x7ff0, 0xfff0, 0x40000000, -16};
    uint64_t s = 99;
    int h = c->height, d = c->depth;
    memset(in, 0, PROBE_IN * PROBE_THREADS * 4);
    memset(uni, 0, PROBE_UNI * PROBE_WARPS * 4);
    for (int t = 0; t < SURFACE_THREADS; t++) {
        int x, y = 0, z = 0;
        if (!h && !d) x = t - 100;
        else if (!h || !d) x = t % 20 - 2, y = t / 20 - 1;
        else x = t % 10 - 1, y = t / 10 % 6 - 1, z = t / 60 - 1;
        if (data / 10 != 1) x *= width;
        if (data / 20) x += t % width;
        if (t >= 240 && t < 248) x = far[t - 240], y = h || d, z = d && h;
        if (t >= 248) x = -width, y = h || d ? far[t - 248] : 0, z = 1;
        if (t >= 248 && d && !h) x = 16 * width; /* beside, so that only the layer's number is looked at by clamping */
        if (texture) x = t % 7 - 1;
        in[t] = (uint32_t)x;
        in[PROBE_THREADS + t] = (uint32_t)y;
        in[2 * PROBE_THREADS + t] = (uint32_t)z;
        for (unsigned k = 0; k < 8; k++) {
            uint32_t v = probe_random(&s);
            float f = data % 10 == 2 ? (float)((int)(v >> 20) - 2048) / 8 : 300.75f - 200.5f * (float)k;
            if (data % 10 == 1) v = 0x81234567u + 0x11111111u * k;
            if (data % 10 >= 2) memcpy(&v, &f, 4);
            in[(16 + k) * PROBE_THREADS + (unsigned)t] = v;
            in[(32 + k) * PROBE_THREADS + (unsigned)t] = 0xdead0000u + k;
        }
        in[24 * PROBE_THREADS + t] = handle;
    }
    for (int w = 0; w < PROBE_WARPS; w++) uni[w] = handle;
}

/* Registers and predicates of all threads, then the surface. */
static inline uint32_t surface_hash(const uint32_t *out, const uint8_t *after, unsigned size) {
    uint64_t h = FNV_START;
    for (unsigned k = 0; k < SURFACE_COLUMNS; k++)
        for (unsigned t = 0; t < SURFACE_THREADS; t++) h = fnv(h, out[k * PROBE_THREADS + t]);
    for (unsigned k = 0; k < size; k++) h = fnv(h, after[k]);
    return (uint32_t)h;
}

#endif
