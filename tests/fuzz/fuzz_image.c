/* Fuzzes the image reader. The first byte says what the rest is: a file, a wrapper's container, or a cubin.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/fatbin.h"
#include "image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All that a reader of the module may look at is looked at. */
static uint64_t walk(const img_module *m) {
    uint64_t sum = m->code_size ? m->code[m->code_size - 1] : 0;
    for (size_t i = 0; i < m->n_functions; i++) {
        const img_function *f = &m->functions[i];
        sum += strlen(f->demangled) + (f->const2_size ? f->const2[f->const2_size - 1] : 0);
        for (size_t k = 0; k < f->n_lines; k++)
            for (const img_line *line = &f->lines[k]; line->inlined_at;
                 line = &f->inlined[line->inlined_at - 1])
                sum += line->function ? strlen(line->function) : 0;
        (void)img_line_at(f, f->code_size / 2);
    }
    for (size_t i = 0; i < m->n_relocs; i++) {
        uint8_t place[16] = {0};
        img_patch(m, &m->relocs[i], place, i);
    }
    for (size_t i = 0; i < m->n_variables; i++) sum += strlen(m->variables[i].demangled);
    for (uint32_t i = 0; i < m->global_init_size; i += 64) sum += m->global_init[i];
    (void)img_find_function(m, "kernel<1>");
    (void)img_symbol_at(m, m->code_size / 2);
    return sum;
}

static void read_module(const uint8_t *data, size_t size) {
    img_module *m;
    wg_error err;
    if (img_module_read(data, size, &m, &err) != WG_OK) return;
    volatile uint64_t sum = walk(m);
    (void)sum;
    img_module_free(m);
}

static void read_entries(img_file *file) {
    const img_entry *chosen;
    bool ptxas;
    wg_error err;
    for (size_t i = 0; i < file->n_entries; i++)
        if (file->entries[i].kind == IMG_CUBIN) read_module(file->entries[i].data, file->entries[i].size);
    for (int i = 0; i < file->n_containers; i++) (void)img_choose(file, i, 90, &chosen, &ptxas, &err);
    img_close(file);
}

static const uint8_t *memory, *memory_end;

static size_t readable(const void *p) {
    const uint8_t *at = p;
    return at >= memory && at < memory_end ? (size_t)(memory_end - at) : 0;
}

/* Eight bytes of magic and version, then the container: the pointers of a real wrapper are made here. */
static void read_wrapper(const uint8_t *data, size_t size) {
    struct {
        uint8_t head[8];
        const void *container, *prelinked;
    } * wrapper;
    if (size < 8) return;
    uint8_t *both = malloc(sizeof *wrapper + size - 8);
    if (!both) return;
    memcpy(both + sizeof *wrapper, data + 8, size - 8);
    wrapper = (void *)both;
    memcpy(wrapper->head, data, 8);
    wrapper->container = both + sizeof *wrapper;
    wrapper->prelinked = NULL;
    memory = both;
    memory_end = both + sizeof *wrapper + size - 8;
    img_file *file;
    wg_error err;
    if (img_read_wrapper(wrapper, readable, &file, &err) == WG_OK) read_entries(file);
    free(both);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    uint8_t way = data[0] % 3;
    /* A copy of its own length, so that a read past the end is seen. */
    uint8_t *copy = malloc(size);
    if (!copy) return 0;
    memcpy(copy, data + 1, --size);
    img_file *file;
    wg_error err;
    if (way == 0 && img_open_memory(copy, size, &file, &err) == WG_OK) read_entries(file);
    if (way == 1) read_wrapper(copy, size);
    if (way == 2) read_module(copy, size);
    free(copy);
    return 0;
}
