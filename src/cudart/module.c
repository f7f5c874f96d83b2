#include "cudart/module.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/api.h"
#include "cudart/shared.h"

void rt_module_offer(session *ses, rt_module *module) {
    if (module->read) return;
    module->read = true;
    if (module->wrapper) img_open_wrapper(module->wrapper, &module->file, &module->error);
    if (module->file) ses_offer(ses, module->file);
}

static const img_variable *find_variable(const img_module *image, const char *name) {
    for (size_t i = 0; i < image->n_variables; i++)
        if (!strcmp(image->variables[i].name, name)) return &image->variables[i];
    return NULL;
}

static void bind_function(rt_function *fn) {
    if (fn->image || !fn->module->code) return;
    fn->image = img_find_function(eng_code_module(fn->module->code), fn->name);
    fn->code = fn->module->code;
}

static void bind_variable(rt_variable *var) {
    if (var->image || !var->module->code) return;
    var->image = find_variable(eng_code_module(var->module->code), var->name);
    var->code = var->module->code;
    if (!var->image || !var->managed) return;
    *var->managed = (void *)(uintptr_t)eng_variable_address(var->code, var->image);
    rt_shared_begin();
}

cudaError_t rt_module_load(rt_module *module) {
    if (!module->loaded) {
        module->loaded = true;
        rt_module_offer(rt.session, module);
        if (module->file && module->file->n_containers == 0)
            wg_fail(&module->error, WG_ERR_NOT_FOUND, "the program registered a fatbin that holds no code");
        /* A linked (-rdc) wrapper holds the linked code in its first container; the rest are what it was made
         * of. */
        if (!module->error.status)
            ses_load_on(rt.session, module->device, module->file, 0, module->first ? module->first->code : NULL, &module->code, &module->error);
        for (size_t i = 0; i < module->functions.count; i++) bind_function(module->functions.at[i]);
        for (size_t i = 0; i < module->variables.count; i++) bind_variable(module->variables.at[i]);
    }
    return rt_error_of(module->error.status);
}

cudaError_t rt_module_load_managed(void) {
    for (size_t i = 0; i < rt.modules.count; i++) {
        rt_module *module = rt.modules.at[i];
        for (size_t k = 0; k < module->variables.count && !module->loaded; k++)
            if (module->variables.at[k]->managed) rt_module_load(module);
    }
    return cudaSuccess;
}

/* --- on other devices: the same file once more, with functions and variables of the same names ------------- */

static rt_module *again(rt_module *first) {
    rt_module *module = calloc(1, sizeof *module);
    if (!module) return NULL;
    *module = (rt_module){.wrapper = first->wrapper, .file = first->file, .error = first->error, .read = true,
                          .device = rt_current(), .first = first};
    return module;
}

/* The module as it is on the current device. NULL: no memory. */
static rt_module *here(rt_module *module) {
    rt_module *first = module->first ? module->first : module, *last = first;
    rt_module_load(first); /* its managed variables are everybody's */
    for (;; last = last->next) {
        if (last->device == rt_current()) return last;
        if (!last->next) return last->next = again(first);
    }
}

static rt_function *function_here(rt_function *fn) {
    rt_module *module = here(fn->module);
    if (module == fn->module) return fn;
    return module ? rt_module_add_function(module, fn->name, fn->host) : NULL;
}

static rt_variable *variable_here(rt_variable *var) {
    rt_module *module = here(var->module);
    if (!module || module == var->module) return module ? var : NULL;
    for (size_t i = 0; i < module->variables.count; i++)
        if (!strcmp(module->variables.at[i]->name, var->name)) return module->variables.at[i];
    rt_variable *own = calloc(1, sizeof *own);
    if (own) *own = (rt_variable){.module = module, .name = var->name, .host = var->host, .size = var->size};
    if (own && !wg_vec_push(&module->variables, own)) free(own), own = NULL;
    return own;
}

cudaError_t rt_function_of(const void *function, rt_function **out) {
    uint64_t at = 0;
    if (!function) return cudaErrorInvalidDeviceFunction;
    if (!wg_u64map_get(&rt.functions, (uintptr_t)function, &at) &&
        !wg_u64map_get(&rt.kernels, (uintptr_t)function, &at))
        return cudaErrorInvalidDeviceFunction;
    rt_function *fn = *out = function_here((rt_function *)(uintptr_t)at);
    if (!fn) return cudaErrorMemoryAllocation;
    cudaError_t e = rt_module_load(fn->module);
    if (e) return e;
    bind_function(fn);
    return fn->image ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t rt_variable_of(const void *symbol, rt_variable **out) {
    uint64_t at = 0;
    if (!wg_u64map_get(&rt.variables, (uintptr_t)symbol, &at)) return cudaErrorInvalidSymbol;
    rt_variable *var = *out = variable_here((rt_variable *)(uintptr_t)at);
    if (!var) return cudaErrorMemoryAllocation;
    cudaError_t e = rt_module_load(var->module);
    if (e) return e;
    bind_variable(var);
    return var->image ? cudaSuccess : cudaErrorInvalidSymbol;
}

rt_function *rt_module_add_function(rt_module *module, const char *name, const void *host) {
    for (size_t i = 0; i < module->functions.count; i++)
        if (!strcmp(module->functions.at[i]->name, name)) return module->functions.at[i];
    rt_function *fn = calloc(1, sizeof *fn);
    if (!fn || !wg_vec_push(&module->functions, fn)) {
        free(fn);
        return NULL;
    }
    *fn = (rt_function){.module = module, .name = name, .host = host, .dynamic_limit = -1, .carveout = -1};
    wg_u64map_set(&rt.kernels, (uintptr_t)fn, (uintptr_t)fn);
    return fn;
}

/* --- registration: called from constructors of the program, before main and before any other call ------ */

/* Code is read where it lies, and the report speaks of it when the program ends: a plug-in that is closed
 * before stays mapped. */
static void keep_mapped(void *wrapper) {
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(wrapper, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name[0]) return;
    if (!dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) dlerror();
}

void **__cudaRegisterFatBinary(void *wrapper) {
    keep_mapped(wrapper);
    rt_module *module = calloc(1, sizeof *module);
    if (!module) return NULL;
    module->wrapper = wrapper;
    pthread_mutex_lock(&rt.lock);
    bool kept = wg_vec_push(&rt.modules, module);
    pthread_mutex_unlock(&rt.lock);
    if (kept) return (void **)module;
    free(module);
    return NULL;
}

void __cudaRegisterFatBinaryEnd(void **handle) {
    rt_module *module = (rt_module *)handle;
    pthread_mutex_lock(&rt.lock);
    /* A plug-in that is opened while the program runs. */
    if (module && rt.session && !rt.forked && !rt.closed) rt_module_offer(rt.session, module);
    pthread_mutex_unlock(&rt.lock);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            void *tid, void *bid, dim3 *block, dim3 *grid, int *warp) {
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    rt_module *module = (rt_module *)handle;
    if (!module) return;
    pthread_mutex_lock(&rt.lock);
    /* A template used in several -rdc units is registered again with the same host function: no harm. */
    rt_function *fn = rt_module_add_function(module, name, host);
    if (fn) wg_u64map_set(&rt.functions, (uintptr_t)host, (uintptr_t)fn);
    pthread_mutex_unlock(&rt.lock);
}

static void add_variable(rt_module *module, const void *host, const char *name, size_t size, void **managed) {
    rt_variable *var = calloc(1, sizeof *var);
    if (!var) return;
    *var = (rt_variable){.module = module, .name = name, .host = host, .size = size, .managed = managed};
    pthread_mutex_lock(&rt.lock);
    if (!wg_vec_push(&module->variables, var) ||
        !wg_u64map_set(&rt.variables, (uintptr_t)host, (uintptr_t)var))
        free(var);
    pthread_mutex_unlock(&rt.lock);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                       int constant, int global) {
    (void)device, (void)ext, (void)constant, (void)global;
    if (handle) add_variable((rt_module *)handle, host, name, size, NULL);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global) {
    (void)device, (void)ext, (void)constant, (void)global;
    if (handle) add_variable((rt_module *)handle, host, name, size, host);
}

/* Called by the program's own code before its first access of a managed variable. */
char __cudaInitModule(void **handle) {
    if (!handle || rt_enter()) return 0;
    cudaError_t e = rt_module_load((rt_module *)handle);
    return rt_leave(e) == cudaSuccess;
}

void __cudaUnregisterFatBinary(void **handle) {
    rt_module *module = (rt_module *)handle;
    if (!module) return;
    pthread_mutex_lock(&rt.lock);
    /* The host functions and variables go away with their object; the code stays for the report. */
    for (size_t i = 0; i < module->functions.count; i++) {
        uint64_t at;
        const rt_function *fn = module->functions.at[i];
        if (wg_u64map_get(&rt.functions, (uintptr_t)fn->host, &at) && at == (uintptr_t)fn)
            wg_u64map_remove(&rt.functions, (uintptr_t)fn->host);
    }
    for (size_t i = 0; i < module->variables.count; i++)
        wg_u64map_remove(&rt.variables, (uintptr_t)module->variables.at[i]->host);
    module->gone = true;
    pthread_mutex_unlock(&rt.lock);
}

/* --- symbols and handles ----------------------------------------------------------------------------------
 */

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host) {
    if (!kernel) return rt_note(cudaErrorInvalidValue);
    uint64_t at = 0;
    pthread_mutex_lock(&rt.lock);
    bool known = wg_u64map_get(&rt.functions, (uintptr_t)host, &at);
    pthread_mutex_unlock(&rt.lock);
    if (!known) return rt_note(cudaErrorInvalidDeviceFunction);
    *kernel = (cudaKernel_t)(uintptr_t)at;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
    return cudaGetKernel(kernel, host);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *host) {
    return cudaGetKernel((cudaKernel_t *)function, host);
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
    if (!address) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_variable *var = NULL;
    if (!(e = rt_variable_of(symbol, &var)))
        *address = (void *)(uintptr_t)eng_variable_address(var->code, var->image);
    return rt_leave(e);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
    if (!size) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_variable *var = NULL;
    if (!(e = rt_variable_of(symbol, &var))) *size = var->image->size;
    return rt_leave(e);
}
