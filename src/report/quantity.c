#include "report/quantity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/toolkit.h"
#include "report/fold.h"

#define LD(what) "l1tex__t_" what "_pipe_lsu_mem_global_op_ld.sum"
#define ST(what) "l1tex__t_" what "_pipe_lsu_mem_global_op_st.sum"

const rep_short_name rep_short_names[] = {
    {"sectors_per_request", {LD("sectors"), ST("sectors")}, {LD("requests"), ST("requests")}, false, false,
     "32-byte sectors moved by a warp's load or store of global memory: 4 for neighbouring 4-byte values, 32 at worst"},
    {"load_sectors_per_request", {LD("sectors")}, {LD("requests")}, false, false, "the same, of loads alone"},
    {"store_sectors_per_request", {ST("sectors")}, {ST("requests")}, false, false, "the same, of stores alone"},
    {"bank_conflicts",
     {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
     {0}, false, false, "wavefronts of shared memory beyond the ideal"},
    {"reads_per_value", {"wg__bytes_mem_global_op_ld.sum"}, {0}, false, true, "reads of a value, of the allocation that was read most often for its size, in the whole run"},
    {"unwritten", {"wg__bytes_mem_global_op_st.sum"}, {0}, false, true,
     "elements that nobody wrote, of the allocations that kernels wrote, in the whole run: what a grid that is too small leaves"},
    {"divergent_branches", {"smsp__sass_branch_targets_threads_divergent.sum"}, {0}, false, false, "branches at which a warp split"},
    {"local_bytes", {"wg__bytes_mem_local.sum"}, {0}, false, false, "bytes loaded from and stored to local memory, spilled registers included"},
    {"global_bytes", {"wg__bytes_mem_global_op_ld.sum", "wg__bytes_mem_global_op_st.sum"}, {0}, false, false,
     "bytes of global memory asked for by loads and stores"},
    {"flop", {"wg__flop_fp32.sum", "wg__flop_fp64.sum"}, {0}, false, false, "floating-point operations of single and double precision, a fused one two"},
    {"instructions", {"smsp__inst_executed.sum"}, {0}, false, false, "warp instructions"},
    {"idle_threads", {"wg__threads_idle.sum"}, {0}, false, false, "threads that did nothing"},
    {"registers", {"launch__registers_per_thread"}, {0}, false, false, "registers of a thread"},
    {"occupancy", {"sm__maximum_warps_per_active_cycle_pct"}, {0}, true, false, "theoretical occupancy, in percent"},
    {0}};

static const rep_short_name *short_name(const char *name) {
    for (const rep_short_name *s = rep_short_names; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

/* Adds up the counters that are there; false: none is. */
static bool add_up(const json_t *counters, const char *const names[2], double *sum) {
    bool any = false;
    *sum = 0;
    for (int i = 0; i < 2 && names[i]; i++) {
        any |= rep_has(counters, names[i]);
        *sum += rep_get(counters, names[i]);
    }
    return any;
}

static rep_value quotient(const json_t *counters, const char *const above[2], const char *const below[2]) {
    rep_value v = {.below = 1};
    if (!add_up(counters, above, &v.above)) v.state = REP_NO_COUNTER;
    else if (below[0] && !add_up(counters, below, &v.below)) v.state = REP_NO_COUNTER;
    else if (v.below == 0) v.state = REP_NO_BASE;
    else v.value = v.above / v.below;
    return v;
}

rep_value rep_quantity(const char *name, const json_t *counters) {
    const rep_short_name *s = short_name(name);
    if (s) return s->of_run ? (rep_value){.state = REP_NO_COUNTER, .below = 1} : quotient(counters, s->above, s->below);
    char first[200];
    const char *slash = strchr(name, '/');
    snprintf(first, sizeof first, "%.*s", slash ? (int)(slash - name) : (int)sizeof first - 1, name);
    return quotient(counters, (const char *const[2]){first}, (const char *const[2]){slash ? slash + 1 : NULL});
}

bool rep_is_ratio(const char *name) {
    const rep_short_name *s = short_name(name);
    return s ? s->below[0] != NULL : strchr(name, '/') != NULL;
}

bool rep_is_of_run(const char *name) {
    const rep_short_name *s = short_name(name);
    return s && s->of_run;
}

static rep_value reads_per_value(const json_t *document) {
    rep_value worst = {.state = REP_NO_COUNTER, .below = 1};
    size_t i;
    json_t *allocation;
    json_array_foreach(json_object_get(document, "allocations"), i, allocation) {
        double reads = rep_get(allocation, "values_read"), distinct = rep_get(allocation, "distinct_values");
        if (distinct > 0 && (worst.state != REP_VALUE || reads / distinct > worst.value))
            worst = (rep_value){.above = reads, .below = distinct, .value = reads / distinct};
    }
    return worst;
}

static rep_value unwritten(const json_t *document) {
    rep_value all = {.state = REP_NO_COUNTER, .below = 1};
    size_t i;
    json_t *allocation;
    json_array_foreach(json_object_get(document, "allocations"), i, allocation) {
        if (rep_get(allocation, "bytes_written") <= 0) continue;
        all.state = REP_VALUE;
        all.value = all.above += rep_get(allocation, "unwritten");
    }
    return all;
}

rep_value rep_run_quantity(const char *name, const json_t *document) {
    return strcmp(name, "unwritten") == 0 ? unwritten(document) : reads_per_value(document);
}

double rep_line_share(const char *name, double limit, const json_t *counters) {
    const rep_short_name *s = short_name(name);
    rep_value v = s && s->of_run ? quotient(counters, s->above, s->below) : rep_quantity(name, counters);
    return v.state != REP_VALUE ? 0 : rep_is_ratio(name) ? v.above - limit * v.below : v.above;
}

/* --- kernels --------------------------------------------------------------------------------------------- */
/* "void ns::sum<int>(int*)" to "ns::sum": what stands before the first bracket that no other encloses, without types. */
bool rep_plain_name(const char *demangled, char *out, size_t size) {
    size_t n = 0;
    int angles = 0;
    for (const char *at = demangled; *at; at++) {
        bool anonymous = strncmp(at, "(anonymous namespace)", 21) == 0;
        if (*at == '<') angles++;
        else if (*at == '>') angles--;
        else if (!angles && anonymous) {
            at += 20;
            if (at[1] == ':' && at[2] == ':') at += 2;
        } else if (!angles && *at == '(') break;
        else if (!angles && *at == ' ') n = 0; /* that was the return type */
        else if (!angles && n + 1 < size) out[n++] = *at;
    }
    out[n] = '\0';
    return n > 0;
}

bool rep_kernel_is(const json_t *launch, const char *pattern) {
    const char *name = rep_word(launch, "kernel");
    char plain[512];
    if (wg_glob(pattern, name) || wg_glob(pattern, rep_word(launch, "mangled"))) return true;
    if (!rep_plain_name(name, plain, sizeof plain)) return false;
    const char *last = strrchr(plain, ':');
    return wg_glob(pattern, plain) || (last && wg_glob(pattern, last + 1));
}

/* --- places ---------------------------------------------------------------------------------------------- */
/* Is name the same file as path, or its last parts? */
static bool same_file(const char *path, const char *name) {
    size_t n = strlen(path), k = strlen(name);
    return k <= n && strcmp(path + n - k, name) == 0 && (k == n || path[n - k - 1] == '/');
}

static bool read_place(const json_t *item, rep_place *out) {
    out->file = json_string_value(json_object_get(item, "file"));
    out->line = json_integer_value(json_object_get(item, "line"));
    return out->file != NULL;
}

bool rep_place_of(const json_t *item, rep_place *out) {
    rep_place call;
    size_t i;
    json_t *around;
    if (!read_place(item, out)) return false;
    if (!wg_is_toolkit_file(out->file)) return true;
    json_array_foreach(json_object_get(item, "inlined"), i, around)
        if (read_place(around, &call) && !wg_is_toolkit_file(call.file)) {
            *out = call;
            break;
        }
    return true;
}

bool rep_place_is(const json_t *item, const char *file, json_int_t line) {
    rep_place place;
    size_t i;
    json_t *around;
    if (read_place(item, &place) && place.line == line && same_file(place.file, file)) return true;
    json_array_foreach(json_object_get(item, "inlined"), i, around)
        if (read_place(around, &place) && place.line == line && same_file(place.file, file)) return true;
    return false;
}
