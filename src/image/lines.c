/* The line table. A cubin's .debug_line is DWARF's line program with two things of its own, which is why
 * libdw cannot read it: the sequences of all functions start at address 0 and only the relocations of their
 * DW_LNE_set_address tell them apart; and an extended opcode carries the inline context of a row. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"
#include "image/bytes.h"
#include "image/module.h"
#include "image/names.h"

enum { /* standard opcodes */
       LNS_COPY = 1,
       LNS_ADVANCE_PC,
       LNS_ADVANCE_LINE,
       LNS_SET_FILE,
       LNS_SET_COLUMN,
       LNS_NEGATE_STMT,
       LNS_BASIC_BLOCK,
       LNS_CONST_ADD_PC,
       LNS_FIXED_ADVANCE_PC
};
enum { /* extended ones */
       LNE_END_SEQUENCE = 1,
       LNE_SET_ADDRESS = 2,
       LNE_DEFINE_FILE = 3,
       LNE_INLINED_CALL =
           0x90 /* NVIDIA's: number of the calling row, offset of the function's name in .debug_str */
};

typedef struct line_row {
    uint64_t address;
    uint32_t file, line;
    uint32_t
        call; /* 1-based number of the row that this one was inlined into, in the same sequence; 0: none */
    const char *function;
} line_row;

typedef struct line_reader {
    module_reader *r;
    const uint8_t *start; /* of the section */
    wg_u64map reloc_at;   /* offset in the section -> number of the relocation + 1 */
    const elf_reloc *relocs;
    wg_u64map names; /* offset in .debug_str -> demangled name */
    const elf_section *strings;
    wg_vec(const char *) files; /* [0] is file 1 */
    wg_vec(const char *) folders;
    wg_vec(line_row) rows; /* of this sequence */
    size_t *room;          /* for each function, how many rows its array of all rows holds */
    line_row now;
    uint32_t function; /* that this sequence is of */
    uint8_t least_step, line_range, opcode_base, lengths[256];
    int8_t line_base;
    bool no_memory;
} line_reader;

static wg_status damaged(line_reader *l, const char *what) {
    return wg_fail(l->r->err, WG_ERR_FORMAT, ".debug_line: %s: the line table is cut short or damaged", what);
}

/* --- names ----------------------------------------------------------------------------- */

static const char *function_name(line_reader *l, uint64_t offset) {
    uint64_t known;
    if (wg_u64map_get(&l->names, offset, &known)) return (const char *)(uintptr_t)known;
    if (!l->strings || !l->strings->data || offset >= l->strings->size) return NULL;
    cursor c = cursor_over(l->strings->data + offset, l->strings->size - offset);
    const char *mangled = cursor_string(&c);
    if (c.bad || !*mangled) return NULL;
    char *copy = wg_arena_strdup(l->r->arena, mangled);
    const char *name = copy ? img_demangle(l->r->arena, copy) : NULL;
    if (!name || !wg_u64map_set(&l->names, offset, (uintptr_t)name)) l->no_memory = true;
    return name;
}

static const char *file_name(const line_reader *l, uint32_t file) {
    return file && file <= l->files.count ? l->files.at[file - 1] : NULL;
}

/* One record of the file table: name, folder, time, size. */
static void add_file(line_reader *l, const char *name, cursor *c) {
    uint64_t folder = cursor_uleb(c);
    cursor_uleb(c);
    cursor_uleb(c);
    const char *path;
    if (*name == '/' || !folder || folder > l->folders.count)
        path = wg_arena_strdup(l->r->arena, name);
    else
        path = wg_arena_printf(l->r->arena, "%s/%s", l->folders.at[folder - 1], name);
    if (!path || !wg_vec_push(&l->files, path)) l->no_memory = true;
}

/* --- sequences ------------------------------------------------------------------------- */

static void add_row(line_reader *l) {
    if (!wg_vec_push(&l->rows, l->now)) l->no_memory = true;
}

static void start_sequence(line_reader *l) {
    l->rows.count = 0;
    l->now = (line_row){.file = 1, .line = 1};
    l->function = IMG_NONE;
}

/* The address itself is 0 or an addend; which function it is relative to, the relocation says. */
static void set_address(line_reader *l, cursor *value) {
    size_t place = (size_t)(value->at - l->start);
    uint64_t number;
    l->now.address = cursor_unsigned(value, cursor_left(value) < 8 ? cursor_left(value) : 8);
    if (!wg_u64map_get(&l->reloc_at, place, &number)) return;
    const elf_reloc *reloc = &l->relocs[number - 1];
    const elf_symbol *s = &l->r->elf.symbols[reloc->symbol];
    if (s->section >= l->r->elf.n_sections) return;
    l->function = l->r->function_of[s->section];
    l->now.address = s->value + (reloc->implicit ? l->now.address : (uint64_t)reloc->addend);
}

static void inlined_call(line_reader *l, cursor *value) {
    uint64_t call = cursor_uleb(value), name = cursor_uleb(value);
    /* A call can only come from a row before: so a chain always ends. */
    l->now.call = call <= l->rows.count ? (uint32_t)call : 0;
    l->now.function = l->now.call ? function_name(l, name) : NULL;
}

static img_line to_line(const line_reader *l, const line_row *row, uint32_t base) {
    return (img_line){.offset = row->address < UINT32_MAX ? (uint32_t)row->address : UINT32_MAX,
                      .line = row->line,
                      .file = file_name(l, row->file),
                      .inlined_at = row->call ? base + row->call : 0,
                      .function = row->function};
}

static bool make_room(line_reader *l, img_function *f, size_t total) {
    size_t *room = &l->room[l->function];
    if (total <= *room) return true;
    *room = f->n_inlined ? 2 * total : total; /* most functions have one sequence */
    img_line *all = wg_arena_array(l->r->arena, *room, sizeof *all);
    if (all && f->n_inlined) memcpy(all, f->inlined, f->n_inlined * sizeof *all);
    f->inlined = all;
    return all;
}

/* All rows are kept for calls to point to, in the order of the program. */
static wg_status end_sequence(line_reader *l) {
    if (l->function == IMG_NONE) return WG_OK;
    img_function *f = &l->r->module->functions[l->function];
    uint32_t base = (uint32_t)f->n_inlined;
    if (!make_room(l, f, base + l->rows.count)) return img_no_memory(l->r->err);
    for (size_t i = 0; i < l->rows.count; i++) f->inlined[f->n_inlined++] = to_line(l, &l->rows.at[i], base);
    return WG_OK;
}

/* --- the program ----------------------------------------------------------------------- */

static wg_status run_extended(line_reader *l, cursor *c) {
    uint64_t length = cursor_uleb(c);
    cursor value = cursor_over(c->at, length);
    if (!cursor_take(c, length) || !length) return damaged(l, "an extended opcode");
    wg_status status = WG_OK;
    switch (cursor_u8(&value)) {
    case LNE_END_SEQUENCE:
        status = end_sequence(l);
        start_sequence(l);
        break;
    case LNE_SET_ADDRESS:
        set_address(l, &value);
        break;
    case LNE_DEFINE_FILE: {
        const char *name = cursor_string(&value);
        add_file(l, name, &value);
        break;
    }
    case LNE_INLINED_CALL:
        inlined_call(l, &value);
        break;
    default:
        break; /* its length lets us pass over it */
    }
    return value.bad ? damaged(l, "the operands of an extended opcode") : status;
}

static void run_special(line_reader *l, uint8_t opcode) {
    uint8_t adjusted = (uint8_t)(opcode - l->opcode_base);
    l->now.address += (uint64_t)(adjusted / l->line_range) * l->least_step;
    l->now.line += (uint32_t)(l->line_base + adjusted % l->line_range);
    add_row(l);
}

static void run_standard(line_reader *l, uint8_t opcode, cursor *c) {
    switch (opcode) {
    case LNS_COPY:
        add_row(l);
        break;
    case LNS_ADVANCE_PC:
        l->now.address += cursor_uleb(c) * l->least_step;
        break;
    case LNS_ADVANCE_LINE:
        l->now.line += (uint32_t)cursor_sleb(c);
        break;
    case LNS_SET_FILE:
        l->now.file = (uint32_t)cursor_uleb(c);
        break;
    case LNS_CONST_ADD_PC:
        l->now.address += (uint64_t)((255 - l->opcode_base) / l->line_range) * l->least_step;
        break;
    case LNS_FIXED_ADVANCE_PC:
        l->now.address += cursor_u16(c);
        break;
    default: /* of no meaning here: columns, statement flags, and what a later version brings */
        for (unsigned i = 0; i < l->lengths[opcode]; i++) cursor_uleb(c);
    }
}

static wg_status run_program(line_reader *l, cursor c) {
    wg_status status = WG_OK;
    start_sequence(l);
    while (status == WG_OK && cursor_left(&c)) {
        uint8_t opcode = cursor_u8(&c);
        if (opcode == 0)
            status = run_extended(l, &c);
        else if (opcode >= l->opcode_base)
            run_special(l, opcode);
        else
            run_standard(l, opcode, &c);
        if (status == WG_OK && c.bad) status = damaged(l, "an opcode");
        if (l->no_memory) return img_no_memory(l->r->err);
    }
    return status;
}

/* --- one unit: header, tables, program -------------------------------------------------- */

static void read_tables(line_reader *l, cursor *c) {
    l->files.count = l->folders.count = 0;
    for (const char *name = cursor_string(c); *name && !l->no_memory; name = cursor_string(c))
        if (!wg_vec_push(&l->folders, name)) l->no_memory = true;
    for (const char *name = cursor_string(c); *name && !l->no_memory; name = cursor_string(c))
        add_file(l, name, c);
}

static wg_status read_unit(line_reader *l, cursor *section) {
    uint64_t length = cursor_u32(section);
    bool wide = length == 0xffffffff;
    if (wide) length = cursor_u64(section);
    cursor c = cursor_over(section->at, length);
    if (!cursor_take(section, length)) return damaged(l, "a unit is longer than the section");
    uint16_t version = cursor_u16(&c);
    uint64_t header = wide ? cursor_u64(&c) : cursor_u32(&c);
    if (c.bad || header > cursor_left(&c)) return damaged(l, "a unit's header");
    if (version < 2 || version > 4) {
        l->r->module->note =
            wg_arena_printf(l->r->arena, "the line table has version %u, which is not read", version);
        return l->r->module->note ? WG_OK : img_no_memory(l->r->err);
    }
    cursor program = cursor_over(c.at + header, cursor_left(&c) - header);
    c = cursor_over(c.at, header);
    l->least_step = cursor_u8(&c);
    if (version == 4) cursor_u8(&c); /* operations in an instruction: this is no such machine */
    cursor_u8(&c);                   /* whether rows are statements at first */
    l->line_base = (int8_t)cursor_u8(&c);
    l->line_range = cursor_u8(&c);
    l->opcode_base = cursor_u8(&c);
    for (unsigned i = 1; i < l->opcode_base; i++) l->lengths[i] = cursor_u8(&c);
    read_tables(l, &c);
    if (c.bad || !l->line_range || !l->opcode_base) return damaged(l, "a unit's header");
    if (l->no_memory) return img_no_memory(l->r->err);
    return run_program(l, program);
}

/* --- all of it -------------------------------------------------------------------------- */

typedef struct placed_row {
    uint32_t offset, number;
} placed_row;

static int by_offset(const void *a, const void *b) {
    const placed_row *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The rows in ascending order; where several start at one offset the last covers what follows. */
static wg_status sort_rows(module_reader *r, img_function *f) {
    placed_row *order = wg_arena_array(r->arena, f->n_inlined, sizeof *order);
    f->lines = wg_arena_array(r->arena, f->n_inlined, sizeof *f->lines);
    if (!order || !f->lines) return img_no_memory(r->err);
    size_t count = 0;
    for (size_t i = 0; i < f->n_inlined; i++)
        if (f->inlined[i].offset < f->code_size)
            order[count++] = (placed_row){f->inlined[i].offset, (uint32_t)i};
    qsort(order, count, sizeof *order, by_offset);
    for (size_t i = 0; i < count; i++) {
        if (f->n_lines && f->lines[f->n_lines - 1].offset == order[i].offset) f->n_lines--;
        f->lines[f->n_lines++] = f->inlined[order[i].number];
    }
    if (f->n_lines) r->module->has_lines = true;
    return WG_OK;
}

static wg_status index_relocs(line_reader *l, const elf_section *lines) {
    for (size_t i = 1; i < l->r->elf.n_sections; i++) {
        const elf_section *s = &l->r->elf.sections[i];
        if ((s->type != SHT_REL && s->type != SHT_RELA) || &l->r->elf.sections[0] + s->info != lines)
            continue;
        elf_reloc *relocs;
        size_t count;
        wg_status status = img_elf_relocs(s, &l->r->elf, l->r->arena, &relocs, &count, l->r->err);
        if (status != WG_OK) return status;
        l->relocs = relocs;
        for (size_t k = 0; k < count; k++)
            if (!wg_u64map_set(&l->reloc_at, relocs[k].offset, k + 1)) return img_no_memory(l->r->err);
        return WG_OK; /* a section has its relocations in one place */
    }
    return WG_OK;
}

wg_status img_read_lines(module_reader *r) {
    const elf_section *lines = img_elf_find(&r->elf, ".debug_line");
    if (!lines || !lines->data) return WG_OK;
    line_reader l = {.r = r, .start = lines->data, .strings = img_elf_find(&r->elf, ".debug_str")};
    l.room = wg_arena_array(r->arena, r->module->n_functions, sizeof *l.room);
    if (!l.room) return img_no_memory(r->err);
    cursor section = cursor_over(lines->data, lines->size);
    wg_status status = index_relocs(&l, lines);
    while (status == WG_OK && cursor_left(&section)) status = read_unit(&l, &section);
    for (size_t i = 0; status == WG_OK && i < r->module->n_functions; i++)
        status = sort_rows(r, &r->module->functions[i]);
    wg_u64map_free(&l.reloc_at);
    wg_u64map_free(&l.names);
    wg_vec_free(&l.files);
    wg_vec_free(&l.folders);
    wg_vec_free(&l.rows);
    return status;
}
