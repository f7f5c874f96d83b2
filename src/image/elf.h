/* ELF files as plain arrays: what libelf reads, checked once, for the readers of cubins and executables. */
#ifndef WG_IMAGE_ELF_H
#define WG_IMAGE_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum { IMG_EM_CUDA = 190 };

typedef struct elf_section {
    const char *name;
    const uint8_t *data; /* NULL for NOBITS and for empty sections */
    uint64_t size;       /* NOBITS: what it would take in memory; else all of it is at data */
    uint64_t flags, address, align;
    uint32_t type, link, info;
} elf_section;

typedef struct elf_symbol {
    const char *name;
    uint64_t value, size;
    uint32_t section; /* index; SHN_UNDEF, SHN_ABS, ... as in the file */
    uint8_t type, bind, other;
} elf_symbol;

typedef struct elf_reloc {
    uint64_t offset;
    uint32_t type, symbol; /* symbol is a valid index */
    int64_t addend;        /* REL: 0; the place itself holds it */
    bool implicit;         /* REL */
} elf_reloc;

typedef struct elf_file {
    uint16_t machine, type;
    uint32_t flags;
    uint8_t osabi, abi_version;
    elf_section *sections; /* [0] is the null section */
    size_t n_sections;
    elf_symbol *symbols; /* of the first SHT_SYMTAB */
    size_t n_symbols;
} elf_file;

bool img_is_elf(const void *bytes, size_t size);
/* 64-bit little-endian files only. Section data points into bytes, which must outlive *out;
 * names and symbols live in *arena. */
wg_status img_elf_read(const void *bytes, size_t size, wg_arena *arena, elf_file *out, wg_error *err);
const elf_section *img_elf_find(const elf_file *elf,
                                const char *name); /* the first of that name; NULL: none */
/* The relocations that one SHT_REL or SHT_RELA section holds. */
wg_status img_elf_relocs(const elf_section *section, const elf_file *elf, wg_arena *arena, elf_reloc **out,
                         size_t *count, wg_error *err);
/* What a cubin's header says it was compiled for: 90 for sm_90. */
void img_elf_architecture(const elf_file *elf, int *sm, bool *arch_specific);
/* The architecture of the PTX that it was made from, which may be older; 0 when it does not say. */
int img_elf_ptx_architecture(const elf_file *elf);
/* How many bytes an ELF file takes that starts at bytes and may be followed by others; 0 when it says
 * nonsense. */
size_t img_elf_extent(const void *bytes, size_t limit);

#endif
