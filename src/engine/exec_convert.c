/* Conversions: F2F, F2I, I2F, FRND, F2FP, I2I, I2IP. */
#include "engine/lanes_float.h"
#include "engine/small_float.h"

/* --- the common ones, on vectors ------------------------------------------------------------------------ */

ENG_OP(float_of_signed) { ENG_EACH PUT(k, (vu)__builtin_convertvector((vs)A(k), vf)); }
ENG_OP(float_of_unsigned) { ENG_EACH PUT(k, (vu)__builtin_convertvector(A(k), vf)); }
/* Towards zero, saturated; NaN gives 0. */
ENG_OP(signed_of_float) {
    ENG_EACH {
        vf v = vf_apply(A(k), vf_mod_of(i->x));
        vs big = (vs)(v >= vf_set(0x1p31f)), nan = (vs)(v != v), small = (vs)(v < vf_set(-0x1p31f));
        vf safe = (vf)((vu)v & ~(vu)(big | nan | small));
        vu r = (vu)__builtin_convertvector(safe, vs);
        PUT(k, r | ((vu)big & 0x7fffffffu) | ((vu)small & 0x80000000u));
    }
}

/* --- the others, lane by lane ------------------------------------------------------------------------------ */

/* x: source type, y: destination type (sass_type); z: rounding, and the flags below */
enum { C_FTZ = 4, C_NEG = 8, C_ABS = 16, C_HIGH = 32, C_RELU = 64 };

static inline bool is_wide(unsigned type) { return type == SASS_F64 || type == SASS_U64 || type == SASS_S64; }
static inline uint64_t read_lane(const vu *slot, int l, bool wide) {
    const uint32_t *low = (const uint32_t *)slot;
    return wide ? (uint64_t)low[32 + l] << 32 | low[l] : low[l];
}
/* A float source as a double, which holds it exactly. */
static inline double float_source(const eng_ins *i, const vu *slot, int l) {
    uint64_t bits = read_lane(slot, l, i->x == SASS_F64);
    double v;
    float f;
    uint32_t word = (uint32_t)bits;
    switch (i->x) {
    case SASS_F64: memcpy(&v, &bits, 8); break;
    case SASS_F16: v = small_decode((uint16_t)(i->z & C_HIGH ? word >> 16 : word), false); break;
    default:
        memcpy(&f, &word, 4);
        if (i->z & C_FTZ && fabsf(f) < 0x1p-126f) f = copysignf(0, f);
        v = f;
    }
    if (i->z & C_ABS) v = fabs(v);
    return i->z & C_NEG ? -v : v;
}

/* Double to single in any rounding mode, by looking at what was lost. */
static inline uint32_t single_bits(double v, unsigned mode, bool ftz) {
    if (isnan(v)) return ENG_NAN;
    float f = (float)v; /* nearest */
    if (mode == SASS_RZ_ && fabs((double)f) > fabs(v)) f = nextafterf(f, 0);
    if (mode == SASS_RM && (double)f > v) f = nextafterf(f, -INFINITY);
    if (mode == SASS_RP && (double)f < v) f = nextafterf(f, INFINITY);
    if (ftz && fabsf(f) < 0x1p-126f) f = copysignf(0, f);
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}
static inline uint64_t float_result(const eng_ins *i, double v) {
    uint64_t bits;
    switch (i->y) {
    case SASS_F64: memcpy(&bits, &v, 8); return bits;
    case SASS_F16: case SASS_BF16: return small_encode(v, i->y == SASS_BF16, i->z & 3);
    default: return single_bits(v, i->z & 3, i->z & C_FTZ);
    }
}

/* A NaN gives 0, but the half range where a side has 64 bits (PTX, cvt). */
static inline uint64_t integer_result(unsigned source, unsigned type, double v, unsigned mode) {
    static const struct { double low, high; uint64_t least, most; } range[] = {
        [SASS_U8] = {0, 255, 0, 255}, [SASS_S8] = {-128, 127, (uint64_t)-128, 127},
        [SASS_U16] = {0, 65535, 0, 65535}, [SASS_S16] = {-32768, 32767, (uint64_t)-32768, 32767},
        [SASS_U32] = {0, 4294967295.0, 0, UINT32_MAX}, [SASS_S32] = {-2147483648.0, 2147483647.0, (uint64_t)INT32_MIN, INT32_MAX},
        [SASS_U64] = {0, 0x1p64, 0, UINT64_MAX}, [SASS_S64] = {-0x1p63, 0x1p63, (uint64_t)INT64_MIN, INT64_MAX},
    };
    if (isnan(v)) return is_wide(type) ? UINT64_C(1) << 63 : source == SASS_F64 ? 0x80000000u : 0;
    double r = round_integer(v, mode);
    if (r <= range[type].low) return range[type].least;
    if (r >= range[type].high) return range[type].most;
    return type == SASS_U64 ? (uint64_t)r : (uint64_t)(int64_t)r;
}

#define LANES(wide_result, ...)                                                                                   \
    _Alignas(64) uint32_t low[32] = {0}, high[32] = {0};                                                          \
    for (int l = 0; l < 32; l++) {                                                                                \
        if (!(on >> l & 1)) continue;                                                                             \
        uint64_t r = __VA_ARGS__;                                                                                 \
        low[l] = (uint32_t)r;                                                                                     \
        high[l] = (uint32_t)(r >> 32);                                                                            \
    }                                                                                                             \
    ENG_EACH PUT(k, ((vu *)low)[k]);                                                                              \
    if (wide_result)                                                                                              \
        ENG_EACH PUT2(k, ((vu *)high)[k]);

ENG_OP(float_to_float) { LANES(i->y == SASS_F64, float_result(i, float_source(i, a_, l))) }
ENG_OP(float_to_int) { LANES(is_wide(i->y), integer_result(i->x, i->y, float_source(i, a_, l), i->z & 3)) }
ENG_OP(float_round) {
    LANES(i->y == SASS_F64, float_result(i, round_integer(float_source(i, a_, l), i->z & 3)))
}

/* An integer's value: exact in a long double. z from bit 8: byte or half that is taken. */
static inline long double int_source(const eng_ins *i, const vu *slot, int l) {
    uint64_t v = read_lane(slot, l, is_wide(i->x));
    unsigned part = i->z >> 8;
    switch (i->x) {
    case SASS_U8: return (uint8_t)(v >> 8 * part);
    case SASS_S8: return (int8_t)(v >> 8 * part);
    case SASS_U16: return (uint16_t)(v >> (part ? 16 : 0));
    case SASS_S16: return (int16_t)(v >> (part ? 16 : 0));
    case SASS_U32: return (uint32_t)v;
    case SASS_S32: return (int32_t)v;
    case SASS_U64: return (long double)v;
    default: return (long double)(int64_t)v;
    }
}
static inline uint64_t float_of_int(const eng_ins *i, long double v) {
    unsigned mode = i->z & 3;
    double d = (double)v;
    if (i->y == SASS_F64) {
        if (mode == SASS_RZ_ && fabsl((long double)d) > fabsl(v)) d = nextafter(d, 0);
        if (mode == SASS_RM && (long double)d > v) d = nextafter(d, -INFINITY);
        if (mode == SASS_RP && (long double)d < v) d = nextafter(d, INFINITY);
        uint64_t bits;
        memcpy(&bits, &d, 8);
        return bits;
    }
    if (i->y == SASS_F16) return small_encode(d, false, mode); /* beyond 2^53 a half is infinite, or as large as it can be */
    float f = (float)v;
    if (mode == SASS_RZ_ && fabsl((long double)f) > fabsl(v)) f = nextafterf(f, 0);
    if (mode == SASS_RM && (long double)f > v) f = nextafterf(f, -INFINITY);
    if (mode == SASS_RP && (long double)f < v) f = nextafterf(f, INFINITY);
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}
ENG_OP(int_to_float) { LANES(i->y == SASS_F64, float_of_int(i, int_source(i, a_, l))) }

/* --- binders ----------------------------------------------------------------------------------------------- */

static bool conversion(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned from, unsigned to, const eng_fn *fn) {
    eng_operands(plan, in, out);
    if (from == SASS_F64) out->a = eng_slot_double(plan, &in->a);
    else if (is_wide(from)) out->a = eng_slot_src64(plan, &in->a);
    out->x = from;
    out->y = to;
    out->z = (uint16_t)(in->round | (in->flags & SASS_FTZ ? C_FTZ : 0) | (in->a.neg ? C_NEG : 0) | (in->a.abs ? C_ABS : 0) |
                        (in->byte ? C_HIGH : 0));
    out->fn = eng_pick(fn, out);
    return true;
}
static bool bind_f2f(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    return conversion(plan, in, out, in->stype, in->type, float_to_float);
}
static bool bind_f2i(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bool common = in->stype == SASS_F32 && in->type == SASS_S32 && in->round == SASS_RZ_ && !(in->flags & SASS_FTZ);
    conversion(plan, in, out, in->stype, in->type, common ? signed_of_float : float_to_int);
    if (common) out->x = vf_mod_bits(&in->a);
    return true;
}
static bool bind_frnd(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    return conversion(plan, in, out, in->type, in->type, float_round);
}
static bool bind_i2f(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bool word = (in->stype == SASS_S32 || in->stype == SASS_U32) && in->type == SASS_F32 && in->round == SASS_RN;
    conversion(plan, in, out, in->stype, in->type,
               !word ? int_to_float : in->stype == SASS_S32 ? float_of_signed : float_of_unsigned);
    out->z = (uint16_t)(in->round | in->byte << 8);
    return true;
}
static bool bind_i2fp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bool nearest = in->round == SASS_RN;
    conversion(plan, in, out, in->stype, SASS_F32,
               !nearest ? int_to_float : in->stype == SASS_S32 ? float_of_signed : float_of_unsigned);
    out->z = in->round;
    return true;
}

/* --- packing --------------------------------------------------------------------------------------------------- */

/* F2FP: a in the high half, b in the low one; x: their signs; y: 1 bfloat16. MERGE_C: only b, beside the high half of c. */
static inline uint32_t packed(const eng_ins *i, uint32_t word, uint32_t signs) {
    float f;
    word = (word & (signs & 2 ? 0x7fffffffu : ENG_ALL)) ^ (signs & 1 ? 0x80000000u : 0);
    memcpy(&f, &word, 4);
    if (i->z & C_RELU && f < 0) f = 0;
    return small_encode(f, i->y != 0, i->z & 3);
}
ENG_OP(pack_halves) {
    const uint32_t *a = (const uint32_t *)a_, *b = (const uint32_t *)b_, *c = (const uint32_t *)c_;
    LANES(false, packed(i, b[l], i->x >> 2) | (i->z & C_HIGH ? c[l] & 0xffff0000u : packed(i, a[l], i->x) << 16))
}
static bool bind_f2fp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = vf_mod_bits(&in->a) | vf_mod_bits(&in->b) << 2;
    out->y = in->type == SASS_BF16X2;
    out->z = (uint16_t)(in->round | (in->flags & SASS_RELU ? C_RELU : 0) | (in->flags & SASS_MERGE_C ? C_HIGH : 0));
    out->fn = eng_pick(pack_halves, out);
    return true;
}

static inline uint32_t saturate(int32_t v, unsigned type) {
    static const struct { int32_t low, high; } range[] = {
        [SASS_U8] = {0, 255}, [SASS_S8] = {-128, 127}, [SASS_U16] = {0, 65535}, [SASS_S16] = {-32768, 32767}};
    v = v < range[type].low ? range[type].low : v > range[type].high ? range[type].high : v;
    return (uint32_t)v;
}
ENG_OP(int_saturate) { LANES(false, saturate((int32_t)((const uint32_t *)a_)[l], i->y)) }
static bool bind_i2i(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->y = in->type;
    out->fn = eng_pick(int_saturate, out);
    return true;
}
/* Two saturated bytes below the low half of c. */
ENG_OP(int_pack) {
    LANES(false, (saturate((int32_t)((const uint32_t *)a_)[l], i->y) & 0xff) << 8 |
                     (saturate((int32_t)((const uint32_t *)b_)[l], i->y) & 0xff) | ((const uint32_t *)c_)[l] << 16)
}
/* Two saturated halves. */
ENG_OP(int_pack_halves) {
    LANES(false, saturate((int32_t)((const uint32_t *)a_)[l], i->y) << 16 |
                     (saturate((int32_t)((const uint32_t *)b_)[l], i->y) & 0xffff))
}
static bool bind_i2ip(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->y = in->type;
    out->fn = eng_pick(in->type == SASS_U16 || in->type == SASS_S16 ? int_pack_halves : int_pack, out);
    return true;
}

ENG_FAMILY(convert, {"f2f", bind_f2f}, {"f2i", bind_f2i}, {"i2f", bind_i2f}, {"frnd", bind_frnd}, {"i2fp", bind_i2fp},
           {"f2fp", bind_f2fp}, {"i2i", bind_i2i}, {"i2ip", bind_i2ip});
