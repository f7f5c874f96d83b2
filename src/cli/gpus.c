/* warpgrind gpus: the simulated devices. */
#include <argp.h>
#include <stdio.h>

#include "cli/cli.h"

static error_t parse(int key, char *arg, struct argp_state *state) {
    if (key == ARGP_KEY_ARG) argp_error(state, "takes no argument such as '%s'", arg);
    return ARGP_ERR_UNKNOWN;
}

int cli_gpus(int argc, char **argv) {
    static const struct argp argp = {.parser = parse,
                                     .doc = "Lists the devices that --gpu takes. Code runs on a device of its own major compute capability and an equal "
                                            "or higher minor one."};
    argp_err_exit_status = CLI_ERROR;
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    printf("%-10s  %-26s %5s %4s %9s %10s %12s %11s %9s %9s %8s\n", "GPU", "name", "c.c.", "SMs", "warps/SM", "blocks/SM", "shared/SM",
           "a block", "L2", "memory", "GB/s");
    const eng_gpu *g;
    for (unsigned i = 0; (g = eng_gpu_at(i)) != NULL; i++)
        printf("%-10s  %-26s %3d.%d %4u %9u %10u %8u KiB %7u KiB %5.1f MiB %5.1f GiB %8.0f\n", g->id, g->name, g->major, g->minor, g->sms,
               g->max_warps_per_sm, g->max_blocks_per_sm, g->shared_per_sm / 1024, g->shared_per_block_optin / 1024,
               g->l2 / 1048576.0, (double)g->memory / 1073741824.0, g->bandwidth / 1e9);
    return CLI_OK;
}
