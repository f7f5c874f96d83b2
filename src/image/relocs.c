/* Places in a module that get an address when it is loaded. */
#include <string.h>

#include "base/text.h"
#include "image/module.h"

/* Relocation types that a linked cubin holds; found by linking (docs/formats.md). */
enum { R_ABS64 = 2, R_GENERIC64 = 4 };

static bool find_place(const module_reader *r, const elf_section *target, img_reloc *out, uint64_t *room) {
    const img_module *m = r->module;
    uint32_t section = (uint32_t)(target - r->elf.sections);
    out->offset = 0;
    if (r->function_of[section] != IMG_NONE) {
        const img_function *f = &m->functions[r->function_of[section]];
        out->where = IMG_IN_CODE;
        out->offset = f->code_offset;
        *room = f->code_size;
    } else if (wg_starts_with(target->name, ".nv.constant2.")) {
        out->function = img_function_of_section(r, target, ".nv.constant2.");
        if (out->function == IMG_NONE) return false;
        out->where = IMG_IN_CONST2;
        *room = m->functions[out->function].const2_size;
    } else if (strcmp(target->name, ".nv.constant3") == 0) {
        out->where = IMG_IN_CONST3;
        *room = m->const3_size;
    } else if (strcmp(target->name, ".nv.constant4") == 0) {
        out->where = IMG_IN_CONST4;
        *room = m->const4_size;
    } else if (strcmp(target->name, ".nv.global.init") == 0) {
        out->where = IMG_IN_GLOBAL;
        out->offset = (uint32_t)r->global_base[section];
        *room = target->size;
    } else {
        return false; /* debug information and what only the driver uses */
    }
    return true;
}

static wg_status add_extern(module_reader *r, const char *name, uint32_t *number) {
    img_module *m = r->module;
    for (size_t i = 0; i < m->n_externs; i++)
        if (strcmp(m->externs[i], name) == 0) {
            *number = (uint32_t)i;
            return WG_OK;
        }
    *number = (uint32_t)m->n_externs;
    m->externs[m->n_externs++] = name;
    return WG_OK;
}

/* A section's symbol with an addend means the variable that lies there. */
static bool find_covering(const module_reader *r, const elf_symbol *s, img_reloc *out) {
    const img_module *m = r->module;
    if (s->type != STT_SECTION || s->section >= r->elf.n_sections) return false;
    bool constant = strcmp(r->elf.sections[s->section].name, ".nv.constant3") == 0;
    int64_t offset = (constant ? 0 : (int64_t)r->global_base[s->section]) + out->addend;
    for (size_t i = 0; i < m->n_variables; i++) {
        const img_variable *v = &m->variables[i];
        if ((v->space == IMG_CONSTANT) != constant || offset < v->offset || offset - v->offset >= v->size)
            continue;
        out->symbol = (uint32_t)i;
        out->addend = offset - v->offset;
        return true;
    }
    return false;
}

static wg_status find_symbol(module_reader *r, const elf_section *section, const elf_reloc *reloc,
                             img_reloc *out) {
    const elf_symbol *s = &r->elf.symbols[reloc->symbol];
    if (s->section == SHN_UNDEF && *s->name) {
        out->kind = IMG_RELOC_EXTERN64;
        return add_extern(r, s->name, &out->symbol);
    }
    if (s->type == STT_FUNC && s->section < r->elf.n_sections && r->function_of[s->section] != IMG_NONE) {
        out->kind = IMG_RELOC_FUNC64;
        out->symbol = r->function_of[s->section];
        out->addend += (int64_t)s->value;
        return WG_OK;
    }
    out->kind = IMG_RELOC_GLOBAL64;
    out->symbol = r->variable_of[reloc->symbol];
    if (out->symbol != IMG_NONE || find_covering(r, s, out)) return WG_OK;
    return wg_fail(r->err, WG_ERR_UNSUPPORTED,
                   "%s: relocation to %s, which is neither a function nor a variable of the module",
                   section->name, *s->name ? s->name : "a section");
}

static const uint8_t *bytes_at(const img_module *m, const img_reloc *p) {
    switch (p->where) {
    case IMG_IN_CODE:
        return m->code + p->offset;
    case IMG_IN_CONST2:
        return m->functions[p->function].const2 + p->offset;
    case IMG_IN_CONST3:
        return m->const3 + p->offset;
    case IMG_IN_CONST4:
        return m->const4 + p->offset;
    case IMG_IN_GLOBAL:
        return m->global_init + p->offset;
    }
    return NULL;
}

static wg_status read_reloc(module_reader *r, const elf_section *section, const elf_section *target,
                            const elf_reloc *reloc, img_reloc *out) {
    uint64_t room = 0;
    if (!find_place(r, target, out, &room)) return WG_ERR_NOT_FOUND;
    if (reloc->type != R_ABS64 && reloc->type != R_GENERIC64)
        return wg_fail(r->err, WG_ERR_UNSUPPORTED, "%s: relocation type %u is not known", section->name,
                       reloc->type);
    if (room < 8 || reloc->offset > room - 8)
        return wg_fail(r->err, WG_ERR_FORMAT, "%s: a relocation lies outside %s", section->name,
                       target->name);
    out->offset += (uint32_t)reloc->offset;
    out->addend = reloc->addend;
    if (reloc->implicit) memcpy(&out->addend, bytes_at(r->module, out), 8);
    return find_symbol(r, section, reloc, out);
}

static wg_status read_section(module_reader *r, const elf_section *section) {
    img_module *m = r->module;
    const elf_section *target = &r->elf.sections[section->info];
    elf_reloc *relocs;
    size_t count;
    img_reloc probe;
    uint64_t room;
    if (!find_place(r, target, &probe, &room)) return WG_OK;
    wg_status status = img_elf_relocs(section, &r->elf, r->arena, &relocs, &count, r->err);
    for (size_t i = 0; status == WG_OK && i < count; i++)
        status = read_reloc(r, section, target, &relocs[i], &m->relocs[m->n_relocs++]);
    return status;
}

wg_status img_read_relocs(module_reader *r) {
    img_module *m = r->module;
    size_t most = 0;
    for (size_t i = 1; i < r->elf.n_sections; i++) {
        const elf_section *s = &r->elf.sections[i];
        if ((s->type == SHT_REL || s->type == SHT_RELA) && s->data) most += s->size / sizeof(Elf64_Rel);
    }
    m->relocs = wg_arena_array(r->arena, most, sizeof *m->relocs);
    m->externs = wg_arena_array(r->arena, r->elf.n_symbols, sizeof *m->externs);
    if (!m->relocs || !m->externs) return img_no_memory(r->err);
    for (size_t i = 1; i < r->elf.n_sections; i++) {
        const elf_section *s = &r->elf.sections[i];
        if ((s->type != SHT_REL && s->type != SHT_RELA) || s->info >= r->elf.n_sections) continue;
        wg_status status = read_section(r, s);
        if (status != WG_OK) return status;
    }
    return WG_OK;
}
