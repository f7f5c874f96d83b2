/* Host stacks: function, file and line of each frame, read from the objects' debug information with libdw. */
#include <elfutils/libdwfl.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/map.h"
#include "cli/cli.h"

/* One object, opened once for all frames in it. */
typedef struct object {
    Dwfl *dwfl;
    Dwfl_Module *module;
    GElf_Addr bias; /* address in dwfl of the object's first byte */
} object;

static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf, .section_address = dwfl_offline_section_address,
                                         .find_debuginfo = dwfl_standard_find_debuginfo};

static object *open_object(const char *path) {
    object *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->dwfl = access(path, R_OK) == 0 ? dwfl_begin(&callbacks) : NULL;
    o->module = o->dwfl ? dwfl_report_offline(o->dwfl, path, path, -1) : NULL;
    if (o->dwfl) dwfl_report_end(o->dwfl, NULL, NULL);
    if (o->module) dwfl_module_info(o->module, NULL, &o->bias, NULL, NULL, NULL, NULL, NULL);
    return o;
}

/* What the debug information says of a return address: symbol, file, line, as far as known. */
static json_t *describe(object *o, json_int_t offset) {
    json_t *frame = json_object();
    /* A return address: the call is the byte before it. */
    GElf_Addr at = o->bias + (GElf_Addr)offset - 1;
    const char *name = dwfl_module_addrname(o->module, at);
    if (name) {
        char *readable = cplus_demangle(name, DMGL_NO_OPTS);
        json_object_set_new(frame, "symbol", json_string(readable ? readable : name));
        free(readable);
    }
    Dwfl_Line *line = dwfl_module_getsrc(o->module, at);
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (file) {
        json_object_set_new(frame, "file", json_string(file));
        json_object_set_new(frame, "line", json_integer(number));
    }
    return frame;
}

/* All frames of a document: programs launch from the same few places again and again. */
typedef struct resolver {
    wg_arena *arena;
    wg_strmap objects; /* path -> object */
    wg_strmap places;  /* "path+offset" -> json_t of describe */
} resolver;

static void resolve(resolver *r, const char *path, json_t *frame) {
    json_int_t offset = json_integer_value(json_object_get(frame, "offset"));
    char *key = wg_arena_printf(r->arena, "%s+%lld", path, (long long)offset);
    json_t *place = key ? wg_strmap_get(&r->places, key) : NULL;
    if (!key) return;
    if (!place) {
        object *o = wg_strmap_get(&r->objects, path);
        if (!o && (o = open_object(path)) != NULL && !wg_strmap_set(&r->objects, path, o)) return;
        place = o && o->module ? describe(o, offset) : json_object();
        if (!wg_strmap_set(&r->places, key, place)) return;
    }
    json_object_update(frame, place);
}

static void resolve_stack(json_t *stack, resolver *r) {
    size_t i;
    json_t *frame;
    json_array_foreach(stack, i, frame) {
        const char *path = json_string_value(json_object_get(frame, "object"));
        if (path) resolve(r, path, frame);
    }
}

/* Stacks of the allocation that a finding, or one of its sides, speaks of. */
static void resolve_allocation(const json_t *side, resolver *r) {
    const json_t *allocation = json_object_get(side, "allocation");
    resolve_stack(json_object_get(allocation, "allocated"), r);
    resolve_stack(json_object_get(allocation, "freed_at"), r);
}

void cli_resolve_frames(json_t *document) {
    static const struct { const char *list, *member; } places[] = {
        {"allocations", "allocated"}, {"findings", "stack"}, {"launches", "stack"}};
    resolver r = {.arena = wg_arena_new()};
    if (!r.arena) return;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        size_t i;
        json_t *item;
        json_array_foreach(json_object_get(document, places[p].list), i, item)
            resolve_stack(json_object_get(item, places[p].member), &r);
    }
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(document, "findings"), i, finding) {
        resolve_allocation(finding, &r);
        resolve_allocation(json_object_get(finding, "other"), &r);
        resolve_allocation(json_object_get(finding, "origin"), &r);
    }
    for (size_t s = 0; s < r.objects.room; s++) {
        object *o = r.objects.slots[s].value;
        if (!o) continue;
        if (o->dwfl) dwfl_end(o->dwfl);
        free(o);
    }
    for (size_t s = 0; s < r.places.room; s++) json_decref(r.places.slots[s].value);
    wg_strmap_free(&r.objects);
    wg_strmap_free(&r.places);
    wg_arena_free(r.arena);
}
