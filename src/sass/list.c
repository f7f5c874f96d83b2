/* Listings in the form of `cuobjdump -sass`. */
#include "sass/list.h"

enum { TEXT_MAX = 512 };

static void list_code(FILE *out, const uint8_t *code, size_t size, int sm) {
    char text[TEXT_MAX];
    for (size_t at = 0; at + 16 <= size; at += 16) {
        sass_instr instr;
        sass_decode(code + at, (uint32_t)at, sm, &instr);
        sass_print(&instr, text, sizeof text);
        fprintf(out, "        /*%04zx*/                   %s ;\n", at, text);
    }
}

void sass_list(FILE *out, const img_function *function, const img_module *module) {
    fprintf(out, "\t\tFunction : %s\n", function->name);
    list_code(out, module->code + function->code_offset, function->code_size, module->sm);
    fputs("\t\t..........\n\n", out);
}

void sass_list_raw(FILE *out, const void *code, size_t size, int sm) {
    list_code(out, code, size, sm);
    if (size % 16)
        fprintf(out, "        /*%04zx*/                   .bytes %zu ;\n", size - size % 16, size % 16);
}
