/* The barrier over a cluster, which lanes arrive at with one instruction and wait at with another. */
#include "engine/cluster.h"
#include "engine/generic.h"
#include "engine/warp.h"

static void barrier_event(const eng_ins *i, eng_warp *w, uint32_t lanes, eng_event_kind kind, uint32_t phase) {
    if (!(w->worker->wants & 1u << kind)) return;
    eng_event *ev = eng_event_new(w);
    *ev = (eng_event){.kind = (uint8_t)kind, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index, .mask = lanes, .more = phase};
    eng_event_done(w);
}

ENG_HANDLER(arrive) {
    uint32_t on = eng_on(i, w, mask);
    if (!on) ENG_NEXT;
    eng_leave_vectors();
    barrier_event(i, w, on, ENG_EV_CLUSTER_ARRIVE, w->cluster->phase);
    eng_cluster_arrive(w, on);
    ENG_NEXT;
}

/* Who must wait comes here again when all have arrived. */
ENG_HANDLER(await) {
    uint32_t on = eng_on(i, w, mask), waits = eng_cluster_waits(w, on);
    if (!on) ENG_NEXT;
    eng_leave_vectors();
    if (on & ~waits) barrier_event(i, w, on & ~waits, ENG_EV_CLUSTER_WAIT, w->cluster->phase - 1);
    if (!waits) ENG_NEXT;
    eng_park(w, (eng_group){.pc = i + 1, .at = i + 1, .mask = mask & ~waits, .state = ENG_GROUP_READY});
    eng_park(w, (eng_group){.pc = i, .at = i, .mask = waits, .state = ENG_GROUP_CLUSTER});
    ENG_GOTO(eng_next_group(w));
}

static bool bind_arrive(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    (void)plan, (void)in;
    out->fn = arrive;
    return true;
}
static bool bind_await(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    (void)plan, (void)in;
    out->fn = await;
    return true;
}

ENG_FAMILY(cluster, {"ucgabar_arv", bind_arrive}, {"ucgabar_wait", bind_await});
