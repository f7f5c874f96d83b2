/* Of each row, form and architecture random words are made until some are executed; from those one modifier, or one bit of an operand, is
 * changed at a time, and what the engine plans for the words is compared. */
#include "isa_audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan.h"
#include "sass/forms.h"

enum { BASES = 6, TRIES = 40000 };
static const uint8_t architectures[] = {75, 80, 86, 89, 90}; /* whose code is executed */
enum { ARCHITECTURES = sizeof architectures };

/* --- words --------------------------------------------------------------------------------------------------- */

typedef struct word { uint64_t lo, hi; } word;
static uint32_t random_state;
static uint32_t below(uint32_t n) {
    random_state ^= random_state << 13, random_state ^= random_state >> 17, random_state ^= random_state << 5;
    return random_state % n;
}
static void set(word *w, unsigned lo, unsigned n, uint64_t value) {
    for (unsigned k = 0; k < n; k++) {
        uint64_t *half = lo + k < 64 ? &w->lo : &w->hi, one = UINT64_C(1) << (lo + k) % 64;
        *half = value >> k & 1 ? *half | one : *half & ~one;
    }
}
static uint64_t get(const word *w, unsigned lo, unsigned n) { return bits(&(sass_instr){.lo = w->lo, .hi = w->hi}, lo, n); }

static bool is_field(const sass_mod *mod, int sm) {
    return mod->width && mod->width + mod->width2 <= 4 && sm >= mod->min_sm && (mod->max_sm == ANY || sm <= mod->max_sm);
}
static unsigned values_of(const sass_mod *mod) { return 1u << (mod->width + mod->width2); }
static unsigned get_mod(const word *w, const sass_mod *mod) { return (unsigned)(get(w, mod->lo, mod->width) | get(w, mod->lo2, mod->width2) << mod->width); }
static void set_mod(word *w, const sass_mod *mod, unsigned value) {
    set(w, mod->lo, mod->width, value);
    set(w, mod->lo2, mod->width2, value >> mod->width);
}

static uint64_t claims_of(const sass_row *row) {
    uint64_t claims = sass_sign_claims(row);
    for (const uint8_t *id = row->operands; *id; id++) claims |= sass_operand_specs[*id].claims;
    return claims;
}
static word random_word(const sass_row *row, unsigned form, int sm) {
    static const uint8_t predicates[] = {68, 77, 81, 84, 87}, thirds[] = {16, 16, 0, SASS_RZ};
    word w = {row->code, 0};
    set(&w, 9, 3, form), set(&w, 12, 3, SASS_PT);
    set(&w, 16, 8, below(8) ? 4 : SASS_RZ), set(&w, 24, 8, below(8) ? 8 : 0), set(&w, 64, 8, thirds[below(4)]);
    if (form == 2 || form == 4) set(&w, 32, 32, below(2) ? 0x40 : 1);
    else if (form == 3 || form == 5) set(&w, 38, 16, 0x210);
    else set(&w, 32, 8, below(4) ? 12 : 0);
    if (below(2)) w.hi |= (below(0x10000) | (uint64_t)below(0x10000) << 16 | (uint64_t)below(2) << 32) << 8 & claims_of(row) << 8;
    for (unsigned k = 0, some = below(2); k < sizeof predicates; k++)
        if (some && below(8)) set(&w, predicates[k], 4, SASS_PT);
    for (const uint8_t *id = row->mods; *id; id++)
        if (is_field(&sass_mods[*id], sm)) set_mod(&w, &sass_mods[*id], below(values_of(&sass_mods[*id])));
    return w;
}

/* --- what the engine makes of a word ------------------------------------------------------------------------- */

typedef struct planned {
    bool decoded, executed;
    eng_ins ins;
    char fills[256]; /* what its constants, immediates and special registers are */
    char why[160], text[200];
} planned;

static eng_device *device;

static eng_plan *plan_of_one(eng_code *code, const img_function *kernel, sass_instr *instr, eng_planned *place) {
    eng_plan *plan = calloc(1, sizeof *plan);
    if (!plan || !(plan->arena = wg_arena_new()) || !wg_vec_push(&plan->units, ((eng_unit){.instrs = instr, .n = 1, .planned = place}))) abort();
    plan->code = code;
    plan->kernel = kernel;
    memset(plan->state, 0xff, sizeof plan->state);
    memset(plan->constants, 0xff, sizeof plan->constants);
    eng_layout_scan(plan);
    return plan;
}
static void plan_word(const word *w, unsigned op, int sm, planned *out) {
    img_function kernel = {.name = "k", .demangled = "k", .is_kernel = true, .code_size = 16, .registers = 64};
    img_module module = {.sm = sm, .functions = &kernel, .n_functions = 1, .code_size = 16};
    eng_code code = {.device = device, .module = &module};
    eng_planned place = {0};
    sass_instr in;
    wg_error err;
    *out = (planned){.decoded = sass_decode(w, 0, sm, &in) && in.op == op};
    if (!out->decoded) return;
    eng_plan *plan = plan_of_one(&code, &kernel, &in, &place);
    out->executed = eng_plan_bind(plan, &plan->units.at[0], 0, &out->ins, &err) == WG_OK;
    if (op == SASS_SHFL || op == SASS_BMOV_SET) out->ins.ptr = NULL; /* in the plan's own memory */
    snprintf(out->why, sizeof out->why, "%s", plan->why);
    sass_print(&in, out->text, sizeof out->text);
    for (size_t k = 0, at = 0; k < plan->fills.count && at < sizeof out->fills; k++)
        at += (size_t)snprintf(out->fills + at, sizeof out->fills - at, "%u %u %llx;", plan->fills.at[k].kind, plan->fills.at[k].width,
                               (unsigned long long)plan->fills.at[k].value);
    eng_plan_free(plan);
}
static bool same_plan(const planned *p, const planned *q) {
    return p->executed == q->executed && memcmp(&p->ins, &q->ins, sizeof p->ins) == 0 && strcmp(p->fills, q->fills) == 0;
}

/* --- refusals ------------------------------------------------------------------------------------------------- */

typedef struct refusal { /* for one reason */
    char why[160], text[200]; /* text: the first such word */
    uint8_t ops[SASS_OP_COUNT]; /* sets of architectures */
} refusal;
static refusal refusals[100];
static unsigned n_refusals;

static void note_refusal(unsigned op, unsigned architecture, const planned *p) {
    unsigned k = 0;
    while (k < n_refusals && strcmp(refusals[k].why, p->why)) k++;
    if (k == sizeof refusals / sizeof *refusals) abort();
    if (k == n_refusals) {
        snprintf(refusals[n_refusals].why, sizeof p->why, "%s", p->why);
        snprintf(refusals[n_refusals++].text, sizeof p->text, "%s", p->text);
    }
    refusals[k].ops[op] |= (uint8_t)(1u << architecture);
}
static void put_rows(const char *const *rows, const uint8_t *ops) {
    enum { MANY = 40 };
    unsigned n = 0;
    const char *comma = "";
    for (unsigned op = 1; op < SASS_OP_COUNT; op++) n += ops[op] != 0;
    if (n > MANY) printf("%u rows", n);
    for (unsigned op = 1; op < SASS_OP_COUNT && n <= MANY; op++)
        if (ops[op]) printf("%s%s", comma, rows[op]), comma = ", ";
}
static void put_refusals(const char *const *rows) {
    puts("| why | rows | for example | sm |\n|---|---|---|---|");
    for (const refusal *r = refusals; r < refusals + n_refusals; r++) {
        uint8_t all = 0;
        const char *comma = "";
        printf("| %s | ", r->why);
        put_rows(rows, r->ops);
        printf(" | `%s` | ", r->text);
        for (unsigned op = 1; op < SASS_OP_COUNT; op++) all |= r->ops[op];
        for (unsigned k = 0; k < ARCHITECTURES; k++)
            if (all >> k & 1) printf("%s%u", comma, architectures[k]), comma = ", ";
        puts(" |");
    }
}

/* --- modifiers that change nothing ----------------------------------------------------------------------------- */

static struct effect { uint16_t tried, seen; } effects[SASS_OP_COUNT][MAX_MODS]; /* values; seen: of two that are executed differently */

/* ROW(op): of this row only */
static const struct { uint8_t mod; uint16_t op; const char *why; } reasons[] = {
    {MOD_EVICT, 0, "how long a cache should keep it"},
    {MOD_LTC, 0, "what is fetched into a cache beside it"},
    {MOD_ASYNC_LTC, 0, "what is fetched into a cache beside it"},
    {MOD_BYPASS, 0, "whether it goes through the L1 cache"},
    {MOD_NODEP90, 0, "what has to wait for it"},
    {MOD_LDS_U, 0, "a bit of unknown meaning that ptxas sets on sm_75"},
    {MOD_E, SASS_CCTL, "caches hold nothing of their own here"},
    {MOD_ORDER75, 0, "surfaces: every access is seen by all at once"},
    {MOD_ORDER, 0, "surfaces: every access is seen by all at once"},
    {MOD_MEMBAR_KIND, 0, "all kinds order everything"},
    {MOD_UNSIGNED, 0, "the lower half of a product is the same"},
    {MOD_PRMT_MODE, SASS_UPRMT, "the H200 takes no notice"},
    {MOD_ANY72, 0, "the H200 takes no notice"},
    {MOD_LDC_MODE, 0, "the H200's results are the same"},
    {MOD_DC, 0, "a texture object compares with nothing: the H200's results are the same"},
    {MOD_NDV, 0, "the H200's results are the same"},
    {MOD_NDV77, 0, "the places of a quad choose the level either way"},
    {MOD_ROUND79, SASS_F2FP_8, "the H200 rounds to nearest"},
    {MOD_I2IP_SIZE, 0, "the H200's results are the same"},
    {MOD_NOINC, 0, "a hint: the return address stays in registers"},
    {MOD_NODEC, 0, "a hint: the return address stays in registers"},
    {MOD_WARPSYNC_KIND, 0, "lanes come together as they are named"},
    {MOD_SLEEP_WARP, 0, "how long is not simulated"},
    {MOD_SLEEP_SYNCS, 0, "how long is not simulated"},
    {MOD_BAR_DEFER, 0, "a hint to the scheduler"},
    {MOD_TEX_BINDLESS, 0, "the handle is in the register that the form has for it"},
    {MOD_SYNCS_TRY, 0, "whether it may wait a while first"},
    {MOD_TMA_DIM, SASS_UTMAPF, "a prefetch changes nothing"},
    {MOD_TMA_IM2COL, SASS_UTMAPF, "a prefetch changes nothing"},
    {MOD_TMA_CCTL, 0, "caches hold nothing of their own here"},
};
enum { REASONS = sizeof reasons / sizeof *reasons };
static bool used[REASONS];
static unsigned reason_of(unsigned mod, unsigned op) { /* REASONS: none */
    unsigned k = 0;
    while (k < REASONS && (reasons[k].mod != mod || (reasons[k].op && reasons[k].op != op))) k++;
    return k;
}
static bool all_used(void) {
    bool all = true;
    for (unsigned k = 0; k < REASONS; k++)
        if (!used[k]) fprintf(stderr, "isa_audit.c: no modifier needs this reason any more: %s\n", reasons[k].why), all = false;
    return all;
}
/* Values of which no two are executed differently; none when there are less than two. */
static unsigned without_effect(unsigned op, unsigned m) {
    unsigned same = effects[op][m].tried & ~(unsigned)effects[op][m].seen;
    return same & (same - 1) ? same : 0;
}
static void put_values(const sass_mod *mod, unsigned values) {
    const char *blank = "";
    for (unsigned v = 0; v < 16; v++)
        if (values >> v & 1) printf("%s%s", blank, mod->text[v] && *mod->text[v] ? mod->text[v] : "-"), blank = " ";
}
static unsigned index_of(unsigned op, unsigned mod) {
    unsigned m = 0;
    while (sass_rows[op].mods[m] && sass_rows[op].mods[m] != mod) m++;
    return m;
}
static bool put_ignored(const char *const *rows) {
    bool explained = true;
    puts("| modifier | rows | why |\n|---|---|---|");
    for (unsigned mod = 1; mod < MOD_COUNT; mod++)
        for (unsigned op = 1; op < SASS_OP_COUNT; op++) {
            unsigned m = index_of(op, mod), values = sass_rows[op].mods[m] ? without_effect(op, m) : 0;
            uint8_t ops[SASS_OP_COUNT] = {0};
            if (!values) continue;
            for (unsigned other = op; other < SASS_OP_COUNT; other++) { /* the same values, of other rows too */
                unsigned n = index_of(other, mod);
                if (!sass_rows[other].mods[n] || without_effect(other, n) != values || reason_of(mod, other) != reason_of(mod, op)) continue;
                ops[other] = 1;
                effects[other][n].seen = effects[other][n].tried; /* said */
            }
            unsigned reason = reason_of(mod, op);
            if (reason < REASONS) used[reason] = true;
            else fprintf(stderr, "%s: nothing is executed differently for a modifier, and isa_audit.c knows no reason\n", rows[op]), explained = false;
            printf("| ");
            put_values(&sass_mods[mod], values);
            printf(" | ");
            put_rows(rows, ops);
            printf(" | %s |\n", reason < REASONS ? reasons[reason].why : "?");
        }
    return all_used() && explained;
}

/* --- all words -------------------------------------------------------------------------------------------------- */

static void vary(unsigned op, unsigned architecture, const word *base, const planned *was) {
    int sm = architectures[architecture];
    planned p;
    for (unsigned m = 0; sass_rows[op].mods[m]; m++) {
        const sass_mod *mod = &sass_mods[sass_rows[op].mods[m]];
        for (unsigned value = 0, now = get_mod(base, mod); is_field(mod, sm) && value < values_of(mod); value++) {
            word w = *base;
            set_mod(&w, mod, value);
            plan_word(&w, op, sm, &p);
            if (!p.decoded || value == now) continue;
            if (!p.executed) note_refusal(op, architecture, &p);
            effects[op][m].tried |= (uint16_t)(1u << value | 1u << now);
            if (!same_plan(&p, was)) effects[op][m].seen |= (uint16_t)(1u << value | 1u << now);
        }
    }
    for (unsigned at = 16; at < 105; at++) {
        word w = *base;
        set(&w, at, 1, !get(base, at, 1));
        plan_word(&w, op, sm, &p);
        if (p.decoded && !p.executed) note_refusal(op, architecture, &p);
    }
}
/* How many words of the row are executed, of BASES for each form. */
static unsigned try_row(unsigned op, unsigned architecture) {
    unsigned all = 0;
    planned p;
    random_state = 1 + op * ARCHITECTURES + architecture; /* so that a row's words stay what they are when others come */
    for (unsigned form = 0; form < 8; form++)
        for (unsigned k = 0, bases = 0; sass_rows[op].forms >> form & 1 && k < TRIES && bases < BASES; k++) {
            word w = random_word(&sass_rows[op], form, architectures[architecture]);
            plan_word(&w, op, architectures[architecture], &p);
            if (p.decoded && !p.executed) note_refusal(op, architecture, &p);
            if (!p.executed) continue;
            bases++, all++;
            vary(op, architecture, &w, &p);
        }
    return all;
}

bool isa_audit(eng_device *on, const char *const *rows) {
    bool good = true;
    device = on;
    for (unsigned op = 1; op < SASS_OP_COUNT; op++)
        for (unsigned a = 0; a < ARCHITECTURES; a++) {
            const sass_row *row = &sass_rows[op];
            if (row->min_sm > architectures[a] || (row->max_sm != ANY && row->max_sm < architectures[a]) || !device->binders[op]) continue;
            if (try_row(op, a)) continue;
            fprintf(stderr, "%s: no word was found that sm_%d executes\n", rows[op], architectures[a]);
            good = false;
        }
    puts("\n## Words that are refused\n\n"
         "A kernel that has one is refused before it begins: `instruction at 0x0120 of k is not executed: TLD.LZ.MS R16, R4, R8, R12, UR4, 0x0, 2D (samples of a texel)`. Found by trying\n"
         "each form, modifier and bit of an operand of the rows that have a handler, for each architecture; most are words that no compiler emits. A word whose\n"
         "fields have values that are not known is refused as well, and printed as such.\n");
    put_refusals(rows);
    puts("\n## Modifiers that change nothing here\n\n"
         "Values of one modifier that are executed alike, whatever the others are.\n");
    return put_ignored(rows) && good;
}
