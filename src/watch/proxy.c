/* The asynchronous proxy: bulk copies (TMA) and wgmma read shared memory by a way of their own, on which a thread's stores are seen only
 * behind a fence.proxy.async. A barrier orders the two, and does not make up for the fence.
 *
 * Of each word of shared memory the last store by a thread is remembered. A warp's clock says which stores of each warp of the block come before
 * what it does now, and which of them have a fence behind them: one by any thread, as long as it lies between the two. Clocks are of whole
 * warps, and an asynchronous barrier gives what anybody has brought to it: that is order enough to ask for a fence, and too much only where
 * there is a race. Who comes after a store by a way that is not followed here gets all fences. Told is only what is ordered: the rest are races. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/watch.h"

enum { WARPS = 32, WORD = 4 };
typedef struct stored { /* the last store to a word; time 0: none, or not by a thread's own access */
    uint32_t time, instr;
    uint16_t function;
    uint8_t warp, lane;
} stored;
typedef struct clock { uint32_t before[WARPS], fenced[WARPS]; } clock; /* by warp: its stores up to that time */
typedef struct object { /* an asynchronous barrier */
    uint64_t address;
    clock brought;
} object;
typedef struct block {
    uint64_t linear;
    struct block *next;
    uint32_t time;
    clock warps[WARPS];
    wg_vec(object) objects;
    stored *words;
    uint32_t n_words;
} block;
typedef struct state {
    watch_context ctx;
    watch_findings findings;
    block *blocks, *spare;
    unsigned n_warps;
    bool failed;
} state;

/* --- which kernels ------------------------------------------------------------------------ */

enum { FROM_SHARED = 2 /* of sass_instr.shape: UBLKCP, UBLKRED */ };
static bool reads_asynchronously(const sass_instr *in) {
    switch (in->op) {
    case SASS_UBLKCP: case SASS_UBLKRED: return in->shape & FROM_SHARED;
    case SASS_UTMASTG: case SASS_UTMAREDG: return true;
    default: return sass_is_gmma((sass_op)in->op);
    }
}

static bool asked(const watch_context *ctx) {
    const img_module *m = ctx->module;
    for (size_t f = 0; f < m->n_functions; f++) {
        if (m->functions[f].is_kernel && &m->functions[f] != ctx->function) continue;
        const sass_instr *code = eng_instructions(ctx->code, &m->functions[f]);
        if (!code || (m->functions[f].code_size && code[0].sm < 90)) continue;
        for (uint32_t i = 0; i < m->functions[f].code_size / 16; i++)
            if (reads_asynchronously(&code[i])) return true;
    }
    return false;
}

/* --- clocks --------------------------------------------------------------------------------- */

static void join(clock *to, const clock *from) {
    for (unsigned w = 0; w < WARPS; w++) {
        to->before[w] = from->before[w] > to->before[w] ? from->before[w] : to->before[w];
        to->fenced[w] = from->fenced[w] > to->fenced[w] ? from->fenced[w] : to->fenced[w];
    }
}

/* A warp's clock, its own stores included. */
static clock *now_of(block *b, unsigned w) {
    b->warps[w].before[w] = b->time;
    return &b->warps[w];
}

static void fence(block *b, unsigned w) {
    clock *c = now_of(b, w);
    for (unsigned v = 0; v < WARPS; v++) c->fenced[v] = c->before[v] > c->fenced[v] ? c->before[v] : c->fenced[v];
}

static void meet(const state *st, block *b, uint32_t warps) {
    clock all = {0};
    for (unsigned w = 0; w < st->n_warps; w++)
        if (warps >> w & 1) join(&all, now_of(b, w));
    for (unsigned w = 0; w < st->n_warps; w++)
        if (warps >> w & 1) join(&b->warps[w], &all);
}

static void all_fences(const state *st, block *b, unsigned w) {
    for (unsigned v = 0; v < st->n_warps; v++)
        for (unsigned k = 0; k < WARPS; k++)
            if (b->warps[v].fenced[k] > b->warps[w].fenced[k]) b->warps[w].fenced[k] = b->warps[v].fenced[k];
}

static void on_phase(state *st, block *b, const eng_event *ev) {
    object *o = NULL;
    if (ev->space == ENG_CLUSTER) return; /* that of another block: what comes back from there is not followed */
    for (size_t k = 0; k < b->objects.count && !o; k++)
        if (b->objects.at[k].address == ev->address) o = &b->objects.at[k];
    switch (ev->more & ENG_PHASE_KIND) {
    case ENG_PHASE_ARRIVES:
        if (!o) {
            object fresh = {.address = ev->address};
            if (!wg_vec_push(&b->objects, fresh)) {
                st->failed = true;
                return;
            }
            o = &b->objects.at[b->objects.count - 1];
        }
        join(&o->brought, now_of(b, ev->warp));
        break;
    case ENG_PHASE_SEEN: case ENG_PHASE_LOOKED:
        if (o) join(&b->warps[ev->warp], &o->brought);
        break;
    default: break;
    }
}

/* --- accesses --------------------------------------------------------------------------------- */

static bool room(state *st, block *b, uint64_t words) {
    if (words <= b->n_words) return true;
    uint32_t n = (uint32_t)words + 1024;
    stored *more = realloc(b->words, n * sizeof *more);
    if (!more) return !(st->failed = true);
    memset(more + b->n_words, 0, (n - b->n_words) * sizeof *more);
    b->words = more;
    b->n_words = n;
    return true;
}

/* By copies: their own proxy has written there, or (cp.async) it is not known whether a fence is needed. */
static void overwritten(block *b, uint64_t from, uint64_t end) {
    for (uint64_t word = from / WORD; word < (end + WORD - 1) / WORD && word < b->n_words; word++) b->words[word].time = 0;
}

static void on_store(state *st, block *b, const eng_batch *batch, const eng_event *ev) {
    uint32_t time = ev->access & ENG_ASYNC ? 0 : ++b->time;
    for (uint32_t left = ev->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t from = eng_lane_address(batch, ev, lane), end = from + ev->width;
        if (!time) {
            overwritten(b, from, end);
            continue;
        }
        if (!room(st, b, (end + WORD - 1) / WORD)) return;
        for (uint64_t word = from / WORD; word * WORD < end; word++)
            b->words[word] = (stored){.time = time, .instr = ev->instr, .function = ev->function, .warp = (uint8_t)ev->warp, .lane = (uint8_t)lane};
    }
}

static void report(state *st, const eng_batch *batch, const eng_event *ev, unsigned lane, const stored *s, uint64_t word) {
    const sass_instr *code = eng_instructions(st->ctx.code, &st->ctx.module->functions[ev->function]);
    bool gmma = code && sass_is_gmma((sass_op)code[ev->instr].op);
    watch_finding f = {.kind = WATCH_KIND_PROXY_FENCE, .severity = WATCH_WARNING, .at = watch_side_of(batch, ev, lane),
                       .other = {.known = true, .is_access = true, .function = s->function, .warp = s->warp, .instr = s->instr, .block = batch->block, .lane = s->lane,
                                 .space = ENG_SHARED, .access = ENG_WRITE, .width = WORD, .address = word * WORD}};
    if (watch_findings_again(&st->findings, &f)) return;
    snprintf(f.message, sizeof f.message, "%s reads shared memory that a thread has stored to, with no fence.proxy.async between the two: it may see what was "
             "there before, whatever barrier lies between. The threads that store must fence before that barrier (cuda::ptx::fence_proxy_async, "
             "fence.proxy.async.shared::cta)", gmma ? "wgmma" : "a bulk copy (TMA)");
    watch_findings_add(&st->findings, &f);
}

static void on_async_read(state *st, block *b, const eng_batch *batch, const eng_event *ev) {
    const clock *c = now_of(b, ev->warp);
    const stored *last = NULL; /* told of this access */
    for (uint32_t left = ev->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t from = eng_lane_address(batch, ev, lane), end = from + ev->width;
        for (uint64_t word = from / WORD; word * WORD < end && word < b->n_words; word++) {
            const stored *s = &b->words[word];
            if (!s->time || s->time <= c->fenced[s->warp] || s->time > c->before[s->warp]) continue;
            if (last && last->instr == s->instr && last->function == s->function) continue;
            report(st, batch, ev, lane, s, word);
            last = s;
        }
    }
}

static block *block_of(state *st, uint64_t linear);

/* A copy writes into the shared memory of another block of the cluster. */
static void on_far_write(state *st, const eng_batch *batch, const eng_event *ev) {
    const eng_launch *launch = st->ctx.launch;
    uint32_t rank;
    uint64_t number = eng_cluster_of(launch->grid, launch->cluster, batch->block, &rank);
    for (uint32_t left = ev->mask; left; left &= left - 1) {
        uint64_t at = eng_lane_address(batch, ev, (unsigned)__builtin_ctz(left)), offset = at & ((UINT64_C(1) << ENG_RANK_SHIFT) - 1);
        block *owner = block_of(st, eng_cluster_block(launch->grid, launch->cluster, number, (uint32_t)(at >> ENG_RANK_SHIFT)));
        if (owner) overwritten(owner, offset, offset + ev->width);
    }
}

static void on_access(state *st, block *b, const eng_batch *batch, const eng_event *ev) {
    bool bulk = eng_is_bulk(ev->access);
    if (ev->access & ENG_READ && (ev->access & ENG_STRONG || (ev->space == ENG_GLOBAL && ev->access & (ENG_ATOMIC | ENG_VOLATILE)))) all_fences(st, b, ev->warp); /* a flag */
    if (ev->space == ENG_CLUSTER && ev->access & ENG_WRITE) on_far_write(st, batch, ev);
    if (ev->space != ENG_SHARED) return;
    if (ev->access & ENG_WRITE) on_store(st, b, batch, ev);
    else if (bulk) on_async_read(st, b, batch, ev);
}

/* --- blocks ----------------------------------------------------------------------------------- */

static block *block_of(state *st, uint64_t linear) {
    block *b = st->blocks;
    while (b && b->linear != linear) b = b->next;
    if (b) return b;
    if ((b = st->spare)) st->spare = b->next;
    else if (!(b = calloc(1, sizeof *b))) return st->failed = true, NULL;
    b->linear = linear;
    b->time = 0;
    b->objects.count = 0;
    memset(b->warps, 0, sizeof b->warps);
    if (b->words) memset(b->words, 0, b->n_words * sizeof *b->words);
    b->next = st->blocks;
    return st->blocks = b;
}

static void end_block(state *st, uint64_t linear) {
    block **at = &st->blocks, *b;
    while (*at && (*at)->linear != linear) at = &(*at)->next;
    if (!(b = *at)) return;
    *at = b->next;
    b->next = st->spare;
    st->spare = b;
}

static void events(void *opaque, const eng_batch *batch) {
    state *st = opaque;
    block *b = batch->count ? block_of(st, batch->block) : NULL;
    for (size_t i = 0; b && i < batch->count; i++) {
        const eng_event *ev = &batch->events[i];
        switch (ev->kind) {
        case ENG_EV_ACCESS: on_access(st, b, batch, ev); break;
        case ENG_EV_RELEASE: meet(st, b, (uint32_t)ev->address); break;
        case ENG_EV_CLUSTER_WAIT: meet(st, b, UINT32_MAX); break;
        case ENG_EV_PHASE: on_phase(st, b, ev); break;
        case ENG_EV_FENCE:
            if (ev->access == ENG_FENCE_ASYNC) fence(b, ev->warp);
            break;
        case ENG_EV_BLOCK_END:
            end_block(st, batch->block);
            b = i + 1 < batch->count ? block_of(st, batch->block) : NULL;
            break;
        default: break;
        }
    }
}

/* --- the watch -------------------------------------------------------------------------------- */

static void *start(const watch_context *ctx) {
    state *st = calloc(1, sizeof *st);
    const uint32_t *b = ctx->launch->block;
    if (!st) return NULL;
    st->ctx = *ctx;
    st->n_warps = (b[0] * b[1] * b[2] + 31) / 32;
    return st;
}
static void merge(void *into, void *from) {
    watch_findings_merge(&((state *)into)->findings, &((state *)from)->findings);
    ((state *)into)->failed |= ((state *)from)->failed;
}
static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    (void)ctx, (void)result;
    watch_findings_merge(&record->findings, &((state *)opaque)->findings);
    record->failed |= ((state *)opaque)->failed;
}
static void stop(void *opaque) {
    state *st = opaque;
    for (block *b, **lists[] = {&st->blocks, &st->spare}, ***l = lists; l < lists + 2; l++)
        while ((b = **l)) {
            **l = b->next;
            wg_vec_free(&b->objects);
            free(b->words);
            free(b);
        }
    watch_findings_free(&st->findings);
    free(st);
}

const watch watch_proxy = {.name = "proxy", .checks = WATCH_CHECK(PROXY_FENCE), .asked = asked,
                           .wants = 1u << ENG_EV_ACCESS | 1u << ENG_EV_RELEASE | 1u << ENG_EV_CLUSTER_WAIT | 1u << ENG_EV_PHASE | 1u << ENG_EV_FENCE | 1u << ENG_EV_BLOCK_END,
                           .start = start, .events = events, .merge = merge, .finish = finish, .stop = stop};
