/* Shuffles, votes and masks: who takes part, who is named, who is read.
 *
 * What the code holds of a mask is seen where lanes may have parted: there the compiler brings them together again. Where it has
 * proved that they are together, no mask is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/blocks.h"
#include "watch/watch.h"

enum { WAITS = 4 };
typedef struct waiting { /* lanes that wait for those they named */
    watch_side side;
    uint32_t instr; /* where they meet, which may be out of line */
    uint32_t named, come;
} waiting;
typedef struct warp {
    uint32_t exited;   /* ended */
    uint32_t named;    /* the mask last seen, 0: none since the last shuffle */
    uint32_t named_by; /* the lanes that named it */
    watch_side asked;  /* where */
    bool for_barrier;  /* it was for a block barrier */
    int distance;      /* of the last shuffle */
    uint32_t lost;     /* lanes whose value of the last shuffle comes from an inactive lane */
    watch_side strayed;/* where the first of them was read */
    waiting waits[WAITS]; /* those who wait at one place do so while others meet elsewhere */
    uint32_t exit_at[32]; /* instruction at which a lane ended; of those that have */
} warp;
typedef struct block {
    watch_block list;
    warp warps[32];
} block;
typedef struct state {
    watch_context ctx;
    watch_findings findings;
    watch_blocks blocks;
    unsigned n_warps;
    uint32_t last_mask;
} state;

static uint32_t absent(const state *st, unsigned w) { return w + 1 == st->n_warps ? ~st->last_mask : 0; }
static unsigned first(uint32_t mask) { return (unsigned)__builtin_ctz(mask | 0x80000000u); }

/* Shuffles of lanes that have parted lie out of line, where the compiler's code has no line of its own: the call has. */
static watch_side side_of(const state *st, const eng_batch *batch, const eng_event *ev, unsigned lane) {
    enum { NEAR = 8 };
    watch_side side = watch_side_of(batch, ev, lane);
    const img_function *f = &st->ctx.module->functions[ev->function];
    const sass_instr *code = eng_instructions(st->ctx.code, f);
    for (uint32_t k = 0; k < f->code_size / 16; k++) {
        uint32_t target = (uint32_t)code[k].target / 16;
        if (code[k].op == SASS_CALL_REL && code[k].has_target && target <= ev->instr && ev->instr - target < NEAR) side.instr = k;
    }
    return side;
}

/* Are lanes brought together here for a block barrier? The compiler puts that at the beginning of the barrier's basic block. */
static bool before_barrier(const state *st, const eng_event *ev) {
    enum { NEAR = 64 };
    const img_function *f = &st->ctx.module->functions[ev->function];
    const sass_instr *code = eng_instructions(st->ctx.code, f);
    for (uint32_t k = ev->instr + 1; k < f->code_size / 16 && k < ev->instr + NEAR; k++) {
        if (code[k].op == SASS_BAR) return true;
        if (code[k].op == SASS_SHFL || code[k].op == SASS_VOTE || code[k].op == SASS_REDUX || code[k].op == SASS_NOP || code[k].op == SASS_WARPSYNC ||
            code[k].op == SASS_BRA || code[k].op == SASS_EXIT)
            return false;
    }
    return false;
}

static void add(state *st, watch_kind kind, watch_severity severity, const watch_side *at, const watch_side *other, uint64_t key, const char *message) {
    watch_finding f = {.kind = kind, .severity = severity, .at = *at, .key = key};
    if (other) f.other = *other;
    if (watch_findings_again(&st->findings, &f)) return;
    snprintf(f.message, sizeof f.message, "%s", message);
    watch_findings_add(&st->findings, &f);
}

/* --- masks -------------------------------------------------------------------------------------------- */

static void on_mask(state *st, warp *w, const eng_batch *batch, const eng_event *ev) {
    uint32_t named = ev->more, unnamed = ev->mask & ~named;
    w->for_barrier = ev->kind == ENG_EV_MASK && before_barrier(st, ev);
    if (w->for_barrier) return;
    watch_side side = side_of(st, batch, ev, first(unnamed ? unnamed : ev->mask));
    char text[200];
    bool again = ev->kind == ENG_EV_SYNCWARP && w->named == named && w->named_by & ev->mask; /* the same, out of line */
    if (!again) w->asked = side;
    w->named = named;
    w->named_by = ev->mask;
    if (unnamed && !again) {
        snprintf(text, sizeof text, "lanes 0x%08x execute this with a mask, 0x%08x, that does not name them", unnamed, named);
        add(st, WATCH_KIND_MASK, WATCH_ERROR, &side, NULL, 1, text);
    }
}

static void never_came(state *st, waiting *q, uint32_t missing, const watch_side *where) {
    char text[240];
    snprintf(text, sizeof text, "lanes 0x%08x are named in the mask 0x%08x, but never come here: the mask must name the lanes that execute this",
             missing, q->named);
    add(st, WATCH_KIND_MASK, WATCH_ERROR, &q->side, where, 3, text);
    q->side.known = false;
}
/* Those who wait at this instruction, else room for them. Lanes that waited elsewhere have gone on. */
static waiting *waits_at(warp *w, const eng_event *ev) {
    waiting *room = &w->waits[0];
    for (waiting *q = w->waits; q < w->waits + WAITS; q++) {
        if (q->side.known && q->instr == ev->instr && q->side.function == ev->function) return q;
        if (q->come & ev->mask) q->side.known = false;
        if (!q->side.known) room = q;
    }
    return room;
}

static void on_meeting(state *st, warp *w, const eng_batch *batch, const eng_event *ev) {
    if (!ev->more || ev->access == ENG_MEETS_FOR_BARRIER || w->for_barrier || before_barrier(st, ev)) return;
    on_mask(st, w, batch, ev);
    waiting *q = waits_at(w, ev);
    char text[200];
    uint32_t passed = 0;
    bool same = q->side.known && q->instr == ev->instr && q->side.function == ev->function;
    if (same && q->named != ev->more && (ev->mask & q->named || q->come & ev->more)) {
        watch_side side = w->asked;
        snprintf(text, sizeof text, "lanes meet here with different masks, 0x%08x and 0x%08x, that name each other's lanes: all lanes that a mask "
                 "names must name the same", q->named, ev->more);
        add(st, WATCH_KIND_MASK, WATCH_ERROR, &side, &q->side, 2, text);
    }
    if (!same) *q = (waiting){.side = w->asked, .instr = ev->instr, .named = ev->more};
    q->come |= ev->mask;
    for (uint32_t left = q->named & w->exited & ~absent(st, ev->warp); left; left &= left - 1)
        if (w->exit_at[first(left)] > w->asked.instr) passed |= left & -left;
    if (passed) never_came(st, q, passed, NULL); /* they went by, further than here */
    if (!(q->named & ~q->come & ~w->exited)) q->side.known = false; /* all are there */
}

/* Whoever waited has gone on: without those who are parked elsewhere, if any are. */
static void gone_on(state *st, warp *w, uint32_t lanes) {
    for (waiting *q = w->waits; q < w->waits + WAITS; q++) {
        if (!q->side.known || !(lanes & q->come)) continue;
        uint32_t missing = q->named & ~q->come & ~w->exited;
        if (missing) never_came(st, q, missing, NULL);
        q->side.known = false;
    }
}

static void on_exit_(state *st, warp *w, const eng_batch *batch, const eng_event *ev) {
    gone_on(st, w, ev->mask);
    for (waiting *q = w->waits; q < w->waits + WAITS; q++) {
        uint32_t missing = q->named & ev->mask & ~q->come;
        if (!q->side.known || !missing) continue;
        watch_side side = side_of(st, batch, ev, first(missing));
        never_came(st, q, missing, &side);
    }
    w->exited |= ev->mask;
    if (ev->mask == UINT32_MAX)
        for (unsigned l = 0; l < 32; l++) w->exit_at[l] = ev->instr;
    else
        for (uint32_t left = ev->mask; left; left &= left - 1) w->exit_at[first(left)] = ev->instr;
}

/* --- shuffles -------------------------------------------------------------------------------------------- */

/* A lane that reads one that takes no part gets a value that is not defined. Reductions whose width is no power of two make
 * lanes do so whose result nobody uses: that is a note, until no lane is left whose value is good. */
static void on_shuffle(state *st, warp *w, const eng_batch *batch, const eng_event *ev) {
    uint32_t inactive = (uint32_t)ev->address, lost = 0, none = absent(st, ev->warp);
    uint32_t named = w->named_by & ev->mask ? w->named : 0;
    const uint64_t *from = batch->lanes[ev->general];
    int distance = 0;
    for (uint32_t left = ev->mask; left && !distance; left &= left - 1) distance = abs((int)from[first(left)] - (int)first(left));
    if (distance > w->distance && distance != 2 * w->distance) w->lost = 0, w->strayed.known = false; /* another reduction begins */
    w->distance = distance;
    for (uint32_t left = ev->mask; left; left &= left - 1)
        if ((inactive | w->lost) >> from[first(left)] & 1) lost |= left & -left;
    lost |= w->lost & ev->mask;
    char text[300];
    watch_side side = side_of(st, batch, ev, first(lost));
    uint32_t wrong = inactive & named & ~none, ended = inactive & w->exited;
    if (inactive && (wrong || (!named && (ended || !(inactive & none))))) {
        uint32_t lanes = wrong ? wrong : inactive;
        snprintf(text, sizeof text, "a shuffle reads lane %u, which %s: what it gets is not defined. Every lane that is read must execute the shuffle",
                 first(lanes), lanes & w->exited ? "has ended" : "does not take part");
        add(st, WATCH_KIND_SHUFFLE_LANE, WATCH_ERROR, &side, NULL, lanes & w->exited ? 1 : 2, text);
        lost = 0;
    } else if (inactive && !w->strayed.known) {
        w->strayed = side;
    }
    if (lost && lost == ev->mask && w->strayed.known) {
        snprintf(text, sizeof text, "shuffles read lanes that %s, and no lane is left whose value does not depend on them: let all lanes take part, "
                 "those without data with a neutral value", none ? "the block does not have" : "do not take part");
        add(st, WATCH_KIND_SHUFFLE_LANE, WATCH_ERROR, &w->strayed, &side, 3, text);
        w->strayed.known = false;
        lost = 0;
    }
    if (!lost) w->strayed.known = false;
    w->lost = lost;
}

/* --- __activemask ------------------------------------------------------------------------------------------ */

/* MATCH, REDUX.OR, VOTE, BRA.DIV: the compiler's own question whether all lanes that are here name the same mask, and just these. */
static bool asks_for_mask(const sass_instr *code, uint32_t vote, uint32_t n) {
    enum { NEAR = 8 };
    bool matches = false;
    for (uint32_t k = vote < NEAR ? 0 : vote - NEAR; k < vote; k++) matches |= code[k].op == SASS_MATCH;
    for (uint32_t k = vote + 1; matches && k < n && k < vote + NEAR; k++)
        if (code[k].op == SASS_BRA && code[k].sub == SASS_BRA_DIV) return true;
    return false;
}

/* coalesced_threads() and what stands on it: whoever is there is what it asks for. */
static bool of_cooperative_groups(const img_function *f, const img_line *line) {
    for (unsigned depth = 0; line && depth < 32; depth++) {
        if (line->file && strstr(line->file, "cooperative_groups")) return true;
        line = line->inlined_at && line->inlined_at <= f->n_inlined ? &f->inlined[line->inlined_at - 1] : NULL;
    }
    return false;
}

/* A vote of all that is true everywhere, with a shuffle or reduction close by, which the compiler may have put before it. Where an
 * atomic follows the vote, or the reduction, it is the idiom that adds up for whoever is there: of the compiler, too, which makes it of an
 * atomic of all lanes at one address. Code of the toolkit's headers knows what it does. */
static bool takes_active_mask(const state *st, const eng_event *ev) {
    const img_function *f = &st->ctx.module->functions[ev->function];
    const sass_instr *code = eng_instructions(st->ctx.code, f), *in = &code[ev->instr];
    if ((in->op != SASS_VOTE && in->op != SASS_VOTEU) || in->sub != 1 || in->psrc[0].reg != SASS_PT || in->psrc[0].inv) return false;
    const img_line *line = img_line_at(f, ev->instr * 16);
    if (!line || !line->file || of_cooperative_groups(f, line)) return false; /* without lines nobody knows whose code it is */
    if (asks_for_mask(code, ev->instr, f->code_size / 16)) return false;
    bool reduces = false;
    for (uint32_t k = ev->instr < 6 ? 0 : ev->instr - 6; k < ev->instr; k++) reduces |= code[k].op == SASS_REDUX;
    for (uint32_t k = ev->instr + 1; k < f->code_size / 16 && k < ev->instr + 24; k++) {
        sass_class cls = sass_class_of((sass_op)code[k].op);
        if (code[k].op == SASS_SHFL) return true;
        if (cls == SASS_CLASS_GLOBAL_ATOM || cls == SASS_CLASS_GLOBAL_RED || cls == SASS_CLASS_SHARED_ATOM) return false;
        reduces |= code[k].op == SASS_REDUX;
    }
    return reduces;
}

static void on_warp_op(state *st, warp *w, const eng_batch *batch, const eng_event *ev) {
    gone_on(st, w, ev->mask);
    w->for_barrier = false;
    if (ev->cls == ENG_GENERAL) on_shuffle(st, w, batch, ev);
    uint32_t live = ~w->exited & ~absent(st, ev->warp);
    if (ev->mask != live && takes_active_mask(st, ev)) {
        watch_side side = side_of(st, batch, ev, first(ev->mask));
        add(st, WATCH_KIND_MASK, WATCH_WARNING, &side, NULL, 4, "__activemask() is taken where lanes have parted: which of them are together is up to "
            "the hardware. Build the mask before the branch, with __ballot_sync()");
    }
    w->named = 0;
}

/* --- the watch ------------------------------------------------------------------------------------------------ */

/* Blocks come often: only what says whether the rest means something is set. */
static void begin_warp(warp *w) {
    w->exited = w->named = w->named_by = w->lost = 0;
    w->distance = 0;
    w->for_barrier = w->asked.known = w->strayed.known = false;
    for (unsigned k = 0; k < WAITS; k++) w->waits[k].side.known = false;
    w->asked.instr = 0;
}

static block *block_of(state *st, uint64_t linear) {
    bool begins;
    block *b = watch_blocks_find(&st->blocks, linear, sizeof *b, &begins);
    for (unsigned w = 0; b && begins && w < st->n_warps; w++) begin_warp(&b->warps[w]);
    return b;
}

static void events(void *opaque, const eng_batch *batch) {
    enum { WANTED = 1u << ENG_EV_MASK | 1u << ENG_EV_SYNCWARP | 1u << ENG_EV_WARP_OP | 1u << ENG_EV_EXIT | 1u << ENG_EV_BLOCK_END };
    state *st = opaque;
    for (size_t i = 0; i < batch->n_other; i++) {
        const eng_event *ev = &batch->events[batch->other[i]];
        if (!(WANTED >> ev->kind & 1)) continue;
        block *b = block_of(st, batch->block);
        if (!b) return;
        warp *w = &b->warps[ev->warp];
        switch (ev->kind) {
        case ENG_EV_MASK: on_mask(st, w, batch, ev); break;
        case ENG_EV_SYNCWARP: on_meeting(st, w, batch, ev); break;
        case ENG_EV_WARP_OP: on_warp_op(st, w, batch, ev); break;
        case ENG_EV_EXIT: on_exit_(st, w, batch, ev); break;
        default: watch_blocks_end(&st->blocks);
        }
    }
}

static void *start(const watch_context *ctx) {
    state *st = calloc(1, sizeof *st);
    const uint32_t *b = ctx->launch->block;
    uint32_t threads = b[0] * b[1] * b[2];
    if (!st) return NULL;
    st->ctx = *ctx;
    st->n_warps = (threads + 31) / 32;
    st->last_mask = threads & 31 ? (UINT32_C(1) << (threads & 31)) - 1 : UINT32_MAX;
    return st;
}
static void merge(void *into, void *from) {
    watch_findings_merge(&((state *)into)->findings, &((state *)from)->findings);
    ((state *)into)->blocks.failed |= ((state *)from)->blocks.failed;
}

/* Who still waits when the launch has failed. */
static void waits_for_ever(state *st, block *b) {
    for (unsigned k = 0; k < st->n_warps; k++) {
        warp *w = &b->warps[k];
        for (waiting *q = w->waits; q < w->waits + WAITS; q++) {
            uint32_t missing = q->named & ~q->come & ~w->exited & ~absent(st, k);
            if (q->side.known && missing) never_came(st, q, missing, NULL);
        }
    }
}

static void finish(void *opaque, const watch_context *ctx, const eng_result *result, watch_record *record) {
    state *st = opaque;
    (void)ctx;
    for (watch_block *b = st->blocks.open; b && !result->complete; b = b->next) waits_for_ever(st, (block *)b);
    watch_findings_merge(&record->findings, &st->findings);
    record->failed |= st->blocks.failed;
}
static void stop(void *opaque) {
    state *st = opaque;
    watch_blocks_free(&st->blocks);
    watch_findings_free(&st->findings);
    free(st);
}

const watch watch_lanes = {.name = "lanes", .checks = WATCH_CHECK(SHUFFLE_LANE) | WATCH_CHECK(MASK),
                           .wants = 1u << ENG_EV_MASK | 1u << ENG_EV_SYNCWARP | 1u << ENG_EV_WARP_OP | 1u << ENG_EV_EXIT | 1u << ENG_EV_BLOCK_END,
                           .start = start, .events = events, .merge = merge, .finish = finish, .stop = stop};
