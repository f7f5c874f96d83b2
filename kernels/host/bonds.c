/* Bonds, one after the other. The formulas are those of bonds.h; exp and log in float, as on the device. */
#include <math.h>

#include <warpkernels/bonds.h>

#include "check.h"

enum { FIELDS = 8 };

static float present_value(float face, float years, float rate) {
    return face * expf(-rate * years);
}

/* The arrays in the order of the record. */
static void fields_of(const wk_bonds *bonds, float *fields[FIELDS]) {
    fields[0] = bonds->face_value;
    fields[1] = bonds->time_to_maturity;
    fields[2] = bonds->risk_free_rate;
    fields[3] = bonds->credit_spread;
    fields[4] = bonds->present_value;
    fields[5] = bonds->yield_to_maturity;
    fields[6] = bonds->duration;
    fields[7] = bonds->portfolio_weight;
}

static wk_status check_fields(const wk_bonds *bonds, int64_t n, unsigned needed) {
    if (!bonds) return WK_ERROR_NULL;
    float *fields[FIELDS];
    fields_of(bonds, fields);
    for (int f = 0; f < FIELDS; f++)
        if (needed >> f & 1) WK_TRY(check_array(fields[f], n, sizeof(float)));
    return WK_SUCCESS;
}

wk_status wk_bonds_total_rate_soa_host(const wk_bonds *bonds, int64_t n, float *out) {
    WK_TRY(check_fields(bonds, n, 0x0c));
    WK_TRY(check_array(out, n, sizeof *out));
    for (int64_t i = 0; i < n; i++) out[i] = bonds->risk_free_rate[i] + bonds->credit_spread[i];
    return WK_SUCCESS;
}

wk_status wk_bonds_total_rate_aos_host(const wk_bond *bonds, int64_t n, float *out) {
    WK_TRY(check_array(bonds, n, sizeof *bonds));
    WK_TRY(check_array(out, n, sizeof *out));
    for (int64_t i = 0; i < n; i++) out[i] = bonds[i].risk_free_rate + bonds[i].credit_spread;
    return WK_SUCCESS;
}

wk_status wk_bonds_present_value_soa_host(const wk_bonds *bonds, int64_t n, float *out) {
    WK_TRY(check_fields(bonds, n, 0x0f));
    WK_TRY(check_array(out, n, sizeof *out));
    for (int64_t i = 0; i < n; i++)
        out[i] = present_value(bonds->face_value[i], bonds->time_to_maturity[i],
                               bonds->risk_free_rate[i] + bonds->credit_spread[i]);
    return WK_SUCCESS;
}

wk_status wk_bonds_present_value_aos_host(const wk_bond *bonds, int64_t n, float *out) {
    WK_TRY(check_array(bonds, n, sizeof *bonds));
    WK_TRY(check_array(out, n, sizeof *out));
    for (int64_t i = 0; i < n; i++)
        out[i] = present_value(bonds[i].face_value, bonds[i].time_to_maturity,
                               bonds[i].risk_free_rate + bonds[i].credit_spread);
    return WK_SUCCESS;
}

wk_status wk_bonds_price_soa_host(const wk_bonds *bonds, int64_t n) {
    WK_TRY(check_fields(bonds, n, 0x7f));
    for (int64_t i = 0; i < n; i++) {
        const float rate = bonds->risk_free_rate[i] + bonds->credit_spread[i];
        bonds->present_value[i] = present_value(bonds->face_value[i], bonds->time_to_maturity[i], rate);
        bonds->yield_to_maturity[i] = rate;
        bonds->duration[i] = bonds->time_to_maturity[i];
    }
    return WK_SUCCESS;
}

wk_status wk_bonds_price_aos_host(wk_bond *bonds, int64_t n) {
    WK_TRY(check_array(bonds, n, sizeof *bonds));
    for (int64_t i = 0; i < n; i++) {
        const float rate = bonds[i].risk_free_rate + bonds[i].credit_spread;
        bonds[i].present_value = present_value(bonds[i].face_value, bonds[i].time_to_maturity, rate);
        bonds[i].yield_to_maturity = rate;
        bonds[i].duration = bonds[i].time_to_maturity;
    }
    return WK_SUCCESS;
}

wk_status wk_bonds_yield_soa_host(const wk_bonds *bonds, int64_t n) {
    WK_TRY(check_fields(bonds, n, 0x33));
    for (int64_t i = 0; i < n; i++)
        bonds->yield_to_maturity[i] =
            logf(bonds->face_value[i] / bonds->present_value[i]) / bonds->time_to_maturity[i];
    return WK_SUCCESS;
}

wk_status wk_bonds_weights_soa_host(const wk_bonds *bonds, int64_t n, const double *value) {
    WK_TRY(check_fields(bonds, n, 0x90));
    if (!value) return WK_ERROR_NULL;
    for (int64_t i = 0; i < n; i++)
        bonds->portfolio_weight[i] = (float)((double)bonds->present_value[i] / *value);
    return WK_SUCCESS;
}

static wk_status check_layouts(const wk_bond *records, int64_t n, const wk_bonds *bonds) {
    WK_TRY(check_array(records, n, sizeof *records));
    WK_TRY(check_fields(bonds, n, 0xff));
    float *fields[FIELDS];
    fields_of(bonds, fields);
    for (int f = 0; f < FIELDS; f++)
        if (check_overlap(fields[f], n * (int64_t)sizeof(float), records, n * (int64_t)sizeof *records))
            return WK_ERROR_OVERLAP;
    return WK_SUCCESS;
}

wk_status wk_bonds_aos_to_soa_host(const wk_bond *in, int64_t n, const wk_bonds *out) {
    WK_TRY(check_layouts(in, n, out));
    float *fields[FIELDS];
    fields_of(out, fields);
    for (int64_t i = 0; i < n; i++)
        for (int f = 0; f < FIELDS; f++) fields[f][i] = ((const float *)&in[i])[f];
    return WK_SUCCESS;
}

wk_status wk_bonds_soa_to_aos_host(const wk_bonds *in, int64_t n, wk_bond *out) {
    WK_TRY(check_layouts(out, n, in));
    float *fields[FIELDS];
    fields_of(in, fields);
    for (int64_t i = 0; i < n; i++)
        for (int f = 0; f < FIELDS; f++) ((float *)&out[i])[f] = fields[f][i];
    return WK_SUCCESS;
}

/* Sums in long double whatever is asked for: the reference of both accumulations. */
wk_status wk_bonds_portfolio_soa_host(const wk_bonds *bonds, int64_t n, wk_accumulation accumulation,
                                      wk_portfolio *out) {
    WK_TRY(check_fields(bonds, n, 0x0f));
    if (!out) return WK_ERROR_NULL;
    if (accumulation != WK_ACCUMULATE_F32 && accumulation != WK_ACCUMULATE_F64) return WK_ERROR_VALUE;
    long double value = 0, duration = 0, yield = 0;
    for (int64_t i = 0; i < n; i++) {
        const float rate = bonds->risk_free_rate[i] + bonds->credit_spread[i];
        const float years = bonds->time_to_maturity[i];
        const long double p = present_value(bonds->face_value[i], years, rate);
        value += p;
        duration += p * years;
        yield += p * rate;
    }
    out->value = (double)value;
    out->duration = (double)(duration / value);
    out->yield = (double)(yield / value);
    return WK_SUCCESS;
}
