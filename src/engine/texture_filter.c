#include "engine/texture_filter.h"

typedef struct layout { /* of a kind of floats */
    int mantissa, largest; /* bits of the fraction; the exponent of infinity */
    int guard;             /* bits below a pass's sum that are kept when it is shifted to another's exponent */
    bool denormals;
} layout;
static const layout of_floats = {23, 255, 16, false}, of_halves = {10, 31, 1, true};
enum { KEPT = 4 }; /* bits that a mantissa keeps below the last place of the largest */

static inline uint32_t fraction_of(layout l, uint32_t v) {
    return v & ((1u << l.mantissa) - 1);
}
static inline int exponent_of(layout l, uint32_t v) {
    return (int)(v >> l.mantissa) & l.largest;
}
static inline bool negative(layout l, uint32_t v) {
    return v & ((uint32_t)l.largest + 1) << l.mantissa;
}

/* The sum of a pass, whose exponent is `most`. */
static inline void add_pass(layout l, tex_sum *to, int64_t sum, int most) {
    int apart = most - to->exponent;
    sum *= 1 << l.guard;
    if (apart > 0) {
        to->sum = (to->sum >> (apart > 62 ? 62 : apart)) + sum;
        to->exponent = most;
    } else to->sum += sum >> (apart < -62 ? 62 : -apart);
}
static inline void add_floats(layout l, tex_sum *to, const uint32_t *value, const int32_t *weight, unsigned n, unsigned taken) {
    int most = 0;
    int64_t sum = 0;
    for (unsigned k = 0; k < n; k++) {
        if (!(taken >> k & 1)) continue;
        int e = exponent_of(l, value[k]);
        if (e == l.largest) {
            if (fraction_of(l, value[k])) to->nan = true;
            else to->infinite[negative(l, value[k])] = true;
            continue;
        }
        if (!negative(l, value[k]) || !weight[k]) to->positive = true; /* a negative number times nothing is +0 */
        if (!e && l.denormals && fraction_of(l, value[k])) e = 1;
        if (weight[k] && e > most) most = e;
    }
    if (!most) return;
    for (unsigned k = 0; k < n; k++) {
        int e = exponent_of(l, value[k]);
        if (e == l.largest || (!e && !l.denormals)) continue;
        int64_t m = (int64_t)(fraction_of(l, value[k]) | (e ? 1u << l.mantissa : 0)) << KEPT;
        int shift = most - (e ? e : 1);
        m = shift < 0 || shift > l.mantissa + KEPT ? 0 : m >> shift; /* less than none: it has no weight */
        sum += (negative(l, value[k]) ? -m : m) * weight[k];
    }
    add_pass(l, to, sum, most);
}
/* Of sRGB's values, eight neighbours have one exponent, the last one's, and seven bits of fraction. */
static void add_srgb(tex_sum *to, const uint32_t *value, const int32_t *weight, unsigned n) {
    enum { CUT = 7 };
    int most = 0;
    int64_t sum = 0;
    for (unsigned k = 0; k < n; k++) {
        int e = exponent_of(of_halves, tex_linear_of_srgb((uint8_t)(value[k] | 7)));
        if (weight[k] && e > most) most = e;
    }
    for (unsigned k = 0; k < n; k++) {
        uint16_t half = tex_linear_of_srgb((uint8_t)value[k]);
        if (!weight[k] || !half) continue;
        int64_t m = (int64_t)(fraction_of(of_halves, half) | 1u << of_halves.mantissa) << KEPT >> (most - exponent_of(of_halves, half));
        sum += (m >> CUT << CUT) * weight[k];
    }
    to->positive = true;
    add_pass(of_halves, to, sum, most);
}
static inline uint32_t rounded(layout l, const tex_sum *s) {
    const uint32_t sign = ((uint32_t)l.largest + 1) << l.mantissa, infinity = (uint32_t)l.largest << l.mantissa;
    if (s->nan || (s->infinite[0] && s->infinite[1])) return sign - 1;
    if (s->infinite[0] || s->infinite[1]) return infinity | (s->infinite[1] ? sign : 0);
    if (!s->sum) return s->positive ? 0 : sign;
    const uint32_t its_sign = s->sum < 0 ? sign : 0;
    uint64_t size = (uint64_t)(s->sum < 0 ? -s->sum : s->sum);
    int top = 63 - __builtin_clzll(size), below = l.mantissa + KEPT + TEX_WEIGHT_BITS + l.guard, exponent = s->exponent + top - below;
    if (exponent < 1) {
        if (!l.denormals) return its_sign;
        exponent = 1;
    }
    int excess = exponent - s->exponent + below - l.mantissa;
    size = excess > 0 ? (size + (UINT64_C(1) << (excess - 1))) >> excess : size << -excess;
    return its_sign | (uint32_t)(((uint64_t)(exponent - 1) << l.mantissa) + size); /* the mantissa's first bit counts the exponent up */
}

void tex_sum_add(const eng_texture *t, tex_sum sums[4], const tex_texel *texels, const int32_t *weights, unsigned n, unsigned taken) {
    for (unsigned c = 0; c < t->components; c++) {
        uint32_t value[4];
        for (unsigned k = 0; k < n; k++) value[k] = (uint32_t)texels[k].v[c];
        switch (tex_class_of(t, c)) {
        case TEX_FLOATS:
            if (n == 4) add_floats(of_floats, &sums[c], value, weights, 4, taken); /* most are: the loops unroll */
            else add_floats(of_floats, &sums[c], value, weights, n, taken);
            break;
        case TEX_SRGB: add_srgb(&sums[c], value, weights, n); break;
        case TEX_HALVES: add_floats(of_halves, &sums[c], value, weights, n, taken); break;
        default:
            for (unsigned k = 0; k < n; k++) sums[c].sum += texels[k].v[c] * weights[k];
        }
    }
}

/* 256ths of an integer to a fraction of 65535 or 32767. A byte's bits are repeated, as far as they reach: of signed bytes, which have 7, that is
 * three times, the third time three bits. */
static int32_t sixteen_bits(const eng_texture *t, int32_t sum) {
    const int32_t half = TEX_WEIGHT_ONE / 2;
    if (t->bits == 16) sum = (sum + half) >> TEX_WEIGHT_BITS;
    else if (t->format == ENG_TEX_UNSIGNED) sum += (sum + half) >> 8;
    else sum += (sum + ((sum >> 12) << 4) + half / 2) >> 7;
    return t->format == ENG_TEX_UNSIGNED ? sum : sum < -32767 ? -32767 : sum > 32767 ? 32767 : sum;
}
uint32_t tex_sum_result(const eng_texture *t, const tex_sum *sum, unsigned c) {
    switch (tex_class_of(t, c)) {
    case TEX_FLOATS: return rounded(of_floats, sum);
    case TEX_SRGB:
    case TEX_HALVES: return tex_half((uint16_t)rounded(of_halves, sum));
    default: return tex_fraction(t, sixteen_bits(t, (int32_t)sum->sum));
    }
}
