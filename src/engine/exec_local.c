/* LDL and STL. The words of all lanes lie side by side, as the hardware interleaves them, so that the usual access, one
 * frame offset for the whole warp, moves whole slots. */
#include "engine/window.h"

static __attribute__((noinline)) const eng_ins *load_rest(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        window_addresses(i, R, A);
        if (ENG_UNLIKELY(!local_load_lanes(i, w, R, on, A))) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_LOADED;
}

static __attribute__((noinline)) const eng_ins *store_rest(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    ENG_ADDRESSES(A);
    uint32_t on = eng_on(i, w, mask);
    if (on) {
        window_addresses(i, R, A);
        if (ENG_UNLIKELY(!local_store_lanes(i, w, R, on, A))) ENG_GOTO(eng_end(w, i));
    }
    ENG_NEXT_UNWOUND;
}

/* All lanes at one offset of whole words? */
ENG_INLINE bool one_offset(const eng_ins *i, const eng_warp *w, uint8_t *R, uint32_t mask, uint32_t *address) {
    uint32_t on = eng_on(i, w, mask), at = *eng_u32(R, i->a) + *eng_u32(R, i->b) + (uint32_t)i->imm;
    *address = at;
    return on == ENG_ALL && vu_none(scan32(R, i->a, 0).uniform) && (uint64_t)at + i->width <= w->local_size &&
           !(at & (i->width - 1u)) && event_fits(w);
}

ENG_HANDLER(ldl_words) {
    uint32_t at;
    if (ENG_UNLIKELY(!one_offset(i, w, R, mask, &at))) return load_rest(i, w, R, mask);
    if (w->local_undefined) { /* all defined? Else lane by lane */
        const uint32_t *u = w->local_undefined + at / 4 * 32;
        vu any = {0};
        for (unsigned j = 0; j < i->width / 4u; j++) ENG_EACH any |= load_vu(u + j * 32 + k * ENG_VL);
        if (ENG_UNLIKELY(!vu_none(any))) return load_rest(i, w, R, mask);
    }
    const uint8_t *p = w->local + at / 4 * ENG_SLOT;
    for (unsigned j = 0; j < i->width / 4u; j++) {
        vu *d = eng_vu(R, i->d + j * ENG_SLOT);
        ENG_EACH d[k] = load_vu(p + j * ENG_SLOT + k * ENG_VB);
    }
    if (wants_access(w)) put_plain(w, i, ENG_ALL, at, ENG_UNIFORM, ENG_LOCAL, i->width);
    w->worked = ENG_ALL;
    ENG_NEXT;
}

ENG_HANDLER(stl_words) {
    uint32_t at;
    if (ENG_UNLIKELY(!one_offset(i, w, R, mask, &at))) return store_rest(i, w, R, mask);
    uint8_t *p = w->local + at / 4 * ENG_SLOT;
    for (unsigned j = 0; j < i->width / 4u; j++) {
        const vu *s = eng_vu(R, i->c + j * ENG_SLOT);
        ENG_EACH store_vu(p + j * ENG_SLOT + k * ENG_VB, s[k]);
    }
    if (w->local_undefined) memset(w->local_undefined + at / 4 * 32, 0, (size_t)i->width / 4 * ENG_SLOT);
    if (wants_access(w)) put_plain(w, i, ENG_ALL, at, ENG_UNIFORM, ENG_LOCAL, i->width);
    w->worked = ENG_ALL;
    ENG_NEXT;
}

static bool bind_ldl(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_window(plan, in, out, ENG_READ);
    out->d = eng_slot_dst(plan, &in->dst);
    out->fn = out->width >= 4 ? ldl_words : load_rest;
    return true;
}

static bool bind_stl(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    bind_window(plan, in, out, ENG_WRITE);
    out->c = eng_slot_src(plan, &in->a);
    out->fn = out->width >= 4 ? stl_words : store_rest;
    return true;
}

ENG_FAMILY(local, {"ldl", bind_ldl}, {"stl", bind_stl});
