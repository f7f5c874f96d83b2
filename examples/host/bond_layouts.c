/* One field of 1024 records, from two layouts: see bond_layouts.cu. */
#include "host.h"

enum { BONDS = 1024 };

typedef struct bond {
    float face_value, time_to_maturity, risk_free_rate, credit_spread;
    float present_value, yield_to_maturity, duration, portfolio_weight;
} bond;

static void show(wg_device *device, const char *layout, wg_address out, const wg_launch_record *record) {
    float rates[4];
    CHECK(wg_copy_out(device, rates, out, sizeof rates, &err));
    printf("%s: %.4f %.4f %.4f %.4f\n", layout, (double)rates[0], (double)rates[1], (double)rates[2], (double)rates[3]);
    print_loads("  loads", record);
}

int main(int argc, char **argv) {
    static bond records[BONDS];
    static float rate[BONDS], spread[BONDS];
    for (int i = 0; i < BONDS; i++) {
        rate[i] = records[i].risk_free_rate = 0.02f + 0.005f * (float)(i % 4);
        spread[i] = records[i].credit_spread = 0.01f + (i % 4 ? 0.001f * (float)(3 * (i % 4) - 1) : 0.0f);
    }
    wg_device *device = open_cubin(argc, argv);
    wg_dim grid = wg_dim3(BONDS / 256, 1, 1), block = wg_dim3(256, 1, 1);
    wg_address out = to_device(device, NULL, sizeof rate);

    /* struct Bonds { const float *risk_free_rate, *credit_spread; } is passed by value */
    wg_address arrays[2] = {to_device(device, rate, sizeof rate), to_device(device, spread, sizeof spread)};
    wg_arg soa[] = {wg_arg_address(out), wg_arg_bytes(arrays, sizeof arrays), wg_arg_i32(BONDS)};
    show(device, "structure of arrays", out, launch(device, "total_rate_soa", grid, block, soa, 3));

    wg_arg aos[] = {wg_arg_address(out), wg_arg_address(to_device(device, records, sizeof records)), wg_arg_i32(BONDS)};
    show(device, "array of structures", out, launch(device, "total_rate_aos", grid, block, aos, 3));
    wg_close(device);
}
