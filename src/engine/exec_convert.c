/* Conversions: F2F, F2I, I2F, FRND, F2FP, I2I, I2IP, F2IP. */
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
enum { C_FTZ = 4, C_NEG = 8, C_ABS = 16, C_HIGH = 32, C_RELU = 64, C_NTZ = 128, C_SAT = 256 };

static inline bool is_wide(unsigned type) { return type == SASS_F64 || type == SASS_U64 || type == SASS_S64; }
static inline uint64_t read_lane(const vu *slot, int l, bool wide) {
    const uint32_t *low = (const uint32_t *)slot;
    return wide ? (uint64_t)low[32 + l] << 32 | low[l] : low[l];
}
/* A float source as a double, which holds it exactly. FTZ takes denormals of any source for zero; a NaN has no modifiers. */
static inline double float_source(const eng_ins *i, const vu *slot, int l) {
    uint64_t bits = read_lane(slot, l, i->x == SASS_F64);
    double v;
    float f;
    uint32_t word = (uint32_t)bits;
    switch (i->x) {
    case SASS_F64: memcpy(&v, &bits, 8); break;
    case SASS_F16:
    case SASS_BF16: v = small_decode((uint16_t)(i->z & C_HIGH ? word >> 16 : word), i->x == SASS_BF16); break;
    default: memcpy(&f, &word, 4), v = f;
    }
    if (isnan(v)) return v;
    if (i->z & C_FTZ && fabs(v) < (i->x == SASS_F64 ? 0x1p-1022 : i->x == SASS_F16 ? 0x1p-14 : 0x1p-126)) v = copysign(0, v);
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
/* A NaN keeps its sign and the upper bits of its payload where a side is a double. */
static inline uint64_t nan_result(unsigned type, double v) {
    uint64_t bits;
    memcpy(&bits, &v, 8);
    uint64_t sign = bits >> 63, payload = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 51;
    switch (type) {
    case SASS_F64: return sign << 63 | UINT64_C(0x7ff) << 52 | payload;
    case SASS_F16: return sign << 15 | 0x7c00 | payload >> 42;
    case SASS_BF16: return sign << 15 | 0x7f80 | payload >> 45;
    default: return sign << 31 | 0x7f800000 | payload >> 29;
    }
}
static inline uint64_t float_result(const eng_ins *i, double v) {
    uint64_t bits;
    if (isnan(v) && (i->x == SASS_F64 || i->y == SASS_F64)) return nan_result(i->y, v);
    switch (i->y) {
    case SASS_F64: memcpy(&bits, &v, 8); return bits;
    case SASS_F16: /* a denormal is what would be one if the exponent had no end */
        if (i->z & C_FTZ && !isnan(v) && fabs(small_round(v, (small_format){small_half.bits, -1000, 15}, i->z & 3)) < 0x1p-14) v = copysign(0, v);
        return small_encode(v, false, i->z & 3);
    case SASS_BF16: return small_encode(v, true, i->z & 3);
    default: return single_bits(v, i->z & 3, i->z & C_FTZ);
    }
}

/* A NaN gives 0 with NTZ, else the sign bit of the type. */
static inline uint64_t integer_result(unsigned type, double v, unsigned z) {
    static const struct { double low, high; uint64_t least, most; } range[] = {
        [SASS_U8] = {0, 255, 0, 255}, [SASS_S8] = {-128, 127, (uint64_t)-128, 127},
        [SASS_U16] = {0, 65535, 0, 65535}, [SASS_S16] = {-32768, 32767, (uint64_t)-32768, 32767},
        [SASS_U32] = {0, 4294967295.0, 0, UINT32_MAX}, [SASS_S32] = {-2147483648.0, 2147483647.0, (uint64_t)INT32_MIN, INT32_MAX},
        [SASS_U64] = {0, 0x1p64, 0, UINT64_MAX}, [SASS_S64] = {-0x1p63, 0x1p63, (uint64_t)INT64_MIN, INT64_MAX},
    };
    static const uint8_t top[] = {[SASS_U8] = 7, [SASS_S8] = 7, [SASS_U16] = 15, [SASS_S16] = 15, [SASS_U32] = 31, [SASS_S32] = 31,
                                  [SASS_U64] = 63, [SASS_S64] = 63};
    if (isnan(v)) return z & C_NTZ ? 0 : UINT64_C(1) << top[type];
    double r = round_integer(v, z & 3);
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
ENG_OP(float_to_int) { LANES(is_wide(i->y), integer_result(i->y, float_source(i, a_, l), i->z)) }
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
/* v as a double; where that is not exact its last bit is one, so that a later rounding is as if there had been no other. */
static inline double double_to_odd(long double v) {
    double d = (double)v;
    if ((long double)d == v) return d;
    if (fabsl((long double)d) > fabsl(v)) d = nextafter(d, 0);
    uint64_t bits;
    memcpy(&bits, &d, 8);
    bits |= 1;
    memcpy(&d, &bits, 8);
    return d;
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
    if (i->y == SASS_BF16) return small_encode(double_to_odd(v), true, mode);
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
    else if (is_wide(from) && in->a.kind == SASS_IMM) out->a = eng_slot_double(plan, &in->a); /* the upper word, as a double's */
    else if (is_wide(from)) out->a = eng_slot_src64(plan, &in->a);
    out->x = from;
    out->y = to;
    out->z = (uint16_t)(in->round | (in->flags & SASS_FTZ ? C_FTZ : 0) | (in->a.neg ? C_NEG : 0) | (in->a.abs ? C_ABS : 0) |
                        (in->byte ? C_HIGH : 0) | (in->flags & SASS_NTZ ? C_NTZ : 0));
    out->fn = eng_pick(fn, out);
    return true;
}
static bool bind_f2f(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    return conversion(plan, in, out, in->stype, in->type, float_to_float);
}
static bool bind_f2i(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bool common = in->stype == SASS_F32 && in->type == SASS_S32 && in->round == SASS_RZ_ && (in->flags & (SASS_FTZ | SASS_NTZ)) == SASS_NTZ;
    conversion(plan, in, out, in->stype, in->type, common ? signed_of_float : float_to_int);
    if (common) out->x = vf_mod_bits(&in->a);
    return true;
}
static bool bind_frnd(eng_plan *plan, const sass_instr *in, eng_ins *out) { /* of different types it only converts */
    return conversion(plan, in, out, in->stype, in->type, in->stype == in->type ? float_round : float_to_float);
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

/* F2FP: a in the high half, b in the low one, without signs; y: 1 bfloat16. MERGE_C: only b, beside the high half of c. RELU
 * makes -0 a 0. */
static inline uint32_t packed(const eng_ins *i, uint32_t word) {
    float f;
    memcpy(&f, &word, 4);
    if (i->z & C_RELU && f <= 0) f = 0;
    uint32_t r = small_encode(f, i->y != 0, i->z & 3), infinity = i->y ? 0x7f80 : 0x7c00;
    return i->z & C_SAT && (r & 0x7fff) == infinity ? r - 1 : r; /* the largest number */
}
ENG_OP(pack_halves) {
    const uint32_t *a = (const uint32_t *)a_, *b = (const uint32_t *)b_, *c = (const uint32_t *)c_;
    LANES(false, packed(i, b[l]) | (i->z & C_HIGH ? c[l] & 0xffff0000u : packed(i, a[l]) << 16))
}

/* To 8 bits, to nearest: NaN 0x7f, also for what is too large for E4M3; SATFINITE gives the largest number instead. */
static inline uint32_t quarter(const eng_ins *i, float f) {
    const bool e4m3 = i->y == SASS_E4M3X2;
    const small_format format = e4m3 ? (small_format){4, -6, 8} : (small_format){3, -14, 15};
    const double largest = e4m3 ? 448 : 57344;
    if (f != f) return 0x7f;
    if (i->z & C_RELU && !(f > 0)) f = 0;
    double r = fabs(small_round(f, format, SASS_RN));
    uint32_t sign = signbit(f) ? 0x80 : 0;
    int e;
    if (r > largest && !(i->z & C_SAT)) return sign | (e4m3 ? 0x7f : 0x7c);
    r = fmin(r, largest);
    frexp(r, &e);
    e = e - 1 < format.least || r == 0 ? format.least : e - 1;
    return sign | (((uint32_t)(e - format.least) << (format.bits - 1)) + (uint32_t)ldexp(r, format.bits - 1 - e));
}
static inline uint32_t byte_float(const eng_ins *i, uint32_t word) {
    float f;
    memcpy(&f, &word, 4);
    return quarter(i, f);
}
/* Two such below one half of c: bit 72 says its high one. */
ENG_OP(pack_bytes) {
    const uint32_t *a = (const uint32_t *)a_, *b = (const uint32_t *)b_, *c = (const uint32_t *)c_;
    LANES(false, byte_float(i, a[l]) << 8 | byte_float(i, b[l]) | (i->z & C_HIGH ? c[l] & 0xffff0000u : c[l] << 16))
}
/* The two halves of b as 8-bit floats. */
ENG_OP(pack_bytes_of_halves) {
    const uint32_t *b = (const uint32_t *)b_, *c = (const uint32_t *)c_;
    LANES(false, quarter(i, small_decode((uint16_t)(b[l] >> 16), false)) << 8 | quarter(i, small_decode((uint16_t)b[l], false)) |
                     (i->z & C_HIGH ? c[l] & 0xffff0000u : c[l] << 16))
}

/* An 8-bit float as a half, which holds them all. E5M2 is the upper byte of one. */
static inline uint32_t half_of_byte(const eng_ins *i, uint32_t byte) {
    uint32_t magnitude = byte & 0x7f, sign = (byte & 0x80) << 8, half;
    if (i->y == SASS_E4M3X2) half = magnitude == 0x7f ? 0x7fff : small_encode(small_decode((uint16_t)(magnitude << 7), false) * 256.0, false, SASS_RN);
    else half = magnitude > 0x7c ? 0x7fff : magnitude << 8;
    if (half == 0x7fff) return half;
    return sign && i->z & C_RELU ? 0 : sign | half;
}
ENG_OP(unpack_bytes) { /* z: C_HIGH: of b's high half */
    const uint32_t *b = (const uint32_t *)b_;
    LANES(false, half_of_byte(i, b[l] >> (i->z & C_HIGH ? 24 : 8) & 0xff) << 16 | half_of_byte(i, b[l] >> (i->z & C_HIGH ? 16 : 0) & 0xff))
}
static bool bind_f2fp_8(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    const bool to_bytes = in->type == SASS_E4M3X2 || in->type == SASS_E5M2X2, of_bytes = in->stype == SASS_E4M3X2 || in->stype == SASS_E5M2X2;
    out->z = (uint16_t)((in->flags & SASS_RELU ? C_RELU : 0) | (in->flags & SASS_SAT ? C_SAT : 0));
    if (to_bytes && (in->stype == SASS_F16 ? in->sub == SASS_F2FP_UNPACK_MERGE : in->stype == SASS_F32 && in->sub == SASS_F2FP_PACK_MERGE)) {
        out->y = in->type;
        out->z |= (uint16_t)(in->hi >> 8 & 1 ? C_HIGH : 0);
        out->fn = eng_pick(in->stype == SASS_F16 ? pack_bytes_of_halves : pack_bytes, out);
        return true;
    }
    if (of_bytes && in->type == SASS_F16X2 && in->sub == SASS_F2FP_UNPACK) {
        out->y = in->stype;
        out->z |= (uint16_t)(in->byte ? C_HIGH : 0);
        out->fn = eng_pick(unpack_bytes, out);
        return true;
    }
    return eng_refuse(plan, "these types of 8-bit floats");
}
static bool bind_f2fp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->y = in->type == SASS_BF16X2;
    out->z = (uint16_t)(in->round | (in->flags & SASS_RELU ? C_RELU : 0) | (in->flags & SASS_SAT ? C_SAT : 0) |
                        (in->sub == SASS_F2FP_MERGE ? C_HIGH : 0));
    out->fn = eng_pick(pack_halves, out);
    return true;
}

/* A float with the fraction of a TF32. */
static inline uint32_t tf32_of(const eng_ins *i, double v) {
    const small_format tf32 = {11, -126, 127};
    if (isnan(v)) return ENG_NAN & ~0x1fffu;
    if (i->z & C_RELU && v <= 0) return 0;
    return single_bits(small_round(v, tf32, (i->z & 3) == SASS_RN ? SASS_RN : SASS_RZ_), SASS_RN, false); /* the directed roundings cut, too */
}
ENG_OP(float_to_tf32) { LANES(false, tf32_of(i, float_source(i, a_, l))) }
static bool bind_f2fp_tf32(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    conversion(plan, in, out, SASS_F32, SASS_F32, float_to_tf32);
    out->z |= in->flags & SASS_RELU ? C_RELU : 0;
    return true;
}

static inline uint32_t saturate(int32_t v, unsigned type) {
    static const struct { int32_t low, high; } range[] = {
        [SASS_U8] = {0, 255}, [SASS_S8] = {-128, 127}, [SASS_U16] = {0, 65535}, [SASS_S16] = {-32768, 32767},
        [SASS_U4] = {0, 15}, [SASS_S4] = {-8, 7}, [SASS_U2] = {0, 3}, [SASS_S2] = {-2, 1}};
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
/* x: whether it saturates; sm_90 takes the low bits without bit 74. */
static inline uint32_t part(const eng_ins *i, const vu *slot, int l) {
    uint32_t v = ((const uint32_t *)slot)[l];
    return i->x ? saturate((int32_t)v, i->y) : v;
}
/* Two parts of z bits, below what c has in its low bits. */
ENG_OP(int_pack) {
    const uint32_t ones = (1u << i->z) - 1;
    LANES(false, (part(i, a_, l) & ones) << i->z | (part(i, b_, l) & ones) | ((const uint32_t *)c_)[l] << 2 * i->z)
}
/* Two halves. */
ENG_OP(int_pack_halves) { LANES(false, part(i, a_, l) << 16 | (part(i, b_, l) & 0xffff)) }
static bool bind_i2ip(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = in->sm < 90 || (in->hi >> 10 & 1);
    out->y = in->type;
    out->z = in->type == SASS_U8 || in->type == SASS_S8 ? 8 : in->type == SASS_U4 || in->type == SASS_S4 ? 4 : 2;
    out->fn = eng_pick(in->type == SASS_U16 || in->type == SASS_S16 ? int_pack_halves : int_pack, out);
    return true;
}
/* Two floats to saturated bytes, below one half of c: bit 72 says its high one. Bit 74: a NaN gives 0. */
static inline uint32_t byte_of(const eng_ins *i, const vu *slot, int l) {
    float f;
    memcpy(&f, (const uint32_t *)slot + l, 4);
    if (i->z & C_RELU && f < 0) f = 0;
    return (uint32_t)integer_result(i->y, f, i->z) & 0xff;
}
ENG_OP(float_pack) {
    const uint32_t *c = (const uint32_t *)c_;
    LANES(false, byte_of(i, a_, l) << 8 | byte_of(i, b_, l) | (i->z & C_HIGH ? c[l] & 0xffff0000u : c[l] << 16))
}
static bool bind_f2ip(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->y = in->type;
    out->z = (uint16_t)(in->round | (in->hi >> 10 & 1 ? C_NTZ : 0) | (in->flags & SASS_RELU ? C_RELU : 0) | (in->hi >> 8 & 1 ? C_HIGH : 0));
    out->fn = eng_pick(float_pack, out);
    return true;
}

ENG_FAMILY(convert, {"f2f", bind_f2f}, {"f2i", bind_f2i}, {"i2f", bind_i2f}, {"frnd", bind_frnd}, {"i2fp", bind_i2fp},
           {"f2fp", bind_f2fp}, {"f2fp_8", bind_f2fp_8}, {"f2fp_tf32", bind_f2fp_tf32}, {"i2i", bind_i2i}, {"f2ip", bind_f2ip}, {"i2ip", bind_i2ip});
