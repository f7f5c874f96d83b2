/* Loops that wait for ever. Blocks that spin are given their turns again and again; when all that lives has been in the same
 * state before, and more than once, nothing of this launch will ever end the wait: a flag that nobody sets, a lock that nobody
 * frees, a barrier over the grid that blocks have left out.
 *
 * The state is that of registers, predicates, groups and shared memory. Who reads a clock would never be in the same state twice: while all
 * spin, clocks stand. When the state comes back then, only time can end the wait, and they are put forward, by more than anybody waits for;
 * who waits with a limit, or sleeps for longer and longer, as cuda::barrier does, has then come to its end. Where the host can write what
 * kernels read (pinned, managed memory), another of its threads may end the wait: it is given time. */
#include "engine/livelock.h"

#include <string.h>
#include <time.h>

#include "base/map.h"

static uint64_t mix(uint64_t h, uint64_t word) { return (h ^ word) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29); }

static uint64_t mix_bytes(uint64_t h, const uint8_t *at, size_t n) {
    uint64_t word;
    for (; n >= 8; at += 8, n -= 8) memcpy(&word, at, 8), h = mix(h, word);
    while (n--) h = mix(h, *at++);
    return h;
}

static uint64_t mix_warp(uint64_t h, const eng_warp *w, const eng_plan *plan) {
    h = mix(mix(h, w->state), (uint64_t)w->exited << 32 | w->mask);
    if (w->state == ENG_WARP_DONE || !w->context) return h;
    h = mix(h, (uintptr_t)w->pc);
    for (unsigned g = 0; g < w->n_groups; g++) {
        const eng_group *group = &w->groups[g];
        h = mix(mix(h, (uintptr_t)group->pc), (uint64_t)group->mask << 32 | (uint64_t)group->state << 8 | group->barrier);
    }
    h = mix_bytes(h, (const uint8_t *)w->P, sizeof w->P);
    return mix_bytes(mix_bytes(h, w->R, plan->zero), w->R + plan->uregs, plan->barriers - plan->uregs);
}

static uint64_t state_of(eng_blk *const *blocks, unsigned n) {
    uint64_t h = n;
    for (unsigned b = 0; b < n; b++) {
        const eng_blk *block = blocks[b];
        const eng_grid *grid = block->worker->grid;
        h = mix(mix(h, block->linear), (uint64_t)block->ready << 32 | block->barriers_used);
        for (uint32_t w = 0; w < block->n_warps; w++) h = mix_warp(h, &block->warps[w], grid->plan);
        h = mix_bytes(h, block->shared, grid->shared_size);
    }
    return wg_hash_u64(h);
}

bool eng_host_may_write(const eng_memory *mem) {
    const eng_allocation *a;
    for (size_t i = 0; (a = eng_memory_at(mem, i)) != NULL; i++)
        if (!a->freed && (a->kind == ENG_ALLOC_MANAGED || a->kind == ENG_ALLOC_PINNED || a->kind == ENG_ALLOC_REGISTERED)) return true;
    return false;
}

/* Later than any clock has shown. */
static uint64_t latest(eng_blk *const *blocks, unsigned n) {
    const eng_worker *k = blocks[0]->worker;
    uint64_t most = 0;
    for (unsigned b = 0; b < n; b++)
        for (uint32_t w = 0; w < blocks[b]->n_warps; w++) {
            uint64_t own = blocks[b]->warps[w].executed + blocks[b]->warps[w].clock_ahead;
            most = own > most ? own : most;
        }
    return most + k->executed + k->time_passed + 1;
}

void eng_livelock_over(eng_livelock *l, eng_worker *k) {
    if (k->time_stands) k->time_passed = k->time_stands;
    k->time_stands = 0;
    *l = (eng_livelock){0};
}

/* Brent's way to find a cycle: the state is compared with one kept from an earlier round, which is replaced ever more rarely. */
bool eng_livelock_round(eng_livelock *l, eng_blk *const *blocks, unsigned n) {
    enum { REPEATS = 3, PATIENCE = 10 /* seconds */, FORWARD = 3 };
    const uint64_t far = (UINT64_C(1) << 40) + (1 << 28) /* 18 minutes; and forward in a clock of 32 bits, too */;
    eng_worker *k = blocks[0]->worker;
    uint64_t now = state_of(blocks, n);
    l->round++;
    if (!l->since) l->since = time(NULL);
    if (k->grid->plan->clocks && !k->time_stands) k->time_stands = latest(blocks, n);
    if (l->round > 1 && now == l->kept && ++l->repeats >= REPEATS) {
        if (!k->time_stands || l->put_forward == FORWARD)
            return time(NULL) - l->since >= PATIENCE || !eng_host_may_write(k->memory);
        k->time_stands += far;
        l->put_forward++;
        l->repeats = 0;
    }
    if (l->round < l->next) return false;
    l->next = l->round * 2;
    l->kept = now;
    l->repeats = 0;
    return false;
}
