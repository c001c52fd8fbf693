// SPDX-License-Identifier: MIT
// Tests scalar arithmetic at its edges: overflow and carry flags, shifts of 32 and more, field widths beyond
// the register, searches in all zeros and all ones. Expected values are worked out by hand from the ISA
// manual.
#include "tests/isa/harness.h"

// s[2:3] = a, s[4:5] = b, s[0:1] = OLD before; `want` is s[0:1] after. 32-bit results leave s1 alone.
typedef struct test_case {
  const char *code;
  uint64_t a, b;
  unsigned scc;
  uint64_t want;
  unsigned want_scc;
} test_case;

#define OLD 0x1111111122222222ull

static const test_case narrow[] = {
    {"s_add_u32 s0, s2, s4", 0xffffffff, 1, 0, 0, 1},
    {"s_add_u32 s0, s2, s4", 0x7fffffff, 1, 1, 0x80000000, 0},
    {"s_add_i32 s0, s2, s4", 0x7fffffff, 1, 0, 0x80000000, 1},
    {"s_add_i32 s0, s2, s4", 0xffffffff, 1, 1, 0, 0},
    {"s_add_i32 s0, s2, s4", 0x80000000, 0x80000000, 0, 0, 1},
    {"s_sub_u32 s0, s2, s4", 0, 1, 0, 0xffffffff, 1},
    {"s_sub_u32 s0, s2, s4", 5, 5, 1, 0, 0},
    {"s_sub_i32 s0, s2, s4", 0x80000000, 1, 0, 0x7fffffff, 1},
    {"s_sub_i32 s0, s2, s4", 0, 0x80000000, 0, 0x80000000, 1},
    {"s_sub_i32 s0, s2, s4", 0, 1, 1, 0xffffffff, 0},
    {"s_addc_u32 s0, s2, s4", 0xffffffff, 0, 1, 0, 1},
    {"s_addc_u32 s0, s2, s4", 0xffffffff, 0xffffffff, 1, 0xffffffff, 1},
    {"s_addc_u32 s0, s2, s4", 1, 2, 1, 4, 0},
    {"s_subb_u32 s0, s2, s4", 0, 0, 1, 0xffffffff, 1},
    {"s_subb_u32 s0, s2, s4", 0, 0xffffffff, 1, 0, 1},
    {"s_subb_u32 s0, s2, s4", 7, 6, 1, 0, 0},
    {"s_min_i32 s0, s2, s4", 0x80000000, 1, 0, 0x80000000, 1},
    {"s_min_i32 s0, s2, s4", 4, 4, 1, 4, 0},
    {"s_min_u32 s0, s2, s4", 0x80000000, 1, 1, 1, 0},
    {"s_max_i32 s0, s2, s4", 0x80000000, 1, 1, 1, 0},
    {"s_max_i32 s0, s2, s4", 4, 4, 0, 4, 1},
    {"s_max_u32 s0, s2, s4", 0x80000000, 1, 0, 0x80000000, 1},
    {"s_cselect_b32 s0, s2, s4", 7, 9, 1, 7, 1},
    {"s_cselect_b32 s0, s2, s4", 7, 9, 0, 9, 0},
    {"s_and_b32 s0, s2, s4", 0xcccccccc, 0xaaaaaaaa, 0, 0x88888888, 1},
    {"s_or_b32 s0, s2, s4", 0xcccccccc, 0xaaaaaaaa, 0, 0xeeeeeeee, 1},
    {"s_xor_b32 s0, s2, s4", 0xcccccccc, 0xaaaaaaaa, 0, 0x66666666, 1},
    {"s_andn2_b32 s0, s2, s4", 0xcccccccc, 0xaaaaaaaa, 0, 0x44444444, 1},
    {"s_orn2_b32 s0, s2, s4", 0xcccccccc, 0xaaaaaaaa, 0, 0xdddddddd, 1},
    {"s_nand_b32 s0, s2, s4", 0xcccccccc, 0xaaaaaaaa, 0, 0x77777777, 1},
    {"s_nor_b32 s0, s2, s4", 0xcccccccc, 0xaaaaaaaa, 0, 0x11111111, 1},
    {"s_xnor_b32 s0, s2, s4", 0xcccccccc, 0xaaaaaaaa, 0, 0x99999999, 1},
    {"s_and_b32 s0, s2, s4", 0xf0f0, 0x0f0f, 1, 0, 0},
    {"s_or_b32 s0, s2, s4", 0xf0f0, 0x0f0f, 0, 0xffff, 1},
    {"s_xor_b32 s0, s2, s4", 0xff, 0xff, 1, 0, 0},
    {"s_andn2_b32 s0, s2, s4", 0xff, 0x0f, 0, 0xf0, 1},
    {"s_orn2_b32 s0, s2, s4", 0, 0xffffffff, 1, 0, 0},
    {"s_nand_b32 s0, s2, s4", 0xffffffff, 0xffffffff, 1, 0, 0},
    {"s_nor_b32 s0, s2, s4", 0, 0, 0, 0xffffffff, 1},
    {"s_xnor_b32 s0, s2, s4", 0xff00ff00, 0x00ff00ff, 1, 0, 0},
    {"s_lshl_b32 s0, s2, s4", 3, 32, 0, 3, 1},
    {"s_lshl_b32 s0, s2, s4", 3, 31, 0, 0x80000000, 1},
    {"s_lshr_b32 s0, s2, s4", 0x80000000, 63, 0, 1, 1},
    {"s_lshr_b32 s0, s2, s4", 1, 1, 1, 0, 0},
    {"s_ashr_i32 s0, s2, s4", 0x80000000, 31, 0, 0xffffffff, 1},
    {"s_ashr_i32 s0, s2, s4", 0x80000000, 32, 0, 0x80000000, 1},
    {"s_bfm_b32 s0, s2, s4", 8, 4, 1, 0xff0, 1},
    {"s_bfm_b32 s0, s2, s4", 32, 4, 0, 0, 0},
    {"s_bfm_b32 s0, s2, s4", 31, 33, 0, 0xfffffffe, 0},
    {"s_bfm_b32 s0, s2, s4", 8, 20, 0, 0x0ff00000, 0},
    {"s_mul_i32 s0, s2, s4", 0xffffffff, 0xfffffffe, 1, 2, 1},
    {"s_mul_hi_u32 s0, s2, s4", 0xffffffff, 0xffffffff, 0, 0xfffffffe, 0},
    {"s_mul_hi_i32 s0, s2, s4", 0xffffffff, 5, 1, 0xffffffff, 1},
    {"s_mul_hi_i32 s0, s2, s4", 0x80000000, 0x80000000, 0, 0x40000000, 0},
    {"s_bfe_u32 s0, s2, s4", 0xabcd1234, 8 | 8 << 16, 0, 0x12, 1},
    {"s_bfe_u32 s0, s2, s4", 0xabcd1234, 0 | 32 << 16, 0, 0xabcd1234, 1},
    {"s_bfe_u32 s0, s2, s4", 0xabcd1234, 28 | 100 << 16, 0, 0xa, 1},
    {"s_bfe_u32 s0, s2, s4", 0xabcd1234, 4, 1, 0, 0},
    {"s_bfe_i32 s0, s2, s4", 0xabcd1234, 28 | 4 << 16, 0, 0xfffffffa, 1},
    {"s_bfe_i32 s0, s2, s4", 0x00000080, 0 | 8 << 16, 0, 0xffffff80, 1},
    {"s_bfe_i32 s0, s2, s4", 0x80000000, 31 | 32 << 16, 0, 0xffffffff, 1},
    {"s_bfe_i32 s0, s2, s4", 0xffffffff, 3, 1, 0, 0},
    {"s_absdiff_i32 s0, s2, s4", 3, 10, 0, 7, 1},
    {"s_absdiff_i32 s0, s2, s4", 0x80000000, 0, 0, 0x80000000, 1},
    {"s_absdiff_i32 s0, s2, s4", 6, 6, 1, 0, 0},
    {"s_lshl1_add_u32 s0, s2, s4", 0x80000000, 5, 0, 5, 1},
    {"s_lshl2_add_u32 s0, s2, s4", 3, 5, 1, 17, 0},
    {"s_lshl3_add_u32 s0, s2, s4", 0x20000000, 0, 0, 0, 1},
    {"s_lshl4_add_u32 s0, s2, s4", 0x0fffffff, 0x10, 0, 0, 1},
    {"s_pack_ll_b32_b16 s0, s2, s4", 0x11112222, 0x33334444, 1, 0x44442222, 1},
    {"s_pack_lh_b32_b16 s0, s2, s4", 0x11112222, 0x33334444, 0, 0x33332222, 0},
    {"s_pack_hh_b32_b16 s0, s2, s4", 0x11112222, 0x33334444, 0, 0x33331111, 0},
    {"s_mov_b32 s0, s2", 0x87654321, 0, 1, 0x87654321, 1},
    {"s_mov_b32 s0, 0xdeadbeef", 0, 0, 0, 0xdeadbeef, 0},
    {"s_mov_b32 s0, -16", 0, 0, 0, 0xfffffff0, 0},
    {"s_mov_b32 s0, -4.0", 0, 0, 0, 0xc0800000, 0},
    {"s_cmov_b32 s0, s2", 5, 0, 1, 5, 1},
    {"s_cmov_b32 s0, s2", 5, 0, 0, 0x22222222, 0},
    {"s_not_b32 s0, s2", 0xffffffff, 0, 1, 0, 0},
    {"s_not_b32 s0, s2", 0, 0, 0, 0xffffffff, 1},
    {"s_wqm_b32 s0, s2", 0x00010280, 0, 0, 0x000f0ff0, 1},
    {"s_wqm_b32 s0, s2", 0, 0, 1, 0, 0},
    {"s_brev_b32 s0, s2", 0x00000003, 0, 1, 0xc0000000, 1},
    {"s_bcnt0_i32_b32 s0, s2", 0xffffffff, 0, 1, 0, 0},
    {"s_bcnt0_i32_b32 s0, s2", 0x0000ffff, 0, 0, 16, 1},
    {"s_bcnt0_i32_b64 s0, s[2:3]", 1, 0, 0, 63, 1},
    {"s_bcnt1_i32_b32 s0, s2", 0x80000001, 0, 0, 2, 1},
    {"s_bcnt1_i32_b64 s0, s[2:3]", ~0ull, 0, 0, 64, 1},
    {"s_bcnt1_i32_b64 s0, s[2:3]", 0, 0, 1, 0, 0},
    {"s_ff0_i32_b32 s0, s2", 0xffffffff, 0, 1, 0xffffffff, 1},
    {"s_ff0_i32_b32 s0, s2", 0x7fffffff, 0, 0, 31, 0},
    {"s_ff0_i32_b64 s0, s[2:3]", ~0ull, 0, 0, 0xffffffff, 0},
    {"s_ff0_i32_b64 s0, s[2:3]", 0xffffffff, 0, 0, 32, 0},
    {"s_ff1_i32_b32 s0, s2", 0, 0, 0, 0xffffffff, 0},
    {"s_ff1_i32_b32 s0, s2", 0x80000000, 0, 0, 31, 0},
    {"s_ff1_i32_b64 s0, s[2:3]", 0, 0, 0, 0xffffffff, 0},
    {"s_ff1_i32_b64 s0, s[2:3]", 1ull << 63, 0, 0, 63, 0},
    {"s_flbit_i32_b32 s0, s2", 0, 0, 0, 0xffffffff, 0},
    {"s_flbit_i32_b32 s0, s2", 1, 0, 0, 31, 0},
    {"s_flbit_i32_b64 s0, s[2:3]", 1, 0, 0, 63, 0},
    {"s_flbit_i32 s0, s2", 0xffffffff, 0, 0, 0xffffffff, 0},
    {"s_flbit_i32 s0, s2", 0, 0, 0, 0xffffffff, 0},
    {"s_flbit_i32 s0, s2", 0xffffff00, 0, 0, 24, 0},
    {"s_flbit_i32 s0, s2", 0x40000000, 0, 0, 1, 0},
    {"s_flbit_i32_i64 s0, s[2:3]", 0xffffffff00000000ull, 0, 0, 32, 0},
    {"s_flbit_i32_i64 s0, s[2:3]", ~0ull, 0, 0, 0xffffffff, 0},
    {"s_flbit_i32_i64 s0, s[2:3]", 0x80000000, 0, 0, 32, 0},
    {"s_sext_i32_i8 s0, s2", 0x12345680, 0, 1, 0xffffff80, 1},
    {"s_sext_i32_i16 s0, s2", 0x12347fff, 0, 0, 0x7fff, 0},
    {"s_bitset0_b32 s0, s2", 33, 0, 0, 0x22222220, 0},
    {"s_bitset1_b32 s0, s2", 31, 0, 1, 0xa2222222, 1},
    {"s_bitset0_b32 s0, s2", 17, 0, 0, 0x22202222, 0},
    {"s_bitset1_b32 s0, s2", 36, 0, 0, 0x22222232, 0},
    {"s_quadmask_b32 s0, s2", 0x80000010, 0, 0, 0x82, 1},
    {"s_quadmask_b32 s0, s2", 0, 0, 1, 0, 0},
    {"s_abs_i32 s0, s2", 0xffffffff, 0, 0, 1, 1},
    {"s_abs_i32 s0, s2", 0x80000000, 0, 0, 0x80000000, 1},
    {"s_abs_i32 s0, s2", 0, 0, 1, 0, 0},
    {"s_movk_i32 s0, 0x8000", 0, 0, 1, 0xffff8000, 1},
    {"s_cmovk_i32 s0, 0x7fff", 0, 0, 1, 0x7fff, 1},
    {"s_cmovk_i32 s0, 0x7fff", 0, 0, 0, 0x22222222, 0},
    {"s_mov_b32 s0, s2\n s_addk_i32 s0, 1", 0x7fffffff, 0, 0, 0x80000000, 1},
    {"s_mov_b32 s0, s2\n s_addk_i32 s0, 0xffff", 0x80000000, 0, 0, 0x7fffffff, 1},
    {"s_mov_b32 s0, s2\n s_addk_i32 s0, 0xffff", 5, 0, 1, 4, 0},
    {"s_mov_b32 s0, s2\n s_mulk_i32 s0, 0xfffe", 0x40000001, 0, 1, 0x7ffffffe, 1},
    {"s_mov_b32 s0, src_scc", 0, 0, 1, 1, 1},
    {"s_mov_b32 s0, src_execz", 0, 0, 0, 0, 0},
    {"s_mov_b32 s0, src_vccz", 0, 0, 0, 1, 0},
};

static const test_case wide[] = {
    {"s_cselect_b64 s[0:1], s[2:3], s[4:5]", 1ull << 40, 2, 1, 1ull << 40, 1},
    {"s_cselect_b64 s[0:1], s[2:3], s[4:5]", 1ull << 40, 2, 0, 2, 0},
    {"s_and_b64 s[0:1], s[2:3], s[4:5]", 0xccccccccccccccccull, 0xaaaaaaaaaaaaaaaaull, 0,
     0x8888888888888888ull, 1},
    {"s_or_b64 s[0:1], s[2:3], s[4:5]", 0xccccccccccccccccull, 0xaaaaaaaaaaaaaaaaull, 0,
     0xeeeeeeeeeeeeeeeeull, 1},
    {"s_xor_b64 s[0:1], s[2:3], s[4:5]", 0xccccccccccccccccull, 0xaaaaaaaaaaaaaaaaull, 0,
     0x6666666666666666ull, 1},
    {"s_andn2_b64 s[0:1], s[2:3], s[4:5]", 0xccccccccccccccccull, 0xaaaaaaaaaaaaaaaaull, 0,
     0x4444444444444444ull, 1},
    {"s_orn2_b64 s[0:1], s[2:3], s[4:5]", 0xccccccccccccccccull, 0xaaaaaaaaaaaaaaaaull, 0,
     0xddddddddddddddddull, 1},
    {"s_nand_b64 s[0:1], s[2:3], s[4:5]", 0xccccccccccccccccull, 0xaaaaaaaaaaaaaaaaull, 0,
     0x7777777777777777ull, 1},
    {"s_nor_b64 s[0:1], s[2:3], s[4:5]", 0xccccccccccccccccull, 0xaaaaaaaaaaaaaaaaull, 0,
     0x1111111111111111ull, 1},
    {"s_xnor_b64 s[0:1], s[2:3], s[4:5]", 0xccccccccccccccccull, 0xaaaaaaaaaaaaaaaaull, 0,
     0x9999999999999999ull, 1},
    {"s_and_b64 s[0:1], s[2:3], s[4:5]", 0xff00000000ull, 0xff, 1, 0, 0},
    {"s_or_b64 s[0:1], s[2:3], s[4:5]", 0xff00000000ull, 0xff, 0, 0xff000000ffull, 1},
    {"s_xor_b64 s[0:1], s[2:3], s[4:5]", ~0ull, ~0ull, 1, 0, 0},
    {"s_andn2_b64 s[0:1], s[2:3], s[4:5]", ~0ull, 0xffffffff, 0, 0xffffffff00000000ull, 1},
    {"s_orn2_b64 s[0:1], s[2:3], s[4:5]", 0, ~0ull, 1, 0, 0},
    {"s_nand_b64 s[0:1], s[2:3], s[4:5]", ~0ull, ~0ull, 1, 0, 0},
    {"s_nor_b64 s[0:1], s[2:3], s[4:5]", 0, 0, 0, ~0ull, 1},
    {"s_xnor_b64 s[0:1], s[2:3], s[4:5]", 5, 5, 0, ~0ull, 1},
    {"s_lshl_b64 s[0:1], s[2:3], s4", 3, 64, 0, 3, 1},
    {"s_lshl_b64 s[0:1], s[2:3], s4", 3, 63, 0, 1ull << 63, 1},
    {"s_lshr_b64 s[0:1], s[2:3], s4", 1ull << 63, 32, 0, 1ull << 31, 1},
    {"s_ashr_i64 s[0:1], s[2:3], s4", 1ull << 63, 63, 0, ~0ull, 1},
    {"s_ashr_i64 s[0:1], s[2:3], s4", 1ull << 63, 96, 0, 0xffffffff80000000ull, 1},
    {"s_ashr_i64 s[0:1], s[2:3], s4", 1, 1, 1, 0, 0},
    {"s_bfm_b64 s[0:1], s2, s4", 40, 8, 1, 0xffffffffff00ull, 1},
    {"s_bfm_b64 s[0:1], s2, s4", 4, 40, 0, 0xf0000000000ull, 0},
    {"s_bfm_b64 s[0:1], s2, s4", 64, 0, 0, 0, 0},
    {"s_bfe_u64 s[0:1], s[2:3], s4", 0xabcd123456789abcull, 32 | 16 << 16, 0, 0x1234, 1},
    {"s_bfe_u64 s[0:1], s[2:3], s4", 0xabcd123456789abcull, 0 | 64 << 16, 0, 0xabcd123456789abcull, 1},
    {"s_bfe_i64 s[0:1], s[2:3], s4", 0xabcd123456789abcull, 60 | 4 << 16, 0, 0xfffffffffffffffaull, 1},
    {"s_bfe_i64 s[0:1], s[2:3], s4", 0xabcd123456789abcull, 5, 1, 0, 0},
    {"s_mov_b64 s[0:1], s[2:3]", 0x123456789abcdef0ull, 0, 1, 0x123456789abcdef0ull, 1},
    {"s_mov_b64 s[0:1], -1", 0, 0, 0, ~0ull, 0},
    {"s_mov_b64 s[0:1], 2.0", 0, 0, 0, 0x4000000000000000ull, 0},
    {"s_mov_b64 s[0:1], src_shared_base", 0, 0, 0, 0x0001000000000000ull, 0},
    {"s_mov_b64 s[0:1], src_shared_limit", 0, 0, 0, 0x00010000ffffffffull, 0},
    {"s_mov_b64 s[0:1], src_private_base", 0, 0, 0, 0x0002000000000000ull, 0},
    {"s_mov_b64 s[0:1], src_private_limit", 0, 0, 0, 0x00020000ffffffffull, 0},
    {"s_cmov_b64 s[0:1], s[2:3]", 5, 0, 1, 5, 1},
    {"s_cmov_b64 s[0:1], s[2:3]", 5, 0, 0, OLD, 0},
    {"s_not_b64 s[0:1], s[2:3]", ~0ull, 0, 1, 0, 0},
    {"s_wqm_b64 s[0:1], s[2:3]", 0x8000000000000001ull, 0, 0, 0xf00000000000000full, 1},
    {"s_brev_b64 s[0:1], s[2:3]", 1, 0, 0, 1ull << 63, 0},
    {"s_bitset0_b64 s[0:1], s2", 65, 0, 0, 0x1111111122222220ull, 0},
    {"s_bitset1_b64 s[0:1], s2", 63, 0, 1, 0x9111111122222222ull, 1},
    {"s_quadmask_b64 s[0:1], s[2:3]", 0xf000000000000002ull, 0, 0, 0x8001, 1},
    {"s_bitreplicate_b64_b32 s[0:1], s2", 0x80000005, 0, 1, 0xc000000000000033ull, 1},
    {"s_mov_b32 s0, s2\n s_add_u32 s0, s0, s4\n s_addc_u32 s1, s3, s5", 0xffffffffffffffffull, 2, 0, 1, 1},
    {"s_sub_u32 s0, s2, s4\n s_subb_u32 s1, s3, s5", 0x100000000ull, 1, 0, 0xffffffff, 0},
};

static const test_case bit_tests[] = {
    {"s_bitcmp0_b32 s2, s4", 0xfffffffd, 33, 0, OLD, 1},
    {"s_bitcmp0_b32 s2, s4", 0x80000000, 63, 1, OLD, 0},
    {"s_bitcmp1_b32 s2, s4", 0x80000000, 31, 0, OLD, 1},
    {"s_bitcmp1_b32 s2, s4", 0x7fffffff, 31, 1, OLD, 0},
    {"s_bitcmp0_b64 s[2:3], s4", 1ull << 63, 63, 1, OLD, 0},
    {"s_bitcmp0_b64 s[2:3], s4", ~(1ull << 63), 63, 0, OLD, 1},
    {"s_bitcmp1_b64 s[2:3], s4", 1ull << 32, 96, 0, OLD, 1},
    {"s_bitcmp1_b64 s[2:3], s4", ~(1ull << 32), 32, 1, OLD, 0},
};

static void run_cases(const char *target, const test_case *cases, size_t count, bool is_wide) {
  const char *code[160] = {NULL};
  for (size_t i = 0; i < count; ++i) code[i] = cases[i].code;
  isa_program *p = isa_assemble(target, code, count);
  for (size_t i = 0; i < count; ++i) {
    const test_case *c = &cases[i];
    sim_wave *w = isa_begin(p, i);
    sim_set_s64(w, 0, OLD);
    sim_set_s64(w, 2, c->a);
    sim_set_s64(w, 4, c->b);
    w->scc = c->scc;
    CHECK_RUN(p);
    CHECK_S64(p, 0, is_wide ? c->want : (OLD & ~0xffffffffull) | c->want);
    CHECK_SCC(p, c->want_scc);
    CHECK_S64(p, SIM_EXEC, ~0ull);
  }
  isa_free(p);
}

#define RUN(target, cases, is_wide) run_cases(target, cases, sizeof(cases) / sizeof(cases)[0], is_wide)

// Makes every comparison on pairs whose order as signed and as unsigned numbers differs; constants of 16 bits
// are extended by the kind of comparison.
static void compares(const char *target) {
  static const struct {
    const char *suffix;
    bool less, equal, greater;  // SCC for a < b, a == b, a > b
  } relations[] = {{"eq", 0, 1, 0}, {"lg", 1, 0, 1}, {"gt", 0, 0, 1},
                   {"ge", 0, 1, 1}, {"lt", 1, 0, 0}, {"le", 1, 1, 0}};
  static const uint32_t values[] = {0,          1,          0x7fff,     0x8000,    0xffff,
                                    0x7fffffff, 0x80000000, 0xffff8000, 0xffffffff};
  static const uint16_t constants[] = {0, 1, 0x7fff, 0x8000, 0xffff};
  enum { RELATIONS = 6, VALUES = 9, CONSTANTS = 5, PER = 1 + CONSTANTS, COUNT = RELATIONS * 2 * PER };
  static char text[COUNT][48];
  const char *code[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    const char *suffix = relations[i / PER / 2].suffix;
    char kind = i / PER % 2 ? 'u' : 'i';
    if (i % PER) {
      snprintf(text[i], sizeof text[i], "s_cmpk_%s_%c32 s2, 0x%x", suffix, kind, constants[i % PER - 1]);
    } else {
      snprintf(text[i], sizeof text[i], "s_cmp_%s_%c32 s2, s4", suffix, kind);
    }
    code[i] = text[i];
  }
  isa_program *p = isa_assemble(target, code, COUNT);
  for (int i = 0; i < COUNT; ++i) {
    bool is_unsigned = i / PER % 2;
    for (int a = 0; a < VALUES; ++a) {
      for (int b = 0; b < (i % PER ? 1 : VALUES); ++b) {
        int64_t x = is_unsigned ? (int64_t)values[a] : (int32_t)values[a];
        int64_t y = is_unsigned ? (int64_t)values[b] : (int32_t)values[b];
        if (i % PER) y = is_unsigned ? constants[i % PER - 1] : (int16_t)constants[i % PER - 1];
        unsigned want = x < y    ? relations[i / PER / 2].less
                        : x == y ? relations[i / PER / 2].equal
                                 : relations[i / PER / 2].greater;
        sim_wave *w = isa_begin(p, (size_t)i);
        w->s[2] = values[a];
        w->s[4] = values[b];
        w->scc = !want;
        CHECK_RUN(p);
        CHECK(w->scc == want, "%s: %#x and %#x give %u", code[i], values[a], values[b], w->scc);
      }
    }
  }
  isa_free(p);
}

static const test_case wide_compares[] = {
    {"s_cmp_eq_u64 s[2:3], s[4:5]", 1ull << 32, 0, 1, OLD, 0},
    {"s_cmp_eq_u64 s[2:3], s[4:5]", 1ull << 32, 1ull << 32, 0, OLD, 1},
    {"s_cmp_lg_u64 s[2:3], s[4:5]", 1ull << 32, 0, 0, OLD, 1},
    {"s_cmp_lg_u64 s[2:3], s[4:5]", 7, 7, 1, OLD, 0},
};

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  for (int i = 0; i < 2; ++i) {
    RUN(targets[i], narrow, false);
    RUN(targets[i], wide, true);
    RUN(targets[i], bit_tests, true);
    RUN(targets[i], wide_compares, true);
    compares(targets[i]);
  }
  return test_result();
}
