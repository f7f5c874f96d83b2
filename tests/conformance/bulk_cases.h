/* Of the cases of bulk.cu what gpu_bulk.cu and test_bulk.c must have alike. */
#ifndef WG_TESTS_CONFORMANCE_BULK_CASES_H
#define WG_TESTS_CONFORMANCE_BULK_CASES_H

#include <stdbool.h>
#include <string.h>

#include "noise.h"

static const uint32_t bulk_sizes[] = {16, 32, 48, 128, 1008, 2048};
enum { BULK_SIZES = sizeof bulk_sizes / sizeof *bulk_sizes };

static const char *const bulk_operations[] = {"add.u32", "add.s32", "add.u64", "add.noftz.f16", "add.noftz.bf16", "add.f32", "add.f64", "inc.u32", "dec.u32",
                                              "min.u32", "max.u32", "min.s32", "max.s32", "min.u64", "max.u64", "min.s64", "max.s64", "min.f16", "max.f16",
                                              "min.bf16", "max.bf16", "and.b32", "or.b32", "xor.b32", "and.b64", "or.b64", "xor.b64"};
enum { BULK_OPERATIONS = sizeof bulk_operations / sizeof *bulk_operations };

/* Floats whose exponents lie near each other, some of them denormal: sums of them round. */
static const int bulk_float_operations[] = {3, 4, 5, 6, 17, 18, 19, 20};
enum { BULK_FLOAT_OPERATIONS = sizeof bulk_float_operations / sizeof *bulk_float_operations };
static inline void bulk_near_floats(uint8_t *to, size_t n, int operation) {
    unsigned k = 0, wide = operation == 5 ? 4 : operation == 6 ? 8 : 2;
    bool bfloat = operation == 4 || operation >= 19;
    while (bulk_float_operations[k] != operation) k++;
    for (unsigned i = 0; i < n / wide; i++) {
        uint64_t bits = (uint64_t)noise(i * 3 + k) << 32 | noise(i * 7 + 99 + k), v;
        unsigned e = noise(i % 1024 + 5) % 12; /* exponents of both addends lie together */
        if (wide == 8) v = (bits & UINT64_C(0x800fffffffffffff)) | (uint64_t)(e < 3 ? e : 1000 + e + bits % 3) << 52;
        else if (wide == 4) v = (bits & 0x807fffff) | (uint64_t)(e < 3 ? e : 120 + e + bits % 3) << 23;
        else if (bfloat) v = (bits & 0x807f) | (uint64_t)(e < 3 ? e : 120 + e + bits % 3) << 7;
        else v = (bits & 0x83ff) | (uint64_t)(e < 3 ? e : 10 + e + bits % 3) << 10;
        memcpy(to + i * wide, &v, wide);
    }
}

static const uint32_t bulk_elect_masks[16] = {0xffffffff, 0xfffffffe, 0x80000000, 0xff00,     0xaaaaaaaa, 0x10,       0xf0f0f0f0, 1,
                                              3,          0xc0000000, 0x7fffffff, 0x12345678, 0x80000001, 0x00010000, 0x0ff00000, 0x5555};

#endif
