/* A block: its warps in turn, and the barriers between them. */
#include <stdio.h>
#include <string.h>

#include "engine/mbarrier.h"
#include "engine/run.h"
#include "engine/undefined.h"

/* Nearly always all lanes; the portable count of bits is slow. */
static uint32_t popcount(uint32_t x) { return x == ENG_ALL ? 32 : (uint32_t)__builtin_popcount(x); }

/* --- BAR -------------------------------------------------------------------------------- */

static void barrier_event(eng_warp *w, const eng_ins *i, eng_event_kind kind, uint32_t lanes, uint32_t more, uint64_t address) {
    if (!(w->worker->wants & 1u << kind)) return;
    eng_event *ev = eng_event_new(w);
    *ev = (eng_event){.kind = (uint8_t)kind, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index,
                      .mask = lanes, .more = more, .address = address};
    eng_event_done(w);
}

static uint32_t reduced(const struct eng_barrier *bar) {
    if (bar->red == 0) return bar->popc;
    return (bar->red == 1 ? bar->all : bar->any) ? ENG_ALL : 0;
}

void eng_block_listens(const eng_blk *block) {
    eng_worker *k = block->worker;
    k->wants = k->grid->plan->wants;
    bool all = block->astray && k->grid->apart;
    for (size_t s = 0; s < k->n_sinks && k->wants & ENG_WANTS_SUMS; s++)
        all |= k->sinks[s].block && k->sinks[s].block(k->sinks[s].state, block->linear);
    if (all) k->wants &= ~ENG_WANTS_SUMS;
}

/* last: the warp that completes it, where it has not been noted. */
static void release_event(eng_blk *block, unsigned id, uint32_t last) {
    static const eng_ins nowhere;
    uint64_t warps = block->whole[id] | last;
    for (uint32_t n = 0; block->barriers[id].groups && n < block->n_warps; n++)
        if (block->warps[n].arrived[id]) warps |= UINT64_C(1) << n;
    barrier_event(&block->warps[0], &nowhere, ENG_EV_RELEASE, block->barriers[id].mixed ? ENG_ALL : 0, id, warps);
}

static void release_barrier(eng_blk *block, unsigned id, uint32_t last) {
    struct eng_barrier *bar = &block->barriers[id];
    if (block->worker->wants & 1u << ENG_EV_RELEASE) release_event(block, id, last);
    if (bar->mixed != block->astray) {
        block->astray = bar->mixed;
        eng_block_listens(block);
    }
    block->ready |= block->whole[id];
    block->whole[id] = 0;
    if (block->shared_bits) eng_undefined_advance(block);
    for (uint32_t n = 0; bar->groups && n < block->n_warps; n++) {
        eng_warp *w = &block->warps[n];
        if (!w->arrived[id]) continue;
        w->arrived[id] = 0;
        for (unsigned k = 0; k < w->n_groups; k++) {
            eng_group *g = &w->groups[k];
            if (g->state != ENG_GROUP_BAR || g->barrier != id) continue;
            g->state = ENG_GROUP_READY;
            if (w->state == ENG_WARP_WAITS) eng_set_state(w, ENG_WARP_READY);
        }
        if (bar->used) w->b2r = reduced(bar);
    }
    *bar = (struct eng_barrier){0};
    block->barriers_used &= ~(1u << id);
}

static bool barrier_complete(const eng_blk *block, const struct eng_barrier *bar) {
    if (!bar->lanes) return false;
    return bar->expected ? bar->lanes >= bar->expected : bar->lanes >= block->live_lanes;
}

/* Lanes that arrived and still live; with a count, warps that have wholly arrived count as 32 threads. */
static uint32_t count_arrived(const eng_blk *block, unsigned id, bool padded) {
    uint32_t lanes = 0;
    for (uint32_t n = 0; n < block->n_warps; n++) {
        const eng_warp *w = &block->warps[n];
        uint32_t come = block->whole[id] >> n & 1 ? ~w->exited : w->arrived[id];
        if (!come) continue;
        lanes += padded && (come | w->exited) == ENG_ALL ? 32 : popcount(padded ? come : come & ~w->exited);
    }
    return lanes;
}

void eng_barriers_recheck(eng_blk *block) {
    for (uint32_t left = block->barriers_used; left; left &= left - 1) {
        unsigned id = (unsigned)__builtin_ctz(left);
        struct eng_barrier *bar = &block->barriers[id];
        bar->lanes = count_arrived(block, id, bar->expected != 0);
        if (barrier_complete(block, bar)) release_barrier(block, id, 0);
    }
}

static void come(struct eng_barrier *bar, const eng_ins *i) {
    if (!bar->at) bar->at = i;
    bar->mixed |= bar->at->id != i->id || bar->at->function != i->function; /* whichever stream it is of */
}

const eng_ins *eng_bar_whole(eng_warp *w, const eng_ins *i, unsigned id) {
    eng_blk *block = w->block;
    struct eng_barrier *bar = &block->barriers[id];
    w->worked |= w->mask;
    block->barriers_used |= 1u << id;
    come(bar, i);
    bar->lanes += popcount(w->mask);
    barrier_event(w, i, ENG_EV_BARRIER, w->mask, id, 0);
    if (!bar->expected && bar->lanes >= block->live_lanes) {
        release_barrier(block, id, UINT32_C(1) << w->index);
        return i + 1;
    }
    block->whole[id] |= 1u << w->index;
    block->ready &= ~(1u << w->index);
    w->pc = i + 1;
    return w->stop;
}

const eng_ins *eng_bar(eng_warp *w, const eng_ins *i, uint32_t lanes, eng_bar_op op, unsigned id, uint32_t count,
                       unsigned red, uint32_t pred) {
    eng_blk *block = w->block;
    struct eng_barrier *bar = &block->barriers[id];
    w->worked |= lanes;
    block->barriers_used |= 1u << id;
    come(bar, i);
    barrier_event(w, i, ENG_EV_BARRIER, lanes, id | (uint32_t)op << 8, count);
    if (!bar->lanes) bar->all = true;
    if (op == ENG_BAR_RED) {
        bar->used = true;
        bar->red = (uint8_t)red;
        bar->popc += popcount(lanes & pred);
        bar->all &= (lanes & ~pred) == 0;
        bar->any |= (lanes & pred) != 0;
    }
    bar->expected = count;
    bar->groups = true;
    w->arrived[id] |= lanes;
    bar->lanes += popcount(lanes);
    if (count && (w->arrived[id] | w->exited) == ENG_ALL) bar->lanes += 32 - popcount(w->arrived[id]);
    eng_park(w, (eng_group){.pc = i + 1, .at = i + 1, .mask = w->mask & ~lanes, .state = ENG_GROUP_READY});
    eng_park(w, (eng_group){.pc = i + 1, .at = i, .mask = lanes, .barrier = (uint8_t)id,
                            .state = op == ENG_BAR_ARV ? ENG_GROUP_READY : ENG_GROUP_BAR});
    if (barrier_complete(block, bar)) {
        release_barrier(block, id, 0);
    }
    return eng_next_group(w);
}

/* --- who waits where -------------------------------------------------------------------- */

/* The line of the source, in parentheses; "": unknown. */
static void line_of(const eng_blk *block, const eng_ins *at, char *text, size_t size) {
    const img_function *f = &block->worker->grid->code->module->functions[at->function];
    const img_line *line = img_line_at(f, at->id * 16);
    *text = 0;
    if (line && line->line) snprintf(text, size, " (line %u)", line->line);
}

/* The asynchronous barrier that it asks for again and again, + 1; 0: none. */
static uint32_t awaited(const eng_warp *w) {
    enum { LOOP = 256 /* warp instructions of a loop that waits */ };
    return w->context && w->executed - w->awaited_at < LOOP ? w->awaited : 0;
}

static void describe(const eng_blk *block, const eng_warp *w, const eng_group *g, char *text, size_t size) {
    static const char *const kinds[] = {"runs", "BSYNC B", "WARPSYNC", "BAR ", "the cluster's barrier"};
    char line[24];
    line_of(block, g->at, line, sizeof line);
    if (g->state == ENG_GROUP_BSYNC || g->state == ENG_GROUP_BAR)
        snprintf(text, size, "lanes 0x%08x: %s%u at 0x%04x%s", g->mask, kinds[g->state], g->barrier, g->at->id * 16, line);
    else if (g->state == ENG_GROUP_WARPSYNC)
        snprintf(text, size, "lanes 0x%08x: WARPSYNC 0x%08x at 0x%04x%s", g->mask, g->want, g->at->id * 16, line);
    else if (g->state == ENG_GROUP_CLUSTER)
        snprintf(text, size, "lanes 0x%08x: %s at 0x%04x%s", g->mask, kinds[g->state], g->at->id * 16, line);
    else if (awaited(w))
        snprintf(text, size, "lanes 0x%08x: mbarrier 0x%x at 0x%04x%s", g->mask, w->awaited - 1, g->at->id * 16, line);
    else
        snprintf(text, size, "lanes 0x%08x: running at 0x%04x%s", g->mask, g->at->id * 16, line);
}

/* A warp that waits as a whole, or runs, as a group like the others. */
static void park_all(eng_blk *block, uint32_t v) {
    eng_warp *w = &block->warps[v];
    eng_group whole = {.at = w->pc ? w->pc - 1 : NULL, .mask = w->mask, .state = ENG_GROUP_BAR};
    for (unsigned id = 0; w->pc && id < 16; id++)
        if (block->whole[id] >> v & 1) whole.barrier = (uint8_t)id, eng_park(w, whole), w->pc = NULL;
    if (w->pc && !w->n_groups) eng_park(w, (eng_group){.pc = w->pc, .at = w->pc, .mask = w->mask, .state = ENG_GROUP_READY}), w->pc = NULL;
}

static bool waits_alike(const eng_warp *a, const eng_warp *b) {
    if (a->n_groups != b->n_groups || awaited(a) != awaited(b)) return false;
    for (unsigned k = 0; k < a->n_groups; k++) {
        const eng_group *x = &a->groups[k], *y = &b->groups[k];
        if (x->mask != y->mask || x->state != y->state || x->barrier != y->barrier || x->want != y->want || x->at->id != y->at->id || x->at->function != y->at->function)
            return false;
    }
    return true;
}

/* "mbarrier 0x410 lacks 1 of 2 arrivals and 256 bytes; ": of each asynchronous barrier that somebody waits for. How long it is. */
static size_t say_what_lacks(const eng_blk *block, char *text, size_t size) {
    size_t n = 0;
    *text = 0;
    for (uint32_t v = 0; v < block->n_warps; v++) {
        uint32_t at = awaited(&block->warps[v]);
        uint64_t state;
        bool again = !at;
        for (uint32_t u = 0; u < v && !again; u++) again = awaited(&block->warps[u]) == at;
        if (again || size - n < 100) continue;
        memcpy(&state, block->shared + at - 1, 8);
        mbarrier_lack l = block->worker->grid->code->module->sm < 90 ? mbarrier80_lacks(state) : mbarrier90_lacks(state);
        n += (size_t)snprintf(text + n, size - n, "mbarrier 0x%x", at - 1);
        if (!l.expected || l.arrivals > l.expected) n += (size_t)snprintf(text + n, size - n, " holds nothing that an initialisation leaves; ");
        else if (l.bytes > MB_BYTE_COUNT / 2) n += (size_t)snprintf(text + n, size - n, " got %u bytes more than it was told to expect; ", (uint32_t)(MB_BYTE_COUNT + 1 - l.bytes));
        else if (l.arrivals && l.bytes) n += (size_t)snprintf(text + n, size - n, " lacks %u of %u arrivals, and %u bytes that it was told to expect; ", l.arrivals, l.expected, l.bytes);
        else if (l.bytes) n += (size_t)snprintf(text + n, size - n, " lacks %u bytes that it was told to expect; ", l.bytes);
        else n += (size_t)snprintf(text + n, size - n, " lacks %u of %u arrivals; ", l.arrivals, l.expected);
    }
    return n;
}

/* "warps 1 to 3 lanes 0xffffffff: BAR 0 at 0x0210 (line 17)"; what there is no room for is left out, and said to be. */
static void say_who_waits(const eng_blk *block, char *text, size_t size) {
    enum { ROOM_FOR_MORE = 8 };
    size_t n = say_what_lacks(block, text, size), begin = n;
    for (uint32_t v = 0, end; v < block->n_warps; v = end) {
        const eng_warp *w = &block->warps[v];
        for (end = v + 1; end < block->n_warps && waits_alike(w, &block->warps[end]);) end++;
        for (unsigned k = 0; k < w->n_groups; k++) {
            char place[100], entry[160];
            describe(block, w, &w->groups[k], place, sizeof place);
            int length = end > v + 1 ? snprintf(entry, sizeof entry, "%swarps %u to %u %s", n > begin ? "; " : "", v, end - 1, place)
                                     : snprintf(entry, sizeof entry, "%swarp %u %s", n > begin ? "; " : "", v, place);
            if (n + (size_t)length + ROOM_FOR_MORE > size) {
                snprintf(text + n, size - n, "; ...");
                return;
            }
            n += (size_t)snprintf(text + n, size - n, "%s", entry);
        }
    }
}

/* At a block barrier, or where the warp comes together before one, in the same basic block. */
static bool for_barrier(const eng_blk *block, const eng_group *g) {
    if (g->state != ENG_GROUP_WARPSYNC) return g->state == ENG_GROUP_BAR;
    eng_code *code = block->worker->grid->code;
    const img_function *f = &code->module->functions[g->at->function];
    const sass_instr *all = eng_instructions(code, f);
    for (uint32_t k = g->at->id + 1; k < f->code_size / 16; k++) {
        sass_class cls = sass_class_of((sass_op)all[k].op);
        if (all[k].op == SASS_BAR) return true;
        if (all[k].op == SASS_WARPSYNC || cls == SASS_CLASS_BRANCH || cls == SASS_CLASS_EXIT) return false;
    }
    return false;
}

static bool runs(const eng_warp *w) {
    for (unsigned k = 0; k < w->n_groups; k++)
        if (w->groups[k].state == ENG_GROUP_READY) return true;
    return false;
}

/* How much a group says of what is wrong: most of all one that waits for the block while others of its warp wait for it elsewhere. Where some
 * spin, it is they who matter. */
static unsigned tells(const eng_blk *block, const eng_warp *w, const eng_group *g, eng_finding_kind kind) {
    if (kind != ENG_FAULT_DEADLOCK || runs(w)) return g->state == ENG_GROUP_READY ? 3 : 0;
    return !for_barrier(block, g) ? 0 : w->n_groups > 1 ? 2 : 1;
}

/* Who waits where, and who runs: at the first who waits (a deadlock) or who runs (out of patience). */
static void report_where(eng_blk *block, eng_finding_kind kind, eng_finding *f) {
    *f = (eng_finding){.kind = kind, .fatal = true};
    eng_warp *first = NULL;
    const eng_ins *at = NULL;
    unsigned most = 0;
    for (uint32_t v = 0; v < block->n_warps; v++) {
        eng_warp *w = &block->warps[v];
        park_all(block, v);
        for (unsigned k = 0; k < w->n_groups; k++) {
            unsigned told = tells(block, w, &w->groups[k], kind);
            if (!first || told > most) first = w, at = w->groups[k].at, f->lanes = w->groups[k].mask, most = told;
        }
    }
    if (kind == ENG_FAULT_DEADLOCK && most == 2) f->kind = ENG_FAULT_DEADLOCK_IN_BRANCH;
    say_who_waits(block, f->text, sizeof f->text);
    if (first) eng_fault(first, at, f);
}

/* --- turns ------------------------------------------------------------------------------ */

enum { ROUNDS_UNTIL_SPINS = 4 };

static bool out_of_patience(eng_blk *block) {
    eng_worker *k = block->worker;
    const eng_launch *launch = k->grid->launch;
    wg_error why;
    if (launch->cancel && *launch->cancel)
        wg_fail(&why, WG_ERR_TIMEOUT, "%s: the launch was ended from outside", k->grid->function->demangled);
    else if (launch->max_instructions && k->executed > launch->max_instructions)
        wg_fail(&why, WG_ERR_TIMEOUT, "%s: still running after %llu warp instructions", k->grid->function->demangled,
                (unsigned long long)launch->max_instructions);
    else return false;
    eng_finding f;
    report_where(block, ENG_FAULT_TIMEOUT, &f); /* nowhere, where the block has not begun */
    k->err = why;
    k->status = WG_ERR_TIMEOUT;
    return k->stop = true;
}

static bool run_turn(eng_blk *block, eng_warp *w) {
    if (!w->context && !eng_context_begin(w)) return false;
    uint64_t before = w->executed;
    eng_run_warp(w);
    block->worker->executed += w->executed - before;
    if (w->state == ENG_WARP_DONE) {
        block->live_warps--;
        eng_context_end(w);
    }
    return true;
}

static bool warpsyncs_go_on(eng_blk *block) {
    bool any = false;
    for (uint32_t n = 0; n < block->n_warps; n++)
        if (block->warps[n].state == ENG_WARP_WAITS) any |= eng_warpsync_alone(&block->warps[n]);
    return any;
}

/* Does somebody wait whom another block can let go on? */
static bool waits_for_cluster(const eng_blk *block) {
    for (uint32_t n = 0; n < block->n_warps; n++) {
        const eng_warp *w = &block->warps[n];
        for (unsigned k = 0; w->state == ENG_WARP_WAITS && k < w->n_groups; k++)
            if (w->groups[k].state == ENG_GROUP_CLUSTER) return true;
    }
    return false;
}

eng_block_end eng_run_block(eng_blk *block) {
    eng_worker *k = block->worker;
    if (out_of_patience(block)) return ENG_BLOCK_STOPPED; /* a grid of many short blocks never yields */
    for (unsigned rounds = 0; rounds < ROUNDS_UNTIL_SPINS;) {
        bool ran = false, only_spins = true;
        for (uint32_t turn = 0; turn < block->n_warps; turn++) { /* one that a barrier lets go on has its turn at once, or next time */
            uint32_t n = block->order[turn];
            eng_warp *w = &block->warps[n];
            if (!(block->ready >> n & 1)) continue;
            ran = true;
            if (!run_turn(block, w) || k->stop) return ENG_BLOCK_STOPPED;
            if (!(block->ready >> n & 1)) only_spins = false;
            else {
                only_spins &= w->spinning;
                if (out_of_patience(block)) return ENG_BLOCK_STOPPED;
            }
        }
        if (!block->live_warps) return ENG_BLOCK_DONE;
        if (!ran && !warpsyncs_go_on(block)) return waits_for_cluster(block) ? ENG_BLOCK_WAITS : ENG_BLOCK_DEADLOCK;
        rounds = only_spins ? rounds + 1 : 0;
        if (rounds == ROUNDS_UNTIL_SPINS && warpsyncs_go_on(block)) rounds = 0;
    }
    return ENG_BLOCK_SPINS;
}

void eng_report_deadlock(eng_blk *block, bool waits_for_host) {
    eng_finding f;
    report_where(block, waits_for_host ? ENG_FAULT_TIMEOUT : ENG_FAULT_DEADLOCK, &f);
    const char *why = waits_for_host ? "what it waits for does not change (kernels run to their end when they are launched: the host cannot change it meanwhile)"
                                     : "for ever";
    block->worker->status = wg_fail(&block->worker->err, waits_for_host ? WG_ERR_TIMEOUT : WG_ERR_DEADLOCK, "%s: block %llu waits, %s: %s",
                                    block->worker->grid->function->demangled, (unsigned long long)block->linear, why, f.text);
    block->worker->stop = true;
}
