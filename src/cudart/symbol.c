/* Copies to and from __device__ and __constant__ variables. */
#include <string.h>

#include "cudart/api.h"
#include "cudart/memory.h"
#include "cudart/module.h"

/* Constant memory lies outside the device's address range; to the copies it is host memory. */
static uint64_t address_of(const rt_variable *var, bool *constant) {
    *constant = var->image->space == IMG_CONSTANT;
    if (*constant) return (uintptr_t)eng_constant(var->code, var->image);
    return eng_variable_address(var->code, var->image);
}

/* A direction that names the device for the symbol's side names the host where the symbol is a constant. */
static enum cudaMemcpyKind for_constant(enum cudaMemcpyKind kind, bool to_symbol) {
    if (kind == cudaMemcpyDefault) return kind;
    bool other_on_device = kind == cudaMemcpyDeviceToDevice;
    if (to_symbol) return other_on_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
    return other_on_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}

static cudaError_t copy_symbol(const void *symbol, void *other, size_t n, size_t offset,
                               enum cudaMemcpyKind kind, bool to_symbol, cudaStream_t stream, bool wait) {
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    rt_variable *var = NULL;
    if ((e = rt_variable_of(symbol, &var))) return rt_leave(e);
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault &&
        kind != (to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost))
        return rt_leave(cudaErrorInvalidMemcpyDirection);
    if (n > var->image->size || offset > var->image->size - n) {
        rt_finding("api-error", "error",
                   "a copy of %zu bytes at offset %zu %s symbol %s, which has %u bytes", n, offset,
                   to_symbol ? "to" : "from", var->image->demangled, var->image->size);
        return rt_leave(cudaErrorInvalidValue);
    }
    bool constant;
    rt_box in = {address_of(var, &constant) + offset, n, 1}, out = {(uintptr_t)other, n, 1};
    if (constant) kind = for_constant(kind, to_symbol);
    rt_copy c = {to_symbol ? in : out, to_symbol ? out : in, n, 1, 1, kind};
    e = rt_copy_box(&c, s);
    if (wait) rt_stream_wait(s);
    return rt_leave(e);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t offset,
                               enum cudaMemcpyKind kind) {
    return copy_symbol(symbol, (void *)(uintptr_t)from, n, offset, kind, true, NULL, true);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol(symbol, (void *)(uintptr_t)from, n, offset, kind, true, stream, false);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n, size_t offset,
                                 enum cudaMemcpyKind kind) {
    return copy_symbol(symbol, to, n, offset, kind, false, NULL, true);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t n, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol(symbol, to, n, offset, kind, false, stream, false);
}
