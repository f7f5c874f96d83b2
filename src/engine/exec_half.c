/* Two halves in a word: HADD2, HMUL2, HFMA2, comparisons, minimum and maximum; bfloat16 likewise. */
#include "engine/lanes_float.h"
#include "engine/plan.h"
#include "engine/small_float.h"

/* Operand modifiers, packed for a, b, c into 5 bits each of x: 1 negative, 2 absolute, then the swizzle (<< 2).
 * z: the flags below. */
enum { H_FTZ = 1, H_FMZ = 2, H_SAT = 4, H_RELU = 8, H_BF16 = 16, H_F32OUT = 32, H_NANPROP = 64, H_XORSIGN = 128, H_ONE = 256, H_PS_RELU = 512, H_OOB = 1024 };
enum { SWIZZLE_F32 = 1, SWIZZLE_LOW = 2, SWIZZLE_HIGH = 3, SWIZZLE_CROSS = 4 /* high half = low, low = -high */ };

static uint32_t operand_bits(const sass_operand *op) {
    return (op->neg ? 1u : 0) | (op->abs ? 2u : 0) | (uint32_t)(op->swizzle & 7) << 2;
}
static bool bind_halves(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = operand_bits(&in->a) | operand_bits(&in->b) << 5 | operand_bits(&in->c) << 10;
    uint32_t f = in->flags;
    const bool oob = (f & SASS_FTZ) && (f & SASS_FMZ); /* .OOB */
    out->z = (uint16_t)((!oob && f & (SASS_FTZ | SASS_FMZ) ? H_FTZ : 0) | (!oob && f & SASS_FMZ ? H_FMZ : 0) | (f & SASS_SAT ? H_SAT : 0) |
                        (f & SASS_RELU ? H_RELU : 0) | (f & SASS_PACKED_BF16 ? H_BF16 : 0) |
                        (f & SASS_F32OUT ? H_F32OUT : 0) | (f & SASS_NANPROP ? H_NANPROP : 0) |
                        (f & SASS_XORSIGN ? H_XORSIGN : 0) | (f & SASS_BF ? H_ONE : 0) | (oob ? H_OOB : 0));
    return true;
}

/* Half h (0 low, 1 high) of a source. */
static inline float source(uint32_t word, uint32_t bits, int h, unsigned z) {
    uint32_t swizzle = bits >> 2 & 7;
    float v;
    if (swizzle == SWIZZLE_F32) { /* sm_75 cuts it to a half: what compilers have it for is a conversion towards zero */
        memcpy(&v, &word, 4);
        if (v == v) v = (float)small_round(v, z & H_BF16 ? small_bfloat : small_half, SASS_RZ_);
    }
    else v = small_decode((uint16_t)(swizzle == SWIZZLE_HIGH || (swizzle == 0 && h) || (swizzle == SWIZZLE_CROSS && !h) ? word >> 16 : word), z & H_BF16);
    if (bits & 2) v = fabsf(v);
    if ((bits & 1) != (swizzle == SWIZZLE_CROSS && !h)) v = -v;
    if (z & H_FTZ && fabsf(v) < (z & H_BF16 ? 0x1p-126f : 0x1p-14f)) v = copysignf(0, v);
    return v;
}
static inline uint16_t finish(double v, unsigned z) {
    if (z & H_SAT) v = v > 0 ? fmin(v, 1) : 0;
    if (z & H_RELU) v = v > 0 ? v : isnan(v) ? v : 0;
    if (z & H_FTZ) { /* a denormal is what would be one if the exponent had no end */
        small_format f = z & H_BF16 ? small_bfloat : small_half;
        double least = ldexp(1.0, f.least);
        f.least = -1000;
        if (!isnan(v) && fabs(small_round(v, f, SASS_RN)) < least) v = copysign(0, v);
    }
    return small_encode(v, z & H_BF16, SASS_RN);
}

typedef enum half_kind { HALF_ADD, HALF_MUL, HALF_FMA } half_kind;
static inline double compute(half_kind kind, double a, double b, double c, unsigned z) {
    if (kind == HALF_ADD) return sum_to_odd(a, b);
    if (z & H_FMZ && (a == 0 || b == 0)) return kind == HALF_FMA ? c + 0.0 : 0.0; /* the product is +0 */
    return kind == HALF_MUL ? a * b : sum_to_odd(a * b, c); /* products of halves are exact in a double */
}
/* .OOB: the NaN that a tile of a tensor may have outside (0x7ff7, of either sign, in both formats), as a factor makes the result a
 * zero, whatever is added. */
static inline bool is_outside(uint32_t word, uint32_t bits, int h) {
    uint32_t swizzle = bits >> 2 & 7, value = swizzle == SWIZZLE_HIGH || (swizzle == 0 && h) ? word >> 16 : word;
    return (value & 0x7fff) == 0x7ff7;
}
/* HFMA2.MMA: RELU is for the lanes whose predicate holds. */
static inline uint32_t relu_lanes(const eng_ins *i, const eng_warp *w) { return i->z & H_PS_RELU ? eng_pred(w, i->ps[0]) : ENG_ALL; }
static inline uint32_t word_of(half_kind kind, uint32_t a, uint32_t b, uint32_t c, uint32_t x, unsigned z) {
    double r[2];
    for (int h = 0; h < 2; h++)
        r[h] = compute(kind, source(a, x & 31, h, z), source(b, x >> 5 & 31, h, z), source(c, x >> 10 & 31, h, z), z);
    for (int h = 0; z & H_OOB && h < 2; h++)
        if (is_outside(a, x & 31, h) || is_outside(b, x >> 5 & 31, h)) r[h] = 0;
    if (z & H_F32OUT) {
        float f = (float)r[0];
        uint32_t bits;
        if (z & H_SAT) f = f > 0 ? fminf(f, 1) : 0;
        if (z & H_FTZ && fabsf(f) < 0x1p-126f) f = copysignf(0, f);
        memcpy(&bits, &f, 4);
        return f != f ? ENG_NAN : bits;
    }
    return finish(r[0], z) | (uint32_t)finish(r[1], z) << 16;
}
#define HALF_OP(name, kind)                                                                                       \
    ENG_OP(name) {                                                                                                \
        const uint32_t *a = (const uint32_t *)a_, *b = (const uint32_t *)b_, *c = (const uint32_t *)c_;           \
        _Alignas(64) uint32_t r[32];                                                                              \
        const uint32_t relu = relu_lanes(i, w);                                                                   \
        for (int l = 0; l < 32; l++)                                                                              \
            r[l] = on >> l & 1 ? word_of(kind, a[l], b[l], c[l], i->x, relu >> l & 1 ? i->z : i->z & ~(unsigned)H_RELU) : 0; \
        ENG_EACH PUT(k, ((vu *)r)[k]);                                                                            \
    }
HALF_OP(half_add, HALF_ADD)
HALF_OP(half_mul, HALF_MUL)
HALF_OP(half_fma, HALF_FMA)
ENG_OP(half_constant) { ENG_EACH PUT(k, C(k)); }

static bool bind_hadd2(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_halves(plan, in, out);
    out->fn = eng_pick(half_add, out);
    return true;
}
static bool bind_hmul2(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_halves(plan, in, out);
    out->fn = eng_pick(half_mul, out);
    return true;
}
static bool bind_hfma2(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_halves(plan, in, out);
    if (in->op == SASS_HFMA2_MMA && in->flags & SASS_RELU) out->z |= H_PS_RELU;
    out->fn = eng_pick(eng_half_constant(in) ? half_constant : half_fma, out);
    return true;
}

/* --- comparisons ------------------------------------------------------------------------------------- */

static inline bool holds(float a, float b, unsigned cmp) {
    return (cmp & 1 && a < b) || (cmp & 2 && a == b) || (cmp & 4 && a > b) || (cmp & 8 && (a != a || b != b));
}
static inline uint32_t combine(uint32_t r, uint32_t q, uint32_t bop) {
    return bop == SASS_AND ? r & q : bop == SASS_OR ? r | q : r ^ q;
}
/* Masks of the lanes for which the low and the high halves compare; y: sass_cmp, and the boolean from bit 4. */
static inline void compare(const eng_ins *i, const eng_warp *w, const uint32_t *a, const uint32_t *b, uint32_t r[2]) {
    uint32_t q = eng_pred(w, i->ps[0]);
    for (int h = 0; h < 2; h++) {
        uint32_t m = 0;
        for (int l = 0; l < 32; l++)
            m |= (uint32_t)holds(source(a[l], i->x & 31, h, i->z), source(b[l], i->x >> 5 & 31, h, i->z), i->y & 15) << l;
        r[h] = combine(m, q, i->y >> 4);
    }
}
ENG_OP(half_set) {
    uint32_t r[2], one = i->z & H_ONE ? (i->z & H_BF16 ? 0x3f80 : 0x3c00) : 0xffff;
    compare(i, w, (const uint32_t *)a_, (const uint32_t *)b_, r);
    ENG_EACH PUT(k, (vu_expand(r[0], k) & one) | (vu_expand(r[1], k) & one << 16));
}
ENG_OP(half_setp) {
    uint32_t r[2];
    compare(i, w, (const uint32_t *)a_, (const uint32_t *)b_, r);
    SETP(1, r[1]);
    SETP(0, r[0]);
}
static bool bind_compare(eng_plan *plan, const sass_instr *in, eng_ins *out, const eng_fn *fn) {
    bind_halves(plan, in, out);
    out->y = (in->cmp & 15u) | (uint32_t)in->bop << 4;
    out->fn = eng_pick(fn, out);
    return true;
}
static bool bind_hset2(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_compare(p, in, out, half_set); }
static bool bind_hsetp2(eng_plan *p, const sass_instr *in, eng_ins *out) { return bind_compare(p, in, out, half_setp); }

/* --- minimum and maximum: the predicate says minimum ----------------------------------------------------- */

/* XORSIGN takes the signs of the sources before their modifiers (negative: they differ). */
static inline float pick(float a, float b, bool least, unsigned z, bool negative) {
    float r;
    if (a != a || b != b) r = z & H_NANPROP || (a != a && b != b) ? NAN : a != a ? b : a;
    else if (a == b) r = (signbit(a) != 0) == least ? a : b;
    else r = (a < b) == least ? a : b;
    return z & H_XORSIGN ? copysignf(r, negative ? -1.0f : 1.0f) : r;
}
ENG_OP(half_minmax) {
    const uint32_t *a = (const uint32_t *)a_, *b = (const uint32_t *)b_;
    uint32_t p = eng_pred(w, i->ps[0]);
    _Alignas(64) uint32_t r[32] = {0};
    for (int l = 0; l < 32; l++)
        for (int h = 0; h < 2; h++) {
            uint32_t xa = i->x & 31, xb = i->x >> 5 & 31;
            bool sign = i->z & H_XORSIGN && (signbit(source(a[l], xa & ~3u, h, i->z)) != 0) != (signbit(source(b[l], xb & ~3u, h, i->z)) != 0);
            float v = pick(source(a[l], xa, h, i->z), source(b[l], xb, h, i->z), p >> l & 1, i->z, sign);
            r[l] |= (uint32_t)small_encode(v, i->z & H_BF16, SASS_RN) << 16 * h;
        }
    ENG_EACH PUT(k, ((vu *)r)[k]);
}
static bool bind_hmnmx2(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_halves(plan, in, out);
    out->fn = eng_pick(half_minmax, out);
    return true;
}

ENG_FAMILY(half, {"hadd2", bind_hadd2}, {"hmul2", bind_hmul2}, {"hfma2", bind_hfma2}, {"hfma2_mma", bind_hfma2},
           {"hset2", bind_hset2}, {"hsetp2", bind_hsetp2}, {"hmnmx2", bind_hmnmx2});
