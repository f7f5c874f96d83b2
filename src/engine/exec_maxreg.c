/* USETMAXREG (setmaxnreg): warps give registers back to their block's pool and take them from it. What a warp has is only counted: its slots
 * are there all the time. A warp that asks for more than there are tries again, as on the hardware, so that code which nobody
 * gives enough to is seen to spin. */
#include "engine/classify.h"
#include "engine/plan.h"

enum { UNIT = 8, DEALLOC = 1, TRY_ALLOC = 2 /* of sass_instr.sub */ };

static uint32_t at_entry(const eng_warp *w) { return (w->worker->grid->function->registers + UNIT - 1) / UNIT * UNIT; }
static uint32_t has(const eng_warp *w) { return w->registers ? w->registers : at_entry(w); }

/* Of the block's registers, what its warps have given. A warp that ends gives nothing: an H200 waits for ever. */
static int64_t pool(const eng_warp *w) {
    const eng_blk *block = w->block;
    int64_t left = (int64_t)block->n_warps * at_entry(w);
    for (uint32_t n = 0; n < block->n_warps; n++) left -= has(&block->warps[n]);
    return left;
}

/* a: registers of a thread */
ENG_HANDLER(maxreg) {
    if (!eng_on(i, w, mask)) ENG_NEXT;
    const uint32_t asked = *eng_u32(R, i->a);
    const bool given = i->x == DEALLOC || (int64_t)asked - has(w) <= pool(w);
    w->block->registers_moved = true;
    if (given) w->registers = asked;
    else w->spinning = true;
    if (i->x == TRY_ALLOC) eng_set_pred(w, i->pd[0], given ? ENG_ALL : 0, ENG_ALL);
    ENG_NEXT;
}
static bool bind_maxreg(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    out->a = eng_slot_src(plan, &in->a);
    out->pd[0] = eng_pred_dst(&in->pdst[0]);
    out->x = in->sub;
    out->fn = maxreg;
    return true;
}

ENG_FAMILY(maxreg, {"usetmaxreg", bind_maxreg});
