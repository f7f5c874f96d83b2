/* Errors are values: every function that can fail returns a status and, where the
 * caller gave one, fills an error with a message that says what, where, what to do. */
#ifndef WG_BASE_ERROR_H
#define WG_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#include "warpgrind/error.h"

/* Fills *err (may be NULL) and returns status, so that `return wg_fail(...)` is one line. */
wg_status wg_fail(wg_error *err, wg_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts "context: " before the text that is already there. */
wg_status wg_context(wg_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
