/* The kernels of examples/, in one file. Compiled by make-cubins. */
#include "../../examples/example.h"
#include "../../examples/conv_example.h"
#include <string.h>

#define EXAMPLE(name) namespace name
EXAMPLE(bond_layouts) {
#define main unused
#include "../../examples/bond_layouts.cu"
}
EXAMPLE(conv_naive_) {
#include "../../examples/conv_naive.cu"
}
EXAMPLE(conv_padded_) {
#include "../../examples/conv_padded.cu"
}
EXAMPLE(conv_tiled_) {
#include "../../examples/conv_tiled.cu"
}
#undef LANES
EXAMPLE(early_return_) {
#include "../../examples/early_return.cu"
}
#undef LANES
EXAMPLE(launch_configuration_) {
#include "../../examples/launch_configuration.cu"
}
#undef LANES
EXAMPLE(warp_shuffle_) {
#include "../../examples/warp_shuffle.cu"
}
EXAMPLE(sass_evidence_) {
#include "../../examples/sass_evidence.cu"
}
