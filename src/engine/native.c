/* Which runs a plan has, and where their code lies. Runs without loads are made at once. Code for loads depends on how the
 * lanes' addresses lie, so those runs are made when they are first reached by a whole warp. */
#include "engine/native.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/native_run.h"

typedef struct region {
    struct region *next;
    uint8_t *code;
    size_t size;
} region;

typedef struct late_run { /* one that is yet to be made */
    struct late_run *next;
    size_t first;
    unsigned n;
    eng_fn handler; /* of its first instruction */
    unsigned partial; /* times that only some lanes came */
} late_run;
enum { PATIENCE = 200 }; /* until the arithmetic alone is made native */

struct eng_native {
    region *regions;
    eng_loads *loads;
    late_run *late;
    uint8_t *lifts; /* eng_lift of each instruction of the stream */
    pthread_mutex_t lock;
};

#if defined(__x86_64__) && defined(WG_TAIL_CALLS)

#define FAMILIES(X) X(int) X(mul) X(pred) X(move) X(float) X(control) X(shared)
#define X(family) extern const eng_lift_row eng_lifts_##family##_avx2[], eng_lifts_##family##_avx512[];
FAMILIES(X)
#undef X
static const eng_lift_row *const tables[][2] = {
#define X(family) {eng_lifts_##family##_avx2, eng_lifts_##family##_avx512},
    FAMILIES(X)
#undef X
};
extern eng_load_frame *eng_loads_do_avx2(const eng_loads *loads, eng_warp *w, uint8_t *R);
extern eng_load_frame *eng_loads_do_avx512(const eng_loads *loads, eng_warp *w, uint8_t *R);

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

/* --- runs --------------------------------------------------------------------------------- */

/* Predicates that the instruction sets, as bits. */
static uint32_t sets(const eng_ins *i, eng_lift lift) {
    uint32_t bits = 0;
    if (lift == ENG_LIFT_ISETP || lift == ENG_LIFT_FSETP) bits = 1u << i->pd[0] | 1u << i->pd[1];
    if (lift == ENG_LIFT_ADD2_CARRY || lift == ENG_LIFT_LEA_CARRY || lift == ENG_LIFT_LOP3_TEST) bits = 1u << i->pd[0];
    return bits & ~(1u << ENG_PSINK);
}

/* The length of the run that begins at `first` and lies before `end`, and its loads; 0: none that is worth it. A predicate is
 * set once in a run. */
static unsigned run_length(const eng_plan *plan, size_t first, size_t end, eng_loads *loads) {
    const uint8_t *lifts = plan->native->lifts;
    uint32_t written = 0;
    unsigned n = 0, work = 0;
    loads->n = loads->n_bases = 0;
    if (lifts[first] == ENG_LIFT_COUNT_GUARD) return 0; /* places in registers may lead there (warp.c) */
    for (; first + n < end && n < NATIVE_MOST; n++) {
        const eng_ins *i = &plan->ins.at[first + n];
        eng_lift lift = (eng_lift)lifts[first + n];
        uint32_t bits = sets(i, lift);
        if (lift == ENG_LIFT_NONE || (lift == ENG_LIFT_COUNT && n)) break;
        if (eng_lift_loads(lift) && !native_take_load(loads, &plan->ins.at[first], lifts + first, n)) break;
        if (bits & written || __builtin_popcount(written | bits) > NATIVE_PREDS) break;
        written |= bits;
        work += lift != ENG_LIFT_COUNT_GUARD;
        if (lift == ENG_LIFT_BRA) return n ? n + 1 : 0;
    }
    while (n && lifts[first + n - 1] == ENG_LIFT_COUNT_GUARD) n--; /* with what it guards */
    bool long_one = lifts[first] >= ENG_LIFT_WIDE_S && lifts[first] <= ENG_LIFT_WIDE_MUL_U; /* worth it alone */
    return (work >= 2 || long_one) && work > loads->n + (lifts[first] == ENG_LIFT_COUNT) ? n : 0;
}

/* --- code ----------------------------------------------------------------------------------- */

enum { BYTES_AN_INSTRUCTION = 320, BYTES_A_RUN = 1024, CONSTANTS = 32 * 16, PAGE = 4096 };

static region *new_region(eng_native *native, size_t size) {
    region *made = malloc(sizeof *made);
    size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    void *code = made ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (code == MAP_FAILED) return free(made), NULL;
    *made = (region){native->regions, code, size};
    return native->regions = made;
}
static bool may_run(const region *made) { return mprotect(made->code, made->size, PROT_READ | PROT_EXEC) == 0; }

/* Code and constants for one run; the constants lie before it. NULL: no room. */
static eng_fn make_run(const eng_plan *plan, size_t first, unsigned n, eng_loads *loads, uint8_t **at, uint8_t *end) {
    const eng_ins *head = &plan->ins.at[first];
    if (end - *at < CONSTANTS + 256) return NULL;
    native_run r = {.plan = plan, .first = head, .n = n, .lifts = plan->native->lifts + first, .loads = loads, .otherwise = head->fn,
                    .do_loads = plan->code->device->isa == ENG_AVX512 ? eng_loads_do_avx512 : eng_loads_do_avx2};
    r.x = (x86){.pool_start = *at, .pool = *at, .start = *at + CONSTANTS, .at = *at + CONSTANTS, .end = end};
    if (!native_make_run(&r)) return NULL;
    union { const uint8_t *code; eng_fn fn; } to = {.code = r.x.start};
    *at = (uint8_t *)(((uintptr_t)r.x.at + 63) & ~(uintptr_t)63);
    return to.fn;
}

/* Other workers may be running the code that the handler belongs to. */
static void set_handler(const eng_ins *i, eng_fn fn) { __atomic_store_n((eng_fn *)(uintptr_t)&i->fn, fn, __ATOMIC_RELEASE); }

/* --- runs with loads ---------------------------------------------------------------------------- */

static const eng_ins *reach(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask);

static void make_range(eng_plan *plan, size_t first, size_t end);

/* With the shapes that this warp has; R NULL: none are known. Loads of another shape become what splits runs. */
static void make_late(eng_plan *plan, late_run *late, const uint8_t *R) {
    eng_native *native = plan->native;
    eng_loads *loads = malloc(sizeof *loads);
    set_handler(&plan->ins.at[late->first], late->handler);
    if (!loads || run_length(plan, late->first, late->first + late->n, loads) != late->n) {
        free(loads);
        return;
    }
    if (R && native_loads_look(plan, loads, R)) {
        region *made = new_region(native, late->n * BYTES_AN_INSTRUCTION + BYTES_A_RUN + CONSTANTS);
        uint8_t *at = made ? made->code : NULL;
        eng_fn fn = made ? make_run(plan, late->first, late->n, loads, &at, made->code + made->size) : NULL;
        loads->next = native->loads;
        native->loads = loads;
        if (fn && may_run(made)) set_handler(&plan->ins.at[late->first], fn);
        return;
    }
    for (unsigned n = 0; n < loads->n; n++)
        if (!R || loads->bases[loads->loads[n].base].shape == ENG_LOAD_OTHER) native->lifts[loads->loads[n].ins - plan->ins.at] = ENG_LIFT_NONE;
    free(loads);
    make_range(plan, late->first, late->first + late->n);
}

/* The handler of such a run's first instruction, until its code is made. */
static const eng_ins *reach(const eng_ins *i, eng_warp *w, uint8_t *R, uint32_t mask) {
    eng_plan *plan = w->worker->grid->plan;
    eng_native *native = plan->native;
    size_t first = (size_t)(i - plan->ins.at);
    pthread_mutex_lock(&native->lock);
    late_run *late = native->late;
    while (late && late->first != first) late = late->next;
    if (late && i->fn == reach && (mask == ENG_ALL || ++late->partial > PATIENCE)) make_late(plan, late, mask == ENG_ALL ? R : NULL);
    eng_fn fn = i->fn == reach ? late->handler : i->fn;
    pthread_mutex_unlock(&native->lock);
    return fn(i, w, R, mask);
}

static void put_off(eng_plan *plan, size_t first, unsigned n) {
    late_run *late = malloc(sizeof *late);
    if (!late) return;
    *late = (late_run){.next = plan->native->late, .first = first, .n = n, .handler = plan->ins.at[first].fn};
    plan->native->late = late;
    set_handler(&plan->ins.at[first], reach);
}

/* --- plans ------------------------------------------------------------------------------------------ */

/* All runs of a part of the stream. */
static void make_range(eng_plan *plan, size_t first, size_t end) {
    size_t size = 0;
    eng_loads loads;
    for (size_t k = first; k < end;) {
        unsigned n = run_length(plan, k, end, &loads);
        if (n && !loads.n) size += n * BYTES_AN_INSTRUCTION + BYTES_A_RUN;
        k += n ? n : 1;
    }
    region *made = size ? new_region(plan->native, size) : NULL;
    eng_fn *code = calloc(end - first + 1, sizeof *code);
    uint8_t *at = made ? made->code : NULL;
    for (size_t k = first; code && k < end;) {
        unsigned n = run_length(plan, k, end, &loads);
        if (n && loads.n) put_off(plan, k, n);
        else if (n && made) code[k - first] = make_run(plan, k, n, NULL, &at, made->code + made->size);
        k += n ? n : 1;
    }
    bool may = made && may_run(made);
    for (size_t k = first; code && may && k < end; k++)
        if (code[k - first]) set_handler(&plan->ins.at[k], code[k - first]);
    free(code);
}

void eng_native_make(eng_plan *plan) {
    size_t n = plan->ins.count;
    eng_native *native = calloc(1, sizeof *native);
    if (!native || !(native->lifts = malloc(n + 1))) {
        free(native);
        return;
    }
    pthread_mutex_init(&native->lock, NULL);
    plan->native = native;
    bool events = plan->wants & 1u << ENG_EV_ACCESS && !(plan->wants & ENG_WANTS_SUMS); /* of every load: handlers make them */
    for (size_t k = 0; k < n; k++) {
        eng_lift lift = lift_of(&plan->ins.at[k], plan->code->device->isa);
        native->lifts[k] = (uint8_t)(events && eng_lift_loads(lift) ? ENG_LIFT_NONE : lift);
        /* of the run's loads from shared memory together, if a base begins with this one */
        if (eng_lift_loads(lift)) plan->ins.at[k].y = plan->n_counters++;
    }
    make_range(plan, 0, n);
}

void eng_native_free(eng_plan *plan) {
    eng_native *native = plan->native;
    if (!native) return;
    for (eng_loads *loads = native->loads, *next; loads; loads = next) next = loads->next, free(loads);
    for (late_run *late = native->late, *next; late; late = next) next = late->next, free(late);
    for (region *made = native->regions, *next; made; made = next) {
        next = made->next;
        munmap(made->code, made->size);
        free(made);
    }
    pthread_mutex_destroy(&native->lock);
    free(native->lifts);
    free(native);
    plan->native = NULL;
}

void eng_native_spread(const eng_plan *plan, uint64_t *counts) {
    if (!(plan->wants & ENG_WANTS_SUMS)) return;
    for (const eng_loads *loads = plan->native ? plan->native->loads : NULL; loads; loads = loads->next) native_loads_spread(loads, counts);
}

eng_load_frame *eng_native_frame(void) { return aligned_alloc(64, (sizeof(eng_load_frame) + 63) & ~(size_t)63); }

#else

bool eng_native_wanted(eng_isa isa) { return (void)isa, false; }
void eng_native_make(eng_plan *plan) { (void)plan; }
void eng_native_free(eng_plan *plan) { (void)plan; }
void eng_native_spread(const eng_plan *plan, uint64_t *counts) { (void)plan, (void)counts; }
eng_load_frame *eng_native_frame(void) { return NULL; }

#endif
