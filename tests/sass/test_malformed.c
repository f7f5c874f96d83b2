/* Words that mean nothing, buffers that are too small: always an answer, never a wrong one. */
#include "sass/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void test_unknown(void **state) {
    (void)state;
    sass_instr i;
    char text[200];
    assert_false(decode_word(90, 0x0123456789abcdef, 0xfedcba9876543fff, 0, &i));
    assert_int_equal(i.op, SASS_UNKNOWN);
    sass_print(&i, text, sizeof text);
    assert_string_equal(text, ".word 0xfedcba9876543fff, 0x0123456789abcdef");
}

/* A modifier bit that no field reads, a reserved value, a form that the opcode does not have, another
 * architecture. */
static void test_not_taken_for_something_else(void **state) {
    (void)state;
    assert_int_equal(decoded(90, 0x00000000, 0x0000000202077221).op, SASS_FADD);
    assert_int_equal(decoded(90, 0x00000000 | 1u << 18, 0x0000000202077221).op, SASS_UNKNOWN); /* bit 82 */
    assert_int_equal(decoded(90, 0x0c1e1f00, 0x0000000402047981).op, SASS_UNKNOWN);            /* size 7 */
    assert_int_equal(decoded(90, 0x00001000, 0x0000000400077908).op, SASS_MUFU);
    assert_int_equal(decoded(90, 0x00001000, 0x0000000400077508).op, SASS_UNKNOWN); /* MUFU has no form 2 */
    assert_int_equal(decoded(80, 0x00000000, 0x0000010004047836).op,
                     SASS_UNKNOWN); /* VIADD came with sm_90 */
    assert_int_equal(decoded(90, 0x00000000, 0x0000010004047836).op, SASS_VIADD);
    assert_int_equal(decoded(70, 0x00000000, 0x0000000202077221).op, SASS_UNKNOWN); /* sm_70 is not read */
    assert_int_equal(decoded(0, 0x00000000, 0x0000000202077221).op, SASS_UNKNOWN);
    assert_int_equal(decoded(-1, 0x00000000, 0x0000000202077221).op, SASS_UNKNOWN);
}

static void test_short_buffers(void **state) {
    (void)state;
    const sass_instr i = decoded(75, 0x03f1c200, 0x7f8000000800780b);
    char whole[200];
    const size_t len = sass_print(&i, whole, sizeof whole);
    assert_int_equal(len, strlen(whole));
    assert_int_equal(sass_print(&i, NULL, 0), len);
    for (size_t size = 1; size <= len + 1; size++) {
        char text[200];
        memset(text, '#', sizeof text);
        assert_int_equal(sass_print(&i, text, size), len);
        assert_int_equal(strlen(text), size - 1);
        assert_memory_equal(text, whole, size - 1);
        assert_int_equal(text[size], '#');
    }
}

/* Numbers of a fixed sequence: as instructions of every architecture they decode and print within bounds. */
static void test_random_words(void **state) {
    (void)state;
    static const int sms[] = {75, 80, 86, 89, 90, 100, 120};
    uint64_t seed = 1;
    unsigned known = 0;
    for (unsigned n = 0; n < 200000; n++) {
        uint64_t word[2];
        for (int k = 0; k < 2; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            word[k] = seed ^ seed >> 29;
        }
        if (n & 1) word[1] &= UINT64_C(0x0000000007ffffff); /* or too few would be known */
        sass_instr i;
        char text[300];
        if (sass_decode(word, n * 16, sms[n % 7], &i))
            known++;
        else
            assert_int_equal(i.op, SASS_UNKNOWN);
        const size_t len = sass_print(&i, text, sizeof text);
        assert_true(len > 0 && len < sizeof text);
        assert_true(i.op < SASS_OP_COUNT);
        assert_true(sass_dst_regs(&i) <= 8);
        assert_true(sass_src_regs(&i, &i.a) <= 16 && sass_src_regs(&i, &i.b) <= 8 &&
                    sass_src_regs(&i, &i.c) <= 8);
    }
    assert_true(known > 100);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(sass_name(SASS_IMAD_WIDE), "IMAD.WIDE");
    assert_string_equal(sass_name(SASS_UNKNOWN), "unknown");
    assert_string_equal(sass_name((sass_op)9999), "unknown");
    assert_null(sass_handler_name(SASS_UNKNOWN));
    assert_true(sass_is_exact(SASS_FFMA) && sass_is_exact(SASS_MUFU) && !sass_is_exact(SASS_HMMA) && !sass_is_exact(SASS_UNKNOWN));
    assert_string_equal(sass_special_name(0x25), "SR_CTAID.X");
    assert_null(sass_special_name(0x17));
    assert_null(sass_special_name(100000));
    assert_int_equal(sass_class_of((sass_op)9999), SASS_CLASS_OTHER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown),       cmocka_unit_test(test_not_taken_for_something_else),
        cmocka_unit_test(test_short_buffers), cmocka_unit_test(test_random_words),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
