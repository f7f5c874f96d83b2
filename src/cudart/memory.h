/* Allocation and copies, for the files that stand on them (pools, symbols). With the lock held. */
#ifndef WG_CUDART_MEMORY_H
#define WG_CUDART_MEMORY_H

#include "cudart/context.h"
#include "cudart/stream.h"

/* An allocation with the program's call stack; size 0 gives NULL. */
cudaError_t rt_alloc(void **out, size_t size, eng_alloc_kind kind);
/* Frees one of the kinds in the mask (1 << eng_alloc_kind); anything else is cudaErrorInvalidValue and a
 * finding that says what the address is. */
cudaError_t rt_free(void *address, unsigned kinds, const char *call);
/* Freed memory leaves the count of the pool that it came from, whichever call freed it (pool.c). */
void rt_pool_freed(uint64_t address, uint64_t size);
/* What was said of its memory is forgotten (advice.c). */
void rt_advice_freed(uint64_t address, uint64_t size);
/* Frees all that the program allocated. */
void rt_memory_reset(void);

/* A box of bytes: rows of width, pitch apart, slices of pitch * rows apart. 1-D: one row of one slice. */
typedef struct rt_box { uint64_t address; size_t pitch, rows; } rt_box;
typedef struct rt_copy { rt_box to, from; size_t width, height, depth; enum cudaMemcpyKind kind; } rt_copy;
/* Checks direction and ranges, copies, and adds the time to the stream. */
cudaError_t rt_copy_box(const rt_copy *copy, rt_stream *stream);
/* Puts it into the stream: at once, or into the graph that the stream is captured for. */
cudaError_t rt_copy_do(const rt_copy *copy, rt_stream *stream);
/* Behind a fill by a call without a stream, without the lock: such a call comes back before it is done, but from memory that the host
 * can touch, too. error: what the fill returned. */
cudaError_t rt_filled(cudaError_t error, const void *to, cudaStream_t stream);
/* cudaMemcpyBatchAsync; first[k]: the first copy that attributes[k] are for. *failed, where asked for: which copy failed,
 * SIZE_MAX for none of its own. Enters and leaves. */
cudaError_t rt_copy_batch(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                          const struct cudaMemcpyAttributes *attributes, const size_t *first, size_t n, size_t *failed, cudaStream_t stream);
/* What cudaMemcpy3D takes, checked (array_copy.c). */
cudaError_t rt_copy_of_3d(const struct cudaMemcpy3DParms *params, rt_copy *copy);

#endif
