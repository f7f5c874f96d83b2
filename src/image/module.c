#include "image/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "image/bytes.h"
#include "image/names.h"

enum { BARRIERS_SHIFT = 20 }; /* in the flags of a section of code */
enum { TEXT_ALIGN = 128, INSTRUCTION = 16, STO_ENTRY = 0x10 };

wg_status img_no_memory(wg_error *err) {
    return wg_fail(err, WG_ERR_MEMORY, "no memory to read the cubin");
}

uint32_t img_function_of_section(const module_reader *r, const elf_section *section, const char *prefix) {
    if (section->info < r->elf.n_sections && r->function_of[section->info] != IMG_NONE)
        return r->function_of[section->info];
    if (!wg_starts_with(section->name, prefix)) return IMG_NONE;
    for (size_t i = 0; i < r->module->n_functions; i++)
        if (strcmp(r->module->functions[i].name, section->name + strlen(prefix)) == 0) return (uint32_t)i;
    return IMG_NONE;
}

static bool is_text(const elf_section *s) {
    return s->type == SHT_PROGBITS && (s->flags & SHF_EXECINSTR) && wg_starts_with(s->name, ".text");
}

static wg_status lay_out_code(module_reader *r) {
    img_module *m = r->module;
    const elf_file *elf = &r->elf;
    uint64_t total = 0;
    r->function_of = wg_arena_array(r->arena, elf->n_sections, sizeof *r->function_of);
    if (!r->function_of) return img_no_memory(r->err);
    for (size_t i = 0; i < elf->n_sections; i++) {
        const elf_section *s = &elf->sections[i];
        r->function_of[i] = IMG_NONE;
        if (!is_text(s)) continue;
        if (s->size % INSTRUCTION)
            return wg_fail(r->err, WG_ERR_FORMAT, "%s has %llu bytes, not a multiple of %d", s->name,
                           (unsigned long long)s->size, INSTRUCTION);
        r->function_of[i] = (uint32_t)m->n_functions++;
        total += (s->size + TEXT_ALIGN - 1) / TEXT_ALIGN * TEXT_ALIGN;
    }
    if (total > UINT32_MAX) return wg_fail(r->err, WG_ERR_FORMAT, "more than 4 GiB of code");
    m->code = wg_arena_alloc(r->arena, total);
    m->functions = wg_arena_array(r->arena, m->n_functions, sizeof *m->functions);
    if (!m->code || !m->functions) return img_no_memory(r->err);
    for (size_t i = 0; i < elf->n_sections; i++) {
        if (r->function_of[i] == IMG_NONE) continue;
        const elf_section *s = &elf->sections[i];
        img_function *f = &m->functions[r->function_of[i]];
        f->name = s->name + (wg_starts_with(s->name, ".text.") ? 6 : 0);
        f->code_offset = m->code_size;
        f->code_size = (uint32_t)s->size;
        if (s->size) memcpy(m->code + f->code_offset, s->data, s->size);
        m->code_size += (uint32_t)((s->size + TEXT_ALIGN - 1) / TEXT_ALIGN * TEXT_ALIGN);
        /* Until sm_89 the section says its registers; .nv.info overrides this where it speaks. */
        if (m->sm < 90) f->registers = s->info >> 24;
        if (m->sm >= 90) f->shared_reserve = 1024;
        f->barriers = s->flags >> BARRIERS_SHIFT & 0x7f; /* until CUDA 12; then .nv.info */
    }
    return WG_OK;
}

static int by_code_offset(const void *a, const void *b) {
    const img_symbol *x = a, *y = b;
    if (x->code_offset != y->code_offset) return x->code_offset < y->code_offset ? -1 : 1;
    return x->code_size < y->code_size ? -1 : x->code_size > y->code_size;
}

/* A symbol that covers its section from the start is the function; the others lie inside it. */
static wg_status name_functions(module_reader *r) {
    img_module *m = r->module;
    m->symbols = wg_arena_array(r->arena, r->elf.n_symbols, sizeof *m->symbols);
    if (!m->symbols) return img_no_memory(r->err);
    for (size_t i = 0; i < r->elf.n_symbols; i++) {
        const elf_symbol *s = &r->elf.symbols[i];
        if (s->type != STT_FUNC || s->section >= r->elf.n_sections || r->function_of[s->section] == IMG_NONE)
            continue;
        img_function *f = &m->functions[r->function_of[s->section]];
        if (s->value > f->code_size || s->size > f->code_size - s->value)
            return wg_fail(r->err, WG_ERR_FORMAT, "symbol %s reaches outside its section %s", s->name,
                           r->elf.sections[s->section].name);
        if (s->value == 0 && ((s->other & STO_ENTRY) || strcmp(s->name, f->name) == 0)) {
            f->name = s->name;
            f->is_kernel |= (s->other & STO_ENTRY) != 0;
            continue;
        }
        img_symbol *inner = &m->symbols[m->n_symbols++];
        *inner = (img_symbol){.name = s->name,
                              .demangled = img_demangle(r->arena, img_inner_name(s->name)),
                              .code_offset = f->code_offset + (uint32_t)s->value,
                              .code_size = (uint32_t)s->size};
        if (!inner->demangled) return img_no_memory(r->err);
        f->stack_open |= !wg_starts_with(s->name, "$__internal_"); /* the compiler's helpers need no stack */
    }
    /* Functions with code of their own are there to be called: by pointer, or across the objects of -rdc. */
    bool calls = false;
    for (size_t i = 0; i < m->n_functions; i++) calls |= !m->functions[i].is_kernel;
    for (size_t i = 0; i < m->n_functions; i++) m->functions[i].stack_open |= calls;
    qsort(m->symbols, m->n_symbols, sizeof *m->symbols, by_code_offset);
    for (size_t i = 0; i < m->n_functions; i++) {
        m->functions[i].demangled = img_demangle(r->arena, m->functions[i].name);
        if (!m->functions[i].demangled) return img_no_memory(r->err);
    }
    return WG_OK;
}

wg_status img_read_code(module_reader *r) {
    wg_status status = lay_out_code(r);
    return status == WG_OK ? name_functions(r) : status;
}

static wg_status read_module(module_reader *r, const void *cubin, size_t size) {
    wg_status status = img_elf_read(cubin, size, r->arena, &r->elf, r->err);
    if (status != WG_OK) return status;
    if (r->elf.machine != IMG_EM_CUDA)
        return wg_fail(r->err, WG_ERR_FORMAT, "an ELF file for machine %u, not for a GPU (%d)",
                       r->elf.machine, IMG_EM_CUDA);
    if (r->elf.type == ET_REL)
        return wg_fail(r->err, WG_ERR_UNSUPPORTED,
                       "a relocatable cubin (nvcc -dc): it becomes executable when nvcc links it (-dlink)");
    img_elf_architecture(&r->elf, &r->module->sm, &r->module->arch_specific);
    r->module->ptx_sm = img_elf_ptx_architecture(&r->elf);
    if (!r->module->ptx_sm) r->module->ptx_sm = r->module->sm;
    if (r->module->sm < 70)
        return wg_fail(r->err, WG_ERR_UNSUPPORTED,
                       "code for sm_%d: the instruction formats before sm_75 are not read", r->module->sm);
    wg_status (*const steps[])(module_reader *) = {img_read_code, img_read_data, img_read_info,
                                                   img_read_relocs, img_read_lines};
    for (size_t i = 0; status == WG_OK && i < sizeof steps / sizeof *steps; i++) status = steps[i](r);
    return status;
}

wg_status img_module_read(const void *cubin, size_t size, img_module **out, wg_error *err) {
    *out = NULL;
    wg_arena *arena = wg_arena_new();
    img_module *m = arena ? wg_arena_alloc(arena, sizeof *m) : NULL;
    if (!m) {
        wg_arena_free(arena);
        return img_no_memory(err);
    }
    m->arena = arena;
    module_reader r = {.module = m, .arena = arena, .err = err};
    wg_status status = read_module(&r, cubin, size);
    if (status == WG_OK)
        *out = m;
    else
        wg_arena_free(arena);
    return status;
}

void img_module_free(img_module *module) {
    if (module) wg_arena_free(module->arena);
}
