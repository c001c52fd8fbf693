// SPDX-License-Identifier: MIT
// Tests that moving what nothing has written is no error, and that a result which depends on it is.
#include "tests/check/snippets.h"

#define STORE "s_nop 15\n global_store_dword v0, v5, s[4:5]"
#define BAD SIM_FINDING_UNINITIALISED

#define PERMUTED(name, sources, selector, kind)                                   \
  {name, "s_mov_b32 s20, " selector "\n v_perm_b32 v5, " sources ", s20\n" STORE, \
   kind, "a value stored",                                                        \
   0,    0,                                                                       \
   1}
static const check_case cases[] = {
    {"stored", "global_store_dword v0, v5, s[4:5]", BAD, "a value stored", 0, 0, 1},
    {"written and stored", "v_mov_b32 v5, 0\n global_store_dword v0, v5, s[4:5]", CHECK_CLEAN, 0, 0, 0, 1},
    {"through a sum", "v_add_u32 v5, v0, v9\n" STORE, BAD, "a value stored", 0, 0, 1},
    {"moved and overwritten", "v_mov_b32 v5, v9\n v_mov_b32 v5, 0\n" STORE, CHECK_CLEAN, 0, 0, 0, 1},
    {"an AGPR", "v_accvgpr_read_b32 v5, a9\n" STORE, BAD, "a value stored", 0, 0, 1},
    {"an SGPR", "v_mov_b32 v5, s20\n" STORE, BAD, "a value stored", 0, 0, 1},
    {"an SGPR through scalar code", "s_add_u32 s20, s20, 1\n v_mov_b32 v5, s20\n" STORE, BAD,
     "a value stored", 0, 0, 1},
// LDS through FLAT: v[12:13] is the address of LDS, v[14:15] that of the byte 256 on.
#define FLAT                                                                                                \
  "s_mov_b64 s[24:25], src_shared_base\n v_mov_b32 v12, v0\n v_mov_b32 v13, s25\n v_add_u32 v14, 256, v0\n" \
  "v_mov_b32 v15, s25\n v_mov_b32 v6, 0\n s_nop 0\n"
#define LANDED "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
    {"LDS through FLAT", FLAT "flat_load_dword v5, v[12:13]\n" LANDED STORE, BAD, "a value stored", 0, 0, 1},
    {"LDS written before through FLAT",
     FLAT "flat_store_dword v[12:13], v6\n flat_load_dword v5, v[12:13]\n" LANDED STORE, CHECK_CLEAN, 0, 0, 0,
     1},
    {"LDS beside what was written through FLAT",
     FLAT "flat_store_dword v[14:15], v6\n flat_load_dword v5, v[12:13]\n" LANDED STORE, BAD,
     "a value stored", 0, 0, 1},
    {"LDS written by DS, read through FLAT",
     FLAT "ds_write_b32 v0, v6\n" LANDED "flat_load_dword v5, v[12:13]\n" LANDED STORE, CHECK_CLEAN, 0, 0, 0,
     1},
    {"the second dword of LDS through FLAT",
     FLAT "v_lshlrev_b32 v12, 1, v12\n flat_store_dword v[12:13], v6\n"
          "flat_load_dwordx2 v[4:5], v[12:13]\n" LANDED STORE,
     BAD, "a value stored", 0, 0, 1},
    {"what nothing has written kept in LDS through FLAT", FLAT "flat_store_dword v[12:13], v9\n" LANDED,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"what nothing has written, from LDS through FLAT",
     FLAT "flat_store_dword v[12:13], v9\n flat_load_dword v5, v[12:13]\n" LANDED STORE, BAD,
     "a value stored", 0, 0, 1},
    {"what nothing has written stored to memory through FLAT",
     "v_mov_b32 v12, s4\n v_mov_b32 v13, s5\n flat_store_dword v[12:13], v9\n", BAD, "a value stored", 0, 0,
     1},
    {"an address", "v_lshlrev_b32 v2, 2, v9\n v_and_b32 v2, 0, v2\n global_load_dword v4, v2, s[4:5]", BAD,
     "an address", 0, 0, 1},
    {"a branch", "s_cmp_eq_u32 s20, 0\n s_cbranch_scc1 1f\n 1:", BAD, "branch", 0, 0, 1},
    {"a branch on VCC", "v_cmp_eq_u32 vcc, v0, v9\n s_nop 4\n s_cbranch_vccz 1f\n 1:", BAD, "branch", 0, 0,
     1},
    {"EXEC", "v_cmp_eq_u32 vcc, v0, v9\n s_and_saveexec_b64 s[20:21], vcc", BAD, "active lanes", 0, 0, 1},
    {"EXEC of lanes that do not count",
     "v_cmp_eq_u32 s[20:21], v0, v0\n v_cmp_eq_u32 vcc, v0, v9\n s_mov_b64 s[20:21], 0\n s_and_b64 vcc, vcc, "
     "s[20:21]\n"
     "s_and_saveexec_b64 s[22:23], vcc\n s_mov_b64 exec, s[22:23]",
     CHECK_CLEAN, 0, 0, 0, 1},
    {"lanes that are not stored", "s_mov_b64 exec, 1\n v_mov_b32 v5, 0\n global_store_dword v0, v5, s[4:5]",
     CHECK_CLEAN, 0, 0, 0, 1},
    {"a lane more",
     "s_mov_b64 exec, 1\n v_mov_b32 v5, 0\n s_mov_b64 exec, 3\n global_store_dword v0, v5, s[4:5]", BAD,
     "a value stored", 0, 0, 1},
    {"chosen away", "s_mov_b64 vcc, 0\n s_nop 4\n v_cndmask_b32 v5, v0, v9, vcc\n" STORE, CHECK_CLEAN, 0, 0,
     0, 1},
    {"chosen", "s_mov_b64 vcc, 1\n s_nop 4\n v_cndmask_b32 v5, v0, v9, vcc\n" STORE, BAD, "a value stored", 0,
     0, 1},
    {"halves put in one after the other",
     "s_mov_b32 s20, 0x05040100\n v_perm_b32 v5, v9, v0, s20\n"
     "v_perm_b32 v5, v0, v5, s20\n" STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"halves of which neither is written", "s_mov_b32 s20, 0x05040100\n v_perm_b32 v5, v9, v9, s20\n" STORE,
     BAD, "a value stored", 0, 0, 1},
    {"a permutation of the other source alone",
     "s_mov_b32 s20, 0x00010203\n v_perm_b32 v5, v0, v9, s20\n" STORE, BAD, "a value stored", 0, 0, 1},
    {"a permutation away from the other source",
     "s_mov_b32 s20, 0x04050607\n v_perm_b32 v5, v0, v9, s20\n" STORE, CHECK_CLEAN, 0, 0, 0, 1},
    // These ask whether VCC is zero: a bit that is known to be set decides.
    {"a branch on VCC", "s_cbranch_vccz 1f\n 1:\n", BAD, "the condition", 0, 0, 1},
    {"a branch on half of VCC, which has a bit", "s_mov_b32 vcc_lo, 1\n s_nop 4\n s_cbranch_vccz 1f\n 1:\n",
     CHECK_CLEAN, 0, 0, 0, 1},
    {"a branch on the other half of VCC, which has a bit",
     "s_brev_b32 vcc_hi, 1\n s_nop 4\n s_cbranch_vccnz 1f\n 1:\n", CHECK_CLEAN, 0, 0, 0, 1},
    {"a branch on half of VCC, which has none", "s_mov_b32 vcc_lo, 0\n s_nop 4\n s_cbranch_vccnz 1f\n 1:\n",
     BAD, "the condition", 0, 0, 1},
    {"a branch on VCC written", "s_mov_b64 vcc, 0\n s_nop 4\n s_cbranch_vccz 1f\n 1:\n", CHECK_CLEAN, 0, 0, 0,
     1},
    {"a scalar offset", "s_buffer_load_dword s20, s[8:11], s30\n s_waitcnt lgkmcnt(0)\n", BAD, "an address",
     0, 0, 1},
    {"a scalar offset written",
     "s_mov_b32 s30, 0\n s_buffer_load_dword s20, s[8:11], s30\n s_waitcnt lgkmcnt(0)\n", CHECK_CLEAN, 0, 0,
     0, 1},
    // Bytes 4 to 7, 10 and 11 are those of the first source; 12 and more are constants.
    PERMUTED("the bytes of the first source alone", "v9, v0", "0x04050607", BAD),
    PERMUTED("the signs of the first source alone", "v9, v0", "0x0a0b0a0b", BAD),
    PERMUTED("the bytes of the second source alone", "v9, v0", "0x00010203", CHECK_CLEAN),
    PERMUTED("the signs of the second source alone", "v9, v0", "0x08090809", CHECK_CLEAN),
    PERMUTED("the signs of the second source, not written", "v0, v9", "0x08080808", BAD),
    PERMUTED("the other sign of the second source, not written", "v0, v9", "0x09090909", BAD),
    PERMUTED("the signs of the first source, written", "v0, v9", "0x0a0b0a0b", CHECK_CLEAN),
    // A selector in a VGPR may take either source.
    {"a selector not written", "v_perm_b32 v5, v0, v0, v9\n" STORE, BAD, "a value stored", 0, 0, 1},
    {"one source written, by lanes", "v_perm_b32 v5, v9, v0, v0\n" STORE, CHECK_CLEAN, 0, 0, 0, 1},
    {"neither source written, by lanes", "v_perm_b32 v5, v9, v9, v0\n" STORE, BAD, "a value stored", 0, 0, 1},
    PERMUTED("constants alone", "v9, v9", "0x0c0dff0c", CHECK_CLEAN),
    PERMUTED("a byte of the first source among constants", "v9, v0", "0x0c0c0c04", BAD),
    {"LDS", "ds_read_b32 v5, v0\n s_waitcnt lgkmcnt(0)\n" STORE, BAD, "a value stored", 0, 0, 1},
    {"LDS written", "ds_write_b32 v0, v0\n ds_read_b32 v5, v0\n s_waitcnt lgkmcnt(0)\n" STORE, CHECK_CLEAN, 0,
     0, 0, 1},
    {"LDS written with nothing", "ds_write_b32 v0, v9\n ds_read_b32 v5, v0\n s_waitcnt lgkmcnt(0)\n" STORE,
     BAD, "a value stored", 0, 0, 1},
    {"LDS written in part", "ds_write_b16 v0, v0\n ds_read_b32 v5, v0\n s_waitcnt lgkmcnt(0)\n" STORE, BAD,
     "a value stored", 0, 0, 1},
    // At addresses that are no multiples of 4 a dword of data lies in two of LDS.
    {"LDS at an odd address, written where the read begins",
     "ds_write_b16 v1, v0 offset:2\n ds_read_b32 v5, v1 offset:2\n" LANDED STORE, BAD, "a value stored", 0, 0,
     1},
    {"LDS at an odd address, written where the read ends",
     "ds_write_b16 v1, v0 offset:4\n ds_read_b32 v5, v1 offset:2\n" LANDED STORE, BAD, "a value stored", 0, 0,
     1},
    {"LDS at an odd address, written by halves",
     "ds_write_b16 v1, v0 offset:2\n ds_write_b16 v1, v0 offset:4\n ds_read_b32 v5, v1 offset:2\n" LANDED
         STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"LDS at an odd address, written with nothing and read where the write ends",
     "ds_write_b32 v1, v9 offset:2\n ds_read_u16 v5, v1 offset:4\n" LANDED STORE, BAD, "a value stored", 0, 0,
     1},
    {"the first of two dwords at an odd address, of which the second holds nothing",
     "v_mov_b32 v8, 0\n ds_write_b64 v1, v[8:9] offset:2\n ds_read_b32 v5, v1 offset:2\n" LANDED STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"the second of two dwords at an odd address, which holds nothing",
     "v_mov_b32 v8, 0\n ds_write_b64 v1, v[8:9] offset:2\n ds_read_u16 v5, v1 offset:8\n" LANDED STORE, BAD,
     "a value stored", 0, 0, 1},
    {"a pair at an odd address, of which the second holds nothing",
     "v_mov_b32 v8, 0\n v_add_u32 v2, 2, v1\n ds_write2_b32 v2, v8, v9 offset1:2\n ds_read_b32 v5, "
     "v2\n" LANDED STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"the second of two dwords read at an odd address, of which the first is not written",
     "ds_write_b32 v1, v0 offset:6\n ds_read_b64 v[4:5], v1 offset:2\n" LANDED STORE, CHECK_CLEAN, 0, 0, 0,
     1},
    {"the last of four dwords at an odd address, which holds nothing",
     "v_mov_b32 v6, 0\n v_mov_b32 v7, 0\n v_mov_b32 v8, 0\n v_add_u32 v2, 2, v1\n v_lshlrev_b32 v2, 1, v2\n"
     "v_add_u32 v2, -1, v2\n ds_write_b128 v2, v[6:9]\n ds_read_b32 v5, v2 offset:12\n" LANDED STORE,
     BAD, "a value stored", 0, 0, 1},
    {"the low half of a 64-bit sum",
     "v_mov_b32 v8, 0\n v_lshl_add_u64 v[4:5], v[8:9], 0, v[8:9]\n v_mov_b32 v5, v4\n" STORE, CHECK_CLEAN, 0,
     0, 0, 1},
    {"a row of A",
     "v_mov_b32 v4, 0\n v_mov_b32 v5, 0\n v_mov_b32 v6, 0\n v_mov_b32 v7, 0\n s_mov_b64 exec, 1\n"
     "v_mov_b32 v4, v9\n s_mov_b64 exec, -1\n s_nop 1\n v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], 0\n "
     "s_nop 15\n"
     "v_mov_b32 v5, v8\n" STORE,
     BAD, "a value stored", 0, 0, 1},
    {"another row of A",
     "v_mov_b32 v4, 0\n v_mov_b32 v5, 0\n v_mov_b32 v6, 0\n v_mov_b32 v7, 0\n s_mov_b64 exec, 1\n"
     "v_mov_b32 v4, v9\n s_mov_b64 exec, -1\n s_nop 1\n v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], 0\n "
     "s_nop 15\n"
     "v_mov_b32 v5, v9\n" STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"the first lane",
     "s_mov_b64 exec, 1\n v_mov_b32 v9, 0\n s_mov_b64 exec, -1\n s_nop 4\n v_readfirstlane_b32 s20, v9\n "
     "s_nop 4\n v_mov_b32 v5, s20\n" STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    // Either half of a packed operation takes its own half of a pair.
    {"the high half of a packed sum with a pair of SGPRs of which the high one is not written",
     "s_mov_b64 s[18:19], 0\n s_mov_b32 s20, 0\n v_pk_add_f32 v[4:5], s[20:21], v[0:1]\n" STORE, BAD,
     "a value stored", 0, 0, 1},
    {"the low half of a packed sum with a pair of SGPRs of which the high one is not written",
     "s_mov_b32 s20, 0\n v_pk_add_f32 v[4:5], s[20:21], v[0:1]\n v_mov_b32 v5, v4\n" STORE, CHECK_CLEAN, 0, 0,
     0, 1},
    {"a packed sum with a pair of SGPRs that is written",
     "s_mov_b64 s[20:21], 0\n v_pk_add_f32 v[4:5], s[20:21], v[0:1]\n" STORE, CHECK_CLEAN, 0, 0, 0, 1},
    {"a register less itself", "v_xor_b32 v5, v5, v5\n" STORE, CHECK_CLEAN, 0, 0, 0, 1},
    {"a register less another", "v_xor_b32 v5, v5, v6\n" STORE, BAD, "a value stored", 0, 0, 1},
    {"half a register less the other",
     "v_sub_u32_sdwa v5, v5, v5 dst_sel:DWORD src0_sel:WORD_0 src1_sel:WORD_1\n" STORE, BAD, "a value stored",
     0, 0, 1},
    {"an SGPR less itself",
     "s_sub_u32 s20, s20, s20\n s_cbranch_scc1 1f\n 1: s_andn2_b64 s[22:23], s[22:23], s[22:23]\n v_mov_b32 "
     "v5, s20\n v_or_b32 v5, s22, v5\n" STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    // Registers under s_set_gpr_idx and with s_movrel are those that M0 adds up to.
    {"an indexed source",
     "v_mov_b32 v22, 0\n s_mov_b32 s20, 2\n s_set_gpr_idx_on s20, gpr_idx(SRC0)\n v_mov_b32 v5, v20\n "
     "s_set_gpr_idx_off\n" STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"an indexed source beside what is written",
     "v_mov_b32 v20, 0\n s_mov_b32 s20, 2\n s_set_gpr_idx_on s20, gpr_idx(SRC0)\n v_mov_b32 v5, v20\n "
     "s_set_gpr_idx_off\n" STORE,
     BAD, "a value stored", 0, 0, 1},
    {"an indexed destination",
     "s_mov_b32 s20, 2\n s_set_gpr_idx_on s20, gpr_idx(DST)\n v_mov_b32 v3, v0\n s_set_gpr_idx_off\n" STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"an indexed destination beside what is stored",
     "s_mov_b32 s20, 2\n s_set_gpr_idx_on s20, gpr_idx(DST)\n v_mov_b32 v5, v0\n s_set_gpr_idx_off\n" STORE,
     BAD, "a value stored", 0, 0, 1},
    {"an indexed AGPR",
     "v_accvgpr_write_b32 a7, 0\n s_mov_b32 s20, 3\n s_set_gpr_idx_on s20, gpr_idx(SRC0)\n "
     "v_accvgpr_read_b32 v5, a4\n s_set_gpr_idx_off\n" STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"an accumulator of indexed registers",
     "v_mov_b32 v5, 0\n s_mov_b32 s20, 2\n s_set_gpr_idx_on s20, gpr_idx(DST)\n v_fmac_f32 v3, v0, v0\n "
     "s_set_gpr_idx_off\n" STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"scalar code while registers are indexed",
     "s_mov_b32 s20, 0\n s_set_gpr_idx_on s20, gpr_idx(SRC0)\n s_add_u32 s21, s20, 1\n v_mov_b32 v5, s21\n "
     "s_set_gpr_idx_off\n" STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"s_movrels", "s_mov_b32 m0, 2\n s_mov_b32 s22, 7\n s_movrels_b32 s30, s20\n v_mov_b32 v5, s30\n" STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"s_movrels of what is not written",
     "s_mov_b32 m0, 2\n s_mov_b32 s20, 7\n s_movrels_b32 s30, s20\n v_mov_b32 v5, s30\n" STORE, BAD,
     "a value stored", 0, 0, 1},
    {"s_movreld", "s_mov_b32 m0, 2\n s_nop 0\n s_movreld_b32 s28, 7\n v_mov_b32 v5, s30\n" STORE, CHECK_CLEAN,
     0, 0, 0, 1},
    {"EXEC of a mask cleared where lanes are active",
     "s_mov_b64 exec, 15\n s_andn2_b64 s[20:21], s[20:21], exec\n s_and_b64 s[22:23], exec, s[20:21]\n"
     "s_or_b64 exec, exec, s[22:23]\n s_orn2_b64 s[24:25], s[24:25], exec\n s_and_b64 s[24:25], s[24:25], "
     "exec\n"
     "s_nor_b64 s[26:27], s[26:27], -1\n s_nand_b64 s[28:29], s[28:29], 0\n s_andn2_saveexec_b64 s[30:31], "
     "s[26:27]",
     CHECK_CLEAN, 0, 0, 0, 1},
    {"EXEC of a mask cleared where no lane is active",
     "s_mov_b64 exec, 15\n s_andn2_b64 s[20:21], s[20:21], exec\n s_mov_b64 exec, s[20:21]", BAD,
     "active lanes", 0, 0, 1},
    // Compilers make this of a mask that is unknown where no lane is active.
    {"EXEC through a lane of a VGPR",
     "s_mov_b64 exec, 15\n s_or_b64 s[20:21], s[20:21], exec\n v_writelane_b32 v9, s20, 3\n s_nop 4\n"
     "v_readlane_b32 s22, v9, 3\n s_mov_b32 s23, 0\n s_and_b64 s[22:23], s[22:23], exec\n s_mov_b64 exec, "
     "s[22:23]",
     CHECK_CLEAN, 0, 0, 0, 1},
    {"EXEC through a lane of a VGPR that nothing has written",
     "v_writelane_b32 v9, s20, 3\n s_nop 4\n v_readlane_b32 s22, v9, 3\n s_mov_b32 s23, 0\n s_mov_b64 exec, "
     "s[22:23]",
     BAD, "active lanes", 0, 0, 1},
    {"a swizzled lane", "ds_swizzle_b32 v5, v9 offset:swizzle(BROADCAST,32,0)\n s_waitcnt lgkmcnt(0)\n" STORE,
     BAD, "a value stored", 0, 0, 1},
    {"a swizzle of which a lane is defined",
     "s_mov_b64 exec, 1\n v_mov_b32 v9, 0\n s_mov_b64 exec, -1\n ds_swizzle_b32 v5, v9 "
     "offset:swizzle(BROADCAST,32,0)\n s_waitcnt lgkmcnt(0)\n" STORE,
     CHECK_CLEAN, 0, 0, 0, 1},
    {"a permuted lane", "ds_bpermute_b32 v5, v0, v9\n s_waitcnt lgkmcnt(0)\n" STORE, BAD, "a value stored", 0,
     0, 1},
};

int main(void) {
  check_run("gfx942", cases, sizeof cases / sizeof *cases);
  check_run("gfx950", cases, sizeof cases / sizeof *cases);
  return test_result();
}
