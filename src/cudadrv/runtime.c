/* The runtime's calls that speak of the driver: libraries, which are the driver's modules, and the driver's functions by
 * name. They stand here because the runtime's face knows nothing of the driver's. */
#include <string.h>

#include "cudadrv/driver.h"
#include "cudadrv/entry.h"
#include "cudart/device.h"

/* --- libraries ------------------------------------------------------------------------------------------- */

/* The driver's answer as the runtime's: the numbers agree, but that a name which is not there is a symbol. */
static cudaError_t answer(CUresult r) {
    return rt_note(r == CUDA_ERROR_NOT_FOUND ? cudaErrorSymbolNotFound : (cudaError_t)r);
}

/* The runtime needs no cuInit. */
static bool ready(cudaError_t *e) {
    *e = rt_enter();
    if (!*e) rt_leave(cudaSuccess);
    return !*e;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, int *options, void **values, unsigned n, int *library_options,
                                void **library_values, unsigned n_library) {
    cudaError_t e;
    if (!ready(&e)) return e;
    return answer(cuLibraryLoadData((CUlibrary *)library, code, (CUjit_option *)options, values, n, library_options, library_values, n_library));
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, int *options, void **values, unsigned n,
                                    int *library_options, void **library_values, unsigned n_library) {
    cudaError_t e;
    if (!ready(&e)) return e;
    return answer(cuLibraryLoadFromFile((CUlibrary *)library, path, (CUjit_option *)options, values, n, library_options, library_values, n_library));
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    return answer(cuLibraryUnload((CUlibrary)library));
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    return answer(cuLibraryGetKernel((CUkernel *)kernel, (CUlibrary)library, name));
}
cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
    return answer(cuLibraryGetKernelCount(count, (CUlibrary)library));
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned n, cudaLibrary_t library) {
    return answer(cuLibraryEnumerateKernels((CUkernel *)kernels, n, (CUlibrary)library));
}

static cudaError_t variable(void **address, size_t *size, cudaLibrary_t library, const char *name,
                            CUresult (*of)(CUdeviceptr *, size_t *, CUlibrary, const char *)) {
    CUdeviceptr at = 0;
    cudaError_t e = answer(of(&at, size, (CUlibrary)library, name));
    if (!e && address) *address = drv_pointer(at);
    return e;
}
cudaError_t cudaLibraryGetGlobal(void **address, size_t *size, cudaLibrary_t library, const char *name) {
    return variable(address, size, library, name, cuLibraryGetGlobal);
}
cudaError_t cudaLibraryGetManaged(void **address, size_t *size, cudaLibrary_t library, const char *name) {
    return variable(address, size, library, name, cuLibraryGetManaged);
}

/* --- the driver's functions by name ---------------------------------------------------------------------- */

static cudaError_t find(const char *name, void **function, int version, unsigned long long flags, bool own_stream,
                        enum cudaDriverEntryPointQueryResult *status) {
    if (!name || !*name || !function || flags > (CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM))
        return rt_note(cudaErrorInvalidValue);
    if (flags) own_stream = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    drv_entry e = drv_entry_of(name, version, own_stream);
    memcpy(function, &e.function, sizeof *function);
    if (status)
        *status = e.function ? cudaDriverEntryPointSuccess
                  : e.known  ? cudaDriverEntryPointVersionNotSufficent
                             : cudaDriverEntryPointSymbolNotFound;
    return rt_note(e.function || status ? cudaSuccess : cudaErrorSymbolNotFound);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status) {
    return find(name, function, (int)version, flags, false, status);
}
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function, unsigned version, unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *status) {
    return find(name, function, (int)version, flags, true, status);
}
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status) {
    return find(name, function, RT_VERSION, flags, false, status);
}
cudaError_t cudaGetDriverEntryPoint_ptsz(const char *name, void **function, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *status) {
    return find(name, function, RT_VERSION, flags, true, status);
}
