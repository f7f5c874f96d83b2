/* Suppressions: findings that the reader has seen and does not want to hear of again.
 *
 * A file holds entries as Valgrind's do:
 *
 *     {
 *        a name of your own
 *        warpgrind:race
 *        kernel:histogram*
 *        at:hist.cu:42
 *        other:hist.cu
 *     }
 *
 * After the name each line narrows the entry: the kind (or *), the kernel (demangled, or mangled), where (file, or
 * file:line; the file by its name without folders), and the other side's place. * and ? stand for any text. Lines that
 * begin with # are comments. */
#include "report/suppress.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/write.h"

typedef struct entry {
    char name[128], kind[40], kernel[400], at[200], other[200]; /* empty: any */
} entry;

static bool take(entry *e, const char *line) {
    static const struct { const char *key; size_t offset, size; } rows[] = {
        {"warpgrind:", offsetof(entry, kind), sizeof(((entry *)0)->kind)},
        {"kernel:", offsetof(entry, kernel), sizeof(((entry *)0)->kernel)},
        {"at:", offsetof(entry, at), sizeof(((entry *)0)->at)},
        {"other:", offsetof(entry, other), sizeof(((entry *)0)->other)}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t n = strlen(rows[k].key);
        if (strncmp(line, rows[k].key, n) != 0) continue;
        return (size_t)snprintf((char *)e + rows[k].offset, rows[k].size, "%s", line + n) < rows[k].size;
    }
    return false;
}

static bool fits(const char *pattern, const char *text) { return !*pattern || (text && wg_glob(pattern, text)); }

static bool fits_place(const char *pattern, const json_t *side) {
    const char *file = json_string_value(json_object_get(side, "file"));
    char place[300];
    if (!*pattern) return true;
    if (!file) return strcmp(pattern, "*") == 0;
    snprintf(place, sizeof place, "%s:%lld", rep_base_name(file), (long long)json_integer_value(json_object_get(side, "line")));
    return wg_glob(pattern, place) || wg_glob(pattern, rep_base_name(file));
}

static bool matches(const entry *e, const json_t *f) {
    return fits(e->kind, json_string_value(json_object_get(f, "kind"))) &&
           (fits(e->kernel, json_string_value(json_object_get(f, "kernel"))) ||
            fits(e->kernel, json_string_value(json_object_get(f, "mangled")))) &&
           fits_place(e->at, f) && (!*e->other || (json_object_get(f, "other") && fits_place(e->other, json_object_get(f, "other"))));
}

/* Takes the findings that the entry names out of the document. */
static void apply(const entry *e, json_t *document) {
    json_t *list = json_object_get(document, "findings"), *counts = json_object_get(document, "suppressed");
    for (size_t i = 0; i < json_array_size(list);) {
        const json_t *f = json_array_get(list, i);
        if (!matches(e, f)) {
            i++;
            continue;
        }
        if (!counts) json_object_set_new(document, "suppressed", counts = json_object());
        json_object_set_new(counts, e->name, json_integer(json_integer_value(json_object_get(counts, e->name)) + 1));
        json_array_remove(list, i);
    }
}

static char *trimmed(char *line) {
    while (isspace((unsigned char)*line)) line++;
    size_t n = strlen(line);
    while (n && isspace((unsigned char)line[n - 1])) line[--n] = '\0';
    return line;
}

wg_status rep_suppress(json_t *document, const char *path, wg_error *err) {
    FILE *f = fopen(path, "r");
    if (!f) return wg_fail(err, WG_ERR_IO, "the suppressions %s cannot be read", path);
    char *line = NULL, *at;
    size_t room = 0;
    unsigned number = 0, inside = 0; /* inside: lines of the entry, its brace counted */
    entry e = {0};
    wg_status status = WG_OK;
    while (status == WG_OK && getline(&line, &room, f) > 0) {
        number++;
        at = trimmed(line);
        if (!*at || *at == '#') continue;
        bool ok = true;
        if (!inside) {
            ok = strcmp(at, "{") == 0;
            e = (entry){0};
            inside = 1;
        } else if (strcmp(at, "}") == 0) {
            ok = inside > 2;
            if (ok) apply(&e, document);
            inside = 0;
        } else if (inside++ == 1) snprintf(e.name, sizeof e.name, "%s", at);
        else ok = take(&e, at);
        if (!ok)
            status = wg_fail(err, WG_ERR_ARGUMENT, "%s:%u: '%s' is not what a suppression holds there ({, a name, warpgrind:KIND, "
                             "kernel:, at:, other:, })", path, number, at);
    }
    if (status == WG_OK && inside) status = wg_fail(err, WG_ERR_ARGUMENT, "%s: the last entry does not end with }", path);
    free(line);
    fclose(f);
    return status;
}

static void write_place(const char *key, const json_t *side, wg_text *out) {
    const char *file = json_string_value(json_object_get(side, "file"));
    if (file) wg_text_printf(out, "   %s:%s:%lld\n", key, rep_base_name(file), (long long)json_integer_value(json_object_get(side, "line")));
}

bool rep_gen_suppressions(const json_t *document, wg_text *out) {
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(document, "findings"), i, f) {
        const char *kernel = json_string_value(json_object_get(f, "kernel"));
        wg_text_printf(out, "{\n   finding %zu\n   warpgrind:%s\n", i + 1, rep_word(f, "kind"));
        if (kernel) wg_text_printf(out, "   kernel:%s\n", kernel);
        write_place("at", f, out);
        write_place("other", json_object_get(f, "other"), out);
        wg_text_add(out, "}\n");
    }
    return !out->failed;
}
