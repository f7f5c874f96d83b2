/* Launches from device code (dynamic parallelism). The device runtime library, which is linked into the program, asks the
 * driver for a buffer for the parameters, writes them there, and asks for the launch (programming guide, "Device-side launch
 * from PTX"). Grids run one after the other here: children when their parent has ended, in the order in which they
 * were launched, each with its own children before the next; those of the tail stream after all others. That is an order that
 * streams and events of device code permit, whatever they say, so these are only handles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/driver_inner.h"

/* The driver's numbers for errors, as the library's table maps them to the runtime's. */
enum { CNP_SUCCESS = 0, CNP_RESOURCES = 6, CNP_CONFIGURATION = 7, CNP_INVALID = 8 };
enum { STREAM_TAIL = 3, STREAM_FIRST = 16 }; /* cudaStreamTailLaunch; handles that are made, above all that are named */

static struct eng_nest *nest_of(const eng_warp *w) { return w->worker->device->nest; }

static uint64_t thread_of(const eng_warp *w, unsigned lane) { return w->block->linear * 1024 + w->index * 32 + lane; }

static bool answer(eng_warp *w, unsigned lane, uint64_t value) {
    drv_put64(w, DRV_ARGUMENT, lane, value);
    drv_answered(w, lane);
    return true;
}

void eng_nest_clear(struct eng_nest *nest, struct eng_heap *heap) {
    for (size_t i = 0; i < nest->buffers.room; i++) {
        if (!nest->buffers.slots[i].used) continue;
        drv_heap_give(heap, nest->buffers.slots[i].key);
        free((void *)(uintptr_t)nest->buffers.slots[i].value);
    }
    wg_u64map_free(&nest->buffers);
    wg_u64map_free(&nest->errors);
    nest->handles = 0;
}

/* --- launches -------------------------------------------------------------------------------- */

static const img_function *kernel_at(const img_module *m, uint64_t address) {
    for (size_t f = 0; f < m->n_functions; f++)
        if (m->functions[f].is_kernel && ENG_CODE_BASE + m->functions[f].code_offset == address) return &m->functions[f];
    return NULL;
}

/* (void *kernel, dim3 grid, dim3 block, unsigned shared) -> where the parameters are to be written; 0: nowhere */
static bool call_parameter_buffer(eng_warp *w, const eng_ins *i, unsigned lane) {
    (void)i;
    struct eng_heap *heap = w->worker->device->heap;
    const img_function *f = kernel_at(w->worker->grid->code->module, drv_get64(w, DRV_ARGUMENT, lane));
    eng_child *child = f ? calloc(1, sizeof *child) : NULL;
    if (!child) return answer(w, lane, 0);
    child->function = f;
    for (unsigned d = 0; d < 3; d++) {
        child->grid[d] = *drv_reg(w, DRV_ARGUMENT + 2 + d, lane);
        child->block[d] = *drv_reg(w, DRV_ARGUMENT + 5 + d, lane);
    }
    child->shared_dynamic = *drv_reg(w, DRV_ARGUMENT + 8, lane);
    uint64_t at = drv_heap_take(heap, f->param_bytes ? f->param_bytes : 1);
    if (at && !wg_u64map_set(&nest_of(w)->buffers, at, (uintptr_t)child)) drv_heap_give(heap, at), at = 0;
    if (!at) free(child);
    return answer(w, lane, at);
}

/* (void *buffer, cudaStream_t stream) -> error */
static bool call_launch(eng_warp *w, const eng_ins *i, unsigned lane) {
    (void)i;
    const eng_launch *launch = w->worker->grid->launch;
    struct eng_nest *nest = nest_of(w);
    uint64_t at = drv_get64(w, DRV_ARGUMENT, lane), found;
    if (!wg_u64map_get(&nest->buffers, at, &found) || !found) return answer(w, lane, CNP_INVALID);
    eng_child *child = (eng_child *)(uintptr_t)found;
    wg_u64map_set(&nest->buffers, at, 0); /* it is given out again only when this grid has ended: no two threads meet in it */
    child->tail = drv_get64(w, DRV_ARGUMENT + 2, lane) == STREAM_TAIL;
    child->params = eng_memory_host(w->worker->memory, at);
    const uint32_t *g = child->grid, *b = child->block;
    bool empty = !g[0] || !g[1] || !g[2] || !b[0] || !b[1] || !b[2];
    bool large = !empty && ((uint64_t)b[0] * b[1] * b[2] > w->worker->device->gpu->max_threads_per_block ||
                            (uint64_t)child->function->shared_static + child->shared_dynamic > w->worker->device->gpu->shared_per_block_optin);
    if (!empty && !large && launch->child) launch->child(launch->ctx, child);
    free(child);
    return answer(w, lane, empty ? CNP_CONFIGURATION : large || !launch->child ? CNP_RESOURCES : CNP_SUCCESS);
}

/* --- errors, by thread ------------------------------------------------------------------------------ */

static bool call_set_error(eng_warp *w, const eng_ins *i, unsigned lane) {
    (void)i;
    wg_u64map_set(&nest_of(w)->errors, thread_of(w, lane), *drv_reg(w, DRV_ARGUMENT, lane));
    return answer(w, lane, CNP_SUCCESS);
}

static bool call_get_error(eng_warp *w, const eng_ins *i, unsigned lane) {
    uint64_t error = 0;
    (void)i;
    wg_u64map_get(&nest_of(w)->errors, thread_of(w, lane), &error);
    return answer(w, lane, error);
}

/* --- handles, and what is asked of the device ---------------------------------------------------------- */

static bool give(eng_warp *w, unsigned lane, const void *value, size_t n) {
    return answer(w, lane, drv_store(w, lane, drv_get64(w, DRV_ARGUMENT, lane), value, n) ? CNP_SUCCESS : CNP_INVALID);
}

/* (handle *, flags) */
static bool call_make(eng_warp *w, const eng_ins *i, unsigned lane) {
    uint64_t handle = STREAM_FIRST + nest_of(w)->handles++;
    (void)i;
    return give(w, lane, &handle, sizeof handle);
}

static bool call_nothing(eng_warp *w, const eng_ins *i, unsigned lane) {
    (void)i;
    return answer(w, lane, CNP_SUCCESS);
}

/* (int *) */
static bool call_device(eng_warp *w, const eng_ins *i, unsigned lane) {
    int32_t device = (int32_t)w->worker->grid->launch->device;
    (void)i;
    return give(w, lane, &device, sizeof device);
}
static bool call_device_count(eng_warp *w, const eng_ins *i, unsigned lane) {
    int32_t count = (int32_t)w->worker->device->count;
    (void)i;
    return give(w, lane, &count, sizeof count);
}

/* (int *value, cudaDeviceAttr, int device) */
static bool call_attribute(eng_warp *w, const eng_ins *i, unsigned lane) {
    const eng_gpu *gpu = w->worker->device->gpu;
    const struct { unsigned attribute; uint64_t value; } known[] = {
        {1, gpu->max_threads_per_block}, {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535},
        {8, gpu->shared_per_block}, {9, 65536}, {10, 32}, {12, gpu->registers_per_block}, {13, gpu->clock_khz}, {16, gpu->sms},
        {38, gpu->l2}, {39, gpu->max_threads_per_sm}, {75, (unsigned)gpu->major}, {76, (unsigned)gpu->minor},
        {81, gpu->shared_per_sm}, {82, gpu->registers_per_sm}, {97, gpu->shared_per_block_optin}};
    unsigned asked = *drv_reg(w, DRV_ARGUMENT + 2, lane);
    (void)i;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        int32_t value = (int32_t)known[k].value;
        if (known[k].attribute == asked) return give(w, lane, &value, sizeof value);
    }
    return answer(w, lane, CNP_INVALID);
}

#define CNP(name) "__cuda_syscall_cnpv2" name
const drv_function drv_nested[] = {
    {ENG_PARAMETER_BUFFER, call_parameter_buffer, NULL},
    {CNP("LaunchDeviceV2"), call_launch, NULL},
    {CNP("SetLastError"), call_set_error, NULL},
    {CNP("GetLastError"), call_get_error, NULL},
    {CNP("StreamCreate"), call_make, NULL},
    {CNP("EventCreate"), call_make, NULL},
    {CNP("StreamDestroy"), call_nothing, NULL},
    {CNP("EventDestroy"), call_nothing, NULL},
    {CNP("EventRecord"), call_nothing, NULL},
    {CNP("StreamWaitEvent"), call_nothing, NULL},
    {CNP("GetDevice"), call_device, NULL},
    {CNP("GetDeviceCount"), call_device_count, NULL},
    {CNP("DeviceGetAttribute"), call_attribute, NULL},
    {0}};
