// wk-tune: variants of the streaming kernels side by side, to choose the constants of map.cuh and reduce.cuh
// from; `wk-tune streams|sums|smalls` for a part. What it said is in docs/kernels-notes.md. Not part of the
// library.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>

#include <warpkernels/device.cuh>

#include "check.h"

static cudaStream_t stream;

static void report(const std::string &name, double bytes, int calls, const std::function<void()> &run) {
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    for (int i = 0; i < 2; i++) run();
    std::vector<float> ms;
    for (int r = 0; r < 11; r++) {
        cudaEventRecord(start, stream);
        for (int i = 0; i < calls; i++) run();
        cudaEventRecord(stop, stream);
        bench_cuda(cudaEventSynchronize(stop), name.c_str());
        float t;
        cudaEventElapsedTime(&t, start, stop);
        ms.push_back(t / calls);
    }
    std::sort(ms.begin(), ms.end());
    printf("%-44s %9.2f us (%.2f-%.2f) %7.3f TB/s\n", name.c_str(), ms[5] * 1e3, ms[1] * 1e3, ms[9] * 1e3,
           bytes / ms[5] * 1e-9);
}

static void report_graph(const std::string &name, double bytes, int calls, const std::function<void()> &run) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    bench_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    for (int i = 0; i < calls; i++) run();
    bench_cuda(cudaStreamEndCapture(stream, &graph), "capture");
    bench_cuda(cudaGraphInstantiate(&exec, graph, 0), "graph");
    report(name, bytes * calls, 1, [=] { bench_cuda(cudaGraphLaunch(exec, stream), "graph"); });
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

// --- streaming copies: accesses in flight, block size, cache hints ------------------------

enum hint { PLAIN, STREAM_BOTH, STREAM_STORE, NO_ALLOCATE };

template <hint H> static __device__ __forceinline__ uint4 load(const uint4 *p) {
    if (H == STREAM_BOTH) return __ldcs(p);
    if (H == NO_ALLOCATE) {
        uint4 v;
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
        return v;
    }
    return *p;
}
template <hint H> static __device__ __forceinline__ void store(uint4 *p, uint4 v) {
    if (H == STREAM_BOTH || H == STREAM_STORE)
        __stcs(p, v);
    else
        *p = v;
}

template <int THREADS, int U, int IN, hint H>
__global__ void __launch_bounds__(THREADS)
    stream_kernel(const uint4 *a, const uint4 *b, uint4 *out, int64_t n) {
    const int64_t tile = (int64_t)THREADS * U;
    for (int64_t base = blockIdx.x * tile; base < n; base += gridDim.x * tile) {
        uint4 x[U], y[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            x[u] = load<H>(a + base + u * THREADS + threadIdx.x);
            if (IN == 2) y[u] = load<H>(b + base + u * THREADS + threadIdx.x);
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            x[u].x =
                __float_as_uint(__uint_as_float(x[u].x) * 1.25f + (IN == 2 ? __uint_as_float(y[u].x) : 0));
            x[u].y =
                __float_as_uint(__uint_as_float(x[u].y) * 1.25f + (IN == 2 ? __uint_as_float(y[u].y) : 0));
            x[u].z =
                __float_as_uint(__uint_as_float(x[u].z) * 1.25f + (IN == 2 ? __uint_as_float(y[u].z) : 0));
            x[u].w =
                __float_as_uint(__uint_as_float(x[u].w) * 1.25f + (IN == 2 ? __uint_as_float(y[u].w) : 0));
            store<H>(out + base + u * THREADS + threadIdx.x, x[u]);
        }
    }
}

template <int THREADS, int U, int IN, hint H>
static void try_stream(const char *hint_name, const float *a, const float *b, float *out, int64_t n,
                       int blocks_per_sm) {
    const int64_t packs = n / 4, tiles = packs / (THREADS * U);
    const unsigned grid =
        blocks_per_sm ? (unsigned)std::min<int64_t>(tiles, 132 * blocks_per_sm) : (unsigned)tiles;
    char name[96];
    snprintf(name, sizeof name, "%d in, %d threads, %d packs, %s%s", IN, THREADS, U, hint_name,
             blocks_per_sm ? ", persistent" : "");
    report(name, 4.0 * n * (IN + 1), 1, [=] {
        stream_kernel<THREADS, U, IN, H>
            <<<grid, THREADS, 0, stream>>>((const uint4 *)a, (const uint4 *)b, (uint4 *)out, packs);
    });
}

// --- sums: block size, loads in flight, blocks, double buffering ------------------------------

template <int THREADS, int U, bool AHEAD>
__global__ void __launch_bounds__(THREADS)
    sum_kernel(const float4 *x, int64_t packs, double *partials, unsigned *counter, float *out) {
    __shared__ double buffer[THREADS];
    __shared__ bool last;
    const int64_t tile = (int64_t)THREADS * U, step = gridDim.x * tile;
    double acc = 0;
    float4 v[U];
    int64_t base = blockIdx.x * tile + threadIdx.x;
    if (AHEAD && base < packs)
#pragma unroll
        for (int u = 0; u < U; u++) v[u] = x[base + u * THREADS];
    for (; base < packs; base += step) {
        float4 now[U];
        if (AHEAD) {
#pragma unroll
            for (int u = 0; u < U; u++) now[u] = v[u];
            if (base + step < packs)
#pragma unroll
                for (int u = 0; u < U; u++) v[u] = x[base + step + u * THREADS];
        } else {
#pragma unroll
            for (int u = 0; u < U; u++) now[u] = x[base + u * THREADS];
        }
        float s[U];
#pragma unroll
        for (int u = 0; u < U; u++) s[u] = (now[u].x + now[u].y) + (now[u].z + now[u].w);
#pragma unroll
        for (int h = U / 2; h > 0; h /= 2)
#pragma unroll
            for (int u = 0; u < h; u++) s[u] += s[u + h];
        acc += (double)s[0];
    }
    for (int round = 0; round < 2; round++) {
        buffer[threadIdx.x] = acc;
        __syncthreads();
        if (threadIdx.x < 32) {
            acc = 0;
#pragma unroll
            for (int w = 0; w < THREADS / 32; w++) acc += buffer[w * 32 + threadIdx.x];
#pragma unroll
            for (int d = 16; d > 0; d /= 2) acc += __shfl_down_sync(0xffffffffu, acc, d);
        }
        if (round) break;
        if (threadIdx.x == 0) {
            partials[blockIdx.x] = acc;
            __threadfence();
            last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
        }
        __syncthreads();
        if (!last) return;
        __threadfence();
        acc = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) acc += __ldcg(&partials[i]);
    }
    if (threadIdx.x == 0) *out = (float)acc;
}

template <int THREADS, int U, bool AHEAD>
static void sum(const float *x, int64_t n, int most, int calls, double *partials, unsigned *counter,
                float *out) {
    const int64_t tiles = n / 4 / (THREADS * U);
    const unsigned grid = (unsigned)std::min<int64_t>(tiles, most);
    char name[96];
    snprintf(name, sizeof name, "sum, %d threads, %d packs, %u blocks%s", THREADS, U, grid,
             AHEAD ? ", ahead" : "");
    report(name, 4.0 * n, calls, [=] {
        sum_kernel<THREADS, U, AHEAD>
            <<<grid, THREADS, 0, stream>>>((const float4 *)x, n / 4, partials, counter, out);
    });
}

// --- small sums: how the blocks meet, and whether launches overlap ------------------------------

struct slot {
    double value;
    unsigned long long full;
};

static __device__ __forceinline__ void put(slot *p, double value, unsigned long long full) {
    asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(p),
                 "l"(__double_as_longlong(value)), "l"(full)
                 : "memory");
}

static __device__ __forceinline__ slot get(const slot *p) {
    long long value;
    unsigned long long full;
    asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                 : "=l"(value), "=l"(full)
                 : "l"(p)
                 : "memory");
    return {__longlong_as_double(value), full};
}

enum meeting { COUNTER, COUNTER_RELEASE, SLOTS, SLOTS_LAST, SLOTS_WARP };
enum overlapping { APART, OVERLAP, OVERLAP_EARLY, OVERLAP_LATE };

template <int THREADS> static __device__ __forceinline__ double block_sum(double acc, double *buffer) {
    buffer[threadIdx.x] = acc;
    __syncthreads();
    if (threadIdx.x < 32) {
        double c[THREADS / 32];
#pragma unroll
        for (int w = 0; w < THREADS / 32; w++) c[w] = buffer[w * 32 + threadIdx.x];
#pragma unroll
        for (int h = THREADS / 64; h > 0; h /= 2)
#pragma unroll
            for (int w = 0; w < h; w++) c[w] += c[w + h];
        acc = c[0];
#pragma unroll
        for (int d = 16; d > 0; d /= 2) acc += __shfl_down_sync(0xffffffffu, acc, d);
    }
    return acc;
}

template <int THREADS, int U, meeting HOW, overlapping WHEN>
__global__ void __launch_bounds__(THREADS) small_kernel(const float4 *x, int64_t packs, double *partials,
                                                        slot *slots, unsigned *counter, float *out) {
    __shared__ double buffer[THREADS];
    __shared__ bool last;
#if __CUDA_ARCH__ >= 900
    if (WHEN == OVERLAP_EARLY) asm volatile("griddepcontrol.launch_dependents;");
    if (WHEN != APART) asm volatile("griddepcontrol.wait;" ::: "memory");
    if (WHEN == OVERLAP) asm volatile("griddepcontrol.launch_dependents;");
#endif
    double acc = 0;
    const int64_t tile = (int64_t)THREADS * U;
    for (int64_t base = blockIdx.x * tile + threadIdx.x; base < packs; base += gridDim.x * tile) {
        float4 v[U];
        float s[U];
#pragma unroll
        for (int u = 0; u < U; u++) v[u] = x[base + u * THREADS];
#pragma unroll
        for (int u = 0; u < U; u++) s[u] = (v[u].x + v[u].y) + (v[u].z + v[u].w);
#pragma unroll
        for (int h = U / 2; h > 0; h /= 2)
#pragma unroll
            for (int u = 0; u < h; u++) s[u] += s[u + h];
        acc += (double)s[0];
    }
    acc = block_sum<THREADS>(acc, buffer);
#if __CUDA_ARCH__ >= 900
    if (WHEN == OVERLAP_LATE) asm volatile("griddepcontrol.launch_dependents;");
#endif
    if (HOW == SLOTS_WARP) {
        // The last block's first warp alone collects: no further barrier.
        if (blockIdx.x != gridDim.x - 1) {
            if (threadIdx.x == 0) put(&slots[blockIdx.x], acc, 1);
            return;
        }
        if (threadIdx.x >= 32) return;
        if (threadIdx.x != 0) acc = 0;
        slot got[8];
        bool all;
        do {
            all = true;
#pragma unroll
            for (int k = 0; k < 8; k++) {
                const unsigned i = threadIdx.x + 32 * k;
                if (i < gridDim.x - 1) {
                    got[k] = get(&slots[i]);
                    all &= got[k].full != 0;
                } else {
                    got[k].value = 0;
                }
            }
        } while (!all);
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const unsigned i = threadIdx.x + 32 * k;
            if (i < gridDim.x - 1) put(&slots[i], 0, 0);
            acc += got[k].value;
        }
#pragma unroll
        for (int d = 16; d > 0; d /= 2) acc += __shfl_down_sync(0xffffffffu, acc, d);
        if (threadIdx.x == 0) *out = (float)acc;
        return;
    }
    if (HOW == SLOTS || HOW == SLOTS_LAST) {
        const unsigned collector = HOW == SLOTS ? 0 : gridDim.x - 1;
        if (blockIdx.x != collector) {
            if (threadIdx.x == 0) put(&slots[blockIdx.x], acc, 1);
            return;
        }
        if (threadIdx.x != 0) acc = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) {
            if (i == collector) continue;
            slot got;
            do got = get(&slots[i]);
            while (!got.full);
            put(&slots[i], 0, 0);
            acc += got.value;
        }
        __syncthreads();
    } else {
        if (threadIdx.x == 0) {
            partials[blockIdx.x] = acc;
            unsigned seen;
            if (HOW == COUNTER) {
                __threadfence();
                seen = atomicInc(counter, gridDim.x - 1);
            } else {
                asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                             : "=r"(seen)
                             : "l"(counter), "r"(gridDim.x - 1)
                             : "memory");
            }
            last = seen == gridDim.x - 1;
        }
        __syncthreads();
        if (!last) return;
        if (HOW == COUNTER) __threadfence();
        acc = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) acc += __ldcg(&partials[i]);
    }
    acc = block_sum<THREADS>(acc, buffer);
    if (threadIdx.x == 0) *out = (float)acc;
}

template <int THREADS, int U, meeting HOW, overlapping WHEN>
static void small_sum(const float *x, int64_t n, int most, double *partials, slot *slots, unsigned *counter,
                      float *out) {
    static const char *const how[] = {"counter", "acq_rel counter", "slots", "slots, last", "slots, warp"};
    static const char *const when[] = {"", ", overlap", ", overlap early", ", overlap late"};
    const unsigned grid = (unsigned)std::min<int64_t>(n / 4 / (THREADS * U), most);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = THREADS;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = WHEN != APART ? 1 : 0;
    auto run = [=] {
        bench_cuda(cudaLaunchKernelEx(&config, small_kernel<THREADS, U, HOW, WHEN>, (const float4 *)x, n / 4,
                                      partials, slots, counter, out),
                   "launch");
    };
    char name[96];
    snprintf(name, sizeof name, "small, %d threads, %d packs, %u, %s%s", THREADS, U, grid, how[HOW],
             when[WHEN]);
    report(name, 4.0 * n, 200, run);
    float got = 0;
    cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost);
    report_graph(std::string(name) + ", graph", 4.0 * n, 200, run);
    float again = 0;
    cudaMemcpy(&again, out, 4, cudaMemcpyDeviceToHost);
    if (got != again || got == 0) printf("  DIFFERENT: %.9g %.9g\n", got, again);
}

// What a launch costs when there is nothing to do.
__global__ void empty_kernel(float *out) {
    wk_wait_for_stream();
    if (threadIdx.x > 1024) *out = 0;
}

int main(int argc, char **argv) {
    const int64_t n = (int64_t)1 << 28, small = 1 << 20;
    bench_cuda(cudaStreamCreate(&stream), "stream");
    float *x = bench_floats(n, -1, 1, 1), *y = bench_floats(n, -1, 1, 2), *out = bench_alloc<float>(n);
    double *partials = bench_alloc<double>(1 << 16);
    unsigned *counter = bench_alloc<unsigned>(1);
    bench_cuda(cudaMemset(counter, 0, 4), "memset");

    slot *slots = bench_alloc<slot>(4096);
    bench_cuda(cudaMemset(slots, 0, 4096 * sizeof(slot)), "memset");
    void *scratch = bench_alloc<char>(1 << 20);
    const bool streams = argc < 2 || strcmp(argv[1], "streams") == 0,
               sums = argc < 2 || strcmp(argv[1], "sums") == 0,
               smalls = argc < 2 || strcmp(argv[1], "smalls") == 0;
    auto cub_sum = [=](int64_t count) {
        size_t bytes = 1 << 20;
        cub::DeviceReduce::Sum(scratch, bytes, x, out, count, stream);
    };
    if (streams) {
        report("cudaMemcpy 1 GiB", 8.0 * n, 1,
               [=] { cudaMemcpyAsync(out, x, n * 4, cudaMemcpyDeviceToDevice, stream); });
        try_stream<256, 1, 1, PLAIN>("plain", x, y, out, n, 0);
        try_stream<256, 2, 1, PLAIN>("plain", x, y, out, n, 0);
        try_stream<256, 4, 1, PLAIN>("plain", x, y, out, n, 0);
        try_stream<256, 8, 1, PLAIN>("plain", x, y, out, n, 0);
        try_stream<512, 4, 1, PLAIN>("plain", x, y, out, n, 0);
        try_stream<1024, 1, 1, PLAIN>("plain", x, y, out, n, 0);
        try_stream<1024, 2, 1, PLAIN>("plain", x, y, out, n, 0);
        try_stream<128, 4, 1, PLAIN>("plain", x, y, out, n, 0);
        try_stream<256, 4, 1, PLAIN>("plain", x, y, out, n, 8);
        try_stream<256, 4, 1, STREAM_BOTH>("cs", x, y, out, n, 0);
        try_stream<256, 4, 1, STREAM_STORE>("cs stores", x, y, out, n, 0);
        try_stream<256, 2, 1, STREAM_BOTH>("cs", x, y, out, n, 0);
        try_stream<256, 4, 1, NO_ALLOCATE>("no allocate", x, y, out, n, 0);
        try_stream<256, 1, 2, PLAIN>("plain", x, y, out, n, 0);
        try_stream<256, 2, 2, PLAIN>("plain", x, y, out, n, 0);
        try_stream<256, 4, 2, PLAIN>("plain", x, y, out, n, 0);
        try_stream<512, 2, 2, PLAIN>("plain", x, y, out, n, 0);
        try_stream<1024, 1, 2, PLAIN>("plain", x, y, out, n, 0);
        try_stream<256, 2, 2, STREAM_BOTH>("cs", x, y, out, n, 0);
        try_stream<256, 2, 2, STREAM_STORE>("cs stores", x, y, out, n, 0);
    }
    if (sums) {
        report("CUB sum 2^28", 4.0 * n, 1, [=] { cub_sum(n); });
        for (int most : {264, 396, 528, 660, 792, 1056, 2112}) {
            sum<256, 4, false>(x, n, most, 1, partials, counter, out);
            sum<512, 4, false>(x, n, most, 1, partials, counter, out);
            sum<512, 2, true>(x, n, most, 1, partials, counter, out);
        }
    }
    if (smalls) {
        report("CUB sum 2^20", 4.0 * small, 200, [=] { cub_sum(small); });
        report_graph("CUB sum 2^20, graph", 4.0 * small, 200, [=] { cub_sum(small); });
        auto empty = [&](int overlap) {
            report_graph(overlap ? "empty kernel, overlap, graph" : "empty kernel, graph", 0, 200,
                         [=] { wk_launch_overlapped(overlap, empty_kernel, 128, 256, stream, out); });
        };
        empty(0);
        empty(1);
        for (int most : {128, 132, 256}) {
            small_sum<256, 4, COUNTER, APART>(x, small, most, partials, slots, counter, out);
            small_sum<256, 4, SLOTS, APART>(x, small, most, partials, slots, counter, out);
            small_sum<256, 4, SLOTS, OVERLAP>(x, small, most, partials, slots, counter, out);
            small_sum<256, 4, SLOTS, OVERLAP_LATE>(x, small, most, partials, slots, counter, out);
            small_sum<256, 4, SLOTS_LAST, OVERLAP>(x, small, most, partials, slots, counter, out);
            small_sum<256, 4, SLOTS_LAST, OVERLAP_LATE>(x, small, most, partials, slots, counter, out);
            small_sum<256, 8, SLOTS_LAST, OVERLAP_LATE>(x, small, most, partials, slots, counter, out);
            small_sum<128, 4, SLOTS_LAST, OVERLAP_LATE>(x, small, most, partials, slots, counter, out);
            small_sum<128, 8, SLOTS_LAST, OVERLAP_LATE>(x, small, most, partials, slots, counter, out);
            small_sum<512, 2, SLOTS_LAST, OVERLAP_LATE>(x, small, most, partials, slots, counter, out);
            small_sum<512, 4, SLOTS_LAST, OVERLAP_LATE>(x, small, most, partials, slots, counter, out);
        }
    }
    return 0;
}
