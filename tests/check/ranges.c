// SPDX-License-Identifier: MIT
// Buffer accesses whose range check depends on whether the SGPR offset counts. The buffer has 64 KB.
#include "tests/check/snippets.h"

#define LOAD "buffer_load_dword v4, v2, s[8:11], s20 offen\n s_waitcnt vmcnt(0)"

static const check_case cases[] = {
    {"inside with the SGPR offset", "s_movk_i32 s20, 0x100\n v_mov_b32 v2, v0\n" LOAD, CHECK_CLEAN, 0, 0, 0,
     0},
    {"past the end by the VGPR offset", "s_movk_i32 s20, 0x100\n v_add_u32 v2, 0x10000, v0\n" LOAD,
     CHECK_CLEAN, 0, 0, 0, 0},
    {"past the end by the SGPR offset alone", "s_mov_b32 s20, 0xff80\n v_mov_b32 v2, v0\n" LOAD,
     SIM_FINDING_RANGE, "VGPR offset", 0, 0, 0},
    {"in the base instead",
     "s_sub_u32 s10, s10, 0xff80\n s_add_u32 s8, s8, 0xff80\n s_addc_u32 s9, s9, 0\n"
     "s_mov_b32 s20, 0\n v_mov_b32 v2, v0\n" LOAD,
     CHECK_CLEAN, 0, 0, 0, 0},
};

int main(void) {
  check_run("gfx942", cases, sizeof cases / sizeof *cases);
  check_run("gfx950", cases, sizeof cases / sizeof *cases);
  return test_result();
}
