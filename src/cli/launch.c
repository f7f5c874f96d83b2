/* warpgrind launch SIZE --block N [--gpu G]: the arithmetic of a one-dimensional launch. */
#include <argp.h>
#include <stdio.h>

#include "cli/cli.h"
#include "watch/occupancy.h"

enum { KEY_BLOCK = 256, KEY_GPU };

typedef struct launch_options {
    unsigned long long size, block;
    const eng_gpu *gpu;
} launch_options;

static const struct argp_option options[] = {{"block", KEY_BLOCK, "N", 0, "threads of a block (1 to 1024)", 1},
                                             {"gpu", KEY_GPU, "GPU", 0, "also say how the grid fills this device", 1},
                                             {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
    launch_options *o = state->input;
    switch (key) {
    case KEY_BLOCK: o->block = cli_number(state, "--block", arg, 1, 1024); break;
    case KEY_GPU:
        o->gpu = eng_gpu_find(arg);
        if (!o->gpu) argp_error(state, "there is no device '%s'; `warpgrind gpus` lists them", arg);
        break;
    case ARGP_KEY_ARG:
        if (o->size) argp_error(state, "one SIZE, not '%s' too", arg);
        o->size = cli_number(state, "SIZE", arg, 1, 1ull << 62);
        break;
    case ARGP_KEY_END:
        if (!o->size || !o->block) argp_error(state, "say SIZE and --block N");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void print_device(const launch_options *o, unsigned long long blocks) {
    watch_occupancy occ = watch_occupancy_of(o->gpu, &(watch_footprint){.threads = (unsigned)o->block}, blocks);
    printf("on %s        %u SMs, each holds at most %u such blocks (%u of %u warps): %.2f waves\n", o->gpu->id, o->gpu->sms, occ.blocks,
           occ.warps, o->gpu->max_warps_per_sm, occ.waves);
}

static int print(const launch_options *o) {
    unsigned long long blocks = (o->size + o->block - 1) / o->block, threads = blocks * o->block, wasted = threads - o->size;
    unsigned long long first = (blocks - 1) * o->block, floored = o->size / o->block, dropped = o->size - floored * o->block;
    if (blocks > 2147483647) {
        cli_complain("%llu blocks: a grid has at most 2147483647", blocks);
        return CLI_ERROR;
    }
    printf("size           %llu elements in blocks of %llu threads\n", o->size, o->block);
    printf("blocks         %llu = (%llu + %llu) / %llu, rounded up\n", blocks, o->size, o->block - 1, o->block);
    printf("threads        %llu\n", threads);
    printf("wasted threads %llu\n", wasted);
    printf("last block     block %llu, indices %llu through %llu: %llu threads active, %llu idle\n", blocks - 1, first, threads - 1,
           o->size - first, wasted);
    if (dropped)
        printf("floor division %llu / %llu = %llu blocks would drop %llu elements: %llu through %llu\n", o->size, o->block, floored, dropped,
               floored * o->block, o->size - 1);
    else printf("floor division %llu / %llu = %llu blocks: the same, nothing is dropped\n", o->size, o->block, floored);
    if (o->gpu) print_device(o, blocks);
    return CLI_OK;
}

int cli_launch(int argc, char **argv) {
    static const struct argp argp = {.options = options, .parser = parse, .args_doc = "SIZE",
                                     .doc = "Computes the launch of SIZE elements, one thread each: blocks, wasted threads, the last block, and what "
                                            "a floor division would drop."};
    launch_options o = {0};
    argp_err_exit_status = CLI_ERROR;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    return print(&o);
}
