/* The public calls that are not implemented, made of api.def. Arguments are not looked at, so one form
 * serves all of them. */
#include "cudart/context.h"

#define DONE(name)
#define STUB(name)             \
    RT_API cudaError_t name(void); \
    RT_API cudaError_t name(void) { return rt_unsupported(#name); }
#include "cudart/api.def"
