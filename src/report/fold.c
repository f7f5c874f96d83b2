#include "report/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *rep_word(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "?";
}

double rep_get(const json_t *counters, const char *name) { return json_number_value(json_object_get(counters, name)); }
bool rep_has(const json_t *counters, const char *name) { return json_object_get(counters, name) != NULL; }

static bool is_summed(const char *name) {
    return wg_ends_with(name, ".sum") || strcmp(name, "launch__thread_count") == 0 || strcmp(name, "launch__grid_size") == 0 ||
           strcmp(name, "wg__cycles.modelled") == 0;
}

void rep_add(json_t *a, const json_t *b) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)b, name, value) {
        json_t *old = json_object_get(a, name);
        if (!old) {
            json_object_set_new(a, name, json_deep_copy(value));
        } else if (wg_ends_with(name, ".max")) {
            if (json_number_value(value) > json_number_value(old)) json_object_set_new(a, name, json_deep_copy(value));
        } else if (is_summed(name) && json_is_integer(old)) {
            json_integer_set(old, json_integer_value(old) + json_integer_value(value));
        }
    }
}

/* Sectors and wavefronts of an instruction: what makes it worth showing. */
static json_int_t weight_of(const json_t *counters) {
    json_int_t weight = 0;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)counters, name, value)
        if (strstr(name, "_t_sectors_") || strstr(name, "_wavefronts_mem_")) weight += json_integer_value(value);
    return weight;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool add_instruction(rep_kernel *kernel, size_t *hint, const json_t *in) {
    json_int_t offset = json_integer_value(json_object_get(in, "offset"));
    const char *function = json_string_value(json_object_get(in, "function"));
    json_t *counters = json_object_get(in, "counters");
    /* Instructions come in order, so the place is nearly always the next one. */
    for (size_t tried = 0; tried < kernel->spots.count; tried++, ++*hint) {
        rep_spot *spot = &kernel->spots.at[*hint % kernel->spots.count];
        if (spot->offset != offset || !same_text(spot->function, function)) continue;
        rep_add(spot->counters, counters);
        spot->weight += weight_of(counters);
        ++*hint;
        return true;
    }
    rep_spot spot = {.file = json_string_value(json_object_get(in, "file")),
                     .line = json_integer_value(json_object_get(in, "line")),
                     .function = function,
                     .offset = offset,
                     .example = in,
                     .sass = json_string_value(json_object_get(in, "sass")),
                     .weight = weight_of(counters),
                     .counters = counters ? json_deep_copy(counters) : json_object()};
    return spot.counters && wg_vec_push(&kernel->spots, spot);
}

static bool add_instructions(rep_kernel *kernel, const json_t *list) {
    size_t i, hint = 0;
    json_t *in;
    json_array_foreach(list, i, in)
        if (!add_instruction(kernel, &hint, in)) return false;
    return true;
}

static rep_kernel *kernel_of(rep_fold *fold, const char *mangled) {
    for (size_t i = 0; i < fold->kernels.count; i++)
        if (same_text(fold->kernels.at[i]->mangled, mangled)) return fold->kernels.at[i];
    return NULL;
}

static bool add_launch(rep_fold *fold, const json_t *launch) {
    const char *mangled = rep_word(launch, "mangled");
    rep_kernel *kernel = kernel_of(fold, mangled);
    if (!kernel) {
        kernel = calloc(1, sizeof *kernel);
        if (!kernel || !wg_vec_push(&fold->kernels, kernel)) {
            free(kernel);
            return false;
        }
        kernel->name = rep_word(launch, "kernel");
        kernel->mangled = mangled;
        kernel->first = launch;
        kernel->counters = json_object();
        if (!kernel->counters) return false;
    }
    kernel->launches++;
    kernel->incomplete += json_is_false(json_object_get(launch, "complete"));
    kernel->with_driver_code += json_object_get(launch, "driver_code") != NULL;
    kernel->grids_vary |= !json_equal(json_object_get(launch, "grid"), json_object_get(kernel->first, "grid"));
    kernel->blocks_vary |= !json_equal(json_object_get(launch, "block"), json_object_get(kernel->first, "block"));
    kernel->occupancy_varies |= !json_equal(json_object_get(launch, "occupancy"), json_object_get(kernel->first, "occupancy"));
    rep_add(kernel->counters, json_object_get(launch, "counters"));
    return add_instructions(kernel, json_object_get(launch, "instructions"));
}

static int by_cost(const void *a, const void *b) {
    double x = rep_get((*(rep_kernel *const *)a)->counters, "smsp__inst_executed.sum");
    double y = rep_get((*(rep_kernel *const *)b)->counters, "smsp__inst_executed.sum");
    return x < y ? 1 : x > y ? -1 : strcmp((*(rep_kernel *const *)a)->mangled, (*(rep_kernel *const *)b)->mangled);
}

bool rep_fold_make(const json_t *document, rep_fold *out) {
    memset(out, 0, sizeof *out);
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(document, "launches"), i, item)
        if (!add_launch(out, item)) return false;
    json_array_foreach(json_object_get(document, "profiles"), i, item) {
        rep_kernel *kernel = kernel_of(out, rep_word(item, "mangled"));
        if (!kernel) continue;
        kernel->spot_launches += json_integer_value(json_object_get(item, "launches"));
        if (!add_instructions(kernel, json_object_get(item, "instructions"))) return false;
    }
    if (out->kernels.count) qsort(out->kernels.at, out->kernels.count, sizeof *out->kernels.at, by_cost);
    return true;
}

void rep_spots_free(rep_spots *spots) {
    for (size_t i = 0; i < spots->count; i++) json_decref(spots->at[i].counters);
    wg_vec_free(spots);
}

void rep_fold_free(rep_fold *fold) {
    for (size_t i = 0; i < fold->kernels.count; i++) {
        rep_kernel *kernel = fold->kernels.at[i];
        for (size_t k = 0; k < kernel->spots.count; k++) json_decref(kernel->spots.at[k].counters);
        wg_vec_free(&kernel->spots);
        json_decref(kernel->counters);
        free(kernel);
    }
    wg_vec_free(&fold->kernels);
}

bool rep_lines_of(const rep_kernel *kernel, rep_spots *out) {
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < kernel->spots.count; i++) {
        const rep_spot *in = &kernel->spots.at[i];
        rep_spot *line = NULL;
        for (size_t k = 0; in->file && k < out->count && !line; k++)
            if (out->at[k].file && out->at[k].line == in->line && same_text(out->at[k].file, in->file)) line = &out->at[k];
        if (line) {
            rep_add(line->counters, in->counters);
            if (in->weight > line->weight) {
                line->weight = in->weight;
                line->sass = in->sass;
            }
            continue;
        }
        rep_spot fresh = *in;
        fresh.counters = json_deep_copy(in->counters);
        if (!fresh.counters || !wg_vec_push(out, fresh)) return false;
    }
    return true;
}
