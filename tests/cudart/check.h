/* A check that says where and what, and ends the process. */
#ifndef WG_TEST_CUDART_CHECK_H
#define WG_TEST_CUDART_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);       \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)
#define SAME(got, wanted)                                                                              \
    do {                                                                                               \
        long long got_ = (long long)(got), wanted_ = (long long)(wanted);                                       \
        if (got_ != wanted_) {                                                                                  \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld (%s)\n", __FILE__, __LINE__, #got, got_, wanted_, #wanted); \
            exit(1);                                                                                   \
        }                                                                                              \
    } while (0)
#define OK(call) SAME(call, cudaSuccess)
#define FAILS(call, error)                        \
    do {                                          \
        SAME(call, error);                        \
        SAME(cudaPeekAtLastError(), error);       \
        SAME(cudaGetLastError(), error);          \
        SAME(cudaGetLastError(), cudaSuccess);    \
    } while (0)

#endif
