/* make bench: SASS thread-instructions a CPU second, one worker, as the difference between two repeat counts.
 *
 *   bench CUBIN [--seconds S] [--kernel NAME] [--watches none|counting|checks|streams|KINDS] [--jobs N] [--against N] [--turns LIST] [--out FILE]
 *
 * Each line: kernel, watches, thread-instructions of one launch, G thread-instructions per CPU second.
 * streams: all checks in a program of several streams. --against N: one worker and N take turns; each line has both rates per CPU second, N times the second over the first,
 * which is the speed-up where the workers have processors of their own, and the ratio of the times by the clock.
 * --turns WATCHES/WATCHES/...: these take turns; each line has the rate with the first, and how many times its time the others
 * take. On a machine that does other work too, such ratios hold where rates do not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine.h"
#include "image/image.h"
#include "watch/watch.h"

typedef struct workload {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint8_t params[64];
    size_t n_params;
    bool regular; /* counts in the mean */
} workload;

typedef struct options {
    const char *cubin, *kernel, *watches, *turns, *out;
    double seconds;
    unsigned jobs, against;
    uint32_t checks; /* kinds, as watch_checks_read makes them */
    bool streams;    /* what launches touch is remembered, as for races between them */
    eng_device *device;
    watch_scratch *scratch;
} options;

static _Noreturn void die(const char *what, const wg_error *err) {
    fprintf(stderr, "bench: %s%s%s\n", what, err && err->text[0] ? ": " : "", err ? err->text : "");
    exit(2);
}

static void set_watches(options *opt, const char *watches) {
    opt->watches = watches;
    opt->checks = 0;
    opt->streams = !strcmp(watches, "streams");
    if (!strcmp(watches, "checks") || opt->streams) opt->checks = UINT32_MAX;
    else if (strcmp(watches, "none") && strcmp(watches, "counting") && !watch_checks_read(watches, &opt->checks, NULL))
        die("--watches takes none, counting, checks, streams, or kinds of checks", NULL);
}

typedef struct seconds {
    double cpu, wall;
} seconds;

static double clock_seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- memory and parameters ------------------------------------------------------------------ */

static uint64_t floats(eng_device *device, size_t n) { /* small numbers, the same in every run */
    wg_error err;
    const eng_allocation *a;
    float *host = malloc(n * sizeof *host);
    if (!host || eng_memory_alloc(eng_device_memory(device), n * 4, ENG_ALLOC_DEVICE, &a, &err) != WG_OK) die("memory", &err);
    for (size_t i = 0; i < n; i++) host[i] = (float)(i * 2654435761u % 1000) / 1000.0f;
    if (eng_memory_copy(eng_device_memory(device), a->address, (uint64_t)(uintptr_t)host, n * 4, ENG_HOST_TO_DEVICE, &err) != WG_OK)
        die("copy", &err);
    free(host);
    return a->address;
}
static uint64_t indices(eng_device *device, size_t n) {
    uint64_t at = floats(device, n);
    uint32_t *host = malloc(n * sizeof *host), x = 12345;
    wg_error err;
    if (!host) die("memory", NULL);
    for (size_t i = 0; i < n; i++) x = x * 1664525u + 1013904223u, host[i] = (uint32_t)((uint64_t)x * n >> 32);
    if (eng_memory_copy(eng_device_memory(device), at, (uint64_t)(uintptr_t)host, n * 4, ENG_HOST_TO_DEVICE, &err) != WG_OK)
        die("copy", &err);
    free(host);
    return at;
}
static void put(workload *w, const void *value, size_t size) {
    w->n_params = (w->n_params + size - 1) / size * size;
    memcpy(w->params + w->n_params, value, size);
    w->n_params += size;
}
static void put_pointer(workload *w, uint64_t p) { put(w, &p, 8); }
static void put_int(workload *w, int v) { put(w, &v, 4); }
static void put_float(workload *w, float v) { put(w, &v, 4); }

static size_t make_workloads(eng_device *device, workload *all) {
    size_t n = 0;
    workload *w = &all[n++];
    *w = (workload){.kernel = "saxpy", .grid = {4096, 1, 1}, .block = {256, 1, 1}, .regular = true};
    put_int(w, 1 << 20), put_float(w, 2.0f), put_pointer(w, floats(device, 1 << 20)), put_pointer(w, floats(device, 1 << 20));
    w = &all[n++];
    *w = (workload){.kernel = "conv3x3", .grid = {32, 128, 1}, .block = {32, 8, 1}, .regular = true};
    put_pointer(w, floats(device, 1 << 20)), put_pointer(w, floats(device, 16)), put_pointer(w, floats(device, 1 << 20));
    put_int(w, 1024), put_int(w, 1024);
    w = &all[n++];
    *w = (workload){.kernel = "matmul", .grid = {16, 16, 1}, .block = {32, 32, 1}, .regular = true};
    for (int k = 0; k < 3; k++) put_pointer(w, floats(device, 512 * 512));
    put_int(w, 512);
    w = &all[n++];
    *w = (workload){.kernel = "reduce", .grid = {256, 1, 1}, .block = {256, 1, 1}, .regular = true};
    put_pointer(w, floats(device, 1 << 20)), put_pointer(w, floats(device, 256)), put_int(w, 1 << 20);
    w = &all[n++];
    *w = (workload){.kernel = "mandelbrot", .grid = {16, 64, 1}, .block = {32, 8, 1}, .regular = true};
    put_pointer(w, floats(device, 512 * 512)), put_int(w, 512), put_int(w, 512), put_int(w, 256);
    w = &all[n++];
    *w = (workload){.kernel = "gather", .grid = {4096, 1, 1}, .block = {256, 1, 1}};
    put_pointer(w, floats(device, 1 << 20)), put_pointer(w, indices(device, 1 << 20)), put_pointer(w, floats(device, 1 << 20));
    put_int(w, 1 << 20);
    return n;
}

/* --- measuring -------------------------------------------------------------------------------- */

static uint64_t launch(eng_code *code, const workload *w, const options *opt) {
    const img_function *f = img_find_function(eng_code_module(code), w->kernel);
    wg_error err = {0};
    eng_result result;
    if (!f) die(w->kernel, NULL);
    eng_launch l = {.function = f, .params = w->params, .jobs = opt->jobs};
    memcpy(l.grid, w->grid, sizeof l.grid);
    memcpy(l.block, w->block, sizeof l.block);
    watch_run watching = {0};
    watch_extents extents = {0};
    if (strcmp(opt->watches, "none")) {
        watch_context ctx = {.code = code, .module = eng_code_module(code), .function = f, .launch = &l,
                             .gpu = eng_device_gpu(opt->device), .memory = eng_device_memory(opt->device),
                             .checks = opt->checks, .scratch = opt->scratch, .extents = opt->streams ? &extents : NULL};
        if (!watch_run_start(&watching, &ctx, l.jobs)) die("memory", NULL);
        l.sinks = watching.sinks, l.n_sinks = watching.n_sinks, l.count_reads = true;
    }
    if (eng_run(code, &l, &result, &err) != WG_OK) die(w->kernel, &err);
    if (watching.sinks) { /* as a run does: every counter, the last of them made from the others */
        watch_record record;
        if (!watch_record_init(&record, eng_code_module(code))) die("memory", NULL);
        watch_run_finish(&watching, &result, &record);
        watch_record_free(&record);
        watch_run_stop(&watching);
        watch_extents_free(&extents);
    }
    uint64_t n = result.thread_instructions;
    eng_result_free(&result);
    return n;
}

static seconds repeat(eng_code *code, const workload *w, const options *opt, unsigned times) {
    double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID), wall = clock_seconds(CLOCK_MONOTONIC);
    for (unsigned k = 0; k < times; k++) launch(code, w, opt);
    return (seconds){clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, clock_seconds(CLOCK_MONOTONIC) - wall};
}

static unsigned launches_in(eng_code *code, const workload *w, const options *opt, uint64_t *per_launch) {
    *per_launch = launch(code, w, opt);
    return (unsigned)(opt->seconds / (repeat(code, w, opt, 3).cpu / 3)) + 1;
}

/* The time of so many launches, as the difference between two repeat counts; keeps the least of each kind. */
static void difference(eng_code *code, const workload *w, const options *opt, unsigned launches, seconds *least) {
    enum { FEW = 2 };
    seconds few = repeat(code, w, opt, FEW), many = repeat(code, w, opt, FEW + launches);
    double cpu = many.cpu - few.cpu, wall = many.wall - few.wall;
    if (cpu > 0 && (!least->cpu || cpu < least->cpu)) least->cpu = cpu; /* short ones may get lost in what else goes on */
    if (wall > 0 && (!least->wall || wall < least->wall)) least->wall = wall;
}

enum { ROUNDS = 3 };

/* Thread-instructions a CPU second, best of three. */
static double measure(eng_code *code, const workload *w, const options *opt, uint64_t *per_launch) {
    unsigned launches = launches_in(code, w, opt, per_launch);
    seconds least = {0};
    for (int k = 0; k < ROUNDS; k++) difference(code, w, opt, launches, &least);
    return (double)*per_launch * launches / least.cpu;
}

/* The same work by one worker and by several, in turns. */
static void compare(eng_code *code, const workload *w, const options *opt, FILE *out) {
    options alone = *opt, together = *opt;
    alone.jobs = 1, together.jobs = opt->against;
    uint64_t n;
    unsigned launches = launches_in(code, w, &alone, &n);
    seconds one = {0}, several = {0};
    launch(code, w, &together);
    for (int k = 0; k < 2 * ROUNDS; k++) {
        difference(code, w, &alone, launches, &one);
        difference(code, w, &together, launches, &several);
    }
    double work = (double)n * launches * 1e-9;
    fprintf(out, "%-12s %-9s one worker %6.2f G/s, %u workers %6.2f G/s: %4.2f times; by the clock %4.2f times\n", w->kernel,
            opt->watches, work / one.cpu, opt->against, work / several.cpu, opt->against * one.cpu / several.cpu, one.wall / several.wall);
    fflush(out);
}

/* Sets of watches, one after the other, again and again. */
enum { MOST_TURNS = 24 };
static size_t turns_of(const options *opt, options *turns) {
    size_t n = 0;
    char *list = strdup(opt->turns), *rest = list; /* lives as long as the program */
    for (char *name; list && n < MOST_TURNS && (name = strsep(&rest, "/"));) {
        turns[n] = *opt;
        set_watches(&turns[n++], name);
    }
    return n;
}
static void take_turns(eng_code *code, const workload *w, const options *turns, size_t n, double *product, FILE *out) {
    seconds least[MOST_TURNS] = {0};
    uint64_t work;
    unsigned launches = launches_in(code, w, &turns[0], &work);
    for (int k = 0; k < 3 * ROUNDS; k++)
        for (size_t t = 0; t < n; t++) difference(code, w, &turns[t], launches, &least[t]);
    fprintf(out, "%-12s %6.2f", w->kernel, (double)work * launches * 1e-9 / least[0].cpu);
    for (size_t t = 1; t < n; t++) {
        fprintf(out, " %*.2f", (int)strlen(turns[t].watches), least[t].cpu / least[0].cpu);
        if (w->regular) product[t] *= least[t].cpu / least[0].cpu;
    }
    fprintf(out, "\n");
    fflush(out);
}

static double nth_root(double x, int n) { /* Newton; x > 0 */
    double r = 1;
    for (int k = 0; k < 200; k++) {
        double p = 1;
        for (int j = 1; j < n; j++) p *= r;
        r += (x / p - r) / n;
    }
    return r;
}

static options parse(int argc, char **argv) {
    options o = {.watches = "none", .seconds = 1.5, .jobs = 1};
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (!strcmp(argv[k], "--seconds")) o.seconds = atof(value), k++;
        else if (!strcmp(argv[k], "--kernel")) o.kernel = value, k++;
        else if (!strcmp(argv[k], "--watches")) o.watches = value, k++;
        else if (!strcmp(argv[k], "--jobs")) o.jobs = (unsigned)atoi(value), k++;
        else if (!strcmp(argv[k], "--against")) o.against = (unsigned)atoi(value), k++;
        else if (!strcmp(argv[k], "--turns")) o.turns = value, k++;
        else if (!strcmp(argv[k], "--out")) o.out = value, k++;
        else o.cubin = argv[k];
    }
    if (!o.cubin) die("usage: bench CUBIN [--seconds S] [--kernel NAME] [--watches none|counting|checks|KINDS] [--jobs N] [--against N] [--turns LIST] [--out FILE]", NULL);
    return o;
}

int main(int argc, char **argv) {
    options opt = parse(argc, argv);
    wg_error err = {0};
    img_file *file;
    img_module *module;
    eng_device *device;
    eng_code *code;
    set_watches(&opt, opt.watches);
    if (img_open(opt.cubin, &file, &err) != WG_OK) die(opt.cubin, &err);
    if (img_module_read(file->entries[0].data, file->entries[0].size, &module, &err) != WG_OK) die(opt.cubin, &err);
    if (eng_device_new(eng_gpu_for_sm(module->sm), &device, &err) != WG_OK) die("device", &err);
    opt.device = device;
    opt.scratch = watch_scratch_new(); /* as a session does */
    if (eng_load(device, module, &code, &err) != WG_OK) die("load", &err);
    workload all[8];
    size_t n = make_workloads(device, all);
    FILE *out = opt.out ? fopen(opt.out, "w") : stdout;
    if (!out) die(opt.out, NULL);
    double product = 1, products[MOST_TURNS];
    int regular = 0;
    options turns[MOST_TURNS];
    size_t n_turns = opt.turns ? turns_of(&opt, turns) : 0;
    if (n_turns) fprintf(out, "%-12s %6s", "", turns[0].watches);
    for (size_t t = 0; t < n_turns; t++) products[t] = 1;
    for (size_t t = 1; t < n_turns; t++) fprintf(out, " %s", turns[t].watches);
    if (n_turns) fprintf(out, "\n");
    for (size_t k = 0; k < n; k++) {
        if (opt.kernel && strcmp(opt.kernel, all[k].kernel)) continue;
        uint64_t per_launch;
        if (opt.against > 1) {
            compare(code, &all[k], &opt, out);
            continue;
        }
        if (n_turns) {
            take_turns(code, &all[k], turns, n_turns, products, out);
            regular += all[k].regular;
            continue;
        }
        double rate = measure(code, &all[k], &opt, &per_launch);
        fprintf(out, "%-12s %-9s %12llu thread-instructions %7.2f G/s\n", all[k].kernel, opt.watches,
                (unsigned long long)per_launch, rate * 1e-9);
        fflush(out);
        if (all[k].regular) product *= rate * 1e-9, regular++;
    }
    if (n_turns && regular > 1) {
        fprintf(out, "%-19s", "mean of the regular");
        for (size_t t = 1; t < n_turns; t++) fprintf(out, " %*.2f", (int)strlen(turns[t].watches), nth_root(products[t], regular));
        fprintf(out, "\n");
    } else if (regular > 1) fprintf(out, "geometric mean of the regular ones: %.2f G/s\n", nth_root(product, regular));
    if (out != stdout) fclose(out);
    eng_unload(code);
    watch_scratch_free(opt.scratch);
    eng_device_free(device);
    img_module_free(module);
    img_close(file);
    return 0;
}
