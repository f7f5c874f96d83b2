/* Kernel launches: the configuration that <<<>>> pushes, the checks, the packed parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/api.h"
#include "cudart/function.h"
#include "cudart/lastwords.h"
#include "cudart/module.h"
#include "cudart/stream.h"

/* --- <<<grid, block, shared, stream>>> ---------------------------------------------------------------- */

typedef struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} configuration;

/* Calls nest when an argument of a launch itself launches. */
enum { MAX_NESTED = 32 };
static _Thread_local configuration pushed[MAX_NESTED];
static _Thread_local int n_pushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    if (n_pushed == MAX_NESTED) return rt_note(cudaErrorLaunchMaxDepthExceeded);
    pushed[n_pushed++] = (configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (n_pushed == 0) return rt_note(cudaErrorMissingConfiguration);
    const configuration *top = &pushed[--n_pushed];
    *grid = top->grid, *block = top->block, *shared = top->shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

/* --- checks --------------------------------------------------------------------------------------------- */

typedef struct request {
    rt_function *fn;
    rt_stream *stream;
    dim3 grid, block;
    size_t shared;
    void **args;
    bool cooperative;
    dim3 cluster; /* 0,0,0: not asked for */
} request;

static const char *describe(char text[160], const request *rq) {
    snprintf(text, 160, "<<<(%u,%u,%u), (%u,%u,%u), %zu>>>", rq->grid.x, rq->grid.y, rq->grid.z, rq->block.x,
             rq->block.y, rq->block.z, rq->shared);
    return text;
}

/* The limits in the order in which the runtime looks at them; *why says which one. */
static cudaError_t check_limits(const request *rq, const char **why) {
    const eng_gpu *gpu = rt_gpu();
    const img_function *image = rq->fn->image;
    const dim3 *g = &rq->grid, *b = &rq->block;
    uint64_t threads = (uint64_t)b->x * b->y * b->z;
    if (!g->x || !g->y || !g->z) return *why = "a grid of no blocks", cudaErrorInvalidConfiguration;
    if (!b->x || !b->y || !b->z) return *why = "blocks of no threads", cudaErrorInvalidConfiguration;
    if (g->x > 2147483647u || g->y > 65535 || g->z > 65535)
        return *why = "more blocks than a grid's x (2147483647), y or z (65535) allows",
               cudaErrorInvalidConfiguration;
    if (b->x > 1024 || b->y > 1024 || b->z > 64)
        return *why = "more threads than a block's x, y (1024) or z (64) allows",
               cudaErrorInvalidConfiguration;
    if (threads > gpu->max_threads_per_block)
        return *why = "more threads in a block than the device allows", cudaErrorInvalidConfiguration;
    unsigned fits = rt_function_max_threads(rq->fn);
    if (threads > fits) {
        bool bound = image->max_threads[0] && threads > rt_function_bound(image);
        return *why = bound ? "more threads in a block than the kernel's __launch_bounds__"
                            : "the block's threads need more registers than an SM has",
               cudaErrorLaunchOutOfResources;
    }
    if (image->req_threads[0] &&
        (b->x != image->req_threads[0] || b->y != image->req_threads[1] || b->z != image->req_threads[2]))
        return *why = "not the block size that the kernel requires", cudaErrorInvalidValue;
    if (rq->shared > rt_function_max_dynamic(rq->fn))
        return *why = "more dynamic shared memory than the kernel may have (cudaFuncSetAttribute, "
                      "cudaFuncAttributeMaxDynamicSharedMemorySize, raises it)",
               cudaErrorInvalidValue;
    if (rq->cooperative &&
        (uint64_t)g->x * g->y * g->z > rt_function_resident(rq->fn, (unsigned)threads, rq->shared))
        return *why = "more blocks in a cooperative launch than the device holds at once",
               cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

/* Clusters of one block are ordinary launches; larger ones need what the engine does not have. */
static cudaError_t check_cluster(const request *rq, const char **why) {
    const img_function *image = rq->fn->image;
    dim3 c = rq->cluster;
    if (!c.x && image->cluster[0]) c = (dim3){image->cluster[0], image->cluster[1], image->cluster[2]};
    if (!c.x) return cudaSuccess;
    if (!c.y || !c.z || rq->grid.x % c.x || rq->grid.y % c.y || rq->grid.z % c.z)
        return *why = "a grid that is no multiple of the cluster", cudaErrorInvalidClusterSize;
    if ((uint64_t)c.x * c.y * c.z > 1)
        return *why = "warpgrind does not run thread block clusters", cudaErrorNotSupported;
    return cudaSuccess;
}

static cudaError_t refuse(const request *rq, cudaError_t error, const char *why) {
    char config[160];
    describe(config, rq);
    rt.told = true;
    if (error == cudaErrorNotSupported)
        ses_not_run(rt.session, rq->fn->name, why);
    else
        rt_finding("api-error", "error", "%s%s was not launched: %s (%s)", rq->fn->image->demangled,
                   config, why, rt_error_name(error));
    return error;
}

/* --- the launch ----------------------------------------------------------------------------------------- */

/* What ended a kernel, as the runtime names it. All but "not supported" stay: the context is lost. */
static cudaError_t error_of_run(wg_status status) {
    if (status == WG_OK) return cudaSuccess;
    if (status == WG_ERR_FAULT) {
        switch (ses_last_fault(rt.session)) {
        case ENG_FAULT_MISALIGNED:
            return cudaErrorMisalignedAddress;
        case ENG_FAULT_ASSERT:
            return cudaErrorAssert;
        case ENG_FAULT_TRAP:
            return cudaErrorLaunchFailure;
        case ENG_FAULT_STACK:
            return cudaErrorHardwareStackError;
        default:
            return cudaErrorIllegalAddress;
        }
    }
    return rt_error_of(status);
}

/* Kernels end after the call that launches them has returned: an error of theirs comes with a later call,
 * unless the program asked for launches that wait. */
static bool launches_block(void) {
    const char *text = getenv("CUDA_LAUNCH_BLOCKING");
    return text && *text && strcmp(text, "0") != 0;
}

static cudaError_t run(const request *rq) {
    const img_function *image = rq->fn->image;
    uint8_t *params = calloc(1, image->param_bytes ? image->param_bytes : 1);
    if (!params) return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < image->n_params; i++)
        memcpy(params + image->params[i].offset, rq->args[i], image->params[i].size);
    void *frames[RT_STACK_FRAMES];
    ses_launch launch = {
        .code = rq->fn->code,
        .function = image,
        .grid = {rq->grid.x, rq->grid.y, rq->grid.z},
        .block = {rq->block.x, rq->block.y, rq->block.z},
        .shared_dynamic = (uint32_t)rq->shared,
        .params = params,
        .cooperative = rq->cooperative,
        .print = rt_print,
        .heap_bytes = rt.limits[cudaLimitMallocHeapSize],
        .stream = rq->stream->number,
        .after_fault = rt.sticky != cudaSuccess,
        .stack = frames,
        .n_stack = rt_stack(frames),
    };
    rt_print_flush();
    wg_error err = {0};
    double ns = 0;
    wg_status status = ses_run(rt.session, &launch, &ns, &err);
    rt_lastwords_due();
    free(params);
    rt_stream_work(rq->stream, ns);
    cudaError_t e = rt.sticky ? rt.sticky : error_of_run(status);
    if (e == cudaSuccess || e == cudaErrorNotSupported || status == WG_ERR_ARGUMENT ||
        status == WG_ERR_MEMORY)
        return e;
    rt.sticky = e;
    return launches_block() ? e : cudaSuccess;
}

static cudaError_t launch(const void *function, request rq, cudaStream_t stream) {
    cudaError_t e = rt_enter_to_launch();
    if (e) return e;
    rq.stream = rt_stream_of(stream);
    if (!rq.stream) return rt_leave(cudaErrorInvalidResourceHandle);
    rt_module_load_managed();
    e = rt_function_of(function, &rq.fn);
    if (e) {
        /* A kernel that the program has but that could not be loaded did not run: the report says so. */
        if (rq.fn)
            ses_not_run(rt.session, rq.fn->name,
                        rq.fn->module->error.status ? rq.fn->module->error.text
                                                    : "the program's code has no kernel of this name");
        return rt_leave(e);
    }
    const char *why = "";
    if ((e = check_limits(&rq, &why)) || (e = check_cluster(&rq, &why))) return rt_leave(refuse(&rq, e, why));
    if (!rq.args && rq.fn->image->n_params) return rt_leave(cudaErrorInvalidValue);
    return rt_leave(run(&rq));
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream) {
    return launch(function, (request){.grid = grid, .block = block, .args = args, .shared = shared}, stream);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream) {
    return launch(
        function,
        (request){.grid = grid, .block = block, .args = args, .shared = shared, .cooperative = true}, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args) {
    if (!config || (config->numAttrs && !config->attrs)) return rt_note(cudaErrorInvalidValue);
    request rq = {
        .grid = config->gridDim, .block = config->blockDim, .args = args, .shared = config->dynamicSmemBytes};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if (a->id == cudaLaunchAttributeCooperative) rq.cooperative = a->val.cooperative != 0;
        if (a->id == cudaLaunchAttributeClusterDimension)
            rq.cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
        /* The others order launches more loosely than one after the other, or are hints. */
    }
    return launch(function, rq, config->stream);
}
