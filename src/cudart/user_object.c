/* User objects: things of the program's that live as long as graphs need them. */
#include <stdlib.h>

#include "cudart/api.h"
#include "cudart/graph.h"

typedef struct CUuserObject_st {
    void *object;
    cudaHostFn_t destroy;
    unsigned references;
} rt_object;

static rt_object *object_of(cudaUserObject_t handle) {
    return wg_u64map_get(&rt.user_objects, (uintptr_t)handle, NULL) ? handle : NULL;
}

/* The destructor may not call CUDA, as documented. */
static void drop(rt_object *o, unsigned count) {
    if (o->references -= count) return;
    wg_u64map_remove(&rt.user_objects, (uintptr_t)o);
    o->destroy(o->object);
    free(o);
}

bool rt_user_hold(rt_graph *graph, cudaUserObject_t handle, unsigned count) {
    rt_object *o = object_of(handle);
    if (!o || !wg_vec_push(&graph->users, (rt_user){o, count})) return false;
    o->references += count;
    return true;
}

void rt_user_drop_all(rt_graph *graph) {
    for (size_t i = 0; i < graph->users.count; i++) drop(graph->users.at[i].object, graph->users.at[i].count);
    graph->users.count = 0;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *object, cudaHostFn_t destroy, unsigned references, unsigned flags) {
    if (!out || !destroy || !references || references > 0x7fffffff || flags != cudaUserObjectNoDestructorSync) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    rt_object *o = malloc(sizeof *o);
    if (!o || !wg_u64map_set(&rt.user_objects, (uintptr_t)o, (uintptr_t)o)) return free(o), rt_leave(cudaErrorMemoryAllocation);
    *o = (rt_object){object, destroy, references};
    *out = o;
    return rt_leave(cudaSuccess);
}

static cudaError_t enter(cudaUserObject_t handle, unsigned count, rt_object **o) {
    if (!count || count > 0x7fffffff) return rt_note(cudaErrorInvalidValue);
    cudaError_t e = rt_enter();
    if (e) return e;
    *o = object_of(handle);
    return *o ? cudaSuccess : rt_leave(cudaErrorInvalidValue);
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned count) {
    rt_object *o = NULL;
    cudaError_t e = enter(handle, count, &o);
    if (e) return e;
    o->references += count;
    return rt_leave(cudaSuccess);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned count) {
    rt_object *o = NULL;
    cudaError_t e = enter(handle, count, &o);
    if (e) return e;
    if (count > o->references) return rt_leave(cudaErrorInvalidValue);
    drop(o, count);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t handle, cudaUserObject_t object, unsigned count, unsigned flags) {
    rt_object *o = NULL;
    cudaError_t e = enter(object, count, &o);
    if (e) return e;
    rt_graph *graph = rt_graph_of(handle);
    if (!graph || flags > cudaGraphUserObjectMove) return rt_leave(cudaErrorInvalidValue);
    if (!rt_user_hold(graph, object, count)) return rt_leave(cudaErrorMemoryAllocation);
    if (flags & cudaGraphUserObjectMove) drop(o, count);
    return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t handle, cudaUserObject_t object, unsigned count) {
    rt_object *o = NULL;
    cudaError_t e = enter(object, count, &o);
    if (e) return e;
    rt_graph *graph = rt_graph_of(handle);
    for (size_t i = 0; graph && i < graph->users.count; i++) {
        rt_user *held = &graph->users.at[i];
        if (held->object != object || held->count < count) continue;
        if (!(held->count -= count)) *held = graph->users.at[--graph->users.count];
        drop(o, count);
        return rt_leave(cudaSuccess);
    }
    return rt_leave(cudaErrorInvalidValue);
}
