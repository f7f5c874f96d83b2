/* Modules and libraries: code that the program hands over while it runs. Both are the runtime's modules, which it gets from
 * the executable instead. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudadrv/driver.h"
#include "cudart/function.h"
#include "cudart/module.h"

/* --- loading --------------------------------------------------------------------------------------------- */

/* A log that the program gave room for gets the text; its size option gets how much was written. */
static void write_log(unsigned n, const CUjit_option *options, void **values, CUjit_option buffer, const char *text) {
    char *at = NULL;
    size_t room = 0, size_option = n;
    for (unsigned i = 0; i < n; i++) {
        if (options[i] == buffer) at = values[i];
        if (options[i] == buffer + 1) room = (size_t)(uintptr_t)values[i] & UINT32_MAX, size_option = i;
    }
    if (!at || !room) return;
    int written = snprintf(at, room, "%s", text);
    values[size_option] = (void *)(uintptr_t)((size_t)written < room ? (size_t)written : room - 1);
}

static CUresult not_loaded(rt_module *module, unsigned n, const CUjit_option *options, void **values) {
    write_log(n, options, values, CU_JIT_ERROR_LOG_BUFFER, module->error.text);
    wg_status status = module->error.status;
    rt_finding("api-error", "error", "a module was not loaded: %s", module->error.text);
    if (module->file) img_close(module->file);
    free(module);
    return drv_leave(drv_code_error(status));
}

/* With the lock held, all the module's kernels are known by name. */
static bool name_functions(rt_module *module) {
    const img_module *image = eng_code_module(module->code);
    for (size_t i = 0; i < image->n_functions; i++) {
        if (!image->functions[i].is_kernel) continue;
        rt_function *fn = rt_module_add_function(module, image->functions[i].name, NULL);
        if (!fn) return false;
        fn->image = &image->functions[i], fn->code = module->code;
    }
    return true;
}

static CUresult load(CUmodule *out, const void *bytes, const char *path, unsigned n, const CUjit_option *options, void **values) {
    if (!out || (!bytes && !path)) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_ready();
    if (r) return r;
    cudaError_t e = rt_enter();
    if (e) return drv_result(e);
    rt_module *module = calloc(1, sizeof *module);
    if (!module) return drv_result(rt_leave(cudaErrorMemoryAllocation));
    module->read = module->loaded = true;
    module->device = rt_current();
    if (path)
        img_open(path, &module->file, &module->error);
    else
        img_open_live(bytes, &module->file, &module->error);
    if (module->file && module->file->n_containers == 0)
        wg_fail(&module->error, WG_ERR_FORMAT, "it holds no code for a GPU");
    if (!module->error.status) ses_load_on(rt.session, module->device, module->file, 0, NULL, &module->code, &module->error);
    if (!module->error.status && (!name_functions(module) || !wg_vec_push(&rt.modules, module)))
        wg_fail(&module->error, WG_ERR_MEMORY, "no memory for a module");
    if (module->error.status) return not_loaded(module, n, options, values);
    write_log(n, options, values, CU_JIT_INFO_LOG_BUFFER, "");
    write_log(n, options, values, CU_JIT_ERROR_LOG_BUFFER, "");
    *out = module;
    return drv_result(rt_leave(cudaSuccess));
}

CUresult cuModuleLoad(CUmodule *module, const char *path) {
    return load(module, NULL, path, 0, NULL, NULL);
}
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    return load(module, image, NULL, 0, NULL, NULL);
}
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, CUjit_option *options, void **values) {
    return load(module, image, NULL, n, options, values);
}
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatbin) {
    return load(module, fatbin, NULL, 0, NULL, NULL);
}
CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values, unsigned n, void *library_options,
                           void **library_values, unsigned n_library) {
    (void)library_options, (void)library_values, (void)n_library; /* whether the binary is copied: it always is */
    return load(library, code, NULL, n, options, values);
}
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options, void **values, unsigned n,
                               void *library_options, void **library_values, unsigned n_library) {
    (void)library_options, (void)library_values, (void)n_library;
    return load(library, NULL, path, n, options, values);
}

/* --- asking ---------------------------------------------------------------------------------------------- */

/* Enters, with a module that is loaded. */
static CUresult enter_about(CUmodule handle, const void *out) {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_ready();
    if (r) return r;
    cudaError_t e = rt_enter();
    if (e) return drv_result(e);
    for (size_t i = 0; i < rt.modules.count; i++)
        if (rt.modules.at[i] == handle && !handle->gone && !rt_module_load(handle)) return CUDA_SUCCESS;
    return drv_result(rt_leave(cudaErrorInvalidResourceHandle));
}

CUresult cuModuleUnload(CUmodule module) {
    CUresult r = enter_about(module, module);
    if (r) return r;
    /* The code stays for the report; the handles end. */
    for (size_t i = 0; i < module->functions.count; i++)
        wg_u64map_remove(&rt.kernels, (uintptr_t)module->functions.at[i]);
    module->gone = true;
    return drv_result(rt_leave(cudaSuccess));
}
CUresult cuLibraryUnload(CUlibrary library) {
    return cuModuleUnload(library);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    CUresult r = enter_about(module, function && name ? function : NULL);
    if (r) return r;
    for (size_t i = 0; i < module->functions.count; i++)
        if (module->functions.at[i]->image && !strcmp(module->functions.at[i]->name, name)) {
            *function = module->functions.at[i];
            return drv_result(rt_leave(cudaSuccess));
        }
    return drv_leave(CUDA_ERROR_NOT_FOUND);
}
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
    return cuModuleGetFunction(kernel, library, name);
}

static CUresult variable(CUdeviceptr *address, size_t *size, CUmodule module, const char *name, bool managed) {
    CUresult r = enter_about(module, name);
    if (r) return r;
    const img_module *image = eng_code_module(module->code);
    for (size_t i = 0; i < image->n_variables; i++) {
        const img_variable *v = &image->variables[i];
        if (strcmp(v->name, name) || (managed && !v->managed)) continue;
        if (address) *address = eng_variable_address(module->code, v);
        if (size) *size = v->size;
        return drv_result(rt_leave(cudaSuccess));
    }
    return drv_leave(CUDA_ERROR_NOT_FOUND);
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size, CUmodule module, const char *name) {
    return variable(address, size, module, name, false);
}
CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *size, CUlibrary library, const char *name) {
    return variable(address, size, library, name, false);
}
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *size, CUlibrary library, const char *name) {
    return variable(address, size, library, name, true);
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
    CUresult r = enter_about(module, count);
    if (r) return r;
    *count = (unsigned)module->functions.count;
    return drv_result(rt_leave(cudaSuccess));
}
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned n, CUmodule module) {
    CUresult r = enter_about(module, functions);
    if (r) return r;
    for (unsigned i = 0; i < n && i < module->functions.count; i++) functions[i] = module->functions.at[i];
    return drv_result(rt_leave(cudaSuccess));
}
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
    return cuModuleGetFunctionCount(count, library);
}
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned n, CUlibrary library) {
    return cuModuleEnumerateFunctions(kernels, n, library);
}
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
    CUresult r = enter_about(library, module);
    if (r) return r;
    *module = library;
    return drv_result(rt_leave(cudaSuccess));
}

/* Modules are loaded when the program asks for them, not when a kernel is first used. */
CUresult cuModuleGetLoadingMode(int *mode) {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    CUresult r = drv_initialized();
    rt_quiet(false);
    if (!r) *mode = 1; /* CU_MODULE_EAGER_LOADING */
    return r;
}
