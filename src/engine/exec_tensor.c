/* Matrices across a warp: HMMA, IMMA, QMMA, DMMA, BMMA, MOVM. With g = lane / 4 and t = lane % 4, a lane holds of
 *   A, m16: rows g and g + 8; words of neighbouring elements of a row, at columns t, then t + 4 words
 *   B: column g, rows as A's columns
 *   C and D: row g, columns 2 t and 2 t + 1, then row g + 8
 * The PTX manual says so for every shape. */
#include <fenv.h>
#include <math.h>

#include "engine/lanes.h"
#include "engine/plan.h"
#include "engine/tensor_sum.h"

/* The elements of a warp's fragments, whatever their width: row r, word w of A; column n, word w of B. Words of a row are
 * spread over four lanes, then over registers: m16 has two registers (rows g, g + 8) for each four words. */
static inline uint32_t a_word(const uint8_t *R, uint32_t a, unsigned rows, unsigned r, unsigned w) {
    unsigned lane = r % 8 * 4 + w % 4, reg = rows == 16 ? r / 8 + w / 4 * 2 : w / 4;
    return ((const uint32_t *)(const void *)(R + a + reg * ENG_SLOT))[lane];
}
static inline uint32_t b_word(const uint8_t *R, uint32_t b, unsigned n, unsigned w) {
    return ((const uint32_t *)(const void *)(R + b + w / 4 * ENG_SLOT))[n * 4 + w % 4];
}
/* 32-bit element (r, n) of C or D: place of the word. */
static inline uint32_t *cd_word(uint8_t *R, uint32_t c, unsigned r, unsigned n) {
    return (uint32_t *)(void *)(R + c + (r / 8 * 2 + n % 2) * ENG_SLOT) + r % 8 * 4 + n / 2;
}
/* 16-bit elements (r, 2 m) and (r, 2 m + 1). */
static inline uint32_t *cd_halves(uint8_t *R, uint32_t c, unsigned r, unsigned m) {
    return (uint32_t *)(void *)(R + c + r / 8 * ENG_SLOT) + r % 8 * 4 + m;
}

/* A result goes to registers that may be sources: it is written when all is computed. */
static void write_back(const eng_ins *i, uint8_t *R, uint32_t on, unsigned regs, uint32_t out[][32]) {
    for (unsigned k = 0; k < regs; k++)
        for (unsigned l = 0; l < 32; l++)
            if (on >> l & 1) eng_u32(R, i->d + k * ENG_SLOT)[l] = out[k][l];
}

/* --- HMMA ------------------------------------------------------------------------------------------------- */

/* x: formats of A, B << 4 | k << 8 | HMMA_HALVES | terms of a step << 24; y: bits of fraction kept */
enum { HMMA_HALVES = 1 << 16 /* in C and D */ };
static inline void step_products(tensor_sum *s, const tensor_number *a, const tensor_number *b, unsigned n) {
    for (unsigned k = 0; k < n; k++) tensor_multiply(s, a[k], b[k]);
}

static void decode_row(tensor_number *to, const uint8_t *R, uint32_t at, unsigned rows, unsigned r, unsigned k, tensor_format f, bool is_a) {
    for (unsigned j = 0; j < k; j++) {
        unsigned per = f == TENSOR_TF32 ? 1 : f >= TENSOR_E4M3 ? 4 : 2;
        uint32_t w = is_a ? a_word(R, at, rows, r, j / per) : b_word(R, at, r, j / per);
        if (f == TENSOR_TF32) w >>= 13; /* the low bits do not count */
        else w = w >> j % per * (32 / per) & (per == 2 ? 0xffff : 0xff);
        to[j] = tensor_decode(w, f);
    }
}

/* c plus the products of a row and a column, `step` of them at a time. */
static inline uint32_t product_sum(const eng_ins *i, const tensor_number *a, const tensor_number *b, unsigned k, uint32_t c) {
    const int fraction = tensor_fraction((tensor_format)(i->x & 15)) + tensor_fraction((tensor_format)(i->x >> 4 & 15));
    for (unsigned from = 0, step = i->x >> 24; from < k; from += step) {
        tensor_sum s;
        tensor_begin(&s, fraction, (int)i->y);
        step_products(&s, a + from, b + from, step);
        c = i->x & HMMA_HALVES ? tensor_half(&s, (uint16_t)c) : tensor_float(&s, c);
    }
    return c;
}
static inline uint32_t get_c(const eng_ins *i, uint8_t *R, unsigned r, unsigned n) {
    return i->x & HMMA_HALVES ? *cd_halves(R, i->c, r, n / 2) >> n % 2 * 16 & 0xffff : *cd_word(R, i->c, r, n);
}
static inline void put_d(const eng_ins *i, uint32_t out[][32], unsigned r, unsigned n, uint32_t d) {
    if (!(i->x & HMMA_HALVES)) out[r / 8 * 2 + n % 2][r % 8 * 4 + n / 2] = d;
    else if (n % 2) out[r / 8][r % 8 * 4 + n / 2] |= d << 16;
    else out[r / 8][r % 8 * 4 + n / 2] = d;
}
ENG_HANDLER(hmma) {
    uint32_t on = eng_on(i, w, mask);
    if (!on) ENG_NEXT;
    tensor_format f = (tensor_format)(i->x & 15), of_b = (tensor_format)(i->x >> 4 & 15);
    unsigned k = i->x >> 8 & 0xff;
    tensor_number a[16][32], b[8][32];
    uint32_t out[4][32];
    for (unsigned r = 0; r < 16; r++) decode_row(a[r], R, i->a, 16, r, k, f, true);
    for (unsigned n = 0; n < 8; n++) decode_row(b[n], R, i->b, 8, n, k, of_b, false);
    for (unsigned r = 0; r < 16; r++)
        for (unsigned n = 0; n < 8; n++) put_d(i, out, r, n, product_sum(i, a[r], b[n], k, get_c(i, R, r, n)));
    write_back(i, R, on, i->x & HMMA_HALVES ? 2 : 4, out);
    ENG_NEXT;
}

/* The products of a step are added at once: all of them on sm_90, where every bit was compared. Older tensor cores add 16
 * bytes of a row of A at a time (sm_75: 8), and keep one bit less, as publications say that measured them. */
static bool bind_products(eng_plan *plan, const sass_instr *in, eng_ins *out, tensor_format f, unsigned k, bool halves) {
    eng_operands(plan, in, out);
    unsigned bytes = f == TENSOR_TF32 ? 4 : f >= TENSOR_E4M3 ? 1 : 2, step = in->sm >= 90 || bytes == 1 ? k : (in->sm >= 80 ? 16 : 8) / bytes;
    out->x = (uint32_t)f | (uint32_t)f << 4 | k << 8 | (halves ? HMMA_HALVES : 0u) | (step < k ? step : k) << 24;
    out->y = bytes == 1 ? TENSOR_KEPT_QUARTER : in->sm >= 90 ? TENSOR_KEPT : TENSOR_KEPT - 1;
    out->fn = hmma;
    return true;
}
static bool bind_hmma(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    static const uint8_t k[] = {8, 16, 4};
    bool halves = in->type == SASS_F16, single = in->stype == SASS_TF32;
    if (in->shape > 2 || (halves && in->stype != SASS_F16) || (single ? in->shape == 1 : in->shape == 2))
        return eng_refuse(plan, "these types in this shape");
    tensor_format f = single ? TENSOR_TF32 : in->stype == SASS_BF16 ? TENSOR_BF16 : TENSOR_F16;
    return bind_products(plan, in, out, f, k[in->shape], halves);
}

/* --- HMMA.884: eight by eight by four in each of four groups of lanes, those of two quads --------------------------- */

/* x: the layouts, the type of C and D, and the step, which is a quarter of D's floats or a half of its halves */
enum { H884_A_COLUMNS = 1, H884_B_COLUMNS = 2, H884_FLOATS = 4, H884_STEP = 4 /* shift */ };
static inline tensor_number half_of_fragment(const uint8_t *R, uint32_t at, unsigned group, unsigned major, unsigned minor, bool by_major) {
    unsigned lane = group * 4 + (by_major ? major % 4 : minor) + (major >= 4 ? 16 : 0), half = by_major ? minor : major % 4;
    uint32_t word = ((const uint32_t *)(const void *)(R + at + half / 2 * ENG_SLOT))[lane];
    return tensor_decode(word >> half % 2 * 16 & 0xffff, TENSOR_F16);
}
static inline void sum_884(const eng_ins *i, const uint8_t *R, unsigned group, unsigned row, unsigned column, tensor_sum *s) {
    tensor_begin(s, 2 * tensor_fraction(TENSOR_F16), TENSOR_KEPT - 1);
    for (unsigned k = 0; k < 4; k++)
        tensor_multiply(s, half_of_fragment(R, i->a, group, row, k, !(i->x & H884_A_COLUMNS)),
                        half_of_fragment(R, i->b, group, column, k, i->x & H884_B_COLUMNS));
}
ENG_HANDLER(hmma_884) {
    uint32_t on = eng_on(i, w, mask), out[2][32];
    if (!on) ENG_NEXT;
    for (unsigned l = 0; l < 32; l++) {
        const unsigned group = l / 4 % 4, below = l >= 16 ? 4 : 0, step = i->x >> H884_STEP;
        tensor_sum s;
        if (i->x & H884_FLOATS) {
            for (unsigned k = 0; k < 2; k++) {
                unsigned row = (l & 1) + (step & 1) * 2 + below, column = (step & 2) * 2 + (l & 2) + k;
                sum_884(i, R, group, row, column, &s);
                out[k][l] = tensor_float(&s, eng_u32(R, i->c + k * ENG_SLOT)[l]);
            }
            continue;
        }
        for (unsigned k = 0; k < 4; k++) {
            uint32_t c = eng_u32(R, i->c + k / 2 * ENG_SLOT)[l] >> k % 2 * 16 & 0xffff;
            sum_884(i, R, group, l % 4 + below, step * 4 + k, &s);
            uint32_t d = tensor_half(&s, (uint16_t)c);
            out[k / 2][l] = k % 2 ? out[k / 2][l] | d << 16 : d;
        }
    }
    write_back(i, R, on, 2, out);
    ENG_NEXT;
}
static bool bind_hmma_884(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bool floats = in->type == SASS_F32;
    if (in->stype != in->type || (!floats && in->shape > 1)) return eng_refuse(plan, "these types");
    eng_operands(plan, in, out);
    out->x = (in->hi >> 9 & 1 ? H884_A_COLUMNS : 0u) | (in->hi >> 10 & 1 ? H884_B_COLUMNS : 0u) | (floats ? H884_FLOATS : 0u) |
             (uint32_t)in->shape << H884_STEP;
    out->fn = hmma_884;
    return true;
}

static tensor_format quarter_of(bool e5m2) { return e5m2 ? TENSOR_E5M2 : TENSOR_E4M3; }
static bool bind_qmma(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (!bind_products(plan, in, out, quarter_of(in->sub), in->shape ? 32 : 16, in->type == SASS_F16)) return false;
    out->x = (out->x & ~0xf0u) | (uint32_t)quarter_of(in->stype == SASS_E5M2X2) << 4;
    return true;
}

/* --- sparse A --------------------------------------------------------------------------------------------- */

/* Of four elements of a row of A two are there, and two bits of metadata each say which; of TF32, whose elements count as two halves,
 * and of nibbles, which come in pairs, likewise. A row of A has 16, 32 or 64 such bits in the lanes of its quad. Of floats, one lane (the
 * selector says which) or two have 16 bits each, in the low halves of their words for row g, in the high ones for row g + 8. Of integers, one
 * pair of lanes (the selector's) or both have a word each: the first of the pair for row g, the second for row g + 8. */
static inline uint64_t sparse_row(const uint8_t *R, uint32_t slot, unsigned r, unsigned n_bits, unsigned selector, bool integers) {
    const uint32_t *quad = (const uint32_t *)(const void *)(R + slot) + r % 8 * 4;
    unsigned lower = r / 8, pair = n_bits == 64 ? 0 : selector % 2 * 2;
    if (n_bits == 16) return quad[selector] >> lower * 16 & 0xffff;
    if (!integers) return (quad[pair] >> lower * 16 & 0xffff) | (quad[pair + 1] >> lower * 16 & 0xffff) << 16;
    return quad[pair + lower] | (n_bits == 64 ? (uint64_t)quad[2 + lower] << 32 : 0);
}
static inline unsigned sparse_column(uint64_t row, unsigned j) { return j / 2 * 4 + (unsigned)(row >> 2 * j & 3); }

/* imm: the metadata's slot; z: its bits a row | selector << 8 | (integers) << 12 */
static inline uint64_t sparse_row_of(const eng_ins *i, const uint8_t *R, unsigned r) {
    return sparse_row(R, (uint32_t)i->imm, r, i->z & 0xff, i->z >> 8 & 3, i->z >> 12);
}
static inline void bind_sparse(eng_plan *plan, const sass_instr *in, eng_ins *out, unsigned bits, bool integers) {
    out->imm = eng_slot_src(plan, &in->extra);
    out->z = (uint16_t)(bits | (unsigned)in->shift << 8 | (unsigned)integers << 12);
}

/* The bits of B's column that an element of A meets. */
static inline uint32_t column_bits(const uint8_t *R, uint32_t b, unsigned n, unsigned at, unsigned width) {
    return b_word(R, b, n, at / 32) >> at % 32 & ((1u << width) - 1);
}
/* The element of B's column n that meets element j of a row of A. */
static inline tensor_number met_by(const eng_ins *i, const uint8_t *R, uint64_t meta, unsigned n, unsigned j) {
    tensor_format f = (tensor_format)(i->x >> 4 & 15);
    if (f == TENSOR_TF32) {
        uint32_t low = column_bits(R, i->b, n, sparse_column(meta, 2 * j) * 16, 16), high = column_bits(R, i->b, n, sparse_column(meta, 2 * j + 1) * 16, 16);
        return tensor_decode((low | high << 16) >> 13, f);
    }
    unsigned width = f >= TENSOR_E4M3 ? 8 : 16;
    return tensor_decode(column_bits(R, i->b, n, sparse_column(meta, j) * width, width), f);
}
ENG_HANDLER(hmma_sp) {
    uint32_t on = eng_on(i, w, mask);
    if (!on) ENG_NEXT;
    unsigned k = (i->x >> 8 & 0xff) / 2; /* elements of a row of A that are there */
    tensor_number a[32], b[32];
    uint32_t out[4][32];
    for (unsigned r = 0; r < 16; r++) {
        uint64_t meta = sparse_row_of(i, R, r);
        decode_row(a, R, i->a, 16, r, k, (tensor_format)(i->x & 15), true);
        for (unsigned n = 0; n < 8; n++) {
            for (unsigned j = 0; j < k; j++) b[j] = met_by(i, R, meta, n, j);
            put_d(i, out, r, n, product_sum(i, a, b, k, get_c(i, R, r, n)));
        }
    }
    write_back(i, R, on, i->x & HMMA_HALVES ? 2 : 4, out);
    ENG_NEXT;
}
static bool bind_hmma_sp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    static const uint8_t k[] = {8, 16, 0, 32}; /* 1688, 16816, 16832 */
    bool halves = in->type == SASS_F16, single = in->stype == SASS_TF32;
    if (in->shape > 3 || (halves && in->stype != SASS_F16) || (single ? in->shape > 1 : !(in->shape & 1)))
        return eng_refuse(plan, "these types in this shape");
    tensor_format f = single ? TENSOR_TF32 : in->stype == SASS_BF16 ? TENSOR_BF16 : TENSOR_F16;
    if (!bind_products(plan, in, out, f, k[in->shape], halves)) return false;
    unsigned step = out->x >> 24;
    if (step > k[in->shape] / 2u) out->x = (out->x & 0xffffff) | (uint32_t)(k[in->shape] / 2) << 24;
    bind_sparse(plan, in, out, single ? 2u * k[in->shape] : k[in->shape], false);
    out->fn = hmma_sp;
    return true;
}
static bool bind_qmma_sp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (!bind_qmma(plan, in, out)) return false;
    out->x = (out->x & 0xff00ff) | 64u << 8 | 32u << 24;
    bind_sparse(plan, in, out, 64, true);
    out->fn = hmma_sp;
    return true;
}

/* --- IMMA and BMMA: integers, exact ------------------------------------------------------------------------- */

/* x: bits of an element | rows << 8 | words of a row << 16; y: 1 A signed, 2 B signed, 4 saturates, 8 XOR, 16 AND */
enum { INT_A_SIGNED = 1, INT_B_SIGNED = 2, INT_SAT = 4, INT_XOR = 8, INT_AND = 16 };
static inline int32_t element(uint32_t word, unsigned at, unsigned n, bool is_signed) {
    uint32_t v = word >> at << (32 - n);
    return is_signed ? (int32_t)v >> (32 - n) : (int32_t)(v >> (32 - n));
}
static inline int32_t dot(uint32_t a, uint32_t b, unsigned n, uint32_t how) {
    if (how & INT_XOR) return __builtin_popcount(a ^ b);
    if (how & INT_AND) return __builtin_popcount(a & b);
    int32_t sum = 0;
    for (unsigned at = 0; at < 32; at += n) sum += element(a, at, n, how & INT_A_SIGNED) * element(b, at, n, how & INT_B_SIGNED);
    return sum;
}
ENG_HANDLER(imma) {
    uint32_t on = eng_on(i, w, mask), bits = i->x & 0xff, rows = i->x >> 8 & 0xff, words = i->x >> 16;
    if (!on) ENG_NEXT;
    uint32_t out[4][32];
    for (unsigned r = 0; r < rows; r++)
        for (unsigned n = 0; n < 8; n++) {
            int64_t sum = (int32_t)*cd_word(R, i->c, r, n);
            for (unsigned k = 0; k < words; k++) sum += dot(a_word(R, i->a, rows, r, k), b_word(R, i->b, n, k), bits, i->y);
            if (i->y & INT_SAT) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            out[r / 8 * 2 + n % 2][r % 8 * 4 + n / 2] = (uint32_t)sum;
        }
    write_back(i, R, on, rows / 4, out);
    ENG_NEXT;
}
static uint32_t int_signs(const sass_instr *in) {
    return (in->type == SASS_S8 || in->type == SASS_S4 ? INT_A_SIGNED : 0u) | (in->stype == SASS_S8 || in->stype == SASS_S4 ? INT_B_SIGNED : 0u) |
           (in->flags & SASS_SAT ? INT_SAT : 0u);
}
static bool bind_imma(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bool nibbles = in->type == SASS_U4 || in->type == SASS_S4, both = nibbles == (in->stype == SASS_U4 || in->stype == SASS_S4);
    static const uint8_t columns[] = {16, 0, 32, 0, 16, 32, 64}; /* 8816, 8832, 16816, 16832, 16864 */
    unsigned k = in->shape < sizeof columns ? columns[in->shape] : 0, bits = nibbles ? 4 : 8;
    if (!k || !both || (nibbles ? k == 16 : k == 64 || in->shape == 2)) return eng_refuse(plan, "these types in this shape");
    eng_operands(plan, in, out);
    out->x = bits | (in->shape < 4 ? 8u : 16u) << 8 | k * bits / 32 << 16;
    out->y = int_signs(in);
    out->fn = imma;
    return true;
}
ENG_HANDLER(imma_sp) {
    uint32_t on = eng_on(i, w, mask), bits = i->x & 0xff, words = i->x >> 16;
    if (!on) ENG_NEXT;
    uint32_t out[4][32];
    for (unsigned r = 0; r < 16; r++) {
        uint64_t meta = sparse_row_of(i, R, r);
        for (unsigned n = 0; n < 8; n++) {
            int64_t sum = (int32_t)*cd_word(R, i->c, r, n);
            for (unsigned k = 0; k < words; k++) { /* a word of A: four bytes, each alone or as two nibbles */
                uint32_t b = 0;
                for (unsigned j = 0; j < 4; j++) b |= column_bits(R, i->b, n, sparse_column(meta, 4 * k + j) * 8, 8) << 8 * j;
                sum += dot(a_word(R, i->a, 16, r, k), b, bits, i->y);
            }
            if (i->y & INT_SAT) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            out[r / 8 * 2 + n % 2][r % 8 * 4 + n / 2] = (uint32_t)sum;
        }
    }
    write_back(i, R, on, 4, out);
    ENG_NEXT;
}
static bool bind_imma_sp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bool nibbles = in->type == SASS_U4 || in->type == SASS_S4, both = nibbles == (in->stype == SASS_U4 || in->stype == SASS_S4);
    unsigned k = in->shape == 5 ? 32 : in->shape == 6 ? 64 : in->shape == 7 ? 128 : 0, bits = nibbles ? 4 : 8;
    if (!k || !both || (nibbles ? k == 32 : k == 128)) return eng_refuse(plan, "these types in this shape");
    eng_operands(plan, in, out);
    out->x = bits | k / 2 * bits / 32 << 16;
    out->y = int_signs(in);
    bind_sparse(plan, in, out, nibbles ? k / 2 : k, true);
    out->fn = imma_sp;
    return true;
}
static bool bind_bmma(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    eng_operands(plan, in, out);
    out->x = 1u | (in->shape ? 16u : 8u) << 8 | (in->shape == 2 ? 8u : 4u) << 16;
    out->y = in->sub ? INT_AND : INT_XOR;
    out->fn = imma;
    return in->shape < 3 && in->sub < 2;
}

/* --- DMMA: a chain of fused multiplications and additions ---------------------------------------------------- */

static inline double get_double(const uint8_t *R, uint32_t at, unsigned reg, unsigned lane) {
    uint64_t low = ((const uint32_t *)(const void *)(R + at + 2 * reg * ENG_SLOT))[lane];
    uint64_t high = ((const uint32_t *)(const void *)(R + at + (2 * reg + 1) * ENG_SLOT))[lane];
    uint64_t bits = low | high << 32;
    double d;
    memcpy(&d, &bits, 8);
    return d;
}
/* x: rows | k << 8; y: rounding; z: signs of A, B, C as of an operand (1 negative, 2 absolute), two bits each */
static inline double signs(double v, unsigned bits) {
    if (v != v) return v;
    if (bits & 2) v = fabs(v);
    return bits & 1 ? -v : v;
}
/* As DFMA: b's NaN, else c's, else a's; one of its own has a sign and no payload. */
static inline double fma_with_nans(double a, double b, volatile double c) {
    double r = fma(a, b, c), from = b != b ? b : c != c ? c : a;
    if (r == r) return r;
    uint64_t bits;
    memcpy(&bits, &from, 8);
    bits = from != from ? bits | UINT64_C(1) << 51 : UINT64_C(0xfff8000000000000);
    memcpy(&r, &bits, 8);
    return r;
}
ENG_HANDLER(dmma) {
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    uint32_t on = eng_on(i, w, mask), rows = i->x & 0xff, columns = i->x >> 8;
    if (!on) ENG_NEXT;
    uint32_t out[8][32];
    if (i->y) fesetround(modes[i->y]);
    for (unsigned r = 0; r < rows; r++)
        for (unsigned n = 0; n < 8; n++) {
            unsigned reg = r / 8 * 2 + n % 2, lane = r % 8 * 4 + n / 2;
            volatile double sum = signs(get_double(R, i->c, reg, lane), i->z >> 4 & 3);
            for (unsigned k = 0; k < columns; k++) {
                double a = get_double(R, i->a, rows == 16 ? r / 8 + k / 4 * 2 : 0, r % 8 * 4 + k % 4), b = get_double(R, i->b, k / 4, n * 4 + k % 4);
                sum = fma_with_nans(signs(a, i->z & 3), signs(b, i->z >> 2 & 3), sum);
            }
            double d = sum;
            uint64_t bits;
            memcpy(&bits, &d, 8);
            out[2 * reg][lane] = (uint32_t)bits;
            out[2 * reg + 1][lane] = (uint32_t)(bits >> 32);
        }
    if (i->y) fesetround(FE_TONEAREST);
    write_back(i, R, on, rows / 2, out);
    ENG_NEXT;
}
static bool bind_dmma(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    static const uint8_t columns[] = {4, 4, 8, 16}; /* 884, 1684, 1688, 16816 */
    const sass_operand *ops[] = {&in->a, &in->b, &in->c};
    eng_operands(plan, in, out);
    out->x = (in->shape ? 16u : 8u) | (uint32_t)columns[in->shape & 3] << 8;
    out->y = in->round;
    for (unsigned k = 0; k < 3; k++) out->z |= (uint16_t)((ops[k]->neg | ops[k]->abs << 1) << 2 * k);
    out->fn = dmma;
    return true;
}

/* --- MOVM: an 8 x 8 matrix of halves, transposed ---------------------------------------------------------------- */

ENG_HANDLER(movm) {
    uint32_t on = eng_on(i, w, mask), out[1][32];
    if (on != mask) ENG_NEXT; /* not by some lanes only */
    const uint32_t *from = eng_u32(R, i->a);
    for (unsigned l = 0; l < 32; l++) {
        unsigned row = l / 4, column = l % 4 * 2; /* of the result: (row, column) is (column, row) of the source */
        uint32_t low = from[column * 4 + row / 2] >> row % 2 * 16 & 0xffff, high = from[(column + 1) * 4 + row / 2] >> row % 2 * 16;
        out[0][l] = low | high << 16;
    }
    write_back(i, R, on, 1, out);
    ENG_NEXT;
}
static bool bind_movm(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    if (in->shape) return eng_refuse(plan, "this shape of MOVM");
    eng_operands(plan, in, out);
    out->fn = movm;
    return true;
}

ENG_FAMILY(tensor, {"hmma", bind_hmma}, {"hmma_884", bind_hmma_884}, {"hmma_sp", bind_hmma_sp}, {"qmma", bind_qmma}, {"qmma_sp", bind_qmma_sp}, {"imma", bind_imma}, {"imma_sp", bind_imma_sp}, {"bmma", bind_bmma}, {"dmma", bind_dmma}, {"movm", bind_movm});
