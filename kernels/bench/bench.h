// The measuring part of the benchmark. A bench_*.cu file describes cases and hands each one over with
// its contestants; main.cu prints the table.
#ifndef WK_BENCH_H
#define WK_BENCH_H

#include <cuda_runtime.h>
#include <stdint.h>

#include <functional>
#include <string>
#include <vector>

// One way to do the work of a case: the library's own comes first, peers follow.
struct contestant {
    std::string who;
    std::function<void(cudaStream_t)> run;
};

struct timing {
    double median, low, high; // seconds for one call: median, 10th and 90th percentile
};

// What a row promises. share: of the ceiling in `unit`; faster_than: peer's time / own time.
struct goal {
    double share;     // 0: none
    std::string peer; // empty: none
    double ratio;     // peer's median time / own median time must reach this
};

struct bench_case {
    std::string work, size; // together the name of a row; peers.py uses the same names
    double bytes;           // that must move through device memory, each one once
    double flops;           // 0: not compared with the FP32 ceiling
    int calls;              // back to back between two events
    bool graph;             // the calls are captured into a graph, its replay is timed
    double error;           // against float64; negative: bit for bit, NaN: not measured
    goal target;
};

struct bench_row {
    bench_case about;
    std::vector<std::string> who;
    std::vector<timing> times;
};

struct bench {
    int repeats;           // timings of each contestant, interleaved
    double seconds_a_case; // upper limit, so that slow peers do not hold up the rest
    std::string only;      // run cases whose work contains this
    cudaStream_t stream;
    double copy; // ceiling of memory, bytes/s read plus written, measured in this run
    double fp32; // ceiling of FP32 FMA, flop/s, measured in this run
    std::vector<bench_row> rows;
};

// Times all contestants in turn, `repeats` rounds. Returns false when the case was filtered out.
bool bench_measure(bench *b, const bench_case &about, const std::vector<contestant> &contestants);
bool bench_wanted(const bench *b, const std::string &work);
// Whether a row may be wanted whose work begins with one of these.
bool bench_any_wanted(const bench *b, const std::vector<std::string> &beginnings);

// Exits with a message where a CUDA call failed.
void bench_cuda(cudaError_t e, const char *what);

// Device memory with uniform random floats in [lo, hi), the same in every run.
float *bench_floats(int64_t n, double lo, double hi, uint64_t seed);

// The parts. Each one allocates, measures and frees. bench_conv may be absent.
void bench_elementwise(bench *b);
void bench_bonds(bench *b);
void bench_reduce(bench *b);
void bench_scan(bench *b);
__attribute__((weak)) void bench_conv(bench *b);

#endif
