/* Matrices of a warp group (wgmma): HGMMA, QGMMA, IGMMA, BGMMA. D (64 rows) = A B + C; B, and A where it is not in registers, lie in
 * shared memory as descriptors say. Each of the four warps does its own 16 rows, at once: that code waits for what it reads the results
 * of is not looked at. The four end a group together: who waits for it waits for the others to come to it, since code takes one warp's
 * wait as word that nobody reads the operands any more.
 *
 * A descriptor: bits 0..13 where it begins, 16..29 and 32..45 two distances, in units of 16 bytes; 62..63 how chunks of 16 bytes are
 * exchanged within 128 (1), 64 (2) or 32 (3) bytes, 49..51 which 128 bytes the exchange is counted from. Where chunks lie was compared with an H200 (tests/conformance/wgmma.cu). */
#include "engine/access.h"
#include "engine/plan.h"
#include "engine/tensor_sum.h"
#include "engine/warp.h"

enum { ROWS = 16, CHUNK = 16, ROW_BYTES = 32 /* of A, and of B's columns: the depth of all types */, MOST = 256 };
typedef uint8_t matrix_row[ROW_BYTES];

/* --- where elements lie --------------------------------------------------------------------- */

typedef struct layout {
    uint32_t begin, leading, stride, offset, pitch; /* pitch: bytes within which chunks are exchanged */
    bool transposed;                        /* neighbours lie along rows of A, columns of B; of 16 bits each */
} layout;

static layout layout_of(uint64_t d, bool transposed) {
    static const uint32_t pitches[] = {CHUNK, 128, 64, 32};
    return (layout){(uint32_t)(d & 0x3fff) << 4, (uint32_t)(d >> 16 & 0x3fff) << 4, (uint32_t)(d >> 32 & 0x3fff) << 4, d >> 49 & 7, pitches[d >> 62], transposed};
}
static uint32_t exchanged(const layout *l, uint32_t at) {
    uint32_t chunks = l->pitch / CHUNK - 1;
    return at ^ (((at >> 7) - l->offset) & chunks) << 4;
}
/* The chunk of row r (of A; a column of B) that holds its bytes from k * CHUNK on. Transposed: that of 8 rows from r on at depth k. */
static uint32_t chunk_at(const layout *l, unsigned r, unsigned k) {
    if (!l->transposed) {
        uint32_t along = l->pitch == CHUNK ? k * l->leading : k * CHUNK;
        return exchanged(l, l->begin + r % 8 * l->pitch + r / 8 * l->stride + along);
    }
    unsigned wide = l->pitch / 2; /* rows whose elements lie side by side */
    if (l->pitch == CHUNK) return l->begin + r / wide * l->stride + k % 8 * CHUNK + k / 8 * l->leading;
    return exchanged(l, l->begin + r / wide * l->leading + r % wide * 2 + k % 8 * l->pitch + k / 8 * l->stride);
}

/* --- reading -------------------------------------------------------------------------------- */

typedef struct reader { /* tells of chunks, one a lane */
    const eng_ins *i;
    eng_warp *w;
    uint64_t at[32];
    unsigned n;
    bool bad;
} reader;

static void flush(reader *r) {
    uint32_t lanes = r->n == 32 ? ENG_ALL : (1u << r->n) - 1;
    if (lanes && wants_access(r->w)) {
        shape s = {.cls = ENG_GENERAL};
        put_access_as(r->w, r->i, lanes, &s, ENG_SHARED, r->at, ENG_READ | ENG_BULK);
        (r->w->worker->ev - 1)->more = ENG_BULK_MATRIX;
    }
    r->n = 0;
}
static const uint8_t *chunk(reader *r, uint32_t at) {
    static const uint8_t nothing[CHUNK];
    if ((uint64_t)at + CHUNK > r->w->shared_size) {
        uint64_t addresses[32] = {at};
        if (!r->bad) mem_fault_window(r->w, r->i, ENG_SHARED, addresses, 1, r->w->shared_size);
        r->bad = true;
        return nothing;
    }
    r->at[r->n++] = at;
    if (r->n == 32) flush(r);
    return r->w->shared + at;
}

/* `n` rows from `first` on. */
static void read_rows(reader *r, const layout *l, unsigned first, unsigned n, matrix_row *to) {
    for (unsigned k = 0; !l->transposed && k < n; k++)
        for (unsigned c = 0; c < ROW_BYTES / CHUNK; c++) memcpy(to[k] + c * CHUNK, chunk(r, chunk_at(l, first + k, c)), CHUNK);
    for (unsigned k = 0; l->transposed && k < n; k += 8)
        for (unsigned depth = 0; depth < ROW_BYTES / 2; depth++) {
            const uint8_t *from = chunk(r, chunk_at(l, first + k, depth));
            for (unsigned e = 0; e < 8; e++) memcpy(to[k + e] + 2 * depth, from + 2 * e, 2);
        }
    flush(r);
}

/* A of registers: a lane's words are of rows l / 4 and 8 below, words l % 4 of their first half, then of the second. */
static void rows_of_registers(const uint8_t *R, uint32_t a, matrix_row *to) {
    for (unsigned reg = 0; reg < 4; reg++)
        for (unsigned l = 0; l < 32; l++) memcpy(to[l / 4 + reg % 2 * 8] + reg / 2 * CHUNK + l % 4 * 4, R + a + reg * ENG_SLOT + l * 4, 4);
}

/* --- sums ----------------------------------------------------------------------------------- */

/* x: columns | flags << 16; y: format of A | of B << 8 | bits of fraction kept << 16 */
enum { A_SHARED = 1 << 16, A_TRANSPOSED = 1 << 17, B_TRANSPOSED = 1 << 18, A_NEGATIVE = 1 << 19, B_NEGATIVE = 1 << 20, HALVES = 1 << 21,
       A_SIGNED = 1 << 22, B_SIGNED = 1 << 23, SATURATES = 1 << 24, BITS = 1 << 25, INTEGERS = 1 << 26, CLOSES = 1 << 27 /* a group */ };

static void decode(const uint8_t *row, tensor_format f, tensor_number *to) {
    unsigned bytes = f == TENSOR_TF32 ? 4 : f >= TENSOR_E4M3 ? 1 : 2;
    for (unsigned k = 0; k < ROW_BYTES / bytes; k++) {
        uint32_t v = 0;
        memcpy(&v, row + k * bytes, bytes);
        to[k] = tensor_decode(f == TENSOR_TF32 ? v >> 13 : v, f);
    }
}

static uint32_t float_sum(const eng_ins *i, const tensor_number *a, const tensor_number *b, uint32_t c) {
    const tensor_format fa = (tensor_format)(i->y & 255), fb = (tensor_format)(i->y >> 8 & 255);
    const unsigned n = ROW_BYTES / (fa == TENSOR_TF32 ? 4 : fa >= TENSOR_E4M3 ? 1 : 2);
    const bool negative = !(i->x & A_NEGATIVE) != !(i->x & B_NEGATIVE);
    tensor_sum s;
    tensor_begin(&s, tensor_fraction(fa) + tensor_fraction(fb), (int)(i->y >> 16));
    for (unsigned k = 0; k < n; k++) {
        tensor_number x = a[k];
        x.negative ^= negative;
        tensor_multiply(&s, x, b[k]);
    }
    if (i->x & HALVES) return tensor_half(&s, (uint16_t)c);
    uint32_t sum = tensor_float(&s, c), fraction = (1u << (23 - TENSOR_KEPT_QUARTER)) - 1;
    return s.kept == TENSOR_KEPT_QUARTER && (sum & 0x7f800000) != 0x7f800000 ? sum & ~fraction : sum; /* the sum has no more bits either */
}

static uint32_t int_sum(const eng_ins *i, const uint8_t *a, const uint8_t *b, uint32_t c) {
    int64_t sum = (int32_t)c;
    for (unsigned k = 0; k < ROW_BYTES; k++) {
        if (i->x & BITS) sum += __builtin_popcount(a[k] & b[k]);
        else sum += (i->x & A_SIGNED ? (int8_t)a[k] : (int)a[k]) * (i->x & B_SIGNED ? (int8_t)b[k] : (int)b[k]);
    }
    if (i->x & SATURATES) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

/* Element (r, n) of C and D: the register, and its lane. Halves lie two in a register. */
static unsigned register_of(const eng_ins *i, unsigned r, unsigned n) { return i->x & HALVES ? n / 8 * 2 + r / 8 : n / 8 * 4 + r / 8 * 2 + n % 2; }
static uint32_t *word_at(uint8_t *R, uint32_t slot, unsigned reg, unsigned r, unsigned n) { return eng_u32(R, slot + reg * ENG_SLOT) + r % 8 * 4 + n % 8 / 2; }

static void multiply(const eng_ins *i, uint8_t *R, matrix_row *a, matrix_row *b, bool adds) {
    tensor_number x[ROWS][ROW_BYTES], y[ROW_BYTES];
    for (unsigned r = 0; r < ROWS && !(i->x & INTEGERS); r++) decode(a[r], (tensor_format)(i->y & 255), x[r]);
    for (unsigned n = 0; n < (i->x & 0xffff); n++) {
        if (!(i->x & INTEGERS)) decode(b[n], (tensor_format)(i->y >> 8 & 255), y);
        for (unsigned r = 0; r < ROWS; r++) {
            unsigned reg = register_of(i, r, n), shift = i->x & HALVES ? n % 2 * 16 : 0;
            uint32_t *d = word_at(R, i->d, reg, r, n), c = adds ? *word_at(R, i->c, reg, r, n) >> shift : 0, sum;
            if (i->x & INTEGERS) sum = int_sum(i, a[r], b[n], c);
            else sum = float_sum(i, x[r], y, i->x & HALVES ? c & 0xffff : c);
            if (!(i->x & HALVES)) *d = sum;
            else if (shift) *d = (*d & 0xffff) | sum << 16;
            else *d = (*d & 0xffff0000u) | sum;
        }
    }
}

/* --- groups --------------------------------------------------------------------------------- */

enum { GROUP_WARPS = 4, NO_BARRIER = 7 };

static void tell_group(const eng_ins *i, eng_warp *w, uint32_t lanes, uint32_t what) {
    if (!(w->worker->wants & 1u << ENG_EV_ASYNC)) return;
    eng_event *ev = eng_event_new(w);
    *ev = (eng_event){.kind = ENG_EV_ASYNC, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index, .mask = lanes, .more = what};
    eng_event_done(w);
}
static void close_group(const eng_ins *i, eng_warp *w, uint32_t lanes) {
    w->matrices++;
    tell_group(i, w, lanes, ENG_ASYNC_MATRIX_COMMIT);
}

/* Have all warps of the warp group begun the groups that this one waits for? */
static bool all_have_begun(const eng_warp *w, uint32_t open) {
    uint32_t first = w->index / GROUP_WARPS * GROUP_WARPS;
    for (uint32_t n = first; n < first + GROUP_WARPS && n < w->block->n_warps; n++) {
        const eng_warp *other = &w->block->warps[n];
        uint32_t closed = other->context ? other->matrices : 0; /* it may not have begun */
        if (other->state != ENG_WARP_DONE && closed + open < w->matrices) return false;
    }
    return true;
}

/* x: groups that may go on */
ENG_HANDLER(wait_for_groups) {
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        if (ENG_UNLIKELY(!all_have_begun(w, i->x))) {
            w->spinning = true;
            ENG_GOTO(eng_yield(w, i));
        }
        tell_group(i, w, on, ENG_ASYNC_MATRIX_WAIT | i->x << 8);
    }
    ENG_NEXT;
}
static bool bind_warpgroup_depbar(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    (void)plan;
    out->x = (uint32_t)(in->hi >> (72 - 64) & 7);
    out->fn = wait_for_groups;
    return true;
}

ENG_HANDLER(only_closes) {
    uint32_t on = eng_on(i, w, mask);
    if (on) close_group(i, w, on);
    ENG_NEXT;
}

/* --- handlers ------------------------------------------------------------------------------- */

static uint64_t descriptor(const uint8_t *R, uint32_t slot, unsigned n) {
    uint32_t low, high;
    memcpy(&low, R + slot + 2 * n * ENG_SLOT, 4);
    memcpy(&high, R + slot + (2 * n + 1) * ENG_SLOT, 4);
    return low | (uint64_t)high << 32;
}

/* a: A's registers, or both descriptors; b: both, where A has registers; c, d: accumulators, c read where ps[0] holds */
static __attribute__((noinline)) const eng_ins *gmma(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        matrix_row a[ROWS], b[MOST];
        reader r = {.i = i, .w = w};
        bool shared = i->x & A_SHARED;
        eng_leave_vectors();
        if (shared) {
            layout l = layout_of(descriptor(R, i->a, 0), i->x & A_TRANSPOSED);
            read_rows(&r, &l, w->index % 4 * ROWS, ROWS, a);
        } else {
            rows_of_registers(R, i->a, a);
        }
        layout l = layout_of(descriptor(R, shared ? i->a : i->b, 1), i->x & B_TRANSPOSED);
        read_rows(&r, &l, 0, i->x & 0xffff, b);
        if (ENG_UNLIKELY(r.bad)) ENG_GOTO(eng_end(w, i));
        multiply(i, R, a, b, eng_pred(w, i->ps[0]) != 0);
        unsigned registers = i->x & HALVES ? (i->x & 0xffff) / 4 : (i->x & 0xffff) / 2;
        for (unsigned k = 0; w->undefined && w->undefined->slow && k < registers; k++) eng_undefined_clear(w, i->d + k * ENG_SLOT, on);
        w->worked |= on;
        if (i->x & CLOSES) close_group(i, w, on);
    }
    ENG_NEXT_UNWOUND;
}

ENG_HANDLER(nothing) { ENG_NEXT; }
static bool bind_nothing(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    (void)plan, (void)in;
    out->fn = nothing;
    return true;
}

static bool bind_gmma(eng_plan *plan, const sass_instr *in, eng_ins *out, uint32_t flags, tensor_format a, tensor_format b, unsigned kept) {
    unsigned n = sass_gmma_columns(in);
    if (!n) return eng_refuse(plan, "no shape of this type");
    bool closes = (in->hi >> (84 - 64) & 7) != NO_BARRIER;
    if (in->dst.reg == SASS_RZ) { /* nothing is multiplied */
        out->fn = closes ? only_closes : nothing;
        return true;
    }
    bool shared = in->a.kind == SASS_UREG;
    out->d = eng_slot_dst(plan, &in->dst);
    out->a = eng_slot_src(plan, &in->a);
    out->b = eng_slot_src(plan, &in->b);
    out->c = eng_slot_src(plan, &in->c);
    out->ps[0] = eng_pred_src(&in->psrc[0]);
    if (in->c.reg == SASS_RZ) out->ps[0] = ENG_PT | ENG_PINV;
    out->width = CHUNK;
    out->access = ENG_READ;
    out->z = out->access;
    out->x = n | flags | (closes ? CLOSES : 0u) | (shared ? A_SHARED : 0u) | (in->lo >> 61 & 1 ? A_TRANSPOSED : 0u) | (in->lo >> 62 & 1 ? B_TRANSPOSED : 0u) |
             (in->a.neg ? A_NEGATIVE : 0u) | (in->b.neg ? B_NEGATIVE : 0u);
    out->y = (uint32_t)a | (uint32_t)b << 8 | kept << 16;
    out->fn = gmma;
    return true;
}
static bool bind_hgmma(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    tensor_format f = in->stype == SASS_TF32 ? TENSOR_TF32 : in->stype == SASS_BF16 ? TENSOR_BF16 : TENSOR_F16;
    return bind_gmma(plan, in, out, in->type == SASS_F16 ? HALVES : 0, f, f, TENSOR_KEPT);
}
static bool bind_qgmma(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    return bind_gmma(plan, in, out, in->type == SASS_F16 ? HALVES : 0, in->sub & 1 ? TENSOR_E5M2 : TENSOR_E4M3, in->sub & 2 ? TENSOR_E5M2 : TENSOR_E4M3, TENSOR_KEPT_QUARTER);
}
static bool bind_igmma(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    return bind_gmma(plan, in, out, INTEGERS | (in->type == SASS_S8 ? A_SIGNED : 0u) | (in->stype == SASS_S8 ? B_SIGNED : 0u) | (in->flags & SASS_SAT ? SATURATES : 0u), 0, 0, 0);
}
static bool bind_bgmma(eng_plan *plan, const sass_instr *in, eng_ins *out) { return bind_gmma(plan, in, out, INTEGERS | BITS, 0, 0, 0); }

ENG_FAMILY(wgmma, {"hgmma", bind_hgmma}, {"qgmma", bind_qgmma}, {"igmma", bind_igmma}, {"bgmma", bind_bgmma}, {"warpgroup_arrive", bind_nothing},
           {"warpgroup_depbar", bind_warpgroup_depbar});
