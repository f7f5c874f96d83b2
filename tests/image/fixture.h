/* What the tests of the image reader share. */
#ifndef WG_TESTS_IMAGE_FIXTURE_H
#define WG_TESTS_IMAGE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "image/image.h"

/* A file under tests/data; the test fails when it is not there. */
static inline wg_bytes test_data(wg_arena *arena, const char *name) {
    char path[600];
    wg_error err = {0};
    wg_bytes bytes = {0};
    snprintf(path, sizeof path, "%s/%s", WG_TEST_DATA, name);
    if (wg_file_read(path, arena, &bytes, &err) != WG_OK) fail_msg("%s", err.text);
    return bytes;
}

static inline img_module *test_module(const char *name) {
    wg_arena *arena = wg_arena_new();
    wg_bytes bytes = test_data(arena, name);
    wg_error err = {0};
    img_module *m = NULL;
    if (img_module_read(bytes.data, bytes.size, &m, &err) != WG_OK) fail_msg("%s: %s", name, err.text);
    wg_arena_free(arena); /* a module stands on its own */
    return m;
}

#endif
