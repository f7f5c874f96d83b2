/* Each family of instructions against the host: the kernels of probe.cu, on values that are likely to go wrong. */
#include "engine/harness.h"

#include <fenv.h>
#include <math.h>

#include "engine/small_float.h"

enum { N = 4096, THREADS = 128 };
typedef struct inputs { uint32_t a[N], b[N], c[N]; } inputs;

static uint32_t state_ = 7;
static uint32_t random_word(void) {
    static const uint32_t special[] = {0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000,
                                       0xff800000, 0x7fc00000, 0x00000001, 0x807fffff, 0x00800000, 0x4f000000, 0xcf000000,
                                       0x7f7fffff, 0x3effffff, 0x7bff3c00, 0x80018000, 0x4b000001, 0x5f000000};
    state_ = state_ * 1664525u + 1013904223u;
    uint32_t kind = state_ >> 29;
    state_ = state_ * 1664525u + 1013904223u;
    uint32_t high = state_ & 0xffff0000u;
    state_ = state_ * 1664525u + 1013904223u;
    uint32_t word = high | state_ >> 16;
    if (kind == 0) return special[word % (sizeof special / sizeof *special)];
    if (kind == 1) return word >> (word & 31);
    if (kind < 5) return (word & 0x807fffffu) | (110 + word % 37) << 23; /* floats of like size */
    return word;
}
static float f(uint32_t w) { float v; memcpy(&v, &w, 4); return v; }
static double d(uint64_t w) { double v; memcpy(&v, &w, 8); return v; }
static uint64_t bits_f(float v) { uint32_t w; memcpy(&w, &v, 4); return v != v ? 0x7fffffff : w; }
static uint64_t bits_d(double v) { uint64_t w; memcpy(&w, &v, 8); return v != v ? 0 : w; }

/* --- the host's side ----------------------------------------------------------------------------- */
typedef uint64_t answer(uint32_t a, uint32_t b, uint32_t c);
#define AB ((uint64_t)b << 32 | a)
#define CA ((uint64_t)a << 32 | c)
#define FA f(a)
#define FB f(b)
#define FC f(c)
#define DA d(AB)
#define DB d(CA)
#define HOST(name, ...) \
    static uint64_t host_##name(uint32_t a, uint32_t b, uint32_t c) { (void)a, (void)b, (void)c; return (uint64_t)(__VA_ARGS__); }
/* In another rounding mode: volatile keeps the arithmetic where it is. */
#define HOST_ROUND(name, mode, bits, type, x, y, z, ...)                                       \
    static uint64_t host_##name(uint32_t a, uint32_t b, uint32_t c) {                          \
        (void)a, (void)b, (void)c;                                                             \
        volatile type p = x, q = y, s = z, r;                                                  \
        (void)q, (void)s;                                                                      \
        fesetround(mode);                                                                      \
        r = __VA_ARGS__;                                                                       \
        fesetround(FE_TONEAREST);                                                              \
        return bits(r);                                                                        \
    }
HOST(i_add64, AB + CA)
HOST(i_sub64, AB - CA)
HOST(i_mul64, AB * CA)
__extension__ typedef unsigned __int128 u128;
HOST(i_mulhi64, (u128)AB * CA >> 64)
HOST(i_div64, AB / (CA | 1))
HOST(i_rem32, (uint32_t)(a == 0x80000000u && (b | 1) == UINT32_MAX ? 0 : (int32_t)a % (int32_t)(b | 1)))
HOST(i_udiv32, a / (b | 1))
HOST(i_mulhi, (uint64_t)a * b >> 32)
HOST(i_smulhi, (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32))
HOST(i_wide, (uint64_t)((int64_t)(int32_t)a * (int32_t)b) + CA)
HOST(i_shl64, AB << (c & 63))
HOST(i_shr64, AB >> (c & 63))
HOST(i_sar64, (int64_t)AB >> (c & 63))
HOST(i_funnel, (uint32_t)(AB << (c & 31) >> 32) ^ (uint32_t)(c >= 32 ? b : AB >> c))
static uint32_t permute(uint32_t a, uint32_t b, uint32_t s) {
    uint32_t r = 0;
    for (int n = 0; n < 4; n++) r |= ((uint32_t)(AB >> 8 * (s >> 4 * n & 7)) & 0xff) << 8 * n; /* __byte_perm ignores the sign bit */
    return r;
}
HOST(i_prmt, permute(a, b, c) ^ permute(a, b, 0x2f71))
HOST(i_bits, (uint32_t)(__builtin_popcount(a) | (b ? __builtin_clz(b) : 32) << 8 | __builtin_ffs((int)c) << 16))
static uint32_t reversed(uint32_t a) { uint32_t r = 0; for (int k = 0; k < 32; k++) r |= (a >> k & 1) << (31 - k); return r; }
HOST(i_brev, reversed(a))
HOST(i_minmax, (uint32_t)((int32_t)a < (int32_t)b ? a : b) ^ (a > c ? a : c))
HOST(i_logic, ((a & b) | (~b & c)) ^ (a | ~c))
HOST(i_sad, ((uint32_t)((int32_t)a < (int32_t)b ? b - a : a - b) + c) ^ ((a < b ? b - a : a - b) + c))
static uint32_t dot(uint32_t a, uint32_t b, uint32_t c) {
    for (int k = 0; k < 4; k++) c += (uint32_t)((int8_t)(a >> 8 * k) * (int8_t)(b >> 8 * k));
    return c;
}
HOST(i_dp4a, dot(a, b, c))
HOST(i_cmp64, (AB < CA) | ((int64_t)AB < (int64_t)CA) << 1 | (AB == CA) << 2 | ((int64_t)AB >= (int64_t)CA) << 3)
HOST(i_abs, (uint32_t)((int32_t)a < 0 ? 0 - a : a))
HOST(i_sel, (uint32_t)((int32_t)a < 0 ? b + c : b - c))
HOST_ROUND(f_add_rn, FE_TONEAREST, bits_f, float, FA, FB, FC, p + q)
HOST_ROUND(f_add_rz, FE_TOWARDZERO, bits_f, float, FA, FB, FC, p + q)
HOST_ROUND(f_add_ru, FE_UPWARD, bits_f, float, FA, FB, FC, p + q)
HOST_ROUND(f_add_rd, FE_DOWNWARD, bits_f, float, FA, FB, FC, p + q)
HOST_ROUND(f_mul_rn, FE_TONEAREST, bits_f, float, FA, FB, FC, p * q)
HOST_ROUND(f_mul_rz, FE_TOWARDZERO, bits_f, float, FA, FB, FC, p * q)
HOST_ROUND(f_mul_ru, FE_UPWARD, bits_f, float, FA, FB, FC, p * q)
HOST_ROUND(f_mul_rd, FE_DOWNWARD, bits_f, float, FA, FB, FC, p * q)
HOST_ROUND(f_fma_rn, FE_TONEAREST, bits_f, float, FA, FB, FC, fmaf(p, q, s))
HOST_ROUND(f_fma_rz, FE_TOWARDZERO, bits_f, float, FA, FB, FC, fmaf(p, q, s))
HOST_ROUND(f_fma_ru, FE_UPWARD, bits_f, float, FA, FB, FC, fmaf(p, q, s))
HOST_ROUND(f_fma_rd, FE_DOWNWARD, bits_f, float, FA, FB, FC, fmaf(p, q, s))
HOST_ROUND(f_fnma, FE_TONEAREST, bits_f, float, FA, FB, FC, fmaf(-p, q, -s))
HOST(f_div, bits_f(FA / FB))
HOST(f_sqrt, bits_f(sqrtf(fabsf(FA))))
static float saturated(float v) { return v > 0 ? v < 1 ? v : 1 : 0; }
HOST(f_sat, bits_f(saturated(FA + FB)))
static float least(float x, float y) { return x != x ? y : y != y ? x : x == y ? (signbit(x) ? x : y) : x < y ? x : y; }
HOST(f_min, bits_f(least(FA, FB)))
HOST(f_max, bits_f(-least(-FA, -FB)))
HOST(f_cmp, (FA < FB) | (FA <= FB) << 1 | (FA == FB) << 2 | (FA != FB) << 3 | !(FA < FB) << 4 | !(FA >= FC) << 5)
HOST(d_add, bits_d(DA + DB))
HOST_ROUND(d_mul_ru, FE_UPWARD, bits_d, double, DA, DB, 0, p * q)
HOST_ROUND(d_fma_rd, FE_DOWNWARD, bits_d, double, DA, DB, DA, fma(p, q, s))
HOST(d_fma, bits_d(fma(DA, DB, DB)))
HOST(d_cmp, (DA < DB) | (DA >= DB) << 1 | (DA == DB) << 2 | (DA != DB) << 3)
static uint64_t to_int(double v, double low, double high, uint64_t least_, uint64_t most, uint64_t nan, bool is_unsigned) {
    if (v != v) return nan;
    if (v <= low) return least_;
    if (v >= high) return most;
    return is_unsigned ? (uint64_t)v : (uint64_t)(int64_t)v;
}
static uint32_t s32(double v, uint32_t nan) { return (uint32_t)to_int(v, -0x1p31, 0x1p31 - 1, 0x80000000u, 0x7fffffff, nan, false); }
static uint32_t u32(double v, uint32_t nan) { return (uint32_t)to_int(v, 0, 0x1p32 - 1, 0, UINT32_MAX, nan, true); }
HOST(c_f2i, s32(trunc(FA), 0) ^ s32(rint(FB), 0))
HOST(c_f2u, u32(floor(FA), 0) ^ u32(ceil(FB), 0))
HOST(c_f2ll, to_int(rint(FA), -0x1p63, 0x1p63, (uint64_t)INT64_MIN, INT64_MAX, UINT64_C(1) << 63, false) ^
                 to_int(trunc(FB), 0, 0x1p64, 0, UINT64_MAX, UINT64_C(1) << 63, true))
HOST(c_d2i, (uint64_t)s32(rint(DA), 0x80000000u) << 32 | u32(trunc(DB), 0x80000000u))
HOST(c_i2f, bits_f((float)(int32_t)a))
HOST_ROUND(c_u2f_rz, FE_TOWARDZERO, bits_f, double, a, 0, 0, (float)p)
HOST(c_ll2f, bits_f((float)(int64_t)AB))
static uint64_t host_c_ull2f_ru(uint32_t a, uint32_t b, uint32_t c) {
    (void)c;
    float v = (float)AB;
    if ((long double)v < (long double)AB) v = nextafterf(v, INFINITY);
    return bits_f(v);
}
HOST(c_i2d, bits_d((double)(int32_t)a + (double)b))
HOST(c_ll2d, bits_d((double)(int64_t)AB))
static uint32_t all_bits_f(float v) { uint32_t w; memcpy(&w, &v, 4); return w; } /* a NaN's sign and payload stay, as in x86 */
HOST(c_d2f, all_bits_f((float)DA))
HOST_ROUND(c_d2f_rz, FE_TOWARDZERO, all_bits_f, double, DA, 0, 0, (float)p)
HOST(c_f2d, bits_d((double)FA))
HOST(c_round, bits_f(floorf(FA) + rintf(FB)))
HOST(h_of_f, small_encode((double)FA, false, SASS_RN) | (uint32_t)small_encode((double)FB, false, SASS_RZ_) << 16)
HOST(h_to_f, bits_f(small_decode((uint16_t)a, false)))
static double half_of(uint32_t a) { return (double)small_decode((uint16_t)a, false); }
HOST(h_fma, small_encode((double)((long double)half_of(a) * half_of(b) + half_of(c)), false, SASS_RN))
HOST(h_add, small_encode(half_of(a) + half_of(b), false, SASS_RN))

static const struct test { const char *name; answer *host; enum { WORD, LONG, FLOAT, DOUBLE } type; } tests[] = {
#define T(name, type) {#name, host_##name, type}
    T(i_add64, LONG), T(i_sub64, LONG), T(i_mul64, LONG), T(i_mulhi64, LONG), T(i_div64, LONG), T(i_rem32, WORD), T(i_udiv32, WORD),
    T(i_mulhi, WORD), T(i_smulhi, WORD), T(i_wide, LONG), T(i_shl64, LONG), T(i_shr64, LONG), T(i_sar64, LONG), T(i_funnel, WORD),
    T(i_prmt, WORD), T(i_bits, WORD), T(i_brev, WORD), T(i_minmax, WORD), T(i_logic, WORD), T(i_sad, WORD), T(i_dp4a, WORD),
    T(i_cmp64, WORD), T(i_abs, WORD), T(i_sel, WORD), T(f_add_rn, FLOAT), T(f_add_rz, FLOAT), T(f_add_ru, FLOAT), T(f_add_rd, FLOAT),
    T(f_mul_rn, FLOAT), T(f_mul_rz, FLOAT), T(f_mul_ru, FLOAT), T(f_mul_rd, FLOAT), T(f_fma_rn, FLOAT), T(f_fma_rz, FLOAT),
    T(f_fma_ru, FLOAT), T(f_fma_rd, FLOAT), T(f_fnma, FLOAT), T(f_div, FLOAT), T(f_sqrt, FLOAT), T(f_sat, FLOAT), T(f_min, FLOAT),
    T(f_max, FLOAT), T(f_cmp, WORD), T(d_add, DOUBLE), T(d_mul_ru, DOUBLE), T(d_fma_rd, DOUBLE), T(d_fma, DOUBLE), T(d_cmp, WORD),
    T(c_f2i, WORD), T(c_f2u, WORD), T(c_f2ll, LONG), T(c_d2i, LONG), T(c_i2f, FLOAT), T(c_u2f_rz, FLOAT), T(c_ll2f, FLOAT),
    T(c_ull2f_ru, FLOAT), T(c_i2d, DOUBLE), T(c_ll2d, DOUBLE), T(c_d2f, FLOAT), T(c_d2f_rz, FLOAT), T(c_f2d, DOUBLE), T(c_round, FLOAT),
    T(h_of_f, WORD), T(h_to_f, FLOAT), T(h_fma, WORD), T(h_add, WORD),
};

static const char *cubins[] = {WG_TEST_DATA "/../engine/probe.sm_80.cubin", WG_TEST_DATA "/../engine/probe.sm_90.cubin"};

static inputs *make_inputs(void) {
    inputs *in = malloc(sizeof *in);
    assert_non_null(in);
    for (int k = 0; k < N; k++) in->a[k] = random_word(), in->b[k] = random_word(), in->c[k] = random_word();
    return in;
}

static void every_operation_is_the_hosts(void **state) {
    (void)state;
    inputs *in = make_inputs();
    int wrong = 0;
    for (size_t m_ = 0; m_ < 2; m_++) {
        machine *m = machine_open(cubins[m_]);
        struct { uint64_t a, b, c, out; } p = {machine_alloc(m, in->a, sizeof in->a), machine_alloc(m, in->b, sizeof in->b),
                                               machine_alloc(m, in->c, sizeof in->c), machine_alloc(m, NULL, N * 8)};
        for (size_t t = 0; t < sizeof tests / sizeof *tests; t++) {
            bool wide = tests[t].type == LONG || tests[t].type == DOUBLE;
            static uint64_t longs[N];
            static uint32_t words[N];
            machine_run(m, tests[t].name, N / THREADS, 1, THREADS, 1, &p);
            machine_read(m, wide ? (void *)longs : (void *)words, p.out, N * (wide ? 8 : 4));
            for (int k = 0; k < N; k++) {
                uint64_t got = wide ? longs[k] : words[k], want = tests[t].host(in->a[k], in->b[k], in->c[k]);
                if (!wide) want = (uint32_t)want;
                if (tests[t].type == DOUBLE && d(got) != d(got)) got = 0; /* any NaN */
                if (got == want) continue;
                print_error("%s %s(%08x, %08x, %08x) = %llx, expected %llx\n", cubins[m_] + sizeof WG_TEST_DATA, tests[t].name, in->a[k],
                            in->b[k], in->c[k], (unsigned long long)got, (unsigned long long)want);
                wrong++;
                break;
            }
        }
        machine_close(m);
    }
    free(in);
    assert_int_equal(wrong, 0);
}

/* --- warps and blocks ------------------------------------------------------------------------------ */

static uint32_t ballot(const uint32_t *v, uint32_t mask) { uint32_t r = 0; for (int l = 0; l < 32; l++) r |= (uint32_t)((v[l] & mask) != 0) << l; return r; }

static void warps_and_blocks(void **state) {
    (void)state;
    inputs *in = make_inputs();
    for (size_t m_ = 0; m_ < 2; m_++) {
        machine *m = machine_open(cubins[m_]);
        struct { uint64_t a, b, c, out; } p = {machine_alloc(m, in->a, sizeof in->a), machine_alloc(m, in->b, sizeof in->b),
                                               machine_alloc(m, in->c, sizeof in->c), machine_alloc(m, NULL, N * 4)};
        static uint32_t r[N];
        machine_run(m, "w_shfl", N / THREADS, 1, THREADS, 1, &p);
        machine_read(m, r, p.out, sizeof r);
        for (int k = 0; k < N; k++) {
            const uint32_t *a = in->a + k / 32 * 32, *b = in->b + k / 32 * 32, *c = in->c + k / 32 * 32;
            int l = k % 32;
            assert_int_equal(r[k], a[b[l] & 31] ^ b[l >= 3 ? l - 3 : l] ^ c[l ^ 5] ^ a[l % 16 + 7 < 16 ? l + 7 : l]);
        }
        machine_run(m, "w_vote", N / THREADS, 1, THREADS, 1, &p);
        machine_read(m, r, p.out, sizeof r);
        for (int k = 0; k < N; k++) {
            const uint32_t *a = in->a + k / 32 * 32, *b = in->b + k / 32 * 32, *c = in->c + k / 32 * 32;
            uint32_t any = 0, all = 1;
            for (int l = 0; l < 32; l++) any |= (b[l] & 63) == 0, all &= c[l] != 0;
            assert_int_equal(r[k], ballot(a, 1) ^ any ^ all << 1);
        }
        machine_run(m, "w_match", N / THREADS, 1, THREADS, 1, &p);
        machine_read(m, r, p.out, sizeof r);
        for (int k = 0; k < N; k++) {
            uint32_t same = 0;
            for (int l = 0; l < 32; l++) same |= (uint32_t)(((in->a[k / 32 * 32 + l] ^ in->a[k]) & 3) == 0) << l;
            assert_int_equal(r[k], same);
        }
        machine_run(m, "w_redux", N / THREADS, 1, THREADS, 1, &p);
        machine_read(m, r, p.out, sizeof r);
        for (int k = 0; k < N; k++) {
            uint32_t sum = 0, x = 0, low = UINT32_MAX;
            int32_t high = INT32_MIN;
            for (int l = k / 32 * 32; l < k / 32 * 32 + 32; l++) {
                sum += in->a[l], x ^= in->a[l];
                low = in->b[l] < low ? in->b[l] : low;
                high = (int32_t)in->c[l] > high ? (int32_t)in->c[l] : high;
            }
            assert_int_equal(r[k], sum ^ low ^ (uint32_t)high ^ x);
        }
        machine_run(m, "b_count", N / THREADS, 1, THREADS, 1, &p);
        machine_read(m, r, p.out, sizeof r);
        for (int k = 0; k < N; k++) {
            uint32_t odd = 0, all = 1, any = 0;
            for (int l = k / THREADS * THREADS; l < (k / THREADS + 1) * THREADS; l++)
                odd += in->a[l] & 1, all &= in->b[l] != 0, any |= in->c[l] == 1;
            assert_int_equal(r[k] & 0xffff, odd);
            assert_int_equal((r[k] >> 16 & 1) != 0, all);
            assert_int_equal((r[k] >> 20) != 0, any);
        }
        machine_close(m);
    }
    free(in);
}

/* --- divergence and progress ------------------------------------------------------------------------ */

static uint32_t collatz(uint32_t x) {
    uint32_t n = 0;
    while (x != 1 && n < 200) {
        if (x & 1) x = 3 * x + 1;
        else x >>= 1;
        if (x % 7 == 3) { n += 5; continue; }
        n++;
    }
    return n;
}
static uint32_t ackermann(uint32_t m, uint32_t n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static uint32_t switched(uint32_t x) {
    switch (x & 15) {
    case 0: return x * 3;
    case 1: return x ^ 0x55;
    case 2: return (uint32_t)__builtin_popcount(x);
    case 3: return x / 7;
    case 4: return x % 11;
    case 5: return ~x;
    case 6: return x << 3;
    case 7: return x >> 5;
    case 8: return x + 1234;
    default: return 9;
    }
}

static void divergence(void **state) {
    (void)state;
    inputs *in = make_inputs();
    for (size_t m_ = 0; m_ < 2; m_++) {
        machine *m = machine_open(cubins[m_]);
        struct { uint64_t a, out; } p = {machine_alloc(m, in->a, sizeof in->a), machine_alloc(m, NULL, N * 4)};
        static uint32_t r[N];
        machine_run(m, "d_loops", N / THREADS, 1, THREADS, 1, &p);
        machine_read(m, r, p.out, sizeof r);
        for (int k = 0; k < N; k++) {
            uint32_t many = 0;
            for (int l = k / 32 * 32; l < k / 32 * 32 + 32; l++) many += collatz(in->a[l]) > 50;
            assert_int_equal(r[k], collatz(in->a[k]) + many);
        }
        machine_run(m, "d_calls", N / THREADS, 1, THREADS, 1, &p);
        machine_read(m, r, p.out, sizeof r);
        for (int k = 0; k < N; k++) assert_int_equal(r[k], ackermann(in->a[k] & 1, in->a[k] >> 1 & 3));
        machine_run(m, "d_switch", N / THREADS, 1, THREADS, 1, &p);
        machine_read(m, r, p.out, sizeof r);
        for (int k = 0; k < N; k++) assert_int_equal(r[k], switched(in->a[k]));
        machine_run(m, "d_local", N / THREADS, 1, THREADS, 1, &p);
        machine_read(m, r, p.out, sizeof r);
        for (int k = 0; k < N; k++) {
            uint32_t v[16], a = in->a[k];
            for (uint32_t n = 0; n < 16; n++) v[(n * 5 + a) & 15] = a + n;
            assert_int_equal(r[k], v[a >> 4 & 15] - v[a >> 8 & 15]);
        }
        machine_close(m);
    }
    free(in);
}

static void progress(void **state) {
    (void)state;
    for (size_t m_ = 0; m_ < 2; m_++) {
        machine *m = machine_open(cubins[m_]);
        static const uint32_t zeros[64];
        uint32_t r[640];
        struct { uint64_t lock, out; } p = {machine_alloc(m, zeros, 256), machine_alloc(m, zeros, 256)};
        m->max_instructions = 100000000;
        machine_run(m, "d_lock", 2, 1, 64, 1, &p);
        machine_read(m, r, p.out, 4);
        assert_int_equal(r[0], 128);
        machine_run(m, "d_spin", 2, 1, 64, 1, &p);
        machine_read(m, r, p.out, 4);
        assert_int_equal(r[0], 256);
        struct { uint64_t count, out; } q = {machine_alloc(m, zeros, 4), machine_alloc(m, NULL, sizeof r)};
        machine_run(m, "d_blocks", 10, 1, 64, 1, &q);
        machine_read(m, r, q.out, sizeof r);
        for (int k = 0; k < 640; k++) assert_int_equal(r[k], 10);
        machine_close(m);
    }
}

static void a_deadlock_says_who_waits_where(void **state) {
    (void)state;
    machine *m = machine_open(cubins[1]);
    struct { uint64_t out; } p = {machine_alloc(m, NULL, 256)};
    assert_int_equal(machine_launch(m, "d_deadlock", 1, 1, 64, 1, &p), WG_ERR_DEADLOCK);
    assert_int_equal(m->n_findings, 1);
    assert_int_equal(m->findings[0].kind, ENG_FAULT_DEADLOCK);
    assert_non_null(strstr(m->findings[0].text, "warp 0"));
    assert_non_null(strstr(m->findings[0].text, "BAR 1"));
    assert_non_null(strstr(m->findings[0].text, "BAR 2"));
    assert_false(m->result.complete);
    machine_close(m);
}

int main(void) {
    const struct CMUnitTest all[] = {
        cmocka_unit_test(every_operation_is_the_hosts), cmocka_unit_test(warps_and_blocks), cmocka_unit_test(divergence),
        cmocka_unit_test(progress), cmocka_unit_test(a_deadlock_says_who_waits_where),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
