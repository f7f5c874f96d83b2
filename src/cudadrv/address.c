/* Functions by name: cuGetProcAddress. */
#include <string.h>

#include "cudadrv/api.h"
#include "cudadrv/entry.h"

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags,
                             CUdriverProcAddressQueryResult *status) {
    if (!name || !function || flags > (CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM))
        return CUDA_ERROR_INVALID_VALUE;
    drv_entry e = drv_entry_of(name, version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    memcpy(function, &e.function, sizeof *function);
    if (status)
        *status = e.function ? CU_GET_PROC_ADDRESS_SUCCESS
                  : e.known  ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                             : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return e.function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags) {
    CUdriverProcAddressQueryResult status;
    CUresult r = cuGetProcAddress_v2(name, function, version, flags, &status);
    return r ? r : status == CU_GET_PROC_ADDRESS_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* Tables of functions that no document describes: there is none here. */
CUresult cuGetExportTable(const void **table, const CUuuid *id) {
    if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
    *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}
