/* .nv.info: what the compiler tells the driver, as records of format, attribute, value. The section without a
 * name speaks of symbols, .nv.info.NAME of one function. One row of the table below an attribute that is
 * used. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "image/bytes.h"
#include "image/module.h"

enum { SHT_CUDA_INFO = 0x70000000 };
enum { FORMAT_NONE = 1, FORMAT_BYTE, FORMAT_HALF, FORMAT_SIZED };

typedef struct param_record {
    uint32_t ordinal;
    img_param param;
} param_record;

/* What is gathered over one section before it goes into the function. */
typedef struct gathering {
    module_reader *r;
    img_function *function; /* NULL in the section without a name */
    wg_vec(param_record) params;
    wg_vec(uint32_t) syncwarps, targets;
    bool no_memory, malformed;
} gathering;

/* The function that a symbol names; *inner: it names one inside that function's code. */
static img_function *function_of_symbol(const module_reader *r, uint32_t symbol, bool *inner) {
    if (symbol >= r->elf.n_symbols) return NULL;
    const elf_symbol *s = &r->elf.symbols[symbol];
    if (s->type != STT_FUNC || s->section >= r->elf.n_sections || r->function_of[s->section] == IMG_NONE)
        return NULL;
    img_function *f = &r->module->functions[r->function_of[s->section]];
    *inner = strcmp(s->name, f->name) != 0;
    return f;
}

/* --- one function for each attribute ------------------------------------------------- */

static void take_registers(gathering *g, cursor *c) {
    bool inner;
    img_function *f = function_of_symbol(g->r, cursor_u32(c), &inner);
    uint32_t registers = cursor_u32(c);
    if (f && !inner) f->registers = registers;
}

/* Inner functions have frames of their own, which MIN_STACK_SIZE adds up where calls do not recurse. */
static void take_frame(gathering *g, cursor *c) {
    bool inner;
    img_function *f = function_of_symbol(g->r, cursor_u32(c), &inner);
    uint32_t bytes = cursor_u32(c);
    if (f && !inner && bytes > f->local_bytes) f->local_bytes = bytes;
}

static void take_stack(gathering *g, cursor *c) {
    bool inner;
    img_function *f = function_of_symbol(g->r, cursor_u32(c), &inner);
    uint32_t bytes = cursor_u32(c);
    if (!f || inner) return;
    if (bytes == UINT32_MAX)
        f->stack_open = true; /* "cannot be determined" */
    else if (bytes > f->local_bytes)
        f->local_bytes = bytes;
}

static void take_param_bank(gathering *g, cursor *c) {
    cursor_u32(c); /* the symbol of .nv.constant0.NAME */
    g->function->param_base = cursor_u16(c);
    g->function->param_bytes = cursor_u16(c);
}

static void take_param_bytes(gathering *g, cursor *c) {
    g->function->param_bytes = cursor_u16(c);
}

static void add_param(gathering *g, uint32_t ordinal, uint32_t offset, uint32_t size) {
    if (!wg_vec_push(&g->params, (param_record){ordinal, {offset, size}})) g->no_memory = true;
}

static void take_param(gathering *g, cursor *c) {
    cursor_u32(c);
    uint32_t ordinal = cursor_u16(c), offset = cursor_u16(c), packed = cursor_u32(c);
    add_param(g, ordinal, offset, packed >> 18); /* below: alignment, space, bank */
}

/* Written when the parameters take more than 4 KiB. */
static void take_param_v2(gathering *g, cursor *c) {
    cursor_u32(c);
    uint32_t ordinal = cursor_u16(c), offset = cursor_u16(c), size = cursor_u16(c);
    add_param(g, ordinal, offset, size);
}

static void take_dim(uint32_t to[3], cursor *c) {
    for (int i = 0; i < 3; i++) to[i] = cursor_u32(c);
}
static void take_max_threads(gathering *g, cursor *c) {
    take_dim(g->function->max_threads, c);
}
static void take_req_threads(gathering *g, cursor *c) {
    take_dim(g->function->req_threads, c);
}
static void take_cluster(gathering *g, cursor *c) {
    take_dim(g->function->cluster, c);
}
static void take_barriers(gathering *g, cursor *c) {
    g->function->barriers = cursor_u8(c);
}

static void add_offset(gathering *g, void *vec, uint32_t offset) {
    wg_vec(uint32_t) *v = vec;
    if (offset >= g->function->code_size || offset % 16)
        g->malformed = true;
    else if (!wg_vec_push(v, offset))
        g->no_memory = true;
}

static void take_syncwarps(gathering *g, cursor *c) {
    while (cursor_left(c) >= 4) add_offset(g, &g->syncwarps, cursor_u32(c));
}

/* For each BRX: its offset, two halves of no use here, a count, the targets. */
static void take_targets(gathering *g, cursor *c) {
    while (cursor_left(c) >= 12) {
        cursor_u32(c);
        cursor_u32(c);
        uint32_t count = cursor_u32(c);
        if (count > cursor_left(c) / 4) {
            g->malformed = true;
            return;
        }
        while (count--) add_offset(g, &g->targets, cursor_u32(c));
    }
}

/* --- the table ------------------------------------------------------------------------ */

typedef struct attribute {
    uint8_t number;
    uint8_t format;
    uint8_t least;    /* bytes of value */
    bool of_function; /* in .nv.info.NAME */
    void (*take)(gathering *, cursor *);
    const char *name;
} attribute;

static const attribute attributes[] = {
    {0x05, FORMAT_SIZED, 12, true, take_max_threads, "MAX_THREADS"},
    {0x0a, FORMAT_SIZED, 8, true, take_param_bank, "PARAM_CBANK"},
    {0x10, FORMAT_SIZED, 12, true, take_req_threads, "REQNTID"},
    {0x11, FORMAT_SIZED, 8, false, take_frame, "FRAME_SIZE"},
    {0x12, FORMAT_SIZED, 8, false, take_stack, "MIN_STACK_SIZE"},
    {0x17, FORMAT_SIZED, 12, true, take_param, "KPARAM_INFO"},
    {0x19, FORMAT_HALF, 2, true, take_param_bytes, "CBANK_PARAM_SIZE"},
    {0x28, FORMAT_SIZED, 4, true, take_syncwarps, "COOP_GROUP_INSTR_OFFSETS"},
    {0x2f, FORMAT_SIZED, 8, false, take_registers, "REGCOUNT"},
    {0x34, FORMAT_SIZED, 12, true, take_targets, "INDIRECT_BRANCH_TARGETS"},
    {0x3d, FORMAT_SIZED, 12, true, take_cluster, "CTA_PER_CLUSTER"},
    {0x45, FORMAT_SIZED, 10, true, take_param_v2, "KPARAM_INFO_V2"},
    {0x4c, FORMAT_BYTE, 1, true, take_barriers, "NUM_BARRIERS"},
};

static const attribute *find_attribute(uint8_t number) {
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].number == number) return &attributes[i];
    return NULL;
}

static wg_status take_record(gathering *g, const elf_section *s, cursor *c) {
    uint8_t format = cursor_u8(c), number = cursor_u8(c);
    cursor value = cursor_over(c->at, cursor_left(c) < 2 ? 0 : 2);
    uint16_t half = cursor_u16(c);
    if (format == FORMAT_SIZED) value = cursor_over(cursor_take(c, half), half);
    if (c->bad || format < FORMAT_NONE || format > FORMAT_SIZED)
        return wg_fail(g->r->err, WG_ERR_FORMAT, "%s: a record of attribute 0x%02x is cut short or damaged",
                       s->name, number);
    const attribute *a = find_attribute(number);
    if (!a || a->of_function != (g->function != NULL)) return WG_OK; /* not needed */
    if (a->format == format && cursor_left(&value) >= a->least)
        a->take(g, &value);
    else
        g->malformed = true;
    if (g->no_memory) return img_no_memory(g->r->err);
    if (g->malformed)
        return wg_fail(g->r->err, WG_ERR_FORMAT, "%s: the value of attribute %s is damaged", s->name,
                       a->name);
    return WG_OK;
}

static int by_ordinal(const void *a, const void *b) {
    const param_record *x = a, *y = b;
    return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

static int by_number(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static const uint32_t *keep_offsets(wg_arena *arena, uint32_t *at, size_t count) {
    uint32_t *copy = wg_arena_array(arena, count, sizeof *copy);
    if (copy && count) qsort(memcpy(copy, at, count * sizeof *copy), count, sizeof *copy, by_number);
    return copy;
}

static wg_status keep(gathering *g, const elf_section *s) {
    img_function *f = g->function;
    if (g->params.count) qsort(g->params.at, g->params.count, sizeof *g->params.at, by_ordinal);
    f->params = wg_arena_array(g->r->arena, g->params.count, sizeof *f->params);
    f->syncwarps = keep_offsets(g->r->arena, g->syncwarps.at, g->syncwarps.count);
    f->branch_targets = keep_offsets(g->r->arena, g->targets.at, g->targets.count);
    if (!f->params || !f->syncwarps || !f->branch_targets) return img_no_memory(g->r->err);
    f->n_syncwarps = g->syncwarps.count;
    f->n_branch_targets = g->targets.count;
    for (size_t i = 0; i < g->params.count; i++) {
        img_param p = g->params.at[i].param;
        if (g->params.at[i].ordinal != i || p.offset + p.size > f->param_bytes)
            return wg_fail(g->r->err, WG_ERR_FORMAT,
                           "%s: parameter %zu does not fit the %u bytes of parameters", s->name, i,
                           f->param_bytes);
        f->params[f->n_params++] = p;
    }
    return WG_OK;
}

static wg_status read_section(module_reader *r, const elf_section *s, img_function *function) {
    gathering g = {.r = r, .function = function};
    cursor c = cursor_over(s->data, s->data ? s->size : 0);
    wg_status status = WG_OK;
    while (status == WG_OK && cursor_left(&c)) status = take_record(&g, s, &c);
    if (status == WG_OK && function) status = keep(&g, s);
    wg_vec_free(&g.params);
    wg_vec_free(&g.syncwarps);
    wg_vec_free(&g.targets);
    return status;
}

/* No device has more than this: what a reader allocates by these numbers stays within bounds. */
static wg_status check_limits(module_reader *r, const img_function *f) {
    const struct limit {
        const char *what;
        uint64_t value, most;
    } limits[] = {
        {"registers", f->registers, 256},
        {"bytes of local memory", f->local_bytes, 512 * 1024},
        {"bytes of shared memory", f->shared_static, 1024 * 1024},
        {"barriers", f->barriers, 16},
        {"bytes of c[0x0]", (uint64_t)f->param_base + f->param_bytes, 65536},
        {"bytes of c[0x2]", f->const2_size, 65536},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value > limits[i].most)
            return wg_fail(r->err, WG_ERR_FORMAT, "%s says it needs %llu %s; no GPU has more than %llu",
                           f->demangled, (unsigned long long)limits[i].value, limits[i].what,
                           (unsigned long long)limits[i].most);
    return WG_OK;
}

wg_status img_read_info(module_reader *r) {
    for (size_t i = 1; i < r->elf.n_sections; i++) {
        const elf_section *s = &r->elf.sections[i];
        if (s->type != SHT_CUDA_INFO) continue;
        img_function *function = NULL;
        if (wg_starts_with(s->name, ".nv.info.")) {
            uint32_t number = img_function_of_section(r, s, ".nv.info.");
            if (number == IMG_NONE) continue;
            function = &r->module->functions[number];
        } else if (strcmp(s->name, ".nv.info") != 0) {
            continue;
        }
        wg_status status = read_section(r, s, function);
        if (status != WG_OK) return status;
    }
    wg_status status = WG_OK;
    for (size_t i = 0; status == WG_OK && i < r->module->n_functions; i++)
        status = check_limits(r, &r->module->functions[i]);
    return status;
}
