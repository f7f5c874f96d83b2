/* Words that nvcc made for test kernels on sm_75 to sm_120: one for each opcode, set of modifiers and shape
 * of operands. nvdisasm 13.0 confirmed two thirds of these texts, those of the forms that tests/conformance/ptx has; the others are
 * what was worked out. The test also asks that every row of isa.def is decoded by some word. */
#include "sass/sass.h"
#include "sass/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static bool seen[SASS_OP_COUNT];

static void test_words(void **state) {
    (void)state;
    listing l;
    listing_line line;
    unsigned n = 0, wrong = 0;
    assert_true(words_open(&l));
    while (words_next(&l, &line)) {
        sass_instr instr;
        char text[512];
        const bool known = sass_decode(line.word, line.offset, l.sm, &instr);
        sass_print(&instr, text, sizeof text);
        seen[instr.op] = true;
        n++;
        if (known && strcmp(text, line.text) == 0) continue;
        wrong++;
        print_error("sm_%d: expected `%s`, printed `%s`\n", l.sm, line.text, text);
    }
    listing_close(&l);
    assert_int_equal(wrong, 0);
    assert_true(n > 2000);
}

/* Rows for which no program was found that nvcc turns into them. */
static bool without_example(sass_op op) {
    switch (op) {
    case SASS_UBMSK:
    case SASS_UIMAD_HI:
    case SASS_SYNCS_OTHER:
    case SASS_TMML:
    case SASS_TMML_B:
    case SASS_SULD_P:
    case SASS_SUATOM:
    case SASS_USEL_64:
        return true;
    default:
        return false;
    }
}

static void test_every_row(void **state) {
    (void)state;
    static const int listed[] = {75, 80, 86, 89, 90, 100};
    for (size_t k = 0; k < sizeof listed / sizeof *listed; k++) {
        listing l;
        listing_line line;
        assert_true(listing_open(&l, listed[k]));
        while (listing_next(&l, &line)) {
            sass_instr instr;
            sass_decode(line.word, line.offset, l.sm, &instr);
            seen[instr.op] = true;
        }
        listing_close(&l);
    }
    unsigned missing = 0;
    for (unsigned op = SASS_UNKNOWN + 1; op < SASS_OP_COUNT; op++) {
        if (seen[op] != without_example((sass_op)op)) continue;
        missing++;
        print_error("%s (row %u) %s\n", sass_name((sass_op)op), op,
                    seen[op] ? "has an example: take it off the list" : "is decoded by no word");
    }
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_every_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
