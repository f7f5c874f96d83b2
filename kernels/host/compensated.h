/* A sum and what its additions rounded off: Neumaier's variant of Kahan summation. */
#ifndef WK_HOST_COMPENSATED_H
#define WK_HOST_COMPENSATED_H

#include <math.h>

typedef struct compensated {
    double sum, error;
} compensated;

static inline void compensated_add(compensated *a, double x) {
    double s = a->sum + x;
    a->error += fabs(a->sum) >= fabs(x) ? (a->sum - s) + x : (x - s) + a->sum;
    a->sum = s;
}

/* Infinities and NaN live in the sum alone. */
static inline double compensated_value(const compensated *a) {
    return isfinite(a->sum) ? a->sum + a->error : a->sum;
}

#endif
