/* What the steps of reading a cubin share. */
#ifndef WG_IMAGE_MODULE_H
#define WG_IMAGE_MODULE_H

#include "image/elf.h"
#include "image/image.h"

#define IMG_NONE UINT32_MAX /* no such function, no such variable */

typedef struct module_reader {
    img_module *module;
    wg_arena *arena; /* the module's */
    wg_error *err;
    elf_file elf;
    uint32_t *function_of; /* section -> function whose code it is, or IMG_NONE */
    uint32_t *variable_of; /* symbol -> variable, or IMG_NONE */
    uint64_t *global_base; /* section -> its place in global_init, for .nv.global and .nv.global.init */
} module_reader;

wg_status img_read_code(module_reader *r);   /* .text, functions, symbols */
wg_status img_read_data(module_reader *r);   /* constant banks, shared, globals, variables */
wg_status img_read_info(module_reader *r);   /* info.c: .nv.info */
wg_status img_read_relocs(module_reader *r); /* relocs.c */
wg_status img_read_lines(module_reader *r);  /* lines.c: .debug_line */

/* The function that a section of the form PREFIX.NAME speaks of: by sh_info, else by name. */
uint32_t img_function_of_section(const module_reader *r, const elf_section *section, const char *prefix);
wg_status img_no_memory(wg_error *err);

bool img_is_global(const elf_section *s); /* its bytes have a place in global_init */

#endif
