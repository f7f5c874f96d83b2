/* Basic blocks. A block ends where control may go elsewhere than to the next instruction, or where the lanes
 * of a warp wait for each other (BSYNC), and begins where control may come from elsewhere. */
#include "sass/sass.h"

#include "base/arena.h"

#include <string.h>

static bool always(const sass_pred *p) {
    return !p->present || (p->reg == SASS_PT && !p->inv);
}
static bool unconditional(const sass_instr *i) {
    return always(&i->guard) && always(&i->psrc[0]) && always(&i->psrc[1]);
}

typedef struct flow {
    bool ends;     /* the block ends here */
    bool falls;    /* control may go on to the next instruction */
    bool jumps;    /* ... or to the target */
    bool indirect; /* ... or where the code does not say */
} flow;

static flow flow_of(const sass_instr *i) {
    const bool falls = !unconditional(i);
    switch ((sass_op)i->op) {
    case SASS_BRA:
        /* .DIV and .CONV ask the warp. */
        return (flow){.ends = true, .falls = falls || i->sub >= SASS_BRA_DIV, .jumps = i->has_target};
    case SASS_BRX:
    case SASS_BRXU:
    case SASS_RET:
        return (flow){.ends = true, .falls = falls, .indirect = true};
    case SASS_CALL_REL: /* the callee comes back */
        return (flow){.ends = true, .falls = true, .jumps = i->has_target, .indirect = !i->has_target};
    case SASS_CALL_ABS:
        return (flow){.ends = true, .falls = true, .indirect = true};
    case SASS_EXIT:
        return (flow){.ends = true, .falls = falls};
    case SASS_BSYNC:
        return (flow){.ends = true, .falls = true};
    case SASS_WARPSYNC: /* the collective form may go to its target */
        return (flow){.ends = i->has_target, .falls = true, .jumps = i->has_target};
    default:
        return (flow){.falls = true};
    }
}

/* Index of the instruction at a code offset, or n when there is none. */
static size_t index_at(uint64_t offset, size_t n) {
    return offset % 16 == 0 && offset / 16 < n ? (size_t)(offset / 16) : n;
}

static void mark(uint8_t *leader, size_t n, uint64_t offset) {
    const size_t at = index_at(offset, n);
    if (at < n) leader[at] = 1;
}

static void mark_leaders(uint8_t *leader, const sass_instr *instrs, size_t n) {
    leader[0] = 1;
    for (size_t k = 0; k < n; k++) {
        /* A convergence point (BSSY's target) begins a block even when it is only fallen into. */
        if (instrs[k].has_target && instrs[k].op != SASS_LEPC_90) mark(leader, n, instrs[k].target);
        if (flow_of(&instrs[k]).ends && k + 1 < n) leader[k + 1] = 1;
    }
}

static void connect(const sass_cfg *cfg, sass_block *block, const sass_instr *instrs, size_t n) {
    const sass_instr *end = &instrs[block->last];
    const flow f = flow_of(end);
    unsigned next = 0;
    block->succ[0] = block->succ[1] = UINT32_MAX;
    block->indirect = f.indirect;
    if (f.falls && block->last + 1 < n) block->succ[next++] = cfg->block_of[block->last + 1];
    const size_t to = f.jumps ? index_at(end->target, n) : n;
    if (to < n)
        block->succ[next] = cfg->block_of[to];
    else if (f.jumps)
        block->indirect = true;
}

sass_cfg *sass_cfg_build(struct wg_arena *arena, const sass_instr *instrs, size_t n,
                         const uint32_t *extra_leaders, size_t n_extra) {
    sass_cfg *cfg = wg_arena_alloc(arena, sizeof *cfg);
    if (!cfg || n == 0 || n >= UINT32_MAX) return cfg && n == 0 ? cfg : NULL;
    uint8_t *leader = wg_arena_array(arena, n, 1);
    cfg->block_of = wg_arena_array(arena, n, sizeof *cfg->block_of);
    if (!leader || !cfg->block_of) return NULL;
    mark_leaders(leader, instrs, n);
    for (size_t k = 0; k < n_extra; k++) mark(leader, n, extra_leaders[k]);

    for (size_t k = 0; k < n; k++) {
        cfg->n_blocks += leader[k];
        cfg->block_of[k] = (uint32_t)(cfg->n_blocks - 1);
    }
    cfg->blocks = wg_arena_array(arena, cfg->n_blocks, sizeof *cfg->blocks);
    if (!cfg->blocks) return NULL;
    for (size_t k = 0; k < n; k++) {
        sass_block *block = &cfg->blocks[cfg->block_of[k]];
        if (leader[k]) block->first = (uint32_t)k;
        block->last = (uint32_t)k;
    }
    for (size_t b = 0; b < cfg->n_blocks; b++) connect(cfg, &cfg->blocks[b], instrs, n);
    return cfg;
}
