#include "engine/deal.h"

#include <stdlib.h>
#include <string.h>

#include "engine/order.h"

/* Many at first, so that what a worker touches lies side by side, few at the end, so that all end together. */
static bool take_as_they_come(eng_deal *deal, uint64_t *first, uint64_t *end) {
    uint64_t n_blocks = deal->n_blocks, least = n_blocks / (deal->n_workers * 64u) + 1, at = atomic_load(&deal->next);
    do {
        if (at >= n_blocks) return false;
        uint64_t left = n_blocks - at, some = left / (deal->n_workers * 4u);
        if (some < least) some = least;
        *first = at, *end = at + (some < left ? some : left);
    } while (!atomic_compare_exchange_weak(&deal->next, &at, *end));
    return true;
}

static unsigned part_of(const eng_deal *deal, uint64_t block) {
    uint64_t part = (deal->n_blocks + deal->n_workers - 1) / deal->n_workers;
    return (unsigned)(block / part);
}

static unsigned worker_of(const eng_deal *deal, uint64_t block) {
    switch (deal->how.kind) {
    case ENG_DEAL_EACH: return (unsigned)(block % deal->n_workers);
    case ENG_DEAL_PARTS: return part_of(deal, block);
    case ENG_DEAL_BACK: return deal->n_workers - 1 - part_of(deal, block);
    default: return (unsigned)(eng_order_mix(deal->how.seed ^ eng_order_mix(block)) % deal->n_workers);
    }
}

bool eng_deal_next(eng_deal *deal, unsigned worker, uint64_t *first, uint64_t *end) {
    if (deal->how.kind == ENG_DEAL_AS_THEY_COME) return take_as_they_come(deal, first, end);
    uint64_t at = *end;
    while (at < deal->n_blocks && worker_of(deal, at) != worker) at++;
    *first = at;
    while (at < deal->n_blocks && worker_of(deal, at) == worker) at++;
    *end = at;
    return *first < at;
}

eng_dealing eng_dealing_read(const char *text) {
    static const char *const names[] = {[ENG_DEAL_EACH] = "each", [ENG_DEAL_PARTS] = "parts", [ENG_DEAL_BACK] = "back"};
    char *rest;
    for (unsigned k = ENG_DEAL_EACH; text && k < sizeof names / sizeof *names; k++)
        if (strcmp(text, names[k]) == 0) return (eng_dealing){.kind = k};
    uint64_t seed = text ? strtoull(text, &rest, 10) : 0;
    return text && *text && !*rest ? (eng_dealing){.kind = ENG_DEAL_RANDOM, .seed = seed} : (eng_dealing){0};
}
