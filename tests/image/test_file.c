/* Files and wrappers, down to their entries. */
#include "fixture.h"

#include "image/fatbin.h"

static img_file *open_data(const char *name) {
    char path[600];
    wg_error err = {0};
    img_file *file = NULL;
    snprintf(path, sizeof path, "%s/%s", WG_TEST_DATA, name);
    if (img_open(path, &file, &err) != WG_OK) fail_msg("%s", err.text);
    return file;
}

static void check_tiny(const img_file *f) {
    const struct {
        img_kind kind;
        int sm;
        bool specific;
    } expected[] = {
        {IMG_CUBIN, 75, false}, {IMG_CUBIN, 80, false}, {IMG_PTX, 80, false}, {IMG_CUBIN, 90, true}};
    assert_int_equal(f->n_containers, 1);
    assert_int_equal(f->n_entries, 4);
    for (int i = 0; i < 4; i++) {
        const img_entry *e = &f->entries[i];
        assert_int_equal(e->kind, expected[i].kind);
        assert_int_equal(e->sm, expected[i].sm);
        assert_int_equal(e->arch_specific, expected[i].specific);
        assert_int_equal(e->container, 0);
        if (e->kind == IMG_PTX) {
            assert_int_equal(strlen((const char *)e->data), e->size);
            assert_non_null(strstr((const char *)e->data, ".entry _Z5twicePi"));
            continue;
        }
        img_module *m;
        wg_error err = {0};
        assert_int_equal(img_module_read(e->data, e->size, &m, &err), WG_OK);
        assert_int_equal(m->sm, e->sm);
        assert_int_equal(m->arch_specific, e->arch_specific);
        assert_non_null(img_find_function(m, "twice"));
        assert_non_null(img_find_function(m, "times"));
        img_module_free(m);
    }
}

static void every_compression_gives_the_same(void **state) {
    (void)state;
    const char *const names[] = {"fatbin/tiny_stored.fatbin", "fatbin/tiny_zstd.fatbin",
                                 "fatbin/tiny_lz4.fatbin"};
    img_file *stored = open_data(names[0]);
    for (int i = 0; i < 3; i++) {
        img_file *f = open_data(names[i]);
        assert_false(f->has_host_elf);
        check_tiny(f);
        for (size_t k = 0; k < f->n_entries; k++) {
            assert_int_equal(f->entries[k].size, stored->entries[k].size);
            assert_memory_equal(f->entries[k].data, stored->entries[k].data, stored->entries[k].size);
        }
        img_close(f);
    }
    img_close(stored);
}

static void host_objects_carry_fatbins(void **state) {
    (void)state;
    img_file *f = open_data("fatbin/tiny_host.o");
    assert_true(f->has_host_elf);
    check_tiny(f);
    img_close(f);
    f = open_data("fatbin/linked_b.o"); /* not linked: __nv_relfatbin */
    assert_true(f->has_host_elf);
    assert_int_equal(f->n_entries, 4);
    img_module *m;
    wg_error err = {0};
    assert_int_equal(img_module_read(f->entries[0].data, f->entries[0].size, &m, &err), WG_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "relocatable"));
    img_close(f);
}

static void single_images_stand_alone(void **state) {
    (void)state;
    img_file *f = open_data("cubin/probe_sm90.cubin");
    assert_int_equal(f->n_entries, 1);
    assert_int_equal(f->entries[0].kind, IMG_CUBIN);
    assert_int_equal(f->entries[0].sm, 90);
    img_close(f);
    f = open_data("fatbin/tiny.ptx");
    assert_int_equal(f->n_entries, 1);
    assert_int_equal(f->entries[0].kind, IMG_PTX);
    assert_int_equal(f->entries[0].sm, 80);
    img_close(f);
    wg_error err = {0};
    assert_int_equal(img_open("/proc/self/exe", &f, &err), WG_OK); /* no CUDA in it */
    assert_true(f->has_host_elf);
    assert_int_equal(f->n_entries, 0);
    img_close(f);
}

static void other_files_are_refused_by_name(void **state) {
    (void)state;
    img_file *f;
    wg_error err = {0};
    assert_int_equal(img_open("/nowhere/at/all", &f, &err), WG_ERR_IO);
    assert_non_null(strstr(err.text, "/nowhere/at/all"));
    assert_int_equal(img_open(WG_TEST_DATA "/tiny.cu", &f, &err), WG_ERR_FORMAT);
    assert_non_null(strstr(err.text, "tiny.cu: neither"));
    assert_int_equal(img_open_memory("", 0, &f, &err), WG_ERR_FORMAT);
    assert_int_equal(img_open_memory("!<arch>\n", 8, &f, &err), WG_ERR_UNSUPPORTED);
    assert_int_equal(img_open_memory("\177ELF\1\1\1", 8, &f, &err), WG_ERR_FORMAT);
    assert_null(f);
    img_close(NULL);
}

/* --- which entry runs where ------------------------------------------------------------ */

static void the_newest_that_runs_is_chosen(void **state) {
    (void)state;
    img_file *f = open_data("fatbin/tiny_zstd.fatbin"); /* 75, 80, PTX 80, 90a */
    const struct {
        int device, sm;
        bool ptx;
    } expected[] = {{75, 75, false}, {80, 80, false}, {86, 80, false}, {89, 80, false},
                    {90, 90, false}, {100, 80, true}, {120, 80, true}};
    wg_error err = {0};
    const img_entry *e;
    bool ptxas;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(img_choose(f, 0, expected[i].device, &e, &ptxas, &err), WG_OK);
        assert_int_equal(e->sm, expected[i].sm);
        assert_int_equal(ptxas, expected[i].ptx);
        assert_int_equal(e->kind, expected[i].ptx ? IMG_PTX : IMG_CUBIN);
    }
    assert_int_equal(img_choose(f, 0, 70, &e, &ptxas, &err), WG_ERR_NOT_FOUND);
    assert_null(e);
    assert_non_null(strstr(err.text, "7.0"));
    assert_non_null(strstr(err.text, "code for sm 90a"));
    assert_int_equal(img_choose(f, 1, 80, &e, &ptxas, &err), WG_ERR_NOT_FOUND); /* no such container */
    img_close(f);
}

static void specific_code_runs_on_its_own_alone(void **state) {
    (void)state;
    img_entry entries[] = {{.kind = IMG_CUBIN, .sm = 100, .arch_specific = true},
                           {.kind = IMG_CUBIN, .sm = 100},
                           {.kind = IMG_PTX, .sm = 100, .family = true},
                           {.kind = IMG_PTX, .sm = 90, .arch_specific = true}};
    img_file f = {.entries = entries, .n_entries = 4, .n_containers = 1};
    const img_entry *e;
    bool ptxas;
    assert_int_equal(img_choose(&f, 0, 100, &e, &ptxas, NULL), WG_OK);
    assert_ptr_equal(e, &entries[0]);
    assert_int_equal(img_choose(&f, 0, 103, &e, &ptxas, NULL), WG_OK);
    assert_ptr_equal(e, &entries[1]);
    f.n_entries = 4, entries[1].kind = IMG_PTX, entries[1].sm = 120; /* now only the family's PTX fits 10.3 */
    assert_int_equal(img_choose(&f, 0, 103, &e, &ptxas, NULL), WG_OK);
    assert_ptr_equal(e, &entries[2]);
    assert_int_equal(img_choose(&f, 0, 110, &e, &ptxas, NULL), WG_ERR_NOT_FOUND);
}

/* --- wrappers --------------------------------------------------------------------------- */

typedef struct wrapper {
    int32_t magic, version;
    const void *data, *prelinked;
} wrapper;
enum { MAGIC = 0x466243b1 };

static void wrappers_lead_to_their_container(void **state) {
    (void)state;
    wg_arena *arena = wg_arena_new();
    wg_bytes bytes = test_data(arena, "fatbin/tiny_zstd.fatbin");
    wg_error err = {0};
    for (int version = 1; version <= 2; version++) {
        wrapper w = {MAGIC, version, bytes.data, NULL};
        img_file *f;
        assert_int_equal(img_open_wrapper(&w, &f, &err), WG_OK);
        check_tiny(f);
        img_close(f);
    }
    wg_bytes cubin = test_data(arena, "cubin/probe_sm80.cubin");
    wrapper bare = {MAGIC, 1, cubin.data, NULL};
    img_file *f;
    assert_int_equal(img_open_wrapper(&bare, &f, &err), WG_OK);
    assert_int_equal(f->n_entries, 1);
    assert_int_equal(f->entries[0].size, cubin.size);
    img_close(f);
    wrapper wrong = {1234, 1, bytes.data, NULL}, newer = {MAGIC, 3, bytes.data, NULL},
            empty = {MAGIC, 1, NULL, NULL};
    assert_int_equal(img_open_wrapper(&wrong, &f, &err), WG_ERR_FORMAT);
    assert_int_equal(img_open_wrapper(&newer, &f, &err), WG_ERR_UNSUPPORTED);
    assert_int_equal(img_open_wrapper(&empty, &f, &err), WG_ERR_FORMAT);
    assert_int_equal(img_open_wrapper(NULL, &f, &err), WG_ERR_FORMAT);
    wg_arena_free(arena);
}

/* -rdc with PTX alone: the linked container is empty, what would have to be linked stands in the list. */
static void relocatable_ptx_is_named(void **state) {
    (void)state;
    wg_arena *arena = wg_arena_new();
    static const struct {
        uint32_t magic;
        uint16_t version, header;
        uint64_t size;
    } empty = {0xba55ed50, 1, 16, 0};
    wg_bytes tiny = test_data(arena, "fatbin/tiny_zstd.fatbin");
    const void *nothing[] = {&empty, NULL}, *kernels[] = {&empty, tiny.data, NULL};
    wrapper quiet = {MAGIC, 2, &empty, nothing}, none = {MAGIC, 2, &empty, NULL},
            waits = {MAGIC, 2, &empty, kernels};
    wg_error err = {0};
    img_file *f;
    assert_int_equal(img_open_wrapper(&quiet, &f, &err), WG_OK);
    assert_int_equal(f->n_entries, 0);
    img_close(f);
    assert_int_equal(img_open_wrapper(&none, &f, &err), WG_OK);
    img_close(f);
    assert_int_equal(img_open_wrapper(&waits, &f, &err), WG_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "-rdc=true -arch=sm_80"));
    assert_null(f);
    wg_arena_free(arena);
}

/* A container in a loaded object that claims to reach beyond that object. */
static const struct {
    uint32_t magic;
    uint16_t version, header;
    uint64_t size;
} lying = {0xba55ed50, 1, 16, 1ull << 40};

static void live_memory_is_not_read_past_its_object(void **state) {
    (void)state;
    wrapper w = {MAGIC, 1, &lying, NULL};
    img_file *f;
    wg_error err = {0};
    assert_int_equal(img_open_wrapper(&w, &f, &err), WG_ERR_FORMAT);
    assert_non_null(strstr(err.text, "larger"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_compression_gives_the_same),
        cmocka_unit_test(host_objects_carry_fatbins),
        cmocka_unit_test(single_images_stand_alone),
        cmocka_unit_test(other_files_are_refused_by_name),
        cmocka_unit_test(the_newest_that_runs_is_chosen),
        cmocka_unit_test(specific_code_runs_on_its_own_alone),
        cmocka_unit_test(wrappers_lead_to_their_container),
        cmocka_unit_test(relocatable_ptx_is_named),
        cmocka_unit_test(live_memory_is_not_read_past_its_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
