/* The shadow of memory: for each row of 128 bytes the accesses that a later one may be in a race with.
 *
 * An access that a later one is ordered after, and whose words the later one touches too, is forgotten: whoever is in a race with
 * the first is in a race with the second. Of readers that no barrier separates two are enough: whoever writes is not both. */
#include <stdlib.h>
#include <string.h>

#include "watch/race.h"

/* --- which lane, which bytes -------------------------------------------------------------------- */

unsigned race_lane(const race_state *st, race_mark mark, uint64_t address) {
    const race_access *a = &st->accesses[RACE_TOKEN(mark)];
    int64_t off = (int64_t)(address - a->address);
    switch (a->cls) {
    case ENG_UNIFORM: return (unsigned)__builtin_ctz(a->mask);
    case ENG_CONTIGUOUS: return (unsigned)(off / a->width) & 31;
    case ENG_ROWS: {
        int64_t row = a->stride > 0 ? off / a->stride : 0;
        return (unsigned)(row * a->row + (off - row * a->stride) / a->step) & 31;
    }
    default: return RACE_LANE(mark);
    }
}

uint32_t race_bytes(const race_state *st, race_mark mark, uint64_t word) {
    const race_access *a = &st->accesses[RACE_TOKEN(mark)];
    if (a->width >= 4) return 15;
    unsigned bits = (1u << a->width) - 1;
    if (a->cls == ENG_GENERAL) return bits << (a->address >> 2 * RACE_LANE(mark) & 3);
    if (a->cls == ENG_UNIFORM) return bits << (a->address & 3);
    uint32_t bytes = 0; /* side by side: each byte of the word that a lane of the mask touched */
    for (unsigned k = 0; k < 4; k += a->width)
        if (word + k >= a->address && a->mask >> race_lane(st, mark, word + k) & 1) bytes |= bits << k;
    return bytes;
}

/* --- pages ---------------------------------------------------------------------------------------- */

static race_row *row_of(race_state *st, uint64_t address) {
    uint64_t key = address / (RACE_ROW * RACE_PAGE_ROWS);
    unsigned near = key & 63;
    if (st->recent_key[near] == key && st->recent[near]) return &st->recent[near]->rows[address / RACE_ROW % RACE_PAGE_ROWS];
    uint64_t *place = wg_u64map_add(&st->pages, key);
    if (place && !*place) *place = (uintptr_t)calloc(1, sizeof(race_page));
    if (!place || !*place) {
        st->failed = true;
        return NULL;
    }
    st->recent[near] = (race_page *)(uintptr_t)*place;
    st->recent_key[near] = key;
    return &st->recent[near]->rows[address / RACE_ROW % RACE_PAGE_ROWS];
}

static race_row *shared_row(race_state *st, uint64_t address) {
    race_block *b = st->block;
    uint32_t n = (uint32_t)(address / RACE_ROW);
    if (n >= b->shared_rows) {
        uint32_t rows = (n + 32) & ~31u;
        race_row *more = realloc(b->shared, rows * sizeof *more);
        if (!more) {
            st->failed = true;
            return NULL;
        }
        memset(more + b->shared_rows, 0, (rows - b->shared_rows) * sizeof *more);
        b->shared = more;
        b->shared_rows = rows;
    }
    return &b->shared[n];
}

/* --- one access at one row -------------------------------------------------------------------------- */

typedef struct touch {
    race_state *st;
    const eng_batch *batch;
    const eng_event *ev;
    const race_access *now;
    race_mark mark;
    uint32_t floor; /* marks below are ordered before everything that follows in their memory */
    uint64_t row;   /* address */
    bool writes;
} touch;

/* Can the two be in a race at all? Atomics and strong accesses of a common scope are not. */
static bool conflict(const race_access *a, const race_access *b) {
    if (!((a->access | b->access) & ENG_WRITE)) return false;
    unsigned strong = ENG_ATOMIC | ENG_STRONG | ENG_VOLATILE;
    if (!(a->access & strong) || !(b->access & strong)) return true;
    if (a->space == ENG_SHARED || a->block == b->block) return false;
    return (a->scope && a->scope < SASS_GPU) || (b->scope && b->scope < SASS_GPU);
}

/* Looks at the words that both touched; true: the earlier one is ordered before this one, at all of them. */
static bool look(const touch *t, race_mark before, uint32_t words) {
    race_state *st = t->st;
    uint32_t token = RACE_TOKEN(before);
    const race_access *a = &st->accesses[token];
    bool ordered = true, conflicts = conflict(a, t->now), quick = a->block != t->now->block || a->warp != t->now->warp;
    if (a->block == t->now->block && !(a->access & ENG_ASYNC)) { /* what needs no look at lanes */
        const race_block *b = st->block;
        if (token < b->barrier) return true;
        if (!quick && token < b->warps[t->now->warp].synced) return true;
        if (!quick && token != RACE_TOKEN(t->mark) && a->cls == ENG_CONTIGUOUS && t->now->cls == ENG_CONTIGUOUS && a->width == t->now->width &&
            a->width >= 4 && a->address == t->now->address)
            return true; /* each lane at its own place again */
    }
    for (; words; words &= words - 1) {
        uint64_t word = t->row + 4 * (uint64_t)__builtin_ctz(words);
        uint64_t byte = word;
        if (a->width < 4 || t->now->width < 4) {
            uint32_t both = race_bytes(st, before, word) & race_bytes(st, t->mark, word);
            if (!both) {
                ordered = false;
                continue;
            }
            byte += (unsigned)__builtin_ctz(both);
        }
        unsigned lane = race_lane(st, t->mark, byte), lane_before = race_lane(st, before, byte);
        bool uniform = !quick && (a->cls == ENG_UNIFORM || t->now->cls == ENG_UNIFORM);
        if (uniform && lane == lane_before) { /* another lane than the first is meant where there is one */
            if (t->now->cls == ENG_UNIFORM && t->now->mask & (t->now->mask - 1)) lane = (unsigned)__builtin_ctz(t->now->mask & (t->now->mask - 1));
            else if (a->cls == ENG_UNIFORM && a->mask & (a->mask - 1)) lane_before = (unsigned)__builtin_ctz(a->mask & (a->mask - 1));
        }
        race_order order = race_order_of(st, token, lane_before, t->now, lane);
        if (order == RACE_ORDERED) {
            if (quick) return ordered;
            continue;
        }
        ordered = false;
        if (!conflicts) return false;
        race_report(st, t->batch, t->ev, lane, before, byte, order);
        if (quick) return false;
    }
    return ordered;
}

/* Do two readers at hand make a third one superfluous? Those of distinct warps, not ordered before this access. */
static bool readers_suffice(const touch *t, race_mark a, race_mark b) {
    const race_access *x = &t->st->accesses[RACE_TOKEN(a)], *y = &t->st->accesses[RACE_TOKEN(b)];
    if (t->writes || (x->access | y->access) & ENG_WRITE) return false;
    return x->block != y->block || x->warp != y->warp;
}

/* The same warp in the same form. */
static bool alike(const race_access *a, const race_access *b) {
    return a->cls == b->cls && a->block == b->block && a->warp == b->warp && a->mask == b->mask && a->width == b->width &&
           a->access == b->access && a->cls != ENG_GENERAL && a->cls != ENG_STRIDED;
}

/* May the later access stand for the earlier one, which is ordered before it? A reader is in no race with a reader, nor an atomic
 * with an atomic. */
static bool stands_for(const race_access *later, const race_access *earlier) {
    unsigned strong = ENG_ATOMIC | ENG_STRONG | ENG_VOLATILE;
    return (later->access & ENG_WRITE || !(earlier->access & ENG_WRITE)) && (!(later->access & strong) || earlier->access & strong);
}

static void add_word_mark(race_state *st, race_word *w, race_mark mark, bool writes) {
    unsigned worst = RACE_WORD_SLOTS - 1;
    for (unsigned k = 0; k < RACE_WORD_SLOTS; k++) {
        if (!w->at[k]) {
            w->at[k] = mark;
            return;
        }
        if (writes == ((st->accesses[RACE_TOKEN(w->at[k])].access & ENG_WRITE) != 0)) worst = k;
    }
    w->at[worst] = mark; /* no room: one of its own kind goes */
}

static void word_access(const touch *t, race_word *w, uint32_t word) {
    uint32_t one = UINT32_C(1) << word;
    race_mark reader = 0;
    for (unsigned k = 0; k < RACE_WORD_SLOTS; k++) {
        race_mark before = w->at[k];
        if (!before) continue;
        const race_access *a = &t->st->accesses[RACE_TOKEN(before)];
        if (RACE_TOKEN(before) < t->floor || (look(t, before, one) && stands_for(t->now, a))) {
            w->at[k] = 0;
            continue;
        }
        if (t->writes || a->access & ENG_WRITE) continue;
        if (reader && readers_suffice(t, reader, before)) return;
        reader = before;
    }
    add_word_mark(t->st, w, t->mark, t->writes);
}

static void spread(race_state *st, race_row *row, bool shared) {
    race_word *words = calloc(RACE_WORDS, sizeof *words);
    bool kept = words && (shared ? wg_vec_push(&st->block->words, words) : wg_vec_push(&st->words, words));
    if (!kept) {
        free(words);
        st->failed = true;
        return;
    }
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        bool writes = row->at[k] && st->accesses[RACE_TOKEN(row->at[k])].access & ENG_WRITE;
        for (uint32_t left = row->at[k] ? row->words[k] : 0; left; left &= left - 1) {
            unsigned word = (unsigned)__builtin_ctz(left);
            race_mark mark = row->at[k];
            if (st->accesses[RACE_TOKEN(mark)].cls != ENG_GENERAL && st->accesses[RACE_TOKEN(mark)].cls != ENG_STRIDED) mark = RACE_TOKEN(mark);
            add_word_mark(st, &words[word], mark, writes);
        }
        row->at[k] = 0;
    }
    row->more = words;
}

/* A reader too many takes the place of another one: of its own warp, else of the oldest. Remaining readers nearly always tell of the
 * same race, and a word for each of them would cost more than all other checks. */
static bool replace_reader(const touch *t, race_row *row, uint32_t words) {
    int victim = -1;
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        const race_access *a = &t->st->accesses[RACE_TOKEN(row->at[k])];
        if (a->access & ENG_WRITE) continue;
        if (a->warp == t->now->warp && a->block == t->now->block) {
            victim = (int)k;
            break;
        }
        if (victim < 0 || RACE_TOKEN(row->at[k]) < RACE_TOKEN(row->at[victim])) victim = (int)k;
    }
    if (victim < 0) return false;
    row->at[victim] = t->mark;
    row->words[victim] = words;
    return true;
}

static void row_access(touch *t, race_row *row, uint32_t words) {
    race_state *st = t->st;
    if (row->more != NULL) {
        for (uint32_t left = words; left; left &= left - 1) word_access(t, &row->more[__builtin_ctz(left)], (uint32_t)__builtin_ctz(left));
        return;
    }
    int empty = -1, first = -1;
    bool enough = false;
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        race_mark before = row->at[k];
        if (!before) {
            empty = (int)k;
            continue;
        }
        if (RACE_TOKEN(before) < t->floor) {
            row->at[k] = 0;
            empty = (int)k;
            continue;
        }
        uint32_t both = row->words[k] & words;
        const race_access *a = &st->accesses[RACE_TOKEN(before)];
        bool same_warp = a->warp == t->now->warp && a->block == t->now->block;
        /* the same lanes at the same places again, or one word after the other read by all: one mark is enough */
        if (same_warp && RACE_TOKEN(before) >= st->block->warps[t->now->warp].changed && alike(a, t->now) &&
            (a->cls == ENG_UNIFORM ? !(t->writes && t->now->mask & (t->now->mask - 1)) : a->address == t->now->address && a->stride == t->now->stride)) {
            if (!t->writes || both == words) {
                row->words[k] |= words;
                enough = true;
                continue;
            }
        }
        if (!both) continue;
        if (!t->writes && !(a->access & ENG_WRITE)) { /* readers */
            if (both == words && !same_warp && first >= 0 && readers_suffice(t, row->at[first], before)) enough = true;
            if (both == words) first = (int)k;
            bool older = a->block == t->now->block &&
                         (RACE_TOKEN(before) < st->block->barrier || (same_warp && RACE_TOKEN(before) < st->block->warps[t->now->warp].synced));
            if (!older) continue; /* an order made otherwise only keeps it longer */
        } else if (!look(t, before, both)) continue;
        if (!stands_for(t->now, a)) continue;
        if (!(row->words[k] &= ~words)) {
            row->at[k] = 0;
            empty = (int)k;
        }
    }
    if (enough) return;
    if (empty >= 0) {
        row->at[empty] = t->mark;
        row->words[empty] = words;
        return;
    }
    if (!t->writes && replace_reader(t, row, words)) return;
    spread(st, row, t->ev->space == ENG_SHARED);
    if (row->more)
        for (uint32_t left = words; left; left &= left - 1) add_word_mark(st, &row->more[__builtin_ctz(left)], t->mark, t->writes);
}

/* --- an access --------------------------------------------------------------------------------------- */

static void range(touch *t, uint64_t from, uint64_t end, bool shared) {
    while (from < end && !t->st->failed) {
        t->row = from & ~(uint64_t)(RACE_ROW - 1);
        unsigned first = (unsigned)(from - t->row) / 4;
        uint64_t stop = end < t->row + RACE_ROW ? end : t->row + RACE_ROW;
        unsigned last = (unsigned)(stop - 1 - t->row) / 4;
        uint32_t words = (uint32_t)((UINT64_C(2) << last) - (UINT64_C(1) << first));
        race_row *row = shared ? shared_row(t->st, t->row) : row_of(t->st, t->row);
        if (row) row_access(t, row, words);
        from = stop;
    }
}

/* Lanes `on` side by side from lane 0's address on: each run of lanes is a range. */
static void runs(touch *t, uint64_t address, uint32_t on, unsigned width, bool shared) {
    while (on) {
        unsigned first = (unsigned)__builtin_ctz(on);
        uint64_t rest = ~((uint64_t)on >> first);
        unsigned n = (unsigned)__builtin_ctzll(rest);
        range(t, address + (uint64_t)first * width, address + (uint64_t)(first + n) * width, shared);
        on = first + n < 32 ? on >> (first + n) << (first + n) : 0;
    }
}

void race_touch(race_state *st, const eng_batch *batch, const eng_event *ev, uint32_t token) {
    const race_access *now = &st->accesses[token];
    bool shared = ev->space == ENG_SHARED;
    touch t = {.st = st, .batch = batch, .ev = ev, .now = now, .mark = token, .writes = ev->access & ENG_WRITE,
               .floor = shared ? st->block->barrier : 1};
    if (shared && now->access & ENG_ASYNC) t.floor = 1;
    if (shared && st->block->warps[0].groups.count) t.floor = 1; /* copies may be under way across barriers */
    if (now->cls == ENG_UNIFORM) {
        uint32_t others = ev->mask & (ev->mask - 1);
        if (t.writes && others && !(ev->access & ENG_ATOMIC) && !(ev->access & (ENG_STRONG | ENG_VOLATILE)))
            race_report(st, batch, ev, (unsigned)__builtin_ctz(others), token, ev->address, RACE_UNORDERED);
        range(&t, ev->address, ev->address + ev->width, shared);
    } else if (now->cls == ENG_CONTIGUOUS) {
        runs(&t, ev->address, ev->mask, ev->width, shared);
    } else if (now->cls == ENG_ROWS) {
        for (unsigned k = 0, n = now->row; k * n < 32; k++) {
            uint32_t lanes = n >= 32 ? ev->mask : ev->mask >> (k * n) & ((UINT32_C(1) << n) - 1);
            runs(&t, ev->address + (uint64_t)((int64_t)k * ev->stride), lanes, now->step, shared);
        }
    } else {
        for (uint32_t left = ev->mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            uint64_t address = eng_lane_address(batch, ev, lane);
            t.mark = lane << 27 | token;
            range(&t, address, address + ev->width, shared);
        }
    }
}

void race_shadow_free(race_state *st) {
    for (size_t i = 0; i < st->pages.room; i++)
        if (st->pages.slots[i].used) free((void *)(uintptr_t)st->pages.slots[i].value);
    wg_u64map_free(&st->pages);
    for (size_t i = 0; i < st->words.count; i++) free(st->words.at[i]);
    wg_vec_free(&st->words);
}
