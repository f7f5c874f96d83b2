#include "report/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static void split(rep_sources *sources, rep_source *out, char *text, size_t size) {
    size_t n = 1;
    for (size_t i = 0; i < size; i++) n += text[i] == '\n';
    const char **lines = wg_arena_array(sources->arena, n, sizeof *lines);
    if (!lines) return;
    out->lines = lines;
    char *end = text + size;
    while (text < end) {
        char *next = memchr(text, '\n', (size_t)(end - text));
        lines[out->n++] = text;
        if (!next) break;
        *next = '\0';
        if (next > text && next[-1] == '\r') next[-1] = '\0';
        text = next + 1;
    }
}

const rep_source *rep_source_of(rep_sources *sources, const char *path) {
    for (size_t i = 0; i < sources->files.count; i++)
        if (strcmp(sources->files.at[i]->path, path) == 0) return sources->files.at[i];
    if (!sources->arena && !(sources->arena = wg_arena_new())) return NULL;
    rep_source *file = wg_arena_array(sources->arena, 1, sizeof *file);
    if (!file) return NULL;
    *file = (rep_source){.path = path};
    wg_bytes bytes;
    if (wg_file_read(path, sources->arena, &bytes, NULL) == WG_OK) split(sources, file, (char *)(uintptr_t)bytes.data, bytes.size);
    return wg_vec_push(&sources->files, file) ? file : NULL;
}

const char *rep_source_line(rep_sources *sources, const char *path, json_int_t line) {
    const rep_source *file = path ? rep_source_of(sources, path) : NULL;
    if (!file || !file->lines || line < 1 || (size_t)line > file->n) return "";
    const char *text = file->lines[line - 1];
    while (isspace((unsigned char)*text)) text++;
    return text;
}

void rep_sources_free(rep_sources *sources) {
    wg_arena_free(sources->arena);
    wg_vec_free(&sources->files);
    *sources = (rep_sources){0};
}
