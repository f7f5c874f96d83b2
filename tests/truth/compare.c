/* truth-compare RUN.json TABLE.tsv [--markdown]
 *
 * Compares the counters of a run of truth.cu with what the hardware counted for the same launches.
 * Fails when a value differs that is not in the list below, or when one of the list agrees again (then
 * the list has to shrink). With --markdown it writes the table of docs/fidelity.md instead. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LAUNCHES = 64, MAX_COLUMNS = 64, LINE = 8192 };

static const char *const compared[] = {
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__inst_executed_op_branch.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "smsp__inst_executed_op_global_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "smsp__sass_branch_targets_threads_divergent.sum",
};
enum { N_COMPARED = sizeof compared / sizeof *compared };

/* The hardware counts more shared-memory wavefronts here than the addresses account for: conflicts between warps for the data
 * banks, which no code shows. Its counters that are made by patching the code, and so see addresses alone, equal ours. */
static const struct {
    const char *kernel, *counter;
} expected_to_differ[] = {
    {"conv_tiled", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"conv_tiled", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {"conv_tiled", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"conv_tiled", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    {"reduce_tree", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"reduce_tree", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"reduce_interleaved", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"reduce_interleaved", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"histo", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"histo", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
};

static bool may_differ(const char *kernel, const char *counter) {
    for (size_t i = 0; i < sizeof expected_to_differ / sizeof *expected_to_differ; i++)
        if (strncmp(kernel, expected_to_differ[i].kernel, strlen(expected_to_differ[i].kernel)) == 0 &&
            strcmp(counter, expected_to_differ[i].counter) == 0)
            return true;
    return false;
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

static int column_of(char *header[], int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(header[i], name) == 0) return i;
    fprintf(stderr, "truth-compare: the table has no column %s\n", name);
    exit(2);
}

typedef struct tally {
    int equal, total;
    int explained, unexpected, healed;
} tally;

static void judge(const char *kernel, const char *counter, const json_t *launch, const char *truth, tally *sum,
                  bool markdown) {
    const json_t *value = json_object_get(json_object_get(launch, "counters"), counter);
    long long want = atoll(truth);
    sum->total++;
    if (!json_is_integer(value)) {
        sum->unexpected++;
        printf("%-40s %-60s hardware %lld, absent here\n", kernel, counter, want);
        return;
    }
    long long got = json_integer_value(value);
    bool listed = may_differ(kernel, counter);
    if (got == want) {
        sum->equal++;
        if (listed) sum->healed++, printf("%s %s is equal now: take it off the list\n", kernel, counter);
        return;
    }
    if (listed) sum->explained++;
    else sum->unexpected++;
    if (markdown)
        printf("| `%s` | `%s` | %lld | %lld | %+lld |\n", kernel, counter, want, got, got - want);
    else
        printf("%-40s %-60s hardware %lld, here %lld%s\n", kernel, counter, want, got,
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
    int n_columns = split(header_line, header), columns[N_COMPARED];
    for (int c = 0; c < N_COMPARED; c++) columns[c] = column_of(header, n_columns, compared[c]);

    if (markdown)
        printf("| kernel | counter | hardware | warpgrind | difference |\n|---|---|---:|---:|---:|\n");
    const json_t *launches = json_object_get(run, "launches");
    tally per_counter[N_COMPARED] = {0}, all = {0};
    size_t n = 0;
    for (; fgets(line, sizeof line, table); n++) {
        split(line, row);
        const json_t *launch = json_array_get(launches, n);
        for (int c = 0; c < N_COMPARED; c++) judge(row[1], compared[c], launch, row[columns[c]], &per_counter[c], markdown);
    }
    fclose(table);

    if (markdown) printf("\n| counter | equal | of |\n|---|---:|---:|\n");
    for (int c = 0; c < N_COMPARED; c++) {
        if (markdown) printf("| `%s` | %d | %d |\n", compared[c], per_counter[c].equal, per_counter[c].total);
        all.equal += per_counter[c].equal;
        all.total += per_counter[c].total;
        all.unexpected += per_counter[c].unexpected;
        all.healed += per_counter[c].healed;
    }
    if (markdown) printf("| all | %d | %d |\n", all.equal, all.total);
    else printf("%d of %d counter values of %zu launches equal the hardware's\n", all.equal, all.total, n);
    bool extra = json_array_size(launches) != n;
    if (extra) printf("the run has %zu launches, the table %zu\n", json_array_size(launches), n);
    json_decref(run);
    return all.unexpected || all.healed || extra || n == 0;
}
