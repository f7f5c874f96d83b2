/* The driver's functions by name, for both faces' ways to ask. */
#ifndef WG_CUDADRV_ENTRY_H
#define WG_CUDADRV_ENTRY_H

#include <stdbool.h>

typedef struct drv_entry {
    void (*function)(void); /* NULL: none */
    bool known;             /* the name exists, in a newer driver */
} drv_entry;

/* The newest form of a name ("cuMemAlloc") that a driver of this version has; with own_stream the form whose default stream is
 * the thread's own, where there is one. */
drv_entry drv_entry_of(const char *name, int version, bool own_stream);

#endif
