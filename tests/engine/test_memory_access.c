/* The memory families' handlers, one instruction at a time, against a model that knows single bytes only.
 * Compiled once for each instruction set; the planner and the scheduler are played by a few lines here. */
#define WG_ISA test
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define load_rest global_load_rest
#define store_rest global_store_rest
#define load_fast global_load_fast
#define store_fast global_store_fast
#define load_some global_load_some
#define store_some global_store_some
#define bindings_ global_bindings
#include "engine/exec_global.c"
#undef load_rest
#undef store_rest
#undef load_fast
#undef store_fast
#undef load_some
#undef store_some
#undef bindings_
#define bindings_ shared_bindings
#include "engine/exec_shared.c"
#undef bindings_
#define bindings_ atomic_bindings
#include "engine/exec_atomic.c"
#undef bindings_
#define bindings_ local_bindings
#define load_rest local_load_rest
#define store_rest local_store_rest
#include "engine/exec_local.c"

/* --- what stands in for the planner and the scheduler ---------------------------------- */

enum { REGS = 16, ZERO = REGS, SINK = ZERO + 4, UREG = SINK + 4, SLOTS = UREG + 4 };
uint32_t eng_slot_reg(eng_plan *p, unsigned reg) { return (void)p, (reg == 255 ? ZERO : reg) * ENG_SLOT; }
uint32_t eng_slot_ureg(eng_plan *p, unsigned reg) { return (void)p, (reg == 255 ? ZERO : UREG + reg) * ENG_SLOT; }
uint32_t eng_slot_src(eng_plan *p, const sass_operand *op) { return eng_slot_reg(p, op->kind == SASS_REG ? op->reg : 255); }
uint32_t eng_slot_dst(eng_plan *p, const sass_operand *op) {
    return (void)p, (op->kind != SASS_REG || op->reg == 255 ? SINK : op->reg) * (uint32_t)ENG_SLOT;
}
/* As if all were one basic block; the tests put two accesses there when the second is to remember the first. */
static sass_instr block[2];
unsigned eng_plan_block_start(const eng_plan *p) { return (void)p, 0; }
const sass_instr *eng_plan_instrs(const eng_plan *p, unsigned *n) { return (void)p, *n = 2, block; }
uint8_t eng_pred_dst(const sass_pred *pred) { return pred->present && pred->reg != SASS_PT ? pred->reg : ENG_PSINK; }
uint32_t eng_plain_counter(eng_plan *p, eng_space space) { return (void)p, (void)space, 0; }
bool eng_plan_clustered(const eng_plan *p) { return (void)p, false; }
uint32_t eng_slot_special(eng_plan *p, unsigned sr) { return (void)p, (void)sr, ZERO * ENG_SLOT; }
bool eng_cluster_reach(eng_warp *w, const eng_ins *i, uint32_t rank, uint32_t lanes, const uint64_t *addresses, eng_reach *out) {
    return (void)w, (void)i, (void)rank, (void)lanes, (void)addresses, (void)out, false;
}
bool eng_refuse(eng_plan *p, const char *why) { return (void)p, (void)why, false; }

static eng_finding found[64];
static unsigned n_found;
uint32_t eng_slot_value(eng_plan *p, uint32_t value) { return (void)p, (void)value, 0; }
const eng_texture *eng_texture_get(const eng_device *device, uint64_t handle) { return (void)device, (void)handle, NULL; }
void eng_fault(eng_warp *w, const eng_ins *i, eng_finding *f) {
    (void)w, (void)i;
    if (n_found < 64) found[n_found++] = *f;
}
static eng_ins ended;
const eng_ins *eng_end(eng_warp *w, const eng_ins *i) { return (void)w, (void)i, &ended; }

/* Nobody listens to undefined values here. */
const eng_ins *eng_undefined_enter(eng_warp *w, const eng_ins *i) { return (void)w, i + 1; }
void eng_undefined_loaded(eng_warp *w, const eng_ins *i, const uint64_t *A, uint32_t lanes, eng_space space) {
    (void)w, (void)i, (void)A, (void)lanes, (void)space;
}
void eng_undefined_loaded_matrix(eng_warp *w, const eng_ins *i, uint32_t undefined[4][32], unsigned count, uint32_t on, uint64_t address) {
    (void)w, (void)i, (void)undefined, (void)count, (void)on, (void)address;
}
void eng_undefined_atomic(eng_warp *w, const eng_ins *i, const uint64_t *A, uint32_t lanes, eng_space space) {
    (void)w, (void)i, (void)A, (void)lanes, (void)space;
}

static eng_batch batch;
static eng_worker worker;
static uint8_t regs[SLOTS * ENG_SLOT] __attribute__((aligned(64)));
static uint8_t shared[4096 + 64] __attribute__((aligned(64))), local[256 * 32] __attribute__((aligned(64)));
static eng_warp warp;
void eng_flush(eng_worker *k) { /* the tests look at each event at once */
    k->ev = k->batch->events;
    k->batch->n_general = 0;
}

static uint32_t rng_state = 1;
static uint32_t rng(void) {
    rng_state ^= rng_state << 13, rng_state ^= rng_state >> 17, rng_state ^= rng_state << 5;
    return rng_state;
}
static uint32_t *reg(unsigned r) { return (uint32_t *)(void *)(regs + r * ENG_SLOT); }

static eng_memory *memory;
enum { ALLOCS = 3, MOST = 20000 };
static const uint32_t sizes[ALLOCS] = {MOST, 1000, 68};
static struct model {
    const eng_allocation *a;
    int bytes[MOST]; /* -1: undefined */
    uint64_t reads[MOST], moved_in, moved_out;
} model[ALLOCS];

static void set_up(bool count_reads) {
    assert_int_equal(eng_memory_new((uint64_t)1 << 30, &memory, NULL), WG_OK);
    for (int k = 0; k < ALLOCS; k++) {
        memset(&model[k], 0, sizeof model[k]);
        memset(model[k].bytes, -1, sizeof model[k].bytes);
        assert_int_equal(eng_memory_alloc(memory, sizes[k], ENG_ALLOC_DEVICE, &model[k].a, NULL), WG_OK);
        for (uint32_t at = 0; at + 64 < sizes[k]; at += 1 + rng() % 500) { /* some of it defined */
            uint8_t data[64];
            uint32_t n = rng() % 64;
            for (uint32_t b = 0; b < n; b++) data[b] = (uint8_t)rng(), model[k].bytes[at + b] = data[b];
            assert_int_equal(eng_memory_copy(memory, model[k].a->address + at, (uintptr_t)data, n, ENG_HOST_TO_DEVICE, NULL), WG_OK);
        }
    }
    assert_int_equal(eng_memory_begin(memory, 1, count_reads, false, NULL), WG_OK);
    worker = (eng_worker){.memory = memory, .batch = &batch, .ev = batch.events, .ev_end = batch.events + 4,
                          .wants = 1, .memory_state = eng_memory_view(memory, 0)};
    warp = (eng_warp){.R = regs, .worker = &worker, .index = 3, .shared = shared, .shared_size = 4096, .shared_plain = 4096, .local = local, .local_size = 256};
    warp.P[ENG_PT] = ENG_ALL;
    memset(regs, 0, sizeof regs);
}
static eng_view *memory_view(void) { return worker.memory_state; }
static void tear_down(void) {
    eng_memory_end(memory, true);
    eng_memory_free(memory);
}

/* The model's byte at an address, by allocation; NULL: in none that wholly holds the element. */
static struct model *home(uint64_t address, unsigned width, uint64_t *at) {
    for (int k = 0; k < ALLOCS; k++)
        if (address >= model[k].a->address && address + width <= model[k].a->address + sizes[k])
            return *at = address - model[k].a->address, &model[k];
    return NULL;
}
static uint8_t value_of(const struct model *m, uint64_t at) {
    return m->bytes[at] >= 0 ? (uint8_t)m->bytes[at] : (uint8_t)(ENG_PATTERN >> (m->a->address + at) % 4 * 8);
}

/* A warp's worth of addresses: of a shape, near the allocations, always aligned. */
static void make_addresses(uint64_t *A, unsigned width) {
    const eng_allocation *a = model[rng() % ALLOCS].a;
    uint64_t span = a->size + (rng() % 4 ? 0 : 200);
    uint64_t base = a->address + rng() % span / width * width;
    int64_t step = rng() % 3 ? width : (int64_t)(rng() % 40) * width - 10 * (int64_t)width;
    unsigned kind = rng() % 6, row = 4u << rng() % 3;
    for (unsigned l = 0; l < 32; l++) switch (kind) {
        case 0: A[l] = base; break;
        case 1: A[l] = base + l * width; break;
        case 2: A[l] = base + (uint64_t)(l * step); break;
        case 3: A[l] = base + l / row * 33 * width + l % row * width; break;
        case 4: A[l] = a->address + rng() % span / width * width; break;
        default: {
            const eng_allocation *b = model[rng() % ALLOCS].a;
            A[l] = b->address + rng() % b->size / width * width;
        }
        }
}

static sass_instr instruction(sass_op op, unsigned width, bool is_signed) {
    sass_instr in = {.op = (uint16_t)op, .width = (uint8_t)width, .mem = {.present = true, .base = 2, .uniform = 255, .desc = 255, .wide = true, .scale = 1}};
    in.type = is_signed ? width == 1 ? SASS_S8 : SASS_S16 : SASS_U32;
    in.dst = (sass_operand){.kind = SASS_REG, .reg = 8};
    in.a = (sass_operand){.kind = SASS_REG, .reg = 4};
    return in;
}

static uint32_t random_mask(void) {
    switch (rng() % 5) {
    case 0: return rng();
    case 1: return ENG_ALL << rng() % 32;
    case 2: return ENG_ALL >> rng() % 32;
    default: return ENG_ALL;
    }
}

/* Checks that the event says what the lanes did, whatever class it chose. */
static void check_event(const uint64_t *A, uint32_t did, unsigned id, eng_space space, unsigned width, unsigned access) {
    if (!did) {
        assert_ptr_equal(worker.ev, batch.events);
        return;
    }
    const eng_event *ev = batch.events;
    assert_ptr_equal(worker.ev, ev + 1);
    assert_true(ev->kind == ENG_EV_ACCESS && ev->space == space && ev->width == width && ev->access == access);
    assert_true(ev->mask == did && ev->instr == id && ev->function == 5 && ev->warp == 3);
    for (unsigned l = 0; l < 32; l++)
        if (did >> l & 1) assert_int_equal(eng_lane_address(&batch, ev, l), A[l]);
}

static unsigned classes[ENG_GENERAL + 1], n_faults;

/* One access, instruction number id of its block, at the addresses A for the lanes of mask whose guard is true. */
static void access_global(const sass_instr *in, eng_ins ins[2], unsigned id, const uint64_t *A, uint32_t mask, uint32_t on) {
    bool store = in->op == SASS_STG, is_signed = in->type == SASS_S8 || in->type == SASS_S16;
    unsigned width = in->width;
    uint8_t before[sizeof regs];
    memcpy(before, regs, sizeof regs);
    worker.ev = batch.events, batch.n_general = 0, n_found = 0;
    ins[0].id = id;
    assert_true(store ? bind_stg(NULL, in, ins) : bind_ldg(NULL, in, ins));
    assert_ptr_equal(ins[0].fn(ins, &warp, regs, mask), ins + 1);
    uint32_t did = 0, not_there = 0;
    for (unsigned l = 0; l < 32; l++) {
        uint64_t at = 0;
        struct model *m = home(A[l], width, &at);
        uint8_t want[16], got[16];
        for (unsigned j = 0; j < 4; j++) {
            memcpy(want + 4 * j, before + (8 + j) * ENG_SLOT + l * 4, 4);
            memcpy(got + 4 * j, regs + (8 + j) * ENG_SLOT + l * 4, 4);
        }
        if (on >> l & 1) {
            if (m) did |= 1u << l;
            else not_there |= 1u << l;
            if (!store) {
                if (width < 4) memset(want, 0, 4);
                for (unsigned b = 0; b < width; b++) {
                    want[b] = m ? value_of(m, at + b) : (uint8_t)(ENG_PATTERN >> (A[l] + b) % 4 * 8);
                    if (m) m->reads[at + b]++;
                }
                if (is_signed && want[width - 1] >> 7) memset(want + width, 0xff, 4 - width);
                if (m) m->moved_in += width;
            } else if (m) {
                for (unsigned b = 0; b < width; b++) m->bytes[at + b] = (before + (4 + b / 4) * ENG_SLOT + l * 4)[b % 4];
                m->moved_out += width;
            }
        }
        assert_memory_equal(want, got, 16);
    }
    check_event(A, did, id, ENG_GLOBAL, width, store ? ENG_WRITE : ENG_READ);
    if (did) classes[batch.events[0].cls]++;
    uint32_t reported = 0;
    for (unsigned f = 0; f < n_found; f++) {
        assert_int_equal(found[f].kind, ENG_FAULT_OUT_OF_BOUNDS);
        assert_false(found[f].fatal);
        reported |= found[f].lanes;
        n_faults++;
    }
    assert_int_equal(reported, not_there);
}

static void global_accesses_agree_with_a_model(void **state) {
    (void)state;
    set_up(true);
    for (int round = 0; round < 60000; round++) {
        unsigned width = 1u << rng() % 5;
        bool store = rng() % 3 == 0, is_signed = !store && width < 4 && rng() % 2;
        ENG_ADDRESSES(A);
        make_addresses(A, width);
        eng_ins ins[2] = {{.guard = ENG_PT, .function = 5}};
        sass_instr in = instruction(store ? SASS_STG : SASS_LDG, width, is_signed);
        in.mem.offset = (int32_t)(rng() % 64) - 32;
        in.guard.reg = SASS_PT;
        if (rng() % 8 == 0) in.mem.uniform = 0;
        uint64_t uniform = (uint64_t)rng() << 20;
        uint32_t mask = random_mask(), on = mask;
        if (rng() % 4 == 0) ins[0].guard = in.guard.reg = 1, ins[0].ginv = rng() % 2 ? ENG_ALL : 0, warp.P[1] = random_mask();
        on &= warp.P[ins[0].guard] ^ ins[0].ginv;
        for (unsigned l = 0; l < 32; l++) {
            uint64_t base = A[l] - (uint64_t)(int64_t)in.mem.offset - (in.mem.uniform == 0 ? uniform : 0);
            if (!(on >> l & 1) && rng() % 2) base = (uint64_t)rng() << 32 | rng(); /* registers of lanes that are not there */
            reg(2)[l] = (uint32_t)base, reg(3)[l] = (uint32_t)(base >> 32);
            reg(UREG)[l] = (uint32_t)uniform, reg(UREG + 1)[l] = (uint32_t)(uniform >> 32);
            for (unsigned j = 4; j < 12; j++) reg(j)[l] = rng();
        }
        memory_view()->seen[2] = SEEN_CONTIGUOUS; /* of another time: nobody may believe it */
        block[0] = block[1] = in;
        access_global(&in, ins, 0, A, mask, on);
        if (rng() % 2) continue;
        int32_t further = (int32_t)(rng() % 8 * width); /* the same register again */
        in.mem.offset += further;
        for (unsigned l = 0; l < 32; l++) A[l] += (uint64_t)(int64_t)further;
        in.op = rng() % 4 ? SASS_LDG : SASS_STG;
        if (in.op == SASS_STG && is_signed) in.type = SASS_U32;
        access_global(&in, ins, 1, A, mask, on);
    }
    for (int c = 0; c <= ENG_GENERAL; c++) assert_true(classes[c] > 100);
    assert_true(n_faults > 100);
    eng_memory_end(memory, true);
    for (int k = 0; k < ALLOCS; k++) {
        uint8_t host[MOST];
        assert_int_equal(model[k].a->bytes_read, model[k].moved_in);
        assert_int_equal(model[k].a->bytes_written, model[k].moved_out);
        eng_memory_copy(memory, (uintptr_t)host, model[k].a->address, sizes[k], ENG_DEVICE_TO_HOST, NULL);
        eng_read_map map;
        uint64_t count;
        assert_int_equal(eng_read_map_open(&map, memory, model[k].a, 1), WG_OK);
        for (uint32_t b = 0; b < sizes[k]; b++) {
            assert_int_equal(host[b], value_of(&model[k], b));
            assert_int_equal(eng_read_map_next(&map, &count, 1), 1);
            assert_int_equal(count, model[k].reads[b]);
        }
        eng_read_map_close(&map);
    }
    eng_memory_free(memory);
}

/* Loads that take turns at several places, each of which goes on where it was: the plane is not touched before they end. */
static void places_in_turns_are_runs(void **state) {
    (void)state;
    enum { PLACES = 3, ROUNDS = 48, N = 128, APART = 6400 }; /* over the edges of windows */
    set_up(true);
    eng_memory_end(memory, true);
    struct model *m = &model[0];
    uint8_t data[MOST];
    for (unsigned b = 0; b < MOST; b++) data[b] = (uint8_t)rng(), m->bytes[b] = data[b];
    assert_int_equal(eng_memory_copy(memory, m->a->address, (uintptr_t)data, MOST, ENG_HOST_TO_DEVICE, NULL), WG_OK);
    assert_int_equal(eng_memory_begin(memory, 1, true, false, NULL), WG_OK);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned turn = 0; turn < 2 * PLACES; turn++) {
            ENG_ADDRESSES(A);
            eng_ins ins[2] = {{.guard = ENG_PT, .function = 5}};
            sass_instr in = instruction(SASS_LDG, 4, false);
            in.guard.reg = SASS_PT;
            for (unsigned l = 0; l < 32; l++) {
                A[l] = m->a->address + turn / 2 * APART + round * N + l * 4;
                reg(2)[l] = (uint32_t)A[l], reg(3)[l] = (uint32_t)(A[l] >> 32);
            }
            block[0] = block[1] = in;
            block[0].dst.reg = 2; /* the second one has to look for itself */
            access_global(&in, ins, turn % 2, A, ENG_ALL, ENG_ALL);
        }
    const int16_t *words = memory_view()->words + (m->a->address - memory->base) / 4;
    for (unsigned w = 0; w <= MOST / 4; w++) assert_int_equal(words[w], 0);
    unsigned runs = 0;
    for (unsigned k = 0; k < 1u << MEM_RUNS; k++) runs += memory_view()->runs[k].n != 0;
    assert_int_equal(runs, 2 * PLACES);
    eng_memory_end(memory, true);
    for (unsigned b = 0; b < MOST; b += 4) assert_int_equal(eng_memory_reads(memory, m->a->address + b, 4), m->reads[b]);
    assert_int_equal(m->reads[0], 2);
    eng_memory_free(memory);
}

/* Whether an access may believe what an earlier one saw: what stands between them decides. */
static void only_an_unchanged_register_is_remembered(void **state) {
    (void)state;
    const struct {
        sass_op op;
        unsigned dst, guard, width;
        bool remembered;
    } cases[] = {
        {SASS_LDG, 8, SASS_PT, 4, true},  {SASS_STG, 255, SASS_PT, 4, true}, {SASS_LDG, 2, SASS_PT, 4, false}, /* overwritten */
        {SASS_LDG, 3, SASS_PT, 4, false}, {SASS_LDG, 8, 0, 4, false}, /* guarded */ {SASS_LDG, 8, SASS_PT, 8, false},
        {SASS_LDS, 8, SASS_PT, 4, false}, {SASS_BAR, 255, SASS_PT, 4, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        sass_instr in = instruction(SASS_LDG, 4, false);
        in.guard.reg = SASS_PT;
        block[0] = block[1] = in;
        block[0].op = (uint16_t)cases[c].op;
        block[0].dst.reg = (uint8_t)cases[c].dst;
        block[0].guard.reg = (uint8_t)cases[c].guard;
        block[0].width = (uint8_t)cases[c].width;
        eng_ins ins = {.guard = ENG_PT, .id = 1};
        assert_true(bind_ldg(NULL, &in, &ins));
        assert_ptr_equal(ins.fn, cases[c].remembered ? ldg_32_again : ldg_32_plain);
    }
}

static void faults_have_their_kinds(void **state) {
    (void)state;
    set_up(false);
    const eng_allocation *gone;
    static uint32_t host_variable;
    eng_memory_alloc(memory, 256, ENG_ALLOC_DEVICE, &gone, NULL);
    eng_memory_release(memory, gone->address, NULL);
    const struct {
        uint64_t address;
        eng_finding_kind kind;
        bool fatal;
    } cases[] = {{0, ENG_FAULT_NULL, true},
                 {400, ENG_FAULT_NULL, true},
                 {(uintptr_t)&host_variable, ENG_FAULT_HOST_POINTER, true},
                 {0x123456789000, ENG_FAULT_WILD, true},
                 {UINT64_MAX - 127, ENG_FAULT_WILD, true},
                 {model[0].a->address + 2, ENG_FAULT_MISALIGNED, true},
                 {model[0].a->address + MOST, ENG_FAULT_OUT_OF_BOUNDS, false},
                 {model[0].a->address - 4, ENG_FAULT_OUT_OF_BOUNDS, false},
                 {gone->address + 4, ENG_FAULT_FREED, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (unsigned store = 0; store < 2; store++) {
            eng_ins ins[2] = {{.guard = ENG_PT}};
            sass_instr in = instruction(store ? SASS_STG : SASS_LDG, 4, false);
            for (unsigned l = 0; l < 32; l++) reg(2)[l] = (uint32_t)cases[c].address, reg(3)[l] = (uint32_t)(cases[c].address >> 32);
            n_found = 0;
            assert_true(store ? bind_stg(NULL, &in, ins) : bind_ldg(NULL, &in, ins));
            assert_ptr_equal(ins[0].fn(ins, &warp, regs, 0xf0), cases[c].fatal ? &ended : ins + 1);
            assert_int_equal(n_found, 1);
            assert_int_equal(found[0].kind, cases[c].kind);
            assert_int_equal(found[0].fatal, cases[c].fatal);
            assert_int_equal(found[0].lanes, 0xf0);
            assert_int_equal(found[0].address, cases[c].address);
            if (cases[c].kind == ENG_FAULT_FREED) assert_ptr_equal(found[0].allocation, gone);
        }
    tear_down();
}

static void shared_accesses_agree_with_a_model(void **state) {
    (void)state;
    set_up(false);
    static uint8_t want[4096];
    for (unsigned b = 0; b < 4096; b++) shared[b] = want[b] = (uint8_t)rng();
    for (int round = 0; round < 30000; round++) {
        unsigned width = 1u << rng() % 5, kind = rng() % 4;
        bool store = rng() % 2, is_signed = !store && width < 4 && rng() % 2;
        ENG_ADDRESSES(A);
        uint32_t mask = random_mask(), uniform = rng() % 256 * 16, base = rng() % (4096 - 32 * 16) / width * width;
        for (unsigned l = 0; l < 32; l++) A[l] = kind == 0 ? base : kind == 1 ? base + l * width : kind == 2 ? rng() % 4096 / width * width : (base + l * 5 * width) % 4096;
        eng_ins ins[2] = {{.guard = ENG_PT, .function = 5}};
        sass_instr in = instruction(store ? SASS_STS : SASS_LDS, width, is_signed);
        in.mem.uniform = 0;
        in.mem.offset = 48;
        if (rng() % 8 == 0) in.mem.scale = 4;
        for (unsigned l = 0; l < 32; l++) {
            reg(2)[l] = (uint32_t)A[l] - 48 - uniform;
            if (in.mem.scale == 4) reg(2)[l] /= 4, A[l] = reg(2)[l] * 4 + 48 + uniform;
            if (width > 4 || in.mem.scale == 4) A[l] = A[l] / 1;
            reg(UREG)[l] = uniform;
            for (unsigned j = 4; j < 12; j++) reg(j)[l] = rng();
        }
        bool all_good = true;
        for (unsigned l = 0; l < 32; l++)
            if (mask >> l & 1) all_good &= (uint32_t)A[l] + width <= 4096 && A[l] % width == 0;
        if (!all_good) continue; /* scaled addresses may miss: another test */
        uint8_t before[sizeof regs];
        memcpy(before, regs, sizeof regs);
        worker.ev = batch.events, batch.n_general = 0;
        assert_true(store ? bind_sts(NULL, &in, ins) : bind_lds(NULL, &in, ins));
        assert_ptr_equal(ins[0].fn(ins, &warp, regs, mask), ins + 1);
        for (unsigned l = 0; l < 32; l++) {
            if (!(mask >> l & 1)) continue;
            uint8_t element[16] = {0}, got[16];
            for (unsigned j = 0; j < 4; j++) memcpy(got + 4 * j, regs + (8 + j) * ENG_SLOT + l * 4, 4);
            for (unsigned b = 0; b < width; b++)
                if (store) want[A[l] + b] = (before + (4 + b / 4) * ENG_SLOT + l * 4)[b % 4];
                else element[b] = want[A[l] + b];
            if (is_signed && element[width - 1] >> 7) memset(element + width, 0xff, 4 - width);
            if (!store) assert_memory_equal(element, got, width < 4 ? 4 : width);
        }
        if (store) assert_memory_equal(want, shared, 4096);
        check_event(A, mask, 0, ENG_SHARED, width, store ? ENG_WRITE : ENG_READ);
    }
    eng_ins ins[2] = {{.guard = ENG_PT}};
    sass_instr in = instruction(SASS_LDS, 4, false);
    for (unsigned l = 0; l < 32; l++) reg(2)[l] = 4000 + l * 4;
    assert_true(bind_lds(NULL, &in, ins));
    n_found = 0;
    assert_ptr_equal(ins[0].fn(ins, &warp, regs, ENG_ALL), &ended);
    assert_int_equal(found[0].kind, ENG_FAULT_SHARED);
    assert_int_equal(found[0].lanes, ENG_ALL << 24);
    tear_down();
}

static void local_memory_is_each_lanes_own(void **state) {
    (void)state;
    set_up(false);
    static uint8_t want[32][256];
    memset(local, 0, sizeof local);
    memset(want, 0, sizeof want);
    for (int round = 0; round < 30000; round++) {
        unsigned width = 1u << rng() % 5;
        bool store = rng() % 2;
        ENG_ADDRESSES(A), base = rng() % 240 / width * width;
        uint32_t mask = random_mask();
        bool same = rng() % 2;
        eng_ins ins[2] = {{.guard = ENG_PT, .function = 5}};
        sass_instr in = instruction(store ? SASS_STL : SASS_LDL, width, false);
        in.mem.uniform = 255;
        for (unsigned l = 0; l < 32; l++) {
            A[l] = same ? base : rng() % 256 / width * width;
            reg(2)[l] = (uint32_t)A[l];
            for (unsigned j = 4; j < 12; j++) reg(j)[l] = rng();
        }
        worker.ev = batch.events, batch.n_general = 0;
        assert_true(store ? bind_stl(NULL, &in, ins) : bind_ldl(NULL, &in, ins));
        assert_ptr_equal(ins[0].fn(ins, &warp, regs, mask), ins + 1);
        ENG_LANES(l, mask) for (unsigned b = 0; b < width; b++) {
            if (store) want[l][A[l] + b] = (regs + (4 + b / 4) * ENG_SLOT + l * 4)[b % 4];
            else assert_int_equal((regs + (8 + b / 4) * ENG_SLOT + l * 4)[b % 4], want[l][A[l] + b]);
        }
        check_event(A, mask, 0, ENG_LOCAL, width, store ? ENG_WRITE : ENG_READ);
    }
    tear_down();
}

/* --- atomics: by what CUDA's guide says of each ------------------------------------------- */

static uint64_t expected(unsigned op, sass_type type, uint64_t old, uint64_t data) {
    uint32_t o = (uint32_t)old, d = (uint32_t)data;
    bool wide = type == SASS_U64 || type == SASS_S64;
    switch (op) {
    case SASS_ATOM_ADD: return wide ? old + data : (uint32_t)(o + d);
    case SASS_ATOM_MIN: return type == SASS_U32 ? (o < d ? o : d) : type == SASS_S32 ? (uint32_t)((int32_t)o < (int32_t)d ? o : d) : type == SASS_U64 ? (old < data ? old : data) : ((int64_t)old < (int64_t)data ? old : data);
    case SASS_ATOM_MAX: return type == SASS_U32 ? (o > d ? o : d) : type == SASS_S32 ? (uint32_t)((int32_t)o > (int32_t)d ? o : d) : type == SASS_U64 ? (old > data ? old : data) : ((int64_t)old > (int64_t)data ? old : data);
    case SASS_ATOM_INC: return o >= d ? 0 : o + 1;
    case SASS_ATOM_DEC: return o == 0 || o > d ? d : o - 1;
    case SASS_ATOM_AND: return old & data;
    case SASS_ATOM_OR: return old | data;
    case SASS_ATOM_XOR: return old ^ data;
    default: return data;
    }
}

static void integer_atomics_agree_with_a_model(void **state) {
    (void)state;
    set_up(false);
    static uint64_t cells[16];
    uint64_t base = model[0].a->address;
    uint64_t zeros[16] = {0};
    eng_memory_copy(memory, base, (uintptr_t)zeros, sizeof zeros, ENG_HOST_TO_DEVICE, NULL);
    memset(shared, 0, sizeof zeros);
    for (int round = 0; round < 20000; round++) {
        static const sass_type types[] = {SASS_U32, SASS_S32, SASS_U64, SASS_S64};
        sass_type type = types[rng() % 4];
        unsigned op = rng() % (SASS_ATOM_EXCH + 1), width = type == SASS_U64 || type == SASS_S64 ? 8 : 4;
        if ((op == SASS_ATOM_INC || op == SASS_ATOM_DEC) && type != SASS_U32) continue;
        bool in_shared = rng() % 2, cas = rng() % 6 == 0, result = cas || rng() % 2;
        if (cas) type = width == 8 ? SASS_U64 : SASS_U32;
        sass_instr in = instruction(in_shared ? cas ? SASS_CAS_ATOMS : SASS_ATOMS : cas ? SASS_CAS_ATOMG : result ? SASS_ATOMG : SASS_RED, 0, false);
        in.type = (uint8_t)type;
        in.sub = (uint8_t)(cas ? SASS_ATOM_CAS : op);
        in.b = (sass_operand){.kind = SASS_REG, .reg = 6};
        if (!result) in.dst = (sass_operand){0};
        eng_ins ins[2] = {{.guard = ENG_PT, .function = 5}};
        uint32_t mask = random_mask();
        ENG_ADDRESSES(A), want[32];
        /* the model starts from what is there */
        if (in_shared) memcpy(cells, shared, sizeof cells);
        else eng_memory_copy(memory, (uintptr_t)cells, base, sizeof cells, ENG_DEVICE_TO_HOST, NULL);
        uint8_t *model_bytes = (uint8_t *)cells;
        for (unsigned l = 0; l < 32; l++) {
            A[l] = (in_shared ? 0 : base) + rng() % (128 / width) * width;
            reg(2)[l] = (uint32_t)A[l], reg(3)[l] = (uint32_t)(A[l] >> 32);
            for (unsigned j = 4; j < 8; j++) reg(j)[l] = rng() % 3 ? rng() : rng() % 4;
            for (unsigned j = 8; j < 10; j++) reg(j)[l] = rng();
            if (cas && rng() % 2) memcpy(&reg(4)[l], model_bytes + A[l] - (in_shared ? 0 : base), 4);
        }
        for (unsigned l = 0; l < 32; l++) {
            uint64_t at = A[l] - (in_shared ? 0 : base), old = 0, data = reg(4)[l], second = reg(6)[l];
            if (width == 8) data |= (uint64_t)reg(5)[l] << 32, second |= (uint64_t)reg(7)[l] << 32;
            memcpy(&old, model_bytes + at, width);
            want[l] = old;
            uint64_t now = cas ? old == data ? second : old : expected(op, type, old, data);
            if (mask >> l & 1) memcpy(model_bytes + at, &now, width);
        }
        worker.ev = batch.events, batch.n_general = 0, n_found = 0;
        assert_true(in_shared ? bind_atoms(NULL, &in, ins) : result ? bind_atom(NULL, &in, ins) : bind_red(NULL, &in, ins));
        assert_ptr_equal(ins[0].fn(ins, &warp, regs, mask), ins + 1);
        for (unsigned l = 0; l < 32; l++)
            if (result && mask >> l & 1) {
                assert_int_equal(reg(8)[l], (uint32_t)want[l]);
                if (width == 8) assert_int_equal(reg(9)[l], want[l] >> 32);
            }
        uint64_t now[16];
        if (in_shared) memcpy(now, shared, sizeof now);
        else eng_memory_copy(memory, (uintptr_t)now, base, sizeof now, ENG_DEVICE_TO_HOST, NULL);
        assert_memory_equal(now, cells, sizeof now);
        assert_int_equal(n_found, 0);
        check_event(A, mask, 0, in_shared ? ENG_SHARED : ENG_GLOBAL, width, ENG_ATOMIC | ENG_WRITE | (result ? ENG_READ : ENG_REDUCTION));
    }
    /* CAST.SPIN tells whether it swapped, in as many words as it compares */
    uint64_t at8 = 7;
    memcpy(shared + 8, &at8, 8);
    sass_instr in = instruction(SASS_CAS_ATOMS, 0, false);
    in.type = SASS_U64, in.sub = SASS_ATOM_CAST_SPIN;
    in.b = (sass_operand){.kind = SASS_REG, .reg = 6};
    eng_ins ins[2] = {{.guard = ENG_PT}};
    for (unsigned l = 0; l < 32; l++) reg(2)[l] = 8, reg(4)[l] = 7, reg(5)[l] = 0, reg(6)[l] = l, reg(7)[l] = 9, reg(9)[l] = 5;
    assert_true(bind_atoms(NULL, &in, ins));
    assert_ptr_equal(ins[0].fn(ins, &warp, regs, 0xff0), ins + 1);
    for (unsigned l = 4; l < 12; l++) assert_true(reg(8)[l] == (l == 4) && reg(9)[l] == 0);
    memcpy(&at8, shared + 8, 8);
    assert_true(at8 == ((uint64_t)9 << 32 | 4));
    /* ... and serves one pass through the banks: of lanes 128 bytes apart one of each half-warp */
    memset(shared, 0, 4096);
    for (unsigned l = 0; l < 32; l++) reg(2)[l] = 128 * l, reg(4)[l] = 0, reg(8)[l] = 9;
    assert_ptr_equal(ins[0].fn(ins, &warp, regs, 0xfffffff0), ins + 1);
    for (unsigned l = 4; l < 32; l++) assert_int_equal(reg(8)[l], l == 4 || l == 16);
    for (unsigned l = 0; l < 32; l++) assert_int_equal(shared[128 * l], l == 4 || l == 16 ? l : 0);
    tear_down();
}

static uint32_t bits_of(float f) {
    uint32_t b;
    memcpy(&b, &f, 4);
    return b;
}

static void float_atomics_round_and_flush(void **state) {
    (void)state;
    set_up(false);
    const struct {
        sass_op op;
        sass_type type;
        unsigned raw; /* the type's code of sm_90 */
        uint64_t old, data, want;
    } cases[] = {
        {SASS_RED, SASS_F32, 3, bits_of(1.0f), bits_of(2.5f), bits_of(3.5f)},
        {SASS_RED, SASS_F32, 3, 1, 1, 0},                                     /* subnormal: flushed */
        {SASS_REDG_F, SASS_F32, 9, 0x80000001, 0x80000001, 0x80000000},         /* the sign stays */
        {SASS_REDG_F, SASS_F32, 12, 1, 1, 2},                                   /* not flushed */
        {SASS_REDG_F, SASS_F32, 9, 0x7f800000, 0xff800000, 0x7fffffff},         /* the canonical NaN */
        {SASS_REDG_F, SASS_F64, 15, 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000},
        {SASS_REDG_F, SASS_F16X2, 0, 0x3c003c00, 0x3c004000, 0x40004200},       /* 1 + 1 = 2, 1 + 2 = 3 */
        {SASS_REDG_F, SASS_F16X2, 0, 0x7bff0001, 0x7bff0001, 0x7c000002},       /* overflow; subnormals add up */
        {SASS_REDG_F, SASS_F16X2, 0, 0x00006800, 0x00003c00, 0x00006800},       /* 2048 + 1: to even */
        {SASS_REDG_F, SASS_F16X2, 0, 0x00006801, 0x00003c00, 0x00006802},       /* 2050 + 1: to even, up */
        {SASS_REDG_F, SASS_BF16X2, 3, 0x3f803f80, 0x3f804000, 0x40004040},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        unsigned width = cases[c].type == SASS_F64 ? 8 : 4;
        sass_instr in = instruction(cases[c].op, 0, false);
        in.type = (uint8_t)cases[c].type;
        in.sub = SASS_ATOM_ADD;
        in.hi = (uint64_t)cases[c].raw << 9;
        eng_ins ins[2] = {{.guard = ENG_PT}};
        uint64_t now = 0, address = model[0].a->address;
        eng_memory_copy(memory, address, (uintptr_t)&cases[c].old, width, ENG_HOST_TO_DEVICE, NULL);
        reg(2)[7] = (uint32_t)address, reg(3)[7] = (uint32_t)(address >> 32);
        reg(4)[7] = (uint32_t)cases[c].data, reg(5)[7] = (uint32_t)(cases[c].data >> 32);
        assert_true(bind_red(NULL, &in, ins));
        ins[0].fn(ins, &warp, regs, 1u << 7);
        eng_memory_copy(memory, (uintptr_t)&now, address, width, ENG_DEVICE_TO_HOST, NULL);
        assert_int_equal(now, cases[c].want);
    }
    tear_down();
}

/* --- several workers --------------------------------------------------------------------- */

enum { AREA = 40000 };
typedef struct touches {
    uint8_t read[AREA], wrote[AREA], added[AREA];
} touches;

/* Random accesses of three workers to one allocation, each mostly in its own part, in one thread: the verdict and what
 * memory holds afterwards must be those of single bytes. */
static void workers_meet_or_not(void **state) {
    (void)state;
    static uint8_t initial[AREA], now[AREA], got[AREA];
    static touches by[3];
    static uint64_t reads[AREA];
    unsigned met = 0, apart = 0;
    for (int round = 0; round < 400; round++) {
        const eng_allocation *a;
        assert_int_equal(eng_memory_new((uint64_t)1 << 30, &memory, NULL), WG_OK);
        assert_int_equal(eng_memory_alloc(memory, AREA, ENG_ALLOC_DEVICE, &a, NULL), WG_OK);
        uint32_t defined = rng() % 3 ? AREA : rng() % AREA; /* the rest was never written */
        for (uint32_t b = 0; b < AREA; b++) initial[b] = b < defined ? (uint8_t)rng() : (uint8_t)(ENG_PATTERN >> (a->address + b) % 4 * 8);
        if (defined) eng_memory_copy(memory, a->address, (uintptr_t)initial, defined, ENG_HOST_TO_DEVICE, NULL);
        memcpy(now, initial, AREA);
        memset(by, 0, sizeof by);
        memset(reads, 0, sizeof reads);
        bool counted = rng() % 2;
        assert_int_equal(eng_memory_begin(memory, 3, counted, false, NULL), WG_OK);
        unsigned accesses = 1 + rng() % 25;
        for (unsigned n = 0; n < accesses; n++) {
            unsigned k = rng() % 3, kind = rng() % 4, width = kind == 2 ? 4 : 1u << rng() % 5;
            worker = (eng_worker){.memory = memory, .memory_state = eng_memory_view(memory, k), .index = k};
            warp.worker = &worker;
            uint32_t base = (rng() % 5 ? k * (AREA / 3) + rng() % 3000 : rng() % (AREA - 2048)) / 16 * 16, mask = random_mask();
            eng_ins ins[2] = {{.guard = ENG_PT, .id = rng() % 4}};
            sass_instr in = instruction(kind == 0 ? SASS_STG : kind == 2 ? SASS_RED : SASS_LDG, width, false);
            in.guard.reg = SASS_PT;
            in.sub = SASS_ATOM_ADD;
            if (kind == 2) in.type = SASS_U32, in.width = 0, in.dst = (sass_operand){0};
            bool scattered = rng() % 3 == 0;
            uint32_t at[32];
            for (unsigned l = 0; l < 32; l++) {
                at[l] = scattered ? base + rng() % 64 * 16 : base + l * width;
                if (kind == 2 && at[l] + 4 > defined) at[l] = 0; /* sums of undefined bytes are refused */
                uint64_t address = a->address + at[l];
                reg(2)[l] = (uint32_t)address, reg(3)[l] = (uint32_t)(address >> 32);
                for (unsigned j = 4; j < 8; j++) reg(j)[l] = rng();
            }
            if (kind == 2 && defined < 4) continue;
            block[0] = block[1] = (sass_instr){.op = SASS_BAR};
            ins[0].id = 0;
            assert_true(kind == 0 ? bind_stg(NULL, &in, ins) : kind == 2 ? bind_red(NULL, &in, ins) : bind_ldg(NULL, &in, ins));
            assert_ptr_equal(ins[0].fn(ins, &warp, regs, mask), ins + 1);
            ENG_LANES(l, mask) {
                if (kind == 2) {
                    uint32_t sum;
                    memcpy(&sum, now + at[l], 4);
                    sum += reg(4)[l];
                    memcpy(now + at[l], &sum, 4);
                }
                for (unsigned b = 0; b < width; b++) {
                    if (kind == 0) by[k].wrote[at[l] + b] = 1, now[at[l] + b] = (regs + (4 + b / 4) * ENG_SLOT + l * 4)[b % 4];
                    else if (kind == 2) by[k].added[at[l] + b] = 1;
                    else by[k].read[at[l] + b] = 1, reads[at[l] + b]++;
                }
            }
        }
        bool meet = false;
        for (unsigned i = 0; i < 3; i++)
            for (unsigned j = 0; j < 3; j++)
                for (uint32_t b = 0; i != j && b < AREA; b++)
                    meet |= (by[i].wrote[b] && (by[j].wrote[b] || by[j].read[b] || by[j].added[b])) || (by[i].added[b] && by[j].read[b]);
        assert_int_equal(eng_memory_conflict(memory), meet);
        eng_memory_end(memory, !meet);
        *(meet ? &met : &apart) += 1;
        assert_int_equal(eng_memory_copy(memory, (uintptr_t)got, a->address, AREA, ENG_DEVICE_TO_HOST, NULL), WG_OK);
        assert_memory_equal(got, meet ? initial : now, AREA);
        eng_read_map map;
        uint64_t count;
        assert_int_equal(eng_read_map_open(&map, memory, a, 1), WG_OK);
        for (uint32_t b = 0; b < AREA; b++) {
            bool is_defined = b < defined;
            for (unsigned k = 0; k < 3 && !meet; k++) is_defined |= by[k].wrote[b];
            assert_int_equal(eng_memory_defined(memory, a->address + b, 1), is_defined);
            assert_int_equal(eng_read_map_next(&map, &count, 1), 1);
            assert_int_equal(count, meet || !counted ? 0 : reads[b]);
        }
        eng_read_map_close(&map);
        /* nothing of that launch may be left for the next one */
        assert_int_equal(eng_memory_begin(memory, 3, true, false, NULL), WG_OK);
        assert_false(eng_memory_conflict(memory));
        eng_memory_end(memory, true);
        eng_memory_free(memory);
    }
    if (met <= 50 || apart <= 50) fail_msg("%u rounds met, %u did not", met, apart);
}

/* Reads of three workers, put together: whether few runs were left for the end or so many that planes were needed, with counts
 * that one plane can hold and others that only the sum of several planes cannot. */
static void counts_of_workers_add_up(void **state) {
    (void)state;
    enum { WORKERS = 3, LAUNCHES = 3 };
    static uint64_t reads[AREA];
    static const unsigned many[] = {3, MEM_ENDED, 3 * MEM_ENDED, 8 * MEM_ENDED};
    for (unsigned n = 0; n < 2 * sizeof many / sizeof *many; n++) {
        const eng_allocation *a;
        assert_int_equal(eng_memory_new((uint64_t)1 << 30, &memory, NULL), WG_OK);
        assert_int_equal(eng_memory_alloc(memory, AREA, ENG_ALLOC_DEVICE, &a, NULL), WG_OK);
        memset(reads, 0, sizeof reads);
        for (unsigned launch = 0; launch < LAUNCHES; launch++) {
            bool keep = launch != 1;
            assert_int_equal(eng_memory_begin(memory, WORKERS, true, n % 2, NULL), WG_OK);
            for (unsigned k = 0; k < WORKERS * many[n / 2]; k++) {
                eng_view *v = eng_memory_view(memory, k % WORKERS);
                bool words = rng() % 8;
                uint32_t at = rng() % (AREA - 512), size = 1 + rng() % 512, times = rng() % 16 ? 1 + rng() % 40 : 30000;
                if (words) at &= ~3u, size = (size + 3) & ~3u;
                mem_range *r = &v->ranges[0];
                if (!r->size) assert_true(mem_range_fill(v, r, a->address, ENG_READ));
                run_add(v, &(eng_ins){.y = mem_range_slot(rng() % 8, ENG_READ)}, a->address + at + r->shadow, size, times);
                for (uint32_t b = at; b < at + size && keep; b++) reads[b] += times;
            }
            for (unsigned k = 0; k < WORKERS; k++) assert_in_range(eng_memory_view(memory, k)->n_ended, many[n / 2] > MEM_ENDED, MEM_ENDED);
            assert_false(eng_memory_conflict(memory));
            eng_memory_end(memory, keep);
            for (unsigned k = 0; k < WORKERS; k++) { /* what the next launch believes */
                const eng_view *v = eng_memory_view(memory, k);
                for (unsigned i = 0; i < 3 * MEM_RANGES; i++) assert_int_equal(v->ranges[i].size, 0);
                for (unsigned i = 0; i < 1u << MEM_RUNS; i++) assert_int_equal(v->runs[i].n, 0);
                assert_int_equal(v->n_ended, 0);
            }
            eng_read_map map;
            uint64_t count;
            assert_int_equal(eng_read_map_open(&map, memory, a, 1), WG_OK);
            for (uint32_t b = 0; b < AREA; b++) {
                assert_int_equal(eng_read_map_next(&map, &count, 1), 1);
                assert_int_equal(count, reads[b]);
            }
            eng_read_map_close(&map);
        }
        eng_memory_free(memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_accesses_agree_with_a_model), cmocka_unit_test(places_in_turns_are_runs),
        cmocka_unit_test(only_an_unchanged_register_is_remembered),
        cmocka_unit_test(faults_have_their_kinds),
        cmocka_unit_test(shared_accesses_agree_with_a_model), cmocka_unit_test(local_memory_is_each_lanes_own),
        cmocka_unit_test(integer_atomics_agree_with_a_model), cmocka_unit_test(float_atomics_round_and_flush),
        cmocka_unit_test(workers_meet_or_not), cmocka_unit_test(counts_of_workers_add_up)};
    __builtin_cpu_init();
#if defined(__AVX512F__)
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl")) return 77;
#elif defined(__AVX2__)
    if (!__builtin_cpu_supports("avx2")) return 77;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
