/* How a call of the driver's face enters and leaves. The driver's face stands on the runtime's: one device, one lock, one set
 * of tables, so that programs may mix the two. What the driver has of its own is cuInit, the stack of contexts, and that its
 * errors are not the runtime's (cudaGetLastError never sees them). */
#ifndef WG_CUDADRV_DRIVER_H
#define WG_CUDADRV_DRIVER_H

#include "cudadrv/api.h"
#include "cudart/context.h"

/* cuInit was called, and a context that lives is current. From then until drv_result the runtime's functions keep no error of
 * this thread. */
CUresult drv_ready(void);
/* The same for a call on a stream: one that the program made brings its context along, so none need be current. */
CUresult drv_ready_on(CUstream stream);
/* The same where no context is needed. */
CUresult drv_initialized(void);
/* The driver's name for what the runtime's functions answered. */
CUresult drv_result(cudaError_t error);

/* The end of a call that entered with rt_enter and has an answer of the driver's own. */
CUresult drv_leave(CUresult result);
/* Why code was not read, loaded or linked. */
CUresult drv_code_error(wg_status status);

/* The body of a call that the runtime has too. */
#define DRV_CALL(call)                     \
    do {                                   \
        CUresult drv_not = drv_ready();    \
        if (drv_not) return drv_not;       \
        return drv_result(call);           \
    } while (0)
#define DRV_CALL_ON(stream, call)                  \
    do {                                           \
        CUresult drv_not = drv_ready_on(stream);   \
        if (drv_not) return drv_not;               \
        return drv_result(call);                   \
    } while (0)
#define DRV_CALL_ANYWHERE(call)                \
    do {                                       \
        CUresult drv_not = drv_initialized();  \
        if (drv_not) return drv_not;           \
        return drv_result(call);               \
    } while (0)

static inline void *drv_pointer(CUdeviceptr p) { return (void *)(uintptr_t)p; }
/* The stream of a _ptsz or _ptds call. */
static inline CUstream drv_own_stream(CUstream s) { return s ? s : cudaStreamPerThread; }

/* The context that calls of this thread mean; NULL: none. */
CUcontext drv_current(void);
bool drv_context_lives(CUcontext context);
/* The runtime's form of a copy (copy.c), between drv_ready and drv_result. */
CUresult drv_copy_of(const CUDA_MEMCPY3D *copy, struct cudaMemcpy3DParms *out);
/* A public call that is not implemented: a finding that names it, once a name, and CUDA_ERROR_NOT_SUPPORTED. */
CUresult drv_unsupported(const char *call);

#endif
