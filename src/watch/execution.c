/* Execution: warp and thread instructions, branches, and instructions by what they do. All of it follows
 * from the engine's own exact counts; no event is needed. */
#include "watch/watch.h"

static bool reads_texture(sass_op op) { return op == SASS_TEX || op == SASS_TLD || op == SASS_TLD4 || op == SASS_TXD || op == SASS_TXQ; }

/* The counter of issued instructions that an opcode belongs to; WATCH_COUNTERS: none. */
static watch_counter op_counter(sass_op op) {
    /* Hardware counts these with the branches; BSSY not. */
    if (op == SASS_BSYNC || op == SASS_BREAK || op == SASS_WARPSYNC || op == SASS_YIELD || op == SASS_NANOSLEEP) return WATCH_OP_BRANCH;
    if (op == SASS_LDGSTS) return WATCH_OP_LDGSTS;
    if (reads_texture(op)) return WATCH_OP_TEXTURE;
    if (op == SASS_LDSM || op == SASS_STSM) return op == SASS_LDSM ? WATCH_OP_LDSM : WATCH_OP_STSM;
    switch (sass_class_of(op)) {
    case SASS_CLASS_BRANCH:
    case SASS_CLASS_CALL:
    case SASS_CLASS_EXIT: return WATCH_OP_BRANCH;
    case SASS_CLASS_GLOBAL_LD: return WATCH_OP_GLOBAL_LD;
    case SASS_CLASS_GLOBAL_ST: return WATCH_OP_GLOBAL_ST;
    case SASS_CLASS_GLOBAL_RED: return WATCH_OP_GLOBAL_RED;
    case SASS_CLASS_GLOBAL_ATOM: return WATCH_OP_GLOBAL_ATOM;
    case SASS_CLASS_SHARED_LD: return WATCH_OP_SHARED_LD;
    case SASS_CLASS_SHARED_ST: return WATCH_OP_SHARED_ST;
    case SASS_CLASS_SHARED_ATOM: return WATCH_OP_SHARED_ATOM;
    case SASS_CLASS_LOCAL_LD: return WATCH_OP_LOCAL_LD;
    case SASS_CLASS_LOCAL_ST: return WATCH_OP_LOCAL_ST;
    case SASS_CLASS_GENERIC_LD: return WATCH_OP_GENERIC_LD;
    case SASS_CLASS_GENERIC_ST: return WATCH_OP_GENERIC_ST;
    default: return WATCH_COUNTERS;
    }
}

/* Hardware counts calls and returns with the conditional branches. */
static bool is_conditional(const sass_instr *in) {
    sass_class class = sass_class_of(in->op);
    return class == SASS_CLASS_CALL ||
           (class == SASS_CLASS_BRANCH && (in->guard.reg != SASS_PT || in->psrc[0].present || in->op != SASS_BRA));
}

/* Lanes that come together go on in groups, as from a jump to several places. */
static bool parts_lanes(const sass_instr *in) { return in->op == SASS_WARPSYNC && in->sub == SASS_WARPSYNC_EXCLUSIVE; }

/* Hardware takes the lanes of a branch for off when they stay, but not those of BRA.DIV, which asks how the warp lies, whatever its
 * guard says. */
static uint64_t lanes_on(const sass_instr *in, const eng_instr_count *n) {
    return in->op == SASS_BRA && in->sub == SASS_BRA_DIV ? n->lanes : n->lanes_on;
}

static void finish_instr(watch_record *record, unsigned f, uint32_t i, const sass_instr *in, const eng_instr_count *n) {
    watch_add_at(record, WATCH_INST, f, i, n->warps);
    watch_add_at(record, WATCH_THREAD_INST, f, i, n->lanes);
    watch_add_at(record, WATCH_THREAD_INST_ON, f, i, lanes_on(in, n));
    if (is_conditional(in)) {
        const uint64_t divergent = n->parted + n->further, uniform = n->warps - n->warps_again - n->parted;
        watch_add_at(record, WATCH_BRANCHES_CONDITIONAL, f, i, divergent + uniform);
        watch_add_at(record, WATCH_BRANCHES_DIVERGENT, f, i, divergent);
        watch_add_at(record, WATCH_BRANCHES_UNIFORM, f, i, uniform);
    }
    if (parts_lanes(in)) { /* each issue but the last one lets a group go */
        watch_add_at(record, WATCH_BRANCHES_CONDITIONAL, f, i, n->warps_again);
        watch_add_at(record, WATCH_BRANCHES_DIVERGENT, f, i, n->warps_again);
    }
    if (reads_texture(in->op) && in->op != SASS_TLD4) watch_add_at(record, in->op == SASS_TLD ? WATCH_TEXTURE_FETCHES : WATCH_TEXTURE_REQUESTS, f, i, n->requests);
    watch_counter op = op_counter(in->op);
    if (op != WATCH_COUNTERS) watch_add(record, op, n->warps);
}

static void finish(void *state, const watch_context *ctx, const eng_result *result, watch_record *record) {
    (void)state;
    for (watch_counter c = WATCH_INST; c <= WATCH_TEXTURE_FETCHES; c++) watch_add(record, c, 0);
    for (unsigned f = 0; f < ctx->module->n_functions; f++) {
        const eng_instr_count *n = result->counts ? result->counts[f] : NULL;
        if (!n) continue;
        const sass_instr *code = eng_instructions(ctx->code, &ctx->module->functions[f]);
        for (uint32_t i = 0; i < ctx->module->functions[f].code_size / 16; i++)
            if (n[i].warps) finish_instr(record, f, i, &code[i], &n[i]);
    }
    uint64_t warps = record->launch[WATCH_INST].count;
    watch_set_real(record, WATCH_LANES_MEAN, warps ? (double)record->launch[WATCH_THREAD_INST].count / (double)warps : 0);
    watch_set(record, WATCH_CYCLES, result->cycles);
}

const watch watch_execution = {.name = "execution", .finish = finish};
