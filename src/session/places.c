/* Places in the code: of the kernel (offset, SASS, source line) and of the host (object and offset). */
#include <dlfcn.h>
#include <stdio.h>

#include "session/inner.h"

json_t *ses_hex(uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    return json_string(text);
}

/* Names the object and the offset in it; the command finds function and line when the program is gone. */
json_t *ses_stack_json(void *const *stack, unsigned n) {
    json_t *frames = json_array();
    for (unsigned i = 0; i < n; i++) {
        Dl_info info;
        json_t *frame = json_object();
        json_object_set_new(frame, "address", ses_hex((uintptr_t)stack[i]));
        if (dladdr(stack[i], &info) && info.dli_fname) {
            json_object_set_new(frame, "object", json_string(info.dli_fname));
            json_object_set_new(frame, "offset", json_integer((json_int_t)((char *)stack[i] - (char *)info.dli_fbase)));
            if (info.dli_sname) json_object_set_new(frame, "symbol", json_string(info.dli_sname));
        }
        json_array_append_new(frames, frame);
    }
    return frames;
}

static void add_lines(json_t *place, const img_function *function, const img_line *line) {
    if (!line || !line->file || !line->line) return;
    json_object_set_new(place, "file", json_string(line->file));
    json_object_set_new(place, "line", json_integer(line->line));
    json_t *chain = NULL;
    for (uint32_t at = line->inlined_at, depth = 0; at && at <= function->n_inlined && depth < 32; depth++) {
        const img_line *call = &function->inlined[at - 1];
        if (!chain) chain = json_array();
        json_array_append_new(chain, json_pack("{s:s?, s:i, s:s*}", "file", call->file, "line", (int)call->line, "function",
                                               line->function));
        line = call;
        at = call->inlined_at;
    }
    if (chain) json_object_set_new(place, "inlined", chain);
}

json_t *ses_place_json(const eng_code *code, const img_function *function, uint32_t instr) {
    json_t *place = json_object();
    char text[256] = "";
    sass_print(&eng_instructions(code, function)[instr], text, sizeof text);
    json_object_set_new(place, "offset", json_integer((json_int_t)instr * 16));
    json_object_set_new(place, "sass", json_string(text));
    add_lines(place, function, img_line_at(function, instr * 16));
    return place;
}

json_t *ses_instructions_json(const eng_code *code, const img_function *kernel, const watch_record *record) {
    const img_module *module = eng_code_module(code);
    json_t *all = json_array();
    for (unsigned f = 0; f < record->n_tables; f++) {
        const watch_table *table = &record->tables[f];
        const img_function *function = &module->functions[f];
        if (!table->values[WATCH_INST]) continue;
        for (uint32_t i = 0; i < table->n; i++) {
            json_t *counters = NULL;
            for (int c = 0; c < WATCH_COUNTERS; c++) {
                uint64_t value;
                if (!watch_get_at(record, c, f, i, &value)) continue;
                if (!counters) counters = json_object();
                json_object_set_new_nocheck(counters, watch_counter_table[c].name, json_integer((json_int_t)value));
            }
            if (!counters) continue;
            json_t *place = ses_place_json(code, function, i);
            if (function != kernel) json_object_set_new(place, "function", json_string(function->demangled));
            json_t *sample = json_object_get(record->samples, watch_sample_key_of(f, i).text);
            if (sample) json_object_set(place, "sample", sample);
            json_object_set_new(place, "counters", counters);
            json_array_append_new(all, place);
        }
    }
    return all;
}
