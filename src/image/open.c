/* From a file, or the same in memory, to its entries. */
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "image/bytes.h"
#include "image/elf.h"
#include "image/fatbin.h"

/* Containers follow each other in a section, aligned to 8 bytes, with gaps now and then. */
static wg_status scan_section(file_builder *b, const elf_section *s) {
    for (size_t at = 0; s->data && at + 8 <= s->size;) {
        size_t used = 8;
        if (img_is_container(s->data + at, s->size - at)) {
            wg_status status = img_add_container(b, s->data + at, s->size - at, &used);
            if (status != WG_OK) return status;
        }
        at += (used + 7) & ~(size_t)7;
    }
    return WG_OK;
}

static wg_status scan_sections(file_builder *b, const elf_file *elf, const char *name) {
    wg_status status = WG_OK;
    for (size_t i = 1; status == WG_OK && i < elf->n_sections; i++)
        if (strcmp(elf->sections[i].name, name) == 0) status = scan_section(b, &elf->sections[i]);
    return status;
}

static wg_status open_host_elf(file_builder *b, const elf_file *elf) {
    b->file->has_host_elf = true;
    wg_status status = scan_sections(b, elf, ".nv_fatbin");
    /* Relocatable device code is there once for each object; what the device linker made of it stands in
     * .nv_fatbin. Only an object that was not linked yet has nothing there. */
    if (status == WG_OK && !b->entries.count) status = scan_sections(b, elf, "__nv_relfatbin");
    return status;
}

static wg_status open_elf(file_builder *b, const void *bytes, size_t size) {
    elf_file elf;
    wg_arena *scratch = wg_arena_new();
    if (!scratch) return wg_fail(b->err, WG_ERR_MEMORY, "no memory to read the ELF file");
    wg_status status = img_elf_read(bytes, size, scratch, &elf, b->err);
    if (status == WG_OK && elf.machine == IMG_EM_CUDA) {
        img_entry e = {.kind = IMG_CUBIN, .data = bytes, .size = size};
        img_elf_architecture(&elf, &e.sm, &e.arch_specific);
        status = img_add_entry(b, &e);
    } else if (status == WG_OK) {
        status = open_host_elf(b, &elf);
    }
    wg_arena_free(scratch);
    return status;
}

static wg_status open_fatbin(file_builder *b, const uint8_t *bytes, size_t size) {
    wg_status status = WG_OK;
    size_t at = 0, used;
    while (status == WG_OK && at + 8 <= size && img_is_container(bytes + at, size - at)) {
        status = img_add_container(b, bytes + at, size - at, &used);
        at += (used + 7) & ~(size_t)7;
    }
    return status;
}

/* PTX is text that states its version and target at the start of a line. NULL: this is not PTX. */
static const char *ptx_directive(const char *text, const char *directive) {
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += strspn(line, " \t\r\n");
        if (wg_starts_with(line, directive)) return line + strlen(directive);
        if (!*line) break;
    }
    return NULL;
}

/* What PTX text says it is for (".target sm_90a"); false when it is not PTX. */
static bool read_ptx_target(const char *text, int *sm, bool *arch_specific, bool *family) {
    const char *target = ptx_directive(text, ".version ") ? ptx_directive(text, ".target ") : NULL;
    if (!target) return false;
    target += strspn(target, " \t");
    if (!wg_starts_with(target, "sm_")) return false;
    *sm = 0;
    for (target += 3; *target >= '0' && *target <= '9' && *sm < 1000; target++)
        *sm = *sm * 10 + (*target - '0');
    *arch_specific = *target == 'a';
    *family = *target == 'f';
    return true;
}

static wg_status open_ptx(file_builder *b, const void *bytes, size_t size) {
    img_entry e = {.kind = IMG_PTX};
    char *text = wg_arena_strndup(b->file->arena, bytes, size);
    if (!text) return wg_fail(b->err, WG_ERR_MEMORY, "no memory to read the PTX text");
    if (!read_ptx_target(text, &e.sm, &e.arch_specific, &e.family))
        return wg_fail(
            b->err, WG_ERR_FORMAT,
            "neither an ELF file (executable, shared object, object, cubin) nor a fatbin nor PTX text");
    e.data = (const uint8_t *)text;
    e.size = strlen(text);
    return img_add_entry(b, &e);
}

static wg_status open_bytes(file_builder *b, const uint8_t *bytes, size_t size) {
    if (size == 0) return wg_fail(b->err, WG_ERR_FORMAT, "it is empty");
    if (img_is_elf(bytes, size)) return open_elf(b, bytes, size);
    if (img_is_container(bytes, size)) return open_fatbin(b, bytes, size);
    if (size >= 8 && memcmp(bytes, "!<arch>\n", 8) == 0)
        return wg_fail(b->err, WG_ERR_UNSUPPORTED,
                       "a static library: extract its objects (ar x) and read those");
    return open_ptx(b, bytes, size);
}

wg_status img_open(const char *path, img_file **out, wg_error *err) {
    *out = NULL;
    file_builder b;
    wg_bytes bytes;
    wg_status status = img_builder_start(&b, err);
    if (status != WG_OK) return status;
    status = wg_file_read(path, b.file->arena, &bytes, err);
    if (status == WG_OK && (status = open_bytes(&b, bytes.data, bytes.size)) != WG_OK)
        wg_context(err, "%s", path);
    return img_builder_finish(&b, status, out);
}

wg_status img_open_memory(const void *bytes, size_t size, img_file **out, wg_error *err) {
    *out = NULL;
    file_builder b;
    wg_status status = img_builder_start(&b, err);
    if (status != WG_OK) return status;
    uint8_t *copy = wg_arena_alloc(b.file->arena, size);
    if (!copy)
        status = wg_fail(err, WG_ERR_MEMORY, "no memory to read the image");
    else
        status = open_bytes(&b, memcpy(copy, bytes, size), size);
    return img_builder_finish(&b, status, out);
}
