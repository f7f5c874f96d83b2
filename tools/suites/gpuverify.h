/* What GPUVerify's test kernels use of its own language, as far as one run can judge it: requirements and assertions are
 * tested and trap, what only a prover can ask (what was read or written so far, the other thread's value) is true. */
#include <cooperative_groups.h>
#include <curand_kernel.h>
#include <curand_mtgp32_kernel.h>
#include <assert.h>
#include <stddef.h>

namespace cooperative_groups {
static __device__ inline void synchronize(const grid_group &g) { g.sync(); }
static __device__ inline void synchronize(const thread_block &b) { b.sync(); }
}

#define __gv_judge(x, what) ((x) ? (void)0 : __assertfail(what, __FILE__, __LINE__, "", 1))
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t) throw();
#define __requires(x) __gv_judge(x, "requires")
#define __assume(x) __gv_judge(x, "requires")
#define __assert(x) __gv_judge(x, "assert")
#define __invariant(x) ((void)0)
#define __global_invariant(x) ((void)0)
#define __function_wide_invariant(x) ((void)0)
#define __ensures(x) ((void)0)
#define __global_requires(x) ((void)0)
#define __global_assert(x) ((void)0)
#define __axiom(x)
#define __requires_fresh_array(x) ((void)0)
#define __all(x) __all_sync(0xffffffffu, x)
#define __implies(a, b) (!(a) || (b))
#define __enabled() true
#define __read(x) false
#define __write(x) false
#define __no_read(x) true
#define __no_write(x) true
#define __read_implies(x, e) true
#define __write_implies(x, e) true
#define __uniform_int(x) true
#define __uniform_bool(x) true
#define __distinct_int(x) true
#define __distinct_bool(x) true
#define __ptr_offset_bytes(x) 0
