/* The wrapper that a program registers: a pointer to its containers, in live memory. */
#include <link.h>
#include <string.h>

#include "image/elf.h"
#include "image/fatbin.h"

enum { WRAPPER_MAGIC = 0x466243b1 };

/* Version 1: data is the container. Version 2, which the device linker writes: data is the container of the
 * linked cubins, prelinked a list of the containers that went into them, ended by NULL. */
typedef struct wrapper_v2 {
    int32_t magic, version;
    const void *data;
    const void *prelinked;
} wrapper_v2;

static wg_status read_container(file_builder *b, const void *data, size_t (*readable)(const void *)) {
    size_t used, limit = data ? readable(data) : 0;
    /* Instead of a container a wrapper may hold a bare cubin. */
    if (img_is_elf(data, limit)) {
        img_entry e = {.kind = IMG_CUBIN, .data = data, .size = img_elf_extent(data, limit)};
        elf_file elf;
        wg_arena *scratch = wg_arena_new();
        if (!scratch) return wg_fail(b->err, WG_ERR_MEMORY, "no memory to read the cubin");
        wg_status status = img_elf_read(data, e.size, scratch, &elf, b->err);
        if (status == WG_OK) {
            img_elf_architecture(&elf, &e.sm, &e.arch_specific);
            status = img_add_entry(b, &e);
        }
        wg_arena_free(scratch);
        return status;
    }
    return img_add_container(b, data, limit, &used);
}

/* Nothing was linked. That is well where there is no kernel; but relocatable PTX waits for a linker that
 * comes with the driver. */
static wg_status check_nothing_waits(file_builder *b, const void *const *prelinked,
                                     size_t (*readable)(const void *)) {
    file_builder waiting;
    wg_status status = img_builder_start(&waiting, b->err);
    if (status != WG_OK) return status;
    for (; status == WG_OK && prelinked && readable(prelinked) >= sizeof *prelinked && *prelinked;
         prelinked++)
        status = read_container(&waiting, *prelinked, readable);
    for (size_t i = 0; status == WG_OK && i < waiting.entries.count; i++) {
        const img_entry *e = &waiting.entries.at[i];
        if (e->kind == IMG_PTX && strstr((const char *)e->data, ".entry "))
            status = wg_fail(
                b->err, WG_ERR_UNSUPPORTED,
                "the program's relocatable device code (nvcc -rdc=true) is there as PTX for compute %d "
                "only, which would have to be linked: build it with machine code too, such as "
                "nvcc -rdc=true -arch=sm_%d",
                e->sm, e->sm);
    }
    img_file *unused = NULL;
    status = img_builder_finish(&waiting, status, &unused);
    img_close(unused);
    return status;
}

wg_status img_read_wrapper(const void *wrapper, size_t (*readable)(const void *p), img_file **out,
                           wg_error *err) {
    *out = NULL;
    wrapper_v2 w;
    if (!wrapper || readable(wrapper) < sizeof w)
        return wg_fail(err, WG_ERR_FORMAT, "the fatbin wrapper that the program registers cannot be read");
    memcpy(&w, wrapper, sizeof w);
    if (w.magic != WRAPPER_MAGIC)
        return wg_fail(err, WG_ERR_FORMAT,
                       "the program registers something that is no fatbin wrapper (magic 0x%08x)",
                       (unsigned)w.magic);
    if (w.version != 1 && w.version != 2)
        return wg_fail(err, WG_ERR_UNSUPPORTED, "fatbin wrapper version %d is not known (1 and 2 are)",
                       w.version);
    file_builder b;
    wg_status status = img_builder_start(&b, err);
    if (status != WG_OK) return status;
    status = read_container(&b, w.data, readable);
    if (status == WG_OK && w.version == 2 && !b.entries.count)
        status = check_nothing_waits(&b, w.prelinked, readable);
    return img_builder_finish(&b, status, out);
}

/* --- how far live memory reaches ------------------------------------------------------ */

typedef struct search {
    uintptr_t address, end;
} search;

static int look_in_object(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    search *s = context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                  end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || s->address < start || s->address >= end) continue;
        s->end = end;
        return 1;
    }
    return 0;
}

/* Memory of no loaded object is the program's own (it read a file, say): its header is believed. */
static size_t readable_in_process(const void *p) {
    search s = {.address = (uintptr_t)p};
    return dl_iterate_phdr(look_in_object, &s) ? s.end - s.address
                                               : (size_t)1 << 46; /* all that a process has */
}

wg_status img_open_wrapper(const void *wrapper, img_file **out, wg_error *err) {
    return img_read_wrapper(wrapper, readable_in_process, out, err);
}

/* --- live memory whose size nobody tells ---------------------------------------------------------------- */

/* How far the image goes, by its own header; PTX to its NUL. */
static size_t extent(const uint8_t *bytes, size_t limit) {
    if (img_is_elf(bytes, limit)) return img_elf_extent(bytes, limit);
    if (img_is_container(bytes, limit)) {
        uint16_t header;
        uint64_t content;
        memcpy(&header, bytes + 6, sizeof header);
        memcpy(&content, bytes + 8, sizeof content);
        return content < limit && header + content <= limit ? (size_t)(header + content) : limit;
    }
    return strnlen((const char *)bytes, limit);
}

wg_status img_open_live(const void *image, img_file **out, wg_error *err) {
    *out = NULL;
    size_t limit = readable_in_process(image);
    int32_t magic = 0;
    if (limit >= sizeof magic) memcpy(&magic, image, sizeof magic);
    if (magic == WRAPPER_MAGIC) return img_open_wrapper(image, out, err);
    return img_open_memory(image, extent(image, limit), out, err);
}
