/* What nvcc links into a program by default, in small: a function for each public name, in the program itself,
 * that fails. All of them have to be taken over. */
#define FAKE(name)                 \
    int name(void);                \
    __attribute__((noinline)) int name(void) { return 999; }
#define DONE(name) FAKE(name)
#define STUB(name) FAKE(name)
#include "cudart/api.def"
