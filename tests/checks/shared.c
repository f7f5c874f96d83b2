/* usage: as checks_host: the names of all cases, and what must be found in them; or one of them to run.
 *
 * The host and operations that it has not waited for, in memory that both can touch. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "cudart/program.h"

enum { N = 1024, HALF = N / 2, PAGE = 4096 / sizeof(int) };
static cudaStream_t s, t;
static cudaEvent_t event;
static int *m, *other, *pinned, *device, numbers[N]; /* m, other: managed */
static volatile int sum;
static const dim3 one = {1, 1, 1}, threads = {256, 1, 1}, four = {4, 1, 1};

static void must(bool holds) {
    if (!holds) exit(1);
}

static void begin(void) {
    must(!cudaMallocManaged((void **)&m, sizeof numbers, cudaMemAttachGlobal) && !cudaMallocManaged((void **)&other, sizeof numbers, cudaMemAttachGlobal) &&
         !cudaMallocHost((void **)&pinned, sizeof numbers) && !cudaMalloc((void **)&device, sizeof numbers) && !cudaMemset(device, 0, sizeof numbers) &&
         !cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) && !cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking) &&
         !cudaEventCreateWithFlags(&event, cudaEventDisableTiming) && !cudaDeviceSynchronize());
    memset(m, 0, sizeof numbers), memset(other, 0, sizeof numbers), memset(pinned, 0, sizeof numbers);
}
static void end(void) {
    cudaDeviceSynchronize();
    cudaEventDestroy(event), cudaStreamDestroy(s), cudaStreamDestroy(t);
    cudaFree(m), cudaFree(other), cudaFree(device), cudaFreeHost(pinned);
}
static void scaled(int *p, int n, cudaStream_t in) {
    int by = 3;
    launch(scale, four, threads, 0, in, (void *[]){&p, &n, &by});
}
static void reads_second(const int *list, cudaStream_t in) { /* the kernel only reads list[1] */
    struct { char c; double d; short s; } pair = {0};
    char b = 0;
    int *to = device;
    launch(take, one, one, 0, in, (void *[]){&to, &pair, &b, &list});
}

static void read_at_once(void) { begin(), scaled(m, N, NULL), sum = m[7], end(); }
static void written_at_once(void) { begin(), scaled(m, N, NULL), m[7] = 1, end(); }
static void read_after_waiting(void) { begin(), scaled(m, N, NULL), cudaDeviceSynchronize(), must(m[7] == 400), end(); }
static void written_before(void) { begin(), m[7] = 1, scaled(m, N, NULL), cudaDeviceSynchronize(), must(m[7] == 403), end(); }
static void in_turns(void) {
    begin();
    for (int k = 0; k < 5; k++) m[0] = k, scaled(m, N, s), cudaStreamSynchronize(s), must(m[0] == 3 * k + 100);
    end();
}
static void both_read(void) { begin(), reads_second(m, NULL), sum = m[1], end(); }
static void host_writes_what_is_read(void) { begin(), reads_second(m, NULL), m[1] = 1, end(); }
static void host_writes_beside_it(void) { begin(), reads_second(m, NULL), m[0] = m[2] = 1, must(m[1] == 0), end(); }
static void other_memory(void) { begin(), scaled(m, N, NULL), other[0] = 1, sum = other[7], end(); }
static void the_other_half(void) {
    begin(), scaled(m, HALF, NULL);
    for (int i = HALF; i < N; i++) m[i] = i;
    for (int i = HALF; i < N; i++) must(m[i] == i);
    cudaDeviceSynchronize(), must(m[0] == 100), end();
}
static void one_too_many(void) {
    begin(), scaled(m, HALF, NULL);
    for (int i = N - 1; i >= HALF - 1; i--) m[i] = i;
    end();
}
static void beside_it_a_lot(void) {
    begin(), scaled(m, HALF, NULL);
    for (int k = 0; k < 5000; k++) m[HALF + k % HALF] += k;
    end();
}
static void one_of_two(void) { begin(), scaled(m, N, s), scaled(other, N, t), cudaStreamSynchronize(t), sum = other[0], sum = m[0], end(); }
static void waited_for_another_stream(void) { begin(), scaled(m, N, s), cudaStreamSynchronize(t), sum = m[0], end(); }
static void waited_for_the_stream(void) { begin(), scaled(m, N, s), cudaStreamSynchronize(s), sum = m[0], end(); }
static void waited_for_an_event(void) { begin(), scaled(m, N, s), cudaEventRecord(event, s), cudaEventSynchronize(event), sum = m[0], end(); }
static void event_before_the_work(void) { begin(), cudaEventRecord(event, s), scaled(m, N, s), cudaEventSynchronize(event), sum = m[0], end(); }
static void waited_for_what_waited(void) {
    begin(), scaled(m, N, s), cudaEventRecord(event, s), cudaStreamWaitEvent(t, event, 0);
    cudaStreamSynchronize(t), sum = m[0], end();
}
static void asked_the_stream(void) {
    begin(), scaled(m, N, s);
    while (cudaStreamQuery(s)) {}
    sum = m[0], end();
}
static void copied_before(void) { begin(), scaled(m, N, NULL), cudaMemcpy(numbers, device, 4, cudaMemcpyDeviceToHost), sum = m[0], end(); }
static void copied_itself(void) { begin(), scaled(m, N, NULL), cudaMemcpy(numbers, m, 4, cudaMemcpyDefault), must(numbers[0] == 100), end(); }
static void fill_waits(void) { begin(), cudaMemset(m, 1, sizeof numbers), must(m[0] == 0x01010101), end(); }
static void fill_does_not_wait(void) { begin(), cudaMemsetAsync(m, 1, sizeof numbers, s), sum = m[0], end(); }
static void every_launch_waits(void) { setenv("CUDA_LAUNCH_BLOCKING", "1", 1), begin(), scaled(m, N, s), sum = m[0], end(); }
static void look(void *p) { sum = *(int *)p; }
static void function_of_the_stream(void) { begin(), scaled(m, N, s), cudaLaunchHostFunc(s, look, m), end(); }
static void function_of_another(void) { begin(), scaled(m, N, s), cudaLaunchHostFunc(t, look, m), end(); }
static void variable(void) { begin(), launch(count_up, one, one, 0, NULL, NULL), sum = *shared_with_host(), end(); }
static void variable_after_waiting(void) { begin(), launch(count_up, one, one, 0, NULL, NULL), cudaDeviceSynchronize(), must(*shared_with_host() == 8), end(); }
static void attached(void) {
    begin(), cudaStreamAttachMemAsync(s, m, 0, cudaMemAttachSingle), cudaStreamSynchronize(s);
    scaled(other, N, t), m[0] = 1, end();
}
static void atomics(void) { begin(), launch(tally, one, threads, 0, NULL, (void *[]){&m}), sum = m[0], end(); }
static void published(bool look_first) {
    int *data = other, n = N, *flag = m;
    begin(), data = other, flag = m;
    launch(publish, one, one, 0, s, (void *[]){&data, &n, &flag});
    while (look_first && !*(volatile int *)flag) {}
    must(data[0] == 5 && data[N - 1] == 5), end();
}
static void flag_seen(void) { published(true); }
static void flag_not_looked_at(void) { published(false); }
static void after_a_fault(void) {
    int *nowhere = NULL;
    long at = 0;
    begin(), scaled(m, N, NULL), launch(store, one, one, 0, NULL, (void *[]){&nowhere, &at});
    must(cudaDeviceSynchronize()), sum = m[0], end();
}
static void graph(bool wait) {
    cudaGraph_t of;
    cudaGraphExec_t exec;
    begin(), cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), scaled(m, N, s);
    must(!cudaStreamEndCapture(s, &of) && !cudaGraphInstantiate(&exec, of, 0));
    m[0] = 1;
    must(!cudaGraphLaunch(exec, s));
    if (wait) cudaStreamSynchronize(s);
    sum = m[0];
    cudaGraphExecDestroy(exec), cudaGraphDestroy(of), end();
}
static void of_a_graph(void) { graph(false); }
static void of_a_graph_waited_for(void) { graph(true); }
static void freed_and_anew(void) {
    begin(), scaled(m, N, s), cudaFree(m);
    must(!cudaMallocManaged((void **)&m, sizeof numbers, cudaMemAttachGlobal));
    m[0] = 1, end();
}

static void refilled(void) { begin(), cudaMemcpyAsync(device, pinned, sizeof numbers, cudaMemcpyHostToDevice, s), pinned[3] = 1, end(); }
static void read_while_uploaded(void) { begin(), cudaMemcpyAsync(device, pinned, sizeof numbers, cudaMemcpyHostToDevice, s), sum = pinned[3], end(); }
static void read_too_early(void) { begin(), cudaMemcpyAsync(pinned, device, sizeof numbers, cudaMemcpyDeviceToHost, s), sum = pinned[3], end(); }
static void read_in_time(void) {
    begin(), cudaMemcpyAsync(pinned, device, sizeof numbers, cudaMemcpyDeviceToHost, s), cudaStreamSynchronize(s), sum = pinned[3], end();
}
static void two_buffers(void) {
    begin();
    for (int k = 0; k < 8; k++) {
        int *at = pinned + k % 2 * HALF;
        if (k > 1) cudaStreamSynchronize(k % 2 ? t : s);
        for (int i = 0; i < HALF; i++) at[i] = k;
        cudaMemcpyAsync(device + k % 2 * HALF, at, sizeof numbers / 2, cudaMemcpyHostToDevice, k % 2 ? t : s);
    }
    end();
}

/* By the system: what is shut to the program must not make it fail. */
static int ends[2];
static void through_a_pipe(int *from, int *to, bool whole) {
    struct iovec list[2] = {{to, 4}, {to + 1, 60}};
    must(!pipe(ends) && write(ends[1], from, whole ? sizeof numbers : 64) == (whole ? (ssize_t)sizeof numbers : 64) && readv(ends[0], list, 2) == 64);
}
static void half_written_out(void) { begin(), scaled(m, HALF, s), through_a_pipe(m + HALF, numbers, false), end(); }
static void half_read_in(void) { begin(), scaled(m, HALF, s), numbers[1] = 9, through_a_pipe(numbers, m + HALF, false), must(m[HALF + 1] == 9), end(); }
static void written_out(void) { begin(), scaled(m, N, s), through_a_pipe(m, numbers, true), must(numbers[1] == 200), end(); }
static void read_in(void) { begin(), reads_second(m, s), numbers[1] = 9, through_a_pipe(numbers, m, false), must(m[1] == 9), end(); }
static void file_of(int *at, size_t n) {
    FILE *file = tmpfile();
    must(file && fwrite(at, sizeof *at, n, file) == n && !fseek(file, 0, SEEK_SET) && fread(at, sizeof *at, n, file) == n);
    fclose(file);
}
static void half_in_a_file(void) { begin(), scaled(m, HALF, s), file_of(m + HALF, HALF), end(); }
static void in_a_file(void) { begin(), scaled(m, N, s), file_of(m, N), end(); }

static void memory_copied(void) { begin(), scaled(m, N, s), memcpy(numbers, m, sizeof numbers), must(numbers[3] == 400), end(); }
static void by_one_instruction(void *to, const void *from, size_t n) {
#if defined(__x86_64__)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
#else
    memcpy(to, from, n);
#endif
}
static void half_by_one_instruction(void) { begin(), scaled(m, HALF, s), by_one_instruction(m + HALF, other, sizeof numbers / 2), end(); }
static void all_by_one_instruction(void) { begin(), scaled(m + 8, 1, s), by_one_instruction(numbers, m, sizeof numbers), must(numbers[8] == 100), end(); }

static void *touch(void *at) { return *(volatile int *)at += 1, NULL; }
static void *touch_undisturbed(void *at) {
    sigset_t all;
    sigfillset(&all), pthread_sigmask(SIG_BLOCK, &all, NULL);
    return touch(at);
}
static void by_thread(void *(*run)(void *), int *at) {
    pthread_t thread;
    must(!pthread_create(&thread, NULL, run, at) && !pthread_join(thread, NULL));
}
static void another_thread(void) { begin(), scaled(m, N, s), by_thread(touch, m), end(); }
static void another_thread_beside(void) { begin(), scaled(m, HALF, s), by_thread(touch, m + HALF), must(m[HALF] == 1), end(); }
static void signals_blocked(void) { begin(), scaled(m, N, s), by_thread(touch_undisturbed, m), end(); }
static void signals_blocked_beside(void) { begin(), scaled(m, HALF, s), by_thread(touch_undisturbed, m + HALF), must(m[HALF] == 1), end(); }
static void a_child_looks(void) { /* it has the memory as it is, and the device stays with its parent */
    int status = 1;
    begin(), scaled(m, N, s);
    pid_t child = fork();
    if (!child) _exit(m[0] == 100 ? 0 : 1);
    must(waitpid(child, &status, 0) == child && !status), end();
}
static void spared_by_its_handler(int signal) { (void)signal, _exit(3); }
static void program_with_a_handler(void) { /* it would hear of what is no fault of its own */
    begin(), signal(SIGSEGV, spared_by_its_handler), scaled(m, HALF, s), m[HALF] = 1, end();
}

static const checked_case cases[] = {
#define RACE(name)   {#name, name, "race error"}
#define SILENT(name) {#name, name, "silent"}
    RACE(read_at_once), RACE(written_at_once), SILENT(read_after_waiting), SILENT(written_before), SILENT(in_turns), SILENT(both_read),
    RACE(host_writes_what_is_read), SILENT(host_writes_beside_it), SILENT(other_memory), SILENT(the_other_half), RACE(one_too_many),
    SILENT(beside_it_a_lot), RACE(one_of_two), RACE(waited_for_another_stream), SILENT(waited_for_the_stream), SILENT(waited_for_an_event),
    RACE(event_before_the_work), SILENT(waited_for_what_waited), SILENT(asked_the_stream), SILENT(copied_before), SILENT(copied_itself),
    SILENT(fill_waits), RACE(fill_does_not_wait), SILENT(every_launch_waits), SILENT(function_of_the_stream), RACE(function_of_another),
    RACE(variable), SILENT(variable_after_waiting), SILENT(attached), RACE(atomics), SILENT(flag_seen), RACE(flag_not_looked_at),
    {"after_a_fault", after_a_fault, "out-of-bounds error"}, RACE(of_a_graph), SILENT(of_a_graph_waited_for), SILENT(freed_and_anew),
    RACE(refilled), SILENT(read_while_uploaded), RACE(read_too_early), SILENT(read_in_time), SILENT(two_buffers),
    SILENT(half_written_out), SILENT(half_read_in), RACE(written_out), RACE(read_in), SILENT(half_in_a_file), RACE(in_a_file),
    RACE(memory_copied), SILENT(half_by_one_instruction), RACE(all_by_one_instruction),
    RACE(another_thread), SILENT(another_thread_beside), RACE(signals_blocked), SILENT(signals_blocked_beside), SILENT(a_child_looks),
    SILENT(program_with_a_handler),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
