/* The public calls that are not implemented, made of api.def. */
#include "cudadrv/driver.h"

#define DONE(symbol, name, version)
#define STUB(symbol, name, version)      \
    RT_API CUresult symbol(void);        \
    RT_API CUresult symbol(void) { return drv_unsupported(#symbol); }
#include "cudadrv/api.def"
