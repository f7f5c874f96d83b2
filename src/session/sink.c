/* Records go out one line each, with one append each: lines of several threads and processes never mix. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/inner.h"

enum { QUIET_DESCRIPTOR = 512 /* programs close and reuse low descriptors */ };

static bool is_ours(const ses_sink *sink) {
    struct stat st;
    return sink->fd >= 0 && fstat(sink->fd, &st) == 0 && st.st_dev == sink->dev && st.st_ino == sink->ino;
}

static bool open_file(ses_sink *sink) {
    int fd = open(sink->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0) return false;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, QUIET_DESCRIPTOR);
    if (high >= 0) {
        close(fd);
        fd = high;
    }
    struct stat st;
    if (fstat(fd, &st) != 0) {
        close(fd);
        return false;
    }
    sink->fd = fd;
    sink->dev = st.st_dev;
    sink->ino = st.st_ino;
    return true;
}

bool ses_sink_open(ses_sink *sink, const char *path) {
    memset(sink, 0, sizeof *sink);
    sink->fd = -1;
    sink->pid = getpid();
    if (!path) return (sink->kept = json_array()) != NULL;
    sink->path = strdup(path);
    return sink->path && open_file(sink);
}

void ses_sink_close(ses_sink *sink) {
    if (is_ours(sink)) close(sink->fd);
    sink->fd = -1;
    free(sink->path);
    sink->path = NULL;
    json_decref(sink->kept);
    sink->kept = NULL;
}

static void append(ses_sink *sink, const char *line, size_t n) {
    if (!is_ours(sink) && !open_file(sink)) return;
    while (n) {
        ssize_t done = write(sink->fd, line, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return; /* a full disk: what came before is still there */
        line += done;
        n -= (size_t)done;
    }
}

void ses_write(session *ses, const char *kind, json_t *record) {
    ses_sink *sink = &ses->sink;
    if (!record) return;
    json_object_set_new(record, "record", json_string(kind));
    json_object_set_new(record, "process", json_integer(sink->pid));
    if (sink->kept) {
        json_array_append_new(sink->kept, record);
        return;
    }
    size_t room = json_dumpb(record, NULL, 0, JSON_COMPACT | JSON_REAL_PRECISION(12));
    char *line = room ? mmap(NULL, room + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (line != MAP_FAILED) {
        json_dumpb(record, line, room, JSON_COMPACT | JSON_REAL_PRECISION(12));
        line[room] = '\n';
        append(sink, line, room + 1);
        munmap(line, room + 1);
    }
    json_decref(record);
}

/* A heap for a process that dies: it only grows, from fresh pages. */
static char *last_heap, *last_heap_end;

static void *last_alloc(size_t n) {
    enum { PIECE = 1 << 20 };
    n = (n + 15) & ~(size_t)15;
    if ((size_t)(last_heap_end - last_heap) < n) {
        size_t size = n > PIECE ? n : PIECE;
        char *more = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED) return NULL;
        last_heap = more;
        last_heap_end = more + size;
    }
    void *at = last_heap;
    last_heap += n;
    return at;
}

static void last_free(void *at) { (void)at; }

void ses_sink_last_words(void) { json_set_alloc_funcs(last_alloc, last_free); }
