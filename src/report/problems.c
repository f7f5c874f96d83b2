#include "report/problems.h"

#include <stdlib.h>
#include <string.h>

#include "report/fold.h"

/* Without root in front; folders that go in circles are left as they are. */
static const char *below(const char *file, const char *root) {
    size_t n = root ? strlen(root) : 0;
    while (n && root[n - 1] == '/') n--;
    return file && n && strncmp(file, root, n) == 0 && file[n] == '/' ? file + n + 1 : file;
}

/* The innermost frame of a host stack whose source is known. */
static rep_place place_of_stack(const json_t *stack) {
    size_t i;
    json_t *frame;
    rep_place place = {0};
    json_array_foreach((json_t *)stack, i, frame)
        if (rep_place_of(frame, &place) && place.line > 0) return place;
    return (rep_place){0};
}

static rep_place place_of(const json_t *item, const char *root) {
    rep_place place = {0};
    if (!rep_place_of(item, &place)) place = place_of_stack(json_object_get(item, "stack"));
    place.file = below(place.file, root);
    return place;
}

static rep_level level_of(const json_t *finding) {
    const char *severity = rep_word(finding, "severity");
    return strcmp(severity, "note") == 0 ? REP_NOTE : strcmp(severity, "warning") == 0 ? REP_WARNING : REP_ERROR;
}

/* With the other accesses on the same lines. */
static const char *whole_message(const char *text, const json_t *f, wg_arena *arena) {
    size_t i;
    json_t *way;
    json_array_foreach(json_object_get(f, "also"), i, way) {
        const json_t *other = json_object_get(way, "other");
        if (text && other) text = wg_arena_printf(arena, "%s; also: %s, other side: %s", text, rep_word(way, "access"), rep_word(other, "access"));
        else if (text) text = wg_arena_printf(arena, "%s; also: %s", text, rep_word(way, "access"));
    }
    return text;
}

static bool add_finding(rep_problems *out, const json_t *f, const char *root) {
    const json_t *other = json_object_get(f, "other"), *origin = json_object_get(f, "origin");
    rep_problem p = {.id = rep_word(f, "kind"), .level = level_of(f), .what = rep_word(f, "message"),
                     .kernel = json_string_value(json_object_get(f, "kernel")), .place = place_of(f, root)};
    if (p.kernel) p.what = wg_arena_printf(out->arena, "%s (in %s)", p.what, p.kernel);
    p.message = whole_message(p.what, f, out->arena);
    if (other || origin) {
        p.other = place_of(other ? other : origin, root);
        p.other_message = other ? "the other side" : "where the value comes from";
    }
    return p.message && wg_vec_push(&out->list, p);
}

static bool add_rule(rep_problems *out, const json_t *row, const char *root) {
    if (!json_is_true(json_object_get(row, "broken"))) return true;
    const json_t *value = json_object_get(row, "value");
    const char *kernel = json_string_value(json_object_get(row, "launch_kernel")), *verdict = rep_word(row, "verdict");
    rep_problem p = {.id = "budget", .level = REP_ERROR, .kernel = kernel, .place = place_of(row, root)};
    if (!p.place.file) /* then the rule itself is the place */
        p.place = (rep_place){below(rep_word(row, "budget"), root), json_integer_value(json_object_get(row, "budget_line"))};
    p.message = strcmp(verdict, "broken") == 0
                    ? wg_arena_printf(out->arena, "%s is %.6g, not %s %.6g, in %s (rule: %s)", rep_word(row, "counter"), json_number_value(value),
                                      rep_word(row, "relation"), json_number_value(json_object_get(row, "limit")), kernel ? kernel : "?",
                                      rep_word(row, "rule"))
                    : wg_arena_printf(out->arena, "%s (rule: %s)", verdict, rep_word(row, "rule"));
    return p.message && wg_vec_push(&out->list, p);
}

static bool add_not_run(rep_problems *out, const json_t *item, const char *root) {
    rep_problem p = {.id = "not-run", .level = REP_ERROR, .kernel = json_string_value(json_object_get(item, "kernel")),
                     .place = place_of(item, root),
                     .message = wg_arena_printf(out->arena, "%s did not run, or not to its end: %s", rep_word(item, "kernel"), rep_word(item, "reason"))};
    return p.message && wg_vec_push(&out->list, p);
}

bool rep_problems_of(const json_t *document, const char *root, rep_problems *out) {
    static const struct { const char *member; bool (*add)(rep_problems *, const json_t *, const char *); } parts[] = {
        {"findings", add_finding}, {"not_run", add_not_run}, {"budget", add_rule}};
    *out = (rep_problems){.arena = wg_arena_new()};
    size_t i;
    json_t *item;
    for (size_t k = 0; out->arena && k < sizeof parts / sizeof *parts; k++)
        json_array_foreach(json_object_get(document, parts[k].member), i, item)
            if (!parts[k].add(out, item, root)) return false;
    return out->arena != NULL;
}

void rep_problems_free(rep_problems *problems) {
    wg_vec_free(&problems->list);
    wg_arena_free(problems->arena);
    problems->arena = NULL;
}
