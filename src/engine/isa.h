/* The host's instruction sets. Each exec_*.c is compiled once for each of them with WG_ISA = portable, avx2, avx512;
 * ENG_ISA(name) gives the name that its exported table has in that compilation. */
#ifndef WG_ENGINE_ISA_H
#define WG_ENGINE_ISA_H

#ifdef WG_ISA
#define ENG_ISA_PASTE2(name, isa) name##_##isa
#define ENG_ISA_PASTE(name, isa)  ENG_ISA_PASTE2(name, isa)
#define ENG_ISA(name)             ENG_ISA_PASTE(name, WG_ISA)
#endif

typedef enum eng_isa { ENG_PORTABLE, ENG_AVX2, ENG_AVX512, ENG_ISAS } eng_isa;
/* The best one this processor has; WARPGRIND_ISA=portable|avx2|avx512 asks for less. */
eng_isa eng_isa_choose(void);

#endif
