/* Statuses and errors of warpgrind's public functions. */
#ifndef WARPGRIND_ERROR_H
#define WARPGRIND_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#define WG_API __attribute__((visibility("default")))

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

/* "a caller's argument is out of range", ... : a status in words. */
WG_API const char *wg_status_text(wg_status status);

#ifdef __cplusplus
}
#endif
#endif
