// Each rank reduces its share with the kernels of the library, into double; NCCL combines; one thread
// finishes. Convolution sends the rows at the edges of a share to the neighbours.
#include <stdlib.h>

#include <warpkernels/nccl.h>

#include "reduce_ops.cuh"

struct wk_ranks {
    ncclComm_t comm;
    int rank, count;
    wk_workspace *workspace;
    double *sums;            // up to 4, of this rank, then of all
    float *values;           // one of each rank
    cudaStream_t exchange;   // rows travel here while the caller's stream computes
    cudaEvent_t ready, done; // the input is there; the rows have come
};

static wk_status from_nccl(ncclResult_t r) {
    return r == ncclSuccess ? WK_SUCCESS : WK_ERROR_NCCL;
}

#define WK_NCCL(call) WK_TRY(from_nccl(call))

// --- life ------------------------------------------------------------------------

extern "C" wk_status wk_ranks_destroy(wk_ranks *r) {
    if (!r) return WK_SUCCESS;
    wk_workspace_destroy(r->workspace);
    cudaFree(r->sums);
    cudaFree(r->values);
    if (r->ready) cudaEventDestroy(r->ready);
    if (r->done) cudaEventDestroy(r->done);
    if (r->exchange) cudaStreamDestroy(r->exchange);
    free(r);
    return WK_SUCCESS;
}

static wk_status set_up(wk_ranks *r) {
    int device = 0, current = 0;
    WK_NCCL(ncclCommUserRank(r->comm, &r->rank));
    WK_NCCL(ncclCommCount(r->comm, &r->count));
    WK_NCCL(ncclCommCuDevice(r->comm, &device));
    WK_CUDA(cudaGetDevice(&current));
    if (device != current) return WK_ERROR_VALUE;
    WK_TRY(wk_workspace_create(0, &r->workspace));
    WK_CUDA(cudaMalloc((void **)&r->sums, 4 * sizeof *r->sums));
    WK_CUDA(cudaMalloc((void **)&r->values, (size_t)r->count * sizeof *r->values));
    WK_CUDA(cudaStreamCreateWithFlags(&r->exchange, cudaStreamNonBlocking));
    WK_CUDA(cudaEventCreateWithFlags(&r->ready, cudaEventDisableTiming));
    return wk_from_cuda(cudaEventCreateWithFlags(&r->done, cudaEventDisableTiming));
}

extern "C" wk_status wk_ranks_create(ncclComm_t comm, wk_ranks **out) {
    if (!comm || !out) return WK_ERROR_NULL;
    *out = NULL;
    wk_ranks *r = (wk_ranks *)calloc(1, sizeof *r);
    if (!r) return WK_ERROR_MEMORY;
    r->comm = comm;
    const wk_status s = set_up(r);
    if (s != WK_SUCCESS) {
        wk_ranks_destroy(r);
        return s;
    }
    *out = r;
    return WK_SUCCESS;
}

// --- sums --------------------------------------------------------------------------

// How many elements all ranks have: a double counts exactly up to 2^53 of them.
__global__ void set_kernel(double *to, double value) {
    *to = value;
}

template <class R> __global__ void finish_sum_kernel(const double *sum, R *out) {
    *out = (R)*sum;
}

template <class R> __global__ void finish_mean_kernel(const double *sum_and_count, R *out) {
    *out = (R)(sum_and_count[0] / sum_and_count[1]);
}

__global__ void finish_portfolio_kernel(const double *sums, wk_portfolio *out) {
    *out = {sums[0], sums[1] / sums[0], sums[2] / sums[0]};
}

static wk_status add_ranks(wk_ranks *r, int sums, cudaStream_t stream) {
    return from_nccl(ncclAllReduce(r->sums, r->sums, (size_t)sums, ncclDouble, ncclSum, r->comm, stream));
}

// Arguments are checked before the first collective step: a rank that is wrong must not leave the others
// waiting without having been told so; its own error is all that it can give.
static wk_status check_out(const wk_ranks *r, const void *out, size_t alignment) {
    if (!r || !out) return WK_ERROR_NULL;
    return (uintptr_t)out % alignment ? WK_ERROR_ALIGNMENT : WK_SUCCESS;
}

template <class E, class R>
static wk_status sum_over_ranks(wk_ranks *r, const E *x, int64_t n, R *out, cudaStream_t stream) {
    WK_TRY(check_out(r, out, alignof(R)));
    WK_TRY((reduce_rows<sum_op<E, double>>({{x}}, 1, n, n, r->sums, r->workspace, stream)));
    WK_TRY(add_ranks(r, 1, stream));
    return wk_launch_kernel(finish_sum_kernel<R>, 1, 1, 0, stream, r->sums, out);
}

extern "C" wk_status wk_ranks_sum_f32(wk_ranks *r, const float *x, int64_t n, float *out,
                                      cudaStream_t stream) {
    return sum_over_ranks(r, x, n, out, stream);
}

extern "C" wk_status wk_ranks_sum_f64(wk_ranks *r, const double *x, int64_t n, double *out,
                                      cudaStream_t stream) {
    return sum_over_ranks(r, x, n, out, stream);
}

extern "C" wk_status wk_ranks_mean_f32(wk_ranks *r, const float *x, int64_t n, float *out,
                                       cudaStream_t stream) {
    WK_TRY(check_out(r, out, alignof(float)));
    WK_TRY((reduce_rows<sum_op<float, double>>({{x}}, 1, n, n, r->sums, r->workspace, stream)));
    WK_TRY(wk_launch_kernel(set_kernel, 1, 1, 0, stream, r->sums + 1, (double)n));
    WK_TRY(add_ranks(r, 2, stream));
    return wk_launch_kernel(finish_mean_kernel<float>, 1, 1, 0, stream, r->sums, out);
}

extern "C" wk_status wk_ranks_dot_f32(wk_ranks *r, const float *x, const float *y, int64_t n, float *out,
                                      cudaStream_t stream) {
    WK_TRY(check_out(r, out, alignof(float)));
    WK_TRY((reduce_rows<dot_op<float, double>>({{x, y}}, 1, n, n, r->sums, r->workspace, stream)));
    WK_TRY(add_ranks(r, 1, stream));
    return wk_launch_kernel(finish_sum_kernel<float>, 1, 1, 0, stream, r->sums, out);
}

extern "C" wk_status wk_ranks_portfolio(wk_ranks *r, const wk_bonds *bonds, int64_t n, wk_portfolio *out,
                                        cudaStream_t stream) {
    if (!bonds) return WK_ERROR_NULL;
    WK_TRY(check_out(r, out, alignof(wk_portfolio)));
    const reduce_arrays<float, 4> in = {
        {bonds->face_value, bonds->time_to_maturity, bonds->risk_free_rate, bonds->credit_spread}};
    WK_TRY(reduce_rows<portfolio_sums_op<double>>(in, 1, n, n, (portfolio_sums<double> *)r->sums,
                                                  r->workspace, stream));
    WK_TRY(add_ranks(r, 3, stream));
    return wk_launch_kernel(finish_portfolio_kernel, 1, 1, 0, stream, r->sums, out);
}

// --- min and max: gathered, because NCCL's own treat NaN as they like -----------------

template <class Op> __global__ void finish_extreme_kernel(const float *values, int count, float *out) {
    float best = values[0];
    for (int i = 1; i < count; i++) best = Op::combine(best, values[i]);
    *out = best;
}

template <class Op>
static wk_status extreme_over_ranks(wk_ranks *r, const float *x, int64_t n, float *out, cudaStream_t stream) {
    WK_TRY(check_out(r, out, alignof(float)));
    float *mine = r->values + r->rank;
    WK_TRY(reduce_rows<Op>({{x}}, 1, n, n, mine, r->workspace, stream));
    WK_NCCL(ncclAllGather(mine, r->values, 1, ncclFloat, r->comm, stream));
    return wk_launch_kernel(finish_extreme_kernel<Op>, 1, 1, 0, stream, r->values, r->count, out);
}

extern "C" wk_status wk_ranks_min_f32(wk_ranks *r, const float *x, int64_t n, float *out,
                                      cudaStream_t stream) {
    return extreme_over_ranks<extreme_op<order_min<float>>>(r, x, n, out, stream);
}

extern "C" wk_status wk_ranks_max_f32(wk_ranks *r, const float *x, int64_t n, float *out,
                                      cudaStream_t stream) {
    return extreme_over_ranks<extreme_op<order_max<float>>>(r, x, n, out, stream);
}

// --- convolution ------------------------------------------------------------------------

// Rows go up and down by one rank each. A rank's rows above are its neighbour's last ones.
static wk_status exchange_rows(wk_ranks *r, float *in, int64_t pitch, const wk_shard_rows *rows,
                               int64_t above, int64_t below) {
    float *own = in + rows->above * pitch;
    const bool first = r->rank == 0, last = r->rank == r->count - 1;
    WK_NCCL(ncclGroupStart());
    ncclResult_t e = ncclSuccess;
    if (!first && below > 0 && e == ncclSuccess)
        e = ncclSend(own, (size_t)(below * pitch), ncclFloat, r->rank - 1, r->comm, r->exchange);
    if (!last && below > 0 && e == ncclSuccess)
        e = ncclRecv(own + rows->count * pitch, (size_t)(below * pitch), ncclFloat, r->rank + 1, r->comm,
                     r->exchange);
    if (!last && above > 0 && e == ncclSuccess)
        e = ncclSend(own + (rows->count - above) * pitch, (size_t)(above * pitch), ncclFloat, r->rank + 1,
                     r->comm, r->exchange);
    if (!first && above > 0 && e == ncclSuccess)
        e = ncclRecv(in, (size_t)(above * pitch), ncclFloat, r->rank - 1, r->comm, r->exchange);
    const ncclResult_t end = ncclGroupEnd();
    return from_nccl(e != ncclSuccess ? e : end);
}

extern "C" wk_status wk_ranks_conv2d_f32(wk_ranks *r, const wk_conv2d *conv, float *in, const float *weights,
                                         float *out, cudaStream_t stream) {
    if (!r || !conv || !in || !weights) return WK_ERROR_NULL;
    if (conv->images != 1) return WK_ERROR_VALUE;
    wk_shard_rows rows;
    WK_TRY(wk_shard_conv_rows(conv, r->count, r->rank, &rows));
    if (rows.out_count > 0 && !out) return WK_ERROR_NULL;
    const int64_t pitch = conv->in_pitch ? conv->in_pitch : conv->width;
    const int64_t top = conv->border == WK_BORDER_VALID ? 0 : (conv->filter_height - 1) / 2;
    const int64_t bottom = conv->filter_height - 1 - top;

    // This rank's image: its borders are the whole image's where it has no neighbour, and are never
    // reached where it has one.
    wk_conv2d mine = *conv;
    mine.height = rows.above + rows.count + rows.below;
    mine.in_image_pitch = mine.out_image_pitch = 0;
    int64_t out_height, out_width;
    WK_TRY(wk_conv2d_output_size(conv, &out_height, &out_width));
    const int64_t out_pitch = conv->out_pitch ? conv->out_pitch : out_width;

    WK_CUDA(cudaEventRecord(r->ready, stream));
    WK_CUDA(cudaStreamWaitEvent(r->exchange, r->ready, 0));
    WK_TRY(exchange_rows(r, in, pitch, &rows, top, bottom));
    WK_CUDA(cudaEventRecord(r->done, r->exchange));

    // Outputs in three strips: those in the middle wait for no one.
    const int64_t upper = r->rank > 0 ? top : 0;
    const int64_t lower = r->rank < r->count - 1 ? bottom : 0;
    const int64_t middle = rows.out_count - upper - lower;
    const int64_t strip[3][2] = {{upper, middle > 0 ? middle : 0},
                                 {0, middle > 0 ? upper : rows.out_count},
                                 {upper + middle, middle > 0 ? lower : 0}};
    for (int k = 0; k < 3; k++) {
        if (k == 1) WK_CUDA(cudaStreamWaitEvent(stream, r->done, 0));
        if (strip[k][1] <= 0) continue;
        mine.first_row = rows.above + strip[k][0];
        mine.rows = strip[k][1];
        WK_TRY(wk_conv2d_f32(&mine, in, weights, out + strip[k][0] * out_pitch, stream));
    }
    return WK_SUCCESS;
}
