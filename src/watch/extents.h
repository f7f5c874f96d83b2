/* Which bytes of global memory an operation of a stream read and wrote: kernels, copies, fills. Two operations that nothing orders
 * are in a race where both touched a byte and one of them wrote it. */
#ifndef WG_WATCH_EXTENTS_H
#define WG_WATCH_EXTENTS_H

#include "base/map.h"
#include "engine/event.h"
#include "engine/memory.h"

enum { WATCH_EXTENT_PAGE = 1 << 14, WATCH_EXTENT_ROW = 128, WATCH_EXTENT_ROWS = WATCH_EXTENT_PAGE / WATCH_EXTENT_ROW };
enum { WATCH_EXTENT_RECENT_BITS = 4, WATCH_EXTENT_RECENT = 1 << WATCH_EXTENT_RECENT_BITS /* a kernel's arrays take turns */ };
enum { WATCH_EXTENT_KINDS = 3 }; /* plain reads, plain writes, atomics (and strong accesses, which synchronise) */
/* An instruction, 0: none. The least one that touched a row of memory is remembered. */
typedef uint32_t watch_where;
#define WATCH_WHERE(function, instr) ((uint32_t)(function) < 4095 && (instr) < 1 << 20 ? ((uint32_t)(function) << 20 | (instr)) + 1 : 0)
#define WATCH_WHERE_FUNCTION(where)  (((where) - 1) >> 20)
#define WATCH_WHERE_INSTR(where)     (((where) - 1) & 0xfffff)

typedef struct watch_extent_page {
    uint64_t bytes[WATCH_EXTENT_KINDS][WATCH_EXTENT_PAGE / 64]; /* a bit each */
    watch_where by[WATCH_EXTENT_KINDS][WATCH_EXTENT_ROWS];
    uint64_t *system; /* bits of atomics and strong accesses of system scope: the host may synchronise by them. NULL: none */
} watch_extent_page;
typedef struct watch_extents {
    wg_u64map pages; /* address / WATCH_EXTENT_PAGE -> watch_extent_page, or WATCH_EXTENT_PASSED */
    struct { uint64_t key; watch_extent_page *page; bool known; } recent[WATCH_EXTENT_RECENT]; /* by a hash of the key; page NULL: passed over */
    bool failed;     /* no memory: not whole */
    const eng_memory *shared; /* all but what the host can touch, too, is passed over; NULL: nothing is */
} watch_extents;
enum { WATCH_EXTENT_PASSED = 1 };

/* access: of enum ENG_READ | ...; end: behind the last byte. */
void watch_extents_add(watch_extents *extents, uint64_t address, uint64_t end, unsigned access, watch_where where);
void watch_extents_merge(watch_extents *into, const watch_extents *from);
void watch_extents_free(watch_extents *extents);

typedef struct watch_clash {
    uint64_t address;       /* first byte */
    unsigned a, b;          /* how the two accessed it: ENG_READ, ENG_WRITE or ENG_ATOMIC */
    watch_where at_a, at_b; /* 0: no kernel */
} watch_clash;
/* The lowest byte touched of those from..end, as side a; side b writes. */
bool watch_extents_within(const watch_extents *extents, uint64_t from, uint64_t end, watch_clash *clash);
/* The lowest byte at which the two would be in a race. None where both have atomics at the same place: they may synchronise. */
bool watch_extents_clash(const watch_extents *a, const watch_extents *b, watch_clash *clash);

/* What it did to the byte that concerns the host most: ENG_WRITE, ENG_ATOMIC, ENG_READ; ENG_VOLATILE: by a strong access of system
 * scope, through which the two may synchronise. 0: it left it alone. */
unsigned watch_extents_at(const watch_extents *extents, uint64_t address, watch_where *where);
/* All that it did to bytes of [address, end), which lies in one page; or-ed. */
unsigned watch_extents_in(const watch_extents *extents, uint64_t address, uint64_t end);
/* Numbers of the pages it touched, ascending; malloc'd. NULL: none, or no memory. */
uint64_t *watch_extents_pages(const watch_extents *extents, size_t *n);

#endif
