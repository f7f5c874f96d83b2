/* The shadow of memory: for each row of 128 bytes the accesses that a later one may be in a race with.
 *
 * An access that a later one is ordered after, and whose words the later one touches too, is forgotten: whoever is in a race with
 * the first is in a race with the second. Of readers that no barrier separates two are enough: whoever writes is not both; words for
 * which they are known are settled, and reading them again costs one comparison. */
#include <stdlib.h>
#include <string.h>

#include "watch/race.h"

/* --- which lane, which bytes -------------------------------------------------------------------- */

/* Of lanes side by side, or in rows: the one at address; 32: none. */
static unsigned place_of(const race_access *a, uint64_t address) {
    uint64_t off = address - a->address; /* lane 0 may be inactive, and then lie before address 0 of shared memory */
    if (a->cls == ENG_CONTIGUOUS) return off / a->width < 32 ? (unsigned)(off / a->width) : 32;
    uint64_t row = a->stride > 0 ? off / (uint32_t)a->stride : 0, in_row = (off - row * (uint32_t)a->stride) / a->step;
    return row < 32 && in_row < a->row ? (unsigned)(row * a->row + in_row) : 32;
}

unsigned race_lane(const race_state *st, race_mark mark, uint64_t address) {
    const race_access *a = race_access_of(st, mark);
    if (a->cls == ENG_UNIFORM) return (unsigned)__builtin_ctz(a->mask);
    return a->cls == ENG_GENERAL ? RACE_LANE(mark) : place_of(a, address) & 31;
}

uint32_t race_bytes(const race_state *st, race_mark mark, uint64_t word) {
    const race_access *a = race_access_of(st, mark);
    if (a->width >= 4) return 15;
    unsigned bits = (1u << a->width) - 1;
    if (a->cls == ENG_GENERAL) return bits << (a->address >> 2 * RACE_LANE(mark) & 3);
    if (a->cls == ENG_UNIFORM) return bits << (a->address & 3);
    uint32_t bytes = 0; /* side by side: each byte of the word that a lane of the mask touched */
    for (unsigned k = 0; k < 4; k += a->width) {
        unsigned lane = place_of(a, word + k);
        if (lane < 32 && a->mask >> lane & 1) bytes |= bits << k;
    }
    return bytes;
}

/* --- rows ----------------------------------------------------------------------------------------- */

race_page *race_page_new(race_state *st, uint64_t address) {
    uint64_t key = address / (RACE_ROW * RACE_PAGE_ROWS), *place = wg_u64map_add(&st->pages, key);
    if (place && !*place) *place = (uintptr_t)watch_scratch_take(st->scratch, sizeof(race_page), true);
    if (!place || !*place) {
        st->failed = true;
        return NULL;
    }
    st->recent_key[key & (RACE_RECENT - 1)] = key;
    return st->recent[key & (RACE_RECENT - 1)] = (race_page *)(uintptr_t)*place;
}

static bool more_shared_rows(race_state *st, race_block *b, uint32_t n) {
    uint32_t rows = (n + 32) & ~31u;
    race_row *more = aligned_alloc(64, rows * sizeof *more);
    if (!more) return st->failed = true, false;
    if (b->shared_rows) memcpy(more, b->shared, b->shared_rows * sizeof *more);
    memset(more + b->shared_rows, 0, (rows - b->shared_rows) * sizeof *more);
    free(b->shared);
    b->shared = more;
    b->shared_rows = rows;
    return true;
}

/* A barrier makes what a row of shared memory remembers superfluous, except for copies under way. */
static race_row *shared_row(race_state *st, uint64_t address) {
    race_block *b = st->owner;
    uint32_t n = (uint32_t)(address / RACE_ROW);
    if (n >= b->shared_rows && !more_shared_rows(st, b, n)) return NULL;
    race_row *row = &b->shared[n];
    if (row->epoch != b->epoch) {
        if (!b->copies || row->epoch < b->first_epoch) {
            memset(row->at, 0, sizeof row->at);
            memset(row->words, 0, sizeof row->words);
            row->spread = false;
            row->writers = row->reads_on = 0;
        }
        row->settled = 0;
        row->epoch = b->epoch;
    }
    return row;
}

static race_row *row_of(race_state *st, uint64_t address, bool shared) {
    if (shared) return shared_row(st, address);
    race_page *page = race_page_of(st, address);
    return page ? &page->rows[address / RACE_ROW % RACE_PAGE_ROWS] : NULL;
}

/* --- one access at one row -------------------------------------------------------------------------- */

typedef struct touch {
    race_state *st;
    const eng_batch *batch;
    const eng_event *ev;
    const race_access *now;
    race_mark mark;
    uint64_t row; /* address */
    uint32_t *settled, none; /* of the row: race_page.settled */
    bool writes;
    uint32_t epoch; /* that rows belong to now */
    uint64_t base;  /* of the event's addresses, in another block's shared memory */
    bool kept;    /* some row remembers it */
} touch;

enum { STRONG = ENG_ATOMIC | ENG_STRONG | ENG_VOLATILE };

/* Can the two be in a race at all? Atomics and strong accesses of a common scope are not. */
static bool conflict(const race_access *a, const race_access *b) {
    if (!((a->access | b->access) & ENG_WRITE)) return false;
    if (!(a->access & STRONG) || !(b->access & STRONG)) return true;
    if (a->space == ENG_SHARED || a->block == b->block) return false;
    return (a->scope && a->scope < SASS_GPU) || (b->scope && b->scope < SASS_GPU);
}

/* The lanes of both that touched the byte: two different ones where one of the two touched it with more than one. */
static void lanes_at(const touch *t, race_mark before, uint64_t byte, unsigned *lane_before, unsigned *lane) {
    const race_access *a = race_access_of(t->st, before), *now = t->now;
    *lane = race_lane(t->st, t->mark, byte);
    *lane_before = race_lane(t->st, before, byte);
    if (*lane != *lane_before) return;
    if (now->cls == ENG_UNIFORM && now->mask & (now->mask - 1)) *lane = (unsigned)__builtin_ctz(now->mask & (now->mask - 1));
    else if (a->cls == ENG_UNIFORM && a->mask & (a->mask - 1)) *lane_before = (unsigned)__builtin_ctz(a->mask & (a->mask - 1));
}

/* An atomic, and then a thread that has itself the result of a later atomic there: whatever it does there comes after both. So the last block
 * puts back the counter that all have counted up. */
static bool seen_by_own_atomic(const touch *t, uint32_t before, const race_access *a, unsigned lane, uint64_t word) {
    const race_access *now = t->now;
    if (!(a->access & ENG_ATOMIC) || now->access & STRONG || now->width < 4 || (now->cls == ENG_UNIFORM && now->mask & (now->mask - 1)))
        return false;
    const race_row *row = row_of(t->st, word, now->space == ENG_SHARED);
    unsigned n = word / 4 % RACE_WORDS;
    for (unsigned k = 0; row && k < (row->spread ? RACE_WORD_SLOTS : RACE_SLOTS); k++) {
        race_mark mark = row->words[k] >> n & 1 ? row->spread ? row->more[k][n] : row->at[k] : 0;
        const race_access *own = race_access_of(t->st, mark);
        if (!mark || RACE_TOKEN(mark) <= before || own->block != now->block || own->warp != now->warp || own->width != now->width) continue;
        bool result = (own->access & (ENG_ATOMIC | ENG_READ | ENG_REDUCTION)) == (ENG_ATOMIC | ENG_READ);
        if (result && race_lane(t->st, mark, word) == lane) return true;
    }
    return false;
}

/* Looks at the words that both touched; true: the earlier one is ordered before this one, at all of them. */
static bool look(const touch *t, race_mark before, uint32_t words) {
    race_state *st = t->st;
    uint32_t token = RACE_TOKEN(before);
    const race_access *a = race_access_of(st, token);
    bool ordered = true, conflicts = conflict(a, t->now), quick = a->block != t->now->block || (a->warp != t->now->warp && !st->block->phases);
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
        bool narrow = a->width < 4 || t->now->width < 4;
        uint32_t bytes = narrow ? race_bytes(st, before, word) & race_bytes(st, t->mark, word) : 1;
        if (!bytes) ordered = false;
        for (; bytes; bytes &= bytes - 1) {
            uint64_t byte = word + (unsigned)__builtin_ctz(bytes);
            unsigned lane, lane_before;
            lanes_at(t, before, byte, &lane_before, &lane);
            race_order order = race_order_of(st, token, lane_before, t->now, lane);
            if (order == RACE_ORDERED) {
                if (quick) return ordered;
                continue;
            }
            ordered = false;
            if (conflicts && seen_by_own_atomic(t, token, a, lane, word)) continue; /* that thread alone */
            if (!conflicts) return false;
            race_report(st, t->batch, t->ev, lane, before, byte, order);
            if (quick) return false;
            break;
        }
    }
    return ordered;
}

/* May the later access stand for the earlier one, which is ordered before it? A reader is in no race with a reader, nor an atomic
 * with an atomic. */
static bool stands_for(const race_access *later, const race_access *earlier) {
    return (later->access & ENG_WRITE || !(earlier->access & ENG_WRITE)) && (!(later->access & STRONG) || earlier->access & STRONG);
}

/* --- readers ------------------------------------------------------------------------------------------
 *
 * What a reader is to an earlier reader of the same word. Two plain readers of different blocks make every further one superfluous: whoever writes
 * is in a block other than that of one of them, and only a release and an acquire would order the two (state.far says that the code has
 * none). Likewise two warps of one block, until its next barrier, and two lanes of one warp, until its next __syncwarp. */
typedef enum relation { UNKNOWN, LANES, WARPS, BLOCKS, LATER /* ordered after it: takes its place */ } relation;

static inline __attribute__((always_inline)) relation relation_to(const touch *t, race_mark before, const race_access *a) {
    const race_state *st = t->st;
    const race_access *now = t->now;
    uint32_t token = RACE_TOKEN(before);
    bool plain = !((a->access | now->access) & STRONG);
    if (a->block != now->block) return st->far && plain ? BLOCKS : UNKNOWN;
    if (eng_is_bulk(a->access) || eng_is_bulk(now->access)) return UNKNOWN; /* they last longer than to the next barrier */
    if (token < st->block->barrier) return stands_for(now, a) ? LATER : UNKNOWN;
    if (a->warp != now->warp) return st->near && plain ? WARPS : UNKNOWN;
    if (token < st->block->warps[now->warp].synced) return stands_for(now, a) ? LATER : UNKNOWN;
    if (token == RACE_TOKEN(t->mark)) return plain && st->lanes ? LANES : UNKNOWN; /* of one instruction, lane by lane */
    if (a->cls != now->cls || a->width != now->width || a->width < 4 || !plain) return UNKNOWN;
    bool same;
    if (a->cls == ENG_GENERAL) same = RACE_LANE(before) == RACE_LANE(t->mark);
    else if (a->cls == ENG_CONTIGUOUS) same = a->address == now->address;
    else if (a->cls == ENG_ROWS && a->row == now->row && a->step == now->step && a->stride == now->stride) same = a->address == now->address;
    else return UNKNOWN;
    return same ? LATER : st->lanes ? LANES : UNKNOWN;
}

/* Of the words of the row, those that the access touched with all four bytes. */
static inline uint32_t whole(const touch *t, const race_access *a, uint32_t words) {
    if (a->width >= 4) return words;
    if (a->cls != ENG_CONTIGUOUS || a->mask != UINT32_MAX) return 0;
    uint64_t from = (a->address + 3) & ~UINT64_C(3), end = (a->address + 32 * (uint64_t)a->width) & ~UINT64_C(3);
    return from < end && from < t->row + RACE_ROW && end > t->row ? words & race_words(t->row, from, end) : 0;
}

/* --- by word ------------------------------------------------------------------------------------------ */

static void add_word_mark(race_state *st, race_row *row, unsigned word, race_mark mark) {
    bool writes = race_access_of(st, mark)->access & ENG_WRITE;
    unsigned worst = RACE_WORD_SLOTS - 1;
    for (unsigned k = 0; k < RACE_WORD_SLOTS; k++) {
        if (!(row->words[k] >> word & 1)) {
            row->words[k] |= UINT32_C(1) << word;
            row->more[k][word] = mark;
            return;
        }
        if (writes == ((race_access_of(st, row->more[k][word])->access & ENG_WRITE) != 0)) worst = k;
    }
    row->more[worst][word] = mark; /* no room: one of its own kind goes */
}

static void word_access(touch *t, race_row *row, unsigned word) {
    uint32_t one = UINT32_C(1) << word;
    if (!((row->words[0] | row->words[1] | row->words[2]) & one)) { /* the first there */
        row->words[0] |= one;
        row->more[0][word] = t->mark;
        t->kept = true;
        return;
    }
    bool full = whole(t, t->now, one) != 0;
    unsigned readers[RACE_WORD_SLOTS], n_readers = 0, writers = 0;
    relation best = UNKNOWN, found[RACE_WORD_SLOTS];
    for (unsigned k = 0; k < RACE_WORD_SLOTS; k++) {
        if (!(row->words[k] & one)) continue;
        race_mark before = row->more[k][word];
        const race_access *a = race_access_of(t->st, before);
        if (t->writes || a->access & ENG_WRITE) {
            if (look(t, before, one) && stands_for(t->now, a)) row->words[k] &= ~one;
            else writers++;
            continue;
        }
        relation r = full && whole(t, a, one) ? relation_to(t, before, a) : UNKNOWN;
        if (r == LATER) {
            row->words[k] &= ~one;
            continue;
        }
        found[n_readers] = r;
        readers[n_readers++] = k;
        if (r > best) best = r;
    }
    if (best == LANES && n_readers > 1 && found[0] == LANES && found[1] == LANES &&
        race_lane(t->st, row->more[readers[0]][word], t->row + word * 4) != race_lane(t->st, row->more[readers[1]][word], t->row + word * 4))
        return;
    if (best >= WARPS) { /* one of the best and this one are enough */
        bool one_is_kept = false;
        for (unsigned k = 0; k < n_readers; k++) {
            if (found[k] == best && !one_is_kept) one_is_kept = true;
            else if (best == BLOCKS || found[k] != UNKNOWN) row->words[readers[k]] &= ~one;
        }
        if (!writers) *(best == BLOCKS ? t->settled : &row->settled) |= one;
    }
    t->kept = true;
    add_word_mark(t->st, row, word, t->mark);
}

static void spread(race_state *st, race_row *row) {
    race_mark at[RACE_SLOTS];
    uint32_t words[RACE_SLOTS];
    if (!row->more) row->more = watch_scratch_take(st->scratch, RACE_WORD_SLOTS * sizeof *row->more, false);
    if (!row->more) {
        st->failed = true;
        return;
    }
    memcpy(at, row->at, sizeof at);
    memcpy(words, row->words, sizeof words);
    memset(row->at, 0, sizeof row->at);
    memset(row->words, 0, sizeof row->words);
    row->spread = true;
    row->writers = row->reads_on = 0;
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        uint8_t cls = race_access_of(st, at[k])->cls; /* access 0 is none */
        race_mark mark = cls == ENG_GENERAL ? at[k] : RACE_TOKEN(at[k]);
        for (uint32_t left = at[k] ? words[k] : 0; left; left &= left - 1) add_word_mark(st, row, (unsigned)__builtin_ctz(left), mark);
    }
}

/* --- by row ------------------------------------------------------------------------------------------- */

/* Where the code releases and acquires, a reader too many takes the place of another one: of its own warp, else of the oldest. The remaining
 * ones nearly always tell of the same race, and a word for each of them would cost more than all other checks. */
static bool replace_reader(touch *t, race_row *row, uint32_t words) {
    int victim = -1;
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        const race_access *a = race_access_of(t->st, row->at[k]);
        if (row->writers >> k & 1) continue;
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

static inline void insert(touch *t, race_row *row, unsigned n, uint32_t words) {
    t->kept = true;
    if (n < RACE_SLOTS) {
        row->at[n] = t->mark;
        row->words[n] = words;
        row->writers |= (uint8_t)(t->writes << n);
        row->reads_on = n == 0 && t->now->cls == ENG_UNIFORM && t->now->access == ENG_READ && t->now->mask == UINT32_MAX && t->now->width >= 4
                            ? (uint8_t)(t->now->warp + 1) : 0;
        return;
    }
    if (!t->writes && !t->st->far && replace_reader(t, row, words)) return;
    spread(t->st, row);
    if (row->spread)
        for (uint32_t left = words; left; left &= left - 1) add_word_mark(t->st, row, (unsigned)__builtin_ctz(left), t->mark);
}

/* The marks are kept without gaps. */
static unsigned drop(race_row *row, unsigned k, unsigned n) {
    unsigned last = n - 1, writes = row->writers >> last & 1;
    row->at[k] = row->at[last];
    row->words[k] = row->words[last];
    row->writers = (uint8_t)((row->writers & ~(1u << k)) | writes << k) & (uint8_t)((1u << last) - 1);
    row->at[last] = 0;
    row->reads_on = 0;
    return last;
}

static unsigned count(const race_row *row) {
    unsigned n = 0;
    while (n < RACE_SLOTS && row->at[n]) n++;
    return n;
}

/* The same lanes at the same places again, or one word after the other read by all: one mark is enough. */
static inline __attribute__((always_inline)) bool again(const touch *t, race_mark before, const race_access *a) {
    const race_access *now = t->now;
    if (a->warp != now->warp || (a->address != now->address && a->cls != ENG_UNIFORM) || a->block != now->block || a->mask != now->mask || a->cls != now->cls || a->access != now->access ||
        a->width != now->width || a->cls == ENG_GENERAL || (eng_is_bulk(a->access) && (a->row != now->row || a->value != now->value)) || RACE_TOKEN(before) < t->st->block->warps[now->warp].changed)
        return false;
    if (a->cls == ENG_UNIFORM) return a->width >= 4 && !(t->writes && now->mask & (now->mask - 1));
    return a->address == now->address && a->stride == now->stride && a->row == now->row;
}

static void row_write(touch *t, race_row *row, uint32_t words) {
    unsigned n = count(row);
    bool known = false;
    for (unsigned k = n; k-- > 0;) {
        uint32_t both = row->words[k] & words;
        race_access *a = race_access_of(t->st, row->at[k]);
        if (both == words && again(t, row->at[k], a)) {
            a->value = t->now->value; /* which stays */
            known = true;
            continue;
        }
        if (!both || !look(t, row->at[k], both) || !stands_for(t->now, a)) continue;
        if (!(row->words[k] &= ~words)) n = drop(row, k, n);
    }
    if (!known) insert(t, row, n, words);
}

/* Words that this access makes a pair of: of the farthest readers one stays. Returns how many marks are left. */
static unsigned thin_out(race_row *row, unsigned n, relation *found, uint32_t far, uint32_t near) {
    uint32_t kept = 0;
    for (int r = BLOCKS; r >= UNKNOWN; r--)
        for (unsigned k = n; k-- > 0;) {
            if ((int)found[k] != r || row->writers >> k & 1) continue;
            uint32_t both = row->words[k] & (far | near);
            uint32_t superfluous = r >= WARPS ? both & kept : r == LANES ? both : both & far;
            kept |= both;
            if (!superfluous || (row->words[k] &= ~superfluous)) continue;
            n = drop(row, k, n);
            found[k] = found[n];
        }
    return n;
}

static void row_read(touch *t, race_row *row, uint32_t words) {
    race_state *st = t->st;
    unsigned n = count(row);
    if (!n) {
        insert(t, row, 0, words);
        return;
    }
    bool uniform = t->now->cls == ENG_UNIFORM;
    uint32_t written = 0, far = 0, near = 0, own = 0, full = whole(t, t->now, words), need = words;
    uint64_t own_address = 0;
    relation found[RACE_SLOTS] = {UNKNOWN};
    for (unsigned k = n; k-- > 0;) {
        race_mark before = row->at[k];
        uint32_t both = row->words[k] & words;
        if (!both && !uniform) continue;
        if (row->writers >> k & 1) {
            written |= both;
            if (both) look(t, before, both);
            continue;
        }
        const race_access *a = race_access_of(st, before);
        if (again(t, before, a)) {
            row->words[k] |= words;
            need = 0;
            continue;
        }
        if (!(both &= full)) continue;
        if (a->width < 4 && !(both = whole(t, a, both))) continue;
        relation r = relation_to(t, before, a);
        if (r == LATER) {
            if (!(row->words[k] &= ~both)) {
                n = drop(row, k, n);
                found[k] = found[n];
            }
            continue;
        }
        found[k] = r;
        if (r == BLOCKS) far |= both;
        else if (r == WARPS) near |= both;
        else if (r == LANES && a->cls != ENG_GENERAL) {
            if (own && own_address != a->address) need &= ~(own & both); /* two lanes have read it */
            if (!own) own_address = a->address;
            if (own_address == a->address) own |= both;
        }
    }
    if (!need) return;
    if (far | near) n = thin_out(row, n, found, far & need, near & need);
    *t->settled |= far & need & ~written;
    row->settled |= near & need & ~written;
    insert(t, row, n, need);
}

static inline void row_access(touch *t, race_row *row, uint32_t words) {
    if (row->epoch != t->epoch) {
        row->settled = 0;
        row->epoch = t->epoch;
    }
    if (t->writes) {
        *t->settled &= ~words;
        row->settled &= ~words;
    } else if (!(words &= ~(*t->settled | row->settled))) {
        return;
    }
    if (row->spread) {
        for (uint32_t left = words; left; left &= left - 1) word_access(t, row, (unsigned)__builtin_ctz(left));
    } else if (t->writes) {
        row_write(t, row, words);
    } else {
        row_read(t, row, words);
    }
}

/* --- an access --------------------------------------------------------------------------------------- */

static race_row *row_at(touch *t, uint64_t address, bool shared) {
    if (shared) {
        t->settled = &t->none;
        return shared_row(t->st, address);
    }
    race_page *page = race_page_of(t->st, address);
    if (!page) return NULL;
    t->settled = &page->settled[address / RACE_ROW % RACE_PAGE_ROWS];
    return &page->rows[address / RACE_ROW % RACE_PAGE_ROWS];
}

static void range(touch *t, uint64_t from, uint64_t end, bool shared) {
    for (t->row = from & ~(uint64_t)(RACE_ROW - 1); t->row < end && !t->st->failed; t->row += RACE_ROW) {
        race_row *row = row_at(t, t->row, shared);
        if (row) row_access(t, row, race_words(t->row, from, end));
    }
}

/* Lanes `on` side by side from lane 0's address on: each run of lanes is a range. */
static void runs(touch *t, uint64_t address, uint32_t on, unsigned width, bool shared) {
    if (on == UINT32_MAX) {
        range(t, address, address + 32 * (uint64_t)width, shared);
        return;
    }
    while (on) {
        unsigned first = (unsigned)__builtin_ctz(on);
        uint64_t rest = ~((uint64_t)on >> first);
        unsigned n = (unsigned)__builtin_ctzll(rest);
        range(t, address + (uint64_t)first * width, address + (uint64_t)(first + n) * width, shared);
        on = first + n < 32 ? on >> (first + n) << (first + n) : 0;
    }
}

/* --- the usual accesses ------------------------------------------------------------------------------- */

/* A full warp whose lanes lie side by side, over whole rows that nobody has touched, or only this warp, in the same way and with nothing
 * in between that orders: most accesses of most kernels. What was remembered becomes this access, as it would below. */
bool race_usual(race_state *st, const eng_event *ev) {
    unsigned n = ev->width / 4u;
    race_row *row[4];
    if (ev->address & (RACE_ROW - 1) || !n) return false;
    race_mark before = 0;
    race_page *page = NULL;
    for (unsigned k = 0; k < n; k++) {
        uint64_t at = ev->address + k * RACE_ROW;
        if (ev->space == ENG_SHARED) row[k] = shared_row(st, at);
        else if ((page = race_page_of(st, at))) row[k] = &page->rows[at / RACE_ROW % RACE_PAGE_ROWS];
        if (st->failed || row[k]->spread || row[k]->at[1]) return false;
        if ((k && row[k]->at[0] != before) || (row[k]->at[0] && row[k]->words[0] != UINT32_MAX)) return false;
        before = row[k]->at[0];
    }
    bool writes = ev->access & ENG_WRITE;
    race_access *a;
    if (before) {
        a = race_access_of(st, before);
        if (before < st->block->warps[ev->warp].changed || a->warp != ev->warp || a->block != st->block->linear || a->address != ev->address ||
            a->cls != ENG_CONTIGUOUS || a->mask != UINT32_MAX || a->width != ev->width || a->access & ~(ENG_READ | ENG_WRITE))
            return false;
        if (!writes) return true;
    } else {
        if (!race_room(st)) return true;
        before = st->n++;
        st->n_shared += ev->space == ENG_SHARED;
        a = race_access_of(st, before);
    }
    *a = (race_access){.address = ev->address, .block = st->block->linear, .mask = UINT32_MAX, .instr = ev->instr, .function = ev->function,
                       .warp = ev->warp, .access = ev->access, .cls = ENG_CONTIGUOUS, .width = ev->width, .space = ev->space, .value = ev->value};
    for (unsigned k = 0; k < n; k++) {
        row[k]->at[0] = before;
        row[k]->words[0] = UINT32_MAX;
        row[k]->writers = writes;
        row[k]->reads_on = 0;
    }
    return true;
}

/* --- all others --------------------------------------------------------------------------------------- */

/* Lane by lane. The rows are fetched together, as they may lie far apart. */
static void lane_by_lane(touch *t, bool shared) {
    const eng_event *ev = t->ev;
    uint64_t address[32];
    race_row *row[32];
    uint32_t *settled[32], open = ev->mask;
    for (uint32_t left = ev->mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        address[l] = eng_lane_address(t->batch, ev, l) - t->base;
        if (!(row[l] = row_at(t, address[l], shared))) return;
        settled[l] = t->settled;
        if (!t->writes && !(race_words(address[l] & ~(uint64_t)(RACE_ROW - 1), address[l], address[l] + ev->width) & ~*t->settled)) open &= ~(1u << l);
        else __builtin_prefetch(row[l]);
    }
    if (shared) /* that may have moved them */
        for (uint32_t left = open; left; left &= left - 1) row[__builtin_ctz(left)] = shared_row(t->st, address[__builtin_ctz(left)]);
    for (uint32_t left = open; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        if (!row[l]->spread) spread(t->st, row[l]);
        if (row[l]->spread) __builtin_prefetch(&row[l]->more[0][address[l] / 4 % RACE_WORDS]);
    }
    for (uint32_t left = open; left && !t->st->failed; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left), word = address[l] / 4 % RACE_WORDS;
        if (row[l]->words[0] >> word & 1) __builtin_prefetch(race_access_of(t->st, row[l]->more[0][word]));
    }
    for (uint32_t left = open; left && !t->st->failed; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        t->mark = l << 27 | RACE_TOKEN(t->mark);
        t->row = address[l] & ~(uint64_t)(RACE_ROW - 1);
        t->settled = settled[l];
        row_access(t, row[l], race_words(t->row, address[l], address[l] + ev->width));
    }
}

bool race_touch(race_state *st, const eng_batch *batch, const eng_event *ev, uint32_t token, uint64_t base) {
    const race_access *now = race_access_of(st, token);
    bool shared = ev->space != ENG_GLOBAL;
    const uint64_t address = ev->address - base;
    touch t = {.st = st, .batch = batch, .ev = ev, .now = now, .mark = token, .base = base, .writes = ev->access & ENG_WRITE,
               .epoch = (shared ? st->owner : st->block)->epoch};
    if (now->access & ENG_ASYNC) st->owner->copies = true;
    if (now->cls == ENG_UNIFORM) {
        uint32_t others = ev->mask & (ev->mask - 1);
        if (t.writes && others && !(ev->access & ENG_ATOMIC) && !(ev->access & (ENG_STRONG | ENG_VOLATILE)))
            race_report(st, batch, ev, (unsigned)__builtin_ctz(others), token, address, RACE_UNORDERED);
        range(&t, address, address + ev->width, shared);
    } else if (now->cls == ENG_CONTIGUOUS) {
        runs(&t, address, ev->mask, ev->width, shared);
    } else if (now->cls == ENG_ROWS) {
        for (unsigned k = 0, n = now->row; k * n < 32; k++) {
            uint32_t lanes = n >= 32 ? ev->mask : ev->mask >> (k * n) & ((UINT32_C(1) << n) - 1);
            runs(&t, address + (uint64_t)((int64_t)k * ev->stride), lanes, now->step, shared);
        }
    } else {
        lane_by_lane(&t, shared);
    }
    return t.kept;
}

/* --- values --------------------------------------------------------------------------------------------- */

static bool stored_alike(const race_state *st, race_mark mark, const race_access *read, race_mark token, unsigned lane, const race_access *write,
                         uint64_t address) {
    const race_access *a = race_access_of(st, mark);
    if (!(a->access & ENG_WRITE) || a->block != read->block || a->warp != read->warp || RACE_TOKEN(mark) >= token) return false;
    if (a->value != write->value || a->width != write->width || eng_is_bulk(a->access) || eng_is_bulk(write->access)) return false;
    return a->mask >> lane & 1 && (a->cls == ENG_UNIFORM || race_lane(st, mark, address) == lane);
}

/* A thread that has written a place and then reads it gets its own value, or that of a write that races with the read. Is that the same one,
 * so that it reads the same in any order? */
bool race_reads_own_value(race_state *st, race_mark read, unsigned lane, race_mark write, uint64_t address) {
    const race_access *r = race_access_of(st, read), *w = race_access_of(st, write);
    unsigned word = address / 4 % RACE_WORDS;
    if (r->access & ENG_ATOMIC || !w->value || r->width > w->width) return false;
    const race_row *row = row_of(st, address, r->space == ENG_SHARED);
    for (unsigned k = 0; row && k < (row->spread ? RACE_WORD_SLOTS : RACE_SLOTS); k++) {
        race_mark mark = row->words[k] >> word & 1 ? row->spread ? row->more[k][word] : row->at[k] : 0;
        if (mark && stored_alike(st, mark, r, RACE_TOKEN(read), lane, w, address)) return true;
    }
    return false;
}

/* --- memory that is given out again ---------------------------------------------------------------------- */

void race_forget(race_state *st, uint64_t address, uint64_t end) {
    for (uint64_t at = address & ~(uint64_t)(RACE_ROW - 1); at < end; at += RACE_ROW) {
        race_page *page = race_page_of(st, at);
        if (!page) return;
        race_row *row = &page->rows[at / RACE_ROW % RACE_PAGE_ROWS];
        uint32_t words = race_words(at, address, end);
        page->settled[at / RACE_ROW % RACE_PAGE_ROWS] &= ~words;
        row->settled &= ~words;
        if (row->spread) {
            for (unsigned k = 0; k < RACE_WORD_SLOTS; k++) row->words[k] &= ~words;
            continue;
        }
        unsigned n = count(row);
        for (unsigned k = n; k-- > 0;)
            if (!(row->words[k] &= ~words)) n = drop(row, k, n);
    }
}

/* --- all rows -------------------------------------------------------------------------------------------- */

static void each_mark_of_row(race_state *st, race_row *row, void (*visit)(race_state *st, race_mark *mark)) {
    if (!row->spread) {
        for (unsigned k = 0; k < RACE_SLOTS && row->at[k]; k++) visit(st, &row->at[k]);
        return;
    }
    for (unsigned k = 0; k < RACE_WORD_SLOTS; k++)
        for (uint32_t left = row->words[k]; left; left &= left - 1) visit(st, &row->more[k][__builtin_ctz(left)]);
}

void race_each_mark(race_state *st, void (*visit)(race_state *st, race_mark *mark)) {
    for (size_t i = 0; i < st->pages.room; i++) {
        race_page *page = st->pages.slots[i].used ? (race_page *)(uintptr_t)st->pages.slots[i].value : NULL;
        for (unsigned r = 0; page && r < RACE_PAGE_ROWS; r++) each_mark_of_row(st, &page->rows[r], visit);
    }
    for (race_block *b = st->blocks; b; b = b->next)
        for (uint32_t r = 0; r < b->shared_rows; r++)
            if (b->shared[r].epoch >= b->first_epoch) each_mark_of_row(st, &b->shared[r], visit);
}

void race_shadow_free(race_state *st) {
    wg_u64map_free(&st->pages);
    if (!st->ctx.scratch) watch_scratch_free(st->scratch);
    else watch_scratch_give_back(st->scratch);
}
