/* Workers that share out numbered items. The caller of run is worker 0. */
#ifndef WG_BASE_POOL_H
#define WG_BASE_POOL_H

#include <stddef.h>

typedef struct wg_pool wg_pool;
typedef void wg_pool_fn(void *context, int worker, size_t item);

/* n workers, 1..1024; n - 1 threads are started, with all signals blocked but those of their own faults. NULL: no memory or no threads. */
wg_pool *wg_pool_new(int n);
void wg_pool_free(wg_pool *pool); /* NULL is fine; no run may be under way */
int wg_pool_workers(const wg_pool *pool);
/* Calls fn once for each item 0..n_items-1, each on one of the workers, taken in ascending order;
 * returns when all are done. One run at a time; fn must not call run on the same pool. */
void wg_pool_run(wg_pool *pool, size_t n_items, wg_pool_fn *fn, void *context);
int wg_pool_cpus(void); /* processors that this process may use, at least 1 */

#endif
