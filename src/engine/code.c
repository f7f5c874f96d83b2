#include "engine/code.h"

#include "engine/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "engine/deal.h"
#include "engine/driver.h"
#include "engine/memory_inner.h"
#include "engine/plan.h"

/* --- binders --------------------------------------------------------------------------- */

#define ENG_FAMILY_ROW(name) \
    extern const eng_family eng_family_##name##_portable, eng_family_##name##_avx2, eng_family_##name##_avx512;
#include "engine/families.def"
#undef ENG_FAMILY_ROW

static const eng_family *const families[][ENG_ISAS] = {
#define ENG_FAMILY_ROW(name) {&eng_family_##name##_portable, &eng_family_##name##_avx2, &eng_family_##name##_avx512},
#include "engine/families.def"
#undef ENG_FAMILY_ROW
};

static const char *const handlers[SASS_OP_COUNT] = {
#define SASS_ROW(NAME, TEXT, CODE, FORMS, OPERANDS, SRC, MODS, CLASS, KIND, HANDLER, ...) [SASS_##NAME] = #HANDLER,
#include "sass/isa.def"
#undef SASS_ROW
};

eng_bind eng_find_binder(eng_isa isa, const char *name) {
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (unsigned k = 0; k < families[f][isa]->n; k++)
            if (!strcmp(families[f][isa]->bindings[k].name, name)) return families[f][isa]->bindings[k].bind;
    return NULL;
}

/* The planner's own instructions come from the control family, under names that no opcode has. */
static eng_fn pseudo(eng_isa isa, const char *name) {
    eng_bind bind = eng_find_binder(isa, name);
    eng_ins out = {0};
    return bind && bind(NULL, NULL, &out) ? out.fn : NULL;
}

/* --- devices --------------------------------------------------------------------------- */

wg_status eng_devices_new(const eng_gpu *gpu, unsigned count, eng_device **out, wg_error *err) {
    eng_device *device = calloc(1, sizeof *device);
    struct eng_heap *heap = calloc(1, sizeof *heap);
    struct eng_nest *nest = calloc(1, sizeof *nest);
    if (!device || !heap || !nest) {
        free(nest);
        free(device);
        free(heap);
        return wg_fail(err, WG_ERR_MEMORY, "no memory for a device");
    }
    device->heap = heap;
    device->nest = nest;
    device->gpu = gpu;
    device->count = count;
    device->isa = eng_isa_choose();
    device->native = eng_native_wanted(device->isa);
    const char *proofs = getenv("WARPGRIND_PROOFS"); /* "off": all accesses are watched, as if nothing could be shown */
    device->proofs = !proofs || strcmp(proofs, "off");
    device->dealing = eng_dealing_read(getenv("WARPGRIND_DEAL"));
    for (int op = 1; op < SASS_OP_COUNT; op++) device->binders[op] = eng_find_binder(device->isa, handlers[op]);
    device->stop = pseudo(device->isa, "@stop");
    device->count_block = pseudo(device->isa, "@block");
    device->count_spin = pseudo(device->isa, "@spin");
    device->count_guard = pseudo(device->isa, "@guard");
    device->trace = pseudo(device->isa, "@trace");
    device->undefined_step = pseudo(device->isa, "@undefined_step");
    device->undefined_block = pseudo(device->isa, "@undefined_block");
    device->undefined_after = pseudo(device->isa, "@undefined_after");
    wg_status st = eng_memory_new(gpu->memory * count, &device->memory, err);
    if (st != WG_OK) {
        free(nest);
        free(heap);
        free(device);
        return st;
    }
    return *out = device, WG_OK;
}

wg_status eng_device_new(const eng_gpu *gpu, eng_device **out, wg_error *err) { return eng_devices_new(gpu, 1, out, err); }

void eng_device_free(eng_device *device) {
    if (!device) return;
    if (device->pool_process == getpid()) wg_pool_free(device->pool);
    eng_memory_free(device->memory);
    eng_textures_free(device);
    eng_nest_clear(device->nest, device->heap);
    free(device->nest);
    eng_heap_free(device->heap);
    free(device->heap);
    free(device);
}

const eng_gpu *eng_device_gpu(const eng_device *device) { return device->gpu; }
eng_memory *eng_device_memory(eng_device *device) { return device->memory; }

/* --- modules --------------------------------------------------------------------------- */

static uint8_t *copy(wg_arena *arena, const uint8_t *from, size_t n) {
    uint8_t *p = wg_arena_alloc(arena, n ? n : 1);
    if (p && n && from) memcpy(p, from, n);
    return p;
}

/* The bank of __constant__ variables lies in device memory: the host may ask for a constant's address and copy
 * to it, and a kernel may read through a pointer. */
static wg_status place_constants(eng_code *code, wg_error *err) {
    const img_module *m = code->module;
    if (!m->const3_size) return WG_OK;
    eng_memory *memory = code->device->memory;
    const eng_allocation *a;
    wg_status st = eng_memory_alloc(memory, m->const3_size, ENG_ALLOC_GLOBAL, &a, err);
    if (st != WG_OK) return wg_context(err, "__constant__ variables");
    code->constants = a->address;
    eng_memory_set_device(memory, a->address, code->number);
    code->const3 = eng_memory_host(memory, a->address);
    eng_memory_set_name(memory, a->address, "__constant__ variables");
    eng_memory_set_read_only(memory, a->address);
    for (size_t v = 0; v < m->n_variables; v++)
        if (m->variables[v].space == IMG_CONSTANT) code->variables[v] = a->address + m->variables[v].offset;
    return eng_memory_copy(memory, a->address, (uint64_t)(uintptr_t)m->const3, m->const3_size, ENG_HOST_TO_DEVICE, err);
}

static wg_status place_variables(eng_code *code, wg_error *err) {
    const img_module *m = code->module;
    for (size_t v = 0; v < m->n_variables; v++) {
        const img_variable *var = &m->variables[v];
        if (var->space != IMG_GLOBAL) continue;
        if (var->managed && code->first) {
            code->variables[v] = code->first->variables[v];
            continue;
        }
        const eng_allocation *a;
        uint64_t size = var->size ? var->size : 1;
        wg_status st = eng_memory_alloc(code->device->memory, size, var->managed ? ENG_ALLOC_MANAGED : ENG_ALLOC_GLOBAL, &a, err);
        if (st != WG_OK) return wg_context(err, "__device__ variable %s", var->demangled);
        code->variables[v] = a->address;
        eng_memory_set_device(code->device->memory, a->address, code->number);
        eng_memory_set_name(code->device->memory, a->address, var->demangled);
        if ((uint64_t)var->offset + var->size > m->global_size)
            return wg_fail(err, WG_ERR_FORMAT, "variable %s lies outside the module's data", var->name);
        st = eng_memory_copy(code->device->memory, a->address, (uint64_t)(uintptr_t)(m->global_init + var->offset), var->size,
                             ENG_HOST_TO_DEVICE, err);
        if (st != WG_OK) return st;
    }
    return WG_OK;
}

static bool reloc_value(const eng_code *code, const img_reloc *r, uint64_t *value) {
    const img_module *m = code->module;
    switch (r->kind) {
    case IMG_RELOC_GLOBAL64: case IMG_RELOC_GLOBAL_LO: case IMG_RELOC_GLOBAL_HI:
        if (r->symbol >= m->n_variables) return false;
        *value = code->variables[r->symbol];
        break;
    case IMG_RELOC_FUNC64: case IMG_RELOC_FUNC_LO: case IMG_RELOC_FUNC_HI: case IMG_RELOC_FUNC_CALL:
        if (r->symbol >= m->n_functions) return false;
        *value = ENG_CODE_BASE + m->functions[r->symbol].code_offset;
        break;
    case IMG_RELOC_EXTERN64: case IMG_RELOC_EXTERN_LO: case IMG_RELOC_EXTERN_HI: case IMG_RELOC_EXTERN_CALL:
        if (r->symbol >= m->n_externs) return false;
        *value = ENG_EXTERN_BASE + 16 * (uint64_t)r->symbol;
        break;
    default: return false;
    }
    *value += (uint64_t)r->addend;
    return true;
}

static wg_status relocate(eng_code *code, wg_error *err) {
    const img_module *m = code->module;
    for (size_t k = 0; k < m->n_relocs; k++) {
        const img_reloc *r = &m->relocs[k];
        uint64_t value;
        bool wide = r->kind == IMG_RELOC_GLOBAL64 || r->kind == IMG_RELOC_FUNC64 || r->kind == IMG_RELOC_EXTERN64;
        uint32_t n = wide ? 8 : r->where == IMG_IN_CODE ? 16 : 4; /* in code: somewhere in an instruction */
        uint8_t *base = NULL;
        uint64_t size = 0, at = r->offset;
        switch (r->where) {
        case IMG_IN_CODE: base = code->bytes, size = m->code_size; break;
        case IMG_IN_CONST3: base = code->const3, size = m->const3_size; break;
        case IMG_IN_CONST4: base = code->const4, size = m->const4_size; break;
        case IMG_IN_CONST2:
            if (r->function < m->n_functions) base = code->const2[r->function], size = m->functions[r->function].const2_size;
            break;
        case IMG_IN_GLOBAL: break;
        }
        if (!reloc_value(code, r, &value)) return wg_fail(err, WG_ERR_FORMAT, "a relocation names a symbol that is not there");
        bool high = r->kind == IMG_RELOC_GLOBAL_HI || r->kind == IMG_RELOC_FUNC_HI || r->kind == IMG_RELOC_EXTERN_HI;
        if (high && r->where != IMG_IN_CODE) value >>= 32;
        if (r->where == IMG_IN_GLOBAL) { /* a pointer in a variable's initial value */
            for (size_t v = 0; v < m->n_variables; v++) {
                const img_variable *var = &m->variables[v];
                if (var->space != IMG_GLOBAL || r->offset < var->offset || r->offset + n > var->offset + var->size) continue;
                wg_status st = eng_memory_copy(code->device->memory, code->variables[v] + r->offset - var->offset,
                                               (uint64_t)(uintptr_t)&value, n, ENG_HOST_TO_DEVICE, err);
                if (st != WG_OK) return st;
            }
            continue;
        }
        if (!base || at + n > size) return wg_fail(err, WG_ERR_FORMAT, "a relocation lies outside its section");
        if (r->where == IMG_IN_CODE) img_patch(m, r, base + at, value);
        else memcpy(base + at, &value, n);
    }
    return WG_OK;
}

wg_status eng_load_on(eng_device *device, unsigned number, const img_module *module, const eng_code *first, eng_code **out, wg_error *err) {
    eng_code *code = calloc(1, sizeof *code);
    wg_arena *arena = wg_arena_new();
    if (!code || !arena) {
        free(code);
        wg_arena_free(arena);
        return wg_fail(err, WG_ERR_MEMORY, "no memory for a module");
    }
    code->device = device;
    code->module = module;
    code->first = first;
    code->number = number;
    code->arena = arena;
    code->bytes = copy(arena, module->code, module->code_size);
    code->const4 = copy(arena, module->const4, module->const4_size);
    code->const2 = wg_arena_array(arena, module->n_functions + 1, sizeof *code->const2);
    code->variables = wg_arena_array(arena, module->n_variables + 1, sizeof *code->variables);
    code->instrs = wg_arena_array(arena, module->n_functions + 1, sizeof *code->instrs);
    bool ok = code->bytes && code->const4 && code->const2 && code->variables && code->instrs;
    for (size_t f = 0; ok && f < module->n_functions; f++) {
        code->const2[f] = copy(arena, module->functions[f].const2, module->functions[f].const2_size);
        ok = code->const2[f] != NULL;
    }
    wg_status st = ok ? place_variables(code, err) : wg_fail(err, WG_ERR_MEMORY, "no memory for a module");
    if (st == WG_OK) st = place_constants(code, err);
    if (st == WG_OK) st = relocate(code, err);
    if (st != WG_OK) {
        eng_unload(code);
        return st;
    }
    return *out = code, WG_OK;
}

wg_status eng_load(eng_device *device, const img_module *module, eng_code **out, wg_error *err) {
    return eng_load_on(device, 0, module, NULL, out, err);
}

void eng_unload(eng_code *code) {
    if (!code) return;
    mem_forget_code(code->device->memory, code);
    for (eng_plan *p = code->plans, *next; p; p = next) {
        next = p->next;
        eng_plan_free(p);
    }
    for (size_t v = 0; code->variables && v < code->module->n_variables; v++)
        if (code->variables[v] && code->module->variables[v].space == IMG_GLOBAL && !(code->first && code->module->variables[v].managed))
            eng_memory_release(code->device->memory, code->variables[v], NULL);
    if (code->constants) eng_memory_release(code->device->memory, code->constants, NULL);
    wg_arena_free(code->arena);
    free(code);
}

const img_module *eng_code_module(const eng_code *code) { return code->module; }

uint64_t eng_variable_address(const eng_code *code, const img_variable *variable) {
    return code->variables[variable - code->module->variables];
}

uint8_t *eng_constant(eng_code *code, const img_variable *variable) {
    if (variable->space != IMG_CONSTANT || (uint64_t)variable->offset + variable->size > code->module->const3_size) return NULL;
    return code->const3 + variable->offset;
}

const sass_instr *eng_instructions(const eng_code *code, const img_function *function) {
    size_t f = (size_t)(function - code->module->functions);
    if (code->instrs[f]) return code->instrs[f];
    unsigned n = function->code_size / 16;
    sass_instr *instrs = wg_arena_array(code->arena, n + 1, sizeof *instrs);
    if (!instrs || (uint64_t)function->code_offset + function->code_size > code->module->code_size) return NULL;
    for (unsigned k = 0; k < n; k++)
        sass_decode(code->bytes + function->code_offset + 16u * k, 16u * k, code->module->sm, &instrs[k]);
    return code->instrs[f] = instrs;
}

wg_status eng_can_run(eng_code *code, const img_function *function, wg_error *err) {
    eng_plan *plan;
    return eng_plan_get(code, function, 0, false, false, &plan, err);
}
