/* The loads of a run: which ones it may take in, and how the lanes' addresses lie. */
#include <string.h>

#include "engine/native_run.h"

/* Does one of n instructions write into the slot? */
static bool writes(const eng_ins *i, const uint8_t *lifts, unsigned n, uint32_t slot) {
    for (unsigned k = 0; k < n; k++)
        if (i[k].d <= slot && slot < i[k].d + native_words_of[lifts[k]].d * ENG_SLOT) return true;
    return false;
}

/* The base of a load; a new one when there is none yet. */
static unsigned base_of(const eng_loads *loads, const eng_ins *i) {
    for (unsigned b = 0; b < loads->n_bases; b++) {
        const eng_load_base *base = &loads->bases[b];
        if (base->slot == i->a && base->add == i->b && base->width == i->width) return b;
    }
    return loads->n_bases;
}

bool native_take_load(eng_loads *loads, const eng_ins *first, const uint8_t *lifts, unsigned n) {
    const eng_ins *i = &first[n];
    int32_t offset = (int32_t)i->imm;
    unsigned b = base_of(loads, i);
    if (writes(first, lifts, n, i->a) || writes(first, lifts, n, i->b)) return false;
    if (b == ENG_LOAD_BASES || loads->n == ENG_LOADS_MOST || offset & (i->width - 1)) return false;
    eng_load_base *base = &loads->bases[b];
    if (b == loads->n_bases) {
        *base = (eng_load_base){.slot = i->a, .add = i->b, .width = i->width, .least = offset, .most = offset,
                                .counter = i->y};
        loads->n_bases++;
    }
    if (offset < base->least) base->least = offset;
    if (offset + i->width > base->most) base->most = offset + i->width;
    for (unsigned other = 0; other < loads->n_bases; other++)
        if (loads->bases[other].slot == i->a) loads->bases[other].keeps = other == b;
    loads->loads[loads->n++] = (eng_one_load){.ins = i, .base = (uint8_t)b};
    return true;
}

/* --- shapes ------------------------------------------------------------------------------- */

static eng_load_shape shape_of_lanes(const eng_load_base *base, const uint8_t *R) {
    uint32_t lane[32];
    bool uniform = true, contiguous = true;
    memcpy(lane, R + base->slot, sizeof lane);
    for (uint32_t l = 0; l < 32; l++) {
        uniform &= lane[l] == lane[0];
        contiguous &= lane[l] == lane[0] + l * base->width;
    }
    return uniform ? ENG_LOAD_UNIFORM : contiguous ? ENG_LOAD_CONTIGUOUS : ENG_LOAD_OTHER;
}

bool native_loads_look(const eng_plan *plan, eng_loads *loads, const uint8_t *R) {
    bool plain = true;
    unsigned words = 0;
    for (unsigned b = 0; b < loads->n_bases; b++) {
        eng_load_base *base = &loads->bases[b];
        base->known = native_uniform(plan, base->slot);
        base->shape = (uint8_t)(base->known ? ENG_LOAD_UNIFORM : shape_of_lanes(base, R));
    }
    for (unsigned n = 0; n < loads->n; n++) {
        eng_one_load *load = &loads->loads[n];
        eng_load_base *base = &loads->bases[load->base];
        if (eng_load_copied(base) && words + base->width / 4u > ENG_LOAD_WORDS) base->shape = ENG_LOAD_OTHER;
        if (eng_load_copied(base)) load->words = (uint8_t)words, words += base->width / 4u;
        plain &= base->shape != ENG_LOAD_OTHER;
    }
    return plain;
}

void native_loads_spread(const eng_loads *loads, uint64_t *counts) {
    for (unsigned n = 0; n < loads->n; n++) {
        const eng_load_base *base = &loads->bases[loads->loads[n].base];
        const eng_ins *i = loads->loads[n].ins;
        counts[i->c + eng_load_plain(base, i, 0)] += counts[base->counter];
    }
}
