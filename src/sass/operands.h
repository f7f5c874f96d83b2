/* Arguments of the entries of operands.def. */
#ifndef WG_SASS_OPERANDS_H
#define WG_SASS_OPERANDS_H

enum { /* where a source lies; forms.h has the table */
    PLACE_A, PLACE_B, PLACE_SECOND, PLACE_THIRD, PLACE_RB, PLACE_RC,
    PLACE_DADD, /* the register form has it in slot C */
    PLACE_UA, PLACE_UB, PLACE_USECOND, PLACE_UTHIRD
};
enum { SUFFIX_NONE, SUFFIX_BYTE, SUFFIX_ROW, SUFFIX_COL, SUFFIX_HALF, SUFFIX_INT, SUFFIX_UNPACK, SUFFIX_LAYOUT_A, SUFFIX_LAYOUT_B, SUFFIX_SIGN, SUFFIX_BITS };
enum { PRED_87, PRED_77, PRED_68 }; /* predicate sources: register, then inversion, see operands.c */

#endif
