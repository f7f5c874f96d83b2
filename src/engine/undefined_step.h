/* What the rules of undefined_step.c and undefined_store.c share: lanes, shadows, what is undefined of an operand. */
#ifndef WG_ENGINE_UNDEFINED_STEP_H
#define WG_ENGINE_UNDEFINED_STEP_H

#include <string.h>

#include "engine/undefined.h"

typedef struct lanes { uint32_t at[32]; } lanes;

typedef struct step { /* what the rules of one instruction share */
    const eng_ins *i;
    const undef_op *op;
    eng_warp *w;
    struct eng_undefined *t;
    uint8_t *R;
    uint32_t mask;   /* lanes of the group (uniform instructions: all) */
    uint32_t on;     /* those whose guard is true */
    uint32_t maybe;  /* those whose guard is undefined */
    uint32_t origin; /* of the undefined sources */
} step;

#define EACH for (unsigned l = 0; l < 32; l++)

/* --- shadows ------------------------------------------------------------------------------------------ */

static inline uint32_t *shadow(const step *s, uint32_t slot) { return (uint32_t *)(void *)(s->R + s->w->worker->grid->plan->shadow + slot); }
static inline bool is_dirty(const struct eng_undefined *t, uint32_t slot) {
    unsigned n = slot / ENG_SLOT;
    return n < ENG_SHADOWED && t->dirty[n / 64] >> n % 64 & 1;
}
static inline bool any_dirty(const step *s, const undef_operand *o) {
    if (o->kind != SASS_REG) return false;
    for (unsigned k = 0; k < o->words; k++)
        if (is_dirty(s->t, o->slot + k * ENG_SLOT)) return true;
    return false;
}
static inline bool pred_dirty(const step *s, uint8_t ps) { return s->t->P[ps & 0x1f] != 0; }

/* The shadow of a word of an operand; notes where it comes from. */
static inline lanes shadow_of(step *s, const undef_operand *o, unsigned word) {
    lanes r = {{0}};
    uint32_t slot = o->slot + word * ENG_SLOT;
    if (o->kind != SASS_REG || word >= o->words || !is_dirty(s->t, slot)) return r;
    memcpy(&r, shadow(s, slot), sizeof r);
    uint32_t any = 0;
    EACH any |= s->mask >> l & 1 ? r.at[l] : 0;
    if (any && !s->origin) s->origin = s->t->slot_origin[slot / ENG_SLOT];
    return r;
}
static inline lanes value_of(const step *s, const undef_operand *o, unsigned word) {
    lanes r = {{0}};
    uint32_t v = word ? 0 : o->value;
    if (o->kind == SASS_REG) {
        memcpy(&r, s->R + o->slot + word * ENG_SLOT, sizeof r);
        return r;
    }
    if (o->kind == SASS_CONST) {
        const eng_bank *bank = &s->w->worker->grid->banks[o->bank % ENG_BANKS];
        v = 0;
        if ((uint64_t)o->value + 4 * word + 4 <= bank->size) memcpy(&v, bank->bytes + o->value + 4 * word, 4);
    }
    EACH r.at[l] = v;
    return r;
}
/* Lanes with an undefined bit in any word of the operand. */
static inline uint32_t tainted(step *s, const undef_operand *o) {
    uint32_t bits = 0;
    for (unsigned k = 0; k < o->words && o->kind == SASS_REG; k++) {
        if (!is_dirty(s->t, o->slot + k * ENG_SLOT)) continue;
        lanes u = shadow_of(s, o, k);
        EACH bits |= (uint32_t)(u.at[l] != 0) << l;
    }
    return bits;
}
static inline uint32_t pred_tainted(step *s, uint8_t ps) {
    uint32_t bits = s->t->P[ps & 0x1f];
    if (bits & s->mask && !s->origin) s->origin = s->t->pred_origin[ps & 0x1f];
    return bits;
}

#endif
