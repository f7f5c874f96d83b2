#include "image/elf.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "image/bytes.h"

bool img_is_elf(const void *bytes, size_t size) {
    return size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static wg_status no_memory(wg_error *err) {
    return wg_fail(err, WG_ERR_MEMORY, "no memory to read the ELF file");
}

static wg_status read_sections(Elf *handle, const uint8_t *bytes, size_t size, wg_arena *arena, elf_file *out,
                               wg_error *err) {
    size_t count = 0, names = 0;
    if (elf_getshdrnum(handle, &count) != 0 || elf_getshdrstrndx(handle, &names) != 0 ||
        count > size / sizeof(Elf64_Shdr))
        return wg_fail(err, WG_ERR_FORMAT, "its section headers cannot be read: %s", elf_errmsg(-1));
    out->sections = wg_arena_array(arena, count, sizeof *out->sections);
    if (!out->sections) return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        elf_section *s = &out->sections[i];
        GElf_Shdr header;
        Elf_Scn *scn = elf_getscn(handle, i);
        if (!scn || !gelf_getshdr(scn, &header))
            return wg_fail(err, WG_ERR_FORMAT, "section header %zu cannot be read: %s", i, elf_errmsg(-1));
        const char *name = elf_strptr(handle, names, header.sh_name);
        *s = (elf_section){.name = wg_arena_strdup(arena, name ? name : ""),
                           .size = header.sh_size,
                           .flags = header.sh_flags,
                           .address = header.sh_addr,
                           .align = header.sh_addralign,
                           .type = header.sh_type,
                           .link = header.sh_link,
                           .info = header.sh_info};
        if (!s->name) return no_memory(err);
        if (s->type == SHT_NULL) s->size = 0; /* section 0 holds counts there when they are large */
        if (s->type == SHT_NOBITS || s->size == 0) continue;
        if (header.sh_offset > size || s->size > size - header.sh_offset)
            return wg_fail(err, WG_ERR_FORMAT,
                           "section %s says %llu bytes at offset %llu, but the file ends at %zu: it is cut "
                           "short or damaged",
                           s->name, (unsigned long long)s->size, (unsigned long long)header.sh_offset, size);
        s->data = bytes + header.sh_offset;
    }
    out->n_sections = count;
    return WG_OK;
}

static const elf_section *first_of_type(const elf_file *elf, uint32_t type) {
    for (size_t i = 0; i < elf->n_sections; i++)
        if (elf->sections[i].type == type) return &elf->sections[i];
    return NULL;
}

/* Symbols are unpacked by hand: the format is fixed, and every index is checked here anyway. */
static wg_status read_symbols(wg_arena *arena, elf_file *out, wg_error *err) {
    const elf_section *table = first_of_type(out, SHT_SYMTAB);
    if (!table) return WG_OK;
    const elf_section *wide = first_of_type(out, SHT_SYMTAB_SHNDX);
    const elf_section *strings = table->link < out->n_sections ? &out->sections[table->link] : NULL;
    size_t count = table->size / sizeof(Elf64_Sym);
    if (count && (!strings || !strings->data || strings->data[strings->size - 1] != 0))
        return wg_fail(err, WG_ERR_FORMAT, "its symbol table has no valid string table");
    out->symbols = wg_arena_array(arena, count, sizeof *out->symbols);
    if (!out->symbols) return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        Elf64_Sym raw;
        memcpy(&raw, table->data + i * sizeof raw, sizeof raw);
        uint32_t section = raw.st_shndx;
        if (section == SHN_XINDEX && wide && wide->data && (i + 1) * 4 <= wide->size)
            memcpy(&section, wide->data + i * 4, 4);
        if (raw.st_name >= strings->size)
            return wg_fail(err, WG_ERR_FORMAT, "the name of symbol %zu lies outside the string table", i);
        char *name = wg_arena_strdup(arena, (const char *)strings->data + raw.st_name);
        if (!name) return no_memory(err);
        out->symbols[i] = (elf_symbol){.name = name,
                                       .value = raw.st_value,
                                       .size = raw.st_size,
                                       .section = section,
                                       .type = ELF64_ST_TYPE(raw.st_info),
                                       .bind = ELF64_ST_BIND(raw.st_info),
                                       .other = raw.st_other};
    }
    out->n_symbols = count;
    return WG_OK;
}

wg_status img_elf_read(const void *bytes, size_t size, wg_arena *arena, elf_file *out, wg_error *err) {
    *out = (elf_file){0};
    Elf64_Ehdr header;
    if (!img_is_elf(bytes, size)) return wg_fail(err, WG_ERR_FORMAT, "not an ELF file");
    if (size < sizeof header)
        return wg_fail(err, WG_ERR_FORMAT, "the ELF file is cut short: %zu bytes do not hold its header",
                       size);
    memcpy(&header, bytes, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return wg_fail(err, WG_ERR_UNSUPPORTED, "only 64-bit little-endian ELF files are read");
    out->machine = header.e_machine;
    out->type = header.e_type;
    out->flags = header.e_flags;
    out->osabi = header.e_ident[EI_OSABI];
    out->abi_version = header.e_ident[EI_ABIVERSION];

    elf_version(EV_CURRENT);
    /* libelf only reads from the image with ELF_C_READ behaviour of elf_memory; its type lacks the const. */
    Elf *handle = elf_memory((char *)(uintptr_t)bytes, size);
    if (!handle || elf_kind(handle) != ELF_K_ELF) {
        if (handle) elf_end(handle);
        return wg_fail(err, WG_ERR_FORMAT, "not a readable ELF file: %s", elf_errmsg(-1));
    }
    wg_status status = read_sections(handle, bytes, size, arena, out, err);
    elf_end(handle);
    return status == WG_OK ? read_symbols(arena, out, err) : status;
}

const elf_section *img_elf_find(const elf_file *elf, const char *name) {
    for (size_t i = 1; i < elf->n_sections; i++)
        if (strcmp(elf->sections[i].name, name) == 0) return &elf->sections[i];
    return NULL;
}

wg_status img_elf_relocs(const elf_section *section, const elf_file *elf, wg_arena *arena, elf_reloc **out,
                         size_t *count, wg_error *err) {
    bool implicit = section->type == SHT_REL;
    size_t entry = implicit ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela);
    *count = section->data ? section->size / entry : 0;
    *out = wg_arena_array(arena, *count, sizeof **out);
    if (!*out) return no_memory(err);
    for (size_t i = 0; i < *count; i++) {
        Elf64_Rela raw = {0};
        memcpy(&raw, section->data + i * entry, entry); /* a Rel is a Rela without the last field */
        (*out)[i] = (elf_reloc){.offset = raw.r_offset,
                                .type = (uint32_t)ELF64_R_TYPE(raw.r_info),
                                .symbol = (uint32_t)ELF64_R_SYM(raw.r_info),
                                .addend = raw.r_addend,
                                .implicit = implicit};
        if ((*out)[i].symbol >= elf->n_symbols)
            return wg_fail(err, WG_ERR_FORMAT, "section %s: relocation %zu names symbol %u of %zu",
                           section->name, i, (*out)[i].symbol, elf->n_symbols);
    }
    return WG_OK;
}

enum { ABI_CUDA13 = 8 };

/* Before ABI version 8 (CUDA 13) the flags' low byte held the architecture; "a" targets had a bit there. */
void img_elf_architecture(const elf_file *elf, int *sm, bool *arch_specific) {
    bool old = elf->abi_version < ABI_CUDA13;
    *sm = (int)(old ? elf->flags & 0xff : elf->flags >> 8 & 0xff);
    *arch_specific = old && (elf->flags & 0x800);
    const elf_section *compat = img_elf_find(elf, ".nv.compat");
    for (size_t i = 0; compat && compat->data && i + 4 <= compat->size; i += 4) {
        const uint8_t *record = compat->data + i; /* format, attribute, value, pad */
        if (record[0] == 2 && record[1] == 9 && record[2] == 1) *arch_specific = true;
    }
}

int img_elf_ptx_architecture(const elf_file *elf) {
    enum { NAME = 12, NAMED = NAME + 12, LEAST = NAMED + 4 }; /* of a note: three lengths, "NVIDIA Corp", version, architecture */
    const elf_section *info = img_elf_find(elf, ".note.nv.cuinfo");
    if (info && info->data && info->size >= LEAST && !memcmp(info->data + NAME, "NVIDIA Corp", NAMED - NAME))
        return info->data[NAMED + 2] | info->data[NAMED + 3] << 8;
    return elf->abi_version < ABI_CUDA13 ? (int)(elf->flags >> 16 & 0xff) : 0;
}

size_t img_elf_extent(const void *bytes, size_t limit) {
    Elf64_Ehdr header;
    if (!img_is_elf(bytes, limit) || limit < sizeof header) return 0;
    memcpy(&header, bytes, sizeof header);
    /* Whatever lies furthest: a table of headers or a section's bytes. */
    uint64_t end = sizeof header;
    uint64_t sections_end, segments_end;
    if (header.e_shentsize != sizeof(Elf64_Shdr) ||
        __builtin_add_overflow(header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr),
                               &sections_end) ||
        __builtin_add_overflow(header.e_phoff, (uint64_t)header.e_phnum * header.e_phentsize,
                               &segments_end) ||
        sections_end > limit || segments_end > limit)
        return 0;
    if (sections_end > end) end = sections_end;
    if (segments_end > end) end = segments_end;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, (const uint8_t *)bytes + header.e_shoff + i * sizeof section, sizeof section);
        uint64_t last;
        if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) continue;
        if (__builtin_add_overflow(section.sh_offset, section.sh_size, &last) || last > limit) return 0;
        if (last > end) end = last;
    }
    return end;
}
