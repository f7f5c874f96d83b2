/* Blocks that cannot meet (apart.h).
 *
 * Two accesses whose sets of addresses (walk.h) lie apart cannot meet, and two that differ by a constant meet in one
 * block only if the strides say so. This is for the kernel that treats elements one by one; anything else is answered
 * with false, at little cost. */
#include "engine/apart.h"

#include <string.h>

#include "engine/view.h"
#include "engine/walk.h"

enum { MAX_ACCESSES = 128 };

typedef struct access {
    affine at;
    int64_t least, most; /* first byte's */
    uint32_t width, slot; /* slot: of its range (view.h) */
    bool write, leaves;   /* leaves: may end up outside of its allocation */
} access;

typedef struct accesses {
    const eng_grid *grid;
    const uint32_t *count;
    access at[MAX_ACCESSES];
    unsigned n;
    bool failed;
} accesses;

/* Aligned, and nowhere far from an allocation: the worst that can come of it is a finding (memory_fault.c), which does
 * not end the launch. */
static bool harmless(const accesses *all, access *a) {
    const eng_memory *m = all->grid->code->device->memory;
    const uint64_t near = (uint64_t)1 << 28, least = (uint64_t)a->least, end = (uint64_t)a->most + a->width;
    uint64_t bits = (uint64_t)a->at.c;
    for (unsigned n = 0; n < AFF_TERMS; n++) bits |= (uint64_t)a->at.k[n];
    if (bits & (a->width - 1) || a->least < 0 || !eng_memory_contains(m, least) || !eng_memory_contains(m, end)) return false;
    mem_alloc *home = mem_find(m, least + (end - least) / 2, NULL);
    a->leaves = home && (least < home->pub.address || end > home->end);
    return home && !home->pub.freed && least + near > home->pub.address && end < home->end + near;
}

static void note(void *context, walk *k, const sass_instr *in) {
    accesses *all = context;
    const sass_class class = sass_class_of((sass_op)in->op);
    if (class != SASS_CLASS_GLOBAL_LD && class != SASS_CLASS_GLOBAL_ST) return;
    access a = {.width = in->width, .write = class == SASS_CLASS_GLOBAL_ST};
    a.slot = mem_range_slot((uint32_t)(in - all->grid->plan->units.at[0].instrs), a.write ? ENG_WRITE : ENG_READ);
    if (all->failed || all->n == MAX_ACCESSES || !walk_global(k, &in->mem, &a.at) || !aff_range(&a.at, all->count, &a.least, &a.most) ||
        !harmless(all, &a)) {
        all->failed = true;
        return;
    }
    all->at[all->n++] = a;
}

static bool meet(const accesses *all, const access *write, const access *other) {
    if (write->most + write->width <= other->least || other->most + other->width <= write->least) return false;
    if (memcmp(write->at.k, other->at.k, sizeof write->at.k)) return true;
    const access *first = write->at.c <= other->at.c ? write : other, *second = first == write ? other : write;
    uint64_t behind = (uint64_t)(second->at.c - first->at.c) + second->width;
    return !aff_apart(&first->at, all->count, behind > first->width ? behind : first->width);
}

/* Is every access that strays noticed? Not one into what another instruction has left in their range. */
static bool strays_show(const accesses *all) {
    for (unsigned a = 0; all->grid->launch->roots && a < all->n; a++)
        for (unsigned b = 0; b < all->n && all->at[a].leaves; b++)
            if (a != b && all->at[a].slot == all->at[b].slot) return false;
    return true;
}

static bool accesses_apart(const accesses *all) {
    for (unsigned a = 0; a < all->n; a++)
        for (unsigned b = 0; b < all->n && all->at[a].write; b++)
            if (meet(all, &all->at[a], &all->at[b])) return false;
    return true;
}

/* Where undefined values are followed, one that turns up among several workers sends the launch back to one: there must
 * be none, in registers or in what is read. */
static bool all_defined(const accesses *all) {
    const eng_plan *plan = all->grid->plan;
    const eng_memory *m = all->grid->code->device->memory;
    if (!(plan->wants & 1u << ENG_EV_UNDEFINED)) return true;
    if (plan->undefined_in.count || plan->undefined_preds) return false;
    for (unsigned n = 0; n < all->n; n++) {
        const access *a = &all->at[n];
        uint64_t least = (uint64_t)a->least, end = (uint64_t)a->most + a->width;
        const mem_alloc *home = mem_find(m, least + (end - least) / 2, NULL);
        if (a->write) continue;
        if (home && least < home->pub.address) least = home->pub.address;
        if (home && end > home->end) end = home->end;
        if (!home || !eng_memory_defined(m, least, end - least)) return false;
    }
    return true;
}

/* Neither ends a launch nor changes what other blocks see, but for loads and stores. */
static bool is_tame(const sass_instr *in) {
    switch (sass_class_of((sass_op)in->op)) {
    case SASS_CLASS_ALU: case SASS_CLASS_UNIFORM: case SASS_CLASS_FP: case SASS_CLASS_FP64: case SASS_CLASS_HALF:
    case SASS_CLASS_TENSOR: case SASS_CLASS_CONVERT: case SASS_CLASS_SPECIAL: case SASS_CLASS_PRED: case SASS_CLASS_MOVE:
    case SASS_CLASS_CONST_LOAD: case SASS_CLASS_GLOBAL_LD: case SASS_CLASS_GLOBAL_ST: case SASS_CLASS_CONVERGE:
    case SASS_CLASS_EXIT: return true;
    case SASS_CLASS_WARP: return in->op != SASS_WARPSYNC;
    case SASS_CLASS_BRANCH: return in->has_target;
    default: return in->op == SASS_NOP;
    }
}

bool eng_blocks_apart(const eng_grid *grid) {
    const eng_plan *plan = grid->plan;
    const eng_unit *unit = &plan->units.at[0];
    if (plan->units.count != 1 || unit->n > WALK_MOST || grid->launch->max_instructions) return false;
    for (unsigned n = 0; n < unit->n; n++)
        if (!is_tame(&unit->instrs[n])) return false;
    walk *k = walk_new(grid);
    if (!k) return false;
    accesses all = {.grid = grid, .count = walk_count(k)};
    walk_visit(k, note, &all);
    bool apart = !all.failed && accesses_apart(&all) && strays_show(&all) && all_defined(&all);
    walk_free(k);
    return apart;
}
