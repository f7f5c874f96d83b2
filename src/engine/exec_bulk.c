/* Bulk copies without a tensor map: UBLKCP, UBLKRED between global memory and shared memory, the own block's or another's of the
 * cluster; UBLKPF asks for a cache. All registers are uniform. STAS and REDAS are the same for single elements from registers, by lane. */
#include <string.h>

#include "engine/bulk.h"
#include "engine/classify.h"
#include "engine/plan.h"

enum { TO_SHARED = 1, FROM_SHARED = 2, MULTICAST = 4 }; /* of sass_instr.shape, and x */
enum { BULK_OP = 8, BULK_TYPE = 16 };                  /* of x: sass_atom, sass_type */
enum { UNIT = 16, MOST = 1024 };

/* --- to shared memory ------------------------------------------------------------------- */

/* What `bytes` hold goes to the place, or is combined with what lies there. */
static void put_shared(eng_bulk *b, const eng_ins *i, const eng_bulk_at *to, uint64_t offset, uint64_t n, const uint8_t *bytes, bool reduces) {
    uint8_t *p = to->reach.at + to->at + offset;
    eng_bulk_shared(b, to, offset, n, reduces ? ENG_WRITE | ENG_ATOMIC : ENG_WRITE);
    if (!reduces) {
        memcpy(p, bytes, n);
        return;
    }
    const unsigned type = i->x >> BULK_TYPE & 255, width = eng_bulk_type_bytes(type);
    for (uint64_t k = 0; k < n; k += width) {
        uint64_t old = 0, data = 0;
        memcpy(&old, p + k, width);
        memcpy(&data, bytes + k, width);
        old = eng_bulk_combine(i->x >> BULK_OP & 255, type, old, data);
        memcpy(p + k, &old, width);
    }
}

/* From global memory, or from the block's own shared memory at `own`, to one or several blocks: it is read once. */
static void to_targets(eng_bulk *b, const eng_ins *i, uint64_t from, const eng_bulk_at *own, const eng_bulk_target *t, unsigned count, uint64_t n, bool reduces) {
    for (uint64_t done = 0, part; done < n && !b->ended; done += part) {
        uint8_t bytes[MOST];
        part = n - done < MOST ? n - done : MOST;
        eng_bulk_for(b, &t->barrier);
        if (own) {
            if (reduces) eng_bulk_undefined_operand(b, own, done, part);
            eng_bulk_shared(b, own, done, part, ENG_READ);
            memcpy(bytes, own->reach.at + own->at + done, part);
        } else {
            eng_bulk_read(b, from + done, part, bytes);
        }
        for (unsigned k = 0; k < count && !b->ended; k++) {
            if (k) eng_bulk_for(b, &t[k].barrier);
            put_shared(b, i, &t[k].data, done, part, bytes, reduces);
            if (reduces) continue;
            if (own) eng_bulk_undefined_across(b, own, &t[k].data, done, part);
            else eng_bulk_undefined_in(b, from + done, &t[k].data, done, part);
        }
    }
    for (unsigned k = 0; k < count && !b->ended; k++) eng_bulk_complete(b, &t[k].barrier, (uint32_t)n);
}

/* --- handlers --------------------------------------------------------------------------- */

/* a: where to; shared memory: and the barrier there. b: where from. c: sixteenths of the size, blocks << 16 */
static void copy(eng_bulk *b, const eng_ins *i, const uint8_t *R, bool reduces) {
    uint32_t size = eng_bulk_word(R, i->c, 0), to = eng_bulk_word(R, i->a, 0), barrier = eng_bulk_word(R, i->a, 1);
    uint64_t n = (uint64_t)(size & 0xffff) * UNIT;
    eng_bulk_at own;
    if (!n) return;
    if (i->x & FROM_SHARED && !eng_bulk_find(b, eng_bulk_word(R, i->b, 0), n, UNIT, ENG_READ, &own)) return;
    if (i->x & TO_SHARED) {
        eng_bulk_target t[ENG_CLUSTER_BLOCKS];
        uint64_t from = i->x & FROM_SHARED ? 0 : eng_bulk_pair(R, i->b);
        if (!(i->x & FROM_SHARED) && !eng_bulk_aligned(b, from, UNIT)) return;
        unsigned count = eng_bulk_targets(b, to, barrier, n, UNIT, i->x & MULTICAST ? size >> 16 : 0, t);
        to_targets(b, i, from, i->x & FROM_SHARED ? &own : NULL, t, count, n, reduces);
        return;
    }
    uint64_t address = eng_bulk_pair(R, i->a);
    if (!eng_bulk_aligned(b, address, UNIT)) return;
    eng_bulk_shared(b, &own, 0, n, ENG_READ);
    if (reduces) eng_bulk_undefined_operand(b, &own, 0, n);
    if (reduces) eng_bulk_reduce(b, address, n, own.reach.at + own.at, i->x >> BULK_OP & 255, i->x >> BULK_TYPE & 255);
    else eng_bulk_write(b, address, n, own.reach.at + own.at);
    if (!reduces) eng_bulk_undefined_out(b, &own, 0, address, n);
}

static __attribute__((noinline)) const eng_ins *bulk_copy(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        eng_leave_vectors();
        eng_bulk b = eng_bulk_begin(w, i, on);
        copy(&b, i, R, false);
        if (ENG_UNLIKELY(b.ended)) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}
static __attribute__((noinline)) const eng_ins *bulk_reduce(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        eng_leave_vectors();
        eng_bulk b = eng_bulk_begin(w, i, on);
        copy(&b, i, R, true);
        if (ENG_UNLIKELY(b.ended)) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}

/* STAS, REDAS: each lane, to any block of the cluster. a: the address, and in the register after it the barrier's there; b: the data */
static void put_lane(eng_bulk *b, const eng_ins *i, const uint8_t *R, unsigned l, bool reduces) {
    const uint32_t *at = (const uint32_t *)(const void *)(R + i->a);
    uint32_t words[4];
    eng_bulk_target t;
    for (unsigned k = 0; k < i->width / 4u; k++) words[k] = ((const uint32_t *)(const void *)(R + i->b + k * ENG_SLOT))[l];
    if (!eng_bulk_targets(b, at[l] + (uint32_t)i->imm, at[ENG_SLOT / 4 + l], i->width, i->width, 0, &t)) return;
    eng_bulk_for(b, &t.barrier);
    put_shared(b, i, &t.data, 0, i->width, (const uint8_t *)words, reduces);
    eng_bulk_complete(b, &t.barrier, i->width);
}
static __attribute__((noinline)) const eng_ins *put_lanes(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    uint32_t on = eng_on(i, w, mask);
    eng_leave_vectors();
    for (uint32_t left = on; left; left &= left - 1) {
        eng_bulk b = eng_bulk_begin(w, i, left);
        put_lane(&b, i, R, b.lane, i->x >> BULK_TYPE);
        if (ENG_UNLIKELY(b.ended)) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}

static void bind_copy(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->a = eng_slot_src64(plan, &in->a);
    out->b = eng_slot_src(plan, &in->b);
    out->c = eng_slot_src(plan, &in->c);
    out->x = in->shape;
    out->width = UNIT;
    out->access = (in->shape & TO_SHARED ? ENG_READ : ENG_WRITE) | ENG_ASYNC;
    out->z = out->access;
}
static bool bind_ublkcp(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_copy(plan, in, out);
    out->fn = bulk_copy;
    return true;
}
static bool bind_ublkred(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bool floats = in->type == SASS_F16 || in->type == SASS_BF16 || in->type == SASS_F32 || in->type == SASS_F64, halves = in->type == SASS_F16 || in->type == SASS_BF16;
    bind_copy(plan, in, out);
    if (in->shape & MULTICAST || !(in->shape & FROM_SHARED)) return eng_refuse(plan, "a reduction from global memory");
    if (floats && in->sub != SASS_ATOM_ADD && !(halves && (in->sub == SASS_ATOM_MIN || in->sub == SASS_ATOM_MAX)))
        return eng_refuse(plan, "this reduction of this type");
    out->x |= (uint32_t)in->sub << BULK_OP | (uint32_t)in->type << BULK_TYPE;
    out->fn = bulk_reduce;
    return true;
}

/* A prefetch changes nothing. */
ENG_HANDLER(nothing) { ENG_NEXT; }
static bool bind_ublkpf(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    (void)plan, (void)in;
    out->fn = nothing;
    return true;
}

static bool bind_stas(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->a = eng_slot_reg(plan, in->mem.base);
    out->b = eng_slot_src(plan, &in->a);
    out->imm = in->mem.offset;
    out->width = in->width;
    out->access = out->z = ENG_WRITE | ENG_ASYNC;
    out->fn = put_lanes;
    if (in->width < 4 || in->mem.base == SASS_RZ) return eng_refuse(plan, "less than a word, or no address and barrier in registers");
    return true;
}
static bool bind_redas(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->x = (uint32_t)in->sub << BULK_OP | (uint32_t)in->type << BULK_TYPE;
    return bind_stas(plan, in, out);
}

ENG_FAMILY(bulk, {"stas", bind_stas}, {"redas", bind_redas}, {"ublkcp", bind_ublkcp}, {"ublkred", bind_ublkred}, {"ublkpf", bind_ublkpf});
