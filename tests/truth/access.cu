/* One access of one warp, a kernel for each kind: what the memory's counters make of it is told by a launch of its own.
 *   nvcc -arch=sm_90 -cubin -o access.sm_90.cubin access.cu */
#include "access.h"

enum { SHARED_BYTES = 32768, NEVER = 0x12345 }; /* no value that is loaded: what depends on it is not done */

extern __shared__ uint4 shared[];

__device__ static unsigned lane() { return threadIdx.x; }
__device__ static bool takes_part(access_place p) { return p.mask >> lane() & 1; }
__device__ static int place(access_place p) {
    if (p.spread) return (int)(lane() * 2654435761u >> 17) / p.spread * p.spread;
    return p.offset + (int)((lane() ^ p.flip) & ~(lane() < 16 ? p.drop : p.drop >> 8)) * p.stride;
}

template <typename T> struct as { /* a value of type T, and what a value folds to */
    static __device__ T of(unsigned v) { return (T)v; }
    static __device__ unsigned fold(T v) { return v; }
};
template <> struct as<uint2> {
    static __device__ uint2 of(unsigned v) { return make_uint2(v, v); }
    static __device__ unsigned fold(uint2 v) { return v.x ^ v.y; }
};
template <> struct as<uint4> {
    static __device__ uint4 of(unsigned v) { return make_uint4(v, v, v, v); }
    static __device__ unsigned fold(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }
};

#define KERNEL(name) extern "C" __global__ void name(char *global, unsigned *out, access_place p)

/* --- global memory ------------------------------------------------------------------------ */
#define LOAD(name, T)                                                                                                    \
    KERNEL(name) {                                                                                                       \
        if (!takes_part(p)) return;                                                                                      \
        unsigned v = as<T>::fold(*(const T *)(global + place(p)));                                                       \
        if (v == NEVER) *out = v;                                                                                        \
    }
#define STORE(name, T)                                                                                                   \
    KERNEL(name) {                                                                                                       \
        if (takes_part(p)) *(T *)(global + place(p)) = as<T>::of(lane());                                                \
    }
#define REDUCE(name, T)                                                                                                  \
    KERNEL(name) {                                                                                                       \
        if (takes_part(p)) atomicAdd((T *)(global + place(p)), (T)1);                                                    \
    }
#define EXCHANGE(name, T)                                                                                                \
    KERNEL(name) {                                                                                                       \
        if (!takes_part(p)) return;                                                                                      \
        if (atomicExch((T *)(global + place(p)), (T)1) == (T)NEVER) *out = 1;                                            \
    }
#define REDUCE_MOST(name, T)                                                                                             \
    KERNEL(name) {                                                                                                       \
        if (takes_part(p)) atomicMax((T *)(global + place(p)), (T)lane());                                               \
    }
#define ADD(name, T)                                                                                                     \
    KERNEL(name) {                                                                                                       \
        if (!takes_part(p)) return;                                                                                      \
        if (atomicAdd((T *)(global + place(p)), (T)lane() + 2) == (T)NEVER) *out = 1;                                    \
    }
#define COMPARE(name, T)                                                                                                 \
    KERNEL(name) {                                                                                                       \
        if (!takes_part(p)) return;                                                                                      \
        if (atomicCAS((T *)(global + place(p)), (T)lane(), (T)3) == (T)NEVER) *out = 1;                                  \
    }
#define COPY(name, cache, bytes)                                                                                         \
    KERNEL(name) {                                                                                                       \
        unsigned to = (unsigned)__cvta_generic_to_shared(shared) + lane() * p.to_stride;                                 \
        if (takes_part(p))                                                                                               \
            asm volatile("cp.async." cache ".shared.global [%0], [%1], " bytes ";" ::"r"(to), "l"(global + place(p)));   \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                                 \
        if (p.to_stride == NEVER) *out = shared[lane()].x;                                                               \
    }
LOAD(ld_1, unsigned char) LOAD(ld_2, unsigned short) LOAD(ld_4, unsigned) LOAD(ld_8, uint2) LOAD(ld_16, uint4)
STORE(st_1, unsigned char) STORE(st_2, unsigned short) STORE(st_4, unsigned) STORE(st_8, uint2) STORE(st_16, uint4)
REDUCE(red_4, unsigned) REDUCE(red_8, unsigned long long)
REDUCE_MOST(red_max, unsigned) ADD(atom_add, unsigned) COMPARE(atom_cas, unsigned)
EXCHANGE(atom_4, unsigned) EXCHANGE(atom_8, unsigned long long)
COPY(copy_4, "ca", "4") COPY(copy_8, "ca", "8") COPY(copy_16, "cg", "16")

/* --- shared memory ------------------------------------------------------------------------ */
__device__ static char *within(access_place p) { return (char *)shared + (place(p) & (SHARED_BYTES - 1)); }

#define SHARED_LOAD(name, T)                                                                                             \
    KERNEL(name) {                                                                                                       \
        if (!takes_part(p)) return;                                                                                      \
        unsigned v = as<T>::fold(*(const T *)within(p));                                                                 \
        if (v == NEVER) *out = v;                                                                                        \
    }
#define SHARED_STORE(name, T)                                                                                            \
    KERNEL(name) {                                                                                                       \
        if (takes_part(p)) *(T *)within(p) = as<T>::of(lane());                                                          \
        if (p.to_stride == NEVER) *out = shared[lane()].x;                                                               \
    }
#define SHARED_ATOMIC(name, T, expression)                                                                               \
    KERNEL(name) {                                                                                                       \
        if (takes_part(p)) {                                                                                             \
            T *at = (T *)within(p);                                                                                      \
            T v = expression;                                                                                            \
            if (v == (T)NEVER) *out = 1;                                                                                 \
        }                                                                                                                \
        if (p.to_stride == NEVER) *out = shared[lane()].x;                                                               \
    }
SHARED_LOAD(lds_1, unsigned char) SHARED_LOAD(lds_2, unsigned short) SHARED_LOAD(lds_4, unsigned) SHARED_LOAD(lds_8, uint2) SHARED_LOAD(lds_16, uint4)
SHARED_STORE(sts_1, unsigned char) SHARED_STORE(sts_2, unsigned short) SHARED_STORE(sts_4, unsigned) SHARED_STORE(sts_8, uint2) SHARED_STORE(sts_16, uint4)
SHARED_ATOMIC(atoms_add, unsigned, (atomicAdd(at, lane() + 2), 0)) SHARED_ATOMIC(atoms_add_back, unsigned, atomicAdd(at, lane() + 2))
SHARED_ATOMIC(atoms_one, unsigned, (atomicAdd(at, 1), 0)) SHARED_ATOMIC(atoms_max, unsigned, (atomicMax(at, lane()), 0))
SHARED_ATOMIC(atoms_cas, unsigned, atomicCAS(at, lane(), 3)) SHARED_ATOMIC(atoms_exch, unsigned, atomicExch(at, lane()))
SHARED_ATOMIC(atoms_cas_8, unsigned long long, atomicCAS(at, 5, 3)) SHARED_ATOMIC(atoms_exch_8, unsigned long long, atomicExch(at, 5))

/* Rows of matrices, one a lane. */
__device__ static unsigned row(access_place p) { return (unsigned)__cvta_generic_to_shared(within(p)) & ~15u; }
#define ROWS_LOAD(name, how, registers, address, ...)                                                                    \
    KERNEL(name) {                                                                                                       \
        unsigned v[4] = {0, 0, 0, 0};                                                                                    \
        asm volatile("ldmatrix.sync.aligned.m8n8." how ".shared.b16 {" registers "}, [" address "];" : __VA_ARGS__ : "r"(row(p)) : "memory"); \
        if ((v[0] ^ v[1] ^ v[2] ^ v[3]) == NEVER) *out = 1;                                                              \
    }
#define ROWS_STORE(name, how, registers)                                                                                 \
    KERNEL(name) {                                                                                                       \
        asm volatile("stmatrix.sync.aligned.m8n8." how ".shared.b16 [%0], {" registers "};" ::"r"(row(p)), "r"(lane()) : "memory"); \
        if (p.to_stride == NEVER) *out = shared[lane()].x;                                                               \
    }
ROWS_LOAD(ldsm_1, "x1", "%0", "%1", "=r"(v[0])) ROWS_LOAD(ldsm_2, "x2", "%0, %1", "%2", "=r"(v[0]), "=r"(v[1]))
ROWS_LOAD(ldsm_4, "x4", "%0, %1, %2, %3", "%4", "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]))
ROWS_LOAD(ldsm_1t, "x1.trans", "%0", "%1", "=r"(v[0]))
ROWS_LOAD(ldsm_4t, "x4.trans", "%0, %1, %2, %3", "%4", "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]))
ROWS_STORE(stsm_1, "x1", "%1") ROWS_STORE(stsm_2, "x2", "%1, %1") ROWS_STORE(stsm_4, "x4", "%1, %1, %1, %1")
