/* Which launch stored to an allocation last: for what is missing there. Looked for among the launch's parameters; who gets its address from
 * memory is not known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/inner.h"

typedef struct writer {
    uint64_t bytes; /* that kernels had stored there by then */
    uint64_t launch;
    uint32_t grid[3], block[3];
    char kernel[160];
} writer;

static void note(session *ses, const ses_launch *l, uint64_t index, const eng_allocation *a) {
    uint64_t *place = wg_u64map_add(&ses->writers, a->id);
    if (place && !*place) *place = (uintptr_t)calloc(1, sizeof(writer));
    writer *w = place ? (writer *)(uintptr_t)*place : NULL;
    if (!w || w->bytes == a->bytes_written) return;
    w->bytes = a->bytes_written;
    w->launch = index;
    memcpy(w->grid, l->grid, sizeof w->grid);
    memcpy(w->block, l->block, sizeof w->block);
    snprintf(w->kernel, sizeof w->kernel, "%s", l->function->demangled);
}

void ses_writers_note(session *ses, const ses_launch *l, uint64_t index) {
    const eng_memory *mem = eng_device_memory(ses->device);
    for (unsigned at = 0; l->params && at + 8 <= l->function->param_bytes; at += 4) {
        uint64_t address;
        memcpy(&address, (const char *)l->params + at, sizeof address);
        const eng_allocation *a = eng_memory_contains(mem, address) ? eng_memory_find(mem, address, NULL) : NULL;
        if (a && !a->freed && a->bytes_written) note(ses, l, index, a);
    }
}

static void extent(const uint32_t n[3], char *text, size_t size) {
    if (n[2] > 1) snprintf(text, size, "%u x %u x %u", n[0], n[1], n[2]);
    else if (n[1] > 1) snprintf(text, size, "%u x %u", n[0], n[1]);
    else snprintf(text, size, "%u", n[0]);
}

bool ses_writers_tell(const session *ses, const eng_allocation *a, char *text, size_t size) {
    uint64_t place = 0;
    char grid[40], block[40];
    if (!a->bytes_written) {
        snprintf(text, size, "no kernel has stored to it");
        return true;
    }
    if (!wg_u64map_get(&ses->writers, a->id, &place) || !place) return false;
    const writer *w = (const writer *)(uintptr_t)place;
    extent(w->grid, grid, sizeof grid);
    extent(w->block, block, sizeof block);
    snprintf(text, size, "the last to store to it was %s, launch %llu, of %s blocks of %s threads", w->kernel, (unsigned long long)w->launch, grid, block);
    return true;
}

void ses_writers_free(session *ses) {
    for (size_t i = 0; i < ses->writers.room; i++)
        if (ses->writers.slots[i].used) free((void *)(uintptr_t)ses->writers.slots[i].value);
    wg_u64map_free(&ses->writers);
}
