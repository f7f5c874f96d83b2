/* truth-compare RUN.json TABLE.tsv [--markdown]
 *
 * Compares the counters of a run with what the hardware counted for the same launches: a row of the table is a launch (its
 * number, the kernel, ...), a column a counter; "-": it was not read. Fails when a value differs that is not in the list below, or
 * when one of the list agrees again (then the list has to shrink). With --markdown it writes the table of docs/fidelity.md instead. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 96, LINE = 16384 };

/* What depends on caches is not counted here. */
static const char *const not_counted[] = {"dram__sectors_read.sum", "dram__sectors_write.sum", "lts__t_sectors_op_read.sum"};
/* By code patched into the kernel, which sees the addresses alone: without what warps add by competing. */
static const struct {
    const char *column, *ours;
} patched[] = {
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
};

/* The hardware counts more wavefronts here than the addresses account for, and another number each time: warps compete for the data
 * banks. The counters patched into the code, which cannot see that, are equal (above). */
#define WAVEFRONTS(op) "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" op ".sum"
#define CONFLICTS(op)  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" op ".sum"
static const struct {
    const char *kernel, *counter;
} expected_to_differ[] = {
    {"conv_tiled", WAVEFRONTS("ld")},         {"conv_tiled", CONFLICTS("ld")},
    {"conv_tiled", WAVEFRONTS("st")},         {"conv_tiled", CONFLICTS("st")},
    {"reduce_tree", WAVEFRONTS("ld")},        {"reduce_tree", CONFLICTS("ld")},
    {"reduce_interleaved", WAVEFRONTS("ld")}, {"reduce_interleaved", CONFLICTS("ld")},
    {"histo", WAVEFRONTS("ld")},              {"histo", CONFLICTS("ld")},
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool may_differ(const char *kernel, const char *counter) {
    for (size_t i = 0; i < COUNT(expected_to_differ); i++)
        if (strncmp(kernel, expected_to_differ[i].kernel, strlen(expected_to_differ[i].kernel)) == 0 &&
            strcmp(counter, expected_to_differ[i].counter) == 0)
            return true;
    return false;
}

/* The counter of the run that a column is compared with; NULL: none. */
static const char *counter_of(const char *column) {
    if (!strstr(column, "__")) return NULL;
    for (size_t i = 0; i < COUNT(not_counted); i++)
        if (strcmp(column, not_counted[i]) == 0) return NULL;
    for (size_t i = 0; i < COUNT(patched); i++)
        if (strcmp(column, patched[i].column) == 0) return patched[i].ours;
    return column;
}

/* Splits a line at its tabs, in place. */
static int split(char *line, char *fields[MAX_COLUMNS]) {
    int n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && n < MAX_COLUMNS; n++) {
        fields[n] = at;
        at = strchr(at, '\t');
        if (at) *at++ = '\0';
    }
    return n;
}

typedef struct tally {
    int equal, total;
    int explained, unexpected, healed;
} tally;

/* The table holds what the tools print: two decimals of what is no whole number. */
static bool same(const json_t *value, const char *truth) {
    const char *point = strchr(truth, '.');
    if (!point) return json_number_value(value) == strtod(truth, NULL);
    char text[64];
    snprintf(text, sizeof text, "%.*f", (int)strlen(point + 1), json_number_value(value));
    return strcmp(text, truth) == 0;
}

static void judge(const char *kernel, const char *column, const json_t *launch, const char *truth, tally *sum, bool markdown) {
    const json_t *value = json_object_get(json_object_get(launch, "counters"), counter_of(column));
    if (strcmp(truth, "-") == 0) return;
    sum->total++;
    if (!json_is_number(value)) {
        sum->unexpected++;
        printf("%-40s %-60s hardware %s, absent here\n", kernel, column, truth);
        return;
    }
    double got = json_number_value(value), want = strtod(truth, NULL);
    bool listed = may_differ(kernel, column);
    if (same(value, truth)) {
        sum->equal++;
        if (listed) sum->healed++, printf("%s %s is equal now: take it off the list\n", kernel, column);
        return;
    }
    if (listed) sum->explained++;
    else sum->unexpected++;
    if (markdown) printf("| `%s` | `%s` | %s | %.10g | %+.10g |\n", kernel, column, truth, got, got - want);
    else
        printf("%-40s %-60s hardware %s, here %.10g%s\n", kernel, column, truth, got,
               listed ? " (known: arbitration between warps)" : "  <== DIFFERS");
}

int main(int argc, char **argv) {
    bool markdown = argc > 3 && strcmp(argv[3], "--markdown") == 0;
    if (argc < 3) return fprintf(stderr, "usage: truth-compare RUN.json TABLE.tsv [--markdown]\n"), 2;
    json_error_t why;
    json_t *run = json_load_file(argv[1], 0, &why);
    if (!run) return fprintf(stderr, "truth-compare: %s: %s\n", argv[1], why.text), 2;
    FILE *table = fopen(argv[2], "r");
    if (!table) return perror(argv[2]), 2;

    static char header_line[LINE], line[LINE];
    char *header[MAX_COLUMNS], *row[MAX_COLUMNS];
    if (!fgets(header_line, sizeof header_line, table)) return 2;
    int n_columns = split(header_line, header);

    if (markdown)
        printf("| kernel | counter | hardware | warpgrind | difference |\n|---|---|---:|---:|---:|\n");
    const json_t *launches = json_object_get(run, "launches");
    tally per_counter[MAX_COLUMNS] = {0}, all = {0};
    size_t n = 0, missing = 0;
    for (; fgets(line, sizeof line, table); n++) {
        const json_t *launch = split(line, row) == n_columns ? json_array_get(launches, (size_t)atoll(row[0])) : NULL;
        missing += !launch;
        for (int c = 0; launch && c < n_columns; c++)
            if (counter_of(header[c])) judge(row[1], header[c], launch, row[c], &per_counter[c], markdown);
    }
    fclose(table);

    if (markdown) printf("\n| counter | equal | of |\n|---|---:|---:|\n");
    for (int c = 0; c < n_columns; c++) {
        if (markdown && per_counter[c].total) printf("| `%s` | %d | %d |\n", header[c], per_counter[c].equal, per_counter[c].total);
        all.equal += per_counter[c].equal;
        all.total += per_counter[c].total;
        all.unexpected += per_counter[c].unexpected;
        all.healed += per_counter[c].healed;
    }
    if (markdown) printf("| all | %d | %d |\n", all.equal, all.total);
    else printf("%d of %d counter values of %zu launches equal the hardware's\n", all.equal, all.total, n);
    if (missing) printf("%zu rows of the table are of launches that the run has not\n", missing);
    json_decref(run);
    return all.unexpected || all.healed || missing || n == 0;
}
