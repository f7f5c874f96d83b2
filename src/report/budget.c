#include "report/budget.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/fold.h"
#include "report/quantity.h"

/* --- reading ---------------------------------------------------------------------------------------------- */
static size_t trim_end(char *text) {
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1])) text[--n] = '\0';
    return n;
}

/* Takes the last word off text, which begins with a space; NULL: there is none. */
static char *last_word(char *text) {
    size_t n = trim_end(text);
    while (n && !isspace((unsigned char)text[n - 1])) n--;
    if (!text[n]) return NULL;
    text[n - 1] = '\0';
    trim_end(text);
    return text + n;
}

/* A comment begins with # at the start of a line or after a space: a # inside a lambda's name is none. */
static void cut_comment(char *line) {
    for (char *at = line; *at; at++)
        if (*at == '#' && (at == line || isspace((unsigned char)at[-1]))) {
            *at = '\0';
            return;
        }
}

/* "FILE:LINE" */
static bool take_place(rep_rule *rule, char *text) {
    char *colon = strrchr(text, ':'), *end;
    if (!colon || colon == text) return false;
    long long line = strtoll(colon + 1, &end, 10);
    if (end == colon + 1 || *end || line <= 0) return false;
    *colon = '\0';
    rule->at_file = text;
    rule->at_line = line;
    return true;
}

/* What is wrong with the line; NULL: nothing. Names hold spaces, so a line is read from its end. */
static const char *take_rule(rep_rule *rule, char *line) {
    char *end, *at = NULL, *value = last_word(line);
    if (value && *value == '@') {
        at = value + 1;
        value = last_word(line);
    }
    char *relation = value ? last_word(line) : NULL;
    char *counter = relation ? last_word(line) : NULL;
    if (!counter) return "a rule is KERNEL COUNTER[/COUNTER] <=|==|>= VALUE";
    if (strcmp(relation, "<=") && strcmp(relation, "==") && strcmp(relation, ">=")) return "what stands before the value must be <=, == or >=";
    memcpy(rule->relation, relation, 3);
    rule->limit = strtod(value, &end);
    if (end == value || *end || !isfinite(rule->limit)) return "the value is no number";
    rule->counter = counter;
    char *inside = strrchr(line, '@');
    if (inside) {
        if (at) return "it names two places";
        *inside = '\0';
        at = inside + 1;
        trim_end(line);
    }
    while (isspace((unsigned char)*line)) line++;
    if (!*line) return "the kernel is missing (* is every kernel)";
    rule->kernel = line;
    return at && !take_place(rule, at) ? "a place is @FILE:LINE" : NULL;
}

static const char *folded(wg_arena *arena, const char *line) {
    char *copy = wg_arena_strdup(arena, line), *to = copy;
    if (!copy) return NULL;
    for (const char *from = copy; *from; from++)
        if (!isspace((unsigned char)*from)) *to++ = *from;
        else if (to > copy && to[-1] != ' ') *to++ = ' ';
    if (to > copy && to[-1] == ' ') to--;
    *to = '\0';
    return copy;
}

wg_status rep_budget_read(const char *path, rep_budget *budget, wg_error *err) {
    wg_bytes bytes;
    if (!budget->arena && !(budget->arena = wg_arena_new())) return wg_fail(err, WG_ERR_MEMORY, "no memory for the budget");
    if (wg_file_read(path, budget->arena, &bytes, err) != WG_OK) return wg_context(err, "budget");
    char *line = (char *)bytes.data; /* the arena's bytes are ours to cut */
    size_t before = budget->rules.count;
    for (unsigned number = 1; line && *line; number++) {
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        cut_comment(line);
        rep_rule rule = {.file = wg_arena_strdup(budget->arena, path), .number = number, .text = folded(budget->arena, line)};
        if (!rule.file || !rule.text) return wg_fail(err, WG_ERR_MEMORY, "no memory for the budget");
        if (*rule.text) {
            char *own = wg_arena_printf(budget->arena, " %s", line);
            const char *wrong = own ? take_rule(&rule, own) : "no memory";
            if (wrong) return wg_fail(err, WG_ERR_ARGUMENT, "%s:%u: '%s': %s", path, number, rule.text, wrong);
            if (!wg_vec_push(&budget->rules, rule)) return wg_fail(err, WG_ERR_MEMORY, "no memory for the budget");
        }
        line = next;
    }
    if (budget->rules.count == before) return wg_fail(err, WG_ERR_ARGUMENT, "%s: there is no rule in this budget", path);
    return WG_OK;
}

bool rep_budget_has_places(const rep_budget *budget) {
    for (size_t i = 0; i < budget->rules.count; i++)
        if (budget->rules.at[i].at_file) return true;
    return false;
}

void rep_budget_free(rep_budget *budget) {
    wg_vec_free(&budget->rules);
    wg_arena_free(budget->arena);
    budget->arena = NULL;
}

/* --- checking --------------------------------------------------------------------------------------------- */
/* How far beyond the limit, in units of the limit or of one: > 0 is broken. Equal means to nine digits. */
static double excess(const rep_rule *rule, double value) {
    double beyond = value - rule->limit, scale = fmax(fabs(rule->limit), 1e-300);
    if (fabs(beyond) <= 1e-9 * scale) return 0;
    if (rule->relation[0] == '=') return fabs(beyond);
    return rule->relation[0] == '<' ? beyond : -beyond;
}

typedef struct outcome {
    const char *verdict;      /* "kept", or why it is broken */
    const json_t *launch;     /* the worst one */
    rep_value value;
    double excess;
    size_t launches;
    bool broken, any;
} outcome;

static const json_t *instructions_of(const json_t *document, const json_t *launch) {
    const json_t *own = json_object_get(launch, "instructions");
    size_t i;
    json_t *profile;
    if (own) return own;
    json_array_foreach(json_object_get(document, "profiles"), i, profile)
        if (json_equal(json_object_get(profile, "mangled"), json_object_get(launch, "mangled"))) return json_object_get(profile, "instructions");
    return NULL;
}

/* The counters of the rule's line in a launch, summed; NULL: no instruction there was executed. The caller owns it. */
static json_t *counters_at_line(const rep_rule *rule, const json_t *launch) {
    json_t *sum = NULL, *in;
    size_t i;
    json_array_foreach(json_object_get(launch, "instructions"), i, in) {
        if (!rep_place_is(in, rule->at_file, rule->at_line)) continue;
        if (!sum) sum = json_object();
        rep_add(sum, json_object_get(in, "counters"));
    }
    return sum;
}

static void note(outcome *o, bool broken, double by, const char *verdict, const json_t *launch, rep_value value) {
    if (o->any && (o->broken > broken || (o->broken == broken && by <= o->excess))) return; /* a worse one is known */
    o->any = true;
    o->broken = broken;
    o->excess = by;
    o->verdict = verdict;
    o->launch = launch;
    o->value = value;
}

static void check_value(const rep_rule *rule, const json_t *launch, rep_value value, outcome *o) {
    if (json_is_false(json_object_get(launch, "complete"))) note(o, true, INFINITY, "the kernel did not run to its end", launch, value);
    else if (value.state == REP_NO_COUNTER) note(o, true, INFINITY, rule->at_file ? "not counted at that line" : "no such counter", launch, value);
    else if (value.state == REP_NO_BASE) note(o, true, INFINITY, "divided by zero", launch, value);
    else {
        double by = excess(rule, value.value);
        /* Among launches that keep the rule the one that comes nearest to breaking it. */
        double near = rule->relation[0] == '>' ? -value.value : value.value;
        note(o, by > 0, by > 0 ? by : near, by > 0 ? "broken" : "kept", launch, value);
    }
}

static void check_launch(const rep_rule *rule, const json_t *document, const json_t *launch, outcome *o) {
    if (!rep_kernel_is(launch, rule->kernel)) return;
    if (rep_is_of_run(rule->counter)) {
        o->launches++;
        check_value(rule, launch, rep_run_quantity(rule->counter, document), o);
        return;
    }
    json_t *sum = rule->at_file ? counters_at_line(rule, launch) : NULL;
    const json_t *counters = rule->at_file ? sum : json_object_get(launch, "counters");
    if (counters) {
        o->launches++;
        check_value(rule, launch, rep_quantity(rule->counter, counters), o);
    }
    json_decref(sum);
}

/* The line of the kernel that adds most to a broken rule. False: no lines, or the counter is none of lines. */
static bool blame(const rep_rule *rule, const json_t *document, const json_t *launch, rep_place *out) {
    json_t *lines = json_object(), *in, *line; /* by "FILE:LINE": the counters of its instructions, summed */
    const char *key;
    double most = 0;
    size_t i;
    json_array_foreach((json_t *)instructions_of(document, launch), i, in) {
        rep_place place;
        char name[600];
        if (!rep_place_of(in, &place)) continue;
        snprintf(name, sizeof name, "%s:%lld", place.file, (long long)place.line);
        if (!(line = json_object_get(lines, name))) {
            line = json_pack("{s:{}}", "counters");
            json_object_set_new(lines, name, line);
        }
        rep_add(json_object_get(line, "counters"), json_object_get(in, "counters"));
        json_object_set(line, "instruction", in); /* any of them: it knows the place */
    }
    json_object_foreach(lines, key, line) {
        double more = rep_line_share(rule->counter, rule->limit, json_object_get(line, "counters"));
        if (rule->relation[0] == '>' && rep_is_ratio(rule->counter)) more = -more;
        if (more <= most) continue;
        most = more;
        rep_place_of(json_object_get(line, "instruction"), out);
    }
    json_decref(lines); /* the texts belong to the document */
    return most > 0;
}

static json_t *outcome_json(const rep_rule *rule, const json_t *document, const outcome *o) {
    json_t *row = json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:f, s:I, s:b, s:s}", "budget", rule->file, "budget_line", (int)rule->number,
                            "rule", rule->text, "kernel", rule->kernel, "counter", rule->counter, "relation", rule->relation, "limit",
                            rule->limit, "launches", (json_int_t)o->launches, "broken", (int)o->broken, "verdict", o->verdict);
    rep_place place = {rule->at_file, rule->at_line};
    if (!row) return NULL;
    json_object_set_new(row, "value", o->launch && o->value.state == REP_VALUE ? json_real(o->value.value) : json_null());
    if (o->launch) {
        json_object_set_new(row, "launch", json_integer(json_integer_value(json_object_get(o->launch, "index"))));
        json_object_set_new(row, "launch_kernel", json_string(rep_word(o->launch, "kernel")));
    }
    if (rule->at_file || (o->broken && o->launch && blame(rule, document, o->launch, &place))) {
        json_object_set_new(row, "file", json_string(place.file));
        json_object_set_new(row, "line", json_integer(place.line));
    }
    return row;
}

int rep_budget_apply(const rep_budget *budget, json_t *document) {
    json_t *rows = json_array(), *launch;
    int broken = 0;
    size_t k;
    for (size_t i = 0; i < budget->rules.count; i++) {
        const rep_rule *rule = &budget->rules.at[i];
        outcome o = {0};
        json_array_foreach(json_object_get(document, "launches"), k, launch) check_launch(rule, document, launch, &o);
        if (!o.any) {
            o.broken = true;
            o.verdict = rule->at_file ? "no instruction at that line was executed" : "no launch of such a kernel";
        }
        broken += o.broken;
        if (json_array_append_new(rows, outcome_json(rule, document, &o)) != 0) {
            json_decref(rows);
            return -1;
        }
    }
    return json_object_set_new(document, "budget", rows) == 0 ? broken : -1;
}

size_t rep_budget_broken(const json_t *document) {
    size_t i, n = 0;
    json_t *row;
    json_array_foreach(json_object_get(document, "budget"), i, row) n += json_is_true(json_object_get(row, "broken"));
    return n;
}

/* --- writing ---------------------------------------------------------------------------------------------- */
/* The worst of the kernel's launches; false: some launch has no such value. */
static bool worst_of(const json_t *document, const rep_kernel *kernel, const rep_short_name *s, double *out) {
    size_t i, n = 0;
    json_t *launch;
    json_array_foreach(json_object_get(document, "launches"), i, launch) {
        if (strcmp(rep_word(launch, "mangled"), kernel->mangled) != 0) continue;
        rep_value v = rep_quantity(s->name, json_object_get(launch, "counters"));
        if (v.state != REP_VALUE) return false;
        if (!n++ || (s->more_is_better ? v.value < *out : v.value > *out)) *out = v.value;
    }
    return n > 0;
}

bool rep_budget_write(const json_t *document, wg_text *out) {
    rep_fold fold;
    bool ok = rep_fold_make(document, &fold);
    wg_text_printf(out, "# What the kernels of %s cost, of every launch. Written by warpgrind %s on a simulated %s.\n"
                        "# KERNEL[@FILE:LINE] COUNTER[/COUNTER] <=|==|>= VALUE\n",
                   rep_word(json_object_get(document, "program"), "path"), rep_word(document, "warpgrind"),
                   rep_word(json_object_get(document, "gpu"), "id"));
    for (size_t i = 0; ok && i < fold.kernels.count; i++) {
        const rep_kernel *kernel = fold.kernels.at[i];
        double worst;
        wg_text_add(out, "\n");
        for (const rep_short_name *s = rep_short_names; s->name; s++)
            if (worst_of(document, kernel, s, &worst))
                wg_text_printf(out, "%s %s %s %.12g\n", kernel->name, s->name, s->more_is_better ? ">=" : "<=", worst);
    }
    wg_text_add(out, "\n");
    for (const rep_short_name *s = rep_short_names; s->name && fold.kernels.count; s++) {
        rep_value v = s->of_run ? rep_run_quantity(s->name, document) : (rep_value){.state = REP_NO_COUNTER};
        if (v.state == REP_VALUE) wg_text_printf(out, "* %s <= %.12g\n", s->name, v.value);
    }
    rep_fold_free(&fold);
    return ok && !out->failed;
}
