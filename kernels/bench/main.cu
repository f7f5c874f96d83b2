// wk-bench: the kernels beside their peers, in one run, as one table.
//
//   wk-bench [--repeats N] [--only TEXT] [--python COMMAND] [--peers FILE.py] [--write FILE.md]
//
// --peers runs FILE.py, which prints lines of work, size, peer, median, low and high in seconds, and adds
// its peers to the rows of the same name. --write replaces the part of FILE.md between
// <!-- bench:begin --> and <!-- bench:end -->.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "bench.h"

#ifdef WK_BENCH_CUDNN
#include <cudnn.h>
#endif
#include <cub/version.cuh>

// --- ceilings ---------------------------------------------------------------------

static void measure_copy(bench *b) {
    const size_t bytes = (size_t)4 << 30;
    char *from = (char *)bench_floats((int64_t)(bytes / 4), -1, 1, 1), *to = nullptr;
    bench_cuda(cudaMalloc((void **)&to, bytes), "cudaMalloc");
    bench_case about = {"copy (ceiling)", "4 GiB", 2.0 * (double)bytes, 0, 1, false, NAN, {}};
    std::string only;
    std::swap(only, b->only); // measured whatever is asked for
    bench_measure(b, about, {{"cudaMemcpy", [=](cudaStream_t s) {
                                  bench_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, s),
                                             "copy");
                              }}});
    std::swap(only, b->only);
    b->copy = about.bytes / b->rows.back().times[0].median;
    cudaFree(from);
    cudaFree(to);
}

// Eight chains of dependent multiply-adds a thread: enough to fill the pipes.
__global__ void __launch_bounds__(256) fma_kernel(float *out, float a, float c, int rounds) {
    float x[8];
#pragma unroll
    for (int k = 0; k < 8; k++) x[k] = (float)(threadIdx.x + k);
    for (int i = 0; i < rounds; i++)
#pragma unroll
        for (int r = 0; r < 16; r++)
#pragma unroll
            for (int k = 0; k < 8; k++) x[k] = fmaf(x[k], a, c);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += x[k];
    if (sum == 12345.678f) out[0] = sum; // keeps the work
}

static void measure_fp32(bench *b) {
    int sms = 0, device = 0;
    bench_cuda(cudaGetDevice(&device), "device");
    bench_cuda(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), "device");
    float *out = nullptr;
    bench_cuda(cudaMalloc((void **)&out, 4), "cudaMalloc");
    const int rounds = 512;
    const unsigned blocks = (unsigned)sms * 32;
    bench_case about = {"FP32 FMA (ceiling)", "", 0, 2.0 * 8 * 16 * rounds * 256 * blocks, 1, false, NAN, {}};
    std::string only;
    std::swap(only, b->only);
    bench_measure(b, about, {{"loop", [=](cudaStream_t s) {
                                  fma_kernel<<<blocks, 256, 0, s>>>(out, 0.999f, 0.5f, rounds);
                              }}});
    std::swap(only, b->only);
    b->fp32 = about.flops / b->rows.back().times[0].median;
    cudaFree(out);
}

// --- peers outside of this program ---------------------------------------------------

static void run_peers(bench *b, const std::string &python, const std::string &script, std::string *versions) {
    FILE *p =
        popen((python + " " + script + " " + (b->only.empty() ? "" : "'" + b->only + "'")).c_str(), "r");
    if (!p) return;
    char line[1024];
    while (fgets(line, sizeof line, p)) {
        std::vector<std::string> field;
        std::stringstream s(line);
        for (std::string f; std::getline(s, f, '\t');) field.push_back(f);
        if (field.size() == 2 && field[0] == "version") {
            field[1].erase(field[1].find_last_not_of("\n") + 1);
            *versions += ", " + field[1];
        }
        if (field.size() != 6) continue;
        for (bench_row &row : b->rows)
            if (row.about.work == field[0] && row.about.size == field[1]) {
                row.who.push_back(field[2]);
                row.times.push_back({atof(field[3].c_str()), atof(field[4].c_str()), atof(field[5].c_str())});
            }
    }
    if (pclose(p) != 0)
        fprintf(stderr, "wk-bench: %s ended with an error: its rows may be missing\n", script.c_str());
}

// --- the table -------------------------------------------------------------------------

static std::string text(const char *format, double x) {
    char s[64];
    snprintf(s, sizeof s, format, x);
    return s;
}

static std::string time_text(const timing &t) {
    const double us = t.median * 1e6;
    const char *format = us < 100 ? "%.2f" : us < 10000 ? "%.1f" : "%.0f";
    return text(format, us) + " (" + text(format, t.low * 1e6) + "–" + text(format, t.high * 1e6) + ")";
}

static const timing *time_of(const bench_row &row, const std::string &who) {
    for (size_t k = 1; k < row.who.size(); k++)
        if (row.who[k] == who) return &row.times[k];
    return nullptr;
}

// Share of the ceiling: of the lower one where both apply.
static double share_of(const bench *b, const bench_row &row) {
    const double floor_memory = row.about.bytes / b->copy;
    const double floor_fp32 = row.about.flops > 0 ? row.about.flops / b->fp32 : 0;
    return std::max(floor_memory, floor_fp32) / row.times[0].median;
}

// "≥ 0.98 of copy: met", for the promises of a row whose peers are there.
static std::string verdict(const bench *b, const bench_row &row) {
    const goal &g = row.about.target;
    std::string s;
    if (g.share > 0)
        s = "≥ " + text("%.2f", g.share) + (share_of(b, row) >= g.share ? " met" : " **missed**");
    if (!g.peer.empty()) {
        const timing *t = time_of(row, g.peer);
        if (!s.empty()) s += "; ";
        s += "≥ " + text("%.2f", g.ratio) + "× " + g.peer;
        s += !t ? " (absent)" : t->median / row.times[0].median >= g.ratio ? " met" : " **missed**";
    }
    return s;
}

static std::string error_text(double e) {
    return isnan(e) ? "" : e < 0 ? "exact" : text("%.1e", e);
}

static std::string table(const bench *b, const std::string &versions) {
    cudaDeviceProp prop;
    int device = 0, driver = 0, runtime = 0;
    bench_cuda(cudaGetDevice(&device), "device");
    bench_cuda(cudaGetDeviceProperties(&prop, device), "device");
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    std::string driver_name = text("CUDA %.1f", driver / 1000 + driver % 1000 / 10 * 0.1);
    FILE *f = popen("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null", "r");
    char line[64] = "";
    if (f && fgets(line, sizeof line, f))
        driver_name = std::string("driver ") + strtok(line, "\n") + ", " + driver_name;
    if (f) pclose(f);

    std::ostringstream o;
    o << prop.name << ", " << prop.multiProcessorCount << " multiprocessors, " << driver_name << ", runtime "
      << text("%.1f", runtime / 1000 + runtime % 1000 / 10 * 0.1) << ", CUB " << CUB_MAJOR_VERSION << "."
      << CUB_MINOR_VERSION << "." << CUB_SUBMINOR_VERSION << versions << ".\n\n"
      << "Ceilings of this run: copy " << text("%.3f", b->copy * 1e-12)
      << " TB/s (read plus written), FP32 FMA " << text("%.1f", b->fp32 * 1e-12)
      << " TFLOP/s. Times are of one call in µs: median (10th–90th percentile) of " << b->repeats
      << " interleaved rounds; peers: their time, and how many times ours it is.\n\n"
      << "| work | size | time | TB/s | TFLOP/s | share of ceiling | peers | error | goal |\n"
      << "|---|---|---|---|---|---|---|---|---|\n";
    for (const bench_row &row : b->rows) {
        const double t = row.times[0].median;
        o << "| " << row.about.work << " | " << row.about.size << " | " << time_text(row.times[0]) << " | "
          << (row.about.bytes > 0 ? text("%.3f", row.about.bytes / t * 1e-12) : "") << " | "
          << (row.about.flops > 0 ? text("%.1f", row.about.flops / t * 1e-12) : "") << " | "
          << text("%.3f", share_of(b, row)) << " | ";
        for (size_t k = 1; k < row.who.size(); k++)
            o << (k > 1 ? "; " : "") << row.who[k] << " " << time_text(row.times[k]) << " "
              << text("%.2f×", row.times[k].median / t);
        o << " | " << error_text(row.about.error) << " | " << verdict(b, row) << " |\n";
    }
    return o.str();
}

static int write_into(const std::string &path, const std::string &content) {
    const std::string begin = "<!-- bench:begin -->\n", end = "<!-- bench:end -->";
    std::ifstream in(path);
    std::stringstream whole;
    whole << in.rdbuf();
    std::string s = whole.str();
    const size_t from = s.find(begin), to = s.find(end);
    if (!in || from == std::string::npos || to == std::string::npos || to < from) {
        fprintf(stderr,
                "wk-bench: %s has no bench:begin and bench:end marks: add them where the table belongs\n",
                path.c_str());
        return 1;
    }
    s = s.substr(0, from + begin.size()) + content + s.substr(to);
    std::ofstream out(path);
    out << s;
    return out.good() ? 0 : 1;
}

int main(int argc, char **argv) {
    bench b = {};
    b.repeats = 20;
    b.seconds_a_case = 3;
    std::string python = "python3", peers, write;
    for (int i = 1; i < argc; i++) {
        const std::string a = argv[i];
        if (i + 1 < argc && a == "--repeats")
            b.repeats = atoi(argv[++i]);
        else if (i + 1 < argc && a == "--only")
            b.only = argv[++i];
        else if (i + 1 < argc && a == "--python")
            python = argv[++i];
        else if (i + 1 < argc && a == "--peers")
            peers = argv[++i];
        else if (i + 1 < argc && a == "--write")
            write = argv[++i];
        else {
            fprintf(stderr,
                    "usage: wk-bench [--repeats N] [--only TEXT] [--python COMMAND] [--peers FILE.py] "
                    "[--write FILE.md]\n");
            return 2;
        }
    }
    if (b.repeats < 1) b.repeats = 1;
    bench_cuda(cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking), "stream");

    measure_copy(&b);
    measure_fp32(&b);
    bench_elementwise(&b);
    bench_bonds(&b);
    bench_reduce(&b);
    bench_scan(&b);
    if (bench_conv) bench_conv(&b);
    std::string versions;
#ifdef WK_BENCH_CUDNN
    const size_t v = cudnnGetVersion();
    versions += ", cuDNN " + std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
                std::to_string(v % 100);
#endif
    if (!peers.empty()) run_peers(&b, python, peers, &versions);

    const std::string t = table(&b, versions);
    fputs(t.c_str(), stdout);
    return write.empty() ? 0 : write_into(write, t);
}
