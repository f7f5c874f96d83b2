/* usage: cudart_graph_cases NAME: graphs and stream capture, a case in a process. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "cudart/program.h"

enum { N = 64 };
static const dim3 one = {1, 1, 1}, threads = {N, 1, 1};

static int *device_ints(int value) {
    int *p = NULL;
    OK(cudaMalloc((void **)&p, N * sizeof(int)));
    OK(cudaMemset(p, 0, N * sizeof(int)));
    for (int i = 0; value && i < N; i++) OK(cudaMemcpy(p + i, &value, sizeof value, cudaMemcpyHostToDevice));
    return p;
}

static int at(const int *device, int i) {
    int got = -1;
    OK(cudaMemcpy(&got, device + i, sizeof got, cudaMemcpyDeviceToHost));
    return got;
}

/* p[i] = p[i] * by + offset[i & 3] + bias[i & 3]; offset is 100, 200, 300, 400 and bias 0. */
static struct cudaKernelNodeParams scaling(int **p, int *n, int *by) {
    static void *args[3];
    args[0] = p, args[1] = n, args[2] = by;
    return (struct cudaKernelNodeParams){(void *)(uintptr_t)scale, one, threads, 0, args, NULL};
}

static cudaGraphExec_t instance(cudaGraph_t graph) {
    cudaGraphExec_t exec = NULL;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

/* fill, scale, copy out: each waits for the one before. The parameters are those of the call, not of the launch. */
static void build(void) {
    int *d = device_ints(0), n = N, by = 3, host[N] = {0};
    cudaGraph_t graph;
    cudaGraphNode_t fill, kernel, copy, empty;
    OK(cudaGraphCreate(&graph, 0));
    struct cudaMemsetParams m = {d, 0, 7, 4, N, 1};
    struct cudaKernelNodeParams k = scaling(&d, &n, &by);
    OK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &m));
    OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &k));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, d, sizeof host, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
    FAILS(cudaGraphAddEmptyNode(&empty, graph, (cudaGraphNode_t[]){(cudaGraphNode_t)graph}, 1), cudaErrorInvalidValue);
    by = 1000;
    cudaGraphExec_t exec = instance(graph);
    SAME(at(d, 0), 0); /* nothing ran yet */
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaDeviceSynchronize());
    SAME(host[0], 121);
    SAME(host[7], 421);
    enum cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(kernel, &type));
    SAME(type, cudaGraphNodeTypeKernel);
    struct cudaKernelNodeParams got;
    OK(cudaGraphKernelNodeGetParams(kernel, &got));
    CHECK(got.func == (void *)(uintptr_t)scale);
    SAME(*(int *)got.kernelParams[2], 3);
    size_t count = 0;
    OK(cudaGraphGetNodes(graph, NULL, &count));
    SAME(count, 4);
    OK(cudaGraphGetRootNodes(graph, NULL, &count));
    SAME(count, 2);
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    SAME(count, 2);
    cudaGraphNode_t list[5] = {0};
    count = 5;
    OK(cudaGraphNodeGetDependentNodes(fill, list, NULL, &count));
    SAME(count, 1);
    CHECK(list[0] == kernel && !list[1]);
    OK(cudaGraphExecDestroy(exec));
    FAILS(cudaGraphLaunch(exec, NULL), cudaErrorInvalidValue);
    OK(cudaGraphDestroy(graph));
    FAILS(cudaGraphNodeGetType(kernel, &type), cudaErrorInvalidValue);
}

/* Nodes are run in the order of their edges, not of their making; a cycle is no graph. */
static void order(void) {
    int *d = device_ints(0), n = N, by = 2;
    cudaGraph_t graph;
    cudaGraphNode_t fill, kernel;
    OK(cudaGraphCreate(&graph, 0));
    struct cudaMemsetParams m = {d, 0, 5, 4, N, 1};
    struct cudaKernelNodeParams k = scaling(&d, &n, &by);
    OK(cudaGraphAddKernelNode(&kernel, graph, NULL, 0, &k));
    OK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &m));
    OK(cudaGraphAddDependencies(graph, &fill, &kernel, NULL, 1));
    FAILS(cudaGraphAddDependencies(graph, &fill, &kernel, NULL, 1), cudaErrorInvalidValue); /* it is there */
    OK(cudaGraphLaunch(instance(graph), NULL));
    SAME(at(d, 0), 110);
    OK(cudaGraphAddDependencies(graph, &kernel, &fill, NULL, 1));
    cudaGraphExec_t exec;
    FAILS(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
    OK(cudaGraphRemoveDependencies(graph, &fill, &kernel, NULL, 1));
    OK(cudaGraphLaunch(instance(graph), NULL)); /* the other way round now */
    SAME(at(d, 0), 5);
    OK(cudaGraphDestroyNode(fill));
    OK(cudaGraphLaunch(instance(graph), NULL));
    SAME(at(d, 0), 110);
}

static void update(void) {
    int *d = device_ints(1), n = N, by = 2, other = 5;
    cudaGraph_t graph, second, clone;
    cudaGraphNode_t kernel, found, same;
    struct cudaKernelNodeParams k = scaling(&d, &n, &by);
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&kernel, graph, NULL, 0, &k));
    cudaGraphExec_t exec = instance(graph);
    k = scaling(&d, &n, &other);
    OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &k));
    OK(cudaGraphLaunch(exec, NULL));
    SAME(at(d, 0), 105); /* the executable graph changed ... */
    OK(cudaGraphLaunch(instance(graph), NULL));
    SAME(at(d, 0), 310); /* ... and the graph did not */
    OK(cudaGraphNodeSetEnabled(exec, kernel, 0));
    OK(cudaGraphLaunch(exec, NULL));
    SAME(at(d, 0), 310);
    OK(cudaGraphNodeSetEnabled(exec, kernel, 1));
    OK(cudaGraphCreate(&second, 0));
    by = 0;
    k = scaling(&d, &n, &by);
    OK(cudaGraphAddKernelNode(&same, second, NULL, 0, &k));
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(exec, second, &info));
    SAME(info.result, cudaGraphExecUpdateSuccess);
    OK(cudaGraphLaunch(exec, NULL));
    SAME(at(d, 0), 100);
    OK(cudaGraphAddEmptyNode(&found, second, NULL, 0));
    FAILS(cudaGraphExecUpdate(exec, second, &info), cudaErrorGraphExecUpdateFailure);
    SAME(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    OK(cudaGraphClone(&clone, second));
    OK(cudaGraphNodeFindInClone(&found, same, clone));
    CHECK(found != same);
    k = scaling(&d, &n, &other);
    OK(cudaGraphKernelNodeSetParams(found, &k));
    OK(cudaGraphLaunch(instance(clone), NULL));
    SAME(at(d, 0), 600);
}

static void add_one(void *data) { ++*(int *)data; }

static void children(void) {
    int *d = device_ints(0), n = N, by = 2, calls = 0;
    cudaGraph_t inner, outer, got;
    cudaGraphNode_t kernel, first, second, host;
    struct cudaKernelNodeParams k = scaling(&d, &n, &by);
    OK(cudaGraphCreate(&inner, 0));
    OK(cudaGraphAddKernelNode(&kernel, inner, NULL, 0, &k));
    OK(cudaGraphCreate(&outer, 0));
    OK(cudaGraphAddChildGraphNode(&first, outer, NULL, 0, inner));
    OK(cudaGraphAddChildGraphNode(&second, outer, &first, 1, inner));
    OK(cudaGraphAddHostNode(&host, outer, &second, 1, &(struct cudaHostNodeParams){add_one, &calls}));
    OK(cudaGraphDestroy(inner)); /* the nodes have copies */
    cudaGraphExec_t exec = instance(outer);
    OK(cudaGraphLaunch(exec, NULL));
    SAME(at(d, 0), 300);
    SAME(calls, 1);
    OK(cudaGraphChildGraphNodeGetGraph(first, &got));
    FAILS(cudaGraphDestroy(got), cudaErrorInvalidValue);
    size_t count = 1;
    OK(cudaGraphGetNodes(got, &kernel, &count));
    by = 0;
    k = scaling(&d, &n, &by);
    OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &k));
    OK(cudaGraphLaunch(exec, NULL));
    SAME(at(d, 0), 300); /* 0 * 300 + 100, then 2 * 100 + 100 */
}

/* Two streams, forked and joined by events. */
static void capture(void) {
    int *d = device_ints(1), *e = device_ints(1), n = N, by = 3, calls = 0;
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    enum cudaStreamCaptureStatus status;
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    OK(cudaStreamIsCapturing(b, &status));
    SAME(status, cudaStreamCaptureStatusActive);
    launch(scale, one, threads, 0, a, (void *[]){&d, &n, &by});
    launch(scale, one, threads, 0, b, (void *[]){&e, &n, &by});
    OK(cudaEventRecord(join, b));
    OK(cudaStreamWaitEvent(a, join, 0));
    OK(cudaMemcpyAsync(d + 1, e, sizeof(int), cudaMemcpyDeviceToDevice, a));
    OK(cudaLaunchHostFunc(a, add_one, &calls));
    cudaGraph_t graph = NULL;
    OK(cudaStreamEndCapture(a, &graph));
    OK(cudaGetLastError());
    OK(cudaStreamIsCapturing(b, &status));
    SAME(status, cudaStreamCaptureStatusNone);
    SAME(calls, 0);
    SAME(at(d, 0), 1);
    size_t count = 0;
    OK(cudaGraphGetNodes(graph, NULL, &count));
    SAME(count, 4);
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    SAME(count, 3);
    cudaGraphExec_t exec = instance(graph);
    OK(cudaGraphLaunch(exec, a));
    OK(cudaStreamSynchronize(a));
    SAME(at(d, 0), 103);
    SAME(at(d, 1), 103); /* e's first */
    OK(cudaGraphLaunch(exec, a));
    SAME(at(e, 0), 409);
    SAME(calls, 2);
}

static void *ask_elsewhere(void *stream) {
    cudaGraph_t graph;
    FAILS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureWrongThread);
    return NULL;
}

/* What a capture does not permit breaks it, and ending it says so. */
static void capture_errors(void) {
    int *d = device_ints(0), n = N, by = 3;
    void *p;
    cudaStream_t a, b;
    cudaEvent_t event;
    cudaGraph_t graph;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaEventCreate(&event));
    FAILS(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    FAILS(cudaStreamEndCapture(a, &graph), cudaErrorIllegalState);

    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    FAILS(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
    FAILS(cudaStreamSynchronize(a), cudaErrorStreamCaptureUnsupported);
    FAILS(cudaMemsetAsync(d, 0, 4, a), cudaErrorStreamCaptureInvalidated);
    FAILS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
    CHECK(!graph);

    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    FAILS(cudaMalloc(&p, 4), cudaErrorStreamCaptureUnsupported);
    FAILS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&p, 4));
    OK(cudaStreamEndCapture(a, &graph));

    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
    FAILS(cudaMemcpy(d, &n, 4, cudaMemcpyHostToDevice), cudaErrorStreamCaptureImplicit);
    FAILS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);

    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed)); /* b's work is never waited for */
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    launch(scale, one, threads, 0, b, (void *[]){&d, &n, &by});
    FAILS(cudaStreamEndCapture(b, &graph), cudaErrorStreamCaptureUnmatched);
    FAILS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    launch(scale, one, threads, 0, b, (void *[]){&d, &n, &by});
    FAILS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureUnjoined);
    FAILS(cudaEventQuery(event), cudaErrorCapturedEvent);

    OK(cudaEventRecord(event, b));
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    FAILS(cudaStreamWaitEvent(a, event, 0), cudaErrorStreamCaptureIsolation);
    pthread_t thread;
    pthread_create(&thread, NULL, ask_elsewhere, a);
    pthread_join(thread, NULL);
    FAILS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
}

static void capture_to_graph(void) {
    int *d = device_ints(1), n = N, by = 3;
    cudaStream_t s;
    cudaGraph_t graph, got;
    cudaGraphNode_t fill;
    enum cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    const cudaGraphNode_t *needs;
    size_t count = 0;
    OK(cudaStreamCreate(&s));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &(struct cudaMemsetParams){d, 0, 2, 4, N, 1}));
    OK(cudaStreamBeginCaptureToGraph(s, graph, &fill, NULL, 1, cudaStreamCaptureModeGlobal));
    OK(cudaStreamGetCaptureInfo(s, &status, &id, &got, &needs, NULL, &count));
    SAME(status, cudaStreamCaptureStatusActive);
    CHECK(id && got == graph && count == 1 && needs[0] == fill);
    launch(scale, one, threads, 0, s, (void *[]){&d, &n, &by});
    OK(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, cudaStreamSetCaptureDependencies));
    OK(cudaStreamGetCaptureInfo(s, &status, NULL, NULL, &needs, NULL, &count));
    SAME(count, 0);
    OK(cudaStreamUpdateCaptureDependencies(s, &fill, NULL, 1, cudaStreamAddCaptureDependencies));
    FAILS(cudaStreamEndCapture(s, &got), cudaErrorStreamCaptureUnjoined); /* nothing waits for the kernel now */
    OK(cudaGraphLaunch(instance(graph), s));                              /* the program's graph is still there */
    SAME(at(d, 0), 106);
}

/* Allocation nodes give their address when they are made; what they allocate is freed once, by a node or a call. */
static void memory(void) {
    cudaStream_t s;
    int *p = NULL, *d = device_ints(1), n = N, by = 0;
    OK(cudaStreamCreate(&s));
    cudaGraph_t graph;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync((void **)&p, N * sizeof(int), s));
    CHECK(p);
    OK(cudaMemsetAsync(p, 0, N * sizeof(int), s));
    launch(scale, one, threads, 0, s, (void *[]){&p, &n, &by});
    OK(cudaMemcpyAsync(d, p, sizeof(int), cudaMemcpyDeviceToDevice, s));
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamEndCapture(s, &graph));
    cudaGraphExec_t exec = instance(graph);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(exec, s));
    SAME(at(d, 0), 100);
    uint64_t used = 1, high = 0;
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    SAME(used, 32 << 20); /* the graph's chunk is reserved until it is trimmed */
    SAME(high, 32 << 20);

    struct cudaMemAllocNodeParams a = {.bytesize = 1000};
    a.poolProps.allocType = cudaMemAllocationTypePinned;
    a.poolProps.location.type = cudaMemLocationTypeDevice;
    cudaGraphNode_t node;
    cudaGraph_t second;
    OK(cudaGraphCreate(&second, 0));
    OK(cudaGraphAddMemAllocNode(&node, second, NULL, 0, &a));
    CHECK(a.dptr && a.dptr != p);
    exec = instance(second);
    OK(cudaGraphLaunch(exec, s));
    FAILS(cudaGraphLaunch(exec, s), cudaErrorInvalidValue); /* not freed yet */
    OK(cudaMemset(a.dptr, 1, 1000));
    OK(cudaFree(a.dptr));
    FAILS(cudaFree(a.dptr), cudaErrorInvalidValue);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphInstantiateWithFlags(&exec, second, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(second)); /* the memory is the program's */
    OK(cudaMemset(a.dptr, 1, 1000));
    OK(cudaFree(a.dptr));
    FAILS(cudaFree(a.dptr), cudaErrorInvalidValue);
    OK(cudaDeviceGraphMemTrim(0));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used));
    SAME(used, 0);
}

static cudaGraphNode_t allocate(cudaGraph_t graph, cudaGraphNode_t after, size_t size, void **at) {
    struct cudaMemAllocNodeParams a = {.bytesize = size};
    a.poolProps.allocType = cudaMemAllocationTypePinned;
    a.poolProps.location.type = cudaMemLocationTypeDevice;
    cudaGraphNode_t node;
    OK(cudaGraphAddMemAllocNode(&node, graph, &after, after != NULL, &a));
    *at = a.dptr;
    return node;
}

static cudaGraphNode_t free_after(cudaGraph_t graph, cudaGraphNode_t after, void *at) {
    cudaGraphNode_t node;
    OK(cudaGraphAddMemFreeNode(&node, graph, &after, 1, at));
    return node;
}

/* A node that waits for memory of the same size to be freed has its address; one that may run while it is in use has not. */
static void memory_again(void) {
    cudaGraph_t graph;
    void *a, *b, *c, *d, *e, *f;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first = allocate(graph, NULL, 4096, &a), freed = free_after(graph, first, a), second = allocate(graph, freed, 4096, &b);
    CHECK(b == a);
    allocate(graph, freed, 4096, &c); /* b is not freed before it */
    CHECK(c != a);
    allocate(graph, NULL, 4096, &d);
    CHECK(d != a && d != c);
    freed = free_after(graph, second, b);
    allocate(graph, freed, 2048, &e);
    CHECK(e != a);
    second = allocate(graph, freed, 512, &f);
    allocate(graph, second, 4096, &f); /* waits for it through another */
    CHECK(f == a);
    cudaGraphExec_t exec = instance(graph);
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaDeviceSynchronize());
    OK(cudaMemset(f, 1, 4096)); /* the last one was not freed */
    OK(cudaFree(f));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

static uint64_t reserved(void) {
    uint64_t bytes = 1, used = 0;
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &bytes));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    SAME(used, bytes);
    return bytes;
}

/* What cuda-samples' graphMemoryFootprint printed on an H200: a launch takes chunks of 32 MiB, another graph has them when all in
 * it is freed, and trimming gives back what no graph has. */
static void memory_reserved(void) {
    const uint64_t chunk = 32 << 20;
    cudaGraphExec_t with_free[2], without[2];
    void *at[2];
    OK(cudaDeviceGraphMemTrim(0));
    uint64_t before = reserved(), high = 1;
    for (int i = 0; i < 2; i++) {
        cudaGraph_t graph;
        OK(cudaGraphCreate(&graph, 0));
        cudaGraphNode_t node = allocate(graph, NULL, 1 << 20, &at[i]);
        free_after(graph, node, at[i]);
        with_free[i] = instance(graph);
        OK(cudaGraphDestroy(graph));
        OK(cudaGraphCreate(&graph, 0));
        allocate(graph, NULL, 1 << 20, &at[i]);
        without[i] = instance(graph);
        OK(cudaGraphDestroy(graph));
    }
    SAME(reserved(), before); /* making them takes nothing */
    OK(cudaGraphLaunch(with_free[0], NULL));
    OK(cudaGraphLaunch(with_free[0], NULL));
    OK(cudaGraphLaunch(with_free[1], NULL));
    SAME(reserved(), before + chunk);
    OK(cudaDeviceGraphMemTrim(0));
    SAME(reserved(), before);
    for (int i = 0; i < 2; i++) OK(cudaGraphLaunch(without[i], NULL));
    SAME(reserved(), before + 2 * chunk);
    OK(cudaDeviceGraphMemTrim(0));
    SAME(reserved(), before + 2 * chunk); /* in use */
    for (int i = 0; i < 2; i++) OK(cudaFree(at[i]));
    SAME(reserved(), before + 2 * chunk);
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &high));
    CHECK(high >= before + 2 * chunk);
    OK(cudaDeviceGraphMemTrim(0));
    SAME(reserved(), before);
    for (int i = 0; i < 2; i++) {
        OK(cudaGraphExecDestroy(with_free[i]));
        OK(cudaGraphExecDestroy(without[i]));
    }
}

/* The kernel sets the condition through its address: a loop that runs until a word is 0. */
static void conditional(void) {
    int *d = device_ints(0), n = 4, by = 1, got;
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional};
    p.conditional.handle = handle;
    p.conditional.type = cudaGraphCondTypeIf;
    p.conditional.size = 2;
    cudaGraphNode_t node, inside;
    OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    struct cudaKernelNodeParams k = scaling(&d, &n, &by);
    OK(cudaGraphAddKernelNode(&inside, p.conditional.phGraph_out[0], NULL, 0, &k));
    OK(cudaGraphAddMemsetNode(&inside, p.conditional.phGraph_out[1], NULL, 0, &(struct cudaMemsetParams){d, 0, 9, 4, N, 1}));
    cudaGraphExec_t exec = instance(graph);
    OK(cudaGraphLaunch(exec, NULL));
    SAME(at(d, 0), 100);
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphExecDestroy(exec));

    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault));
    p.conditional.handle = handle;
    OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    OK(cudaGraphAddMemsetNode(&inside, p.conditional.phGraph_out[1], NULL, 0, &(struct cudaMemsetParams){d, 0, 9, 4, N, 1}));
    OK(cudaGraphLaunch(instance(graph), NULL));
    SAME(at(d, 0), 9);

    cudaGraph_t loop; /* while: the body's last node copies a 0 into the condition */
    OK(cudaGraphCreate(&loop, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, loop, 5, cudaGraphCondAssignDefault));
    p.conditional.handle = handle;
    p.conditional.type = cudaGraphCondTypeWhile;
    FAILS(cudaGraphAddNode(&node, loop, NULL, NULL, 0, &p), cudaErrorInvalidValue); /* two bodies */
    p.conditional.size = 1;
    OK(cudaGraphAddNode(&node, loop, NULL, NULL, 0, &p));
    int zero = 0;
    OK(cudaGraphAddKernelNode(&inside, p.conditional.phGraph_out[0], NULL, 0, &k));
    OK(cudaGraphAddMemcpyNode1D(&inside, p.conditional.phGraph_out[0], &inside, 1, (void *)(uintptr_t)handle, &zero, sizeof zero,
                                cudaMemcpyHostToDevice));
    OK(cudaGraphLaunch(instance(loop), NULL));
    OK(cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost));
    SAME(got, 109);
}

static void user_objects(void) {
    int ended = 0;
    cudaUserObject_t object;
    cudaGraph_t graph;
    FAILS(cudaUserObjectCreate(&object, &ended, add_one, 1, 0), cudaErrorInvalidValue);
    OK(cudaUserObjectCreate(&object, &ended, add_one, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    cudaGraphExec_t exec = instance(graph);
    OK(cudaGraphDestroy(graph));
    SAME(ended, 0);
    OK(cudaGraphExecDestroy(exec));
    SAME(ended, 1);
    FAILS(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);
}

/* Branches that do not wait for each other overlap in modelled time. */
static void overlap(void) {
    enum { BYTES = 1 << 24 };
    char *d = NULL;
    cudaEvent_t a, b;
    float ms[2];
    OK(cudaMalloc((void **)&d, 2 * BYTES));
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    for (int chained = 0; chained < 2; chained++) {
        cudaGraph_t graph;
        cudaGraphNode_t first, second;
        OK(cudaGraphCreate(&graph, 0));
        OK(cudaGraphAddMemsetNode(&first, graph, NULL, 0, &(struct cudaMemsetParams){d, 0, 1, 1, BYTES, 1}));
        OK(cudaGraphAddMemsetNode(&second, graph, &first, (size_t)chained, &(struct cudaMemsetParams){d + BYTES, 0, 1, 1, BYTES, 1}));
        cudaGraphExec_t exec = instance(graph);
        OK(cudaEventRecord(a, NULL));
        OK(cudaGraphLaunch(exec, NULL));
        OK(cudaEventRecord(b, NULL));
        OK(cudaEventElapsedTime(&ms[chained], a, b));
    }
    CHECK(ms[1] > 1.4f * ms[0]);
}

static const struct { const char *name; void (*run)(void); } cases[] = {
    {"build", build}, {"order", order}, {"update", update}, {"children", children}, {"capture", capture},
    {"capture_errors", capture_errors}, {"capture_to_graph", capture_to_graph}, {"memory", memory}, {"memory_again", memory_again}, {"memory_reserved", memory_reserved},
    {"conditional", conditional}, {"user_objects", user_objects}, {"overlap", overlap},
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc == 1) puts(cases[i].name);
        else if (!strcmp(argv[1], cases[i].name)) return cases[i].run(), 0;
    }
    return argc > 1 ? 2 : 0;
}
