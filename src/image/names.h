/* C++ names as people write them. */
#ifndef WG_IMAGE_NAMES_H
#define WG_IMAGE_NAMES_H

#include <stdbool.h>

#include "base/arena.h"

/* "conv2d(float const*, int)"; the name itself where there is nothing to demangle.
 * Lives in *arena, or is the argument; NULL: no memory. */
const char *img_demangle(wg_arena *arena, const char *name);
/* The callee of "$caller$callee" (a function that was not inlined) and "$__internal_0_$helper" (the
 * compiler's own); any other name as it is. */
const char *img_inner_name(const char *name);
/* Is wanted this function: equal to the mangled or demangled name, or to the latter without its argument
 * list, template arguments and return type ("ns::conv2d", "conv2d<3>", "conv2d")? */
bool img_name_matches(const char *mangled, const char *demangled, const char *wanted);

#endif
