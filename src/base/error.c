#include "base/error.h"

#include <stdio.h>
#include <string.h>

wg_status wg_fail(wg_error *err, wg_status status, const char *fmt, ...) {
    if (err) {
        va_list args;
        va_start(args, fmt);
        err->status = status;
        vsnprintf(err->text, sizeof err->text, fmt, args);
        va_end(args);
    }
    return status;
}

wg_status wg_context(wg_error *err, const char *fmt, ...) {
    if (!err) return WG_ERR_STATE;
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    va_list args;
    va_start(args, fmt);
    int used = vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    if (used >= 0 && (size_t)used < sizeof err->text)
        snprintf(err->text + used, sizeof err->text - (size_t)used, ": %s", old);
    return err->status;
}

const char *wg_status_text(wg_status status) {
    switch (status) {
    case WG_OK:
        return "no error";
    case WG_ERR_IO:
        return "file cannot be read or written";
    case WG_ERR_FORMAT:
        return "malformed input";
    case WG_ERR_UNSUPPORTED:
        return "not supported";
    case WG_ERR_NOT_FOUND:
        return "not found";
    case WG_ERR_ARGUMENT:
        return "argument out of range";
    case WG_ERR_MEMORY:
        return "out of memory";
    case WG_ERR_FAULT:
        return "memory fault in a kernel";
    case WG_ERR_DEADLOCK:
        return "deadlock in a kernel";
    case WG_ERR_TIMEOUT:
        return "limit exceeded";
    case WG_ERR_STATE:
        return "call not allowed now";
    }
    return "unknown status";
}
