/* The cubins of generate.py's cases, which are kept compressed. */
#ifndef WG_TESTS_CONFORMANCE_PTX_CUBIN_H
#define WG_TESTS_CONFORMANCE_PTX_CUBIN_H

#include "conformance/zst.h"

static const int ptx_targets[] = {75, 80, 86, 89, 90};
enum { PTX_TARGETS = sizeof ptx_targets / sizeof *ptx_targets };

/* The bytes are the caller's to free. */
static inline uint8_t *ptx_cubin(const char *folder, int sm, size_t *size) {
    char path[300];
    snprintf(path, sizeof path, "%s/ptx.sm_%d.cubin.zst", folder, sm);
    return zst_read(path, size);
}

#endif
