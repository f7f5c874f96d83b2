/* Records become the run document: the only place that knows both forms. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/inner.h"
#include "watch/watch.h"

json_t *ses_read_records(const char *path, wg_error *err) {
    FILE *f = fopen(path, "r");
    if (!f) {
        wg_fail(err, WG_ERR_IO, "%s: %s", path, strerror(errno));
        return NULL;
    }
    json_t *records = json_array();
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, f)) > 0;) {
        if (line[n - 1] != '\n') break; /* torn: the program died in the middle of it */
        json_t *record = json_loadb(line, (size_t)n, 0, NULL);
        if (record) json_array_append_new(records, record);
    }
    free(line);
    fclose(f);
    return records;
}

static json_t *program_json(const ses_program *program) {
    json_t *arguments = json_array();
    for (size_t i = 1; program->argv && program->argv[0] && program->argv[i]; i++) {
        json_t *argument = json_string(program->argv[i]);
        json_array_append_new(arguments, argument ? argument : json_string("(not UTF-8)"));
    }
    return json_pack("{s:s?, s:o}", "path", program->path, "arguments", arguments);
}

static json_t *status_json(const ses_program *program) {
    json_t *status = json_object();
    if (program->signal) {
        json_object_set_new(status, "signal", json_integer(program->signal));
        json_object_set_new(status, "signal_name", json_string(strsignal(program->signal)));
    } else if (program->exit_status >= 0) {
        json_object_set_new(status, "exit", json_integer(program->exit_status));
    }
    if (program->timeout) json_object_set_new(status, "timeout", json_true());
    return status;
}

static bool has_keys_of(const json_t *a, const json_t *b) {
    const char *name;
    json_t *value;
    if (json_object_size(a) != json_object_size(b)) return false;
    json_object_foreach((json_t *)b, name, value)
        if (!json_object_get(a, name)) return false;
    return true;
}

/* Counters that say what was launched, not what ran. */
static bool is_of_configuration(const char *name) { return strncmp(name, "launch__", 8) == 0; }

/* A launch that called the driver's own functions, whose instructions no cubin holds: what ran is counted without them. */
static json_t *exactness_without_driver_code(const json_t *known) {
    const char *name;
    json_t *value, *out = json_copy((json_t *)known);
    json_object_foreach((json_t *)known, name, value)
        if (!is_of_configuration(name)) json_object_set_new(out, name, json_string("model"));
    return out;
}

/* How sure each counter is. Records leave it out, since it is the same for nearly all launches; *known is the latest. */
static void add_exactness(json_t *launch, json_t **known) {
    const json_t *counters = json_object_get(launch, "counters");
    if (!*known || !has_keys_of(*known, counters)) {
        const char *name;
        json_t *value;
        json_decref(*known);
        *known = json_object();
        json_object_foreach((json_t *)counters, name, value) {
            int c = watch_counter_find(name);
            json_object_set_new(*known, name, json_string(c >= 0 && watch_counter_table[c].exactness == WATCH_EXACT ? "exact" : "model"));
        }
    }
    if (json_object_get(launch, "driver_code")) json_object_set_new(launch, "exactness", exactness_without_driver_code(*known));
    else json_object_set(launch, "exactness", *known);
}

/* Members of a record that do not belong into the document. */
static json_t *cleaned(json_t *record, bool several) {
    json_t *copy = json_copy(record);
    json_object_del(copy, "record");
    if (!several) json_object_del(copy, "process"); /* a process id differs from run to run */
    return copy;
}

static bool has_several_processes(json_t *records) {
    size_t i;
    json_t *record;
    json_int_t first = 0;
    json_array_foreach(records, i, record) {
        json_int_t process = json_integer_value(json_object_get(record, "process"));
        if (first && process != first) return true;
        first = process;
    }
    return false;
}

/* A child of fork that becomes another program begins twice. */
static void add_process(json_t *processes, json_t *process) {
    size_t i;
    json_t *known;
    json_array_foreach(processes, i, known)
        if (json_equal(known, process)) return;
    json_array_append(processes, process);
}

/* The latest profile of each kernel and process replaces those before it. */
static void put_profile(json_t *profiles, json_t *profile) {
    size_t i;
    json_t *old;
    json_array_foreach(profiles, i, old) {
        if (!json_equal(json_object_get(old, "mangled"), json_object_get(profile, "mangled")) ||
            json_integer_value(json_object_get(old, "process")) != json_integer_value(json_object_get(profile, "process")))
            continue;
        json_array_set_new(profiles, i, profile);
        return;
    }
    json_array_append_new(profiles, profile);
}

static int by_id(const void *a, const void *b) {
    json_int_t x = json_integer_value(json_object_get(*(json_t *const *)a, "id"));
    json_int_t y = json_integer_value(json_object_get(*(json_t *const *)b, "id"));
    if (x != y) return x < y ? -1 : 1;
    x = json_integer_value(json_object_get(*(json_t *const *)a, "process"));
    y = json_integer_value(json_object_get(*(json_t *const *)b, "process"));
    return x < y ? -1 : x > y;
}

/* Allocations are recorded when they are freed; the document has them in the order in which they were made. */
static void sort_allocations(json_t *document) {
    json_t *list = json_object_get(document, "allocations");
    size_t n = json_array_size(list);
    json_t **items = n ? calloc(n, sizeof *items) : NULL;
    if (!items) return;
    for (size_t i = 0; i < n; i++) items[i] = json_incref(json_array_get(list, i));
    qsort(items, n, sizeof *items, by_id);
    for (size_t i = 0; i < n; i++) json_array_set_new(list, i, items[i]);
    free(items);
}

json_t *ses_assemble(json_t *records, const ses_program *program, long process) {
    static const struct { const char *kind, *list; } lists[] = {
        {"launch", "launches"}, {"allocation", "allocations"}, {"finding", "findings"}, {"not_run", "not_run"}};
    enum { LISTS = sizeof lists / sizeof lists[0] };
    json_t *document = json_pack("{s:i, s:s, s:o, s:n, s:o}", "schema", 1, "warpgrind", WG_VERSION, "program",
                                 program_json(program), "gpu", "status", status_json(program));
    json_t *notes = json_array(), *profiles = json_array(), *processes = json_array(), *exactness = NULL;
    for (int k = 0; k < LISTS; k++) json_object_set_new(document, lists[k].list, json_array());
    bool several = !process && has_several_processes(records);
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record) {
        if (process && json_integer_value(json_object_get(record, "process")) != process) continue;
        const char *kind = json_string_value(json_object_get(record, "record"));
        if (!kind) continue;
        if (strcmp(kind, "begin") == 0) {
            if (json_is_null(json_object_get(document, "gpu")))
                json_object_set(document, "gpu", json_object_get(record, "gpu"));
            add_process(processes, json_object_get(record, "process"));
        } else if (strcmp(kind, "note") == 0) {
            json_array_append(notes, json_object_get(record, "text"));
        } else if (strcmp(kind, "profile") == 0) {
            put_profile(profiles, cleaned(record, several));
        } else if (strcmp(kind, "trace") == 0) {
            if (!json_object_get(document, "traces")) json_object_set_new(document, "traces", json_array());
            json_array_append_new(json_object_get(document, "traces"), cleaned(record, several));
        }
        for (int k = 0; k < LISTS; k++) {
            if (strcmp(kind, lists[k].kind) != 0) continue;
            json_t *item = cleaned(record, several);
            if (k == 0) add_exactness(item, &exactness);
            json_array_append_new(json_object_get(document, lists[k].list), item);
        }
    }
    json_decref(exactness);
    sort_allocations(document);
    json_object_set_new(document, "findings", ses_fold_repeated(json_object_get(document, "findings")));
    json_object_set_new(document, "profiles", profiles);
    json_object_set_new(document, "notes", notes);
    if (several) json_object_set(document, "processes", processes);
    json_decref(processes);
    return document;
}
