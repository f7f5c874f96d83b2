/* The compiled kernels in tests/data/evidence (make-cubins made them). */
#ifndef WG_TESTS_EVIDENCE_CUBINS_H
#define WG_TESTS_EVIDENCE_CUBINS_H

#include "image/image.h"

/* "truth", 80: the module, freed with img_module_free. NULL: it is not there, or cannot be read. */
img_module *open_cubin(const char *name, int sm);

#endif
