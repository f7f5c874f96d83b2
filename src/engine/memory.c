/* The reserved range, the allocation table, accounting. */
#include "engine/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/memory_inner.h"

static uint64_t round_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }
static uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* --- making and unmaking -------------------------------------------------------------- */

static uint64_t number_in(const char *path, const char *key) {
    FILE *f = fopen(path, "re");
    if (!f) return UINT64_MAX;
    char line[256];
    uint64_t value = UINT64_MAX;
    size_t n = key ? strlen(key) : 0;
    while (value == UINT64_MAX && fgets(line, sizeof line, f))
        if (!n || !strncmp(line, key, n)) {
            char *end;
            uint64_t v = strtoull(line + n, &end, 10);
            if (end != line + n) value = v;
        }
    fclose(f);
    return value;
}

/* What may be touched before shadows (up to 0.7 of it) and all fill the machine. */
static uint64_t host_limit(void) {
    uint64_t free_bytes = number_in("/proc/meminfo", "MemAvailable:");
    free_bytes = free_bytes == UINT64_MAX ? (uint64_t)4 << 30 : free_bytes * 1024;
    uint64_t max = number_in("/sys/fs/cgroup/memory.max", NULL);
    uint64_t now = number_in("/sys/fs/cgroup/memory.current", NULL);
    if (max != UINT64_MAX && now != UINT64_MAX) free_bytes = min_u64(free_bytes, max > now ? max - now : 0);
    return free_bytes / 2;
}

static void *reserve(uint64_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void unmap(void *at, uint64_t size) {
    if (at) munmap(at, size);
}

static void unmap_all(eng_memory *m) {
    mem_parallel_free(m);
    if (m->alias) munmap((void *)(uintptr_t)(m->base + (uint64_t)m->alias), m->span);
    if (m->base) munmap((void *)(uintptr_t)m->base, m->span);
    unmap(m->defined, m->span / 8);
    unmap(m->stored, m->span / 8);
    unmap(m->plane.words, m->span / 2);
    unmap(m->plane.bytes, m->span);
    unmap(m->touched, m->span >> MEM_CHUNK);
    if (m->fd >= 0) close(m->fd);
    m->alias = 0, m->base = 0, m->fd = -1;
    m->defined = m->stored = m->touched = NULL, m->plane.words = NULL, m->plane.bytes = NULL;
}

/* The same addresses in every run, so that reports do too; anywhere when something is there already. */
static void *place_view(int fd, uint64_t span) {
#if !defined(__SANITIZE_THREAD__) && defined(MAP_FIXED_NOREPLACE)
    void *wish = (void *)(uintptr_t)0x300000000000u;
    void *p = mmap(wish, span, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
    if (p == wish) return p;
    if (p != MAP_FAILED) munmap(p, span);
#endif
    return mmap(NULL, span, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
}

static bool map_all(eng_memory *m, uint64_t span) {
    m->span = span;
    m->fd = memfd_create("warpgrind-device", MFD_CLOEXEC);
    if (m->fd < 0 || ftruncate(m->fd, (off_t)span)) return false;
    void *view = place_view(m->fd, span);
    if (view == MAP_FAILED) return false;
    m->base = (uint64_t)(uintptr_t)view;
    void *alias = mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, m->fd, 0);
    if (alias == MAP_FAILED) return false;
    m->alias = (int64_t)((uint64_t)(uintptr_t)alias - m->base);
    m->defined = reserve(span / 8);
    m->stored = reserve(span / 8);
    m->plane.words = reserve(span / 2);
    m->plane.bytes = reserve(span);
    m->touched = reserve(span >> MEM_CHUNK);
    return m->defined && m->stored && m->plane.words && m->plane.bytes && m->touched;
}

wg_status eng_memory_new(uint64_t capacity, eng_memory **out, wg_error *err) {
    *out = NULL;
    eng_memory *m = calloc(1, sizeof *m);
    if (!m) return wg_fail(err, WG_ERR_MEMORY, "no memory for the simulated device");
    m->fd = -1;
    m->capacity = capacity;
    m->host_limit = host_limit();
    /* Twice the capacity, so that freed addresses stay unused for long. Where address space is limited, less. */
    const uint64_t gib = (uint64_t)1 << 30;
    uint64_t span = round_up(2 * capacity + 16 * gib, gib);
#if defined(__SANITIZE_THREAD__)
    span = min_u64(span, 16 * gib);
#endif
    while (!map_all(m, span)) {
        unmap_all(m);
        span = round_up(span / 2, gib);
        if (span <= gib) {
            int e = errno;
            free(m);
            return wg_fail(err, WG_ERR_MEMORY, "cannot reserve address space for device memory: %s (is `ulimit -v` set?)",
                           strerror(e));
        }
    }
    m->next = m->base + 2 * gib / 1024; /* addresses near the start stay unused: a stray small negative index is seen */
    *out = m;
    return WG_OK;
}

void eng_memory_free(eng_memory *m) {
    if (!m) return;
    for (size_t i = 0; i < m->all.count; i++) {
        mem_alloc *a = m->all.at[i];
        free((void *)(uintptr_t)a->pub.name);
        free((void *)(uintptr_t)a->pub.label);
        free((void *)(uintptr_t)a->pub.stack);
        free((void *)(uintptr_t)a->pub.free_stack);
        free(a);
    }
    wg_vec_free(&m->all);
    wg_vec_free(&m->table);
    wg_u64map_free(&m->plane.spills);
    mem_stores_free(m);
    unmap_all(m);
    free(m);
}

void eng_memory_set_host_limit(eng_memory *m, uint64_t bytes) { m->host_limit = bytes; }
void eng_memory_on_release(eng_memory *m, void (*fn)(void *, const eng_allocation *), void *ctx) {
    m->on_release = fn;
    m->release_ctx = ctx;
}

void eng_memory_on_copy_out(eng_memory *m, void (*fn)(void *, const eng_allocation *, uint64_t, uint64_t), void *ctx) {
    m->on_copy_out = fn;
    m->copy_out_ctx = ctx;
}

/* --- accounting ----------------------------------------------------------------------- */

void mem_drop(void *at, uint64_t size) {
    uint64_t from = round_up((uint64_t)(uintptr_t)at, MEM_PAGE);
    uint64_t to = ((uint64_t)(uintptr_t)at + size) / MEM_PAGE * MEM_PAGE;
    if (to > from) madvise((void *)(uintptr_t)from, to - from, MADV_DONTNEED);
}

static bool over_limit(const eng_memory *m, uint64_t more) {
    if (atomic_load(&m->touched_bytes) + more <= m->host_limit) return false;
    struct stat st; /* chunks touched here and there cost less than they count */
    return fstat(m->fd, &st) || (uint64_t)st.st_blocks * 512 + more > m->host_limit;
}

bool mem_touch(eng_memory *m, uint64_t shadow, uint64_t size) {
    const uint64_t chunk = (uint64_t)1 << MEM_CHUNK, first = shadow >> MEM_CHUNK, last = (shadow + size - 1) >> MEM_CHUNK;
    uint64_t more = 0;
    _Atomic uint8_t *touched = (_Atomic uint8_t *)(void *)m->touched;
    for (uint64_t c = first; c <= last; c++)
        if (!atomic_load_explicit(&touched[c], memory_order_relaxed)) more += chunk;
    if (!more) return true;
    if (over_limit(m, more < size ? more : size)) return false;
    for (uint64_t c = first; c <= last; c++)
        if (!atomic_exchange(&touched[c], 1)) atomic_fetch_add(&m->touched_bytes, chunk);
    return true;
}

void mem_untouch(eng_memory *m, uint64_t shadow, uint64_t size) {
    const uint64_t chunk = (uint64_t)1 << MEM_CHUNK;
    for (uint64_t c = round_up(shadow, chunk) >> MEM_CHUNK; c < (shadow + size) >> MEM_CHUNK; c++)
        if (m->touched[c]) {
            m->touched[c] = 0;
            atomic_fetch_sub(&m->touched_bytes, chunk);
        }
}

uint64_t eng_memory_used(const eng_memory *m) { return m->used; }
uint64_t eng_memory_used_of(const eng_memory *m, unsigned device) {
    uint64_t sum = 0;
    for (size_t i = 0; i < m->all.count; i++) {
        const eng_allocation *a = &m->all.at[i]->pub;
        if (!a->freed && a->device == device && a->kind != ENG_ALLOC_PINNED && a->kind != ENG_ALLOC_REGISTERED) sum += round_up(a->size, MEM_ALIGN);
    }
    return sum;
}
uint64_t eng_memory_capacity(const eng_memory *m) { return m->capacity; }
uint64_t eng_memory_touched(const eng_memory *m) { return atomic_load(&m->touched_bytes); }
bool eng_memory_contains(const eng_memory *m, uint64_t address) { return address - m->base < m->span; }
uint64_t eng_memory_range(const eng_memory *m, uint64_t *size) { return *size = m->span, m->base; }

/* --- the table ------------------------------------------------------------------------ */

/* Number of entries that start at or below address. */
static size_t rank(const eng_memory *m, uint64_t address) {
    size_t lo = 0, hi = m->table.count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->table.at[mid]->pub.address <= address) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

mem_alloc *mem_find(const eng_memory *m, uint64_t address, mem_alloc **below) {
    size_t n = rank(m, address);
    mem_alloc *a = n ? m->table.at[n - 1] : NULL;
    if (below) *below = a;
    return a && address < a->end ? a : NULL;
}

const eng_allocation *eng_memory_find(const eng_memory *m, uint64_t address, const eng_allocation **near) {
    mem_alloc *below, *a = mem_find(m, address, &below);
    if (near) *near = below ? &below->pub : NULL;
    return a ? &a->pub : NULL;
}

const eng_allocation *eng_memory_at(const eng_memory *m, size_t i) {
    return i < m->all.count ? &m->all.at[i]->pub : NULL;
}

uint32_t eng_memory_newest(const eng_memory *m) { return (uint32_t)m->all.count; }

static bool enter(eng_memory *m, mem_alloc *a) {
    if (!wg_vec_reserve(&m->all, 1) || !wg_vec_reserve(&m->table, 1)) return false;
    size_t at = rank(m, a->pub.address);
    memmove(m->table.at + at + 1, m->table.at + at, (m->table.count - at) * sizeof *m->table.at);
    m->table.at[at] = a;
    m->table.count++;
    m->all.at[m->all.count++] = a;
    a->pub.id = (uint32_t)m->all.count;
    return true;
}

static void leave(eng_memory *m, mem_alloc *a) {
    size_t at = rank(m, a->pub.address) - 1;
    memmove(m->table.at + at, m->table.at + at + 1, (m->table.count - at - 1) * sizeof *m->table.at);
    m->table.count--;
    a->purged = true;
}

/* A gap of the range between allocations, live or quarantined, that has room. 0: none. */
static uint64_t find_gap(const eng_memory *m, uint64_t need, uint64_t align) {
    uint64_t at = round_up(m->base + MEM_ALIGN, align);
    for (size_t i = 0; i < m->table.count; i++) {
        const mem_alloc *a = m->table.at[i];
        if (!eng_memory_contains(m, a->pub.address)) continue;
        if (a->pub.address >= at && a->pub.address - at >= need) return at;
        if (a->extent > at) at = round_up(a->extent, align);
    }
    return m->next > at && m->next - at >= need ? at : 0;
}

/* Room for `need` bytes: fresh addresses while there are any, then those of the oldest freed allocations. 0: none. */
static uint64_t find_room(eng_memory *m, uint64_t need, uint64_t align) {
    uint64_t at = round_up(m->next, align);
    if (at + need <= m->base + m->span) {
        m->next = at + need;
        return at;
    }
    for (size_t i = 0;; i++) {
        if ((at = find_gap(m, need, align))) return at;
        while (i < m->all.count && (!m->all.at[i]->pub.freed || m->all.at[i]->purged)) i++;
        if (i == m->all.count) return 0;
        leave(m, m->all.at[i]);
    }
}

static const char *kind_name(eng_alloc_kind kind) {
    static const char *const names[] = {"device", "managed", "pinned", "registered", "__device__", "heap"};
    return names[kind];
}

wg_status eng_memory_alloc(eng_memory *m, uint64_t size, eng_alloc_kind kind, const eng_allocation **out, wg_error *err) {
    *out = NULL;
    if (!size) return wg_fail(err, WG_ERR_ARGUMENT, "an allocation of 0 bytes");
    bool on_host = kind == ENG_ALLOC_MANAGED || kind == ENG_ALLOC_PINNED;
    uint64_t cost = kind == ENG_ALLOC_PINNED ? 0 : round_up(size, MEM_ALIGN);
    if (size > m->span || cost > m->capacity - m->used)
        return wg_fail(err, WG_ERR_MEMORY, "device memory is full: %" PRIu64 " bytes asked, %" PRIu64 " of %" PRIu64 " free",
                       size, m->capacity - m->used, m->capacity);
    /* Large allocations own their pages, so that they can be given back; small ones are packed. */
    uint64_t align = on_host || size >= (uint64_t)1 << MEM_CHUNK ? MEM_PAGE : MEM_ALIGN;
    /* An index that runs over by less than the allocation itself finds no other one there. */
    uint64_t gap = min_u64(round_up(size, align), (uint64_t)1 << 20);
    uint64_t address = find_room(m, round_up(size, align) + gap, align);
    if (!address)
        return wg_fail(err, WG_ERR_MEMORY, "no address space left for %" PRIu64 " bytes of device memory", size);
    mem_alloc *a = calloc(1, sizeof *a);
    if (!a) return wg_fail(err, WG_ERR_MEMORY, "no memory for the table of allocations");
    a->pub.address = address;
    a->pub.size = size;
    a->pub.kind = kind;
    a->end = address + size;
    a->extent = address + round_up(size, align) + gap;
    a->shadow = address - m->base;
    if (on_host) {
        if (!mem_touch(m, a->shadow, size)) {
            free(a);
            return wg_fail(err, WG_ERR_MEMORY, "this machine has no room for %" PRIu64 " bytes of %s memory", size,
                           kind_name(kind));
        }
        a->prefix = size; /* the host writes unseen */
        if (mprotect((void *)(uintptr_t)address, round_up(size, MEM_PAGE), PROT_READ | PROT_WRITE)) {
            free(a);
            return wg_fail(err, WG_ERR_MEMORY, "cannot open %s memory to the host: %s", kind_name(kind), strerror(errno));
        }
    }
    if (!enter(m, a)) {
        free(a);
        return wg_fail(err, WG_ERR_MEMORY, "no memory for the table of allocations");
    }
    m->used += cost;
    *out = &a->pub;
    return WG_OK;
}

static void drop_contents(eng_memory *m, mem_alloc *a) {
    uint64_t pages = round_up(a->pub.size, MEM_PAGE);
    bool on_host = a->pub.kind == ENG_ALLOC_MANAGED || a->pub.kind == ENG_ALLOC_PINNED;
    if (on_host) mprotect((void *)(uintptr_t)a->pub.address, pages, PROT_NONE);
    uint64_t from = round_up(a->shadow, MEM_PAGE), to = on_host ? a->shadow + pages : (a->shadow + a->pub.size) / MEM_PAGE * MEM_PAGE;
    if (to > from) fallocate(m->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
    mem_untouch(m, a->shadow, a->pub.size);
    a->prefix = 0;
}

wg_status eng_memory_release(eng_memory *m, uint64_t address, wg_error *err) {
    mem_alloc *below, *a = mem_find(m, address, &below);
    if (!a)
        return wg_fail(err, WG_ERR_ARGUMENT, "0x%" PRIx64 " is no device pointer: nothing was allocated there", address);
    if (a->pub.address != address)
        return wg_fail(err, WG_ERR_ARGUMENT, "0x%" PRIx64 " is %" PRIu64 " bytes inside allocation %u (%" PRIu64
                       " bytes at 0x%" PRIx64 "): free its start", address, address - a->pub.address, a->pub.id,
                       a->pub.size, a->pub.address);
    if (a->pub.freed)
        return wg_fail(err, WG_ERR_ARGUMENT, "allocation %u (%" PRIu64 " bytes at 0x%" PRIx64 ") was freed before", a->pub.id,
                       a->pub.size, address);
    if (a->pub.kind == ENG_ALLOC_REGISTERED)
        return wg_fail(err, WG_ERR_ARGUMENT, "0x%" PRIx64 " is registered host memory: unregister it", address);
    if (m->on_release) m->on_release(m->release_ctx, &a->pub);
    if (a->was_read) mem_reads_clear(&m->plane, a);
    mem_undefine(m, a, 0, a->pub.size);
    drop_contents(m, a);
    a->pub.freed = true;
    if (a->pub.kind != ENG_ALLOC_PINNED) m->used -= round_up(a->pub.size, MEM_ALIGN);
    return WG_OK;
}

wg_status eng_memory_register(eng_memory *m, void *host, uint64_t size, wg_error *err) {
    uint64_t address = (uint64_t)(uintptr_t)host;
    if (!host || !size || address + size < address || eng_memory_contains(m, address) || eng_memory_contains(m, address + size - 1))
        return wg_fail(err, WG_ERR_ARGUMENT, "cannot register %" PRIu64 " bytes at %p: not plain host memory", size, host);
    mem_alloc *below;
    size_t n = rank(m, address + size - 1);
    below = n ? m->table.at[n - 1] : NULL;
    if (below && below->end > address && !below->pub.freed)
        return wg_fail(err, WG_ERR_STATE, "host memory at %p is registered already (%" PRIu64 " bytes at 0x%" PRIx64 ")", host,
                       below->pub.size, below->pub.address);
    while ((n = rank(m, address + size - 1)) && m->table.at[n - 1]->end > address)
        leave(m, m->table.at[n - 1]); /* unregistered before: the host reuses its memory at will */
    uint64_t room = find_room(m, round_up(size + MEM_ALIGN, MEM_ALIGN), MEM_ALIGN);
    mem_alloc *a = room ? calloc(1, sizeof *a) : NULL;
    if (!a) return wg_fail(err, WG_ERR_MEMORY, "no memory to register %" PRIu64 " bytes", size);
    a->pub.address = address;
    a->pub.size = a->prefix = size;
    a->pub.kind = ENG_ALLOC_REGISTERED;
    a->end = a->extent = address + size;
    a->shadow = room - m->base + address % MEM_ALIGN;
    if (!enter(m, a)) {
        free(a);
        return wg_fail(err, WG_ERR_MEMORY, "no memory for the table of allocations");
    }
    return WG_OK;
}

wg_status eng_memory_unregister(eng_memory *m, void *host, wg_error *err) {
    mem_alloc *a = mem_find(m, (uint64_t)(uintptr_t)host, NULL);
    if (!a || a->pub.freed || a->pub.kind != ENG_ALLOC_REGISTERED || a->pub.address != (uint64_t)(uintptr_t)host)
        return wg_fail(err, WG_ERR_ARGUMENT, "host memory at %p is not registered", host);
    if (m->on_release) m->on_release(m->release_ctx, &a->pub);
    if (a->was_read) mem_reads_clear(&m->plane, a);
    a->pub.freed = true;
    return WG_OK;
}

int eng_memory_file(const eng_memory *m, uint64_t address, uint64_t *offset) {
    *offset = address - m->base;
    return m->fd;
}

void eng_memory_set_stack(eng_memory *m, uint64_t address, void *const *stack, unsigned n, bool of_free) {
    mem_alloc *a = mem_find(m, address, NULL);
    void **copy = a && n ? malloc(n * sizeof *copy) : NULL;
    if (!copy) return;
    memcpy(copy, stack, n * sizeof *copy);
    void *const **at = of_free ? &a->pub.free_stack : &a->pub.stack;
    free((void *)(uintptr_t)*at);
    *at = copy;
    *(of_free ? &a->pub.n_free_stack : &a->pub.n_stack) = n;
}

void eng_memory_set_read_only(eng_memory *m, uint64_t address) {
    mem_alloc *a = mem_find(m, address, NULL);
    if (a) a->pub.read_only = true;
}

void eng_memory_set_device(eng_memory *m, uint64_t address, unsigned device) {
    mem_alloc *a = mem_find(m, address, NULL);
    if (a) a->pub.device = (uint8_t)device;
}

void eng_memory_set_open(eng_memory *m, uint64_t address, uint64_t devices) {
    mem_alloc *a = mem_find(m, address, NULL);
    if (a) a->pub.open = devices;
}

void eng_memory_set_name(eng_memory *m, uint64_t address, const char *name) {
    mem_alloc *a = mem_find(m, address, NULL);
    if (!a) return;
    free((void *)(uintptr_t)a->pub.name);
    a->pub.name = name ? strdup(name) : NULL;
}

void eng_memory_set_label(eng_memory *m, uint64_t address, const char *label) {
    mem_alloc *a = mem_find(m, address, NULL);
    if (!a) return;
    free((void *)(uintptr_t)a->pub.label);
    a->pub.label = label ? strdup(label) : NULL;
}

void *eng_memory_host(const eng_memory *m, uint64_t address) {
    const mem_alloc *a = mem_find(m, address, NULL);
    return a ? (void *)(uintptr_t)(address + (uint64_t)mem_host_delta(m, a)) : NULL;
}

bool eng_memory_shared(const eng_memory *m, uint64_t address) {
    const mem_alloc *a = mem_find(m, address, NULL);
    return a && !a->pub.freed && (a->pub.kind == ENG_ALLOC_MANAGED || a->pub.kind == ENG_ALLOC_PINNED);
}

bool eng_memory_permit(eng_memory *m, uint64_t address, uint64_t size, unsigned access) {
    (void)m; /* its view is the program's own */
    int may = (access & ENG_READ ? PROT_READ : 0) | (access & ENG_WRITE ? PROT_WRITE : 0);
    return mprotect((void *)(uintptr_t)address, size, may) == 0;
}
