/* Hints for managed memory: it is the host's own memory, so nothing moves. What was said is kept, for programs that ask. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cudart/api.h"
#include "cudart/memory.h"

enum { PAGE = 4096 }; /* the host's: advice holds for whole pages */

typedef struct said { /* of each byte of a range; places of type cudaMemLocationTypeNone: nothing was said */
    bool read_mostly, by_host;
    uint64_t by_devices; /* bit set */
    struct cudaMemLocation preferred, prefetched;
} said;
_Static_assert(SES_MOST_GPUS <= 64, "a bit for each device");

typedef struct range { uint64_t from, to; said said; } range;

/* Ascending, apart, with nothing between them that anything was said of. With the lock held. */
static wg_vec(range) ranges;

static size_t first_after(uint64_t address) { /* the first range that ends after it */
    size_t low = 0, high = ranges.count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (ranges.at[mid].to > address) high = mid;
        else low = mid + 1;
    }
    return low;
}

static bool insert(size_t at, range r) {
    if (!wg_vec_reserve(&ranges, 1)) return false;
    memmove(ranges.at + at + 1, ranges.at + at, (ranges.count - at) * sizeof r);
    ranges.at[at] = r;
    return ranges.count++, true;
}

/* Afterwards no range lies on both sides of the address. */
static bool split(uint64_t address) {
    size_t i = first_after(address);
    if (i == ranges.count || ranges.at[i].from >= address) return true;
    range left = ranges.at[i];
    left.to = address;
    if (!insert(i, left)) return false;
    ranges.at[i + 1].from = address;
    return true;
}

/* Makes ranges that together are exactly from..to. */
static bool cover(uint64_t from, uint64_t to) {
    if (!split(from) || !split(to)) return false;
    for (size_t i = first_after(from); from < to; i++) {
        uint64_t next = i < ranges.count && ranges.at[i].from < to ? ranges.at[i].from : to;
        if (next > from && !insert(i, (range){.from = from, .to = next})) return false;
        from = ranges.at[i].to;
    }
    return true;
}

void rt_advice_freed(uint64_t address, uint64_t size) {
    if (!ranges.count || !split(address) || !split(address + size)) return;
    size_t from = first_after(address), to = from;
    while (to < ranges.count && ranges.at[to].from < address + size) to++;
    memmove(ranges.at + from, ranges.at + to, (ranges.count - to) * sizeof *ranges.at);
    ranges.count -= to - from;
}

/* The managed allocation that all of the range lies in; NULL: there is none. */
static const eng_allocation *managed(const void *address, size_t size) {
    uint64_t at = (uintptr_t)address;
    if (!at || !size) return NULL;
    const eng_allocation *a = eng_memory_find(rt_memory(), at, NULL);
    if (!a || a->freed || a->kind == ENG_ALLOC_DEVICE || a->kind == ENG_ALLOC_PINNED) return NULL;
    return size <= a->address + a->size - at ? a : NULL;
}

static cudaError_t check_place(const struct cudaMemLocation *where) {
    switch (where->type) {
    case cudaMemLocationTypeDevice:
        return rt_check_device(where->id);
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

/* As it is kept: the simulated machine's host is one node, of number 0, and the host has no number. */
static struct cudaMemLocation kept(struct cudaMemLocation where) {
    if (where.type == cudaMemLocationTypeHostNumaCurrent) where.type = cudaMemLocationTypeHostNuma, where.id = 0;
    if (where.type == cudaMemLocationTypeHost) where.id = 0;
    return where;
}

/* The ranges of the pages that address..address + size touches, none of another allocation: *first to *end - 1. */
static cudaError_t pages(const eng_allocation *a, const void *address, size_t size, size_t *first, size_t *end) {
    uint64_t from = (uintptr_t)address & ~(uint64_t)(PAGE - 1), to = ((uintptr_t)address + size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (from < a->address) from = a->address;
    if (to > a->address + a->size) to = a->address + a->size;
    if (!cover(from, to)) return cudaErrorMemoryAllocation;
    *first = first_after(from), *end = first_after(to - 1) + 1;
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *address, size_t size, struct cudaMemLocation where, unsigned flags, cudaStream_t stream) {
    if (flags) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    const eng_allocation *a = managed(address, size);
    size_t i, end;
    if (!a) return rt_leave(cudaErrorInvalidValue);
    if ((e = check_place(&where)) || (e = pages(a, address, size, &i, &end))) return rt_leave(e);
    for (; i < end; i++) ranges.at[i].said.prefetched = kept(where);
    rt_stream_work(s, 0);
    return rt_leave(cudaSuccess);
}

static void advise(said *s, enum cudaMemoryAdvise advice, struct cudaMemLocation where) {
    uint64_t device = where.type == cudaMemLocationTypeDevice ? UINT64_C(1) << where.id : 0;
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
        s->read_mostly = advice == cudaMemAdviseSetReadMostly;
        break;
    case cudaMemAdviseSetPreferredLocation:
        s->preferred = kept(where);
        break;
    case cudaMemAdviseUnsetPreferredLocation:
        s->preferred = (struct cudaMemLocation){0};
        break;
    case cudaMemAdviseSetAccessedBy:
        s->by_devices |= device;
        s->by_host |= !device;
        break;
    case cudaMemAdviseUnsetAccessedBy:
        s->by_devices &= ~device;
        s->by_host &= device != 0;
        break;
    }
}

cudaError_t cudaMemAdvise(const void *address, size_t size, enum cudaMemoryAdvise advice, struct cudaMemLocation where) {
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    const eng_allocation *a = managed(address, size);
    if (!a) return rt_leave(cudaErrorInvalidValue);
    bool accessed = advice == cudaMemAdviseSetAccessedBy || advice == cudaMemAdviseUnsetAccessedBy;
    if (accessed && where.type != cudaMemLocationTypeDevice && where.type != cudaMemLocationTypeHost) return rt_leave(cudaErrorInvalidValue);
    if ((accessed || advice == cudaMemAdviseSetPreferredLocation) && (e = check_place(&where))) return rt_leave(e);
    size_t i, end;
    if ((e = pages(a, address, size, &i, &end))) return rt_leave(e);
    for (; i < end; i++) advise(&ranges.at[i].said, advice, where);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *address, size_t size, unsigned flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    if (!rt_stream_of(stream)) return rt_leave(cudaErrorInvalidResourceHandle);
    return rt_leave(managed(address, size ? size : 1) ? cudaSuccess : cudaErrorInvalidValue);
}

/* --- asking ---------------------------------------------------------------------------------------------- */

static struct cudaMemLocation same(struct cudaMemLocation a, struct cudaMemLocation b) {
    return a.type == b.type && a.id == b.id ? a : (struct cudaMemLocation){0};
}

/* What holds for every byte of the range. */
static said of_all(uint64_t from, uint64_t to) {
    said all = {0};
    bool begun = false;
    for (size_t i = first_after(from); from < to; i++, begun = true) {
        if (i == ranges.count || ranges.at[i].from > from) return (said){0}; /* of this byte nothing was said */
        const said *s = &ranges.at[i].said;
        if (!begun) all = *s;
        all.read_mostly &= s->read_mostly;
        all.by_host &= s->by_host;
        all.by_devices &= s->by_devices;
        all.preferred = same(all.preferred, s->preferred);
        all.prefetched = same(all.prefetched, s->prefetched);
        from = ranges.at[i].to;
    }
    return all;
}

static int number(struct cudaMemLocation where) { /* as the attributes that know no types of places say it */
    if (where.type == cudaMemLocationTypeNone) return cudaInvalidDeviceId;
    return where.type == cudaMemLocationTypeDevice ? where.id : cudaCpuDeviceId;
}

static void accessed_by(const said *s, int *out, size_t room) {
    size_t n = 0;
    for (unsigned d = 0; d < rt_device_count() && n < room; d++)
        if (s->by_devices >> d & 1) out[n++] = (int)d;
    if (s->by_host && n < room) out[n++] = cudaCpuDeviceId;
    while (n < room) out[n++] = cudaInvalidDeviceId;
}

static cudaError_t answer(const said *s, enum cudaMemRangeAttribute attribute, int *out, size_t size) {
    if (!out || !size || size % sizeof *out || (size != sizeof *out && attribute != cudaMemRangeAttributeAccessedBy)) return cudaErrorInvalidValue;
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        return *out = s->read_mostly, cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
        return *out = number(s->preferred), cudaSuccess;
    case cudaMemRangeAttributeAccessedBy:
        return accessed_by(s, out, size / sizeof *out), cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation:
        return *out = number(s->prefetched), cudaSuccess;
    case cudaMemRangeAttributePreferredLocationType:
        return *out = (int)s->preferred.type, cudaSuccess;
    case cudaMemRangeAttributePreferredLocationId:
        return *out = s->preferred.id, cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        return *out = (int)s->prefetched.type, cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationId:
        return *out = s->prefetched.id, cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes, size_t n, const void *address,
                                      size_t size) {
    if (!data || !sizes || !attributes || !n) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    if (!managed(address, size)) return rt_leave(cudaErrorInvalidValue);
    said all = of_all((uintptr_t)address, (uintptr_t)address + size);
    for (size_t i = 0; i < n && !e; i++) e = answer(&all, attributes[i], data[i], sizes[i]);
    return rt_leave(e);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_size, enum cudaMemRangeAttribute attribute, const void *address, size_t size) {
    return cudaMemRangeGetAttributes(&data, &data_size, &attribute, 1, address, size);
}
