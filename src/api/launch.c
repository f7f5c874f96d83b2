/* Launches, counters, findings and reports of the C API. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/text.h"
#include "report/budget.h"
#include "report/quantity.h"
#include "report/report.h"
#include "watch/watch.h"

/* Lays the arguments out as the kernel's parameters lie. */
static wg_status lay_out(const img_function *f, const wg_arg *args, size_t n, uint8_t *params, wg_error *err) {
    if (n != f->n_params)
        return wg_fail(err, WG_ERR_ARGUMENT, "%s takes %zu arguments, not %zu", f->demangled, f->n_params, n);
    for (size_t i = 0; i < n; i++) {
        if (args[i].size != f->params[i].size)
            return wg_fail(err, WG_ERR_ARGUMENT, "%s: argument %zu has %zu bytes where the parameter has %u", f->demangled, i + 1, args[i].size,
                           f->params[i].size);
        memcpy(params + f->params[i].offset, args[i].at ? args[i].at : args[i].small, args[i].size);
    }
    return WG_OK;
}

static const wg_launch_record *keep_record(wg_device *dev, const json_t *before) {
    const json_t *last = ses_last_launch(dev->ses);
    if (!last || last == before) return NULL;
    wg_launch_record *record = malloc(sizeof *record);
    if (!record) return NULL;
    record->device = dev;
    record->json = json_incref((json_t *)last);
    if (wg_vec_push(&dev->records, record)) return record;
    json_decref(record->json);
    free(record);
    return NULL;
}

static wg_status launch(wg_device *dev, const wg_function *function, wg_dim grid, wg_dim block, uint32_t shared, bool cooperative,
                        const wg_arg *args, size_t n_args, const wg_launch_record **record, wg_error *err) {
    if (record) *record = NULL;
    if (!function) return WG_ERR_NOT_FOUND;
    const img_function *f = function->function;
    uint8_t *params = calloc(1, f->param_bytes ? f->param_bytes : 1);
    if (!params) return wg_fail(err, WG_ERR_MEMORY, "no memory for arguments");
    wg_status status = lay_out(f, args, n_args, params, err);
    if (status == WG_OK) {
        ses_launch launch = {.code = function->code, .function = f, .grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z},
                             .shared_dynamic = shared, .params = params, .cooperative = cooperative};
        const json_t *before = ses_last_launch(dev->ses);
        status = ses_run(dev->ses, &launch, NULL, err);
        const wg_launch_record *kept = keep_record(dev, before);
        if (record) *record = kept;
    }
    free(params);
    return status;
}

wg_status wg_launch(wg_device *dev, const wg_function *function, wg_dim grid, wg_dim block, uint32_t shared, const wg_arg *args,
                    size_t n_args, const wg_launch_record **record, wg_error *err) {
    return launch(dev, function, grid, block, shared, false, args, n_args, record, err);
}

wg_status wg_launch_cooperative(wg_device *dev, const wg_function *function, wg_dim grid, wg_dim block, uint32_t shared, const wg_arg *args,
                                size_t n_args, const wg_launch_record **record, wg_error *err) {
    return launch(dev, function, grid, block, shared, true, args, n_args, record, err);
}

double wg_counter(const wg_launch_record *record, const char *name) {
    const json_t *value = record ? json_object_get(json_object_get(record->json, "counters"), name) : NULL;
    return value ? json_number_value(value) : NAN;
}

bool wg_counter_is_exact(const wg_launch_record *record, const char *name) {
    int c = watch_counter_find(name);
    return c >= 0 && !isnan(wg_counter(record, name)) && watch_counter_table[c].exactness == WATCH_EXACT;
}

static const char *text_of(const json_t *object, const char *name) { return json_string_value(json_object_get(object, name)); }

static wg_finding finding_of(const json_t *f) {
    return (wg_finding){.kind = text_of(f, "kind"), .severity = text_of(f, "severity"), .message = text_of(f, "message"),
                        .kernel = text_of(f, "kernel"), .file = text_of(f, "file"),
                        .line = (uint32_t)json_integer_value(json_object_get(f, "line")),
                        .launch = (uint64_t)json_integer_value(json_object_get(f, "launch")),
                        .times = (uint64_t)json_integer_value(json_object_get(f, "count"))};
}

/* Those of a launch, or (NULL) all. */
static size_t findings(wg_device *dev, const json_t *launch, wg_finding *out, size_t n) {
    json_decref(dev->document);
    dev->document = ses_document(dev->ses);
    size_t i, found = 0;
    json_t *f;
    json_array_foreach(json_object_get(dev->document, "findings"), i, f) {
        if (launch && !json_equal(json_object_get(f, "launch"), launch)) continue;
        if (found < n) out[found] = finding_of(f);
        found++;
    }
    return found;
}

size_t wg_findings(wg_device *dev, wg_finding *out, size_t n) { return findings(dev, NULL, out, n); }

size_t wg_launch_findings(const wg_launch_record *record, wg_finding *out, size_t n) {
    return record ? findings(record->device, json_object_get(record->json, "index"), out, n) : 0;
}

bool wg_launch_complete(const wg_launch_record *record) { return record && json_is_true(json_object_get(record->json, "complete")); }

double wg_quantity(const wg_launch_record *record, const char *name) {
    rep_value v = record ? rep_quantity(name, json_object_get(record->json, "counters")) : (rep_value){.state = REP_NO_COUNTER};
    return v.state == REP_VALUE ? v.value : NAN;
}

static void tell_broken(const json_t *document, wg_error *err) {
    wg_text text = {0};
    rep_write_budget(document, &(rep_style){.quiet = true}, &text);
    wg_fail(err, WG_OK, "%s", text.at ? text.at : "no memory");
    wg_text_free(&text);
}

wg_status wg_budget(wg_device *dev, const char *path, size_t *broken, wg_error *err) {
    rep_budget budget = {0};
    json_t *document = ses_document(dev->ses);
    wg_status status = document ? rep_budget_read(path, &budget, err) : wg_fail(err, WG_ERR_MEMORY, "no memory for the budget");
    *broken = 0;
    if (status == WG_OK) {
        int n = rep_budget_apply(&budget, document);
        if (n < 0) status = wg_fail(err, WG_ERR_MEMORY, "no memory for the budget");
        else if ((*broken = (size_t)n)) tell_broken(document, err);
    }
    rep_budget_free(&budget);
    json_decref(document);
    return status;
}

static char *report(wg_device *dev, bool json) {
    static const rep_style style;
    wg_text text = {0};
    json_t *document = ses_document(dev->ses);
    bool ok = document && (json ? rep_json(document, &text) : rep_text(document, &style, &text));
    json_decref(document);
    if (ok) return text.at;
    wg_text_free(&text);
    return NULL;
}

char *wg_report_json(wg_device *dev) { return report(dev, true); }
char *wg_report_text(wg_device *dev) { return report(dev, false); }
