/* How many registers destinations and sources cover. */
#include "sass/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

typedef struct row {
    int sm;
    uint64_t hi, lo;
    const char *text; /* what the word is, checked too */
    unsigned dst, a, b, c, address;
} row;

static const row rows[] = {
    {90, 0x0c1e1d00, 0x0000000402047981, "LDG.E.128 R4, desc[UR4][R2.64]", 4, 0, 0, 0, 2},
    {75, 0x001ee900, 0x0000000002027381, "LDG.E.SYS R2, [R2]", 1, 0, 0, 0, 2},
    {90, 0x0c101b06, 0x0000000802007986, "STG.E.64 desc[UR6][R2.64], R8", 0, 2, 0, 0, 2},
    {80, 0x00000c00, 0x000000040a007388, "STS.128 [R10], R4", 0, 4, 0, 0, 1},
    {90, 0x078e0202, 0x0000000409087825, "IMAD.WIDE R8, R9, 0x4, R2", 2, 1, 0, 2, 0},
    {75, 0x078e0202, 0x9249249303007827, "IMAD.HI R0, R3, -0x6db6db6d, R2", 1, 1, 0, 2, 0},
    {75, 0x00000000, 0x3ff0000002047429, "DADD R4, R2, 1", 2, 2, 0, 0, 0},
    {90, 0x00309800, 0x0000000200047313, "FRND.F64.CEIL R4, R2", 2, 2, 0, 0, 0},
    {90, 0x00101800, 0x0000000200047310, "F2F.F64.F16 R4, R2", 2, 1, 0, 0, 0},
    {90, 0x00300800, 0x0000000200077312, "I2F.F16.U64 R7, R2", 1, 2, 0, 0, 0},
    {90, 0x00101900, 0x0000000200047311, "F2I.S64.F16 R4, R2", 2, 1, 0, 0, 0},
    {80, 0x00001810, 0x0000000c0814723c, "HMMA.16816.F32 R20, R8, R12, R16", 4, 4, 2, 4, 0},
    {80, 0x00000810, 0x0000000c0810723c, "HMMA.16816.F16 R16, R8, R12, R16", 2, 4, 2, 2, 0},
    {75, 0x00001004, 0x000000000c04723c, "HMMA.1688.F32 R4, R12, R0, R4", 4, 2, 1, 4, 0},
    {80, 0x00085014, 0x0000000e0c14723c, "HMMA.1684.F32.TF32 R20, R12, R14, R20", 4, 2, 1, 4, 0},
    {80, 0x00081014, 0x0000000c0814723c, "HMMA.1688.F32.TF32 R20, R8, R12, R20", 4, 4, 2, 4, 0},
    {75, 0x000054ff, 0x00000004050a7237, "IMMA.8816.S8.S8 R10, R5.ROW, R4.COL, RZ", 2, 1, 1, 0, 0},
    {80, 0x00405c10, 0x0000000c08107237, "IMMA.16832.S8.S8 R16, R8.ROW, R12.COL, R16", 4, 4, 2, 4, 0},
    {80, 0x00585c10, 0x0000000e0c107237, "IMMA.16832.S4.S4 R16, R12.ROW, R14.COL, R16", 4, 2, 1, 4, 0},
    {80, 0x00000008, 0x0000000e0c08723f, "DMMA.884 R8, R12, R14, R8", 4, 2, 2, 4, 0},
    {90, 0x00001010, 0x0000001c1818723f, "DMMA.16x8x4 R24, R24, R28, R16", 8, 4, 2, 8, 0},
    {90, 0x00003008, 0x000000201010723f, "DMMA.16x8x16 R16, R16, R32, R8", 8, 16, 8, 8, 0},
    {80, 0x00005a14, 0x0000020c0814723c, "HMMA.SP.16832.F32 R20, R8, R12, R20, R2, 0x0", 4, 4, 4, 4, 0},
    {75, 0x00000200, 0x000000000208783b, "LDSM.16.M88.4 R8, [R2]", 4, 0, 0, 0, 1},
    {75, 0x00004100, 0x000000000212783b, "LDSM.16.MT88.2 R18, [R2]", 2, 0, 0, 0, 1},
    {80, 0x03800000, 0x00005a0000007b48, "WARPSYNC c[0x0][0x168]", 0, 0, 0, 0, 0},
    {90, 0x00000200, 0x0000000402007844, "STSM.16.M88.4 [R2], R4", 0, 4, 0, 0, 1},
    {90, 0x00000e8200, 0x00000000040b73a1, "MATCH.ANY.U64 R11, R4", 1, 2, 0, 0, 0},
    {90, 0x001ee50a, 0x0000a4080c0a73a9, "ATOMG.E.CAS.64.STRONG.GPU PT, R10, [R12+0xa4], R8, R10", 2, 2, 2, 0,
     2},
    {75, 0x03c3ffff, 0xfffdfd000a007950, NULL, 0, 2, 0, 0, 0},
    {90, 0x081e1f06, 0x2000041804047f6c, "TXD.AOFFI R6, R4, R4, R24, UR4, 0x0, 2D", 2, 3, 4, 0, 0},
    {90, 0x081e0f06, 0xa000041804047f6c, "TXD R6, R4, R4, R24, UR4, 0x0, ARRAY_2D", 2, 3, 4, 0, 0},
    {90, 0x099e1f0e, 0x2000040c0e0c7f60, "TEX.LL.AOFFI R14, R12, R14, R12, UR4, 0x0, 2D", 2, 2, 2, 0, 0},
    {90, 0x089e1f16, 0x2000041516147f66, "TLD.LZ.AOFFI R22, R20, R22, R21, UR4, 0x0, 2D", 2, 2, 1, 0, 0},
    {90, 0x081e5f12, 0x2000040a18107f63, "TLD4.R.AOFFI.DC R18, R16, R24, R10, UR4, 0x0, 2D", 2, 2, 2, 0, 0},
    {90, 0x099e41ff, 0x2000040208027f60, "TEX.LL.DC RZ, R2, R8, R2, UR4, 0x0, 2D, 0x1", 1, 2, 2, 0, 0},
};

static void test_counts(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const row *r = &rows[k];
        const sass_instr i = decoded(r->sm, r->hi, r->lo);
        char text[256];
        sass_print(&i, text, sizeof text);
        if (r->text) assert_string_equal(text, r->text);
        assert_int_equal(sass_dst_regs(&i), r->dst);
        assert_int_equal(sass_src_regs(&i, &i.a), r->a);
        assert_int_equal(sass_src_regs(&i, &i.b), r->b);
        assert_int_equal(sass_src_regs(&i, &i.c), r->c);
        assert_int_equal(sass_address_regs(&i.mem), r->address);
    }
}

/* TEX.SCR.LL RZ, R0, ..., 0x1 fills one register; with all four components two pairs. */
static void test_texture_masks(void **state) {
    (void)state;
    sass_instr i = decoded(80, 0x019e0f12, 0x3000582526107b60);
    assert_int_equal(i.op, SASS_TEX);
    assert_int_equal(sass_dst_regs(&i), 2);
    assert_int_equal(sass_dst2_regs(&i), 2);
    assert_int_equal(sass_src_regs(&i, &i.a) + sass_src_regs(&i, &i.b), 3); /* x, y, level */
    i = decoded(80, 0x019e01ff, 0x3000582502057b60);
    assert_int_equal(sass_dst_regs(&i), 1);
    assert_int_equal(sass_dst2_regs(&i), 0);
    i = decoded(80, 0x000001ff, 0x0000580003037b6f); /* TXQ, one component */
    assert_int_equal(i.op, SASS_TXQ);
    assert_int_equal(sass_dst_regs(&i), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_texture_masks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
