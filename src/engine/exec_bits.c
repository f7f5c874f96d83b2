/* Bits and bytes of a word: PRMT, POPC, FLO, BREV, SGXT, BMSK, absolute values and differences. */
#include "engine/lanes_ops.h"

/* Lane loops for what vectors do not have: E is computed from a, b, c of lane l. */
#define LANE_OP(name, ...)                                                                                        \
    ENG_OP(name) {                                                                                                \
        const uint32_t *pa = (const uint32_t *)a_, *pb = (const uint32_t *)b_, *pc = (const uint32_t *)c_;        \
        _Alignas(64) uint32_t r_[32];                                                                             \
        for (int l = 0; l < 32; l++) {                                                                            \
            uint32_t a = pa[l], b = pb[l], c = pc[l], r;                                                          \
            (void)a, (void)b, (void)c;                                                                            \
            __VA_ARGS__                                                                                           \
            r_[l] = r;                                                                                            \
        }                                                                                                         \
        ENG_EACH PUT(k, ((vu *)r_)[k]);                                                                           \
    }

/* --- PRMT ----------------------------------------------------------------------------------- */

/* The selector of the special modes: byte numbers from the low two bits of b. */
ENG_INLINE uint32_t prmt_selector(uint32_t mode, uint32_t b) {
    static const uint16_t modes[7][4] = {
        {0, 0, 0, 0}, {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123}, /* F4E, B4E */
        {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},               /* RC8, ECL */
        {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232},               /* ECR, RC16 */
    };
    return mode == 0 || mode > 6 ? b : modes[mode][b & 3];
}
LANE_OP(prmt_any, {
    uint64_t both = (uint64_t)c << 32 | a;
    uint32_t sel = prmt_selector(i->x, b);
    r = 0;
    for (int n = 0; n < 4; n++) {
        uint32_t s = sel >> (4 * n) & 15, byte = (uint32_t)(both >> (8 * (s & 7))) & 0xff;
        if (s & 8) byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * n);
    }
})
/* One selector for all lanes (x): the usual case. */
ENG_OP(prmt_same) {
    uint32_t sel = i->x;
    ENG_EACH {
        vu r = {0}, a = A(k), c = C(k);
        for (int n = 0; n < 4; n++) {
            uint32_t s = sel >> (4 * n) & 15;
            vu top = vu_shl(s & 4 ? c : a, vu_set(24 - 8 * (s & 3))); /* the byte, moved up */
            vu moved = s & 8 ? (vu)((vs)top >> 31) : top;
            r |= vu_shl(vu_shr(moved, vu_set(24)), vu_set((uint32_t)(8 * n)));
        }
        PUT(k, r);
    }
}
static bool bind_prmt(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    bool same = in->b.kind == SASS_IMM;
    uint8_t mode = in->op == SASS_UPRMT ? SASS_PRMT_IDX : in->sub; /* the uniform datapath takes no notice of the mode */
    out->x = same ? prmt_selector(mode, (uint32_t)in->b.value) : mode;
    out->fn = eng_pick(same ? prmt_same : prmt_any, out);
    return true;
}

/* --- counting and finding bits ---------------------------------------------------------------- */

LANE_OP(popc, r = (uint32_t)__builtin_popcount(a ^ i->x);)
LANE_OP(brev, {
    r = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    r = (r >> 2 & 0x33333333u) | (r & 0x33333333u) << 2;
    r = (r >> 4 & 0x0f0f0f0fu) | (r & 0x0f0f0f0fu) << 4;
    r = __builtin_bswap32(r);
})
/* Index of the highest bit that differs from the sign (unsigned: of the highest one); SH (y): counted from the top. */
LANE_OP(flo, {
    uint32_t v = a ^ i->x;
    if (i->z && (int32_t)v < 0) v = ~v;
    r = v ? 31 - (uint32_t)__builtin_clz(v) : ENG_ALL;
    if (i->y && v) r = 31 - r;
})
static bool bind_one(eng_plan *plan, const sass_instr *in, eng_ins *out, const eng_fn *fn) {
    eng_operands(plan, in, out);
    out->x = in->a.inv ? ENG_ALL : 0;
    out->y = (in->flags & SASS_SH) != 0;
    out->z = (in->flags & SASS_SIGNED) != 0;
    out->fn = eng_pick(fn, out);
    return true;
}
static bool bind_popc(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_one(plan, in, out, popc); }
static bool bind_brev(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_one(plan, in, out, brev); }
static bool bind_flo(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_one(plan, in, out, flo); }

/* --- fields --------------------------------------------------------------------------------------- */

/* The low b bits of a, sign- or zero-extended. .W takes the width modulo 32; else more than 32 is 32. */
ENG_INLINE uint32_t extend(uint32_t v, uint32_t n, bool wrap, bool is_signed) {
    n = wrap ? n & 31 : n > 32 ? 32 : n;
    if (n == 0) return 0;
    if (n == 32) return v;
    uint32_t up = v << (32 - n);
    return is_signed ? (uint32_t)((int32_t)up >> (32 - n)) : up >> (32 - n);
}
LANE_OP(sgxt, r = extend(a, b, i->y, i->z);)
/* b ones from bit a on */
LANE_OP(bmsk, {
    uint32_t at = i->y ? a & 31 : a;
    uint32_t n = i->y ? b & 31 : b;
    uint32_t ones = n >= 32 ? ENG_ALL : (1u << n) - 1;
    r = at >= 32 ? 0 : ones << at;
})
static bool bind_field(eng_plan *plan, const sass_instr *in, eng_ins *out, const eng_fn *fn) {
    eng_operands(plan, in, out);
    out->y = (in->flags & SASS_WRAP) != 0;
    out->z = (in->flags & SASS_SIGNED) != 0;
    out->fn = eng_pick(fn, out);
    return true;
}
static bool bind_sgxt(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_field(plan, in, out, sgxt); }
static bool bind_bmsk(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_field(plan, in, out, bmsk); }

/* --- absolute values -------------------------------------------------------------------------------- */

ENG_OP(iabs) {
    ENG_EACH {
        vs v = (vs)A(k);
        PUT(k, (vu)vs_max(v, (vs)((vu){0} - (vu)v)));
    }
}
static bool bind_iabs(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->fn = eng_pick(iabs, out);
    return true;
}
/* |a - b| + c */
LANE_OP(absdiff, {
    bool less = i->z ? (int32_t)a < (int32_t)b : a < b;
    r = (less ? b - a : a - b) + c;
})
static bool bind_vabsdiff(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_field(plan, in, out, absdiff); }
/* of four bytes: their sum on top of c (.ACC), or each on its own */
LANE_OP(absdiff4, {
    uint32_t sum = 0;
    uint32_t bytes = 0;
    for (int n = 0; n < 4; n++) {
        uint32_t x = a >> 8 * n & 0xff, y = b >> 8 * n & 0xff, d = x < y ? y - x : x - y;
        sum += d;
        bytes |= d << 8 * n;
    }
    r = i->x ? sum + c : bytes;
})
static bool bind_vabsdiff4(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = (in->flags & SASS_ACC) != 0;
    out->fn = eng_pick(absdiff4, out);
    return true;
}

#define UNIFORM(name)                                                                                             \
    static bool bind_u##name(eng_plan *plan, const sass_instr *in, eng_ins *out) {                                \
        out->uni = ENG_ALL;                                                                                       \
        return bind_##name(plan, in, out);                                                                        \
    }
UNIFORM(prmt)
UNIFORM(popc)
UNIFORM(brev)
UNIFORM(flo)
UNIFORM(sgxt)
UNIFORM(bmsk)

ENG_FAMILY(bits, {"prmt", bind_prmt}, {"uprmt", bind_uprmt}, {"popc", bind_popc}, {"upopc", bind_upopc}, {"flo", bind_flo},
           {"uflo", bind_uflo}, {"brev", bind_brev}, {"ubrev", bind_ubrev}, {"sgxt", bind_sgxt}, {"usgxt", bind_usgxt},
           {"bmsk", bind_bmsk}, {"ubmsk", bind_ubmsk}, {"iabs", bind_iabs}, {"vabsdiff", bind_vabsdiff},
           {"vabsdiff4", bind_vabsdiff4});
