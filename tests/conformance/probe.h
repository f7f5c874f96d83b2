/* One instruction, executed by 2048 threads with chosen operands, on a GPU or here: the same machine code in both.
 *
 * The code around the instruction loads its registers, predicates and uniform registers, gives it memory of its own to
 * point at, and stores everything that it may have changed. It is written word by word over the kernel of a cubin that
 * nvcc compiled (probe.cu), so that any word can be tried, also one that no compiler emits. sm_90.
 *
 *   R16..31 A, R32..39 B, R40..47 C, R48..55 destination (a known value before), R56 metadata of sparse matrices
 *   R58:59 address of 16 bytes of global memory, R60 of shared memory, both holding the first four words of C
 *   P0..P6 and UP0..UP6 from the inputs; UR8..13 uniform sources, UR16..17 uniform destination */
#ifndef WG_TESTS_CONFORMANCE_PROBE_H
#define WG_TESTS_CONFORMANCE_PROBE_H

#include <stdint.h>
#include <string.h>

#include "noise.h"

enum {
    PROBE_BLOCK = 256, PROBE_THREADS = 2048, PROBE_WARPS = PROBE_THREADS / 32,
    PROBE_IN = 42,      /* words a thread: 16 A, 8 B, 8 C, 8 D, predicates, 1 spare */
    PROBE_UNI = 9,      /* words a warp: two each of A, B, C, predicates, two of the destination */
    PROBE_OUT = 20,     /* words a thread: 8 D, predicates, 2 uniform, uniform predicates, 4 global, 4 shared */
    PROBE_WORDS = 192,  /* instructions of the code */
    PROBE_PARAMS = 0x210, PROBE_CONSTANTS = 16 /* words at c[0x0][0x238] */
};
enum { /* registers of the probed instruction */
    PROBE_A = 16, PROBE_B = 32, PROBE_C = 40, PROBE_D = 48, PROBE_META = 56, PROBE_GLOBAL = 58, PROBE_SHARED = 60,
    PROBE_UA = 8, PROBE_UB = 10, PROBE_UC = 12, PROBE_UD = 16
};
typedef enum probe_kind { /* of inputs */
    PROBE_INT, PROBE_SMALL, PROBE_F32, PROBE_F64, PROBE_F16, PROBE_BF16, PROBE_NEAR16, PROBE_NEARBF, PROBE_NEARTF, PROBE_NEAR64, PROBE_NARROW,
    PROBE_KINDS
} probe_kind;

typedef struct probe_params {
    uint64_t in, uni, out, scratch;
    uint64_t spare;
    uint32_t constants[PROBE_CONSTANTS];
} probe_params;

/* --- words ----------------------------------------------------------------------------------------------- */

typedef struct probe_word {
    uint64_t lo, hi;
} probe_word;
static inline void probe_set(probe_word *w, unsigned at, unsigned n, uint64_t v) {
    uint64_t mask = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    v &= mask;
    if (at < 64) w->lo = (w->lo & ~(mask << at)) | v << at;
    if (at >= 64) w->hi = (w->hi & ~(mask << (at - 64))) | v << (at - 64);
    else if (at + n > 64) w->hi = (w->hi & ~(mask >> (64 - at))) | v >> (64 - at);
}
/* Waits for what `wait` names, then 15 cycles; barrier 7: none is set. */
static inline void probe_control(probe_word *w, unsigned barrier, unsigned wait) {
    probe_set(w, 105, 4, 15);
    probe_set(w, 109, 1, 0);
    probe_set(w, 110, 3, barrier);
    probe_set(w, 113, 3, 7);
    probe_set(w, 116, 6, wait);
    probe_set(w, 122, 4, 0);
}

typedef struct probe_code {
    probe_word at[PROBE_WORDS];
    unsigned n;
    unsigned slot;
} probe_code;
static inline probe_word *probe_emit(probe_code *c, uint64_t hi, uint64_t lo, unsigned barrier, unsigned wait) {
    probe_word *w = &c->at[c->n++];
    *w = (probe_word){lo, hi};
    probe_control(w, barrier, wait);
    return w;
}
enum { PROBE_EVERY = 0x3f, PROBE_NONE = 7 };

static inline void probe_special(probe_code *c, unsigned r, unsigned sr) {
    probe_word *w = probe_emit(c, 0x2100, 0x7919, 0, 0);
    probe_set(w, 16, 8, r);
    probe_set(w, 72, 8, sr);
}
static inline void probe_constant64(probe_code *c, unsigned r, unsigned offset) {
    probe_word *w = probe_emit(c, 0xa00, 0xff007b82, 1, 0);
    probe_set(w, 16, 8, r);
    probe_set(w, 38, 16, offset);
}
/* d = a * factor + add; wide: d and add are pairs. */
static inline void probe_multiply(probe_code *c, unsigned d, unsigned a, unsigned factor, unsigned add, int wide) {
    probe_word *w = probe_emit(c, wide ? 0x078e0000 : 0x078e0200, wide ? 0x7825 : 0x7824, PROBE_NONE, PROBE_EVERY);
    probe_set(w, 16, 8, d);
    probe_set(w, 24, 8, a);
    probe_set(w, 32, 32, factor);
    probe_set(w, 64, 8, add);
}
static inline probe_word *probe_load(probe_code *c, unsigned d, unsigned base, unsigned offset, int quad) {
    probe_word *w = probe_emit(c, quad ? 0xc1e1d00 : 0xc1e1900, 0x0000000404047981, 2, 0);
    probe_set(w, 16, 8, d);
    probe_set(w, 24, 8, base);
    probe_set(w, 40, 24, offset);
    return w;
}
static inline void probe_store(probe_code *c, unsigned base, unsigned offset, unsigned value, int quad) {
    probe_word *w = probe_emit(c, quad ? 0xc101d04 : 0xc101904, 0x7986, PROBE_NONE, PROBE_EVERY);
    probe_set(w, 24, 8, base);
    probe_set(w, 32, 8, value);
    probe_set(w, 40, 24, offset);
}
static inline void probe_nop(probe_code *c) { probe_emit(c, 0, 0x7918, PROBE_NONE, PROBE_EVERY); }

/* The whole code around one word. barrier: whether the word's result comes at a time of its own. */
static inline void probe_assemble(probe_code *c, probe_word word, int barrier) {
    probe_word *w;
    memset(c, 0, sizeof *c);
    probe_special(c, 0, 0x21);
    probe_special(c, 1, 0x25);
    probe_emit(c, 0xa00, 0x0000820000047ab9, PROBE_NONE, 0); /* ULDC.64 UR4, c[0x0][0x208] */
    for (unsigned k = 0; k < 4; k++) {
        static const uint8_t to[] = {2, 4, 6, 78};
        probe_constant64(c, to[k], PROBE_PARAMS + 8 * k);
    }
    probe_multiply(c, PROBE_SHARED, 0, 16, 255, 0);           /* shared: 16 bytes a thread */
    probe_emit(c, 0, 0x000004003c3c7836, PROBE_NONE, 0);      /* VIADD R60, R60, 0x400 */
    probe_multiply(c, 0, 1, PROBE_BLOCK, 0, 0);
    w = probe_emit(c, 0x00011600, 0x00000005ff017819, PROBE_NONE, 0); /* SHF.R.U32.HI R1, RZ, 0x5, R0 */
    probe_set(w, 64, 8, 0);
    probe_multiply(c, 2, 0, 4, 2, 1);
    probe_multiply(c, 4, 1, 4, 4, 1);
    probe_multiply(c, 6, 0, 4, 6, 1);
    probe_multiply(c, PROBE_GLOBAL, 0, 16, 78, 1);
    for (unsigned k = 0; k < 41; k++) probe_load(c, PROBE_A + k, 2, k * PROBE_THREADS * 4, 0);
    for (unsigned k = 0; k < PROBE_UNI; k++) probe_load(c, 62 + k, 4, k * PROBE_WARPS * 4, 0);
    probe_store(c, PROBE_GLOBAL, 0, PROBE_C, 1);
    w = probe_emit(c, 0xc00, 0x7388, PROBE_NONE, PROBE_EVERY); /* STS.128 [R60], R40 */
    probe_set(w, 24, 8, PROBE_SHARED);
    probe_set(w, 32, 8, PROBE_C);
    for (unsigned k = 0; k < PROBE_UNI; k++) { /* R2UR */
        static const uint8_t to[PROBE_UNI] = {8, 9, 10, 11, 12, 13, 14, 16, 17};
        w = probe_emit(c, 0xe0000, 0x72ca, 3, PROBE_EVERY);
        probe_set(w, 16, 8, to[k]);
        probe_set(w, 24, 8, 62 + k);
    }
    probe_nop(c);
    for (unsigned k = 0; k < 7; k++) { /* LOP3.LUT Pk, RZ, R56, 1 << k, RZ, 0xc0, !PT */
        w = probe_emit(c, 0x0780c0ff, (UINT64_C(1) << k) << 32 | 0x38ff7812, PROBE_NONE, 0);
        probe_set(w, 81, 3, k);
        probe_emit(c, 0x0f8ec03f, (UINT64_C(1) << k) << 32 | 0x0e127892, PROBE_NONE, 0); /* ULOP3.LUT UR18, UR14, 1 << k, URZ, 0xc0, !UPT */
        w = probe_emit(c, 0x0bf05070, 0x0000003f1200728c, PROBE_NONE, 0);                    /* UISETP.NE.U32.AND UPk, UPT, UR18, URZ, UPT */
        probe_set(w, 81, 3, k);
    }
    probe_nop(c);
    c->slot = c->n;
    probe_emit(c, word.hi, word.lo, barrier ? 0 : PROBE_NONE, PROBE_EVERY);
    for (unsigned k = 0; k < 6; k++) probe_emit(c, 0, 0x7918, PROBE_NONE, 0);
    probe_nop(c);
    probe_emit(c, 0, 0x0000007fff497803, PROBE_NONE, 0);   /* P2R R73, PR, RZ, 0x7f */
    probe_emit(c, 0x08000f00, 0x00000010004a7c02, PROBE_NONE, 0);              /* MOV R74, UR16 */
    probe_emit(c, 0x08000f00, 0x00000011004b7c02, PROBE_NONE, 0);              /* MOV R75, UR17 */
    probe_emit(c, 0x08000000, 0x0000003f00147c82, PROBE_NONE, 0);              /* UMOV UR20, URZ */
    for (unsigned k = 0; k < 7; k++) { /* @UPk UIADD3 UR20, UR20, 1 << k, URZ */
        w = probe_emit(c, 0x0fffe03f, (UINT64_C(1) << k) << 32 | 0x14140890, PROBE_NONE, 0);
        probe_set(w, 12, 3, k);
    }
    probe_emit(c, 0x08000f00, 0x00000014004c7c02, PROBE_NONE, 0);              /* MOV R76, UR20 */
    probe_load(c, 80, PROBE_GLOBAL, 0, 1)->hi |= 0xe000;                       /* R80..83, strong: behind the first cache */
    w = probe_emit(c, 0xc00, 0x7984, 2, 0);                                    /* LDS.128 R84, [R60] */
    probe_set(w, 16, 8, 84);
    probe_set(w, 24, 8, PROBE_SHARED);
    probe_nop(c);
    for (unsigned k = 0; k < PROBE_OUT; k++) {
        unsigned from = k < 8 ? PROBE_D + k : k < 12 ? 73 + (k - 8) : 80 + (k - 12);
        probe_store(c, 6, k * PROBE_THREADS * 4, from, 0);
    }
    probe_emit(c, 0x03800000, 0x794d, PROBE_NONE, PROBE_EVERY);                /* EXIT */
    probe_emit(c, 0x0383ffff, 0xfffffffc00fc7947, PROBE_NONE, 0);              /* BRA to itself */
    while (c->n < PROBE_WORDS) probe_emit(c, 0, 0x7918, PROBE_NONE, 0);
}

/* --- operands -------------------------------------------------------------------------------------------- */

static inline uint32_t probe_random(uint64_t *state) { /* xorshift64* */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)(*state * UINT64_C(2685821657736338717) >> 32);
}
static inline uint32_t probe_word_of(probe_kind kind, uint64_t *s, unsigned k) {
    static const uint32_t ints[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff,
                                    0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0xffff0000, 0xffff8000,
                                    0xffffff80, 0xffffff7f, 0x7fff8000, 0x80007fff, 0x55555555, 0xaaaaaaaa, 0x01010101, 0x7f80ff01};
    static const uint32_t floats[] = {0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000,
        0xbf800000, 0x3f800001, 0x3f7fffff, 0x40000000, 0xc0000000, 0x40490fdb, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
        0x7fffffff, 0xffc12345, 0x7f800001, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0x4b000000, 0x4b000001, 0x4affffff,
        0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000, 0x5f000000, 0xdf000000, 0x477fe000, 0x477ff000, 0x38800000, 0x387fc000,
        0x33800000, 0x33000000, 0x3f801000, 0x3f803000, 0x3f808000, 0x3f818000, 0x43000000, 0x43800000, 0x437f0000, 0xc3008000};
    static const uint32_t doubles[] = {0, 0x80000000, 0x3ff00000, 0xbff00000, 0x7ff00000, 0xfff00000, 0x7ff80000, 0x7fefffff,
        0x00100000, 0x000fffff, 0x80100000, 0x3fe00000, 0x40000000, 0x41dfffff, 0x41e00000, 0xc1e00000, 0x41efffff, 0x41f00000,
        0x43e00000, 0xc3e00000, 0x47efffff, 0x36a00000, 0x36900000, 0x380fffff, 0x3ff80000, 0x40040000, 0xfff12345, 0x7ff00001};
    static const uint16_t halves[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x8400, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x4000, 0x7bff,
        0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0x7c01, 0xfe12, 0x3800, 0x3e00, 0x6400, 0x6401, 0x7800, 0x0c00};
    static const uint16_t bfloats[] = {0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x8080, 0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x4000, 0x7f7f,
        0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7fff, 0x7f81, 0xffc1, 0x3f00, 0x3fc0, 0x4380, 0x4381, 0x7f00, 0x0180};
    uint32_t r = probe_random(s), pick = probe_random(s) >> 8, odd = k & 1;
#define PROBE_PICK(list) list[pick % (sizeof list / sizeof *list)]
    switch (kind) {
    case PROBE_INT: return r & 1 ? PROBE_PICK(ints) : probe_random(s);
    case PROBE_SMALL: return r & 1 ? pick & 63 : r & 2 ? PROBE_PICK(ints) : probe_random(s);
    case PROBE_F32:
        if (r & 1) return PROBE_PICK(floats);
        return r & 2 ? probe_random(s) : 0x3c000000u + (probe_random(s) & 0x80000000u) + pick % 0x08000000u;
    case PROBE_F64: /* pairs: low word first */
        if (!odd) return r & 1 ? 0 : r & 2 ? 0xffffffffu * (pick & 1) : probe_random(s);
        if (r & 1) return PROBE_PICK(doubles);
        return r & 2 ? probe_random(s) : 0x3f800000u + (probe_random(s) & 0x80000000u) + pick % 0x00800000u;
    case PROBE_F16: {
        uint32_t low = r & 1 ? PROBE_PICK(halves) : probe_random(s) & 0xffff, again = probe_random(s);
        pick = probe_random(s) >> 8;
        return low | (again & 1 ? PROBE_PICK(halves) : again >> 16) << 16;
    }
    case PROBE_BF16: {
        uint32_t low = r & 1 ? PROBE_PICK(bfloats) : probe_random(s) & 0xffff, again = probe_random(s);
        pick = probe_random(s) >> 8;
        return low | (again & 1 ? PROBE_PICK(bfloats) : again >> 16) << 16;
    }
    case PROBE_NEAR16: { /* halves between 2^-6 and 2^6 */
        uint32_t h = 0;
        for (int n = 0; n < 2; n++) h = h << 16 | (probe_random(s) & 0x83ff) | (9 + probe_random(s) % 13) << 10;
        return r % 37 ? h : h & 0xffff;
    }
    case PROBE_NEARBF: {
        uint32_t h = 0;
        for (int n = 0; n < 2; n++) h = h << 16 | (probe_random(s) & 0x807f) | (121 + probe_random(s) % 13) << 7;
        return r % 37 ? h : h & 0xffff;
    }
    case PROBE_NEARTF: return r % 37 ? (probe_random(s) & 0x807fffffu) | (121 + probe_random(s) % 13) << 23 : 0;
    case PROBE_NEAR64:
        if (!odd) return probe_random(s);
        return (probe_random(s) & 0x800fffffu) | (1017 + probe_random(s) % 13) << 20;
    default: return r & 3 ? pick & 7 : 0x70000000 + pick % 3; /* NARROW: lanes often agree */
    }
}
/* A and B of the kind; C and the destination as the kind says for the result: matrices add floats to halves. */
static inline void probe_inputs(probe_kind kind, uint32_t *in, uint32_t *uni, uint32_t constants[PROBE_CONSTANTS]) {
    uint64_t s = UINT64_C(0x9e3779b97f4a7c15) + kind;
    for (unsigned k = 0; k < PROBE_IN; k++)
        for (unsigned t = 0; t < PROBE_THREADS; t++) {
            probe_kind of = kind;
            if (kind == PROBE_NEAR16 && k >= 24) of = t & 64 ? PROBE_NEARTF : PROBE_NEAR16; /* warps of both */
            if (kind == PROBE_NEARBF && k >= 24) of = PROBE_NEARTF;
            if (kind == PROBE_SMALL && k < 16) of = PROBE_INT;
            if (k >= 40) of = PROBE_INT;
            in[k * PROBE_THREADS + t] = probe_word_of(of, &s, k);
        }
    for (unsigned k = 0; k < PROBE_UNI; k++)
        for (unsigned t = 0; t < PROBE_WARPS; t++)
            uni[k * PROBE_WARPS + t] = k == 6 ? probe_random(&s) : probe_word_of(kind, &s, k);
    for (unsigned k = 0; k < PROBE_CONSTANTS; k++) constants[k] = probe_word_of(kind, &s, k);
}

/* --- results --------------------------------------------------------------------------------------------- */

static inline uint64_t probe_hash(const uint32_t *out, unsigned from, unsigned to) { /* threads [from, to) */
    uint64_t h = FNV_START;
    for (unsigned k = 0; k < PROBE_OUT; k++)
        for (unsigned t = from; t < to; t++) h = fnv(h, out[k * PROBE_THREADS + t]);
    return h;
}

#endif
