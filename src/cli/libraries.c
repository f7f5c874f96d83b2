/* The command finds its library relative to itself: in the build tree and wherever it was installed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define NAME "libcudart.so.13"

char *cli_library(wg_error *err) {
    /* WG_LIBRARY_FROM_BIN: the installed folder of libraries, seen from the folder of commands. */
    static const char *const folders[] = {WG_LIBRARY_FROM_BIN, "../lib/warpgrind"};
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) {
        wg_fail(err, WG_ERR_IO, "/proc/self/exe cannot be read: is /proc mounted?");
        return NULL;
    }
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s/%s", self, folders[i], NAME) < 0) break;
        char *whole = realpath(path, NULL);
        free(path);
        if (whole && strpbrk(whole, ": ")) { /* LD_PRELOAD is split at both */
            wg_fail(err, WG_ERR_ARGUMENT, "%s: the loader cannot preload a library whose path holds a blank or a colon; install warpgrind "
                    "elsewhere", whole);
            free(whole);
            return NULL;
        }
        if (whole) return whole;
    }
    wg_fail(err, WG_ERR_NOT_FOUND, NAME " is not in %s/%s: is the installation whole?", self, folders[0]);
    return NULL;
}
