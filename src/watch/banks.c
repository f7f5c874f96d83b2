#include "watch/banks.h"

#include <string.h>

enum { BANKS = 32, WARP = 32, MAX_WORDS = 64 /* of lanes that are served together, be they not aligned */ };

/* The distinct words of one pass, chained by bank. */
typedef struct pass {
    uint64_t word[MAX_WORDS];
    int8_t next[MAX_WORDS];
    int8_t head[BANKS]; /* -1: none */
    uint8_t depth[BANKS];
    unsigned words, deepest;
} pass;

static void add_word(pass *p, uint64_t word) {
    unsigned bank = word % BANKS;
    for (int k = p->head[bank]; k >= 0; k = p->next[k])
        if (p->word[k] == word) return;
    p->word[p->words] = word;
    p->next[p->words] = p->head[bank];
    p->head[bank] = (int8_t)p->words++;
    if (++p->depth[bank] > p->deepest) p->deepest = p->depth[bank];
}

/* Lanes that are served together: at most 32 words, so that one pass is enough where no bank is asked twice. */
static void serve(const uint64_t lanes[32], uint32_t mask, unsigned width, watch_wavefronts *out) {
    if (!mask) return;
    pass p;
    memset(p.head, -1, sizeof p.head);
    memset(p.depth, 0, sizeof p.depth);
    p.words = p.deepest = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t address = lanes[__builtin_ctz(mask)];
        for (uint64_t word = address / 4; word <= (address + width - 1) / 4; word++) add_word(&p, word);
    }
    out->wavefronts += p.deepest;
    out->ideal++;
    if (p.deepest > out->degree) out->degree = p.deepest;
}

/* Does every lane's neighbour, `apart` lanes away, read what it reads, or nothing? */
static bool paired(const uint64_t lanes[32], uint32_t mask, unsigned apart) {
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest), other = lane ^ apart;
        if ((mask >> other & 1) && lanes[lane] != lanes[other]) return false;
    }
    return true;
}

/* How many lanes are served together. */
static unsigned lanes_together(unsigned width, bool pairs) {
    if (width <= 4) return WARP;
    return WARP * 4 / width * (pairs ? 2 : 1);
}

watch_wavefronts watch_banks_lanes(const uint64_t lanes[32], uint32_t mask, unsigned width, bool store) {
    watch_wavefronts out = {0};
    bool pairs = width > 4 && !store && (paired(lanes, mask, 1) || paired(lanes, mask, 2));
    unsigned together = lanes_together(width, pairs);
    for (unsigned first = 0; first < WARP; first += together)
        serve(lanes, mask & (UINT32_MAX >> (WARP - together) << first), width, &out);
    return out;
}

static watch_wavefronts free_of_conflicts(unsigned wavefronts) {
    return (watch_wavefronts){.wavefronts = wavefronts, .ideal = wavefronts, .degree = 1};
}

/* All lanes at one address: each group of them that is served together, and has an active lane, is a pass. */
static watch_wavefronts uniform(uint32_t mask, unsigned width, bool store) {
    unsigned together = lanes_together(width, !store), passes = 0;
    for (unsigned first = 0; first < WARP; first += together) passes += (mask >> first & UINT32_MAX >> (WARP - together)) != 0;
    return free_of_conflicts(passes);
}

unsigned watch_banks_whole_uniform(unsigned width, bool store) { return uniform(UINT32_MAX, width, store).wavefronts; }

/* Contiguous words fill the banks in order: a second pass is needed where two lanes `apart` are both active. */
static watch_wavefronts contiguous(uint32_t mask, unsigned width) {
    if (width <= 4) return free_of_conflicts(1);
    if (width == 8 && mask == UINT32_MAX) return free_of_conflicts(2);
    if (width == 16 && mask == UINT32_MAX) return free_of_conflicts(4);
    return free_of_conflicts(0); /* not known here */
}

watch_wavefronts watch_banks_event(const eng_batch *batch, const eng_event *ev) {
    const bool store = !(ev->access & ENG_READ);
    if (!ev->mask) return (watch_wavefronts){0};
    if (ev->cls == ENG_UNIFORM) return uniform(ev->mask, ev->width, store);
    if (ev->cls == ENG_CONTIGUOUS) {
        watch_wavefronts known = contiguous(ev->mask, ev->width);
        if (known.wavefronts) return known;
    }
    if (ev->cls == ENG_STRIDED && ev->width == 4 && ev->mask == UINT32_MAX && ev->stride % 4 == 0 && ev->stride) {
        /* Steps of s words meet gcd(s, 32) lanes in one bank. */
        unsigned step = (unsigned)(ev->stride < 0 ? -(int64_t)ev->stride : ev->stride) / 4;
        unsigned ways = step % BANKS == 0 ? BANKS : 1u << __builtin_ctz(step);
        return (watch_wavefronts){.wavefronts = ways, .ideal = 1, .degree = ways};
    }
    if (ev->cls == ENG_GENERAL) return watch_banks_lanes(batch->lanes[ev->general], ev->mask, ev->width, store);
    uint64_t lanes[WARP];
    for (unsigned l = 0; l < WARP; l++) lanes[l] = eng_lane_address(batch, ev, l);
    return watch_banks_lanes(lanes, ev->mask, ev->width, store);
}
