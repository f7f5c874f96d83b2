/* Findings that come again, launch after launch: a loop of a thousand steps makes one mistake a thousand times. The first stays, with how many
 * launches made it. */
#include <ctype.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "session/inner.h"

static void add_words(wg_text *key, const json_t *o, const char *const *names) {
    for (; *names; names++) {
        const json_t *value = json_object_get(o, *names);
        if (json_is_string(value)) wg_text_printf(key, "%s", json_string_value(value));
        else if (json_is_integer(value)) wg_text_printf(key, "%lld", (long long)json_integer_value(value));
        wg_text_add(key, "|");
    }
}

/* The same in every launch, though addresses and allocations may be others: words without numbers. */
static void add_message(wg_text *key, const char *message) {
    for (const char *c = message ? message : ""; *c;) {
        bool number = isdigit((unsigned char)*c);
        size_t n = number ? 0 : strcspn(c, "0123456789");
        wg_text_add_n(key, number ? "0" : c, number ? 1 : n);
        c += number ? strspn(c, "0123456789abcdefx") : n;
    }
}

static uint64_t key_of(const json_t *f) {
    static const char *const own[] = {"kind", "severity", "kernel", "mangled", "process", "call", "access", "space", "file", "line", "offset", NULL};
    static const char *const sides[] = {"other", "origin", NULL}, *const side[] = {"call", "kernel", "access", "file", "line", "offset", NULL};
    wg_text key = {0};
    size_t i;
    json_t *frame;
    add_words(&key, f, own);
    for (const char *const *name = sides; *name; name++) add_words(&key, json_object_get(f, *name), side);
    json_array_foreach(json_object_get(f, "stack"), i, frame) wg_text_printf(&key, "%s,", json_string_value(json_object_get(frame, "address")));
    add_message(&key, json_string_value(json_object_get(f, "message")));
    uint64_t h = wg_hash_bytes(key.at ? key.at : "", key.at ? strlen(key.at) : 0);
    wg_text_free(&key);
    return h;
}

static void add_to(json_t *f, const char *name, json_int_t first, json_int_t more) {
    json_t *now = json_object_get(f, name);
    json_object_set_new(f, name, json_integer((now ? json_integer_value(now) : first) + more));
}

json_t *ses_fold_repeated(json_t *findings) {
    wg_u64map launches = {0}, order = {0}, first = {0};
    json_t *out = json_array(), *f;
    size_t i;
    json_array_foreach(findings, i, f) {
        const json_t *of = json_object_get(f, "launch");
        uint64_t launch = (uint64_t)json_integer_value(of) + 1, h = of ? key_of(f) : 0;
        uint64_t *last = of ? wg_u64map_add(&launches, h) : NULL, *nth = last ? wg_u64map_add(&order, h) : NULL;
        if (nth) { /* the second of a launch belongs to the second of another one */
            *nth = *last == launch ? *nth + 1 : 0;
            *last = launch;
        }
        uint64_t *at = nth ? wg_u64map_add(&first, wg_hash_u64(h + *nth)) : NULL;
        if (at && *at) {
            json_t *known = json_array_get(out, *at - 1);
            add_to(known, "count", 1, json_object_get(f, "count") ? json_integer_value(json_object_get(f, "count")) : 1);
            add_to(known, "launches", 1, 1);
            continue;
        }
        json_array_append(out, f);
        if (at) *at = json_array_size(out);
    }
    wg_u64map_free(&launches);
    wg_u64map_free(&order);
    wg_u64map_free(&first);
    return out;
}
