/* Prints what layout.def lists: of types.h, or, with REAL, of the toolkit's header. */
#include <stddef.h>
#include <stdio.h>

#ifdef REAL
#include <cuda.h>
#define ALIKE(theirs, ours) printf("%lld %s\n", (long long)(theirs), #theirs);
#else
#include "cudadrv/types.h"
#define ALIKE(theirs, ours) printf("%lld %s\n", (long long)(ours), #theirs);
#endif

int main(void) {
#define SIZE(type) printf("%zu %s\n", sizeof(type), #type);
#define FIELD(type, field) printf("%zu %s.%s\n", offsetof(type, field), #type, #field);
#define VALUE(name) printf("%lld %s\n", (long long)(name), #name);
#include "cudadrv/layout.def"
#define ERR(number, name, text) VALUE(name)
#include "cudadrv/errors.def"
    return 0;
}
