/* What a warp does at branches, calls and barriers of convergence, and at places that no allocation holds, a kernel for each: what the counters
 * make of it is told by a launch of its own.
 *   nvcc -O3 -arch=sm_90 -cubin -o flow.sm_90.cubin flow.cu */

#define KERNEL(name) extern "C" __global__ void name(unsigned *out, const unsigned *in, unsigned mask, int n)

__device__ static unsigned lane() { return threadIdx.x; }

/* --- calls by a pointer, jump tables: which function or case a lane takes is in `in` ------------------------------------- */
typedef unsigned (*function)(unsigned);
#define FUNCTION(i, e) __device__ __noinline__ unsigned f##i(unsigned v) { return e; }
FUNCTION(0, v * 3) FUNCTION(1, v ^ 0x55) FUNCTION(2, v + v / 7) FUNCTION(3, v | 8) FUNCTION(4, __brev(v)) FUNCTION(5, v - 9) FUNCTION(6, ~v) FUNCTION(7, v * v)
__device__ function table[8] = {f0, f1, f2, f3, f4, f5, f6, f7};

KERNEL(call_one) {
    if (mask >> lane() & 1) out[lane()] = table[in[lane()]](lane() + n);
}
KERNEL(call_two) {
    if (!(mask >> lane() & 1)) return;
    const unsigned v = table[in[lane()]](lane() + n);
    out[lane()] = table[(in[lane()] + 1) & 7](v);
}
KERNEL(call_loop) {
    if (!(mask >> lane() & 1)) return;
    unsigned v = lane();
    for (int i = 0; i < n; i++) v = table[(in[lane()] + i) & 7](v);
    out[lane()] = v;
}
__device__ static unsigned one_of(unsigned which, unsigned s, unsigned *out) {
    switch (which) {
    case 0: return out[1] + 3;
    case 1: out[2] = s * 5; return s;
    case 2: return s ^ out[77];
    case 3: return s / out[5] + 1;
    case 4: out[s & 31] = 9; return s;
    case 5: return s << out[9];
    case 6: return out[s >> 1 & 31];
    default: return s * out[11];
    }
}
KERNEL(switch_one) {
    if (mask >> lane() & 1) out[lane()] = one_of(in[lane()], lane(), out);
}
KERNEL(switch_loop) {
    if (!(mask >> lane() & 1)) return;
    unsigned s = lane();
    for (int i = 0; i < n; i++) s = one_of((in[lane()] + i) & 7, s, out);
    out[lane()] = s;
}

/* --- lanes that leave: a loop, two loops, the kernel ------------------------------------------------------------------------- */
KERNEL(break_one) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) {
        s += out[i];
        if (in[lane()] == i) {
            out[64 + lane()] = s;
            break;
        }
        s ^= out[i + 32];
    }
    out[lane()] = s;
}
KERNEL(break_two) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            s += out[i + k];
            if (in[lane()] == i * 4 + k) goto left;
            if ((in[lane()] & 1) && k == 2) {
                s += out[k];
                continue;
            }
            s ^= out[i + 32];
        }
        s += out[3];
    }
left:
    out[lane()] = s;
}
KERNEL(end_in_loop) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) {
        s += out[i];
        if (in[lane()] == i) {
            out[64 + lane()] = s;
            return;
        }
        s ^= out[i + 32];
    }
    out[lane()] = s;
}

/* --- guards: of a sleep, of a branch that has a second predicate ---------------------------------------------------------------- */
KERNEL(sleep_some) {
    unsigned s = out[lane()];
    if (in[lane()] & 1) {
        s += out[3];
        __nanosleep(20);
        s *= out[4];
    }
    out[lane()] = s;
}
KERNEL(sleep_both) {
    unsigned s = out[lane()];
    if (in[lane()] & 1) {
        s += out[3];
        __nanosleep(20);
        s *= out[4];
    } else {
        s ^= out[5];
        __nanosleep(30);
        s += out[7];
    }
    out[lane()] = s;
}
KERNEL(both_predicates) {
    unsigned s = 0;
    for (int i = 0; i < n; i++) {
        s += out[i];
        if (in[lane()] > i && in[lane() + 32] > i) {
            out[64 + lane()] = s;
            __threadfence();
            s += out[lane() + 96];
        }
    }
    out[lane()] = s;
}

/* --- half of the lanes behind an array, in memory that is nobody's ------------------------------------------------------------------ */
enum { WORDS = 1024 };
KERNEL(stray_load) {
    const unsigned v = in[WORDS - 16 + lane()];
    if (v == 0x12345) out[0] = v;
}
KERNEL(stray_store) { ((unsigned *)in)[WORDS - 16 + lane()] = lane(); }
KERNEL(stray_reduce) { atomicMax((unsigned *)in + WORDS - 16 + lane(), lane()); }

/* --- generic addresses: lanes of mask go to shared or local memory, the others to global ---------------------------------------------- */
__device__ __noinline__ void put(unsigned *at, unsigned v) {
    *at = v;
    asm volatile("" ::: "memory");
}
__device__ __noinline__ unsigned get(const unsigned *at) { return *(volatile const unsigned *)at; }

KERNEL(generic_store) {
    __shared__ unsigned here[64];
    put(mask >> lane() & 1 ? here + lane() : out + lane(), lane());
    __syncwarp();
    if (n == 99) out[lane()] = here[lane()];
}
KERNEL(generic_load) {
    __shared__ unsigned here[64];
    here[lane()] = lane();
    __syncwarp();
    const unsigned v = get(mask >> lane() & 1 ? here + lane() : out + lane());
    if (v == 0x12345) out[lane()] = v;
}
KERNEL(generic_reduce) {
    __shared__ unsigned here[64];
    here[lane()] = 0;
    __syncwarp();
    atomicAdd(mask >> lane() & 1 ? here + lane() : out + lane(), 1u);
    __syncwarp();
    if (n == 99) out[lane()] = here[lane()];
}

/* --- atomics at the places that are in `in` ----------------------------------------------------------------------------------------------- */
KERNEL(reduce_at) {
    if (mask >> lane() & 1) atomicAdd(out + in[lane()], 1u);
}
KERNEL(reduce_at_8) {
    if (mask >> lane() & 1) atomicAdd((unsigned long long *)out + in[lane()], 1ull);
}
KERNEL(exchange_at) {
    if ((mask >> lane() & 1) && atomicExch(out + in[lane()], 1u) == 0x12345) out[0] = 1;
}
KERNEL(compare_at) {
    if ((mask >> lane() & 1) && atomicCAS(out + in[lane()], 1u, 2u) == 0x12345) out[0] = 1;
}

/* --- atomics on shared memory that compare and swap until they hold: lane by lane where they meet ------------------------------------------- */
KERNEL(shared_float_at) {
    __shared__ float here[2048];
    for (int k = lane(); k < 2048; k += 32) here[k] = 0;
    __syncwarp();
    atomicAdd(here + in[lane()], 1.f);
    __syncwarp();
    if (n == 99) out[lane()] = here[lane()];
}
KERNEL(shared_double_at) {
    __shared__ double here[2048];
    for (int k = lane(); k < 2048; k += 32) here[k] = 0;
    __syncwarp();
    atomicAdd(here + in[lane()], 1.);
    __syncwarp();
    if (n == 99) out[lane()] = here[lane()];
}
