#include "engine/isa.h"

#include <stdlib.h>
#include <string.h>

eng_isa eng_isa_choose(void) {
    eng_isa best = ENG_PORTABLE;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        best = ENG_AVX2;
#if !defined(WG_NO_AVX512) /* gcc 12 with sanitizers gets the upper lanes of AVX-512 masks wrong; plain builds are tested with it */
    if (best == ENG_AVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        best = ENG_AVX512;
#endif
    static const char *const names[ENG_ISAS] = {"portable", "avx2", "avx512"};
    const char *asked = getenv("WARPGRIND_ISA");
    for (int isa = 0; asked && isa < ENG_ISAS; isa++)
        if (!strcmp(asked, names[isa]) && isa < (int)best) return (eng_isa)isa;
    return best;
}
