/* The cases of warp-group MMA, by name: KERNEL.TAG.vV.sS, with V the variant of wgmma.cu and S 1 where the sum begins with C. TAG: numS.T, operands in
 * style S, T-th of them; whereAL.P, whereBL.P: which place of shared memory each element of A or of B comes from, by layout L of the table, 4 KiB of
 * places at a time. For C and C++. */
#ifndef WG_WGMMA_CASES_H
#define WG_WGMMA_CASES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"

enum { WGMMA_IMAGE = 32768, WGMMA_ACCUMULATORS = 128 * 128 };
typedef struct wgmma_case {
    char kernel[80];
    int regs; /* accumulators of a thread */
    uint64_t da, db;
    uint32_t aoff, boff;
    int scale, variant;
    uint8_t image[WGMMA_IMAGE];
    uint32_t a[512], c[WGMMA_ACCUMULATORS];
} wgmma_case;

/* Styles: 0 any bits, 1 exponents near each other, 2 a wide spread of them, 3 small integers, 4 edges */
static uint32_t wgmma_element(const char *type, int style, uint32_t r) {
    static const uint16_t half_small[] = {0, 0x3c00, 0x4000, 0xbc00, 0xc000, 0x4200, 0x3800}, half_edge[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x7c00, 0xfc00, 0x7e00, 0x7bff, 0xfbff, 0x3c00};
    static const uint16_t bf_small[] = {0, 0x3f80, 0x4000, 0xbf80, 0xc000}, bf_edge[] = {0, 0x8000, 1, 0x8001, 0x7f, 0x7f80, 0xff80, 0x7fc0, 0x7f7f, 0x80, 0x3f80};
    static const uint32_t tf_small[] = {0, 0x3f800000, 0x40000000, 0xbf800000}, tf_edge[] = {0, 0x80000000, 1, 0x7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0x800000};
    static const uint8_t e4_small[] = {0, 0x38, 0x40, 0xb8}, e5_small[] = {0, 0x3c, 0x40, 0xbc};
    const uint32_t q = noise(r), e = noise(r + 77);
    if (!strcmp(type, "f16")) {
        if (style == 0) return q & 0xffff;
        if (style == 1) return (q & 0x83ff) | (12 + e % 6) << 10;
        if (style == 2) return (q & 0x83ff) | (e % 31) << 10;
        if (style == 3) return half_small[q % 7];
        return e % 5 ? (q & 0x83ff) | (e % 31) << 10 : half_edge[q % 11];
    }
    if (!strcmp(type, "bf16")) {
        if (style == 0) return q & 0xffff;
        if (style == 1) return (q & 0x807f) | (124 + e % 6) << 7;
        if (style == 2) return (q & 0x807f) | (100 + e % 50) << 7;
        if (style == 3) return bf_small[q % 5];
        return e % 5 ? (q & 0x807f) | (e % 255) << 7 : bf_edge[q % 11];
    }
    if (!strcmp(type, "tf32")) {
        if (style == 0) return q;
        if (style == 1) return (q & 0x807fffff) | (124 + e % 6) << 23;
        if (style == 2) return (q & 0x807fffff) | (100 + e % 50) << 23;
        if (style == 3) return tf_small[q % 4];
        return e % 5 ? (q & 0x807fffff) | (e % 255) << 23 : tf_edge[q % 9];
    }
    if (!strcmp(type, "e4m3")) {
        if (style == 1) return (q & 0x87) | (6 + e % 4) << 3;
        if (style == 2) return (q & 0x87) | (e % 15) << 3;
        return style == 3 ? e4_small[q % 4] : q & 0xff;
    }
    if (!strcmp(type, "e5m2")) {
        if (style == 1) return (q & 0x83) | (14 + e % 4) << 2;
        if (style == 2) return (q & 0x83) | (e % 31) << 2;
        return style == 3 ? e5_small[q % 4] : q & 0xff;
    }
    return q & 0xff;
}
static void wgmma_fill(void *to, size_t n, const char *type, int style, uint32_t seed) {
    size_t width = !strcmp(type, "tf32") ? 4 : strstr(type, "16") ? 2 : 1;
    for (size_t i = 0; i < n / width; i++) {
        uint32_t v = wgmma_element(type, style, (uint32_t)i * 2654435761u + seed);
        memcpy((uint8_t *)to + i * width, &v, width);
    }
}
static uint32_t wgmma_accumulator(const char *type, int style, uint32_t q, uint32_t x) {
    if (!strcmp(type, "s32")) return style == 4 ? (x % 3 ? 0x7fffff00u + q % 256 : 0x80000000u + q % 512) : style == 0 ? q : q % 4096;
    if (style == 0) return q;
    if (!strcmp(type, "f16")) return (q & 0x83ff83ff) | (style == 1 ? 14 + x % 4 : x % 30) << 10 | (style == 1 ? 14 + x / 64 % 4 : x / 64 % 30) << 26;
    return (q & 0x807fffff) | (style == 1 ? 122 + x % 10 : 90 + x % 60) << 23;
}

/* Distances along k and across it, swizzle (0 none, 1 of 128, 2 of 64, 3 of 32 bytes), where the matrix begins, base offset */
typedef struct wgmma_layout { int mode; uint32_t lbo, sbo, off; int base; } wgmma_layout;
static const wgmma_layout wgmma_layouts[] = {
    {0, 128, 256, 0, 0}, {0, 256, 128, 0, 0}, {0, 1024, 512, 0, 0}, {0, 512, 1040, 48, 0}, {3, 16, 256, 0, 0}, {3, 512, 256, 32, 0}, {3, 1024, 512, 0, 0},
    {2, 16, 512, 0, 0}, {2, 16, 512, 32, 0}, {2, 1024, 512, 0, 0}, {2, 2048, 512, 0, 0}, {1, 16, 1024, 0, 0}, {1, 16, 1024, 32, 0}, {1, 16, 1024, 96, 0},
    {1, 2048, 1024, 0, 0}, {1, 1024, 2048, 0, 0}, {1, 16, 1024, 128, 1}, {1, 16, 1024, 128, 0}, {1, 16, 1024, 512, 4}, {1, 16, 2048, 1024, 0}};
static uint64_t wgmma_describe(const wgmma_layout *l) {
    return (uint64_t)(l->lbo >> 4) << 16 | (uint64_t)(l->sbo >> 4) << 32 | (uint64_t)l->base << 49 | (uint64_t)l->mode << 62;
}

static void wgmma_numbers(wgmma_case *t, const char *d, const char *a, const char *b, int style, int trial) {
    const uint32_t seed = (uint32_t)(style * 1000 + trial * 17 + 5);
    wgmma_fill(t->image, WGMMA_IMAGE / 2, a, style, seed);
    wgmma_fill(t->image + WGMMA_IMAGE / 2, WGMMA_IMAGE / 2, b, style, seed + 991);
    wgmma_fill(t->a, sizeof t->a, a, style, seed + 31);
    for (uint32_t i = 0; i < WGMMA_ACCUMULATORS; i++) t->c[i] = wgmma_accumulator(d, style, noise(i * 3 + seed), noise(i + seed * 7));
    t->da = t->db = wgmma_describe(&wgmma_layouts[0]);
    t->aoff = 0;
    t->boff = WGMMA_IMAGE / 2;
}

/* One operand is the identity, 16 by 16 again and again; the other says its places: halves that count from 0. */
static void wgmma_places(wgmma_case *t, bool of_b, unsigned layout, unsigned part) {
    const wgmma_layout *l = &wgmma_layouts[layout];
    memset(t->image, 0, sizeof t->image);
    memset(t->a, 0, sizeof t->a);
    memset(t->c, 0, sizeof t->c);
    for (uint32_t i = 1; i < 2048; i++) {
        uint32_t log = 31 - (uint32_t)__builtin_clz(i);
        uint16_t half = (uint16_t)((15 + log) << 10 | (i << 10 >> log & 0x3ff));
        memcpy(t->image + (part * 2048 + i) * 2, &half, 2);
    }
    for (uint32_t row = 0; row < 256; row++) {
        const uint16_t one = 0x3c00;
        uint32_t col = row % 16;
        memcpy(t->image + WGMMA_IMAGE / 2 + 2 * (row / 8 * 128 + col / 8 * 64 + row % 8 * 8 + col % 8), &one, 2);
    }
    for (uint32_t th = 0; th < 128; th++)
        for (uint32_t r = 0; r < 4; r++)
            for (uint32_t h = 0; h < 2; h++)
                if ((th % 32 / 4 + (r & 1) * 8) % 16 == th % 4 * 2 + (r >> 1) * 8 + h) t->a[th * 4 + r] |= 0x3c00u << 16 * h;
    t->da = of_b ? wgmma_describe(&wgmma_layouts[0]) : wgmma_describe(l);
    t->db = of_b ? wgmma_describe(l) : wgmma_describe(&wgmma_layouts[0]);
    t->aoff = of_b ? WGMMA_IMAGE / 2 : l->off;
    t->boff = of_b ? l->off : WGMMA_IMAGE / 2;
}

/* False: no such case. */
static bool wgmma_prepare(const char *name, wgmma_case *t) {
    char d[8], a[8], b[8], kind[8], tag[16];
    unsigned n, x, y;
    const char *dot = strchr(name, '.');
    if (!dot || dot - name >= (long)sizeof t->kernel) return false;
    memcpy(t->kernel, name, (size_t)(dot - name));
    t->kernel[dot - name] = 0;
    if (sscanf(name, "w_%7[^_]_%7[^_]_%7[^_]_%7[^_]_%u", d, a, b, kind, &n) != 5) return false;
    if (sscanf(dot, ".%15[a-zA-Z]%u.%u.v%d.s%d", tag, &x, &y, &t->variant, &t->scale) != 5) return false;
    t->regs = (int)(!strcmp(d, "f16") ? n / 4 : n / 2);
    if (!strcmp(tag, "num")) wgmma_numbers(t, d, a, b, (int)x, (int)y);
    else if (x < sizeof wgmma_layouts / sizeof *wgmma_layouts) wgmma_places(t, !strcmp(tag, "whereB"), x, y);
    else return false;
    return true;
}

#endif
