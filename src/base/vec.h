/* A growing array of any element type:  wg_vec(int) v = {0}; wg_vec_push(&v, 3); v.at[0]; wg_vec_free(&v); */
#ifndef WG_BASE_VEC_H
#define WG_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#define wg_vec(...)                                                                                          \
    struct {                                                                                                 \
        __VA_ARGS__ *at;                                                                                     \
        size_t count, room;                                                                                  \
    }

/* Makes room for n more; false when there is no memory. */
bool wg_vec_grow(void **at, size_t *room, size_t count, size_t n, size_t size);

#define wg_vec_reserve(v, n) wg_vec_grow((void **)&(v)->at, &(v)->room, (v)->count, (n), sizeof *(v)->at)
/* True when the element was added. */
#define wg_vec_push(v, ...) (wg_vec_reserve(v, 1) && ((v)->at[(v)->count++] = (__VA_ARGS__), true))
#define wg_vec_free(v)      (free((v)->at), (v)->at = NULL, (v)->count = (v)->room = 0)

#endif
