/* Blocks on several workers, with the result of running them in order, or none.
 *
 * Each worker marks the bytes that it writes, and those that it changes by reductions, in bits of its own, and
 * counts its reads in a list of runs and a plane of its own: the plane holds what is too much for the list, and, where
 * another worker wrote to an allocation that this one read, all of it. A page is copied before any worker first changes
 * it. When all have stopped:
 *
 *   conflict  iff some byte was written by one worker, and read, written or reduced by another, or reduced by one
 *             and read by another; texels are not counted: all of what they lie in is taken to be read
 *
 * Without a conflict every block read what it would have read in the order of blocks: bytes that no other worker
 * wrote, or that a block before it on the same worker did (a worker takes blocks in ascending order). So it did the
 * same, and what it wrote cannot have been overwritten by another worker. Reductions may meet on a byte; the caller
 * runs in parallel only kernels whose reductions commute. With a conflict everything is put back. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "engine/memory_parallel.h"


typedef struct kept {
    uint8_t *at, *copy;
    uint32_t n;
} kept;
enum { SMALL = 64 << 20 }; /* programs with no more device memory than this never reach their budget */
enum { SLAB = 1 << 20, SLABS_KEPT = 32 }; /* copies are cut from slabs, some of which stay for later launches */

struct mem_parallel {
    unsigned workers;
    eng_view **views;
    unsigned n_views;           /* made so far; kept for later launches */
    _Atomic uint8_t *pages;     /* a byte a page of the range: MEM_NOT_KEPT, MEM_KEEPING, MEM_KEPT */
    pthread_mutex_t lock;       /* of what follows */
    wg_vec(kept) kept;
    wg_vec(uint8_t *) slabs;
    size_t slab, slab_used; /* the one that copies are cut from; bytes of it */
    wg_vec(uint64_t) marked_pages;
    uint64_t kept_bytes;
    /* What copies, marks and planes of the workers may take together, and how that is known: by what the process has
     * more than at the launch's beginning, but for device memory. */
    uint64_t budget, resident, touched;
    int statm;
    bool count_reads;
};

/* The worker's own part of a view; shared shadows when it is alone. */
typedef struct own_view {
    eng_view view;
    wg_vec(uint64_t) chunks; /* that it marked something in */
    uint8_t *own_marks, *own_reds, *own_touched, *own_dirty;
    mem_plane own_plane;
    mem_run *own_ended; /* room for all that a view has at once */
    int64_t asked; /* when, in ns */
} own_view;

static const uint64_t ENDED_BYTES = (MEM_ENDED + (UINT64_C(1) << MEM_RUNS) + MEM_LEAVING) * sizeof(mem_run);

static void *reserve(uint64_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}
static void unmap(void *at, uint64_t size) {
    if (at) munmap(at, size);
}

static void drop_copies(struct mem_parallel *p, size_t slabs) {
    while (p->slabs.count > slabs) free(p->slabs.at[--p->slabs.count]);
    p->slab = p->slab_used = 0;
    p->kept.count = 0;
    p->kept_bytes = 0;
}

static void free_view(const eng_memory *m, own_view *o) {
    unmap(o->own_marks, m->span / 8);
    unmap(o->own_reds, m->span / 8);
    unmap(o->own_touched, m->span >> MEM_CHUNK);
    unmap(o->own_dirty, (m->span >> MEM_TILE) + 1);
    unmap(o->own_plane.words, m->span / 2);
    unmap(o->own_plane.bytes, m->span);
    unmap(o->own_ended, ENDED_BYTES);
    wg_u64map_free(&o->own_plane.spills);
    wg_u64map_free(&o->view.moved);
    wg_vec_free(&o->view.read);
    wg_vec_free(&o->view.texels);
    wg_vec_free(&o->chunks);
    free(o);
}

void mem_parallel_free(eng_memory *m) {
    struct mem_parallel *p = m->parallel;
    if (!p) return;
    for (unsigned i = 0; i < p->n_views; i++) free_view(m, (own_view *)p->views[i]);
    unmap((void *)p->pages, m->span / MEM_PAGE);
    drop_copies(p, 0);
    if (p->statm >= 0) close(p->statm);
    wg_vec_free(&p->slabs);
    wg_vec_free(&p->kept);
    wg_vec_free(&p->marked_pages);
    pthread_mutex_destroy(&p->lock);
    free(p->views);
    free(p);
    m->parallel = NULL;
}

static bool make_views(eng_memory *m, unsigned workers) {
    struct mem_parallel *p = m->parallel;
    if (workers > p->n_views) {
        eng_view **views = realloc(p->views, workers * sizeof *views);
        if (!views) return false;
        p->views = views;
    }
    while (p->n_views < workers) {
        own_view *o = aligned_alloc(64, (sizeof *o + 63) / 64 * 64);
        if (!o) return false;
        memset(o, 0, sizeof *o);
        p->views[p->n_views++] = &o->view;
    }
    return true;
}

static bool make_own(const eng_memory *m, own_view *o) {
    if (!o->own_marks) o->own_marks = reserve(m->span / 8);
    if (!o->own_reds) o->own_reds = reserve(m->span / 8);
    if (!o->own_touched) o->own_touched = reserve(m->span >> MEM_CHUNK);
    if (!o->own_dirty) o->own_dirty = reserve((m->span >> MEM_TILE) + 1);
    if (!o->own_plane.words) o->own_plane.words = reserve(m->span / 2);
    if (!o->own_plane.bytes) o->own_plane.bytes = reserve(m->span);
    if (!o->own_ended) o->own_ended = reserve(ENDED_BYTES);
    return o->own_marks && o->own_reds && o->own_touched && o->own_dirty && o->own_plane.words && o->own_plane.bytes && o->own_ended;
}

/* --- how much memory -------------------------------------------------------------------- */

/* Bytes of the process in memory; 0: unknown. */
static uint64_t resident_bytes(struct mem_parallel *p) {
    char text[128];
    unsigned long long size, resident;
    if (p->statm < 0) p->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = p->statm < 0 ? -1 : pread(p->statm, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    return n > 0 && sscanf(text, "%llu %llu", &size, &resident) == 2 ? resident * MEM_PAGE : 0;
}

/* Device memory and its shadows may take twice what was touched and 256 MiB, of which words' counts take half of it,
 * bits an eighth, and the rest of the process some MiB. */
static void set_budget(eng_memory *m, struct mem_parallel *p) {
    p->touched = eng_memory_touched(m);
    p->budget = ((uint64_t)160 << 20) + (m->plane.bytes_used ? 0 : p->touched / 8 * 3);
    p->resident = p->touched < SMALL ? 0 : resident_bytes(p);
}

static bool over_budget(eng_memory *m, struct mem_parallel *p) {
    uint64_t more = eng_memory_touched(m) - p->touched, now = resident_bytes(p);
    return now > p->resident + more + p->budget;
}

/* Blocks that cannot meet are never taken back, so their counts can be handed in at any time. */
static void hand_in(eng_view *v) {
    own_view *o = (own_view *)v;
    struct mem_parallel *p = v->mem->parallel;
    mem_view_settle(v);
    mem_view_flush(v);
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < v->read.count && p->count_reads; i++) {
        mem_reads_merge(&v->mem->plane, &v->plane, v->read.at[i], o->own_dirty);
        mem_reads_unmap(&v->plane, v->read.at[i]);
    }
    pthread_mutex_unlock(&p->lock);
}

/* Asking the system costs some microseconds, so not more often than every half millisecond: time for some hundred pages. */
static bool time_to_ask(own_view *o) {
    enum { INTERVAL = 500000 };
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    if (now - o->asked < INTERVAL) return false;
    o->asked = now;
    return true;
}

bool eng_memory_view_fits(eng_view *v) {
    struct mem_parallel *p = v->mem->parallel;
    if (!v->parallel || !p->resident || !time_to_ask((own_view *)v) || !over_budget(v->mem, p)) return true;
    if (v->apart) return hand_in(v), true;
    v->failed = true;
    return false;
}

/* --- the beginning ------------------------------------------------------------------------ */

wg_status eng_memory_begin(eng_memory *m, unsigned workers, bool count_reads, bool apart, wg_error *err) {
    if (!m->parallel) {
        m->parallel = calloc(1, sizeof *m->parallel);
        if (m->parallel) pthread_mutex_init(&m->parallel->lock, NULL), m->parallel->statm = -1;
    }
    struct mem_parallel *p = m->parallel;
    if (!p || !workers || !make_views(m, workers))
        return wg_fail(err, WG_ERR_MEMORY, "no memory for %u workers", workers);
    p->workers = workers;
    p->count_reads = count_reads;
    if (workers > 1 && !p->pages) p->pages = reserve(m->span / MEM_PAGE);
    if (workers > 1) set_budget(m, p);
    for (size_t i = 0; workers > 1 && i < m->table.count; i++) mem_advance(m, m->table.at[i]);
    for (unsigned i = 0; i < workers; i++) {
        own_view *o = (own_view *)p->views[i];
        eng_view *v = &o->view;
        if (workers > 1 && (!p->pages || !make_own(m, o)))
            return wg_fail(err, WG_ERR_MEMORY, "no address space for %u workers", workers);
        v->mem = m;
        v->index = i;
        v->parallel = workers > 1;
        v->failed = v->done = v->plane_used = false;
        v->ended = v->parallel ? o->own_ended : NULL;
        v->most_ended = v->parallel ? MEM_ENDED : 0;
        v->defined = m->defined;
        v->marks = v->parallel ? o->own_marks : m->defined;
        v->reds = v->parallel ? o->own_reds : NULL;
        v->apart = v->parallel && apart;
        v->pages = v->parallel && !apart ? p->pages : NULL;
        v->touched = v->parallel ? o->own_touched : m->touched;
        v->plane = v->parallel ? o->own_plane : m->plane;
        v->dirty = v->parallel ? o->own_dirty : NULL;
        v->words = count_reads || (v->parallel && !apart) ? v->plane.words : NULL;
    }
    return WG_OK;
}

eng_view *eng_memory_view(eng_memory *m, unsigned worker) { return m->parallel->views[worker]; }

/* All runs to those that ended: so they lie side by side for the thread that puts the workers' counts together. */
static void end_run(eng_view *v, const mem_run *run) { v->ended[v->n_ended++] = *run; }

void eng_memory_view_done(eng_view *v) {
    if (v->done) return;
    v->done = true;
    mem_view_settle(v);
    memset(v->ranges, 0, sizeof v->ranges); /* the next launch may find other allocations there */
    if (v->parallel) mem_view_take_runs(v, end_run);
    else mem_view_flush(v);
}

/* --- before a byte changes ------------------------------------------------------------ */

/* Bytes that were never written need no copy: without their marks they are undefined again. */
static bool worth_keeping(const eng_memory *m, const mem_alloc *a, uint64_t page) {
    uint64_t from = page * MEM_PAGE, to = from + MEM_PAGE;
    bool set;
    if (from < a->shadow || to > a->shadow + a->pub.size) return true; /* neighbours: not looked at one by one */
    return mem_defined_run(m, a, from - a->shadow, to - a->shadow, &set) != to - a->shadow || set;
}

/* Room for a page's copy; the lock is held. */
static uint8_t *cut(struct mem_parallel *p, uint32_t n) {
    if (p->slab < p->slabs.count && p->slab_used + n > SLAB) p->slab++, p->slab_used = 0;
    if (p->slab == p->slabs.count) {
        uint8_t *slab = malloc(SLAB);
        if (!slab || !wg_vec_push(&p->slabs, slab)) return free(slab), NULL;
        p->slab_used = 0;
    }
    p->slab_used += n;
    return p->slabs.at[p->slab] + p->slab_used - n;
}

static bool copy_page(struct mem_parallel *p, const eng_view *v, const mem_range *r, uint64_t page) {
    uint64_t from = page * MEM_PAGE, to = from + MEM_PAGE;
    if (r->alloc->pub.kind == ENG_ALLOC_REGISTERED) { /* its pages hold other things of the host's */
        if (from < r->alloc->shadow) from = r->alloc->shadow;
        if (to > r->alloc->shadow + r->size) to = r->alloc->shadow + r->size;
    } else if (!worth_keeping(v->mem, r->alloc, page)) {
        return true;
    }
    kept k = {.copy = NULL, .at = (uint8_t *)(uintptr_t)(from - r->shadow + (uint64_t)r->host), .n = (uint32_t)(to - from)};
    pthread_mutex_lock(&p->lock);
    bool ok = p->kept_bytes + k.n <= p->budget && (k.copy = cut(p, k.n)) && wg_vec_push(&p->kept, k);
    if (ok) p->kept_bytes += k.n;
    pthread_mutex_unlock(&p->lock);
    if (ok) memcpy(k.copy, k.at, k.n);
    return ok;
}

static bool keep_page(eng_view *v, const mem_range *r, uint64_t page) {
    struct mem_parallel *p = v->mem->parallel;
    uint8_t expected = MEM_NOT_KEPT;
    if (atomic_compare_exchange_strong(&p->pages[page], &expected, MEM_KEEPING)) {
        pthread_mutex_lock(&p->lock);
        bool ok = wg_vec_push(&p->marked_pages, page);
        pthread_mutex_unlock(&p->lock);
        ok = ok && copy_page(p, v, r, page);
        atomic_store(&p->pages[page], ok ? MEM_KEPT : MEM_NOT_KEPT);
        return ok;
    }
    while ((expected = atomic_load_explicit(&p->pages[page], memory_order_acquire)) == MEM_KEEPING) sched_yield();
    return expected == MEM_KEPT;
}

static bool mark_chunk(eng_view *v, uint64_t chunk) {
    own_view *o = (own_view *)v;
    if (!mem_touch(v->mem, chunk << MEM_CHUNK, 1) || !wg_vec_push(&o->chunks, chunk)) return false;
    v->touched[chunk] = 1;
    return true;
}

bool mem_parallel_mark(eng_view *v, const mem_range *r, uint64_t address, uint64_t n, bool red) {
    struct mem_parallel *p = v->mem->parallel;
    uint64_t at = address + r->shadow;
    for (uint64_t chunk = at >> MEM_CHUNK; chunk <= (at + n - 1) >> MEM_CHUNK; chunk++)
        if (!v->touched[chunk] && !mark_chunk(v, chunk)) return v->failed = true, false;
    for (uint64_t page = at / MEM_PAGE; v->pages && page <= (at + n - 1) / MEM_PAGE; page++)
        if (atomic_load_explicit(&p->pages[page], memory_order_acquire) != MEM_KEPT && !keep_page(v, r, page))
            return v->failed = true, false;
    mem_bits_set(red ? v->reds : v->marks, at, n);
    return true;
}

/* --- afterwards: conflicts ------------------------------------------------------------ */

static uint64_t word_at(const uint8_t *bits, uint64_t at) {
    uint64_t x;
    memcpy(&x, bits + at / 8, 8);
    return x;
}

static bool writes_meet(const eng_view *a, const eng_view *b, uint64_t chunk) {
    uint64_t from = chunk << MEM_CHUNK, to = from + ((uint64_t)1 << MEM_CHUNK), meet = 0;
    for (uint64_t at = from; at < to; at += 64) {
        uint64_t aw = word_at(a->marks, at), bw = word_at(b->marks, at);
        meet |= (aw & bw) | (aw & word_at(b->reds, at)) | (bw & word_at(a->reds, at));
    }
    return meet != 0;
}

typedef struct read_walk {
    const struct mem_parallel *p;
    const eng_view *reader;
    int64_t sum; /* of the differences up to here: how many reads cover the next word or byte */
    bool meet;
} read_walk;

static bool written_by_other(const read_walk *k, uint64_t at, uint64_t n) {
    for (uint64_t end = at + n; at < end;) { /* by chunks, most of which nobody touched */
        uint64_t stop = ((at >> MEM_CHUNK) + 1) << MEM_CHUNK;
        stop = stop > end ? end : stop;
        for (unsigned i = 0; i < k->p->workers; i++) {
            const eng_view *v = k->p->views[i];
            if (v == k->reader || !v->touched[at >> MEM_CHUNK]) continue;
            if (mem_bits_any(v->marks, at, stop - at) || mem_bits_any(v->reds, at, stop - at)) return true;
        }
        at = stop;
    }
    return false;
}

/* The sum of differences of words first .. end - 1, which lie in whole tiles. */
static int64_t sum_words(const eng_view *v, uint64_t first, uint64_t end) {
    const uint64_t words = (uint64_t)1 << (MEM_TILE - 2);
    int64_t sum = 0;
    for (uint64_t tile = first / words; tile <= (end - 1) / words; tile++) {
        if (!v->dirty[tile]) continue;
        uint64_t from = tile * words < first ? first : tile * words, to = (tile + 1) * words > end ? end : (tile + 1) * words;
        for (uint64_t w = from; w < to; w++) sum += v->plane.words[w];
    }
    return sum;
}

static void walk_stretch(read_walk *k, uint64_t first, uint64_t end) {
    if (!written_by_other(k, first * 4, (end - first) * 4)) {
        k->sum += sum_words(k->reader, first, end);
        return;
    }
    for (uint64_t w = first; w < end && !k->meet; w++) {
        k->sum += k->reader->plane.words[w];
        if (k->sum && written_by_other(k, w * 4, 4)) k->meet = true;
    }
}

static bool walk_words(read_walk *k, const mem_alloc *a) {
    enum { STRETCH = 2048 };
    uint64_t first = a->shadow / 4, end = (a->shadow + a->pub.size + 3) / 4;
    k->sum = 0;
    while (first < end && !k->meet) {
        uint64_t stop = (first / STRETCH + 1) * STRETCH;
        stop = stop > end ? end : stop;
        walk_stretch(k, first, stop);
        first = stop;
    }
    return k->meet;
}

static bool walk_bytes(read_walk *k, const mem_alloc *a) {
    k->sum = 0;
    for (uint64_t b = a->shadow; b < a->shadow + a->pub.size && !k->meet; b++) {
        k->sum += k->reader->plane.bytes[b];
        if (k->sum && written_by_other(k, b, 1)) k->meet = true;
    }
    return k->meet;
}

/* Sums that went to the table break the walk's running sums: such an allocation is taken to be read everywhere. */
static bool has_spills(const eng_view *v, const mem_alloc *a) {
    for (size_t i = 0; i < v->plane.spills.room; i++) {
        uint64_t at = v->plane.spills.slots[i].key / 2;
        if (v->plane.spills.slots[i].used && at + 4 > a->shadow && at <= a->shadow + a->pub.size) return true;
    }
    return false;
}

static bool others_wrote(const struct mem_parallel *p, const eng_view *reader, const mem_alloc *a) {
    for (unsigned i = 0; i < p->workers; i++) {
        const own_view *o = (const own_view *)p->views[i];
        if (&o->view == reader) continue;
        for (size_t c = 0; c < o->chunks.count; c++) {
            uint64_t from = o->chunks.at[c] << MEM_CHUNK, to = from + ((uint64_t)1 << MEM_CHUNK);
            if (to > a->shadow && from < a->shadow + a->pub.size) return true;
        }
    }
    return false;
}

static bool reads_meet(const struct mem_parallel *p, eng_view *v, const mem_alloc *a) {
    read_walk k = {.p = p, .reader = v};
    if (!others_wrote(p, v, a)) return false;
    mem_view_flush(v);
    if (has_spills(v, a)) return written_by_other(&k, a->shadow, a->pub.size);
    return walk_words(&k, a) || (v->plane.bytes_used && walk_bytes(&k, a));
}

static bool texels_meet(const struct mem_parallel *p, const eng_view *v, const mem_alloc *a) {
    read_walk k = {.p = p, .reader = v};
    return others_wrote(p, v, a) && written_by_other(&k, a->shadow, a->pub.size);
}

bool eng_memory_conflict(eng_memory *m) {
    struct mem_parallel *p = m->parallel;
    if (!p || p->workers < 2) return false;
    for (unsigned i = 0; i < p->workers; i++) eng_memory_view_done(p->views[i]);
    for (unsigned i = 0; i < p->workers; i++) {
        own_view *o = (own_view *)p->views[i];
        if (o->view.failed) return true;
        if (o->view.apart) continue;
        for (size_t c = 0; c < o->chunks.count; c++)
            for (unsigned j = i + 1; j < p->workers; j++)
                if (p->views[j]->touched[o->chunks.at[c]] && writes_meet(&o->view, p->views[j], o->chunks.at[c])) return true;
        for (size_t a = 0; a < o->view.read.count; a++)
            if (reads_meet(p, &o->view, o->view.read.at[a])) return true;
        for (size_t a = 0; a < o->view.texels.count; a++)
            if (texels_meet(p, &o->view, o->view.texels.at[a])) return true;
    }
    return false;
}

/* --- the end of a launch -------------------------------------------------------------- */

static void add_marks(eng_memory *m, const own_view *o) {
    for (size_t c = 0; c < o->chunks.count; c++) {
        uint64_t from = o->chunks.at[c] << MEM_CHUNK, to = from + ((uint64_t)1 << MEM_CHUNK);
        for (uint64_t at = from; at < to; at += 64) {
            uint64_t new = word_at(o->view.marks, at) | word_at(o->view.reds, at), old = word_at(m->defined, at);
            if (!(new & ~old)) continue;
            new |= old;
            memcpy(m->defined + at / 8, &new, 8);
        }
    }
}

static void clear_marks(own_view *o) {
    for (size_t c = 0; c < o->chunks.count; c++) {
        uint64_t at = (o->chunks.at[c] << MEM_CHUNK) / 8;
        memset(o->own_marks + at, 0, (size_t)1 << (MEM_CHUNK - 3));
        memset(o->own_reds + at, 0, (size_t)1 << (MEM_CHUNK - 3));
        o->own_touched[o->chunks.at[c]] = 0;
    }
    if (o->chunks.count > 1024) { /* more than 64 MiB of memory, 16 MiB of bits: give them back */
        for (size_t c = 0; c < o->chunks.count; c++) {
            uint64_t at = (o->chunks.at[c] << MEM_CHUNK) / 8;
            mem_drop(o->own_marks + at, (uint64_t)1 << (MEM_CHUNK - 3));
            mem_drop(o->own_reds + at, (uint64_t)1 << (MEM_CHUNK - 3));
        }
    }
    o->chunks.count = 0;
}

static void add_moved(eng_memory *m, const eng_view *v) {
    for (size_t i = 0; i < v->moved.room; i++) {
        if (!v->moved.slots[i].used) continue;
        uint64_t key = v->moved.slots[i].key;
        eng_allocation *a = &m->all.at[key / 2 - 1]->pub;
        *(key % 2 ? &a->bytes_written : &a->bytes_read) += v->moved.slots[i].value;
    }
}

/* Those that nobody had to look at never were in the worker's plane. */
static void add_ended(mem_plane *into, const eng_view *v) {
    enum { AHEAD = 8 };
    for (unsigned i = 0; i < v->n_ended; i++) {
        const mem_run *run = &v->ended[i], *ahead = run + (i + AHEAD < v->n_ended ? AHEAD : 0);
        __builtin_prefetch(into->words + ahead->start / 4, 1);
        __builtin_prefetch(into->words + (ahead->start + ahead->n) / 4, 1);
        mem_reads_run(into, run->start, run->n, (int)run->times);
    }
}

static void add_reads(eng_memory *m, own_view *o, bool counts) {
    eng_view *v = &o->view;
    for (size_t i = 0; i < v->read.count; i++) {
        mem_alloc *a = v->read.at[i];
        if (v->plane_used) mem_reads_merge(counts ? &m->plane : NULL, &o->own_plane, a, o->own_dirty);
        if (counts) a->was_read = true;
        if (v->plane_used && eng_memory_touched(m) > SMALL) mem_reads_unmap(&o->own_plane, a);
    }
    if (counts) {
        mem_reads_merge_spills(&m->plane, &o->own_plane);
        add_ended(&m->plane, v);
    } else {
        wg_u64map_free(&o->own_plane.spills);
    }
    o->own_plane.bytes_used = false;
    v->n_ended = 0;
    v->read.count = 0;
}

static void end_own(eng_memory *m, own_view *o, bool keep) {
    eng_view *v = &o->view;
    o->own_plane = v->plane;
    if (keep) {
        add_marks(m, o);
        add_moved(m, v);
    }
    add_reads(m, o, keep && m->parallel->count_reads);
    clear_marks(o);
    wg_u64map_free(&v->moved);
    v->texels.count = 0;
}

void eng_memory_end(eng_memory *m, bool keep) {
    struct mem_parallel *p = m->parallel;
    if (!p || !p->workers) return;
    for (unsigned i = 0; i < p->workers; i++) eng_memory_view_done(p->views[i]);
    if (p->workers == 1) {
        m->plane = p->views[0]->plane;
    } else {
        for (size_t i = 0; !keep && i < p->kept.count; i++) memcpy(p->kept.at[i].at, p->kept.at[i].copy, p->kept.at[i].n);
        drop_copies(p, SLABS_KEPT);
        for (size_t i = 0; i < p->marked_pages.count; i++) p->pages[p->marked_pages.at[i]] = MEM_NOT_KEPT;
        p->marked_pages.count = 0;
        for (unsigned i = 0; i < p->workers; i++) end_own(m, (own_view *)p->views[i], keep);
    }
    p->workers = 0;
}
