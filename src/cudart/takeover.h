/* Takes over CUDA runtimes that are linked statically: `nvcc x.cu -o x` puts the whole runtime into the
 * executable as local functions, where no library can stand before them. Their entries are found by exact
 * name in the object's symbol table and overwritten with jumps to this library's functions, all of them, so
 * that nothing of the original ever runs (an original would look for a driver). */
#ifndef WG_CUDART_TAKEOVER_H
#define WG_CUDART_TAKEOVER_H

/* From the library's constructor: all objects that are loaded, and, through the loader's own notice to
 * debuggers, those that are loaded later, before their constructors run. The environment is handed in: the C library has
 * not set its own up yet. */
void rt_takeover_start(char *const *environment);

#endif
