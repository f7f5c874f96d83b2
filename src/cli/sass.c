/* warpgrind sass FILE: options, and the disassembly (--list). evidence.c has the rest. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/sass.h"
#include "image/image.h"
#include "sass/list.h"

enum { KEY_LIST = 256, KEY_BINARY, KEY_ARCH, KEY_FUNCTION, KEY_JSON, KEY_EXPLAIN, KEY_EXPECT, KEY_DIFF, KEY_BLOCK };

static const struct argp_option options[] = {
    {"explain", KEY_EXPLAIN, 0, 0, "below each access the instructions that made its address, and how each constant was decoded", 1},
    {"json", KEY_JSON, 0, 0, "everything as JSON", 1},
    {"expect", KEY_EXPECT, "PROMISE", 0, "'FILE:LINE width=16 [stride=N] [verdict=WORD] [space=WORD] [kind=load|store|atomic] [all]': exit status 1 when the "
     "code does not keep it; may be given several times", 1},
    {"diff", KEY_DIFF, 0, 0, "what changed from one FILE to the other, kernel by kernel; exit status 1 when something did", 1},
    {"block", KEY_BLOCK, "X[,Y[,Z]]", 0, "threads of a block; else what the code requires, else any multiple of 32 along x", 1},
    {"list", KEY_LIST, 0, 0, "print the disassembly of every function", 1},
    {"binary", KEY_BINARY, "sm_NN", 0, "FILE is a raw stream of instructions of this architecture", 1},
    {"arch", KEY_ARCH, "sm_NN", 0, "only code of this architecture; for a .cu file, what to compile for (sm_80)", 1},
    {"function", KEY_FUNCTION, "NAME", 0, "only this function: mangled or demangled name, or a pattern with * or ?", 1},
    {0}};

static int architecture(struct argp_state *state, const char *text) {
    char *end;
    long sm = wg_starts_with(text, "sm_") ? strtol(text + 3, &end, 10) : 0;
    if (sm < 75 || sm > 129 || (*end && strcmp(end, "a") != 0)) argp_error(state, "an architecture is sm_75 to sm_120, not '%s'", text);
    return (int)sm;
}

static void block_shape(struct argp_state *state, const char *text, uint32_t block[3]) {
    int used = 0;
    block[1] = block[2] = 1;
    const int n = sscanf(text, "%u%n,%u%n,%u%n", &block[0], &used, &block[1], &used, &block[2], &used);
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (n < 1 || text[used] || threads == 0 || threads > 1024) argp_error(state, "a block is X, X,Y or X,Y,Z with 1 to 1024 threads, not '%s'", text);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    cli_sass_options *o = state->input;
    switch (key) {
    case KEY_LIST: o->list = true; break;
    case KEY_BINARY: o->binary = architecture(state, arg); break;
    case KEY_ARCH: o->arch = architecture(state, arg); break;
    case KEY_FUNCTION: o->function = arg; break;
    case KEY_JSON: o->json = true; break;
    case KEY_EXPLAIN: o->explain = true; break;
    case KEY_DIFF: o->diff = true; break;
    case KEY_BLOCK: block_shape(state, arg, o->block); break;
    case KEY_EXPECT:
        if (o->n_expect == CLI_MAX_EXPECT) argp_error(state, "at most %d promises", CLI_MAX_EXPECT);
        o->expect[o->n_expect++] = arg;
        break;
    case ARGP_KEY_ARG:
        if (o->files[1]) argp_error(state, "two FILEs at most, not '%s' too", arg);
        o->files[o->files[0] != NULL] = arg;
        break;
    case ARGP_KEY_END:
        if (!o->files[0]) argp_error(state, "which FILE?");
        if (o->diff != (o->files[1] != NULL)) argp_error(state, o->diff ? "--diff compares two FILEs" : "one FILE, not '%s' too", o->files[1]);
        if (o->binary && !o->list) argp_error(state, "--binary goes with --list");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

bool cli_sass_matches(const img_function *f, const char *pattern) {
    if (!pattern) return true;
    if (strpbrk(pattern, "*?")) return wg_glob(pattern, f->name) || wg_glob(pattern, f->demangled) || (wg_starts_with(f->demangled, "void ") && wg_glob(pattern, f->demangled + 5));
    const size_t n = strlen(pattern);
    const char *name = f->demangled + (wg_starts_with(f->demangled, "void ") ? 5 : 0); /* templates carry their type */
    return strcmp(pattern, f->name) == 0 || strcmp(pattern, f->demangled) == 0 ||
           (strncmp(pattern, name, n) == 0 && (!name[n] || name[n] == '('));
}

static wg_status list_cubin(const img_entry *entry, const cli_sass_options *o, unsigned *listed, wg_error *err) {
    img_module *module = NULL;
    wg_status status = img_module_read(entry->data, entry->size, &module, err);
    if (status != WG_OK) return status;
    printf("\n\tcode for sm_%d%s\n", module->sm, module->arch_specific ? "a" : "");
    for (size_t f = 0; f < module->n_functions; f++) {
        if (!cli_sass_matches(&module->functions[f], o->function)) continue;
        sass_list(stdout, &module->functions[f], module);
        ++*listed;
    }
    img_module_free(module);
    return WG_OK;
}

static wg_status list_file(const cli_sass_options *o, wg_error *err) {
    img_file *file = NULL;
    unsigned cubins = 0, listed = 0;
    wg_status status = img_open(o->files[0], &file, err);
    for (size_t e = 0; status == WG_OK && e < file->n_entries; e++) {
        const img_entry *entry = &file->entries[e];
        if (entry->kind != IMG_CUBIN || (o->arch && entry->sm != o->arch)) continue;
        cubins++;
        status = list_cubin(entry, o, &listed, err);
    }
    if (status == WG_OK && !cubins)
        status = wg_fail(err, WG_ERR_NOT_FOUND, "%s holds no machine code%s%s", o->files[0], o->arch ? " of that architecture" : "",
                         file->n_entries && !o->arch ? ", only PTX: assemble it with `ptxas -arch sm_NN`" : "");
    else if (status == WG_OK && !listed && o->function)
        status = wg_fail(err, WG_ERR_NOT_FOUND, "%s holds no function '%s'", o->files[0], o->function);
    if (file) img_close(file);
    return status;
}

static wg_status list_raw(const cli_sass_options *o, wg_error *err) {
    wg_arena *arena = wg_arena_new();
    wg_bytes bytes;
    wg_status status = arena ? wg_file_read(o->files[0], arena, &bytes, err) : wg_fail(err, WG_ERR_MEMORY, "no memory");
    if (status == WG_OK) sass_list_raw(stdout, bytes.data, bytes.size, o->binary);
    wg_arena_free(arena);
    return status;
}

int cli_sass(int argc, char **argv) {
    static const struct argp argp = {.options = options, .parser = parse, .args_doc = "FILE\n--diff FILE FILE",
                                     .doc = "Says what each memory instruction of the GPU code in FILE does, without running it: stride between lanes, "
                                            "sectors or bank conflicts of a full warp, bytes used, and why. FILE is an executable, shared object, "
                                            "object, fatbin, cubin, or a .cu file (compiled with nvcc). --list prints the disassembly."};
    cli_sass_options o = {0};
    wg_error err = {0};
    argp_err_exit_status = CLI_ERROR;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (!o.list) return cli_evidence(&o);
    wg_status status = o.binary ? list_raw(&o, &err) : list_file(&o, &err);
    if (status == WG_OK && fflush(stdout) == 0) return CLI_OK;
    cli_complain("%s", status == WG_OK ? "standard output cannot be written" : err.text);
    return CLI_ERROR;
}
