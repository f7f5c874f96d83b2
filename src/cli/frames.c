/* Host stacks: function, file and line of each frame, read from the objects' debug information with libdw. */
#include <dwarf.h>
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

static void put_place(json_t *frame, const char *file, int line) {
    if (!file || !line) return;
    json_object_set_new(frame, "file", json_string(file));
    json_object_set_new(frame, "line", json_integer(line));
}

static void put_symbol(json_t *frame, const char *name) {
    char *readable = name ? cplus_demangle(name, DMGL_NO_OPTS) : NULL;
    if (name) json_object_set_new(frame, "symbol", json_string(readable ? readable : name));
    free(readable);
}

/* Where an inlined function was called. */
static void put_call(json_t *frame, Dwarf_Die *unit, Dwarf_Die *inlined) {
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files = NULL;
    size_t n;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 || dwarf_getsrcfiles(unit, &files, &n) != 0 || file >= n)
        return;
    put_place(frame, dwarf_filesrc(files, file, NULL, NULL), (int)line);
}

/* What the debug information says of a return address: an array of frames, innermost first, with symbol, file and line as far as
 * they are known. There is more than one where calls were inlined. */
static json_t *describe(object *o, json_int_t offset) {
    json_t *frames = json_array(), *frame = json_object();
    /* A return address: the call is the byte before it. */
    GElf_Addr at = o->bias + (GElf_Addr)offset - 1;
    Dwarf_Addr bias = 0;
    Dwfl_Line *line = dwfl_module_getsrc(o->module, at);
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    put_place(frame, file, number);
    Dwarf_Die *unit = dwfl_module_addrdie(o->module, at, &bias), *scopes = NULL;
    int n = unit ? dwarf_getscopes(unit, at - bias, &scopes) : 0;
    for (int k = 0; k < n; k++) {
        if (dwarf_tag(&scopes[k]) != DW_TAG_inlined_subroutine) continue;
        put_symbol(frame, dwarf_diename(&scopes[k]));
        json_array_append_new(frames, frame);
        frame = json_object();
        put_call(frame, unit, &scopes[k]);
    }
    if (n > 0) free(scopes);
    put_symbol(frame, dwfl_module_addrname(o->module, at));
    json_array_append_new(frames, frame);
    return frames;
}

/* All frames of a document: programs launch from the same few places again and again. */
typedef struct resolver {
    wg_arena *arena;
    wg_strmap objects; /* path -> object */
    wg_strmap places;  /* "path+offset" -> what describe gave */
} resolver;

/* The frames that one of the record stands for; NULL: nothing is known. */
static const json_t *resolve(resolver *r, const char *path, const json_t *frame) {
    json_int_t offset = json_integer_value(json_object_get(frame, "offset"));
    char *key = wg_arena_printf(r->arena, "%s+%lld", path, (long long)offset);
    json_t *place = key ? wg_strmap_get(&r->places, key) : NULL;
    if (!key) return NULL;
    if (!place) {
        object *o = wg_strmap_get(&r->objects, path);
        if (!o && (o = open_object(path)) != NULL && !wg_strmap_set(&r->objects, path, o)) return NULL;
        place = o && o->module ? describe(o, offset) : json_array();
        if (!wg_strmap_set(&r->places, key, place)) return NULL;
    }
    return place;
}

/* Frames between a program's own call and the runtime: wrappers of the toolkit's headers, and what nvcc makes of a kernel's name on
 * the host. launch: text that begins with the kernel's name; NULL: it is no launch. */
static bool is_wrapper(const json_t *frame, const char *launch) {
    static const char *const headers[] = {"cuda_runtime.h", "cuda_runtime_api.h", "device_functions.h", "host_runtime.h"};
    const char *file = json_string_value(json_object_get(frame, "file")), *symbol = json_string_value(json_object_get(frame, "symbol"));
    const char *slash = file ? strrchr(file, '/') : NULL, *base = slash ? slash + 1 : file;
    for (size_t i = 0; base && i < sizeof headers / sizeof *headers; i++)
        if (strcmp(base, headers[i]) == 0) return true;
    if (!symbol) return false;
    size_t n = strlen(symbol);
    if (launch && strncmp(launch, "void ", 5) == 0) launch += 5; /* of a template */
    return (strncmp(symbol, "cuda", 4) == 0 && strchr(symbol, '<')) || strstr(symbol, "__device_stub_") ||
           strncmp(symbol, "__cudaLaunchKernel", 18) == 0 ||
           (launch && strncmp(symbol, launch, n) == 0 && (launch[n] == '(' || launch[n] == '<' || !launch[n]));
}

static void resolve_stack(json_t *stack, const char *launch, resolver *r) {
    for (size_t i = 0; i < json_array_size(stack); i++) {
        json_t *frame = json_array_get(stack, i);
        const char *path = json_string_value(json_object_get(frame, "object"));
        const json_t *known = path ? resolve(r, path, frame) : NULL;
        size_t n = json_array_size(known);
        for (size_t k = 0; k + 1 < n; k++) { /* calls that were inlined come before the frame itself */
            json_t *inner = json_copy(frame);
            json_object_update(inner, json_array_get(known, k));
            json_array_insert_new(stack, i++, inner);
        }
        if (n) json_object_update(frame, json_array_get(known, n - 1));
    }
    while (json_array_size(stack) > 1 && is_wrapper(json_array_get(stack, 0), launch)) json_array_remove(stack, 0);
}

/* Stacks of the allocation that a finding, or one of its sides, speaks of. */
static void resolve_allocation(const json_t *side, resolver *r) {
    const json_t *allocation = json_object_get(side, "allocation");
    resolve_stack(json_object_get(allocation, "allocated"), NULL, r);
    resolve_stack(json_object_get(allocation, "freed_at"), NULL, r);
}

void cli_resolve_frames(json_t *document) {
    static const struct { const char *list, *member; } places[] = {
        {"allocations", "allocated"}, {"findings", "stack"}, {"launches", "stack"}};
    resolver r = {.arena = wg_arena_new()};
    if (!r.arena) return;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        size_t i;
        json_t *item;
        json_array_foreach(json_object_get(document, places[p].list), i, item) {
            const char *kernel = json_string_value(json_object_get(item, "kernel"));
            if (!kernel) kernel = json_string_value(json_object_get(item, "message")); /* of a launch that was refused: it begins with the kernel */
            resolve_stack(json_object_get(item, places[p].member), kernel, &r);
        }
    }
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(document, "findings"), i, finding) {
        const json_t *other = json_object_get(finding, "other"); /* an operation has a stack of its own */
        resolve_stack(json_object_get(other, "stack"), json_string_value(json_object_get(other, "kernel")), &r);
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
