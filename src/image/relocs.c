/* Places in a module that get an address when it is loaded. */
#include <string.h>

#include "base/text.h"
#include "image/module.h"

/* The relocation types that linked cubins hold, found by linking for all architectures (docs/formats.md). */
typedef enum reloc_form { FORM_WHOLE, FORM_LOW, FORM_HIGH, FORM_CALL, N_FORMS } reloc_form;
static const struct reloc_type {
    uint32_t number;
    reloc_form form;
} reloc_types[] = {
    {2, FORM_WHOLE},   /* 64 bits */
    {4, FORM_WHOLE},   /* 64 bits, a generic address: the same thing here */
    {0x23, FORM_WHOLE}, /* 64 bits, a kernel to launch from device code */
    {0x38, FORM_LOW},  /* bits 32..63 of an instruction: the low half */
    {0x39, FORM_HIGH}, /* ... the high half */
    {0x3e, FORM_LOW},  /* the same of a kernel, for launches from device code */
    {0x3f, FORM_HIGH},
    {0x3a, FORM_CALL}, /* an absolute call's target, sm_75 to sm_89 */
    {0x4b, FORM_CALL}, /* ... sm_90 and later */
};

typedef enum symbol_class { OF_VARIABLE, OF_FUNCTION, OF_EXTERN } symbol_class;
static const int kinds[][N_FORMS] = {
    [OF_VARIABLE] = {IMG_RELOC_GLOBAL64, IMG_RELOC_GLOBAL_LO, IMG_RELOC_GLOBAL_HI, -1},
    [OF_FUNCTION] = {IMG_RELOC_FUNC64, IMG_RELOC_FUNC_LO, IMG_RELOC_FUNC_HI, IMG_RELOC_FUNC_CALL},
    [OF_EXTERN] = {IMG_RELOC_EXTERN64, IMG_RELOC_EXTERN_LO, IMG_RELOC_EXTERN_HI, IMG_RELOC_EXTERN_CALL},
};

static const struct reloc_type *find_type(uint32_t number) {
    for (size_t i = 0; i < sizeof reloc_types / sizeof *reloc_types; i++)
        if (reloc_types[i].number == number) return &reloc_types[i];
    return NULL;
}

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
    } else if (strcmp(target->name, ".nv.global.init") == 0 && img_is_global(target)) {
        out->where = IMG_IN_GLOBAL;
        out->offset = (uint32_t)r->global_base[section];
        *room = target->size;
    } else {
        return false; /* debug information and what only the driver uses */
    }
    return true;
}

/* At most one for each symbol, which is the room there is. */
static uint32_t add_extern(img_module *m, const char *name) {
    for (size_t i = 0; i < m->n_externs; i++)
        if (strcmp(m->externs[i], name) == 0) return (uint32_t)i;
    m->externs[m->n_externs] = name;
    return (uint32_t)m->n_externs++;
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
                             img_reloc *out, symbol_class *class) {
    const elf_symbol *s = &r->elf.symbols[reloc->symbol];
    if (s->section == SHN_UNDEF && *s->name) {
        *class = OF_EXTERN;
        out->symbol = add_extern(r->module, s->name);
        return WG_OK;
    }
    if (s->section < r->elf.n_sections && r->function_of[s->section] != IMG_NONE) {
        *class = OF_FUNCTION;
        out->symbol = r->function_of[s->section];
        out->addend += (int64_t)s->value;
        return WG_OK;
    }
    *class = OF_VARIABLE;
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

/* A place in data holds the addend itself when the relocation does not; an instruction's field would be
 * empty. */
static wg_status read_addend(module_reader *r, const elf_section *section, const elf_reloc *reloc,
                             reloc_form form, img_reloc *out) {
    out->addend = reloc->addend;
    if (!reloc->implicit) return WG_OK;
    const uint8_t *at = bytes_at(r->module, out);
    uint32_t immediate;
    if (form == FORM_WHOLE)
        memcpy(&out->addend, at, 8);
    else if (memcpy(&immediate, at + 4, 4), immediate)
        return wg_fail(r->err, WG_ERR_UNSUPPORTED, "%s: an instruction to relocate holds an addend",
                       section->name);
    return WG_OK;
}

static wg_status read_reloc(module_reader *r, const elf_section *section, const elf_section *target,
                            const elf_reloc *reloc, img_reloc *out) {
    uint64_t room = 0;
    find_place(r, target, out, &room);
    const struct reloc_type *type = find_type(reloc->type);
    if (!type)
        return wg_fail(r->err, WG_ERR_UNSUPPORTED, "%s: relocation type %u is not known", section->name,
                       reloc->type);
    uint64_t size = type->form == FORM_WHOLE ? 8 : 16;
    if (room < size || reloc->offset > room - size)
        return wg_fail(r->err, WG_ERR_FORMAT, "%s: a relocation lies outside %s", section->name,
                       target->name);
    if ((type->form != FORM_WHOLE && out->where != IMG_IN_CODE) ||
        (out->where == IMG_IN_CODE && reloc->offset % 16))
        return wg_fail(r->err, WG_ERR_FORMAT, "%s: relocation type %u does not belong there", section->name,
                       reloc->type);
    out->offset += (uint32_t)reloc->offset;
    symbol_class class = OF_VARIABLE;
    wg_status status = read_addend(r, section, reloc, type->form, out);
    if (status == WG_OK) status = find_symbol(r, section, reloc, out, &class);
    if (status != WG_OK) return status;
    if (kinds[class][type->form] < 0)
        return wg_fail(r->err, WG_ERR_FORMAT, "%s: a call of something that is no function", section->name);
    out->kind = (img_reloc_kind)kinds[class][type->form];
    return WG_OK;
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

static void set_bits(uint8_t *instruction, unsigned low, unsigned count, uint64_t value) {
    for (unsigned i = 0; i < count; i++) {
        uint8_t *byte = &instruction[(low + i) / 8], bit = (uint8_t)(1u << (low + i) % 8);
        *byte = (uint8_t)(value >> i & 1 ? *byte | bit : *byte & ~bit);
    }
}

void img_patch(const img_module *module, const img_reloc *reloc, uint8_t *at, uint64_t address) {
    switch (reloc->kind) {
    case IMG_RELOC_GLOBAL64:
    case IMG_RELOC_FUNC64:
    case IMG_RELOC_EXTERN64:
        memcpy(at, &address, 8);
        break;
    case IMG_RELOC_GLOBAL_LO:
    case IMG_RELOC_FUNC_LO:
    case IMG_RELOC_EXTERN_LO:
        set_bits(at, 32, 32, address);
        break;
    case IMG_RELOC_GLOBAL_HI:
    case IMG_RELOC_FUNC_HI:
    case IMG_RELOC_EXTERN_HI:
        set_bits(at, 32, 32, address >> 32);
        break;
    case IMG_RELOC_FUNC_CALL:
    case IMG_RELOC_EXTERN_CALL:
        /* Counted in words of four bytes, like a branch's distance; from sm_90 on the low eight bits lie
         * apart. */
        if (module->sm < 90) {
            set_bits(at, 34, 47, address >> 2);
        } else {
            set_bits(at, 16, 8, address >> 2);
            set_bits(at, 34, 48, address >> 10);
        }
    }
}
