/* Behind a store in the slow stream: it has marked all that it wrote as defined; what was not is taken back. */
#include "engine/matrix.h"
#include "engine/undefined_step.h"
#include "engine/view.h"

static uint32_t bytes_of(const step *s, unsigned lane) { /* with an undefined bit */
    uint32_t bytes = 0;
    unsigned width = s->op->real.width;
    for (unsigned b = 0; b < width; b++) {
        const undef_operand *o = &s->op->source[0];
        if (o->kind != SASS_REG || b / 4 >= o->words || !is_dirty(s->t, o->slot + b / 4 * ENG_SLOT)) continue;
        if (shadow(s, o->slot + b / 4 * ENG_SLOT)[lane] >> 8 * (b % 4) & 0xff) bytes |= 1u << b;
    }
    return bytes;
}

static void address_lanes(const step *s, uint64_t *A) {
    enum { PAIR = 1, UNIFORM = 2, SCALE = 8 }; /* of access.h */
    const eng_ins *r = &s->op->real;
    sass_class cls = sass_class_of((sass_op)s->op->in->op);
    const uint32_t *low = (const uint32_t *)(const void *)(s->R + r->a), *base = (const uint32_t *)(const void *)(s->R + r->b);
    if (cls == SASS_CLASS_GLOBAL_ST || cls == SASS_CLASS_GENERIC_ST) {
        uint64_t add = (uint64_t)r->imm, keep = r->x & PAIR ? UINT64_MAX : UINT32_MAX;
        if (r->x & UNIFORM) add += (uint64_t)base[32] << 32 | base[0];
        EACH A[l] = ((low[l] | (uint64_t)low[l + 32] << 32) & keep) + add;
    } else {
        uint32_t add = base[0] + (uint32_t)r->imm, shift = r->x & SCALE ? r->x >> 28 & 7 : 0;
        EACH A[l] = (low[l] << shift) + add;
    }
}

void eng_undefined_stored(eng_warp *w, const eng_ins *i, unsigned lane, unsigned width, uint64_t address, uint32_t bytes, uint32_t origin) {
    const eng_grid *grid = w->worker->grid;
    eng_view *v = w->worker->memory_state;
    eng_undefined_store store = {.code = grid->code, .kernel = grid->function, .launch = grid->launch->number,
                                 .at = {.function = i->function, .warp = (uint16_t)w->index, .instr = i->id, .block = w->block->linear, .address = address,
                                        .lane = (uint8_t)lane, .space = ENG_GLOBAL, .width = (uint8_t)width}};
    memcpy(store.grid, grid->grid, sizeof store.grid);
    memcpy(store.threads, grid->block, sizeof store.threads);
    store.computed = origin & ENG_COMPUTED;
    eng_undefined_origin_of(w, origin, &store.origin);
    if (mem_undefine_bytes(v, address, bytes, &store)) return;
    v->failed = true; /* several workers: the launch is run again by one */
    w->worker->stop = true;
}

static void store_local(const step *s, unsigned lane, uint64_t at) {
    const undef_operand *o = &s->op->source[0];
    unsigned width = s->op->real.width;
    if (at + width > s->w->local_size) return;
    for (unsigned b = 0; b < width; b += 4) {
        bool from = o->kind == SASS_REG && b / 4 < o->words;
        uint32_t u = from ? shadow(s, o->slot + b / 4 * ENG_SLOT)[lane] : 0, *to = &s->w->local_undefined[(at + b) / 4 * 32 + lane];
        uint32_t keep = width < 4 ? ((1u << 8 * width) - 1) << at % 4 * 8 : UINT32_MAX;
        *to = (*to & ~keep) | ((width < 4 ? u << at % 4 * 8 : u) & keep);
    }
}

/* STSM: the rows' addresses come from lanes of their own, the elements of each lane go to two places a matrix. */
static void store_matrices(step *s) {
    const undef_operand *o = &s->op->source[0];
    uint64_t rows[32];
    address_lanes(s, rows);
    for (unsigned m = 0; m < o->words; m++) {
        lanes u = shadow_of(s, o, m);
        for (uint32_t left = s->on; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            for (unsigned which = 0; which < 2; which++) {
                uint32_t half = u.at[l] >> 16 * which & 0xffff, bytes = ((half & 0xff) != 0) | ((half & 0xff00) != 0) << 1;
                uint64_t at = element_at(rows, m, l, which, is_transposed(&s->op->real));
                if (!bytes || !s->w->shared_bits || at + 2 > s->w->shared_size) continue;
                eng_undefined_copied(s->w, at, bytes);
                eng_undefined_shared_origin(s->w, at, s->origin);
            }
        }
    }
}

void eng_undefined_after(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    step s = {.i = i, .op = i->ptr, .w = w, .t = w->undefined, .R = R, .mask = mask, .on = mask & (w->P[i->guard] ^ i->ginv)};
    sass_class cls = sass_class_of((sass_op)s.op->in->op);
    if (s.op->in->op == SASS_LDGSTS || !any_dirty(&s, &s.op->source[0])) return;
    if (s.op->in->op == SASS_STSM) {
        store_matrices(&s);
        return;
    }
    uint32_t lanes_undefined = tainted(&s, &s.op->source[0]) & s.on;
    uint64_t A[32];
    address_lanes(&s, A);
    for (uint32_t left = lanes_undefined; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left), window = (unsigned)(A[l] >> 56);
        bool generic = cls == SASS_CLASS_GENERIC_ST;
        uint32_t bytes = bytes_of(&s, l);
        uint64_t at = generic && window ? A[l] & UINT64_C(0xffffffffffffff) : A[l];
        if (cls == SASS_CLASS_LOCAL_ST || (generic && window == ENG_LOCAL_WINDOW >> 56)) {
            store_local(&s, l, at);
            s.t->local_origin = s.origin;
        } else if (cls == SASS_CLASS_SHARED_ST || (generic && window == ENG_SHARED_WINDOW >> 56)) {
            if (w->shared_bits && at + s.op->real.width <= w->shared_size) eng_undefined_copied(w, at, bytes);
            eng_undefined_shared_origin(w, at, s.origin);
        } else {
            eng_undefined_stored(w, i, l, s.op->real.width, at, bytes, s.origin);
        }
    }
}
