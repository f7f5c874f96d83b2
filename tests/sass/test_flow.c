/* Basic blocks of small functions, from words of the listings. */
#include "sass/words.h"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* sm_80: a branch to instruction `to`, under guard P0 or none. */
static sass_instr branch(unsigned at, unsigned to, bool guarded) {
    const int64_t words = ((int64_t)to - (int64_t)at - 1) * 4;
    sass_instr i;
    const uint64_t lo = (uint64_t)words << 34 | (guarded ? 0x0947 : 0x7947);
    const uint64_t hi = 0x03800000 | ((uint64_t)words >> 30 & 0x3ffff);
    assert_true(decode_word(80, hi, lo, at * 16, &i));
    assert_true(i.has_target);
    assert_int_equal(i.target, to * 16);
    return i;
}
static sass_instr plain(unsigned at) {
    sass_instr i;
    assert_true(decode_word(80, 0, 0x0000000202077221, at * 16, &i)); /* FADD */
    return i;
}
static sass_instr leave(unsigned at, bool guarded) {
    sass_instr i;
    assert_true(decode_word(80, 0x03800000, guarded ? 0x094d : 0x794d, at * 16, &i));
    return i;
}
static sass_instr sync(unsigned at) {
    sass_instr i;
    assert_true(decode_word(80, 0x03800000, 0x7941, at * 16, &i));
    return i;
}

static void test_loop(void **state) {
    (void)state;
    const sass_instr code[] = {plain(0), plain(1), branch(2, 1, true), leave(3, false), branch(4, 4, false)};
    wg_arena *arena = wg_arena_new();
    const sass_cfg *cfg = sass_cfg_build(arena, code, 5, NULL, 0);
    assert_non_null(cfg);
    assert_int_equal(cfg->n_blocks, 4);
    assert_int_equal(cfg->blocks[0].succ[0], 1);
    assert_int_equal(cfg->blocks[0].last, 0);
    assert_int_equal(cfg->blocks[1].first, 1);
    assert_int_equal(cfg->blocks[1].succ[0], 2); /* falls through */
    assert_int_equal(cfg->blocks[1].succ[1], 1); /* back edge */
    assert_int_equal(cfg->blocks[2].succ[0], UINT32_MAX);
    assert_int_equal(cfg->blocks[3].succ[0], 3);
    assert_int_equal(cfg->blocks[3].succ[1], UINT32_MAX);
    for (unsigned k = 0; k < 5; k++) {
        const sass_block *b = &cfg->blocks[cfg->block_of[k]];
        assert_true(b->first <= k && k <= b->last);
    }
    wg_arena_free(arena);
}

static void test_guarded_exit_and_sync(void **state) {
    (void)state;
    const sass_instr code[] = {plain(0), leave(1, true), plain(2), sync(3), plain(4), leave(5, false)};
    wg_arena *arena = wg_arena_new();
    const sass_cfg *cfg = sass_cfg_build(arena, code, 6, NULL, 0);
    assert_int_equal(cfg->n_blocks, 3);
    assert_int_equal(cfg->blocks[0].succ[0], 1);
    assert_int_equal(cfg->blocks[1].succ[0], 2);
    assert_int_equal(cfg->blocks[2].succ[0], UINT32_MAX);
    wg_arena_free(arena);
}

/* A jump table's targets are given; targets outside the function, or inside an instruction, do no harm. */
static void test_leaders(void **state) {
    (void)state;
    const sass_instr code[] = {plain(0), plain(1), plain(2), branch(3, 90, false)};
    const uint32_t table[] = {0x20, 0x21, 0x1000, 0xfffffff0};
    wg_arena *arena = wg_arena_new();
    const sass_cfg *cfg = sass_cfg_build(arena, code, 4, table, 4);
    assert_int_equal(cfg->n_blocks, 2);
    assert_int_equal(cfg->blocks[1].first, 2);
    assert_true(cfg->blocks[1].indirect);
    assert_int_equal(cfg->blocks[1].succ[0], UINT32_MAX);
    cfg = sass_cfg_build(arena, code, 0, NULL, 0);
    assert_non_null(cfg);
    assert_int_equal(cfg->n_blocks, 0);
    wg_arena_free(arena);
}

/* The distance is one field up to sm_89, two from sm_90 on. */
static void test_targets(void **state) {
    (void)state;
    sass_instr i;
    assert_true(decode_word(75, 0x03800000, 0x0000072000000947, 0x50, &i));
    assert_int_equal(i.target, 0x780);
    assert_true(decode_word(100, 0x0383ffff, 0xfffffffc00e08947, 0x120, &i));
    assert_int_equal(i.target, 0xb0);
    assert_true(decode_word(75, 0x03800000, 0x0000075000007945, 0x30, &i)); /* BSSY */
    assert_int_equal(i.target, 0x790);
    assert_true(decode_word(75, 0x0383ffff, 0xfffffdc002007949, 0x230, &i)); /* BRX R2 -0x240 */
    assert_false(i.has_target);
    assert_int_equal(i.b.kind, SASS_LABEL);
    assert_int_equal(i.b.value, 0); /* the table holds offsets from the function's start */
    assert_true(decode_word(90, 0, 0x000000001014794e, 0x100, &i)); /* LEPC: behind the call that follows */
    assert_int_equal(i.target, 0x120);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_guarded_exit_and_sync),
        cmocka_unit_test(test_leaders),
        cmocka_unit_test(test_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
