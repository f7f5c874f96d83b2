// Bulk copies (TMA): who waits for them, and how. Code for sm_90 alone has them.
#include <cooperative_groups.h>

#include "async.h"
namespace cg = cooperative_groups;
enum { BYTES = 256, WORDS = BYTES / 4 };

// run 4 64 silent
__global__ void waited(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES), load(s, a + blockIdx.x * WORDS, BYTES, &bar);
    await(&bar, 0);
    b[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

// run 4 64 race error says=mbarrier.try once
__global__ void too_early(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES), load(s, a + blockIdx.x * WORDS, BYTES, &bar); // <-
    __syncthreads(); // does not wait for the copy
    b[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x]; // <-
    await(&bar, 0);
}

// Nobody waits, with no barrier either: whichever comes first, it is one mistake.
// run 1 256 race error says=mbarrier.try once
__global__ void never_awaited(int *a, int *b, int n) {
    __shared__ alignas(128) int s[256];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, 1024), load(s, a, 1024, &bar); // <-
    b[threadIdx.x] = s[threadIdx.x]; // <-
}

// The barrier is told of more than the copy brings.
// run 1 64 deadlock error says=lacks_32_bytes
__global__ void bytes_never_come(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES + 32), load(s, a, BYTES, &bar);
    await(&bar, 0); // <-
    b[threadIdx.x] = s[threadIdx.x];
}
// run 1 64 deadlock error says=lacks_2_of_3_arrivals
__global__ void arrivals_never_come(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 3);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES), load(s, a, BYTES, &bar);
    await(&bar, 0); // <-
    b[threadIdx.x] = s[threadIdx.x];
}

// One warp waits, and a barrier of the block brings the others behind it.
// run 4 64 silent
__global__ void one_warp_waits(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES), load(s, a + blockIdx.x * WORDS, BYTES, &bar);
    if (threadIdx.x < 32) await(&bar, 0);
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

// run 4 64 race error says=done once
__global__ void one_warp_for_itself(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES), load(s, a + blockIdx.x * WORDS, BYTES, &bar); // <-
    if (threadIdx.x < 32) await(&bar, 0);
    b[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x]; // <-
}

// Two copies, each with a barrier of its own.
// run 4 64 silent
__global__ void own_barriers(int *a, int *b, int n) {
    __shared__ alignas(128) int s[2][WORDS];
    __shared__ uint64_t bar[2];
    if (!threadIdx.x) begin(&bar[0], 1), begin(&bar[1], 1);
    __syncthreads();
    if (!threadIdx.x)
        for (int k = 0; k < 2; k++) expect(&bar[k], BYTES), load(s[k], a + k * WORDS, BYTES, &bar[k]);
    await(&bar[0], 0);
    int sum = s[0][threadIdx.x];
    await(&bar[1], 0);
    b[blockIdx.x * 64 + threadIdx.x] = sum + s[1][threadIdx.x];
}

// run 4 64 race error says=mbarrier.try once
__global__ void other_barrier(int *a, int *b, int n) {
    __shared__ alignas(128) int s[2][WORDS];
    __shared__ uint64_t bar[2];
    if (!threadIdx.x) begin(&bar[0], 1), begin(&bar[1], 1);
    __syncthreads();
    if (!threadIdx.x)
        for (int k = 0; k < 2; k++) expect(&bar[k], BYTES), load(s[k], a + k * WORDS, BYTES, &bar[k]); // <-
    await(&bar[1], 0);
    int sum = s[0][threadIdx.x]; // <-
    await(&bar[0], 0);
    b[blockIdx.x * 64 + threadIdx.x] = sum + s[1][threadIdx.x];
}

// A ring of two stages: a warp copies, the others work and give the stages back.
// run 2 96 silent
__global__ void stages(int *a, int *b, int n) {
    __shared__ alignas(128) int s[2][WORDS];
    __shared__ uint64_t full[2], empty[2];
    if (!threadIdx.x)
        for (int k = 0; k < 2; k++) begin(&full[k], 1), begin(&empty[k], 64);
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = 0; i < 8 && !threadIdx.x; i++) {
            if (i >= 2) await(&empty[i % 2], (i / 2 - 1) & 1);
            expect(&full[i % 2], BYTES);
            load(s[i % 2], a + i * WORDS, BYTES, &full[i % 2]);
        }
    } else {
        int sum = 0;
        for (int i = 0; i < 8; i++) {
            await(&full[i % 2], i / 2 & 1);
            sum += s[i % 2][95 - threadIdx.x];
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(window(&empty[i % 2])) : "memory");
        }
        b[blockIdx.x * 64 + threadIdx.x - 32] = sum;
    }
}
// That the first copy has come says nothing about who still reads it.
// run 2 96 race error says=done once
__global__ void stage_not_given_back(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t full[2];
    if (!threadIdx.x)
        for (int k = 0; k < 2; k++) begin(&full[k], 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = 0; i < 2 && !threadIdx.x; i++) {
            if (i) await(&full[0], 0);
            expect(&full[i], BYTES);
            load(s, a + i * WORDS, BYTES, &full[i]); // <-
        }
    } else {
        await(&full[0], 0);
        b[blockIdx.x * 64 + threadIdx.x - 32] = s[95 - threadIdx.x]; // <-
    }
}

// run 4 64 silent
__global__ void stored(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    publish();
    __syncthreads();
    if (!threadIdx.x) store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_read<0>();
    __syncthreads();
    s[63 - threadIdx.x] = 0;
}

// run 4 64 race error says=group.read once
__global__ void changed_too_soon(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    publish();
    __syncthreads();
    if (!threadIdx.x) store(b + blockIdx.x * WORDS, s, BYTES), commit(); // <-
    __syncthreads();
    s[63 - threadIdx.x] = 0; // <-
    if (!threadIdx.x) wait_group<0>();
}

// run 4 64 race error says=group.read once
__global__ void thread_changes_its_own(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    if (threadIdx.x) return;
    for (int k = 0; k < WORDS; k++) s[k] = a[k];
    publish();
    store(b + blockIdx.x * WORDS, s, BYTES), commit(); // <-
    s[5] = 1; // <-
    wait_group<0>();
}

// The copy is asked for before others have stored.
// run 4 64 race error says=before once
__global__ void copied_too_soon(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x]; // <-
    publish();
    __syncwarp();
    if (threadIdx.x == 32) store(b + blockIdx.x * WORDS, s, BYTES), commit(), wait_group<0>(); // <-
}

// One group may be open: the one before it has ended.
// run 4 64 silent
__global__ void groups(int *a, int *b, int n) {
    __shared__ alignas(128) int s[2][WORDS];
    if (threadIdx.x) return;
    for (int i = 0; i < 4; i++) {
        if (i >= 2) wait_read<1>();
        for (int k = 0; k < WORDS; k++) s[i % 2][k] = a[k] + i;
        publish();
        store(b + (blockIdx.x * 4 + i) * WORDS, s[i % 2], BYTES), commit();
    }
    wait_group<0>();
}

// run 4 64 race error says=group.read once
__global__ void one_group_too_few(int *a, int *b, int n) {
    __shared__ alignas(128) int s[2][WORDS];
    if (threadIdx.x) return;
    for (int i = 0; i < 4; i++) {
        if (i >= 2) wait_read<2>();
        for (int k = 0; k < WORDS; k++) s[i % 2][k] = a[k] + i; // <-
        publish();
        store(b + (blockIdx.x * 4 + i) * WORDS, s[i % 2], BYTES), commit(); // <-
    }
    wait_group<0>();
}

// run 4 64 race error says=cp.async.bulk.wait once
__global__ void read_back_too_soon(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    if (threadIdx.x) return;
    for (int k = 0; k < WORDS; k++) s[k] = a[k];
    publish();
    store(b + blockIdx.x * WORDS, s, BYTES), commit(); // <-
    a[n + blockIdx.x] = b[blockIdx.x * WORDS + 7]; // <-
    wait_group<0>();
}

// The source of a copy changes while it is under way.
// run 1 64 race error says=mbarrier.try once
__global__ void source_changes(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES), load(s, a, BYTES, &bar); // <-
    __syncthreads();
    a[threadIdx.x] = 1; // <-
    await(&bar, 0);
    b[threadIdx.x] = s[threadIdx.x];
}

// run 4 64 race error says=flag once
__global__ void blocks_store_to_one_place(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = blockIdx.x;
    publish();
    __syncthreads();
    if (!threadIdx.x) store(b, s, BYTES), commit(), wait_group<0>(); // <-
}

// run 4 64 silent
__global__ void blocks_add_to_one_place(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = blockIdx.x;
    publish();
    __syncthreads();
    if (!threadIdx.x) add(b, s, BYTES), commit(), wait_group<0>();
}

// run 1 64 out-of-bounds error
__global__ void beyond_the_end(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    if (!threadIdx.x) begin(&bar, 1);
    __syncthreads();
    if (!threadIdx.x) expect(&bar, BYTES), load(s, a + 65536 - WORDS / 2, BYTES, &bar); // <-
    await(&bar, 0);
    b[threadIdx.x] = s[threadIdx.x];
}

// run 1 64 out-of-bounds error
__global__ void beyond_shared_memory(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = 1;
    publish();
    __syncthreads();
    if (!threadIdx.x) store(b, s, 64 * BYTES), commit(), wait_group<0>(); // <-
}

// run 1 64 misaligned error
__global__ void misaligned(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    s[threadIdx.x] = 1;
    publish();
    __syncthreads();
    if (!threadIdx.x) store(b + 1, s, BYTES), commit(), wait_group<0>(); // <-
}

// run 8 64 silent
__global__ void __cluster_dims__(4, 1, 1) to_all_blocks(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    cg::cluster_group c = cg::this_cluster();
    if (!threadIdx.x) begin(&bar, 1), expect(&bar, BYTES);
    c.sync();
    if (!threadIdx.x && c.block_rank() == 2) load_for_all(s, a, BYTES, &bar);
    await(&bar, 0);
    b[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
    c.sync();
}
// run 8 64 race error says=mbarrier.try once
__global__ void __cluster_dims__(4, 1, 1) to_all_blocks_who_do_not_wait(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS];
    __shared__ uint64_t bar;
    cg::cluster_group c = cg::this_cluster();
    if (!threadIdx.x) begin(&bar, 1), expect(&bar, BYTES);
    c.sync();
    if (!threadIdx.x && c.block_rank() == 2) load_for_all(s, a, BYTES, &bar); // <-
    c.sync();
    b[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x]; // <-
    await(&bar, 0);
    c.sync();
}

// run 4 64 silent
__global__ void __cluster_dims__(2, 1, 1) sent(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS], got[WORDS];
    __shared__ uint64_t bar;
    cg::cluster_group c = cg::this_cluster();
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    publish();
    if (!threadIdx.x) begin(&bar, 1), expect(&bar, BYTES);
    c.sync();
    if (!threadIdx.x) send(got, s, BYTES, &bar, c.block_rank() ^ 1);
    await(&bar, 0);
    b[blockIdx.x * 64 + threadIdx.x] = got[63 - threadIdx.x];
    c.sync();
}
// run 4 64 race error says=mbarrier.try once
__global__ void __cluster_dims__(2, 1, 1) sent_and_not_awaited(int *a, int *b, int n) {
    __shared__ alignas(128) int s[WORDS], got[WORDS];
    __shared__ uint64_t bar;
    cg::cluster_group c = cg::this_cluster();
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    publish();
    if (!threadIdx.x) begin(&bar, 1), expect(&bar, BYTES);
    c.sync();
    if (!threadIdx.x) send(got, s, BYTES, &bar, c.block_rank() ^ 1); // <-
    b[blockIdx.x * 64 + threadIdx.x] = got[63 - threadIdx.x]; // <-
    await(&bar, 0);
    c.sync();
}
