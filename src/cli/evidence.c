/* warpgrind sass FILE: evidence from the code, promises, differences. */
#include "evidence/evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "cli/compile.h"
#include "cli/sass.h"

enum { DEFAULT_ARCH = 80 };
enum { NOT_KEPT = 1 }; /* a promise was not kept; there are differences */

/* All kernels of a file that are asked for. */
typedef struct kernels {
    wg_arena *arena;
    img_file *file;
    wg_vec(img_module *) modules;
    wg_vec(ev_kernel *) list;
} kernels;

static void close_kernels(kernels *k) {
    for (size_t i = 0; i < k->list.count; i++) ev_kernel_free(k->list.at[i]);
    for (size_t i = 0; i < k->modules.count; i++) img_module_free(k->modules.at[i]);
    wg_vec_free(&k->list);
    wg_vec_free(&k->modules);
    if (k->file) img_close(k->file);
    wg_arena_free(k->arena);
}

static wg_status add_module(kernels *k, const uint8_t *data, size_t size, const cli_sass_options *o, wg_error *err) {
    img_module *module = NULL;
    wg_status status = img_module_read(data, size, &module, err);
    if (status != WG_OK) return status;
    if (!wg_vec_push(&k->modules, module)) {
        img_module_free(module);
        return wg_fail(err, WG_ERR_MEMORY, "no memory");
    }
    ev_options options = {0};
    memcpy(options.block, o->block, sizeof options.block);
    for (size_t f = 0; f < module->n_functions && status == WG_OK; f++) {
        const img_function *function = &module->functions[f];
        ev_kernel *kernel = NULL;
        if (!function->is_kernel || !cli_sass_matches(function, o->function)) continue;
        status = ev_analyse(module, function, &options, k->arena, &kernel, err);
        if (status == WG_OK && !wg_vec_push(&k->list, kernel)) status = wg_fail(err, WG_ERR_MEMORY, "no memory");
    }
    return status;
}

static wg_status add_entries(kernels *k, const char *name, const cli_sass_options *o, wg_error *err) {
    wg_status status = WG_OK;
    unsigned cubins = 0;
    for (size_t e = 0; e < k->file->n_entries && status == WG_OK; e++) {
        const img_entry *entry = &k->file->entries[e];
        if (entry->kind != IMG_CUBIN || (o->arch && entry->sm != o->arch)) continue;
        cubins++;
        status = add_module(k, entry->data, entry->size, o, err);
    }
    /* only PTX: assembled, when ptxas is there */
    for (size_t e = 0; !cubins && e < k->file->n_entries && status == WG_OK; e++) {
        const img_entry *entry = &k->file->entries[e];
        const uint8_t *cubin = NULL;
        size_t size = 0;
        if (entry->kind != IMG_PTX) continue;
        status = img_assemble(entry, o->arch ? o->arch : entry->sm, k->arena, &cubin, &size, err);
        if (status == WG_OK) status = add_module(k, cubin, size, o, err);
        if (status == WG_OK) cubins++;
    }
    if (status == WG_OK && !cubins)
        return wg_fail(err, WG_ERR_NOT_FOUND, "%s holds no code for a GPU%s", name, o->arch ? " of that architecture" : "");
    if (status == WG_OK && !k->list.count)
        return wg_fail(err, WG_ERR_NOT_FOUND, "%s holds no kernel%s%s%s", name, o->function ? " '" : "", o->function ? o->function : "",
                       o->function ? "'" : "");
    return status;
}

static wg_status open_kernels(kernels *k, const char *name, const cli_sass_options *o, wg_error *err) {
    *k = (kernels){.arena = wg_arena_new()};
    if (!k->arena) return wg_fail(err, WG_ERR_MEMORY, "no memory");
    const char *path = name, *compiled = NULL;
    if (wg_ends_with(name, ".cu")) {
        const wg_status status = cli_compile(name, o->arch ? o->arch : DEFAULT_ARCH, k->arena, &compiled, err);
        if (status != WG_OK) return status;
        path = compiled;
    }
    wg_status status = img_open(path, &k->file, err);
    if (compiled) unlink(compiled);
    return status == WG_OK ? add_entries(k, name, o, err) : status;
}

/* --- output ------------------------------------------------------------------------------------------ */

static bool write_out(wg_text *text) {
    const bool ok = !text->failed && (!text->at || fwrite(text->at, 1, text->count, stdout) == text->count) && fflush(stdout) == 0;
    if (!ok) cli_complain("standard output cannot be written, or there is no memory");
    return ok;
}
static void assumption(const cli_sass_options *o, wg_text *out) {
    if (o->block[0]) wg_text_printf(out, "blocks of %u x %u x %u threads", o->block[0], o->block[1], o->block[2]);
    else wg_text_add(out, "blocks a multiple of 32 threads wide where the code does not require a shape (--block says another)");
    wg_text_add(out, "; pointers at multiples of 256 bytes; full warps. B: bytes a lane. stride: bytes from lane to lane. moves: sectors "
                     "of 32 bytes, of shared memory wavefronts. *: among lanes that came the same way; lanes of a warp may have parted before.\n");
}
static int print_all(const kernels *k, const cli_sass_options *o) {
    wg_text text = {0};
    for (size_t i = 0; i < k->list.count; i++) {
        if (i) wg_text_add(&text, "\n");
        ev_text(k->list.at[i], o->explain, &text);
    }
    wg_text_add(&text, "\nAssumed: ");
    assumption(o, &text);
    const bool ok = write_out(&text);
    wg_text_free(&text);
    return ok ? CLI_OK : CLI_ERROR;
}
static int print_json(const kernels *k, const cli_sass_options *o) {
    json_t *list = json_array();
    wg_text said = {0};
    assumption(o, &said);
    for (size_t i = 0; i < k->list.count; i++) json_array_append_new(list, ev_json(k->list.at[i], o->explain));
    json_t *document = json_pack("{s:s,s:i,s:s,s:o}", "format", "warpgrind-evidence", "version", 1, "assumed", said.at ? said.at : "", "kernels", list);
    const bool ok = document && json_dumpf(document, stdout, JSON_INDENT(1)) == 0 && putchar('\n') != EOF && fflush(stdout) == 0;
    json_decref(document);
    wg_text_free(&said);
    if (!ok) cli_complain("standard output cannot be written, or there is no memory");
    return ok ? CLI_OK : CLI_ERROR;
}

/* --- promises ------------------------------------------------------------------------------------------ */

static void say_line(const kernels *k, const ev_promise *p) {
    const ev_promise any = {.file = p->file, .line = p->line};
    for (size_t i = 0; i < k->list.count; i++) {
        const ev_kernel *kernel = k->list.at[i];
        for (size_t a = 0; a < kernel->n_accesses; a++) {
            const ev_access *x = &kernel->accesses[a];
            ev_kernel one = *kernel;
            unsigned met, n;
            one.accesses = (ev_access *)x, one.n_accesses = 1;
            ev_promise_count(&any, &one, &met, &n);
            if (n) printf("  %s 0x%04x: %s, width %u%s: %s\n", kernel->function->demangled, x->instr * 16, ev_space_name(x), x->width,
                          x->load ? ", load" : ", store", x->words);
        }
    }
}
static int check_one(const kernels *k, const char *text) {
    ev_promise p;
    wg_error err = {0};
    unsigned met = 0, n = 0;
    if (ev_promise_parse(text, &p, &err) != WG_OK) {
        cli_complain("%s", err.text);
        return CLI_ERROR;
    }
    for (size_t i = 0; i < k->list.count; i++) {
        unsigned m, c;
        ev_promise_count(&p, k->list.at[i], &m, &c);
        met += m, n += c;
    }
    const bool kept = n && (p.all ? met == n : met > 0);
    printf("%s: %s (%u of %u accesses)\n", text, kept ? "kept" : n ? "NOT kept" : "NOT kept: no such access on that line", met, n);
    if (!kept) say_line(k, &p);
    ev_promise_free(&p);
    return kept ? CLI_OK : NOT_KEPT;
}
static int check_all(const kernels *k, const cli_sass_options *o) {
    int worst = CLI_OK;
    for (unsigned i = 0; i < o->n_expect; i++) {
        const int status = check_one(k, o->expect[i]);
        if (status > worst) worst = status;
    }
    return fflush(stdout) == 0 ? worst : CLI_ERROR;
}

/* --- differences ----------------------------------------------------------------------------------------- */

static const ev_kernel *same_kernel(const kernels *in, const ev_kernel *like) {
    const ev_kernel *other = NULL;
    for (size_t i = 0; i < in->list.count; i++) {
        const ev_kernel *k = in->list.at[i];
        if (strcmp(k->function->name, like->function->name) != 0) continue;
        if (k->module->sm == like->module->sm) return k;
        other = k; /* of another architecture, when there is no better one */
    }
    return other;
}
static int diff(const kernels *a, const kernels *b, const cli_sass_options *o) {
    wg_text text = {0};
    unsigned n = 0;
    for (size_t i = 0; i < a->list.count; i++) {
        const ev_kernel *k = a->list.at[i], *with = same_kernel(b, k);
        if (with) n += ev_diff(k, with, &text);
        else wg_text_printf(&text, "%s\n  only in %s\n", k->function->demangled, o->files[0]), n++;
    }
    for (size_t i = 0; i < b->list.count; i++)
        if (!same_kernel(a, b->list.at[i])) wg_text_printf(&text, "%s\n  only in %s\n", b->list.at[i]->function->demangled, o->files[1]), n++;
    if (!n) wg_text_printf(&text, "no difference in %zu kernel%s\n", a->list.count, a->list.count == 1 ? "" : "s");
    const bool ok = write_out(&text);
    wg_text_free(&text);
    return !ok ? CLI_ERROR : n ? NOT_KEPT : CLI_OK;
}

int cli_evidence(const cli_sass_options *o) {
    kernels a = {0}, b = {0};
    wg_error err = {0};
    int result = CLI_ERROR;
    wg_status status = open_kernels(&a, o->files[0], o, &err);
    if (status == WG_OK && o->diff) status = open_kernels(&b, o->files[1], o, &err);
    if (status != WG_OK) cli_complain("%s", err.text);
    else if (o->diff) result = diff(&a, &b, o);
    else if (o->n_expect) result = check_all(&a, o);
    else result = o->json ? print_json(&a, o) : print_all(&a, o);
    close_kernels(&a);
    close_kernels(&b);
    return result;
}
