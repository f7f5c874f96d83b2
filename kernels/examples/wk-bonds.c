/* wk-bonds: prices a portfolio of zero-coupon bonds on the GPU.
 *
 *   wk-bonds portfolio.csv               totals
 *   wk-bonds portfolio.csv -o priced.csv and every bond
 *
 * The CSV has a header that names at least face_value, time_to_maturity (years), risk_free_rate and
 * credit_spread (fractions a year, continuously compounded), in any order; other columns are ignored.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <warpkernels/bonds.h>

enum { TERMS = 4, FIELDS = 8 };

static const char *const term_names[TERMS] = {"face_value", "time_to_maturity", "risk_free_rate",
                                              "credit_spread"};

typedef struct {
    const char *in, *out;
    wk_accumulation accumulation;
    int host;
} options;

/* Records in the order of the file: the layout that a reader fills naturally. */
typedef struct {
    wk_bond *bond;
    size_t n, capacity;
} portfolio;

/* --- the file ------------------------------------------------------------------ */

/* Cuts a line at its commas; fields lose blanks around them. */
static int split(char *line, char **field, int most) {
    int n = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *p = line; n < most; n++) {
        p += strspn(p, " \t");
        field[n] = p;
        char *comma = strchr(p, ','), *end = comma ? comma : p + strlen(p);
        while (end > p && (end[-1] == ' ' || end[-1] == '\t')) end--;
        if (!comma) {
            *end = 0;
            return n + 1;
        }
        *comma = 0;
        *end = 0;
        p = comma + 1;
    }
    return n;
}

enum { MOST_COLUMNS = 256 };

static int read_header(const char *path, char *line, int column[TERMS]) {
    char *field[MOST_COLUMNS];
    const int n = split(line, field, MOST_COLUMNS);
    for (int t = 0; t < TERMS; t++) {
        column[t] = -1;
        for (int i = 0; i < n; i++)
            if (strcmp(field[i], term_names[t]) == 0) column[t] = i;
        if (column[t] < 0) {
            fprintf(stderr, "wk-bonds: %s: line 1 names no column %s\n", path, term_names[t]);
            return 0;
        }
    }
    return 1;
}

static int read_bond(const char *path, long number, char *line, const int column[TERMS], wk_bond *bond) {
    char *field[MOST_COLUMNS];
    const int n = split(line, field, MOST_COLUMNS);
    memset(bond, 0, sizeof *bond);
    for (int t = 0; t < TERMS; t++) {
        char *end = NULL;
        const float x = column[t] < n ? strtof(field[column[t]], &end) : 0;
        if (!end || end == field[column[t]] || *end || !(x - x == 0)) {
            fprintf(stderr, "wk-bonds: %s: line %ld has no number for %s\n", path, number, term_names[t]);
            return 0;
        }
        ((float *)bond)[t] = x;
    }
    return 1;
}

static int read_portfolio(const char *path, portfolio *p) {
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "wk-bonds: %s: %s\n", path, strerror(errno));
        return 0;
    }
    char *line = NULL;
    size_t size = 0;
    int column[TERMS], good = getline(&line, &size, f) > 0;
    if (!good) fprintf(stderr, "wk-bonds: %s: no header line\n", path);
    good = good && read_header(path, line, column);
    for (long number = 2; good && getline(&line, &size, f) > 0; number++) {
        if (line[strspn(line, " \t\r\n")] == 0) continue;
        if (p->n == p->capacity) {
            const size_t capacity = p->capacity ? p->capacity * 2 : 1024;
            wk_bond *more = realloc(p->bond, capacity * sizeof *more);
            if (!more) {
                fprintf(stderr, "wk-bonds: %s: out of memory at line %ld\n", path, number);
                good = 0;
                break;
            }
            p->bond = more;
            p->capacity = capacity;
        }
        good = read_bond(path, number, line, column, &p->bond[p->n]);
        p->n += good != 0;
    }
    free(line);
    fclose(f);
    return good;
}

static int write_portfolio(const char *path, const portfolio *p) {
    FILE *f = fopen(path, "w");
    if (f) {
        fputs("face_value,time_to_maturity,risk_free_rate,credit_spread,"
              "present_value,yield_to_maturity,duration,portfolio_weight\n",
              f);
        for (size_t i = 0; i < p->n; i++) {
            const float *x = (const float *)&p->bond[i];
            for (int k = 0; k < FIELDS; k++) fprintf(f, "%.9g%c", (double)x[k], k < FIELDS - 1 ? ',' : '\n');
        }
        const int failed = ferror(f);
        if (fclose(f) == 0 && !failed) return 1;
    }
    fprintf(stderr, "wk-bonds: %s: %s\n", path, strerror(errno));
    return 0;
}

/* --- pricing -------------------------------------------------------------------- */

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        s = (call);                                                                                          \
        if (s != WK_SUCCESS) goto done;                                                                      \
    } while (0)
#define CUDA(call) TRY((call) == cudaSuccess ? WK_SUCCESS : WK_ERROR_CUDA)

/* Records to arrays, one fused pass for the totals, price and weights over the arrays, and back. */
static wk_status price_on_gpu(portfolio *p, wk_accumulation accumulation, wk_portfolio *total) {
    const int64_t n = (int64_t)p->n;
    const size_t bytes = p->n * sizeof *p->bond;
    wk_status s;
    wk_workspace *workspace = NULL;
    wk_bond *records = NULL;
    float *memory = NULL;
    wk_portfolio *device_total = NULL;
    TRY(wk_workspace_create(0, &workspace));
    CUDA(cudaMalloc((void **)&records, bytes));
    CUDA(cudaMalloc((void **)&memory, bytes + FIELDS * 16));
    CUDA(cudaMalloc((void **)&device_total, sizeof *device_total));
    CUDA(cudaMemcpy(records, p->bond, bytes, cudaMemcpyHostToDevice));

    float *array[FIELDS]; /* each one on a 16-byte boundary */
    for (int f = 0; f < FIELDS; f++) array[f] = memory + (size_t)f * ((p->n + 3) / 4 * 4);
    const wk_bonds bonds = {array[0], array[1], array[2], array[3], array[4], array[5], array[6], array[7]};
    TRY(wk_bonds_aos_to_soa(records, n, &bonds, 0));
    TRY(wk_bonds_portfolio_soa(&bonds, n, accumulation, device_total, workspace, 0));
    TRY(wk_bonds_price_soa(&bonds, n, 0));
    TRY(wk_bonds_weights_soa(&bonds, n, &device_total->value, 0));
    TRY(wk_bonds_soa_to_aos(&bonds, n, records, 0));
    CUDA(cudaMemcpy(p->bond, records, bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(total, device_total, sizeof *total, cudaMemcpyDeviceToHost));
done:
    cudaFree(records);
    cudaFree(memory);
    cudaFree(device_total);
    wk_workspace_destroy(workspace);
    return s;
}

static wk_status price_on_host(portfolio *p, wk_accumulation accumulation, wk_portfolio *total) {
    const int64_t n = (int64_t)p->n;
    wk_status s;
    float *memory = malloc(p->n * sizeof *p->bond), *array[FIELDS];
    if (!memory) return WK_ERROR_MEMORY;
    for (int f = 0; f < FIELDS; f++) array[f] = memory + (size_t)f * p->n;
    const wk_bonds bonds = {array[0], array[1], array[2], array[3], array[4], array[5], array[6], array[7]};
    TRY(wk_bonds_aos_to_soa_host(p->bond, n, &bonds));
    TRY(wk_bonds_portfolio_soa_host(&bonds, n, accumulation, total));
    TRY(wk_bonds_price_soa_host(&bonds, n));
    TRY(wk_bonds_weights_soa_host(&bonds, n, &total->value));
    TRY(wk_bonds_soa_to_aos_host(&bonds, n, p->bond));
done:
    free(memory);
    return s;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    options *o = state->input;
    switch (key) {
    case 'o':
        o->out = arg;
        return 0;
    case 'f':
        o->accumulation = WK_ACCUMULATE_F32;
        return 0;
    case 'H':
        o->host = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (o->in) argp_error(state, "one portfolio, please");
        o->in = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->in) argp_error(state, "a portfolio is needed");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv) {
    static const struct argp_option option[] = {
        {"output", 'o', "FILE", 0, "write every bond with its price, yield, duration and weight", 0},
        {"float", 'f', NULL, 0, "accumulate in float instead of double", 0},
        {"host", 'H', NULL, 0, "compute on the CPU, with the reference", 0},
        {0},
    };
    static const struct argp parser = {
        option, parse, "PORTFOLIO.csv", "Prices a portfolio of zero-coupon bonds on the GPU.", NULL,
        NULL,   NULL};
    options o = {.accumulation = WK_ACCUMULATE_F64};
    if (argp_parse(&parser, argc, argv, 0, NULL, &o) != 0) return 2;

    portfolio p = {NULL, 0, 0};
    int status = 1;
    if (read_portfolio(o.in, &p)) {
        wk_portfolio total = {0, 0, 0};
        wk_status s = p.n == 0 ? WK_SUCCESS
                      : o.host ? price_on_host(&p, o.accumulation, &total)
                               : price_on_gpu(&p, o.accumulation, &total);
        if (s != WK_SUCCESS) {
            fprintf(stderr, "wk-bonds: %s: %s\n", wk_status_string(s),
                    o.host ? "on the host" : cudaGetErrorString(cudaGetLastError()));
        } else {
            printf("bonds     %zu\nvalue     %.2f\nduration  %.6f years\nyield     %.6f %%\n", p.n,
                   total.value, total.duration, total.yield * 100);
            status = o.out && !write_portfolio(o.out, &p);
        }
    }
    free(p.bond);
    return status;
}
