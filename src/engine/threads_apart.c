/* Accesses that meet no other thread's (threads_apart.h).
 *
 * Two accesses can be in a race only where one of them writes and two threads can touch a byte with them. Where both addresses
 * are known (walk.h), ranges and strides tell. What a load reads may be unknown: as long as all stores are known, it is enough
 * that it stays outside of what they reach, which is seen when it is executed.
 *
 * In shared memory, barriers help: if all threads of a block came through the same barrier instruction, two accesses lie between
 * the same two barriers only if one such instruction can be the last before either. That the threads did so is watched while
 * the block runs (eng_blk.astray). */
#include "engine/threads_apart.h"

#include <stdlib.h>
#include <string.h>

#include "engine/walk.h"

enum { MAX_ACCESSES = 1024, MAX_PAIRS = 1 << 16, MAX_BARRIERS = 63, LINE = 128 };

typedef struct access {
    affine at;
    int64_t least, most; /* first byte's */
    uint64_t epochs;     /* shared: the barriers that may be the last before it, a bit each; bit 0: none */
    uint32_t instr;
    uint8_t width;
    bool known, shared, write, atomic, strong; /* known: its address */
    bool meets;          /* it, or what it meets, writes; or it shares lines with such a one */
} access;

typedef struct look {
    const eng_grid *grid;
    const eng_unit *unit;
    access *all;
    unsigned n, writes;
    uint64_t *epochs;  /* by instruction */
    uint32_t in_block[AFF_TERMS]; /* counts of a block's threads */
    bool no_shared;    /* nothing can be said of shared memory */
    bool failed;
} look;

/* --- barriers ------------------------------------------------------------------------------- */

/* All threads that live come, and none goes on alone. */
static bool is_plain_barrier(const sass_instr *in) {
    return in->op == SASS_BAR && (in->sub == SASS_BAR_SYNC || in->sub == SASS_BAR_RED) && in->a.kind == SASS_IMM && in->b.kind == SASS_NONE;
}
static uint64_t after(const look *l, const uint8_t *number, uint32_t n, uint64_t epochs) {
    const sass_instr *in = &l->unit->instrs[n];
    if (!number[n]) return epochs;
    return UINT64_C(1) << number[n] | ((in->guard.reg & 7) == SASS_PT && !in->guard.inv ? 0 : epochs);
}

/* For each instruction, which barriers may be the last before it. */
static bool find_epochs(look *l, const sass_cfg *cfg, uint64_t *at, uint8_t *number) {
    unsigned barriers = 0;
    for (uint32_t n = 0; n < l->unit->n; n++) {
        if (sass_class_of((sass_op)l->unit->instrs[n].op) != SASS_CLASS_BARRIER || l->unit->instrs[n].op == SASS_B2R) continue;
        if (!is_plain_barrier(&l->unit->instrs[n]) || barriers == MAX_BARRIERS) return false;
        number[n] = (uint8_t)++barriers;
    }
    at[0] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < cfg->n_blocks; b++) {
            uint64_t epochs = at[b];
            for (uint32_t n = cfg->blocks[b].first; n <= cfg->blocks[b].last; n++) {
                l->epochs[n] = epochs;
                epochs = after(l, number, n, epochs);
            }
            for (unsigned s = 0; s < 2; s++) {
                uint32_t to = cfg->blocks[b].succ[s];
                if (to == UINT32_MAX || !(epochs & ~at[to])) continue;
                at[to] |= epochs;
                changed = true;
            }
        }
    }
    return true;
}

/* --- accesses ------------------------------------------------------------------------------- */

static void add(look *l, access a, const uint32_t *count) {
    if (a.known) a.known = aff_range(&a.at, count, &a.least, &a.most);
    if (l->n == MAX_ACCESSES) l->failed = true;
    else l->all[l->n++] = a, l->writes += a.write;
}

static bool copies_only(const sass_instr *in) { return in->op == SASS_LDGSTS || in->op == SASS_LDGDEPBAR || in->op == SASS_DEPBAR; }

/* Is it of global memory, whatever its address? */
static bool only_global(const sass_instr *in, bool known) {
    switch (in->op) {
    case SASS_ATOM: case SASS_ATOM_F: case SASS_CAS_ATOM: case SASS_RED: return known;
    default: return true;
    }
}

static void note(void *context, walk *k, const sass_instr *in) {
    look *l = context;
    const sass_class class = sass_class_of((sass_op)in->op);
    const uint32_t *count = walk_count(k);
    access a = {.instr = (uint32_t)(in - l->unit->instrs), .width = in->width, .epochs = UINT64_MAX,
                .strong = in->order == SASS_STRONG || in->order == SASS_MMIO};
    switch (class) {
    case SASS_CLASS_GLOBAL_LD: case SASS_CLASS_GLOBAL_ST: case SASS_CLASS_GLOBAL_ATOM: case SASS_CLASS_GLOBAL_RED:
        a.atomic = class == SASS_CLASS_GLOBAL_ATOM || class == SASS_CLASS_GLOBAL_RED;
        a.write = class != SASS_CLASS_GLOBAL_LD;
        a.known = walk_global(k, &in->mem, &a.at);
        if (a.atomic) a.width = 16; /* at most */
        add(l, a, count);
        l->no_shared |= !only_global(in, a.known);
        return;
    case SASS_CLASS_SHARED_LD: case SASS_CLASS_SHARED_ST: case SASS_CLASS_SHARED_ATOM:
        a.shared = true;
        a.atomic = class == SASS_CLASS_SHARED_ATOM;
        a.write = class != SASS_CLASS_SHARED_LD;
        a.epochs = l->epochs[a.instr];
        a.known = (in->op == SASS_LDS || in->op == SASS_STS) && walk_shared(k, &in->mem, &a.at);
        add(l, a, count);
        return;
    case SASS_CLASS_GENERIC_LD: case SASS_CLASS_GENERIC_ST:
        a.write = class == SASS_CLASS_GENERIC_ST;
        add(l, a, count);
        a.shared = true;
        a.epochs = l->epochs[a.instr];
        add(l, a, count);
        return;
    case SASS_CLASS_ASYNC_COPY: /* what they write to shared memory comes at any time */
        l->no_shared = true;
        l->failed |= !copies_only(in);
        a.strong = true; /* nothing is known of what it stores: it is heard of */
        if (in->op == SASS_LDGSTS) add(l, a, count);
        return;
    case SASS_CLASS_TENSOR:
        if (!sass_is_gmma((sass_op)in->op)) return;
        l->no_shared = true; /* what it reads depends on descriptors */
        a.shared = a.strong = true;
        a.epochs = l->epochs[a.instr];
        add(l, a, count);
        return;
    case SASS_CLASS_CALL: l->failed = true; return;
    case SASS_CLASS_OTHER:
        if (in->op != SASS_SYNCS && in->op != SASS_SYNCS_PHASE && in->op != SASS_SYNCS_OTHER && in->op != SASS_SYNCS_CCTL && in->op != SASS_SYNCS_EXCH) return;
        l->no_shared = true;
        a.shared = a.write = a.strong = true; /* what initialises an asynchronous barrier, or arrives there, is heard of */
        a.epochs = l->epochs[a.instr];
        add(l, a, count);
        return;
    default: return;
    }
}

/* --- pairs ---------------------------------------------------------------------------------- */

/* Can two threads touch a byte, one with the one, another with the other? */
static bool meet(const look *l, const access *a, const access *b, const uint32_t *count) {
    if (a->shared != b->shared || !(a->epochs & b->epochs) || (a->atomic && b->atomic)) return false;
    if (!a->known || !b->known) return true;
    if (a->most + a->width <= b->least || b->most + b->width <= a->least) return false;
    if (memcmp(a->at.k, b->at.k, sizeof a->at.k)) return true;
    const access *first = a->at.c <= b->at.c ? a : b, *second = first == a ? b : a;
    uint64_t behind = (uint64_t)(second->at.c - first->at.c) + second->width;
    return !aff_all_apart(&first->at, a->shared ? l->in_block : count, behind > first->width ? behind : first->width);
}

static void compare(look *l, const uint32_t *count) {
    for (unsigned a = 0; a < l->n; a++)
        for (unsigned b = 0; b < l->n && l->all[a].write; b++)
            if (meet(l, &l->all[a], &l->all[b], count)) l->all[a].meets = l->all[b].meets = true;
}

static bool share_lines(const access *a, const access *b) {
    if (a->shared != b->shared || !(a->epochs & b->epochs)) return false;
    if (!a->known || !b->known) return a->shared; /* in global memory it is seen when it is executed (ENG_APART_UNSTORED) */
    return a->least <= ((b->most + b->width - 1) | (LINE - 1)) && b->least <= ((a->most + a->width - 1) | (LINE - 1));
}

/* Of a line everything is heard of, or nothing: who remembers accesses line by line then remembers the same ones as if everything were
 * heard. */
static void spread(look *l) {
    unsigned n_open = 0;
    uint16_t *open = malloc(MAX_ACCESSES * sizeof *open);
    if (!open) {
        l->failed = true;
        return;
    }
    for (unsigned n = 0; n < l->n; n++)
        if (l->all[n].meets |= l->all[n].atomic || l->all[n].strong) open[n_open++] = (uint16_t)n;
    while (n_open) {
        const access *a = &l->all[open[--n_open]];
        for (unsigned n = 0; n < l->n; n++)
            if (!l->all[n].meets && share_lines(a, &l->all[n])) l->all[n].meets = true, open[n_open++] = (uint16_t)n;
    }
    free(open);
}

/* --- the answer ----------------------------------------------------------------------------- */

struct eng_apart_kept {
    eng_apart apart;
    bool known;   /* something is */
    size_t n_key; /* of the launch that it is the answer for */
    uint8_t *key;
    uint8_t of[];
};

void eng_threads_apart_free(struct eng_apart_kept *kept) {
    if (kept) free(kept->key);
    free(kept);
}

/* Adds whole lines to the ranges, in order; of too many, the two that are nearest become one. */
static void add_stored(eng_apart *apart, eng_span span) {
    unsigned at = apart->n_stored;
    span = (eng_span){span.from / LINE * LINE, (span.end + LINE - 1) / LINE * LINE};
    eng_span s[ENG_APART_SPANS + 1];
    memcpy(s, apart->stored, sizeof apart->stored);
    for (; at && s[at - 1].from > span.from; at--) s[at] = s[at - 1];
    s[at] = span;
    unsigned n = apart->n_stored + 1, nearest = 1;
    for (unsigned k = 1; k < n;) {
        if (s[k].from > s[k - 1].end) {
            k++;
            continue;
        }
        if (s[k].end > s[k - 1].end) s[k - 1].end = s[k].end;
        memmove(&s[k], &s[k + 1], (--n - k) * sizeof *s);
    }
    for (unsigned k = 1; k < n; k++)
        if (s[k].from - s[k - 1].end < s[nearest].from - s[nearest - 1].end) nearest = k;
    if (n > ENG_APART_SPANS) {
        s[nearest - 1].end = s[nearest].end;
        memmove(&s[nearest], &s[nearest + 1], (--n - nearest) * sizeof *s);
    }
    memcpy(apart->stored, s, n * sizeof *s);
    apart->n_stored = n;
}

static bool all_stores_known(const look *l) {
    for (unsigned n = 0; n < l->n; n++)
        if (!l->all[n].shared && l->all[n].write && !l->all[n].known) return false;
    return true;
}

static eng_apart_kind kind_of(const access *a, bool stores_known, bool no_shared) {
    if (a->atomic || a->strong || (a->shared && no_shared)) return ENG_MAY_MEET;
    if (!a->known && !a->shared && a->write) return ENG_MAY_MEET;
    if (!a->meets && (a->known || a->shared)) return ENG_APART;
    return !a->shared && !a->write && stores_known ? ENG_APART_UNSTORED : ENG_MAY_MEET;
}

static void answer(const look *l, struct eng_apart_kept *kept) {
    const bool known = all_stores_known(l);
    memset(kept->of, ENG_MAY_MEET, l->unit->n); /* what is no access that is known here */
    kept->apart.all = true;
    for (unsigned n = 0; n < l->n; n++) {
        const access *a = &l->all[n];
        eng_apart_kind kind = kind_of(a, known, l->no_shared);
        const bool first = !n || l->all[n - 1].instr != a->instr; /* a generic one is two */
        if (first || kind < kept->of[a->instr]) kept->of[a->instr] = (uint8_t)kind;
        kept->known |= kind != ENG_MAY_MEET;
        kept->apart.all &= kind == ENG_APART;
        if (!a->shared && a->write && a->known) add_stored(&kept->apart, (eng_span){(uint64_t)a->least, (uint64_t)a->most + a->width});
    }
}

static void examine(look *l, struct eng_apart_kept *kept) {
    walk *k = walk_new(l->grid);
    if (!k) return;
    const sass_cfg *cfg = walk_cfg(k);
    const uint32_t *count = walk_count(k);
    uint64_t *at = calloc(cfg->n_blocks, sizeof *at);
    uint8_t *number = calloc(l->unit->n, 1);
    l->epochs = calloc(l->unit->n, sizeof *l->epochs);
    l->all = malloc(MAX_ACCESSES * sizeof *l->all);
    for (unsigned t = 0; t < AFF_TERMS; t++) l->in_block[t] = t < AFF_CTAID ? count[t] : 1;
    if (at && number && l->epochs && l->all) {
        l->no_shared = !find_epochs(l, cfg, at, number) || l->grid->cluster_size > 1; /* others reach it, whom no block barrier orders */
        walk_visit(k, note, l);
        if (!l->failed && l->n * l->writes <= MAX_PAIRS) {
            compare(l, count);
            spread(l);
            if (!l->failed) answer(l, kept);
        }
    }
    free(l->all);
    free(l->epochs);
    free(number);
    free(at);
    walk_free(k);
}

/* What the answer depends on: dimensions and constants. */
static size_t key_of(const eng_grid *grid, uint8_t *key) {
    const size_t size = sizeof grid->grid + sizeof grid->block + grid->banks[0].size;
    if (!key) return size;
    memcpy(key, grid->grid, sizeof grid->grid);
    memcpy(key + sizeof grid->grid, grid->block, sizeof grid->block);
    memcpy(key + sizeof grid->grid + sizeof grid->block, grid->banks[0].bytes, grid->banks[0].size);
    return size;
}

const eng_apart *eng_threads_apart(const eng_grid *grid) {
    eng_plan *plan = grid->plan;
    const eng_unit *unit = &plan->units.at[0];
    const size_t n_key = key_of(grid, NULL);
    struct eng_apart_kept *kept = plan->apart;
    uint8_t *key = malloc(n_key);
    if (key) key_of(grid, key);
    if (!key || (kept && kept->n_key == n_key && !memcmp(kept->key, key, n_key))) {
        free(key);
        return key && kept->known ? &kept->apart : NULL;
    }
    eng_threads_apart_free(kept);
    plan->apart = kept = calloc(1, sizeof *kept + unit->n);
    if (!kept) return free(key), NULL;
    kept->n_key = n_key;
    kept->key = key;
    kept->apart = (eng_apart){.function = unit->function, .n = unit->n, .of = kept->of};
    examine(&(look){.grid = grid, .unit = unit}, kept);
    return kept->known ? &kept->apart : NULL;
}
