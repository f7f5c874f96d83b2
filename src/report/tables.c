/* The forms for machines: JSON and CSV. */
#include <stdlib.h>
#include <string.h>

#include "report/fold.h"
#include "report/report.h"

static int add_piece(const char *piece, size_t n, void *out) {
    wg_text_add_n(out, piece, n);
    return ((wg_text *)out)->failed ? -1 : 0;
}

enum { FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(12) | JSON_ENCODE_ANY };

/* A list of objects: one line each. */
static bool add_list(const json_t *list, wg_text *out) {
    size_t i;
    json_t *item;
    wg_text_add(out, "[");
    json_array_foreach((json_t *)list, i, item) {
        wg_text_add(out, i ? ",\n  " : "\n  ");
        if (json_dump_callback(item, add_piece, out, FLAGS) != 0) return false;
    }
    wg_text_add(out, json_array_size(list) ? "\n ]" : "]");
    return true;
}

bool rep_json(const json_t *document, wg_text *out) {
    const char *name, *separator = "{\n ";
    json_t *value;
    json_object_foreach((json_t *)document, name, value) {
        wg_text_printf(out, "%s\"%s\": ", separator, name);
        if (json_is_array(value) ? !add_list(value, out) : json_dump_callback(value, add_piece, out, FLAGS) != 0) return false;
        separator = ",\n ";
    }
    wg_text_add(out, "\n}\n");
    return !out->failed;
}

static void add_field(wg_text *out, const char *text) {
    if (!strpbrk(text, ",\"\n")) {
        wg_text_add(out, text);
        return;
    }
    wg_text_add(out, "\"");
    for (; *text; text++) wg_text_printf(out, *text == '"' ? "\"\"" : "%c", *text);
    wg_text_add(out, "\"");
}

static void add_extent(wg_text *out, const json_t *extent) {
    wg_text_printf(out, ",%lld %lld %lld", (long long)json_integer_value(json_array_get(extent, 0)),
                   (long long)json_integer_value(json_array_get(extent, 1)), (long long)json_integer_value(json_array_get(extent, 2)));
}

/* Names, which hold no blanks. */
static void add_words(wg_text *out, const json_t *names) {
    size_t i;
    json_t *name;
    json_array_foreach((json_t *)names, i, name) wg_text_printf(out, "%s%s", i ? " " : ",", json_string_value(name));
    if (!json_array_size(names)) wg_text_add(out, ",");
}

bool rep_csv(const json_t *document, wg_text *out) {
    const json_t *launches = json_object_get(document, "launches");
    json_t *columns = json_object(), *launch, *value; /* every counter that some launch has, in order */
    const char *name;
    size_t i;
    json_array_foreach((json_t *)launches, i, launch)
        json_object_foreach(json_object_get(launch, "counters"), name, value) json_object_set_new(columns, name, json_null());
    wg_text_add(out, "launch,kernel,mangled,grid,block,complete,driver_code");
    json_object_foreach(columns, name, value) wg_text_printf(out, ",%s", name);
    wg_text_add(out, "\n");
    json_array_foreach((json_t *)launches, i, launch) {
        wg_text_printf(out, "%lld,", (long long)json_integer_value(json_object_get(launch, "index")));
        add_field(out, rep_word(launch, "kernel"));
        wg_text_add(out, ",");
        add_field(out, rep_word(launch, "mangled"));
        add_extent(out, json_object_get(launch, "grid"));
        add_extent(out, json_object_get(launch, "block"));
        wg_text_add(out, json_is_true(json_object_get(launch, "complete")) ? ",1" : ",0");
        add_words(out, json_object_get(launch, "driver_code"));
        json_object_foreach(columns, name, value) {
            const json_t *counter = json_object_get(json_object_get(launch, "counters"), name);
            if (json_is_integer(counter)) wg_text_printf(out, ",%lld", (long long)json_integer_value(counter));
            else if (json_is_real(counter)) wg_text_printf(out, ",%.12g", json_real_value(counter));
            else wg_text_add(out, ",");
        }
        wg_text_add(out, "\n");
    }
    json_decref(columns);
    return !out->failed;
}
