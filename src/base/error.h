/* Errors are values: every function that can fail returns a status and, where the
 * caller gave one, fills an error with a message that says what, where, what to do. */
#ifndef WG_BASE_ERROR_H
#define WG_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

typedef enum wg_status {
    WG_OK = 0,
    WG_ERR_IO,          /* a file cannot be read or written */
    WG_ERR_FORMAT,      /* bytes that are not what they claim to be */
    WG_ERR_UNSUPPORTED, /* well formed, but warpgrind does not do it (named in the message) */
    WG_ERR_NOT_FOUND,   /* no such kernel, symbol, architecture, option */
    WG_ERR_ARGUMENT,    /* a caller's argument is out of range */
    WG_ERR_MEMORY,      /* no memory */
    WG_ERR_FAULT,       /* a kernel made an access that ends the launch */
    WG_ERR_DEADLOCK,    /* every warp of a launch waits */
    WG_ERR_TIMEOUT,     /* a limit on instructions or time was exceeded */
    WG_ERR_STATE        /* the call is not allowed now */
} wg_status;

typedef struct wg_error {
    wg_status status;
    char text[500]; /* one or more lines, no trailing newline; always terminated */
} wg_error;

/* Fills *err (may be NULL) and returns status, so that `return wg_fail(...)` is one line. */
wg_status wg_fail(wg_error *err, wg_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts "context: " before the text that is already there. */
wg_status wg_context(wg_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "file cannot be read", ... : a status in words. */
const char *wg_status_text(wg_status status);

#endif
