/* Allocations: how often each value was read, and what was never written. */
#include <stdio.h>
#include <string.h>

#include "report/write.h"

enum { ALLOCATIONS = 16, MAP_CELLS = 256, MAP_WIDTH = 16 };

/* Where in the host program: the innermost frame of its own of which anything is known, by line or function. */
void rep_place_of_stack(const json_t *stack, char *text, size_t size) {
    size_t i;
    json_t *frame;
    text[0] = '\0';
    json_array_foreach(stack, i, frame) {
        const char *file = json_string_value(json_object_get(frame, "file"));
        const char *symbol = json_string_value(json_object_get(frame, "symbol"));
        if (file) snprintf(text, size, "%s:%lld", rep_base_name(file), (long long)json_integer_value(json_object_get(frame, "line")));
        else if (symbol) snprintf(text, size, "%s", symbol);
        if (text[0]) return;
    }
}

static void write_title(const json_t *a, wg_text *out) {
    char place[256];
    const char *name = json_string_value(json_object_get(a, "name"));
    rep_place_of_stack(json_object_get(a, "allocated"), place, sizeof place);
    wg_text_printf(out, "  #%-3lld %s%s%s, %s", (long long)json_integer_value(json_object_get(a, "id")), name ? name : "", name ? ", " : "",
                   rep_word(a, "kind"), rep_bytes(rep_get(a, "size")).at);
    if (place[0]) wg_text_printf(out, ", from %s", place);
    wg_text_add(out, "\n");
}

/* Small maps are shown as they lie: square ones as squares. */
static void write_map(const json_t *map, wg_text *out) {
    size_t n = json_array_size(map), width = MAP_WIDTH, digits = 1;
    for (size_t side = 2; side <= MAP_WIDTH; side++)
        if (side * side == n) width = side;
    for (size_t i = 0; i < n; i++) {
        size_t d = strlen(rep_whole((double)json_integer_value(json_array_get(map, i))).at);
        if (d > digits) digits = d;
    }
    wg_text_add(out, "       reads of each element:");
    for (size_t i = 0; i < n; i++)
        wg_text_printf(out, "%s%*s", i % width == 0 ? "\n         " : " ", (int)digits,
                       rep_whole((double)json_integer_value(json_array_get(map, i))).at);
    wg_text_add(out, "\n");
}

static void write_gaps(const json_t *a, const rep_style *style, wg_text *out) {
    double unwritten = rep_get(a, "unwritten"), elements = rep_get(a, "elements");
    const json_t *gaps = json_object_get(a, "gaps"), *first = json_array_get(gaps, 0);
    if (!unwritten || unwritten == elements) return;
    json_int_t from = json_integer_value(json_array_get(first, 0)), n = json_integer_value(json_array_get(first, 1));
    bool tail = json_array_size(gaps) == 1 && (double)(from + n) >= elements;
    if (tail) rep_ink_set(out, style, REP_YELLOW);
    wg_text_printf(out, "       never written: %s of %s elements, ", rep_whole(unwritten).at, rep_whole(elements).at);
    if (json_array_size(gaps) > 1) wg_text_add(out, "first ");
    wg_text_printf(out, "%s to %s%s", rep_whole((double)from).at, rep_whole((double)(from + n - 1)).at, tail ? " (its end)" : "");
    rep_ink_set(out, style, REP_PLAIN);
    wg_text_add(out, "\n");
}

static void write_allocation(const json_t *a, const rep_style *style, wg_text *out) {
    double reads = rep_get(a, "values_read"), distinct = rep_get(a, "distinct_values"), per = rep_get(a, "reads_per_value");
    write_title(a, out);
    if (reads) {
        wg_text_printf(out, "       %s reads of %s values (it holds %s, %.0f B each): ", rep_whole(reads).at, rep_whole(distinct).at,
                       rep_whole(rep_get(a, "elements")).at, rep_get(a, "element"));
        if (per > 2) rep_ink_set(out, style, REP_YELLOW);
        wg_text_printf(out, "%.2f reads a value", per);
        rep_ink_set(out, style, REP_PLAIN);
        if (rep_get(a, "most_reads") > 1) wg_text_printf(out, ", at most %s of one", rep_whole(rep_get(a, "most_reads")).at);
        wg_text_add(out, "\n");
    }
    if (rep_get(a, "bytes_written")) wg_text_printf(out, "       %s written by kernels\n", rep_bytes(rep_get(a, "bytes_written")).at);
    const json_t *map = json_object_get(a, "map");
    if (json_array_size(map) && json_array_size(map) <= MAP_CELLS && rep_get(a, "most_reads") > 1) write_map(map, out);
    if (rep_get(a, "bytes_written")) write_gaps(a, style, out);
}

void rep_write_memory(const json_t *document, const rep_style *style, wg_text *out) {
    size_t i, shown = 0, used = 0;
    json_t *a;
    const json_t *all = json_object_get(document, "allocations");
    json_array_foreach(all, i, a) {
        if (!rep_get(a, "bytes_read") && !rep_get(a, "bytes_written")) continue;
        if (used++ == 0) {
            rep_ink_set(out, style, REP_BOLD);
            wg_text_add(out, "\nmemory that kernels used\n");
            rep_ink_set(out, style, REP_PLAIN);
        }
        if (shown < ALLOCATIONS) {
            write_allocation(a, style, out);
            shown++;
        }
    }
    if (used > shown) wg_text_printf(out, "  (%zu more)\n", used - shown);
}
