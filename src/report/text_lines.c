/* Where in the source a kernel's instructions, sectors and wavefronts come from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/write.h"

enum { LINES = 12 };

typedef struct sums {
    double instr, lanes, requests, sectors, used, wavefronts, ideal, divergent;
} sums;

static double sum_of(const json_t *counters, const char *part) {
    double sum = 0;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)counters, name, value)
        if (strstr(name, part)) sum += json_number_value(value);
    return sum;
}

static sums sums_of(const json_t *c) {
    return (sums){.instr = rep_get(c, "smsp__inst_executed.sum"),
                  .lanes = rep_get(c, "smsp__thread_inst_executed.sum"),
                  .requests = sum_of(c, "l1tex__t_requests_"),
                  .sectors = sum_of(c, "l1tex__t_sectors_"),
                  .used = sum_of(c, "wg__bytes_used_"),
                  .wavefronts = sum_of(c, "_wavefronts_mem_shared_"),
                  .ideal = sum_of(c, "wg__wavefronts_ideal_"),
                  .divergent = rep_get(c, "smsp__sass_branch_targets_threads_divergent.sum")};
}

/* What a line costs, for choosing which lines to show: issue slots, sectors and wavefronts alike. */
static double cost_of(const json_t *c) {
    sums s = sums_of(c);
    return s.instr + s.sectors + s.wavefronts;
}

/* By name as shown, so that the report does not depend on where the sources lie; files of one name by their path. */
static int by_place(const void *a, const void *b) {
    const rep_spot *x = a, *y = b;
    const char *f = x->file ? x->file : "", *g = y->file ? y->file : "";
    int files = strcmp(rep_base_name(f), rep_base_name(g));
    if (!files) files = strcmp(f, g);
    if (files) return files;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int by_cost(const void *a, const void *b) {
    double x = cost_of(((const rep_spot *)a)->counters), y = cost_of(((const rep_spot *)b)->counters);
    return x < y ? 1 : x > y ? -1 : by_place(a, b);
}

static bool moves_data(const rep_spot *spot) { return spot->weight > 0; }

static void place_of(const rep_spot *spot, char *text, size_t size) {
    if (spot->file) snprintf(text, size, "%s:%lld", rep_base_name(spot->file), (long long)spot->line);
    else snprintf(text, size, "%s%s/*%04llx*/", spot->function ? spot->function : "", spot->function ? " " : "",
                  (unsigned long long)spot->offset);
}

static void write_spot(const rep_spot *spot, double all, int width, const rep_style *style, wg_text *out) {
    char place[256];
    sums s = sums_of(spot->counters);
    place_of(spot, place, sizeof place);
    bool poor = (s.used && s.sectors > 1.5 * (s.used / 32 > s.requests ? s.used / 32 : s.requests)) || s.wavefronts > s.ideal || s.divergent;
    wg_text_printf(out, "  %-*s %7s %6s ", width, place, rep_per(s.instr, all, "%").at, rep_per(s.lanes, s.instr, "1").at);
    if (poor) rep_ink_set(out, style, REP_YELLOW);
    wg_text_printf(out, "%12s %8s %8s", s.requests ? rep_whole(s.sectors).at : "", s.requests ? rep_per(s.sectors, s.requests, "2").at : "",
                   s.used ? rep_per(s.used, s.sectors * 32, "%").at : "");
    wg_text_printf(out, " %10s %9s", s.wavefronts ? rep_whole(s.wavefronts).at : "",
                   s.wavefronts ? rep_per(s.wavefronts, s.ideal, "1").at : "");
    wg_text_printf(out, " %9s", s.divergent ? rep_whole(s.divergent).at : "");
    if (poor) rep_ink_set(out, style, REP_PLAIN);
    if (spot->weight && spot->sass) wg_text_printf(out, "  %s", spot->sass);
    while (out->count && out->at[out->count - 1] == ' ') out->at[--out->count] = '\0';
    wg_text_add(out, "\n");
}

void rep_write_lines(const rep_kernel *kernel, const rep_style *style, wg_text *out) {
    rep_spots lines;
    size_t limit = style->lines ? style->lines : LINES;
    if (!rep_lines_of(kernel, &lines)) {
        rep_spots_free(&lines);
        out->failed = true;
        return;
    }
    double all = 0;
    bool any_lines = false;
    for (size_t i = 0; i < lines.count; i++) {
        all += rep_get(lines.at[i].counters, "smsp__inst_executed.sum");
        any_lines |= lines.at[i].file != NULL;
    }
    size_t kept = 0; /* without line information only the instructions that move data tell something */
    for (size_t i = 0; i < lines.count; i++) {
        if (any_lines || moves_data(&lines.at[i])) {
            rep_spot spot = lines.at[i];
            lines.at[i] = lines.at[kept];
            lines.at[kept++] = spot;
        }
    }
    size_t shown = kept < limit ? kept : limit;
    if (shown) {
        qsort(lines.at, kept, sizeof *lines.at, by_cost);
        qsort(lines.at, shown, sizeof *lines.at, by_place);
        int width = 5;
        char place[256];
        for (size_t i = 0; i < shown; i++) {
            place_of(&lines.at[i], place, sizeof place);
            if ((int)strlen(place) > width) width = (int)strlen(place);
        }
        rep_ink_set(out, style, REP_DIM);
        wg_text_printf(out, "\n  %-*s %7s %6s %12s %8s %8s %10s %9s %9s\n", width, any_lines ? "line" : "at", "instr.", "lanes", "sectors",
                       "/request", "used", "wavefr.", "x ideal", "diverged");
        rep_ink_set(out, style, REP_PLAIN);
        for (size_t i = 0; i < shown; i++) write_spot(&lines.at[i], all, width, style, out);
        if (kept > shown) wg_text_printf(out, "  (%zu more)\n", kept - shown);
        if (!any_lines) wg_text_add(out, "  (compile with -lineinfo to see source lines)\n");
        if (kernel->spot_launches && (size_t)kernel->spot_launches < kernel->launches)
            wg_text_printf(out, "  (these lines: the first %lld launches)\n", (long long)kernel->spot_launches);
    }
    rep_spots_free(&lines);
}
