/* A module on a simulated device, for tests: load, allocate, launch, read back. */
#ifndef WG_TESTS_ENGINE_HARNESS_H
#define WG_TESTS_ENGINE_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/engine.h"
#include "image/image.h"

typedef struct machine {
    img_file *file;
    img_module *module;
    eng_device *device;
    eng_code *code;
    wg_error err;
    eng_finding findings[16];
    size_t n_findings;
    eng_result result;
    unsigned jobs;
    uint64_t max_instructions, seed;
} machine;

static inline machine *machine_open(const char *cubin) {
    machine *m = calloc(1, sizeof *m);
    assert_non_null(m);
    if (img_open(cubin, &m->file, &m->err) != WG_OK ||
        img_module_read(m->file->entries[0].data, m->file->entries[0].size, &m->module, &m->err) != WG_OK ||
        eng_device_new(eng_gpu_for_sm(m->module->sm), &m->device, &m->err) != WG_OK ||
        eng_load(m->device, m->module, &m->code, &m->err) != WG_OK)
        fail_msg("%s: %s", cubin, m->err.text);
    m->jobs = 1;
    return m;
}

static inline void machine_close(machine *m) {
    eng_result_free(&m->result);
    eng_unload(m->code);
    eng_device_free(m->device);
    img_module_free(m->module);
    img_close(m->file);
    free(m);
}

static inline uint64_t machine_alloc(machine *m, const void *from, size_t size) {
    const eng_allocation *a;
    if (eng_memory_alloc(eng_device_memory(m->device), size, ENG_ALLOC_DEVICE, &a, &m->err) != WG_OK) fail_msg("%s", m->err.text);
    if (from && eng_memory_copy(eng_device_memory(m->device), a->address, (uint64_t)(uintptr_t)from, size, ENG_HOST_TO_DEVICE, &m->err) != WG_OK)
        fail_msg("%s", m->err.text);
    return a->address;
}

static inline void machine_read(machine *m, void *to, uint64_t from, size_t size) {
    if (eng_memory_copy(eng_device_memory(m->device), (uint64_t)(uintptr_t)to, from, size, ENG_DEVICE_TO_HOST, &m->err) != WG_OK)
        fail_msg("%s", m->err.text);
}

static inline void machine_finding(void *ctx, const eng_finding *f) {
    machine *m = ctx;
    if (m->n_findings < 16) m->findings[m->n_findings] = *f;
    m->n_findings++;
}

/* Grid and block in x and y. params: as the kernel's parameter list, naturally aligned. */
static inline wg_status machine_launch(machine *m, const char *kernel, uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by,
                                       const void *params) {
    const img_function *f = img_find_function(m->module, kernel);
    if (!f) fail_msg("no kernel %s", kernel);
    eng_launch l = {.function = f, .grid = {gx, gy, 1}, .block = {bx, by, 1}, .params = params, .jobs = m->jobs,
                    .finding = machine_finding, .ctx = m, .max_instructions = m->max_instructions, .seed = m->seed};
    m->n_findings = 0;
    m->err.text[0] = 0;
    eng_result_free(&m->result);
    return eng_run(m->code, &l, &m->result, &m->err);
}
#define machine_run(...) \
    do { if (machine_launch(__VA_ARGS__) != WG_OK) fail_msg("%s", m->err.text); } while (0)

#endif
