/* Races between operations of streams: launches, copies, fills (and, in host.c, with the host). What comes before what is told by the runtime's face, for
 * timelines: the host's and one a stream. Each has a clock that says how much of every timeline came before it, and each operation
 * is a tick of its own timeline's clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/order.h"

enum { MOST_OPS = 256, MOST_PAGES = 1 << 14 /* of their extents, half a byte for each byte touched: 126 MB */, MOST_TIMELINES = 4096, FIRST_BRANCH = 2048 };

static void op_free(order_op *o) {
    watch_extents_free(&o->extents);
    free(o->name);
    free(o);
}

void ses_order_free(session *ses) {
    ses_order *order = ses->order;
    if (!order) return;
    for (size_t i = 0; i < order->timelines.count; i++) wg_vec_free(&order->timelines.at[i]);
    wg_vec_free(&order->timelines);
    wg_vec_free(&order->branches);
    for (size_t i = 0; i < order->events.room; i++) {
        order_clock *c = order->events.slots[i].used ? (order_clock *)(uintptr_t)order->events.slots[i].value : NULL;
        if (c) wg_vec_free(c);
        free(c);
    }
    wg_u64map_free(&order->events);
    wg_u64map_free(&order->told);
    wg_u64map_free(&order->shut);
    for (order_op *o; (o = order->ops);) {
        order->ops = o->next;
        op_free(o);
    }
    free(order);
    ses->order = NULL;
}

static ses_order *begin(session *ses) {
    if (!ses->order && ses->checks & WATCH_CHECK(RACE)) ses->order = calloc(1, sizeof *ses->order);
    return ses->order;
}

void ses_order_begin(session *ses) {
    ses_order *order = begin(ses);
    if (order) order->streams = true;
}

void ses_order_share(session *ses) {
    ses_order *order = begin(ses);
    if (order) order->shares = true;
}

bool ses_order_kept(const session *ses) { return ses->order != NULL; }

/* --- clocks ------------------------------------------------------------------------------------------- */

static bool reach(order_clock *c, size_t n) {
    while (c->count < n)
        if (!wg_vec_push(c, 0)) return false;
    return true;
}

static order_clock *timeline(ses_order *order, uint64_t id) {
    while (order->timelines.count <= id && id < MOST_TIMELINES)
        if (!wg_vec_push(&order->timelines, (order_clock){0})) return NULL;
    return id < order->timelines.count ? &order->timelines.at[id] : NULL;
}

static void join(order_clock *to, const order_clock *from) {
    if (!to || !from || to == from || !reach(to, from->count)) return;
    for (size_t i = 0; i < from->count; i++)
        if (from->at[i] > to->at[i]) to->at[i] = from->at[i];
}

static uint64_t known(const order_clock *c, uint64_t id) { return id < c->count ? c->at[id] : 0; }

bool order_knows(ses_order *order, uint64_t id, const order_op *o) {
    const order_clock *c = timeline(order, id);
    return c && known(c, o->timeline) >= o->tick;
}

/* What the host knows of comes before everything that it asks for from now on. Of the others the latest are kept. */
static void prune(session *ses) {
    ses_order *order = ses->order;
    const order_clock *host = timeline(order, SES_HOST);
    unsigned n = 0;
    size_t pages = 0;
    bool over = false; /* what the host could not touch */
    for (order_op **at = &order->ops, *o; host && (o = *at);) {
        bool is_known = known(host, o->timeline) >= o->tick;
        over |= is_known && o->shut;
        if (is_known || n == MOST_OPS || (n && pages + o->extents.pages.count > MOST_PAGES)) {
            *at = o->next;
            op_free(o);
            continue;
        }
        n++;
        pages += o->extents.pages.count;
        at = &o->next;
    }
    if (over || !order->ops) order_open(ses);
}

void ses_order_after(session *ses, uint64_t later, uint64_t earlier) {
    ses_order *order = ses->order;
    if (!order || !timeline(order, later > earlier ? later : earlier)) return;
    join(timeline(order, later), timeline(order, earlier));
    if (later == SES_HOST) prune(ses);
}

void ses_order_all(session *ses) {
    for (uint64_t id = 1; ses->order && id < ses->order->timelines.count; id++) ses_order_after(ses, SES_HOST, id);
}

void ses_order_record(session *ses, const void *event, uint64_t id) {
    ses_order *order = ses->order;
    order_clock *from = order ? timeline(order, id) : NULL;
    uint64_t *place = from ? wg_u64map_add(&order->events, (uintptr_t)event) : NULL;
    if (!place) return;
    if (!*place && !(*place = (uintptr_t)calloc(1, sizeof(order_clock)))) return;
    order_clock *c = (order_clock *)(uintptr_t)*place;
    c->count = 0;
    join(c, from);
}

void ses_order_drop(session *ses, const void *event) {
    uint64_t at;
    if (!ses->order || !wg_u64map_get(&ses->order->events, (uintptr_t)event, &at)) return;
    order_clock *c = (order_clock *)(uintptr_t)at;
    if (c) wg_vec_free(c);
    free(c);
    wg_u64map_remove(&ses->order->events, (uintptr_t)event);
}

void ses_order_await(session *ses, uint64_t id, const void *event) {
    uint64_t at;
    if (!ses->order || !wg_u64map_get(&ses->order->events, (uintptr_t)event, &at)) return;
    join(timeline(ses->order, id), (const order_clock *)(uintptr_t)at);
    if (id == SES_HOST) prune(ses);
}

/* --- branches of graphs ------------------------------------------------------------------------------- */

uint64_t ses_order_branch(session *ses) {
    ses_order *order = ses->order;
    if (!order || order->branches.count >= MOST_TIMELINES - FIRST_BRANCH || !wg_vec_push(&order->branches, 0)) return 0;
    return FIRST_BRANCH + order->branches.count - 1;
}

void ses_order_branch_in(session *ses, uint64_t branch, uint64_t timeline) {
    ses_order *order = ses->order;
    if (order && branch >= FIRST_BRANCH && branch - FIRST_BRANCH < order->branches.count) order->branches.at[branch - FIRST_BRANCH] = timeline;
}

static uint64_t stream_of(const ses_order *order, uint64_t id) {
    while (id >= FIRST_BRANCH && id - FIRST_BRANCH < order->branches.count) id = order->branches.at[id - FIRST_BRANCH]; /* of a graph in a graph, too */
    return id ? id - 1 : 0;
}

/* --- reports ---------------------------------------------------------------------------------------------- */

const char *order_access_name(unsigned access) { return access == ENG_WRITE ? "write" : access == ENG_ATOMIC ? "atomic" : "read"; }

bool order_tell(ses_order *order, uint64_t what) { return !wg_u64map_get(&order->told, what, NULL) && wg_u64map_set(&order->told, what, 1); }

json_t *order_side_json(session *ses, const order_op *o, unsigned access, watch_where where, uint64_t address) {
    json_t *out = NULL;
    if (o->code && where && WATCH_WHERE_FUNCTION(where) < eng_code_module(o->code)->n_functions)
        out = ses_own_place_json(o->code, &eng_code_module(o->code)->functions[WATCH_WHERE_FUNCTION(where)], WATCH_WHERE_INSTR(where));
    if (!out) out = json_object();
    json_object_set_new(out, o->kernel ? "kernel" : "call", json_string(o->name));
    if (o->kernel) json_object_set_new(out, "launch", json_integer((json_int_t)o->launch));
    json_object_set_new(out, "stream", json_integer((json_int_t)o->stream));
    json_object_set_new(out, "space", json_string("global"));
    json_object_set_new(out, "access", json_string(order_access_name(access)));
    json_object_set_new(out, "address", ses_hex(address));
    const eng_allocation *a = eng_memory_find(eng_device_memory(ses->device), address, NULL);
    if (a) json_object_set_new(out, "allocation", ses_allocation_json(a, address));
    if (o->n_stack) json_object_set_new(out, "stack", ses_stack_json(o->stack, o->n_stack));
    return out;
}

static void report(session *ses, const order_op *now, const order_op *before, const watch_clash *clash) {
    uint64_t h = wg_hash_u64(wg_hash_bytes(now->name, strlen(now->name)) ^ clash->at_a);
    h = wg_hash_u64(h ^ wg_hash_bytes(before->name, strlen(before->name)) ^ clash->at_b);
    h = wg_hash_u64(h ^ (now->n_stack ? (uintptr_t)now->stack[0] : 0)) ^ (before->n_stack ? (uintptr_t)before->stack[0] : 0);
    if (!order_tell(ses->order, h)) return;
    char text[400];
    const order_op *life = now->life ? now : before, *user = now->life ? before : now;
    const char *article_a = clash->a == ENG_ATOMIC ? "an" : "a", *article_b = clash->b == ENG_ATOMIC ? "an" : "a";
    if (life->life)
        snprintf(text, sizeof text, "%s in stream %llu uses memory that %s in stream %llu %s, and nothing orders the two: %s", user->name, (unsigned long long)user->stream,
                 life->name, (unsigned long long)life->stream, life->frees ? "frees" : "allocates",
                 life->frees ? "it may be gone, or another's, while it is used. Let the stream that frees wait for an event of the one that uses it (cudaEventRecord, cudaStreamWaitEvent)"
                             : "it is there for another stream when that has waited for an event of the one that allocates (cudaEventRecord, cudaStreamWaitEvent)");
    else if (now->stream == before->stream) /* only branches of graphs are not ordered there */
        snprintf(text, sizeof text, "%s %s of %s and %s %s of %s in one graph touch the same memory, and no path of the graph leads from one to the other: let "
                 "one node depend on the other (cudaGraphAddDependencies; in a capture, cudaStreamWaitEvent)", article_a, order_access_name(clash->a), now->name, article_b,
                 order_access_name(clash->b), before->name);
    else
        snprintf(text, sizeof text, "%s %s of %s in stream %llu and %s %s of %s in stream %llu touch the same memory, and nothing orders the two: let one stream "
                 "wait for an event of the other (cudaEventRecord, cudaStreamWaitEvent), or the host for the first", article_a, order_access_name(clash->a), now->name,
                 (unsigned long long)now->stream, article_b, order_access_name(clash->b), before->name, (unsigned long long)before->stream);
    json_t *out = order_side_json(ses, now, clash->a, clash->at_a, clash->address);
    json_object_set_new(out, "kind", json_string("race"));
    json_object_set_new(out, "severity", json_string("error"));
    json_object_set_new(out, "count", json_integer(1));
    json_object_set_new(out, "message", json_string(text));
    json_object_set_new(out, "other", order_side_json(ses, before, clash->b, clash->at_b, clash->address));
    ses->errors++;
    ses_write(ses, "finding", out);
}

/* --- operations -------------------------------------------------------------------------------------------- */

static bool clash_of(const order_op *a, const order_op *b, watch_clash *clash) {
    bool found;
    if (!a->life && !b->life) return watch_extents_clash(&a->extents, &b->extents, clash);
    if (a->life && b->life) { /* one frees what the other allocates */
        *clash = (watch_clash){.address = a->life > b->life ? a->life : b->life, .a = ENG_WRITE, .b = ENG_WRITE};
        return a->life < b->life_end && b->life < a->life_end;
    }
    const order_op *life = a->life ? a : b;
    if ((found = watch_extents_within(&(life == a ? b : a)->extents, life->life, life->life_end, clash)) && life == a)
        *clash = (watch_clash){.address = clash->address, .a = ENG_WRITE, .b = clash->a, .at_b = clash->at_a};
    return found;
}

static void add(session *ses, order_op *o) {
    ses_order *order = ses->order;
    order_clock *own = timeline(order, o->timeline);
    if (!own || !reach(own, o->timeline + 1)) {
        op_free(o);
        return;
    }
    for (const order_op *before = order->ops; before; before = before->next) {
        watch_clash clash;
        if (before->timeline == o->timeline || known(own, before->timeline) >= before->tick) continue;
        if (clash_of(o, before, &clash)) report(ses, o, before, &clash);
    }
    o->tick = ++own->at[o->timeline];
    o->next = order->ops;
    order->ops = o;
    order->unsettled |= order->shares;
    prune(ses);
}

static order_op *op_new(const ses_order *order, const char *name, uint64_t id, void *const *stack, unsigned n) {
    order_op *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->name = strdup(name);
    o->timeline = id;
    o->stream = stream_of(order, id);
    o->n_stack = n < ORDER_STACK ? n : ORDER_STACK;
    if (o->n_stack) memcpy(o->stack, stack, o->n_stack * sizeof *stack);
    if (o->name) return o;
    free(o);
    return NULL;
}

void ses_order_ranges(session *ses, uint64_t id, const char *call, const ses_range *ranges, size_t n, void *const *stack, unsigned n_stack) {
    order_op *o = ses->order && ses->device ? op_new(ses->order, call, id, stack, n_stack) : NULL;
    if (!o) return;
    for (size_t k = 0; k < n; k++) {
        const eng_allocation *a = eng_memory_find(eng_device_memory(ses->device), ranges[k].address, NULL);
        if (a && !a->freed && ranges[k].size)
            watch_extents_add(&o->extents, ranges[k].address, ranges[k].address + ranges[k].size, ranges[k].writes ? ENG_WRITE : ENG_READ, 0);
    }
    add(ses, o);
}

void ses_order_life(session *ses, uint64_t id, const char *call, uint64_t address, bool frees, void *const *stack, unsigned n_stack) {
    order_op *o = ses->order && ses->device ? op_new(ses->order, call, id, stack, n_stack) : NULL;
    const eng_allocation *a = o ? eng_memory_find(eng_device_memory(ses->device), address, NULL) : NULL;
    if (!a || a->freed) {
        if (o) op_free(o);
        return;
    }
    o->life = a->address;
    o->life_end = a->address + a->size;
    o->frees = frees;
    add(ses, o);
}

/* Does the launch reach memory that the host can touch, too? By a variable of its module, or by an address among its parameters. */
static bool reaches_shared(const session *ses, const ses_launch *l) {
    const img_module *module = eng_code_module(l->code);
    for (size_t i = 0; i < module->n_variables; i++)
        if (module->variables[i].managed) return true;
    for (unsigned at = 0; l->params && at + 8 <= l->function->param_bytes; at += 4) {
        uint64_t address;
        memcpy(&address, (const char *)l->params + at, sizeof address);
        if (eng_memory_shared(eng_device_memory(ses->device), address)) return true;
    }
    return l->parent;
}

bool ses_order_wants(const session *ses, const ses_launch *l, watch_extents *extents) {
    const ses_order *order = ses->order;
    if (!order || (!order->streams && !reaches_shared(ses, l))) return false;
    extents->shared = order->streams ? NULL : eng_device_memory(ses->device);
    return true;
}

void ses_order_launch(session *ses, const ses_launch *l, uint64_t index, watch_extents *extents) {
    order_op *o = ses->order ? op_new(ses->order, l->function->demangled, l->timeline ? l->timeline : l->stream + 1, l->stack, l->n_stack) : NULL;
    if (!o) return;
    o->kernel = true;
    o->code = l->code;
    o->function = l->function;
    o->launch = index;
    o->extents = *extents;
    *extents = (watch_extents){0};
    add(ses, o);
}

void ses_order_unload(session *ses, const eng_code *code) {
    for (order_op *o = ses->order ? ses->order->ops : NULL; o; o = o->next)
        if (o->code == code) o->code = NULL;
}
