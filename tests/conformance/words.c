/* Prints the words to be tried: for each row of isa.def that an H200 has, every form and every value of every modifier at
 * least once, among random values of the others, signs and predicates.   words > words.txt
 * A line: high word, low word, kind of inputs, whether the result comes at a time of its own, text. */
#include <stdio.h>
#include <stdlib.h>

#include "probe.h"
#include "sass/forms.h"

enum { SM = 90 };
static uint64_t state = 0x1234567;
static unsigned below(unsigned n) { return (probe_random(&state) >> 4) % n; }

/* --- which rows ------------------------------------------------------------------------------------------- */

static int is_memory(const sass_row *row) {
    switch ((sass_class)row->class) {
    case SASS_CLASS_GLOBAL_LD: case SASS_CLASS_GLOBAL_ST: case SASS_CLASS_GENERIC_LD: case SASS_CLASS_GENERIC_ST: case SASS_CLASS_SHARED_LD:
    case SASS_CLASS_SHARED_ST: case SASS_CLASS_GLOBAL_ATOM: case SASS_CLASS_GLOBAL_RED: case SASS_CLASS_SHARED_ATOM: return 1;
    default: return 0;
    }
}
static int is_tried(unsigned op) {
    const sass_row *row = &sass_rows[op];
    if (!row->text || row->min_sm > SM || (row->max_sm != ANY && row->max_sm < SM) || row->forms == ANYFORM) return 0;
    switch (op) { /* what they answer depends on more than their operands, or they have no effect that a thread sees */
    case SASS_CS2R: case SASS_S2R: case SASS_S2UR: case SASS_B2R: case SASS_BMOV_GET: case SASS_BMOV_SET: case SASS_RPCMOV_SET:
    case SASS_RPCMOV_GET: case SASS_LDC: case SASS_ULDC: case SASS_ULDC_R: case SASS_LDGMC: case SASS_QMMA: case SASS_ELECT: return 0;
    default: break;
    }
    switch ((sass_class)row->class) {
    case SASS_CLASS_ALU: case SASS_CLASS_UNIFORM: case SASS_CLASS_FP: case SASS_CLASS_FP64: case SASS_CLASS_HALF: case SASS_CLASS_TENSOR:
    case SASS_CLASS_CONVERT: case SASS_CLASS_SPECIAL: case SASS_CLASS_PRED: case SASS_CLASS_MOVE: case SASS_CLASS_WARP: return 1;
    default: return is_memory(row);
    }
}
static int has_own_time(unsigned op) {
    switch (op) {
    case SASS_MUFU: case SASS_F2F: case SASS_F2F_64: case SASS_F2I: case SASS_F2I_64: case SASS_I2F: case SASS_I2F_64: case SASS_FRND:
    case SASS_FRND_64: case SASS_FCHK: case SASS_POPC: case SASS_FLO: case SASS_BREV: case SASS_MATCH: case SASS_REDUX: case SASS_SHFL:
    case SASS_MOVM: case SASS_DMMA: case SASS_R2UR_90: case SASS_LDSM: return 1;
    default: break;
    }
    switch ((sass_class)sass_rows[op].class) { /* what gives nothing back would be waited for without end */
    case SASS_CLASS_GLOBAL_ST: case SASS_CLASS_GENERIC_ST: case SASS_CLASS_SHARED_ST: case SASS_CLASS_GLOBAL_RED: return 0;
    default: return is_memory(&sass_rows[op]);
    }
}

/* --- inputs ------------------------------------------------------------------------------------------------ */

static probe_kind kind_of_type(unsigned type) {
    switch (type) {
    case SASS_F16: case SASS_F16X2: return PROBE_F16;
    case SASS_BF16: case SASS_BF16X2: return PROBE_BF16;
    case SASS_F32: case SASS_TF32: return PROBE_F32;
    case SASS_F64: return PROBE_F64;
    default: return PROBE_INT;
    }
}
static probe_kind kind_of(const sass_instr *i, unsigned n) {
    const sass_row *row = &sass_rows[i->op];
    switch ((sass_class)row->class) {
    case SASS_CLASS_FP: return PROBE_F32;
    case SASS_CLASS_FP64: return PROBE_F64;
    case SASS_CLASS_HALF: return i->flags & SASS_PACKED_BF16 ? PROBE_BF16 : PROBE_F16;
    case SASS_CLASS_SPECIAL:
        return i->sub == SASS_MUFU_RCP64H || i->sub == SASS_MUFU_RSQ64H ? (n & 1 ? PROBE_F64 : PROBE_F32) : i->type == SASS_F16 ? PROBE_F16 : PROBE_F32;
    case SASS_CLASS_CONVERT:
        if (i->op == SASS_F2F_64 || i->op == SASS_F2I_64 || i->op == SASS_FRND_64) return i->stype == SASS_F64 ? PROBE_F64 : PROBE_F32;
        if (i->op == SASS_F2FP) return PROBE_F32;
        if (i->op == SASS_F2FP_8) return i->stype == SASS_F16 ? PROBE_F16 : i->stype == SASS_BF16 ? PROBE_BF16 : PROBE_F32;
        if (i->op == SASS_F2IP || i->op == SASS_F2FP_TF32) return PROBE_F32;
        return kind_of_type(i->stype);
    case SASS_CLASS_TENSOR:
        if (i->op == SASS_DMMA) return n & 1 ? PROBE_F64 : PROBE_NEAR64;
        if (i->op == SASS_HMMA || i->op == SASS_HMMA_SP) {
            if (i->stype == SASS_TF32) return n & 1 ? PROBE_F32 : PROBE_NEARTF;
            return i->stype == SASS_BF16 ? (n & 1 ? PROBE_BF16 : PROBE_NEARBF) : n & 1 ? PROBE_F16 : PROBE_NEAR16;
        }
        return PROBE_INT;
    case SASS_CLASS_WARP: return n % 3 ? PROBE_NARROW : PROBE_INT;
    case SASS_CLASS_GLOBAL_ATOM: case SASS_CLASS_GLOBAL_RED: case SASS_CLASS_SHARED_ATOM: return kind_of_type(i->type);
    default: return n & 1 ? PROBE_SMALL : PROBE_INT;
    }
}

/* --- words ------------------------------------------------------------------------------------------------- */

/* Bits 72..104 of a memory instruction whose address is in a register, as nvcc emits it. */
static uint64_t memory_base(unsigned op, probe_word *w) {
    unsigned shared = sass_rows[op].class == SASS_CLASS_SHARED_LD || sass_rows[op].class == SASS_CLASS_SHARED_ST || sass_rows[op].class == SASS_CLASS_SHARED_ATOM;
    probe_set(w, 24, 8, shared ? PROBE_SHARED : PROBE_GLOBAL);
    probe_set(w, 32, 8, PROBE_A);
    switch (op) {
    case SASS_LDG: case SASS_LD: probe_set(w, 9, 3, 4), probe_set(w, 32, 8, 4); return 0xc1e1900;
    case SASS_STG: case SASS_ST: probe_set(w, 9, 3, 4), probe_set(w, 64, 8, 4); return 0xc101900;
    case SASS_LDS: probe_set(w, 9, 3, 4), probe_set(w, 32, 8, 0); return 0x800;
    case SASS_STS: probe_set(w, 9, 3, 1); return 0x800; /* form 1: no uniform register */
    case SASS_REDG: probe_set(w, 9, 3, 4), probe_set(w, 64, 8, 4 | 0x80); return 0xc10e100;
    case SASS_REDG_F: probe_set(w, 9, 3, 4), probe_set(w, 64, 8, 4 | 0x80); return 0xc10e100;
    case SASS_ATOMG: case SASS_ATOM: probe_set(w, 9, 3, 4), probe_set(w, 64, 8, 4 | 0xc0); return 0x81ee100;
    case SASS_ATOMG_F: case SASS_ATOM_F: probe_set(w, 9, 3, 4), probe_set(w, 64, 8, 4 | 0xc0); return 0x81ee100;
    case SASS_ATOMS: probe_set(w, 9, 3, 1); return 0;
    case SASS_CAS_ATOMG: case SASS_CAS_ATOM: probe_set(w, 9, 3, 1), probe_set(w, 64, 8, PROBE_C); return 0x1ee100;
    case SASS_CAS_ATOMS: probe_set(w, 9, 3, 1), probe_set(w, 64, 8, PROBE_C); return 0;
    case SASS_LDSM: case SASS_STSM: probe_set(w, 9, 3, 4); return 0;
    default: return UINT64_MAX;
    }
}

static int exists(const sass_mod *mod) { return mod->min_sm <= SM && (mod->max_sm == ANY || mod->max_sm >= SM); }
/* Of accesses to memory only what is accessed and how: hints and orders stay as a compiler gives them. */
static int is_varied(const sass_mod *mod, int memory) {
    if (!mod->width || !exists(mod)) return 0;
    return !memory || mod->slot == SLOT_SIZE || mod->slot == SLOT_SUB || mod->slot == SLOT_TYPE || mod->slot == SLOT_ATOM_FLOAT || mod->slot == SLOT_SHAPE;
}
static void set_mod(probe_word *w, const sass_mod *mod, unsigned value) {
    probe_set(w, mod->lo, mod->width, value & ((1u << mod->width) - 1));
    if (mod->width2) probe_set(w, mod->lo2, mod->width2, value >> mod->width);
}

static int is_legal_half(const sass_instr *i) {
    enum { F32 = 1, CROSS = 4 }; /* swizzles */
    const unsigned flushes = SASS_FTZ | SASS_FMZ | SASS_SAT;
    if (i->a.swizzle == F32 || i->b.swizzle == F32 || i->c.swizzle == F32) return 0;
    if (i->flags & SASS_PACKED_BF16 && i->flags & flushes) return 0;
    if (i->op == SASS_HMUL2 && i->flags & SASS_RELU) return 0;
    if (i->b.swizzle == CROSS && (!(i->flags & SASS_FMZ) || i->b.abs)) return 0;
    return !(i->flags & SASS_F32OUT) || !(i->flags & SASS_SAT);
}
static int is_legal_atomic(const sass_instr *i) {
    unsigned bitwise = i->sub == SASS_ATOM_AND || i->sub == SASS_ATOM_OR || i->sub == SASS_ATOM_XOR;
    unsigned order = i->sub == SASS_ATOM_MIN || i->sub == SASS_ATOM_MAX, shared = i->op == SASS_ATOMS;
    switch (i->type) {
    case SASS_U32: return i->sub != SASS_ATOM_ARRIVE && i->sub != SASS_ATOM_POPC_INC;
    case SASS_S32: return order || bitwise || i->sub == SASS_ATOM_ADD;
    case SASS_U64: return !shared && (order || bitwise || i->sub == SASS_ATOM_ADD || i->sub == SASS_ATOM_EXCH);
    case SASS_S64: return !shared && order;
    case SASS_B128: return i->sub == SASS_ATOM_EXCH && (i->op == SASS_ATOMG || i->op == SASS_ATOM);
    default: return !shared && i->sub == SASS_ATOM_ADD;
    }
}
/* Words that decode, but that an H200 refuses ("illegal instruction"), as far as it was found out by trying. */
static int is_legal(const sass_instr *i, unsigned form) {
    unsigned f32 = i->type == SASS_F32, shape = i->shape, uniform = (sass_rows[i->op].forms & UG) != 0;
    unsigned both = (i->a.neg || i->a.inv) && (i->b.neg || i->b.inv), pt = 0;
    for (int n = 0; n < 2; n++) pt += i->pdst[n].reg == SASS_PT;
    if (uniform && form != 1 && form != 4 && !(i->op == SASS_USHF && form == 2) && !(i->op == SASS_UMOV && form == 6)) return 0;
    switch (i->op) {
    case SASS_UMOV: return form != 1;
    case SASS_IADD3: case SASS_UIADD3: case SASS_UIADD3_64: return !both && form != 2 && form != 3 && form != 7;
    case SASS_LOP3: return form != 2 && form != 3 && form != 7;
    case SASS_VIMNMX3:
        return form != 2 && form != 3 && form != 7 && (!(i->flags & SASS_RELU) || i->flags & SASS_SIGNED);
    case SASS_VIADDMNMX: return !(i->flags & SASS_RELU) || i->flags & SASS_SIGNED;
    case SASS_VIMNMX: return pt != 1 && (!(i->flags & SASS_RELU) || i->flags & SASS_SIGNED);
    case SASS_LEA: case SASS_ULEA:
        return !both && (i->flags & SASS_HI || !(i->flags & SASS_SX32)) && (form == 1 || form == 4 || form == 5 || form == 6);
    case SASS_IMAD: case SASS_UIMAD: return !(i->flags & SASS_X) && i->pdst[0].reg == SASS_PT;
    case SASS_UPLOP3: return 0;
    case SASS_FADD: case SASS_DADD: case SASS_DSETP: return form < 4 || form == 7;
    case SASS_HADD2: case SASS_HSET2: case SASS_HSETP2: return (form < 4 || form == 7) && is_legal_half(i);
    case SASS_HMUL2: case SASS_HFMA2: case SASS_HMNMX2: return is_legal_half(i);
    case SASS_F2F: case SASS_F2F_64: return i->type != i->stype;
    case SASS_FRND: return i->type == i->stype;
    case SASS_I2FP: return i->round == SASS_RN || i->round == SASS_RZ_;
    case SASS_I2IP: return form != 2 && form != 3 && form != 7;
    case SASS_HMMA:
        if (i->stype == SASS_TF32) return f32 && shape != 1;
        return shape < 2 && (f32 || i->stype == SASS_F16);
    case SASS_HMMA_SP: /* shape 0: 1688, 1: 16816, 3: 16832 */
        if (i->stype == SASS_TF32) return f32 && shape < 2;
        return (shape == 1 || shape == 3) && (f32 || i->stype == SASS_F16);
    case SASS_IMMA: return i->type <= SASS_S8 && i->stype <= SASS_S8 && shape != 2 && shape != 6;
    case SASS_IMMA_SP: return i->type <= SASS_S8 && i->stype <= SASS_S8 && (shape == 5 || shape == 6);
    case SASS_BMMA: return i->sub == 1;
    case SASS_MOVM: return shape == 0;
    case SASS_ATOMG: case SASS_ATOM: case SASS_ATOMG_F: case SASS_ATOM_F: case SASS_ATOMS: case SASS_REDG: case SASS_REDG_F: return is_legal_atomic(i);
    case SASS_CAS_ATOMS: return i->sub == SASS_ATOM_CAS && i->type != SASS_B128;
    default: return 1;
    }
}

/* A random word of the row: false when it is none. forced (NULL: none) gets the value. */
static int make(unsigned op, unsigned form, const sass_mod *forced, unsigned value, probe_word *out, sass_instr *in) {
    const sass_row *row = &sass_rows[op];
    probe_word w = {row->code, 0};
    int uniform = (row->forms & UG) != 0, memory = is_memory(row);
    probe_set(&w, 12, 3, 7);
    if (op == SASS_HMMA_SP || op == SASS_IMMA_SP) probe_set(&w, 40, 8, PROBE_META);
    if (uniform || op == SASS_VOTEU || op == SASS_REDUX || op == SASS_R2UR_90) probe_set(&w, 16, 8, PROBE_UD);
    else probe_set(&w, 16, 8, PROBE_D);
    if (memory) {
        uint64_t hi = memory_base(op, &w);
        if (hi == UINT64_MAX || form != ((w.lo >> 9) & 7)) return 0;
        w.hi |= hi & ~UINT64_C(0xff);
        if (row->class == SASS_CLASS_GLOBAL_RED) probe_set(&w, 16, 8, 0);
        else if (probe_random(&state) & 1) probe_set(&w, 81, 3, 3);
    } else {
        probe_set(&w, 9, 3, form);
        probe_set(&w, 24, 8, uniform ? PROBE_UA : PROBE_A);
        unsigned second = uniform ? PROBE_UB : PROBE_B, third = uniform ? PROBE_UC : PROBE_C;
        static const uint32_t immediates[] = {0, 1, 5, 31, 0x80000000u, 0xffffffffu, 0x3f800000, 0x40490fdb, 0x3c003c00, 0xc0003555, 0x7fff, 0x7654, 0x3210};
        uint32_t imm = probe_random(&state) & 1 ? immediates[below(13)] : probe_random(&state);
        unsigned constant = 0x238 + 8 * below(PROBE_CONSTANTS / 2);
        switch (form) {
        case 1: probe_set(&w, 32, 8, second), probe_set(&w, 64, 8, third); break;
        case 2: probe_set(&w, 32, 32, imm), probe_set(&w, 64, 8, second); break;
        case 3: probe_set(&w, 38, 16, constant), probe_set(&w, 64, 8, second); break;
        case 4: probe_set(&w, 32, 32, imm), probe_set(&w, 64, 8, third); break;
        case 5: probe_set(&w, 38, 16, constant), probe_set(&w, 64, 8, third); break;
        case 6: probe_set(&w, 32, 8, PROBE_UB), probe_set(&w, 64, 8, third); break;
        case 7: probe_set(&w, 32, 8, PROBE_UB), probe_set(&w, 64, 8, second); break;
        default: return 0;
        }
        if (form >= 6 || (uniform && op != SASS_UMOV)) probe_set(&w, 91, 1, 1);
        if (uniform && form >= 6) probe_set(&w, 9, 3, form);
        if ((form == 1 || form >= 5) && op != SASS_SHFL) /* signs and choices of slot B */
            switch ((sass_src)row->src) {
            case SRC_F32: case SRC_F64: case SRC_F64SRC: probe_set(&w, 62, 2, below(4)); break;
            case SRC_F2FP: probe_set(&w, 62, 2, below(4)); break;
            case SRC_HALF: probe_set(&w, 60, 4, below(2) ? below(16) : below(4) << 2); break;
            case SRC_INT: case SRC_INTX: case SRC_UINT: case SRC_INV: case SRC_NEGB: case SRC_LEA: probe_set(&w, 63, 1, below(2)); break;
            default: break;
            }
        if (op == SASS_SHFL) {
            if (form == 2 || form == 4) probe_set(&w, 40, 13, below(2) ? 0x1f : 0x1800 | below(32));
            if (form == 7 || form == 4) probe_set(&w, 53, 5, below(32));
            probe_set(&w, 58, 2, below(4));
            if (form != 1) probe_set(&w, 32, 8, form == 2 ? PROBE_B : 0);
        }
        if (op == SASS_I2F || op == SASS_F2F || op == SASS_I2F_64 || op == SASS_F2I || op == SASS_FRND) probe_set(&w, 60, 2, below(2) ? below(4) : 0);
    }
    uint64_t claims = memory ? 0 : sass_sign_claims(row);
    for (const uint8_t *id = row->operands; *id && !memory; id++) claims |= sass_operand_specs[*id].claims;
    claims &= ~SASS_CLAIM(91, 1);
    if (row->class == SASS_CLASS_TENSOR && op != SASS_DMMA) claims = 0;
    w.hi |= ((probe_random(&state) | (uint64_t)probe_random(&state) << 32) & claims) << 8;
    uint64_t of_mods = 0;
    for (const uint8_t *id = row->mods; *id; id++) {
        const sass_mod *mod = &sass_mods[*id];
        if (mod->width && mod->lo >= 72 && exists(mod)) of_mods |= SASS_CLAIM(mod->lo, mod->width);
        if (mod->width2 && mod->lo2 >= 72 && exists(mod)) of_mods |= SASS_CLAIM(mod->lo2, mod->width2);
    }
    if (!memory)
        for (unsigned at = 81; at <= 87; at += 3) { /* PT where nothing is */
            sass_instr look = {.lo = w.lo, .hi = w.hi};
            if (of_mods >> (at - 72) & 7 || row->class == SASS_CLASS_TENSOR) continue;
            if (!(claims >> (at - 72) & 7)) probe_set(&w, at, 3, 7);
            else if (bits(&look, at, 3) == 7 && below(2)) probe_set(&w, at, 3, below(7));
        }
    for (const uint8_t *id = row->mods; *id; id++) {
        const sass_mod *mod = &sass_mods[*id];
        if (!is_varied(mod, memory)) continue;
        unsigned width = (unsigned)mod->width + mod->width2;
        if (mod->lo >= 64 || mod->lo + mod->width <= 64) set_mod(&w, mod, mod == forced ? value : below(1u << (width < 8 ? width : 8)));
    }
    if (op == SASS_LEA || op == SASS_ULEA) { /* without a third source its register is RZ */
        sass_instr look = {.lo = w.lo, .hi = w.hi};
        if (!bit(&look, 80) || bit(&look, 73)) probe_set(&w, 64, 8, uniform ? 63 : 255);
    }
    if (op == SASS_SHFL && forced && forced->lo == 58) probe_set(&w, 58, 2, value);
    *out = w;
    return sass_decode(&w, 0, SM, in) && in->op == op && is_legal(in, form);
}

enum { MOST = 8192 };
static unsigned count;
static probe_word printed[MOST];
static void print(const probe_word *w, const sass_instr *in) {
    char text[200];
    sass_print(in, text, sizeof text);
    for (unsigned k = 0; k < count; k++)
        if (printed[k].lo == w->lo && printed[k].hi == w->hi && sass_rows[in->op].class != SASS_CLASS_TENSOR) return;
    if (count == MOST) return;
    printed[count] = *w;
    printf("%016llx %016llx %d %d %s\n", (unsigned long long)w->hi, (unsigned long long)w->lo, kind_of(in, count), has_own_time(in->op), text);
    count++;
}

int main(void) {
    for (unsigned op = 1; op < SASS_OP_COUNT; op++) {
        if (!is_tried(op)) continue;
        const sass_row *row = &sass_rows[op];
        probe_word w;
        sass_instr in;
        unsigned before = count, forms[8], n_forms = 0;
        for (unsigned f = 0; f < 8; f++)
            if (row->forms >> f & 1) forms[n_forms++] = f;
        for (unsigned f = 0; f < n_forms; f++)
            for (unsigned n = 0, tries = 0; n < (row->class == SASS_CLASS_TENSOR ? 24 : 3) && tries < 4000; tries++)
                if (make(op, forms[f], NULL, 0, &w, &in)) print(&w, &in), n++;
        for (const uint8_t *id = row->mods; *id; id++) {
            const sass_mod *mod = &sass_mods[*id];
            unsigned width = (unsigned)mod->width + mod->width2;
            if (!is_varied(mod, is_memory(row)) || (mod->lo < 64 && mod->lo + mod->width > 64)) continue;
            for (unsigned value = 0; value < 1u << (width < 6 ? width : 6); value++)
                for (unsigned n = 0, tries = 0; n < 2 && tries < 4000; tries++)
                    if (make(op, forms[below(n_forms)], mod, value, &w, &in)) print(&w, &in), n++;
        }
        if (count == before) fprintf(stderr, "no word of %s (%u)\n", row->text, op);
    }
    fprintf(stderr, "%u words\n", count);
    return 0;
}
