/* A portfolio of zero-coupon bonds: layouts, pricing, and totals.
 *
 * Model: a bond pays face_value F once, after time_to_maturity T (in years). Its total rate is
 * y = risk_free_rate + credit_spread, continuously compounded:
 *     present value      P = F exp(-y T)
 *     yield to maturity  ln(F / P) / T, which is y for a bond priced here
 *     duration           T, Macaulay's and, with continuous compounding, also -(dP/dy) / P
 *     portfolio weight   P / sum of all P
 * (Hull, Options, Futures, and Other Derivatives, chapter 4.)
 */
#ifndef WARPKERNELS_BONDS_H
#define WARPKERNELS_BONDS_H

#include "status.h"
#include "workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One record of an array of structs: 32 bytes, one sector of memory. */
typedef struct wk_bond {
    float face_value;
    float time_to_maturity;
    float risk_free_rate;
    float credit_spread;
    float present_value;
    float yield_to_maturity;
    float duration;
    float portfolio_weight;
} wk_bond;

/* The struct of arrays: a host struct of eight device pointers (of host pointers for the _host
 * calls). A call needs only the arrays that it names; the others may be NULL. */
typedef struct wk_bonds {
    float *face_value;
    float *time_to_maturity;
    float *risk_free_rate;
    float *credit_spread;
    float *present_value;
    float *yield_to_maturity;
    float *duration;
    float *portfolio_weight;
} wk_bonds;

/* Totals of a portfolio. */
typedef struct wk_portfolio {
    double value;    /* sum of P */
    double duration; /* sum of P T / value, in years */
    double yield;    /* sum of P y / value, the value-weighted yield */
} wk_portfolio;

typedef enum wk_accumulation {
    WK_ACCUMULATE_F32, /* sums in float: on GPUs with few double units */
    WK_ACCUMULATE_F64  /* sums of more than four neighbours in double */
} wk_accumulation;

/* Errors of all calls: WK_ERROR_NULL, WK_ERROR_SIZE, WK_ERROR_ALIGNMENT (4 bytes are enough),
 * WK_ERROR_OVERLAP, WK_ERROR_VALUE, WK_ERROR_WORKSPACE, and those of a launch. */

/* out[i] = risk_free_rate[i] + credit_spread[i]. */
WK_API wk_status wk_bonds_total_rate_soa(const wk_bonds *bonds, int64_t n, float *out, cudaStream_t stream);
WK_API wk_status wk_bonds_total_rate_aos(const wk_bond *bonds, int64_t n, float *out, cudaStream_t stream);
WK_API wk_status wk_bonds_total_rate_soa_host(const wk_bonds *bonds, int64_t n, float *out);
WK_API wk_status wk_bonds_total_rate_aos_host(const wk_bond *bonds, int64_t n, float *out);

/* out[i] = P from the first four fields; out may be bonds->present_value. */
WK_API wk_status wk_bonds_present_value_soa(const wk_bonds *bonds, int64_t n, float *out,
                                            cudaStream_t stream);
WK_API wk_status wk_bonds_present_value_aos(const wk_bond *bonds, int64_t n, float *out, cudaStream_t stream);
WK_API wk_status wk_bonds_present_value_soa_host(const wk_bonds *bonds, int64_t n, float *out);
WK_API wk_status wk_bonds_present_value_aos_host(const wk_bond *bonds, int64_t n, float *out);

/* Fills present_value, yield_to_maturity and duration from the first four fields. */
WK_API wk_status wk_bonds_price_soa(const wk_bonds *bonds, int64_t n, cudaStream_t stream);
WK_API wk_status wk_bonds_price_aos(wk_bond *bonds, int64_t n, cudaStream_t stream);
WK_API wk_status wk_bonds_price_soa_host(const wk_bonds *bonds, int64_t n);
WK_API wk_status wk_bonds_price_aos_host(wk_bond *bonds, int64_t n);

/* yield_to_maturity[i] = ln(face_value[i] / present_value[i]) / time_to_maturity[i]: for bonds whose price
 * comes from a market. What T = 0 or P <= 0 give is what IEEE arithmetic gives: NaN or infinity. */
WK_API wk_status wk_bonds_yield_soa(const wk_bonds *bonds, int64_t n, cudaStream_t stream);
WK_API wk_status wk_bonds_yield_soa_host(const wk_bonds *bonds, int64_t n);

/* portfolio_weight[i] = present_value[i] / *value. `value` points to device memory: the member
 * of a wk_portfolio that wk_bonds_portfolio_soa wrote, for example. */
WK_API wk_status wk_bonds_weights_soa(const wk_bonds *bonds, int64_t n, const double *value,
                                      cudaStream_t stream);
WK_API wk_status wk_bonds_weights_soa_host(const wk_bonds *bonds, int64_t n, const double *value);

/* All eight fields of n records from one layout to the other. */
WK_API wk_status wk_bonds_aos_to_soa(const wk_bond *in, int64_t n, const wk_bonds *out, cudaStream_t stream);
WK_API wk_status wk_bonds_soa_to_aos(const wk_bonds *in, int64_t n, wk_bond *out, cudaStream_t stream);
WK_API wk_status wk_bonds_aos_to_soa_host(const wk_bond *in, int64_t n, const wk_bonds *out);
WK_API wk_status wk_bonds_soa_to_aos_host(const wk_bonds *in, int64_t n, wk_bond *out);

/* Prices every bond and adds it up, in one pass over the first four fields that stores no price.
 * *out (device memory) = the totals; n = 0 gives value 0 and NaN for the averages.
 * Same bits in every run, as the reductions of reduce.h. */
WK_API wk_status wk_bonds_portfolio_soa(const wk_bonds *bonds, int64_t n, wk_accumulation accumulation,
                                        wk_portfolio *out, wk_workspace *workspace, cudaStream_t stream);
WK_API wk_status wk_bonds_portfolio_soa_host(const wk_bonds *bonds, int64_t n, wk_accumulation accumulation,
                                             wk_portfolio *out);

#ifdef __cplusplus
}
#endif
#endif
