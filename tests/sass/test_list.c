/* The listing's frame: cuobjdump's form, and a stream without a container. */
#include "sass/list.h"
#include "sass/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const uint64_t code[] = {
    0x0000000000000919, 0x0000000000002100, /* @P0 S2R R0, SR_TID.X */
    0x000000000000794d, 0x0000000003800000, /* EXIT */
};

static void test_function(void **state) {
    (void)state;
    img_function function = {.name = "_Z1kv", .code_size = sizeof code};
    img_module module = {.sm = 80, .code = (uint8_t *)code, .code_size = sizeof code, .functions = &function};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    sass_list(out, &function, &module);
    fclose(out);
    assert_non_null(strstr(text, "Function : _Z1kv\n"));
    assert_non_null(strstr(text, "/*0000*/                   @P0 S2R R0, SR_TID.X ;\n"));
    assert_non_null(strstr(text, "/*0010*/                   EXIT ;\n"));
    free(text);
}

static void test_stream(void **state) {
    (void)state;
    uint8_t bytes[sizeof code + 5] = {0};
    char *text = NULL;
    size_t size = 0;
    memcpy(bytes, code, sizeof code);
    FILE *out = open_memstream(&text, &size);
    sass_list_raw(out, bytes, sizeof bytes, 80);
    fclose(out);
    assert_null(strstr(text, "Function"));
    assert_non_null(strstr(text, "/*0010*/                   EXIT ;\n"));
    assert_non_null(strstr(text, "/*0020*/                   .bytes 5 ;\n"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_function), cmocka_unit_test(test_stream)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
