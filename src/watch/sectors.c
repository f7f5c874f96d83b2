#include "watch/sectors.h"

#include <stdbool.h>

enum { SECTOR_SHIFT = 5, LINE_SHIFT = 7, WARP = 32 };

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

/* A lane whose line may have been met: looks through the lanes before it. */
static void touch_again(const uint64_t lanes[32], uint32_t before, uint64_t address, unsigned width, watch_touch *touch) {
    uint32_t used = 0;
    bool met = false;
    for (; before; before &= before - 1) {
        uint64_t other = lanes[lowest(before)];
        met |= other >> LINE_SHIFT == address >> LINE_SHIFT;
        if (other >> SECTOR_SHIFT == address >> SECTOR_SHIFT) used |= bytes_in_sector(other, width);
    }
    touch->lines += !met;
    touch->sectors += !used;
    touch->bytes += fresh_bytes(bytes_in_sector(address, width), used, width);
}

/* Lanes at random mostly meet new lines: one bit of 2048 tells that for nearly all of them. */
static watch_touch touch_unordered(const uint64_t lanes[32], uint32_t mask, unsigned width) {
    watch_touch touch = {0};
    uint64_t met[32] = {0};
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint64_t address = lanes[lowest(rest)];
        unsigned hash = (unsigned)(((address >> LINE_SHIFT) * 0x9e3779b97f4a7c15u) >> 53);
        uint64_t bit = (uint64_t)1 << (hash & 63), *word = &met[hash >> 6];
        if (*word & bit) {
            touch_again(lanes, mask & ((rest & -rest) - 1), address, width, &touch);
        } else {
            *word |= bit;
            touch.lines++;
            touch.sectors++;
            touch.bytes += width;
        }
    }
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
            touch.lines += sector >> (LINE_SHIFT - SECTOR_SHIFT) != open >> (LINE_SHIFT - SECTOR_SHIFT);
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
    if (step == 0) return (watch_touch){.sectors = 1, .lines = 1, .bytes = width};
    if (step >= WATCH_LINE) /* no two lanes share a line */
        return (watch_touch){.sectors = ones(mask), .lines = ones(mask), .bytes = ones(mask) * width};
    unsigned low = lowest(mask), high = highest(mask);
    bool run = ones(mask) == high - low + 1;
    if (run && step >= width) { /* no line between the ends is stepped over, and no sector but by large steps */
        uint64_t a = first + (uint64_t)((int64_t)low * stride), b = first + (uint64_t)((int64_t)high * stride);
        uint64_t from = a < b ? a : b, to = (a < b ? b : a) + width - 1;
        return (watch_touch){.sectors = step >= WATCH_SECTOR ? ones(mask) : (unsigned)((to >> SECTOR_SHIFT) - (from >> SECTOR_SHIFT) + 1),
                             .lines = (unsigned)((to >> LINE_SHIFT) - (from >> LINE_SHIFT) + 1),
                             .bytes = ones(mask) * width};
    }
    uint64_t lanes[WARP];
    for (unsigned l = low; l <= high; l++) lanes[l] = first + (uint64_t)((int64_t)l * stride);
    return watch_touch_lanes(lanes, mask, width);
}

watch_touch watch_touch_local(const uint64_t offsets[32], uint32_t mask, unsigned width) {
    unsigned words = width > 4 ? width / 4 : 1;
    uint64_t at[WARP] = {0};
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest(rest);
        at[lane] = offsets[lane] / 4 * 128 + lane * 4 + offsets[lane] % 4;
    }
    /* Each further word of a wide access lies in the next row, 128 bytes on; rows of aligned accesses of one
     * width never meet, so the pattern repeats. */
    watch_touch touch = watch_touch_lanes(at, mask, width / words);
    touch.sectors *= words;
    touch.lines *= words;
    touch.bytes *= words;
    return touch;
}

/* Lanes in rows: most often each row is a run of its own, and the rows rise. */
static watch_touch touch_rows(const eng_batch *batch, const eng_event *ev) {
    unsigned n = ev->more & 0xff, step = ev->more >> 8;
    if (step == ev->width && ev->mask == UINT32_MAX && ev->stride >= (int32_t)(n * step)) {
        watch_touch touch = {.bytes = WARP * ev->width};
        uint64_t next = 0, next_line = 0; /* the first not counted yet */
        for (unsigned l = 0, row = 0; l < WARP; l += n, row++) {
            unsigned lanes = l + n <= WARP ? n : WARP - l;
            uint64_t from = ev->address + (uint64_t)row * (uint64_t)ev->stride, to = from + lanes * step - 1;
            uint64_t first = from >> SECTOR_SHIFT, last = to >> SECTOR_SHIFT;
            if (first < next) first = next;
            if (last + 1 > first) touch.sectors += (unsigned)(last + 1 - first);
            next = last + 1;
            first = from >> LINE_SHIFT, last = to >> LINE_SHIFT;
            if (first < next_line) first = next_line;
            if (last + 1 > first) touch.lines += (unsigned)(last + 1 - first);
            next_line = last + 1;
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
            return (watch_touch){.sectors = sectors, .lines = 1, .bytes = ones(ev->mask) * ev->width};
        }
        uint64_t offsets[WARP];
        for (unsigned l = 0; l < WARP; l++) offsets[l] = eng_lane_address(batch, ev, l);
        return watch_touch_local(offsets, ev->mask, ev->width);
    }
    switch (ev->cls) {
    case ENG_UNIFORM: return (watch_touch){.sectors = 1, .lines = 1, .bytes = ev->width};
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
