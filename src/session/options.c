/* Options travel from the command to the library as one JSON object in the environment. */
#include <stdlib.h>
#include <string.h>

#include "session/inner.h"

/* One row an option: its key, its member, how it is packed. */
#define TEXTS(X) X("gpu", gpu) X("kernels", kernels) X("checks", checks) X("record", record) X("trace", trace)
#define NUMBERS(X)                                                                                           \
    X("gpus", gpus) X("jobs", jobs) X("launch_skip", launch_skip) X("launch_count", launch_count) X("seed", seed)            \
    X("chunk_bytes", chunk_bytes) X("group_threads", group_threads) X("max_instructions", max_instructions)
#define FLAGS(X) X("want_instructions", want_instructions) X("want_samples", want_samples) X("want_outputs", want_outputs) X("progress", progress) X("stop_on_error", stop_on_error) X("kill", kill) \
    X("only_this_process", only_this_process)

char *ses_options_write(const ses_options *o) {
    json_t *object = json_object();
#define ADD(key, member) if (o->member) json_object_set_new(object, key, json_string(o->member));
    TEXTS(ADD)
#undef ADD
#define ADD(key, member) if (o->member) json_object_set_new(object, key, json_integer((json_int_t)o->member));
    NUMBERS(ADD)
#undef ADD
#define ADD(key, member) if (o->member) json_object_set_new(object, key, json_true());
    FLAGS(ADD)
#undef ADD
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(object);
    return text;
}

wg_status ses_options_read(const char *text, ses_options *out, wg_error *err) {
    json_error_t why;
    json_t *object = json_loads(text, 0, &why);
    if (!json_is_object(object)) {
        json_decref(object);
        return wg_fail(err, WG_ERR_ARGUMENT, "%s is not a JSON object (%s); it is set by the warpgrind command",
                       SES_ENVIRONMENT, why.text);
    }
    ses_options o = {0};
#define GET(key, member) o.member = json_string_value(json_object_get(object, key));
    TEXTS(GET)
#undef GET
#define GET(key, member) o.member = (__typeof__(o.member))json_integer_value(json_object_get(object, key));
    NUMBERS(GET)
#undef GET
#define GET(key, member) o.member = json_is_true(json_object_get(object, key));
    FLAGS(GET)
#undef GET
    bool ok = ses_options_copy(out, &o);
    json_decref(object);
    return ok ? WG_OK : wg_fail(err, WG_ERR_MEMORY, "no memory for the options");
}

unsigned ses_gpus_asked(void) {
    const char *text = getenv(SES_ENVIRONMENT);
    json_t *object = text ? json_loads(text, 0, NULL) : NULL;
    json_int_t n = json_integer_value(json_object_get(object, "gpus"));
    json_decref(object);
    return n > 1 && n <= SES_MOST_GPUS ? (unsigned)n : 1;
}

bool ses_options_copy(ses_options *to, const ses_options *from) {
    *to = *from;
    bool ok = true;
#define COPY(key, member) if (from->member && !(to->member = strdup(from->member))) ok = false;
    TEXTS(COPY)
#undef COPY
    return ok;
}

void ses_options_free(ses_options *options) {
#define FREE(key, member) free((char *)options->member);
    TEXTS(FREE)
#undef FREE
    memset(options, 0, sizeof *options);
}
