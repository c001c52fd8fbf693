// SPDX-License-Identifier: MIT
// Registers read or overwritten before the wait for the load that fills them.
#include "tests/check/snippets.h"

#define LOAD "global_load_dword v4, v0, s[4:5]\n"

static const check_case cases[] = {
    {"vmcnt before a read", LOAD "v_add_u32 v5, 1, v4", SIM_FINDING_READ_BEFORE_WAIT, "vmcnt(0)", 0, 0, 0},
    {"vmcnt before a read, waited", LOAD "s_waitcnt vmcnt(0)\n v_add_u32 v5, 1, v4", CHECK_CLEAN, 0, 0, 0, 0},
    {"one later load may stay out", LOAD "global_load_dword v6, v0, s[4:5]\n v_add_u32 v5, 1, v4\n",
     SIM_FINDING_READ_BEFORE_WAIT, "vmcnt(1)", 0, 0, 0},
    {"one later load stays out",
     LOAD "global_load_dword v6, v0, s[4:5]\n s_waitcnt vmcnt(1)\n v_add_u32 v5, 1, v4\n", CHECK_CLEAN, 0, 0,
     0, 0},
    {"a wait one too weak",
     LOAD "global_load_dword v6, v0, s[4:5]\n s_waitcnt vmcnt(2)\n v_add_u32 v5, 1, v4\n",
     SIM_FINDING_READ_BEFORE_WAIT, "vmcnt(1)", 0, 0, 0},
    {"a load into an AGPR", "global_load_dword a4, v0, s[4:5]\n v_accvgpr_read_b32 v5, a4",
     SIM_FINDING_READ_BEFORE_WAIT, "a4", 0, 0, 0},
    {"the last of four", "global_load_dwordx4 v[4:7], v0, s[4:5]\n v_mov_b32 v8, v7",
     SIM_FINDING_READ_BEFORE_WAIT, "v7", 0, 0, 0},
    {"beside the four", "global_load_dwordx4 v[4:7], v0, s[4:5]\n v_mov_b32 v8, v3\n v_mov_b32 v9, v8",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"other lanes", "s_mov_b64 exec, 1\n" LOAD "s_mov_b64 exec, 2\n v_mov_b32 v5, v4", CHECK_CLEAN, 0, 0, 0,
     0},
    // Lane moves read and write a lane whatever EXEC says.
    {"a lane read that the load fills, while it is not active",
     "s_mov_b64 exec, 1\n" LOAD "s_mov_b64 exec, 2\n v_readlane_b32 s20, v4, 0", SIM_FINDING_READ_BEFORE_WAIT,
     "vmcnt(0)", 0, 0, 0},
    {"a lane written that the load fills, while it is not active",
     "s_mov_b64 exec, 1\n" LOAD "s_mov_b64 exec, 2\n v_writelane_b32 v4, s4, 0",
     SIM_FINDING_OVERWRITE_PENDING, "vmcnt(0)", 0, 0, 0},
    {"a branch on VCC whose high half is being loaded",
     "s_load_dword vcc_hi, s[4:5], 0x0\n s_cbranch_vccz 1f\n 1: s_waitcnt lgkmcnt(0)\n",
     SIM_FINDING_READ_BEFORE_WAIT, "lgkmcnt(0)", 0, 0, 0},
    {"a branch on VCC while the register behind it is being loaded",
     "s_load_dword ttmp0, s[4:5], 0x0\n s_cbranch_vccz 1f\n 1: s_waitcnt lgkmcnt(0)\n", CHECK_CLEAN, 0, 0, 0,
     0},
    {"a division whose VCC is being loaded",
     "s_load_dword vcc_hi, s[4:5], 0x0\n v_div_fmas_f32 v5, v0, v0, v0\n s_waitcnt lgkmcnt(0)\n",
     SIM_FINDING_READ_BEFORE_WAIT, "lgkmcnt(0)", 0, 0, 0},
    {"a division while the register behind VCC is being loaded",
     "s_load_dword ttmp0, s[4:5], 0x0\n v_div_fmas_f32 v5, v0, v0, v0\n s_waitcnt lgkmcnt(0)\n", CHECK_CLEAN,
     0, 0, 0, 0},
    {"scalar load", "s_load_dword s20, s[4:5], 0x0\n s_add_u32 s21, s20, 1", SIM_FINDING_READ_BEFORE_WAIT,
     "lgkmcnt(0)", 0, 0, 0},
    {"scalar load, waited", "s_load_dword s20, s[4:5], 0x0\n s_waitcnt lgkmcnt(0)\n s_add_u32 s21, s20, 1",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"scalar loads land in any order",
     "s_load_dword s20, s[4:5], 0x0\n s_load_dword s22, s[4:5], 0x0\n s_waitcnt lgkmcnt(1)\n s_add_u32 s21, "
     "s20, 1",
     SIM_FINDING_READ_BEFORE_WAIT, "lgkmcnt(0)", 0, 0, 0},
    {"LDS read", "ds_write_b32 v0, v0\n ds_read_b32 v4, v0\n v_mov_b32 v5, v4", SIM_FINDING_READ_BEFORE_WAIT,
     "lgkmcnt(0)", 0, 0, 0},
    {"LDS read with one after it",
     "ds_write_b32 v0, v0\n ds_read_b32 v4, v0\n ds_read_b32 v6, v0\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v5, "
     "v4",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"vmcnt is not lgkmcnt",
     "ds_write_b32 v0, v0\n ds_read_b32 v4, v0\n s_waitcnt vmcnt(0)\n v_mov_b32 v5, v4",
     SIM_FINDING_READ_BEFORE_WAIT, "lgkmcnt(0)", 0, 0, 0},
    {"a load that VSKIP leaves out", "s_setvskip 1, 0\n" LOAD "s_setvskip 0, 0\n v_add_u32 v5, 1, v4",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"a read that VSKIP leaves out", LOAD "s_setvskip 1, 0\n v_add_u32 v5, 1, v4\n s_setvskip 0, 0",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"a load while VSKIP is off", "s_setvskip 1, 1\n" LOAD "s_setvskip 0, 0\n v_add_u32 v5, 1, v4",
     SIM_FINDING_READ_BEFORE_WAIT, "vmcnt(0)", 0, 0, 0},
    {"a load that VSKIP leaves out does not count",
     LOAD "s_setvskip 1, 0\n global_load_dword v6, v0, s[4:5]\n s_setvskip 0, 0\n s_waitcnt vmcnt(1)\n"
          "v_add_u32 v5, 1, v4",
     SIM_FINDING_READ_BEFORE_WAIT, "vmcnt(0)", 0, 0, 0},
    {"permute", "ds_bpermute_b32 v4, v0, v1\n v_mov_b32 v5, v4", SIM_FINDING_READ_BEFORE_WAIT, "lgkmcnt(0)",
     0, 0, 0},
    {"an indexed register that a load fills",
     "s_mov_b32 s20, 2\n global_load_dword v9, v0, s[4:5]\n s_set_gpr_idx_on s20, gpr_idx(SRC0)\n"
     "v_mov_b32 v5, v7\n s_set_gpr_idx_off\n",
     SIM_FINDING_READ_BEFORE_WAIT, "vmcnt(0)", 0, 0, 0},
    {"an indexed register beside one that a load fills",
     "s_mov_b32 s20, 2\n global_load_dword v7, v0, s[4:5]\n s_set_gpr_idx_on s20, gpr_idx(SRC0)\n"
     "v_mov_b32 v5, v7\n s_set_gpr_idx_off\n",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"an indexed lane move onto a register that a load fills",
     "s_mov_b32 s20, 2\n global_load_dword v9, v0, s[4:5]\n s_set_gpr_idx_on s20, gpr_idx(DST)\n"
     "v_writelane_b32 v7, s4, 3\n s_set_gpr_idx_off\n",
     SIM_FINDING_OVERWRITE_PENDING, "vmcnt(0)", 0, 0, 0},
    {"flat load waits for both",
     "v_mov_b32 v2, s4\n v_mov_b32 v3, s5\n flat_load_dword v4, v[2:3]\n s_waitcnt vmcnt(0)\n v_mov_b32 v5, "
     "v4",
     SIM_FINDING_READ_BEFORE_WAIT, "lgkmcnt(0)", 0, 0, 0},
    {"flat load waits for both, as the remedy says",
     "v_mov_b32 v2, s4\n v_mov_b32 v3, s5\n global_load_dword v6, v0, s[4:5]\n flat_load_dword v4, v[2:3]\n "
     "v_mov_b32 v5, v4",
     SIM_FINDING_READ_BEFORE_WAIT, "s_waitcnt vmcnt(0) lgkmcnt(0)", 0, 0, 0},
    {"flat load, both waited",
     "v_mov_b32 v2, s4\n v_mov_b32 v3, s5\n flat_load_dword v4, v[2:3]\n s_waitcnt vmcnt(0) lgkmcnt(0)\n "
     "v_mov_b32 v5, v4",
     CHECK_CLEAN, 0, 0, 0, 0},
    // lgkmcnt is in order again when no FLAT operation is in flight.
    {"LDS behind a FLAT load that has landed",
     "v_mov_b32 v2, s4\n v_mov_b32 v3, s5\n ds_write_b128 v1, v[4:7]\n flat_load_dword v8, v[2:3]\n"
     "s_waitcnt vmcnt(0) lgkmcnt(0)\n ds_read_b32 v5, v0\n ds_read_b32 v6, v0\n v_mov_b32 v7, v5",
     SIM_FINDING_READ_BEFORE_WAIT, "lgkmcnt(1)", 0, 0, 0},
    // lgkmcnt counts up to 15: what is issued when it is full waits for the first of LDS.
    {"as many reads of LDS as lgkmcnt counts, behind a FLAT load",
     "v_mov_b32 v2, s4\n v_mov_b32 v3, s5\n ds_write_b128 v1, v[4:7]\n s_waitcnt lgkmcnt(0)\n "
     "flat_load_dword v24, v[2:3]\n"
     ".irp r,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19\n ds_read_b32 v\\r, v0\n .endr\n v_mov_b32 v26, v5",
     SIM_FINDING_READ_BEFORE_WAIT, "lgkmcnt(0)", 0, 0, 0},
    {"one read of LDS more than lgkmcnt counts, behind a FLAT load",
     "v_mov_b32 v2, s4\n v_mov_b32 v3, s5\n ds_write_b128 v1, v[4:7]\n s_waitcnt lgkmcnt(0)\n "
     "flat_load_dword v24, v[2:3]\n"
     ".irp r,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20\n ds_read_b32 v\\r, v0\n .endr\n v_mov_b32 v26, v5",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"LDS behind a FLAT load that is in flight",
     "v_mov_b32 v2, s4\n v_mov_b32 v3, s5\n ds_write_b128 v1, v[4:7]\n flat_load_dword v8, v[2:3]\n"
     "ds_read_b32 v5, v0\n ds_read_b32 v6, v0\n v_mov_b32 v7, v5",
     SIM_FINDING_READ_BEFORE_WAIT, "lgkmcnt(0)", 0, 0, 0},
    {"returning atomic", "global_atomic_add v4, v0, v1, s[4:5] sc0\n v_mov_b32 v5, v4",
     SIM_FINDING_READ_BEFORE_WAIT, "vmcnt(0)", 0, 0, 0},
    {"atomic without return", "global_atomic_add v0, v4, s[4:5]\n v_mov_b32 v5, v4", CHECK_CLEAN, 0, 0, 0, 0},
    {"overwritten while pending", LOAD "v_mov_b32 v4, 0", SIM_FINDING_OVERWRITE_PENDING, "vmcnt(0)", 0, 0, 0},
    {"overwritten after the wait", LOAD "s_waitcnt vmcnt(0)\n v_mov_b32 v4, 0", CHECK_CLEAN, 0, 0, 0, 0},
    {"two loads in order into one register", LOAD LOAD, CHECK_CLEAN, 0, 0, 0, 0},
    {"loads of two kinds into one register", "ds_write_b32 v0, v0\n" LOAD "ds_read_b32 v4, v0",
     SIM_FINDING_OVERWRITE_PENDING, "vmcnt(0)", 0, 0, 0},
    {"two scalar loads into one register", "s_load_dword s20, s[4:5], 0x0\n s_load_dword s20, s[4:5], 0x4",
     SIM_FINDING_OVERWRITE_PENDING, "lgkmcnt(0)", 0, 0, 0},
    {"data of a wide store", "global_store_dwordx4 v1, v[4:7], s[4:5]\n v_mov_b32 v4, 1",
     SIM_FINDING_WAIT_STATES, "s_nop 1", 0, 0, 0},
    {"data of a wide store, later", "global_store_dwordx4 v1, v[4:7], s[4:5]\n s_nop 1\n v_mov_b32 v4, 1",
     CHECK_CLEAN, 0, 0, 0, 0},
    {"a matrix instruction reads a load",
     "ds_write_b128 v1, v[4:7]\n ds_read_b64 v[8:9], v0\n v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[8:9], "
     "0",
     SIM_FINDING_READ_BEFORE_WAIT, "v8", 0, 0, 0},
};

int main(void) {
  check_run("gfx942", cases, sizeof cases / sizeof *cases);
  check_run("gfx950", cases, sizeof cases / sizeof *cases);
  return test_result();
}
