/* The warp that --trace asks for: found among the launches, recorded once. */
#include <stdlib.h>

#include "session/inner.h"
#include "watch/trace.h"

struct ses_tracing {
    watch_trace_spec spec;
    bool read, done;
    uint64_t matched; /* launches of the kernel so far */
    watch_trace *trace; /* while its launch runs */
};

eng_trace *ses_trace_begin(session *ses, const ses_launch *l, const eng_launch *launch) {
    wg_error err = {0};
    if (!ses->options.trace) return NULL;
    if (!ses->tracing && !(ses->tracing = calloc(1, sizeof *ses->tracing))) return NULL;
    struct ses_tracing *t = ses->tracing;
    if (!t->read) {
        t->read = true;
        t->done = watch_trace_read(ses->options.trace, &t->spec, &err) != WG_OK;
        if (t->done) ses_note(ses, "%s", err.text);
    }
    if (t->done || !watch_trace_wants(&t->spec, l->function) || t->matched++ != t->spec.launch) return NULL;
    eng_trace *engine = NULL;
    t->done = true;
    if (watch_trace_start(&t->spec, l->code, launch, &t->trace, &engine, &err) != WG_OK) ses_note(ses, "%s", err.text);
    return engine;
}

void ses_trace_end(session *ses, const ses_launch *l, uint64_t index) {
    watch_trace *trace = ses->tracing ? ses->tracing->trace : NULL;
    if (!trace) return;
    const img_module *module = eng_code_module(l->code);
    json_t *out = watch_trace_json(trace);
    for (size_t i = 0; out && i < watch_trace_places(trace); i++) {
        unsigned function;
        uint32_t instr;
        watch_trace_place(trace, i, &function, &instr);
        json_t *place = ses_place_json(l->code, &module->functions[function], instr);
        if (&module->functions[function] != l->function)
            json_object_set_new(place, "function", json_string(module->functions[function].demangled));
        json_object_update(json_array_get(json_object_get(out, "instructions"), i), place);
        json_decref(place);
    }
    if (out) {
        json_object_set_new(out, "kernel", json_string(l->function->demangled));
        json_object_set_new(out, "mangled", json_string(l->function->name));
        json_object_set_new(out, "launch", json_integer((json_int_t)index));
    }
    ses_write(ses, "trace", out);
    watch_trace_free(trace);
    ses->tracing->trace = NULL;
}
