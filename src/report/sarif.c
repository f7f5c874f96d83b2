/* SARIF 2.1.0, as code scanning reads it. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/fold.h"
#include "report/formats.h"
#include "report/problems.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* A path as a URI: relative ones stay relative, others get file://. */
static json_t *uri_of(const char *path) {
    wg_text uri = {0};
    if (*path == '/') wg_text_add(&uri, "file://");
    for (; *path; path++)
        wg_text_printf(&uri, isalnum((unsigned char)*path) || strchr("/._-~+", *path) ? "%c" : "%%%02X", (unsigned char)*path);
    json_t *text = json_string(uri.at ? uri.at : "");
    wg_text_free(&uri);
    return text;
}

static json_t *physical(const rep_place *place) {
    json_t *location = json_pack("{s:{s:o}}", "artifactLocation", "uri", uri_of(place->file));
    if (place->line > 0) json_object_set_new(location, "region", json_pack("{s:I}", "startLine", place->line));
    return location;
}

static json_t *location_of(const rep_problem *p, const char *program) {
    rep_place place = p->place.file ? p->place : (rep_place){program, 0};
    json_t *location = json_pack("{s:o}", "physicalLocation", physical(&place));
    if (p->kernel) json_object_set_new(location, "logicalLocations", json_pack("[{s:s, s:s}]", "fullyQualifiedName", p->kernel, "kind", "function"));
    return location;
}

/* The same problem at a moved line keeps its fingerprint. */
static void mix(uint64_t *hash, const char *text) {
    for (; text && *text; text++) *hash = (*hash ^ (unsigned char)*text) * 0x100000001b3u;
    *hash = (*hash ^ 0xff) * 0x100000001b3u;
}

static json_t *fingerprint(const rep_problem *p) {
    uint64_t hash = 0xcbf29ce484222325u;
    char text[24];
    mix(&hash, p->id);
    mix(&hash, p->kernel);
    mix(&hash, p->place.file);
    mix(&hash, p->what ? p->what : p->message);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return json_pack("{s:s}", "warpgrind/v1", text);
}

/* The index of id in rules, which it joins when it is new. */
static size_t rule_index(json_t *rules, const char *id) {
    size_t i;
    json_t *rule;
    char name[80];
    json_array_foreach(rules, i, rule)
        if (strcmp(rep_word(rule, "id"), id) == 0) return i;
    snprintf(name, sizeof name, "%.60s", id);
    for (char *at = name; *at; at++)
        if (*at == '-') *at = ' ';
    json_array_append_new(rules, json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", id, "shortDescription", "text", name, "defaultConfiguration",
                                           "level", strcmp(id, "leak") == 0 ? "note" : "error"));
    return json_array_size(rules) - 1;
}

static json_t *result_of(const rep_problem *p, const char *program, json_t *rules) {
    static const char *const levels[] = {"note", "warning", "error"};
    json_t *result = json_pack("{s:s, s:I, s:s, s:{s:s}, s:[o], s:o}", "ruleId", p->id, "ruleIndex", (json_int_t)rule_index(rules, p->id), "level",
                               levels[p->level], "message", "text", p->message, "locations", location_of(p, program), "partialFingerprints",
                               fingerprint(p));
    if (result && p->other.file)
        json_object_set_new(result, "relatedLocations", json_pack("[{s:i, s:o, s:{s:s}}]", "id", 1, "physicalLocation", physical(&p->other),
                                                                  "message", "text", p->other_message));
    return result;
}

bool rep_sarif(const json_t *document, const char *root, wg_text *out) {
    rep_problems problems;
    bool ok = rep_problems_of(document, root, &problems);
    const char *program = rep_word(json_object_get(document, "program"), "path");
    json_t *rules = json_array(), *results = json_array();
    bool all_ran = !json_array_size(json_object_get(document, "not_run"));
    while (strncmp(program, "./", 2) == 0) program += 2;
    for (size_t i = 0; ok && i < problems.list.count; i++)
        ok = json_array_append_new(results, result_of(&problems.list.at[i], program, rules)) == 0;
    json_t *log = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:[{s:b}], s:s, s:o}]}", "$schema", SCHEMA, "version", "2.1.0", "runs", "tool",
                            "driver", "name", "warpgrind", "version", rep_word(document, "warpgrind"), "rules", rules, "invocations",
                            "executionSuccessful", (int)all_ran, "columnKind", "utf16CodeUnits", "results", results);
    char *text = log ? json_dumps(log, JSON_INDENT(1)) : NULL;
    if (text) wg_text_printf(out, "%s\n", text);
    ok &= text != NULL;
    free(text);
    json_decref(log);
    rep_problems_free(&problems);
    return ok && !out->failed;
}
