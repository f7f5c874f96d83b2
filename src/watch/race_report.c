/* What is said of a race: who did what where, and the order that is missing between these two. */
#include <stdio.h>

#include "watch/race.h"

watch_side race_side_of(const race_state *st, race_mark mark, uint64_t address) {
    const race_access *a = race_access_of(st, mark);
    return (watch_side){.known = true, .is_access = true, .function = a->function, .warp = a->warp, .instr = a->instr, .block = a->block,
                        .lane = race_lane(st, mark, address), .lanes = a->mask, .space = a->space, .access = (uint8_t)a->access,
                        .width = a->width, .address = address & ~(uint64_t)(a->width - 1)};
}

static const char *word_of(const race_access *a) {
    return a->access & ENG_ATOMIC ? "an atomic" : a->access & ENG_WRITE ? "a write" : "a read";
}

/* --- what goes on when its thread has gone on ---------------------------------------------------------- */

typedef enum actor { THREAD, ASYNC_COPY, BULK_COPY, MATRIX } actor;
static const char *const actors[] = {"a thread", "cp.async", "a bulk copy (TMA)", "wgmma"};

static actor actor_of(const race_access *a) {
    if (race_is_matrix(a)) return MATRIX;
    if (eng_is_bulk(a->access)) return BULK_COPY;
    return a->access & ENG_ASYNC && a->access & ENG_WRITE ? ASYNC_COPY : THREAD;
}

/* Is a barrier told of the bulk copy? Else its group is waited for. */
static bool has_barrier(const race_access *a) { return a->row || (a->space == ENG_GLOBAL) == !(a->access & ENG_WRITE); }

static const char either_use[] = "who uses what was there must be done before the copy is asked for (__syncthreads(), an mbarrier); who wants what it brings must wait for its phase (mbarrier.try_wait)";

static const char *end_of_bulk(const race_access *a, bool same_block, bool asked) {
    if (has_barrier(a) && a->space != ENG_GLOBAL && a->access & ENG_WRITE && !asked) return either_use;
    if (has_barrier(a)) return "the phase of the copy's barrier must be waited for in between (mbarrier.try_wait, cuda::barrier::wait)";
    if (a->space != ENG_GLOBAL && !asked)
        return "what is to be copied must be written before (then fence.proxy.async, and a barrier); what comes later must wait (cp.async.bulk.wait_group.read by the copy's thread, and then a barrier)";
    if (a->space != ENG_GLOBAL) return "the copy's thread must wait in between (cp.async.bulk.wait_group.read), and a barrier must follow before other threads go on";
    if (same_block) return "the copy's thread must wait in between (cp.async.bulk.wait_group), and a barrier must follow before other threads go on";
    return "blocks of a launch are ordered only by atomics, or by a flag, which the copy's thread may set when it has waited (cp.async.bulk.wait_group)";
}

/* The second begins only when all that its thread knows of has been done: what must lie before it. */
static const char *start_of(actor what, const race_access *a, const race_access *b) {
    bool writes = b->access & ENG_WRITE;
    if (a->block != b->block && b->space == ENG_GLOBAL) return "blocks of a launch are ordered only by atomics, or by a flag with __threadfence() on both sides";
    if (a->block != b->block) return "cluster.sync() (barrier.cluster), or an mbarrier for which the copy's thread waits, belongs between the two";
    if (what == MATRIX) return "the thread must fence (fence.proxy.async) and then a barrier follow (__syncthreads(), an mbarrier), before the warp group multiplies";
    if (what == ASYNC_COPY)
        return "who uses what was there must be done before the copy (__syncthreads()); who wants what it brings must wait for it (cp.async.wait_group, and then a barrier)";
    if (!writes) return "the thread must fence (fence.proxy.async) and then a barrier follow (__syncthreads(), an mbarrier), before the copy is asked for";
    if (b->space == ENG_GLOBAL) return "a barrier (__syncthreads()) belongs between the two, before the copy is asked for";
    return either_use;
}

/* asked: b comes after a was asked for, in any order of warps. */
static const char *cure(race_state *st, const race_access *a, const race_access *b, bool asked) {
    switch (actor_of(a)) {
    case BULK_COPY: return end_of_bulk(a, a->block == b->block, asked);
    case MATRIX:
        if (!asked) return "operands must be written before (then fence.proxy.async, and a barrier); what comes later must wait (wgmma.wait_group by the warp group, and then a barrier)";
        return "the warp group must wait in between (wgmma.wait_group), and a barrier must follow before other threads, or their copies, write";
    case ASYNC_COPY:
        if (st->block->phases)
            return "a barrier must be told of the copy (cuda::memcpy_async with the barrier, cp.async.mbarrier.arrive), and its phase waited for in between";
        return "the copy's thread must wait in between (cp.async.wait_group, __pipeline_wait_prior), and a barrier must follow before other threads go on";
    default: return start_of(actor_of(b), a, b);
    }
}

/* The thread's side comes first, and in whichever order the two are met it is one finding. */
static void report_async(race_state *st, watch_finding *f, race_mark before, const race_access *b, unsigned lane) {
    const race_access *a = race_access_of(st, before);
    const char *memory = b->space == ENG_GLOBAL ? "global" : "shared";
    const char *what = cure(st, a, b, race_asked_before(st, RACE_TOKEN(before), f->other.lane, b, lane));
    bool swap = actor_of(b) > actor_of(a);
    if (swap) {
        const race_access *c = a;
        watch_side side = f->at;
        f->at = f->other, f->other = side;
        a = b, b = c;
    }
    f->key = 16;
    if (watch_findings_again(&st->findings, f)) return;
    snprintf(f->message, sizeof f->message, "%s of %s memory by %s and %s by %s, and nothing orders the two: %s", word_of(b), memory, actors[actor_of(b)], word_of(a),
             actors[actor_of(a)], what);
    watch_findings_add(&st->findings, f);
}

/* Where all lanes of one side touch one place, the first of them may be the other side's: then it was another one. */
static void tell_apart(watch_finding *f, const race_access *a, const race_access *b) {
    if (f->at.lane != f->other.lane) return;
    if (a->cls == ENG_UNIFORM && a->mask & (a->mask - 1)) f->other.lane = (unsigned)__builtin_ctz(a->mask & (a->mask - 1));
    else if (b->cls == ENG_UNIFORM && b->mask & (b->mask - 1)) f->at.lane = (unsigned)__builtin_ctz(b->mask & (b->mask - 1));
}

/* --- all of them ------------------------------------------------------------------------------------------ */

void race_report(race_state *st, const eng_batch *batch, const eng_event *ev, unsigned lane, race_mark before, uint64_t address, race_order order) {
    const race_access *a = race_access_of(st, before), *b = race_access_of(st, st->n - 1);
    bool same_instruction = RACE_TOKEN(before) == st->n - 1, same_warp = a->block == b->block && a->warp == b->warp;
    bool equal = a->value && (same_instruction || a->value == b->value) && !eng_is_bulk(a->access) && !eng_is_bulk(b->access);
    bool same_value = equal && a->access & b->access & ENG_WRITE && !((a->access | b->access) & ENG_ATOMIC);
    race_mark now = st->n - 1;
    bool own_value = !(b->access & ENG_WRITE) ? race_reads_own_value(st, now, lane, before, address)
                     : !(a->access & ENG_WRITE) && race_reads_own_value(st, before, race_lane(st, before, address), now, address);
    watch_finding f = {.kind = WATCH_KIND_RACE, .severity = same_value || own_value ? WATCH_NOTE : order == RACE_WEAK ? WATCH_WARNING : WATCH_ERROR,
                       .at = watch_side_of(batch, ev, lane), .other = race_side_of(st, before, address),
                       .key = (uint64_t)same_warp + 2 * (a->block == b->block)};
    if (same_warp) tell_apart(&f, a, b);
    if (same_instruction) f.other.lane = (unsigned)__builtin_ctz(a->cls == ENG_UNIFORM ? a->mask : UINT32_C(1) << RACE_LANE(before));
    else if (f.severity != WATCH_NOTE && (actor_of(a) || actor_of(b))) {
        report_async(st, &f, before, b, lane);
        return;
    }
    if (watch_findings_again(&st->findings, &f)) return;
    const char *memory = ev->space == ENG_GLOBAL ? "global" : "shared";
    if (same_value)
        snprintf(f.message, sizeof f.message, "several threads write the same value to the same place in %s memory", memory);
    else if (own_value)
        snprintf(f.message, sizeof f.message, "a read of %s memory that the thread has written before, and a write of the same value by another one: "
                 "nothing orders them, but it reads that value in any order", memory);
    else if (same_instruction)
        snprintf(f.message, sizeof f.message, "lanes of one warp write to the same place in %s memory with one instruction: which value "
                 "stays is not defined. One of them must write, or all with an atomic", memory);
    else if (order == RACE_WEAK)
        snprintf(f.message, sizeof f.message, "%s of %s memory follows %s by another lane of the warp, with only a shuffle or vote "
                 "between them, which orders no memory: __syncwarp() belongs between the two lines", word_of(b), memory, word_of(a));
    else if (same_warp)
        snprintf(f.message, sizeof f.message, "%s of %s memory follows %s by another lane of the same warp, and nothing orders them: "
                 "__syncwarp() or __syncthreads() belongs between the two lines", word_of(b), memory, word_of(a));
    else if (a->block == b->block)
        snprintf(f.message, sizeof f.message, "%s of %s memory and %s by another thread of the block, with no barrier between them: "
                 "__syncthreads() belongs between the two lines", word_of(b), memory, word_of(a));
    else if (ev->space != ENG_GLOBAL)
        snprintf(f.message, sizeof f.message, "%s of shared memory and %s by a thread of another block of the cluster, and nothing orders them: "
                 "cluster.sync() (barrier.cluster) belongs between the two lines", word_of(b), word_of(a));
    else
        snprintf(f.message, sizeof f.message, "%s of global memory and %s by a thread of another block, and nothing orders them: blocks "
                 "of a launch are ordered only by atomics, or by a flag with __threadfence() on both sides", word_of(b), word_of(a));
    watch_findings_add(&st->findings, &f);
}
