/* Room for the machine code of probe.h: nvcc -arch=sm_90 -cubin. What the kernel computes does not matter; it has the
 * registers, the shared memory and the parameters that the code needs. */
struct constants { unsigned word[16]; };
extern "C" __global__ void __launch_bounds__(256) probe(const unsigned *in, const unsigned *uni, unsigned *out, uint4 *scratch,
                                                        unsigned long long spare, constants c) {
    __shared__ uint4 shared[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v[64], s = (unsigned)spare + c.word[uni[0] & 15];
#pragma unroll
    for (int k = 0; k < 64; k++) v[k] = in[i + k * 4096];
    shared[threadIdx.x] = make_uint4(v[0], v[1], v[2], v[3]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 64; k++) s = (s + v[k] * v[(k * 7 + 3) & 63]) ^ s >> 3;
    scratch[i] = shared[threadIdx.x ^ 1];
#pragma unroll
    for (int k = 0; k < 64; k++) out[i + k * 4096] = v[k] + s;
}
