/* Types of registers. SASS has none: a load moves 32 bits, and only the addition that reads them says that they are a
 * float. So a type is passed on from instruction to instruction, both ways, along the trace. */
#include <string.h>

#include "watch/trace.h"

const char *const watch_type_names[] = {"u32", "s32", "f32", "f64", "f16x2", "bf16x2", "u64"};

enum { PLACES = 512, UNIFORM = 256, NOBODY = -1 };

static bool is_zero(const sass_operand *op) { return op->kind == SASS_REG && op->reg == SASS_RZ; }

/* Does it only move bits? Constants are loaded with IMAD and HFMA2 too, where other pipes are busy. */
static bool moves_bits(const sass_instr *in) {
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_GLOBAL_LD: case SASS_CLASS_GENERIC_LD: case SASS_CLASS_SHARED_LD: case SASS_CLASS_LOCAL_LD:
    case SASS_CLASS_CONST_LOAD: return true;
    case SASS_CLASS_MOVE: return in->op != SASS_S2R;
    default: break;
    }
    return in->op == SASS_SHFL || in->op == SASS_SEL || in->op == SASS_UMOV || in->op == SASS_USEL || in->op == SASS_FSEL ||
           (in->op == SASS_IMAD && (is_zero(&in->a) || is_zero(&in->b))) ||
           ((in->op == SASS_HFMA2_MMA || in->op == SASS_HFMA2) && is_zero(&in->a) && is_zero(&in->b));
}

static watch_type of_sass(unsigned type) {
    switch (type) {
    case SASS_F32: return WATCH_TYPE_F32;
    case SASS_F64: return WATCH_TYPE_F64;
    case SASS_F16: case SASS_F16X2: return WATCH_TYPE_F16X2;
    case SASS_BF16: case SASS_BF16X2: return WATCH_TYPE_BF16X2;
    case SASS_U8: case SASS_S8: case SASS_U16: case SASS_S16: case SASS_U32: case SASS_S32: return WATCH_TYPE_INT;
    default: return WATCH_TYPE_UNKNOWN;
    }
}

/* Of what it computes, and of what it reads. */
static watch_type result_of(const sass_instr *in) {
    if (moves_bits(in)) return WATCH_TYPE_UNKNOWN;
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_FP: case SASS_CLASS_SPECIAL: return WATCH_TYPE_F32;
    case SASS_CLASS_FP64: return WATCH_TYPE_F64;
    case SASS_CLASS_HALF: return in->type == SASS_BF16X2 || in->flags & SASS_PACKED_BF16 ? WATCH_TYPE_BF16X2 : WATCH_TYPE_F16X2;
    case SASS_CLASS_CONVERT: case SASS_CLASS_TENSOR: case SASS_CLASS_GLOBAL_ATOM: case SASS_CLASS_SHARED_ATOM: return of_sass(in->type);
    case SASS_CLASS_ALU: case SASS_CLASS_UNIFORM: return sass_dst_regs(in) == 2 ? WATCH_TYPE_ADDRESS : WATCH_TYPE_INT;
    default: return WATCH_TYPE_INT;
    }
}
static watch_type source_of(const sass_instr *in) {
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_CONVERT: return of_sass(in->stype);
    case SASS_CLASS_GLOBAL_RED: case SASS_CLASS_GLOBAL_ATOM: case SASS_CLASS_SHARED_ATOM: return of_sass(in->type);
    case SASS_CLASS_GLOBAL_ST: case SASS_CLASS_GENERIC_ST: case SASS_CLASS_SHARED_ST: case SASS_CLASS_LOCAL_ST: return WATCH_TYPE_UNKNOWN;
    default: return result_of(in);
    }
}

static unsigned place_of(const sass_operand *op) {
    if (op->kind == SASS_REG && op->reg != SASS_RZ) return op->reg;
    if (op->kind == SASS_UREG && op->reg != SASS_URZ) return UNIFORM + op->reg;
    return PLACES;
}

typedef struct flow {
    const sass_instr *const *instrs;
    watch_typed *types;
    int maker[PLACES]; /* instruction that wrote the register last */
    bool changed;
} flow;

static void learn(flow *f, watch_type *type, watch_type now) {
    if (*type != WATCH_TYPE_UNKNOWN || now == WATCH_TYPE_UNKNOWN) return;
    *type = now;
    f->changed = true;
}

static void read_operand(flow *f, uint32_t k, const sass_operand *op) {
    unsigned place = place_of(op);
    if (place >= PLACES || f->maker[place] == NOBODY) return;
    const sass_instr *in = f->instrs[k];
    watch_typed *mine = &f->types[k], *theirs = &f->types[f->maker[place]];
    bool moves = moves_bits(in) && sass_class_of((sass_op)in->op) != SASS_CLASS_CONST_LOAD;
    if (op == &in->a && (moves || source_of(in) == WATCH_TYPE_UNKNOWN)) learn(f, &mine->data, theirs->result);
    if (moves && (in->op != SASS_SHFL || op == &in->a)) {
        learn(f, &mine->result, theirs->result);
        learn(f, &theirs->result, mine->result);
    } else if (in->op != SASS_SHFL) { /* IMAD.WIDE multiplies two words and adds a pair */
        bool half_of_wide = source_of(in) == WATCH_TYPE_ADDRESS && op != &in->c;
        learn(f, &theirs->result, half_of_wide ? WATCH_TYPE_INT : source_of(in));
    }
}

static void sweep(flow *f, const uint32_t *order, size_t n) {
    for (int p = 0; p < PLACES; p++) f->maker[p] = NOBODY;
    for (size_t s = 0; s < n; s++) {
        uint32_t k = order[s];
        const sass_instr *in = f->instrs[k];
        read_operand(f, k, &in->a);
        read_operand(f, k, &in->b);
        read_operand(f, k, &in->c);
        unsigned place = place_of(&in->dst), words = sass_dst_regs(in);
        for (unsigned w = 0; place < PLACES && w < words && place + w < PLACES; w++) f->maker[place + w] = (int)k;
    }
}

void watch_trace_types(const sass_instr *const *instrs, size_t n, const uint32_t *order, size_t n_order, watch_typed *out) {
    flow f = {.instrs = instrs, .types = out};
    for (size_t k = 0; k < n; k++) out[k] = (watch_typed){result_of(instrs[k]), source_of(instrs[k])};
    do {
        f.changed = false;
        sweep(&f, order, n_order);
    } while (f.changed);
}
