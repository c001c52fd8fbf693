// SPDX-License-Identifier: MIT
// Tests that races between work-groups in global memory are found.
#include "tests/check/snippets.h"

// Gives each work-group a KB of its own.
#define OWN "s_lshl_b32 s20, s14, 10\n v_add_u32 v2, s20, v0\n"
#define RACE SIM_FINDING_GLOBAL_RACE

#define POLL                                                                               \
  "s_movk_i32 s20, 0x200\n 1: global_load_dword v4, v0, s[4:5] sc1\n s_waitcnt vmcnt(0)\n" \
  "s_sub_u32 s20, s20, 1\n s_cmp_lg_u32 s20, 0\n s_cbranch_scc1 1b"

static const check_case cases[] = {
    {"each its own", OWN "global_store_dword v2, v0, s[4:5]", CHECK_CLEAN, 0, 0, 2, 0},
    {"both the same", "global_store_dword v0, v0, s[4:5]", RACE, "two launches", 0, 2, 0},
    {"both read",
     "global_load_dword v4, v0, s[4:5]\n s_waitcnt vmcnt(0)\n" OWN
     "global_store_dword v2, v4, s[4:5] offset:1024",
     CHECK_CLEAN, 0, 0, 2, 0},
    {"one reads what the other writes",
     OWN "global_store_dword v2, v0, s[4:5]\n global_load_dword v4, v0, s[4:5]", RACE, "read", 0, 2, 0},
    {"one line, different dwords",
     "v_lshlrev_b32 v2, 1, v0\n s_lshl_b32 s20, s14, 2\n v_add_u32 v2, s20, v2\n"
     "global_store_dword v2, v0, s[4:5]",
     CHECK_CLEAN, 0, 0, 2, 0},
    {"one dword, different halves",
     "s_lshl_b32 s20, s14, 1\n v_add_u32 v2, s20, v0\n global_store_short v2, v0, s[4:5]", CHECK_CLEAN, 0, 0,
     2, 0},
    {"one dword, one unaligned to it",
     "s_lshl_b32 s20, s14, 1\n s_cmp_lg_u32 s14, 0\n s_cbranch_scc1 1f\n v_lshlrev_b32 v2, 4, v0\n"
     "global_store_short v2, v0, s[4:5]\n s_branch 2f\n"
     "1: v_lshlrev_b32 v2, 4, v0\n v_mov_b32 v4, 0\n v_mov_b32 v5, 0\n v_mov_b32 v6, 0\n "
     "global_store_dwordx3 v2, v[4:6], s[4:5] offset:2\n 2: s_nop 0",
     CHECK_CLEAN, 0, 0, 2, 0},
    {"one dword, different bytes",
     "v_lshlrev_b32 v2, 1, v0\n v_add_u32 v2, s14, v2\n global_store_byte v2, v0, s[4:5]", CHECK_CLEAN, 0, 0,
     2, 0},
    {"both the same byte", "global_store_byte v0, v0, s[4:5]", RACE, "two launches", 0, 2, 0},
    {"one stores a byte of the dword that the other loads",
     "s_cmp_lg_u32 s14, 0\n s_cbranch_scc1 1f\n global_store_byte v0, v0, s[4:5] offset:3\n s_branch 2f\n"
     "1: global_load_dword v4, v0, s[4:5]\n s_waitcnt vmcnt(0)\n 2: s_nop 0",
     RACE, "two launches", 0, 2, 0},
    {"an atomic and a byte of its dword",
     "s_cmp_lg_u32 s14, 0\n s_cbranch_scc1 1f\n global_atomic_add v0, v0, s[4:5]\n s_branch 2f\n"
     "1: global_store_byte v0, v0, s[4:5] offset:1\n 2: s_nop 0",
     RACE, "two launches", 0, 2, 0},
    {"both the same half", "global_store_short v0, v0, s[4:5]", RACE, "two launches", 0, 2, 0},
    {"atomics", "global_atomic_add v0, v0, s[4:5]", CHECK_CLEAN, 0, 0, 2, 0},
    {"atomics and a store", "global_atomic_add v0, v0, s[4:5]\n global_store_dword v0, v0, s[4:5]",
     CHECK_CLEAN, 0, 0, 1, 0},
    {"handed over by an atomic",
     "v_mov_b32 v5, 0\n v_mov_b32 v6, 1\n global_atomic_add v4, v5, v6, s[4:5] offset:4092 sc0\n"
     "s_waitcnt vmcnt(0)\n global_store_dword v0, v0, s[4:5]",
     CHECK_CLEAN, 0, 0, 2, 0},
    // Tests a flag and what it hands over, as compilers make them of release and acquire, and as they are
    // written by hand. The groups run one after the other here, the one that hands over first.
    {"a flag of device scope",
     "v_mov_b32 v5, 0\n v_mov_b32 v6, 1\n s_cmp_lg_u32 s14, 0\n s_cbranch_scc1 1f\n"
     "global_store_dword v0, v0, s[4:5]\n buffer_wbl2 sc1\n s_waitcnt vmcnt(0)\n"
     "global_store_dword v5, v6, s[4:5] offset:2048 sc1\n s_branch 2f\n"
     "1: global_load_dword v4, v5, s[4:5] offset:2048 sc1\n s_waitcnt vmcnt(0)\n buffer_inv sc1\n"
     "global_load_dword v4, v0, s[4:5]\n s_waitcnt vmcnt(0)\n 2: s_nop 0",
     CHECK_CLEAN, 0, 0, 2, 0},
    {"a flag and data of device scope",
     "v_mov_b32 v5, 0\n v_mov_b32 v6, 1\n s_cmp_lg_u32 s14, 0\n s_cbranch_scc1 1f\n"
     "global_store_dword v0, v0, s[4:5] sc0 sc1\n s_waitcnt vmcnt(0)\n"
     "global_store_dword v5, v6, s[4:5] offset:2048 sc0 sc1\n s_branch 2f\n"
     "1: global_load_dword v4, v5, s[4:5] offset:2048 sc0 sc1\n s_waitcnt vmcnt(0)\n"
     "v_cmp_ne_u32 vcc, v4, v6\n s_nop 4\n s_cbranch_vccnz 1b\n"
     "global_load_dword v4, v0, s[4:5] sc0 sc1\n s_waitcnt vmcnt(0)\n 2: s_nop 0",
     CHECK_CLEAN, 0, 0, 2, 0},
    {"a volatile flag that is looked at once",
     "v_mov_b32 v5, 0\n v_mov_b32 v6, 1\n s_cmp_lg_u32 s14, 0\n s_cbranch_scc1 1f\n"
     "global_store_dword v5, v6, s[4:5] offset:2048 sc0 sc1\n s_branch 2f\n"
     "1: global_load_dword v4, v5, s[4:5] offset:2048 sc0 sc1\n s_waitcnt vmcnt(0)\n 2: s_nop 0",
     SIM_FINDING_TIMING, "volatile accesses make none", 0, 2, 0},
    {"a volatile flag that is looked at before it is written",
     "v_mov_b32 v5, 0\n v_mov_b32 v6, 1\n s_cmp_eq_u32 s14, 0\n s_cbranch_scc1 1f\n"
     "global_store_dword v5, v6, s[4:5] offset:2048 sc0 sc1\n s_branch 2f\n"
     "1: global_load_dword v4, v5, s[4:5] offset:2048 sc0 sc1\n s_waitcnt vmcnt(0)\n 2: s_nop 0",
     SIM_FINDING_TIMING, "read by work-group 0", 0, 2, 0},
    {"both write the same volatile place", "global_store_dword v0, v0, s[4:5] sc0 sc1", SIM_FINDING_TIMING,
     "written by work-group 0", 0, 2, 0},
    {"volatile accesses handed over by an atomic",
     "v_mov_b32 v5, 0\n v_mov_b32 v6, 1\n global_atomic_add v4, v5, v6, s[4:5] offset:4092 sc0\n"
     "s_waitcnt vmcnt(0)\n global_store_dword v0, v0, s[4:5] sc0 sc1",
     CHECK_CLEAN, 0, 0, 2, 0},
    {"a flag of device scope, read before it is written",
     "v_mov_b32 v5, 0\n v_mov_b32 v6, 1\n s_cmp_eq_u32 s14, 0\n s_cbranch_scc1 1f\n"
     "global_store_dword v5, v6, s[4:5] offset:2048 sc1\n s_branch 2f\n"
     "1: global_load_dword v4, v5, s[4:5] offset:2048 sc1\n s_waitcnt vmcnt(0)\n 2: s_nop 0",
     CHECK_CLEAN, 0, 0, 2, 0},
    {"a flag of device scope alone",
     "v_mov_b32 v5, 0\n v_mov_b32 v6, 1\n s_cmp_lg_u32 s14, 0\n s_cbranch_scc1 1f\n"
     "global_store_dword v0, v0, s[4:5]\n s_waitcnt vmcnt(0)\n"
     "global_store_dword v5, v6, s[4:5] offset:2048\n s_branch 2f\n"
     "1: global_load_dword v4, v5, s[4:5] offset:2048 sc1\n s_waitcnt vmcnt(0)\n 2: s_nop 0",
     RACE, "two launches", 0, 2, 0},
    {"data without an acquire",
     "v_mov_b32 v5, 0\n v_mov_b32 v6, 1\n s_cmp_lg_u32 s14, 0\n s_cbranch_scc1 1f\n"
     "global_store_dword v0, v0, s[4:5]\n buffer_wbl2 sc1\n s_waitcnt vmcnt(0)\n"
     "global_store_dword v5, v6, s[4:5] offset:2048 sc1\n s_branch 2f\n"
     "1: global_load_dword v4, v5, s[4:5] offset:2048 sc1\n s_waitcnt vmcnt(0)\n"
     "global_load_dword v4, v0, s[4:5]\n s_waitcnt vmcnt(0)\n 2: s_nop 0",
     RACE, "two launches", 0, 2, 0},
    {"a flag of scalar accesses",
     "s_cmp_lg_u32 s14, 0\n s_cbranch_scc1 1f\n global_store_dword v0, v0, s[4:5] sc1\n s_waitcnt vmcnt(0)\n"
     "s_mov_b32 s20, 1\n s_store_dword s20, s[4:5], 0x800 glc\n s_dcache_wb\n s_waitcnt lgkmcnt(0)\n"
     "s_branch 2f\n 1: s_load_dword s20, s[4:5], 0x800 glc\n s_waitcnt lgkmcnt(0)\n"
     "global_load_dword v4, v0, s[4:5] sc1\n s_waitcnt vmcnt(0)\n 2: s_nop 0",
     CHECK_CLEAN, 0, 0, 2, 0},
    {"through a buffer", "buffer_store_dword v0, v0, s[8:11], 0 offen", RACE, "two launches", 0, 2, 0},
    {"polling", POLL, SIM_FINDING_TIMING, "launch it cooperatively", 0, 0, 0},
};

static const check_case cooperative[] = {
    {"polling in a cooperative launch", POLL, CHECK_CLEAN, 0, 0, 0, 0},
};

int main(void) {
  check_run("gfx942", cases, sizeof cases / sizeof *cases);
  check_run_cooperative("gfx950", cooperative, sizeof cooperative / sizeof *cooperative);
  check_run("gfx950", cases, sizeof cases / sizeof *cases);
  return test_result();
}
