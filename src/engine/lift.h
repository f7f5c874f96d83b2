/* What the handlers of the arithmetic families do, by name: for native.c, which makes machine code of runs of them. A row
 * of a family's ENG_LIFTS says that an operation's handlers do what the name means, with the fields of eng_ins that the
 * operation reads. What has no row stays a call of its handler. */
#ifndef WG_ENGINE_LIFT_H
#define WG_ENGINE_LIFT_H

#include "engine/machine.h"

/*  name        words of a, b, c and of the result */
#define ENG_LIFT_ROWS(X)                                                                                          \
    X(ADD2,      1, 1, 0, 1) /* a + b */                                                                          \
    X(ADD3,      1, 1, 1, 1)                                                                                      \
    X(SUB2,      1, 1, 0, 1)                                                                                      \
    X(ADD2_CARRY,1, 1, 0, 1) /* and the carry to pd[0] */                                                         \
    X(ADD2_X,    1, 1, 0, 1) /* and the carry of ps[0] */                                                         \
    X(LEA,       1, 1, 0, 1) /* (a << z) + b */                                                                   \
    X(LEA_CARRY, 1, 1, 0, 1)                                                                                      \
    X(LEA_HI,    1, 1, 1, 1) /* high word of (c:a << z), + b */                                                   \
    X(LEA_HI_X,  1, 1, 1, 1)                                                                                      \
    X(LOP3,      1, 1, 1, 1) /* table x */                                                                        \
    X(LOP3_TEST, 1, 1, 1, 1) /* pd[0]: not zero, or (y: and) ps[0] */                                             \
    X(SHL,       1, 1, 0, 1) /* a << b; x: SHF_... of exec_int.c */                                               \
    X(SHR,       0, 1, 1, 1) /* c >> b */                                                                         \
    X(SAR,       0, 1, 1, 1)                                                                                      \
    X(SEL,       1, 1, 0, 1) /* ps[0] ? a : b */                                                                  \
    X(MIN_S,     1, 1, 0, 1)                                                                                      \
    X(MAX_S,     1, 1, 0, 1)                                                                                      \
    X(MIN_U,     1, 1, 0, 1)                                                                                      \
    X(MAX_U,     1, 1, 0, 1)                                                                                      \
    X(MAD,       1, 1, 1, 1) /* a * b + c */                                                                      \
    X(MUL,       1, 1, 0, 1)                                                                                      \
    X(MOV_C,     0, 0, 1, 1)                                                                                      \
    X(ADD_AC,    1, 0, 1, 1)                                                                                      \
    X(SHL_ADD,   1, 0, 1, 1) /* (a << z) + c */                                                                   \
    X(WIDE_S,    1, 1, 2, 2) /* 64-bit product and sum */                                                         \
    X(WIDE_U,    1, 1, 2, 2)                                                                                      \
    X(WIDE_MUL_S,1, 1, 0, 2)                                                                                      \
    X(WIDE_MUL_U,1, 1, 0, 2)                                                                                      \
    X(ISETP,     1, 1, 0, 0) /* x comparison, y boolean, z: 1 signed, 2 extended */                               \
    X(FADD,      1, 1, 0, 1) /* x: modifiers, y rounding, z FMUL's scale; as exec_float.c has them */             \
    X(FMUL,      1, 1, 0, 1)                                                                                      \
    X(FFMA,      1, 1, 1, 1)                                                                                      \
    X(FSETP,     1, 1, 0, 0) /* x: modifiers, z comparison and boolean << 4 */                                    \
    X(FSEL,      1, 1, 0, 1) /* x: modifiers */                                                                   \
    X(MOV,       1, 0, 0, 1)                                                                                      \
    X(MOV64,     2, 0, 0, 2)                                                                                      \
    X(LDS,       0, 0, 0, 1) /* loads: loads.h does them, before the rest of a run */                              \
    X(LDS_64,    0, 0, 0, 2)                                                                                      \
    X(LDS_128,   0, 0, 0, 4)                                                                                      \
    X(COUNT,     0, 0, 0, 0) /* the planner's own: a basic block */                                               \
    X(COUNT_GUARD,0,0, 0, 0) /* a guard */                                                                        \
    X(BRA,       0, 0, 0, 0) /* z: 1 backward, 2 an event is wanted, 4 and ps[0], 8 and ps[1] */

typedef enum eng_lift {
    ENG_LIFT_NONE,
#define X(name, ...) ENG_LIFT_##name,
    ENG_LIFT_ROWS(X)
#undef X
    ENG_LIFTS_N
} eng_lift;

static inline bool eng_lift_loads(eng_lift lift) { return lift >= ENG_LIFT_LDS && lift <= ENG_LIFT_LDS_128; }

typedef struct eng_lift_row {
    const eng_fn *variants; /* plain, uniform, guarded; NULL ends a table */
    eng_lift lift;
} eng_lift_row;

/* Where flags of exec_int.c and exec_float.c lie, which both sides must know. */
enum { ENG_SHF_WIDE = 8, ENG_SHF_WRAP = 16 };
enum { ENG_FLOAT_SIGNS = 63 /* two bits an operand: negative, absolute */, ENG_FMUL_UNSCALED = 4 };

/* Ends a family's file, after ENG_FAMILY:  ENG_LIFTS(int, {add2, ENG_LIFT_ADD2}, ...) */
#define ENG_LIFTS(family, ...)                                                                                    \
    extern const eng_lift_row ENG_ISA(eng_lifts_##family)[];                                                      \
    const eng_lift_row ENG_ISA(eng_lifts_##family)[] = {__VA_ARGS__, {0}}

#endif
