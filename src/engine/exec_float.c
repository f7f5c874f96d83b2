/* Single precision: FADD, FMUL, FFMA, comparisons, selection, minimum and maximum. */
#include "engine/lanes_float.h"
#include "engine/lift.h"

/* --- addition, multiplication, fused multiply-add --------------------------------------------------- */

/* The plain forms: round to nearest, denormals kept. With all lanes, one test tells whether a NaN has to be made
 * canonical; that, like a group of some lanes, is a jump away. */
#define ARITHMETIC(name, ...)                                                                                     \
    ENG_OP(name##_checked) {                                                                                      \
        vf r[ENG_NV];                                                                                             \
        ENG_EACH r[k] = vf_canonical(__VA_ARGS__);                                                                \
        ENG_EACH PUT(k, r[k]);                                                                                    \
    }                                                                                                             \
    ENG_HANDLER(name##_fast) {                                                                                    \
        const vu *a_ = eng_vu(R, i->a), *b_ = eng_vu(R, i->b), *c_ = eng_vu(R, i->c);                             \
        vf *d_ = (vf *)eng_vu(R, i->d), r[ENG_NV];                                                                \
        (void)c_;                                                                                                 \
        if (ENG_UNLIKELY(mask != ENG_ALL)) return name##_checked_some(i, w, R, mask);                             \
        ENG_EACH r[k] = __VA_ARGS__;                                                                              \
        if (ENG_UNLIKELY(vf_any_nan(r))) return name##_checked_full(i, w, R, mask);                               \
        ENG_EACH d_[k] = r[k];                                                                                    \
        ENG_NEXT;                                                                                                 \
    }                                                                                                             \
    static const eng_fn name[3] = {name##_fast, name##_checked_full, name##_checked_guard};
#define FLIP(v) ((vf)((v) ^ vu_set(0x80000000u)))
ARITHMETIC(add, (vf)A(k) + (vf)B(k))
ARITHMETIC(sub, (vf)A(k) - (vf)B(k))
ARITHMETIC(mul, (vf)A(k) * (vf)B(k))
ARITHMETIC(mad, vf_fma((vf)A(k), (vf)B(k), (vf)C(k)))
ARITHMETIC(mad_neg_c, vf_fma((vf)A(k), (vf)B(k), FLIP(C(k))))
ARITHMETIC(mad_neg_ab, vf_fma(FLIP(A(k)), (vf)B(k), (vf)C(k)))

/* All modifiers. x: signs of a, b, c, two bits each, then the flags below; y: rounding, z: FMUL's scale. */
_Static_assert(ENG_FLOAT_SIGNS == 63, "signs come first");
enum { F_FTZ = 64, F_SAT = 128, F_FMZ = 256 };
ENG_INLINE vf finish(vf r, uint32_t x) {
    if (x & F_FTZ) r = vf_flush(r);
    if (x & F_SAT) return vf_saturate(r);
    return vf_canonical(r);
}
/* FTZ: a result is a denormal when it would be one if the exponent had no end, and that is rounded up to the least normal
 * number all the same: then the operation is done again, far from that end. */
ENG_INLINE vf flush_rounded(vf r, vf_kind kind, vf a, vf b, vf c, unsigned round, uint32_t x) {
    vs least = (vs)(((vu)r & 0x7fffffffu) == 0x00800000u);
    if (!(x & F_FTZ) || ENG_LIKELY(!vu_bits(least, 0))) return r;
    vf up = vf_set(0x1p32f), one = vf_set(1.0f);
    vs small = (vs)(((vu)a & 0x7fffffffu) < 0x3f800000u);
    vf again = vf_rounded(kind, a * (vf)vu_select(small, (vu)up, (vu)one), b * (vf)vu_select(small, (vu)one, (vu)up), c * up, round);
    vs denormal = (vs)(((vu)again & 0x7fffffffu) < 0x10800000u); /* 2^-94 */
    return (vf)((vu)r & ~((vu)(least & denormal) & 0x7fffffffu));
}
ENG_INLINE vf source(vu v, uint32_t bits, uint32_t x) {
    vf r = vf_apply(v, vf_mod_of(bits & 3));
    return x & F_FTZ ? vf_flush(r) : r;
}
/* FMZ: a product with a zero is zero, whatever the other factor is. */
ENG_INLINE vf fmz(vf r, vf a, vf b, vf otherwise, uint32_t x) {
    if (!(x & F_FMZ)) return r;
    vs zero = (vs)(a == (vf){0}) | (vs)(b == (vf){0});
    return (vf)vu_select(zero, (vu)otherwise, (vu)r);
}
ENG_OP(add_any) {
    uint32_t x = i->x;
    ENG_EACH PUT(k, finish(vf_rounded(VF_ADD, source(A(k), x, x), source(B(k), x >> 2, x), (vf){0}, i->y), x));
}
ENG_OP(mul_any) {
    uint32_t x = i->x;
    ENG_EACH {
        vf a = source(A(k), x, x), b = source(B(k), x >> 2, x);
        vf r = flush_rounded(vf_rounded(VF_MUL, a, b, (vf){0}, i->y), VF_MUL, a, b, (vf){0}, i->y, x);
        PUT(k, finish(fmz(r, a, b, (vf){0}, x), x));
    }
}
/* The product times a power of two, rounded once. It is exact in a double, and far from a double's ends. */
static inline float narrow(double v, unsigned round) {
    float f = (float)v;
    if (!isfinite(v) || round == SASS_RN) return f;
    bool up = round == SASS_RP || (round == SASS_RZ_ && v < 0);
    if (up ? (double)f < v : (double)f > v) f = nextafterf(f, up ? INFINITY : -INFINITY);
    return f;
}
ENG_OP(mul_scaled) {
    static const double scales[] = {1, 0.125, 0.25, 0.5, 1, 2, 4, 8};
    uint32_t x = i->x;
    ENG_EACH {
        vf a = source(A(k), x, x), b = source(B(k), x >> 2, x), r;
        for (int l = 0; l < ENG_VL; l++) r[l] = narrow((double)a[l] * (double)b[l] * scales[i->z & 7], i->y);
        PUT(k, finish(fmz(r, a, b, (vf){0}, x), x));
    }
}
ENG_OP(mad_any) {
    uint32_t x = i->x;
    ENG_EACH {
        vf a = source(A(k), x, x), b = source(B(k), x >> 2, x), c = source(C(k), x >> 4, x);
        vf none = vf_rounded(VF_ADD, (vf){0}, c, c, i->y); /* the product is +0 */
        vf r = flush_rounded(vf_rounded(VF_FMA, a, b, c, i->y), VF_FMA, a, b, c, i->y, x);
        PUT(k, finish(fmz(r, a, b, none, x), x));
    }
}

static void modifiers(const sass_instr *in, eng_ins *out) {
    out->x = vf_mod_bits(&in->a) | vf_mod_bits(&in->b) << 2 | vf_mod_bits(&in->c) << 4;
    out->x |= (in->flags & (SASS_FTZ | SASS_FMZ) ? F_FTZ : 0) | (in->flags & SASS_SAT ? F_SAT : 0) |
              (in->flags & SASS_FMZ ? F_FMZ : 0);
    out->y = in->round;
}
static bool bind_fadd(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    modifiers(in, out);
    bool plain = out->y == SASS_RN;
    out->fn = eng_pick(plain && out->x == 0 ? add : plain && out->x == 4 ? sub : add_any, out);
    return true;
}
static bool bind_fmul(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    modifiers(in, out);
    out->z = in->shape ? in->shape : ENG_FMUL_UNSCALED;
    out->fn = eng_pick(out->z != ENG_FMUL_UNSCALED ? mul_scaled : out->y == SASS_RN && out->x == 0 ? mul : mul_any, out);
    return true;
}
static bool bind_ffma(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    modifiers(in, out);
    const eng_fn *fn = mad_any;
    if (out->y == SASS_RN)
        fn = out->x == 0 ? mad : out->x == 16 ? mad_neg_c : out->x == 1 || out->x == 4 ? mad_neg_ab : mad_any;
    out->fn = eng_pick(fn, out);
    return true;
}

/* --- selection, minimum, maximum ------------------------------------------------------------------------ */

ENG_OP(fsel) {
    uint32_t p = eng_pred(w, i->ps[0]), x = i->x;
    ENG_EACH {
        vu a = (vu)vf_apply(A(k), vf_mod_of(x & 3)), b = (vu)vf_apply(B(k), vf_mod_of(x >> 2 & 3));
        PUT(k, vu_blend(p, k, b, a));
    }
}
static bool bind_fsel(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    modifiers(in, out);
    out->fn = eng_pick(fsel, out);
    return true;
}

/* A word whose order as a signed integer is that of the floats, with -0 before +0. */
ENG_INLINE vs order(vf v) { return (vs)v ^ (vs)((vu)((vs)v >> 31) >> 1); }
/* The predicate says minimum. A NaN loses against a number, unless NANPROP; y: 1 NANPROP, 2 XORSIGN. */
ENG_OP(fmnmx) {
    uint32_t p = eng_pred(w, i->ps[0]), x = i->x;
    ENG_EACH {
        vf a = source(A(k), x, x), b = source(B(k), x >> 2, x);
        vs less = (vs)(order(a) < order(b)), nan_a = (vs)(a != a), nan_b = (vs)(b != b);
        vs take_a = less ^ (vs)~vu_expand(p, k);
        take_a = (take_a & ~nan_a) | nan_b;
        vu r = vu_select(take_a, (vu)a, (vu)b);
        vs nan = i->y & 1 ? nan_a | nan_b : nan_a & nan_b;
        if (i->y & 2) r = (r & 0x7fffffffu) | ((A(k) ^ B(k)) & 0x80000000u); /* of the sources without their signs' modifiers */
        PUT(k, vu_select(nan, vu_set(ENG_NAN), r));
    }
}
static bool bind_fmnmx(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    modifiers(in, out);
    out->y = (in->flags & SASS_NANPROP ? 1 : 0) | (in->flags & SASS_XORSIGN ? 2 : 0);
    out->fn = eng_pick(fmnmx, out);
    return true;
}

/* --- comparisons ------------------------------------------------------------------------------------------ */

ENG_INLINE uint32_t combine(uint32_t r, uint32_t q, uint32_t bop) {
    return bop == SASS_AND ? r & q : bop == SASS_OR ? r | q : r ^ q;
}
/* Without modifiers, with AND; y: all ones for the comparisons that hold for NaN, which are those of the opposite. */
#define COMPARE(name, ...)                                                                                        \
    ENG_OP(name) {                                                                                                \
        uint32_t r = 0, q = eng_pred(w, i->ps[0]);                                                                \
        ENG_EACH r |= __VA_ARGS__;                                                                                \
        r ^= i->y;                                                                                                \
        SETP(1, ~r & q);                                                                                          \
        SETP(0, r & q);                                                                                           \
    }
COMPARE(fsetp_lt, vf_lt((vf)A(k), (vf)B(k), k))
COMPARE(fsetp_le, vf_le((vf)A(k), (vf)B(k), k))
COMPARE(fsetp_gt, vf_lt((vf)B(k), (vf)A(k), k))
COMPARE(fsetp_ge, vf_le((vf)B(k), (vf)A(k), k))
COMPARE(fsetp_eq, vf_eq((vf)A(k), (vf)B(k), k))
static const struct { const eng_fn *fn; bool opposite; } fast[16] = {
    [SASS_LT] = {fsetp_lt, false}, [SASS_LE] = {fsetp_le, false}, [SASS_GT] = {fsetp_gt, false},
    [SASS_GE] = {fsetp_ge, false}, [SASS_EQ] = {fsetp_eq, false}, [SASS_NEU] = {fsetp_eq, true},
    [SASS_GEU] = {fsetp_lt, true}, [SASS_GTU] = {fsetp_le, true}, [SASS_LEU] = {fsetp_gt, true},
    [SASS_LTU] = {fsetp_ge, true},
};

/* All of them: z holds the comparison's bits less, equal, greater, unordered, and the boolean from bit 4. */
ENG_INLINE uint32_t compare(const eng_ins *i, vu va, vu vb, int k) {
    vf a = source(va, i->x, i->x), b = source(vb, i->x >> 2, i->x);
    uint32_t r = 0;
    if (i->z & 1) r |= vf_lt(a, b, k);
    if (i->z & 2) r |= vf_eq(a, b, k);
    if (i->z & 4) r |= vf_lt(b, a, k);
    if (i->z & 8) r |= vf_unordered(a, b, k);
    return r;
}
ENG_OP(fsetp) {
    uint32_t r = 0, q = eng_pred(w, i->ps[0]), bop = i->z >> 4;
    ENG_EACH r |= compare(i, A(k), B(k), k);
    SETP(1, combine(~r, q, bop));
    SETP(0, combine(r, q, bop));
}
ENG_OP(fset) { /* 1.0 or 0 */
    uint32_t r = 0, q = eng_pred(w, i->ps[0]);
    ENG_EACH r |= compare(i, A(k), B(k), k);
    r = combine(r, q, i->z >> 4);
    ENG_EACH PUT(k, vu_expand(r, k) & (vu)vf_set(1.0f));
}
static bool bind_fsetp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    modifiers(in, out);
    out->z = (uint16_t)((in->cmp & 15) | in->bop << 4);
    const eng_fn *fn = fsetp;
    if (!out->x && in->bop == SASS_AND && fast[in->cmp & 15].fn) {
        fn = fast[in->cmp & 15].fn;
        out->y = fast[in->cmp & 15].opposite ? ENG_ALL : 0;
    }
    out->fn = eng_pick(fn, out);
    return true;
}
static bool bind_fset(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    modifiers(in, out);
    out->z = (uint16_t)((in->cmp & 15) | in->bop << 4);
    out->fn = eng_pick(fset, out);
    return true;
}

/* FCHK: whether a / b by reciprocal and Newton steps could go wrong, so that the slow path must be taken: operands or
 * the quotient near the ends of the exponent range. The bounds are those with which the fast path is exact. */
ENG_OP(fchk) {
    uint32_t slow = 0;
    ENG_EACH {
        vs ea = (vs)((A(k) >> 23) & 255), eb = (vs)((B(k) >> 23) & 255), d = ea - eb, none = (vs){0};
        vs risky = (vs)(ea == none) | (vs)(ea == 255 - none) | (vs)(eb < 2 - none) | (vs)(eb > 251 - none) |
                   (vs)(d > 126 - none) | (vs)(d < -125 - none) | (vs)(ea < 25 - none);
        slow |= vu_bits(risky, k);
    }
    SETP(0, slow);
}
static bool bind_fchk(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->fn = eng_pick(fchk, out);
    return true;
}

/* FSWZADD: a and b with the signs that the lane's place in its quad says; the operands have none of their own, and nothing
 * comes from another lane. z: two bits a lane, those of the quad's last lane lowest. .NDV says something of divergence, not of the value. */
enum { SWZ_ADD, SWZ_A_MINUS_B, SWZ_B_MINUS_A, SWZ_B };
ENG_OP(fswzadd) {
    uint32_t x = i->x;
    vu flip_a, flip_b, keep_a;
    for (int l = 0; l < ENG_VL; l++) {
        unsigned how = i->z >> 2 * (3 - (l & 3)) & 3;
        flip_a[l] = how == SWZ_B_MINUS_A ? 0x80000000u : 0;
        flip_b[l] = how == SWZ_A_MINUS_B ? 0x80000000u : 0;
        keep_a[l] = how == SWZ_B ? 0 : ENG_ALL;
    }
    ENG_EACH PUT(k, finish(vf_rounded(VF_ADD, source((A(k) & keep_a) ^ flip_a, 0, x), source(B(k) ^ flip_b, 0, x), (vf){0}, i->y), x));
}
static bool bind_fswzadd(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = in->flags & SASS_FTZ ? F_FTZ : 0;
    out->y = in->round;
    out->z = in->sub;
    out->fn = eng_pick(fswzadd, out);
    return true;
}

ENG_FAMILY(float, {"fadd", bind_fadd}, {"fmul", bind_fmul}, {"ffma", bind_ffma}, {"fsel", bind_fsel}, {"fmnmx", bind_fmnmx},
           {"fsetp", bind_fsetp}, {"fset", bind_fset}, {"fchk", bind_fchk}, {"fswzadd", bind_fswzadd});

ENG_LIFTS(float, {add, ENG_LIFT_FADD}, {sub, ENG_LIFT_FADD}, {add_any, ENG_LIFT_FADD}, {mul, ENG_LIFT_FMUL},
          {mul_any, ENG_LIFT_FMUL}, {mad, ENG_LIFT_FFMA}, {mad_neg_c, ENG_LIFT_FFMA}, {mad_neg_ab, ENG_LIFT_FFMA},
          {mad_any, ENG_LIFT_FFMA}, {fsel, ENG_LIFT_FSEL}, {fsetp_lt, ENG_LIFT_FSETP}, {fsetp_le, ENG_LIFT_FSETP},
          {fsetp_gt, ENG_LIFT_FSETP}, {fsetp_ge, ENG_LIFT_FSETP}, {fsetp_eq, ENG_LIFT_FSETP}, {fsetp, ENG_LIFT_FSETP});
