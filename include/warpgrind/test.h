/* Unit tests of kernels: what a launch cost, what was found in it, what it computed.
 *
 *     #include <cmocka.h>            // or check.h, gtest/gtest.h, unity.h, or nothing
 *     #include <warpgrind/test.h>
 *
 *     WG_EXPECT_OK(wg_launch(dev, scale, wg_dim3(32, 1, 1), wg_dim3(128, 1, 1), 0, args, 4, &launch, &err), &err);
 *     WG_EXPECT_COUNTER(launch, "sectors_per_request", ==, 4);
 *     WG_EXPECT_NO_FINDINGS(launch);
 *     WG_EXPECT_F32(dev, out, expected, 4096, 0);
 *
 * A failed expectation is a failure of the test framework whose header came before this one: cmocka, Check, GoogleTest,
 * Unity. Without one it is told on standard error, and the program ends with status 1. Define WG_TEST_FAIL(text) first to
 * have it otherwise. C and C++. */
#ifndef WARPGRIND_TEST_H
#define WARPGRIND_TEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <warpgrind/warpgrind.h>

#ifndef WG_TEST_FAIL
#if defined(fail_msg)            /* cmocka */
#define WG_TEST_FAIL(text) fail_msg("%s", text)
#elif defined(ck_abort_msg)      /* Check */
#define WG_TEST_FAIL(text) ck_abort_msg("%s", text)
#elif defined(ADD_FAILURE)       /* GoogleTest */
#define WG_TEST_FAIL(text) ADD_FAILURE() << (text)
#elif defined(TEST_FAIL_MESSAGE) /* Unity */
#define WG_TEST_FAIL(text) TEST_FAIL_MESSAGE(text)
#else
#define WG_TEST_FAIL(text) (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, text), exit(1))
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* "" when all is well, else what is wrong: into text, which has room for WG_TEST_TEXT. */
enum { WG_TEST_TEXT = 1200 };

/* The launch ran to its end, and nothing above a note was found in it. */
static inline const char *wg_test_findings(const wg_launch_record *launch, char *text) {
    wg_finding found[16];
    size_t n = wg_launch_findings(launch, found, 16), used = 0;
    text[0] = '\0';
    if (!launch || !wg_launch_complete(launch)) {
        snprintf(text, WG_TEST_TEXT, "the kernel did not run, or not to its end");
        return text;
    }
    for (size_t i = 0; i < n && i < 16 && used < WG_TEST_TEXT; i++) {
        if (strcmp(found[i].severity, "note") == 0) continue;
        used += (size_t)snprintf(text + used, WG_TEST_TEXT - used, "%s%s:%u: %s: %s", used ? "\n" : "", found[i].file ? found[i].file : "?",
                                 (unsigned)found[i].line, found[i].kind, found[i].message);
    }
    return text;
}

static inline bool wg_test_has(const wg_launch_record *launch, const char *kind, uint32_t line) {
    wg_finding found[64];
    size_t n = wg_launch_findings(launch, found, 64);
    for (size_t i = 0; i < n && i < 64; i++)
        if (strcmp(found[i].kind, kind) == 0 && (!line || found[i].line == line)) return true;
    return false;
}

/* The first value that differs from what is expected by more than tolerance, of n. */
#define WG_TEST_VALUES_(name, type, format)                                                                                        \
    static inline const char *wg_test_##name(wg_device *device, wg_address at, const type *expected, size_t n, double tolerance,    \
                                             char *text) {                                                                          \
        wg_error err;                                                                                                               \
        type *got = (type *)malloc(n * sizeof *got + 1);                                                                            \
        text[0] = '\0';                                                                                                             \
        if (!got || wg_copy_out(device, got, at, n * sizeof *got, &err) != WG_OK)                                                   \
            snprintf(text, WG_TEST_TEXT, "%s", got ? err.text : "no memory");                                                       \
        for (size_t i = 0; i < n && !text[0]; i++) {                                                                                \
            double off = (double)got[i] - (double)expected[i];                                                                      \
            if (!(off <= tolerance && off >= -tolerance))                                                                           \
                snprintf(text, WG_TEST_TEXT, "element %zu of %zu is " format ", expected " format, i, n, got[i], expected[i]);      \
        }                                                                                                                           \
        free(got);                                                                                                                  \
        return text;                                                                                                                \
    }
WG_TEST_VALUES_(i32, int32_t, "%d")
WG_TEST_VALUES_(u32, uint32_t, "%u")
WG_TEST_VALUES_(f32, float, "%.9g")
WG_TEST_VALUES_(f64, double, "%.17g")

#ifdef __cplusplus
}
#endif

#define WG_TEST_CHECK_(call)                      \
    do {                                          \
        char wg_text_[WG_TEST_TEXT];              \
        if (*(call)) { WG_TEST_FAIL(wg_text_); }  \
    } while (0)

/* call gave WG_OK; err is the wg_error * that it was given. */
#define WG_EXPECT_OK(call, err)                         \
    do {                                                \
        if ((call) != WG_OK) { WG_TEST_FAIL((err)->text); } \
    } while (0)

/* A counter, COUNTER/COUNTER or short name (wg_quantity) of a launch: WG_EXPECT_COUNTER(launch, "bank_conflicts", ==, 0).
 * Fails also when nothing of that name was counted. */
#define WG_EXPECT_COUNTER(launch, name, relation, value)                                                                        \
    do {                                                                                                                        \
        double wg_got_ = wg_quantity((launch), (name)), wg_limit_ = (double)(value);                                            \
        if (isnan(wg_got_) || !(wg_got_ relation wg_limit_)) {                                                                  \
            char wg_text_[WG_TEST_TEXT];                                                                                        \
            snprintf(wg_text_, sizeof wg_text_, "%s is %.12g, expected " #relation " %.12g", (name), wg_got_, wg_limit_);       \
            WG_TEST_FAIL(wg_text_);                                                                                             \
        }                                                                                                                       \
    } while (0)

/* The launch ran to its end, and nothing above a note was found in it. */
#define WG_EXPECT_NO_FINDINGS(launch) WG_TEST_CHECK_(wg_test_findings((launch), wg_text_))

/* Something of this kind was found, at that source line (0: anywhere). */
#define WG_EXPECT_FINDING(launch, kind, line)                                                                        \
    do {                                                                                                             \
        if (!wg_test_has((launch), (kind), (line))) {                                                                \
            char wg_text_[WG_TEST_TEXT];                                                                             \
            snprintf(wg_text_, sizeof wg_text_, "no finding '%s' at line %u", (kind), (unsigned)(line));             \
            WG_TEST_FAIL(wg_text_);                                                                                  \
        }                                                                                                            \
    } while (0)

/* n values at a device address, each within tolerance of what is expected. */
#define WG_EXPECT_I32(device, at, expected, n, tolerance) WG_TEST_CHECK_(wg_test_i32((device), (at), (expected), (n), (tolerance), wg_text_))
#define WG_EXPECT_U32(device, at, expected, n, tolerance) WG_TEST_CHECK_(wg_test_u32((device), (at), (expected), (n), (tolerance), wg_text_))
#define WG_EXPECT_F32(device, at, expected, n, tolerance) WG_TEST_CHECK_(wg_test_f32((device), (at), (expected), (n), (tolerance), wg_text_))
#define WG_EXPECT_F64(device, at, expected, n, tolerance) WG_TEST_CHECK_(wg_test_f64((device), (at), (expected), (n), (tolerance), wg_text_))

/* The run of the device so far keeps the rules of a budget (docs/ci.md). */
#define WG_EXPECT_BUDGET(device, path)                                                                  \
    do {                                                                                                \
        wg_error wg_err_;                                                                               \
        size_t wg_broken_;                                                                              \
        if (wg_budget((device), (path), &wg_broken_, &wg_err_) != WG_OK || wg_broken_) { WG_TEST_FAIL(wg_err_.text); } \
    } while (0)

#endif
