/* How many of GPUVerify's labelled kernels are judged right: each says in its first line whether it must pass or fail, and in
 * its second with which launch. Drives them through the C API and prints docs/checks.md's table.
 *
 * usage: gpuverify TESTSUITE/CUDA CUBINS LIST [KERNEL]   (with a KERNEL: its findings)
 *
 * The folder is that of github.com/mc-imperial/gpuverify; its kernels are somebody else's, and so is building them: CUBINS holds a
 * cubin a kernel, FOLDER-WITH-DASHES.cubin, of code as it was written (nothing optimised away), with gpuverify.h for the suite's
 * own words. LIST (gpuverify.list) says what the labels leave open. */
#include <ctype.h>
#include <dirent.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "warpgrind/warpgrind.h"

enum { MOST = 400, ARGS = 32, BUFFER = 16 << 20 };

typedef struct kernel {
    char name[160];           /* folder below the suite's */
    bool must_fail;           /* its first line */
    char kind[32];            /* of its fault: race, divergence, assertion, null; "aside": what a run cannot judge */
    char why[160];            /* it is aside */
    unsigned grid[3], block[3];
    bool reduced;             /* its block has more threads than a device allows */
    bool lockstep;            /* --warp-sync: lanes of a warp are taken to be in lock step */
    bool cooperative;
    struct { bool given, null; double value; bool real; } args[ARGS];
    enum { RIGHT, MISSED, FALSE_ALARM, ASIDE, BROKEN } verdict;
    char said[300];           /* what was found or went wrong */
} kernel;

static kernel all[MOST];
static size_t n_all;

/* --- what the suite says ----------------------------------------------------------------------------- */

static void read_dim(const char *line, const char *option, unsigned out[3]) {
    const char *at = strstr(line, option);
    out[0] = out[1] = out[2] = 1;
    if (!at) return;
    at += strlen(option);
    if (*at == '[') sscanf(at, "[%u,%u,%u]", &out[0], &out[1], &out[2]);
    else sscanf(at, "%u", &out[0]);
}

static void reduce(kernel *k) {
    while ((unsigned long long)k->block[0] * k->block[1] * k->block[2] > 1024) {
        int most = k->block[0] >= k->block[1] && k->block[0] >= k->block[2] ? 0 : k->block[1] >= k->block[2] ? 1 : 2;
        k->block[most] /= 2;
        k->reduced = true;
    }
}

static bool read_kernel(const char *root, const char *name) {
    char path[600], line[400];
    snprintf(path, sizeof path, "%s/%s/kernel.cu", root, name);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    kernel *k = &all[n_all];
    *k = (kernel){0};
    snprintf(k->name, sizeof k->name, "%s", name);
    if (fgets(line, sizeof line, f)) k->must_fail = strncasecmp(line, "//xfail", 7) == 0;
    if (strstr(line, "CLANG_ERROR") || strstr(line, "BUGLE_ERROR")) {
        strcpy(k->kind, "aside");
        strcpy(k->why, "the label is about its own front end");
    }
    if (fgets(line, sizeof line, f)) {
        read_dim(line, "--gridDim=", k->grid);
        read_dim(line, "--blockDim=", k->block);
        k->lockstep = strstr(line, "--warp-sync") != NULL;
    }
    while (fgets(line, sizeof line, f)) k->cooperative |= strstr(line, "grid_group") != NULL;
    fclose(f);
    reduce(k);
    n_all++;
    return true;
}

static void walk(const char *root, const char *below) {
    char path[600];
    struct dirent **entries;
    if (n_all < MOST && below[0] && read_kernel(root, below)) return;
    snprintf(path, sizeof path, "%s/%s", root, below);
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        struct stat st;
        char next[300];
        snprintf(next, sizeof next, "%s%s%s", below, below[0] ? "/" : "", entries[i]->d_name);
        snprintf(path, sizeof path, "%s/%s", root, next);
        if (entries[i]->d_name[0] != '.' && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) walk(root, next);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
}

/* A line of LIST: FOLDER KIND [N=VALUE ...] [# why]: the kind of fault, and arguments by number. */
static bool read_list(const char *path) {
    FILE *f = fopen(path, "r");
    char line[400];
    if (!f) return false;
    while (fgets(line, sizeof line, f)) {
        char *why = strchr(line, '#'), *word = strtok(line, " \n");
        if (!word || word[0] == '#') continue;
        kernel *k = NULL;
        for (size_t i = 0; i < n_all; i++)
            if (strcmp(all[i].name, word) == 0) k = &all[i];
        if (!k) {
            fprintf(stderr, "%s: no kernel %s\n", path, word);
            continue;
        }
        if (why) {
            *why = '\0';
            snprintf(k->why, sizeof k->why, "%s", why + 1 + strspn(why + 1, " "));
            k->why[strcspn(k->why, "\n")] = '\0';
        }
        for (int i = 0; (word = strtok(NULL, " \n")) != NULL; i++) {
            unsigned at;
            char value[40];
            if (sscanf(word, "%u=%39s", &at, value) == 2 && at < ARGS)
                k->args[at].given = true, k->args[at].null = strcmp(value, "null") == 0, k->args[at].real = strchr(value, '.') != NULL,
                k->args[at].value = atof(value);
            else if (i == 0) snprintf(k->kind, sizeof k->kind, "%s", word);
        }
    }
    fclose(f);
    return true;
}

/* --- a run --------------------------------------------------------------------------------------------- */

/* Where a kernel's cubin is: its folder's name with dashes. */
static void cubin_of(const char *cubins, const kernel *k, char *path, size_t size) {
    int n = snprintf(path, size, "%s/%s.cubin", cubins, k->name);
    char *end = n > 0 && (size_t)n < size ? path + n : path;
    for (char *c = path + strlen(cubins) + 1; c < end; c++)
        if (*c == '/') *c = '-';
}

/* Small numbers, all different in the first words: good as indices, and no two threads write the same by accident. */
static bool make_buffer(wg_device *dev, wg_address *out, wg_error *err) {
    static int *content;
    if (!content) {
        content = malloc(BUFFER);
        for (int i = 0; content && i < BUFFER / 4; i++) content[i] = i % 1024;
    }
    return content && wg_alloc(dev, BUFFER, out, err) == WG_OK && wg_copy_in(dev, *out, content, BUFFER, err) == WG_OK;
}

static bool make_args(wg_device *dev, const kernel *k, const wg_function *f, wg_arg *args, size_t *n, wg_error *err) {
    static unsigned char bytes[ARGS][4096];
    size_t size;
    for (*n = 0; *n < ARGS && (size = wg_parameter_size(f, *n)) > 0; ++*n) {
        unsigned char *at = bytes[*n];
        memset(at, 0, sizeof bytes[0]);
        int32_t number = k->args[*n].given ? (int32_t)k->args[*n].value : 16;
        float real = (float)k->args[*n].value;
        if (k->args[*n].given && size == 8 && !k->args[*n].null) {
            int64_t wide = number;
            memcpy(at, &wide, 8);
        } else if (size < 8) memcpy(at, k->args[*n].real ? (void *)&real : (void *)&number, size);
        else for (size_t i = 0; i + 8 <= size && i + 8 <= sizeof bytes[0] && !k->args[*n].null; i += 8)
            if (!make_buffer(dev, (wg_address *)(void *)(at + i), err)) return false;
        args[*n] = wg_arg_bytes(at, size);
    }
    return true;
}

static const char *word(const json_t *f, const char *name) {
    const char *text = json_string_value(json_object_get(f, name));
    return text ? text : "";
}

/* Does a finding count? For a race that the label names, a note is enough: all threads store the same value. Where lanes are
 * said to be in lock step, those of a kernel that must pass do not race. What is not defined is no matter of the labels. */
static bool counts(const kernel *k, const json_t *f) {
    const json_t *other = json_object_get(f, "other");
    if (strcmp(word(f, "kind"), "uninitialised") == 0 || strcmp(word(f, "kind"), "coverage") == 0) return false;
    if (strcmp(word(f, "severity"), "note") == 0) return strcmp(k->kind, "race") == 0;
    return !(!k->must_fail && k->lockstep && strcmp(word(f, "kind"), "race") == 0 && json_equal(json_object_get(f, "block"), json_object_get(other, "block")) &&
             json_equal(json_object_get(f, "warp"), json_object_get(other, "warp")));
}

static bool is_kind(const kernel *k, const json_t *f) {
    const char *kind = word(f, "kind");
    if (strcmp(k->kind, "divergence") == 0) return !strcmp(kind, "barrier-divergence") || !strcmp(kind, "deadlock") || !strcmp(kind, "mask");
    if (strcmp(k->kind, "race") == 0 && strcmp(kind, "race") == 0) return true;
    if (strcmp(k->kind, "assertion") == 0) return strcmp(kind, "assert") == 0;
    if (strcmp(k->kind, "null") == 0 || strcmp(k->kind, "constant") == 0) return strcmp(kind, "out-of-bounds") == 0;
    return strcmp(kind, k->kind) == 0;
}

static void judge(kernel *k, const json_t *findings, bool show) {
    bool right = false, other = false;
    size_t i;
    json_t *f;
    json_array_foreach((json_t *)findings, i, f) {
        if (show) json_dumpf(f, stdout, JSON_INDENT(1)), puts("");
        if (!counts(k, f)) continue;
        if (strstr(word(f, "message"), "requires") || strstr(word(f, "detail"), "requires")) {
            k->verdict = BROKEN;
            strcpy(k->said, "the arguments do not fulfil its requirements");
            return;
        }
        bool is = k->must_fail && is_kind(k, f);
        right |= is;
        other |= !is;
        if (!is || !k->said[0])
            snprintf(k->said, sizeof k->said, "%s at line %d: %.200s", word(f, "kind"), (int)json_integer_value(json_object_get(f, "line")), word(f, "message"));
    }
    k->verdict = k->must_fail ? right ? RIGHT : MISSED : other ? FALSE_ALARM : RIGHT;
}

static void run(const char *cubins, kernel *k, bool show) {
    char cubin[700];
    wg_error err = {0};
    wg_device *dev = NULL;
    const wg_options options = {.max_instructions = 200000000, .jobs = 1};
    wg_arg args[ARGS];
    size_t n = 0;
    k->verdict = BROKEN;
    if (strcmp(k->kind, "aside") == 0) {
        k->verdict = ASIDE;
        return;
    }
    cubin_of(cubins, k, cubin, sizeof cubin);
    if (access(cubin, R_OK)) snprintf(k->said, sizeof k->said, "there is no %.200s", cubin);
    else if (wg_open(cubin, &options, &dev, &err) != WG_OK) snprintf(k->said, sizeof k->said, "%.250s", err.text);
    else {
        const char *name = wg_kernel_name(dev, 0);
        const wg_function *f = name ? wg_kernel(dev, name, &err) : NULL;
        wg_dim grid = wg_dim3(k->grid[0], k->grid[1], k->grid[2]), block = wg_dim3(k->block[0], k->block[1], k->block[2]);
        wg_status status = !make_args(dev, k, f, args, &n, &err) ? WG_ERR_MEMORY
                           : k->cooperative                      ? wg_launch_cooperative(dev, f, grid, block, 0, args, n, NULL, &err)
                                                                 : wg_launch(dev, f, grid, block, 0, args, n, NULL, &err);
        char *text = wg_report_json(dev);
        json_t *document = text ? json_loads(text, 0, NULL) : NULL;
        if (status == WG_OK || status == WG_ERR_FAULT || status == WG_ERR_DEADLOCK) judge(k, json_object_get(document, "findings"), show);
        else snprintf(k->said, sizeof k->said, "%.250s", err.text);
        json_decref(document);
        free(text);
    }
    wg_close(dev);
}

/* --- the table -------------------------------------------------------------------------------------------- */

static void row(const char *label, const char *kind, bool must_fail) {
    unsigned n[BROKEN + 1] = {0}, kernels = 0;
    for (size_t i = 0; i < n_all; i++) {
        const kernel *k = &all[i];
        if (k->must_fail != must_fail || (kind && strcmp(k->kind, kind))) continue;
        if (k->verdict == ASIDE) continue;
        kernels++, n[k->verdict]++;
    }
    if (kernels) printf("| %s | %u | %u | %u | %u | %u |\n", label, kernels, n[RIGHT], n[MISSED], n[FALSE_ALARM], n[BROKEN]);
}

int main(int argc, char **argv) {
    if (argc < 4) return fprintf(stderr, "usage: gpuverify TESTSUITE/CUDA CUBINS LIST [KERNEL]\n"), 2;
    walk(argv[1], "");
    if (!n_all || !read_list(argv[3])) return fprintf(stderr, "no kernels, or no list\n"), 2;
    for (size_t i = 0; i < n_all; i++)
        if (argc < 5 || strcmp(argv[4], all[i].name) == 0) {
            run(argv[2], &all[i], argc > 4);
            if (all[i].verdict != RIGHT || argc > 4)
                fprintf(stderr, "%s: %s %s\n", all[i].name, (const char *[]){"right", "MISSED", "FALSE ALARM", "aside:", "BROKEN"}[all[i].verdict],
                        all[i].verdict == ASIDE ? all[i].why : all[i].said);
        }
    if (argc > 4) return 0;
    printf("| its label says | kernels | right | missed | false alarm | did not run |\n|---|---|---|---|---|---|\n");
    row("must pass", NULL, false);
    row("must fail: race", "race", true);
    row("must fail: barrier divergence", "divergence", true);
    row("must fail: assertion", "assertion", true);
    row("must fail: null pointer", "null", true);
    row("must fail: write to a constant", "constant", true);
    row("must fail: not said how", "", true);
    printf("\nNot counted, with why:\n\n");
    for (size_t i = 0; i < n_all; i++)
        if (all[i].verdict == ASIDE) printf("- `%s` (must %s): %s\n", all[i].name, all[i].must_fail ? "fail" : "pass", all[i].why);
    return 0;
}
