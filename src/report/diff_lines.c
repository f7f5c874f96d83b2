#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff.h"
#include "report/fold.h"
#include "report/write.h"

static int by_place(const void *a, const void *b) {
    const rep_code_line *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    return files ? files : (x->line > y->line) - (x->line < y->line);
}

static rep_code_line *line_of(rep_code_lines *lines, const rep_spot *spot) {
    for (size_t i = 0; i < lines->count; i++)
        if (lines->at[i].line == spot->line && strcmp(lines->at[i].file, spot->file) == 0) return &lines->at[i];
    rep_code_line *line = &lines->at[lines->count++];
    *line = (rep_code_line){.file = spot->file, .line = spot->line, .counters = json_object(), .partner = SIZE_MAX};
    return line;
}

/* The opcode alone: registers change wherever anything does. */
static bool add_code(rep_code_line *line, const char *sass) {
    const char *at = sass ? sass : "?";
    if (*at == '@') at += strcspn(at, " ") + (strchr(at, ' ') != NULL);
    size_t n = strcspn(at, " "), have = line->code ? strlen(line->code) : 0;
    char *code = realloc(line->code, have + n + 2);
    if (!code) return false;
    memcpy(code + have, at, n);
    memcpy(code + have + n, ";", 2);
    line->code = code;
    return true;
}

bool rep_code_lines_of(const rep_kernel *kernel, rep_code_lines *out) {
    *out = (rep_code_lines){.at = calloc(kernel->spots.count + 1, sizeof *out->at)};
    if (!out->at) return false;
    for (size_t i = 0; i < kernel->spots.count; i++) {
        const rep_spot *spot = &kernel->spots.at[i];
        if (!spot->file) continue;
        rep_code_line *line = line_of(out, spot);
        if (!line->counters || !add_code(line, spot->sass)) return false;
        rep_add(line->counters, spot->counters);
    }
    qsort(out->at, out->count, sizeof *out->at, by_place);
    return true;
}

void rep_code_lines_free(rep_code_lines *lines) {
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->at[i].code);
        json_decref(lines->at[i].counters);
    }
    free(lines->at);
    *lines = (rep_code_lines){0};
}

static bool same_code(const rep_code_line *x, const rep_code_line *y) {
    return strcmp(rep_base_name(x->file), rep_base_name(y->file)) == 0 && strcmp(x->code, y->code) == 0;
}

/* Lines between two pairs: those at the same distance from the pair before are the same line with other code. */
static void pair_gap(rep_code_lines *a, size_t i, size_t i_end, rep_code_lines *b, size_t j, size_t j_end) {
    json_int_t shift = i && j && a->at[i - 1].partner == j - 1 ? b->at[j - 1].line - a->at[i - 1].line : 0;
    bool in_order = i_end - i == j_end - j;
    for (; i < i_end; i++) {
        for (size_t k = j; k < j_end; k++) {
            if (!in_order && b->at[k].line != a->at[i].line + shift) continue;
            a->at[i].partner = k;
            b->at[k].partner = i;
            j = k + 1;
            break;
        }
    }
}

/* The longest common subsequence of lines with the same code, then the gaps between. */
bool rep_code_lines_pair(rep_code_lines *a, rep_code_lines *b) {
    size_t n = a->count, m = b->count, width = m + 1;
    uint32_t *longest = calloc((n + 1) * width, sizeof *longest); /* of the lines from i and from j on */
    if (!longest) return false;
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            uint32_t skip_a = longest[(i + 1) * width + j], skip_b = longest[i * width + j + 1];
            uint32_t best = skip_a > skip_b ? skip_a : skip_b;
            if (same_code(&a->at[i], &b->at[j]) && longest[(i + 1) * width + j + 1] + 1 > best) best = longest[(i + 1) * width + j + 1] + 1;
            longest[i * width + j] = best;
        }
    size_t i = 0, j = 0, gap_i = 0, gap_j = 0;
    while (i < n && j < m) {
        if (same_code(&a->at[i], &b->at[j]) && longest[i * width + j] == longest[(i + 1) * width + j + 1] + 1) {
            pair_gap(a, gap_i, i, b, gap_j, j);
            a->at[i].partner = j;
            b->at[j].partner = i;
            gap_i = ++i;
            gap_j = ++j;
        } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) i++;
        else j++;
    }
    pair_gap(a, gap_i, n, b, gap_j, m);
    free(longest);
    return true;
}
