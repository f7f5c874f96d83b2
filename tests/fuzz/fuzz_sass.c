/* Fuzzes decoder, printer and flow. The first byte chooses the architecture, the second the size of the text
 * buffer; the rest is code. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "sass/sass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds) {
    if (!holds) abort();
}

static void look_at(const sass_instr *i, size_t room) {
    /* Of its own size, so that a byte too many is seen. */
    char *text = malloc(room ? room : 1);
    if (!text) return;
    const size_t len = sass_print(i, text, room);
    if (room) check(strlen(text) == (len < room ? len : room - 1));
    check(len > 0 && len < 300);
    free(text);
    check(sass_dst_regs(i) <= 8 && sass_dst2_regs(i) <= 2 && sass_address_regs(&i->mem) <= 2);
    check(sass_src_regs(i, &i->a) <= 16 && sass_src_regs(i, &i->b) <= 8 && sass_src_regs(i, &i->c) <= 8);
}

static void walk(const sass_cfg *cfg, size_t n) {
    for (size_t b = 0; b < cfg->n_blocks; b++) {
        const sass_block *block = &cfg->blocks[b];
        check(block->first <= block->last && block->last < n);
        for (int k = 0; k < 2; k++) check(block->succ[k] == UINT32_MAX || block->succ[k] < cfg->n_blocks);
    }
    for (size_t k = 0; k < n; k++) check(cfg->block_of[k] < cfg->n_blocks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const int sms[] = {75, 80, 86, 89, 90, 100, 103, 120};
    if (size < 2) return 0;
    const int sm = sms[data[0] % 8];
    const size_t room = data[1], n = (size - 2) / 16;
    wg_arena *arena = wg_arena_new();
    sass_instr *code = arena ? wg_arena_array(arena, n + 1, sizeof *code) : NULL;
    for (size_t k = 0; code && k < n; k++) {
        uint8_t *word = malloc(16); /* alone, so that a read beyond it is seen */
        if (!word) break;
        memcpy(word, data + 2 + 16 * k, 16);
        const int known = sass_decode(word, (uint32_t)(16 * k), sm, &code[k]);
        free(word);
        check(known == (code[k].op != SASS_UNKNOWN));
        look_at(&code[k], room);
    }
    const uint32_t leaders[] = {16, 17, UINT32_MAX};
    const sass_cfg *cfg = code ? sass_cfg_build(arena, code, n, leaders, 3) : NULL;
    if (cfg && n) walk(cfg, n);
    wg_arena_free(arena);
    return 0;
}
