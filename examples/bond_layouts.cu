/* One field of many records: an array of structures makes each lane step over a whole record,
 * a structure of arrays lets the warp read side by side. The code is the same sum; the sectors are not. */
#include "example.h"

#define BONDS 1024

struct Bond {
    float face_value, time_to_maturity, risk_free_rate, credit_spread;
    float present_value, yield_to_maturity, duration, portfolio_weight;
};

struct Bonds { /* the same eight fields, each an array of its own (two of them are needed here) */
    const float *risk_free_rate, *credit_spread;
};

__global__ void total_rate_soa(float *out, Bonds bonds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = bonds.risk_free_rate[i] + bonds.credit_spread[i];
}

__global__ void total_rate_aos(float *out, const Bond *bonds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = bonds[i].risk_free_rate + bonds[i].credit_spread;
}

static void show(const char *layout, const float *device, int n) {
    float rates[BONDS];
    CHECK(cudaMemcpy(rates, device, n * sizeof(float), cudaMemcpyDeviceToHost));
    printf("%s: total rates %.4f %.4f %.4f %.4f ... %.4f\n", layout, rates[0], rates[1], rates[2], rates[3], rates[n - 1]);
}

int main(void) {
    static Bond aos[BONDS];
    static float rate[BONDS], spread[BONDS];
    for (int i = 0; i < BONDS; i++) {
        rate[i] = aos[i].risk_free_rate = 0.02f + 0.005f * (i % 4);
        spread[i] = aos[i].credit_spread = 0.01f + (i % 4 ? 0.001f * (3 * (i % 4) - 1) : 0.0f);
    }
    printf("a record is %zu bytes: neighbouring lanes step %zu bytes in the array of structures, %zu in the other\n",
           sizeof(Bond), sizeof(Bond), sizeof(float));

    float *out = NULL;
    CHECK(cudaMalloc(&out, BONDS * sizeof(float)));
    Bonds soa = {to_device(rate, BONDS), to_device(spread, BONDS)};
    total_rate_soa<<<BONDS / 256, 256>>>(out, soa, BONDS);
    CHECK(cudaGetLastError());
    show("structure of arrays", out, BONDS);

    Bond *records = to_device(aos, BONDS);
    total_rate_aos<<<BONDS / 256, 256>>>(out, records, BONDS);
    CHECK(cudaGetLastError());
    show("array of structures", out, BONDS);

    CHECK(cudaFree((void *)soa.risk_free_rate));
    CHECK(cudaFree((void *)soa.credit_spread));
    CHECK(cudaFree(records));
    CHECK(cudaFree(out));
    return 0;
}
