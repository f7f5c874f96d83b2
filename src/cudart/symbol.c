/* Copies to and from __device__ and __constant__ variables. */
#include <string.h>

#include "cudart/api.h"
#include "cudart/memory.h"
#include "cudart/module.h"

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
    rt_box in = {eng_variable_address(var->code, var->image) + offset, n, 1}, out = {(uintptr_t)other, n, 1};
    rt_copy c = {to_symbol ? in : out, to_symbol ? out : in, n, 1, 1, kind};
    if ((e = rt_copy_do(&c, s))) return rt_leave(e);
    return rt_leave(wait ? rt_stream_wait_call(s) : cudaSuccess);
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
