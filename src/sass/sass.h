/* SASS, the machine code of sm_75 to sm_120: one 128-bit word an instruction.
 * isa.def holds one row an opcode; decoding fills named slots (destination, sources A B C,
 * predicates, memory operand), printing turns them into nvdisasm's text. */
#ifndef WG_SASS_SASS_H
#define WG_SASS_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SASS_RPC = 16 }; /* as a barrier register: the first word of Rpc, behind B0..B15 */
enum { SASS_RZ = 255, SASS_URZ = 255 /* normalised, whatever the encoding's width */, SASS_PT = 7 };

typedef enum sass_op {
    SASS_UNKNOWN = 0,
#define SASS_ROW(name, ...) SASS_##name,
#include "sass/isa.def"
#undef SASS_ROW
    SASS_OP_COUNT
} sass_op;

typedef enum sass_operand_kind {
    SASS_NONE = 0,
    SASS_REG,      /* reg = 0..254, 255 RZ */
    SASS_UREG,     /* uniform register */
    SASS_IMM,      /* value: 32 bits as encoded (the high word of a double for 64-bit float ops) */
    SASS_CONST,    /* c[bank][offset], or c[bank][Rindex+offset] */
    SASS_BINDLESS, /* cx[URreg][offset] */
    SASS_SPECIAL,  /* special register: value = number (SR_TID.X = 0x21, ...) */
    SASS_BARRIER,  /* convergence barrier B0..B15: reg */
    SASS_LABEL     /* value = code offset from the function's start */
} sass_operand_kind;

typedef struct sass_operand {
    uint8_t kind;    /* sass_operand_kind */
    uint8_t reg;     /* register, uniform register or barrier number */
    uint8_t bank;    /* constant bank */
    uint8_t index;   /* SASS_CONST: index register, 255 = none */
    uint8_t swizzle; /* half operands: 0 both, 1 .F32, 2 .H0_H0, 3 .H1_H1, 4 .H0_NH1: high half = low, low = -high */
    bool index_uniform;
    bool neg, abs, inv; /* inv: bitwise not */
    bool reuse;         /* register cache hint; printed, no meaning */
    int64_t value;      /* immediate, offset, special register, label */
} sass_operand;

typedef struct sass_pred {
    uint8_t reg;  /* 0..6, 7 = PT */
    bool uniform; /* UP */
    bool inv;
    bool present; /* the instruction has this operand (PT included) */
} sass_pred;

typedef struct sass_address {
    bool present;
    uint8_t base;    /* register, 255 = none */
    uint8_t uniform; /* uniform base register, 255 = none */
    uint8_t desc;    /* descriptor uniform register, 255 = none; of no meaning here */
    bool wide;       /* .E: base (a pair) holds 64 bits */
    bool base32;     /* base is a single 32-bit register, zero-extended (.U32), added to the uniform base */
    uint8_t scale;   /* base is multiplied: 1, 4, 8, 16 (shared, sm_75 to sm_89) */
    int32_t offset;  /* bytes */
} sass_address;

typedef enum sass_cmp { /* bit 0 less, 1 equal, 2 greater, 3 or unordered */
    SASS_F, SASS_LT, SASS_EQ, SASS_LE, SASS_GT, SASS_NE, SASS_GE, SASS_NUM,
    SASS_NAN, SASS_LTU, SASS_EQU, SASS_LEU, SASS_GTU, SASS_NEU, SASS_GEU, SASS_T
} sass_cmp; /* integer compares use 0..6 and SASS_T */
typedef enum sass_bop { SASS_AND, SASS_OR, SASS_XOR } sass_bop;
typedef enum sass_round { SASS_RN, SASS_RM, SASS_RP, SASS_RZ_ } sass_round; /* FLOOR=RM, CEIL=RP, TRUNC=RZ */
typedef enum sass_type {
    SASS_TYPE_NONE, SASS_U8, SASS_S8, SASS_U16, SASS_S16, SASS_U32, SASS_S32, SASS_U64, SASS_S64,
    SASS_F16, SASS_BF16, SASS_F32, SASS_F64, SASS_TF32, SASS_F16X2, SASS_BF16X2, SASS_B64, SASS_B128, SASS_U4, SASS_S4, SASS_U2, SASS_S2,
    SASS_E4M3X2, SASS_E5M2X2 /* 8-bit floats, two of them */,
    SASS_SD32, SASS_SD64 /* integers whose sign the surface says */
} sass_type;
typedef enum sass_atom {
    SASS_ATOM_ADD, SASS_ATOM_MIN, SASS_ATOM_MAX, SASS_ATOM_INC, SASS_ATOM_DEC, SASS_ATOM_AND, SASS_ATOM_OR,
    SASS_ATOM_XOR, SASS_ATOM_EXCH, SASS_ATOM_CAS, SASS_ATOM_POPC_INC, SASS_ATOM_ARRIVE, SASS_ATOM_CAST_SPIN
} sass_atom;
/* sass_instr.sub of the opcodes that have a kind */
enum { SASS_WARPSYNC_EXCLUSIVE = 1, SASS_WARPSYNC_COLLECTIVE };
enum { SASS_MUFU_COS, SASS_MUFU_SIN, SASS_MUFU_EX2, SASS_MUFU_LG2, SASS_MUFU_RCP, SASS_MUFU_RSQ, SASS_MUFU_RCP64H,
       SASS_MUFU_RSQ64H, SASS_MUFU_SQRT, SASS_MUFU_TANH };
enum { SASS_SHFL_IDX, SASS_SHFL_UP, SASS_SHFL_DOWN, SASS_SHFL_BFLY };
enum { SASS_VOTE_ALL, SASS_VOTE_ANY, SASS_VOTE_EQ };
enum { SASS_MATCH_ALL, SASS_MATCH_ANY };
enum { SASS_REDUX_AND, SASS_REDUX_OR, SASS_REDUX_XOR, SASS_REDUX_SUM, SASS_REDUX_MIN, SASS_REDUX_MAX };
enum { SASS_BAR_SYNC, SASS_BAR_ARV, SASS_BAR_RED, SASS_BAR_SCAN }; /* RED: bop is one of the next line */
enum { SASS_BAR_POPC, SASS_BAR_AND, SASS_BAR_OR };
enum { SASS_F2FP_PACK, SASS_F2FP_MERGE, SASS_F2FP_UNPACK, SASS_F2FP_PACK_MERGE, SASS_F2FP_UNPACK_MERGE };
enum { SASS_BRA_PLAIN, SASS_BRA_U, SASS_BRA_DIV, SASS_BRA_CONV };
enum { SASS_PRMT_IDX, SASS_PRMT_F4E, SASS_PRMT_B4E, SASS_PRMT_RC8, SASS_PRMT_ECL, SASS_PRMT_ECR, SASS_PRMT_RC16 };
typedef enum sass_scope { SASS_SCOPE_NONE, SASS_CTA, SASS_SM, SASS_GPU, SASS_SYS } sass_scope;
typedef enum sass_order { SASS_WEAK, SASS_CONSTANT, SASS_STRONG, SASS_MMIO } sass_order;

/* Modifier bits of an instruction; which ones an opcode has is said in isa.def. */
enum {
    SASS_FTZ = 1 << 0, SASS_FMZ = 1 << 1, SASS_SAT = 1 << 2, SASS_NANPROP = 1 << 3, SASS_XORSIGN = 1 << 4,
    SASS_RELU = 1 << 5, SASS_BF = 1 << 6 /* FSET/HSET2 .BF */, SASS_PACKED_BF16 = 1 << 7, SASS_F32OUT = 1 << 8,
    SASS_X = 1 << 9 /* extended: takes the carry */, SASS_HI = 1 << 10, SASS_WRAP = 1 << 11 /* .W */,
    SASS_RIGHT = 1 << 12, SASS_EX = 1 << 13, SASS_SX32 = 1 << 14, SASS_SIGNED = 1 << 15, SASS_PAND = 1 << 16,
    SASS_SH = 1 << 17, SASS_ZFILL = 1 << 18, SASS_CACHED = 1 << 19 /* LDGSTS: not .BYPASS */, SASS_COLLECTIVE = 1 << 20,
    SASS_NOINC = 1 << 21, SASS_ABS_TARGET = 1 << 22, SASS_ACC = 1 << 23,
    SASS_SPARSE = 1 << 25, SASS_NTZ = 1 << 26, SASS_CLEAR = 1 << 27, SASS_MOD64 = 1 << 28, SASS_BRANCH_DIV = 1 << 29,
    SASS_BRANCH_CONV = 1 << 30
};
enum { /* of bulk copies, which have none of the others */
    SASS_MULTICAST = 1 << 0, SASS_IM2COL = 1 << 1
};
enum { /* of textures, likewise */
    SASS_OFFSETS = 1 << 0, SASS_CLAMPED = 1 << 1, SASS_COMPARES = 1 << 2 /* or chooses a sample */
};

typedef struct sass_instr {
    uint64_t lo, hi;  /* the word */
    uint32_t offset;  /* bytes from the function's start */
    uint16_t op;      /* sass_op */
    uint8_t sm;       /* architecture it was decoded for */
    sass_pred guard;  /* @P; reg 7 and not inv: always */

    /* Sources fill a, b, c, predicates pdst and psrc, in the order in which the operands are printed, wherever they
     * lie in the word: MOV and MUFU read a; a store's or an atomic's data is a; compare-and-swap has the compare
     * value in a and the new one in b; SHFL a value, b lane, c clamp; BAR a number, b count (shape 1: one register
     * holds both, the number in bits 0..3 and the count from bit 16 on); S2R a special register;
     * LDC a constant; BSSY, BSYNC, BREAK a barrier. BRX, RET and CALL through a register: a is the register, b a
     * SASS_LABEL whose value is added to it. BRA with shape 1 (.ANY) is taken by all lanes when any lane would. BRA: psrc[0] as well as the guard must hold, and psrc[1] (uniform). */
    sass_operand dst;       /* first destination register (the low one of a pair or vector) */
    sass_operand dst2;      /* textures: register of the third and fourth component that the mask asks for */
    sass_operand a, b, c;   /* first, second, third logical source */
    sass_operand extra;     /* textures and surfaces: where the descriptor is; sparse MMA: the metadata register; bulk copies: the
                               cache policy. Their a is where they copy to, b where from, c the size; of tensors a is the
                               place in shared memory, the barrier of loads, and the coordinates, b the tensor map */
    sass_pred pdst[2];      /* predicate destinations */
    sass_pred psrc[3];      /* predicate sources (SEL's selector, carry-ins, PLOP3's a b c; ISETP.EX: [1] low word) */
    sass_address mem;       /* memory operand; LDGSTS: the global side */
    sass_address mem2;      /* LDGSTS: the shared side */
    uint32_t flags;         /* SASS_FTZ, ... */
    uint8_t sub;            /* function of MUFU, SHFL, VOTE, BAR, PRMT mode, REDUX, CCTL, atom (sass_atom), ... */
    uint8_t cmp, bop, round;
    uint8_t type, stype;    /* sass_type of the result / of the source */
    uint8_t width;          /* bytes a lane moves: 1 2 4 8 16 (memory, LDC) */
    uint8_t lut, lut2;      /* LOP3, PLOP3 */
    uint8_t shift;          /* LEA's shift, SHFL and others where an immediate is small */
    uint8_t byte;           /* byte/half selector of I2F, F2F, P2R */
    uint8_t shape;          /* tensor shapes, LDSM count, ... (isa.def says) */
    uint8_t order, scope, evict;
    uint32_t target;        /* branch target, bytes from the function's start (valid when has_target) */
    bool has_target;
} sass_instr;

/* Decodes the 16 bytes at `word`; offset is its place in the function. Always fills *out;
 * an unknown or malformed word has op SASS_UNKNOWN and false is returned. */
bool sass_decode(const void *word, uint32_t offset, int sm, sass_instr *out);
/* nvdisasm's text, guard included, without the trailing " ;". Returns the length that it would have. */
size_t sass_print(const sass_instr *instr, char *buf, size_t size);
/* Mnemonic with what the opcode itself fixes ("IMAD", "IMAD.WIDE"), without modifiers. */
const char *sass_name(sass_op op);
/* The engine binder that isa.def names for the opcode ("imad_wide"); NULL for an unknown one. */
const char *sass_handler_name(sass_op op);
/* False where the hardware's last bits are not known (floating-point MMA, filtered textures). */
bool sass_is_exact(sass_op op);
/* "SR_TID.X"; NULL when unknown. */
const char *sass_special_name(unsigned sr);

/* What an opcode is, for control flow, counters and analyses (column CLASS of isa.def). */
typedef enum sass_class {
    SASS_CLASS_ALU, SASS_CLASS_UNIFORM, SASS_CLASS_FP, SASS_CLASS_FP64, SASS_CLASS_HALF, SASS_CLASS_TENSOR,
    SASS_CLASS_CONVERT, SASS_CLASS_SPECIAL /* MUFU */, SASS_CLASS_PRED, SASS_CLASS_MOVE, SASS_CLASS_CONST_LOAD,
    SASS_CLASS_GLOBAL_LD, SASS_CLASS_GLOBAL_ST, SASS_CLASS_GENERIC_LD, SASS_CLASS_GENERIC_ST,
    SASS_CLASS_SHARED_LD, SASS_CLASS_SHARED_ST, SASS_CLASS_LOCAL_LD, SASS_CLASS_LOCAL_ST,
    SASS_CLASS_GLOBAL_ATOM, SASS_CLASS_GLOBAL_RED, SASS_CLASS_SHARED_ATOM, SASS_CLASS_ASYNC_COPY, SASS_CLASS_TEXTURE,
    SASS_CLASS_SURFACE, SASS_CLASS_CACHE, SASS_CLASS_FENCE, SASS_CLASS_BRANCH, SASS_CLASS_CONVERGE /* BSSY, BSYNC.. */,
    SASS_CLASS_CALL, SASS_CLASS_EXIT, SASS_CLASS_BARRIER, SASS_CLASS_WARP /* SHFL, VOTE, MATCH, REDUX */,
    SASS_CLASS_OTHER
} sass_class;
sass_class sass_class_of(sass_op op);

/* What an opcode counts as in the mix of instructions that the hardware's tools give (column KIND). FADD to FFMA count as FP32
 * too, and so on. */
typedef enum sass_kind {
    SASS_KIND_NONE, SASS_KIND_FADD, SASS_KIND_FMUL, SASS_KIND_FFMA, SASS_KIND_FP32, SASS_KIND_DADD, SASS_KIND_DMUL, SASS_KIND_DFMA,
    SASS_KIND_FP64, SASS_KIND_HADD, SASS_KIND_HMUL, SASS_KIND_HFMA, SASS_KIND_FP16, SASS_KIND_FP8, SASS_KIND_INTEGER, SASS_KIND_BIT,
    SASS_KIND_CONVERSION, SASS_KIND_CONTROL, SASS_KIND_MEMORY, SASS_KIND_EXCHANGE /* between lanes */, SASS_KIND_UNIFORM, SASS_KIND_MISC
} sass_kind;
sass_kind sass_kind_of(sass_op op);

/* Number of consecutive 32-bit registers that dst covers (1, 2, 4, ...), and that a source slot (&instr->a, b, c or extra)
 * covers; uniform registers likewise. 0 for RZ, URZ and what is no register. */
unsigned sass_dst_regs(const sass_instr *instr);
unsigned sass_dst2_regs(const sass_instr *instr);
unsigned sass_src_regs(const sass_instr *instr, const sass_operand *slot);
unsigned sass_address_regs(const sass_address *address); /* of its base */

/* Warp-group MMA: is it one, the columns of B and D (0: no such shape), the bits of a row of A, which are the same for all types but of bits. */
bool sass_is_gmma(sass_op op);
unsigned sass_gmma_columns(const sass_instr *instr);

/* --- control flow (cfg.c) ------------------------------------------------------------ */
typedef struct sass_block {
    uint32_t first, last; /* instruction indices, inclusive */
    uint32_t succ[2];     /* block numbers, UINT32_MAX none (BRX: see sass_cfg.indirect) */
    bool indirect;        /* ends in BRX/CALL/RET whose targets the code does not state */
} sass_block;
typedef struct sass_cfg {
    sass_block *blocks;
    size_t n_blocks;
    uint32_t *block_of; /* instruction index -> block */
} sass_cfg;
struct wg_arena;
/* Basic blocks of a decoded function; extra_leaders: code offsets of jump-table targets. NULL: no memory. */
sass_cfg *sass_cfg_build(struct wg_arena *arena, const sass_instr *instrs, size_t n, const uint32_t *extra_leaders,
                         size_t n_extra);

#endif
