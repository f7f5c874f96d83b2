/* MUFU for every mantissa, as an H200 computed it: hashes of the words that mufu_dump.cu read there (driver 580.159.04,
 * 2026-11-30). test_conformance executes the instruction itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "engine/mufu.h"
#include "engine/small_float.h"
#include "noise.h"

#define SINGLE(name) static uint32_t of_##name(uint32_t x) { return mufu_##name##_of(x, mufu_value(mufu_##name##_at(x))); }
SINGLE(cos) SINGLE(sin) SINGLE(ex2) SINGLE(lg2) SINGLE(rcp) SINGLE(rsq) SINGLE(sqrt) SINGLE(tanh)

typedef uint32_t function(uint32_t);
static uint64_t hash(function *f, uint32_t start, uint32_t count) {
    uint64_t h = FNV_START;
    for (uint32_t k = 0; k < count; k++) h = fnv(h, f(start + k));
    return h;
}

static void every_mantissa_is_the_hardwares(void **state) {
    (void)state;
    enum { BINADE = 1 << 23, HIGH = 1 << 20 };
    static const struct { const char *name; function *f; uint32_t start, count; uint64_t hash; } of[] = {
        {"rcp", of_rcp, 0x3f800000, BINADE, 0xfa72a6c698274964}, {"rsq", of_rsq, 0x3f800000, 2 * BINADE, 0xbdf1cb386ee78bc2},
        {"sqrt", of_sqrt, 0x3f800000, 2 * BINADE, 0x50712c001bd4eb00}, {"ex2", of_ex2, 0x3f800000, BINADE, 0x3f0f3852f2fa7edb},
        {"ex2 of -1 to -2", of_ex2, 0xbf800000, BINADE, 0xbf4f30a37a9d5b98}, {"lg2 below 1", of_lg2, 0x3f000000, BINADE, 0xf8884f097b12e53d},
        {"lg2", of_lg2, 0x3f800000, BINADE, 0x5ca43d6b0d176848}, {"lg2 from 128", of_lg2, 0x43000000, BINADE, 0x5e1b95055e0659c7},
        {"cos", of_cos, 0x3f800000, BINADE, 0xdaa427afbf4a08fd}, {"sin", of_sin, 0x3e800000, BINADE, 0x7cc4a2d0db689ee7},
        {"tanh from 1/16", of_tanh, 0x3d800000, BINADE, 0x6141712b0f75d125}, {"tanh from 1/8", of_tanh, 0x3e000000, BINADE, 0x4ada670dafb6c6e5},
        {"tanh from 1/4", of_tanh, 0x3e800000, BINADE, 0x0bf2ef9f6a7f5765}, {"tanh from 1/2", of_tanh, 0x3f000000, BINADE, 0xecb8e846da554505},
        {"tanh from 1", of_tanh, 0x3f800000, BINADE, 0x84573e3df0ccdcc5}, {"tanh from 2", of_tanh, 0x40000000, BINADE, 0xbfc31f94c1f848c5},
        {"tanh from 4", of_tanh, 0x40800000, BINADE, 0xeec2f6aa30eb92dd}, {"rcp64h", mufu_rcp64h, 0x3ff00000, 2 * HIGH, 0x67fe56465125217d},
        {"rsq64h", mufu_rsq64h, 0x3ff00000, 2 * HIGH, 0x9b87c583fc08583b}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        if (hash(of[k].f, of[k].start, of[k].count) != of[k].hash) fail_msg("%s", of[k].name);
}

static void every_half_is_the_hardwares(void **state) {
    (void)state;
    static const struct { const char *name; function *f; uint64_t hash; } of[] = {
        {"cos", of_cos, 0xd4e07f6a20424e19}, {"sin", of_sin, 0x5c64dfb7743875d9}, {"ex2", of_ex2, 0x80729ac6ad55e21a}, {"lg2", of_lg2, 0xacf74aab00f369cf},
        {"rcp", of_rcp, 0x5a24fdafed69ae8d}, {"rsq", of_rsq, 0x0400810551c27c79}, {"sqrt", of_sqrt, 0xfbedd9f4242aaa89}, {"tanh", of_tanh, 0xad1f254087177b9d}};
    for (size_t n = 0; n < sizeof of / sizeof *of; n++) {
        uint64_t h = FNV_START;
        for (uint32_t k = 0; k < 65536; k++) {
            float f = small_decode((uint16_t)k, false);
            uint32_t x;
            memcpy(&x, &f, 4);
            h = fnv(h, mufu_cut_to_half(of[n].f(x)));
        }
        if (h != of[n].hash) fail_msg("%s", of[n].name);
    }
}

/* Powers of two and the ends of the ranges, where rules of their own hold. */
static void edges(void **state) {
    (void)state;
    static const struct { const char *name; function *f; uint32_t x, result; } of[] = {
        {"1 / 0", of_rcp, 0, 0x7f800000}, {"1 / -0", of_rcp, 0x80000000, 0xff800000}, {"1 / a denormal", of_rcp, 0x007fffff, 0x7f800000},
        {"1 / 2^127", of_rcp, 0x7f000000, 0}, {"1 / -inf", of_rcp, 0xff800000, 0x80000000}, {"rsq 1", of_rsq, 0x3f800000, 0x3f800000},
        {"rsq -1", of_rsq, 0xbf800000, 0x7fffffff}, {"rsq -0", of_rsq, 0x80000000, 0xff800000}, {"sqrt -0", of_sqrt, 0x80000000, 0x80000000},
        {"2^128", of_ex2, 0x43000000, 0x7f800000}, {"2^-1", of_ex2, 0xbf800000, 0x3f000000}, {"2^-tiny", of_ex2, 0x80000001, 0x3f800000},
        {"2^-200", of_ex2, 0xc3480000, 0}, {"lg2 1", of_lg2, 0x3f800000, 0}, {"lg2 1/4", of_lg2, 0x3e800000, 0xbfffffff}, {"lg2 -0", of_lg2, 0x80000000, 0xff800000},
        {"sin 1/4", of_sin, 0x3e800000, 0x3f800000}, {"sin 3/4", of_sin, 0x3f400000, 0xbf800000}, {"sin inf", of_sin, 0x7f800000, 0x7fffffff},
        {"tanh of a denormal", of_tanh, 0x80000001, 0x80000001}, {"tanh -inf", of_tanh, 0xff800000, 0xbf800000}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        if (of[k].f(of[k].x) != of[k].result) fail_msg("%s: %x", of[k].name, of[k].f(of[k].x));
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(every_mantissa_is_the_hardwares), cmocka_unit_test(every_half_is_the_hardwares),
                                     cmocka_unit_test(edges)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
