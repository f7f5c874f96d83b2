/* Native code against the handlers that it stands for: random runs of instructions, made by the engine's own binders, on
 * random registers, for random lanes. All registers, predicates and counts must come out the same, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/loads.h"
#include "engine/native.h"
#include "engine/view.h"
#include "engine/warp.h"

enum { REGS = 48, BASES = 4 /* behind them: addresses, never written */, UREGS = 8, MOST = 40, SLOTS = 512, COUNTERS = 512, SHARED = 16384, TRIALS = 40000 };

static uint64_t seed_ = 1;
static uint32_t random_word(void) {
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed_ >> 33 ^ seed_ >> 13);
}
static uint32_t below(uint32_t n) { return (uint32_t)((uint64_t)random_word() * n >> 32); }
static bool one_in(uint32_t n) { return below(n) == 0; }
static uint32_t value(void) {
    static const uint32_t special[] = {0, 1, 2, 4, 31, 32, 33, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000,
                                       0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345, 1, 0x807fffff, 0x00800000};
    if (one_in(3)) return special[below(sizeof special / sizeof *special)];
    return one_in(2) ? (random_word() & 0x807fffffu) | (120 + below(16)) << 23 : random_word();
}

/* --- instructions -------------------------------------------------------------------------------- */

static sass_pred predicate(bool uniform) {
    return (sass_pred){.present = true, .reg = one_in(3) ? SASS_PT : (uint8_t)below(7), .inv = one_in(3), .uniform = uniform};
}
static sass_operand source(bool uniform, unsigned words) {
    if (one_in(8)) return (sass_operand){.kind = SASS_REG, .reg = SASS_RZ};
    if (words == 1 && one_in(4)) return (sass_operand){.kind = SASS_IMM, .value = one_in(2) ? 1 << below(20) : (int64_t)value()};
    if (uniform || one_in(8)) return (sass_operand){.kind = SASS_UREG, .reg = (uint8_t)(below(UREGS / words) * words)};
    return (sass_operand){.kind = SASS_REG, .reg = (uint8_t)(below(REGS / words) * words)};
}
static void signs(sass_operand *op, bool absolute) {
    if (op->kind == SASS_IMM || !one_in(3)) return;
    op->neg = one_in(2);
    op->abs = absolute && one_in(2);
}

static const uint16_t plain[] = {SASS_IADD3, SASS_LEA, SASS_LOP3, SASS_SHF, SASS_SEL, SASS_IMNMX, SASS_IMAD, SASS_IMAD_WIDE, SASS_ISETP,
                                 SASS_FADD, SASS_FMUL, SASS_FFMA, SASS_FFMA, SASS_FSETP, SASS_FSEL, SASS_MOV};
static const uint16_t uniform[] = {SASS_UIADD3, SASS_ULEA, SASS_ULOP3, SASS_USHF, SASS_USEL, SASS_UIMAD, SASS_UISETP, SASS_UMOV};

static bool loads_much; /* this run is of long loads: more words wait in memory than there are vector registers, by far */
static sass_instr load(void) {
    static const uint8_t bases[3][BASES] = {{0, 1, 2, 3}, {0, 0, 2, 3}, {0, 0, 3, 3}}; /* whose elements are long enough */
    unsigned longer = loads_much ? 2 : below(3), words = 1u << longer;
    return (sass_instr){.op = SASS_LDS, .guard = {.present = true, .reg = SASS_PT}, .width = (uint8_t)(4 * words), .type = SASS_TYPE_NONE,
                        .dst = {.kind = SASS_REG, .reg = one_in(12) ? SASS_RZ : (uint8_t)(below(REGS / words) * words)},
                        .mem = {.present = true, .base = (uint8_t)(REGS + bases[longer][below(BASES)]), .uniform = one_in(2) ? SASS_URZ : UREGS, .desc = 255,
                                .scale = 1, .offset = (int32_t)below(64) * 16 + (words == 1 ? (int32_t)below(4) * 4 : 0)}};
}
static sass_instr instruction(void) {
    if (one_in(4) || (loads_much && !one_in(12))) return load();
    static const uint8_t luts[] = {0xc0, 0xfc, 0x3c, 0x33, 0x30, 0x96, 0xfe, 0x80, 0xea, 0xca, 0x6a, 0xe8};
    bool is_uniform = one_in(6);
    sass_instr in = {.op = is_uniform ? uniform[below(sizeof uniform / 2)] : plain[below(sizeof plain / 2)],
                     .guard = {.present = true, .reg = SASS_PT}, .byte = 15};
    unsigned words = in.op == SASS_IMAD_WIDE ? 2 : 1;
    bool is_float = in.op == SASS_FADD || in.op == SASS_FMUL || in.op == SASS_FFMA || in.op == SASS_FSETP || in.op == SASS_FSEL;
    bool compares = in.op == SASS_ISETP || in.op == SASS_FSETP || in.op == SASS_UISETP;
    in.dst = (sass_operand){.kind = is_uniform ? SASS_UREG : SASS_REG, .reg = (uint8_t)(below((is_uniform ? UREGS : REGS) / words) * words)};
    if (one_in(12)) in.dst.reg = SASS_RZ, in.dst.kind = SASS_REG;
    in.a = source(is_uniform, 1), in.b = source(is_uniform, 1), in.c = source(is_uniform, words);
    if (is_float) signs(&in.a, true), signs(&in.b, true), signs(&in.c, in.op == SASS_FFMA);
    else if (in.op == SASS_IADD3) signs(&in.b, false);
    if (one_in(6)) in.guard = predicate(is_uniform);
    in.cmp = (uint8_t)(in.op == SASS_FSETP ? below(16) : 1 + below(6));
    in.bop = (uint8_t)(one_in(2) ? 0 : below(3));
    in.lut = luts[below(sizeof luts)];
    in.shift = (uint8_t)below(32);
    in.type = (uint8_t)(SASS_U32 + below(4));
    in.flags = (one_in(2) ? SASS_SIGNED : 0) | (one_in(2) ? SASS_HI : 0) | (one_in(2) ? SASS_RIGHT : 0) | (one_in(2) ? SASS_WRAP : 0) |
               (one_in(2) ? SASS_PAND : 0) | (!is_float && one_in(5) ? SASS_X : 0) | (is_float && one_in(8) ? SASS_FTZ : 0);
    in.psrc[0] = predicate(is_uniform);
    if (one_in(2)) in.psrc[0] = (sass_pred){.present = true, .reg = SASS_PT};
    if (compares || one_in(4)) in.pdst[0] = predicate(is_uniform);
    if (compares && one_in(4)) in.pdst[1] = predicate(is_uniform);
    return in;
}

/* --- a plan of one block ----------------------------------------------------------------------------- */

typedef struct bench { /* what a run works on */
    _Alignas(64) uint8_t R[SLOTS * ENG_SLOT];
    uint64_t counts[COUNTERS];
    eng_group groups[34];
    eng_batch batch;
    uint8_t shared[SHARED];
    eng_worker worker;
    eng_warp w;
} bench;

static eng_device *device;
static img_function function = {.code_size = 16 * 1024};
static img_module module = {.functions = &function, .n_functions = 1};
static eng_code code = {.module = &module};
static eng_planned planned[MOST + 2];
static sass_instr instrs[MOST + 2];
static eng_view view;
static eng_load_frame frame;
static char text[MOST + 2][100]; /* of the instructions, by id */

static void set_up_plan(eng_plan *plan) {
    *plan = (eng_plan){.code = &code, .n_regs = REGS + BASES, .n_uregs = UREGS + 1, .wants = one_in(2) ? 1u << ENG_EV_ACCESS | ENG_WANTS_SUMS : 0};
    for (unsigned p = 0; p < 512; p++) plan->constants[p] = ENG_NO_INDEX;
    plan->zero = (REGS + BASES) * ENG_SLOT;
    plan->sink = plan->zero + ENG_RZ_SLOTS * ENG_SLOT;
    plan->uregs = plan->sink + ENG_RZ_SLOTS * ENG_SLOT;
    plan->barriers = plan->end = plan->uregs + (UREGS + 1) * ENG_SLOT;
    assert_true(wg_vec_push(&plan->units, ((eng_unit){.planned = planned, .instrs = instrs, .n = MOST + 2})));
}
static bool add(eng_plan *plan, sass_instr in, unsigned id) {
    eng_ins out = {.id = id, .guard = (uint8_t)(in.guard.reg == SASS_PT ? ENG_PT : in.guard.reg + (in.guard.uniform ? ENG_UP : 0)),
                   .ginv = in.guard.inv ? ENG_ALL : 0};
    in.offset = id * 16;
    in.sm = 90;
    instrs[id] = in;
    plan->instr = &instrs[id];
    plan->refused = false;
    if (!device->binders[in.op](plan, &in, &out) || plan->refused) return false;
    bool guarded = in.op != SASS_BRA && (out.guard != ENG_PT || out.ginv);
    eng_ins count = {.fn = device->count_guard, .id = id, .guard = out.guard, .ginv = out.ginv, .x = plan->n_counters};
    if (guarded) plan->n_counters++, assert_true(wg_vec_push(&plan->ins, count));
    assert_true(wg_vec_push(&plan->ins, out));
    sass_print(&in, text[id], sizeof text[id]);
    return true;
}
/* A block: its counter, instructions, perhaps a branch to the stop that ends it all. */
static void fill_plan(eng_plan *plan) {
    unsigned n = 1 + below(one_in(4) ? MOST : 8);
    eng_ins count = {.fn = device->count_block, .guard = ENG_PT, .y = n, .imm = n}, stop = {.fn = device->stop};
    plan->n_counters = ENG_BLOCK_COUNTERS;
    if (!one_in(4)) assert_true(wg_vec_push(&plan->ins, count));
    for (unsigned k = 0; k < n;) k += add(plan, instruction(), k);
    sass_instr branch = {.op = SASS_BRA, .guard = predicate(false), .psrc = {predicate(false), predicate(true)}, .has_target = true,
                         .target = one_in(2) ? 0 : 16 * 512};
    bool branches = one_in(2);
    if (branches) assert_true(add(plan, branch, n));
    assert_true(wg_vec_push(&plan->ins, stop));
    plan->stop = &plan->ins.at[plan->ins.count - 1];
    if (branches) plan->ins.at[plan->ins.count - 2].target = plan->stop;
}
static void free_plan(eng_plan *plan) {
    eng_native_free(plan);
    wg_vec_free(&plan->units);
    wg_vec_free(&plan->ins);
    wg_vec_free(&plan->fills);
    wg_vec_free(&plan->fixups);
}

/* Names the run that came out otherwise. */
#define differ(plan, ...)                                                                                 \
    do {                                                                                                  \
        for (size_t k = 0; k + 1 < (plan)->ins.count; k++)                                                \
            if (k == 0 || (plan)->ins.at[k].id != (plan)->ins.at[k - 1].id)                               \
                print_message("    %s\n", text[(plan)->ins.at[k].id]);                                    \
        fail_msg(__VA_ARGS__);                                                                            \
    } while (0)

/* --- running it ----------------------------------------------------------------------------------------- */

/* Lane l's address is step * l from the first. */
static void set_base(bench *b, const eng_plan *plan, unsigned n) {
    uint32_t element = n ? 2u << n : 16, step = one_in(8) ? below(8) * element : n ? element : 0, start = below(64) * 32 + (one_in(4) ? 16 : 0);
    for (uint32_t l = 0; l < 32; l++) ((uint32_t *)(void *)(b->R + (REGS + n) * ENG_SLOT))[l] = start + l * step;
    for (uint32_t l = 0; l < 32; l++) ((uint32_t *)(void *)(b->R + plan->uregs + UREGS * ENG_SLOT))[l] = 1024;
}
static void set_up(bench *b, const eng_plan *plan, const eng_worker *worker, uint32_t mask) {
    memset(b, 0, sizeof *b);
    b->worker = *worker;
    for (unsigned slot = 0; slot < plan->end / ENG_SLOT; slot++) {
        bool uniform_slot = slot * ENG_SLOT >= plan->uregs;
        uint32_t *lanes = (uint32_t *)(void *)(b->R + slot * ENG_SLOT), same = value();
        for (unsigned l = 0; l < 32; l++) lanes[l] = uniform_slot ? same : value();
    }
    memset(b->R + plan->zero, 0, ENG_RZ_SLOTS * ENG_SLOT);
    for (size_t f = 0; f < plan->fills.count; f++)
        for (unsigned l = 0; l < 32; l++) ((uint32_t *)(void *)(b->R + plan->fills.at[f].slot))[l] = plan->fills.at[f].value;
    for (unsigned n = 0; n < BASES; n++) set_base(b, plan, n);
    for (unsigned n = 0; n < SHARED; n += 4) memcpy(b->shared + n, &(uint32_t){value()}, 4);
    for (unsigned n = 0; n < COUNTERS; n++) b->counts[n] = !one_in(8); /* plain accesses have been heard of, or not */
    b->w = (eng_warp){.mask = mask, .budget = one_in(4) ? 2 : 1000, .stop = plan->stop, .shared_size = SHARED, .shared_plain = SHARED};
    for (unsigned p = 0; p < 7; p++) b->w.P[p] = random_word() | (one_in(3) ? ENG_ALL : 0), b->w.P[ENG_UP + p] = one_in(2) ? ENG_ALL : 0;
    b->w.P[ENG_PT] = b->w.P[ENG_UPT] = ENG_ALL;
}
static void run(bench *b, const eng_plan *plan) {
    b->w.counts = b->counts;
    b->w.groups = b->groups;
    b->w.R = b->R;
    b->w.shared = b->shared;
    b->w.worker = &b->worker;
    b->worker.batch = &b->batch;
    b->worker.ev = b->batch.events;
    b->worker.ev_end = b->batch.events + ENG_BATCH_EVENTS;
    memset(view.seen, 0, sizeof view.seen);
    plan->ins.at[0].fn(&plan->ins.at[0], &b->w, b->R, b->w.mask);
}
static void same(const bench *x, const bench *y, const eng_plan *plan, unsigned n_counters, unsigned trial) {
    for (uint32_t at = 0; at < plan->end; at += 4)
        if ((at < plan->sink || at >= plan->uregs) && memcmp(x->R + at, y->R + at, 4))
            differ(plan, "trial %u: slot %u lane %u: 0x%08x by handlers, 0x%08x natively", trial, at / ENG_SLOT, at % ENG_SLOT / 4,
                     *(const uint32_t *)(const void *)(x->R + at), *(const uint32_t *)(const void *)(y->R + at));
    for (unsigned p = 0; p < ENG_PSINK; p++)
        if (x->w.P[p] != y->w.P[p]) differ(plan, "trial %u: predicate %u: 0x%08x by handlers, 0x%08x natively", trial, p, x->w.P[p], y->w.P[p]);
    for (unsigned n = 0; n < n_counters; n++) /* native code has counters of its own behind them: spread already */
        if (x->counts[n] != y->counts[n]) differ(plan, "trial %u: counter %u: %lu by handlers, %lu natively", trial, n,
                                                 (unsigned long)x->counts[n], (unsigned long)y->counts[n]);
    assert_int_equal(x->worker.ev - x->batch.events, y->worker.ev - y->batch.events);
    assert_int_equal(x->w.worked, y->w.worked);
    assert_int_equal(x->w.executed, y->w.executed);
    assert_int_equal(x->w.budget, y->w.budget);
    assert_int_equal(x->w.mask, y->w.mask);
    assert_int_equal(x->w.n_groups, y->w.n_groups);
    assert_memory_equal(x->groups, y->groups, x->w.n_groups * sizeof *x->groups);
}

static void test_runs(void **state) {
    (void)state;
    static bench first, handlers, native;
    static eng_grid grid;
    static eng_launch launch;
    unsigned made = 0;
    grid.launch = &launch;
    if (!device->native) return;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        eng_plan plan;
        loads_much = one_in(10);
        set_up_plan(&plan);
        fill_plan(&plan);
        grid.plan = &plan;
        eng_worker worker = {.grid = &grid, .memory_state = &view, .load_frame = &frame, .wants = plan.wants};
        unsigned n_counters = plan.n_counters;
        assert_true(plan.end <= sizeof first.R && plan.n_counters + MOST <= COUNTERS);
        set_up(&first, &plan, &worker, one_in(2) ? ENG_ALL : random_word() | 1u << below(32));
        handlers = first;
        run(&handlers, &plan);
        eng_native_make(&plan);
        made += plan.native != NULL;
        for (unsigned times = 0; times < 2; times++) { /* runs with loads are made when they are first reached */
            native = first;
            memset(native.counts + n_counters, 0, sizeof native.counts - n_counters * sizeof *native.counts);
            run(&native, &plan);
            eng_native_spread(&plan, native.counts);
            same(&handlers, &native, &plan, n_counters, trial);
        }
        free_plan(&plan);
    }
    assert_true(made > TRIALS / 2);
}

static int make_device(void **state) {
    (void)state;
    wg_error err;
    if (eng_device_new(eng_gpu_for_sm(90), &device, &err) != WG_OK) return -1;
    code.device = device;
    return 0;
}
static int free_device(void **state) {
    (void)state;
    eng_device_free(device);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, make_device, free_device);
}
