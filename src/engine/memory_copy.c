/* Copies and fills from the host's side. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/memory_inner.h"

static uint8_t *host_of(const eng_memory *m, const mem_alloc *a, uint64_t at) {
    return (uint8_t *)(uintptr_t)(a->pub.address + at + (uint64_t)mem_host_delta(m, a));
}

/* Memory as the host names it. What lies in the range is shared: the program's own view of it may be shut (eng_memory_permit). */
static uint8_t *host_view(const eng_memory *m, uint64_t address) {
    return (uint8_t *)(uintptr_t)(eng_memory_contains(m, address) ? address + (uint64_t)m->alias : address);
}

/* The live allocation that holds the whole range; *at gets the range's place in it. */
static wg_status check_device(const eng_memory *m, const char *what, uint64_t address, uint64_t size, mem_alloc **out,
                              uint64_t *at, wg_error *err) {
    mem_alloc *below, *a = mem_find(m, address, &below);
    *out = a;
    if (!a) {
        if (below && below->end == address && !below->pub.freed)
            return wg_fail(err, WG_ERR_ARGUMENT, "%s 0x%" PRIx64 " is just behind allocation %u (%" PRIu64 " bytes at 0x%" PRIx64 ")",
                           what, address, below->pub.id, below->pub.size, below->pub.address);
        return wg_fail(err, WG_ERR_ARGUMENT, "%s 0x%" PRIx64 " is no device pointer: nothing was allocated there", what, address);
    }
    if (a->pub.freed)
        return wg_fail(err, WG_ERR_ARGUMENT, "%s 0x%" PRIx64 " is in allocation %u (%" PRIu64 " bytes at 0x%" PRIx64
                       "), which was freed", what, address, a->pub.id, a->pub.size, a->pub.address);
    if (size > a->end - address)
        return wg_fail(err, WG_ERR_ARGUMENT, "%s 0x%" PRIx64 ": %" PRIu64 " bytes, but allocation %u (%" PRIu64
                       " bytes at 0x%" PRIx64 ") ends after %" PRIu64, what, address, size, a->pub.id, a->pub.size,
                       a->pub.address, a->end - address);
    *at = address - a->pub.address;
    return WG_OK;
}

/* A host range must not be memory of the device that the host cannot reach. */
static wg_status check_host(const eng_memory *m, const char *what, uint64_t address, uint64_t size, wg_error *err) {
    if (!address) return wg_fail(err, WG_ERR_ARGUMENT, "%s is a null pointer", what);
    if (!eng_memory_contains(m, address)) return WG_OK;
    mem_alloc *a;
    uint64_t at;
    wg_status status = check_device(m, what, address, size, &a, &at, err);
    if (status) return status;
    if (a->pub.kind != ENG_ALLOC_PINNED && a->pub.kind != ENG_ALLOC_MANAGED)
        return wg_fail(err, WG_ERR_ARGUMENT, "%s 0x%" PRIx64 " is a device pointer (allocation %u); the host cannot reach it",
                       what, address, a->pub.id);
    return WG_OK;
}

static wg_status touch(eng_memory *m, const mem_alloc *a, uint64_t at, uint64_t size, wg_error *err) {
    if (a->pub.kind == ENG_ALLOC_REGISTERED || mem_touch(m, a->shadow + at, size)) return WG_OK;
    return wg_fail(err, WG_ERR_MEMORY, "this machine has no room to hold %" PRIu64 " more bytes of device memory (%" PRIu64
                   " are in use)", size, eng_memory_touched(m));
}

static void from_device(const eng_memory *m, const mem_alloc *a, uint64_t at, uint64_t size, uint8_t *to) {
    for (uint64_t end = at + size; at < end;) {
        bool held;
        uint64_t stop = mem_held_run(m, a, at, end, &held), n = stop - at;
        if (held) memmove(to, host_of(m, a, at), n);
        else mem_pattern(to, a->pub.address + at, n);
        to += n;
        at = stop;
    }
}

static void between(eng_memory *m, mem_alloc *dst, uint64_t to, const mem_alloc *src, uint64_t from, uint64_t size) {
    for (uint64_t end = from + size; from < end;) {
        bool set;
        uint64_t stop = mem_defined_run(m, src, from, end, &set), n = stop - from;
        if (set) {
            memcpy(host_of(m, dst, to), host_of(m, src, from), n);
            mem_define(m, dst, to, n);
        } else if (dst->pub.kind == ENG_ALLOC_REGISTERED || dst->pub.kind == ENG_ALLOC_PINNED || dst->pub.kind == ENG_ALLOC_MANAGED) {
            from_device(m, src, from, n, host_of(m, dst, to)); /* the host may look at it */
        } else {
            mem_undefine(m, dst, to, n);
            mem_copy_stored(m, dst, to, src, from, n);
            if (m->stores) from_device(m, src, from, n, host_of(m, dst, to));
        }
        to += n;
        from = stop;
    }
}

/* Overlapping copies have no defined result; this one is as if the source had been read first. */
static wg_status overlapping(eng_memory *m, mem_alloc *a, uint64_t to, uint64_t from, uint64_t size, wg_error *err) {
    uint8_t *copy = malloc(size);
    if (!copy) return wg_fail(err, WG_ERR_MEMORY, "no memory for an overlapping copy of %" PRIu64 " bytes", size);
    from_device(m, a, from, size, copy);
    memcpy(host_of(m, a, to), copy, size);
    mem_define(m, a, to, size);
    free(copy);
    return WG_OK;
}

wg_status eng_memory_copy(eng_memory *m, uint64_t dst, uint64_t src, uint64_t size, eng_copy_kind kind, wg_error *err) {
    mem_alloc *to = NULL, *from = NULL;
    uint64_t to_at = 0, from_at = 0;
    if (!size) return WG_OK;
    bool to_device = kind == ENG_HOST_TO_DEVICE || kind == ENG_DEVICE_TO_DEVICE;
    bool from_dev = kind == ENG_DEVICE_TO_HOST || kind == ENG_DEVICE_TO_DEVICE;
    wg_status status = to_device ? check_device(m, "destination", dst, size, &to, &to_at, err)
                                 : check_host(m, "destination", dst, size, err);
    if (!status)
        status = from_dev ? check_device(m, "source", src, size, &from, &from_at, err) : check_host(m, "source", src, size, err);
    if (!status && to_device) status = touch(m, to, to_at, size, err);
    if (status) return status;
    if (kind == ENG_HOST_TO_DEVICE) {
        memmove(host_of(m, to, to_at), host_view(m, src), size);
        mem_define(m, to, to_at, size);
    } else if (kind == ENG_DEVICE_TO_HOST) {
        from_device(m, from, from_at, size, host_view(m, dst));
        if (m->on_copy_out) m->on_copy_out(m->copy_out_ctx, &from->pub, from_at, size);
    } else if (kind == ENG_HOST_TO_HOST) {
        memmove(host_view(m, dst), host_view(m, src), size);
    } else if (to == from && to_at < from_at + size && from_at < to_at + size) {
        return overlapping(m, to, to_at, from_at, size, err);
    } else {
        between(m, to, to_at, from, from_at, size);
    }
    return WG_OK;
}

wg_status eng_memory_fill(eng_memory *m, uint64_t dst, const void *value, size_t width, uint64_t count, wg_error *err) {
    mem_alloc *a;
    uint64_t at;
    if (!count) return WG_OK;
    if (width != 1 && width != 2 && width != 4)
        return wg_fail(err, WG_ERR_ARGUMENT, "a fill of elements of %zu bytes: 1, 2 or 4", width);
    if (count > UINT64_MAX / width) return wg_fail(err, WG_ERR_ARGUMENT, "a fill of %" PRIu64 " elements", count);
    wg_status status = check_device(m, "destination", dst, count * width, &a, &at, err);
    if (!status) status = touch(m, a, at, count * width, err);
    if (status) return status;
    uint8_t *to = host_of(m, a, at);
    const uint8_t *v = value;
    bool same = true;
    for (size_t i = 1; i < width; i++) same &= v[i] == v[0];
    if (same) {
        memset(to, v[0], count * width);
    } else {
        memcpy(to, v, width);
        for (uint64_t done = width, all = count * width; done < all;) { /* doubling */
            uint64_t n = done < all - done ? done : all - done;
            n = n > 1 << 16 ? 1 << 16 : n; /* from cache; a multiple of the width, as done is */
            memcpy(to + done, to, n);
            done += n;
        }
    }
    mem_define(m, a, at, count * width);
    return WG_OK;
}
