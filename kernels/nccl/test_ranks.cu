// Several GPUs against the host references, one thread a GPU. With one GPU it tests one rank.
// WK_TEST_LARGE=1 adds an image that no single GPU of the host could hold, where there are two or more.
#include <thread>
#include <vector>

#include "check.cuh"

#include <warpkernels/nccl.h>
#include <warpkernels/reduce.h>

struct one_rank {
    int rank, ranks;
    ncclComm_t comm;
    wk_ranks *state;
    cudaStream_t stream;
};

// Runs f on every rank at once, each on its device.
template <class F> static void on_ranks(std::vector<one_rank> &all, F f) {
    std::vector<std::thread> threads;
    for (one_rank &r : all)
        threads.emplace_back([&r, &f] {
            check_cuda(cudaSetDevice(r.rank), "cudaSetDevice");
            f(r);
            check_cuda(cudaStreamSynchronize(r.stream), "stream");
        });
    for (std::thread &t : threads) t.join();
}

template <class T> static T fetch(const T *device) {
    T value;
    check_cuda(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost), "copy to the host");
    return value;
}

// --- reductions --------------------------------------------------------------------

enum { SUM, MEAN, DOT, MIN, MAX, OPS };

static void try_reductions(std::vector<one_rank> &all, int64_t n, bool with_nan) {
    std::vector<float> x((size_t)n), y((size_t)n);
    check_random random = {(uint64_t)n};
    double magnitude = 0, products = 0;
    for (int64_t i = 0; i < n; i++) {
        x[(size_t)i] = (float)random_real(&random, -1000, 1000),
        y[(size_t)i] = (float)random_real(&random, -1, 1);
        magnitude += fabs(x[(size_t)i]);
        products += fabs((double)x[(size_t)i] * y[(size_t)i]);
    }
    if (with_nan) x[(size_t)(n / 3)] = NAN;
    float want[OPS];
    wk_sum_f32_host(x.data(), n, &want[SUM]);
    wk_mean_f32_host(x.data(), n, &want[MEAN]);
    wk_dot_f32_host(x.data(), y.data(), n, &want[DOT]);
    wk_min_f32_host(x.data(), n, &want[MIN]);
    wk_max_f32_host(x.data(), n, &want[MAX]);
    std::vector<std::vector<float>> got(all.size(), std::vector<float>(OPS));
    std::vector<wk_status> status(all.size());
    on_ranks(all, [&](one_rank &r) {
        int64_t first, count;
        wk_shard_range(n, r.ranks, r.rank, &first, &count);
        device_array<float> dx = device_from(x.data() + first, count),
                            dy = device_from(y.data() + first, count);
        device_array<float> out = device_new<float>(OPS);
        wk_status s = wk_ranks_sum_f32(r.state, dx.data, count, out.data + SUM, r.stream);
        if (s == WK_SUCCESS) s = wk_ranks_mean_f32(r.state, dx.data, count, out.data + MEAN, r.stream);
        if (s == WK_SUCCESS) s = wk_ranks_dot_f32(r.state, dx.data, dy.data, count, out.data + DOT, r.stream);
        if (s == WK_SUCCESS) s = wk_ranks_min_f32(r.state, dx.data, count, out.data + MIN, r.stream);
        if (s == WK_SUCCESS) s = wk_ranks_max_f32(r.state, dx.data, count, out.data + MAX, r.stream);
        status[(size_t)r.rank] = s;
        check_cuda(cudaStreamSynchronize(r.stream), "stream");
        for (int op = 0; op < OPS; op++) got[(size_t)r.rank][(size_t)op] = fetch(out.data + op);
        device_free(&dx);
        device_free(&dy);
        device_free(&out);
    });
    static const char *const names[OPS] = {"sum", "mean", "dot", "min", "max"};
    const double bound[OPS] = {7 * 0x1p-24 * magnitude, 7 * 0x1p-24 * magnitude / (double)(n ? n : 1),
                               7 * 0x1p-24 * products, 0, 0};
    for (int op = 0; op < OPS; op++) {
        char name[96];
        snprintf(name, sizeof name, "%s n=%lld over %zu ranks%s", names[op], (long long)n, all.size(),
                 with_nan ? ", NaN" : "");
        bool right = true;
        for (size_t r = 0; r < all.size(); r++) {
            const float a = got[r][(size_t)op], b = want[op];
            right &=
                status[r] == WK_SUCCESS && ((a != a && b != b) || a == b || fabs((double)a - b) <= bound[op]);
            right &= memcmp(&got[r][(size_t)op], &got[0][(size_t)op], sizeof(float)) == 0;
        }
        check(right, name, "status %d, %.9g, expected %.9g", status[0], got[0][(size_t)op], want[op]);
    }
}

static void try_portfolio(std::vector<one_rank> &all, int64_t n) {
    std::vector<float> term[4];
    check_random random = {77};
    static const double lo[4] = {100, 0.1, 0, 0}, hi[4] = {10000, 30, 0.06, 0.04};
    for (int t = 0; t < 4; t++)
        for (int64_t i = 0; i < n; i++) term[t].push_back((float)random_real(&random, lo[t], hi[t]));
    wk_bonds on_host = {term[0].data(), term[1].data(), term[2].data(), term[3].data(),
                        NULL,           NULL,           NULL,           NULL};
    wk_portfolio want;
    wk_bonds_portfolio_soa_host(&on_host, n, WK_ACCUMULATE_F64, &want);
    std::vector<wk_portfolio> got(all.size());
    std::vector<wk_status> status(all.size());
    on_ranks(all, [&](one_rank &r) {
        int64_t first, count;
        wk_shard_range(n, r.ranks, r.rank, &first, &count);
        device_array<float> d[4];
        for (int t = 0; t < 4; t++) d[t] = device_from(term[t].data() + first, count);
        wk_bonds mine = {d[0].data, d[1].data, d[2].data, d[3].data, NULL, NULL, NULL, NULL};
        device_array<wk_portfolio> out = device_new<wk_portfolio>(1);
        status[(size_t)r.rank] = wk_ranks_portfolio(r.state, &mine, count, out.data, r.stream);
        check_cuda(cudaStreamSynchronize(r.stream), "stream");
        got[(size_t)r.rank] = fetch(out.data);
        for (auto &a : d) device_free(&a);
        device_free(&out);
    });
    bool right = true;
    for (size_t r = 0; r < all.size(); r++)
        right &= status[r] == WK_SUCCESS && fabs(got[r].value / want.value - 1) < 3e-7 &&
                 fabs(got[r].duration / want.duration - 1) < 3e-7 &&
                 fabs(got[r].yield / want.yield - 1) < 3e-7;
    char name[96];
    snprintf(name, sizeof name, "portfolio n=%lld over %zu ranks", (long long)n, all.size());
    check(right, name, "status %d, value %.12g, expected %.12g", status[0], got[0].value, want.value);
}

// --- convolution ---------------------------------------------------------------------

static void try_conv(std::vector<one_rank> &all, int64_t height, int64_t width, int side, wk_border border) {
    std::vector<float> image((size_t)(height * width)), weights((size_t)(side * side));
    check_random random = {(uint64_t)(height * side)};
    for (float &v : image) v = (float)random_real(&random, -1, 1);
    for (float &v : weights) v = (float)random_real(&random, -1, 1);
    wk_conv2d conv = {};
    conv.images = 1, conv.height = height, conv.width = width;
    conv.filter_height = conv.filter_width = side;
    conv.border = border;
    int64_t out_height = 0, out_width = 0;
    wk_conv2d_output_size(&conv, &out_height, &out_width);
    std::vector<float> want((size_t)(out_height * out_width) + 1), got(want.size());
    wk_conv2d_f32_host(&conv, image.data(), weights.data(), want.data());
    std::vector<wk_status> status(all.size());
    on_ranks(all, [&](one_rank &r) {
        wk_shard_rows rows;
        wk_shard_conv_rows(&conv, r.ranks, r.rank, &rows);
        // The neighbours' rows are there as a pattern until the call brings them.
        device_array<float> in = device_new<float>((rows.above + rows.count + rows.below) * width);
        check_cuda(cudaMemcpy(in.data + rows.above * width, image.data() + rows.first * width,
                              (size_t)(rows.count * width) * sizeof(float), cudaMemcpyHostToDevice),
                   "copy to the device");
        device_array<float> out = device_new<float>(rows.out_count * out_width);
        status[(size_t)r.rank] =
            wk_ranks_conv2d_f32(r.state, &conv, in.data, weights.data(), out.data, r.stream);
        check_cuda(cudaStreamSynchronize(r.stream), "stream");
        if (rows.out_count > 0) device_read(&out, got.data() + rows.out_first * out_width);
        device_free(&in);
        device_free(&out);
    });
    double worst = 0, scale = 0;
    for (float w : weights) scale += fabs(w);
    for (size_t i = 0; i + 1 < want.size(); i++) {
        const double e = fabs((double)got[i] - want[i]);
        if (!(e <= worst)) worst = e;
    }
    bool good = true;
    for (wk_status s : status) good &= s == WK_SUCCESS;
    char name[96];
    snprintf(name, sizeof name, "conv %lldx%lld filter %d border %d over %zu ranks", (long long)height,
             (long long)width, side, border, all.size());
    check(good && worst <= 1e-6 * scale, name, "status %d, error %g", status[0], worst);
}

// --- an image taller than one GPU's memory ----------------------------------------------

static __host__ __device__ float pixel(int64_t row, int64_t column) {
    uint64_t z = ((uint64_t)row << 32 | (uint64_t)column) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
    return (float)(z >> 40) * 0x1p-24f - 0.5f;
}

__global__ void draw_kernel(float *to, int64_t first_row, int64_t rows, int64_t width) {
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows * width; i += stride)
        to[i] = pixel(first_row + i / width, i % width);
}

static void try_tall(std::vector<one_rank> &all) {
    size_t free_bytes = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free_bytes, &total), "memory");
    enum { SIDE = 5, WIDTH = 32768 };
    // Input and output together 1.1 times one GPU's memory.
    const int64_t height = (int64_t)((double)total * 1.1 / (2.0 * WIDTH * sizeof(float)));
    float weights[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) weights[i] = (float)((i * 7) % 11 - 5) / 16;
    wk_conv2d conv = {};
    conv.images = 1, conv.height = height, conv.width = WIDTH;
    conv.filter_height = conv.filter_width = SIDE;
    conv.border = WK_BORDER_REPLICATE;
    std::vector<double> worst(all.size());
    std::vector<float> ms(all.size());
    std::vector<wk_status> status(all.size());
    on_ranks(all, [&](one_rank &r) {
        wk_shard_rows rows;
        wk_shard_conv_rows(&conv, r.ranks, r.rank, &rows);
        float *in = NULL, *out = NULL;
        check_cuda(cudaMalloc((void **)&in,
                              (size_t)((rows.above + rows.count + rows.below) * WIDTH) * sizeof(float)),
                   "tall input");
        check_cuda(cudaMalloc((void **)&out, (size_t)(rows.out_count * WIDTH) * sizeof(float)),
                   "tall output");
        draw_kernel<<<4096, 256, 0, r.stream>>>(in + rows.above * WIDTH, rows.first, rows.count, WIDTH);
        cudaEvent_t start, stop;
        cudaEventCreate(&start);
        cudaEventCreate(&stop);
        status[(size_t)r.rank] =
            wk_ranks_conv2d_f32(r.state, &conv, in, weights, out, r.stream); // NCCL sets up its channels
        cudaEventRecord(start, r.stream);
        if (status[(size_t)r.rank] == WK_SUCCESS)
            status[(size_t)r.rank] = wk_ranks_conv2d_f32(r.state, &conv, in, weights, out, r.stream);
        cudaEventRecord(stop, r.stream);
        check_cuda(cudaStreamSynchronize(r.stream), "tall image");
        cudaEventElapsedTime(&ms[(size_t)r.rank], start, stop);
        // Rows around both ends of the share and in its middle, against double.
        const int64_t rows_at[] = {
            0, 1, 2, 3, rows.out_count / 2, rows.out_count - 3, rows.out_count - 2, rows.out_count - 1};
        std::vector<float> line(WIDTH);
        double bad = 0;
        for (int64_t at : rows_at) {
            check_cuda(
                cudaMemcpy(line.data(), out + at * WIDTH, WIDTH * sizeof(float), cudaMemcpyDeviceToHost),
                "tall row");
            for (int64_t c = 0; c < WIDTH; c += 61) {
                double sum = 0;
                for (int i = 0; i < SIDE; i++)
                    for (int j = 0; j < SIDE; j++) {
                        int64_t y = rows.out_first + at + i - SIDE / 2, x = c + j - SIDE / 2;
                        y = y < 0 ? 0 : y >= height ? height - 1 : y;
                        x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
                        sum += (double)weights[i * SIDE + j] * pixel(y, x);
                    }
                const double e = fabs(line[(size_t)c] - sum);
                if (!(e <= bad)) bad = e;
            }
        }
        worst[(size_t)r.rank] = bad;
        cudaFree(in);
        cudaFree(out);
    });
    bool good = true;
    double slowest = 0;
    for (size_t r = 0; r < all.size(); r++) {
        good &= status[r] == WK_SUCCESS && worst[r] <= 1e-5;
        slowest = fmax(slowest, ms[r]);
    }
    check(good, "image taller than one GPU's memory", "status %d, error %g", status[0], worst[0]);
    printf("image of %lld x %d floats over %zu GPUs: %.1f GB in and out, %.2f ms, %.3f TB/s\n",
           (long long)height, (int)WIDTH, all.size(), (double)height * WIDTH * 8e-9, slowest,
           (double)height * WIDTH * 8e-9 / slowest);
}

static void try_speed(std::vector<one_rank> &all) {
    const int64_t each = (int64_t)1 << 30;
    std::vector<float> ms(all.size());
    on_ranks(all, [&](one_rank &r) {
        float *x = NULL, *out = NULL;
        check_cuda(cudaMalloc((void **)&x, (size_t)each * sizeof(float)), "shares");
        check_cuda(cudaMalloc((void **)&out, sizeof(float)), "result");
        draw_kernel<<<4096, 256, 0, r.stream>>>(x, r.rank * (each >> 15), each >> 15, 1 << 15);
        cudaEvent_t start, stop;
        cudaEventCreate(&start);
        cudaEventCreate(&stop);
        wk_ranks_sum_f32(r.state, x, each, out, r.stream);
        cudaEventRecord(start, r.stream);
        for (int i = 0; i < 10; i++) wk_ranks_sum_f32(r.state, x, each, out, r.stream);
        cudaEventRecord(stop, r.stream);
        check_cuda(cudaStreamSynchronize(r.stream), "sum");
        cudaEventElapsedTime(&ms[(size_t)r.rank], start, stop);
        cudaFree(x);
        cudaFree(out);
    });
    double slowest = 0;
    for (float t : ms) slowest = fmax(slowest, t / 10);
    printf("sum of %lld floats over %zu GPUs: %.3f ms, %.3f TB/s\n", (long long)(each * (int64_t)all.size()),
           all.size(), slowest, (double)each * (double)all.size() * 4e-9 / slowest);
}

int main(void) {
    check_begin("ranks");
    int count = 0;
    check_cuda(cudaGetDeviceCount(&count), "devices");
    std::vector<ncclComm_t> comms((size_t)count);
    if (ncclCommInitAll(comms.data(), count, NULL) != ncclSuccess) {
        printf("FAIL ncclCommInitAll of %d devices\n", count);
        return 1;
    }
    std::vector<one_rank> all;
    for (int r = 0; r < count; r++) all.push_back({r, count, comms[(size_t)r], NULL, NULL});
    std::vector<wk_status> made(all.size());
    on_ranks(all, [&](one_rank &r) {
        check_cuda(cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking), "stream");
        made[(size_t)r.rank] = wk_ranks_create(r.comm, &r.state);
    });
    for (wk_status s : made) check_status(s, WK_SUCCESS, "ranks");

    for (int64_t n : {(int64_t)1, (int64_t)7, (int64_t)1000, (int64_t)100003}) try_reductions(all, n, false);
    try_reductions(all, 5000, true);
    try_portfolio(all, 10007);
    for (int border = WK_BORDER_VALID; border <= WK_BORDER_REFLECT; border++) {
        try_conv(all, 67, 45, 3, (wk_border)border);
        try_conv(all, 130, 64, 6, (wk_border)border);
        try_conv(all, 257, 33, 31, (wk_border)border);
    }
    if (check_large() && count > 1) {
        try_tall(all);
        try_speed(all);
    }
    on_ranks(all, [&](one_rank &r) {
        wk_ranks_destroy(r.state);
        ncclCommDestroy(r.comm);
    });
    return check_end();
}
