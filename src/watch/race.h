/* What the files of the race watch share. Not for other folders.
 *
 * Every warp access gets a token, a number that grows as the launch runs. The shadow of memory (race_shadow.c) remembers
 * for each row of 128 bytes the tokens of the accesses that matter; race_order.c says whether one access is ordered before
 * another, by barriers, __syncwarp, and by release and acquire. Because tokens grow, "everything of this block before its last
 * barrier" is one comparison. */
#ifndef WG_WATCH_RACE_H
#define WG_WATCH_RACE_H

#include "watch/watch.h"

/* --- accesses ---------------------------------------------------------------------------- */
typedef struct race_access { /* by token */
    uint64_t address;  /* of lane 0; general: two bits a lane, the offset in its word of an access narrower than that */
    uint32_t block;
    uint32_t mask;
    uint32_t instr;
    int32_t stride;
    uint32_t value;    /* of a store: as eng_event.value */
    uint16_t function, warp;
    uint16_t access;   /* ENG_READ | ... */
    uint8_t cls, width, space, scope, row, step; /* row, step: of ENG_ROWS; of bulk copies that a barrier is told of, its number + 1 and
                                                  * the rank of its block, and value is its phase; of operands of wgmma row is RACE_MATRIX
                                                  * and value the number of the group */
} race_access;

enum { RACE_MATRIX = 255 };
static inline bool race_is_matrix(const race_access *a) { return (a->access & ENG_BULK) == ENG_BULK && a->row == RACE_MATRIX; }

/* A remembered access: its token, and the lane where its form does not tell it. */
typedef uint32_t race_mark; /* lane << 27 | token; 0: none */
enum { RACE_TOKENS = 1 << 27 };
#define RACE_TOKEN(mark) ((mark) & (RACE_TOKENS - 1))
#define RACE_LANE(mark)  ((mark) >> 27)

enum { RACE_ROW = 128, RACE_WORDS = 32, RACE_SLOTS = 5, RACE_WORD_SLOTS = 3 };
typedef struct race_row {
    race_mark at[RACE_SLOTS];   /* without gaps */
    uint32_t words[RACE_SLOTS]; /* that it touched, a bit each; spread: the words of more[k] that hold a mark */
    race_mark (*more)[RACE_WORDS]; /* by word, when the slots do not suffice */
    uint32_t settled;           /* words nobody writes and of which no further reader of the block need be remembered, */
    uint32_t epoch;             /* while its epoch lasts */
    uint8_t writers;            /* marks that write, a bit each; not of spread rows */
    bool spread;
    uint8_t reads_on;           /* 1 + warp: at[0] is a read of all its lanes at one address, and the only mark; else 0 */
} __attribute__((aligned(64))) race_row;

/* --- order -------------------------------------------------------------------------------- */
typedef struct race_release race_release;
typedef struct race_log race_log;
typedef struct race_known { /* what a thread has acquired: the first n releases of a log */
    race_log *log;
    uint32_t n;
} race_known;
typedef wg_vec(race_known) race_knowledge;
struct race_release {
    uint32_t block, warp;
    uint32_t own, all; /* tokens below them: of that warp; of its block */
    uint32_t previous; /* the block's release before this one in the log, its index + 1 */
    race_known *known; /* what it had acquired itself */
    uint32_t n_known;
    uint32_t *lanes;   /* of its block: tokens below them, by asynchronous barriers; NULL: none */
};
struct race_log { /* of one location that blocks synchronise through */
    wg_vec(race_release) releases;
    wg_u64map last;    /* block -> index + 1 */
    uint32_t with_known; /* releases that know something */
};

typedef struct race_sync { uint32_t token, mask; bool weak; } race_sync; /* lanes met */
typedef struct race_meeting { uint32_t instr, function, named, arrived; bool weak; } race_meeting; /* groups that wait at a __syncwarp */
typedef struct race_group { uint32_t until, done; } race_group; /* cp.async: copies with tokens below until were waited for at done */
typedef struct race_wait { uint32_t ended, at; } race_wait;     /* wgmma: so many groups have ended, as was known at token `at` */
enum { RACE_WAITS = 32, RACE_GROUP_WARPS = 4 };
enum { RACE_SYNCS = 16, RACE_BARRIERS = 16, RACE_MEETINGS = 4 };
typedef struct race_warp {
    uint32_t exited;
    uint32_t synced;    /* tokens below: ordered before all lanes of the warp */
    uint32_t fence;     /* tokens below: fenced for the device */
    uint32_t fence_all; /* of the block, known when it fenced */
    uint32_t fenced_since; /* a fence since the last barrier */
    uint32_t phases;    /* of the cluster's barrier that it has seen the end of */
    uint32_t changed;   /* when its order last changed: accesses since then are ordered alike */
    race_sync syncs[RACE_SYNCS];
    unsigned n_syncs;
    race_meeting meetings[RACE_MEETINGS];
    unsigned n_meetings;
    race_knowledge acquired, pending;
    wg_vec(race_group) groups;
    uint32_t matrices;  /* groups of wgmma that it has closed */
    race_wait waits[RACE_WAITS]; /* the latest, the oldest first */
    unsigned n_waits;
} race_warp;
typedef struct race_cluster race_cluster;
typedef struct race_phases race_phases; /* asynchronous barriers of a block */
typedef struct race_block {
    uint32_t linear, barrier; /* tokens below barrier: ordered before everything that follows in the block */
    uint32_t epoch, first_epoch; /* numbers for what lies between two barriers, no two blocks share one */
    uint32_t gone_on; /* barriers, a bit each, at which some warp has arrived without waiting, ... */
    uint32_t passed[RACE_BARRIERS], passed_at[RACE_BARRIERS][32]; /* ... which warps, and what each had done by then (tokens below) */
    race_cluster *cluster; /* NULL: none */
    uint32_t rank;         /* in it */
    bool copies; /* of shared memory there is to remember across barriers: asynchronous copies, what other blocks do */
    bool astray; /* its warps came to the last barrier by different instructions */
    uint32_t fenced_all;
    race_warp warps[32];
    uint32_t *between;  /* [from * 32 + to]: tokens of a warp ordered before another's, by named barriers; NULL: none */
    race_knowledge acquired;
    race_phases *phases;  /* NULL: none yet */
    race_row *shared;
    uint32_t shared_rows;
    struct race_block *next;
} race_block;

enum { RACE_PAGE_ROWS = 512 };
typedef struct race_page {
    race_row rows[RACE_PAGE_ROWS];
    uint32_t settled[RACE_PAGE_ROWS]; /* words of each row that nobody writes and of which no further reader need be remembered */
} race_page;
enum { RACE_RECENT = 64 };
typedef struct race_state {
    watch_context ctx;
    watch_findings findings;
    wg_vec(race_access *) accesses; /* in pieces of RACE_PIECE */
    uint32_t n, room;
    uint32_t n_shared;          /* of shared memory, since there was last no room */
    uint32_t *rank;             /* while the history is tidied */
    race_block *blocks, *block; /* those under way; the one of the batch */
    race_block *spare;
    race_block *owner;          /* of the shared memory that the access at hand is of */
    race_cluster *clusters;     /* those under way */
    unsigned n_warps;
    uint32_t last_mask;         /* lanes that exist in the last warp */
    wg_u64map pages;            /* address / RACE_PAGE -> race_page */
    race_page *recent[RACE_RECENT];
    uint64_t recent_key[RACE_RECENT];
    wg_u64map logs;             /* address -> race_log */
    watch_scratch *scratch;     /* holds pages, marks by word, accesses */
    uint32_t epochs;            /* so many have begun */
    struct { uint32_t phase; uint8_t number, rank; } bulk; /* the asynchronous barrier that bulk copies are for: its number + 1, whose it is */
    bool far, near, lanes;      /* two readers are enough: of two blocks, two warps of a block, two lanes of a warp */
    uint8_t **traits;           /* by function and instruction: RACE_TRAIT_ */
    const eng_apart *apart;     /* NULL: nothing is known */
    bool synchronises;          /* some block has released something */
    bool failed;
} race_state;

enum { RACE_PIECE = 1 << 13 };
static inline race_access *race_access_of(const race_state *st, race_mark mark) {
    uint32_t token = RACE_TOKEN(mark);
    return &st->accesses.at[token / RACE_PIECE][token % RACE_PIECE];
}

/* --- race_history.c ----------------------------------------------------------------------- */
bool race_room(race_state *st); /* for one more access; false: no memory */

/* --- race_shadow.c ------------------------------------------------------------------------ */
race_page *race_page_new(race_state *st, uint64_t address); /* of memory not touched lately; NULL: no memory */
/* Page of global memory. */
static inline race_page *race_page_of(race_state *st, uint64_t address) {
    uint64_t key = address / (RACE_ROW * RACE_PAGE_ROWS);
    unsigned near = key & (RACE_RECENT - 1);
    race_page *page = st->recent[near];
    return page && st->recent_key[near] == key ? page : race_page_new(st, address);
}
/* Bits of the words from..end of the row at `row`. */
static inline uint32_t race_words(uint64_t row, uint64_t from, uint64_t end) {
    unsigned first = from > row ? (unsigned)(from - row) / 4 : 0, last = end < row + RACE_ROW ? (unsigned)(end - 1 - row) / 4 : RACE_WORDS - 1;
    return (uint32_t)((UINT64_C(2) << last) - (UINT64_C(1) << first));
}
/* Is this a plain read that need not be looked at further? */
static inline bool race_settled(race_state *st, const eng_event *ev) {
    const race_block *b = st->block;
    bool shared = ev->space == ENG_SHARED, uniform = ev->cls == ENG_UNIFORM;
    uint64_t from = ev->address, end = from + ev->width;
    if (!uniform) {
        if (ev->cls != ENG_CONTIGUOUS) return false;
        end = from + (32 - (unsigned)__builtin_clz(ev->mask)) * (uint64_t)ev->width;
        from += (unsigned)__builtin_ctz(ev->mask) * (uint64_t)ev->width;
    }
    for (uint64_t at = from & ~(uint64_t)(RACE_ROW - 1); at < end; at += RACE_ROW) {
        uint32_t words = race_words(at, from, end);
        race_row *row;
        if (shared) {
            row = &b->shared[at / RACE_ROW];
            if (at / RACE_ROW >= b->shared_rows || row->epoch != b->epoch) return false;
        } else {
            race_page *page = race_page_of(st, at);
            if (!page) return false;
            if (!(words &= ~page->settled[at / RACE_ROW % RACE_PAGE_ROWS])) continue;
            row = &page->rows[at / RACE_ROW % RACE_PAGE_ROWS];
            if (row->epoch != b->epoch) return false;
        }
        if (!(words &= ~row->settled)) continue;
        /* one word after the other read by all lanes of a warp: the first mark stands for them all */
        if (row->reads_on != ev->warp + 1 || ev->mask != UINT32_MAX || !uniform || ev->width < 4 || RACE_TOKEN(row->at[0]) < b->warps[ev->warp].changed)
            return false;
        row->words[0] |= words;
    }
    return true;
}
/* A plain access of a full warp side by side: is that all there is to do about it? */
bool race_usual(race_state *st, const eng_event *ev);
/* Looks for races of an access with those before; false: no row remembers it. */
bool race_touch(race_state *st, const eng_batch *batch, const eng_event *ev, uint32_t token, uint64_t base);
/* What was done with this memory is over: free and malloc lie between it and all that comes. */
void race_forget(race_state *st, uint64_t address, uint64_t end);
/* Does a read that races with a write get the same value in any order? */
bool race_reads_own_value(race_state *st, race_mark read, unsigned lane, race_mark write, uint64_t address);
void race_each_mark(race_state *st, void (*visit)(race_state *st, race_mark *mark));
/* The lane of an access that touched the byte at address, and which bytes of its word, a bit each. */
unsigned race_lane(const race_state *st, race_mark mark, uint64_t address);
uint32_t race_bytes(const race_state *st, race_mark mark, uint64_t word);
void race_shadow_free(race_state *st);

/* --- race_order.c --------------------------------------------------------------------------- */
typedef enum race_order { RACE_ORDERED, RACE_WEAK /* only shuffles or votes lie between */, RACE_UNORDERED } race_order;
race_order race_order_of(race_state *st, uint32_t before, unsigned lane_before, const race_access *now, unsigned lane_now);
/* Does it come after a copy was asked for, whether that has ended or not? */
bool race_asked_before(race_state *st, uint32_t before, unsigned lane_before, const race_access *now, unsigned lane_now);
void race_arrive(race_state *st, race_block *block, const eng_event *ev);
void race_barrier(race_state *st, race_block *block, uint32_t warps, unsigned number);
void race_sync_lanes(race_state *st, race_block *block, unsigned warp, uint32_t mask, bool weak);
void race_syncwarp(race_state *st, race_block *block, const eng_event *ev);
void race_exit(race_state *st, race_block *block, const eng_event *ev);
void race_fence(race_state *st, race_block *block, unsigned warp, unsigned scope, bool only_acquire);
/* base: of addresses of shared memory, their rank. */
void race_synchronise(race_state *st, const eng_batch *batch, const eng_event *ev, uint64_t base);
void race_async(race_state *st, race_warp *warp, uint32_t more);
void race_release_at(race_state *st, uint64_t place, race_block *block, unsigned warp, race_knowledge *to);
void race_order_free(race_state *st);
void race_knowledge_add(race_knowledge *to, race_log *log, uint32_t n);

/* --- race_cluster.c ------------------------------------------------------------------------------ */
bool race_clustered(const race_state *st);
void race_cluster_begin(race_state *st, race_block *block);
void race_cluster_end(race_state *st, race_block *block);
void race_cluster_check_end(race_state *st, race_block *block);
void race_cluster_arrive(race_state *st, race_block *block, const eng_event *ev);
void race_cluster_wait(race_state *st, race_block *block, const eng_event *ev);
/* Is the block with this linear index in the same cluster? */
bool race_same_cluster(const race_state *st, const race_block *block, uint32_t linear);
bool race_cluster_ordered(const race_state *st, const race_block *block, unsigned warp, const race_access *a, uint32_t token);
/* The block that an address in the cluster's shared memory is of; NULL: no memory. */
race_block *race_owner(race_state *st, const race_block *block, uint64_t address);
uint64_t race_shared_place(const race_block *owner, uint64_t offset);
void race_clusters_rename(race_state *st);
void race_clusters_free(race_state *st);

/* --- race_phase.c ------------------------------------------------------------------------------ */
void race_phase(race_state *st, race_block *block, const eng_event *ev);
/* A warp of another block of the cluster arrives. */
void race_phase_from(race_state *st, race_block *owner, race_block *block, const eng_event *ev, uint64_t address);
void race_phases_meet(race_state *st, race_block *block, unsigned warp, uint32_t mask, bool weak);
void race_phases_barrier(race_state *st, race_block *block, uint32_t from, uint32_t to);
uint32_t *race_phases_released(race_state *st, race_block *block, unsigned warp);
/* Does the access with this token, or the copy, come before what a lane does now? */
race_order race_phases_order(const race_block *block, const race_access *a, unsigned lane_before, uint32_t token, bool copy, const race_access *now, unsigned lane_now);
/* Has a lane seen that the phase which a bulk copy counts for has ended? */
bool race_phases_copied(const race_block *block, const race_access *copy, const race_access *now, unsigned lane_now);
void race_phases_rename(race_state *st, race_block *block);
void race_phases_forget(race_block *block);
void race_phases_free(race_block *block);

/* --- race.c ------------------------------------------------------------------------------------ */
race_block *race_block_of(race_state *st, uint64_t linear); /* NULL: no memory */

/* --- race_report.c ----------------------------------------------------------------------------- */
watch_side race_side_of(const race_state *st, race_mark mark, uint64_t address);
void race_report(race_state *st, const eng_batch *batch, const eng_event *ev, unsigned lane, race_mark before, uint64_t word,
                 race_order order);

#endif
