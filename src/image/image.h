/* What an executable carries for the GPU: fatbin containers, their entries, and cubins
 * read into modules. Formats: docs/formats.md. Reading never trusts a size or an offset. */
#ifndef WG_IMAGE_IMAGE_H
#define WG_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/* --- entries: what the containers hold ---------------------------------------------- */

typedef enum img_kind { IMG_PTX = 1, IMG_CUBIN = 2 } img_kind;

typedef struct img_entry {
    img_kind kind;
    int sm;              /* 75, 80, 90, ... */
    bool arch_specific;  /* the "a" targets: sm_90a runs on 9.0 and nothing else */
    bool family;         /* the "f" targets: sm_100f */
    const uint8_t *data; /* decompressed; PTX text ends with NUL */
    size_t size;         /* without that NUL */
    int container;       /* entries of one container are one translation unit, in several architectures */
    const char *source;  /* file name, NULL when the container does not say */
} img_entry;

typedef struct img_file {
    wg_arena *arena;
    img_entry *entries;
    size_t n_entries;
    int n_containers;
    bool has_host_elf; /* an executable or shared object, not a bare cubin or fatbin */
} img_file;

/* A file (executable, shared object, object, fatbin, cubin, PTX text) or the same in memory. */
wg_status img_open(const char *path, img_file **out, wg_error *err);
wg_status img_open_memory(const void *bytes, size_t size, img_file **out, wg_error *err);
/* The wrapper that __cudaRegisterFatBinary gets: version 1 and 2. Reads live memory of this process. */
wg_status img_open_wrapper(const void *wrapper, img_file **out, wg_error *err);
/* What a program hands to the driver: a cubin, a fatbin, a wrapper, or PTX text that ends with NUL, in live memory. How far it
 * goes is what its own header says. All but a wrapper's containers is copied. */
wg_status img_open_live(const void *image, img_file **out, wg_error *err);
void img_close(img_file *file);

/* Among the entries of one container, the one to run on a device of capability sm:
 * a cubin of the same major version and a minor one that is not higher (the newest such),
 * else PTX to be assembled (*needs_ptxas). NOT_FOUND with a message that lists what is there. */
wg_status img_choose(const img_file *file, int container, int sm, const img_entry **out, bool *needs_ptxas,
                     wg_error *err);
/* Assembles PTX for sm_NN with the user's ptxas (PATH, CUDA_HOME, /usr/local/cuda); result is cached under
 * $XDG_CACHE_HOME/warpgrind and lives in *arena. */
wg_status img_assemble(const img_entry *ptx, int sm, wg_arena *arena, const uint8_t **cubin, size_t *size,
                       wg_error *err);

/* --- modules: one cubin ------------------------------------------------------------- */

typedef struct img_param {
    uint32_t offset, size; /* bytes from the parameter base */
} img_param;

typedef struct img_line {
    uint32_t offset; /* of the first instruction this row speaks of, from the function's start */
    uint32_t line;   /* 1-based; 0 when unknown */
    const char *file;
    /* The call that was inlined here: index+1 into img_function.lines_inlined, 0 = none. */
    uint32_t inlined_at;
    const char *function; /* name of the inlined function, NULL when not inlined */
} img_line;

typedef struct img_function {
    const char *name;      /* mangled, as in the symbol table */
    const char *demangled; /* equal to name where there is nothing to demangle */
    bool is_kernel;
    uint32_t code_offset; /* in img_module.code */
    uint32_t code_size;   /* bytes; a multiple of 16 */

    uint32_t registers;      /* per thread, as the cubin states */
    uint32_t shared_static;  /* bytes the program declared (without the driver's reserve) */
    uint32_t shared_reserve; /* bytes before user data: 1024 on sm_90 and later, else 0 */
    uint32_t local_bytes;    /* frame and stack per thread, from FRAME_SIZE/MIN_STACK_SIZE */
    bool stack_open;   /* calls functions that may recurse, so the cubin may not bound its stack: give it
                          what cudaLimitStackSize says (1024 by default) on top of local_bytes */
    uint32_t barriers; /* NUM_BARRIERS */
    uint32_t max_threads[3]; /* launch bounds, 0 = none */
    uint32_t req_threads[3]; /* REQNTID, 0 = none */
    uint32_t cluster[3];     /* CTA_PER_CLUSTER, 0 = none */

    uint32_t param_base;  /* offset in c[0x0] (PARAM_CBANK) */
    uint32_t param_bytes; /* total */
    img_param *params;
    size_t n_params;

    const uint8_t *const2; /* .nv.constant2.NAME, c[0x2]: literals and jump tables; NULL when none */
    uint32_t const2_size;

    const uint32_t *syncwarps; /* offsets of NOPs that are __syncwarp (COOP_GROUP_INSTR_OFFSETS) */
    size_t n_syncwarps;
    const uint32_t *branch_targets; /* possible targets of BRX, flat list of code offsets; may be empty */
    size_t n_branch_targets;

    img_line *lines; /* ascending offset */
    size_t n_lines;
    img_line *inlined; /* rows that inlined_at points to */
    size_t n_inlined;
} img_function;

typedef enum img_space { IMG_GLOBAL, IMG_CONSTANT } img_space;

typedef struct img_variable {
    const char *name;
    const char *demangled;
    img_space space;
    uint32_t offset; /* in img_module.global_init or const3 */
    uint32_t size;
    bool managed; /* __managed__: the host sees it too, at an address that registration tells */
} img_variable;

/* A function that lies inside another one's code: a device function that was not inlined, or the compiler's
 * own helper (a division's slow path). Reports name it; the engine needs only its owner. */
typedef struct img_symbol {
    const char *name;                /* "$kernel$_Z6helperf" */
    const char *demangled;           /* "helper(float)" */
    uint32_t code_offset, code_size; /* in img_module.code, bytes */
} img_symbol;

/* A place that gets an address when the module is loaded. A code address is whatever the loader gives the
 * first byte of img_module.code, plus an offset there. */
typedef enum img_reloc_kind {
    IMG_RELOC_GLOBAL64,  /* 64-bit address of a variable (of either space) + addend */
    IMG_RELOC_GLOBAL_LO, /* its low / high half in an instruction's 32-bit immediate */
    IMG_RELOC_GLOBAL_HI,
    IMG_RELOC_FUNC64, /* 64-bit code address of a function + addend: a function pointer, a return address */
    IMG_RELOC_FUNC_LO,
    IMG_RELOC_FUNC_HI,
    IMG_RELOC_EXTERN64, /* address of a runtime function: vprintf, malloc, free, __assertfail */
    IMG_RELOC_EXTERN_LO,
    IMG_RELOC_EXTERN_HI,
    IMG_RELOC_FUNC_CALL,  /* target of a CALL.ABS (-rdc and -G code): a function + addend */
    IMG_RELOC_EXTERN_CALL /* target of a CALL.ABS: a runtime function */
} img_reloc_kind;

typedef enum img_bank { IMG_IN_CODE, IMG_IN_CONST2, IMG_IN_CONST3, IMG_IN_CONST4, IMG_IN_GLOBAL } img_bank;

typedef struct img_reloc {
    img_reloc_kind kind;
    img_bank where;
    uint32_t offset;   /* in that bank (code: in img_module.code; const2: of function `function`) */
    uint32_t function; /* for IMG_IN_CONST2 */
    uint32_t symbol;   /* index into variables (of either space), functions or externs, by kind */
    int64_t addend;
} img_reloc;

typedef struct img_module {
    wg_arena *arena;
    int sm;
    int ptx_sm; /* of the PTX that it was made from: sm or older */
    bool arch_specific;
    bool has_lines;
    const char *note; /* something that could not be read and that a report should say; NULL: nothing */
    uint8_t *code;    /* all .text sections, each aligned to 128 bytes; internal calls already resolved */
    uint32_t code_size;
    img_function *functions;
    size_t n_functions;
    img_variable *variables;
    size_t n_variables;
    img_symbol *symbols; /* ascending code_offset */
    size_t n_symbols;
    const uint8_t *global_init; /* initial image of all __device__ variables, global_size bytes */
    uint32_t global_size;
    uint32_t
        global_init_size;  /* the rest, up to global_size, is zero: untouched pages, no need to copy them */
    const uint8_t *const3; /* __constant__ variables, c[0x3] */
    uint32_t const3_size;
    const uint8_t *const4; /* c[0x4], before relocation */
    uint32_t const4_size;
    img_reloc *relocs;
    size_t n_relocs;
    const char **externs; /* names of runtime functions the code calls */
    size_t n_externs;
} img_module;

wg_status img_module_read(const void *cubin, size_t size, img_module **out, wg_error *err);
void img_module_free(img_module *module);
/* Writes an address (symbol + addend) to the place of a relocation: the 8 bytes, or the instruction, at `at`.
 */
void img_patch(const img_module *module, const img_reloc *reloc, uint8_t *at, uint64_t address);
/* By mangled name, or by demangled name with or without its argument list. NULL: none. */
const img_function *img_find_function(const img_module *module, const char *name);
/* The function inside another one's code that covers an offset in img_module.code; NULL: none. */
const img_symbol *img_symbol_at(const img_module *module, uint32_t code_offset);
/* The row that covers a code offset; NULL when unknown. */
const img_line *img_line_at(const img_function *function, uint32_t offset);

#endif
