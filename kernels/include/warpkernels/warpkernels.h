/* warpkernels: everything but nccl.h. Each part can be included alone. */
#ifndef WARPKERNELS_WARPKERNELS_H
#define WARPKERNELS_WARPKERNELS_H

#include "bonds.h"
#include "conv.h"
#include "elementwise.h"
#include "histogram.h"
#include "launch.h"
#include "reduce.h"
#include "scan.h"
#include "shard.h"
#include "status.h"
#include "workspace.h"

#endif
