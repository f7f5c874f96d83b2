/* What runs in every process that the library is loaded into, CUDA or not: before any other constructor
 * (the library is linked with -z initfirst), and little. */
#include "cudart/lastwords.h"
#include "cudart/takeover.h"

__attribute__((constructor)) static void start(int argc, char **argv, char **environment) {
    (void)argc, (void)argv;
    rt_lastwords_start();
    rt_takeover_start(environment);
}
