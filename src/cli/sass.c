/* warpgrind sass --list [--binary sm_NN] FILE */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "image/image.h"
#include "sass/list.h"

enum { KEY_LIST = 256, KEY_BINARY, KEY_ARCH, KEY_FUNCTION };

typedef struct sass_options {
    bool list;
    int binary, arch; /* sm; 0 = not given */
    const char *function, *file;
} sass_options;

static const struct argp_option options[] = {
    {"list", KEY_LIST, 0, 0, "print the disassembly of every function", 1},
    {"binary", KEY_BINARY, "sm_NN", 0, "FILE is a raw stream of instructions of this architecture", 1},
    {"arch", KEY_ARCH, "sm_NN", 0, "only code of this architecture", 1},
    {"function", KEY_FUNCTION, "NAME", 0, "only this function: mangled or demangled name, or a pattern with * or ?", 1},
    {0}};

static int architecture(struct argp_state *state, const char *text) {
    char *end;
    long sm = wg_starts_with(text, "sm_") ? strtol(text + 3, &end, 10) : 0;
    if (sm < 75 || sm > 129 || (*end && strcmp(end, "a") != 0)) argp_error(state, "an architecture is sm_75 to sm_120, not '%s'", text);
    return (int)sm;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    sass_options *o = state->input;
    switch (key) {
    case KEY_LIST: o->list = true; break;
    case KEY_BINARY: o->binary = architecture(state, arg); break;
    case KEY_ARCH: o->arch = architecture(state, arg); break;
    case KEY_FUNCTION: o->function = arg; break;
    case ARGP_KEY_ARG:
        if (o->file) argp_error(state, "one FILE, not '%s' too", arg);
        o->file = arg;
        break;
    case ARGP_KEY_END:
        if (!o->file) argp_error(state, "which FILE?");
        if (!o->list) argp_error(state, "say --list: the disassembly is all there is yet");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static bool matches(const img_function *f, const char *pattern) {
    if (!pattern) return true;
    if (strpbrk(pattern, "*?")) return wg_glob(pattern, f->name) || wg_glob(pattern, f->demangled);
    return strcmp(pattern, f->name) == 0 || strcmp(pattern, f->demangled) == 0;
}

static wg_status list_cubin(const img_entry *entry, const sass_options *o, unsigned *listed, wg_error *err) {
    img_module *module = NULL;
    wg_status status = img_module_read(entry->data, entry->size, &module, err);
    if (status != WG_OK) return status;
    printf("\n\tcode for sm_%d%s\n", module->sm, module->arch_specific ? "a" : "");
    for (size_t f = 0; f < module->n_functions; f++) {
        if (!matches(&module->functions[f], o->function)) continue;
        sass_list(stdout, &module->functions[f], module);
        ++*listed;
    }
    img_module_free(module);
    return WG_OK;
}

static wg_status list_file(const sass_options *o, wg_error *err) {
    img_file *file = NULL;
    unsigned cubins = 0, listed = 0;
    wg_status status = img_open(o->file, &file, err);
    for (size_t e = 0; status == WG_OK && e < file->n_entries; e++) {
        const img_entry *entry = &file->entries[e];
        if (entry->kind != IMG_CUBIN || (o->arch && entry->sm != o->arch)) continue;
        cubins++;
        status = list_cubin(entry, o, &listed, err);
    }
    if (status == WG_OK && !cubins)
        status = wg_fail(err, WG_ERR_NOT_FOUND, "%s holds no machine code%s%s", o->file, o->arch ? " of that architecture" : "",
                         file->n_entries && !o->arch ? ", only PTX: assemble it with `ptxas -arch sm_NN`" : "");
    else if (status == WG_OK && !listed && o->function)
        status = wg_fail(err, WG_ERR_NOT_FOUND, "%s holds no function '%s'", o->file, o->function);
    if (file) img_close(file);
    return status;
}

static wg_status list_raw(const sass_options *o, wg_error *err) {
    wg_arena *arena = wg_arena_new();
    wg_bytes bytes;
    wg_status status = arena ? wg_file_read(o->file, arena, &bytes, err) : wg_fail(err, WG_ERR_MEMORY, "no memory");
    if (status == WG_OK) sass_list_raw(stdout, bytes.data, bytes.size, o->binary);
    wg_arena_free(arena);
    return status;
}

int cli_sass(int argc, char **argv) {
    static const struct argp argp = {.options = options, .parser = parse, .args_doc = "FILE",
                                     .doc = "Disassembles the GPU code in FILE: an executable, shared object, object, fatbin or cubin."};
    sass_options o = {0};
    wg_error err = {0};
    argp_err_exit_status = CLI_ERROR;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    wg_status status = o.binary ? list_raw(&o, &err) : list_file(&o, &err);
    if (status == WG_OK && fflush(stdout) == 0) return CLI_OK;
    cli_complain("%s", status == WG_OK ? "standard output cannot be written" : err.text);
    return CLI_ERROR;
}
