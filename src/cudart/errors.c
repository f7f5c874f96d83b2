/* Names and texts of errors. */
#include "cudart/api.h"
#include "cudart/context.h"

static const struct row {
    cudaError_t number;
    const char *name, *text;
} rows[] = {
#define ERR(number, name, text) {name, #name, text},
#include "cudart/errors.def"
#undef ERR
};

static const struct row *find(cudaError_t error) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == error) return &rows[i];
    return NULL;
}

const char *rt_error_name(cudaError_t error) {
    const struct row *row = find(error);
    return row ? row->name : "unrecognized error code";
}

const char *rt_error_text(cudaError_t error) {
    const struct row *row = find(error);
    return row ? row->text : "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error) {
    if (error) rt_seen();
    return rt_error_name(error);
}

const char *cudaGetErrorString(cudaError_t error) {
    if (error) rt_seen();
    return rt_error_text(error);
}
