#include "cli/compile.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *find_nvcc(wg_arena *arena) {
    const char *home = getenv("CUDA_HOME");
    if (!home) home = getenv("CUDA_PATH");
    const char *given = home ? wg_arena_printf(arena, "%s/bin/nvcc", home) : NULL;
    if (given && access(given, X_OK) == 0) return given;
    for (const char *path = getenv("PATH"); path && *path;) {
        const size_t n = strcspn(path, ":");
        const char *candidate = wg_arena_printf(arena, "%.*s/nvcc", (int)n, path);
        if (n && candidate && access(candidate, X_OK) == 0) return candidate;
        path += n + (path[n] == ':');
    }
    return access("/usr/local/cuda/bin/nvcc", X_OK) == 0 ? "/usr/local/cuda/bin/nvcc" : NULL;
}

wg_status cli_compile(const char *source, int sm, wg_arena *arena, const char **path, wg_error *err) {
    const char *nvcc = find_nvcc(arena), *folder = getenv("TMPDIR");
    if (access(source, R_OK) != 0) return wg_fail(err, WG_ERR_IO, "%s: %s", source, strerror(errno));
    if (!nvcc)
        return wg_fail(err, WG_ERR_NOT_FOUND, "%s is a source file and there is no nvcc (in CUDA_HOME, PATH or /usr/local/cuda) to compile it with: "
                       "give a cubin or an executable", source);
    char *cubin = wg_arena_printf(arena, "%s/warpgrind-XXXXXX.cubin", folder ? folder : "/tmp");
    const int fd = cubin ? mkstemps(cubin, 6) : -1;
    if (fd < 0) return wg_fail(err, WG_ERR_IO, "no temporary file: %s", strerror(errno));
    close(fd);
    char *arch = wg_arena_printf(arena, "-arch=sm_%d", sm);
    char *argv[] = {(char *)nvcc, (char *)"-cubin", (char *)"-lineinfo", (char *)"-O3", arch, (char *)source, (char *)"-o", cubin, NULL};
    pid_t child;
    int status = -1;
    if (!arch || posix_spawn(&child, nvcc, NULL, NULL, argv, environ) != 0 || waitpid(child, &status, 0) < 0 || status != 0) {
        unlink(cubin);
        return wg_fail(err, WG_ERR_FORMAT, "%s does not compile for sm_%d (%s)", source, sm, nvcc);
    }
    *path = cubin;
    return WG_OK;
}
