/* Kernel launches: the configuration that <<<>>> pushes, the checks, the packed parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/api.h"
#include "cudart/device.h"
#include "cudart/function.h"
#include "cudart/lastwords.h"
#include "cudart/module.h"
#include "cudart/regions.h"
#include "cudart/stream.h"
#include "cudart/work.h"

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

static const char *describe(char text[160], const rt_kernel *rq) {
    snprintf(text, 160, "<<<(%u,%u,%u), (%u,%u,%u), %zu>>>", rq->grid.x, rq->grid.y, rq->grid.z, rq->block.x,
             rq->block.y, rq->block.z, rq->shared);
    return text;
}

/* The limits in the order in which the runtime looks at them; *why says which one. An H200 with CUDA 13.0 answers
 * cudaErrorInvalidValue for each shape that cannot be (older runtimes: cudaErrorInvalidConfiguration). */
static cudaError_t check_limits(const rt_kernel *rq, const char **why) {
    const eng_gpu *gpu = rt_gpu();
    const img_function *image = rq->fn->image;
    const dim3 *g = &rq->grid, *b = &rq->block;
    uint64_t threads = (uint64_t)b->x * b->y * b->z;
    if (!g->x || !g->y || !g->z) return *why = "a grid of no blocks", cudaErrorInvalidValue;
    if (!b->x || !b->y || !b->z) return *why = "blocks of no threads", cudaErrorInvalidValue;
    if (g->x > 2147483647u || g->y > 65535 || g->z > 65535)
        return *why = "more blocks than a grid's x (2147483647), y or z (65535) allows",
               cudaErrorInvalidValue;
    if (b->x > 1024 || b->y > 1024 || b->z > 64)
        return *why = "more threads than a block's x, y (1024) or z (64) allows",
               cudaErrorInvalidValue;
    if (threads > gpu->max_threads_per_block)
        return *why = "more threads in a block than the device allows", cudaErrorInvalidValue;
    unsigned fits = rt_function_max_threads(rq->fn);
    if (threads > fits) {
        bool bound = image->max_threads[0] && threads > rt_function_bound(image);
        if (bound) return *why = "more threads in a block than the kernel's __launch_bounds__", cudaErrorInvalidValue;
        return *why = "the block's threads need more registers than an SM has", cudaErrorLaunchOutOfResources;
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

static cudaError_t check_cluster(const rt_kernel *rq, const char **why) {
    dim3 c;
    bool can = rt_function_cluster(rq->fn, rq->cluster, &c);
    if (!c.x && !c.y && !c.z) return cudaSuccess;
    if (rt_gpu()->major < 9) return *why = "clusters need a device of compute capability 9.0", cudaErrorInvalidClusterSize;
    if (!can) return *why = "not the cluster that the kernel requires (__cluster_dims__, cudaFuncAttributeRequiredClusterWidth), or one with a dimension of 0",
                     cudaErrorInvalidClusterSize;
    if (rq->grid.x % c.x || rq->grid.y % c.y || rq->grid.z % c.z)
        return *why = "a grid that is no multiple of the cluster", cudaErrorInvalidClusterSize;
    if ((uint64_t)c.x * c.y * c.z > rt_function_max_cluster(rq->fn))
        return *why = "more blocks in a cluster than the kernel may have (8; 16 with cudaFuncAttributeNonPortableClusterSizeAllowed)",
               cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

static cudaError_t refuse(const rt_kernel *rq, cudaError_t error, const char *why) {
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
        case ENG_FAULT_ILLEGAL:
        case ENG_FAULT_TENSOR_MAP:
            return cudaErrorIllegalInstruction;
        case ENG_FAULT_TRAP: case ENG_FAULT_CLUSTER: case ENG_FAULT_ENDED:
            return cudaErrorLaunchFailure;
        default: /* a full stack, too */
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

cudaError_t rt_kernel_pack(rt_kernel *rq, void *const *args) {
    const img_function *image = rq->fn->image;
    if (!args && image->n_params) return cudaErrorInvalidValue;
    rq->params = calloc(1, image->param_bytes ? image->param_bytes : 1);
    if (!rq->params) return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < image->n_params; i++) memcpy(rq->params + image->params[i].offset, args[i], image->params[i].size);
    return cudaSuccess;
}

cudaError_t rt_kernel_run(const rt_kernel *rq, rt_stream *stream) {
    void *frames[RT_STACK_FRAMES];
    const unsigned device = rq->fn->module->device;
    rt_own *here = &rt.devices[device];
    dim3 cluster;
    rt_function_cluster(rq->fn, rq->cluster, &cluster);
    rt_device_take_stack(here, rq->fn->image->local_bytes);
    ses_launch launch = {
        .code = rq->fn->code,
        .function = rq->fn->image,
        .grid = {rq->grid.x, rq->grid.y, rq->grid.z},
        .block = {rq->block.x, rq->block.y, rq->block.z},
        .cluster = {cluster.x, cluster.y, cluster.z},
        .shared_dynamic = (uint32_t)rq->shared,
        .params = rq->params,
        .cooperative = rq->cooperative,
        .device = device,
        .reach = rt_device_count() > 1 ? here->peers | UINT64_C(1) << device : 0,
        .rules = rt_rules(),
        .print = rt_print,
        .stack_bytes = (uint32_t)here->limits[cudaLimitStackSize],
        .heap_bytes = here->limits[cudaLimitMallocHeapSize],
        .stream = stream->number,
        .timeline = rt_timeline(stream),
        .after_fault = here->sticky != cudaSuccess,
        .stack = frames,
        .n_stack = rt_stack(frames),
    };
    rt_print_flush();
    rt_stream_order(stream);
    wg_error err = {0};
    double ns = 0;
    wg_status status = ses_run(rt.session, &launch, &ns, &err);
    rt_lastwords_due();
    rt_stream_work(stream, ns);
    if (launches_block()) ses_order_after(rt.session, SES_HOST, rt_timeline(stream));
    cudaError_t e = here->sticky ? here->sticky : error_of_run(status);
    if (e == cudaSuccess || e == cudaErrorNotSupported || status == WG_ERR_ARGUMENT ||
        status == WG_ERR_MEMORY)
        return e;
    here->sticky = e;
    return launches_block() ? e : cudaSuccess;
}

cudaError_t rt_kernel_find(rt_kernel *rq, const void *handle) {
    rt_module_load_managed();
    rq->handle = handle;
    cudaError_t e = rt_function_of(handle, &rq->fn);
    /* A kernel that the program has but that could not be loaded did not run: the report says so. */
    if (e && rq->fn)
        ses_not_run(rt.session, rq->fn->name,
                    rq->fn->module->error.status ? rq->fn->module->error.text : "the program's code has no kernel of this name");
    return e;
}

cudaError_t rt_kernel_check(const rt_kernel *rq) {
    const char *why = "";
    cudaError_t e = check_limits(rq, &why);
    if (!e) e = check_cluster(rq, &why);
    return e ? refuse(rq, e, why) : cudaSuccess;
}

static cudaError_t launch(const void *function, rt_kernel rq, void **args, cudaStream_t stream) {
    cudaError_t e = rt_enter_to_launch();
    if (e) return e;
    rt_stream *s = rt_stream_of(stream);
    if (!s) return rt_leave(cudaErrorInvalidResourceHandle);
    if (s->device != rt_current()) {
        rt_finding("api-error", "error", "a kernel is launched on device %u into a stream of device %u: cudaSetDevice(%u) first", rt_current(), s->device, s->device);
        return rt_leave(cudaErrorInvalidResourceHandle);
    }
    if ((e = rt_kernel_find(&rq, function)) || (e = rt_kernel_check(&rq)) || (e = rt_kernel_pack(&rq, args))) return rt_leave(e);
    rt_work work = {.type = cudaGraphNodeTypeKernel, .kernel = rq};
    e = rt_work_put(&work, s);
    free(rq.params);
    return rt_leave(e);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream) {
    return launch(function, (rt_kernel){.grid = grid, .block = block, .shared = shared}, args, stream);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream) {
    return launch(function, (rt_kernel){.grid = grid, .block = block, .shared = shared, .cooperative = true}, args, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args) {
    if (!config || (config->numAttrs && !config->attrs)) return rt_note(cudaErrorInvalidValue);
    rt_kernel rq = {.grid = config->gridDim, .block = config->blockDim, .shared = config->dynamicSmemBytes};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if (a->id == cudaLaunchAttributeCooperative) rq.cooperative = a->val.cooperative != 0;
        if (a->id == cudaLaunchAttributeClusterDimension)
            rq.cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
        /* The others order launches more loosely than one after the other, or are hints. */
    }
    return launch(function, rq, args, config->stream);
}
