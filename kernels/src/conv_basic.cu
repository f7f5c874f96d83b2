// The two plain paths, which need nothing from the image or the filter: one thread an output
// that reads every tap from memory, and the shared tile that reads memory once.
#include "conv_internal.cuh"

namespace {

template <class T>
__device__ __forceinline__ float tap(const conv_args &a, const T *image, int64_t row, int64_t col) {
    int64_t r = conv_map(row, a.height, a.border), c = conv_map(col, a.width, a.border);
    return r < 0 || c < 0 ? 0.f : conv_load(image + r * a.in_pitch + c);
}

template <class T>
__global__ void __launch_bounds__(256)
    naive_kernel(const conv_args a, const conv_any_weights w) {
    const int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= a.out_width || row >= a.out_height) return;
    const T *image = (const T *)a.in + blockIdx.z * a.in_image;
    float sum = 0.f;
    for (int i = 0; i < a.filter_height; i++)
        for (int j = 0; j < a.filter_width; j++)
            sum = fmaf(w.w[i * a.filter_width + j],
                       tap(a, image, a.row0 + row + i, a.col0 + col + j), sum);
    a.out[blockIdx.z * a.out_image + row * a.out_pitch + col] = sum;
}

// Every thread of the block helps to load the tile with its halo; the first tile_height *
// tile_width of them compute. A block has a thread for each loaded element where 1024 are enough.
template <class T>
__global__ void __launch_bounds__(1024)
    tiled_kernel(const conv_args a, const conv_any_weights w, int tile_height, int tile_width) {
    extern __shared__ float tile[];
    const int halo_width = tile_width + a.filter_width - 1;
    const int loaded = (tile_height + a.filter_height - 1) * halo_width;
    const int64_t out_col = (int64_t)blockIdx.x * tile_width;
    const int64_t out_row = (int64_t)blockIdx.y * tile_height;
    const T *image = (const T *)a.in + blockIdx.z * a.in_image;

    for (int t = threadIdx.x; t < loaded; t += blockDim.x)
        tile[t] = tap(a, image, a.row0 + out_row + t / halo_width,
                      a.col0 + out_col + t % halo_width);
    __syncthreads();

    for (int t = threadIdx.x; t < tile_height * tile_width; t += blockDim.x) {
        const int r = t / tile_width, c = t % tile_width;
        if (out_row + r >= a.out_height || out_col + c >= a.out_width) continue;
        float sum = 0.f;
        for (int i = 0; i < a.filter_height; i++)
            for (int j = 0; j < a.filter_width; j++)
                sum = fmaf(w.w[i * a.filter_width + j], tile[(r + i) * halo_width + c + j], sum);
        a.out[blockIdx.z * a.out_image + (out_row + r) * a.out_pitch + out_col + c] = sum;
    }
}

// The filter as a kernel parameter.
conv_any_weights parameter(const conv_args &a, const float *weights) {
    conv_any_weights w;
    for (int i = 0; i < a.filter_height * a.filter_width; i++) w.w[i] = weights[i];
    return w;
}

}  // namespace

wk_status conv_launch_naive(const conv_args &a, const float *weights, cudaStream_t stream) {
    const dim3 block(32, 8);
    const conv_any_weights w = parameter(a, weights);
    return conv_launch_grid(a, block.y, block.x, 0, [&](const conv_args &part, dim3 grid) {
        return wk_launch_kernel(a.half_in ? naive_kernel<__half> : naive_kernel<float>, grid, block,
                                0, stream, part, w);
    });
}

wk_status conv_launch_tiled(const conv_args &a, const float *weights, int tile_height,
                            int tile_width, cudaStream_t stream) {
    const conv_any_weights w = parameter(a, weights);
    const int loaded = (tile_height + a.filter_height - 1) * (tile_width + a.filter_width - 1);
    const int threads = loaded > WK_MAX_BLOCK_THREADS ? WK_MAX_BLOCK_THREADS : (loaded + 31) / 32 * 32;
    // At most 94 * 94 floats: within the 48 KiB that need no permission.
    const size_t bytes = loaded * sizeof(float);
    return conv_launch_grid(a, tile_height, tile_width, 0, [&](const conv_args &part, dim3 grid) {
        return wk_launch_kernel(a.half_in ? tiled_kernel<__half> : tiled_kernel<float>, grid,
                                threads, bytes, stream, part, w, tile_height, tile_width);
    });
}
