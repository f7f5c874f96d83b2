/* Memory of the calls that combine the work of many blocks in one launch. */
#ifndef WARPKERNELS_WORKSPACE_H
#define WARPKERNELS_WORKSPACE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Belongs to the device that was current when it was made. Calls that use one workspace must not run
 * at the same time: one workspace for each stream is right. Every call leaves it ready for
 * the next, so that it also serves calls captured into a graph. There, a short reduction right behind
 * another one with the same workspace reads its elements while that one ends, unless they hold that one's
 * result: do not let them do so afterwards by changing the parameters of the captured nodes. */
typedef struct wk_workspace wk_workspace;

/* Allocates device memory, `scratch_bytes` of it for scans (wk_scan_workspace_bytes; 0 is enough for
 * everything else), and waits until it is ready. WK_ERROR_NULL, WK_ERROR_SIZE, WK_ERROR_MEMORY,
 * WK_ERROR_NO_DEVICE. */
WK_API wk_status wk_workspace_create(size_t scratch_bytes, wk_workspace **out);

/* Frees it; NULL is allowed. The work that uses it must have finished. */
WK_API wk_status wk_workspace_destroy(wk_workspace *workspace);

#ifdef __cplusplus
}
#endif
#endif
