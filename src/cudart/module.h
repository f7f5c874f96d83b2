/* What the program registers before main: fatbins, kernels and variables, each fatbin a module of its own.
 * Modules are read when the device is first used and loaded when one of their kernels or variables is. */
#ifndef WG_CUDART_MODULE_H
#define WG_CUDART_MODULE_H

#include "cudart/context.h"

typedef struct rt_variable {
    struct rt_module *module;
    const char *name;
    const void *host;
    size_t size;
    void **managed; /* the program's slot that gets the address; NULL: not managed */
    const img_variable *image;
    eng_code *code;
} rt_variable;

typedef struct rt_function { /* cudaKernel_t and cudaFunction_t point here */
    struct rt_module *module;
    const char *name; /* mangled */
    const void *host;
    const img_function *image; /* NULL until the module is loaded */
    eng_code *code;
    int dynamic_limit;  /* cudaFuncAttributeMaxDynamicSharedMemorySize; -1: not set */
    int carveout;       /* percent; -1: default */
    int nonportable_cluster, cluster_policy; /* as they were set */
    int required_cluster[3]; /* where the code has none of its own: cudaFuncAttributeRequiredClusterWidth and the others; 0: not set */
} rt_function;

typedef struct rt_module {
    const void *wrapper; /* NULL: loaded through the library calls */
    unsigned device;     /* that its code is for: the machine's first one, or the one where a call loaded it */
    struct rt_module *first, *next; /* the same for other devices, made when it is first used there: the first one (NULL: this is it), one more (NULL: none) */
    img_file *file;      /* NULL until it is read */
    wg_error error;      /* why it was not read or loaded */
    bool read, loaded, gone;
    eng_code *code;
    wg_vec(rt_function *) functions;
    wg_vec(rt_variable *) variables;
} rt_module;

/* Reads the module's fatbin (once) and offers its code to the session. */
void rt_module_offer(session *ses, rt_module *module);
/* Loads it for the device, once; managed variables get their addresses. */
cudaError_t rt_module_load(rt_module *module);
/* Of modules with managed variables, all: the program may read them without a call. */
cudaError_t rt_module_load_managed(void);

/* By host function or handle; loaded. cudaErrorInvalidDeviceFunction when nobody registered it. */
cudaError_t rt_function_of(const void *function, rt_function **out);
/* By host variable; loaded. cudaErrorInvalidSymbol when nobody registered it. */
cudaError_t rt_variable_of(const void *symbol, rt_variable **out);
/* Adds a function or a variable to a module; a name that is there already is returned as it is. */
rt_function *rt_module_add_function(rt_module *module, const char *name, const void *host);

#endif
