/* The data that a cubin carries beside code: constant banks, shared memory, global variables. */
#include <string.h>

#include "base/text.h"
#include "image/module.h"
#include "image/names.h"

enum { STO_MANAGED = 0x04 };

static wg_status too_large(module_reader *r, const elf_section *s) {
    return wg_fail(r->err, WG_ERR_FORMAT,
                   "section %s says it has %llu bytes, more than a GPU addresses there", s->name,
                   (unsigned long long)s->size);
}

/* The driver's reserve is part of the section from sm_90 on. */
static void read_shared(module_reader *r, const elf_section *s) {
    uint32_t function = img_function_of_section(r, s, ".nv.shared.");
    if (function == IMG_NONE) return;
    img_function *f = &r->module->functions[function];
    uint32_t size = (uint32_t)s->size;
    f->shared_static = size > f->shared_reserve ? size - f->shared_reserve : 0;
}

static wg_status copy_bank(module_reader *r, const elf_section *s, const uint8_t **bank, uint32_t *size) {
    uint8_t *copy = wg_arena_alloc(r->arena, s->size);
    if (!copy) return img_no_memory(r->err);
    if (s->data) memcpy(copy, s->data, s->size);
    *bank = copy;
    *size = (uint32_t)s->size;
    return WG_OK;
}

/* c[0x2] belongs to one function, c[0x3] and c[0x4] to the module; c[0x0] is made when a kernel is launched.
 */
static wg_status read_constant(module_reader *r, const elf_section *s) {
    img_module *m = r->module;
    if (strcmp(s->name, ".nv.constant3") == 0) return copy_bank(r, s, &m->const3, &m->const3_size);
    if (strcmp(s->name, ".nv.constant4") == 0) return copy_bank(r, s, &m->const4, &m->const4_size);
    if (!wg_starts_with(s->name, ".nv.constant2.")) return WG_OK;
    uint32_t function = img_function_of_section(r, s, ".nv.constant2.");
    if (function == IMG_NONE) return WG_OK;
    return copy_bank(r, s, &m->functions[function].const2, &m->functions[function].const2_size);
}

static wg_status read_banks(module_reader *r) {
    for (size_t i = 1; i < r->elf.n_sections; i++) {
        const elf_section *s = &r->elf.sections[i];
        bool shared = s->type == SHT_NOBITS && wg_starts_with(s->name, ".nv.shared.");
        bool constant = s->type == SHT_PROGBITS && wg_starts_with(s->name, ".nv.constant");
        if (!shared && !constant) continue;
        if (s->size > (shared ? 1u << 20 : 1u << 16)) return too_large(r, s);
        if (shared) read_shared(r, s);
        wg_status status = constant ? read_constant(r, s) : WG_OK;
        if (status != WG_OK) return status;
    }
    return WG_OK;
}

bool img_is_global(const elf_section *s) {
    return (s->type == SHT_PROGBITS || s->type == SHT_NOBITS) && (s->flags & SHF_ALLOC) &&
           (strcmp(s->name, ".nv.global") == 0 || strcmp(s->name, ".nv.global.init") == 0);
}

/* Initialised sections first, so that the rest of the image is pages nobody touches. */
static wg_status lay_out_globals(module_reader *r) {
    img_module *m = r->module;
    r->global_base = wg_arena_array(r->arena, r->elf.n_sections, sizeof *r->global_base);
    if (!r->global_base) return img_no_memory(r->err);
    uint64_t total = 0;
    for (int zero = 0; zero < 2; zero++) {
        for (size_t i = 1; i < r->elf.n_sections; i++) {
            const elf_section *s = &r->elf.sections[i];
            if (!img_is_global(s) || (s->type == SHT_NOBITS) != zero) continue;
            uint64_t align = s->align > 256 ? s->align : 256;
            if (s->size > UINT32_MAX || align > 1u << 20 || (align & (align - 1))) return too_large(r, s);
            total = (total + align - 1) & ~(align - 1);
            r->global_base[i] = total;
            total += s->size;
            if (total > UINT32_MAX) return too_large(r, s);
        }
        if (!zero) m->global_init_size = (uint32_t)total;
    }
    m->global_size = (uint32_t)total;
    if (!total) return WG_OK;
    uint8_t *image = wg_arena_alloc(r->arena, total);
    if (!image) return img_no_memory(r->err);
    for (size_t i = 1; i < r->elf.n_sections; i++) {
        const elf_section *s = &r->elf.sections[i];
        if (img_is_global(s) && s->data) memcpy(image + r->global_base[i], s->data, s->size);
    }
    m->global_init = image;
    return WG_OK;
}

static wg_status read_variables(module_reader *r) {
    img_module *m = r->module;
    m->variables = wg_arena_array(r->arena, r->elf.n_symbols, sizeof *m->variables);
    r->variable_of = wg_arena_array(r->arena, r->elf.n_symbols, sizeof *r->variable_of);
    if (!m->variables || !r->variable_of) return img_no_memory(r->err);
    for (size_t i = 0; i < r->elf.n_symbols; i++) {
        const elf_symbol *s = &r->elf.symbols[i];
        r->variable_of[i] = IMG_NONE;
        if (s->section == 0 || s->section >= r->elf.n_sections) continue;
        const elf_section *home = &r->elf.sections[s->section];
        bool constant = strcmp(home->name, ".nv.constant3") == 0;
        if (!constant && !img_is_global(home)) continue;
        if (s->type != STT_OBJECT) continue;
        if (s->value > home->size || s->size > home->size - s->value)
            return wg_fail(r->err, WG_ERR_FORMAT, "variable %s reaches outside its section %s", s->name,
                           home->name);
        uint64_t base = constant ? 0 : r->global_base[s->section];
        img_variable *v = &m->variables[m->n_variables];
        *v = (img_variable){.name = s->name,
                            .space = constant ? IMG_CONSTANT : IMG_GLOBAL,
                            .offset = (uint32_t)(base + s->value),
                            .size = (uint32_t)s->size,
                            .managed = (s->other & STO_MANAGED) != 0};
        v->demangled = img_demangle(r->arena, v->name);
        if (!v->demangled) return img_no_memory(r->err);
        r->variable_of[i] = (uint32_t)m->n_variables++;
    }
    return WG_OK;
}

wg_status img_read_data(module_reader *r) {
    wg_status status = read_banks(r);
    if (status == WG_OK) status = lay_out_globals(r);
    return status == WG_OK ? read_variables(r) : status;
}
