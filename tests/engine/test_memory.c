/* Device memory: arena, table, copies, and the shadows against naive models. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "engine/memory.h"
#include "engine/memory_inner.h"
#include "engine/undefined.h"
#include "engine/view.h"

static const uint64_t gib = (uint64_t)1 << 30;

static eng_memory *new_memory(uint64_t capacity) {
    eng_memory *m;
    wg_error err = {0};
    assert_int_equal(eng_memory_new(capacity, &m, &err), WG_OK);
    return m;
}

static const eng_allocation *alloc(eng_memory *m, uint64_t size) {
    const eng_allocation *a;
    assert_int_equal(eng_memory_alloc(m, size, ENG_ALLOC_DEVICE, &a, NULL), WG_OK);
    return a;
}

static uint32_t rng_state = 12345;
static uint32_t rng(void) { return rng_state = rng_state * 1664525u + 1013904223u, rng_state >> 8; }

static void addresses_are_aligned_apart_and_found(void **state) {
    (void)state;
    eng_memory *m = new_memory(gib);
    const eng_allocation *a[50], *near;
    for (int i = 0; i < 50; i++) {
        a[i] = alloc(m, 1 + rng() % 5000);
        assert_int_equal(a[i]->address % 256, 0);
        assert_int_equal(a[i]->id, i + 1);
        if (i) assert_true(a[i]->address >= a[i - 1]->address + a[i - 1]->size + 256);
    }
    for (int i = 0; i < 50; i++) {
        assert_ptr_equal(eng_memory_find(m, a[i]->address, NULL), a[i]);
        assert_ptr_equal(eng_memory_find(m, a[i]->address + a[i]->size - 1, NULL), a[i]);
        assert_null(eng_memory_find(m, a[i]->address + a[i]->size, &near));
        assert_ptr_equal(near, a[i]);
        assert_ptr_equal(eng_memory_at(m, (size_t)i), a[i]);
    }
    assert_null(eng_memory_at(m, 50));
    assert_true(eng_memory_contains(m, a[0]->address));
    assert_false(eng_memory_contains(m, (uint64_t)(uintptr_t)&m));
    assert_null(eng_memory_find(m, 0, &near));
    assert_null(near);
    eng_memory_free(m);
}

static void large_memory_costs_nothing_until_touched(void **state) {
    (void)state;
    eng_memory *m = new_memory(141 * gib);
    const eng_allocation *a = alloc(m, 64 * gib);
    uint64_t x = 42, y = 0;
    uint64_t middle = a->address + 33 * gib + 8;
    assert_int_equal(eng_memory_copy(m, middle, (uintptr_t)&x, 8, ENG_HOST_TO_DEVICE, NULL), WG_OK);
    assert_int_equal(eng_memory_copy(m, (uintptr_t)&y, middle, 8, ENG_DEVICE_TO_HOST, NULL), WG_OK);
    assert_int_equal(y, 42);
    assert_true(eng_memory_touched(m) <= 1 << 16);
    assert_int_equal(eng_memory_copy(m, (uintptr_t)&y, middle + 8, 8, ENG_DEVICE_TO_HOST, NULL), WG_OK);
    assert_true(y == ((uint64_t)ENG_PATTERN << 32 | ENG_PATTERN));
    eng_memory_free(m);
}

static void full_device_and_full_host_are_errors(void **state) {
    (void)state;
    eng_memory *m = new_memory(1 << 20);
    const eng_allocation *a = alloc(m, 1 << 19), *b;
    wg_error err = {0};
    assert_int_equal(eng_memory_alloc(m, (1 << 19) + 1, ENG_ALLOC_DEVICE, &b, &err), WG_ERR_MEMORY);
    assert_non_null(strstr(err.text, "524288 of 1048576 free"));
    b = alloc(m, 1 << 19);
    assert_int_equal(eng_memory_used(m), 1 << 20);
    assert_int_equal(eng_memory_release(m, a->address, NULL), WG_OK);
    assert_int_equal(eng_memory_used(m), 1 << 19);
    eng_memory_set_host_limit(m, 1 << 17);
    uint8_t *host = calloc(1, 1 << 19);
    assert_int_equal(eng_memory_copy(m, b->address, (uintptr_t)host, 1 << 19, ENG_HOST_TO_DEVICE, &err), WG_ERR_MEMORY);
    eng_memory_set_host_limit(m, 1 << 20);
    assert_int_equal(eng_memory_copy(m, b->address, (uintptr_t)host, 1 << 19, ENG_HOST_TO_DEVICE, &err), WG_OK);
    assert_int_equal(eng_memory_alloc(m, 0, ENG_ALLOC_DEVICE, &b, &err), WG_ERR_ARGUMENT);
    assert_int_equal(eng_memory_alloc(m, UINT64_MAX - 5, ENG_ALLOC_DEVICE, &b, &err), WG_ERR_MEMORY);
    free(host);
    eng_memory_free(m);
}

static void wrong_frees_are_told_apart(void **state) {
    (void)state;
    eng_memory *m = new_memory(gib);
    const eng_allocation *a = alloc(m, 1000);
    wg_error err;
    assert_int_equal(eng_memory_release(m, a->address + 4, &err), WG_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "4 bytes inside allocation 1"));
    assert_int_equal(eng_memory_release(m, 0x1234, &err), WG_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "no device pointer"));
    assert_int_equal(eng_memory_release(m, a->address, &err), WG_OK);
    assert_true(a->freed);
    assert_int_equal(eng_memory_release(m, a->address, &err), WG_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "was freed before"));
    assert_ptr_equal(eng_memory_find(m, a->address, NULL), a); /* still known */
    const eng_allocation *b = alloc(m, 1000);
    assert_true(b->address != a->address);
    eng_memory_free(m);
}

static void addresses_come_back_when_none_are_left(void **state) {
    (void)state;
    eng_memory *m = new_memory(4 * gib); /* 24 GiB of addresses */
    const eng_allocation *keep = alloc(m, 4096), *last = NULL;
    uint64_t first = 0;
    bool again = false;
    for (int i = 0; i < 100 && !again; i++) {
        last = alloc(m, gib);
        if (!first) first = last->address;
        else again = last->address == first;
        assert_int_equal(eng_memory_release(m, last->address, NULL), WG_OK);
    }
    assert_true(again);
    assert_ptr_equal(eng_memory_find(m, keep->address, NULL), keep);
    assert_ptr_equal(eng_memory_find(m, first, NULL), last);
    eng_memory_free(m);
}

static sigjmp_buf fault;
static void on_fault(int sig) { (void)sig, siglongjmp(fault, 1); }
static bool host_can_write(uint64_t address) {
    volatile bool ok = false;
    struct sigaction act = {.sa_handler = on_fault, .sa_flags = SA_NODEFER}, old;
    sigaction(SIGSEGV, &act, &old);
    if (!sigsetjmp(fault, 1)) {
        *(volatile uint8_t *)(uintptr_t)address = 7;
        ok = true;
    }
    sigaction(SIGSEGV, &old, NULL);
    return ok;
}

static void host_reaches_only_pinned_and_managed(void **state) {
    (void)state;
    eng_memory *m = new_memory(gib);
    const eng_allocation *d = alloc(m, 5000), *p, *g;
    assert_int_equal(eng_memory_alloc(m, 5000, ENG_ALLOC_PINNED, &p, NULL), WG_OK);
    assert_int_equal(eng_memory_alloc(m, 5000, ENG_ALLOC_MANAGED, &g, NULL), WG_OK);
    assert_false(host_can_write(d->address));
    assert_true(host_can_write(p->address + 4999));
    assert_true(host_can_write(g->address));
    assert_int_equal(((uint8_t *)eng_memory_host(m, p->address))[4999], 7); /* one memory, two views */
    wg_error err;
    assert_int_equal(eng_memory_copy(m, p->address, d->address, 16, ENG_DEVICE_TO_HOST, &err), WG_OK);
    assert_int_equal(*(uint32_t *)(uintptr_t)p->address, ENG_PATTERN);
    assert_int_equal(eng_memory_copy(m, d->address, d->address + 64, 16, ENG_HOST_TO_DEVICE, &err), WG_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "is a device pointer"));
    assert_int_equal(eng_memory_release(m, p->address, NULL), WG_OK);
    assert_false(host_can_write(p->address));
    eng_memory_free(m);
}

static void registered_memory_is_known(void **state) {
    (void)state;
    eng_memory *m = new_memory(gib);
    static uint8_t host[1000];
    wg_error err;
    assert_int_equal(eng_memory_register(m, host + 3, 900, &err), WG_OK);
    assert_int_equal(eng_memory_register(m, host + 100, 100, &err), WG_ERR_STATE);
    const eng_allocation *a = eng_memory_find(m, (uintptr_t)host + 500, NULL);
    assert_non_null(a);
    assert_int_equal(a->kind, ENG_ALLOC_REGISTERED);
    assert_ptr_equal(eng_memory_host(m, (uintptr_t)host + 5), host + 5);
    assert_int_equal(eng_memory_unregister(m, host, &err), WG_ERR_ARGUMENT);
    assert_int_equal(eng_memory_unregister(m, host + 3, &err), WG_OK);
    assert_int_equal(eng_memory_register(m, host, 1000, &err), WG_OK);
    eng_memory_free(m);
}

static void ranges_are_checked_whole(void **state) {
    (void)state;
    eng_memory *m = new_memory(gib);
    const eng_allocation *a = alloc(m, 1000);
    uint8_t host[1001] = {0};
    wg_error err;
    assert_int_equal(eng_memory_copy(m, a->address, (uintptr_t)host, 1001, ENG_HOST_TO_DEVICE, &err), WG_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "ends after 1000"));
    assert_false(eng_memory_defined(m, a->address, 1));
    assert_int_equal(eng_memory_copy(m, a->address + 1000, (uintptr_t)host, 1, ENG_HOST_TO_DEVICE, &err), WG_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "just behind allocation 1"));
    assert_int_equal(eng_memory_fill(m, a->address + 996, "\0\1\2\3", 4, 2, &err), WG_ERR_ARGUMENT);
    assert_int_equal(eng_memory_fill(m, a->address, "\0\1\2\3", 3, 2, &err), WG_ERR_ARGUMENT);
    eng_memory_release(m, a->address, NULL);
    assert_int_equal(eng_memory_copy(m, (uintptr_t)host, a->address, 1, ENG_DEVICE_TO_HOST, &err), WG_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "was freed"));
    eng_memory_free(m);
}

/* Two allocations and a byte-wise model of contents (-1: undefined); random copies and fills must agree. */
enum { SIZE = 3000 };
static int model[2][SIZE];

static uint8_t pattern_at(uint64_t address) { return (uint8_t)(ENG_PATTERN >> address % 4 * 8); }

static void copies_agree_with_a_model(void **state) {
    (void)state;
    eng_memory *m = new_memory(gib);
    const eng_allocation *a[2] = {alloc(m, SIZE), alloc(m, SIZE)};
    uint8_t host[SIZE];
    memset(model, -1, sizeof model);
    for (int round = 0; round < 3000; round++) {
        unsigned which = rng() % 2, from = rng() % SIZE, to = rng() % SIZE, n = 1 + rng() % 200;
        if (from + n > SIZE) n = SIZE - from;
        if (to + n > SIZE) n = SIZE - to;
        uint8_t v[4] = {(uint8_t)rng(), (uint8_t)rng(), (uint8_t)rng(), (uint8_t)rng()};
        unsigned width = 1u << rng() % 3;
        switch (rng() % 8) {
        case 0:
            for (unsigned k = 0; k < n; k++) host[k] = (uint8_t)rng(), model[which][to + k] = host[k];
            assert_int_equal(eng_memory_copy(m, a[which]->address + to, (uintptr_t)host, n, ENG_HOST_TO_DEVICE, NULL), WG_OK);
            break;
        case 1:
            assert_int_equal(eng_memory_copy(m, a[1 - which]->address + to, a[which]->address + from, n, ENG_DEVICE_TO_DEVICE, NULL), WG_OK);
            memcpy(model[1 - which] + to, model[which] + from, n * sizeof(int));
            break;
        case 2:
            assert_int_equal(eng_memory_fill(m, a[which]->address + to, v, width, n / width, NULL), WG_OK);
            for (unsigned k = 0; k < n / width * width; k++) model[which][to + k] = v[k % width];
            break;
        case 3: /* now and then a new one, so that undefined bytes do not run out */
            if (rng() % 40) break;
            assert_int_equal(eng_memory_release(m, a[which]->address, NULL), WG_OK);
            a[which] = alloc(m, SIZE);
            memset(model[which], -1, sizeof model[which]);
            break;
        default:
            assert_int_equal(eng_memory_copy(m, (uintptr_t)host, a[which]->address + from, n, ENG_DEVICE_TO_HOST, NULL), WG_OK);
            bool all = true;
            for (unsigned k = 0; k < n; k++) {
                int want = model[which][from + k];
                all &= want >= 0;
                assert_int_equal(host[k], want >= 0 ? want : pattern_at(a[which]->address + from + k));
            }
            assert_int_equal(eng_memory_defined(m, a[which]->address + from, n), all);
            uint64_t start, size, s = from;
            while (s < SIZE && model[which][s] >= 0) s++;
            uint64_t e = s;
            while (e < SIZE && model[which][e] < 0) e++;
            assert_int_equal(eng_memory_gap(m, a[which], from, &start, &size), s < SIZE);
            assert_int_equal(start, s);
            assert_int_equal(size, e - s);
        }
    }
    eng_memory_free(m);
}

static void reads_agree_with_a_model(void **state) {
    (void)state;
    enum { N = 2003 };
    static uint64_t want[N];
    eng_memory *m = new_memory(gib);
    const eng_allocation *a = alloc(m, N);
    mem_plane other = {.words = calloc(1 << 22, 2), .bytes = calloc(1 << 23, 1)};
    uint64_t at = a->address - m->base;
    ((mem_alloc *)(uintptr_t)a)->was_read = true;
    for (int round = 0; round < 20000; round++) {
        unsigned from = rng() % N, n = 1 + rng() % 512, times = rng() % 8 ? 1 : 1 + rng() % 32;
        if (rng() % 2) from &= ~3u, n = (n + 3) & ~3u;
        if (rng() % 8 == 0) from = 64, n = 4, times = 32; /* one word, over and over: it must not saturate */
        if (rng() % 8 == 0) from = 77, n = 1, times = 32;
        if (from + n > N) n = N - from;
        mem_reads_run(rng() % 3 ? &m->plane : &other, at + from, n, (int)times);
        for (unsigned k = 0; k < n; k++) want[from + k] += times;
    }
    uint8_t *dirty = malloc(1 << 18);
    memset(dirty, 1, 1 << 18);
    mem_reads_merge(&m->plane, &other, (const mem_alloc *)a, dirty);
    free(dirty);
    mem_reads_merge_spills(&m->plane, &other);
    assert_true(want[64] > 65536);
    for (unsigned width = 1; width <= 16; width *= 2) {
        eng_read_map map;
        uint64_t counts[37], i = 0, distinct = 0, sum = 0;
        assert_int_equal(eng_read_map_open(&map, m, a, width), WG_OK);
        for (size_t n; (n = eng_read_map_next(&map, counts, 37));)
            for (size_t k = 0; k < n; k++, i += width) {
                uint64_t most = 0;
                for (uint64_t b = i; b < i + width && b < N; b++) most = want[b] > most ? want[b] : most;
                assert_true(counts[k] == most);
                distinct += most != 0;
                sum += most;
            }
        eng_read_map_close(&map);
        assert_true(i >= N && i < N + width);
        eng_read_summary s;
        assert_int_equal(eng_memory_read_summary(m, a, width, &s), WG_OK);
        assert_true(s.distinct == distinct && s.reads == sum && s.elements == (N + width - 1) / width);
    }
    assert_true(eng_memory_reads(m, a->address + 77, 1) == want[77]);
    eng_memory_reads_reset(m);
    assert_int_equal(eng_memory_reads(m, a->address + 64, 4), 0);
    for (size_t i = 0; i < 1 << 22; i++) assert_int_equal(other.words[i], 0);
    free(other.words);
    free(other.bytes);
    eng_memory_free(m);
}

static unsigned released;
static void count_release(void *ctx, const eng_allocation *a) {
    eng_memory *m = ctx;
    released += eng_memory_defined(m, a->address, 4);
}

static void release_is_announced_before_the_shadows_go(void **state) {
    (void)state;
    eng_memory *m = new_memory(gib);
    const eng_allocation *a = alloc(m, 64);
    eng_memory_on_release(m, count_release, m);
    uint32_t zero = 0;
    eng_memory_fill(m, a->address, &zero, 4, 16, NULL);
    eng_memory_set_name(m, a->address, "table");
    void *stack[2] = {&zero, &stack};
    eng_memory_set_stack(m, a->address, stack, 2, false);
    assert_string_equal(a->name, "table");
    assert_int_equal(a->n_stack, 2);
    eng_memory_release(m, a->address, NULL);
    assert_int_equal(released, 1);
    eng_memory_free(m);
}

/* A store to another range looks each time how much of the allocation's beginning is defined by now. Where nothing is, that
 * must not take a walk to the first byte that is: 14 GiB further on here, half a second away. */
static void an_undefined_beginning_is_not_measured(void **state) {
    (void)state;
    const uint64_t size = 14 * gib;
    eng_memory *m = new_memory(16 * gib);
    const eng_allocation *a = alloc(m, size);
    uint32_t word = 7;
    assert_int_equal(eng_memory_copy(m, a->address + size - 4, (uintptr_t)&word, 4, ENG_HOST_TO_DEVICE, NULL), WG_OK);
    assert_int_equal(eng_memory_begin(m, 1, false, false, NULL), WG_OK);
    eng_view *v = eng_memory_view(m, 0);
    clock_t start = clock();
    for (unsigned i = 0; i < 1000; i++) {
        mem_range range = {0};
        assert_true(mem_range_fill(v, &range, a->address + 64 * i, ENG_WRITE));
        assert_int_equal(range.plain, 0);
        assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
    }
    eng_memory_end(m, true);
    eng_memory_free(m);
}

static void check_unwritten(eng_memory *m, const eng_allocation *a, uint64_t from, uint64_t start, uint64_t size) {
    uint64_t at, n;
    assert_int_equal(eng_memory_unwritten(m, a, from, &at, &n), size != 0);
    if (!size) return;
    assert_int_equal(at, start);
    assert_int_equal(n, size);
}

/* What an undefined value was stored to is undefined, but somebody wrote it: a copy of it is no different. */
static void undefined_values_are_stored_too(void **state) {
    (void)state;
    eng_memory *m = new_memory(gib);
    const eng_allocation *a = alloc(m, 64), *b = alloc(m, 64);
    const uint8_t zero = 0;
    const eng_undefined_store store = {0};
    uint64_t at, n;
    assert_int_equal(eng_memory_begin(m, 1, false, false, NULL), WG_OK);
    assert_true(mem_undefine_bytes(eng_memory_view(m, 0), a->address + 16, 0xffff, &store));
    eng_memory_end(m, true);
    assert_true(eng_memory_gap(m, a, 0, &at, &n));
    assert_int_equal(n, 64);
    assert_int_equal(eng_memory_copy(m, b->address, a->address, 64, ENG_DEVICE_TO_DEVICE, NULL), WG_OK);
    for (unsigned k = 0; k < 2; k++) {
        check_unwritten(m, k ? b : a, 0, 0, 16);
        check_unwritten(m, k ? b : a, 16, 32, 32);
    }
    assert_int_equal(eng_memory_fill(m, a->address + 32, &zero, 1, 32, NULL), WG_OK);
    check_unwritten(m, a, 16, 0, 0);
    assert_int_equal(eng_memory_copy(m, b->address + 16, b->address, 16, ENG_DEVICE_TO_DEVICE, NULL), WG_OK); /* what nobody wrote */
    check_unwritten(m, b, 0, 0, 64);
    eng_memory_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_aligned_apart_and_found), cmocka_unit_test(large_memory_costs_nothing_until_touched),
        cmocka_unit_test(full_device_and_full_host_are_errors),  cmocka_unit_test(wrong_frees_are_told_apart),
        cmocka_unit_test(addresses_come_back_when_none_are_left), cmocka_unit_test(host_reaches_only_pinned_and_managed),
        cmocka_unit_test(registered_memory_is_known),            cmocka_unit_test(ranges_are_checked_whole),
        cmocka_unit_test(copies_agree_with_a_model),             cmocka_unit_test(reads_agree_with_a_model),
        cmocka_unit_test(release_is_announced_before_the_shadows_go), cmocka_unit_test(an_undefined_beginning_is_not_measured),
        cmocka_unit_test(undefined_values_are_stored_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
