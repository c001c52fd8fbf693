// SPDX-License-Identifier: MIT
// Software wait states: one too few is found, enough are not, through branches too. What the manual's table
// asks for but production code does without is a class of its own.
#include "tests/check/snippets.h"

// Makes a pair of cases: too few states, and enough.
#define PAIR(name, before, few, enough, after)                                   \
  {name, before "\n" few "\n" after, SIM_FINDING_WAIT_STATES, "s_nop", 0, 0, 0}, \
      {name ", enough", before "\n" enough "\n" after, CHECK_CLEAN, 0, 0, 0, 0}
#define TABLE(name, before, few, enough, after)                            \
  {name, before "\n" few "\n" after, SIM_FINDING_TABLE, "s_nop", 0, 0, 0}, \
      {name ", enough", before "\n" enough "\n" after, CHECK_CLEAN, 0, 0, 0, 0}
#define MFMA "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], 0"  // 4 passes
#define DPP "v_mov_b32_dpp v5, v4 row_shr:1 row_mask:0xf bank_mask:0xf"
#define WIDE "v_mfma_f32_32x32x8_f16 v[16:31], v[4:5], v[6:7], 0"  // 8 passes

#define SETREG_VSKIP "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0"

static const check_case both[] = {
    PAIR("a vector result in a matrix instruction", "v_mov_b32 v4, 0", "s_nop 0", "s_nop 1", MFMA),
    TABLE("C of another instruction, overlapping", WIDE, "s_nop 7", "s_nop 9",
          "v_mfma_f32_16x16x16_f16 v[16:19], v[4:5], v[6:7], v[16:19]"),
    PAIR("the C of a matrix instruction overwritten",
         "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], v[12:15]", "s_nop 1", "s_nop 2",
         "v_mov_b32 v12, 0"),
    PAIR("an SGPR of a vector instruction in memory", "v_readfirstlane_b32 s12, v0", "s_nop 3", "s_nop 4",
         "buffer_load_dword v4, v0, s[8:11], s12 offen"),
    PAIR("an SGPR of a vector instruction as lane", "v_readfirstlane_b32 s20, v4", "s_nop 2", "s_nop 3",
         "v_readlane_b32 s21, v0, s20"),
    PAIR("VCC in v_div_fmas", "v_cmp_eq_u32 vcc, v0, v1", "s_nop 2", "s_nop 3",
         "v_div_fmas_f32 v4, v4, v4, v4"),
    PAIR("an SGPR of a vector instruction as constant", "v_readfirstlane_b32 s20, v4", "s_nop 0", "s_nop 1",
         "v_add_u32 v5, s20, v4"),
    TABLE("DPP after one state", "v_mov_b32 v4, 0", "s_nop 0", "s_nop 1", DPP),
    PAIR("DPP after none", "v_mov_b32 v4, 0", "", "s_nop 1", DPP),
    TABLE("v_readlane", "v_mov_b32 v4, 0", "", "s_nop 0", "v_readlane_b32 s20, v4, 0"),
    TABLE("v_readfirstlane", "v_mov_b32 v4, 0", "", "s_nop 0", "v_readfirstlane_b32 s20, v4"),
    // A stricter rule for the same pair of instructions stays an error.
    PAIR("a transcendental result in DPP", "v_exp_f32 v4, v5", "", "s_nop 1", DPP),
    {"a transcendental result in DPP after one state", "v_exp_f32 v4, v5\n s_nop 0\n" DPP, SIM_FINDING_TABLE,
     "by the manual's table", 0, 0, 0},
    PAIR("a transcendental result in a lane read", "v_exp_f32 v4, v5", "", "s_nop 0",
         "v_readlane_b32 s20, v4, 0"),
    PAIR("transcendental", "v_exp_f32 v4, v5", "", "s_nop 0", "v_add_f32 v6, v4, v4"),
    TABLE("M0 of a copy through a descriptor", "s_mov_b32 m0, 0", "", "s_nop 0",
          "buffer_load_dword v0, s[8:11], 0 offen lds"),
    TABLE("M0 of a copy", "s_mov_b32 m0, 0", "", "s_nop 0", "global_load_lds_dword v0, s[4:5]"),
    PAIR("M0 of another use", "s_mov_b32 m0, 64", "", "s_nop 0", "ds_append v4"),
    PAIR("data of a wide store", "buffer_store_dwordx4 v[4:7], v0, s[8:11], 0 offen", "s_nop 0", "s_nop 1",
         "v_mov_b32 v5, 0"),
    PAIR("data of a wide store with an SGPR offset", "buffer_store_dwordx4 v[4:7], v0, s[8:11], s12 offen",
         "", "s_nop 0", "v_mov_b32 v5, 0"),
    {"data beside that of a wide store with an SGPR offset",
     "buffer_store_dwordx3 v[4:6], v0, s[8:11], s12 offen\n v_mov_b32 v7, 0", CHECK_CLEAN, 0, 0, 0, 0},
    {"data of a store of two dwords with an SGPR offset",
     "buffer_store_dwordx2 v[4:5], v0, s[8:11], s12 offen\n v_mov_b32 v5, 0", CHECK_CLEAN, 0, 0, 0, 0},
    PAIR("s_setreg", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0", "s_nop 0", "s_nop 1",
         "s_getreg_b32 s20, hwreg(HW_REG_MODE)"),
    // VSKIP is bit 28 of MODE.
    PAIR("s_setreg of VSKIP before a vector instruction", SETREG_VSKIP, "s_nop 0", "s_nop 1",
         "v_mov_b32 v4, 0"),
    PAIR("s_setreg of VSKIP before a memory instruction", "s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s15", "",
         "s_nop 1", "global_load_dword v4, v0, s[4:5]"),
    PAIR("s_setreg of VSKIP before LDS", SETREG_VSKIP, "s_nop 0", "s_nop 1", "ds_read_b32 v4, v0"),
    {"s_setreg of other bits of MODE before a vector instruction",
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 28), 0x2f0\n v_mov_b32 v4, 0", CHECK_CLEAN, 0, 0, 0, 0},
    {"s_setreg of VSKIP before a scalar instruction", SETREG_VSKIP "\n s_mov_b32 s20, 0", CHECK_CLEAN, 0, 0,
     0, 0},
    {"s_setvskip before a vector instruction", "s_setvskip 0, 0\n v_mov_b32 v4, 0", CHECK_CLEAN, 0, 0, 0, 0},
    PAIR("s_setvskip before VSKIP is read", "s_setvskip 0, 0", "s_nop 0", "s_nop 1",
         "s_getreg_b32 s20, hwreg(HW_REG_MODE)"),
    {"s_setvskip before other bits of MODE are read",
     "s_setvskip 0, 0\n s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 28)", CHECK_CLEAN, 0, 0, 0, 0},
    {"s_setvskip before another register is read", "s_setvskip 0, 0\n s_getreg_b32 s20, hwreg(HW_REG_HW_ID)",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"two transcendental", "v_exp_f32 v4, v5\n v_log_f32 v6, v4", CHECK_CLEAN, 0, 0, 0, 0},
    {"the same C again", MFMA "\n v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], v[8:11]", CHECK_CLEAN, 0,
     0, 0, 0},
    {"a mask of a compare", "v_cmp_eq_u32 vcc, v0, v1\n v_cndmask_b32 v4, v5, v6, vcc", CHECK_CLEAN, 0, 0, 0,
     0},
    // What a later scalar instruction leaves in the register is not the vector instruction's.
    {"an SGPR redefined by a scalar instruction",
     "v_readlane_b32 s20, v2, 0\n s_mul_i32 s20, s20, 3\n v_mul_lo_u32 v3, v0, s20", CHECK_CLEAN, 0, 0, 0, 0},
    {"another SGPR redefined by a scalar instruction",
     "v_readlane_b32 s20, v2, 0\n s_mul_i32 s21, s20, 3\n v_mul_lo_u32 v3, v0, s20", SIM_FINDING_WAIT_STATES,
     "as a constant", 0, 0, 0},
    PAIR("the first SGPR as a constant", "v_readlane_b32 s0, v2, 0", "s_nop 0", "s_nop 1",
         "v_mul_lo_u32 v3, v0, s0"),
    PAIR("the first SGPR of the upper half as a constant", "v_readlane_b32 s64, v2, 0", "s_nop 0", "s_nop 1",
         "v_mul_lo_u32 v3, v0, s64"),
    {"half of a pair redefined",
     "v_cmp_eq_u32 s[20:21], v0, v1\n s_mov_b32 s21, 0\n v_lshl_add_u64 v[4:5], v[2:3], 0, s[20:21]",
     SIM_FINDING_WAIT_STATES, "as a constant", 0, 0, 0},
    {"both halves of a pair redefined",
     "v_cmp_eq_u32 s[20:21], v0, v1\n s_mov_b64 s[20:21], 0\n v_lshl_add_u64 v[4:5], v[2:3], 0, s[20:21]",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"an SGPR redefined by another vector instruction",
     "v_readlane_b32 s20, v2, 0\n v_readlane_b32 s20, v2, 1\n v_mul_lo_u32 v3, v0, s20",
     SIM_FINDING_WAIT_STATES, "there are 0", 0, 0, 0},
    {"an SGPR redefined before the vector instruction",
     "s_mov_b32 s20, 3\n v_readlane_b32 s20, v2, 0\n v_mul_lo_u32 v3, v0, s20", SIM_FINDING_WAIT_STATES,
     "as a constant", 0, 0, 0},
    {"an SGPR of a memory instruction redefined",
     "v_readfirstlane_b32 s20, v0\n s_mov_b32 s20, 0\n buffer_load_dword v4, v0, s[8:11], s20 offen",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"a mask redefined that v_div_fmas reads",
     "v_cmp_eq_u32 vcc, v0, v1\n s_mov_b64 vcc, 0\n v_div_fmas_f32 v4, v4, v4, v4", CHECK_CLEAN, 0, 0, 0, 0},
    // WIDE holds the pipe for 8 passes: so long a second one waits for it.
    {"a matrix instruction between",
     WIDE "\n v_mfma_f32_32x32x8_f16 v[32:47], v[4:5], v[6:7], 0\n s_nop 3\n v_mov_b32 v12, v16", CHECK_CLEAN,
     0, 0, 0, 0},
    {"a matrix instruction between, and too little after it",
     WIDE "\n v_mfma_f32_32x32x8_f16 v[32:47], v[4:5], v[6:7], 0\n s_nop 0\n v_mov_b32 v12, v16",
     SIM_FINDING_TABLE, "there are 9", 0, 0, 0},
    // The pipe is free again: the second one is issued at once.
    {"a matrix instruction between when the pipe is free",
     WIDE "\n s_nop 7\n v_mfma_f32_32x32x8_f16 v[32:47], v[4:5], v[6:7], 0\n v_mov_b32 v12, v16",
     SIM_FINDING_TABLE, "there are 9", 0, 0, 0},
    {"the result of the matrix instruction between",
     WIDE "\n v_mfma_f32_32x32x8_f16 v[32:47], v[4:5], v[6:7], 0\n s_nop 3\n v_mov_b32 v12, v32",
     SIM_FINDING_TABLE, "there are 4", 0, 0, 0},
    {"a matrix result overwritten", WIDE "\n s_nop 7\n v_mov_b32 v16, 0", SIM_FINDING_WAIT_STATES,
     "overwriting a matrix result", 0, 0, 0},
    // The way through the branch is too short, the other one is not.
    {"through a branch", MFMA "\n s_cmp_eq_u32 s12, 0\n s_cbranch_scc1 1f\n s_nop 15\n 1: v_mov_b32 v12, v8",
     SIM_FINDING_TABLE, "the use of a matrix result", 0, 0, 0},
    {"beside a branch", MFMA "\n s_cmp_eq_u32 s12, 1\n s_cbranch_scc1 1f\n s_nop 15\n 1: v_mov_b32 v12, v8",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"round a loop",
     "s_mov_b32 s20, 2\n 1: v_mov_b32 v12, v8\n s_nop 15\n" MFMA
     "\n s_sub_u32 s20, s20, 1\n s_cmp_lg_u32 s20, 0\n s_cbranch_scc1 1b\n s_nop 15",
     SIM_FINDING_TABLE, "the use of a matrix result", 0, 0, 0},
};

// From a matrix result to its use, `few` states are one too few.
#define STATES(n) ".rept " #n "\n s_nop 0\n .endr"
#define USE(mfma, few, enough, use) TABLE(mfma ", then " use, mfma, STATES(few), STATES(enough), use)
#define STORE2 "global_store_dwordx2 v0, v[64:65], s[4:5]"
#define MOVE "v_mov_b32 v12, v64"
#define XDL2 "v_mfma_f32_4x4x4_16b_f16 v[64:67], v[4:5], v[6:7], 0"
#define XDL4 "v_mfma_f32_16x16x16_f16 v[64:67], v[4:5], v[6:7], 0"
#define XDL8 "v_mfma_f32_32x32x8_f16 v[64:79], v[4:5], v[6:7], 0"
#define XDL16 "v_mfma_f32_32x32x4_2b_f16 v[64:95], v[4:5], v[6:7], 0"
#define F32_2 "v_mfma_f32_4x4x1_16b_f32 v[64:67], v4, v5, 0"
#define F32_8 "v_mfma_f32_16x16x4_f32 v[64:67], v4, v5, 0"
#define F32_16 "v_mfma_f32_32x32x2_f32 v[64:79], v4, v5, 0"
#define F64_SMALL "v_mfma_f64_4x4x4_4b_f64 v[64:65], v[4:5], v[6:7], 0"
#define F64_LARGE "v_mfma_f64_16x16x4_f64 v[64:71], v[4:5], v[6:7], 0"

static const check_case uses[] = {
    USE(XDL2, 4, 5, MOVE),        USE(XDL2, 4, 5, STORE2),        USE(F32_2, 3, 4, MOVE),
    USE(F32_2, 3, 4, STORE2),     USE(F32_8, 9, 10, MOVE),        USE(F32_8, 9, 10, STORE2),
    USE(F32_16, 17, 18, MOVE),    USE(F32_16, 17, 18, STORE2),    USE(F64_SMALL, 5, 6, MOVE),
    USE(F64_SMALL, 8, 9, STORE2), USE(F64_LARGE, 17, 18, STORE2),
};
static const check_case uses_gfx942[] = {
    USE(XDL4, 6, 7, MOVE),        USE(XDL4, 6, 7, STORE2),  USE(XDL8, 10, 11, MOVE),
    USE(XDL8, 10, 11, STORE2),    USE(XDL16, 18, 19, MOVE), USE(XDL16, 18, 19, STORE2),
    USE(F64_LARGE, 10, 11, MOVE),
};
static const check_case uses_gfx950[] = {
    USE(XDL4, 7, 8, MOVE),        USE(XDL4, 7, 8, STORE2),  USE(XDL8, 11, 12, MOVE),
    USE(XDL8, 11, 12, STORE2),    USE(XDL16, 19, 20, MOVE), USE(XDL16, 19, 20, STORE2),
    USE(F64_LARGE, 18, 19, MOVE),
};

static const check_case gfx942[] = {
    TABLE("the use of a matrix result", WIDE, "s_nop 9", "s_nop 10", "v_mov_b32 v12, v16"),
    TABLE("storing a matrix result", MFMA, "s_nop 5", "s_nop 6", "global_store_dword v0, v8, s[4:5]"),
};
static const check_case gfx950[] = {
    TABLE("the use of a matrix result", WIDE, "s_nop 10", "s_nop 11", "v_mov_b32 v12, v16"),
    TABLE("storing a matrix result", MFMA, "s_nop 6", "s_nop 7", "global_store_dword v0, v8, s[4:5]"),
    TABLE("v_permlane32_swap after one state", "v_mov_b32 v4, 0", "s_nop 0", "s_nop 1",
          "v_permlane32_swap_b32 v4, v5"),
    TABLE("v_permlane16_swap after none", "v_mov_b32 v5, 0", "", "s_nop 1", "v_permlane16_swap_b32 v4, v5"),
};

int main(void) {
  check_run("gfx942", both, sizeof both / sizeof *both);
  check_run("gfx950", both, sizeof both / sizeof *both);
  check_run("gfx942", uses, sizeof uses / sizeof *uses);
  check_run("gfx950", uses, sizeof uses / sizeof *uses);
  check_run("gfx942", uses_gfx942, sizeof uses_gfx942 / sizeof *uses_gfx942);
  check_run("gfx950", uses_gfx950, sizeof uses_gfx950 / sizeof *uses_gfx950);
  check_run("gfx942", gfx942, sizeof gfx942 / sizeof *gfx942);
  check_run("gfx950", gfx950, sizeof gfx950 / sizeof *gfx950);
  return test_result();
}
