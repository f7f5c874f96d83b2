/* Elements that no thread covered. The watch tells which stores the end of a grid cut off (watch/coverage.c); here it is
 * judged whether somebody misses what they left out: who copies it to the host, or reads it, while nothing has been
 * written there. What later kernels, copies or fills write is left out no more. */
#include <stdio.h>
#include <string.h>

#include "session/inner.h"

enum { MOST = 1000 /* tails that wait */ };

typedef struct gap { uint64_t first, last, of, size, at; } gap; /* elements; bytes, and their offset */

/* What is still unwritten right behind the store. */
static bool gap_of(const session *ses, const ses_tail *t, const eng_allocation *a, gap *g) {
    if (!eng_memory_gap(eng_device_memory(ses->device), a, t->from, &g->at, &g->size) || g->at != t->from) return false;
    g->first = g->at / t->stride;
    g->last = (g->at + g->size - 1) / t->stride;
    g->of = a->size / t->stride;
    if (g->last >= g->of) g->last = g->of - 1; /* the allocation ends within an element */
    return g->first <= g->last;
}

/* 9,984 */
static const char *grouped(uint64_t value, char text[28]) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), out = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

static void report(session *ses, const ses_tail *t, const eng_allocation *a, const gap *g, const char *severity, const char *missed) {
    char first[28], last[28], of[28], threads[28], text[400];
    bool end = g->last + 1 == g->of;
    uint64_t needed = (t->from + g->size - t->base + t->stride - 1) / t->stride;
    uint64_t blocks = (needed + t->block_threads - 1) / t->block_threads;
    json_t *finding = json_copy(t->finding), *missing;
    if (g->first == g->last) snprintf(text, sizeof text, "element %s", grouped(g->first, first));
    else snprintf(text, sizeof text, "elements %s to %s", grouped(g->first, first), grouped(g->last, last));
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, " of %s (%s%u B each) of allocation #%u %s not written: the grid's %s threads end before %s%s",
             grouped(g->of, of), end ? "its end, " : "", t->stride, a->id, g->first == g->last ? "is" : "are",
             grouped(t->threads, threads), g->first == g->last ? "it" : "them", missed);
    json_object_set_new(finding, "message", json_string(text));
    json_object_set_new(finding, "severity", json_string(severity));
    snprintf(text, sizeof text, "round the grid up: %llu blocks of %u threads instead of %llu, with a bounds check before the store",
             (unsigned long long)blocks, t->block_threads, (unsigned long long)(t->threads / t->block_threads));
    json_object_set_new(finding, "detail", json_string(text));
    missing = json_pack("{s:I, s:I, s:I, s:I}", "first", (json_int_t)g->first, "last", (json_int_t)g->last, "of",
                        (json_int_t)g->of, "element", (json_int_t)t->stride);
    json_object_set_new(finding, "missing", missing);
    ses_write(ses, "finding", finding);
}

static void forget(session *ses, size_t i) {
    json_decref(ses->tails.at[i].finding);
    memmove(&ses->tails.at[i], &ses->tails.at[i + 1], (--ses->tails.count - i) * sizeof *ses->tails.at);
}

/* Stores to the parts of one element leave it out once: the first part's is told. So does the same store in a later launch. */
static bool known(session *ses, ses_tail *fresh) {
    for (size_t i = 0; i < ses->tails.count; i++) {
        ses_tail *t = &ses->tails.at[i];
        if (t->allocation != fresh->allocation || t->stride != fresh->stride || t->from / t->stride != fresh->from / t->stride) continue;
        bool same_launch = json_equal(json_object_get(t->finding, "launch"), json_object_get(fresh->finding, "launch"));
        if (same_launch && fresh->from < t->from) {
            ses_tail part = *t;
            *t = *fresh;
            *fresh = part;
        }
        return true;
    }
    return false;
}

void ses_tails_add(session *ses, const ses_launch *l, uint64_t index, const watch_record *record) {
    for (size_t i = 0; i < record->tails.count && ses->tails.count < MOST; i++) {
        const watch_tail *w = &record->tails.at[i];
        const eng_allocation *a = w->allocation;
        if (w->base < a->address) continue; /* it began in another one */
        watch_finding f = {.kind = WATCH_KIND_COVERAGE, .severity = WATCH_WARNING, .at = w->at, .count = 1};
        json_t *finding = ses_finding_json(ses, l, index, &f);
        ses_tail tail = {.allocation = a->id, .from = w->at.address - a->address, .base = w->base - a->address, .threads = w->threads,
                         .block_threads = w->block_threads, .stride = w->stride, .finding = finding};
        if (!finding || known(ses, &tail) || !wg_vec_push(&ses->tails, tail)) json_decref(tail.finding);
    }
}

void ses_tails_copied(session *ses, const eng_allocation *a, uint64_t at, uint64_t size) {
    for (size_t i = 0; i < ses->tails.count;) {
        const ses_tail *t = &ses->tails.at[i];
        gap g;
        if (t->allocation != a->id || !gap_of(ses, t, a, &g) || at >= g.at + g.size || g.at >= at + size) {
            i++;
            continue;
        }
        report(ses, t, a, &g, "warning", ", and they are copied to the host");
        forget(ses, i);
    }
}

bool ses_tails_hold(const session *ses, const eng_allocation *a, uint64_t at) {
    for (size_t i = 0; i < ses->tails.count; i++) {
        gap g;
        if (ses->tails.at[i].allocation == a->id && gap_of(ses, &ses->tails.at[i], a, &g) && at >= g.at && at < g.at + g.size) return true;
    }
    return false;
}

/* Did a kernel read any of it? */
static bool was_read(const session *ses, const eng_allocation *a, const gap *g) {
    eng_read_map map;
    unsigned width = (g->at | g->size) % 4 ? 1 : 4;
    uint64_t counts[512], at = 0, from = g->at / width, to = (g->at + g->size) / width;
    bool read = false;
    if (!a->bytes_read || eng_read_map_open(&map, eng_device_memory(ses->device), a, width) != WG_OK) return false;
    for (size_t n; !read && at < to && (n = eng_read_map_next(&map, counts, 512)) != 0; at += n)
        for (size_t i = 0; i < n; i++) read |= counts[i] && at + i >= from && at + i < to;
    eng_read_map_close(&map);
    return read;
}

void ses_tails_end(session *ses, const eng_allocation *a, bool final) {
    for (size_t i = 0; i < ses->tails.count;) {
        const ses_tail *t = &ses->tails.at[i];
        gap g;
        if (t->allocation != a->id) {
            i++;
            continue;
        }
        bool gapped = gap_of(ses, t, a, &g), read = gapped && was_read(ses, a, &g);
        /* Buffers larger than what they are used for are common; less than a block at the end looks like a division. */
        bool rest = gapped && g.last + 1 == g.of && g.size < (uint64_t)t->block_threads * t->stride;
        if (read) report(ses, t, a, &g, "warning", ", and a kernel reads there");
        else if (rest) report(ses, t, a, &g, "note", "; nobody read them");
        if (final) forget(ses, i);
        else i++;
    }
}

void ses_tails_free(session *ses) {
    while (ses->tails.count) forget(ses, ses->tails.count - 1);
    wg_vec_free(&ses->tails);
}
