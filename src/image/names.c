#include "image/names.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* A name deeper than this is an attack on the demangler's recursion, not a program's. */
enum { LONGEST_NAME = 64 * 1024 };

const char *img_inner_name(const char *name) {
    if (name[0] != '$') return name;
    const char *last = strrchr(name, '$');
    return last > name && last[1] ? last + 1 : name;
}

/* nvcc makes file-local names unique, "__nv_static_N__HASH_FILE_..._NAME", where N is the length of the
 * middle. */
static const char *without_static_mark(const char *name) {
    static const char mark[] = "__nv_static_";
    if (strncmp(name, mark, sizeof mark - 1) != 0) return name;
    char *middle;
    unsigned long n = strtoul(name + sizeof mark - 1, &middle, 10);
    if (*middle != '_' || n == 0 || n >= strlen(middle)) return name;
    const char *rest = middle + 1 + n;
    return *rest == '_' && rest[1] ? rest + 1 : name;
}

/* ... and puts those of headers into a namespace "_INTERNAL_HASH_..." that nobody wrote. */
static void drop_internal_namespaces(char *text) {
    static const char mark[] = "_INTERNAL_";
    for (char *at = text; (at = strstr(at, mark));) {
        char *end = at + strspn(at, "_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
        if (strncmp(end, "::", 2) == 0)
            memmove(at, end + 2, strlen(end + 2) + 1);
        else
            at = end;
    }
}

const char *img_demangle(wg_arena *arena, const char *name) {
    name = without_static_mark(name);
    if (strncmp(name, "_Z", 2) != 0 || strlen(name) > LONGEST_NAME) return name;
    char *text = cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI);
    if (!text) return name;
    drop_internal_namespaces(text);
    char *copy = wg_arena_strdup(arena, text);
    free(text);
    return copy;
}

/* Where the argument list starts: the parenthesis that matches the last one. End of text when there is none.
 */
static const char *arguments(const char *text) {
    const char *close = strrchr(text, ')');
    int depth = 0;
    for (const char *p = close; p && p >= text; p--) {
        depth += (*p == ')') - (*p == '(');
        if (depth == 0) return p;
    }
    return text + strlen(text);
}

/* Where the name starts: behind the last space that is in no bracket, which ends a return type. */
static const char *name_start(const char *text, const char *end) {
    int depth = 0;
    for (const char *p = end; p > text; p--) {
        depth += (p[-1] == '>' || p[-1] == ')') - (p[-1] == '<' || p[-1] == '(');
        if (depth == 0 && p[-1] == ' ') return p;
    }
    return text;
}

static bool is_span(const char *from, const char *to, const char *wanted) {
    size_t n = strlen(wanted);
    return (size_t)(to - from) == n && memcmp(from, wanted, n) == 0;
}

bool img_name_matches(const char *mangled, const char *demangled, const char *wanted) {
    if (strcmp(mangled, wanted) == 0 || strcmp(demangled, wanted) == 0) return true;
    const char *end = arguments(demangled), *start = name_start(demangled, end);
    if (is_span(demangled, end, wanted) || is_span(start, end, wanted) || strcmp(start, wanted) == 0)
        return true;
    if (end == start || end[-1] != '>') return false;
    int depth = 0; /* the template arguments that end the name */
    const char *open = end;
    do {
        open--;
        depth += (*open == '>') - (*open == '<');
    } while (depth && open > start);
    return is_span(start, open, wanted);
}
