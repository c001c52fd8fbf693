// SPDX-License-Identifier: MIT
// Software wait states: one too few is found, enough are not, through branches too.
#include "tests/check/snippets.h"

// A pair of cases: too few states, and enough.
#define PAIR(name, before, few, enough, after)                                   \
  {name, before "\n" few "\n" after, SIM_FINDING_WAIT_STATES, "s_nop", 0, 0, 0}, \
      {name ", enough", before "\n" enough "\n" after, CHECK_CLEAN, 0, 0, 0, 0}
#define MFMA "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], 0"  // 4 passes
#define WIDE "v_mfma_f32_32x32x8_f16 v[16:31], v[4:5], v[6:7], 0"  // 8 passes

static const check_case both[] = {
    PAIR("a vector result in a matrix instruction", "v_mov_b32 v4, 0", "s_nop 0", "s_nop 1", MFMA),
    PAIR("C of another instruction, overlapping", WIDE, "s_nop 7", "s_nop 9",
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
    PAIR("DPP", "v_mov_b32 v4, 0", "s_nop 0", "s_nop 1",
         "v_mov_b32_dpp v5, v4 row_shr:1 row_mask:0xf bank_mask:0xf"),
    PAIR("a lane read", "v_mov_b32 v4, 0", "", "s_nop 0", "v_readlane_b32 s20, v4, 0"),
    PAIR("transcendental", "v_exp_f32 v4, v5", "", "s_nop 0", "v_add_f32 v6, v4, v4"),
    PAIR("M0", "s_mov_b32 m0, 0", "", "s_nop 0", "buffer_load_dword v0, s[8:11], 0 offen lds"),
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
    {"two transcendental", "v_exp_f32 v4, v5\n v_log_f32 v6, v4", CHECK_CLEAN, 0, 0, 0, 0},
    {"the same C again", MFMA "\n v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], v[8:11]", CHECK_CLEAN, 0,
     0, 0, 0},
    {"a mask of a compare", "v_cmp_eq_u32 vcc, v0, v1\n v_cndmask_b32 v4, v5, v6, vcc", CHECK_CLEAN, 0, 0, 0,
     0},
    // The way through the branch is too short, the other one is not.
    {"through a branch", MFMA "\n s_cmp_eq_u32 s12, 0\n s_cbranch_scc1 1f\n s_nop 15\n 1: v_mov_b32 v12, v8",
     SIM_FINDING_WAIT_STATES, "the use of a matrix result", 0, 0, 0},
    {"beside a branch", MFMA "\n s_cmp_eq_u32 s12, 1\n s_cbranch_scc1 1f\n s_nop 15\n 1: v_mov_b32 v12, v8",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"round a loop",
     "s_mov_b32 s20, 2\n 1: v_mov_b32 v12, v8\n s_nop 15\n" MFMA
     "\n s_sub_u32 s20, s20, 1\n s_cmp_lg_u32 s20, 0\n s_cbranch_scc1 1b\n s_nop 15",
     SIM_FINDING_WAIT_STATES, "the use of a matrix result", 0, 0, 0},
};

static const check_case gfx942[] = {
    PAIR("the use of a matrix result", WIDE, "s_nop 9", "s_nop 10", "v_mov_b32 v12, v16"),
    PAIR("storing a matrix result", MFMA, "s_nop 5", "s_nop 6", "global_store_dword v0, v8, s[4:5]"),
};
static const check_case gfx950[] = {
    PAIR("the use of a matrix result", WIDE, "s_nop 10", "s_nop 11", "v_mov_b32 v12, v16"),
    PAIR("storing a matrix result", MFMA, "s_nop 6", "s_nop 7", "global_store_dword v0, v8, s[4:5]"),
    PAIR("v_permlane32_swap", "v_mov_b32 v4, 0", "s_nop 0", "s_nop 1", "v_permlane32_swap_b32 v4, v5"),
};

int main(void) {
  check_run("gfx942", both, sizeof both / sizeof *both);
  check_run("gfx950", both, sizeof both / sizeof *both);
  check_run("gfx942", gfx942, sizeof gfx942 / sizeof *gfx942);
  check_run("gfx950", gfx950, sizeof gfx950 / sizeof *gfx950);
  return test_result();
}
