/* The table of the driver's functions. It knows names and no types: those of api.h would contradict it. */
#include <string.h>

#include "cudadrv/entry.h"

#define DONE(symbol, name, version) void symbol(void);
#define STUB(symbol, name, version) void symbol(void);
#include "cudadrv/api.def"
#undef DONE
#undef STUB

typedef struct entry {
    const char *symbol, *name; /* "cuMemAlloc_v2", "cuMemAlloc" */
    int version;               /* of the driver that first had it: 3020 = 3.2 */
    void (*function)(void);
} entry;

/* Ascending by symbol, so that the forms of one name lie together. */
static const entry entries[] = {
#define DONE(symbol, name, version) {#symbol, #name, version, symbol},
#define STUB(symbol, name, version) {#symbol, #name, version, symbol},
#include "cudadrv/api.def"
#undef DONE
#undef STUB
};

static bool per_thread(const entry *e) {
    size_t n = strlen(e->symbol);
    return n > 5 && (!strcmp(e->symbol + n - 5, "_ptsz") || !strcmp(e->symbol + n - 5, "_ptds"));
}

drv_entry drv_entry_of(const char *name, int version, bool own_stream) {
    const entry *best = NULL;
    bool known = false;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const entry *e = &entries[i];
        if (strcmp(e->name, name) && strcmp(e->symbol, name)) continue;
        known = true;
        /* A name with its version says which form it means. */
        bool exact = !strcmp(e->symbol, name) && strcmp(e->name, name);
        if (e->version > version || (!exact && per_thread(e) && !own_stream)) continue;
        bool better = !best || e->version > best->version || (e->version == best->version && per_thread(e) == own_stream);
        if (exact || better) best = e;
        if (exact) break;
    }
    return (drv_entry){best ? best->function : NULL, known};
}
