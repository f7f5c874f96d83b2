/* Constant bank 0 of a launch. */
#ifndef WG_ENGINE_BANK0_H
#define WG_ENGINE_BANK0_H

#include "engine/plan.h"

wg_status eng_bank0_make(eng_grid *grid, wg_error *err); /* into grid->banks[0] */
void eng_bank0_free(eng_grid *grid);
bool eng_bank0_takes_parameters(const sass_instr *in, int sm); /* does it take the address of the parameters? */

#endif
