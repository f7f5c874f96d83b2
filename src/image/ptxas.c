/* PTX to machine code with the user's own ptxas. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/text.h"
#include "image/elf.h"
#include "image/image.h"

extern char **environ;

/* --- finding it ------------------------------------------------------------------------ */

static bool is_program(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static bool try_folder(const char *folder, size_t length, const char *below, char out[PATH_MAX]) {
    int n = snprintf(out, PATH_MAX, "%.*s%s/ptxas", (int)length, folder, below);
    return length && n > 0 && n < PATH_MAX && is_program(out);
}

static bool find_ptxas(char out[PATH_MAX]) {
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        if (try_folder(path, n, "", out)) return true;
        path += n + (path[n] == ':');
    }
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        const char *home = getenv(homes[i]);
        if (home && try_folder(home, strlen(home), "/bin", out)) return true;
    }
    return try_folder("/usr/local/cuda", 15, "/bin", out);
}

/* --- the cache ------------------------------------------------------------------------- */

typedef struct job {
    const img_entry *ptx;
    char ptxas[PATH_MAX], target[16];
    bool lines, debug; /* options that the PTX text asks for */
} job;

/* The name says all that the result depends on: the text, the target, the options and the assembler. */
static bool cache_path(const job *j, char out[PATH_MAX]) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char folder[PATH_MAX - 64];
    int n;
    if (cache && *cache == '/')
        n = snprintf(folder, sizeof folder, "%s/warpgrind", cache);
    else if (home && *home == '/')
        n = snprintf(folder, sizeof folder, "%s/.cache/warpgrind", home);
    else
        return false;
    struct stat tool;
    if (n < 0 || n >= (int)sizeof folder || stat(j->ptxas, &tool) != 0) return false;
    char facts[PATH_MAX + 100];
    n = snprintf(facts, sizeof facts, "%s %s %d %d %lld %lld", j->ptxas, j->target, j->lines, j->debug,
                 (long long)tool.st_size, (long long)tool.st_mtime);
    uint64_t text = wg_hash_bytes(j->ptx->data, j->ptx->size), rest = wg_hash_bytes(facts, (size_t)n);
    /* A second hash over the same text: 64 bits alone are few for a name that nobody checks again. */
    uint64_t again = j->ptx->size;
    for (size_t i = 0; i < j->ptx->size; i++) again = wg_hash_u64(again ^ j->ptx->data[i]);
    n = snprintf(out, PATH_MAX, "%s/%016llx%016llx.cubin", folder, (unsigned long long)(text ^ rest),
                 (unsigned long long)wg_hash_u64(again ^ rest));
    return n > 0 && n < PATH_MAX;
}

static bool read_cubin(const char *path, wg_arena *arena, const uint8_t **cubin, size_t *size) {
    wg_bytes bytes;
    if (wg_file_read(path, arena, &bytes, NULL) != WG_OK || img_elf_extent(bytes.data, bytes.size) == 0)
        return false;
    *cubin = bytes.data;
    *size = bytes.size;
    return true;
}

/* --- running it ------------------------------------------------------------------------ */

/* The assembler must not load what was preloaded into the program that runs here. */
static char **plain_environment(void) {
    size_t n = 0, kept = 0;
    while (environ[n]) n++;
    char **copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++)
        if (!wg_starts_with(environ[i], "LD_PRELOAD=") && !wg_starts_with(environ[i], "LD_AUDIT="))
            copy[kept++] = environ[i];
    return copy;
}

/* Exit status, or -1 when it could not be run or waited for. */
static int run_quietly(char *const argv[], const char *messages) {
    char **environment = plain_environment();
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    if (!environment || posix_spawn_file_actions_init(&actions) != 0) return free(environment), -1;
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child;
    int status = -1, failed = posix_spawn(&child, argv[0], &actions, &attributes, argv, environment);
    if (!failed) {
        pid_t got;
        while ((got = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
        status = got < 0             ? 0
                 : WIFEXITED(status) ? WEXITSTATUS(status)
                                     : -1; /* taken by the program: look at the file */
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return status;
}

/* Everything that the run needs lies in one folder, which goes with all its files. */
typedef struct workplace {
    char folder[PATH_MAX - 32], ptx[PATH_MAX], cubin[PATH_MAX], messages[PATH_MAX];
} workplace;

static bool open_workplace(workplace *w) {
    const char *base = getenv("TMPDIR");
    int n =
        snprintf(w->folder, sizeof w->folder, "%s/warpgrind.XXXXXX", base && *base == '/' ? base : "/tmp");
    if (n < 0 || n >= (int)sizeof w->folder || !mkdtemp(w->folder)) return false;
    snprintf(w->ptx, sizeof w->ptx, "%s/in.ptx", w->folder);
    snprintf(w->cubin, sizeof w->cubin, "%s/out.cubin", w->folder);
    snprintf(w->messages, sizeof w->messages, "%s/messages", w->folder);
    return true;
}

static void close_workplace(const workplace *w) {
    unlink(w->ptx);
    unlink(w->cubin);
    unlink(w->messages);
    rmdir(w->folder);
}

static wg_status assemble_in(const workplace *w, job *j, wg_arena *arena, const uint8_t **cubin, size_t *size,
                             wg_error *err) {
    wg_status status = wg_file_write(w->ptx, j->ptx->data, j->ptx->size, err);
    if (status != WG_OK) return status;
    char target[24];
    snprintf(target, sizeof target, "-arch=%s", j->target);
    char *argv[10] = {j->ptxas, target, (char *)(uintptr_t)w->ptx, "-o", (char *)(uintptr_t)w->cubin};
    int n = 5;
    if (j->lines) argv[n++] = "-lineinfo";
    if (j->debug) argv[n++] = "-g";
    int exit_status = run_quietly(argv, w->messages);
    if (exit_status == 0 && read_cubin(w->cubin, arena, cubin, size)) return WG_OK;
    wg_bytes said = {0};
    const char *why = wg_file_read(w->messages, arena, &said, NULL) == WG_OK && said.size
                          ? (const char *)said.data
                          : "it said nothing";
    return wg_fail(err, WG_ERR_UNSUPPORTED, "%s could not assemble the program's PTX for %s: %.300s",
                   j->ptxas, j->target, why);
}

/* A text that has line marks keeps them; one that was written for debugging must be assembled so. */
static void read_options(job *j) {
    const char *text = (const char *)j->ptx->data, *target = strstr(text, ".target");
    const char *end = target ? strchr(target, '\n') : NULL, *debug = target ? strstr(target, "debug") : NULL;
    j->debug = debug && end && debug < end;
    j->lines = !j->debug && strstr(text, ".loc\t");
    if (!j->debug && !j->lines) j->lines = strstr(text, ".loc ");
}

wg_status img_assemble(const img_entry *ptx, int sm, wg_arena *arena, const uint8_t **cubin, size_t *size,
                       wg_error *err) {
    job j = {.ptx = ptx};
    char cached[PATH_MAX];
    workplace w;
    if (ptx->kind != IMG_PTX) return wg_fail(err, WG_ERR_ARGUMENT, "only PTX is assembled");
    if (!find_ptxas(j.ptxas))
        return wg_fail(err, WG_ERR_NOT_FOUND,
                       "there is only PTX (for compute %d) that could run here, and ptxas, which makes "
                       "machine code of it, is "
                       "neither in PATH nor below CUDA_HOME nor in /usr/local/cuda: install the CUDA "
                       "toolkit's compiler, "
                       "or build the program with nvcc -arch=sm_%d",
                       ptx->sm, sm);
    snprintf(j.target, sizeof j.target, "sm_%d%s", sm, ptx->arch_specific ? "a" : ptx->family ? "f" : "");
    read_options(&j);
    bool has_cache = cache_path(&j, cached);
    if (has_cache && read_cubin(cached, arena, cubin, size)) return WG_OK;
    if (!open_workplace(&w))
        return wg_fail(err, WG_ERR_IO, "no folder for temporary files can be made in TMPDIR or /tmp: %s",
                       strerror(errno));
    wg_status status = assemble_in(&w, &j, arena, cubin, size, err);
    close_workplace(&w);
    /* Without a cache the next run takes longer, nothing else. */
    if (status == WG_OK && has_cache && wg_file_make_parents(cached, NULL) == WG_OK)
        (void)wg_file_write(cached, *cubin, *size, NULL);
    return status;
}
