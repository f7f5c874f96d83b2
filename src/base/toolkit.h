/* Which source files are the CUDA toolkit's, and not the program's own. */
#ifndef WG_BASE_TOOLKIT_H
#define WG_BASE_TOOLKIT_H

#include <stdbool.h>

/* True for headers below the toolkit's folders as Debian, NVIDIA's installers (cuda, cuda-13.0) and PyPI's wheels
 * lay them out, and the system's own. */
bool wg_is_toolkit_file(const char *path);

#endif
