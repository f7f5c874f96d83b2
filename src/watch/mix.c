/* The mix of instructions: what kinds of work the threads did, and which units the warps asked. It follows from the opcode (column KIND of isa.def) and from the
 * engine's own exact counts; no event is needed. */
#include "watch/watch.h"

/* The operations that performance is reckoned in: their own counter, that of the three of one precision, and what an
 * instruction does for a thread: two of half precision lie in a register. */
static const struct operation {
    watch_counter own, three, flop;
    uint8_t times;
} operations[] = {
    [SASS_KIND_FADD] = {WATCH_THREADS_FADD, WATCH_THREADS_FP32_OPS, WATCH_FLOP_FP32, 1},
    [SASS_KIND_FMUL] = {WATCH_THREADS_FMUL, WATCH_THREADS_FP32_OPS, WATCH_FLOP_FP32, 1},
    [SASS_KIND_FFMA] = {WATCH_THREADS_FFMA, WATCH_THREADS_FP32_OPS, WATCH_FLOP_FP32, 2},
    [SASS_KIND_DADD] = {WATCH_THREADS_DADD, WATCH_THREADS_FP64_OPS, WATCH_FLOP_FP64, 1},
    [SASS_KIND_DMUL] = {WATCH_THREADS_DMUL, WATCH_THREADS_FP64_OPS, WATCH_FLOP_FP64, 1},
    [SASS_KIND_DFMA] = {WATCH_THREADS_DFMA, WATCH_THREADS_FP64_OPS, WATCH_FLOP_FP64, 2},
    [SASS_KIND_HADD] = {WATCH_THREADS_HADD, WATCH_THREADS_FP16_OPS, WATCH_FLOP_FP16, 2},
    [SASS_KIND_HMUL] = {WATCH_THREADS_HMUL, WATCH_THREADS_FP16_OPS, WATCH_FLOP_FP16, 2},
    [SASS_KIND_HFMA] = {WATCH_THREADS_HFMA, WATCH_THREADS_FP16_OPS, WATCH_FLOP_FP16, 4},
};

static watch_counter counter_of(sass_kind kind) {
    switch (kind) {
    case SASS_KIND_FADD: case SASS_KIND_FMUL: case SASS_KIND_FFMA: case SASS_KIND_FP32: return WATCH_THREADS_FP32;
    case SASS_KIND_DADD: case SASS_KIND_DMUL: case SASS_KIND_DFMA: case SASS_KIND_FP64: return WATCH_THREADS_FP64;
    case SASS_KIND_HADD: case SASS_KIND_HMUL: case SASS_KIND_HFMA: case SASS_KIND_FP16: return WATCH_THREADS_FP16;
    case SASS_KIND_FP8: return WATCH_THREADS_FP8;
    case SASS_KIND_INTEGER: return WATCH_THREADS_INTEGER;
    case SASS_KIND_BIT: return WATCH_THREADS_BIT;
    case SASS_KIND_CONVERSION: return WATCH_THREADS_CONVERSION;
    case SASS_KIND_CONTROL: return WATCH_THREADS_CONTROL;
    case SASS_KIND_MEMORY: return WATCH_THREADS_MEMORY;
    case SASS_KIND_EXCHANGE: return WATCH_THREADS_EXCHANGE;
    case SASS_KIND_UNIFORM: return WATCH_THREADS_UNIFORM;
    case SASS_KIND_MISC: return WATCH_THREADS_MISC;
    case SASS_KIND_NONE: break;
    }
    return WATCH_COUNTERS;
}

/* Compilers load constants by 0 * 0 + constant, in two halves. */
static bool loads_constant(const sass_instr *in) {
    return sass_kind_of(in->op) == SASS_KIND_HFMA && in->a.kind == SASS_REG && in->a.reg == SASS_RZ;
}

/* The unit of an sm_90 that executes an opcode, as far as it was measured; WATCH_COUNTERS: another one. */
static watch_counter pipe_of(sass_op op) {
    switch (op) {
    case SASS_FADD: case SASS_FMUL: case SASS_FFMA: case SASS_FSWZADD: case SASS_HADD2: case SASS_HMUL2: case SASS_HFMA2: case
    SASS_IMAD: case SASS_IMAD_WIDE: case SASS_IMAD_HI: case SASS_IDP: case SASS_VIADD:
        return WATCH_PIPE_FMA;
    case SASS_DADD: case SASS_DMUL: case SASS_DFMA: case SASS_DSETP:
        return WATCH_PIPE_FP64;
    case SASS_HMMA: case SASS_HMMA_SP: case SASS_IMMA: case SASS_IMMA_SP: case SASS_BMMA: case SASS_DMMA: case SASS_HFMA2_MMA: case SASS_HGMMA: case SASS_IGMMA: case SASS_BGMMA: case SASS_QGMMA:
        return WATCH_PIPE_TENSOR;
    case SASS_MUFU: case SASS_F2F: case SASS_F2F_64: case SASS_F2I: case SASS_F2I_64: case SASS_I2F: case SASS_I2F_64: case SASS_FRND:
    case SASS_FRND_64: case SASS_FCHK: case SASS_FLO: case SASS_POPC: case SASS_BREV:
        return WATCH_PIPE_XU;
    case SASS_UIADD3: case SASS_UIADD3_64: case SASS_UIMAD: case SASS_UIMAD_WIDE: case SASS_UIMAD_HI: case SASS_ULEA: case SASS_ULOP3:
    case SASS_UPRMT: case SASS_USEL: case SASS_USHF: case SASS_USGXT: case SASS_UBMSK: case SASS_UISETP: case SASS_UFLO: case
    SASS_UPOPC: case SASS_UBREV: case SASS_UP2UR: case SASS_UR2UP:
        return WATCH_PIPE_UNIFORM;
    case SASS_IADD3: case SASS_LEA: case SASS_LOP3: case SASS_SHF: case SASS_ISETP: case SASS_IABS: case SASS_SGXT: case SASS_BMSK:
    case SASS_PRMT: case SASS_SEL: case SASS_MOV: case SASS_CS2R: case SASS_P2R: case SASS_R2P: case SASS_PLOP3: case SASS_R2UR_90:
    case SASS_VOTE: case SASS_ELECT: case SASS_VABSDIFF: case SASS_VABSDIFF4: case SASS_VIMNMX: case SASS_VIMNMX3: case SASS_VIADDMNMX: case
    SASS_FMNMX: case SASS_FSEL: case SASS_FSET: case SASS_FSETP: case SASS_HMNMX2: case SASS_HSET2: case SASS_HSETP2: case SASS_F2FP:
    case SASS_F2FP_8: case SASS_F2FP_TF32: case SASS_F2IP: case SASS_I2FP: case SASS_I2I: case SASS_I2IP:
        return WATCH_PIPE_ALU;
    default: return WATCH_COUNTERS;
    }
}

static void count(watch_record *record, const sass_instr *in, uint64_t threads) {
    sass_kind kind = sass_kind_of(in->op);
    watch_counter counter = counter_of(kind);
    if (counter != WATCH_COUNTERS) watch_add(record, counter, threads);
    if (kind >= sizeof operations / sizeof *operations || !operations[kind].times) return;
    watch_add(record, operations[kind].own, threads);
    watch_add(record, operations[kind].three, threads);
    if (!loads_constant(in)) watch_add(record, operations[kind].flop, threads * operations[kind].times);
}

/* The counters are patched into the code. So they see guards alone, not P0, by which ACQBULK counts elsewhere, nor the other predicates of
 * a branch, nor how a warp lies; and what is issued once more for lanes that waited is passed once by each. */
static uint64_t threads_of(const sass_instr *in, const eng_instr_count *n) {
    const bool guarded = in->guard.reg != SASS_PT || in->guard.inv;
    return in->op == SASS_ACQBULK && !guarded ? n->lanes : n->lanes_guarded;
}

static void finish(void *state, const watch_context *ctx, const eng_result *result, watch_record *record) {
    (void)state;
    for (watch_counter c = WATCH_THREADS_FP16; c <= WATCH_PIPE_XU; c++) watch_add(record, c, 0);
    for (unsigned f = 0; f < ctx->module->n_functions; f++) {
        const eng_instr_count *n = result->counts ? result->counts[f] : NULL;
        if (!n) continue;
        const sass_instr *code = eng_instructions(ctx->code, &ctx->module->functions[f]);
        const uint32_t end = (uint32_t)(ctx->module->functions[f].code_size / 16);
        for (uint32_t i = 0; i < end; i++)
            if (n[i].warps) {
                const watch_counter pipe = pipe_of(code[i].op);
                count(record, &code[i], threads_of(&code[i], &n[i]));
                if (pipe != WATCH_COUNTERS) watch_add(record, pipe, n[i].warps);
            }
    }
}

const watch watch_mix = {.name = "mix", .finish = finish};
