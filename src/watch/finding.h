/* Findings: what is wrong in a kernel, with both sides where there are two.
 *
 * A watch adds what it finds to the list of its worker's state; equal ones fold into one with a count. When the launch
 * has ended, the lists are merged into the record's and put into an order that no number of workers changes. */
#ifndef WG_WATCH_FINDING_H
#define WG_WATCH_FINDING_H

#include "base/map.h"
#include "base/vec.h"
#include "engine/engine.h"

/* Kinds, as --check and the document name them. */
#define WATCH_KINDS(X)                                                                                                  \
    X(OUT_OF_BOUNDS, "out-of-bounds") X(MISALIGNED, "misaligned") X(USE_AFTER_FREE, "use-after-free")                   \
    X(HOST_ACCESS, "host-access") X(UNINITIALISED, "uninitialised") X(RACE, "race")                                     \
    X(BARRIER_DIVERGENCE, "barrier-divergence") X(DEADLOCK, "deadlock") X(SHUFFLE_LANE, "shuffle-lane") X(MASK, "mask") \
    X(COVERAGE, "coverage") X(LEAK, "leak") X(DOUBLE_FREE, "double-free") X(API_ERROR, "api-error") X(ASSERT, "assert") \
    X(SCHEDULE, "schedule") X(PROXY_FENCE, "proxy-fence")                                                               \
    X(TIMEOUT, "timeout") X(UNSUPPORTED, "unsupported-instruction")
typedef enum watch_kind {
#define WATCH_ROW(id, name) WATCH_KIND_##id,
    WATCH_KINDS(WATCH_ROW)
#undef WATCH_ROW
    WATCH_KIND_COUNT
} watch_kind;
const char *watch_kind_name(watch_kind kind);
/* A set of kinds: bit 1 << kind. */
#define WATCH_CHECK(id) (UINT32_C(1) << WATCH_KIND_##id)
/* Reads "all", "none", "race,mask", "all,-leak": from left to right, a kind adds and -KIND takes away. NULL: none.
 * False with *bad at the word that is no kind. */
bool watch_checks_read(const char *text, uint32_t *set, const char **bad);

typedef enum watch_severity { WATCH_NOTE, WATCH_WARNING, WATCH_ERROR } watch_severity;

/* Who did what, where. */
typedef struct watch_side {
    bool known;        /* false: there is no such side */
    bool is_access;    /* space, access, width, address are there */
    uint16_t function; /* index in img_module.functions */
    uint16_t warp;     /* in its block */
    uint32_t instr;
    uint64_t block;    /* linear index */
    unsigned lane;     /* first lane concerned */
    uint32_t lanes;    /* all lanes of the warp concerned; 0: that one */
    uint8_t space, access, width;
    uint64_t address;
    const eng_allocation *allocation; /* containing or nearest; NULL: none */
} watch_side;

typedef struct watch_finding {
    watch_kind kind;
    watch_severity severity;
    bool fatal;        /* ended the launch */
    watch_side at, other, origin;
    uint64_t key;      /* tells findings at the same instructions apart; else 0 */
    uint64_t count;    /* 0 counts as 1 */
    char message[320]; /* what is wrong */
    char detail[400];  /* more, such as who waits where */
} watch_finding;

typedef struct watch_findings {
    wg_vec(watch_finding) list;
    wg_u64map places; /* hash of what makes findings equal -> index + 1 in list */
    uint64_t dropped; /* kinds of findings beyond the limit */
    bool lost;        /* no memory for one */
} watch_findings;

/* Folds with an equal one: the same kind, severity, instructions of all sides, and key. The one of the earliest block is
 * shown. */
void watch_findings_add(watch_findings *findings, const watch_finding *finding);
bool watch_findings_hold(const watch_findings *findings, const watch_finding *finding); /* an equal one */
/* Is an equal finding there? Then counts it: a finding that comes often is not put together again and again. */
bool watch_findings_again(watch_findings *findings, const watch_finding *finding);
void watch_findings_merge(watch_findings *into, const watch_findings *from);
void watch_findings_sort(watch_findings *findings); /* by block, warp, instruction, kind */
void watch_findings_free(watch_findings *findings);

/* The side of an event's lane; an access when it is one. */
watch_side watch_side_of(const eng_batch *batch, const eng_event *ev, unsigned lane);

#endif
