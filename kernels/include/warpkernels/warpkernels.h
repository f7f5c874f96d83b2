/* warpkernels: everything. Each part can be included alone. */
#ifndef WARPKERNELS_WARPKERNELS_H
#define WARPKERNELS_WARPKERNELS_H

#include "reduce.h"
#include "scan.h"
#include "status.h"
#include "workspace.h"
#include "bonds.h"
#include "elementwise.h"
#include "histogram.h"
#include "launch.h"
#if defined(__has_include)
#if __has_include("conv.h")
#include "conv.h"
#endif
#endif

#endif
