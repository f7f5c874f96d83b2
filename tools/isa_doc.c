/* Prints docs/isa.md from src/sass/isa.def, and from the engine which rows have a handler, and what of them it executes. */
#include "engine/code.h"
#include "isa_audit.h"
#include "sass/sass.h"

#include <stdio.h>
#include <string.h>

enum { ANY = 0, LAST_SM = 90 };

typedef struct doc_row {
    const char *name, *text, *forms, *operands, *mods, *class, *kind, *handler, *exact;
    unsigned code;
    int min_sm, max_sm;
} doc_row;

static const doc_row rows[] = {
#define SASS_ROW(name_, text_, code_, forms_, operands_, src_, mods_, class_, kind_, handler_, exact_, min_, max_)  \
    {#name_, text_, #forms_, #operands_, #mods_, #class_, #kind_, #handler_, #exact_, code_, min_, max_},
#include "sass/isa.def"
#undef SASS_ROW
};

/* "(D, A, S)" without its parentheses; "(NONE)" is nothing. */
static void put_list(const char *list) {
    if (strcmp(list, "(NONE)") == 0)
        putchar(' ');
    else
        printf("%.*s", (int)strlen(list) - 2, list + 1);
}

static void put_architectures(const doc_row *r) {
    if (r->min_sm == ANY && r->max_sm == ANY)
        printf("all");
    else if (r->max_sm == ANY)
        printf("from %d", r->min_sm);
    else if (r->min_sm == ANY)
        printf("to %d", r->max_sm);
    else if (r->min_sm == r->max_sm)
        printf("%d", r->min_sm);
    else
        printf("%d to %d", r->min_sm, r->max_sm);
}

static void put_forms(const char *forms) { /* '|' would end the cell */
    for (; *forms; forms++)
        if (*forms == '|')
            putchar('+');
        else if (*forms != ' ')
            putchar(*forms);
}

/* Rows that no handler executes, of the architectures whose code is executed (lowest to 90), or of later ones. */
static void put_refused(const eng_device *device, const char *title, bool later) {
    printf("%s", title);
    const char *comma = " ";
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (device->binders[k + 1] || (rows[k].min_sm > LAST_SM) != later) continue;
        printf("%s%s", comma, rows[k].name);
        comma = ", ";
    }
    puts(*comma == ' ' ? " none.\n" : ".\n");
}

int main(void) {
    eng_device *device;
    wg_error err;
    if (eng_device_new(eng_gpu_find("h200"), &device, &err) != WG_OK) return fprintf(stderr, "%s\n", err.text), 1;
    puts("# Opcodes\n\n"
         "Made from `src/sass/isa.def` by `isa_doc`; the columns are explained there. Operands stand in the "
         "order in which\n"
         "they are printed, modifiers too. Every row is decoded and printed; a kernel with an instruction that is not "
         "executed is\n"
         "refused before it begins, with the instruction's text and place. Below the rows: which words of them are refused, and why.\n");
    printf("%zu rows.\n\n", sizeof rows / sizeof *rows);
    put_refused(device, "Not executed, of sm_75 to sm_90:", false);
    put_refused(device, "Of later architectures, whose code is decoded only:", true);
    puts("| row | mnemonic | bits 0..8 | forms | operands | modifiers | class | kind | handler | result | sm |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const doc_row *r = &rows[k];
        printf("| %s | `%s` | %03x | ", r->name, r->text, r->code);
        put_forms(r->forms);
        printf(" | ");
        put_list(r->operands);
        printf(" | ");
        put_list(r->mods);
        printf(" | %s | %s | %s | %s | ", r->class, r->kind, device->binders[k + 1] ? r->handler : "-",
               strcmp(r->exact, "EXACT") == 0 ? "exact" : "approximate");
        put_architectures(r);
        puts(" |");
    }
    static const char *names[SASS_OP_COUNT] = {"unknown"};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) names[k + 1] = rows[k].name;
    bool good = isa_audit(device, names);
    eng_device_free(device);
    return !good;
}
