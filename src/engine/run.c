/* A launch: its workers, its blocks in order. */
#include "engine/apart.h"
#include "engine/bank0.h"
#include "engine/cluster.h"
#include "engine/deal.h"
#include "engine/order.h"
#include "engine/livelock.h"
#include "engine/run.h"
#include "engine/driver.h"
#include "engine/threads_apart.h"
#include "engine/native.h"
#include "engine/view.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"

enum { MAX_FINDINGS = 1000, MAX_JOBS = 256 };

/* --- events and findings ------------------------------------------------------------------ */

void eng_flush(eng_worker *worker) {
    eng_batch *batch = worker->batch;
    batch->count = (size_t)(worker->ev - batch->events);
    eng_batch_index(batch);
    for (size_t s = 0; batch->count && s < worker->n_sinks; s++)
        if (worker->sinks[s].wants) worker->sinks[s].events(worker->sinks[s].state, batch);
    batch->count = batch->n_general = 0;
    worker->ev = batch->events;
}

void eng_fault(eng_warp *w, const eng_ins *i, eng_finding *finding) { eng_fault_from(w, i, finding, i); }

static void keep_finding(eng_worker *k, const eng_finding *finding) {
    if ((k->findings->list.count >= MAX_FINDINGS && !finding->fatal) || wg_vec_push(&k->findings->list, *finding)) return;
    if (k->status == WG_OK) k->status = wg_fail(&k->err, WG_ERR_MEMORY, "no memory for a finding of %s", k->grid->function->demangled);
    k->stop = true;
}

void eng_fault_from(eng_warp *w, const eng_ins *i, eng_finding *finding, const eng_ins *told) {
    eng_worker *k = w->worker;
    finding->function = told->function;
    finding->instr = told->id;
    finding->block = w->block->linear;
    finding->warp = w->index;
    finding->lane = finding->lanes ? (unsigned)__builtin_ctz(finding->lanes) : 0;
    keep_finding(k, finding);
    if (!finding->fatal) return;
    if (finding->kind != ENG_FAULT_DEADLOCK && finding->kind != ENG_FAULT_DEADLOCK_IN_BRANCH && finding->kind != ENG_FAULT_TIMEOUT) { /* the rest of its basic block is not executed */
        const eng_unit *unit = eng_plan_unit(k->grid->plan, i->function);
        uint32_t lanes = (uint32_t)__builtin_popcount(w->mask);
        if (unit && i->id + 1 < unit->n && unit->planned[i->id + 1].block == unit->planned[i->id].block)
            eng_count_part(k, unit, i->id + 1, lanes, -1);
    }
    wg_status st = finding->kind == ENG_FAULT_UNSUPPORTED ? WG_ERR_UNSUPPORTED : WG_ERR_FAULT;
    if (k->status == WG_OK)
        k->status = wg_fail(&k->err, st, "%s, block %llu, warp %u, lane %u, instruction 0x%04x: %s",
                            k->grid->function->demangled, (unsigned long long)finding->block, finding->warp,
                            finding->lane, finding->instr * 16, finding->text);
    k->stop = true;
}

enum { STACK_BYTES = 1024 }; /* cudaLimitStackSize's default */

static wg_status take_cluster(eng_grid *grid, wg_error *err) {
    const eng_launch *launch = grid->launch;
    uint64_t size = 1;
    for (unsigned d = 0; d < 3; d++) {
        grid->cluster[d] = launch->cluster[d] ? launch->cluster[d] : 1;
        size *= grid->cluster[d];
        if (size > ENG_CLUSTER_BLOCKS || launch->grid[d] % grid->cluster[d])
            return wg_fail(err, WG_ERR_ARGUMENT, "%s: a cluster has at most %u blocks, and a grid is a multiple of it", grid->function->demangled, (unsigned)ENG_CLUSTER_BLOCKS);
    }
    grid->cluster_size = (uint32_t)size;
    if (size > 1 && (grid->code->module->sm < 90 || grid->code->module->sm >= 100))
        return wg_fail(err, WG_ERR_UNSUPPORTED, "%s: clusters of code for sm_%d are not executed", grid->function->demangled, grid->code->module->sm);
    return WG_OK;
}

static wg_status make_grid(eng_grid *grid, eng_code *code, const eng_launch *launch, eng_plan *plan, wg_error *err) {
    const img_function *f = launch->function;
    const img_module *m = code->module;
    *grid = (eng_grid){.code = code, .plan = plan, .function = f, .launch = launch};
    memcpy(grid->grid, launch->grid, sizeof grid->grid);
    memcpy(grid->block, launch->block, sizeof grid->block);
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    if (!threads || threads > 1024 || !launch->grid[0] || !launch->grid[1] || !launch->grid[2])
        return wg_fail(err, WG_ERR_ARGUMENT, "%s: a block has %llu threads; 1 to 1024 are possible, and a grid has no side of 0",
                       f->demangled, (unsigned long long)threads);
    wg_status st = take_cluster(grid, err);
    if (st != WG_OK) return st;
    grid->n_blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    grid->threads = (uint32_t)threads;
    grid->warps = (uint32_t)(threads + 31) / 32;
    grid->shared_size = f->shared_reserve + f->shared_static + launch->shared_dynamic;
    bool deep = plan->indirect_calls || (plan->allocates && plan->local) || plan->units.count > 1 || (plan->calls && plan->local);
    grid->stack_size = !deep ? 0 : launch->stack_bytes ? (launch->stack_bytes + 15) & ~15u : STACK_BYTES;
    grid->local_size = ((f->local_bytes + 15) & ~15u) + grid->stack_size;
    size_t fi = (size_t)(f - m->functions);
    grid->banks[2] = (eng_bank){code->const2[fi], f->const2_size};
    grid->banks[3] = (eng_bank){code->const3, m->const3_size};
    grid->banks[4] = (eng_bank){code->const4, m->const4_size};
    st = eng_bank0_make(grid, err);
    if (st == WG_OK && !eng_grid_fill(grid)) st = wg_fail(err, WG_ERR_MEMORY, "no memory for thread indices");
    if (st != WG_OK) eng_bank0_free(grid);
    return st;
}

/* --- workers ------------------------------------------------------------------------------ */

typedef struct contexts { /* blocks that are running on a worker, and room for more */
    eng_blk **at;
    unsigned count, room;
    eng_cluster **clusters; /* of those blocks, in their order */
    unsigned cluster_room;
} contexts;

static void free_worker(eng_worker *k) {
    if (!k) return;
    if (k->findings) {
        wg_vec_free(&k->findings->list);
        wg_vec_free(&k->findings->parts);
    }
    eng_contexts_free(k);
    free(k->origins);
    free(k->findings);
    free(k->load_frame);
    free(k->counts);
    free(k->batch);
    free(k);
}

static bool asks_apart(const eng_launch *launch) {
    for (size_t s = 0; s < launch->n_sinks; s++)
        if (launch->sinks[s].apart) return true;
    return false;
}

/* Which plain accesses are events, though there are sums. */
static void hear(eng_worker *k) {
    const eng_grid *grid = k->grid;
    const eng_apart *apart = grid->apart;
    if (!(k->wants & ENG_WANTS_SUMS) || !asks_apart(grid->launch)) return;
    for (size_t u = 0; u < grid->plan->units.count; u++) {
        const eng_unit *unit = &grid->plan->units.at[u];
        for (unsigned n = 0; n < unit->n; n++) {
            if (unit->planned[n].plain == ENG_NO_INDEX) continue;
            eng_apart_kind kind = apart && apart->function == unit->function ? (eng_apart_kind)apart->of[n] : ENG_MAY_MEET;
            k->counts[unit->planned[n].plain + ENG_PLAIN_HEARD] = kind == ENG_APART ? 0 : kind == ENG_MAY_MEET ? ENG_HEARD_ALL : ENG_HEARD_STORED;
        }
    }
}

static eng_worker *new_worker(eng_grid *grid, unsigned index) {
    const eng_launch *launch = grid->launch;
    eng_worker *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    *k = (eng_worker){.device = grid->code->device, .memory = grid->code->device->memory, .grid = grid, .index = index,
                      .n_sinks = launch->n_sinks, .wants = grid->plan->wants, .shuffled = launch->seed != 0,
                      .sinks = launch->sinks ? launch->sinks + index * launch->n_sinks : NULL};
    k->counts = calloc(grid->plan->n_counters + 1u, sizeof *k->counts);
    k->findings = calloc(1, sizeof *k->findings);
    if (grid->plan->native) k->load_frame = eng_native_frame();
    bool ok = k->counts && k->findings;
    if (ok) hear(k);
    if (k->wants) {
        k->batch = malloc(sizeof *k->batch);
        ok &= k->batch != NULL;
        if (k->batch) {
            k->batch->worker = index;
            k->batch->count = k->batch->n_general = 0;
            k->ev = k->batch->events;
            k->ev_end = k->batch->events + ENG_BATCH_EVENTS;
        }
    }
    if (ok) return k;
    free_worker(k);
    return NULL;
}

static void block_event(eng_worker *k, const eng_blk *block, eng_event_kind kind) {
    if (!(k->wants & 1u << kind)) return;
    if (k->ev == k->ev_end) eng_flush(k);
    *k->ev++ = (eng_event){.kind = (uint8_t)kind, .address = block->linear};
}

/* One turn of a block: until it ends, or waits for other blocks. A batch never mixes blocks. */
static eng_block_end turn(eng_worker *k, eng_blk *block, bool fresh) {
    if (k->batch) k->batch->block = block->linear, k->batch->turn = block->turn;
    eng_block_listens(block);
    if (fresh) block_event(k, block, ENG_EV_BLOCK);
    eng_block_end end = eng_run_block(block);
    if (end != ENG_BLOCK_SPINS) eng_trace_block_end(k, block);
    if (end == ENG_BLOCK_DONE) {
        block_event(k, block, ENG_EV_BLOCK_END);
        block->running = false;
        k->blocks_run++;
    }
    if (k->batch) eng_flush(k);
    if (end == ENG_BLOCK_DEADLOCK) eng_report_deadlock(block, false);
    return end;
}

/* There is a block at c->at[c->count]. */
static bool add_context(eng_worker *k, contexts *c) {
    if (c->count < c->room && c->at[c->count]) return true;
    eng_blk **at = realloc(c->at, (c->count + 1) * sizeof *at);
    if (at) c->at = at, c->at[c->count] = eng_block_new(k), c->room = c->count + 1;
    if (at && at[c->count]) return true;
    k->status = wg_fail(&k->err, WG_ERR_MEMORY, "no memory for a block of %s", k->grid->function->demangled);
    return !(k->stop = true);
}

/* How many blocks may be under way at once: those that the device holds. */
static uint64_t resident_blocks(const eng_grid *grid) {
    const eng_gpu *gpu = grid->code->device->gpu;
    uint64_t per_sm = gpu->max_threads_per_sm / grid->threads;
    if (per_sm > gpu->max_blocks_per_sm) per_sm = gpu->max_blocks_per_sm;
    if (!per_sm) per_sm = 1;
    return per_sm * gpu->sms;
}

/* Runs blocks first..end-1 in order, or what the seed makes of it. A block that waits for another one stays, and the next one is begun beside it. */
static void run_blocks(eng_worker *k, contexts *c, uint64_t first, uint64_t end) {
    uint64_t next = first, limit = resident_blocks(k->grid);
    eng_livelock livelock = {0};
    c->count = 0;
    while ((next < end || c->count) && !k->stop) {
        if (next < end && c->count < limit) {
            if (!add_context(k, c) || (k->stop = !eng_memory_view_fits(k->memory_state))) break;
            c->at[c->count]->turn = next;
            eng_block_start(c->at[c->count], k->shuffled ? eng_order_block(k->grid->launch->seed, next, k->grid->n_blocks) : next);
            next++;
            if (turn(k, c->at[c->count], true) != ENG_BLOCK_DONE) c->count++;
            else continue;
        }
        bool all_spin = c->count && (next >= end || c->count >= limit);
        for (unsigned n = 0; n < c->count && !k->stop;) {
            if (turn(k, c->at[n], false) != ENG_BLOCK_DONE) {
                n++;
                continue;
            }
            eng_blk *done = c->at[n]; /* keeps the order of those that go on */
            memmove(&c->at[n], &c->at[n + 1], (c->count - n - 1) * sizeof *c->at);
            c->at[--c->count] = done;
            all_spin = false;
        }
        if (!all_spin || k->stop) eng_livelock_over(&livelock, k);
        else if (eng_livelock_round(&livelock, c->at, c->count)) eng_report_deadlock(c->at[0], eng_host_may_write(k->memory));
    }
}

/* --- clusters: all blocks of one begin together, and are kept until all have ended ---------------------------------- */

static bool begin_cluster(eng_worker *k, contexts *c, uint64_t turn) {
    const eng_grid *grid = k->grid;
    uint64_t cluster = k->shuffled ? eng_order_block(grid->launch->seed, turn, grid->n_blocks / grid->cluster_size) : turn;
    unsigned n = c->count / grid->cluster_size, first = c->count;
    if (n == c->cluster_room) {
        eng_cluster **more = realloc(c->clusters, (n + 1) * sizeof *more);
        if (more) c->clusters = more, c->clusters[n] = calloc(1, sizeof **more), c->cluster_room = n + 1;
        if (!more || !more[n]) {
            k->status = wg_fail(&k->err, WG_ERR_MEMORY, "no memory for a cluster of %s", grid->function->demangled);
            return !(k->stop = true);
        }
    }
    eng_cluster_begin(c->clusters[n], grid);
    for (uint32_t rank = 0; rank < grid->cluster_size; rank++, c->count++) {
        if (!add_context(k, c)) return false;
        c->at[c->count]->turn = turn * grid->cluster_size + rank;
        eng_block_start(c->at[c->count], eng_cluster_block(grid->grid, grid->cluster, cluster, rank));
        eng_cluster_join(c->clusters[n], c->at[c->count], rank);
    }
    for (uint32_t rank = 0; rank < grid->cluster_size; rank++) c->at[first + rank]->fresh = true;
    return true;
}

typedef enum round_end { ROUND_GOES_ON, ROUND_SPINS, ROUND_DONE } round_end;

/* A turn for each block of a cluster. Nobody executed anything, and nobody spins: they wait for each other. */
static round_end cluster_round(eng_worker *k, eng_blk **blocks) {
    bool live = false, spins = false, moved = false;
    for (uint32_t rank = 0; rank < k->grid->cluster_size && !k->stop; rank++) {
        eng_blk *block = blocks[rank];
        if (!block->running) continue;
        uint64_t before = k->executed;
        bool fresh = block->fresh;
        block->fresh = false;
        eng_block_end end = turn(k, block, fresh);
        live |= end != ENG_BLOCK_DONE;
        spins |= end == ENG_BLOCK_SPINS;
        moved |= end == ENG_BLOCK_DONE || (end == ENG_BLOCK_WAITS && k->executed != before);
    }
    if (!live) return ROUND_DONE;
    if (moved || k->stop) return ROUND_GOES_ON;
    if (spins) return ROUND_SPINS;
    for (uint32_t rank = 0; !k->stop; rank++)
        if (blocks[rank]->running) eng_report_deadlock(blocks[rank], false);
    return ROUND_GOES_ON;
}

/* Those that have ended leave their room at the end. */
static void end_cluster(contexts *c, unsigned n, uint32_t size) {
    eng_blk *blocks[ENG_CLUSTER_BLOCKS];
    eng_cluster *cluster = c->clusters[n];
    unsigned behind = c->count - (n + 1) * size;
    memcpy(blocks, &c->at[n * size], size * sizeof *blocks);
    memmove(&c->at[n * size], &c->at[(n + 1) * size], behind * sizeof *blocks);
    c->count -= size;
    memcpy(&c->at[c->count], blocks, size * sizeof *blocks);
    memmove(&c->clusters[n], &c->clusters[n + 1], behind / size * sizeof cluster);
    c->clusters[c->count / size] = cluster;
}

/* As run_blocks, for clusters first..end-1. The next one is begun when those under way wait for other clusters. */
static void run_clusters(eng_worker *k, contexts *c, uint64_t first, uint64_t end) {
    const eng_grid *grid = k->grid;
    const uint32_t size = grid->cluster_size;
    uint64_t next = first, limit = resident_blocks(grid);
    eng_livelock livelock = {0};
    c->count = 0;
    while ((next < end || c->count) && !k->stop) {
        bool all_spin = true;
        for (unsigned n = 0; n < c->count / size && !k->stop;) {
            round_end round = cluster_round(k, &c->at[n * size]);
            all_spin &= round == ROUND_SPINS;
            if (round == ROUND_DONE) end_cluster(c, n, size);
            else n++;
        }
        if (!all_spin || k->stop) {
            eng_livelock_over(&livelock, k);
        } else if (next < end && (!c->count || c->count + size <= limit)) {
            if ((k->stop = !eng_memory_view_fits(k->memory_state))) return;
            if (!begin_cluster(k, c, next++)) return;
        } else if (c->count && eng_livelock_round(&livelock, c->at, c->count)) {
            eng_report_deadlock(c->at[0], eng_host_may_write(k->memory));
        }
    }
}

static void free_contexts(contexts *c) {
    for (unsigned n = 0; n < c->room; n++) eng_block_free(c->at[n]);
    for (unsigned n = 0; n < c->cluster_room; n++) free(c->clusters[n]);
    free(c->at);
    free(c->clusters);
}

typedef struct shares { /* what parallel workers share */
    eng_worker **workers;
    eng_deal deal;
    atomic_bool stop;
} shares;

/* Blocks are dealt one by one, or cluster by cluster. */
static uint64_t units_of(const eng_grid *grid) { return grid->n_blocks / grid->cluster_size; }
static void run_units(eng_worker *k, contexts *c, uint64_t first, uint64_t end) {
    if (k->grid->cluster_size > 1 || k->grid->plan->cluster_barrier) run_clusters(k, c, first, end);
    else run_blocks(k, c, first, end);
}

static void work(void *context, int thread, size_t index) {
    (void)thread;
    shares *s = context;
    eng_worker *k = s->workers[index];
    contexts c = {0};
    uint64_t first, end = 0;
    while (!k->stop && !atomic_load(&s->stop) && eng_deal_next(&s->deal, k->index, &first, &end)) run_units(k, &c, first, end);
    if (k->stop) atomic_store(&s->stop, true);
    eng_memory_view_done(k->memory_state);
    free_contexts(&c);
}

/* The device's threads, started once. A child of fork has none of them: it gets its own. */
static wg_pool *pool_for(eng_device *device, unsigned n) {
    bool mine = device->pool && device->pool_process == getpid();
    if (mine && wg_pool_workers(device->pool) >= (int)n) return device->pool;
    if (mine) wg_pool_free(device->pool);
    device->pool = wg_pool_new((int)n);
    device->pool_process = getpid();
    return device->pool;
}

static void run_workers(eng_worker **workers, unsigned n) {
    contexts c = {0};
    wg_pool *pool = n > 1 ? pool_for(workers[0]->device, n) : NULL;
    const eng_grid *grid = workers[0]->grid;
    bool said = grid->launch->dealing.kind != ENG_DEAL_AS_THEY_COME;
    shares s = {.workers = workers, .deal = {.how = said ? grid->launch->dealing : grid->code->device->dealing, .n_blocks = units_of(grid), .n_workers = n}};
    if (pool) wg_pool_run(pool, n, work, &s);
    else run_units(workers[0], &c, 0, units_of(grid));
    free_contexts(&c);
}

/* A kernel that met a conflict is run in order for a while, longer each time. */
static void note_conflict(eng_plan *plan) {
    enum { MOST = 6 };
    plan->in_order = UINT32_C(1) << plan->conflicts;
    if (plan->conflicts < MOST) plan->conflicts++;
}

/* Blocks may run side by side when no block can see what another one did, but through sums that commute; plain
 * accesses that meet are found when the launch has ended (view.h). */
static unsigned workers_for(const eng_grid *grid) {
    const eng_launch *launch = grid->launch;
    eng_plan *plan = grid->plan;
    unsigned jobs = launch->jobs ? launch->jobs : 1;
    if (jobs > MAX_JOBS) jobs = MAX_JOBS;
    if (jobs > units_of(grid)) jobs = (unsigned)units_of(grid);
    if (launch->trace || launch->cooperative || plan->result_atomics || plan->float_atomics || plan->ordered_reductions || plan->strong_access ||
        plan->clocks)
        return 1;
    if (plan->indirect_calls && eng_driver_wanted(grid->code->module)) return 1;
    for (size_t s = 0; s < launch->n_sinks; s++)
        if (!launch->sinks[s].restart) return 1;
    if (jobs > 1 && plan->in_order && plan->in_order--) return 1;
    return jobs;
}

/* By block and warp, then as they occurred: all findings of a block lie in the list of the worker that ran it, so this
 * order does not depend on how many workers there were. */
static int by_place(const void *a, const void *b) {
    const eng_finding *f = *(const eng_finding *const *)a, *g = *(const eng_finding *const *)b;
    if (f->block != g->block) return f->block < g->block ? -1 : 1;
    if (f->warp != g->warp) return f->warp < g->warp ? -1 : 1;
    return f < g ? -1 : f > g; /* of one list */
}

static int by_block(const void *a, const void *b) {
    const eng_finding *f = *(const eng_finding *const *)a, *g = *(const eng_finding *const *)b;
    if (f->block != g->block) return f->block < g->block ? -1 : 1;
    return f < g ? -1 : f > g;
}

/* One worker keeps the first findings and no more; of what several kept, these are among the first of their blocks. */
static size_t keep_first(const eng_finding **all, size_t count) {
    if (count <= MAX_FINDINGS) return count;
    qsort(all, count, sizeof *all, by_block);
    return MAX_FINDINGS;
}

static wg_status report_findings(eng_worker **workers, unsigned n, const eng_launch *launch, wg_error *err) {
    size_t count = 0, at = 0;
    for (unsigned k = 0; k < n; k++) count += workers[k]->findings->list.count;
    if (!count || !launch->finding) return WG_OK;
    const eng_finding **all = malloc(count * sizeof *all);
    if (!all) return wg_fail(err, WG_ERR_MEMORY, "no memory for %zu findings", count);
    for (unsigned k = 0; k < n; k++)
        for (size_t f = 0; f < workers[k]->findings->list.count; f++) all[at++] = &workers[k]->findings->list.at[f];
    if (n > 1) count = keep_first(all, count);
    qsort(all, count, sizeof *all, by_place);
    for (size_t f = 0; f < count; f++) launch->finding(launch->ctx, all[f]);
    free(all);
    return WG_OK;
}

/* One warp instruction a cycle from each of an SM's four schedulers, on as many SMs as there are blocks. */
static uint64_t model_cycles(const eng_grid *grid, const eng_result *result) {
    uint64_t sms = grid->code->device->gpu->sms, busy = grid->n_blocks < sms ? grid->n_blocks : sms;
    uint64_t schedulers = busy * (grid->warps < 4 ? grid->warps : 4);
    return (result->warp_instructions + schedulers - 1) / schedulers;
}

/* Where an access is noticed to have left its argument's array depends on what its instruction's range held before. */
static bool strayed(const eng_worker *k) {
    for (size_t f = 0; f < k->findings->list.count; f++)
        if (k->findings->list.at[f].kind == ENG_FAULT_STRAYED) return true;
    return false;
}

/* Did no worker stop, and would one worker not have lost patience? */
static bool in_order(eng_worker *const *workers, unsigned n, const eng_launch *launch) {
    uint64_t executed = 0;
    size_t findings = 0;
    for (unsigned k = 0; k < n; k++) {
        if (workers[k]->stop || strayed(workers[k])) return false;
        executed += workers[k]->executed;
        findings += workers[k]->findings->list.count;
    }
    if (launch->seed && findings > MAX_FINDINGS) return false; /* which come first is the seed's */
    return !launch->max_instructions || executed <= launch->max_instructions;
}

static bool asked_again(const eng_launch *launch, unsigned workers) {
    for (size_t s = 0; s < launch->n_sinks * workers; s++)
        if (launch->sinks[s].again && launch->sinks[s].again(launch->sinks[s].state)) return true;
    return false;
}

/* Can a sink ask for the launch to be run again? Not where it knows that all of it is apart. */
static bool may_ask_again(const eng_grid *grid) {
    bool asks = false;
    for (size_t s = 0; s < grid->launch->n_sinks; s++) asks |= grid->launch->sinks[s].again != NULL;
    return asks && !(grid->apart && grid->apart->all);
}

/* Runs the grid with n workers. *again: the result is not that of one worker, and everything is as it was before. */
static wg_status run_grid(eng_grid *grid, unsigned n, eng_result *result, bool *again, wg_error *err) {
    eng_worker *workers[MAX_JOBS];
    const bool apart = n > 1 && !grid->launch->seed && !may_ask_again(grid) && eng_blocks_apart(grid);
    eng_memory *memory = grid->code->device->memory;
    unsigned made = 0;
    *again = false;
    wg_status st = eng_memory_begin(memory, n, grid->launch->count_reads, apart, err);
    if (st != WG_OK) {
        *again = n > 1;
        return st;
    }
    while (made < n && (workers[made] = new_worker(grid, made))) {
        eng_view *view = workers[made]->memory_state = eng_memory_view(memory, made);
        view->apart_threads = grid->apart;
        view->reach = grid->launch->reach;
        view->device = grid->launch->device;
        view->rules = grid->launch->rules;
        made++;
    }
    for (size_t s = 0; s < made * grid->launch->n_sinks; s++)
        if (grid->launch->sinks[s].apart) grid->launch->sinks[s].apart(grid->launch->sinks[s].state, grid->apart);
    if (made < n) st = wg_fail(err, WG_ERR_MEMORY, "no memory for %u workers", n);
    if (st == WG_OK) {
        run_workers(workers, n);
        bool conflict = eng_memory_conflict(memory);
        *again = n > 1 && !apart && (conflict || !in_order(workers, n, grid->launch) || asked_again(grid->launch, n));
        if (apart && conflict) st = wg_fail(err, WG_ERR_MEMORY, "no memory for the shadows of a launch");
    }
    eng_memory_end(memory, !*again);
    if (st == WG_OK && !*again) {
        st = eng_counts_result(grid->plan, workers, n, result, err);
        for (unsigned k = 0; k < made && st == WG_OK; k++) {
            st = workers[k]->status;
            if (st != WG_OK && err) *err = workers[k]->err;
        }
        result->workers = n;
        result->apart = apart;
        result->complete = result->blocks_run == grid->n_blocks;
        result->cycles = model_cycles(grid, result);
        wg_status reported = report_findings(workers, made, grid->launch, st == WG_OK ? err : NULL);
        if (st == WG_OK) st = reported;
    }
    for (unsigned k = 0; k < made; k++) free_worker(workers[k]);
    return st;
}

static void restart_sinks(const eng_launch *launch, unsigned workers) {
    for (size_t s = 0; s < launch->n_sinks * workers; s++) launch->sinks[s].restart(launch->sinks[s].state);
}

wg_status eng_run(eng_code *code, const eng_launch *launch, eng_result *result, wg_error *err) {
    *result = (eng_result){0};
    uint32_t wants = 0;
    for (size_t s = 0; s < launch->n_sinks; s++) wants |= launch->sinks[s].wants;
    if (wants & 1u << ENG_EV_ACCESS) wants |= ENG_WANTS_SUMS;
    for (size_t s = 0; s < launch->n_sinks; s++)
        if (launch->sinks[s].wants & 1u << ENG_EV_ACCESS && !launch->sinks[s].plain) wants &= ~ENG_WANTS_SUMS;
    eng_plan *plan;
    eng_grid grid;
    wg_status st = eng_plan_get(code, launch->function, wants, launch->trace != NULL, launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1, &plan, err);
    if (st == WG_OK) st = eng_heap_make(code->device, code->module, launch->heap_bytes, err);
    if (st == WG_OK) st = make_grid(&grid, code, launch, plan, err);
    if (st != WG_OK) return st;
    if (asks_apart(launch) && code->device->proofs) grid.apart = eng_threads_apart(&grid);
    unsigned workers = workers_for(&grid);
    bool again;
    st = run_grid(&grid, workers, result, &again, err);
    if (again) {
        note_conflict(plan);
        restart_sinks(launch, workers);
        st = run_grid(&grid, 1, result, &again, err);
    }
    eng_nest_clear(code->device->nest, code->device->heap);
    eng_bank0_free(&grid);
    free(grid.by_warp);
    return st;
}
