/* What docs/isa.md says of words that decode and that the engine does not execute, or not by all of their modifiers. */
#ifndef WG_TOOLS_ISA_AUDIT_H
#define WG_TOOLS_ISA_AUDIT_H

#include <stdbool.h>

#include "engine/code.h"

/* Prints both tables. rows: the names of isa.def's rows, by sass_op. False: standard error says of a modifier that nothing was executed
 * differently for it, and that no reason is known, or of a row that no word was executed. */
bool isa_audit(eng_device *device, const char *const *rows);

#endif
