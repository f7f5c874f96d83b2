/* tables counters|devices: the tables of docs/counters.md and docs/devices.md, from the rows that the program itself
 * is made of. docs/ holds their output; the tests fail when it is not the same. */
#include <stdio.h>
#include <string.h>

#include "watch/watch.h"

static void counters(void) {
    puts("# Counters\n");
    puts("Made of `src/watch/counters.def` (one row a counter) by `tests/docs/tables.c`; do not edit.\n");
    puts("Names are Nsight Compute's where the meaning is the same; `wg__` begins what hardware does not count. A counter is");
    puts("**exact** when it is counted from the machine code that ran: it equals the hardware's counter where the hardware has");
    puts("one (docs/fidelity.md compares 42 kernels with an H200). It is a **model** when it follows from what the table says.");
    puts("Nothing else is given. A countable zero is 0 and never absent. Counters with a \"line\" mark are also given for");
    puts("each instruction, and so for each source line; an instruction has only those that apply to it.\n");
    puts("## Terms\n");
    puts("- *Issue*: a warp executes an instruction for the lanes that are together at it. Lanes that parted are issued apart.");
    puts("- *Request*: a memory instruction that at least one lane makes. An instruction whose guard is false in all lanes is");
    puts("  issued but is no request.");
    puts("- *Sector*: 32 bytes of memory, the unit that moves. A request moves each sector it touches once.");
    puts("- *Tag*: of a line of the first cache, 128 bytes. A request looks up that of each line it touches once.");
    puts("- *Wavefront*: a pass through the 32 banks of shared memory, each of which gives one 4-byte word.");
    puts("- *Idle thread*: one that ends without a load, store, atomic, shuffle or barrier. Such threads fill up the last block.\n");
    puts("## Table\n");
    puts("| counter | unit | | line | meaning | source |");
    puts("|---|---|---|---|---|---|");
    for (int c = 0; c < WATCH_COUNTERS; c++) {
        const watch_counter_info *i = &watch_counter_table[c];
        printf("| `%s` | %s | %s | %s | %s | %s |\n", i->name, i->unit, i->exactness == WATCH_EXACT ? "exact" : "model",
               i->scope == WATCH_INSTRUCTION ? "yes" : "", i->meaning, i->source);
    }
    puts("\n## What is not counted\n");
    puts("- Shared-memory wavefronts that arbitration between warps adds on hardware: they are another number each time, and the");
    puts("  counters that Nsight Compute patches into the code (`smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_...`) do not");
    puts("  see them: those equal the counts here (docs/fidelity.md).");
    puts("- Sectors of textures, which follow how the hardware lays out arrays, and requests to surfaces; what bulk copies and copies of");
    puts("  tiles (TMA) move: hardware does not count it with the loads and stores either.");
    puts("- Everything that depends on caches, clocks or scheduling.");
    puts("- Instructions of code that the driver links into kernels that call printf, malloc or assert: no cubin holds it.");
}

static void devices(void) {
    puts("# Simulated devices\n");
    puts("Made of `src/engine/gpus.def` (one row a device) by `tests/docs/tables.c`; do not edit. `warpgrind gpus` prints the");
    puts("same.\n");
    puts("A device decides which code runs (that of its own major compute capability and an equal or lower minor one), what a");
    puts("launch may ask for, occupancy, and the modelled times. It decides no result and no count of instructions, sectors or");
    puts("wavefronts. Without `--gpu` the device fits the program: the first of the table with the newest compute capability that");
    puts("all of the program's GPU code was compiled for.\n");
    puts("Limits by compute capability are those of the CUDA programming guide; sizes, clocks and bandwidths those of the");
    puts("vendor's datasheets, memory and bus of the H200 what one reports. All devices have 65,536 registers an SM and 1,024 threads and 48 KiB of shared memory a block");
    puts("(more where a kernel opts in).\n");
    puts("| `--gpu` | name | compute capability | SMs | warps an SM | blocks an SM | shared an SM | a block, opted in | L2 | memory | bandwidth | clock |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|");
    const eng_gpu *g;
    for (unsigned i = 0; (g = eng_gpu_at(i)) != NULL; i++)
        printf("| `%s` | %s | %d.%d | %u | %u | %u | %u KiB | %u KiB | %.1f MiB | %.1f GiB | %.0f GB/s | %u MHz |\n", g->id, g->name, g->major,
               g->minor, g->sms, g->max_warps_per_sm, g->max_blocks_per_sm, g->shared_per_sm / 1024, g->shared_per_block_optin / 1024,
               g->l2 / 1048576.0, (double)g->memory / 1073741824.0, g->bandwidth / 1e9, g->clock_khz / 1000);
    puts("\nCode for compute capability 10.0 and later is decoded, but only 7.5 to 9.0 are held to tests: on `b200` and `rtx5090` a");
    puts("kernel runs when the engine knows all its instructions, and is reported as not run otherwise.\n");
    puts("## Occupancy\n");
    puts("`src/watch/occupancy.c`: an SM holds as many blocks as the scarcest of four resources allows: warps, blocks, registers");
    puts("(granted to a warp in units of 256, from one of four parts of the register file) and shared memory (in units of 128");
    puts("bytes, plus the driver's part; its size is the smallest configuration that does not limit the launch). All limits equal");
    puts("those that an H200 reports for the 42 launches of tests/truth.");
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "counters")) counters();
    else if (argc == 2 && !strcmp(argv[1], "devices")) devices();
    else return 2;
    return 0;
}
