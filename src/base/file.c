#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

static wg_status read_failed(wg_error *err, const char *path) {
    return wg_fail(err, WG_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
}

static wg_status no_memory(wg_error *err, const char *path) {
    return wg_fail(err, WG_ERR_MEMORY, "%s: no memory to read it", path);
}

/* Reads until there is nothing more or no room. */
static wg_status read_into(int fd, const char *path, uint8_t *to, size_t room, size_t *got, wg_error *err) {
    *got = 0;
    while (*got < room) {
        ssize_t n = read(fd, to + *got, room - *got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return read_failed(err, path);
        if (n == 0) break;
        *got += (size_t)n;
    }
    return WG_OK;
}

static wg_status read_sized(int fd, const char *path, size_t size, wg_arena *arena, wg_bytes *out,
                            wg_error *err) {
    uint8_t *bytes = wg_arena_alloc(arena, size + 1);
    if (!bytes) return no_memory(err, path);
    out->data = bytes;
    return read_into(fd, path, bytes, size, &out->size, err);
}

/* Pipes, and files of /proc, do not say how much there is. */
static wg_status read_unsized(int fd, const char *path, wg_arena *arena, wg_bytes *out, wg_error *err) {
    wg_vec(uint8_t) bytes = {0};
    wg_status status = WG_OK;
    for (size_t got = 1; status == WG_OK && got; bytes.count += got) {
        got = 0;
        if (!wg_vec_reserve(&bytes, 65536))
            status = no_memory(err, path);
        else
            status = read_into(fd, path, bytes.at + bytes.count, 65536, &got, err);
    }
    uint8_t *copy = status == WG_OK ? wg_arena_alloc(arena, bytes.count + 1) : NULL;
    if (copy)
        *out = (wg_bytes){memcpy(copy, bytes.at, bytes.count), bytes.count};
    else if (status == WG_OK)
        status = no_memory(err, path);
    wg_vec_free(&bytes);
    return status;
}

wg_status wg_file_read(const char *path, wg_arena *arena, wg_bytes *out, wg_error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return read_failed(err, path);
    struct stat info;
    wg_status status;
    if (fstat(fd, &info) != 0)
        status = read_failed(err, path);
    else if (S_ISDIR(info.st_mode))
        status = wg_fail(err, WG_ERR_IO, "%s: is a folder, not a file", path);
    else if (S_ISREG(info.st_mode) && info.st_size)
        status = read_sized(fd, path, (size_t)info.st_size, arena, out, err);
    else
        status = read_unsized(fd, path, arena, out, err);
    close(fd);
    return status;
}

static bool write_all(int fd, const char *data, size_t size) {
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

wg_status wg_file_write(const char *path, const void *data, size_t size, wg_error *err) {
    char fresh[PATH_MAX];
    if (snprintf(fresh, sizeof fresh, "%s.XXXXXX", path) >= (int)sizeof fresh)
        return wg_fail(err, WG_ERR_ARGUMENT, "%s: the path is too long", path);
    int fd = mkostemp(fresh, O_CLOEXEC);
    if (fd < 0) return wg_fail(err, WG_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
    mode_t mask = umask(0); /* mkostemp makes 0600; give what open(2) would have given */
    umask(mask);
    bool good = write_all(fd, data, size) && fchmod(fd, 0666 & ~mask) == 0;
    int why = errno;
    if (close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && rename(fresh, path) == 0) return WG_OK;
    if (good) why = errno;
    unlink(fresh);
    return wg_fail(err, WG_ERR_IO, "%s: cannot be written: %s", path, strerror(why));
}

wg_status wg_file_make_parents(const char *path, wg_error *err) {
    char part[PATH_MAX];
    if (strlen(path) >= sizeof part) return wg_fail(err, WG_ERR_ARGUMENT, "%s: the path is too long", path);
    strcpy(part, path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return wg_fail(err, WG_ERR_IO, "%s: cannot be made: %s", part, strerror(errno));
        *slash = '/';
    }
    return WG_OK;
}
