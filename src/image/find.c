/* Looking things up in a module that was read. */
#include <string.h>

#include "image/image.h"
#include "image/names.h"

const img_function *img_find_function(const img_module *module, const char *name) {
    /* Exact names win over shortened ones, kernels over device functions. */
    for (int kernels = 1; kernels >= 0; kernels--)
        for (size_t i = 0; i < module->n_functions; i++)
            if (module->functions[i].is_kernel == kernels && strcmp(module->functions[i].name, name) == 0)
                return &module->functions[i];
    for (int kernels = 1; kernels >= 0; kernels--)
        for (size_t i = 0; i < module->n_functions; i++) {
            const img_function *f = &module->functions[i];
            if (f->is_kernel == kernels && img_name_matches(f->name, f->demangled, name)) return f;
        }
    return NULL;
}

const img_symbol *img_symbol_at(const img_module *module, uint32_t code_offset) {
    size_t low = 0, high = module->n_symbols; /* the last one that starts at or before */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (module->symbols[middle].code_offset <= code_offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low) return NULL;
    const img_symbol *s = &module->symbols[low - 1];
    return code_offset - s->code_offset < s->code_size ? s : NULL;
}

const img_line *img_line_at(const img_function *function, uint32_t offset) {
    if (offset >= function->code_size) return NULL;
    size_t low = 0, high = function->n_lines;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (function->lines[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || function->lines[low - 1].line == 0) return NULL;
    return &function->lines[low - 1];
}
