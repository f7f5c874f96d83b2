/* What one request touches in memory: the distinct 32-byte sectors, and the distinct bytes.
 * Source of the rule: a request of a warp moves every sector that an active lane touches, once
 * (equal to an H200's l1tex__t_sectors counters on all kernels of tests/truth).
 *
 * Pure functions of an access. Addresses are multiples of width, as the hardware demands. */
#ifndef WG_WATCH_SECTORS_H
#define WG_WATCH_SECTORS_H

#include "engine/event.h"

enum { WATCH_SECTOR = 32, WATCH_LINE = 128 };

typedef struct watch_touch {
    unsigned sectors; /* distinct sectors */
    unsigned lines;   /* distinct lines of the first cache, four sectors each: the tags that are looked up */
    unsigned bytes;   /* distinct bytes: lanes that share an address count once */
} watch_touch;

/* lanes[l] is lane l's address; lanes outside the mask are not looked at. */
watch_touch watch_touch_lanes(const uint64_t lanes[32], uint32_t mask, unsigned width);
/* Lane l at first + l * stride. */
watch_touch watch_touch_strided(uint64_t first, int64_t stride, uint32_t mask, unsigned width);
/* Local memory: lane l at offset offsets[l] of its frame. Frames are interleaved by 4-byte words, so that
 * lanes at one offset touch neighbouring words. */
watch_touch watch_touch_local(const uint64_t offsets[32], uint32_t mask, unsigned width);
/* Of an event of any class and space (global or local). */
watch_touch watch_touch_event(const eng_batch *batch, const eng_event *ev);

/* A stated model of transactions: the warp is cut into groups of `group` neighbouring lanes, and a group
 * moves every chunk of `chunk` bytes that it touches, once. chunk 32 and group 32 gives the sectors. */
unsigned watch_chunks_event(const eng_batch *batch, const eng_event *ev, unsigned chunk, unsigned group);

#endif
