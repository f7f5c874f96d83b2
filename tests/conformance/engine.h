/* The words of probe.h on the simulated machine. */
#ifndef WG_TESTS_CONFORMANCE_ENGINE_H
#define WG_TESTS_CONFORMANCE_ENGINE_H

#include <stdlib.h>

#include "engine/engine.h"
#include "image/image.h"
#include "probe.h"

typedef struct probe_machine {
    uint8_t *cubin;
    size_t size;
    uint8_t *text; /* the kernel's code in it */
    eng_device *device;
    uint64_t in[PROBE_KINDS], uni[PROBE_KINDS], out, scratch;
    uint32_t constants[PROBE_KINDS][PROBE_CONSTANTS];
    wg_error err;
} probe_machine;

static inline uint64_t probe_memory(probe_machine *m, const void *from, size_t size) {
    const eng_allocation *a;
    eng_memory *mem = eng_device_memory(m->device);
    if (eng_memory_alloc(mem, size, ENG_ALLOC_DEVICE, &a, &m->err) != WG_OK) return 0;
    if (from && eng_memory_copy(mem, a->address, (uint64_t)(uintptr_t)from, size, ENG_HOST_TO_DEVICE, &m->err) != WG_OK) return 0;
    return a->address;
}

/* cubin: the bytes of probe.sm_90.cubin, which are changed. False: m->err says why. */
static inline bool probe_open(probe_machine *m, uint8_t *cubin, size_t size) {
    static uint32_t in[PROBE_IN * PROBE_THREADS], uni[PROBE_UNI * PROBE_WARPS];
    *m = (probe_machine){.cubin = cubin, .size = size};
    for (size_t at = 0; at + 16 < size && !m->text; at += 16) { /* it begins with LDC R1, c[0x0][0x28] */
        static const uint8_t first[8] = {0x82, 0x7b, 0x01, 0xff, 0x00, 0x0a, 0x00, 0x00};
        if (!memcmp(cubin + at, first, 8)) m->text = cubin + at;
    }
    if (!m->text || eng_device_new(eng_gpu_find("h200"), &m->device, &m->err) != WG_OK) return false;
    for (int k = 0; k < PROBE_KINDS; k++) {
        probe_inputs((probe_kind)k, in, uni, m->constants[k]);
        m->in[k] = probe_memory(m, in, sizeof in);
        m->uni[k] = probe_memory(m, uni, sizeof uni);
        if (!m->in[k] || !m->uni[k]) return false;
    }
    m->out = probe_memory(m, NULL, PROBE_OUT * PROBE_THREADS * 4);
    m->scratch = probe_memory(m, NULL, 16 * PROBE_THREADS);
    return m->out && m->scratch;
}
static inline void probe_close(probe_machine *m) { eng_device_free(m->device); }

static inline wg_status probe_run_blocks(probe_machine *m, probe_word word, probe_kind kind, unsigned blocks, uint32_t *out) {
    static probe_code code;
    img_module *module = NULL;
    eng_code *loaded = NULL;
    probe_assemble(&code, word, 0);
    memcpy(m->text, code.at, sizeof code.at);
    m->err.text[0] = 0;
    wg_status st = img_module_read(m->cubin, m->size, &module, &m->err);
    if (st == WG_OK) st = eng_load(m->device, module, &loaded, &m->err);
    if (st == WG_OK) {
        probe_params p = {m->in[kind], m->uni[kind], m->out, m->scratch, 0, {0}};
        memcpy(p.constants, m->constants[kind], sizeof p.constants);
        eng_result result = {0};
        eng_launch l = {.function = img_find_function(module, "probe"), .grid = {blocks, 1, 1},
                        .block = {PROBE_BLOCK, 1, 1}, .params = &p, .jobs = 1, .max_instructions = 1000000};
        st = eng_run(loaded, &l, &result, &m->err);
        eng_result_free(&result);
        if (st == WG_OK)
            st = eng_memory_copy(eng_device_memory(m->device), (uint64_t)(uintptr_t)out, m->out, PROBE_OUT * PROBE_THREADS * 4, ENG_DEVICE_TO_HOST, &m->err);
    }
    if (loaded) eng_unload(loaded);
    if (module) img_module_free(module);
    return st;
}
static inline wg_status probe_run(probe_machine *m, probe_word word, probe_kind kind, uint32_t *out) {
    return probe_run_blocks(m, word, kind, PROBE_THREADS / PROBE_BLOCK, out);
}

#endif
