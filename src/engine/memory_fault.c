/* Names what is wrong with an access. The slowest path of all: every lane is looked at on its own. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/fault.h"
#include "engine/plan.h"
#include "engine/view.h"

/* Addresses below are taken for a null pointer and an index. */
#define NULL_PAGES ((uint64_t)1 << 16)
/* So far from all allocations, a stray address is no index that ran over. */
#define NEAR ((uint64_t)1 << 30)

static bool is_mapped(uint64_t address) {
    uintptr_t page = (uintptr_t)address & ~(uintptr_t)(MEM_PAGE - 1);
    return address < (uint64_t)1 << 47 && msync((void *)page, 1, MS_ASYNC) == 0;
}

/* What rules say of an element in a live allocation, and why; ENG_RULE_ALLOWED: nothing against it. */
static eng_rule rule_of(const eng_view *v, const mem_alloc *a, uint64_t address, const eng_ins *i, char *text, size_t size) {
    const eng_rules *rules = v->rules;
    unsigned access = i->z & (ENG_READ | ENG_WRITE | ENG_ATOMIC);
    eng_rule rule = ENG_RULE_ALLOWED;
    for (uint64_t at = address; rules && rule == ENG_RULE_ALLOWED && at < address + i->width;) {
        eng_span span = {a->pub.address, a->end};
        rule = rules->at(rules->ctx, &a->pub, at, access, v->device, &span, text, size);
        if (at > address && rule == ENG_RULE_ALLOWED) { /* it runs from one part that was given out into the next */
            snprintf(text, size, "it begins in what was given out before it");
            return ENG_RULE_BETWEEN;
        }
        at = span.end;
    }
    return rule;
}

static eng_finding_kind kind_by_rule(eng_rule rule) {
    return rule == ENG_RULE_FORBIDDEN ? ENG_FAULT_FORBIDDEN : rule == ENG_RULE_GIVEN_BACK ? ENG_FAULT_GIVEN_BACK : rule == ENG_RULE_BETWEEN ? ENG_FAULT_BETWEEN : ENG_FAULT_OUT_OF_BOUNDS;
}

static eng_finding_kind kind_of(const eng_view *v, uint64_t address, const eng_ins *i, const mem_alloc **near) {
    const eng_memory *m = v->mem;
    mem_alloc *below, *a = mem_find(m, address, &below);
    *near = a ? a : below;
    if (address < NULL_PAGES) return ENG_FAULT_NULL;
    if (a && a->pub.kind == ENG_ALLOC_REGISTERED && a->pub.freed) return ENG_FAULT_HOST_POINTER;
    if (a && a->pub.freed) return ENG_FAULT_FREED;
    if (a && mem_beyond_reach(v, &a->pub)) return ENG_FAULT_PEER;
    if (address & (i->width - 1u)) return ENG_FAULT_MISALIGNED;
    if (a && a->pub.read_only && address + i->width <= a->end && i->z & (ENG_WRITE | ENG_ATOMIC)) return ENG_FAULT_READ_ONLY;
    if (a && address + i->width > a->end) return ENG_FAULT_OUT_OF_BOUNDS;
    if (a) {
        char why[200];
        return kind_by_rule(rule_of(v, a, address, i, why, sizeof why));
    }
    if (eng_memory_contains(m, address)) {
        const mem_alloc *above = NULL;
        for (size_t n = 0; n < m->table.count && !above; n++) /* in order of address */
            if (m->table.at[n]->pub.address > address) above = m->table.at[n];
        uint64_t up = above ? above->pub.address - address : UINT64_MAX, down = below ? address - below->end : UINT64_MAX;
        if (below && eng_memory_contains(m, below->pub.address) && down <= up && down < NEAR) return ENG_FAULT_OUT_OF_BOUNDS;
        *near = above ? above : below;
        return up < NEAR ? ENG_FAULT_OUT_OF_BOUNDS : ENG_FAULT_WILD;
    }
    if (below && address < below->end + NEAR && below->pub.kind == ENG_ALLOC_REGISTERED && !below->pub.freed && address - below->end < MEM_PAGE)
        return ENG_FAULT_OUT_OF_BOUNDS;
    *near = NULL;
    return is_mapped(address) ? ENG_FAULT_HOST_POINTER : ENG_FAULT_WILD;
}

bool mem_fault(eng_warp *w, const eng_ins *i, const uint64_t *addresses, uint32_t lanes) {
    const eng_view *v = w->worker->memory_state;
    bool fatal = false;
    while (lanes) { /* one finding for all lanes with the same fault and allocation */
        const mem_alloc *near, *other;
        unsigned first = (unsigned)__builtin_ctz(lanes);
        eng_finding_kind kind = kind_of(v, addresses[first], i, &near);
        uint32_t same = 0;
        for (unsigned l = first; l < 32; l++)
            if (lanes >> l & 1 && kind_of(v, addresses[l], i, &other) == kind && other == near) same |= 1u << l;
        bool by_rule = kind == ENG_FAULT_BETWEEN || kind == ENG_FAULT_GIVEN_BACK || kind == ENG_FAULT_FORBIDDEN;
        bool ends = kind != ENG_FAULT_OUT_OF_BOUNDS && kind != ENG_FAULT_FREED && kind != ENG_FAULT_READ_ONLY && kind != ENG_FAULT_PEER && !by_rule;
        eng_finding f = {.kind = kind, .lanes = same, .lane = first, .space = ENG_GLOBAL, .access = (uint8_t)i->z,
                         .width = i->width, .address = addresses[first], .allocation = near ? &near->pub : NULL, .fatal = ends};
        if (by_rule) rule_of(v, near, addresses[first], i, f.text, sizeof f.text);
        eng_fault(w, i, &f);
        fatal |= ends;
        lanes &= ~same;
    }
    return fatal;
}

void mem_check_root(eng_warp *w, const eng_ins *i, const mem_range *r, const uint64_t *addresses, uint32_t lanes) {
    const eng_launch *launch = w->worker->grid ? w->worker->grid->launch : NULL;
    uint64_t start;
    if (!launch || !launch->roots || !lanes || i->function != launch->roots_function || !launch->roots[i->id]) return;
    memcpy(&start, (const uint8_t *)launch->params + launch->roots[i->id] - 1, sizeof start);
    const mem_alloc *own = mem_find(w->worker->memory, start, NULL);
    if (!own || own->pub.freed || own == r->alloc) return; /* no pointer that anyone could run off, or at home */
    if (start != own->pub.address) return; /* may be another array's pointer, moved before it is handed over (Thrust's begin() - n) */
    unsigned first = (unsigned)__builtin_ctz(lanes);
    eng_finding f = {.kind = ENG_FAULT_STRAYED, .lanes = lanes, .lane = first, .space = ENG_GLOBAL, .access = (uint8_t)i->z, .width = i->width,
                     .address = addresses[first], .allocation = &own->pub};
    snprintf(f.text, sizeof f.text, "what lies there belongs to allocation #%" PRIu32, r->alloc->pub.id);
    eng_fault(w, i, &f);
}

/* Lanes whose stack pointer, R1, has gone below the stack: calls went deeper than there is room for. */
static uint32_t stack_full(const eng_warp *w, eng_space space, uint32_t lanes) {
    const eng_grid *grid = w->worker->grid;
    uint32_t full = 0;
    if (space != ENG_LOCAL || !grid || !grid->stack_size || grid->plan->n_regs < 2) return 0;
    const int32_t *pointer = (const int32_t *)(const void *)(w->R + ENG_SLOT);
    for (unsigned l = 0; l < 32; l++) full |= (uint32_t)(pointer[l] < 0) << l;
    return full & lanes;
}

static bool fault_stack(eng_warp *w, const eng_ins *i, const uint64_t *addresses, uint32_t lanes) {
    eng_finding f = {.kind = ENG_FAULT_STACK, .lanes = lanes, .space = ENG_LOCAL, .access = (uint8_t)i->z, .width = i->width,
                     .address = addresses[__builtin_ctz(lanes)], .fatal = true};
    snprintf(f.text, sizeof f.text, "calls went deeper than its %" PRIu32 " bytes hold (cudaDeviceSetLimit, cudaLimitStackSize, gives more)", w->worker->grid->stack_size);
    eng_fault(w, i, &f);
    return true;
}

bool mem_fault_window(eng_warp *w, const eng_ins *i, eng_space space, const uint64_t *addresses, uint32_t lanes, uint64_t size) {
    uint32_t full = stack_full(w, space, lanes);
    bool fatal = full && fault_stack(w, i, addresses, full);
    lanes &= ~full;
    for (unsigned misaligned = 0; misaligned < 2; misaligned++) {
        uint32_t same = 0;
        for (unsigned l = 0; l < 32; l++)
            if (lanes >> l & 1 && ((addresses[l] & (i->width - 1u)) != 0) == misaligned) same |= 1u << l;
        if (!same) continue;
        unsigned first = (unsigned)__builtin_ctz(same);
        eng_finding f = {.kind = misaligned ? ENG_FAULT_MISALIGNED : space == ENG_LOCAL ? ENG_FAULT_LOCAL : space == ENG_CLUSTER ? ENG_FAULT_CLUSTER : ENG_FAULT_SHARED,
                         .lanes = same, .lane = first, .space = space, .access = (uint8_t)i->z, .width = i->width,
                         .address = addresses[first], .fatal = true};
        snprintf(f.text, sizeof f.text, "%s memory has %" PRIu64 " bytes", space == ENG_LOCAL ? "the thread's local" : "the block's shared", size);
        eng_fault(w, i, &f);
        fatal = true;
    }
    return fatal;
}

void mem_no_room(eng_warp *w, const eng_ins *i) {
    eng_worker *k = w->worker;
    const eng_view *v = k->memory_state;
    (void)i;
    k->stop = true;
    if (v->parallel && !v->apart) return; /* eng_memory_conflict tells; one worker needs less */
    k->status = wg_fail(&k->err, WG_ERR_MEMORY, "this machine has no room for more device memory (%" PRIu64 " bytes are in use)",
                        eng_memory_touched(k->memory));
}
