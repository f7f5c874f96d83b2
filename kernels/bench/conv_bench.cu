// Convolution beside its peers: cuDNN through its C API, NPP where it was found, CuPy and PyTorch
// through conv_peers.py. A separable row gives the same filter to peers that take no factors.
#include <math.h>

#include "check.h"

#ifdef WK_BENCH_CUDNN
#include <cudnn.h>
#endif
#ifdef WK_BENCH_NPP
#include <nppi_filtering_functions.h>
#endif

namespace {

struct work {
    int64_t size;  // of the square image
    int filter;    // of the square filter
    bool separable;
    goal target;
};

// What the measured library has to reach, and what is measured beside it.
const work works[] = {
    {16384, 3, false, {0.92, "cuDNN", 4}},
    {16384, 5, false, {0.88, "cuDNN", 9}},
    {16384, 7, false, {0.75, "", 0}},
    {16384, 11, false, {0.70, "", 0}},
    {16384, 15, false, {0.70, "", 0}},
    {16384, 21, false, {0.70, "", 0}},
    {16384, 31, false, {0.70, "", 0}},
    {16384, 7, true, {0.70, "", 0}},
    {16384, 11, true, {0.70, "", 0}},
    {16384, 15, true, {0.70, "", 0}},
    {16384, 21, true, {0.70, "", 0}},
    {16384, 31, true, {0.70, "", 0}},
    {1024, 3, false, {0, "cuDNN", 1}},
    {1024, 5, false, {0, "cuDNN", 1}},
    {1024, 7, false, {0, "cuDNN", 1}},
    {1024, 11, false, {0, "cuDNN", 1}},
    {1024, 15, false, {0, "cuDNN", 1}},
    {1024, 31, false, {0, "cuDNN", 1}},
    {1024, 11, true, {0, "cuDNN", 1}},
    {1024, 31, true, {0, "cuDNN", 1}},
};

// Largest difference to the reference in float64 over some rows in the middle and at the top,
// relative to the sum of the weights' magnitudes (the input lies in [-1, 1)).
double error_of(const wk_conv2d &c, const float *in, const float *weights, const float *out) {
    const int rows = 4, k = c.filter_height;
    double sum = 0, worst = 0;
    for (int i = 0; i < k * k; i++) sum += fabs(weights[i]);
    for (int64_t from : {(int64_t)0, c.height / 2 + 1}) {
        const int64_t top = from < k ? 0 : from - k;  // input rows around them
        const int64_t height = rows + 2 * k;
        auto band = bench_read(in + top * c.width, height * c.width);
        auto got = bench_read(out + from * c.width, rows * c.width);
        std::vector<float> want((size_t)(rows * c.width));
        wk_conv2d part = c;
        part.height = height, part.path = WK_CONV_AUTO;
        part.first_row = from - top, part.rows = rows;
        bench_wk(wk_conv2d_f32_host(&part, band.data(), weights, want.data()), "reference");
        for (size_t i = 0; i < want.size(); i++)
            worst = fmax(worst, fabs((double)got[i] - want[i]) / sum);
    }
    return worst;
}

#ifdef WK_BENCH_CUDNN
void check_cudnn(cudnnStatus_t s) {
    if (s == CUDNN_STATUS_SUCCESS) return;
    fprintf(stderr, "wk-bench: cuDNN: %s\n", cudnnGetErrorString(s));
    exit(1);
}

// One image, one channel, padded with zeros to the same size, FP32 without tensor cores. Objects live as
// long as the case.
struct cudnn_conv {
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t image;
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t conv;
    cudnnConvolutionFwdAlgo_t algo;
    void *workspace;
    size_t workspace_bytes;
    float *weights;
    bool found;
};

void cudnn_image(cudnn_conv *c, int size) {
    check_cudnn(cudnnSetTensor4dDescriptor(c->image, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, size, size));
}

// The algorithm is the fastest one that cuDNN's own search finds on this image or, because the search also
// runs the slowest ones, on its first 2048 x 2048 elements, and that fits into 8 GiB of workspace.
cudnn_conv cudnn_create(int size, int k, const float *in, const float *weights, float *out) {
    cudnn_conv c = {};
    check_cudnn(cudnnCreate(&c.handle));
    check_cudnn(cudnnCreateTensorDescriptor(&c.image));
    check_cudnn(cudnnCreateFilterDescriptor(&c.filter));
    check_cudnn(cudnnCreateConvolutionDescriptor(&c.conv));
    check_cudnn(cudnnSetFilter4dDescriptor(c.filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, k, k));
    check_cudnn(cudnnSetConvolution2dDescriptor(c.conv, k / 2, k / 2, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                                CUDNN_DATA_FLOAT));
    check_cudnn(cudnnSetConvolutionMathType(c.conv, CUDNN_FMA_MATH));
    c.weights = bench_alloc<float>(k * k);
    bench_cuda(cudaMemcpy(c.weights, weights, (size_t)(k * k) * 4, cudaMemcpyHostToDevice), "weights");
    const size_t most = (size_t)8 << 30;
    bench_cuda(cudaMalloc(&c.workspace, most), "cudaMalloc");

    cudnnConvolutionFwdAlgoPerf_t perf[CUDNN_CONVOLUTION_FWD_ALGO_COUNT];
    int count = 0;
    cudnn_image(&c, size < 2048 ? size : 2048);
    cudnnStatus_t s = cudnnFindConvolutionForwardAlgorithmEx(
        c.handle, c.image, in, c.filter, c.weights, c.conv, c.image, out, CUDNN_CONVOLUTION_FWD_ALGO_COUNT,
        &count, perf, c.workspace, most);
    cudnn_image(&c, size);
    for (int i = 0; s == CUDNN_STATUS_SUCCESS && i < count && !c.found; i++) {
        if (perf[i].status != CUDNN_STATUS_SUCCESS || perf[i].mathType != CUDNN_FMA_MATH) continue;
        if (cudnnGetConvolutionForwardWorkspaceSize(c.handle, c.image, c.filter, c.conv, c.image, perf[i].algo,
                                                    &c.workspace_bytes) != CUDNN_STATUS_SUCCESS ||
            c.workspace_bytes > most)
            continue;
        const float one = 1, zero = 0;
        c.algo = perf[i].algo;
        c.found = cudnnConvolutionForward(c.handle, &one, c.image, in, c.filter, c.weights, c.conv, c.algo, c.workspace,
                                          c.workspace_bytes, &zero, c.image, out) == CUDNN_STATUS_SUCCESS;
    }
    bench_cuda(cudaDeviceSynchronize(), "cuDNN");
    return c;
}

void cudnn_destroy(cudnn_conv *c) {
    cudaFree(c->workspace);
    cudaFree(c->weights);
    cudnnDestroyConvolutionDescriptor(c->conv);
    cudnnDestroyFilterDescriptor(c->filter);
    cudnnDestroyTensorDescriptor(c->image);
    cudnnDestroy(c->handle);
}
#endif

#ifdef WK_BENCH_NPP
// The whole image but its border of k / 2, which NPP reads: no border handling to pay for.
std::function<void(cudaStream_t)> npp_run(const float *in, float *out, const float *device_weights, int size,
                                          int k) {
    NppStreamContext context = {};
    int device = 0, major = 0, minor = 0, sms = 0, threads = 0, block = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    cudaDeviceGetAttribute(&block, cudaDevAttrMaxThreadsPerBlock, device);
    context.nCudaDeviceId = device;
    context.nMultiProcessorCount = sms;
    context.nMaxThreadsPerMultiProcessor = threads;
    context.nMaxThreadsPerBlock = block;
    context.nCudaDevAttrComputeCapabilityMajor = major;
    context.nCudaDevAttrComputeCapabilityMinor = minor;
    const int pitch = size * 4, r = k / 2;
    const NppiSize inside = {size - 2 * r, size - 2 * r}, filter = {k, k};
    const NppiPoint anchor = {r, r};
    return [=](cudaStream_t s) {
        NppStreamContext c = context;
        c.hStream = s;
        NppStatus status = nppiFilter_32f_C1R_Ctx(in + r * size + r, pitch, out + r * size + r, pitch, inside,
                                                  device_weights, filter, anchor, c);
        if (status != NPP_SUCCESS) {
            fprintf(stderr, "wk-bench: NPP: status %d\n", (int)status);
            exit(1);
        }
    };
}
#endif

void one(bench *b, const work &k, const float *in, float *out, float *peer_out) {
    const std::string name = "conv " + std::to_string(k.filter) + "x" + std::to_string(k.filter) +
                             (k.separable ? ", separable" : "");
    const std::string size = std::to_string(k.size) + "^2";
    if (!bench_wanted(b, name)) return;
    const int n = k.filter * k.filter;
    std::vector<float> column((size_t)k.filter), row((size_t)k.filter), weights((size_t)n);
    for (int i = 0; i < k.filter; i++) {
        const double x = (i - (k.filter - 1) / 2.) / k.filter;
        column[(size_t)i] = (float)exp(-3 * x * x);
        row[(size_t)i] = (float)exp(-2 * x * x);
    }
    for (int i = 0; i < n; i++)  // of rank 1, or of full rank
        weights[(size_t)i] = k.separable ? column[(size_t)(i / k.filter)] * row[(size_t)(i % k.filter)]
                                         : (float)((i * 7919 % 1009) / 1009. - 0.45);
    wk_conv2d c = {};
    c.images = 1, c.height = c.width = k.size;
    c.filter_height = c.filter_width = k.filter;
    c.border = WK_BORDER_ZERO;
    auto run = [=](cudaStream_t s) { bench_wk(wk_conv2d_f32(&c, in, weights.data(), out, s), "conv"); };
    run(b->stream);
    bench_cuda(cudaStreamSynchronize(b->stream), "conv");
    const double error = error_of(c, in, weights.data(), out);

    std::vector<contestant> contestants = {{"wk", run}};
    const bool small = k.size <= 1024;
#ifdef WK_BENCH_CUDNN
    cudnn_conv peer = cudnn_create((int)k.size, k.filter, in, weights.data(), peer_out);
    if (peer.found)
        contestants.push_back({"cuDNN", [&](cudaStream_t s) {
                                   const float one = 1, zero = 0;
                                   check_cudnn(cudnnSetStream(peer.handle, s));
                                   check_cudnn(cudnnConvolutionForward(peer.handle, &one, peer.image, in, peer.filter,
                                                                       peer.weights, peer.conv, peer.algo,
                                                                       peer.workspace, peer.workspace_bytes, &zero,
                                                                       peer.image, peer_out));
                               }});
#endif
#ifdef WK_BENCH_NPP
    float *npp_weights = bench_alloc<float>(n);
    std::vector<float> turned(weights.rbegin(), weights.rend());  // NPP convolves
    bench_cuda(cudaMemcpy(npp_weights, turned.data(), (size_t)n * 4, cudaMemcpyHostToDevice), "weights");
    contestants.push_back({"NPP", npp_run(in, peer_out, npp_weights, (int)k.size, k.filter)});
#endif
    const double pixels = (double)k.size * (double)k.size;
    const double flops = 2 * pixels * (k.separable ? 2 * k.filter : n);
    bench_measure(b, {name, size, 8 * pixels, flops, small ? 50 : 1, false, error, k.target}, contestants);
#ifdef WK_BENCH_NPP
    cudaFree(npp_weights);
#endif
#ifdef WK_BENCH_CUDNN
    cudnn_destroy(&peer);
#endif
}

}  // namespace

void bench_conv(bench *b) {
    if (!bench_any_wanted(b, {"conv"})) return;
    const int64_t most = 16384 * 16384ll;
    float *in = bench_floats(most, -1, 1, 41), *out = bench_alloc<float>(most), *peer_out = bench_alloc<float>(most);
    for (const work &k : works) one(b, k, in, out, peer_out);
    cudaFree(in);
    cudaFree(out);
    cudaFree(peer_out);
}
