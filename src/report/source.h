/* Lines of source files, read when first asked for. */
#ifndef WG_REPORT_SOURCE_H
#define WG_REPORT_SOURCE_H

#include <jansson.h>

#include "base/arena.h"
#include "base/vec.h"

typedef struct rep_source {
    const char *path;
    const char **lines; /* NULL: cannot be read */
    size_t n;
} rep_source;

typedef struct rep_sources {
    wg_arena *arena;
    wg_vec(rep_source *) files;
} rep_sources;

/* The file, read or not; NULL: no memory. {0} holds none. */
const rep_source *rep_source_of(rep_sources *sources, const char *path);
/* A line from 1 on, without blanks around it; "" when it is not known. */
const char *rep_source_line(rep_sources *sources, const char *path, json_int_t line);
void rep_sources_free(rep_sources *sources);

#endif
