// Timing, random data, and the two ceilings.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

#include "bench.h"

void bench_cuda(cudaError_t e, const char *what) {
    if (e == cudaSuccess) return;
    fprintf(stderr, "wk-bench: %s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}

bool bench_wanted(const bench *b, const std::string &work) {
    return b->only.empty() || work.find(b->only) != std::string::npos;
}

bool bench_any_wanted(const bench *b, const std::vector<std::string> &beginnings) {
    for (const std::string &name : beginnings)
        if (bench_wanted(b, name) || b->only.find(name) != std::string::npos) return true;
    return false;
}

static double percentile(const std::vector<double> &sorted, double p) {
    const double at = p * (double)(sorted.size() - 1);
    const size_t i = (size_t)at;
    const double next = sorted[std::min(i + 1, sorted.size() - 1)];
    return sorted[i] + (at - (double)i) * (next - sorted[i]);
}

bool bench_measure(bench *b, const bench_case &about, const std::vector<contestant> &contestants) {
    if (!bench_wanted(b, about.work)) return false;
    const size_t n = contestants.size();
    std::vector<std::vector<double>> seconds(n);
    std::vector<cudaGraphExec_t> graphs(n, nullptr);
    cudaEvent_t start, stop;
    bench_cuda(cudaEventCreate(&start), "event");
    bench_cuda(cudaEventCreate(&stop), "event");

    for (size_t k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) contestants[k].run(b->stream);
        bench_cuda(cudaStreamSynchronize(b->stream), contestants[k].who.c_str());
        if (!about.graph) continue;
        cudaGraph_t graph;
        bench_cuda(cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeThreadLocal), "capture");
        for (int i = 0; i < about.calls; i++) contestants[k].run(b->stream);
        bench_cuda(cudaStreamEndCapture(b->stream, &graph), "capture");
        bench_cuda(cudaGraphInstantiate(&graphs[k], graph, 0), "graph");
        bench_cuda(cudaGraphDestroy(graph), "graph");
        bench_cuda(cudaGraphLaunch(graphs[k], b->stream), "graph");
        bench_cuda(cudaStreamSynchronize(b->stream), "graph");
    }

    double spent = 0;
    for (int r = 0; r < b->repeats && (r < 5 || spent < b->seconds_a_case); r++) {
        for (size_t k = 0; k < n; k++) {
            // A graph that replaces another one is set up first: the second replay in a row is timed.
            if (about.graph) bench_cuda(cudaGraphLaunch(graphs[k], b->stream), "graph");
            bench_cuda(cudaEventRecord(start, b->stream), "event");
            if (about.graph)
                bench_cuda(cudaGraphLaunch(graphs[k], b->stream), "graph");
            else
                for (int i = 0; i < about.calls; i++) contestants[k].run(b->stream);
            bench_cuda(cudaEventRecord(stop, b->stream), "event");
            bench_cuda(cudaEventSynchronize(stop), contestants[k].who.c_str());
            float ms = 0;
            bench_cuda(cudaEventElapsedTime(&ms, start, stop), "event");
            seconds[k].push_back(ms * 1e-3 / about.calls);
            spent += ms * 1e-3;
        }
    }

    bench_row row;
    row.about = about;
    for (size_t k = 0; k < n; k++) {
        std::sort(seconds[k].begin(), seconds[k].end());
        row.who.push_back(contestants[k].who);
        row.times.push_back(
            {percentile(seconds[k], 0.5), percentile(seconds[k], 0.1), percentile(seconds[k], 0.9)});
        if (graphs[k]) cudaGraphExecDestroy(graphs[k]);
        fprintf(stderr, "%-28s %-12s %-10s %10.2f us  %6.3f TB/s\n", about.work.c_str(), about.size.c_str(),
                contestants[k].who.c_str(), row.times[k].median * 1e6,
                about.bytes / row.times[k].median * 1e-12);
    }
    b->rows.push_back(row);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return true;
}

__global__ void fill_kernel(float *x, int64_t n, float lo, float span, uint64_t seed) {
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        uint64_t z = seed + (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u; // splitmix64
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        x[i] = lo + span * ((float)(z >> 40) * 0x1p-24f);
    }
}

float *bench_floats(int64_t n, double lo, double hi, uint64_t seed) {
    float *x = nullptr;
    bench_cuda(cudaMalloc((void **)&x, (size_t)n * sizeof(float)), "cudaMalloc");
    fill_kernel<<<4096, 256>>>(x, n, (float)lo, (float)(hi - lo), seed);
    bench_cuda(cudaDeviceSynchronize(), "random data");
    return x;
}
