/* What the program has told of its memory beyond allocations, by NVTX's memory extension (nvtx.c): pools that it gives memory out of,
 * regions of memory, and what kernels may do with them. Everything with the lock held. */
#ifndef WG_CUDART_REGIONS_H
#define WG_CUDART_REGIONS_H

#include "engine/engine.h"

typedef struct rt_heap rt_heap;
typedef struct rt_region rt_region;
typedef struct rt_permissions rt_permissions;

/* Memory that regions are parts of. gives_out: nothing of it may be accessed but what is a region. NULL: no memory. */
rt_heap *rt_heap_new(uint64_t address, uint64_t size, bool gives_out);
void rt_heap_set_name(rt_heap *heap, const char *name);
/* Its regions end. NULL: those that are in no heap. */
void rt_heap_reset(rt_heap *heap);
void rt_heap_free(rt_heap *heap);
bool rt_is_heap(const rt_heap *heap);

/* heap NULL: in none. NULL: no memory. */
rt_region *rt_region_new(rt_heap *heap, uint64_t address, uint64_t size);
/* The one that begins there; else one for the allocation that does; NULL: nothing does. */
rt_region *rt_region_at(uint64_t address);
bool rt_is_region(const rt_region *region);
bool rt_region_resize(rt_region *region, uint64_t size); /* false: no memory; it has ended */
void rt_region_set_name(rt_region *region, const char *name);
void rt_region_end(rt_region *region);

/* What may be done with regions: bits as NVTX_MEM_PERMISSIONS_REGION_FLAGS_ has them. */
enum { RT_MAY_READ = 1, RT_MAY_WRITE = 2, RT_MAY_DO_ATOMICS = 4, RT_MAY_ALL = 7 };
/* exclude: accesses that only this object decides about while it is bound, whatever applies to all. */
rt_permissions *rt_permissions_new(unsigned exclude);
void rt_permissions_free(rt_permissions *permissions);
void rt_permissions_reset(rt_permissions *permissions);
bool rt_is_permissions(const rt_permissions *permissions);
rt_permissions *rt_permissions_of_process(void);        /* for all there is; those for kernels come before it, ... */
rt_permissions *rt_permissions_of_kernels(void);
rt_permissions *rt_permissions_of_device(unsigned device); /* ... and before these, those for kernels of one device */
bool rt_permit(rt_permissions *permissions, const rt_region *region, unsigned may); /* false: no memory */
void rt_permit_no_more(rt_permissions *permissions, const rt_region *region);       /* as if nothing had been said of it */
/* Of all memory of a device that has no region with permissions. device -1: of each. */
void rt_permit_peer(rt_permissions *permissions, int device, unsigned may);
/* For what this thread launches from now on, as the object is now. alone: as exclude. False: no memory. */
bool rt_permissions_bind(const rt_permissions *permissions, unsigned alone);
void rt_permissions_unbind(void);

/* For a launch of this thread; NULL: nothing was told. */
const eng_rules *rt_rules(void);

#endif
