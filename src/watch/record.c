/* The record of a launch, the table of counters, and the cells that watches count in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/watch.h"

const watch_counter_info watch_counter_table[WATCH_COUNTERS] = {
#define WATCH_ROW(id, name, unit, exactness, scope, meaning, source)                                         \
    {name, unit, WATCH_##exactness, WATCH_##scope, meaning, source},
#include "watch/counters.def"
#undef WATCH_ROW
};

int watch_counter_find(const char *name) {
    for (int i = 0; i < WATCH_COUNTERS; i++)
        if (strcmp(watch_counter_table[i].name, name) == 0) return i;
    return -1;
}

bool watch_record_init(watch_record *record, const img_module *module) {
    memset(record, 0, sizeof *record);
    record->n_tables = module->n_functions;
    record->tables = calloc(module->n_functions ? module->n_functions : 1, sizeof *record->tables);
    record->extra = json_object();
    if (!record->tables || !record->extra) {
        watch_record_free(record);
        return false;
    }
    for (size_t f = 0; f < module->n_functions; f++) record->tables[f].n = module->functions[f].code_size / 16;
    return true;
}

void watch_record_free(watch_record *record) {
    for (size_t f = 0; record->tables && f < record->n_tables; f++)
        for (int c = 0; c < WATCH_COUNTERS; c++) {
            free(record->tables[f].values[c]);
            free(record->tables[f].present[c]);
        }
    free(record->tables);
    json_decref(record->samples);
    json_decref(record->extra);
    watch_findings_free(&record->findings);
    wg_vec_free(&record->tails);
    memset(record, 0, sizeof *record);
}

watch_sample_key watch_sample_key_of(unsigned function, uint32_t instr) {
    watch_sample_key key;
    snprintf(key.text, sizeof key.text, "%u/%u", function, instr);
    return key;
}

void watch_set(watch_record *record, watch_counter counter, uint64_t value) {
    record->launch[counter] = (watch_value){.kind = WATCH_COUNT, .count = value};
}

void watch_set_real(watch_record *record, watch_counter counter, double value) {
    record->launch[counter] = (watch_value){.kind = WATCH_REAL, .real = value};
}

void watch_add(watch_record *record, watch_counter counter, uint64_t value) {
    watch_value *v = &record->launch[counter];
    if (v->kind == WATCH_ABSENT) *v = (watch_value){.kind = WATCH_COUNT};
    v->count += value;
}

void watch_put_at(watch_record *record, watch_counter counter, unsigned function, uint32_t instr, uint64_t value) {
    watch_table *table = &record->tables[function];
    if (!table->values[counter]) {
        table->values[counter] = calloc(table->n, sizeof(uint64_t));
        table->present[counter] = calloc((table->n + 63) / 64, sizeof(uint64_t));
        if (!table->values[counter] || !table->present[counter]) {
            free(table->values[counter]);
            free(table->present[counter]);
            table->values[counter] = table->present[counter] = NULL;
            record->failed = true;
            return;
        }
    }
    table->values[counter][instr] += value;
    table->present[counter][instr / 64] |= (uint64_t)1 << instr % 64;
}

void watch_add_at(watch_record *record, watch_counter counter, unsigned function, uint32_t instr, uint64_t value) {
    watch_add(record, counter, value);
    watch_put_at(record, counter, function, instr, value);
}

bool watch_get_at(const watch_record *record, watch_counter counter, unsigned function, uint32_t instr,
                  uint64_t *value) {
    const watch_table *table = &record->tables[function];
    if (!table->values[counter] || !(table->present[counter][instr / 64] >> instr % 64 & 1)) return false;
    *value = table->values[counter][instr];
    return true;
}

bool watch_cells_init(watch_cells *cells, const watch_context *ctx, size_t size) {
    cells->module = ctx->module;
    cells->size = size;
    cells->at = calloc(ctx->module->n_functions ? ctx->module->n_functions : 1, sizeof *cells->at);
    if (!cells->at) return false;
    /* The kernel's own cells come first, so that the hot path finds them made. */
    return watch_cells_more(cells, (unsigned)(ctx->function - ctx->module->functions)) != NULL;
}

void *watch_cells_more(watch_cells *cells, unsigned function) {
    if (function >= cells->module->n_functions) return NULL;
    size_t n = cells->module->functions[function].code_size / 16;
    cells->at[function] = calloc(n ? n : 1, cells->size);
    return cells->at[function];
}

void watch_cells_free(watch_cells *cells) {
    for (size_t f = 0; cells->at && f < cells->module->n_functions; f++) free(cells->at[f]);
    free(cells->at);
    cells->at = NULL;
}
