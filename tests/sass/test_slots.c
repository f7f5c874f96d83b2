/* What the engine reads of an instruction: slots, signs, predicates, addresses. Words from the listings or
 * from nvcc. */
#include "sass/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void is_reg(const sass_operand *o, unsigned reg) {
    assert_int_equal(o->kind, SASS_REG);
    assert_int_equal(o->reg, reg);
}
static void is_imm(const sass_operand *o, int64_t value) {
    assert_int_equal(o->kind, SASS_IMM);
    assert_int_equal(o->value, value);
}

static void test_guard(void **state) {
    (void)state;
    sass_instr i = decoded(90, 0x000fea0003800000, 0x0000073000009947); /* @!P1 BRA */
    assert_int_equal(i.guard.reg, 1);
    assert_true(i.guard.inv && !i.guard.uniform);
    i = decoded(90, 0x000fe2000fffe03f, 0x0000001004041890); /* @UP1 UIADD3 */
    assert_int_equal(i.op, SASS_UIADD3);
    assert_true(i.guard.uniform && i.guard.reg == 1 && !i.guard.inv);
}

static void test_three_sources(void **state) {
    (void)state;
    sass_instr i = decoded(80, 0x078e0203, 0x00005a0000027625); /* IMAD.WIDE R2, R0, R3, c[0x0][0x168] */
    assert_int_equal(i.op, SASS_IMAD_WIDE);
    is_reg(&i.dst, 2);
    is_reg(&i.a, 0);
    is_reg(&i.b, 3); /* form 3: the register of slot C is the second source */
    assert_int_equal(i.c.kind, SASS_CONST);
    assert_int_equal(i.c.bank, 0);
    assert_int_equal(i.c.value, 0x168);
    assert_true(i.flags & SASS_SIGNED);

    i = decoded(80, 0x07ffe103, 0x000000ff00037810); /* IADD3 R3, -R0, 0xff, R3 */
    assert_true(i.a.neg && !i.b.neg && !i.c.neg);
    is_imm(&i.b, 0xff);
    assert_int_equal(i.pdst[0].reg, SASS_PT);
    assert_false(i.psrc[0].present);

    i = decoded(75, 0x02ffe4ff, 0x00000003ff037210); /* IADD3.X R3, RZ, R3, RZ, P5, !PT */
    assert_true(i.flags & SASS_X);
    assert_int_equal(i.psrc[0].reg, 5);
    assert_true(i.psrc[1].present && i.psrc[1].inv && i.psrc[1].reg == SASS_PT);
}

static void test_one_source(void **state) {
    (void)state;
    sass_instr i = decoded(75, 0x00001400, 0x0000000400077308); /* MUFU.RSQ R7, R4 */
    is_reg(&i.a, 4);
    assert_int_equal(i.sub, SASS_MUFU_RSQ);
    assert_int_equal(i.b.kind, SASS_NONE);
    i = decoded(80, 0x00002100, 0x0000000000007919); /* S2R R0, SR_TID.X */
    assert_int_equal(i.a.kind, SASS_SPECIAL);
    assert_int_equal(i.a.value, 0x21);
    i = decoded(75, 0x0021f000, 0x0000000400057305); /* F2I.FTZ.U32.TRUNC.NTZ R5, R4 */
    assert_int_equal(i.type, SASS_U32);
    assert_int_equal(i.stype, SASS_F32);
    assert_int_equal(i.round, SASS_RZ_);
    assert_int_equal(i.flags & (SASS_FTZ | SASS_NTZ), SASS_FTZ | SASS_NTZ);
}

static void test_compare(void **state) {
    (void)state;
    sass_instr i =
        decoded(75, 0x03f1c200, 0x7f8000000800780b); /* FSETP.GTU.FTZ.AND P0, PT, |R8|, +INF , PT */
    assert_int_equal(i.cmp, SASS_GTU);
    assert_int_equal(i.bop, SASS_AND);
    assert_true(i.a.abs && !i.a.neg && (i.flags & SASS_FTZ));
    is_imm(&i.b, 0x7f800000);
    assert_int_equal(i.pdst[0].reg, 0);
    i = decoded(75, 0x04701670, 0x000000ff3900720c); /* a signed compare with OR */
    assert_int_equal(i.cmp, SASS_LT);
    assert_int_equal(i.bop, SASS_OR);
    assert_true(i.flags & SASS_SIGNED);
}

static void test_addresses(void **state) {
    (void)state;
    sass_instr i = decoded(90, 0x0c101b06, 0x0000040802007986); /* STG.E.64 desc[UR6][R2.64+0x4], R8 */
    assert_true(i.mem.present && i.mem.wide);
    assert_int_equal(i.mem.base, 2);
    assert_int_equal(i.mem.desc, 6);
    assert_int_equal(i.mem.uniform, 255);
    assert_int_equal(i.mem.offset, 4);
    assert_int_equal(i.width, 8);
    is_reg(&i.a, 8); /* a store's data */

    i = decoded(75, 0x0810e104, 0x0000000003007986); /* STG.E.U8.SYS [R3.U32+UR4], R0 */
    assert_true(i.mem.base32 && !i.mem.wide);
    assert_int_equal(i.mem.uniform, 4);

    i = decoded(75, 0x00005800, 0x00000000100d7984); /* LDS.U R13, [R16.X4] */
    assert_int_equal(i.mem.scale, 4);
    i = decoded(90, 0x08000c00, 0x0000000400087984); /* LDS.128 R8, [R0+UR4] */
    assert_int_equal(i.mem.uniform, 4);
    assert_int_equal(i.width, 16);
    i = decoded(75, 0x00100800, 0xfffff00001047983); /* LDL R4, [R1+-0x10] */
    assert_int_equal(i.mem.offset, -16);
    i = decoded(90, 0x00000800, 0x00000400ff017b82); /* LDC R1, c[0x0][0x10] */
    assert_int_equal(i.a.kind, SASS_CONST);
    assert_int_equal(i.a.value, 0x10);
    assert_int_equal(i.a.index, 255);

    i = decoded(80, 0x0b901c44, 0x0008000002077fae); /* LDGSTS.E.BYPASS.128 [R7+0x80], [R2.64] */
    assert_int_equal(i.mem2.base, 7);
    assert_int_equal(i.mem2.offset, 0x80);
    assert_int_equal(i.mem.base, 2);
    assert_int_equal(i.width, 16);
    i = decoded(90, 0x000fe2000b901c4a, 0xffc000000e1f7fae); /* LDGSTS.E.BYPASS.128 [R31+-0x400], desc[UR10][R14.64] */
    assert_int_equal(i.mem2.base, 31);
    assert_int_equal(i.mem2.offset, -0x400);

    i = decoded(75, 0x000fea0003800000, 0x0000003300007947); /* BRA.CONV: of the whole warp, as by ~URZ */
    assert_int_equal(i.a.kind, SASS_UREG);
    assert_int_equal(i.a.reg, SASS_URZ);
    assert_true(i.a.inv);
    i = decoded(80, 0x000fea000b800000, 0x0000004306007947); /* BRA.CONV UR6 */
    assert_int_equal(i.a.reg, 6);
    assert_false(i.a.inv);
}

static void test_atomics(void **state) {
    (void)state;
    sass_instr i =
        decoded(90, 0x001ee50a, 0x0000a4080c0a73a9); /* ATOMG.E.CAS.64 PT, R10, [R12+0xa4], R8, R10 */
    assert_int_equal(i.sub, SASS_ATOM_CAS);
    assert_int_equal(i.width, 8);
    is_reg(&i.a, 8);
    is_reg(&i.b, 10);
    assert_int_equal(i.scope, SASS_GPU);
    assert_int_equal(i.order, SASS_STRONG);
    i = decoded(80, 0x0c10e784, 0x000000090200798e); /* RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R9 */
    assert_int_equal(i.op, SASS_RED);
    assert_int_equal(i.type, SASS_F32);
    is_reg(&i.a, 9);
    i = decoded(75, 0x00114100, 0x000000050200798e); /* the same opcode's fields on sm_75 */
    assert_int_equal(i.scope, SASS_GPU);
    i = decoded(90, 0x081ef5cc, 0x0009ac1c0c1a79a3); /* two floats at once */
    assert_int_equal(i.type, SASS_F32);
    assert_int_equal(i.width, 8);
}

static void test_barriers(void **state) {
    (void)state;
    sass_instr i = decoded(80, 0x00010000, 0x000100000000751d); /* BAR.SYNC.DEFER_BLOCKING R0, 0x40 */
    is_reg(&i.a, 0);
    is_imm(&i.b, 64);
    i = decoded(80, 0x00010000, 0x000000080000731d); /* one register for both */
    assert_int_equal(i.shape, 1);
    i = decoded(90, 0x00000000, 0x0000000000007b1d);
    is_imm(&i.a, 0);
    assert_int_equal(i.b.kind, SASS_NONE);
    i = decoded(90, 0x03800000,
                0x0000000007007348); /* WARPSYNC R7: the register's place changed with sm_90 */
    is_reg(&i.a, 7);
    i = decoded(80, 0x03800000, 0x0000000900007348);
    is_reg(&i.a, 9);
    i = decoded(80, 0x03800000, 0x00005a0000007b48); /* WARPSYNC c[0x0][0x168] */
    assert_int_equal(i.a.kind, SASS_CONST);
    assert_int_equal(i.a.bank, 0);
    assert_int_equal(i.a.value, 0x168);
    i = decoded(90, 0x03800000, 0x0000000000007948); /* WARPSYNC.ALL */
    is_imm(&i.a, 0xffffffff);
}

static void test_shuffle(void **state) {
    (void)state;
    const sass_instr i = decoded(75, 0x000e0000, 0x0a001f0002037f89); /* SHFL.DOWN PT, R3, R2, 0x10, 0x1f */
    assert_int_equal(i.sub, SASS_SHFL_DOWN);
    is_reg(&i.a, 2);
    is_imm(&i.b, 16);
    is_imm(&i.c, 0x1f);
}

/* The nearest relatives that must not be taken for each other. */
static void test_told_apart(void **state) {
    (void)state;
    assert_int_equal(decoded(80, 0x00405c10, 0x0000000c08107237).op, SASS_IMMA);
    assert_int_equal(decoded(80, 0x00605510, 0x0000020c08107237).op, SASS_IMMA_SP);
    assert_int_equal(decoded(90, 0x00000200, 0x0000000700087236).shape, 1); /* VIADD.16x2 */
    assert_int_equal(decoded(90, 0x00000000, 0x0000000700087236).shape, 0);
    assert_int_equal(decoded(90, 0x00400c03, 0x00000002000f7231).b.swizzle, 4); /* HFMA2 ..., R2.H0_NH1 */
    assert_int_equal(decoded(90, 0x020006ff, 0x00000002ff07723e).stype, SASS_E4M3X2);
}

/* URZ is 255 whether the field has 6 bits or 8. */
static void test_urz(void **state) {
    (void)state;
    assert_int_equal(decoded(90, 0x0fffe03f, 0x0000001004047890).c.reg, SASS_URZ);
    assert_int_equal(decoded(100, 0x0fffe0ff, 0x0000100004057890).c.reg, SASS_URZ);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guard),      cmocka_unit_test(test_three_sources),
        cmocka_unit_test(test_one_source), cmocka_unit_test(test_compare),
        cmocka_unit_test(test_addresses),  cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_barriers),   cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_told_apart), cmocka_unit_test(test_urz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
