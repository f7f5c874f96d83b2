/* Races: two accesses of the same bytes, one of them a write, with no order between them whatever the schedule. */
#include <stdlib.h>
#include <string.h>

#include "engine/code.h"
#include "watch/race.h"

enum {
    TRAIT_KNOWN = 1,
    TRAIT_OF_CAS = 2, /* a plain load whose value a compare-and-swap then checks */
    TRAIT_FLAG = 8,   /* of shared memory: a store right behind a fence, a load right before an acquire. No instruction says that it is more */
    TRAIT_BEGINS = 4  /* initialises an asynchronous barrier: no atomic, whoever arrives must come after it */
};

/* --- blocks ------------------------------------------------------------------------------------- */

static void free_block(race_block *b) {
    for (unsigned w = 0; w < 32; w++) {
        race_warp *warp = &b->warps[w];
        wg_vec_free(&warp->acquired);
        wg_vec_free(&warp->pending);
        wg_vec_free(&warp->groups);
    }
    wg_vec_free(&b->acquired);
    free(b->between);
    race_phases_free(b);
    free(b->shared);
    free(b);
}

/* Blocks come often: what they allocated is used again. */
static void begin_warp(race_warp *w, uint32_t token) {
    w->exited = w->fence = w->fence_all = w->fenced_since = w->n_syncs = w->n_meetings = w->phases = w->matrices = w->n_waits = 0;
    w->synced = w->changed = token;
    w->acquired.count = w->pending.count = w->groups.count = 0;
}

static race_block *begin_block(race_state *st, uint64_t linear) {
    race_block *b = st->spare;
    if (b) st->spare = b->next;
    else if (!(b = calloc(1, sizeof *b))) return st->failed = true, NULL;
    b->linear = (uint32_t)linear;
    b->barrier = st->n;
    b->epoch = b->first_epoch = ++st->epochs;
    b->copies = b->astray = false;
    b->cluster = NULL;
    b->gone_on = 0;
    b->fenced_all = 0;
    race_phases_forget(b);
    b->acquired.count = 0;
    if (b->between) memset(b->between, 0, 32 * 32 * sizeof *b->between);
    for (unsigned w = 0; w < st->n_warps; w++) begin_warp(&b->warps[w], st->n);
    b->warps[st->n_warps - 1].exited = ~st->last_mask;
    race_cluster_begin(st, b);
    b->next = st->blocks;
    return st->blocks = b;
}

static void end_block(race_state *st) {
    race_block **at = &st->blocks, *b = st->block;
    while (*at && *at != b) at = &(*at)->next;
    if (!*at) return;
    race_cluster_end(st, b);
    *at = b->next;
    b->next = st->spare;
    st->spare = b;
    st->block = NULL;
}

race_block *race_block_of(race_state *st, uint64_t linear) {
    race_block *b = st->blocks;
    while (b && b->linear != linear) b = b->next;
    return b ? b : begin_block(st, linear);
}

/* --- what the code says ------------------------------------------------------------------------------ */

static bool same_place(const sass_address *a, const sass_address *b) {
    return a->base == b->base && a->uniform == b->uniform && a->offset == b->offset;
}

/* Without optimisation atomicCAS() is a function. */
static bool calls_cas(const img_module *module, const sass_instr *in) {
    if (in->op != SASS_CALL_ABS || !in->has_target || in->target < ENG_CODE_BASE) return false;
    for (size_t k = 0; k < module->n_functions; k++) {
        const img_function *f = &module->functions[k];
        if (f->code_offset == in->target - ENG_CODE_BASE) return strstr(f->demangled, "tomicCAS") != NULL;
    }
    return false;
}

/* Loops around a compare-and-swap begin with a plain load of the old value, which the swap checks. */
static bool of_cas(const img_module *module, const sass_instr *code, uint32_t i, uint32_t n) {
    for (uint32_t k = i + 1; k < n && k < i + 40; k++) {
        const sass_instr *in = &code[k];
        if (calls_cas(module, in)) return true;
        sass_class cls = sass_class_of((sass_op)in->op);
        if (cls != SASS_CLASS_GLOBAL_ATOM && cls != SASS_CLASS_SHARED_ATOM) continue;
        bool swaps = in->sub == SASS_ATOM_CAS || in->sub == SASS_ATOM_CAST_SPIN;
        if (swaps && (same_place(&in->mem, &code[i].mem) || in->mem.base != 255)) return in->mem.offset == code[i].mem.offset;
    }
    return false;
}

/* ld.acquire and st.release of cluster scope are LDS, STS and a fence. */
static bool is_flag(const sass_instr *code, uint32_t i, uint32_t n) {
    enum { NEAR = 6, IVALL = 4 };
    for (uint32_t k = 1; k < NEAR && code[i].op == SASS_LDS && i + k < n && code[i + k].op != SASS_LDS; k++)
        if (code[i + k].op == SASS_CCTL && code[i + k].sub == IVALL) return true;
    for (uint32_t k = 1; k < NEAR && code[i].op == SASS_STS && k <= i && code[i - k].op != SASS_STS; k++)
        if (code[i - k].op == SASS_MEMBAR && code[i - k].scope >= SASS_GPU) return true;
    return false;
}

static unsigned traits_of(race_state *st, const eng_event *ev) {
    uint8_t **row = &st->traits[ev->function];
    const img_function *f = &st->ctx.module->functions[ev->function];
    if (!*row && !(*row = calloc(f->code_size / 16 + 1, 1))) return st->failed = true, 0;
    uint8_t *t = &(*row)[ev->instr];
    if (!*t) {
        const sass_instr *code = eng_instructions(st->ctx.code, f);
        *t = TRAIT_KNOWN | (of_cas(st->ctx.module, code, ev->instr, f->code_size / 16) ? TRAIT_OF_CAS : 0) | (code[ev->instr].op == SASS_SYNCS_EXCH ? TRAIT_BEGINS : 0) |
             (is_flag(code, ev->instr, f->code_size / 16) ? TRAIT_FLAG : 0);
    }
    return *t;
}

/* --- events ----------------------------------------------------------------------------------------------- */

/* Two bits a lane: where in its word it accesses. */
static uint64_t offsets_of(const eng_batch *batch, const eng_event *ev) {
    uint64_t offsets = 0;
    for (unsigned l = 0; l < 32; l++) offsets |= (eng_lane_address(batch, ev, l) & 3) << 2 * l;
    return offsets;
}

/* Rows that overlap, and strides, are looked at lane by lane. */
static uint8_t class_of(const eng_event *ev) {
    if (ev->cls == ENG_STRIDED) return ENG_GENERAL;
    if (ev->cls != ENG_ROWS) return ev->cls;
    unsigned n = ev->more & 0xff, step = ev->more >> 8;
    return n && step == ev->width && ev->stride >= (int32_t)(n * step) && !(ev->stride & 3) ? ENG_ROWS : ENG_GENERAL;
}

static void on_access(race_state *st, const eng_batch *batch, const eng_event *ev) {
    uint64_t base = 0; /* of addresses that hold a rank */
    if (ev->space != ENG_GLOBAL && ev->space != ENG_SHARED && ev->space != ENG_CLUSTER) return;
    st->owner = st->block;
    if (ev->space == ENG_CLUSTER) {
        uint64_t address = eng_lane_address(batch, ev, (unsigned)__builtin_ctz(ev->mask));
        if (!(st->owner = race_owner(st, st->block, address))) return;
        base = address >> ENG_RANK_SHIFT << ENG_RANK_SHIFT;
    }
    if ((ev->mask == UINT32_MAX) & (ev->cls == ENG_CONTIGUOUS) & ((ev->access == ENG_WRITE) | (ev->access == ENG_READ)) &&
        (ev->access == ENG_WRITE || !(traits_of(st, ev) & TRAIT_OF_CAS)) && ev->space != ENG_CLUSTER && race_usual(st, ev))
        return;
    if (!race_room(st)) return;
    uint32_t token = st->n++;
    st->n_shared += ev->space != ENG_GLOBAL;
    race_access *a = race_access_of(st, token);
    *a = (race_access){.address = ev->address - base, .block = (uint32_t)batch->block, .mask = ev->mask, .instr = ev->instr, .stride = ev->stride,
                       .function = ev->function, .warp = ev->warp, .access = ev->access, .cls = class_of(ev), .width = ev->width,
                       .space = ev->space == ENG_CLUSTER ? ENG_SHARED : ev->space, .scope = ev->scope, .row = (uint8_t)ev->more, .step = (uint8_t)(ev->more >> 8)};
    if (ev->access & ENG_WRITE) a->value = ev->value;
    if (eng_is_bulk(ev->access) && ev->more == ENG_BULK_MATRIX) {
        a->row = RACE_MATRIX;
        a->value = st->block->warps[ev->warp].matrices;
    } else if (eng_is_bulk(ev->access)) {
        a->row = ev->more ? st->bulk.number : 0;
        a->step = st->bulk.rank;
        a->value = ev->more ? st->bulk.phase : 0;
    }
    if (a->cls == ENG_GENERAL && ev->width < 4) a->address = offsets_of(batch, ev);
    bool atomic = ev->access & (ENG_ATOMIC | ENG_STRONG | ENG_VOLATILE);
    if (!atomic && !(ev->access & ENG_WRITE) && traits_of(st, ev) & TRAIT_OF_CAS) a->access |= ENG_ATOMIC;
    if (ev->access & ENG_ATOMIC && ev->space == ENG_SHARED && traits_of(st, ev) & TRAIT_BEGINS) a->access = ENG_WRITE;
    bool of_block = ev->access & ENG_STRONG && ev->scope != SASS_SCOPE_NONE && ev->scope < SASS_GPU;
    if (ev->space != ENG_GLOBAL && race_clustered(st) && traits_of(st, ev) & TRAIT_FLAG) a->access |= ENG_STRONG, atomic = true;
    if (atomic && !eng_is_bulk(ev->access) && (ev->space == ENG_GLOBAL || of_block || race_clustered(st))) race_synchronise(st, batch, ev, base);
    if (!race_touch(st, batch, ev, token, base)) st->n = token;
}

static void on_event(race_state *st, const eng_batch *batch, const eng_event *ev) {
    race_block *b = st->block;
    switch (ev->kind) {
    case ENG_EV_ACCESS: on_access(st, batch, ev); break;
    case ENG_EV_BARRIER: race_arrive(st, b, ev); break;
    case ENG_EV_RELEASE:
        race_barrier(st, b, (uint32_t)ev->address, ev->more & 15);
        b->astray = ev->mask != 0;
        break;
    case ENG_EV_SYNCWARP: race_syncwarp(st, b, ev); break;
    case ENG_EV_WARP_OP: race_sync_lanes(st, b, ev->warp, ev->mask, true); break;
    case ENG_EV_FENCE: race_fence(st, b, ev->warp, ev->more, ev->access == ENG_FENCE_ACQUIRE); break;
    case ENG_EV_CLUSTER_ARRIVE: race_cluster_arrive(st, b, ev); break;
    case ENG_EV_CLUSTER_WAIT: race_cluster_wait(st, b, ev); break;
    case ENG_EV_PHASE:
        if (ev->space != ENG_CLUSTER) race_phase(st, b, ev);
        else if ((st->owner = race_owner(st, b, ev->address))) race_phase_from(st, st->owner, b, ev, ev->address & ((UINT64_C(1) << ENG_RANK_SHIFT) - 1));
        break;
    case ENG_EV_ASYNC: race_async(st, &b->warps[ev->warp], ev->more); break;
    case ENG_EV_EXIT: race_exit(st, b, ev); break;
    case ENG_EV_GIVEN: race_forget(st, ev->address, ev->address + 16 * (uint64_t)ev->more); break;
    default: break;
    }
}

/* Does no lane touch what the launch stores to? */
static bool unstored(const eng_apart *apart, const eng_batch *batch, const eng_event *ev) {
    uint64_t least = ev->address, end = least + ev->width;
    if (!apart->n_stored) return true;
    if (ev->cls == ENG_CONTIGUOUS) return !eng_apart_stored(apart, least, least + 32 * (uint64_t)ev->width);
    if (ev->cls == ENG_GENERAL) { /* those that lie apart are looked at one by one only if all together hold something */
        const uint64_t *at = batch->lanes[ev->general];
        least = UINT64_MAX, end = 0;
        for (uint32_t left = ev->mask; left; left &= left - 1) {
            uint64_t a = at[__builtin_ctz(left)];
            least = a < least ? a : least;
            end = a > end ? a : end;
        }
        if (!eng_apart_stored(apart, least, end + ev->width)) return true;
    }
    for (uint32_t left = ev->mask; left; left &= left - 1) {
        uint64_t a = eng_lane_address(batch, ev, (unsigned)__builtin_ctz(left));
        if (eng_apart_stored(apart, a, a + ev->width)) return false;
    }
    return true;
}

/* Is the access one that no other thread's can be in a race with? */
static bool is_apart(const race_state *st, const eng_batch *batch, const eng_event *ev) {
    const eng_apart *apart = st->apart;
    if (!apart || ev->function != apart->function) return false;
    switch ((eng_apart_kind)apart->of[ev->instr]) {
    case ENG_APART: return ev->space == ENG_GLOBAL || !st->block->astray;
    case ENG_APART_UNSTORED: return ev->space == ENG_GLOBAL && unstored(apart, batch, ev);
    default: return false;
    }
}

static void events(void *opaque, const eng_batch *batch) {
    race_state *st = opaque;
    for (size_t i = 0; i < batch->count && !st->failed; i++) {
        const eng_event *ev = &batch->events[i];
        if (ev->kind == ENG_EV_BLOCK_END) {
            if (!st->block || st->block->linear != batch->block) st->block = race_block_of(st, batch->block);
            if (st->block) race_cluster_check_end(st, st->block), end_block(st);
            continue;
        }
        if (!st->block || st->block->linear != batch->block) st->block = race_block_of(st, batch->block);
        if (!st->block) continue;
        if (ev->kind == ENG_EV_ACCESS && (is_apart(st, batch, ev) || ((ev->access & ~ENG_DROPPED) == ENG_READ && ev->space != ENG_CLUSTER && race_settled(st, ev)))) continue;
        on_event(st, batch, ev);
    }
}

/* --- what the code can do ---------------------------------------------------------------------------------- */

/* Nothing in the code orders some threads of a group and not others: then two readers stand for all (race_shadow.c). */
static void survey(race_state *st, const img_function *f) {
    const sass_instr *code = eng_instructions(st->ctx.code, f);
    for (size_t i = 0; code && i < f->code_size / 16; i++) {
        const sass_instr *in = &code[i];
        switch (in->op) {
        case SASS_MEMBAR: st->far = false; break;
        case SASS_UCGABAR_ARV: case SASS_UCGABAR_WAIT: st->far = st->near = false; break;
        case SASS_BAR: st->near &= in->sub != SASS_BAR_ARV && in->a.kind == SASS_IMM && in->b.kind == SASS_NONE; break;
        case SASS_WARPSYNC: st->lanes &= in->a.kind == SASS_NONE || (in->a.kind == SASS_IMM && (uint32_t)in->a.value == UINT32_MAX); break;
        case SASS_SYNCS: case SASS_SYNCS_PHASE: case SASS_SYNCS_EXCH: case SASS_ARRIVES: st->near = st->lanes = false; break;
        case SASS_ATOMS:
            if (in->sub == SASS_ATOM_ARRIVE) st->near = st->lanes = false;
            break;
        default:
            /* flags of block scope order by themselves (race_synchronise) */
            if (in->order == SASS_STRONG && in->scope != SASS_SCOPE_NONE && in->scope < SASS_GPU) st->near = false;
            break;
        }
    }
    if (!code) st->far = st->near = st->lanes = false;
}

/* --- the watch ---------------------------------------------------------------------------------------------- */

static void *start(const watch_context *ctx) {
    race_state *st = calloc(1, sizeof *st);
    const uint32_t *b = ctx->launch->block;
    uint32_t threads = b[0] * b[1] * b[2];
    if (!st) return NULL;
    st->ctx = *ctx;
    st->n = 1;
    st->n_warps = (threads + 31) / 32;
    st->last_mask = threads & 31 ? (UINT32_C(1) << (threads & 31)) - 1 : UINT32_MAX;
    st->traits = calloc(ctx->module->n_functions, sizeof *st->traits);
    st->scratch = ctx->scratch ? watch_scratch_lend(ctx->scratch) : watch_scratch_new();
    if (st->traits && st->scratch) {
        st->far = st->near = st->lanes = true;
        for (size_t f = 0; f < ctx->module->n_functions; f++)
            if (&ctx->module->functions[f] == ctx->function || !ctx->module->functions[f].is_kernel) survey(st, &ctx->module->functions[f]);
        return st;
    }
    if (!ctx->scratch) watch_scratch_free(st->scratch);
    else if (st->scratch) watch_scratch_give_back(st->scratch);
    free(st->traits);
    free(st);
    return NULL;
}

static void apart(void *opaque, const eng_apart *apart) { ((race_state *)opaque)->apart = apart; }
static void plain(void *opaque, const eng_plain *sums) { (void)opaque, (void)sums; } /* there is nothing to be seen in them */

/* Several workers share no byte that one of them writes, or the launch is run again anyway (engine/view.h). So each saw all of
 * the races that there are between its own blocks, and there are no others. What is reported of them, and how often, depends on what else
 * was done in the same lines: one worker says it. */
static bool again(void *opaque) {
    const race_state *st = opaque;
    return st->failed || st->findings.list.count;
}

static void merge(void *into, void *from) { watch_findings_merge(&((race_state *)into)->findings, &((race_state *)from)->findings); }

static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    race_state *st = opaque;
    (void)ctx, (void)result;
    watch_findings_merge(&record->findings, &st->findings);
    record->failed |= st->failed;
}

static void stop(void *opaque) {
    race_state *st = opaque;
    while (st->blocks) {
        st->block = st->blocks;
        end_block(st);
    }
    for (race_block *b; (b = st->spare);) {
        st->spare = b->next;
        free_block(b);
    }
    race_clusters_free(st);
    race_shadow_free(st);
    race_order_free(st);
    for (size_t f = 0; f < st->ctx.module->n_functions; f++) free(st->traits[f]);
    free(st->traits);
    wg_vec_free(&st->accesses);
    watch_findings_free(&st->findings);
    free(st);
}

const watch watch_race = {.name = "race", .checks = WATCH_CHECK(RACE), .again = again,
                          .wants = 1u << ENG_EV_ACCESS | 1u << ENG_EV_BARRIER | 1u << ENG_EV_RELEASE | 1u << ENG_EV_CLUSTER_ARRIVE | 1u << ENG_EV_CLUSTER_WAIT | 1u << ENG_EV_SYNCWARP | 1u << ENG_EV_WARP_OP |
                                   1u << ENG_EV_FENCE | 1u << ENG_EV_PHASE | 1u << ENG_EV_ASYNC | 1u << ENG_EV_EXIT | 1u << ENG_EV_BLOCK | 1u << ENG_EV_BLOCK_END | 1u << ENG_EV_GIVEN | 1u << ENG_EV_VALUES,
                          .start = start, .events = events, .plain = plain, .apart = apart, .merge = merge, .finish = finish, .stop = stop};
