/* usage: as checks_host: the names of all cases, and what must be found in them; or one of them to run.
 *
 * Operations of streams that touch the same memory, with nothing that orders them, and the same with it. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "cudart/program.h"

enum { N = 1024 };
static cudaStream_t s, t;
static cudaEvent_t event;
static int *d, *e, numbers[N];
static const dim3 one = {1, 1, 1}, threads = {256, 1, 1}, four = {4, 1, 1};

static void begin(unsigned flags) {
    int *p = NULL, *q = NULL;
    if (cudaMalloc((void **)&p, sizeof numbers) || cudaMalloc((void **)&q, sizeof numbers) || cudaMemset(p, 0, sizeof numbers) ||
        cudaMemset(q, 0, sizeof numbers) || cudaStreamCreateWithFlags(&s, flags) || cudaStreamCreateWithFlags(&t, flags) ||
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming) || cudaDeviceSynchronize())
        exit(1);
    d = p, e = q;
}
static void end(void) {
    cudaDeviceSynchronize();
    cudaEventDestroy(event);
    cudaFree(d);
    cudaFree(e);
}
static void scaled(int *p, int n, cudaStream_t in) {
    int by = 3;
    launch(scale, four, threads, 0, in, (void *[]){&p, &n, &by});
}
static void stored(int *p, long at, cudaStream_t in) { launch(store, one, one, 0, in, (void *[]){&p, &at}); }

static void both_write(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), scaled(d, N, t), end(); }
static void other_memory(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), scaled(e, N, t), end(); }
static void other_halves(void) { begin(cudaStreamNonBlocking), scaled(d, N / 2, s), scaled(d + N / 2, N / 2, t), end(); }
static void neighbours(void) { begin(cudaStreamNonBlocking), stored(d, 4, s), stored(d, 8, t), end(); }
static void the_same_word(void) { begin(cudaStreamNonBlocking), stored(d, 4, s), stored(d, 4, t), end(); }
static void one_stream(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), scaled(d, N, s), end(); }
static void ordered_by_event(void) {
    begin(cudaStreamNonBlocking), scaled(d, N, s);
    cudaEventRecord(event, s), cudaStreamWaitEvent(t, event, 0);
    scaled(d, N, t), end();
}
static void event_before_the_work(void) {
    begin(cudaStreamNonBlocking);
    cudaEventRecord(event, s);
    scaled(d, N, s);
    cudaStreamWaitEvent(t, event, 0);
    scaled(d, N, t), end();
}
static void event_of_another(void) {
    begin(cudaStreamNonBlocking), scaled(d, N, s);
    cudaEventRecord(event, t), cudaStreamWaitEvent(t, event, 0);
    scaled(d, N, t), end();
}
static void event_used_again(void) {
    begin(cudaStreamNonBlocking), scaled(d, N, s);
    cudaEventRecord(event, s), cudaStreamWaitEvent(t, event, 0);
    scaled(d, N, s); /* after the event */
    scaled(d, N, t), end();
}
static void event_recorded_again(void) {
    begin(cudaStreamNonBlocking), scaled(d, N, s);
    cudaEventRecord(event, s);
    scaled(d, N, s);
    cudaEventRecord(event, s), cudaStreamWaitEvent(t, event, 0);
    scaled(d, N, t), end();
}
static void events_in_a_chain(void) {
    cudaStream_t u;
    begin(cudaStreamNonBlocking), scaled(d, N, s);
    cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking);
    cudaEventRecord(event, s), cudaStreamWaitEvent(u, event, 0), cudaEventRecord(event, u), cudaStreamWaitEvent(t, event, 0);
    scaled(d, N, t), end();
}
static void host_waits_for_stream(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), cudaStreamSynchronize(s), scaled(d, N, t), end(); }
static void host_waits_for_other(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), cudaStreamSynchronize(t), scaled(d, N, t), end(); }
static void host_waits_for_event(void) {
    begin(cudaStreamNonBlocking), scaled(d, N, s);
    cudaEventRecord(event, s), cudaEventSynchronize(event);
    scaled(d, N, t), end();
}
static void host_waits_for_all(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), cudaDeviceSynchronize(), scaled(d, N, t), end(); }
static void host_asks_stream(void) {
    begin(cudaStreamNonBlocking), scaled(d, N, s);
    while (cudaStreamQuery(s)) {}
    scaled(d, N, t), end();
}
static void default_stream(void) { begin(cudaStreamDefault), scaled(d, N, s), scaled(d, N, NULL), scaled(d, N, t), end(); }
static void default_stream_not_waiting(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), scaled(d, N, NULL), end(); }
static void blocking_streams(void) { begin(cudaStreamDefault), scaled(d, N, s), scaled(d, N, t), end(); }
static void default_stream_between(void) { begin(cudaStreamDefault), scaled(d, N, s), scaled(e, N, NULL), scaled(d, N, t), end(); }
static void stream_destroyed(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), cudaStreamDestroy(s), scaled(d, N, t), end(); }
static void blocking_stream_destroyed(void) { begin(cudaStreamDefault), scaled(d, N, s), cudaStreamDestroy(s), scaled(d, N, NULL), end(); }
static void filled(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), cudaMemsetAsync(d, 0, 64, t), end(); }
static void filled_elsewhere(void) { begin(cudaStreamNonBlocking), scaled(d, N / 2, s), cudaMemsetAsync(d + N / 2, 0, 64, t), end(); }
static void copied_to(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), cudaMemcpyAsync(d, numbers, 64, cudaMemcpyHostToDevice, t), end(); }
static void copied_from(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), cudaMemcpyAsync(numbers, d, 64, cudaMemcpyDeviceToHost, t), end(); }
static void copied_from_ordered(void) {
    begin(cudaStreamNonBlocking), scaled(d, N, s);
    cudaEventRecord(event, s), cudaStreamWaitEvent(t, event, 0);
    cudaMemcpyAsync(numbers, d, 64, cudaMemcpyDeviceToHost, t), end();
}
static void copied_by_the_default_stream(void) { begin(cudaStreamDefault), scaled(d, N, s), cudaMemcpy(numbers, d, 64, cudaMemcpyDeviceToHost), end(); }
static void copied_past_a_stream(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), cudaMemcpy(numbers, d, 64, cudaMemcpyDeviceToHost), end(); }
static void both_read(void) {
    begin(cudaStreamNonBlocking);
    cudaMemcpyAsync(e, d, 64, cudaMemcpyDeviceToDevice, s), cudaMemcpyAsync(e + 64, d, 64, cudaMemcpyDeviceToDevice, t), end();
}
static void copies_meet(void) {
    begin(cudaStreamNonBlocking);
    cudaMemcpyAsync(e, d, 64, cudaMemcpyDeviceToDevice, s), cudaMemcpyAsync(e + 15, d, 64, cudaMemcpyDeviceToDevice, t), end();
}
static void copy_waited_for_the_host(void) { /* pageable: the call comes back when the copy is done, and so the stream is */
    begin(cudaStreamNonBlocking), scaled(d, N, s), cudaMemcpyAsync(numbers, d, 64, cudaMemcpyDeviceToHost, s), scaled(d, N, t), end();
}
static void upload_not_waited_for(void) {
    begin(cudaStreamNonBlocking), cudaMemcpyAsync(d, numbers, sizeof numbers, cudaMemcpyHostToDevice, s), scaled(d, N, t), end();
}
static void goes_on(void) { /* check_options counts its launches */
    begin(cudaStreamNonBlocking), scaled(d, N, s), scaled(d, N, t), cudaDeviceSynchronize(), scaled(e, N, s), end();
}
static void nothing(void *unused) { (void)unused; }
static void host_function(void) { begin(cudaStreamNonBlocking), scaled(d, N, s), cudaLaunchHostFunc(s, nothing, NULL), scaled(d, N, t), end(); }

/* Graphs of kernels: which numbers each scales, and which earlier ones it waits for, a bit each. */
typedef struct step { int from, n; unsigned after; } step;
static void graph_of(const step *steps, size_t n, unsigned times) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[8], needs[8];
    cudaGraphCreate(&graph, 0);
    for (size_t k = 0; k < n; k++) {
        int *at = d + steps[k].from, count = steps[k].n, by = 3;
        void *args[] = {&at, &count, &by};
        struct cudaKernelNodeParams params = {.func = (void *)(uintptr_t)scale, .gridDim = four, .blockDim = threads, .kernelParams = args};
        size_t n_needs = 0;
        for (size_t b = 0; b < k; b++)
            if (steps[k].after >> b & 1) needs[n_needs++] = nodes[b];
        if (cudaGraphAddKernelNode(&nodes[k], graph, needs, n_needs, &params)) exit(1);
    }
    if (cudaGraphInstantiate(&exec, graph, 0)) exit(1);
    while (times--)
        if (cudaGraphLaunch(exec, s)) exit(1);
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);
}
#define GRAPH(times, ...) begin(cudaStreamNonBlocking), graph_of((const step[]){__VA_ARGS__}, sizeof((const step[]){__VA_ARGS__}) / sizeof(step), times)
static void graph_branches(void) { GRAPH(1, {0, N, 0}, {0, N, 0}), end(); }
static void graph_branches_apart(void) { GRAPH(1, {0, N / 2, 0}, {N / 2, N / 2, 0}), end(); }
static void graph_chain(void) { GRAPH(1, {0, N, 0}, {0, N, 1}, {0, N, 2}), end(); }
static void graph_diamond(void) { GRAPH(1, {0, N, 0}, {0, N / 2, 1}, {N / 2, N / 2, 1}, {0, N, 6}), end(); }
static void graph_diamond_overlap(void) { GRAPH(1, {0, N, 0}, {0, N / 2 + 1, 1}, {N / 2, N / 2, 1}, {0, N, 6}), end(); }
static void graph_diamond_not_joined(void) { GRAPH(1, {0, N, 0}, {0, N / 2, 1}, {N / 2, N / 2, 1}, {0, N, 4}), end(); }
static void graph_run_twice(void) { GRAPH(2, {0, N / 2, 0}, {N / 2, N / 2, 0}), end(); }
static void graph_path_over_another(void) { GRAPH(1, {0, N, 0}, {0, 0, 1}, {0, 0, 1}, {0, N, 2}), end(); }
static void after_graph_in_its_stream(void) { GRAPH(1, {0, N / 2, 0}, {N / 2, N / 2, 0}), scaled(d, N, s), end(); }
static void beside_a_graph(void) { GRAPH(1, {0, N / 2, 0}, {N / 2, N / 2, 0}), scaled(d, N / 2, t), end(); }
static void graph_waited_for(void) {
    GRAPH(1, {0, N / 2, 0}, {N / 2, N / 2, 0});
    cudaEventRecord(event, s), cudaStreamWaitEvent(t, event, 0);
    scaled(d, N, t), end();
}
static void capture(bool join_first) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    begin(cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(event, s), cudaStreamWaitEvent(t, event, 0);
    scaled(d, N, s);
    if (join_first) cudaEventRecord(event, s), cudaStreamWaitEvent(t, event, 0);
    scaled(d, N, t);
    cudaEventRecord(event, t), cudaStreamWaitEvent(s, event, 0);
    if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0) || cudaGraphLaunch(exec, s)) exit(1);
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);
    end();
}
static void captured_branches(void) { capture(false); }
static void captured_in_order(void) { capture(true); }

/* Memory that one stream allocates and frees, and another one uses. */
static void lent(bool waits_behind) {
    int *own;
    begin(cudaStreamNonBlocking);
    if (cudaMallocAsync((void **)&own, sizeof numbers, s)) exit(1);
    cudaMemsetAsync(own, 0, sizeof numbers, s);
    cudaEventRecord(event, s), cudaStreamWaitEvent(t, event, 0);
    scaled(own, N, t);
    if (waits_behind) cudaEventRecord(event, t), cudaStreamWaitEvent(s, event, 0);
    cudaFreeAsync(own, s);
    end();
}
static void freed_too_early(void) { lent(false); }
static void freed_when_it_was_used(void) { lent(true); }
static void used_too_early(void) {
    int *own;
    begin(cudaStreamNonBlocking);
    if (cudaMallocAsync((void **)&own, sizeof numbers, s)) exit(1);
    scaled(d, N, t), cudaMemsetAsync(own, 0, 64, t);
    cudaEventRecord(event, t), cudaStreamWaitEvent(s, event, 0);
    cudaFreeAsync(own, s);
    end();
}
static void allocated_and_freed_by_one(void) {
    int *own;
    begin(cudaStreamNonBlocking);
    for (int k = 0; k < 3; k++) {
        if (cudaMallocAsync((void **)&own, sizeof numbers, s)) exit(1);
        cudaMemsetAsync(own, 0, sizeof numbers, s), scaled(own, N, s), scaled(d, N, t);
        cudaFreeAsync(own, s);
    }
    end();
}
static void freed_by_another(void) {
    int *own;
    begin(cudaStreamNonBlocking);
    if (cudaMallocAsync((void **)&own, sizeof numbers, s)) exit(1);
    cudaFreeAsync(own, t);
    end();
}
static void freed_by_another_later(void) {
    int *own;
    begin(cudaStreamNonBlocking);
    if (cudaMallocAsync((void **)&own, sizeof numbers, s)) exit(1);
    cudaStreamSynchronize(s);
    cudaFreeAsync(own, t);
    end();
}

/* Half of the elements are written, and all are copied; and a row more than there are. */
static void copies_too_much(void) {
    int *half;
    begin(cudaStreamNonBlocking);
    if (cudaMalloc((void **)&half, sizeof numbers)) exit(1);
    int n = N / 2, by = 3;
    cudaMemset(half, 0, sizeof numbers / 2);
    launch(scale, (dim3){3, 1, 1}, threads, 0, NULL, (void *[]){&half, &n, &by});
    cudaMemcpy(numbers, half, sizeof numbers, cudaMemcpyDeviceToHost);
    cudaMemcpy2D(numbers, 64, d, 128, 64, sizeof numbers / 128 + 1, cudaMemcpyDeviceToHost);
    cudaFree(half), end();
}
/* The loop asks for its launches at one place, what follows at another; each writes behind the end. */
static void runs_over(void) {
    begin(cudaStreamNonBlocking);
    for (int k = 0; k < 5; k++) stored(d, sizeof numbers, s);
    long at = sizeof numbers;
    launch(store, one, one, 0, s, (void *[]){&d, &at});
    end();
}

static const checked_case cases[] = {
#define RACE(name)   {#name, name, "race error"}
#define SILENT(name) {#name, name, "silent"}
    RACE(freed_too_early), SILENT(freed_when_it_was_used), RACE(used_too_early), SILENT(allocated_and_freed_by_one), RACE(freed_by_another),
    SILENT(freed_by_another_later),
    RACE(both_write), SILENT(other_memory), SILENT(other_halves), SILENT(neighbours), RACE(the_same_word), SILENT(one_stream),
    SILENT(ordered_by_event), RACE(event_before_the_work), RACE(event_of_another), RACE(event_used_again), SILENT(event_recorded_again),
    SILENT(events_in_a_chain), SILENT(host_waits_for_stream), RACE(host_waits_for_other), SILENT(host_waits_for_event), SILENT(host_waits_for_all),
    SILENT(host_asks_stream), SILENT(default_stream), RACE(default_stream_not_waiting), RACE(blocking_streams), SILENT(default_stream_between),
    RACE(stream_destroyed), SILENT(blocking_stream_destroyed), RACE(filled), SILENT(filled_elsewhere), RACE(copied_to), RACE(copied_from),
    SILENT(copied_from_ordered), SILENT(copied_by_the_default_stream), RACE(copied_past_a_stream), SILENT(both_read), RACE(copies_meet),
    SILENT(copy_waited_for_the_host), RACE(upload_not_waited_for), SILENT(host_function), RACE(goes_on),
    RACE(graph_branches), SILENT(graph_branches_apart), SILENT(graph_chain), SILENT(graph_diamond), RACE(graph_diamond_overlap), RACE(graph_diamond_not_joined),
    SILENT(graph_run_twice), SILENT(graph_path_over_another), SILENT(after_graph_in_its_stream), RACE(beside_a_graph), SILENT(graph_waited_for),
    RACE(captured_branches), SILENT(captured_in_order),
};

/* Not among the cases: it never ends. For check_options. */
static void spins(void) {
    begin(cudaStreamDefault);
    launch(spin, one, one, 0, NULL, (void *[]){&d});
    end();
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "spins") == 0) return spins(), 0;
    if (argc > 1 && strcmp(argv[1], "runs_over") == 0) return runs_over(), 0;
    if (argc > 1 && strcmp(argv[1], "copies_too_much") == 0) return copies_too_much(), 0;
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
