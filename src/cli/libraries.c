/* The command finds its libraries relative to itself: in the build tree and wherever it was installed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define NAME "libcudart.so.13"

/* Those that carry other names of the same face: a program that asks for one of them by name has it already. */
static const char *const others[] = {"libcuda.so.1", "libcudart.so.12"};

/* All that lie beside it, as LD_PRELOAD takes them. */
static char *with_others(char *library) {
    char *list = library;
    int folder = (int)(strrchr(library, '/') - library);
    for (size_t i = 0; list && i < sizeof others / sizeof *others; i++) {
        char *path = NULL, *longer = NULL;
        if (asprintf(&path, "%.*s/%s", folder, library, others[i]) < 0) break;
        if (access(path, R_OK) == 0 && asprintf(&longer, "%s:%s", list, path) >= 0) {
            if (list != library) free(list);
            list = longer;
        }
        free(path);
    }
    if (list != library) free(library);
    return list;
}

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
        if (whole) return with_others(whole);
    }
    wg_fail(err, WG_ERR_NOT_FOUND, NAME " is not in %s/%s: is the installation whole?", self, folders[0]);
    return NULL;
}
