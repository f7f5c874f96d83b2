/* Kernels: an overview by cost, then each one's launch, occupancy, instructions and accesses. */
#include <stdio.h>
#include <string.h>

#include "report/write.h"

enum { SHOWN = 20, LABEL = 16 };

#define GLOBAL(what, op) "l1tex__t_" what "_pipe_lsu_mem_global_op_" op ".sum"
#define LOCAL(what, op) "l1tex__t_" what "_pipe_lsu_mem_local_op_" op ".sum"

static void label(wg_text *out, const rep_style *style, const char *name) {
    rep_ink_set(out, style, REP_DIM);
    wg_text_printf(out, "  %-*s", LABEL, name);
    rep_ink_set(out, style, REP_PLAIN);
}

static json_int_t at(const json_t *list, size_t i) { return json_integer_value(json_array_get(list, i)); }

/* "256", "16 x 16": without trailing ones. */
static void write_extent(wg_text *out, const json_t *extent) {
    wg_text_add(out, rep_whole((double)at(extent, 0)).at);
    if (at(extent, 1) > 1 || at(extent, 2) > 1) wg_text_printf(out, " x %s", rep_whole((double)at(extent, 1)).at);
    if (at(extent, 2) > 1) wg_text_printf(out, " x %s", rep_whole((double)at(extent, 2)).at);
}

/* --- overview ----------------------------------------------------------------------------------------- */
static void write_overview(const rep_fold *fold, const rep_style *style, wg_text *out) {
    double all = 0;
    for (size_t i = 0; i < fold->kernels.count; i++) all += rep_get(fold->kernels.at[i]->counters, "smsp__inst_executed.sum");
    rep_ink_set(out, style, REP_DIM);
    wg_text_add(out, "\n     cost  launches    warp instr.  lanes   sectors/request  bank conf.  diverged  kernel\n"
                     "                                              load   store\n");
    rep_ink_set(out, style, REP_PLAIN);
    for (size_t i = 0; i < fold->kernels.count; i++) {
        const rep_kernel *k = fold->kernels.at[i];
        const json_t *c = k->counters;
        double instr = rep_get(c, "smsp__inst_executed.sum");
        wg_text_printf(out, "  %7s %9s %14s %6s %9s %7s %11s %9s  %s\n", rep_per(instr, all, "%").at,
                       rep_whole((double)k->launches).at, rep_whole(instr).at,
                       rep_per(rep_get(c, "smsp__thread_inst_executed.sum"), instr, "1").at,
                       rep_per(rep_get(c, GLOBAL("sectors", "ld")), rep_get(c, GLOBAL("requests", "ld")), "2").at,
                       rep_per(rep_get(c, GLOBAL("sectors", "st")), rep_get(c, GLOBAL("requests", "st")), "2").at,
                       rep_whole(rep_get(c, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") +
                                 rep_get(c, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")).at,
                       rep_whole(rep_get(c, "smsp__sass_branch_targets_threads_divergent.sum")).at, k->name);
    }
}

/* --- one kernel ----------------------------------------------------------------------------------------- */
static void write_launch(const rep_kernel *k, const rep_style *style, wg_text *out) {
    const json_t *c = k->counters, *last = json_object_get(k->first, "last_block");
    double threads = rep_get(c, "launch__thread_count"), idle = rep_get(c, "wg__threads_idle.sum");
    double idle_last = rep_get(c, "wg__threads_idle_last_block.sum");
    label(out, style, k->launches > 1 ? "launches" : "launch");
    if (k->launches > 1) wg_text_printf(out, "%s; the first of them ", rep_whole((double)k->launches).at);
    write_extent(out, json_object_get(k->first, "grid"));
    wg_text_add(out, k->launches == 1 && rep_get(c, "launch__grid_size") == 1 ? " block of " : " blocks of ");
    write_extent(out, json_object_get(k->first, "block"));
    wg_text_printf(out, " threads%s%s threads\n", k->launches > 1 ? "; in all " : ": ", rep_whole(threads).at);
    label(out, style, "idle threads");
    if (!idle) {
        wg_text_add(out, "none\n");
        return;
    }
    wg_text_printf(out, "%s (%s) end without having loaded, stored, exchanged or waited", rep_whole(idle).at,
                   rep_per(idle, threads, "%").at);
    if (k->launches == 1 && idle == idle_last)
        wg_text_printf(out, ", all in the last block:\n%*sof block %s's threads %s to %s, %s work", LABEL + 2, "",
                       rep_whole(rep_get(last, "index")).at, rep_whole(rep_get(last, "first_thread")).at,
                       rep_whole(rep_get(last, "last_thread")).at, rep_whole(rep_get(last, "working")).at);
    else if (idle_last) wg_text_printf(out, ", %s of them in the last block", rep_whole(idle_last).at);
    wg_text_add(out, "\n");
}

static void write_occupancy(const rep_kernel *k, const json_t *gpu, const rep_style *style, wg_text *out) {
    const json_t *c = k->counters, *o = json_object_get(k->first, "occupancy");
    label(out, style, "resources");
    wg_text_printf(out, "%s registers a thread; shared memory a block: %s static", rep_whole(rep_get(c, "launch__registers_per_thread")).at,
                   rep_bytes(rep_get(c, "launch__shared_mem_per_block_static")).at);
    wg_text_printf(out, ", %s dynamic", rep_bytes(rep_get(c, "launch__shared_mem_per_block_dynamic")).at);
    if (rep_get(c, "launch__shared_mem_per_block_driver"))
        wg_text_printf(out, ", %s driver", rep_bytes(rep_get(c, "launch__shared_mem_per_block_driver")).at);
    wg_text_add(out, "\n");
    if (!o) return;
    label(out, style, "occupancy");
    const char *limiter = json_string_value(json_object_get(o, "limited_by"));
    bool low = rep_get(o, "fraction") < 0.5;
    if (low) rep_ink_set(out, style, REP_YELLOW);
    wg_text_printf(out, "%s", rep_per(rep_get(o, "fraction"), 1, "%").at);
    if (low) rep_ink_set(out, style, REP_PLAIN);
    wg_text_printf(out, ": an SM holds %.0f blocks, %.0f of %.0f warps; limited by %s%s\n", rep_get(o, "blocks_per_sm"),
                   rep_get(o, "warps_per_sm"), rep_get(gpu, "warps_per_multiprocessor"), limiter ? limiter : "?",
                   k->occupancy_varies ? " (first launch)" : "");
    wg_text_printf(out, "%*s(blocks that fit: by warps %.0f, registers %.0f, shared memory %.0f, at most %.0f); the grid is %.2f waves\n",
                   LABEL + 2, "", rep_get(o, "limit_warps"), rep_get(o, "limit_registers"), rep_get(o, "limit_shared_memory"),
                   rep_get(o, "limit_blocks"), rep_get(o, "waves"));
}

static void write_execution(const rep_kernel *k, const rep_style *style, wg_text *out) {
    const json_t *c = k->counters;
    double warps = rep_get(c, "smsp__inst_executed.sum"), lanes = rep_get(c, "smsp__thread_inst_executed.sum");
    double divergent = rep_get(c, "smsp__sass_branch_targets_threads_divergent.sum"), conditional = rep_get(c, "smsp__sass_branch_targets.sum");
    label(out, style, "instructions");
    wg_text_printf(out, "%s by warps, %s by threads: %s of 32 lanes active\n", rep_whole(warps).at, rep_whole(lanes).at,
                   rep_per(lanes, warps, "1").at);
    label(out, style, "branches");
    wg_text_printf(out, "%s", rep_whole(rep_get(c, "smsp__inst_executed_op_branch.sum")).at);
    if (conditional) {
        wg_text_printf(out, ", %s of them conditional; ", rep_whole(conditional).at);
        if (divergent) rep_ink_set(out, style, REP_YELLOW);
        wg_text_printf(out, "%s (%s) split a warp", rep_whole(divergent).at, rep_per(divergent, conditional, "%").at);
        rep_ink_set(out, style, REP_PLAIN);
    }
    wg_text_add(out, "\n");
}

/* Floating-point operations, and how many there are for a byte that moves between global memory and the first cache. */
static void write_arithmetic(const json_t *c, const rep_style *style, wg_text *out) {
    static const struct { const char *counter, *precision; } of[] = {
        {"wg__flop_fp64.sum", "double"}, {"wg__flop_fp32.sum", "single"}, {"wg__flop_fp16.sum", "half"}};
    double all = 0, bytes = 32 * (rep_get(c, GLOBAL("sectors", "ld")) + rep_get(c, GLOBAL("sectors", "st")) +
                                  rep_get(c, GLOBAL("sectors", "red")) + rep_get(c, GLOBAL("sectors", "atom")));
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        double n = rep_get(c, of[k].counter);
        if (!n) continue;
        if (!all) label(out, style, "arithmetic");
        wg_text_printf(out, "%s%s %s in %s precision", all ? ", " : "", rep_whole(n).at, n == 1 ? "operation" : "operations", of[k].precision);
        all += n;
    }
    if (all && bytes) wg_text_printf(out, "; %s for each byte of global memory moved", rep_per(all, bytes, "2").at);
    if (all) wg_text_add(out, "\n");
}

/* requests, sectors, sectors a request beside the fewest that the bytes used need, share of bytes used. */
static void write_global(const json_t *c, const char *name, const char *requests, const char *sectors, const char *used,
                         const rep_style *style, wg_text *out) {
    double r = rep_get(c, requests), s = rep_get(c, sectors);
    if (!r) return;
    label(out, style, name);
    wg_text_printf(out, "%s, %s: %s a request", rep_counted(r, "request").at, rep_counted(s, "sector").at, rep_per(s, r, "2").at);
    if (used) {
        double u = rep_get(c, used), ideal = u / 32 > r ? u / 32 : r;
        bool poor = s > 1.5 * ideal;
        wg_text_printf(out, " (ideal %s)", rep_per(ideal, r, "2").at);
        wg_text_add(out, "; ");
        if (poor) rep_ink_set(out, style, REP_YELLOW);
        wg_text_printf(out, "%s of the bytes moved are used", rep_per(u, s * 32, "%").at);
        rep_ink_set(out, style, REP_PLAIN);
    }
    wg_text_add(out, "\n");
}

static void write_shared(const json_t *c, const char *name, const char *op, const rep_style *style, wg_text *out) {
    char waves[96], ideal[96], conflicts[96], issued[96];
    snprintf(waves, sizeof waves, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s.sum", op);
    snprintf(ideal, sizeof ideal, "wg__wavefronts_ideal_mem_shared_op_%s.sum", op);
    snprintf(conflicts, sizeof conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_%s.sum", op);
    snprintf(issued, sizeof issued, "smsp__inst_executed_op_shared_%s.sum", op);
    const char *rows = strcmp(op, "ld") == 0 ? "smsp__inst_executed_op_ldsm.sum" : "smsp__inst_executed_op_shared_stsm.sum";
    double w = rep_get(c, waves), n = rep_get(c, conflicts);
    if (!w) return;
    label(out, style, name);
    wg_text_printf(out, "%s, %s", rep_counted(rep_get(c, issued) + rep_get(c, rows), "instruction").at, rep_counted(w, "wavefront").at);
    if (!n) {
        wg_text_add(out, ", no bank conflicts\n");
        return;
    }
    wg_text_printf(out, " where %s would do: ", rep_whole(rep_get(c, ideal)).at);
    rep_ink_set(out, style, REP_YELLOW);
    wg_text_printf(out, "%s bank conflicts, up to %.0f-way", rep_whole(n).at, rep_get(c, "wg__bank_conflict_degree.max"));
    rep_ink_set(out, style, REP_PLAIN);
    wg_text_add(out, "\n");
}

static void write_accesses(const json_t *c, const rep_style *style, wg_text *out) {
    write_global(c, "global loads", GLOBAL("requests", "ld"), GLOBAL("sectors", "ld"), "wg__bytes_used_mem_global_op_ld.sum", style, out);
    write_global(c, "global stores", GLOBAL("requests", "st"), GLOBAL("sectors", "st"), "wg__bytes_used_mem_global_op_st.sum", style, out);
    write_global(c, "reductions", GLOBAL("requests", "red"), GLOBAL("sectors", "red"), NULL, style, out);
    write_global(c, "atomics", GLOBAL("requests", "atom"), GLOBAL("sectors", "atom"), NULL, style, out);
    write_global(c, "async copies", "smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum", "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum",
                 NULL, style, out);
    if (rep_has(c, "wg__chunks_mem_global_op_ld.sum")) {
        label(out, style, "own model");
        wg_text_printf(out, "%s chunks loaded, %s stored (--chunk, --group)\n", rep_whole(rep_get(c, "wg__chunks_mem_global_op_ld.sum")).at,
                       rep_whole(rep_get(c, "wg__chunks_mem_global_op_st.sum")).at);
    }
    write_shared(c, "shared loads", "ld", style, out);
    write_shared(c, "shared stores", "st", style, out);
    if (rep_get(c, "wg__requests_mem_shared_op_atom.sum")) {
        label(out, style, "shared atomics");
        double w = rep_get(c, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"), n = rep_get(c, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum");
        wg_text_printf(out, "%s, %s", rep_counted(rep_get(c, "wg__requests_mem_shared_op_atom.sum"), "request").at, rep_counted(w, "wavefront").at);
        wg_text_printf(out, n ? ", %s of them for lanes that wait at a bank\n" : "%s\n", n ? rep_whole(n).at : "");
    }
    write_global(c, "local loads", LOCAL("requests", "ld"), LOCAL("sectors", "ld"), NULL, style, out);
    write_global(c, "local stores", LOCAL("requests", "st"), LOCAL("sectors", "st"), NULL, style, out);
}

static void write_kernel(const rep_kernel *k, const json_t *gpu, const rep_style *style, wg_text *out) {
    wg_text_add(out, "\n");
    rep_ink_set(out, style, REP_BOLD);
    wg_text_printf(out, "%s\n", k->name);
    rep_ink_set(out, style, REP_PLAIN);
    if (k->incomplete) {
        rep_ink_set(out, style, REP_RED);
        wg_text_printf(out, "  %zu of its launches did not run to the end; what they did until then is counted\n", k->incomplete);
        rep_ink_set(out, style, REP_PLAIN);
    }
    if (k->with_driver_code)
        wg_text_printf(out, "  %zu of its launches call functions of the driver (printf, malloc, assert), whose instructions are not counted\n",
                       k->with_driver_code);
    write_launch(k, style, out);
    write_occupancy(k, gpu, style, out);
    write_execution(k, style, out);
    write_arithmetic(k->counters, style, out);
    write_accesses(k->counters, style, out);
    rep_write_lines(k, style, out);
}

void rep_write_kernels(const json_t *document, const rep_fold *fold, const rep_style *style, wg_text *out) {
    size_t shown = style->kernels ? style->kernels : SHOWN;
    if (fold->kernels.count > 1) write_overview(fold, style, out);
    for (size_t i = 0; i < fold->kernels.count && i < shown; i++)
        write_kernel(fold->kernels.at[i], json_object_get(document, "gpu"), style, out);
    if (fold->kernels.count > shown)
        wg_text_printf(out, "\n(%zu kernels of less cost are not shown in full; --json has them)\n", fold->kernels.count - shown);
}
