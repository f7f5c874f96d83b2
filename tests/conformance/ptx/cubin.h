/* The cubins of generate.py's cases, which are kept compressed. */
#ifndef WG_TESTS_CONFORMANCE_PTX_CUBIN_H
#define WG_TESTS_CONFORMANCE_PTX_CUBIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>
#include <cmocka.h>

static const int ptx_targets[] = {75, 80, 86, 89, 90};
enum { PTX_TARGETS = sizeof ptx_targets / sizeof *ptx_targets };

/* The bytes are the caller's to free. */
static inline uint8_t *ptx_cubin(const char *folder, int sm, size_t *size) {
    static uint8_t packed[1 << 20];
    char path[300];
    snprintf(path, sizeof path, "%s/ptx.sm_%d.cubin.zst", folder, sm);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s is missing", path);
    size_t n = fread(packed, 1, sizeof packed, f);
    fclose(f);
    *size = (size_t)ZSTD_getFrameContentSize(packed, n);
    uint8_t *cubin = malloc(*size);
    assert_non_null(cubin);
    assert_int_equal(ZSTD_decompress(cubin, *size, packed, n), *size);
    return cubin;
}

#endif
