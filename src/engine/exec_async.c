/* cp.async: LDGSTS copies from global to shared memory, LDGDEPBAR closes a group of copies, DEPBAR waits for groups.
 *
 * A copy may take effect at any time up to the wait; here it does at once, which is one of the permitted orders. That a
 * program waits before it reads is for the race watch to check, from the events: a copy is two of them, a read
 * of global and a write of shared memory, both ENG_ASYNC. */
#include "engine/generic.h"

/* of x: the shared offset in the upper 20 bits, with a sign; whether there is a predicate, and whether the address may say what is
 * not copied */
enum { ASYNC_OFFSET = 12, ASYNC_PREDICATE = 16, ASYNC_PARTS = 32 };

/* The bytes of a lane go through a buffer: source and destination may be undefined or faulty on their own. */
static bool copy_lanes(const eng_ins *i, eng_warp *w, uint32_t on, const uint64_t *from, const uint64_t *to) {
    eng_view *v = view_of(w);
    mem_range *r = range_of(v, i);
    groups g = {.left = on};
    active m;
    shape s;
    if (!on) return true;
    active_of(&m, on);
    shape_of(from, &m, on, i->width, &s);
    for (uint32_t group; (group = next_group(&g, w, i, r, from, &m, ENG_READ));) {
        shared_define(w, to, group, i->width);
        ENG_LANES(l, group) {
            if (from[l] - r->lo + i->width > r->plain && !mem_seen_all(v, from[l] + r->shadow, i->width)) {
                mem_read_mixed(v, r, from[l], i->width, w->shared + to[l]);
                if (w->shared_bits) eng_undefined_copied(w, to[l], mem_undefined_bytes(v, from[l], i->width));
            } else {
                memcpy(w->shared + to[l], at_host(r, from[l]), i->width);
            }
        }
        r->bytes += (uint64_t)__builtin_popcount(group) * i->width;
        count_reads(v, i, r, from, group, &s);
    }
    put_groups(w, i, &g, &s, from, ENG_READ | ENG_ASYNC);
    shared_define(w, to, g.faulty, i->width);
    ENG_LANES(l, g.faulty) mem_pattern(w->shared + to[l], from[l], i->width);
    return ENG_LIKELY(!g.faulty) || !mem_fault(w, i, from, g.faulty);
}
static void clear_lanes(const eng_ins *i, eng_warp *w, uint32_t on, const uint64_t *to) {
    shared_define(w, to, on, i->width);
    ENG_LANES(l, on) memset(w->shared + to[l], 0, i->width);
}

/* With ZFILL the low bits of the address are how many bytes at the end are zeros instead (cp.async with a size that is
 * known at run time only). The others are copied in pieces of powers of two, each a read of its own. */
static bool copy_parts(const eng_ins *i, eng_warp *w, uint32_t on, const uint64_t *from, const uint64_t *to) {
    clear_lanes(i, w, on, to);
    for (unsigned n = i->width / 2; n; n /= 2) {
        eng_ins piece = *i;
        ENG_ADDRESSES(source);
        ENG_ADDRESSES(target);
        uint32_t lanes = 0;
        piece.width = (uint8_t)n;
        for (unsigned l = 0; l < 32; l++) {
            unsigned cut = from[l] & (i->width - 1u), bytes = i->width - cut, before = bytes & ~(2 * n - 1);
            lanes |= (uint32_t)((bytes & n) != 0) << l;
            source[l] = from[l] - cut + before;
            target[l] = to[l] + before;
        }
        if (!copy_lanes(&piece, w, lanes & on, source, target)) return false;
    }
    return true;
}
static uint32_t lanes_in_parts(const eng_ins *i, uint32_t on, const uint64_t *from) {
    uint32_t some = 0;
    if (i->x & ASYNC_PARTS)
        for (unsigned l = 0; l < 32; l++) some |= (uint32_t)((from[l] & (i->width - 1u)) != 0) << l;
    return some & on;
}

static bool copy(const eng_ins *i, eng_warp *w, uint32_t on, uint32_t zero, const uint64_t *from, const uint64_t *to) {
    active m;
    shape s;
    active_of(&m, on);
    uint32_t bad = window_outside(to, &m, on, w->shared_size, i->width), parts = lanes_in_parts(i, on & ~zero, from);
    if (ENG_UNLIKELY(bad) && mem_fault_window(w, i, ENG_SHARED, to, bad, w->shared_size)) return false;
    if (ENG_UNLIKELY(parts) && !copy_parts(i, w, parts, from, to)) return false;
    bool goes_on = copy_lanes(i, w, on & ~zero & ~parts, from, to);
    clear_lanes(i, w, zero & on, to);
    if (wants_access(w)) {
        shape_of(to, &m, on, i->width, &s);
        put_access_as(w, i, on, &s, ENG_SHARED, to, ENG_WRITE | ENG_ASYNC);
    }
    return goes_on;
}

static __attribute__((noinline)) const eng_ins *ldgsts(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(from);
    ENG_ADDRESSES(to);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        const uint32_t *base = eng_u32(R, i->d);
        uint32_t add = *eng_u32(R, i->c) + (uint32_t)((int32_t)i->x >> ASYNC_OFFSET) - w->shared_base, zero = i->x & ASYNC_PREDICATE ? ~eng_pred(w, i->ps[0]) : 0;
        w->worked |= on;
        global_addresses(i, R, from);
        for (unsigned l = 0; l < 32; l++) to[l] = base[l] + add;
        if (ENG_UNLIKELY(!copy(i, w, on, zero, from, to))) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}

static bool bind_ldgsts(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_global(plan, in, out, ENG_READ | ENG_ASYNC);
    out->d = eng_slot_reg(plan, in->mem2.base);
    out->c = eng_slot_ureg(plan, in->mem2.uniform);
    out->x |= (uint32_t)in->mem2.offset << ASYNC_OFFSET;
    if (in->psrc[0].present && (in->psrc[0].reg != SASS_PT || in->psrc[0].inv)) {
        out->ps[0] = eng_pred_src(&in->psrc[0]);
        out->x |= ASYNC_PREDICATE;
    }
    if (in->flags & SASS_ZFILL) out->x |= ASYNC_PARTS;
    out->fn = ldgsts;
    return in->width == 4 || in->width == 8 || in->width == 16;
}

/* Groups: nothing is pending here, so only the watches hear of it. */
ENG_HANDLER(depbar) {
    uint32_t on = eng_on(i, w, mask);
    if (on && w->worker->wants & 1u << ENG_EV_ASYNC) {
        eng_event *ev = eng_event_new(w);
        *ev = (eng_event){.kind = ENG_EV_ASYNC, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index,
                          .mask = on, .more = i->x};
        eng_event_done(w);
    }
    ENG_NEXT;
}

/* LDGDEPBAR of cp.async, UTMACMDFLUSH of bulk copies: DEPBAR counts both in one row. */
static bool bind_ldgdepbar(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    (void)plan, (void)in;
    out->x = ENG_ASYNC_COMMIT;
    out->fn = depbar;
    return true;
}

static bool bind_depbar(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    (void)plan;
    out->x = ENG_ASYNC_WAIT | (uint32_t)(in->lo >> 38 & 63) << 8 | (uint32_t)(in->lo >> 44 & 7) << 16;
    out->fn = depbar;
    return true;
}

ENG_FAMILY(async, {"ldgsts", bind_ldgsts}, {"ldgdepbar", bind_ldgdepbar}, {"depbar", bind_depbar}, {"utmacmdflush", bind_ldgdepbar});
