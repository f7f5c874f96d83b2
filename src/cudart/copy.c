/* Copies and fills: one row, rows with a pitch, boxes. A 1-D copy is a box of one row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/api.h"
#include "cudart/memory.h"
#include "cudart/work.h"

/* The model of a copy's time: the link between host and device (PCI Express 4, 16 lanes, as measured on
 * pinned memory), the device's own memory, and what it takes to start. */
static const double LINK_BYTES_PER_NS = 25, START_NS = 1500;

static double copy_ns(size_t bytes, bool to_device, bool from_device) {
    double moved = (double)bytes;
    if (to_device && from_device) return START_NS + 2 * moved * 1e9 / rt_gpu()->bandwidth;
    return START_NS + moved / LINK_BYTES_PER_NS;
}

/* Where an address is: only the device's, only the host's, or both (managed, pinned, registered). */
enum { ON_HOST = 1, ON_DEVICE = 2 };
static unsigned side(uint64_t address) {
    const eng_memory *mem = rt_memory();
    const eng_allocation *a = eng_memory_find(mem, address, NULL);
    if (!a || a->freed) return eng_memory_contains(mem, address) ? ON_DEVICE : ON_HOST;
    bool shared =
        a->kind == ENG_ALLOC_MANAGED || a->kind == ENG_ALLOC_PINNED || a->kind == ENG_ALLOC_REGISTERED;
    return shared ? ON_HOST | ON_DEVICE : ON_DEVICE;
}

static const char *direction_name(enum cudaMemcpyKind kind) {
    static const char *const names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                        "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                        "cudaMemcpyDefault"};
    return names[kind];
}

/* The direction must fit the pointers; *as gets what is really copied. */
static cudaError_t direct(const rt_copy *c, eng_copy_kind *as) {
    if ((unsigned)c->kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    unsigned to = side(c->to.address), from = side(c->from.address);
    bool to_device = c->kind == cudaMemcpyHostToDevice || c->kind == cudaMemcpyDeviceToDevice;
    bool from_device = c->kind == cudaMemcpyDeviceToHost || c->kind == cudaMemcpyDeviceToDevice;
    if (c->kind == cudaMemcpyDefault) to_device = to & ON_DEVICE, from_device = from & ON_DEVICE;
    const char *wrong = NULL;
    if (!(to & (to_device ? ON_DEVICE : ON_HOST)))
        wrong = to_device ? "the destination is host memory" : "the destination is device memory";
    if (!(from & (from_device ? ON_DEVICE : ON_HOST)))
        wrong = from_device ? "the source is host memory" : "the source is device memory";
    if (wrong) {
        rt_finding("api-error", "error", "a copy of %zu bytes from %#llx to %#llx says %s, but %s",
                   c->width * c->height * c->depth, (unsigned long long)c->from.address,
                   (unsigned long long)c->to.address, direction_name(c->kind), wrong);
        return cudaErrorInvalidValue;
    }
    *as = to_device     ? from_device ? ENG_DEVICE_TO_DEVICE : ENG_HOST_TO_DEVICE
          : from_device ? ENG_DEVICE_TO_HOST
                        : ENG_HOST_TO_HOST;
    return cudaSuccess;
}

static uint64_t row_of(const rt_box *box, size_t y, size_t z) {
    return box->address + (z * box->rows + y) * box->pitch;
}

/* A copy or fill that does not fit its memory: freed, or too small. */
static void refused(uint64_t to, uint64_t from, const char *where, const char *why) {
    const eng_allocation *d = eng_memory_find(rt_memory(), to, NULL), *s = from ? eng_memory_find(rt_memory(), from, NULL) : NULL;
    bool freed = (d && d->freed) || (s && s->freed);
    uint64_t about = s && (s->freed || !d) ? from : d && (d->freed || !s) ? to : s && side(from) & ON_DEVICE && !(side(to) & ON_DEVICE) ? from : to;
    rt_finding_about(about, freed ? "use-after-free" : "api-error", "error", "%s%s", where, why);
}

/* Tells the session what a copy or fill touches, for races with other streams. from: NULL for a fill. */
static void order(rt_stream *stream, const char *call, const rt_box *to, const rt_box *from, size_t width, size_t height, size_t depth) {
    if (!ses_order_kept(rt.session)) return;
    size_t rows = height * depth;
    ses_range *ranges = calloc(2 * rows, sizeof *ranges);
    void *frames[RT_STACK_FRAMES];
    if (!ranges) return;
    for (size_t k = 0; k < rows; k++) {
        ranges[k] = (ses_range){.address = row_of(to, k % height, k / height), .size = width, .writes = true};
        if (from) ranges[rows + k] = (ses_range){.address = row_of(from, k % height, k / height), .size = width};
    }
    rt_stream_order(stream);
    ses_order_ranges(rt.session, rt_timeline(stream), call, ranges, from ? 2 * rows : rows, frames, rt_stack(frames));
    free(ranges);
}

cudaError_t rt_copy_box(const rt_copy *copy, rt_stream *stream) {
    rt_copy c = *copy;
    if (!c.width || !c.height || !c.depth) return cudaSuccess;
    if (!c.to.address || !c.from.address) return cudaErrorInvalidValue;
    if (c.height * c.depth > 1 && (c.to.pitch < c.width || c.from.pitch < c.width))
        return cudaErrorInvalidPitchValue;
    eng_copy_kind as;
    cudaError_t e = direct(&c, &as);
    if (e) return e;
    size_t bytes = c.width * c.height * c.depth;
    /* Rows without gaps on either side are one long row. */
    if (c.to.pitch == c.width && c.from.pitch == c.width &&
        (c.depth == 1 || (c.to.rows == c.height && c.from.rows == c.height)))
        c.width = bytes, c.height = c.depth = 1;
    for (size_t z = 0; z < c.depth; z++)
        for (size_t y = 0; y < c.height; y++) {
            wg_error err = {0};
            wg_status status =
                eng_memory_copy(rt_memory(), row_of(&c.to, y, z), row_of(&c.from, y, z), c.width, as, &err);
            if (status == WG_OK) continue;
            char row[80] = "";
            if (c.height * c.depth > 1) snprintf(row, sizeof row, "row %zu of %zu, of %zu bytes each: ", z * c.height + y, c.height * c.depth, c.width);
            refused(row_of(&c.to, y, z), row_of(&c.from, y, z), row, err.text);
            return rt_error_of(status);
        }
    order(stream, "cudaMemcpy", &c.to, &c.from, c.width, c.height, c.depth);
    /* Into memory that the driver does not know, it comes back when all is there. */
    if (as == ENG_DEVICE_TO_HOST && side(c.to.address) == ON_HOST && !stream->branch) ses_order_after(rt.session, SES_HOST, rt_timeline(stream));
    rt_stream_work(stream, copy_ns(bytes, as == ENG_HOST_TO_DEVICE || as == ENG_DEVICE_TO_DEVICE,
                                   as == ENG_DEVICE_TO_HOST || as == ENG_DEVICE_TO_DEVICE));
    return cudaSuccess;
}

/* As the program would have asked for it: a graph's node says so when it is asked. */
static struct cudaPitchedPtr pitched(const rt_box *box, size_t width) {
    return (struct cudaPitchedPtr){(void *)(uintptr_t)box->address, box->pitch, width, box->rows};
}

cudaError_t rt_copy_do(const rt_copy *copy, rt_stream *stream) {
    rt_work work = {.type = cudaGraphNodeTypeMemcpy, .copy = {.box = *copy}};
    work.copy.asked = (struct cudaMemcpy3DParms){.srcPtr = pitched(&copy->from, copy->width),
                                                 .dstPtr = pitched(&copy->to, copy->width),
                                                 .extent = {copy->width, copy->height, copy->depth},
                                                 .kind = copy->kind};
    return rt_work_put(&work, stream);
}

/* Enters, copies, and waits where the call does. */
static cudaError_t copy_call(const rt_copy *copy, cudaStream_t stream, bool wait) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    if ((e = rt_copy_do(copy, s))) return rt_leave(e);
    return rt_leave(wait ? rt_stream_wait_call(s) : cudaSuccess);
}

static rt_copy plain(void *to, const void *from, size_t n, enum cudaMemcpyKind kind) {
    return (rt_copy){{(uintptr_t)to, n, 1}, {(uintptr_t)from, n, 1}, n, 1, 1, kind};
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind) {
    rt_copy c = plain(to, from, n, kind);
    return copy_call(&c, NULL, true);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    rt_copy c = plain(to, from, n, kind);
    return copy_call(&c, stream, false);
}

/* Each copy has its attributes: those of the last entry that begins at or before it. */
static bool attributes_hold(const struct cudaMemcpyAttributes *attributes, const size_t *first, size_t n, size_t count) {
    if (!attributes || !first || !n || n > count || first[0]) return false;
    for (size_t i = 0; i < n; i++) {
        const struct cudaMemcpyAttributes *a = &attributes[i];
        if ((i && first[i] <= first[i - 1]) || first[i] >= count) return false;
        if (a->srcAccessOrder < cudaMemcpySrcAccessOrderStream || a->srcAccessOrder > cudaMemcpySrcAccessOrderAny) return false;
        if (a->flags & ~(unsigned)cudaMemcpyFlagPreferOverlapWithCompute) return false;
    }
    return true;
}

/* One by one, which is one of the orders that a batch may run in; the hints change nothing here. */
cudaError_t rt_copy_batch(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                          const struct cudaMemcpyAttributes *attributes, const size_t *first, size_t n, size_t *failed, cudaStream_t stream) {
    if (failed) *failed = SIZE_MAX; /* no copy of its own */
    if (!to || !from || !sizes || !count || !attributes_hold(attributes, first, n, count)) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    if (s->legacy) {
        rt_finding("api-error", "error", "a batch of %zu copies on the legacy default stream, which takes none", count);
        return rt_leave(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < count; i++) {
        rt_copy c = plain(to[i], from[i], sizes[i], cudaMemcpyDefault);
        if (!(e = rt_copy_do(&c, s))) continue;
        if (failed) *failed = i;
        break;
    }
    return rt_leave(e);
}

cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *first, size_t n, cudaStream_t stream) {
    return rt_copy_batch(to, from, sizes, count, attributes, first, n, NULL, stream);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t n) {
    if (!rt_is_device(to_device) || !rt_is_device(from_device)) return rt_note(cudaErrorInvalidDevice);
    return cudaMemcpy(to, from, n, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t n,
                                cudaStream_t stream) {
    if (!rt_is_device(to_device) || !rt_is_device(from_device)) return rt_note(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, stream);
}

static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                             size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
    if (width > to_pitch || width > from_pitch) return rt_note(cudaErrorInvalidPitchValue);
    rt_copy c = {
        {(uintptr_t)to, to_pitch, height}, {(uintptr_t)from, from_pitch, height}, width, height, 1, kind};
    return copy_call(&c, stream, wait);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind) {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, NULL, true);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream, false);
}

/* --- fills -----------------------------------------------------------------------------------------------
 */

cudaError_t rt_fill_run(const rt_fill *f, rt_stream *stream) {
    size_t bytes = f->width * f->height * f->depth, width = f->width, height = f->height, depth = f->depth;
    if (!bytes) return cudaSuccess;
    if (!f->to.address || !(side(f->to.address) & ON_DEVICE)) {
        rt_finding("api-error", "error", "a memset of %zu bytes at %#llx, which is not device memory", bytes,
                   (unsigned long long)f->to.address);
        return cudaErrorInvalidValue;
    }
    if (f->to.pitch == width && (depth == 1 || f->to.rows == height)) width = bytes, height = depth = 1;
    uint32_t value = f->value; /* little endian: its first bytes are the narrower values */
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++) {
            wg_error err = {0};
            wg_status status = eng_memory_fill(rt_memory(), row_of(&f->to, y, z), &value, f->element, width / f->element, &err);
            if (status == WG_OK) continue;
            refused(row_of(&f->to, y, z), 0, "", err.text);
            return rt_error_of(status);
        }
    order(stream, "cudaMemset", &f->to, NULL, width, height, depth);
    rt_stream_work(stream, START_NS + (double)bytes * 1e9 / rt_gpu()->bandwidth);
    return cudaSuccess;
}

static cudaError_t fill(void *to, size_t pitch, size_t rows, int value, struct cudaExtent extent, cudaStream_t stream) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    rt_work work = {.type = cudaGraphNodeTypeMemset,
                    .fill = {{(uintptr_t)to, pitch, rows}, (uint8_t)value, 1, extent.width, extent.height, extent.depth}};
    return rt_leave(rt_work_put(&work, s));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t n, cudaStream_t stream) {
    return fill(to, n, 1, value, (struct cudaExtent){n, 1, 1}, stream);
}

cudaError_t rt_filled(cudaError_t error, const void *to, cudaStream_t stream) {
    cudaError_t e = error ? error : rt_enter();
    if (e) return e;
    rt_stream *s = side((uintptr_t)to) & ON_HOST ? rt_stream_of(stream) : NULL;
    if (s && !s->capture) rt_stream_wait(s);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaMemset(void *to, int value, size_t n) {
    return rt_filled(cudaMemsetAsync(to, value, n, NULL), to, NULL);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    if (width > pitch) return rt_note(cudaErrorInvalidPitchValue);
    return fill(to, pitch, height, value, (struct cudaExtent){width, height, 1}, stream);
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    return rt_filled(cudaMemset2DAsync(to, pitch, value, width, height, NULL), to, NULL);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                              cudaStream_t stream) {
    if (extent.width > to.pitch) return rt_note(cudaErrorInvalidPitchValue);
    return fill(to.ptr, to.pitch, to.ysize, value, extent, stream);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent) {
    return rt_filled(cudaMemset3DAsync(to, value, extent, NULL), to.ptr, NULL);
}
