/* Prints what layout.def lists: of types.h, or, with REAL, of the toolkit's headers. */
#include <stddef.h>
#include <stdio.h>

#ifdef REAL
#include <cuda_runtime_api.h>
#else
#include "cudart/types.h"
enum { /* attributes.def knows its numbers without an enum */
#define ATTR(number, name, expression) name = number,
#include "cudart/attributes.def"
#undef ATTR
};
#endif

int main(void) {
#define SIZE(type) printf("%zu %s\n", sizeof(type), #type);
#define FIELD(type, field) printf("%zu %s.%s\n", offsetof(type, field), #type, #field);
#define VALUE(name) printf("%lld %s\n", (long long)(name), #name);
#include "cudart/layout.def"
#define ATTR(number, name, expression) VALUE(name)
#include "cudart/attributes.def"
#define ERR(number, name, text) VALUE(name)
#include "cudart/errors.def"
    return 0;
}
