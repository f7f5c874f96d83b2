#include "report/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "report/fold.h"
#include "report/quantity.h"
#include "report/source.h"
#include "report/write.h"

enum { LANES = 32, SOURCE_WIDTH = 44, SASS_WIDTH = 46 };

/* --- values ------------------------------------------------------------------------------------ */

typedef struct cell { char at[28]; } cell;

static double half_of(uint32_t bits) {
    unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    double v = exponent == 31 ? (fraction ? __builtin_nan("") : __builtin_inf())
             : exponent ? __builtin_ldexp(1 + fraction / 1024.0, (int)exponent - 15) : __builtin_ldexp(fraction / 1024.0, -14);
    return bits & 0x8000 ? -v : v;
}
static float float_of(uint32_t bits) {
    float v;
    memcpy(&v, &bits, 4);
    return v;
}

/* One register of one lane, or, of 64-bit types, two of them. */
static cell lane_value(const char *type, uint32_t low, uint32_t high) {
    cell c;
    uint64_t both = (uint64_t)high << 32 | low;
    double wide;
    memcpy(&wide, &both, 8);
    if (strcmp(type, "f32") == 0) snprintf(c.at, sizeof c.at, "%.6g", (double)float_of(low));
    else if (strcmp(type, "f64") == 0) snprintf(c.at, sizeof c.at, "%.6g", wide);
    else if (strcmp(type, "f16x2") == 0) snprintf(c.at, sizeof c.at, "%.4g|%.4g", half_of(low & 0xffff), half_of(low >> 16));
    else if (strcmp(type, "bf16x2") == 0)
        snprintf(c.at, sizeof c.at, "%.3g|%.3g", (double)float_of(low << 16), (double)float_of(low & 0xffff0000u));
    else if (strcmp(type, "u64") == 0) snprintf(c.at, sizeof c.at, "0x%" PRIx64, both);
    else if (strcmp(type, "s32") == 0) snprintf(c.at, sizeof c.at, "%" PRId32, (int32_t)low);
    else snprintf(c.at, sizeof c.at, low > 0xffff ? "0x%" PRIx32 : "%" PRIu32, low);
    return c;
}

static bool is_wide(const char *type) { return strcmp(type, "f64") == 0 || strcmp(type, "u64") == 0; }

/* --- rows -------------------------------------------------------------------------------------- */

typedef struct row {
    char place[SOURCE_WIDTH + 40]; /* empty in rows that go on */
    char name[32];                 /* "R7", "stored", "reads lane", "R2 0x300000200000 +" */
    json_int_t mask;               /* -1: not to be repeated */
    bool uniform;                  /* one value, in the first cell */
    cell cells[LANES];
} row;

typedef struct table {
    const json_t *trace, *instructions, *steps;
    rep_sources sources;
    bool by_instruction, any_lines, failed;
    wg_vec(row) rows;
    char place[SOURCE_WIDTH + 40]; /* of the next row */
    json_int_t mask;
} table;

static row *add_row(table *t, const char *name) {
    row r = {.mask = t->mask};
    snprintf(r.name, sizeof r.name, "%s", name);
    memcpy(r.place, t->place, sizeof r.place);
    for (int l = 0; l < LANES; l++) strcpy(r.cells[l].at, ".");
    if (!wg_vec_push(&t->rows, r)) {
        t->failed = true;
        return NULL;
    }
    t->place[0] = '\0';
    t->mask = -1;
    return &t->rows.at[t->rows.count - 1];
}

/* A list of lanes, or one number for all of a uniform register. */
static const json_t *lane_of(const json_t *values, size_t lane) { return json_is_array(values) ? json_array_get(values, lane) : values; }

static uint64_t pair(const json_t *low, const json_t *high, size_t lane) {
    return (uint64_t)json_integer_value(lane_of(high, lane)) << 32 | (uint32_t)json_integer_value(lane_of(low, lane));
}

/* Addresses: the least, and how far each lane is from it. */
static void add_addresses(table *t, const char *name, const json_t *low, const json_t *high) {
    uint64_t least = UINT64_MAX;
    for (size_t l = 0; l < LANES; l++)
        if (json_is_integer(lane_of(low, l)) && pair(low, high, l) < least) least = pair(low, high, l);
    row *r = add_row(t, name);
    if (!r || least == UINT64_MAX) return;
    snprintf(r->name, sizeof r->name, "%.6s 0x%" PRIx64 " +", name, least);
    for (size_t l = 0; l < LANES; l++)
        if (json_is_integer(lane_of(low, l))) snprintf(r->cells[l].at, sizeof r->cells[l].at, "%" PRIu64, pair(low, high, l) - least);
}

static void add_values(table *t, const char *name, const char *type, const json_t *low, const json_t *high) {
    if (high && strcmp(type, "u64") == 0) {
        add_addresses(t, name, low, high);
        return;
    }
    row *r = add_row(t, name);
    if (r) r->uniform = !json_is_array(low);
    for (size_t l = 0; r && l < LANES; l++) {
        const json_t *a = lane_of(low, l), *b = high ? lane_of(high, l) : NULL;
        if (json_is_integer(a)) r->cells[l] = lane_value(type, (uint32_t)json_integer_value(a), (uint32_t)json_integer_value(b));
    }
}

/* Registers of one step; 64-bit values take two. */
static void add_registers(table *t, const json_t *names, const char *fixed_name, const char *type, const json_t *values) {
    size_t n = json_array_size(values), step = is_wide(type) && n % 2 == 0 ? 2 : 1;
    if (is_wide(type) && step == 1) type = "u32";
    for (size_t v = 0; v < n; v += step) {
        const char *name = fixed_name ? fixed_name : json_string_value(json_array_get(names, v));
        add_values(t, name ? name : "?", type, json_array_get(values, v), step == 2 ? json_array_get(values, v + 1) : NULL);
    }
}

static void add_sources(table *t, const json_t *from) {
    row *r = add_row(t, "reads lane");
    for (size_t l = 0; r && l < LANES; l++)
        if (json_is_integer(json_array_get(from, l)))
            snprintf(r->cells[l].at, sizeof r->cells[l].at, "%d", (int)json_integer_value(json_array_get(from, l)));
}

static void add_predicates(table *t, const json_t *step) {
    const char *name;
    json_t *bits;
    json_int_t on = json_integer_value(json_object_get(step, json_object_get(step, "on") ? "on" : "mask"));
    json_object_foreach(json_object_get(step, "predicates"), name, bits) {
        row *r = add_row(t, name);
        for (int l = 0; r && l < LANES; l++)
            if (on >> l & 1) strcpy(r->cells[l].at, json_integer_value(bits) >> l & 1 ? "1" : "0");
    }
}

static const json_t *instruction_of(const table *t, const json_t *step) {
    return json_array_get(t->instructions, (size_t)json_integer_value(json_object_get(step, "instruction")));
}

/* --- one row an instruction ----------------------------------------------------------------------- */

static void write_instructions(table *t) {
    size_t s;
    json_t *step;
    json_array_foreach(t->steps, s, step) {
        const json_t *in = instruction_of(t, step);
        size_t before = t->rows.count;
        snprintf(t->place, sizeof t->place, "%04llx %.*s", (unsigned long long)json_integer_value(json_object_get(in, "offset")), SASS_WIDTH,
                 rep_word(in, "sass"));
        t->mask = json_integer_value(json_object_get(step, json_object_get(step, "on") ? "on" : "mask"));
        if (json_object_get(step, "from")) add_sources(t, json_object_get(step, "from"));
        add_registers(t, json_object_get(in, "writes"), NULL, rep_word(in, "type"), json_object_get(step, "values"));
        add_registers(t, NULL, "stored", rep_word(in, "stores"), json_object_get(step, "stored"));
        add_predicates(t, step);
        if (t->rows.count == before) add_row(t, "");
    }
}

/* --- one row a source line -------------------------------------------------------------------------- */

/* Addresses and uniform values are not what a line is about. */
static bool tells(const json_t *in) {
    const char *type = rep_word(in, "type"), *first = json_string_value(json_array_get(json_object_get(in, "writes"), 0));
    return first && first[0] != 'U' && strcmp(type, "u64") && strcmp(type, "u32");
}

static bool chosen(const table *t, const json_t *in) {
    size_t i, k;
    json_t *want, *have;
    json_array_foreach(json_object_get(t->trace, "show_registers"), i, want)
        json_array_foreach(json_object_get(in, "writes"), k, have)
            if (json_equal(want, have)) return true;
    return false;
}

/* Steps first..end-1 are of one line: whom its shuffles read, and the value that it stores, or else that it made last. */
static void write_line(table *t, size_t first, size_t end, const rep_place *place) {
    bool choose = json_array_size(json_object_get(t->trace, "show_registers")) > 0;
    const json_t *made = NULL, *stored = NULL;
    snprintf(t->place, sizeof t->place, "%.30s:%lld %.*s", rep_base_name(place->file), (long long)place->line, SOURCE_WIDTH,
             rep_source_line(&t->sources, place->file, place->line));
    t->mask = json_integer_value(json_object_get(json_array_get(t->steps, first), "mask"));
    for (size_t s = first; s < end; s++) {
        const json_t *step = json_array_get(t->steps, s), *in = instruction_of(t, step);
        if (json_object_get(step, "from")) add_sources(t, json_object_get(step, "from"));
        if (json_array_size(json_object_get(step, "stored"))) stored = step;
        if (tells(in) && json_object_get(step, "values")) made = step;
        if (choose && chosen(t, in)) add_registers(t, json_object_get(in, "writes"), NULL, rep_word(in, "type"), json_object_get(step, "values"));
        if (!choose) add_predicates(t, step);
    }
    if (choose) return;
    if (stored) {
        add_registers(t, NULL, "stored", rep_word(instruction_of(t, stored), "stores"), json_object_get(stored, "stored"));
    } else if (made) {
        const json_t *in = instruction_of(t, made);
        add_registers(t, json_object_get(in, "writes"), NULL, rep_word(in, "type"), json_object_get(made, "values"));
    }
}

/* The same line goes on while it is executed by the same lanes and none of its instructions comes again; a shuffle after
 * something was made begins a new round. */
static void write_lines(table *t) {
    size_t n = json_array_size(t->steps), first = 0;
    while (first < n) {
        rep_place here = {0}, next;
        const json_t *step = json_array_get(t->steps, first);
        json_int_t offset = json_integer_value(json_object_get(instruction_of(t, step), "offset"));
        bool known = rep_place_of(instruction_of(t, step), &here);
        size_t end = first + 1;
        bool made = tells(instruction_of(t, step));
        for (; end < n; end++) {
            const json_t *more = json_array_get(t->steps, end), *in = instruction_of(t, more);
            if (!rep_place_of(in, &next) || !known || next.line != here.line || strcmp(next.file, here.file)) break;
            if (!json_equal(json_object_get(more, "mask"), json_object_get(step, "mask"))) break;
            if (json_integer_value(json_object_get(in, "offset")) <= offset) break;
            if (made && json_object_get(more, "from")) break;
            offset = json_integer_value(json_object_get(in, "offset"));
            made |= tells(in);
        }
        if (known) write_line(t, first, end, &here);
        first = end;
    }
}

/* --- the table ------------------------------------------------------------------------------------------ */

static int longest(int least, const char *text) { return (int)strlen(text) > least ? (int)strlen(text) : least; }

static void write_rows(const table *t, wg_text *out) {
    size_t first = (size_t)json_integer_value(json_array_get(json_object_get(t->trace, "show"), 0));
    size_t last = (size_t)json_integer_value(json_array_get(json_object_get(t->trace, "show"), 1));
    int place = 4, name = 0, width = 2;
    if (last >= LANES) last = LANES - 1;
    for (size_t r = 0; r < t->rows.count; r++) {
        place = longest(place, t->rows.at[r].place);
        name = longest(name, t->rows.at[r].name);
        for (size_t l = first; l <= last; l++) width = longest(width, t->rows.at[r].cells[l].at);
    }
    wg_text_printf(out, "\n  %-*s %-8s %-*s", place, t->by_instruction ? "instruction" : "line", "mask", name, "lane");
    for (size_t l = first; l <= last; l++) wg_text_printf(out, " %*zu", width, l);
    wg_text_add(out, "\n");
    for (size_t r = 0; r < t->rows.count; r++) {
        const row *w = &t->rows.at[r];
        char mask[12] = "";
        if (w->mask >= 0) snprintf(mask, sizeof mask, "%08" PRIx32, (uint32_t)w->mask);
        wg_text_printf(out, "  %-*s %-8s %-*s", place, w->place, mask, name, w->name);
        for (size_t l = first; l <= last && w->name[0] && !(w->uniform && l > first); l++) wg_text_printf(out, " %*s", width, w->cells[l].at);
        while (out->count && out->at[out->count - 1] == ' ') out->at[--out->count] = '\0';
        wg_text_add(out, "\n");
    }
}

static bool write_trace(const json_t *trace, bool by_instruction, wg_text *out) {
    table t = {.trace = trace, .instructions = json_object_get(trace, "instructions"), .steps = json_object_get(trace, "steps"),
               .by_instruction = by_instruction};
    const json_t *block = json_object_get(trace, "block");
    size_t i;
    json_t *in;
    json_array_foreach(t.instructions, i, in) t.any_lines |= json_object_get(in, "file") != NULL;
    t.by_instruction |= !t.any_lines;
    wg_text_printf(out, "\ntrace of %s, launch %lld, block (%lld,%lld,%lld), warp %lld: %zu instructions%s\n", rep_word(trace, "kernel"),
                   (long long)json_integer_value(json_object_get(trace, "launch")), (long long)json_integer_value(json_array_get(block, 0)),
                   (long long)json_integer_value(json_array_get(block, 1)), (long long)json_integer_value(json_array_get(block, 2)),
                   (long long)json_integer_value(json_object_get(trace, "warp")), json_array_size(t.steps),
                   json_is_true(json_object_get(trace, "cut")) ? ", and more: 'KERNEL[steps N]' records N" : "");
    if (t.by_instruction) write_instructions(&t);
    else write_lines(&t);
    write_rows(&t, out);
    wg_vec_free(&t.rows);
    rep_sources_free(&t.sources);
    return !t.failed;
}

bool rep_has_trace(const json_t *document) { return json_array_size(json_object_get(document, "traces")) > 0; }

bool rep_trace(const json_t *document, bool by_instruction, wg_text *out) {
    size_t i;
    json_t *trace;
    bool ok = true;
    json_array_foreach(json_object_get(document, "traces"), i, trace) ok &= write_trace(trace, by_instruction, out);
    return ok && !out->failed;
}
