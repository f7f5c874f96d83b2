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
    uint32_t value;    /* of a store: not 0 when all lanes store the same, and what */
    uint16_t function, warp;
    uint16_t access;   /* ENG_READ | ... */
    uint8_t cls, width, space, scope, row, step; /* row, step: of ENG_ROWS */
} race_access;

/* A remembered access: its token, and the lane where its form does not tell it. */
typedef uint32_t race_mark; /* lane << 27 | token; 0: none */
enum { RACE_TOKENS = 1 << 27 };
#define RACE_TOKEN(mark) ((mark) & (RACE_TOKENS - 1))
#define RACE_LANE(mark)  ((mark) >> 27)

enum { RACE_ROW = 128, RACE_WORDS = 32, RACE_SLOTS = 4, RACE_WORD_SLOTS = 3 };
typedef struct race_word { race_mark at[RACE_WORD_SLOTS]; } race_word;
typedef struct race_row {
    race_mark at[RACE_SLOTS];
    uint32_t words[RACE_SLOTS]; /* that it touched, a bit each */
    race_word *more;            /* by word, when the slots do not suffice */
} race_row;

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
};
struct race_log { /* of one location that blocks synchronise through */
    wg_vec(race_release) releases;
    wg_u64map last;    /* block -> index + 1 */
    uint32_t with_known; /* releases that know something */
};

typedef struct race_sync { uint32_t token, mask; bool weak; } race_sync; /* lanes met */
typedef struct race_group { uint32_t until, done; } race_group; /* cp.async: copies with tokens below until were waited for at done */
enum { RACE_SYNCS = 16 };
typedef struct race_warp {
    uint32_t started, exited;
    uint32_t synced;    /* tokens below: ordered before all lanes of the warp */
    uint32_t fence;     /* tokens below: fenced for the device */
    uint32_t fence_all; /* of the block, known when it fenced */
    uint32_t fenced_since; /* a fence since the last barrier */
    uint32_t changed;   /* when its order last changed: accesses since then are ordered alike */
    race_sync syncs[RACE_SYNCS];
    unsigned n_syncs;
    race_knowledge acquired, pending;
    wg_vec(race_group) groups;
    uint32_t committed; /* groups that are complete */
    bool at_barrier;
} race_warp;
typedef struct race_block {
    uint32_t linear, barrier; /* tokens below barrier: ordered before everything that follows in the block */
    uint32_t fenced_all;
    race_warp warps[32];
    uint32_t *between;  /* [from * 32 + to]: tokens of a warp ordered before another's, by named barriers; NULL: none */
    race_knowledge acquired;
    race_row *shared;
    uint32_t shared_rows;
    wg_vec(race_word *) words;
    struct race_block *next;
} race_block;

typedef struct race_page race_page;
typedef struct race_state {
    watch_context ctx;
    watch_findings findings;
    race_access *accesses;
    uint32_t n, room;
    race_block *blocks, *block; /* those under way; the one of the batch */
    race_block *spare;
    unsigned n_warps;
    uint32_t last_mask;         /* lanes that exist in the last warp */
    wg_u64map pages;            /* address / RACE_PAGE -> race_page */
    race_page *recent[64];
    uint64_t recent_key[64];
    wg_u64map logs;             /* address -> race_log */
    wg_vec(race_word *) words;
    uint8_t **traits;           /* by function and instruction: RACE_TRAIT_ */
    bool synchronises;          /* some block has released something */
    bool failed;
} race_state;

/* --- race_shadow.c ------------------------------------------------------------------------ */
enum { RACE_PAGE_ROWS = 512 };
struct race_page { race_row rows[RACE_PAGE_ROWS]; };
void race_touch(race_state *st, const eng_batch *batch, const eng_event *ev, uint32_t token);
/* The lane of an access that touched the byte at address, and which bytes of its word, a bit each. */
unsigned race_lane(const race_state *st, race_mark mark, uint64_t address);
uint32_t race_bytes(const race_state *st, race_mark mark, uint64_t word);
void race_shadow_free(race_state *st);

/* --- race_order.c --------------------------------------------------------------------------- */
typedef enum race_order { RACE_ORDERED, RACE_WEAK /* only shuffles or votes lie between */, RACE_UNORDERED } race_order;
race_order race_order_of(race_state *st, uint32_t before, unsigned lane_before, const race_access *now, unsigned lane_now);
void race_barrier(race_state *st, race_block *block, uint32_t warps);
void race_sync_lanes(race_state *st, race_warp *warp, uint32_t mask, bool weak);
void race_fence(race_state *st, race_block *block, unsigned warp, unsigned scope, bool only_acquire);
void race_synchronise(race_state *st, const eng_batch *batch, const eng_event *ev);
void race_async(race_state *st, race_warp *warp, uint32_t more);
void race_order_free(race_state *st);
void race_knowledge_add(race_knowledge *to, race_log *log, uint32_t n);

/* --- race.c ------------------------------------------------------------------------------------ */
void race_report(race_state *st, const eng_batch *batch, const eng_event *ev, unsigned lane, race_mark before, uint64_t word,
                 race_order order);

#endif
