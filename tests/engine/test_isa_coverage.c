/* Every row of isa.def that the engine executes is executed here, by kernels whose results the host knows: those of
 * isa.cu, checked below, and those of probe.cu, which test_families.c checks. A row that nothing executes is named. */
#include "conformance/ptx/cubin.h"
#include "engine/harness.h"

#include <math.h>
#include <stdio.h>

#include "engine/code.h"
#include "engine/plan.h"
#include "engine/small_float.h"

enum { N = 1024, THREADS = 128 };
typedef struct inputs { uint32_t a[N], b[N], c[N]; } inputs;
static inputs in;
static uint32_t table[256];

static uint32_t state_ = 7;
static uint32_t random_word(void) {
    static const uint32_t special[] = {0, 1, 2, 5, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                       0x7fc00000, 0x807fffff, 0x4f000000, 0x7bff3c00, 0x80018000, 0x4b000001, 0x00ff8000};
    state_ = state_ * 1664525u + 1013904223u;
    uint32_t high = state_ & 0xffff0000u, kind = state_ >> 29;
    state_ = state_ * 1664525u + 1013904223u;
    uint32_t word = high | state_ >> 16;
    if (kind == 0) return special[word % (sizeof special / sizeof *special)];
    if (kind == 1) return word >> (word & 31);
    if (kind < 4) return (word & 0x807fffffu) | (110 + word % 37) << 23;
    return word;
}
static void make_inputs(void) {
    for (int k = 0; k < N; k++) in.a[k] = random_word(), in.b[k] = random_word(), in.c[k] = random_word();
    for (int k = 0; k < 256; k++) table[k] = random_word();
}

/* --- what has been executed --------------------------------------------------------------------- */

static bool executed[SASS_OP_COUNT];

/* Moves whose value nobody reads are counted, but not executed (constants.c): they do not show that a handler works. */
static bool elided(const machine *m, unsigned function, unsigned instr) {
    for (const eng_plan *plan = m->code->plans; plan; plan = plan->next)
        for (size_t u = 0; u < plan->units.count; u++)
            if (plan->units.at[u].function == function && plan->units.at[u].elided && plan->units.at[u].elided[instr]) return true;
    return false;
}
static void note(const machine *m) {
    for (size_t f = 0; f < m->result.n_functions; f++) {
        if (!m->result.counts[f]) continue;
        const img_function *function = &m->module->functions[f];
        const sass_instr *instrs = eng_instructions(m->code, function);
        for (unsigned i = 0; i < function->code_size / 16; i++) {
            const eng_instr_count *c = &m->result.counts[f][i];
            const bool always = instrs[i].op == SASS_ACQBULK; /* P0, by which its lanes count as on, is no guard */
            if ((always ? c->lanes : c->lanes_on) && !elided(m, (unsigned)f, i)) executed[instrs[i].op] = true;
        }
    }
}

/* --- the host's answers ------------------------------------------------------------------------- */

static uint64_t word_pair(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }
static float f(uint32_t w) { float v; memcpy(&v, &w, 4); return v; }
static uint32_t bits(float v) { uint32_t w; memcpy(&w, &v, 4); return v != v ? 0x7fffffff : w; }
static double half_of(uint32_t w) { return (double)small_decode((uint16_t)w, false); }
static uint32_t half_bits(double v) { return small_encode(v, false, SASS_RN); }
static double each_half(uint32_t w, int k) { return half_of(w >> 16 * k & 0xffff); }
static int64_t clamp(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

typedef uint64_t vector_answer(int i);
#define VECTOR(name, ...)                                                  \
    static uint64_t host_##name(int i) {                                   \
        uint32_t a = in.a[i], b = in.b[i], c = in.c[i];                    \
        uint64_t r = 0;                                                    \
        (void)a, (void)b, (void)c;                                         \
        __VA_ARGS__;                                                       \
        return r;                                                          \
    }
typedef uint64_t uniform_answer(uint32_t a, uint32_t b, uint32_t c);
#define UNIFORM(name, ...)                                                 \
    static uint64_t host_##name(uint32_t a, uint32_t b, uint32_t c) {      \
        uint64_t r = 0;                                                    \
        (void)b, (void)c;                                                  \
        __VA_ARGS__;                                                       \
        return r;                                                          \
    }
static uint32_t bytes_apart(uint32_t a, uint32_t b, bool sum) {
    uint32_t r = 0;
    for (int k = 0; k < 32; k += 8) {
        int x = (int)(a >> k & 0xff), y = (int)(b >> k & 0xff);
        r += (uint32_t)abs(x - y) << (sum ? 0 : k);
    }
    return r;
}
static uint32_t extend(uint32_t a, uint32_t n, bool is_signed) {
    if (n == 0) return 0;
    if (n >= 32) return a;
    uint32_t low = a & ((1u << n) - 1);
    return is_signed && low >> (n - 1) ? low | UINT32_MAX << n : low;
}
static uint32_t field(uint32_t at, uint32_t width) {
    uint32_t ones = width >= 32 ? UINT32_MAX : (1u << width) - 1;
    return at >= 32 ? 0 : ones << at;
}
VECTOR(v_sad4, r = bytes_apart(a, b, false))
VECTOR(v_sad4_sum, r = bytes_apart(a, b, true) + c)
VECTOR(v_szext, r = word_pair(extend(a, c & 63, false), extend(a, b & 31, true)))
VECTOR(v_bmsk, r = word_pair(field(a & 63, b & 63), field(a & 31, b & 31)))
VECTOR(v_pack, r = c << 16 | (clamp((int32_t)a, -128, 127) & 0xff) << 8 | (clamp((int32_t)b, -128, 127) & 0xff))
VECTOR(v_pack16, r = (uint64_t)(clamp((int32_t)a, 0, 65535) << 16 | clamp((int32_t)b, 0, 65535)))
VECTOR(v_sat8, r = word_pair(clamp((int32_t)a, -128, 127) & 0xff, (uint32_t)clamp((int32_t)b, 0, 65535)))
VECTOR(v_fset, r = f(a) < f(b) ? 0x3f800000 : 0)
VECTOR(v_halves, {
    bool equal = true, not_less = true;
    for (int k = 0; k < 2; k++) {
        r |= (uint64_t)(each_half(a, k) < each_half(b, k) ? 0x3c00 : 0) << 16 * k;
        equal &= each_half(a, k) == each_half(b, k), not_less &= each_half(a, k) >= each_half(b, k);
    }
    r |= (uint64_t)equal << 32 | (uint64_t)not_less << 33;
})
VECTOR(v_hmul, for (int k = 0; k < 2; k++) r |= (uint64_t)half_bits(each_half(a, k) * each_half(b, k)) << 16 * k)
static double half_fma(double x, double y, double z) { return half_of(half_bits((double)((long double)x * y + z))); }
VECTOR(v_hchain, {
    for (int k = 0; k < 2; k++) {
        double x = each_half(a, k), y = each_half(b, k), z = each_half(c, k), s = x;
        for (int n = 0; n < 4; n++) s = half_fma(s, y, z), y = half_fma(y, x, z);
        r |= (uint64_t)half_bits(s + y) << 16 * k;
    }
})
static double less_of(double x, double y) { return x != x ? y : y != y ? x : x == y ? (signbit(x) ? x : y) : x < y ? x : y; }
VECTOR(v_hminmax, {
    for (int k = 0; k < 2; k++) {
        double x = each_half(a, k), y = each_half(b, k);
        r |= (uint64_t)half_bits(less_of(x, y)) << 16 * k | (uint64_t)half_bits(-less_of(-x, -y)) << (32 + 16 * k);
    }
})
VECTOR(v_f2d, {
    double x = (double)f(a), z = rint(x);
    uint64_t w;
    memcpy(&w, &z, 8);
    r = x != x || x <= -0x1p63 ? (uint64_t)INT64_MIN : x >= 0x1p63 ? INT64_MAX : (uint64_t)(int64_t)x;
    if (z == z) r ^= w;
})
VECTOR(v_f2h, r = f(a) != f(a) ? (a >> 16 & 0x8000) | 0x7e00 | (a >> 13 & 0x3ff) : small_encode((double)f(a), false, SASS_RZ_))
VECTOR(v_int8, r = bits(fmaf((float)(uint8_t)(b >> 8), (float)(c >> 16), (float)(int8_t)a)))
VECTOR(v_ftz, r = bits(rintf(f(a))))
VECTOR(v_half_round, {
    double h = half_of(b);
    r = word_pair(half_bits(rint(half_of(a))), h != h ? 0 : (uint32_t)clamp(isinf(h) ? h > 0 ? INT64_MAX : INT64_MIN : (int64_t)h, INT32_MIN, INT32_MAX));
})
VECTOR(v_flags, {
    bool p[12];
    for (uint32_t k = 0; k < 12; k++) p[k] = (int32_t)(a + k * 77) < (int32_t)(b >> k);
    for (int n = 0; n < 3; n++)
        for (uint32_t k = 0; k < 12; k++) {
            if (p[k]) r = r * 3 + c + k;
            if (p[(k + 5) % 12] != p[k]) r ^= r >> 7;
        }
})
VECTOR(v_choose, {
    float x = (float)(a & 0xffff), y = (float)(b & 0xffff);
    x = x < y ? x : -y;
    y = x > 9.0f ? y + x : x;
    r = bits(fmaf(x, y, x));
})
VECTOR(v_half_order, r = half_of(a) < half_of(b) ? a + c : half_of(a) == half_of(b) ? b : c)
VECTOR(v_half_up, r = small_encode((double)f(a), false, SASS_RP) | (uint32_t)small_encode((double)f(b), false, SASS_RM) << 16)
VECTOR(v_many_flags, {
    bool p[16];
    for (int k = 0; k < 16; k++) p[k] = (a >> k & b >> (31 - k) & 1) != 0;
    for (uint32_t n = 0; n < (c & 7); n++)
        for (uint32_t k = 0; k < 16; k++) {
            if (p[k]) r = r * 3 + k;
            p[k] = p[k] != p[(k + 3) & 15];
        }
})
VECTOR(v_clock, r = 1)
static int32_t least(int32_t x, int32_t y) { return x < y ? x : y; }
static int32_t most(int32_t x, int32_t y) { return x > y ? x : y; }
VECTOR(v_minmax3, {
    int32_t x = (int32_t)a, y = (int32_t)b, z = (int32_t)c;
    uint32_t m = a > b ? a : b;
    r = word_pair((uint32_t)least(least(x, y), z) ^ (uint32_t)most((int32_t)(a + b), z), m > c ? m : c);
})
VECTOR(v_dpx, {
    int32_t x = (int32_t)a, y = (int32_t)b, z = (int32_t)c;
    r = word_pair((uint32_t)most(most(x, y), z), (uint32_t)most(most((int32_t)(a + b), z), 0));
})


VECTOR(m_spaces, {
    unsigned kind = c & 3;
    r = kind == 0 ? word_pair(a, 1) : kind == 1 ? word_pair((uint32_t)i & 63, 2) : word_pair(c >> 2 & 1 ? b : a, 4);
})
VECTOR(m_generic_atomics, r = word_pair(a, a + b) ^ c)
VECTOR(m_generic_float, r = word_pair(bits((float)(a & 0xffff)), bits((float)(a & 0xffff) + (float)(b & 0xffff))))
VECTOR(m_global_atomics, {
    uint32_t low = a > b ? a : b;
    r = (uint64_t)a + low;
    if (low == a) low = c;
    r ^= 0x3fc00000;
    r += (uint64_t)(low + 7) << 32;
    r ^= bits(1.5f + (float)(c & 0xff) + 2.0f);
})
VECTOR(m_shared_atomics, r = word_pair(in.a[i ^ 1], a + in.b[i ^ 1]))
VECTOR(m_fences, r = (uint64_t)a + b)
VECTOR(m_matrix, {
    const uint32_t *tile = in.a + i / THREADS * THREADS + i % THREADS / 64 * 64;
    r = word_pair(tile[i % 32], tile[32 + i % 32]);
})
VECTOR(m_async, r = in.b[i ^ 3])
VECTOR(m_constant, r = table[a & 255] + table[i / THREADS] * UINT64_C(2))

VECTOR(t_pointers, {
    for (uint32_t k = 0; k < (b & 3); k++) {
        uint32_t x = c + k;
        r += (a + k) % 3 == 0 ? x * 2 : (a + k) % 3 == 1 ? ~x : x << 16 | x >> 16;
    }
})
static uint64_t jumped(uint32_t a, uint32_t b, uint32_t c) {
    switch (a & 7) {
    case 0: return word_pair(b * 3 + 1, c);
    case 1: return word_pair(b, 4 * b);
    case 2: return word_pair(b / 3, c);
    case 3: return word_pair(b, c ^ 7);
    case 4: return word_pair(b, (uint32_t)__builtin_popcount(b));
    case 5: return word_pair(c % 5, c);
    case 6: return word_pair(b, b | 1);
    default: return word_pair(0, c);
    }
}
VECTOR(t_table, r = jumped(a, b, c))
VECTOR(t_break, {
    for (uint32_t x = a & 15; x < 40; x++) {
        uint32_t y = b & 7;
        while (true) {
            r += x * y;
            if (r % 31 == c % 31) return r + 1000;
            if (++y > 9 + (x & 3)) break;
            if (r % 5 == 2) { r += 3; break; }
        }
        r ^= 1;
    }
    r += 1000;
})
VECTOR(t_heap, r = a ^ b)
VECTOR(t_sleep, r = a)
#define EACH_LANE(k) for (int k = i & ~31; k < (i & ~31) + 32; k++)
VECTOR(t_syncs, {
    uint32_t votes = 0;
    int first = -1, same = 0;
    EACH_LANE(k) {
        if (in.a[k] & 1) first = first < 0 ? k : first;
        else votes |= (in.b[k] >> 1 & 1) << (k & 31);
        same += (in.a[k] & 3) == 1;
    }
    r = a & 1 ? in.b[first] : (uint64_t)votes << 32;
    if ((a & 3) == 1) r += (uint64_t)same;
})
VECTOR(t_match_all, {
    bool all = true;
    EACH_LANE(k) all &= in.a[k] >> 31 == a >> 31;
    r = all ? word_pair(UINT32_MAX, 1) : 0;
})
VECTOR(t_vote, {
    uint32_t any = 0;
    EACH_LANE(k) {
        r |= (uint64_t)(in.a[k] & 1) << (k & 31);
        any |= in.b[k] == 0;
    }
    r |= (uint64_t)any << 32 | UINT64_C(1) << 33;
})
VECTOR(t_count, {
    uint32_t any = 0;
    for (int k = i / THREADS * THREADS; k < (i / THREADS + 1) * THREADS; k++) r += in.a[k] & 1, any |= in.b[k] == 1;
    r |= (uint64_t)any << 32;
})
VECTOR(t_dependents, r = a + 1)

static uint32_t permute(uint32_t a, uint32_t b, uint32_t s) {
    uint32_t r = 0;
    for (int n = 0; n < 4; n++) r |= (uint32_t)(word_pair(a, b) >> 8 * (s >> 4 * n & 7) & 0xff) << 8 * n;
    return r;
}
static uint32_t reversed(uint32_t a) { uint32_t r = 0; for (int k = 0; k < 32; k++) r |= (a >> k & 1) << (31 - k); return r; }
UNIFORM(u_add, r = (uint64_t)(a + b * 3) + ((uint64_t)c << 20))
UNIFORM(u_wide, r = (uint64_t)a * b + c)
UNIFORM(u_swide, r = (uint64_t)((int64_t)(int32_t)a * (int32_t)b))
UNIFORM(u_high, r = ((uint64_t)a * b >> 32) + (uint32_t)((int64_t)(int32_t)a * (int32_t)c >> 32))
UNIFORM(u_logic, r = ((a & b) | (~b & c)) ^ 0x1234)
UNIFORM(u_shift, r = word_pair(a, b) >> (c & 31) ^ (uint64_t)(a << (b & 31)))
UNIFORM(u_prmt, r = permute(a, b, 0x6240) ^ permute(a, c, b & 0x7777))
UNIFORM(u_bits, r = (uint32_t)(__builtin_popcount(a) | (b ? __builtin_clz(b) : 32) << 8) | (uint64_t)reversed(c) << 32)
UNIFORM(u_field, r = word_pair(extend(c, b & 31, true), field(a & 31, b & 31)))
UNIFORM(u_select, r = (int32_t)a < (int32_t)b ? (uint64_t)c * 5 : a > c && b != 7 ? b - c : a ^ c)
UNIFORM(u_loop, for (uint32_t k = 0; k < (a & 15); k++) { r = r * 5 + (b >> k); if ((r & 7) == (c & 7)) r += 9; })
UNIFORM(u_table, for (uint32_t k = 0; k < (a & 15); k++) r += table[(b + k * c) & 255])
UNIFORM(u_switch, {
    switch (a & 15) {
    case 0: r = b * UINT64_C(3); break;
    case 1: r = b ^ 0x55; break;
    case 2: r = (uint64_t)__builtin_popcount(c); break;
    case 3: r = b / 7; break;
    case 4: r = b % 11; break;
    case 5: r = ~b; break;
    case 6: r = (uint64_t)b << 3; break;
    case 7: r = b >> 5; break;
    case 8: r = b + 1234; break;
    default: r = 9;
    }
})
UNIFORM(u_jump, r = jumped(a, b, c))
UNIFORM(u_tenth, r = a / 10 + b % 1000)
UNIFORM(u_flags, {
    bool p = a > b, q = b > c, s = (a ^ c) & 1, t = (int32_t)c < 0;
    for (uint32_t k = 0; k < (c & 7); k++) { bool n = (p && q) || (s && !t); p = q != n; q = s; s = t || n; t = n; r = r * 2 + n; }
})
UNIFORM(u_address, r = (uint64_t)a * 16 + b)
UNIFORM(u_lea, r = (a << 4) + b + (((uint64_t)c << 3) + a))
UNIFORM(u_reduce, r = (uint64_t)(a + 5) + ((1u << (b & 31)) - 1))

#define V(name) {#name, host_##name, NULL}
#define U(name) {#name, NULL, host_##name}
static const struct kernel { const char *name; vector_answer *vector; uniform_answer *uniform; } kernels[] = {
    V(v_sad4), V(v_sad4_sum), V(v_szext), V(v_bmsk), V(v_pack), V(v_pack16), V(v_sat8), V(v_fset), V(v_halves), V(v_hmul), V(v_hchain),
    V(v_hminmax), V(v_f2d), V(v_f2h), V(v_int8), V(v_ftz), V(v_half_round), V(v_flags), V(v_choose), V(v_half_order), V(v_half_up),
    V(v_many_flags), V(v_clock), V(v_minmax3), V(v_dpx),
 V(m_spaces), V(m_generic_atomics), V(m_generic_float), V(m_global_atomics), V(m_shared_atomics), V(m_fences),
    V(m_matrix), V(m_async), V(m_constant), V(t_pointers), V(t_table), V(t_break), V(t_heap), V(t_sleep), V(t_syncs), V(t_match_all), V(t_vote), V(t_count),
    V(t_dependents), U(u_add), U(u_wide), U(u_swide), U(u_high), U(u_logic), U(u_shift), U(u_prmt), U(u_bits), U(u_field), U(u_select),
    U(u_loop), U(u_table), U(u_switch), U(u_jump), U(u_tenth), U(u_flags), U(u_address), U(u_lea), U(u_reduce),
};
enum { KERNELS = sizeof kernels / sizeof *kernels };
static bool checked[KERNELS]; /* by at least one architecture */

/* --- running -------------------------------------------------------------------------------------- */

static int wrong;

static void run_vector(machine *m, const char *cubin, const struct kernel *k, const uint64_t at[4]) {
    static uint64_t out[N];
    struct { uint64_t a, b, c, out; } p = {at[0], at[1], at[2], at[3]};
    machine_run(m, k->name, N / THREADS, 1, THREADS, 1, &p);
    note(m);
    machine_read(m, out, p.out, sizeof out);
    for (int i = 0; i < N; i++) {
        if (out[i] == k->vector(i)) continue;
        print_error("%s %s(%08x, %08x, %08x), thread %d = %llx, expected %llx\n", cubin, k->name, in.a[i], in.b[i], in.c[i], i,
                    (unsigned long long)out[i], (unsigned long long)k->vector(i));
        wrong++;
        return;
    }
}
static void run_uniform(machine *m, const char *cubin, const struct kernel *k, uint64_t at) {
    enum { LAUNCHES = 48, LANES = 64 };
    uint64_t out[LANES];
    for (int n = 0; n < LAUNCHES; n++) {
        struct { uint32_t a, b, c; uint64_t out; } p = {in.a[n], in.b[n], in.c[n], at};
        if (n < 16) p.a = (p.a & ~15u) | (uint32_t)n; /* each branch of the switch */
        machine_run(m, k->name, 1, 1, LANES, 1, &p);
        note(m);
        machine_read(m, out, at, sizeof out);
        for (uint64_t l = 0; l < LANES; l++) {
            uint64_t want = k->uniform(p.a, p.b, p.c) + l;
            if (out[l] == want) continue;
            print_error("%s %s(%08x, %08x, %08x), thread %d = %llx, expected %llx\n", cubin, k->name, p.a, p.b, p.c, (int)l,
                        (unsigned long long)out[l], (unsigned long long)want);
            wrong++;
            return;
        }
    }
}

static void run_isa(int sm) {
    char cubin[200];
    snprintf(cubin, sizeof cubin, WG_TEST_DATA "/../engine/isa.sm_%d.cubin", sm);
    machine *m = machine_open(cubin);
    for (size_t v = 0; v < m->module->n_variables; v++)
        if (!strcmp(m->module->variables[v].name, "table")) memcpy(eng_constant(m->code, &m->module->variables[v]), table, sizeof table);
    uint64_t at[4] = {machine_alloc(m, in.a, sizeof in.a), machine_alloc(m, in.b, sizeof in.b), machine_alloc(m, in.c, sizeof in.c),
                      machine_alloc(m, NULL, N * 8)};
    for (int k = 0; k < KERNELS; k++) {
        if (!img_find_function(m->module, kernels[k].name)) continue; /* of later architectures */
        if (sm == 100 && eng_can_run(m->code, img_find_function(m->module, kernels[k].name), &m->err) != WG_OK) continue; /* in part */
        checked[k] = true;
        if (kernels[k].vector) run_vector(m, cubin + sizeof WG_TEST_DATA, &kernels[k], at);
        else run_uniform(m, cubin + sizeof WG_TEST_DATA, &kernels[k], at[3]);
    }
    uint64_t five[32] = {0};
    five[7] = 5;
    struct { uint64_t out; } p = {machine_alloc(m, five, sizeof five)};
    assert_int_equal(machine_launch(m, "t_trap", 1, 1, 32, 1, &p), WG_ERR_FAULT);
    assert_int_equal(m->findings[0].kind, ENG_FAULT_TRAP);
    assert_int_equal(m->findings[0].lanes, 1u << 7);
    note(m);
    machine_close(m);
}

static void run_far(int sm) {
    char cubin[200];
    snprintf(cubin, sizeof cubin, WG_TEST_DATA "/../engine/isa_far.sm_%d.cubin", sm);
    machine *m = machine_open(cubin);
    uint32_t out[64];
    struct { uint64_t f, out; } p = {machine_alloc(m, NULL, 16), machine_alloc(m, NULL, sizeof out)};
    machine_run(m, "t_take", 1, 1, 1, 1, &p);
    machine_run(m, "t_far", 1, 1, 64, 1, &p);
    note(m);
    machine_read(m, out, p.out, sizeof out);
    for (uint32_t l = 0; l < 64; l++) assert_int_equal(out[l], l % 3 == 1 ? ~l : l * 2);
    machine_close(m);
}

/* A cluster's barrier; test_cluster.c has more of them. */
static void run_cluster(void) {
    machine *m = machine_open(WG_TEST_DATA "/../engine/cluster.sm_90.cubin");
    uint32_t out[256];
    uint64_t at = machine_alloc(m, NULL, sizeof out);
    eng_launch l = {.function = img_find_function(m->module, "alone"), .grid = {1, 1, 1}, .block = {256, 1, 1}, .cluster = {1, 1, 1}, .params = &at};
    if (eng_run(m->code, &l, &m->result, &m->err) != WG_OK) fail_msg("%s", m->err.text);
    note(m);
    machine_read(m, out, at, sizeof out);
    for (uint32_t k = 0; k < 256; k++) assert_int_equal(out[k], 255 - k);
    machine_close(m);
}

/* Registers of a block that one of its warp groups takes: from those that give them; from those that do not give enough, for ever. */
static void run_maxreg(void) {
    machine *m = machine_open(WG_TEST_DATA "/../engine/maxreg.sm_90.cubin");
    uint32_t out[512];
    uint64_t at = machine_alloc(m, NULL, sizeof out);
    machine_run(m, "given", 1, 1, 512, 1, &at);
    note(m);
    machine_read(m, out, at, sizeof out);
    for (uint32_t k = 0; k < 512; k++) assert_int_equal(out[k], k < 128 ? 1 : 2);
    eng_result_free(&m->result);
    eng_launch l = {.function = img_find_function(m->module, "not_given"), .grid = {1, 1, 1}, .block = {512, 1, 1}, .params = &at, .jobs = 1, .finding = machine_finding, .ctx = m};
    m->n_findings = 0;
    assert_int_not_equal(eng_run(m->code, &l, &m->result, &m->err), WG_OK);
    assert_int_equal(m->n_findings, 1);
    assert_int_equal(m->findings[0].kind, ENG_FAULT_DEADLOCK);
    machine_close(m);
}

/* The kernels of probe.cu that take three arrays and one for results, or one and one. */
static void run_probe(int sm) {
    char cubin[200];
    snprintf(cubin, sizeof cubin, WG_TEST_DATA "/../engine/probe.sm_%d.cubin", sm);
    machine *m = machine_open(cubin);
    uint64_t at[4] = {machine_alloc(m, in.a, sizeof in.a), machine_alloc(m, in.b, sizeof in.b), machine_alloc(m, in.c, sizeof in.c),
                      machine_alloc(m, NULL, N * 8)};
    struct { uint64_t a, out; } two = {at[0], at[3]};
    for (size_t f_ = 0; f_ < m->module->n_functions; f_++) {
        const img_function *k = &m->module->functions[f_];
        bool ours = k->name[1] == '_' && strchr("ifdchwb", k->name[0]);
        if (!ours || (k->param_bytes != 32 && !(k->param_bytes == 16 && strstr("d_loops d_calls d_switch d_local", k->name)))) continue;
        machine_run(m, k->name, N / THREADS, 1, THREADS, 1, k->param_bytes == 32 ? (const void *)at : &two);
        note(m);
    }
    machine_close(m);
}

/* Rows that the engine can execute, but that nvcc 13.0 did not emit for any kernel that was tried; with what it did instead. */
static const struct { sass_op op; const char *why; } not_emitted[] = {
    {SASS_UIMAD_HI, "high products become IMAD.HI or half of a UIMAD.WIDE"},
    {SASS_ULDC_R, "uniform indices into constant memory become LDC"},
    {SASS_BRXU, "jump tables on parameters become branches or a BRX"},
};

/* The words that test_conformance executes as an H200 does; ~: those that differ. */
static void note_conformance(void) {
    FILE *f = fopen(WG_TEST_DATA "/../conformance/h200.txt", "r");
    char line[400];
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        unsigned long long word[2];
        sass_instr in;
        if (*line == '#' || *line == '~' || sscanf(line, "%*s %*s %llx %llx", &word[1], &word[0]) != 2) continue;
        if (sass_decode((uint64_t[]){word[0], word[1]}, 0, 90, &in)) executed[in.op] = true;
    }
    fclose(f);
}

/* Those that test_surface does. */
static void note_surfaces(void) {
    FILE *f = fopen(WG_TEST_DATA "/../conformance/surface_h200.txt", "r");
    char line[300];
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        unsigned long long word[2];
        sass_instr in;
        if (*line != '#' && sscanf(line, "%*s %llx %llx", &word[1], &word[0]) == 2 && sass_decode((uint64_t[]){word[0], word[1]}, 0, 90, &in)) executed[in.op] = true;
    }
    fclose(f);
}

/* The kernels that test_texture, test_barrier, test_matrices, test_bulk and test_wgmma execute, from end to end. */
static void note_cubin(const char *name, int sm) {
    char cubin[200];
    snprintf(cubin, sizeof cubin, WG_TEST_DATA "/../conformance/%s.sm_%d.cubin", name, sm);
    machine *m = machine_open(cubin);
    for (size_t f = 0; f < m->module->n_functions; f++) {
        const sass_instr *all = eng_instructions(m->code, &m->module->functions[f]);
        for (unsigned n = 0; n < m->module->functions[f].code_size / 16; n++) executed[all[n].op] = true;
    }
    machine_close(m);
}

/* The cases of test_ptx, which are executed too. */
static void note_ptx(int sm) {
    size_t size;
    wg_error err;
    img_module *module;
    uint8_t *cubin = ptx_cubin(WG_TEST_DATA "/../conformance/ptx", sm, &size);
    assert_int_equal(img_module_read(cubin, size, &module, &err), WG_OK);
    for (uint32_t at = 0; at < module->code_size; at += 16) {
        sass_instr in;
        if (sass_decode(module->code + at, 0, sm, &in)) executed[in.op] = true;
    }
    img_module_free(module);
    free(cubin);
}

static void every_row_is_executed(void **state) {
    (void)state;
    make_inputs();
    note_conformance();
    note_surfaces();
    for (int sm = 80; sm <= 90; sm += 10) note_cubin("texture", sm), note_cubin("barrier", sm);
    for (int k = 0; k < PTX_TARGETS; k++) note_ptx(ptx_targets[k]);
    note_cubin("matrices", 90), note_cubin("quarters", 89);
    note_cubin("bulk", 90), note_cubin("tma", 90), note_cubin("wgmma", 90);
    note_cubin("../engine/cluster", 90); /* its test executes all of them */
    static const int sms[] = {75, 80, 86, 90, 100};
    for (size_t k = 0; k < sizeof sms / sizeof *sms; k++) run_isa(sms[k]);
    run_far(80), run_far(90);
    run_cluster();
    run_maxreg();
    run_probe(80), run_probe(90);
    assert_int_equal(wrong, 0);
    for (int k = 0; k < KERNELS; k++)
        if (!checked[k]) fail_msg("%s is in no cubin", kernels[k].name);
    int missing = 0;
    for (int op = 0; op < SASS_OP_COUNT; op++) {
        const char *handler = sass_handler_name((sass_op)op);
        if (!handler || !eng_find_binder(ENG_PORTABLE, handler)) continue;
        const char *why = NULL;
        for (size_t k = 0; k < sizeof not_emitted / sizeof *not_emitted; k++)
            if (not_emitted[k].op == (sass_op)op) why = not_emitted[k].why;
        if (why && executed[op]) print_error("%s is executed now: take it off the list of exceptions\n", sass_name((sass_op)op));
        if (!why && !executed[op]) print_error("no test executes %s (row %d, handler %s)\n", sass_name((sass_op)op), op, handler);
        missing += (why != NULL) == executed[op];
    }
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(every_row_is_executed)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
