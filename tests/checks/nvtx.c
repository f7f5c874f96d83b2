/* usage: as checks_host: the names of all cases, and what must be found in them; or one of them to run.
 *
 * What a program tells of its memory through NVTX, and what it then does with it. The calls go through the table that NVTX's headers
 * have the tool fill (programs/nvtx_*.cu use the headers themselves). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "cudart/nvtx.h"
#include "cudart/program.h"

enum { BYTES = 256, READ = 1, WRITE = 2, ATOMICS = 4, ALL = 7, STRICT_WRITE = 2 };
static const dim3 one = {1, 1, 1};
static intptr_t calls[NVTX_MEM_CALLS];
static char *d;

static void begin(void) {
    void *p = NULL;
    nvtx_segment segment = {.id = 1, .slots = NVTX_MEM_CALLS, .functions = calls};
    nvtx_module module = {.version = 3, .size = sizeof module, .module = NVTX_MODULE_MEM, .compat = NVTX_COMPAT_MEM, .n_segments = 1, .segments = &segment};
    if (!InitializeInjectionNvtx2(NULL) || !InitializeInjectionNvtxExtension(&module) || cudaMalloc(&p, BYTES) || cudaMemset(p, 0, BYTES)) exit(1);
    d = p;
}
static void end(void) {
    if (cudaDeviceSynchronize()) exit(1);
    cudaFree(d);
}
static void store_at(long at) { launch(store, one, one, 0, NULL, (void *[]){&d, &at}); }
static void store_and_end(long at) { store_at(at), end(); }

/* --- the calls --- */

static void *heap_of(uint32_t usage, long from, size_t size) {
    nvtx_range range = {size, d + from};
    nvtx_heap heap = {.compat = NVTX_COMPAT_MEM, .size = sizeof heap, .usage = usage, .type = NVTX_TYPE_ADDRESSES, .range_size = sizeof range, .range = &range,
                      .text_type = NVTX_TEXT_UNICODE, .text.unicode = L"pool \u00fc"};
    return ((void *(*)(void *, const nvtx_heap *))calls[NVTX_MEM_HEAP_REGISTER])(NULL, &heap);
}
static void *region_of(void *heap, long from, size_t size) {
    void *handle = NULL;
    nvtx_range range = {size, d + from};
    nvtx_regions regions = {.compat = NVTX_COMPAT_MEM, .size = sizeof regions, .type = NVTX_TYPE_ADDRESSES, .heap = heap, .n = 1, .stride = sizeof range,
                            .ranges = &range, .handles = &handle};
    ((void (*)(void *, const nvtx_regions *))calls[NVTX_MEM_REGIONS_REGISTER])(NULL, &regions);
    return handle;
}
static void on_ranges(unsigned call, long from, size_t size) {
    nvtx_range range = {size, d + from};
    nvtx_ranges ranges = {.compat = NVTX_COMPAT_MEM, .size = sizeof ranges, .type = NVTX_TYPE_ADDRESSES, .n = 1, .stride = sizeof range, .ranges = &range};
    if (call == NVTX_MEM_CUDA_INITIALIZED) ((void (*)(void *, void *, uint8_t, const nvtx_ranges *))calls[call])(NULL, NULL, 0, &ranges);
    else ((void (*)(void *, const nvtx_ranges *))calls[call])(NULL, &ranges);
}
static void give_back(nvtx_ref ref, uint32_t type) {
    nvtx_refs refs = {.compat = NVTX_COMPAT_MEM, .size = sizeof refs, .type = type, .n = 1, .stride = sizeof ref, .refs = &ref};
    ((void (*)(void *, const nvtx_refs *))calls[NVTX_MEM_REGIONS_UNREGISTER])(NULL, &refs);
}
static void with_handle(unsigned call, void *handle) { ((void (*)(void *, void *))calls[call])(NULL, handle); }
static void *of_kernels(void) { return ((void *(*)(void *))calls[NVTX_MEM_CUDA_PROCESS_PERMISSIONS])(NULL); }
static void *of_device(int device) { return ((void *(*)(void *, int))calls[NVTX_MEM_CUDA_DEVICE_PERMISSIONS])(NULL, device); }
static void *object(int32_t exclude) { return ((void *(*)(void *, int32_t))calls[NVTX_MEM_PERMISSIONS_CREATE])(NULL, exclude); }
static void permit(void *permissions, long from, uint32_t may) {
    nvtx_permission one_region = {.may = may, .ref_type = NVTX_REF_POINTER, .ref.pointer = d + from};
    nvtx_permissions all = {.compat = NVTX_COMPAT_MEM, .size = sizeof all, .permissions = permissions, .n = 1, .stride = sizeof one_region, .regions = &one_region};
    ((void (*)(void *, const nvtx_permissions *))calls[NVTX_MEM_PERMISSIONS_ASSIGN])(NULL, &all);
}
static void bind_to(void *permissions, uint32_t scope, uint32_t flags) {
    ((void (*)(void *, void *, uint32_t, uint32_t))calls[NVTX_MEM_PERMISSIONS_BIND])(NULL, permissions, scope, flags);
}
static void unbind(void) { ((void (*)(void *, uint32_t))calls[NVTX_MEM_PERMISSIONS_UNBIND])(NULL, NVTX_BIND_CUDA_STREAM); }
static void peer(void *permissions, int device, uint32_t may) {
    ((void (*)(void *, void *, int, uint32_t))calls[NVTX_MEM_CUDA_PEER_ACCESS])(NULL, permissions, device, may);
}

/* --- pools: 64 bytes from byte 32, of which 16 from byte 48 are given out --- */

static void *pool(void) {
    begin();
    void *heap = heap_of(NVTX_USAGE_POOL, 32, 64);
    region_of(heap, 48, 16);
    return heap;
}
static void in_region(void) { pool(), store_at(48), store_and_end(60); }
static void behind_region(void) { pool(), store_and_end(64); }
static void before_region(void) { pool(), store_and_end(44); }
static void beside_pool(void) { pool(), store_at(28), store_and_end(96); }
static void out_of_region(void) { begin(), region_of(heap_of(NVTX_USAGE_POOL, 32, 64), 48, 2), store_and_end(48); }
static void over_two_regions(void) {
    begin();
    void *heap = heap_of(NVTX_USAGE_POOL, 32, 64);
    region_of(heap, 48, 2), region_of(heap, 50, 14), store_and_end(48);
}
static void in_layout(void) { begin(), region_of(heap_of(NVTX_USAGE_LAYOUT, 32, 64), 48, 16), store_and_end(64); }
static void resized(void) { pool(), on_ranges(NVTX_MEM_REGIONS_RESIZE, 48, 20), store_and_end(64); }
static void shrunk(void) { pool(), on_ranges(NVTX_MEM_REGIONS_RESIZE, 48, 8), store_and_end(56); }
static void given_back(void) { pool(), give_back((nvtx_ref){.pointer = d + 48}, NVTX_REF_POINTER), store_and_end(48); }
static void given_out_again(void) {
    void *heap = pool();
    give_back((nvtx_ref){.pointer = d + 48}, NVTX_REF_POINTER), region_of(heap, 48, 8), store_and_end(48);
}
static void given_back_by_handle(void) {
    begin();
    void *heap = heap_of(NVTX_USAGE_POOL, 32, 64);
    give_back((nvtx_ref){.handle = region_of(heap, 48, 16)}, NVTX_REF_HANDLE), store_and_end(48);
}
static void pool_reset(void) { with_handle(NVTX_MEM_HEAP_RESET, pool()), store_and_end(48); }
static void pool_unregistered(void) { with_handle(NVTX_MEM_HEAP_UNREGISTER, pool()), store_at(48), store_and_end(64); }
static void pool_in_a_pool(void) { /* what the outer one gives out is the inner one's, which gives out less */
    void *inner = (pool(), heap_of(NVTX_USAGE_POOL, 48, 16));
    region_of(inner, 52, 4), store_and_end(48);
}
static void pool_in_a_pool_right(void) {
    void *inner = (pool(), heap_of(NVTX_USAGE_POOL, 48, 16));
    region_of(inner, 52, 4), store_and_end(52);
}
static void *many(void) {
    begin();
    void *heap = heap_of(NVTX_USAGE_POOL, 0, BYTES);
    for (long k = 31; k >= 0; k--) region_of(heap, 8 * k, 4);
    return heap;
}
static void many_regions(void) {
    for (long k = (many(), 0); k < 32; k++) store_at(8 * k);
    end();
}
static void many_regions_missed(void) { many(), store_and_end(8 * 17 + 4); }
static void a_warp_over_regions(void) { /* a warp that reaches from one region into the next */
    int n = 16, by = 3;
    many(), launch(scale, one, (dim3){32, 1, 1}, 0, NULL, (void *[]){&d, &n, &by});
    end();
}
static void a_warp_in_its_region(void) {
    int n = 16, by = 3;
    begin(), region_of(heap_of(NVTX_USAGE_POOL, 0, BYTES), 0, 64);
    launch(scale, one, (dim3){32, 1, 1}, 0, NULL, (void *[]){&d, &n, &by});
    end();
}
static void of_freed_memory(void) { /* says nothing of what is allocated later */
    void *heap = pool(), *p = NULL;
    cudaFree(d);
    if (cudaMalloc(&p, BYTES)) exit(1);
    d = p, store_at(0);
    with_handle(NVTX_MEM_HEAP_UNREGISTER, heap), end();
}

/* --- permissions --- */

static void read_only(void) { begin(), permit(of_kernels(), 0, READ), store_and_end(0); }
static void write_only(void) { begin(), permit(of_kernels(), 0, WRITE), store_and_end(0); }
static void nothing_permitted(void) { begin(), permit(NULL, 0, 0), store_and_end(0); }
static void all_permitted(void) { begin(), permit(NULL, 0, ALL), store_and_end(0); }
static void said_no_more(void) { begin(), permit(of_kernels(), 0, READ), permit(of_kernels(), 0, NVTX_PERMISSIONS_RESET), store_and_end(0); }
static void permissions_reset(void) { begin(), permit(of_kernels(), 0, READ), with_handle(NVTX_MEM_PERMISSIONS_RESET, of_kernels()), store_and_end(0); }
static void part_is_read_only(void) { begin(), permit(of_kernels(), 0, WRITE), region_of(NULL, 64, 16), permit(of_kernels(), 64, READ), store_and_end(64); }
static void part_may_be_written(void) { begin(), permit(of_kernels(), 0, READ), region_of(NULL, 64, 16), permit(of_kernels(), 64, WRITE), store_and_end(64); }
static void over_two_permissions(void) {
    begin(), region_of(NULL, 64, 2), region_of(NULL, 66, 2);
    permit(of_kernels(), 64, WRITE), permit(of_kernels(), 66, WRITE | READ), store_and_end(64);
}
static void into_less_permission(void) {
    begin(), region_of(NULL, 64, 2), region_of(NULL, 66, 2);
    permit(of_kernels(), 64, WRITE), permit(of_kernels(), 66, READ), store_and_end(64);
}
static void region_ended(void) {
    begin(), region_of(NULL, 64, 16), permit(of_kernels(), 64, READ);
    give_back((nvtx_ref){.pointer = d + 64}, NVTX_REF_POINTER), store_and_end(64);
}
static void device_before_process(void) { begin(), permit(of_kernels(), 0, READ), permit(of_device(0), 0, WRITE), store_and_end(0); }
static void device_forbids(void) { begin(), permit(of_kernels(), 0, WRITE), permit(of_device(0), 0, READ), store_and_end(0); }
static void peers_forbidden(void) { begin(), peer(of_device(0), -1, READ), store_and_end(0); }
static void peers_permitted(void) { begin(), peer(of_device(0), -1, READ), peer(of_device(0), 0, READ | WRITE), store_and_end(0); }
static void bound(void) {
    void *p = (begin(), object(0));
    permit(p, 0, READ), bind_to(p, NVTX_BIND_CUDA_STREAM, 0), store_and_end(0);
}
static void bound_to_the_host(void) {
    void *p = (begin(), object(0));
    permit(p, 0, READ), bind_to(p, NVTX_BIND_CPU_THREAD, 0), store_and_end(0);
}
static void unbound(void) {
    void *p = (begin(), object(0));
    permit(p, 0, READ), bind_to(p, NVTX_BIND_CUDA_STREAM, 0), unbind(), store_and_end(0);
}
static void destroyed(void) {
    void *p = (begin(), object(0));
    permit(p, 0, READ), bind_to(p, NVTX_BIND_CUDA_STREAM, 0), with_handle(NVTX_MEM_PERMISSIONS_DESTROY, p), store_and_end(0);
}
static void bound_alone(void) {
    void *p = (begin(), object(0));
    region_of(NULL, 64, 16), permit(p, 64, WRITE), bind_to(p, NVTX_BIND_CUDA_STREAM, STRICT_WRITE), store_and_end(0);
}
static void bound_alone_and_named(void) {
    void *p = (begin(), object(0));
    region_of(NULL, 64, 16), permit(p, 64, WRITE), bind_to(p, NVTX_BIND_CUDA_STREAM, STRICT_WRITE), store_and_end(64);
}
static void made_alone(void) { begin(), bind_to(object(STRICT_WRITE), NVTX_BIND_CUDA_STREAM, 0), store_and_end(0); }
static void changed_since(void) {
    void *p = (begin(), object(0));
    bind_to(p, NVTX_BIND_CUDA_STREAM, 0), permit(p, 0, READ), store_and_end(0);
}
static void changed_and_bound_again(void) {
    void *p = (begin(), object(0));
    bind_to(p, NVTX_BIND_CUDA_STREAM, 0), permit(p, 0, READ), bind_to(p, NVTX_BIND_CUDA_STREAM, 0), store_and_end(0);
}
static void *stores(void *nothing) { return store_at(0), nothing; }
static void bound_by_another_thread(void) {
    pthread_t thread;
    void *p = (begin(), object(0));
    permit(p, 0, READ), bind_to(p, NVTX_BIND_CUDA_STREAM, 0);
    if (pthread_create(&thread, NULL, stores, NULL) || pthread_join(thread, NULL)) exit(1);
    end();
}

/* --- the rest --- */

static void undefined(long marked) {
    int n = 4, by = 3;
    begin(), cudaFree(d);
    void *p = NULL;
    if (cudaMalloc(&p, 16)) exit(1);
    d = p;
    if (marked) on_ranges(NVTX_MEM_CUDA_INITIALIZED, 0, (size_t)marked);
    launch(scale, one, (dim3){4, 1, 1}, 0, NULL, (void *[]){&d, &n, &by});
    end();
}
static void not_marked(void) { undefined(0); }
static void marked_as_written(void) { undefined(16); }
static void marked_in_part(void) { undefined(12); }
static void no_heap(void) { begin(), region_of(d, 0, 16), end(); }
static void no_region(void) { begin(), permit(of_kernels(), 8, READ), end(); }
static void of_no_device(void) { begin(), of_device(99), end(); }
static void other_versions(void) {
    nvtx_segment segment = {.id = 1, .slots = 1, .functions = calls};
    nvtx_module module = {.size = sizeof module, .module = NVTX_MODULE_MEM, .compat = NVTX_COMPAT_MEM + 1, .n_segments = 1, .segments = &segment};
    if (InitializeInjectionNvtxExtension(&module)) exit(1);
    module.compat = NVTX_COMPAT_MEM, module.module = 2;
    if (InitializeInjectionNvtxExtension(&module) || calls[0]) exit(1);
    begin(), end();
}

static const checked_case cases[] = {
#define CASE(name, found) {#name, name, found}
    CASE(in_region, "silent"),
    CASE(behind_region, "out-of-bounds error"),
    CASE(before_region, "out-of-bounds error"),
    CASE(beside_pool, "silent"),
    CASE(out_of_region, "out-of-bounds error"),
    CASE(over_two_regions, "out-of-bounds error"),
    CASE(in_layout, "silent"),
    CASE(resized, "silent"),
    CASE(shrunk, "out-of-bounds error"),
    CASE(given_back, "use-after-free error"),
    CASE(given_out_again, "silent"),
    CASE(given_back_by_handle, "use-after-free error"),
    CASE(pool_reset, "use-after-free error"),
    CASE(pool_unregistered, "silent"),
    CASE(pool_in_a_pool, "out-of-bounds error"),
    CASE(pool_in_a_pool_right, "silent"),
    CASE(many_regions, "silent"),
    CASE(many_regions_missed, "out-of-bounds error"),
    CASE(a_warp_over_regions, "out-of-bounds error"),
    CASE(a_warp_in_its_region, "silent"),
    CASE(of_freed_memory, "silent"),
    CASE(read_only, "out-of-bounds error"),
    CASE(write_only, "silent"),
    CASE(nothing_permitted, "out-of-bounds error"),
    CASE(all_permitted, "silent"),
    CASE(said_no_more, "silent"),
    CASE(permissions_reset, "silent"),
    CASE(part_is_read_only, "out-of-bounds error"),
    CASE(part_may_be_written, "silent"),
    CASE(over_two_permissions, "silent"),
    CASE(into_less_permission, "out-of-bounds error"),
    CASE(region_ended, "silent"),
    CASE(device_before_process, "silent"),
    CASE(device_forbids, "out-of-bounds error"),
    CASE(peers_forbidden, "out-of-bounds error"),
    CASE(peers_permitted, "silent"),
    CASE(bound, "out-of-bounds error"),
    CASE(bound_to_the_host, "silent"),
    CASE(unbound, "silent"),
    CASE(destroyed, "silent"),
    CASE(bound_alone, "out-of-bounds error"),
    CASE(bound_alone_and_named, "silent"),
    CASE(made_alone, "out-of-bounds error"),
    CASE(changed_since, "silent"),
    CASE(changed_and_bound_again, "out-of-bounds error"),
    CASE(bound_by_another_thread, "silent"),
    CASE(not_marked, "uninitialised warning"),
    CASE(marked_as_written, "silent"),
    CASE(marked_in_part, "uninitialised warning"),
    CASE(no_heap, "api-error warning"),
    CASE(no_region, "api-error warning"),
    CASE(of_no_device, "api-error warning"),
    CASE(other_versions, "silent"),
#undef CASE
};

/* Not among the cases, for check_options: what programs that it starts would find, before and after the device was used. */
static void environment(void) {
    const char *before = getenv("NVTX_INJECTION64_PATH"), *after;
    printf("%s\n", before ? before : "nothing");
    begin(), end();
    printf("%s\n", (after = getenv("NVTX_INJECTION64_PATH")) ? after : "nothing");
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "environment") == 0) return environment(), 0;
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
