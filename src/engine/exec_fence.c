/* Fences and cache control. Every access here takes effect at once and no cache stands between, so that a fence has
 * nothing to wait for and a cache nothing to drop; that a program orders its accesses by them is for the watches. */
#include "engine/generic.h"

/* x: scope; y: eng_fence */
ENG_HANDLER(fence) {
    uint32_t on = eng_on(i, w, mask);
    if (on && w->worker->wants & 1u << ENG_EV_FENCE) {
        eng_event *ev = eng_event_new(w);
        *ev = (eng_event){.kind = ENG_EV_FENCE, .instr = i->id, .function = i->function, .warp = (uint16_t)w->index,
                          .mask = on, .more = i->x, .scope = (uint8_t)i->x, .access = (uint8_t)i->y};
        eng_event_done(w);
    }
    ENG_NEXT;
}

static bool bind_membar(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    (void)plan;
    out->x = in->scope;
    out->fn = fence;
    return true;
}

/* Waits for errors of earlier accesses, which come at once; orders views of memory, of which there is one. */
ENG_HANDLER(no_wait) {
    (void)eng_on(i, w, mask);
    ENG_NEXT;
}

static bool bind_nothing(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    (void)plan, (void)in;
    out->fn = no_wait;
    return true;
}

/* The view that bulk copies and wgmma have of shared memory; that of global memory (.G) is not looked at by any watch. */
static bool bind_fence_view(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    enum { OF_SHARED = 0 };
    (void)plan;
    out->x = SASS_SCOPE_NONE;
    out->y = ENG_FENCE_ASYNC;
    out->fn = in->sub == OF_SHARED ? fence : no_wait;
    return true;
}

/* CCTL.IVALL makes what others released visible: the second half of an acquire. */
static bool bind_cctl(eng_plan *plan, const sass_instr *in, eng_ins *out) {
    enum { IVALL = 4 };
    (void)plan;
    out->x = SASS_GPU;
    out->y = ENG_FENCE_ACQUIRE;
    out->fn = in->sub == IVALL ? fence : no_wait;
    return true;
}

ENG_FAMILY(fence, {"membar", bind_membar}, {"errbar", bind_nothing}, {"fence_view", bind_fence_view}, {"cctl", bind_cctl});
