#include "image/fatbin.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/text.h"
#include "image/bytes.h"
#include "image/elf.h"

enum { CONTAINER_HEADER = 16, CONTAINER_VERSION = 1, ENTRY_HEADER = 64 };
static const uint32_t container_magic = 0xba55ed50;
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, FLAG_ARCH = 0x100000, FLAG_FAMILY = 0x200000 };
/* An entry's payload that claims to be larger than this is damaged: the largest library's cubins are not. */
static const uint64_t largest_payload = 1u << 30;

typedef struct entry_header {
    uint16_t kind;
    uint32_t header_size, compressed_size, sm, name_offset, name_size;
    uint64_t payload_size, flags, full_size;
} entry_header;

bool img_is_container(const void *bytes, size_t size) {
    uint32_t magic;
    if (size < CONTAINER_HEADER) return false;
    memcpy(&magic, bytes, 4);
    return magic == container_magic;
}

static entry_header read_header(cursor c) {
    entry_header h = {0};
    h.kind = cursor_u16(&c);
    cursor_u16(&c); /* 0x0101 */
    h.header_size = cursor_u32(&c);
    h.payload_size = cursor_u64(&c);
    h.compressed_size = cursor_u32(&c);
    cursor_u32(&c); /* where the compiler's options are */
    cursor_u32(&c); /* version of PTX or ELF */
    h.sm = cursor_u32(&c);
    h.name_offset = cursor_u32(&c);
    h.name_size = cursor_u32(&c);
    h.flags = cursor_u64(&c);
    cursor_u64(&c);
    h.full_size = cursor_u64(&c);
    return h;
}

static wg_status damaged(file_builder *b, const char *what) {
    return wg_fail(b->err, WG_ERR_FORMAT, "fatbin: %s: the container is cut short or damaged", what);
}

static wg_status no_memory(file_builder *b) {
    return wg_fail(b->err, WG_ERR_MEMORY, "no memory to read the fatbin");
}

/* A size that its own data contradict costs no memory. */
static bool is_plausible(const entry_header *h, const uint8_t *payload) {
    if (h->compressed_size > h->payload_size || h->full_size > largest_payload) return false;
    if (h->flags & FLAG_ZSTD) {
        unsigned long long said = ZSTD_getFrameContentSize(payload, h->compressed_size);
        return said == h->full_size || said == ZSTD_CONTENTSIZE_UNKNOWN || said == ZSTD_CONTENTSIZE_ERROR;
    }
    return h->full_size / 256 <= h->compressed_size; /* LZ4 makes a byte of at most 255 */
}

/* *full has one byte more than h->full_size, which stays 0. */
static wg_status decompress(file_builder *b, const entry_header *h, const uint8_t *payload, uint8_t *full) {
    if (h->flags & FLAG_ZSTD) {
        size_t n = ZSTD_decompress(full, h->full_size, payload, h->compressed_size);
        if (ZSTD_isError(n))
            return wg_fail(b->err, WG_ERR_FORMAT,
                           "fatbin: the zstd data of an entry for sm_%u is damaged: %s", h->sm,
                           ZSTD_getErrorName(n));
        if (n != h->full_size) return damaged(b, "an entry is shorter than it says");
        return WG_OK;
    }
    int n =
        LZ4_decompress_safe((const char *)payload, (char *)full, (int)h->compressed_size, (int)h->full_size);
    if (n < 0 || (uint64_t)n != h->full_size)
        return wg_fail(b->err, WG_ERR_FORMAT, "fatbin: the LZ4 data of an entry for sm_%u is damaged", h->sm);
    return WG_OK;
}

/* Where the bytes of an entry are, decompressed; cubins that are stored stay where they are. */
static wg_status read_payload(file_builder *b, const entry_header *h, const uint8_t *payload, img_entry *e) {
    e->data = payload;
    e->size = h->payload_size;
    if (h->flags & (FLAG_ZSTD | FLAG_LZ4)) {
        if (!is_plausible(h, payload)) return damaged(b, "the size of an entry makes no sense");
        uint8_t *full = wg_arena_alloc(b->file->arena, h->full_size + 1);
        if (!full) return no_memory(b);
        e->data = full;
        e->size = h->full_size;
        wg_status status = decompress(b, h, payload, full);
        if (status != WG_OK) return status;
    } else if (h->compressed_size) {
        return wg_fail(b->err, WG_ERR_UNSUPPORTED,
                       "fatbin: an entry for sm_%u is compressed in a way that is not known (flags 0x%llx)",
                       h->sm, (unsigned long long)h->flags);
    } else if (e->kind == IMG_PTX) {
        char *text = wg_arena_strndup(b->file->arena, (const char *)payload, h->payload_size);
        if (!text) return no_memory(b);
        e->data = (const uint8_t *)text;
    }
    if (e->kind == IMG_PTX) e->size = strlen((const char *)e->data);
    return WG_OK;
}

static wg_status add_entry(file_builder *b, const entry_header *h, const uint8_t *start, int container) {
    if (h->kind != IMG_PTX && h->kind != IMG_CUBIN)
        return WG_OK; /* NVVM code for link-time optimisation, ... */
    img_entry e = {.kind = (img_kind)h->kind,
                   .sm = (int)h->sm,
                   .arch_specific = h->flags & FLAG_ARCH,
                   .family = h->flags & FLAG_FAMILY,
                   .container = container};
    if (h->sm > 9999) return damaged(b, "an entry's architecture makes no sense");
    if (h->name_size) {
        if (h->name_offset > h->header_size || h->name_size > h->header_size - h->name_offset)
            return damaged(b, "an entry's source name lies outside its header");
        char *name = wg_arena_strndup(b->file->arena, (const char *)start + h->name_offset, h->name_size);
        if (!name) return no_memory(b);
        e.source = name;
    }
    wg_status status = read_payload(b, h, start + h->header_size, &e);
    if (status != WG_OK) return status;
    return wg_vec_push(&b->entries, e) ? WG_OK : no_memory(b);
}

/* The stub of the device linker that every executable carries, -rdc or not: an ELF file with neither code nor
 * variables. */
static bool is_empty_cubin(const img_entry *e) {
    elf_file elf;
    bool empty = false;
    wg_arena *arena = e->kind == IMG_CUBIN ? wg_arena_new() : NULL;
    if (arena && img_elf_read(e->data, e->size, arena, &elf, NULL) == WG_OK) {
        empty = true;
        for (size_t i = 1; i < elf.n_sections; i++)
            if (wg_starts_with(elf.sections[i].name, ".text.") ||
                wg_starts_with(elf.sections[i].name, ".nv.global") ||
                wg_starts_with(elf.sections[i].name, ".nv.constant3"))
                empty = false;
    }
    wg_arena_free(arena);
    return empty;
}

wg_status img_add_container(file_builder *b, const void *bytes, size_t limit, size_t *used) {
    cursor c = cursor_over(bytes, limit);
    uint32_t magic = cursor_u32(&c);
    uint16_t version = cursor_u16(&c), header_size = cursor_u16(&c);
    uint64_t size = cursor_u64(&c);
    if (c.bad || magic != container_magic) return damaged(b, "no container where one was expected");
    if (version != CONTAINER_VERSION || header_size < CONTAINER_HEADER)
        return wg_fail(b->err, WG_ERR_UNSUPPORTED,
                       "fatbin: container version %u is not known (version %d is)", version,
                       CONTAINER_VERSION);
    cursor_take(&c, header_size - CONTAINER_HEADER);
    const uint8_t *content = cursor_take(&c, size);
    if (c.bad) return damaged(b, "it says it is larger than what is there");
    *used = header_size + size;

    size_t first = b->entries.count;
    c = cursor_over(content, size);
    while (cursor_left(&c) >= ENTRY_HEADER) {
        entry_header h = read_header(c);
        const uint8_t *start = cursor_take(&c, h.header_size);
        cursor_take(&c, h.payload_size);
        if (c.bad || h.header_size < ENTRY_HEADER) return damaged(b, "an entry reaches beyond its end");
        wg_status status = add_entry(b, &h, start, b->file->n_containers);
        if (status != WG_OK) return status;
    }
    bool empty = true;
    for (size_t i = first; empty && i < b->entries.count; i++) empty = is_empty_cubin(&b->entries.at[i]);
    if (empty)
        b->entries.count = first;
    else
        b->file->n_containers++;
    return WG_OK;
}

wg_status img_add_entry(file_builder *b, const img_entry *entry) {
    img_entry e = *entry;
    e.container = b->file->n_containers++;
    return wg_vec_push(&b->entries, e) ? WG_OK : no_memory(b);
}

wg_status img_builder_start(file_builder *b, wg_error *err) {
    *b = (file_builder){.err = err};
    wg_arena *arena = wg_arena_new();
    b->file = arena ? wg_arena_alloc(arena, sizeof *b->file) : NULL;
    if (!b->file) {
        wg_arena_free(arena);
        return no_memory(b);
    }
    b->file->arena = arena;
    return WG_OK;
}

wg_status img_builder_finish(file_builder *b, wg_status status, img_file **out) {
    img_file *file = b->file;
    if (status == WG_OK) {
        file->n_entries = b->entries.count;
        file->entries = wg_arena_array(file->arena, file->n_entries, sizeof *file->entries);
        if (!file->entries)
            status = no_memory(b);
        else if (file->n_entries)
            memcpy(file->entries, b->entries.at, file->n_entries * sizeof *file->entries);
    }
    wg_vec_free(&b->entries);
    if (status == WG_OK)
        *out = file;
    else
        wg_arena_free(file->arena);
    return status;
}

void img_close(img_file *file) {
    if (file) wg_arena_free(file->arena);
}
