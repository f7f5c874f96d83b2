#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/suite.h"

typedef wg_vec(char *) words;

/* Takes the next word off *at, unquoted in place. NULL: none is left. *open: a quote does not end. */
static char *next_word(char **at, bool *open) {
    char *from = *at;
    while (isspace((unsigned char)*from)) from++;
    if (!*from || *from == '#') return NULL;
    char *word = from, *to = from, quote = 0;
    for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
        if (quote ? *from == quote : (*from == '\'' || *from == '"')) quote = quote ? 0 : *from;
        else if (*from == '\\' && quote != '\'' && from[1]) *to++ = *++from;
        else *to++ = *from;
    }
    *open = quote != 0;
    *at = from + (*from != '\0');
    *to = '\0';
    return word;
}

static char **copy_words(wg_arena *arena, char *const *at, size_t n) {
    char **out = wg_arena_array(arena, n + 1, sizeof *out);
    if (out && n) memcpy(out, at, n * sizeof *out);
    return out;
}

/* A name becomes the name of files. */
static bool is_name(const char *name) {
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._+-", *at)) return false;
    return *name && *name != '.' && *name != '-';
}

static const char *read_line(suite_list *list, char *line, unsigned number, words *w) {
    bool open = false;
    size_t mark = 0;
    w->count = 0;
    for (char *word; (word = next_word(&line, &open));)
        if (!wg_vec_push(w, word)) return "no memory";
    if (open) return "a quote does not end";
    if (!w->count) return NULL;
    while (mark < w->count && strcmp(w->at[mark], "--") != 0) mark++;
    if (mark == 0 || mark + 1 >= w->count) return "a line is NAME [OPTIONS...] -- PROGRAM [ARGS...]";
    if (!is_name(w->at[0])) return "a name holds letters, digits, . _ + -, and begins with none of . -";
    for (size_t i = 0; i < list->entries.count; i++)
        if (strcmp(list->entries.at[i].name, w->at[0]) == 0) return "the name is taken";
    suite_entry entry = {.name = w->at[0], .line = number, .options = copy_words(list->arena, w->at + 1, mark - 1),
                         .program = copy_words(list->arena, w->at + mark + 1, w->count - mark - 1)};
    return entry.options && entry.program && wg_vec_push(&list->entries, entry) ? NULL : "no memory";
}

wg_status suite_list_read(const char *path, suite_list *out, wg_error *err) {
    wg_bytes bytes;
    words w = {0};
    const char *wrong = NULL;
    *out = (suite_list){.arena = wg_arena_new()};
    if (!out->arena) return wg_fail(err, WG_ERR_MEMORY, "no memory for the list");
    if (wg_file_read(path, out->arena, &bytes, err) != WG_OK) return err ? err->status : WG_ERR_IO;
    char *line = (char *)bytes.data; /* the arena's bytes are ours to cut */
    unsigned number = 1;
    for (; line && *line && !wrong; number++) {
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        wrong = read_line(out, line, number, &w);
        line = next;
    }
    wg_vec_free(&w);
    if (wrong) return wg_fail(err, WG_ERR_ARGUMENT, "%s:%u: %s", path, number - 1, wrong);
    return out->entries.count ? WG_OK : wg_fail(err, WG_ERR_ARGUMENT, "%s: the list names no program", path);
}

void suite_list_free(suite_list *list) {
    wg_vec_free(&list->entries);
    wg_arena_free(list->arena);
}
