/* Which runs a plan has, and where their code lies. */
#include "engine/native.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/native_run.h"

struct eng_native {
    uint8_t *code;
    size_t size;
};

#if defined(__x86_64__) && defined(WG_TAIL_CALLS)

#define FAMILIES(X) X(int) X(mul) X(pred) X(move) X(float) X(control)
#define X(family) extern const eng_lift_row eng_lifts_##family##_avx2[], eng_lifts_##family##_avx512[];
FAMILIES(X)
#undef X
static const eng_lift_row *const tables[][2] = {
#define X(family) {eng_lifts_##family##_avx2, eng_lifts_##family##_avx512},
    FAMILIES(X)
#undef X
};

bool eng_native_wanted(eng_isa isa) {
    const char *asked = getenv("WARPGRIND_NATIVE");
    return isa != ENG_PORTABLE && !(asked && !strcmp(asked, "off"));
}

static eng_lift lift_of(const eng_ins *i, eng_isa isa) {
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const eng_lift_row *row = tables[t][isa == ENG_AVX512]; row->variants; row++)
            if (i->fn == row->variants[0] || i->fn == row->variants[1] || i->fn == row->variants[2])
                return native_does(i, row->lift) ? row->lift : ENG_LIFT_NONE;
    return ENG_LIFT_NONE;
}

/* Predicates that the instruction sets, as bits. */
static uint32_t sets(const eng_ins *i, eng_lift lift) {
    uint32_t bits = 0;
    if (lift == ENG_LIFT_ISETP || lift == ENG_LIFT_FSETP) bits = 1u << i->pd[0] | 1u << i->pd[1];
    if (lift == ENG_LIFT_ADD2_CARRY || lift == ENG_LIFT_LEA_CARRY || lift == ENG_LIFT_LOP3_TEST) bits = 1u << i->pd[0];
    return bits & ~(1u << ENG_PSINK);
}

/* The length of the run that begins at `first`; 0: none that is worth it. A predicate is set once in a run. */
static unsigned run_length(const eng_plan *plan, const uint8_t *lifts, size_t first) {
    uint32_t written = 0;
    unsigned n = 0, work = 0;
    if (lifts[first] == ENG_LIFT_COUNT_GUARD) return 0; /* places in registers may lead there (warp.c) */
    for (; first + n < plan->ins.count && n < NATIVE_MOST; n++) {
        const eng_ins *i = &plan->ins.at[first + n];
        eng_lift lift = (eng_lift)lifts[first + n];
        uint32_t bits = sets(i, lift);
        if (lift == ENG_LIFT_NONE || (lift == ENG_LIFT_COUNT && n)) break;
        if (bits & written || __builtin_popcount(written | bits) > NATIVE_PREDS) break;
        written |= bits;
        work += lift != ENG_LIFT_COUNT_GUARD;
        if (lift == ENG_LIFT_BRA) return n ? n + 1 : 0;
    }
    while (n && lifts[first + n - 1] == ENG_LIFT_COUNT_GUARD) n--; /* with what it guards */
    return work >= 2 ? n : 0;
}

/* Code and constants for one run; the constants lie before it. */
static bool make_run(eng_plan *plan, const uint8_t *lifts, size_t first, unsigned n, uint8_t **at, uint8_t *end) {
    enum { CONSTANTS = 32 * 16 };
    eng_ins *head = &plan->ins.at[first];
    if (end - *at < CONSTANTS + 256) return false;
    native_run r = {.plan = plan, .first = head, .n = n, .lifts = lifts + first};
    r.x = (x86){.pool_start = *at, .pool = *at, .start = *at + CONSTANTS, .at = *at + CONSTANTS, .end = end};
    if (!native_make_run(&r)) return false;
    union { const uint8_t *code; eng_fn fn; } to = {.code = r.x.start};
    head->fn = to.fn;
    *at = (uint8_t *)(((uintptr_t)r.x.at + 63) & ~(uintptr_t)63);
    return true;
}

static void make_runs(eng_plan *plan, const uint8_t *lifts, uint8_t *at, uint8_t *end) {
    for (size_t first = 0; first < plan->ins.count;) {
        unsigned n = run_length(plan, lifts, first);
        if (n && !make_run(plan, lifts, first, n, &at, end)) return;
        first += n ? n : 1;
    }
}

void eng_native_make(eng_plan *plan) {
    enum { BYTES_AN_INSTRUCTION = 320, BYTES_A_RUN = 1024 };
    size_t n = plan->ins.count, size = 4096;
    uint8_t *lifts = malloc(n + 1);
    if (!lifts) return;
    for (size_t k = 0; k < n; k++) lifts[k] = (uint8_t)lift_of(&plan->ins.at[k], plan->code->device->isa);
    for (size_t first = 0; first < n;) {
        unsigned length = run_length(plan, lifts, first);
        if (length) size += length * BYTES_AN_INSTRUCTION + BYTES_A_RUN;
        first += length ? length : 1;
    }
    size = (size + 4095) & ~(size_t)4095;
    eng_native *native = calloc(1, sizeof *native);
    uint8_t *code = native && size > 4096 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (code == MAP_FAILED) {
        free(lifts);
        free(native);
        return;
    }
    eng_fn *handlers = malloc((n + 1) * sizeof *handlers); /* to go back to, where the system does not let code be run */
    for (size_t k = 0; handlers && k < n; k++) handlers[k] = plan->ins.at[k].fn;
    if (handlers) make_runs(plan, lifts, code, code + size);
    bool may = handlers && mprotect(code, size, PROT_READ | PROT_EXEC) == 0;
    for (size_t k = 0; handlers && !may && k < n; k++) plan->ins.at[k].fn = handlers[k];
    free(handlers);
    free(lifts);
    *native = (eng_native){code, size};
    plan->native = native;
}

void eng_native_free(eng_plan *plan) {
    if (!plan->native) return;
    munmap(plan->native->code, plan->native->size);
    free(plan->native);
    plan->native = NULL;
}

#else

bool eng_native_wanted(eng_isa isa) { return (void)isa, false; }
void eng_native_make(eng_plan *plan) { (void)plan; }
void eng_native_free(eng_plan *plan) { (void)plan; }

#endif
