/* The linker of the driver: PTX or machine code in, one cubin out. What takes nvlink's work (several inputs that refer to each
 * other) is refused by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cudadrv/driver.h"

struct CUlinkState_st {
    wg_arena *arena; /* of the finished cubin */
    img_file *input;
    const uint8_t *cubin;
    size_t size;
    char *errors;    /* the program's buffers; NULL: none */
    size_t errors_room;
};

static wg_u64map states; /* under the runtime's lock */

static CUresult failed(CUlinkState s, const wg_error *err) {
    if (s->errors && s->errors_room) snprintf(s->errors, s->errors_room, "%s", err->text);
    rt_finding("api-error", "error", "the driver's linker failed: %s", err->text);
    return drv_code_error(err->status);
}

/* Enters, with a state that exists. */
static CUresult enter_about(CUlinkState s) {
    CUresult r = drv_ready();
    if (r) return r;
    cudaError_t e = rt_enter();
    if (e) return drv_result(e);
    if (wg_u64map_get(&states, (uintptr_t)s, NULL)) return CUDA_SUCCESS;
    return drv_result(rt_leave(cudaErrorInvalidResourceHandle));
}

static void release(CUlinkState s) {
    if (s->input) img_close(s->input);
    wg_arena_free(s->arena);
    free(s);
}

CUresult cuLinkCreate_v2(unsigned n, CUjit_option *options, void **values, CUlinkState *out) {
    if (!out || (n && (!options || !values))) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_ready();
    if (r) return r;
    cudaError_t e = rt_enter();
    if (e) return drv_result(e);
    CUlinkState s = calloc(1, sizeof *s);
    if (s) s->arena = wg_arena_new();
    if (!s || !s->arena || !wg_u64map_set(&states, (uintptr_t)s, (uintptr_t)s)) {
        if (s) release(s);
        return drv_result(rt_leave(cudaErrorMemoryAllocation));
    }
    for (unsigned i = 0; i < n; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) s->errors = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) s->errors_room = (size_t)(uintptr_t)values[i] & UINT32_MAX;
    }
    *out = s;
    return drv_leave(CUDA_SUCCESS);
}

static CUresult take(CUlinkState s, CUjitInputType type, img_file *file, wg_error *err) {
    if (!err->status && (type > CU_JIT_INPUT_FATBINARY || s->input))
        wg_fail(err, WG_ERR_UNSUPPORTED, s->input ? "it links one input, and this is a second one; link them with nvcc (-dlink) instead"
                                                  : "it takes cubins, PTX and fatbins, no objects, libraries or NVVM code");
    if (err->status) {
        if (file) img_close(file);
        return drv_leave(failed(s, err));
    }
    s->input = file;
    return drv_leave(CUDA_SUCCESS);
}

CUresult cuLinkAddData_v2(CUlinkState s, CUjitInputType type, void *data, size_t size, const char *name, unsigned n,
                          CUjit_option *options, void **values) {
    (void)name, (void)n, (void)options, (void)values;
    if (!data || !size) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = enter_about(s);
    if (r) return r;
    wg_error err = {0};
    img_file *file = NULL;
    img_open_memory(data, size, &file, &err);
    return take(s, type, file, &err);
}

CUresult cuLinkAddFile_v2(CUlinkState s, CUjitInputType type, const char *path, unsigned n, CUjit_option *options, void **values) {
    (void)n, (void)options, (void)values;
    if (!path) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = enter_about(s);
    if (r) return r;
    wg_error err = {0};
    img_file *file = NULL;
    img_open(path, &file, &err);
    return take(s, type, file, &err);
}

CUresult cuLinkComplete(CUlinkState s, void **cubin, size_t *size) {
    if (!cubin) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = enter_about(s);
    if (r) return r;
    if (!s->input) return drv_leave(CUDA_ERROR_INVALID_VALUE);
    const eng_gpu *gpu = rt_gpu();
    wg_error err = {0};
    const img_entry *entry = NULL;
    bool needs_ptxas = false;
    int sm = gpu->major * 10 + gpu->minor;
    wg_status status = img_choose(s->input, 0, sm, &entry, &needs_ptxas, &err);
    if (status == WG_OK && needs_ptxas)
        status = img_assemble(entry, sm, s->arena, &s->cubin, &s->size, &err);
    else if (status == WG_OK)
        s->cubin = entry->data, s->size = entry->size;
    if (status != WG_OK) return drv_leave(failed(s, &err));
    *cubin = (void *)(uintptr_t)s->cubin;
    if (size) *size = s->size;
    return drv_leave(CUDA_SUCCESS);
}

CUresult cuLinkDestroy(CUlinkState s) {
    CUresult r = enter_about(s);
    if (r) return r;
    wg_u64map_remove(&states, (uintptr_t)s);
    release(s);
    return drv_leave(CUDA_SUCCESS);
}
