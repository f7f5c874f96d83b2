/* Global and local memory: requests, sectors, bytes asked for and bytes used, for each instruction.
 *
 * Nearly all requests of good kernels are of a whole warp and contiguous or uniform: accesses.c counts those by
 * shape, and everything else follows when the launch ends. Only what deviates is looked at here. */
#include <stdlib.h>

#include "watch/accesses.h"
#include "watch/sectors.h"

typedef struct cell {
    uint64_t requests, sectors, lines, asked, used; /* of all others */
    uint64_t elsewhere; /* distinct bytes of a generic access to local memory */
    uint64_t chunks;  /* under the own model, all requests */
    uint64_t sample;  /* the first address that was accessed, ... */
    uint64_t turn;    /* ... in this turn, plus 1; 0: none was */
    uint8_t width, access;
    bool generic;
    watch_memo memo;
} cell;

typedef struct state {
    watch_cells global, local;
    eng_code *code;
    unsigned chunk, group; /* the own model; 0: not asked for */
} state;

void watch_memory_stop(void *opaque) {
    state *st = opaque;
    watch_cells_free(&st->global);
    watch_cells_free(&st->local);
    free(st);
}

void *watch_memory_start(const watch_context *ctx) {
    state *st = calloc(1, sizeof *st);
    if (!st) return NULL;
    st->code = ctx->code;
    st->chunk = ctx->chunk_bytes;
    st->group = ctx->group_threads ? ctx->group_threads : 32;
    if (watch_cells_init(&st->global, ctx, sizeof(cell)) && watch_cells_init(&st->local, ctx, sizeof(cell))) return st;
    watch_memory_stop(st);
    return NULL;
}

watch_touch watch_touch_recalled(watch_memo *memo, const eng_batch *batch, const eng_event *ev) {
    if (ev->cls == ENG_GENERAL || ev->space == ENG_LOCAL) return watch_touch_event(batch, ev);
    bool known;
    struct watch_remembered *r = watch_recall(memo, ev, &known);
    if (!known) {
        watch_touch touch = watch_touch_event(batch, ev);
        r->result[0] = (uint16_t)touch.sectors;
        r->result[1] = (uint16_t)touch.bytes;
        r->result[2] = (uint16_t)touch.lines;
    }
    return (watch_touch){.sectors = r->result[0], .bytes = r->result[1], .lines = r->result[2]};
}

/* Of lanes at one address only one is served at a time: each such turn moves its sectors, and looks up its tags. */
static void touch_in_turns(const eng_batch *batch, const eng_event *ev, watch_touch *touch) {
    uint64_t lanes[32];
    touch->sectors = touch->lines = 0;
    for (unsigned l = 0; l < 32; l++) lanes[l] = eng_lane_address(batch, ev, l);
    for (uint32_t rest = ev->mask; rest;) {
        uint32_t turn = 0;
        for (uint32_t left = rest; left; left &= left - 1) {
            const uint64_t address = lanes[__builtin_ctz(left)];
            bool met = false;
            for (uint32_t before = turn; before && !met; before &= before - 1) met = lanes[__builtin_ctz(before)] == address;
            if (!met) turn |= left & -left;
        }
        const watch_touch one = watch_touch_lanes(lanes, turn, ev->width);
        touch->sectors += one.sectors;
        touch->lines += one.lines;
        rest &= ~turn;
    }
}

static void deviating(cell *c, const eng_batch *batch, const eng_event *ev) {
    watch_touch touch = watch_touch_recalled(&c->memo, batch, ev);
    if (ev->space == ENG_GLOBAL && ev->access & ENG_ATOMIC) touch_in_turns(batch, ev, &touch);
    /* The words of a wide access to local memory lie in rows of their own: a request each, as on an H200. */
    c->requests += ev->space == ENG_LOCAL && ev->width > 4 ? ev->width / 4u : 1u;
    c->sectors += touch.sectors;
    c->lines += touch.lines;
    c->used += touch.bytes;
    c->asked += (uint64_t)__builtin_popcount(ev->mask) * ev->width;
    if (c->generic && ev->space == ENG_LOCAL) {
        eng_event as_it_says = *ev; /* lanes at one address of their frames, which lie apart */
        as_it_says.space = ENG_GLOBAL;
        c->elsewhere += watch_touch_event(batch, &as_it_says).bytes;
    }
}

static void note(cell *c, const eng_batch *batch, const eng_event *ev) {
    if (c->turn) return;
    c->width = ev->width;
    c->access = ev->access;
    if (!ev->mask) return;
    c->turn = batch->turn + 1;
    c->sample = eng_lane_address(batch, ev, (unsigned)__builtin_ctz(ev->mask));
}

void watch_memory_first(void *opaque, const eng_batch *batch, const eng_event *ev) {
    cell *c = watch_cell(&((state *)opaque)->global, ev->function, ev->instr);
    if (c) note(c, batch, ev);
}

void watch_memory_event(void *opaque, const eng_batch *batch, const eng_event *ev) {
    state *st = opaque;
    cell *c = watch_cell(ev->space == ENG_LOCAL ? &st->local : &st->global, ev->function, ev->instr);
    if (!c) return;
    if (ev->space == ENG_LOCAL && !c->turn) c->generic = watch_is_generic(watch_instruction(st->code, &st->local, ev->function, ev->instr)->op);
    note(c, batch, ev);
    if (ev->mask) deviating(c, batch, ev);
}

void watch_memory_chunks(void *opaque, const eng_batch *batch, const eng_event *ev) {
    state *st = opaque;
    cell *c = watch_cell(&st->global, ev->function, ev->instr);
    if (!c) return;
    note(c, batch, ev);
    c->chunks += watch_chunks_event(batch, ev, st->chunk, st->group);
}

static void merge_cells(watch_cells *into, const watch_cells *from) {
    for (unsigned f = 0; f < from->module->n_functions; f++) {
        const cell *b = from->at[f];
        for (uint32_t i = 0; b && i < from->module->functions[f].code_size / 16; i++, b++) {
            if (!b->access) continue;
            cell *a = watch_cell(into, f, i);
            if (!a) return;
            a->requests += b->requests;
            a->sectors += b->sectors;
            a->lines += b->lines;
            a->asked += b->asked;
            a->used += b->used;
            a->elsewhere += b->elsewhere;
            a->chunks += b->chunks;
            if (b->turn && (!a->turn || b->turn < a->turn)) a->turn = b->turn, a->sample = b->sample;
            a->width = b->width;
            a->access = b->access;
        }
    }
}

void watch_memory_merge(void *into, void *from) {
    merge_cells(&((state *)into)->global, &((state *)from)->global);
    merge_cells(&((state *)into)->local, &((state *)from)->local);
}

/* Which counters an access of this kind goes to; WATCH_COUNTERS: none. */
typedef struct kind {
    watch_counter requests, sectors, lines, asked, used, chunks;
} kind;
static const kind none = {WATCH_COUNTERS, WATCH_COUNTERS, WATCH_COUNTERS, WATCH_COUNTERS, WATCH_COUNTERS, WATCH_COUNTERS};

static kind kind_of(uint8_t access, bool local) {
    kind k = none;
    if (local) {
        bool load = access & ENG_READ;
        k.requests = load ? WATCH_LOCAL_LD_REQUESTS : WATCH_LOCAL_ST_REQUESTS;
        k.sectors = load ? WATCH_LOCAL_LD_SECTORS : WATCH_LOCAL_ST_SECTORS;
        k.lines = load ? WATCH_LOCAL_LD_TAGS : WATCH_LOCAL_ST_TAGS;
        k.asked = WATCH_LOCAL_BYTES;
    } else if (access & ENG_ASYNC) { /* copies.c */
    } else if (access & ENG_REDUCTION) {
        k.requests = WATCH_GLOBAL_RED_REQUESTS, k.sectors = WATCH_GLOBAL_RED_SECTORS, k.lines = WATCH_GLOBAL_RED_TAGS;
    } else if (access & ENG_ATOMIC) {
        k.requests = WATCH_GLOBAL_ATOM_REQUESTS, k.sectors = WATCH_GLOBAL_ATOM_SECTORS, k.lines = WATCH_GLOBAL_ATOM_TAGS;
    } else if (access & ENG_READ) {
        k = (kind){WATCH_GLOBAL_LD_REQUESTS, WATCH_GLOBAL_LD_SECTORS, WATCH_GLOBAL_LD_TAGS, WATCH_GLOBAL_LD_BYTES,
                   WATCH_GLOBAL_LD_USED, WATCH_CHUNKS_LD};
    } else {
        k = (kind){WATCH_GLOBAL_ST_REQUESTS, WATCH_GLOBAL_ST_SECTORS, WATCH_GLOBAL_ST_TAGS, WATCH_GLOBAL_ST_BYTES,
                   WATCH_GLOBAL_ST_USED, WATCH_CHUNKS_ST};
    }
    return k;
}

static void add(watch_record *record, watch_counter counter, unsigned f, uint32_t i, uint64_t value) {
    if (counter != WATCH_COUNTERS) watch_add_at(record, counter, f, i, value);
}

/* h: its whole-warp requests, NULL when there are none. */
static void finish_cell(watch_record *record, const state *st, unsigned f, uint32_t i, const uint64_t *h, const cell *c, bool local) {
    static const uint64_t nothing[WATCH_SHAPES];
    if (!h) h = nothing;
    kind k = kind_of(c->access, local);
    uint64_t whole = (uint64_t)32 * c->width; /* bytes of a whole-warp contiguous request */
    uint64_t contiguous = watch_hot_contiguous(h), requests = contiguous + h[WATCH_UNIFORM];
    /* one that begins within a sector ends within one: a sector more; likewise a line */
    uint64_t shifted = h[ENG_PLAIN_SHIFTED] + h[ENG_PLAIN_CROSSING + ENG_PLAIN_SHIFTED];
    uint64_t crossing = h[ENG_PLAIN_CROSSING] + h[ENG_PLAIN_CROSSING + ENG_PLAIN_SHIFTED];
    add(record, k.requests, f, i, requests + c->requests);
    const uint64_t turns = c->access & ENG_ATOMIC ? 32 : 1; /* of a whole warp at one address: touch_in_turns */
    add(record, k.sectors, f, i, contiguous * (whole / WATCH_SECTOR) + shifted + h[WATCH_UNIFORM] * turns + c->sectors);
    add(record, k.lines, f, i, contiguous * ((whole + WATCH_LINE - 1) / WATCH_LINE) + crossing + h[WATCH_UNIFORM] * turns + c->lines);
    add(record, k.asked, f, i, requests * whole + c->asked);
    add(record, k.used, f, i, contiguous * whole + h[WATCH_UNIFORM] * c->width + c->used);
    if (st->chunk) add(record, k.chunks, f, i, c->chunks);
}

/* Remembers the narrowest access to each allocation, which reports take for its element. */
static void note_element(const watch_context *ctx, const cell *c) {
    const eng_allocation *a = ctx->elements ? eng_memory_find(ctx->memory, c->sample, NULL) : NULL;
    uint64_t *width = a ? wg_u64map_add(ctx->elements, a->id) : NULL;
    if (width && (!*width || c->width < *width)) *width = c->width;
}

static void ratio(watch_record *record, watch_counter out, watch_counter above, uint64_t more, watch_counter below) {
    uint64_t b = record->launch[below].count;
    watch_set_real(record, out, b ? (double)(record->launch[above].count + more) / (double)b : 0);
}

/* The tools do not count copies among the loads here. Those are added after it. */
static void ratio_of_bytes(watch_record *record, const watch_generic *elsewhere) {
    ratio(record, WATCH_GLOBAL_LD_PER_SECTOR, WATCH_GLOBAL_LD_USED, elsewhere->loaded, WATCH_GLOBAL_LD_SECTORS);
    ratio(record, WATCH_GLOBAL_ST_PER_SECTOR, WATCH_GLOBAL_ST_USED, elsewhere->stored, WATCH_GLOBAL_ST_SECTORS);
}

void watch_memory_ratios(watch_record *record) {
    ratio(record, WATCH_GLOBAL_LD_PER_REQUEST, WATCH_GLOBAL_LD_SECTORS, 0, WATCH_GLOBAL_LD_REQUESTS);
    ratio(record, WATCH_GLOBAL_ST_PER_REQUEST, WATCH_GLOBAL_ST_SECTORS, 0, WATCH_GLOBAL_ST_REQUESTS);
}

void watch_memory_finish(void *opaque, const watch_cells *hot, const watch_context *ctx, const watch_generic *elsewhere, watch_record *record) {
    const state *st = opaque;
    watch_generic generic = *elsewhere;
    /* A countable zero is 0. */
    for (watch_counter c = WATCH_GLOBAL_LD_REQUESTS; c <= WATCH_LOCAL_BYTES; c++) watch_add(record, c, 0);
    if (st->chunk) watch_add(record, WATCH_CHUNKS_LD, 0), watch_add(record, WATCH_CHUNKS_ST, 0);
    for (unsigned f = 0; f < ctx->module->n_functions; f++) {
        const watch_hot *h = hot->at[f];
        const cell *global = st->global.at[f], *local = st->local.at[f];
        for (uint32_t i = 0; i < ctx->module->functions[f].code_size / 16; i++) {
            if (global && global[i].access) {
                finish_cell(record, st, f, i, h ? h[i].n[ENG_GLOBAL] : NULL, &global[i], false);
                note_element(ctx, &global[i]);
            }
            if (local && local[i].access) {
                finish_cell(record, st, f, i, NULL, &local[i], true);
                watch_generic_add(&generic, local[i].access, local[i].elsewhere);
            }
        }
    }
    ratio_of_bytes(record, &generic);
}
