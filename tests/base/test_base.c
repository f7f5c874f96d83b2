/* The small things everything else stands on. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/toolkit.h"
#include "base/vec.h"

static void error_keeps_what_and_where(void **state) {
    (void)state;
    wg_error err = {0};
    assert_int_equal(wg_fail(&err, WG_ERR_FORMAT, "bad size %d", 7), WG_ERR_FORMAT);
    assert_int_equal(wg_context(&err, "file %s", "x"), WG_ERR_FORMAT);
    assert_string_equal(err.text, "file x: bad size 7");
    assert_int_equal(wg_fail(NULL, WG_ERR_IO, "nobody listens"), WG_ERR_IO);
    for (int i = 0; i < 300; i++) wg_context(&err, "deeper");
    assert_int_equal(strlen(err.text), sizeof err.text - 1); /* cut, still terminated */
}

static void arena_is_zeroed_and_aligned(void **state) {
    (void)state;
    wg_arena *arena = wg_arena_new();
    size_t sizes[] = {0, 1, 15, 16, 17, 4000, 40000, 3, 1 << 20, 8};
    unsigned char *got[10];
    for (int i = 0; i < 10; i++) {
        got[i] = wg_arena_alloc(arena, sizes[i]);
        assert_int_equal((uintptr_t)got[i] % 16, 0);
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(got[i][k], 0);
        memset(got[i], i + 1, sizes[i]);
    }
    for (int i = 0; i < 10; i++) /* nobody overlaps anybody */
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(got[i][k], i + 1);
    assert_null(wg_arena_array(arena, SIZE_MAX / 2, 4));
    assert_null(wg_arena_alloc(arena, SIZE_MAX - 3));
    assert_string_equal(wg_arena_printf(arena, "%s-%d", "abc", 5), "abc-5");
    assert_string_equal(wg_arena_strndup(arena, "abcdef", 3), "abc");
    assert_true(wg_arena_bytes(arena) > (1 << 20) + 44000);
    wg_arena_free(arena);
    wg_arena_free(NULL);
}

static void vec_grows(void **state) {
    (void)state;
    wg_vec(struct { int a, b; }) v = {0};
    for (int i = 0; i < 1000; i++) {
        assert_true(wg_vec_reserve(&v, 1));
        v.at[v.count].a = i;
        v.at[v.count++].b = -i;
    }
    for (int i = 0; i < 1000; i++) assert_int_equal(v.at[i].a + v.at[i].b, 0);
    assert_int_equal(v.at[999].a, 999);
    assert_false(wg_vec_reserve(&v, SIZE_MAX));
    assert_false(wg_vec_reserve(&v, SIZE_MAX / 4));
    wg_vec_free(&v);
    assert_int_equal(v.room, 0);
}

static void strmap_finds_what_was_set(void **state) {
    (void)state;
    wg_strmap map = {0};
    static char keys[500][8];
    assert_null(wg_strmap_get(&map, "x"));
    for (int i = 0; i < 500; i++) {
        snprintf(keys[i], sizeof keys[i], "k%d", i);
        assert_true(wg_strmap_set(&map, keys[i], &keys[i]));
    }
    assert_true(wg_strmap_set(&map, "k7", &map));
    assert_int_equal(map.count, 500);
    for (int i = 0; i < 500; i++)
        assert_ptr_equal(wg_strmap_get(&map, keys[i]), i == 7 ? (void *)&map : keys[i]);
    assert_null(wg_strmap_get(&map, "k500"));
    wg_strmap_free(&map);
}

/* Against a plain array, with removals that leave gaps in probe runs. */
static void u64map_agrees_with_an_array(void **state) {
    (void)state;
    wg_u64map map = {0};
    uint64_t truth[256] = {0}, seed = 1;
    size_t live = 0;
    for (int step = 0; step < 20000; step++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t key = seed >> 56, got = 0;
        if (seed >> 40 & 1) {
            live += !truth[key];
            truth[key] = (uint64_t)step + 1;
            assert_true(wg_u64map_set(&map, key * 0x100000001u, truth[key]));
        } else {
            assert_int_equal(wg_u64map_remove(&map, key * 0x100000001u), truth[key] != 0);
            live -= truth[key] != 0;
            truth[key] = 0;
        }
        uint64_t probe = seed >> 48 & 255;
        assert_int_equal(wg_u64map_get(&map, probe * 0x100000001u, &got), truth[probe] != 0);
        assert_int_equal(got, truth[probe]);
        assert_int_equal(map.count, live);
    }
    ++*wg_u64map_add(&map, 1u << 31);
    ++*wg_u64map_add(&map, 1u << 31);
    assert_int_equal(*wg_u64map_add(&map, 1u << 31), 2);
    wg_u64map_free(&map);
}

static void glob_matches_whole_names(void **state) {
    (void)state;
    assert_true(wg_glob("conv*", "conv2d(float*)"));
    assert_true(wg_glob("*2d?float*", "conv2d(float*)"));
    assert_true(wg_glob("*", ""));
    assert_true(wg_glob("", ""));
    assert_true(wg_glob("a*b*c", "aXbXbXc"));
    assert_false(wg_glob("conv", "conv2d"));
    assert_false(wg_glob("a*b*c", "aXbXbXcX"));
    assert_false(wg_glob("?", ""));
    assert_true(wg_glob("k[3]", "k[3]")); /* brackets are themselves */
    char hard[200], text[200];
    for (int i = 0; i < 198; i += 2) memcpy(hard + i, "a*", 2);
    strcpy(hard + 198, "b");
    memset(text, 'a', 199);
    text[199] = 0;
    assert_false(wg_glob(hard, text));
    assert_true(wg_starts_with(".text.k", ".text."));
    assert_false(wg_starts_with(".tex", ".text."));
    assert_true(wg_ends_with("a.cubin", ".cubin"));
    assert_false(wg_ends_with("cubin", ".cubin"));
}

static void toolkit_files_are_told_from_the_programs(void **state) {
    static const char *const theirs[] = {"/usr/local/cuda/include/cuda/std/atomic", "/usr/local/cuda-13.0/include/cooperative_groups.h",
                                         "/opt/cuda/targets/x86_64-linux/include/cub/cub.cuh", "/usr/include/c++/12/cmath",
                                         "lib/python3/site-packages/nvidia/cu13/include/cuda_fp16.hpp"};
    static const char *const own[] = {"main.cu", "/home/u/cuda-samples/Common/helper.h", "src/cuda/kernels/include.h", "/home/u/cudalib/include/k.cuh"};
    (void)state;
    for (unsigned i = 0; i < sizeof theirs / sizeof *theirs; i++) assert_true(wg_is_toolkit_file(theirs[i]));
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++) assert_false(wg_is_toolkit_file(own[i]));
}

static void text_grows(void **state) {
    (void)state;
    wg_text text = {0};
    for (int i = 0; i < 100; i++) wg_text_printf(&text, "%d,", i);
    wg_text_add(&text, "end");
    assert_false(text.failed);
    assert_int_equal(text.count, 10 * 2 + 90 * 3 + 3);
    assert_string_equal(text.at + text.count - 6, "99,end");
    wg_text_free(&text);
}

static void file_comes_back_as_written(void **state) {
    (void)state;
    char folder[] = "/tmp/wg_base_XXXXXX", path[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a/b/c", folder);
    wg_error err = {0};
    wg_arena *arena = wg_arena_new();
    static char data[100000];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (char)(i * 7);
    assert_int_equal(wg_file_write(path, data, sizeof data, &err), WG_ERR_IO); /* no such folder */
    assert_int_equal(wg_file_make_parents(path, &err), WG_OK);
    assert_int_equal(wg_file_write(path, data, sizeof data, &err), WG_OK);
    wg_bytes got = {0};
    assert_int_equal(wg_file_read(path, arena, &got, &err), WG_OK);
    assert_int_equal(got.size, sizeof data);
    assert_memory_equal(got.data, data, sizeof data);
    assert_int_equal(got.data[got.size], 0);
    assert_int_equal(wg_file_read(folder, arena, &got, &err), WG_ERR_IO);
    assert_non_null(strstr(err.text, "folder"));
    assert_int_equal(wg_file_read("/proc/self/cmdline", arena, &got, &err),
                     WG_OK); /* says size 0, is not empty */
    assert_true(got.size > 0);
    assert_int_equal(unlink(path), 0);
    for (int depth = 0; depth < 2; depth++) {
        *strrchr(path, '/') = 0;
        assert_int_equal(rmdir(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(wg_file_read(path, arena, &got, &err), WG_ERR_IO);
    assert_non_null(strstr(err.text, "No such file"));
    wg_arena_free(arena);
}

typedef struct tally {
    atomic_int seen[1000];
    int workers;
} tally;

static void count_item(void *context, int worker, size_t item) {
    tally *t = context;
    if (worker < 0 || worker >= t->workers) abort();
    atomic_fetch_add(&t->seen[item], 1);
}

static void sleep_now_and_then(void *context, int worker, size_t item) {
    if (item % 3 == 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* so long that the caller goes to sleep, too */
    count_item(context, worker, item);
}

static void pool_does_each_item_once(void **state) {
    (void)state;
    static tally t;
    for (int n = 1; n <= 4; n++) {
        wg_pool *pool = wg_pool_new(n);
        assert_non_null(pool);
        assert_int_equal(wg_pool_workers(pool), n);
        t.workers = n;
        for (int round = 0; round < 50; round++) {
            memset(t.seen, 0, sizeof t.seen);
            size_t items = round == 0 ? 0 : round == 1 ? 1 : 1000;
            wg_pool_run(pool, items, count_item, &t);
            for (size_t i = 0; i < 1000; i++) assert_int_equal(t.seen[i], i < items);
        }
        for (int round = 0; round < 8; round++) {
            memset(t.seen, 0, sizeof t.seen);
            wg_pool_run(pool, 4, sleep_now_and_then, &t);
            for (size_t i = 0; i < 4; i++) assert_int_equal(t.seen[i], 1);
        }
        wg_pool_free(pool);
    }
    assert_null(wg_pool_new(0));
    assert_null(wg_pool_new(100000));
    assert_true(wg_pool_cpus() >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_keeps_what_and_where),
        cmocka_unit_test(arena_is_zeroed_and_aligned),
        cmocka_unit_test(vec_grows),
        cmocka_unit_test(strmap_finds_what_was_set),
        cmocka_unit_test(u64map_agrees_with_an_array),
        cmocka_unit_test(glob_matches_whole_names),
        cmocka_unit_test(toolkit_files_are_told_from_the_programs),
        cmocka_unit_test(text_grows),
        cmocka_unit_test(file_comes_back_as_written),
        cmocka_unit_test(pool_does_each_item_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
