/* Findings of a launch: the engine's own and the watches', as records. */
#include <stdio.h>
#include <string.h>

#include "base/toolkit.h"
#include "session/inner.h"

static const char *const space_names[] = {"global", "shared", "local", "constant", "parameter", "cluster"};
static const char *const severities[] = {[WATCH_NOTE] = "note", [WATCH_WARNING] = "warning", [WATCH_ERROR] = "error"};

static const struct { watch_kind kind; const char *words; } engine_kinds[] = {
    [ENG_FAULT_WILD] = {WATCH_KIND_OUT_OF_BOUNDS, "an address that no allocation is near"},
    [ENG_FAULT_NULL] = {WATCH_KIND_OUT_OF_BOUNDS, "a null pointer"},
    [ENG_FAULT_OUT_OF_BOUNDS] = {WATCH_KIND_OUT_OF_BOUNDS, "out of bounds of its allocation"},
    [ENG_FAULT_STRAYED] = {WATCH_KIND_OUT_OF_BOUNDS, "out of bounds of the argument that it starts from"},
    [ENG_FAULT_FREED] = {WATCH_KIND_USE_AFTER_FREE, "memory that was freed"},
    [ENG_FAULT_MISALIGNED] = {WATCH_KIND_MISALIGNED, "an address that is not a multiple of the access's width"},
    [ENG_FAULT_HOST_POINTER] = {WATCH_KIND_HOST_ACCESS, "a pointer to host memory"},
    [ENG_FAULT_READ_ONLY] = {WATCH_KIND_OUT_OF_BOUNDS, "__constant__ memory, which kernels may only read"},
    [ENG_FAULT_PEER] = {WATCH_KIND_OUT_OF_BOUNDS, "memory of another device, which this one has no access to (cudaDeviceEnablePeerAccess gives it)"},
    [ENG_FAULT_BETWEEN] = {WATCH_KIND_OUT_OF_BOUNDS, "out of bounds of what the program has given out of its memory pool"},
    [ENG_FAULT_GIVEN_BACK] = {WATCH_KIND_USE_AFTER_FREE, "memory that was given back to the program's memory pool"},
    [ENG_FAULT_FORBIDDEN] = {WATCH_KIND_OUT_OF_BOUNDS, "memory that the program has not permitted such an access to"},
    [ENG_FAULT_SHARED] = {WATCH_KIND_OUT_OF_BOUNDS, "out of bounds of the block's shared memory"},
    [ENG_FAULT_CLUSTER] = {WATCH_KIND_OUT_OF_BOUNDS, "out of bounds of the cluster's shared memory"},
    [ENG_FAULT_ENDED] = {WATCH_KIND_OUT_OF_BOUNDS, "shared memory of a block of the cluster that has ended"},
    [ENG_FAULT_LOCAL] = {WATCH_KIND_OUT_OF_BOUNDS, "out of bounds of the thread's local memory"},
    [ENG_FAULT_CONSTANT] = {WATCH_KIND_OUT_OF_BOUNDS, "out of bounds of a constant bank"},
    [ENG_FAULT_DEADLOCK] = {WATCH_KIND_DEADLOCK, "every warp waits, or spins without end: nothing in this launch lets one of them go on"},
    [ENG_FAULT_DEADLOCK_IN_BRANCH] = {WATCH_KIND_DEADLOCK, "every warp waits: some lanes of a warp are at a block barrier, to which the warp's other lanes, which wait "
                                      "elsewhere, do not come. All threads must reach the same __syncthreads() equally often: move it out of the branch or the loop"},
    [ENG_FAULT_TIMEOUT] = {WATCH_KIND_TIMEOUT, "the kernel did not end"},
    [ENG_FAULT_UNSUPPORTED] = {WATCH_KIND_UNSUPPORTED, "an instruction that is not supported"},
    [ENG_FAULT_TRAP] = {WATCH_KIND_ASSERT, "the kernel executed a trap"},
    [ENG_FAULT_ILLEGAL] = {WATCH_KIND_MASK, "an illegal instruction: the mask of a shuffle, vote or __syncwarp does not name the lane that executes it"},
    [ENG_FAULT_ASSERT] = {WATCH_KIND_ASSERT, "a device-side assertion failed"},
    [ENG_FAULT_FREE] = {WATCH_KIND_DOUBLE_FREE, "a device-side free of what is not allocated"},
    [ENG_FAULT_TENSOR_MAP] = {WATCH_KIND_OUT_OF_BOUNDS, "a bulk copy of a tensor that the device refuses"},
    [ENG_FAULT_STACK] = {WATCH_KIND_OUT_OF_BOUNDS, "the thread's stack is full"},
};

static const char *access_name(uint8_t access) {
    return access & ENG_ATOMIC ? "atomic" : access & ENG_WRITE ? "write" : "read";
}

/* --- what the engine found ------------------------------------------------------------------------ */

static void say_where(const eng_finding *f, char *text, size_t size) {
    int n = snprintf(text, size, "%s of %u bytes at %s address 0x%llx: %s", access_name(f->access), f->width,
                     space_names[f->space], (unsigned long long)f->address, engine_kinds[f->kind].words);
    const eng_allocation *a = f->allocation;
    if (!a || n < 0 || (size_t)n >= size) return;
    int64_t beyond = (int64_t)(f->address - a->address);
    char what[120];
    const char *name = a->name ? a->name : a->label;
    if (name) snprintf(what, sizeof what, "%s, %llu bytes", name, (unsigned long long)a->size);
    else snprintf(what, sizeof what, "allocation #%u of %llu bytes", a->id, (unsigned long long)a->size);
    text += n, size -= (size_t)n;
    if (beyond == (int64_t)a->size) snprintf(text, size, " (right behind %s)", what);
    else if (beyond > (int64_t)a->size) snprintf(text, size, " (%lld bytes past the end of %s)", (long long)(beyond - (int64_t)a->size), what);
    else if (beyond >= 0) snprintf(text, size, " (byte %lld of %s)", (long long)beyond, what);
    else snprintf(text, size, " (%lld bytes before %s)", (long long)-beyond, what);
}

void ses_finding_of_engine(const eng_finding *f, watch_finding *out) {
    *out = (watch_finding){.kind = engine_kinds[f->kind].kind, .severity = WATCH_ERROR, .fatal = f->fatal, .key = f->kind,
                           .at = {.known = true, .is_access = f->kind <= ENG_FAULT_CONSTANT, .function = f->function,
                                  .warp = (uint16_t)f->warp, .instr = f->instr, .block = f->block, .lane = f->lane,
                                  .lanes = f->lanes, .space = (uint8_t)f->space, .access = f->access, .width = f->width,
                                  .address = f->address, .allocation = f->allocation}};
    snprintf(out->message, sizeof out->message, "%s", engine_kinds[f->kind].words);
    if (out->at.is_access) say_where(f, out->message, sizeof out->message);
    snprintf(out->detail, sizeof out->detail, "%s", f->text);
}

/* --- as JSON ---------------------------------------------------------------------------------------- */

static json_t *triple(uint64_t linear, const uint32_t size[3]) {
    return json_pack("[I, I, I]", (json_int_t)(linear % size[0]), (json_int_t)(linear / size[0] % size[1]),
                     (json_int_t)(linear / size[0] / size[1]));
}

json_t *ses_allocation_json(const eng_allocation *a, uint64_t address) {
    json_t *out = json_pack("{s:I, s:o, s:I, s:I}", "id", (json_int_t)a->id, "address", ses_hex(a->address), "size",
                            (json_int_t)a->size, "offset", (json_int_t)(address - a->address));
    if (a->name || a->label) json_object_set_new(out, "name", json_string(a->name ? a->name : a->label));
    if (a->freed) json_object_set_new(out, "freed", json_true());
    if (a->n_stack) json_object_set_new(out, "allocated", ses_stack_json(a->stack, a->n_stack));
    if (a->n_free_stack) json_object_set_new(out, "freed_at", ses_stack_json(a->free_stack, a->n_free_stack));
    return out;
}

/* The frame that counts is the innermost one of the program's own; those of the toolkit's headers inside it are left in
 * "inlined", which then begins with where the code really lies. */
static void choose_frame(json_t *place) {
    const char *file = json_string_value(json_object_get(place, "file"));
    size_t i;
    json_t *call;
    if (!file || !wg_is_toolkit_file(file)) return;
    json_array_foreach(json_object_get(place, "inlined"), i, call) {
        const char *from = json_string_value(json_object_get(call, "file"));
        if (!from || wg_is_toolkit_file(from)) continue;
        json_t *inner = json_pack("{s:O, s:O}", "file", json_object_get(place, "file"), "line", json_object_get(place, "line"));
        json_object_set(place, "file", json_object_get(call, "file"));
        json_object_set(place, "line", json_object_get(call, "line"));
        json_array_insert_new(json_object_get(place, "inlined"), 0, inner);
        json_array_remove(json_object_get(place, "inlined"), i + 1);
        return;
    }
}

json_t *ses_own_place_json(const eng_code *code, const img_function *function, uint32_t instr) {
    json_t *out = instr < function->code_size / 16 ? ses_place_json(code, function, instr) : json_object();
    json_t *text = json_object_get(out, "sass");
    if (text) json_object_set(out, "instruction", text);
    json_object_del(out, "sass");
    choose_frame(out);
    return out;
}

static json_t *side_json(const session *ses, const ses_launch *l, const watch_side *side) {
    json_t *out = ses_own_place_json(l->code, &eng_code_module(l->code)->functions[side->function], side->instr);
    json_object_set_new(out, "block", triple(side->block, l->grid));
    json_object_set_new(out, "thread", triple((uint64_t)side->warp * 32 + side->lane, l->block));
    json_object_set_new(out, "warp", json_integer(side->warp));
    json_object_set_new(out, "lane", json_integer(side->lane));
    json_object_set_new(out, "lanes", json_integer(side->lanes ? side->lanes : UINT32_C(1) << side->lane));
    if (!side->is_access) return out;
    json_object_set_new(out, "space", json_string(space_names[side->space]));
    json_object_set_new(out, "access", json_string(access_name(side->access)));
    json_object_set_new(out, "width", json_integer(side->width));
    json_object_set_new(out, "address", ses_hex(side->address));
    const eng_allocation *a = side->allocation;
    if (!a && side->space == ENG_GLOBAL) a = eng_memory_find(eng_device_memory(ses->device), side->address, NULL);
    if (a) json_object_set_new(out, "allocation", ses_allocation_json(a, side->address));
    return out;
}

json_t *ses_finding_json(const session *ses, const ses_launch *l, uint64_t index, const watch_finding *f) {
    json_t *out = f->at.known ? side_json(ses, l, &f->at) : json_object();
    json_object_set_new(out, "kind", json_string(watch_kind_name(f->kind)));
    json_object_set_new(out, "severity", json_string(severities[f->severity]));
    json_object_set_new(out, "kernel", json_string(l->function->demangled));
    json_object_set_new(out, "mangled", json_string(l->function->name));
    json_object_set_new(out, "launch", json_integer((json_int_t)index));
    json_object_set_new(out, "count", json_integer((json_int_t)f->count));
    json_object_set_new(out, "message", json_string(f->message));
    if (f->fatal) json_object_set_new(out, "fatal", json_true());
    if (l->after_fault) json_object_set_new(out, "after_fault", json_true());
    if (f->detail[0]) json_object_set_new(out, "detail", json_string(f->detail));
    if (f->other.known) json_object_set_new(out, "other", side_json(ses, l, &f->other));
    if (f->origin.known) json_object_set_new(out, "origin", side_json(ses, l, &f->origin));
    if (l->n_stack) json_object_set_new(out, "stack", ses_stack_json(l->stack, l->n_stack));
    return out;
}

const char *ses_fatal_message(const watch_findings *all) {
    for (size_t i = 0; i < all->list.count; i++)
        if (all->list.at[i].fatal) return all->list.at[i].message;
    return NULL;
}

static uint64_t hash_place(uint64_t h, const json_t *place) {
    const char *file = json_string_value(json_object_get(place, "file"));
    uint64_t at = file ? (uint64_t)json_integer_value(json_object_get(place, "line")) : (uint64_t)json_integer_value(json_object_get(place, "offset"));
    return wg_hash_u64(h ^ wg_hash_bytes(file ? file : "", file ? strlen(file) : 0) ^ at << 1);
}

/* What makes findings one in the eyes of a reader: the lines, which the compiler may have copied (unrolled). */
static uint64_t hash_lines(const watch_finding *f, const json_t *finding) {
    uint64_t h = wg_hash_u64(f->key * 64 + (uint64_t)f->kind * 4 + (uint64_t)f->severity);
    return hash_place(hash_place(hash_place(h, finding), json_object_get(finding, "other")), json_object_get(finding, "origin")) | 1;
}

/* Accesses that strayed into another allocation race there with those who own it: that is no finding of its own. */
static bool follows_from(const wg_u64map *strayed, const watch_finding *f, const json_t *finding) {
    if (f->kind != WATCH_KIND_RACE || !strayed->count) return false;
    return wg_u64map_get(strayed, hash_place(0, finding), NULL) || wg_u64map_get(strayed, hash_place(0, json_object_get(finding, "other")), NULL);
}

static void add_count(json_t *to, const json_t *finding) {
    json_t *count = json_object_get(to, "count");
    json_integer_set(count, json_integer_value(count) + json_integer_value(json_object_get(finding, "count")));
}

static const char *access_of(const json_t *side) {
    const char *access = json_string_value(json_object_get(side, "access"));
    return access ? access : "";
}

/* Do both tell of the same accesses? Neither side of a race is the first. */
static bool same_accesses(const json_t *a, const json_t *b) {
    const char *a1 = access_of(a), *a2 = access_of(json_object_get(a, "other")), *b1 = access_of(b), *b2 = access_of(json_object_get(b, "other"));
    return (!strcmp(a1, b1) && !strcmp(a2, b2)) || (*a2 && !strcmp(a1, b2) && !strcmp(a2, b1));
}

static json_t *how(const json_t *side) {
    static const char *const members[] = {"access", "width", "offset", "instruction"};
    json_t *out = json_object();
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        if (json_object_get(side, members[k])) json_object_set(out, members[k], json_object_get(side, members[k]));
    return out;
}

/* What reads and writes on one line (a value that is counted up) is one finding, which tells of both. */
static void fold_into(json_t *told, const json_t *finding) {
    json_t *also = json_object_get(told, "also"), *way;
    size_t i;
    add_count(told, finding);
    if (same_accesses(told, finding)) return;
    json_array_foreach(also, i, way) {
        if (!same_accesses(way, finding)) continue;
        add_count(way, finding);
        return;
    }
    way = how(finding);
    json_object_set(way, "count", json_object_get(finding, "count"));
    if (json_object_get(finding, "other")) json_object_set_new(way, "other", how(json_object_get(finding, "other")));
    if (!also) json_object_set_new(told, "also", also = json_array());
    json_array_append_new(also, way);
}

void ses_findings_write(session *ses, const ses_launch *l, uint64_t index, watch_findings *all) {
    wg_u64map lines = {0}, strayed = {0}; /* hash_lines -> index + 1 in told; places of accesses that strayed */
    json_t *told = json_array();
    watch_findings_sort(all);
    if (all->list.count) ses_undefined_explained(ses, index, all);
    for (size_t i = 0; i < all->list.count; i++) {
        const watch_finding *f = &all->list.at[i];
        if (f->kind != WATCH_KIND_OUT_OF_BOUNDS || f->key != ENG_FAULT_STRAYED) continue;
        json_t *finding = ses_finding_json(ses, l, index, f);
        wg_u64map_set(&strayed, hash_place(0, finding), 1);
        json_decref(finding);
    }
    for (size_t i = 0; i < all->list.count; i++) {
        const watch_finding *f = &all->list.at[i];
        uint64_t at;
        if (!f->fatal && !(ses->checks & UINT32_C(1) << f->kind)) continue;
        json_t *finding = ses_finding_json(ses, l, index, f);
        if (follows_from(&strayed, f, finding)) {
            json_decref(finding);
            continue;
        }
        if (f->severity == WATCH_ERROR) ses->errors++;
        uint64_t hash = hash_lines(f, finding);
        if (!f->fatal && wg_u64map_get(&lines, hash, &at)) {
            fold_into(json_array_get(told, at - 1), finding);
            json_decref(finding);
            continue;
        }
        json_array_append_new(told, finding);
        wg_u64map_set(&lines, hash, json_array_size(told));
    }
    for (size_t i = 0; i < json_array_size(told); i++) ses_write(ses, "finding", json_incref(json_array_get(told, i)));
    json_decref(told);
    wg_u64map_free(&lines);
    wg_u64map_free(&strayed);
    if (all->dropped)
        ses_note(ses, "%s: %llu more findings at other places are not listed", l->function->demangled, (unsigned long long)all->dropped);
}
