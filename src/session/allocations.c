/* What became of each allocation: who made it, how much of it kernels read and wrote, how often each element was
 * read, and which elements nobody wrote although their neighbours were written. */
#include <stdio.h>
#include <stdlib.h>

#include "session/inner.h"

enum {
    MAP_ELEMENTS = 1024, /* a map of up to so many elements is given element by element, */
    MAP_RUNS = 1024,     /* a longer one as runs of equal counts, if there are not more than this */
    DETAILED = 256,      /* allocations of a program that get a map */
    GAPS = 16            /* gaps listed of one allocation */
};

static const char *const kinds[] = {[ENG_ALLOC_DEVICE] = "device",   [ENG_ALLOC_MANAGED] = "managed",
                                    [ENG_ALLOC_PINNED] = "pinned",   [ENG_ALLOC_REGISTERED] = "registered",
                                    [ENG_ALLOC_GLOBAL] = "variable", [ENG_ALLOC_HEAP] = "heap"};

/* The width of the narrowest access by a kernel, which is taken for the element; accesses of 16 bytes are vectors. */
static unsigned element_of(const session *ses, const eng_allocation *a) {
    uint64_t width = 0;
    wg_u64map_get(&ses->elements, a->id, &width);
    return width == 0 || width > 8 ? 4 : (unsigned)width;
}

typedef struct runs {
    json_t *list;
    uint64_t count, length;
    size_t n;
} runs;

static void run_end(runs *r) {
    if (r->length && ++r->n <= MAP_RUNS)
        json_array_append_new(r->list, json_pack("[I, I]", (json_int_t)r->count, (json_int_t)r->length));
    r->length = 0;
}

static void add_map(session *ses, const eng_allocation *a, unsigned element, uint64_t elements, json_t *out) {
    eng_read_map map;
    if (eng_read_map_open(&map, eng_device_memory(ses->device), a, element) != WG_OK) return;
    bool whole = elements <= MAP_ELEMENTS;
    json_t *list = json_array();
    runs r = {.list = list};
    uint64_t counts[512];
    for (size_t n; r.n <= MAP_RUNS && (n = eng_read_map_next(&map, counts, 512)) != 0;)
        for (size_t i = 0; i < n; i++) {
            if (whole) {
                json_array_append_new(list, json_integer((json_int_t)counts[i]));
                continue;
            }
            if (r.length && counts[i] != r.count) run_end(&r);
            r.count = counts[i];
            r.length++;
        }
    run_end(&r);
    eng_read_map_close(&map);
    if (whole) json_object_set_new(out, "map", list);
    else if (r.n <= MAP_RUNS) json_object_set_new(out, "map_runs", list);
    else json_decref(list);
}

static void add_reads(session *ses, const eng_allocation *a, unsigned element, json_t *out) {
    eng_read_summary sum;
    if (eng_memory_read_summary(eng_device_memory(ses->device), a, element, &sum) != WG_OK) return;
    json_object_set_new(out, "element", json_integer(element));
    json_object_set_new(out, "elements", json_integer((json_int_t)sum.elements));
    json_object_set_new(out, "values_read", json_integer((json_int_t)sum.reads));
    json_object_set_new(out, "distinct_values", json_integer((json_int_t)sum.distinct));
    json_object_set_new(out, "reads_per_value", json_real(sum.distinct ? (double)sum.reads / (double)sum.distinct : 0));
    json_object_set_new(out, "most_reads", json_integer((json_int_t)sum.most));
    if (sum.reads && a->id <= DETAILED) add_map(ses, a, element, sum.elements, out);
}

/* Elements that nobody wrote, in an allocation that kernels wrote: a floor division, a wrong bound, a hole. */
static void add_gaps(session *ses, const eng_allocation *a, unsigned element, json_t *out) {
    uint64_t from = 0, start, size, missing = 0;
    json_t *gaps = json_array();
    for (int n = 0; eng_memory_unwritten(eng_device_memory(ses->device), a, from, &start, &size); from = start + size) {
        missing += size;
        if (n++ < GAPS)
            json_array_append_new(gaps, json_pack("[I, I]", (json_int_t)(start / element), (json_int_t)(size / element)));
    }
    json_object_set_new(out, "unwritten", json_integer((json_int_t)(missing / element)));
    json_object_set_new(out, "gaps", gaps);
}

static void write_allocation(session *ses, const eng_allocation *a) {
    json_t *out = json_object();
    unsigned element = element_of(ses, a);
    json_object_set_new(out, "id", json_integer(a->id));
    json_object_set_new(out, "address", ses_hex(a->address));
    json_object_set_new(out, "size", json_integer((json_int_t)a->size));
    json_object_set_new(out, "kind", json_string(kinds[a->kind]));
    if (a->name || a->label) json_object_set_new(out, "name", json_string(a->name ? a->name : a->label));
    if (a->n_stack) json_object_set_new(out, "allocated", ses_stack_json(a->stack, a->n_stack));
    json_object_set_new(out, "bytes_read", json_integer((json_int_t)a->bytes_read));
    json_object_set_new(out, "bytes_written", json_integer((json_int_t)a->bytes_written));
    add_reads(ses, a, element, out);
    if (a->bytes_written) add_gaps(ses, a, element, out);
    ses_write(ses, "allocation", out);
}

static void released(void *ctx, const eng_allocation *a) {
    session *ses = ctx;
    ses_host_forget(ses, a);
    if (ses->closed) return;
    write_allocation(ses, a);
    ses_tails_end(ses, a, true);
    ses_undefined_end(ses, a, true);
}

static void copied(void *ctx, const eng_allocation *a, uint64_t at, uint64_t size) {
    session *ses = ctx;
    if (ses->closed) return;
    ses_undefined_copied(ses, a, at, size);
    if (ses->tails.count) ses_tails_copied(ses, a, at, size);
    if (ses->options.want_outputs) ses_outputs_copied(ses, a, at, size);
}

void ses_allocations_watch(session *ses) {
    eng_memory_on_release(eng_device_memory(ses->device), released, ses);
    eng_memory_on_copy_out(eng_device_memory(ses->device), copied, ses);
}

void ses_allocations_write(session *ses) {
    const eng_allocation *a;
    for (size_t i = 0; (a = eng_memory_at(eng_device_memory(ses->device), i)) != NULL; i++)
        if (!a->freed) {
            write_allocation(ses, a);
            ses_tails_end(ses, a, false);
            ses_undefined_end(ses, a, false);
        }
}
