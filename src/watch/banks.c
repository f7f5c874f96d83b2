#include "watch/banks.h"

#include <stdbool.h>
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

static void add_word(pass *p, uint64_t word, bool shares) {
    unsigned bank = word % BANKS;
    for (int k = shares ? p->head[bank] : -1; k >= 0; k = p->next[k])
        if (p->word[k] == word) return;
    p->word[p->words] = word;
    p->next[p->words] = p->head[bank];
    p->head[bank] = (int8_t)p->words++;
    if (++p->depth[bank] > p->deepest) p->deepest = p->depth[bank];
}

/* Lanes that are served together: at most 32 words, so that one pass is enough where no bank is asked twice. */
static void serve(const uint64_t lanes[32], uint32_t mask, unsigned width, bool shares, watch_wavefronts *out) {
    if (!mask) return;
    pass p;
    memset(p.head, -1, sizeof p.head);
    memset(p.depth, 0, sizeof p.depth);
    p.words = p.deepest = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t address = lanes[__builtin_ctz(mask)];
        for (uint64_t word = address / 4; word <= (address + width - 1) / 4; word++) add_word(&p, word, shares);
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

watch_wavefronts watch_banks_lanes(const uint64_t lanes[32], uint32_t mask, unsigned width, watch_banks_kind kind) {
    watch_wavefronts out = {0};
    bool pairs = width > 4 && kind == WATCH_BANKS_LOAD && (paired(lanes, mask, 1) || paired(lanes, mask, 2));
    unsigned together = lanes_together(width, pairs);
    for (unsigned first = 0; first < WARP; first += together)
        serve(lanes, mask & (UINT32_MAX >> (WARP - together) << first), width, kind != WATCH_BANKS_ATOMIC, &out);
    return out;
}

static watch_wavefronts free_of_conflicts(unsigned wavefronts) {
    return (watch_wavefronts){.wavefronts = wavefronts, .ideal = wavefronts, .degree = 1};
}

watch_wavefronts watch_banks_contiguous(unsigned width) { return free_of_conflicts(WARP / lanes_together(width, false)); }

/* Each group of lanes that is served together, and has an active one, is a pass; or as many as it has lanes. */
watch_wavefronts watch_banks_uniform(uint32_t mask, unsigned width, watch_banks_kind kind) {
    watch_wavefronts out = {0};
    const unsigned together = lanes_together(width, kind == WATCH_BANKS_LOAD);
    for (unsigned first = 0; first < WARP; first += together) {
        const unsigned lanes = (unsigned)__builtin_popcount(mask >> first & UINT32_MAX >> (WARP - together));
        const unsigned passes = kind == WATCH_BANKS_ATOMIC ? lanes : lanes != 0;
        out.wavefronts += passes;
        out.ideal += lanes != 0;
        if (passes > out.degree) out.degree = passes;
    }
    return out;
}

watch_wavefronts watch_banks_event(const eng_batch *batch, const eng_event *ev, watch_banks_kind kind) {
    if (!ev->mask) return (watch_wavefronts){0};
    if (ev->cls == ENG_UNIFORM) return watch_banks_uniform(ev->mask, ev->width, kind);
    if (ev->cls == ENG_CONTIGUOUS && ev->width == 4) return free_of_conflicts(1);
    if (ev->cls == ENG_CONTIGUOUS && ev->width > 4 && ev->mask == UINT32_MAX) return watch_banks_contiguous(ev->width);
    if (ev->cls == ENG_STRIDED && ev->width == 4 && ev->mask == UINT32_MAX && ev->stride % 4 == 0 && ev->stride) {
        /* Steps of s words meet gcd(s, 32) lanes in one bank. */
        unsigned step = (unsigned)(ev->stride < 0 ? -(int64_t)ev->stride : ev->stride) / 4;
        unsigned ways = step % BANKS == 0 ? BANKS : 1u << __builtin_ctz(step);
        return (watch_wavefronts){.wavefronts = ways, .ideal = 1, .degree = ways};
    }
    if (ev->cls == ENG_GENERAL) return watch_banks_lanes(batch->lanes[ev->general], ev->mask, ev->width, kind);
    uint64_t lanes[WARP];
    for (unsigned l = 0; l < WARP; l++) lanes[l] = eng_lane_address(batch, ev, l);
    return watch_banks_lanes(lanes, ev->mask, ev->width, kind);
}
