/* Which parameter is the pointer that an access starts from: an access that ends up in the buffer of another one has run off its
 * own, though the address is a valid one. */
#include <stdlib.h>

#include "evidence/evidence.h"
#include "evidence/flow.h"
#include "session/inner.h"

enum { MOST_INSTRUCTIONS = 4000 }; /* larger kernels are not looked at: it would take longer than they run */

typedef struct roots {
    uint16_t by_instr[1]; /* 1 + byte offset of the parameter; 0: not known */
} roots;

/* Is a parameter of the kernel, or a field of one, a pointer for all that can be seen? */
static bool may_be_pointer(const img_function *f, uint32_t offset, uint32_t bytes) {
    if (bytes != 4 || offset % 8) return false; /* the low word of one */
    for (size_t i = 0; i < f->n_params; i++)
        if (offset >= f->params[i].offset && offset + 8 <= f->params[i].offset + f->params[i].size) return true;
    return false;
}

/* A sum with one pointer in it, taken once. */
static uint32_t root_of(const ev_graph *g, ev_id address, const img_function *f) {
    uint32_t found = 0;
    const ev_node *sum = ev_at(g, address);
    if (ev_is_leaf(g, address, EV_PARAM)) return may_be_pointer(f, ev_word(g, address, 0), ev_word(g, address, 1) & 0xff) ? 1 + ev_word(g, address, 0) : 0;
    if (sum->kind != EV_SUM) return 0;
    for (unsigned k = 0; k + 1 < sum->n; k += 2) {
        ev_id term = ev_word(g, address, k + 1);
        if (!ev_is_leaf(g, term, EV_PARAM) || !may_be_pointer(f, ev_word(g, term, 0), ev_word(g, term, 1) & 0xff)) continue;
        if (ev_word(g, address, k) != 1 || found) return 0;
        found = 1 + ev_word(g, term, 0);
    }
    return found;
}

static roots *make(const img_module *module, const img_function *f) {
    size_t n = f->code_size / 16;
    roots *out = calloc(1, sizeof *out + n * sizeof *out->by_instr);
    wg_arena *arena = wg_arena_new();
    ev_kernel *kernel = NULL;
    if (out && arena && n <= MOST_INSTRUCTIONS && ev_analyse(module, f, NULL, arena, &kernel, NULL) == WG_OK) {
        for (size_t k = 0; k < kernel->n_accesses; k++) {
            const ev_access *a = &kernel->accesses[k];
            uint32_t root = a->space == ENG_GLOBAL && !a->second ? root_of(&kernel->flow->g, a->address, f) : 0;
            if (root && root <= UINT16_MAX) out->by_instr[a->instr] = (uint16_t)root;
        }
        ev_kernel_free(kernel);
    }
    if (arena) wg_arena_free(arena);
    return out;
}

const uint16_t *ses_roots_of(session *ses, const ses_launch *l) {
    uint64_t known;
    if (!(ses->checks & WATCH_CHECK(OUT_OF_BOUNDS)) || !l->function->n_params) return NULL;
    if (wg_u64map_get(&ses->roots, (uintptr_t)l->function, &known)) return ((roots *)(uintptr_t)known)->by_instr;
    roots *fresh = make(eng_code_module(l->code), l->function);
    if (!fresh) return NULL;
    if (wg_u64map_set(&ses->roots, (uintptr_t)l->function, (uintptr_t)fresh)) return fresh->by_instr;
    free(fresh);
    return NULL;
}

void ses_roots_forget(session *ses, const eng_code *code) {
    const img_module *module = eng_code_module(code);
    for (size_t f = 0; f < module->n_functions; f++) {
        uint64_t known;
        if (!wg_u64map_get(&ses->roots, (uintptr_t)&module->functions[f], &known)) continue;
        free((roots *)(uintptr_t)known);
        wg_u64map_remove(&ses->roots, (uintptr_t)&module->functions[f]);
    }
}
