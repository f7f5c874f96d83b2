/* Whole files in and out. */
#ifndef WG_BASE_FILE_H
#define WG_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct wg_bytes {
    const uint8_t *data; /* one NUL follows the last byte, not counted in size */
    size_t size;
} wg_bytes;

/* Reads a regular file or a pipe into *arena. Errors name the path and the system's reason. */
wg_status wg_file_read(const char *path, wg_arena *arena, wg_bytes *out, wg_error *err);
/* Writes all or nothing: into a new file beside path, which then takes its name. */
wg_status wg_file_write(const char *path, const void *data, size_t size, wg_error *err);
/* mkdir -p for the folders above path's last component. */
wg_status wg_file_make_parents(const char *path, wg_error *err);

#endif
