#include "engine/trace.h"

#include "engine/run.h"

static void close_step(eng_trace *trace, const eng_worker *k) {
    if (!trace->open) return;
    trace->open = false;
    trace->step.batch = k->batch;
    trace->step.n_events = k->batch ? (size_t)(k->ev - k->batch->events) : 0;
    trace->after(trace->ctx, &trace->step);
}

void eng_trace_step(eng_warp *w, const eng_ins *i) {
    eng_worker *k = w->worker;
    eng_trace *trace = k->grid->launch->trace;
    if (w->index != trace->warp || w->block->linear != trace->block || trace->stopped) return;
    close_step(trace, k);
    if (trace->stopped) return;
    if (k->batch) eng_flush(k); /* so that the batch will hold the events of this step alone */
    const sass_instr *in = &eng_plan_unit(k->grid->plan, i->function)->instrs[i->id];
    uint32_t on = w->mask;
    if ((in->guard.reg & 7) != SASS_PT || in->guard.inv) {
        uint32_t guard = w->P[(in->guard.uniform ? ENG_UP : 0) + (in->guard.reg & 7)];
        on &= in->guard.inv ? ~guard : guard;
    }
    trace->step = (eng_step){.function = i->function, .instr = i->id, .mask = w->mask, .on = on, .warp = w};
    trace->open = true;
    trace->before(trace->ctx, &trace->step);
}

void eng_trace_block_end(eng_worker *k, const eng_blk *block) {
    eng_trace *trace = k->grid->launch->trace;
    if (trace && block->linear == trace->block && !trace->stopped) close_step(trace, k);
}

static const uint32_t *slot(const eng_step *step, uint32_t offset) { return (const uint32_t *)(const void *)(step->warp->R + offset); }

const uint32_t *eng_step_register(const eng_step *step, unsigned reg) {
    const eng_plan *plan = step->warp->worker->grid->plan;
    return reg < plan->n_regs ? slot(step, reg * ENG_SLOT) : NULL;
}

const uint32_t *eng_step_uniform(const eng_step *step, unsigned ureg) {
    const eng_plan *plan = step->warp->worker->grid->plan;
    return ureg < plan->n_uregs ? slot(step, plan->uregs + ureg * ENG_SLOT) : NULL;
}

uint32_t eng_step_predicate(const eng_step *step, unsigned pred, bool uniform) {
    return step->warp->P[(uniform ? ENG_UP : 0) + (pred & 7)];
}
