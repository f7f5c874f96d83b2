/* Reads what --trace is given. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "watch/trace.h"

typedef struct reader {
    const char *at;
    wg_error *err;
} reader;

static void blanks(reader *r) { while (isspace((unsigned char)*r->at)) r->at++; }

static bool number(reader *r, uint64_t most, uint64_t *out) {
    blanks(r);
    uint64_t v = 0;
    if (!isdigit((unsigned char)*r->at)) return false;
    for (; isdigit((unsigned char)*r->at); r->at++)
        if ((v = v * 10 + (uint64_t)(*r->at - '0')) > most) return false;
    *out = v;
    return true;
}

static bool symbol(reader *r, char c) {
    blanks(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static bool read_block(reader *r, watch_trace_spec *out) {
    uint64_t v;
    out->linear = !symbol(r, '(');
    for (int d = 0; d < (out->linear ? 1 : 3); d++) {
        if (d && !symbol(r, ',')) break;
        if (!number(r, UINT32_MAX, &v)) return false;
        out->block[d] = (uint32_t)v;
    }
    return out->linear || symbol(r, ')');
}

static bool read_lanes(reader *r, watch_trace_spec *out) {
    uint64_t first, last;
    if (!number(r, 31, &first)) return false;
    last = first;
    if (symbol(r, '-') && !number(r, 31, &last)) return false;
    out->first_lane = (unsigned)first;
    out->last_lane = (unsigned)last;
    return first <= last;
}

static bool read_registers(reader *r, watch_trace_spec *out) {
    bool any = false;
    for (uint64_t v; symbol(r, 'R'); any = true) {
        if (!number(r, 254, &v)) return false;
        out->registers[v / 64] |= (uint64_t)1 << v % 64;
    }
    return any;
}

static bool read_part(reader *r, watch_trace_spec *out) {
    char word[16];
    size_t n = 0;
    uint64_t v = 0;
    blanks(r);
    while (islower((unsigned char)r->at[n]) && n + 1 < sizeof word) n++;
    memcpy(word, r->at, n);
    word[n] = '\0';
    r->at += n;
    if (strcmp(word, "block") == 0) return read_block(r, out);
    if (strcmp(word, "lanes") == 0) return read_lanes(r, out);
    if (strcmp(word, "registers") == 0) return read_registers(r, out);
    if (strcmp(word, "warp") == 0) return number(r, 31, &v) && (out->warp = (unsigned)v, true);
    if (strcmp(word, "launch") == 0) return number(r, INT64_MAX / 16, &v) && (out->launch = v, true);
    if (strcmp(word, "steps") == 0) return number(r, WATCH_TRACE_MOST_STEPS, &v) && v && (out->steps = (uint32_t)v, true);
    return false;
}

wg_status watch_trace_read(const char *text, watch_trace_spec *out, wg_error *err) {
    *out = (watch_trace_spec){.linear = true, .last_lane = 31, .steps = WATCH_TRACE_STEPS};
    size_t n = strlen(text);
    const char *bracket = n && text[n - 1] == ']' ? strrchr(text, '[') : NULL;
    size_t name = bracket ? (size_t)(bracket - text) : n;
    if (!name || name >= sizeof out->kernel)
        return wg_fail(err, WG_ERR_ARGUMENT, "--trace '%s': which kernel? Say KERNEL or 'KERNEL[block 0, warp 0]'", text);
    memcpy(out->kernel, text, name);
    if (!bracket) return WG_OK;
    reader r = {.at = bracket + 1};
    do {
        const char *part = r.at;
        if (!read_part(&r, out))
            return wg_fail(err, WG_ERR_ARGUMENT,
                           "--trace: '%.*s' is not understood; the parts are block 3 or (x,y,z), warp 1, lanes 0-7, registers R5 R7, "
                           "launch 0, steps %d", (int)(strcspn(part, "]")), part, WATCH_TRACE_STEPS);
    } while (symbol(&r, ','));
    blanks(&r);
    if (strcmp(r.at, "]") != 0) return wg_fail(err, WG_ERR_ARGUMENT, "--trace: a comma is missing before '%s'", r.at);
    return WG_OK;
}

bool watch_trace_wants(const watch_trace_spec *spec, const img_function *kernel) {
    if (strpbrk(spec->kernel, "*?")) return wg_glob(spec->kernel, kernel->demangled) || wg_glob(spec->kernel, kernel->name);
    return strstr(kernel->demangled, spec->kernel) != NULL;
}
