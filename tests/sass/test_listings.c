/* Every instruction of the six listings prints as cuobjdump printed it. */
#include "sass/sass.h"
#include "sass/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct {
    int sm;
    unsigned instructions;
} listings[] = {{75, 1896}, {80, 2256}, {86, 2248}, {89, 2248}, {90, 2512}, {100, 2560}};

static unsigned compare(int sm) {
    listing l;
    listing_line line;
    unsigned n = 0, same = 0;
    assert_true(listing_open(&l, sm));
    while (listing_next(&l, &line)) {
        sass_instr instr;
        char text[512];
        const bool known = sass_decode(line.word, line.offset, sm, &instr);
        const size_t len = sass_print(&instr, text, sizeof text);
        n++;
        if (known && len == strlen(text) && strcmp(text, line.text) == 0)
            same++;
        else
            print_error("sm_%d +0x%x: expected `%s`, printed `%s`\n", sm, line.offset, line.text, text);
    }
    listing_close(&l);
    assert_int_equal(n, same);
    return n;
}

static void test_listings(void **state) {
    (void)state;
    unsigned total = 0;
    for (size_t k = 0; k < sizeof listings / sizeof *listings; k++) {
        const unsigned n = compare(listings[k].sm);
        assert_int_equal(n, listings[k].instructions);
        total += n;
    }
    assert_int_equal(total, 13720);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_listings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
