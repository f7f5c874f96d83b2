/* The cases of generate.py: how their list reads, their operands, their hashes; plain C, for the GPU's host and for the test. */
#ifndef WG_TESTS_CONFORMANCE_PTX_CASES_H
#define WG_TESTS_CONFORMANCE_PTX_CASES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../probe.h"

enum {
    PTX_THREADS = 1024, PTX_BLOCK = 256, PTX_OPERANDS = 16, /* words a thread */
    PTX_PARTS = 4,                                          /* hashes of a case: threads 0..255, and so on */
    PTX_SCRATCH = 65536 + PTX_THREADS / 32 * 1024,          /* a cell for each thread, then one for each warp */
    PTX_DYNAMIC = 256,                                      /* bytes of dynamic shared memory */
    PTX_LAUNCHES = PTX_THREADS / 32                         /* of a kernel whose operands are parameters: a warp each */
};

typedef struct ptx_params { /* what every kernel takes */
    uint64_t in, out, scratch;
    uint32_t base, pad;
    uint32_t operands[PTX_OPERANDS];
} ptx_params;

/* --- the list: `kernel NAME KIND UNIFORM SM COLUMNS`, then `COLUMN WORDS SM NAME` for each case ------------- */

typedef struct ptx_kernel {
    char name[64];
    probe_kind kind;
    bool uniform;
    int sm;
    unsigned columns;
} ptx_kernel;
typedef struct ptx_case {
    unsigned column, words;
    int sm;
    char name[160];
} ptx_case;

static inline bool ptx_read_kernel(const char *line, ptx_kernel *k) {
    static const char *const kinds[] = {"int", "small", "f32", "f64", "f16", "bf16", "near16", "nearbf", "neartf", "near64", "narrow"};
    char kind[16];
    int uniform;
    if (sscanf(line, "kernel %63s %15s %d %d %u", k->name, kind, &uniform, &k->sm, &k->columns) != 5) return false;
    k->uniform = uniform;
    for (k->kind = 0; k->kind < PROBE_KINDS; k->kind++)
        if (!strcmp(kind, kinds[k->kind])) return true;
    return false;
}
static inline bool ptx_read_case(const char *line, ptx_case *c) {
    return sscanf(line, "%u %u %d %159[^\n]", &c->column, &c->words, &c->sm, c->name) == 4;
}

/* --- operands ---------------------------------------------------------------------------------------------- */

/* in[word][thread]; pairs of words make whole numbers of 64 bits, of which many are small or are narrow ones with their sign. */
static inline void ptx_operands(probe_kind kind, uint32_t in[PTX_OPERANDS][PTX_THREADS]) {
    uint64_t s = UINT64_C(0xd1342543de82ef95) + kind;
    for (unsigned w = 0; w < PTX_OPERANDS; w++)
        for (unsigned t = 0; t < PTX_THREADS; t++) {
            probe_kind of = kind;
            if (kind == PROBE_SMALL && w < 2) of = PROBE_INT;
            if (kind == PROBE_NEAR16 && w >= 3 && t & 64) of = PROBE_NEARTF; /* sums of floats, and of halves */
            if (kind == PROBE_NEARBF && w >= 3 && t & 64) of = PROBE_NEARTF;
            uint32_t v = probe_word_of(of, &s, w), how = probe_random(&s) >> 29;
            if (w & 1 && (of == PROBE_INT || of == PROBE_SMALL) && how < 4) v = how & 1 ? 0 : -(in[w - 1][t] >> 31);
            in[w][t] = v;
        }
}
/* The parameters of launch n: those of a uniform kernel are a thread's operands. */
static inline void ptx_parameters(const ptx_kernel *k, uint32_t in[PTX_OPERANDS][PTX_THREADS], unsigned n, ptx_params *p) {
    for (unsigned w = 0; w < PTX_OPERANDS; w++) p->operands[w] = in[w][k->uniform ? n * 32 : 77];
    p->base = n * 32;
}

/* --- results: out[column][thread] -------------------------------------------------------------------------- */

static inline uint32_t ptx_hash(const uint32_t *out, const ptx_case *c, unsigned part) {
    uint64_t h = FNV_START;
    for (unsigned w = 0; w < c->words; w++)
        for (unsigned t = 0; t < PTX_THREADS / PTX_PARTS; t++)
            h = fnv(h, out[(c->column + w) * PTX_THREADS + part * (PTX_THREADS / PTX_PARTS) + t]);
    return (uint32_t)(h ^ h >> 32);
}

#endif
