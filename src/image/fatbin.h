/* Fatbin containers: several architectures of one translation unit, in one run of bytes. */
#ifndef WG_IMAGE_FATBIN_H
#define WG_IMAGE_FATBIN_H

#include "base/vec.h"
#include "image/image.h"

/* A file under construction. */
typedef struct file_builder {
    img_file *file;
    wg_error *err;
    wg_vec(img_entry) entries;
} file_builder;

bool img_is_container(const void *bytes, size_t size);
/* Adds the entries of the container at bytes as the file's next one; *used: how many bytes it takes.
 * A container that holds nothing to run or to link against (nvcc leaves one in every executable) adds
 * nothing. */
wg_status img_add_container(file_builder *b, const void *bytes, size_t limit, size_t *used);
/* Adds an entry that stands alone, as a container of its own. */
wg_status img_add_entry(file_builder *b, const img_entry *entry);

wg_status img_builder_start(file_builder *b, wg_error *err);
/* Turns the builder into *out when status is WG_OK, drops it otherwise; returns status, or WG_ERR_MEMORY. */
wg_status img_builder_finish(file_builder *b, wg_status status, img_file **out);

/* The wrapper with a bound on what is read: readable(p) says how many bytes from p on may be. For live
 * memory the loaded objects tell (img_open_wrapper); tests bring their own. */
wg_status img_read_wrapper(const void *wrapper, size_t (*readable)(const void *p), img_file **out,
                           wg_error *err);

#endif
