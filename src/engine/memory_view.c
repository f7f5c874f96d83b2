/* What a worker asks of memory beyond the fast paths. */
#include <stdlib.h>
#include <string.h>

#include "engine/memory_parallel.h"
#include "engine/view.h"

/* Bytes moved through a range belong to its allocation (or, with several workers, will when all is well). */
static void settle(eng_view *v, mem_range *r) {
    if (!r->alloc || !r->bytes) return;
    eng_allocation *a = &r->alloc->pub;
    for (unsigned written = 0; written < 2; written++) {
        if (!(r->access & (written ? ENG_WRITE : ENG_READ))) continue;
        if (v->parallel) {
            uint64_t *sum = wg_u64map_add(&v->moved, (uint64_t)a->id * 2 + written);
            if (sum) *sum += r->bytes;
        } else if (written) {
            a->bytes_written += r->bytes;
        } else {
            a->bytes_read += r->bytes;
        }
    }
    r->bytes = 0;
}

void mem_view_settle(eng_view *v) {
    for (unsigned i = 0; i < 3 * MEM_RANGES; i++) settle(v, &v->ranges[i]);
}

void mem_view_take_runs(eng_view *v, void (*take)(eng_view *v, const mem_run *run)) {
    enum { N = 1 << (MEM_RUNS - 6), FEW = 4 }; /* most of them are empty: looked at a few at a time */
    for (unsigned i = 0; i < MEM_LEAVING; i++)
        if (v->leaving[i].n) take(v, &v->leaving[i]);
    memset(v->leaving, 0, sizeof v->leaving);
    for (; v->runs_used; v->runs_used &= v->runs_used - 1) {
        mem_run *run = &v->runs[(size_t)__builtin_ctzll(v->runs_used) * N];
        for (unsigned i = 0; i < N; i += FEW) {
            if (!(run[i].n | run[i + 1].n | run[i + 2].n | run[i + 3].n)) continue;
            for (unsigned k = i; k < i + FEW; k++)
                if (run[k].n) take(v, &run[k]);
        }
        memset(run, 0, N * sizeof *run); /* empty ones go, too: nothing goes on from a run that is not among those in use */
    }
}

void mem_view_flush(eng_view *v) {
    for (unsigned i = 0; i < v->n_ended; i++) mem_run_flush(v, &v->ended[i]);
    v->n_ended = 0;
    mem_view_take_runs(v, mem_run_flush);
}

void mem_run_flush(eng_view *v, const mem_run *run) {
    const uint64_t ends[2] = {run->start, run->start + run->n};
    if (!run->n) return;
    v->plane_used = true;
    const int16_t *words = v->plane.words;
    bool was[2] = {words[ends[0] / 4] != 0, words[ends[1] / 4] != 0}; /* bytes leave them as they are */
    mem_reads_run(&v->plane, run->start, run->n, (int)run->times);
    for (unsigned k = 0; v->dirty && k < 2; k++)
        v->dirty[ends[k] >> MEM_TILE] = (uint8_t)(v->dirty[ends[k] >> MEM_TILE] + (words[ends[k] / 4] != 0) - was[k]);
}

static void note_read(eng_view *v, mem_alloc *a) {
    if (!v->parallel) {
        a->was_read = true;
        return;
    }
    for (size_t i = v->read.count; i-- > 0;) /* the last ones first: few allocations take turns */
        if (v->read.at[i] == a) return;
    if (!wg_vec_push(&v->read, a)) v->failed = true;
}

void mem_texels_read(eng_view *v, mem_alloc *a) {
    if (!v->parallel) return;
    for (size_t i = v->texels.count; i-- > 0;)
        if (v->texels.at[i] == a) return;
    if (!wg_vec_push(&v->texels, a)) v->failed = true;
}

bool mem_range_fill(eng_view *v, mem_range *r, uint64_t address, unsigned access) {
    settle(v, r);
    mem_alloc *a = mem_find(v->mem, address, NULL);
    if (!a || a->pub.freed || mem_beyond_reach(v, &a->pub)) return false;
    bool write = access & (ENG_WRITE | ENG_ATOMIC);
    if (write && a->pub.read_only) return false;
    eng_span part = {a->pub.address, a->end};
    if (v->rules && v->rules->at(v->rules->ctx, &a->pub, address, access, v->device, &part, NULL, 0) != ENG_RULE_ALLOWED) return false;
    if (!v->parallel) mem_advance(v->mem, a);
    if (access & ENG_READ) note_read(v, a);
    uint64_t before = part.from - a->pub.address, size = part.end - part.from, plain = a->prefix > before ? a->prefix - before : 0;
    *r = (mem_range){.lo = part.from, .size = size, .host = mem_host_delta(v->mem, a),
                     .shadow = a->shadow - a->pub.address, .alloc = a, .access = access & (ENG_READ | ENG_WRITE),
                     .stored = v->apart_threads && eng_apart_stored(v->apart_threads, a->pub.address, a->end),
                     .plain = write && v->parallel && !v->apart ? 0 : plain < size ? plain : size};
    return true;
}

bool mem_mark(eng_view *v, const mem_range *r, uint64_t address, uint64_t n, bool red) {
    uint64_t at = address + r->shadow, off = address - r->lo;
    if (off + n <= r->plain) return true;
    if (v->parallel) return mem_parallel_mark(v, r, address, n, red);
    for (uint64_t chunk = at >> MEM_CHUNK; chunk <= (at + n - 1) >> MEM_CHUNK; chunk++)
        if (!v->touched[chunk] && !mem_touch(v->mem, chunk << MEM_CHUNK, 1)) return false;
    mem_bits_set(v->marks, at, n);
    return true;
}

static bool seen(const eng_view *v, uint64_t at) {
    uint8_t bits = v->defined[at / 8];
    if (v->parallel) bits |= (uint8_t)(v->marks[at / 8] | v->reds[at / 8]);
    return bits >> at % 8 & 1;
}

/* Not defined, but not as it was allocated either (mem_held_run). */
static bool was_stored(const eng_view *v, uint64_t at) { return v->mem->stores && v->mem->stored[at / 8] >> at % 8 & 1; }

bool mem_seen_all(const eng_view *v, uint64_t shadow, uint64_t n) {
    if (mem_bits_all(v->defined, shadow, n)) return true;
    if (!v->parallel) return false;
    for (uint64_t i = 0; i < n; i++)
        if (!seen(v, shadow + i)) return false;
    return true;
}

void mem_read_mixed(const eng_view *v, const mem_range *r, uint64_t address, unsigned n, void *out) {
    uint8_t *to = out;
    mem_pattern(to, address, n);
    for (unsigned i = 0; i < n; i++)
        if (address + i - r->alloc->pub.address < r->alloc->prefix || seen(v, address + i + r->shadow) || was_stored(v, address + i + r->shadow))
            to[i] = *(const uint8_t *)(uintptr_t)(address + i + (uint64_t)r->host);
}
