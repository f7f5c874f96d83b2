/* The host in a race with an operation of a stream: it touches memory that both share before it has waited.
 *
 * Operations run at once when they are asked for, so nothing that happens tells of it. What an operation touched is shut to the
 * program until the host knows that it is over, and a fault there is looked up: byte by byte, since pages hold more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/order.h"

enum {
    OPEN = ENG_READ | ENG_WRITE,
    SHUT = 1 << 7,     /* in order.shut: tells 0 from what is not there */
    MOST_RUNS = 8192,  /* of pages shut alike: each is a mapping of its own to the system, which allows some 65,000 */
    MOST_SPARED = 256, /* accesses beside a race until the pages are given up */
    PER_PAGE = WATCH_EXTENT_PAGE / ENG_PAGE
};

static eng_memory *memory(const session *ses) { return eng_device_memory(ses->device); }

/* --- what is shut ------------------------------------------------------------------------------------------ */

static unsigned may(const ses_order *order, uint64_t page) {
    uint64_t state;
    return wg_u64map_get(&order->shut, page, &state) ? (unsigned)state & OPEN : OPEN;
}

typedef struct run { uint64_t page, n; unsigned may; } run; /* neighbours of one kind */

static void permit(session *ses, run *r) {
    ses_order *order = ses->order;
    if (!r->n) return;
    bool done = order->runs < MOST_RUNS && eng_memory_permit(memory(ses), r->page * ENG_PAGE, r->n * ENG_PAGE, r->may);
    for (uint64_t page = r->page; page < r->page + r->n; page++)
        if (!done || !wg_u64map_set(&order->shut, page, r->may | SHUT)) eng_memory_permit(memory(ses), page * ENG_PAGE, ENG_PAGE, may(order, page));
    order->runs++;
    r->n = 0;
}

static void shut_page(session *ses, uint64_t page, unsigned touched, run *r) {
    unsigned now = may(ses->order, page), then = now & (touched & (ENG_WRITE | ENG_ATOMIC) ? 0 : ENG_READ);
    if (then == now) return;
    if (r->n && (r->page + r->n != page || r->may != then)) permit(ses, r);
    if (!r->n) *r = (run){.page = page, .may = then};
    r->n++;
}

static void shut(session *ses, const order_op *o) {
    size_t n;
    run r = {0};
    uint64_t *pages = watch_extents_pages(&o->extents, &n);
    for (size_t i = 0; i < n * PER_PAGE; i++) {
        uint64_t page = pages[i / PER_PAGE] * PER_PAGE + i % PER_PAGE, at = page * ENG_PAGE;
        unsigned touched = eng_memory_shared(memory(ses), at) ? watch_extents_in(&o->extents, at, at + ENG_PAGE) : 0;
        if (touched) shut_page(ses, page, touched, &r);
    }
    permit(ses, &r);
    free(pages);
}

void ses_host_settle(session *ses) {
    ses_order *order = ses->order;
    if (!order || !order->unsettled) return;
    order->unsettled = false;
    for (order_op *o = order->ops; o && order->shares; o = o->next) {
        if (!o->shut && !o->met) shut(ses, o);
        o->shut = true;
    }
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void order_open(session *ses) {
    ses_order *order = ses->order;
    size_t n = 0, count = order->shut.count;
    for (order_op *o = order->ops; o; o = o->next) o->shut = false;
    order->unsettled |= order->shares && order->ops;
    order->spared = order->runs = 0;
    if (!count) return;
    uint64_t *pages = malloc(count * sizeof *pages);
    for (size_t i = 0; i < order->shut.room; i++) {
        if (!order->shut.slots[i].used) continue;
        if (pages) pages[n++] = order->shut.slots[i].key;
        else eng_memory_permit(memory(ses), order->shut.slots[i].key * ENG_PAGE, ENG_PAGE, OPEN);
    }
    if (n) qsort(pages, n, sizeof *pages, ascending);
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && pages[k] == pages[k - 1] + 1;) k++;
        eng_memory_permit(memory(ses), pages[i] * ENG_PAGE, (k - i) * ENG_PAGE, OPEN);
    }
    free(pages);
    wg_u64map_free(&order->shut);
}

void ses_host_forget(session *ses, const eng_allocation *a) {
    for (uint64_t page = a->address / ENG_PAGE; ses->order && ses->order->shut.count && page * ENG_PAGE < a->address + a->size; page++)
        wg_u64map_remove(&ses->order->shut, page);
}

void ses_host_end(session *ses) {
    if (!ses->order) return;
    ses->order->shares = false;
    order_open(ses);
}

static bool any_shut(const ses_order *order, uint64_t from, uint64_t end) {
    if (!order || !order->shut.count) return false;
    for (uint64_t page = from / ENG_PAGE; page <= (end - 1) / ENG_PAGE; page++)
        if (wg_u64map_get(&order->shut, page, NULL)) return true;
    return false;
}

void ses_host_shut_again(session *ses, uint64_t from, uint64_t end) {
    if (!any_shut(ses->order, from, end)) return;
    for (uint64_t page = from / ENG_PAGE; page <= (end - 1) / ENG_PAGE; page++)
        if (may(ses->order, page) != OPEN) eng_memory_permit(memory(ses), page * ENG_PAGE, ENG_PAGE, may(ses->order, page));
}

/* Where the system refuses (it would have to split a mapping, and has no more), all is opened. */
static void open_pages(session *ses, uint64_t from, uint64_t end, bool for_good) {
    for (uint64_t page = from / ENG_PAGE; page <= (end - 1) / ENG_PAGE; page++) {
        if (!wg_u64map_get(&ses->order->shut, page, NULL)) continue;
        if (!eng_memory_permit(memory(ses), page * ENG_PAGE, ENG_PAGE, OPEN)) {
            ses_host_end(ses);
            return;
        }
        if (for_good) wg_u64map_remove(&ses->order->shut, page);
    }
}

void ses_host_give(session *ses, uint64_t from, uint64_t end) {
    if (any_shut(ses->order, from, end)) open_pages(ses, from, end, true);
}

/* --- what the host touches --------------------------------------------------------------------------------- */

typedef struct meeting {
    uint64_t address;
    unsigned access; /* the operation's, as watch_extents_at tells it; 0: none */
    watch_where where;
} meeting;

/* The first byte at which the operation and the host are in a race, or synchronise. */
static meeting meet(const order_op *o, const ses_touch *t) {
    const unsigned matters = ENG_WRITE | ENG_ATOMIC | ENG_VOLATILE | (t->writes ? ENG_READ : 0);
    for (uint64_t at = t->from, end; at < t->end; at = end) {
        end = (at / ENG_PAGE + 1) * ENG_PAGE;
        if (end > t->end) end = t->end;
        if (!watch_extents_in(&o->extents, at, end)) continue;
        for (uint64_t byte = at; byte < end; byte++) {
            meeting m = {.address = byte};
            m.access = watch_extents_at(&o->extents, byte, &m.where) & matters;
            if (m.access) return m;
        }
    }
    return (meeting){0};
}

static void report(session *ses, const order_op *o, const ses_touch *t, const meeting *m) {
    const char *doing = t->writes ? "writes" : "reads", *done = m->access == ENG_READ ? "read" : m->access == ENG_WRITE ? "write" : "update by an atomic";
    uint64_t h = wg_hash_u64(wg_hash_bytes(o->name, strlen(o->name)) ^ m->where) ^ (t->n_stack ? (uintptr_t)t->stack[0] : 0);
    if (!order_tell(ses->order, wg_hash_u64(h + t->writes))) return;
    const eng_allocation *a = eng_memory_find(memory(ses), m->address, NULL);
    char text[400];
    snprintf(text, sizeof text, "the host %s %s memory that %s in stream %llu may still %s: let the host wait for it first (cudaStreamSynchronize, "
             "cudaEventSynchronize, cudaDeviceSynchronize)", doing, a && a->kind == ENG_ALLOC_PINNED ? "pinned" : "managed", o->name, (unsigned long long)o->stream,
             done);
    json_t *out = json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:s, s:o}", "kind", "race", "severity", "error", "count", 1, "message", text, "call", "the host",
                            "space", "global", "access", order_access_name(t->writes ? ENG_WRITE : ENG_READ), "address", ses_hex(m->address));
    if (a) json_object_set_new(out, "allocation", ses_allocation_json(a, m->address));
    if (t->n_stack) json_object_set_new(out, "stack", ses_stack_json(t->stack, t->n_stack));
    json_object_set_new(out, "other", order_side_json(ses, o, m->access, m->where, m->address));
    ses->errors++;
    ses_write(ses, "finding", out);
}

/* What comes before it is over, too; and one wait that is missing is one finding, however much it would have been for. */
static void met_all(ses_order *order, uint64_t timeline) {
    for (order_op *o = order->ops; o; o = o->next) o->met |= order_knows(order, timeline, o);
}

ses_met ses_host_touches(session *ses, const ses_touch *t) {
    ses_order *order = ses->order;
    bool met = false;
    if (!any_shut(order, t->from, t->end)) return SES_OPEN;
    for (order_op *o = order->ops; o; o = o->next) {
        if (o->met) continue;
        meeting m = meet(o, t);
        if (!m.access) continue;
        if (m.access != ENG_VOLATILE) report(ses, o, t, &m);
        met_all(order, o->timeline);
        met = true;
    }
    if (met) {
        order_open(ses);
        ses_host_settle(ses);
        if (!any_shut(order, t->from, t->end)) return SES_OPEN;
    }
    bool for_good = order->spared++ >= MOST_SPARED;
    open_pages(ses, t->from, t->end, for_good);
    return for_good ? SES_OPEN : SES_SPARED;
}
