/* Copies that have an array on a side. Widths and x offsets are bytes here, but for the texels of cudaMemcpy3D. */
#include "cudart/api.h"
#include "cudart/array.h"

typedef struct side { /* of a copy of rows: an array at an offset, or memory with a pitch */
    rt_array *array;
    size_t x, y;
    const void *at;
    size_t pitch;
} side;

static bool find(cudaArray_const_t handle, size_t x, size_t y, side *out) {
    *out = (side){rt_array_of(handle), x, y, NULL, 0};
    return out->array;
}

static bool box_of(const side *s, size_t width, size_t height, rt_box *box) {
    if (s->array) return rt_array_box(s->array, s->x, s->y, 0, width, height, 1, box);
    *box = (rt_box){(uintptr_t)s->at, s->pitch, height};
    return true;
}

static cudaError_t copy_rows(const side *to, const side *from, size_t width, size_t height, enum cudaMemcpyKind kind, rt_stream *s) {
    rt_copy c = {.width = width, .height = height, .depth = 1, .kind = kind};
    if (!box_of(to, width, height, &c.to) || !box_of(from, width, height, &c.from)) return cudaErrorInvalidValue;
    return rt_copy_do(&c, s);
}

typedef struct request { /* handles first, since they are looked up with the lock held */
    cudaArray_const_t to_array, from_array;
    size_t to_x, to_y, from_x, from_y;
    const void *to, *from;
    size_t to_pitch, from_pitch;
    size_t width, height;
    size_t count; /* > 0: so many bytes on from the offset, row after row, instead of width and height */
    enum cudaMemcpyKind kind;
} request;

/* The old calls name a number of bytes: what is left of the first row, whole rows, a last part. */
static cudaError_t copy_count(side *to, side *from, const request *rq, rt_stream *s) {
    size_t left = rq->count;
    while (left) {
        size_t n = left;
        const side *both[] = {to, from};
        for (int i = 0; i < 2; i++) {
            if (!both[i]->array) continue;
            size_t pitch = rt_array_pitch(both[i]->array);
            if (both[i]->x >= pitch) return cudaErrorInvalidValue;
            if (n > pitch - both[i]->x) n = pitch - both[i]->x;
        }
        cudaError_t e = copy_rows(to, from, n, 1, rq->kind, s);
        if (e) return e;
        left -= n;
        side *on[] = {to, from};
        for (int i = 0; i < 2; i++) {
            side *one = on[i];
            if (!one->array)
                one->at = (const char *)one->at + n;
            else if ((one->x += n) == rt_array_pitch(one->array))
                one->x = 0, one->y++;
        }
    }
    return cudaSuccess;
}

static cudaError_t call(const request *rq, cudaStream_t stream, bool wait) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    side to = {.at = rq->to, .pitch = rq->to_pitch}, from = {.at = rq->from, .pitch = rq->from_pitch};
    if ((rq->to_array && !find(rq->to_array, rq->to_x, rq->to_y, &to)) ||
        (rq->from_array && !find(rq->from_array, rq->from_x, rq->from_y, &from)) || (!to.array && !to.at) || (!from.array && !from.at))
        return rt_leave(cudaErrorInvalidValue);
    if (!rq->count && ((!to.array && to.pitch < rq->width) || (!from.array && from.pitch < rq->width)))
        return rt_leave(cudaErrorInvalidPitchValue);
    e = rq->count ? copy_count(&to, &from, rq, s) : copy_rows(&to, &from, rq->width, rq->height, rq->kind, s);
    if (!e && wait) e = rt_stream_wait_call(s);
    return rt_leave(e);
}

/* An array that is NULL is no array, not memory. */
static cudaError_t none(const void *array) {
    return array ? cudaSuccess : rt_note(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
    request rq = {.to_array = to, .to_x = x, .to_y = y, .from = from, .from_pitch = pitch, .width = width, .height = height, .kind = kind};
    return to ? call(&rq, stream, false) : none(to);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind) {
    request rq = {.to_array = to, .to_x = x, .to_y = y, .from = from, .from_pitch = pitch, .width = width, .height = height, .kind = kind};
    return to ? call(&rq, NULL, true) : none(to);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
    request rq = {.from_array = from, .from_x = x, .from_y = y, .to = to, .to_pitch = pitch, .width = width, .height = height, .kind = kind};
    return from ? call(&rq, stream, false) : none(from);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
                                  enum cudaMemcpyKind kind) {
    request rq = {.from_array = from, .from_x = x, .from_y = y, .to = to, .to_pitch = pitch, .width = width, .height = height, .kind = kind};
    return from ? call(&rq, NULL, true) : none(from);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
    request rq = {.to_array = to, .to_x = to_x, .to_y = to_y, .from_array = from, .from_x = from_x, .from_y = from_y,
                  .width = width, .height = height, .kind = kind};
    return to && from ? call(&rq, NULL, false) : none(NULL);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream) {
    request rq = {.to_array = to, .to_x = x, .to_y = y, .from = from, .count = n, .kind = kind};
    return !to ? none(to) : n ? call(&rq, stream, false) : cudaSuccess;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t n, enum cudaMemcpyKind kind) {
    request rq = {.to_array = to, .to_x = x, .to_y = y, .from = from, .count = n, .kind = kind};
    return !to ? none(to) : n ? call(&rq, NULL, true) : cudaSuccess;
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream) {
    request rq = {.from_array = from, .from_x = x, .from_y = y, .to = to, .count = n, .kind = kind};
    return !from ? none(from) : n ? call(&rq, stream, false) : cudaSuccess;
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t n, enum cudaMemcpyKind kind) {
    request rq = {.from_array = from, .from_x = x, .from_y = y, .to = to, .count = n, .kind = kind};
    return !from ? none(from) : n ? call(&rq, NULL, true) : cudaSuccess;
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y,
                                   size_t n, enum cudaMemcpyKind kind) {
    request rq = {.to_array = to, .to_x = to_x, .to_y = to_y, .from_array = from, .from_x = from_x, .from_y = from_y, .count = n, .kind = kind};
    return !to || !from ? none(NULL) : n ? call(&rq, NULL, false) : cudaSuccess;
}

/* --- boxes ------------------------------------------------------------------------------------------------- */

/* One side of a 3-D copy. Positions are in texels of an array, in bytes of memory; the extent is in texels when there is an array on
 * either side (unit: its bytes). */
static cudaError_t box_3d(cudaArray_t handle, const struct cudaPitchedPtr *p, const struct cudaPos *at, struct cudaExtent extent,
                          size_t width, rt_box *box) {
    if (!handle == !p->ptr) return cudaErrorInvalidValue;
    if (!handle) {
        if (width > p->pitch && (extent.height > 1 || extent.depth > 1 || p->pitch)) return cudaErrorInvalidPitchValue;
        *box = (rt_box){(uintptr_t)p->ptr + at->x + (at->z * p->ysize + at->y) * p->pitch, p->pitch, p->ysize};
        return cudaSuccess;
    }
    const rt_array *array = rt_array_of(handle);
    if (!array) return cudaErrorInvalidValue;
    return rt_array_box(array, at->x * array->texel, at->y, at->z, width, extent.height, extent.depth, box) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t rt_copy_of_3d(const struct cudaMemcpy3DParms *p, rt_copy *copy) {
    const rt_array *to = p->dstArray ? rt_array_of(p->dstArray) : NULL, *from = p->srcArray ? rt_array_of(p->srcArray) : NULL;
    if ((p->dstArray && !to) || (p->srcArray && !from) || (to && from && to->texel != from->texel)) return cudaErrorInvalidValue;
    size_t unit = to ? to->texel : from ? from->texel : 1;
    *copy = (rt_copy){.width = p->extent.width * unit, .height = p->extent.height, .depth = p->extent.depth, .kind = p->kind};
    cudaError_t e = box_3d(p->dstArray, &p->dstPtr, &p->dstPos, p->extent, copy->width, &copy->to);
    return e ? e : box_3d(p->srcArray, &p->srcPtr, &p->srcPos, p->extent, copy->width, &copy->from);
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool wait) {
    if (!p) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    rt_copy c;
    if ((e = rt_copy_of_3d(p, &c)) || (e = rt_copy_do(&c, s))) return rt_leave(e);
    return rt_leave(wait ? rt_stream_wait_call(s) : cudaSuccess);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    return copy_3d(p, NULL, true);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    return copy_3d(p, stream, false);
}

static cudaError_t copy_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    if (!p) return rt_note(cudaErrorInvalidValue);
    if (!rt_is_device(p->srcDevice) || !rt_is_device(p->dstDevice)) return rt_note(cudaErrorInvalidDevice);
    struct cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos, p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    return copy_3d(&q, stream, false);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
    return copy_peer(p, NULL);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    return copy_peer(p, stream);
}
