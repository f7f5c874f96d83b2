#include "engine/bulk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/fault.h"
#include "engine/half.h"
#include "engine/mbarrier.h"
#include "engine/small_float.h"
#include "engine/undefined.h"
#include "engine/view.h"

enum { ROW = 128 /* an event lies within a row: what watches remember together */, STEP = 1024 /* bytes that are marked at a time */ };

eng_bulk eng_bulk_begin(eng_warp *w, const eng_ins *i, uint32_t lanes) {
    eng_bulk b = {.w = w, .ins = *i, .lane = (unsigned)__builtin_ctz(lanes)};
    w->worked |= 1u << b.lane;
    return b;
}

/* --- events --------------------------------------------------------------------------------- */

static void tell(eng_bulk *b, eng_space space, uint64_t at, uint64_t n, unsigned access) {
    eng_warp *w = b->w;
    if (!(w->worker->wants & 1u << ENG_EV_ACCESS)) return;
    while (n) {
        uint64_t part = ROW - at % ROW < n ? ROW - at % ROW : n;
        if (at % 4 || part < 4) part = at % 2 || part == 1 ? 1 : 2; /* whole words where it can be */
        else part &= ~UINT64_C(3);
        eng_event *ev = eng_event_new(w);
        *ev = (eng_event){.kind = ENG_EV_ACCESS, .address = at, .instr = b->ins.id, .function = b->ins.function, .warp = (uint16_t)w->index,
                          .mask = 1u << b->lane, .more = b->barrier ? ENG_BULK_BARRIER : ENG_BULK_GROUP, .cls = ENG_UNIFORM, .space = (uint8_t)space, .width = (uint8_t)part,
                          .access = (uint8_t)(access | ENG_BULK)};
        eng_event_done(w);
        at += part;
        n -= part;
    }
}

static void tell_phase(eng_bulk *b, const eng_bulk_at *barrier, unsigned what, uint32_t phase) {
    eng_warp *w = b->w;
    if (!(w->worker->wants & 1u << ENG_EV_PHASE)) return;
    eng_event *ev = eng_event_new(w);
    *ev = (eng_event){.kind = ENG_EV_PHASE, .address = barrier->at, .instr = b->ins.id, .function = b->ins.function, .warp = (uint16_t)w->index,
                      .mask = 1u << b->lane, .more = what | phase << 8, .space = (uint8_t)barrier->reach.space};
    eng_event_done(w);
}

/* --- faults --------------------------------------------------------------------------------- */

static void fault(eng_bulk *b, uint64_t at, unsigned access) {
    uint64_t addresses[32] = {0};
    if (b->faulted) return;
    b->faulted = true;
    addresses[b->lane] = at;
    b->ins.z = (uint16_t)access;
    b->ended |= mem_fault(b->w, &b->ins, addresses, 1u << b->lane);
}

bool eng_bulk_aligned(eng_bulk *b, uint64_t address, unsigned align) {
    if (!(address & (align - 1))) return true;
    b->ins.width = (uint8_t)align;
    fault(b, address, ENG_READ);
    b->ended = true;
    return false;
}

/* --- global memory -------------------------------------------------------------------------- */

/* The bytes from `at` on, at most n, that lie in one allocation; NULL: `at` lies in none, and *n bytes are passed over. */
static mem_range *range_at(eng_bulk *b, uint64_t at, uint64_t *n, unsigned access) {
    eng_view *v = b->w->worker->memory_state;
    mem_range *r = (mem_range *)(void *)((uint8_t *)v + mem_range_slot(b->ins.id, access));
    if (at - r->lo >= r->size) {
        uint64_t addresses[32] = {0};
        addresses[b->lane] = at;
        b->ins.z = (uint16_t)access;
        if (!mem_range_fill(v, r, at, access)) {
            fault(b, at, access);
            if (*n > 16 - at % 16) *n = 16 - at % 16;
            return NULL;
        }
        mem_check_root(b->w, &b->ins, r, addresses, 1u << b->lane);
    }
    uint64_t room = r->lo + r->size - at;
    if (*n > room) *n = room;
    if (*n > STEP) *n = STEP;
    r->bytes += *n;
    return r;
}
static uint8_t *host_of(const mem_range *r, uint64_t at) { return (uint8_t *)(uintptr_t)(at + (uint64_t)r->host); }

/* Had all of it been written? */
static bool read_part(const eng_view *v, const mem_range *r, uint64_t at, uint64_t n, uint8_t *to) {
    if (at - r->lo + n <= r->plain || mem_seen_all(v, at + r->shadow, n)) {
        memcpy(to, host_of(r, at), n);
        return true;
    }
    for (uint64_t k = 0; k < n; k += 16) mem_read_mixed(v, r, at + k, (unsigned)(n - k < 16 ? n - k : 16), to + k);
    return false;
}

void eng_bulk_read(eng_bulk *b, uint64_t at, uint64_t n, uint8_t *to) {
    eng_view *v = b->w->worker->memory_state;
    for (uint64_t part; n && !b->ended; at += part, to += part, n -= part) {
        part = n;
        const mem_range *r = range_at(b, at, &part, ENG_READ);
        if (!r) {
            mem_pattern(to, at, part);
            continue;
        }
        b->undefined |= !read_part(v, r, at, part, to);
        mem_run run = {at + r->shadow, (uint32_t)part, 1};
        if (v->words) mem_run_flush(v, &run);
        tell(b, ENG_GLOBAL, at, part, ENG_READ);
    }
}

bool eng_bulk_peek(eng_bulk *b, uint64_t at, uint64_t n, uint8_t *to) {
    for (uint64_t part; n; at += part, to += part, n -= part) {
        part = n;
        const mem_range *r = range_at(b, at, &part, ENG_READ);
        if (!r) return !(b->ended = true);
        read_part(b->w->worker->memory_state, r, at, part, to);
    }
    return true;
}

void eng_bulk_write(eng_bulk *b, uint64_t at, uint64_t n, const uint8_t *from) {
    eng_view *v = b->w->worker->memory_state;
    for (uint64_t part; n && !b->ended; at += part, from += part, n -= part) {
        part = n;
        const mem_range *r = range_at(b, at, &part, ENG_WRITE);
        if (!r) continue;
        if (!mem_mark(v, r, at, part, false)) {
            mem_no_room(b->w, &b->ins);
            b->ended = true;
            return;
        }
        memcpy(host_of(r, at), from, part);
        tell(b, ENG_GLOBAL, at, part, ENG_WRITE);
    }
}

/* --- reductions ----------------------------------------------------------------------------- */

unsigned eng_bulk_type_bytes(unsigned type) {
    switch (type) {
    case SASS_F16: case SASS_BF16: return 2;
    case SASS_U64: case SASS_S64: case SASS_F64: return 8;
    default: return 4;
    }
}

static uint64_t combine_floats(unsigned op, unsigned type, uint64_t old, uint64_t data) {
    if (type == SASS_F64) {
        double a, b, sum;
        memcpy(&a, &old, 8);
        memcpy(&b, &data, 8);
        if (isnan(b)) return data;
        if (isnan(a)) return old;
        sum = a + b;
        memcpy(&old, &sum, 8);
        return old;
    }
    if (type == SASS_F32) {
        float a, b;
        uint32_t low = (uint32_t)old;
        memcpy(&a, &low, 4);
        low = (uint32_t)data;
        memcpy(&b, &low, 4);
        float sum = a + b;
        memcpy(&low, &sum, 4);
        return sum != sum ? 0x7fffffff : low;
    }
    bool bfloat = type == SASS_BF16;
    if (op != SASS_ATOM_ADD) return half_extreme((uint16_t)old, (uint16_t)data, op == SASS_ATOM_MIN, bfloat);
    float a = small_decode((uint16_t)old, bfloat), b = small_decode((uint16_t)data, bfloat);
    return small_encode((double)a + (double)b, bfloat, SASS_RN);
}

uint64_t eng_bulk_combine(unsigned op, unsigned type, uint64_t old, uint64_t data) {
    switch (type) {
    case SASS_F16: case SASS_BF16: case SASS_F32: case SASS_F64: return combine_floats(op, type, old, data);
    default: break;
    }
    bool narrow = eng_bulk_type_bytes(type) == 4, with_sign = type == SASS_S32 || type == SASS_S64, less;
    if (with_sign) less = narrow ? (int32_t)(uint32_t)old < (int32_t)(uint32_t)data : (int64_t)old < (int64_t)data;
    else less = old < data;
    switch (op) {
    case SASS_ATOM_ADD: return old + data;
    case SASS_ATOM_MIN: return less ? old : data;
    case SASS_ATOM_MAX: return less ? data : old;
    case SASS_ATOM_INC: return old >= data ? 0 : old + 1;
    case SASS_ATOM_DEC: return old == 0 || old > data ? data : old - 1;
    case SASS_ATOM_AND: return old & data;
    case SASS_ATOM_OR: return old | data;
    default: return old ^ data;
    }
}

void eng_bulk_reduce(eng_bulk *b, uint64_t at, uint64_t n, const uint8_t *from, unsigned op, unsigned type) {
    eng_view *v = b->w->worker->memory_state;
    const unsigned width = eng_bulk_type_bytes(type);
    for (uint64_t part; n && !b->ended; at += part, from += part, n -= part) {
        uint8_t held[STEP];
        part = n;
        const mem_range *r = range_at(b, at, &part, ENG_WRITE | ENG_ATOMIC);
        if (!r) continue;
        part -= part % width;
        if (!part) { /* an element that lies only partly in it */
            fault(b, at + width, ENG_WRITE | ENG_ATOMIC);
            part = width < n ? width : n;
            continue;
        }
        if (!read_part(v, r, at, part, held)) {
            uint64_t addresses[32] = {0};
            addresses[b->lane] = at;
            eng_undefined_atomic(b->w, &b->ins, addresses, 1u << b->lane, ENG_GLOBAL);
        }
        if (!mem_mark(v, r, at, part, false)) {
            mem_no_room(b->w, &b->ins);
            b->ended = true;
            return;
        }
        for (uint64_t k = 0; k < part; k += width) {
            uint64_t old = 0, data = 0;
            memcpy(&old, held + k, width);
            memcpy(&data, from + k, width);
            old = eng_bulk_combine(op, type, old, data);
            memcpy(held + k, &old, width);
        }
        memcpy(host_of(r, at), held, part);
        tell(b, ENG_GLOBAL, at, part, ENG_WRITE | ENG_ATOMIC);
    }
}

/* --- shared memory -------------------------------------------------------------------------- */

bool eng_bulk_find(eng_bulk *b, uint32_t address, uint64_t n, unsigned align, unsigned access, eng_bulk_at *out) {
    eng_warp *w = b->w;
    uint32_t rank = address >> ENG_RANK_SHIFT;
    uint64_t addresses[32] = {0};
    b->ins.width = (uint8_t)align;
    b->ins.z = (uint16_t)access;
    addresses[b->lane] = address;
    if (rank == w->shared_base >> ENG_RANK_SHIFT) {
        *out = (eng_bulk_at){{w->shared, w->shared_size, ENG_SHARED}, address - w->shared_base};
    } else if (w->cluster) {
        out->at = address;
        if (!eng_cluster_reach(w, &b->ins, rank, 1u << b->lane, addresses, &out->reach)) return !(b->ended = true);
    } else {
        mem_fault_window(w, &b->ins, ENG_SHARED, addresses, 1u << b->lane, w->shared_size);
        return !(b->ended = true);
    }
    if (out->at + n <= out->reach.end && !(out->at & (align - 1))) return true;
    addresses[b->lane] = out->at & (align - 1) ? out->at : out->reach.end; /* the first byte that is not there */
    mem_fault_window(w, &b->ins, out->reach.space, addresses, 1u << b->lane, w->shared_size);
    return !(b->ended = true);
}

void eng_bulk_shared(eng_bulk *b, const eng_bulk_at *place, uint64_t offset, uint64_t n, unsigned access) {
    const eng_warp *w = b->w;
    uint64_t at = place->at + offset;
    if (access & ENG_WRITE && w->shared_bits && place->reach.space == ENG_SHARED)
        for (uint64_t k = at; k < at + n; k++) w->shared_bits[k / 8] |= (uint8_t)(1u << k % 8);
    tell(b, place->reach.space, at, n, access);
}

/* --- what nobody wrote ------------------------------------------------------------------------ */

enum { CHUNK = 16 };
static bool followed(const eng_bulk *b, const eng_bulk_at *place) { return b->w->shared_bits && place->reach.space == ENG_SHARED; }
static unsigned chunk_of(uint64_t left) { return left < CHUNK ? (unsigned)left : CHUNK; }

void eng_bulk_undefined_in(eng_bulk *b, uint64_t from, const eng_bulk_at *to, uint64_t offset, uint64_t n) {
    if (!b->undefined || !followed(b, to)) return;
    for (uint64_t k = 0; k < n; k += CHUNK) eng_undefined_copied(b->w, to->at + offset + k, mem_undefined_bytes(b->w->worker->memory_state, from + k, chunk_of(n - k)));
}

void eng_bulk_undefined_out(eng_bulk *b, const eng_bulk_at *from, uint64_t offset, uint64_t to, uint64_t n) {
    if (!followed(b, from)) return;
    for (uint64_t k = 0; k < n && !b->ended; k += CHUNK) {
        uint64_t at = from->at + offset + k;
        uint32_t bytes = eng_undefined_in_shared(b->w, at, chunk_of(n - k));
        if (bytes) eng_undefined_stored(b->w, &b->ins, b->lane, CHUNK, to + k, bytes, eng_undefined_origin_in_shared(b->w, &b->ins, at + (unsigned)__builtin_ctz(bytes), b->lane));
        b->ended |= b->w->worker->stop;
    }
}

void eng_bulk_undefined_across(eng_bulk *b, const eng_bulk_at *from, const eng_bulk_at *to, uint64_t offset, uint64_t n) {
    if (!followed(b, from) || !followed(b, to)) return;
    for (uint64_t k = offset; k < offset + n; k += CHUNK) eng_undefined_copied(b->w, to->at + k, eng_undefined_in_shared(b->w, from->at + k, chunk_of(offset + n - k)));
}

void eng_bulk_undefined_operand(eng_bulk *b, const eng_bulk_at *from, uint64_t offset, uint64_t n) {
    if (!followed(b, from)) return;
    for (uint64_t k = 0; k < n; k += CHUNK) {
        uint64_t at = from->at + offset + k;
        uint32_t bytes = eng_undefined_in_shared(b->w, at, chunk_of(n - k));
        if (!bytes) continue;
        at += (unsigned)__builtin_ctz(bytes);
        eng_undefined_report(b->w, &b->ins, ENG_DECIDES_ATOMIC, 1u << b->lane, eng_undefined_origin_in_shared(b->w, &b->ins, at, b->lane), ENG_GLOBAL, 0);
        return;
    }
}

/* --- targets ---------------------------------------------------------------------------------- */

static bool find_target(eng_bulk *b, uint32_t data, uint32_t barrier, uint64_t n, unsigned align, eng_bulk_target *t) {
    return eng_bulk_find(b, barrier, 8, 8, ENG_ATOMIC | ENG_READ | ENG_WRITE, &t->barrier) && eng_bulk_find(b, data, n, align, ENG_WRITE, &t->data);
}

unsigned eng_bulk_targets(eng_bulk *b, uint32_t data, uint32_t barrier, uint64_t n, unsigned align, uint32_t blocks, eng_bulk_target *t) {
    const uint32_t offset = (1u << ENG_RANK_SHIFT) - 1;
    unsigned count = 0;
    if (!blocks) return find_target(b, data, barrier, n, align, t);
    for (uint32_t left = blocks; left; left &= left - 1, count++) {
        uint32_t rank = (uint32_t)__builtin_ctz(left) << ENG_RANK_SHIFT;
        if (!find_target(b, (data & offset) | rank, (barrier & offset) | rank, n, align, &t[count])) return 0;
    }
    return count;
}

/* --- barriers ------------------------------------------------------------------------------- */

void eng_bulk_for(eng_bulk *b, const eng_bulk_at *barrier) {
    uint64_t state;
    memcpy(&state, barrier->reach.at + barrier->at, 8);
    b->barrier = true;
    tell_phase(b, barrier, ENG_PHASE_COPIES, (uint32_t)(state >> 63));
}

void eng_bulk_complete(eng_bulk *b, const eng_bulk_at *barrier, uint32_t bytes) {
    uint64_t old, now;
    memcpy(&old, barrier->reach.at + barrier->at, 8);
    now = mbarrier90_settle(mbarrier90_bytes(old, -bytes));
    memcpy(barrier->reach.at + barrier->at, &now, 8);
    tell_phase(b, barrier, ENG_PHASE_BYTES | (now >> 63 != old >> 63 ? ENG_PHASE_ENDS : 0), (uint32_t)(old >> 63));
}
