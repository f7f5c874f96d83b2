/* Memory that a watch needs while a launch runs and that the next launch needs again: to have it mapped anew for each costs a
 * short launch more than its checks. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "watch/watch.h"

enum { LINE = 64, FIRST = 256 << 10, LARGE_PAGE = 2 << 20, MOST = 8 << 20, KEPT = 32 << 20 };

typedef struct chunk {
    struct chunk *next;
    size_t size, used;
    bool fresh; /* as it came from the system: zeros */
} chunk;
struct watch_scratch {
    chunk *used, *spare;
    size_t next; /* size of the chunk to be made next */
    bool lent;
    watch_scratch *beside; /* for another worker */
};

watch_scratch *watch_scratch_new(void) { return calloc(1, sizeof(watch_scratch)); }

/* Large ones lie on large pages: what is touched at random costs more in page tables than in looking. */
static void *map(size_t size) {
    size_t slack = size >= LARGE_PAGE ? LARGE_PAGE : 0;
    char *at = mmap(NULL, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return NULL;
    if (!slack) return at;
    size_t before = -(uintptr_t)at & (LARGE_PAGE - 1);
    if (before) munmap(at, before);
    if (slack - before) munmap(at + before + size, slack - before);
    madvise(at + before, size, MADV_HUGEPAGE);
    return at + before;
}

static chunk *more(watch_scratch *s, size_t size) {
    chunk *c = s->spare;
    if (c && c->size - LINE >= size) {
        s->spare = c->next;
        c->used = LINE;
    } else {
        size_t room = s->next ? s->next : FIRST;
        while (room < size + LINE) room *= 2;
        if (!(c = map(room))) return NULL;
        *c = (chunk){.size = room, .used = LINE, .fresh = true};
        s->next = room < MOST ? room * 2 : MOST;
    }
    c->next = s->used;
    return s->used = c;
}

void *watch_scratch_take(watch_scratch *s, size_t size, bool zeros) {
    size = (size + LINE - 1) & ~(size_t)(LINE - 1);
    chunk *c = s->used;
    if ((!c || c->size - c->used < size) && !(c = more(s, size))) return NULL;
    void *at = (char *)c + c->used;
    c->used += size;
    if (zeros && !c->fresh) memset(at, 0, size);
    return at;
}

void watch_scratch_clear(watch_scratch *s) {
    size_t kept = 0;
    for (chunk *c = s->spare; c; c = c->next) kept += c->size;
    for (chunk *c; (c = s->used);) {
        s->used = c->next;
        if (kept + c->size > KEPT) {
            munmap(c, c->size);
            continue;
        }
        kept += c->size;
        c->fresh = false;
        c->next = s->spare; /* the oldest, smallest one ends up first */
        s->spare = c;
    }
    s->next = 0;
}

watch_scratch *watch_scratch_lend(watch_scratch *s) {
    while (s && s->lent) {
        if (!s->beside) s->beside = watch_scratch_new();
        s = s->beside;
    }
    if (s) s->lent = true;
    return s;
}

void watch_scratch_give_back(watch_scratch *s) {
    watch_scratch_clear(s);
    s->lent = false;
}

void watch_scratch_free(watch_scratch *s) {
    if (!s) return;
    watch_scratch_free(s->beside);
    watch_scratch_clear(s);
    for (chunk *c; (c = s->spare);) {
        s->spare = c->next;
        munmap(c, c->size);
    }
    free(s);
}
