/* Pools, regions, permissions: tables by address, and the question that the engine asks of them. */
#include "cudart/regions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/context.h"

/* --- stretches of memory, by address ------------------------------------------------------------------------ */

typedef struct stretch {
    uint64_t from, end;
    uint32_t since; /* the newest allocation when it was told: it says nothing of later ones, which may get the same addresses */
    unsigned may;
    const rt_region *region;
} stretch;
typedef struct stretches { /* in order of from */
    wg_vec(stretch) list;
    uint64_t longest;
} stretches;

/* Number of stretches that start at or below the address. */
static size_t rank(const stretches *s, uint64_t address) {
    size_t low = 0, high = s->list.count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->list.at[mid].from <= address) low = mid + 1;
        else high = mid;
    }
    return low;
}

static bool add(stretches *s, stretch one) {
    if (!wg_vec_reserve(&s->list, 1)) return false;
    size_t at = rank(s, one.from);
    memmove(s->list.at + at + 1, s->list.at + at, (s->list.count - at) * sizeof one);
    s->list.at[at] = one;
    s->list.count++;
    if (one.end - one.from > s->longest) s->longest = one.end - one.from;
    return true;
}

/* That of the region; NULL: there is none. */
static stretch *stretch_of(const stretches *s, const rt_region *region, uint64_t from) {
    for (size_t k = rank(s, from); k-- > 0 && s->list.at[k].from == from;)
        if (s->list.at[k].region == region) return &s->list.at[k];
    return NULL;
}

static void take(stretches *s, stretch *one) {
    size_t at = (size_t)(one - s->list.at);
    memmove(one, one + 1, (s->list.count - at - 1) * sizeof *one);
    s->list.count--;
}

static void empty(stretches *s) {
    wg_vec_free(&s->list);
    s->longest = 0;
}

static void cut(eng_span *span, uint64_t address, uint64_t edge) {
    if (edge > address && edge < span->end) span->end = edge;
    if (edge <= address && edge > span->from) span->from = edge;
}

/* The smallest one that holds the address in that allocation; NULL: none. Cuts span to where the answer is the same. */
static const stretch *look(const stretches *s, uint32_t allocation, uint64_t address, eng_span *span) {
    const stretch *found = NULL;
    size_t next = rank(s, address);
    for (size_t k = next; k < s->list.count && s->list.at[k].from < span->end; k++)
        if (s->list.at[k].since >= allocation) cut(span, address, s->list.at[k].from);
    for (size_t k = next; k-- > 0;) {
        const stretch *one = &s->list.at[k];
        if (one->from + s->longest <= span->from) break; /* none of these comes so far */
        if (one->since < allocation) continue;
        cut(span, address, one->end);
        if (one->end <= address) continue;
        cut(span, address, one->from);
        if (!found || one->end - one->from < found->end - found->from) found = one;
    }
    return found;
}

/* --- heaps and regions ---------------------------------------------------------------------------------------- */

enum { GONE = 256 /* regions that ended, remembered to name them */ };

struct rt_region {
    uint64_t from, end;
    rt_heap *heap; /* NULL: in none */
    rt_region *under; /* the one that began at the same address before */
    char *name;
};
struct rt_heap {
    uint64_t from, end;
    uint32_t since;
    bool gives_out;
    char *name;
    stretches regions;
    struct { uint64_t from, end; } gone[GONE];
    size_t n_gone;
};

static struct {
    wg_vec(rt_heap *) heaps;
    stretches loose;    /* regions in no heap */
    wg_u64map by_start; /* address -> rt_region, the latest that begins there */
    wg_u64map handles;  /* regions, heaps and objects of permissions that were given out */
} told;

static uint32_t newest(void) { return rt.session && !rt.forked ? eng_memory_newest(rt_memory()) : 0; }
static bool is_handle(const void *handle) { return handle && wg_u64map_get(&told.handles, (uintptr_t)handle, NULL); }
bool rt_is_heap(const rt_heap *heap) { return is_handle(heap); }
bool rt_is_region(const rt_region *region) { return is_handle(region); }
bool rt_is_permissions(const rt_permissions *permissions) { return is_handle(permissions); }

rt_heap *rt_heap_new(uint64_t address, uint64_t size, bool gives_out) {
    rt_heap *heap = calloc(1, sizeof *heap);
    if (!heap) return NULL;
    *heap = (rt_heap){.from = address, .end = address + size, .since = newest(), .gives_out = gives_out};
    if (wg_u64map_set(&told.handles, (uintptr_t)heap, 1) && wg_vec_push(&told.heaps, heap)) return heap;
    wg_u64map_remove(&told.handles, (uintptr_t)heap);
    free(heap);
    return NULL;
}

static void set_name(char **name, const char *to) {
    free(*name);
    *name = to ? strdup(to) : NULL;
}
void rt_heap_set_name(rt_heap *heap, const char *name) { set_name(&heap->name, name); }

void rt_heap_reset(rt_heap *heap) {
    stretches *regions = heap ? &heap->regions : &told.loose;
    while (regions->list.count) rt_region_end((rt_region *)(uintptr_t)regions->list.at[regions->list.count - 1].region);
    empty(regions);
}

void rt_heap_free(rt_heap *heap) {
    rt_heap_reset(heap);
    for (size_t k = 0; k < told.heaps.count; k++)
        if (told.heaps.at[k] == heap) told.heaps.at[k--] = told.heaps.at[--told.heaps.count];
    wg_u64map_remove(&told.handles, (uintptr_t)heap);
    free(heap->name);
    free(heap);
}

static stretches *regions_of(const rt_region *region) { return region->heap ? &region->heap->regions : &told.loose; }

rt_region *rt_region_new(rt_heap *heap, uint64_t address, uint64_t size) {
    rt_region *region = calloc(1, sizeof *region);
    uint64_t under = 0;
    if (!region) return NULL;
    wg_u64map_get(&told.by_start, address, &under);
    *region = (rt_region){.from = address, .end = address + size, .heap = heap, .under = (rt_region *)(uintptr_t)under};
    if (wg_u64map_set(&told.handles, (uintptr_t)region, 1) && wg_u64map_set(&told.by_start, address, (uintptr_t)region) &&
        add(regions_of(region), (stretch){.from = address, .end = region->end, .since = newest(), .region = region}))
        return region;
    rt_region_end(region);
    return NULL;
}

/* Out of the chain of those that begin at its address. */
static void forget_start(rt_region *region) {
    uint64_t at = 0;
    if (!wg_u64map_get(&told.by_start, region->from, &at)) return;
    rt_region *top = (rt_region *)(uintptr_t)at;
    if (top == region && region->under) wg_u64map_set(&told.by_start, region->from, (uintptr_t)region->under);
    else if (top == region) wg_u64map_remove(&told.by_start, region->from);
    for (; top != region && top; top = top->under)
        if (top->under == region) top->under = region->under;
}

rt_region *rt_region_at(uint64_t address) {
    uint64_t known = 0;
    const eng_allocation *a = rt.session && !rt.forked ? eng_memory_find(rt_memory(), address, NULL) : NULL;
    if (wg_u64map_get(&told.by_start, address, &known)) {
        rt_region *region = (rt_region *)(uintptr_t)known;
        const stretch *one = stretch_of(regions_of(region), region, address);
        if (!a || a->freed || !one || one->since >= a->id) return region;
    }
    return a && !a->freed && a->address == address ? rt_region_new(NULL, address, a->size) : NULL;
}

void rt_region_set_name(rt_region *region, const char *name) {
    const eng_allocation *a = rt.session && !rt.forked ? eng_memory_find(rt_memory(), region->from, NULL) : NULL;
    set_name(&region->name, name);
    if (a && !a->freed && a->address == region->from && region->end == a->address + a->size) eng_memory_set_label(rt_memory(), a->address, name);
}

/* --- permissions ------------------------------------------------------------------------------------------------ */

enum { UNSAID = 0xff };
struct rt_permissions {
    unsigned exclude;
    stretches given;
    uint8_t peers[SES_MOST_GPUS + 1]; /* by device, then of all: what may be done with their memory, UNSAID */
    const rt_permissions *of;         /* a bound one: what it is a copy of */
    uint64_t thread;                  /* ... and by whom */
    unsigned alone;
};
static struct {
    rt_permissions process, kernels, devices[SES_MOST_GPUS];
    wg_vec(rt_permissions *) made, bound;
    bool ready;
} permitted;

static void unsay(rt_permissions *p) {
    empty(&p->given);
    memset(p->peers, UNSAID, sizeof p->peers);
}
static rt_permissions *always(rt_permissions *p) {
    if (!permitted.ready) {
        permitted.ready = true;
        unsay(&permitted.process), unsay(&permitted.kernels);
        for (unsigned d = 0; d < SES_MOST_GPUS; d++) unsay(&permitted.devices[d]);
    }
    return wg_u64map_set(&told.handles, (uintptr_t)p, 1) ? p : NULL;
}
rt_permissions *rt_permissions_of_process(void) { return always(&permitted.process); }
rt_permissions *rt_permissions_of_kernels(void) { return always(&permitted.kernels); }
rt_permissions *rt_permissions_of_device(unsigned device) { return device < SES_MOST_GPUS ? always(&permitted.devices[device]) : NULL; }

rt_permissions *rt_permissions_new(unsigned exclude) {
    rt_permissions *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->exclude = exclude & RT_MAY_ALL;
    unsay(p);
    if (wg_u64map_set(&told.handles, (uintptr_t)p, 1) && wg_vec_push(&permitted.made, p)) return p;
    wg_u64map_remove(&told.handles, (uintptr_t)p);
    free(p);
    return NULL;
}

static void drop_bound(size_t k) {
    empty(&permitted.bound.at[k]->given);
    free(permitted.bound.at[k]);
    permitted.bound.at[k] = permitted.bound.at[--permitted.bound.count];
}

void rt_permissions_free(rt_permissions *p) {
    for (size_t k = permitted.bound.count; k-- > 0;)
        if (permitted.bound.at[k]->of == p) drop_bound(k);
    for (size_t k = 0; k < permitted.made.count; k++) {
        if (permitted.made.at[k] != p) continue;
        permitted.made.at[k] = permitted.made.at[--permitted.made.count];
        wg_u64map_remove(&told.handles, (uintptr_t)p);
        empty(&p->given);
        free(p);
        return;
    }
}

void rt_permissions_reset(rt_permissions *p) { unsay(p); }

bool rt_permit(rt_permissions *p, const rt_region *region, unsigned may) {
    stretch *one = stretch_of(&p->given, region, region->from);
    if (one) return one->may = may, true;
    return add(&p->given, (stretch){.from = region->from, .end = region->end, .since = newest(), .may = may, .region = region});
}
void rt_permit_no_more(rt_permissions *p, const rt_region *region) {
    stretch *one = stretch_of(&p->given, region, region->from);
    if (one) take(&p->given, one);
}
void rt_permit_peer(rt_permissions *p, int device, unsigned may) {
    if (device < SES_MOST_GPUS) p->peers[device < 0 ? SES_MOST_GPUS : device] = (uint8_t)(may & RT_MAY_ALL);
}

/* Calls fn for all objects that may say something of a region. */
static void each_permissions(void (*fn)(rt_permissions *p, const rt_region *region), const rt_region *region) {
    if (!permitted.ready && !permitted.made.count) return;
    fn(&permitted.process, region), fn(&permitted.kernels, region);
    for (unsigned d = 0; d < rt_device_count(); d++) fn(&permitted.devices[d], region);
    for (size_t k = 0; k < permitted.made.count; k++) fn(permitted.made.at[k], region);
    for (size_t k = 0; k < permitted.bound.count; k++) fn(permitted.bound.at[k], region);
}

void rt_region_end(rt_region *region) {
    stretch *one = stretch_of(regions_of(region), region, region->from);
    each_permissions(rt_permit_no_more, region);
    if (one) take(regions_of(region), one);
    if (region->heap) {
        size_t n = region->heap->n_gone++ % GONE;
        region->heap->gone[n].from = region->from, region->heap->gone[n].end = region->end;
    }
    forget_start(region);
    wg_u64map_remove(&told.handles, (uintptr_t)region);
    free(region->name);
    free(region);
}

static void stretch_permission(rt_permissions *p, const rt_region *region) {
    stretch *one = stretch_of(&p->given, region, region->from);
    if (one) one->end = region->end;
    if (one && one->end - one->from > p->given.longest) p->given.longest = one->end - one->from;
}

bool rt_region_resize(rt_region *region, uint64_t size) {
    stretches *all = regions_of(region);
    stretch *one = stretch_of(all, region, region->from);
    if (!one) return false;
    one->end = region->end = region->from + size;
    if (size > all->longest) all->longest = size;
    each_permissions(stretch_permission, region);
    return true;
}

/* --- what is bound to a thread -------------------------------------------------------------------------------- */

static uint64_t this_thread(void) {
    static _Thread_local uint64_t me;
    static _Atomic uint64_t threads;
    if (!me) me = ++threads;
    return me;
}
static const rt_permissions *bound_here(void) {
    for (size_t k = 0; k < permitted.bound.count; k++)
        if (permitted.bound.at[k]->thread == this_thread()) return permitted.bound.at[k];
    return NULL;
}
void rt_permissions_unbind(void) {
    for (size_t k = permitted.bound.count; k-- > 0;)
        if (permitted.bound.at[k]->thread == this_thread()) drop_bound(k);
}
bool rt_permissions_bind(const rt_permissions *p, unsigned alone) {
    rt_permissions *copy = calloc(1, sizeof *copy);
    rt_permissions_unbind();
    if (!copy) return false;
    *copy = *p;
    copy->given = (stretches){.longest = p->given.longest};
    copy->of = p, copy->thread = this_thread(), copy->alone = p->exclude | (alone & RT_MAY_ALL);
    bool ok = wg_vec_reserve(&copy->given.list, p->given.list.count) && wg_vec_push(&permitted.bound, copy);
    if (!ok) {
        empty(&copy->given);
        free(copy);
        return false;
    }
    if (p->given.list.count) memcpy(copy->given.list.at, p->given.list.at, p->given.list.count * sizeof *p->given.list.at);
    copy->given.list.count = p->given.list.count;
    return true;
}

/* --- the question ------------------------------------------------------------------------------------------------ */

typedef struct asked {
    const rt_permissions *bound; /* NULL: nothing is */
} asked;

static void say_pool(const rt_heap *heap, char *text, size_t size) {
    snprintf(text, size, "the pool%s%s of %llu bytes", heap->name ? " " : "", heap->name ? heap->name : "", (unsigned long long)(heap->end - heap->from));
}

/* Which part of the pool is near, or was there. */
static eng_rule say_between(const rt_heap *heap, uint32_t allocation, uint64_t address, char *text, size_t size) {
    char pool[120], name[80] = "";
    if (text) say_pool(heap, pool, sizeof pool);
    for (size_t k = heap->n_gone, n = 0; k-- > 0 && n < GONE; n++) {
        uint64_t from = heap->gone[k % GONE].from, end = heap->gone[k % GONE].end;
        if (address < from || address >= end) continue;
        if (text) snprintf(text, size, "the %llu bytes at byte %llu of %s were given back", (unsigned long long)(end - from),
                           (unsigned long long)(from - heap->from), pool);
        return ENG_RULE_GIVEN_BACK;
    }
    if (!text) return ENG_RULE_BETWEEN;
    const stretch *near = NULL;
    uint64_t distance = UINT64_MAX;
    for (size_t k = 0; k < heap->regions.list.count; k++) {
        const stretch *one = &heap->regions.list.at[k];
        uint64_t away = one->from > address ? one->from - address : address - one->end;
        if (one->since >= allocation && away < distance) near = one, distance = away;
    }
    if (!near) {
        snprintf(text, size, "nothing of %s is given out", pool);
        return ENG_RULE_BETWEEN;
    }
    if (near->region->name) snprintf(name, sizeof name, " (%s)", near->region->name);
    if (near->from > address) snprintf(text, size, "%llu bytes before", (unsigned long long)distance);
    else if (distance) snprintf(text, size, "%llu bytes past the end of", (unsigned long long)distance);
    else snprintf(text, size, "right behind");
    size_t n = strlen(text);
    snprintf(text + n, size - n, " the %llu bytes%s at byte %llu of %s", (unsigned long long)(near->end - near->from), name,
             (unsigned long long)(near->from - heap->from), pool);
    return ENG_RULE_BETWEEN;
}

/* Is the byte in what pools have given out? */
static eng_rule by_pools(uint32_t allocation, uint64_t address, eng_span *span, char *text, size_t size) {
    for (size_t k = 0; k < told.heaps.count; k++) {
        const rt_heap *heap = told.heaps.at[k];
        if (!heap->gives_out || heap->since < allocation || heap->from >= span->end || heap->end <= span->from) continue;
        cut(span, address, heap->from);
        cut(span, address, heap->end);
        if (address < heap->from || address >= heap->end) continue;
        if (!look(&heap->regions, allocation, address, span)) return say_between(heap, allocation, address, text, size);
    }
    return ENG_RULE_ALLOWED;
}

static unsigned needed(unsigned access) { return access & ENG_ATOMIC ? RT_MAY_DO_ATOMICS : access & ENG_WRITE ? RT_MAY_WRITE : RT_MAY_READ; }

static void say_permissions(const stretch *one, unsigned may, char *text, size_t size) {
    char what[120] = "memory of its device";
    if (one) snprintf(what, sizeof what, "the %llu bytes%s%s", (unsigned long long)(one->end - one->from), one->region->name ? " of " : "",
                      one->region->name ? one->region->name : "");
    if (text) snprintf(text, size, "permissions of %s:%s%s%s%s", what, may & RT_MAY_READ ? " read" : "", may & RT_MAY_WRITE ? " write" : "",
                       may & RT_MAY_DO_ATOMICS ? " atomics" : "", may ? "" : " none");
}

/* What one object says: 1 permitted, 0 not, -1 nothing. */
static int by_object(const rt_permissions *p, const eng_allocation *a, uint64_t address, unsigned need, eng_span *span, char *text, size_t size) {
    const stretch *one = look(&p->given, a->id, address, span);
    unsigned peer = p->peers[a->device] != UNSAID ? p->peers[a->device] : p->peers[SES_MOST_GPUS], may = one ? one->may : peer;
    if (!one && peer == UNSAID) return -1;
    if (!(may & need)) say_permissions(one, may, text, size);
    return (may & need) != 0;
}

static bool by_permissions(const asked *q, const eng_allocation *a, uint64_t address, unsigned access, unsigned device, eng_span *span, char *text,
                           size_t size) {
    const unsigned need = needed(access);
    int says = -1;
    if (q->bound) {
        says = by_object(q->bound, a, address, need, span, text, size);
        if (says < 0 && q->bound->alone & need) {
            if (text) snprintf(text, size, "the permissions that were bound for this launch exclude what they do not name");
            return false;
        }
    }
    const rt_permissions *const general[] = {device < SES_MOST_GPUS ? &permitted.devices[device] : NULL, &permitted.kernels, &permitted.process};
    for (unsigned k = 0; says < 0 && permitted.ready && k < 3; k++)
        if (general[k]) says = by_object(general[k], a, address, need, span, text, size);
    return says != 0;
}

static eng_rule at(void *ctx, const eng_allocation *a, uint64_t address, unsigned access, unsigned device, eng_span *span, char *text, size_t size) {
    enum { ELEMENT = 16 };
    eng_rule rule = by_pools(a->id, address, span, text, size);
    if (rule != ENG_RULE_ALLOWED) return rule;
    const eng_span whole = *span;
    if (!by_permissions(ctx, a, address, access, device, span, text, size)) return ENG_RULE_FORBIDDEN;
    while (span->end < whole.end && span->end - address < ELEMENT) { /* one access may go on into what has other permissions, if they allow it */
        eng_span next = whole;
        if (!by_permissions(ctx, a, span->end, access, device, &next, NULL, 0)) break;
        span->end = next.end;
    }
    return ENG_RULE_ALLOWED;
}

const eng_rules *rt_rules(void) {
    static asked here;
    static eng_rules rules = {.ctx = &here, .at = at};
    here.bound = bound_here();
    bool pools = false;
    for (size_t k = 0; k < told.heaps.count; k++) pools |= told.heaps.at[k]->gives_out;
    return pools || permitted.ready || here.bound ? &rules : NULL;
}
