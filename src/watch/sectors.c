#include "watch/sectors.h"

#include <stdbool.h>
#include <string.h>

enum { SECTOR_SHIFT = 5, WARP = 32 };

static unsigned ones(uint32_t mask) { return (unsigned)__builtin_popcount(mask); }
static unsigned lowest(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }
static unsigned highest(uint32_t mask) { return 31u - (unsigned)__builtin_clz(mask); }

/* The bits of one access in the byte mask of its sector. */
static uint32_t bytes_in_sector(uint64_t address, unsigned width) {
    return (uint32_t)(((uint64_t)1 << width) - 1) << (address & (WATCH_SECTOR - 1));
}

/* How many of an access's bytes are new: nearly always all or none, since lanes seldom overlap in part. */
static unsigned fresh_bytes(uint32_t bits, uint32_t used, unsigned width) {
    uint32_t fresh = bits & ~used;
    return fresh == bits ? width : fresh ? ones(fresh) : 0;
}

/* Sectors met so far: a small open hash, each with the bytes used in it. 32 lanes fill at most half. */
typedef struct sector_set {
    uint64_t sector[64];
    uint32_t used[64]; /* 0: the slot is free */
} sector_set;

static void touch_sector(sector_set *set, uint64_t address, unsigned width, watch_touch *touch) {
    uint64_t sector = address >> SECTOR_SHIFT;
    uint32_t bits = bytes_in_sector(address, width);
    unsigned slot = (unsigned)((sector * 0x9e3779b97f4a7c15u) >> 58);
    while (set->used[slot] && set->sector[slot] != sector) slot = (slot + 1) & 63;
    if (!set->used[slot]) {
        set->sector[slot] = sector;
        touch->sectors++;
    }
    touch->bytes += fresh_bytes(bits, set->used[slot], width);
    set->used[slot] |= bits;
}

static watch_touch touch_unordered(const uint64_t lanes[32], uint32_t mask, unsigned width) {
    watch_touch touch = {0};
    sector_set set;
    memset(set.used, 0, sizeof set.used);
    for (; mask; mask &= mask - 1) touch_sector(&set, lanes[lowest(mask)], width, &touch);
    return touch;
}

/* Most gathers of real kernels still rise with the lane: then one pass with one open sector is enough. */
watch_touch watch_touch_lanes(const uint64_t lanes[32], uint32_t mask, unsigned width) {
    watch_touch touch = {0};
    uint64_t open = UINT64_MAX;
    uint32_t used = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint64_t address = lanes[lowest(rest)], sector = address >> SECTOR_SHIFT;
        uint32_t bits = bytes_in_sector(address, width);
        if (sector != open) {
            if (open != UINT64_MAX && sector < open) return touch_unordered(lanes, mask, width);
            open = sector;
            used = 0;
            touch.sectors++;
        }
        touch.bytes += fresh_bytes(bits, used, width);
        used |= bits;
    }
    return touch;
}

watch_touch watch_touch_strided(uint64_t first, int64_t stride, uint32_t mask, unsigned width) {
    if (!mask) return (watch_touch){0};
    uint64_t step = (uint64_t)(stride < 0 ? -stride : stride);
    if (step == 0) return (watch_touch){.sectors = 1, .bytes = width};
    if (step >= WATCH_SECTOR) /* no two lanes share a sector */
        return (watch_touch){.sectors = ones(mask), .bytes = ones(mask) * width};
    unsigned low = lowest(mask), high = highest(mask);
    bool run = ones(mask) == high - low + 1;
    if (run && step >= width) { /* no sector between the ends is stepped over */
        uint64_t a = first + (uint64_t)((int64_t)low * stride), b = first + (uint64_t)((int64_t)high * stride);
        uint64_t from = a < b ? a : b, to = (a < b ? b : a) + width - 1;
        return (watch_touch){.sectors = (unsigned)((to >> SECTOR_SHIFT) - (from >> SECTOR_SHIFT) + 1),
                             .bytes = ones(mask) * width};
    }
    uint64_t lanes[WARP];
    for (unsigned l = low; l <= high; l++) lanes[l] = first + (uint64_t)((int64_t)l * stride);
    return watch_touch_lanes(lanes, mask, width);
}

watch_touch watch_touch_local(const uint64_t offsets[32], uint32_t mask, unsigned width) {
    watch_touch touch = {0};
    sector_set set;
    memset(set.used, 0, sizeof set.used);
    unsigned words = width > 4 ? width / 4 : 1;
    unsigned piece = width / words;
    for (; mask; mask &= mask - 1) {
        unsigned lane = lowest(mask);
        uint64_t word = offsets[lane] / 4;
        touch_sector(&set, word * 128 + lane * 4 + offsets[lane] % 4, piece, &touch);
    }
    /* Each further word of a wide access lies in the next row, 128 bytes on; rows of aligned accesses of one
     * width never meet, so the pattern repeats. */
    touch.sectors *= words;
    touch.bytes *= words;
    return touch;
}

/* Lanes in rows: most often each row is a run of its own, and the rows rise. */
static watch_touch touch_rows(const eng_batch *batch, const eng_event *ev) {
    unsigned n = ev->more & 0xff, step = ev->more >> 8;
    if (step == ev->width && ev->mask == UINT32_MAX && ev->stride >= (int32_t)(n * step)) {
        watch_touch touch = {.bytes = WARP * ev->width};
        uint64_t next = 0; /* the first sector not counted yet */
        for (unsigned l = 0, row = 0; l < WARP; l += n, row++) {
            unsigned lanes = l + n <= WARP ? n : WARP - l;
            uint64_t from = ev->address + (uint64_t)row * (uint64_t)ev->stride, to = from + lanes * step - 1;
            uint64_t first = from >> SECTOR_SHIFT, last = to >> SECTOR_SHIFT;
            if (first < next) first = next;
            if (last + 1 > first) touch.sectors += (unsigned)(last + 1 - first);
            next = last + 1;
        }
        return touch;
    }
    uint64_t lanes[WARP];
    for (unsigned l = 0; l < WARP; l++) lanes[l] = eng_lane_address(batch, ev, l);
    return watch_touch_lanes(lanes, ev->mask, ev->width);
}

watch_touch watch_touch_event(const eng_batch *batch, const eng_event *ev) {
    if (!ev->mask) return (watch_touch){0};
    if (ev->space == ENG_LOCAL) {
        if (ev->cls == ENG_UNIFORM && ev->width <= 4) { /* one row: eight lanes a sector */
            unsigned sectors = 0;
            for (unsigned l = 0; l < WARP; l += 8) sectors += ((ev->mask >> l) & 0xff) != 0;
            return (watch_touch){.sectors = sectors, .bytes = ones(ev->mask) * ev->width};
        }
        uint64_t offsets[WARP];
        for (unsigned l = 0; l < WARP; l++) offsets[l] = eng_lane_address(batch, ev, l);
        return watch_touch_local(offsets, ev->mask, ev->width);
    }
    switch (ev->cls) {
    case ENG_UNIFORM: return (watch_touch){.sectors = 1, .bytes = ev->width};
    case ENG_CONTIGUOUS: return watch_touch_strided(ev->address, ev->width, ev->mask, ev->width);
    case ENG_STRIDED: return watch_touch_strided(ev->address, ev->stride, ev->mask, ev->width);
    case ENG_ROWS: return touch_rows(batch, ev);
    default: return watch_touch_lanes(batch->lanes[ev->general], ev->mask, ev->width);
    }
}

unsigned watch_chunks_event(const eng_batch *batch, const eng_event *ev, unsigned chunk, unsigned group) {
    unsigned moved = 0;
    for (unsigned base = 0; base < WARP; base += group) {
        uint64_t met[WARP * 16];
        unsigned n = 0;
        for (unsigned l = base; l < base + group && l < WARP; l++) {
            if (!(ev->mask >> l & 1)) continue;
            uint64_t address = eng_lane_address(batch, ev, l);
            for (uint64_t c = address / chunk; c <= (address + ev->width - 1) / chunk; c++) {
                unsigned k = 0;
                while (k < n && met[k] != c) k++;
                if (k == n) met[n++] = c;
            }
        }
        moved += n;
    }
    return moved;
}
