/* Names as people write them. */
#include "fixture.h"

#include "image/names.h"

static void check(const char *mangled, const char *expected) {
    wg_arena *arena = wg_arena_new();
    assert_string_equal(img_demangle(arena, mangled), expected);
    wg_arena_free(arena);
}

static void names_are_demangled(void **state) {
    (void)state;
    check("_Z5blendILi128EEvPfic", "void blend<128>(float*, int, char)");
    check("_ZN2ns6chooseEPii", "ns::choose(int*, int)");
    check("plain", "plain");
    check("", "");
    check("_Z", "_Z");
    check("_Znonsense", "_Znonsense");
}

static void marks_of_the_compiler_are_dropped(void **state) {
    (void)state;
    check("__nv_static_22__d830f36b_5_t1_cu_main__Z2skPi", "sk(int*)");
    check("__nv_static_22__d830f36b_5_t1_cu_main_c", "c");
    check("__nv_static_9999_x", "__nv_static_9999_x");
    check("__nv_static_", "__nv_static_");
    check("_ZN35_INTERNAL_bb71682b_8_probe_cu_steps10__syncwarpEj", "__syncwarp(unsigned int)");
    assert_string_equal(img_inner_name("$_Z1kPii$_Z2f1i"), "_Z2f1i");
    assert_string_equal(img_inner_name("$__internal_0_$__cuda_sm20_rcp"), "__cuda_sm20_rcp");
    assert_string_equal(img_inner_name("$str"), "$str");
    assert_string_equal(img_inner_name("$"), "$");
}

static void deep_names_do_no_harm(void **state) {
    (void)state;
    size_t n = 200 * 1000;
    char *name = malloc(n + 1);
    memset(name, 'P', n);
    memcpy(name, "_Z1f", 4);
    name[n] = 0;
    check(name, name); /* longer than any program's */
    name[20 * 1000] = 0;
    wg_arena *arena = wg_arena_new();
    assert_non_null(img_demangle(arena, name));
    wg_arena_free(arena);
    free(name);
}

static void a_kernel_answers_to_several_names(void **state) {
    (void)state;
    const char *mangled = "_Z5blendILi128EEvPfic", *demangled = "void blend<128>(float*, int, char)";
    assert_true(img_name_matches(mangled, demangled, "blend"));
    assert_true(img_name_matches(mangled, demangled, "blend<128>"));
    assert_true(img_name_matches(mangled, demangled, "blend<128>(float*, int, char)"));
    assert_true(img_name_matches(mangled, demangled, mangled));
    assert_false(img_name_matches(mangled, demangled, "blen"));
    assert_false(img_name_matches(mangled, demangled, "void"));
    assert_false(img_name_matches(mangled, demangled, ""));
    const char *nested = "(anonymous namespace)::run(void (*)(int), ns::list<int (*)(int)>)";
    assert_true(img_name_matches("x", nested, "(anonymous namespace)::run"));
    const char *op = "ns::functor<(lambda at f.cu:3)>::operator()(int) const";
    (void)img_name_matches("x", op, "ns::functor"); /* must only not crash */
    assert_true(img_name_matches("plain", "plain", "plain"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_demangled),
        cmocka_unit_test(marks_of_the_compiler_are_dropped),
        cmocka_unit_test(deep_names_do_no_harm),
        cmocka_unit_test(a_kernel_answers_to_several_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
