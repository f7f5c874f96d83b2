#include "evidence/cubins.h"

#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

img_module *open_cubin(const char *name, int sm) {
    static char packed[1 << 20];
    char path[512];
    snprintf(path, sizeof path, WG_TEST_DATA "/evidence/%s_sm%d.cubin.zst", name, sm);
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(packed, 1, sizeof packed, f) : 0;
    if (f) fclose(f);
    const unsigned long long size = ZSTD_getFrameContentSize(packed, n);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > (16u << 20)) return NULL;
    void *bytes = malloc((size_t)size);
    img_module *module = NULL;
    wg_error err;
    if (bytes && !ZSTD_isError(ZSTD_decompress(bytes, (size_t)size, packed, n)) &&
        img_module_read(bytes, (size_t)size, &module, &err) != WG_OK) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        module = NULL;
    }
    free(bytes);
    return module;
}
