/* Decoding one word, written as the listings write it: the high half first. */
#ifndef WG_TESTS_SASS_WORDS_H
#define WG_TESTS_SASS_WORDS_H

#include "sass/sass.h"

static inline bool decode_word(int sm, uint64_t hi, uint64_t lo, uint32_t offset, sass_instr *out) {
    const uint64_t word[2] = {lo, hi};
    return sass_decode(word, offset, sm, out);
}
static inline sass_instr decoded(int sm, uint64_t hi, uint64_t lo) {
    sass_instr instr;
    decode_word(sm, hi, lo, 0, &instr);
    return instr;
}

#endif
