/* JUnit's XML, in the form that Jenkins, GitLab and others read. */
#include <stdio.h>
#include <string.h>

#include "report/fold.h"
#include "report/formats.h"
#include "report/problems.h"

/* What XML 1.0 cannot hold becomes a question mark. */
static void add_escaped(wg_text *out, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&') wg_text_add(out, "&amp;");
        else if (c == '<') wg_text_add(out, "&lt;");
        else if (c == '>') wg_text_add(out, "&gt;");
        else if (c == '"') wg_text_add(out, "&quot;");
        else wg_text_printf(out, "%c", c < 32 && c != '\n' && c != '\t' ? '?' : c);
    }
}

typedef struct suite {
    wg_text cases;
    unsigned tests, failures, errors;
} suite;

static void begin_case(suite *s, const char *group, const char *name) {
    wg_text_add(&s->cases, "  <testcase classname=\"warpgrind.");
    add_escaped(&s->cases, group);
    wg_text_add(&s->cases, "\" name=\"");
    add_escaped(&s->cases, name);
    wg_text_add(&s->cases, "\">\n");
    s->tests++;
}

static void add_body(suite *s, const char *element, const char *type, const char *message, const rep_place *place) {
    wg_text_printf(&s->cases, "   <%s type=\"", element);
    add_escaped(&s->cases, type);
    wg_text_add(&s->cases, "\" message=\"");
    add_escaped(&s->cases, message);
    wg_text_add(&s->cases, "\">");
    if (place && place->file) {
        add_escaped(&s->cases, place->file);
        wg_text_printf(&s->cases, ":%lld: ", (long long)place->line);
    }
    add_escaped(&s->cases, message);
    wg_text_printf(&s->cases, "</%s>\n", element);
}

/* JUnit's consumers take one failure a case for sure, so the first is that and the others are told in its text. */
static void add_problems(suite *s, const rep_problems *problems, const char *kernel) {
    const rep_problem *first = NULL;
    wg_text more = {0};
    for (size_t i = 0; i < problems->list.count; i++) {
        const rep_problem *p = &problems->list.at[i];
        bool mine = kernel ? p->kernel && strcmp(p->kernel, kernel) == 0 : !p->kernel;
        if (!mine || p->level == REP_NOTE || strcmp(p->id, "budget") == 0) continue;
        if (!first) first = p;
        wg_text_printf(&more, "%s%s: %s", more.count ? "\n" : "", p->id, p->message);
        if (p->place.file) wg_text_printf(&more, " at %s:%lld", p->place.file, (long long)p->place.line);
    }
    if (first) {
        bool error = strcmp(first->id, "not-run") == 0;
        add_body(s, error ? "error" : "failure", first->id, more.at ? more.at : first->message, &first->place);
        if (error) s->errors++;
        else s->failures++;
    }
    wg_text_free(&more);
}

static void add_program(suite *s, const json_t *document, const char *name) {
    const json_t *status = json_object_get(document, "status");
    const char *signal = json_string_value(json_object_get(status, "signal_name"));
    json_int_t ended = json_integer_value(json_object_get(status, "exit"));
    char text[120] = "";
    if (json_is_true(json_object_get(status, "timeout"))) snprintf(text, sizeof text, "it was ended by --timeout");
    else if (signal) snprintf(text, sizeof text, "it died of %s", signal);
    else if (ended) snprintf(text, sizeof text, "it ended with status %lld", (long long)ended);
    else if (!json_array_size(json_object_get(document, "launches")) && !json_array_size(json_object_get(document, "not_run")))
        snprintf(text, sizeof text, "it launched no kernel");
    begin_case(s, "program", name);
    if (*text) {
        add_body(s, "error", "program", text, NULL);
        s->errors++;
    }
    wg_text_add(&s->cases, "  </testcase>\n");
}

/* Kernels in the order in which they were first launched, then those that never were. */
static json_t *kernels_of(const json_t *document) {
    static const char *const lists[] = {"launches", "not_run"};
    json_t *names = json_object(), *item;
    size_t i;
    for (int k = 0; k < 2; k++)
        json_array_foreach(json_object_get(document, lists[k]), i, item) json_object_set_new(names, rep_word(item, "kernel"), json_true());
    return names;
}

static void add_rules(suite *s, const json_t *document, const rep_problems *problems) {
    size_t i, next = 0;
    json_t *row;
    json_array_foreach(json_object_get(document, "budget"), i, row) {
        char name[600];
        snprintf(name, sizeof name, "%s (%s:%lld)", rep_word(row, "rule"), rep_word(row, "budget"), (long long)json_integer_value(json_object_get(row, "budget_line")));
        begin_case(s, "budget", name);
        if (json_is_true(json_object_get(row, "broken"))) {
            while (next < problems->list.count && strcmp(problems->list.at[next].id, "budget") != 0) next++;
            if (next < problems->list.count) add_body(s, "failure", "budget", problems->list.at[next].message, &problems->list.at[next].place);
            next++;
            s->failures++;
        }
        wg_text_add(&s->cases, "  </testcase>\n");
    }
}

bool rep_junit(const json_t *document, const char *root, wg_text *out) {
    rep_problems problems;
    suite s = {0};
    bool ok = rep_problems_of(document, root, &problems);
    const char *program = rep_word(json_object_get(document, "program"), "path"), *kernel;
    json_t *kernels = kernels_of(document), *unused;
    add_program(&s, document, program);
    json_object_foreach(kernels, kernel, unused) {
        (void)unused;
        begin_case(&s, "kernel", kernel);
        add_problems(&s, &problems, kernel);
        wg_text_add(&s.cases, "  </testcase>\n");
    }
    begin_case(&s, "host", "runtime calls and memory");
    add_problems(&s, &problems, NULL);
    wg_text_add(&s.cases, "  </testcase>\n");
    add_rules(&s, document, &problems);
    wg_text_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"");
    add_escaped(out, program);
    wg_text_printf(out, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\">\n", s.tests, s.failures, s.errors);
    if (s.cases.at) wg_text_add(out, s.cases.at);
    wg_text_add(out, " </testsuite>\n</testsuites>\n");
    ok &= !s.cases.failed;
    wg_text_free(&s.cases);
    json_decref(kernels);
    rep_problems_free(&problems);
    return ok && !out->failed;
}
