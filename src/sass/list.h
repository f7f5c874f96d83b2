/* Listings of whole functions. */
#ifndef WG_SASS_LIST_H
#define WG_SASS_LIST_H

#include <stdio.h>

#include "image/image.h"
#include "sass/sass.h"

/* "Function : MANGLED", then a line for each instruction: its offset in the function as a comment of at least four hex
 * digits, the text with its guard, " ;". */
void sass_list(FILE *out, const img_function *function, const img_module *module);
/* A stream of instruction words without a container. Bytes after the last whole word are named, not skipped. */
void sass_list_raw(FILE *out, const void *code, size_t size, int sm);

#endif
