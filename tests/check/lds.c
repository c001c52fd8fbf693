// SPDX-License-Identifier: MIT
// Races in LDS: between waves, with direct-to-LDS copies, and barriers that not every wave takes.
#include "tests/check/snippets.h"

// Each wave writes its own KB and reads its neighbour's.
#define WRITE "v_add_u32 v2, s12, v1\n v_add_u32 v3, s13, v1\n ds_write_b128 v2, v[4:7]\n"
#define COPY                                                                      \
  "v_add_u32 v2, s12, v1\n v_add_u32 v3, s13, v1\n s_mov_b32 m0, s12\n s_nop 0\n" \
  "buffer_load_dword v0, s[8:11], 0 offen lds\n"
#define WAIT "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
#define BARRIER "s_barrier\n"
// Does the same through FLAT; v3 is the neighbour's again.
#define FLAT_WRITE                                                                              \
  "s_mov_b64 s[20:21], src_shared_base\n v_add_u32 v2, s12, v1\n v_add_u32 v3, s13, v1\n"       \
  "v_mov_b32 v12, v2\n v_mov_b32 v13, s21\n v_mov_b32 v14, v3\n v_mov_b32 v15, s21\n s_nop 0\n" \
  "flat_store_dwordx4 v[12:13], v[4:7]\n"
#define FLAT_READ "flat_load_dwordx4 v[8:11], v[14:15]\n"
#define READ "ds_read_b128 v[8:11], v3\n"
#define READ_COPIED "v_add_u32 v3, s13, v0\n ds_read_b32 v8, v3\n"

// Every wave copies the same bytes to the same place; the second copies those of its own.
#define SAME_COPY "s_mov_b32 m0, 0\n s_nop 0\n buffer_load_dword v0, s[8:11], 0 offen lds\n"
#define OTHER_COPY                                                             \
  "s_mov_b32 m0, 0\n v_add_u32 v2, s12, v0\n s_nop 0\n buffer_load_dword v2, " \
  "s[8:11], 0 offen lds\n"
// A wave's own address of LDS, and its neighbour's, in system scope, as volatile accesses through a pointer
// to anything are.
#define VOLATILE_WRITE                                                                      \
  "s_mov_b64 s[20:21], src_shared_base\n v_add_u32 v12, s12, v1\n v_add_u32 v14, s13, v1\n" \
  "v_mov_b32 v13, s21\n v_mov_b32 v15, s21\n s_nop 0\n flat_store_dword v[12:13], v4 sc0 sc1\n" WAIT

// Makes v2 and v3: a lane's 16 bytes of its own wave's KB and of the neighbour's.
#define OWN_AND_NEXT "v_add_u32 v2, s12, v1\n v_add_u32 v3, s13, v1\n"
// Takes a byte for each lane, one after the other; v3 becomes the neighbour's dwords.
#define BYTES_BY_LANE \
  "v_lshrrev_b32 v2, 2, v0\n v_add_u32 v2, s12, v2\n v_add_u32 v3, s13, v0\n ds_write_b8 v2, v4\n"
#define READ_BYTE(offset) \
  "v_cmp_gt_u32 vcc, 64, v0\n s_nop 4\n s_and_b64 exec, exec, vcc\n ds_read_u8 v5, v3 offset:" offset "\n"
// Every wave reads its neighbour's without waiting, and writes its own behind the barrier.
#define LATE_READ(name, read, write, kind) \
  {name, WRITE WAIT BARRIER read BARRIER write, kind, "lgkmcnt", 4, 0, 0}
// A copy of 256 bytes to an address while so many from another on are being read.
#define COPY_OVER_READ(name, read, copy, kind)                           \
  {"a copy to " name,                                                    \
   WRITE WAIT "s_mov_b32 m0, " copy "\n ds_read_b32 v8, v0 offset:" read \
              "\n buffer_load_dword v0, s[8:11], 0 offen lds\n",         \
   kind,                                                                 \
   "lgkmcnt(0)",                                                         \
   1,                                                                    \
   0,                                                                    \
   0}
#define LATE_PAIR "ds_read2_b32 v[8:9], v3 offset1:2\n"

static const check_case cases[] = {
    // What a buffer_load ... lds brings is waited for, but only after the barrier: the other waves read too
    // early (the shape of a program from a published analysis of a race detector).
    {"a copy waited for behind the barrier", COPY BARRIER "s_waitcnt vmcnt(0)\n" READ_COPIED,
     SIM_FINDING_LDS_BEFORE_WAIT, "before the writer's s_barrier", 4, 0, 0},
    {"the same bytes copied by several waves", SAME_COPY WAIT BARRIER "ds_read_b32 v8, v0\n", CHECK_CLEAN, 0,
     4, 0, 0},
    {"other bytes copied by several waves", OTHER_COPY WAIT BARRIER "ds_read_b32 v8, v0\n",
     SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    {"the same bytes copied by several waves and read by each", SAME_COPY WAIT "ds_read_b32 v8, v0\n",
     CHECK_CLEAN, 0, 4, 0, 0},
    {"the same bytes copied by several waves and waited for by none", SAME_COPY "ds_read_b32 v8, v0\n",
     SIM_FINDING_LDS_BEFORE_WAIT, "vmcnt(0)", 4, 0, 0},
    {"the same bytes copied again over what is read",
     SAME_COPY WAIT "ds_read_b32 v8, v0\n" WAIT SAME_COPY WAIT, CHECK_CLEAN, 0, 4, 0, 0},
    {"the same bytes copied by several waves, behind a barrier too early",
     SAME_COPY BARRIER "ds_read_b32 v8, v0\n", SIM_FINDING_LDS_BEFORE_WAIT, "vmcnt(0)", 4, 0, 0},
    {"the zeros that come from beyond the descriptor copied by several waves",
     "s_mov_b32 s10, 0\n" SAME_COPY WAIT BARRIER "ds_read_b32 v8, v0\n", CHECK_CLEAN, 0, 4, 0, 0},
    {"the same bytes copied and written",
     SAME_COPY WAIT "v_cmp_eq_u32 vcc, 0, v0\n s_nop 4\n ds_write_b32 v0, v4\n", SIM_FINDING_LDS_RACE,
     "s_barrier", 4, 0, 0},
    {"volatile stores and loads through FLAT, exchanged without a barrier",
     VOLATILE_WRITE "flat_load_dword v8, v[14:15] sc0 sc1\n", SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    {"volatile stores and loads through FLAT, exchanged with a barrier",
     VOLATILE_WRITE BARRIER "flat_load_dword v8, v[14:15] sc0 sc1\n", CHECK_CLEAN, 0, 4, 0, 0},
    {"a volatile loop through FLAT that waits for a flag",
     VOLATILE_WRITE BARRIER "flat_store_dword v[12:13], v4 sc0 sc1\n"
                            "1: flat_load_dword v8, v[14:15] sc0 sc1\n s_waitcnt vmcnt(0) lgkmcnt(0)\n"
                            "v_cmp_ne_u32 vcc, v8, v4\n s_nop 4\n s_cbranch_vccnz 1b\n",
     CHECK_CLEAN, 0, 4, 0, 0},
    {"exchange", WRITE WAIT BARRIER READ, CHECK_CLEAN, 0, 4, 0, 0},
    {"exchange without a barrier", WRITE WAIT READ, SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    {"exchange without a wait", WRITE BARRIER READ, SIM_FINDING_LDS_BEFORE_WAIT, "lgkmcnt(0)", 4, 0, 0},
    {"one wave needs no wait", WRITE "ds_read_b128 v[8:11], v2\n", CHECK_CLEAN, 0, 1, 0, 0},
    {"written again after a barrier", WRITE WAIT BARRIER READ WAIT BARRIER "ds_write_b128 v2, v[4:7]\n",
     CHECK_CLEAN, 0, 4, 0, 0},
    {"written again without a barrier", WRITE WAIT BARRIER READ WAIT "ds_write_b128 v2, v[4:7]\n",
     SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    {"written again before the reads are waited for",
     WRITE WAIT BARRIER READ BARRIER "ds_write_b128 v2, v[4:7]\n", SIM_FINDING_TIMING, "lgkmcnt", 4, 0, 0},
    {"copies exchanged", COPY WAIT BARRIER READ_COPIED, CHECK_CLEAN, 0, 4, 0, 0},
    {"copies without a wait", COPY BARRIER READ_COPIED, SIM_FINDING_LDS_BEFORE_WAIT, "vmcnt(0)", 4, 0, 0},
    {"copies without a barrier", COPY WAIT READ_COPIED, SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    {"a copy read by its own wave", COPY "v_add_u32 v2, s12, v0\n ds_read_b32 v8, v2",
     SIM_FINDING_LDS_BEFORE_WAIT, "vmcnt(0)", 2, 0, 0},
    {"a copy read by its own wave through FLAT",
     COPY "s_mov_b64 s[20:21], src_shared_base\n v_add_u32 v14, s12, v0\n v_mov_b32 v15, s21\n s_nop 0\n"
          "flat_load_dword v8, v[14:15]",
     SIM_FINDING_LDS_BEFORE_WAIT, "vmcnt(0)", 2, 0, 0},
    {"a copy waited for and read by its own wave",
     COPY "s_waitcnt vmcnt(0)\n v_add_u32 v2, s12, v0\n ds_read_b32 v8, v2", CHECK_CLEAN, 0, 2, 0, 0},
    {"a copy waited for by its own wave alone",
     COPY "s_waitcnt lgkmcnt(0)\n s_barrier\n s_waitcnt vmcnt(0)\n" READ_COPIED, SIM_FINDING_LDS_BEFORE_WAIT,
     "before the writer's s_barrier", 4, 0, 0},
    // lgkmcnt counts what FLAT does to LDS; vmcnt says nothing of it.
    {"FLAT stores exchanged", FLAT_WRITE "s_waitcnt lgkmcnt(0)\n" BARRIER READ, CHECK_CLEAN, 0, 4, 0, 0},
    {"FLAT stores read by FLAT", FLAT_WRITE "s_waitcnt lgkmcnt(0)\n" BARRIER FLAT_READ, CHECK_CLEAN, 0, 4, 0,
     0},
    {"FLAT stores with the wrong wait", FLAT_WRITE "s_waitcnt vmcnt(0)\n" BARRIER READ,
     SIM_FINDING_LDS_BEFORE_WAIT, "lgkmcnt(0)", 4, 0, 0},
    {"FLAT stores without a barrier", FLAT_WRITE WAIT READ, SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    {"a FLAT store read by its own wave", FLAT_WRITE "ds_read_b128 v[8:11], v2\n", CHECK_CLEAN, 0, 2, 0, 0},
    {"a FLAT load of what its own wave has written",
     FLAT_WRITE "ds_write_b128 v2, v[4:7]\n flat_load_dwordx4 v[8:11], v[12:13]\n", CHECK_CLEAN, 0, 2, 0, 0},
    {"a flag that FLAT atomics set and FLAT loads of wider scope read",
     "s_mov_b64 s[20:21], src_shared_base\n v_mov_b32 v12, 0\n v_mov_b32 v13, s21\n s_nop 0\n"
     "flat_atomic_add v8, v[12:13], v4 sc0\n flat_load_dword v9, v[12:13] sc0\n",
     CHECK_CLEAN, 0, 2, 0, 0},
    {"a flag that FLAT atomics set and FLAT loads read",
     "s_mov_b64 s[20:21], src_shared_base\n v_mov_b32 v12, 0\n v_mov_b32 v13, s21\n s_nop 0\n"
     "flat_atomic_add v8, v[12:13], v4 sc0\n flat_load_dword v9, v[12:13]\n",
     SIM_FINDING_LDS_RACE, "s_barrier", 2, 0, 0},
    {"FLAT stores after a copy", COPY "s_waitcnt vmcnt(0)\n" FLAT_WRITE "s_waitcnt lgkmcnt(0)\n" BARRIER READ,
     CHECK_CLEAN, 0, 4, 0, 0},
    {"a copy over what is being read",
     WRITE WAIT "s_mov_b32 m0, s12\n ds_read_b128 v[8:11], v2\n"
                "buffer_load_dword v0, s[8:11], 0 offen lds\n",
     SIM_FINDING_TIMING, "lgkmcnt(0)", 1, 0, 0},
    COPY_OVER_READ("the byte behind a read", "0", "256", CHECK_CLEAN),
    COPY_OVER_READ("the last dword of a read", "0", "252", SIM_FINDING_TIMING),
    COPY_OVER_READ("the first dword of a read", "252", "0", SIM_FINDING_TIMING),
    COPY_OVER_READ("the byte before a read", "256", "0", CHECK_CLEAN),
    {"a copy over what has been read",
     WRITE WAIT "s_mov_b32 m0, s12\n ds_read_b128 v[8:11], v2\n s_waitcnt lgkmcnt(0)\n"
                "buffer_load_dword v0, s[8:11], 0 offen lds\n",
     CHECK_CLEAN, 0, 1, 0, 0},
    // Every wave reads its neighbour's, then copies to its own.
    {"a copy over what another wave has read, no barrier between",
     WRITE WAIT BARRIER READ WAIT
     "s_mov_b32 m0, s12\n s_nop 0\n buffer_load_dword v0, s[8:11], 0 offen lds\n",
     SIM_FINDING_TIMING, "s_barrier", 4, 0, 0},
    {"a copy over what another wave has read, after a barrier",
     WRITE WAIT BARRIER READ WAIT BARRIER
     "s_mov_b32 m0, s12\n s_nop 0\n buffer_load_dword v0, s[8:11], 0 offen lds\n",
     CHECK_CLEAN, 0, 4, 0, 0},
    // This is right by how far waves in step are apart: 64 instructions are taken to be meant.
    {"written again without a barrier, long after the reads",
     WRITE WAIT BARRIER READ WAIT ".rept 62\n s_nop 0\n .endr\n ds_write_b128 v2, v[4:7]\n",
     SIM_FINDING_TIMING, "64 instructions ahead", 4, 0, 0},
    {"written again without a barrier, not so long after the reads",
     WRITE WAIT BARRIER READ WAIT ".rept 61\n s_nop 0\n .endr\n ds_write_b128 v2, v[4:7]\n",
     SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    {"read without a barrier, long after the write", WRITE WAIT ".rept 62\n s_nop 0\n .endr\n" READ,
     SIM_FINDING_TIMING, "64 instructions ahead", 4, 0, 0},
    // Wave 0 writes a KB and then a flag, for which the others wait.
    {"handed over by a flag",
     "v_mov_b32 v12, 0x8000\n v_mov_b32 v13, 0\n ds_write_b32 v12, v13\n s_waitcnt lgkmcnt(0)\n s_barrier\n"
     "s_cmp_lg_u32 s12, 0\n s_cbranch_scc1 1f\n s_sleep 20\n"
     "ds_write_b128 v1, v[4:7]\n v_mov_b32 v13, 1\n ds_write_b32 v12, v13\n s_branch 2f\n"
     "1: ds_read_b32 v13, v12\n s_waitcnt lgkmcnt(0)\n v_readfirstlane_b32 s20, v13\n s_cmp_lg_u32 s20, 1\n"
     "s_cbranch_scc1 1b\n ds_read_b128 v[8:11], v1\n 2: s_nop 0",
     SIM_FINDING_TIMING, "flags", 4, 0, 0},
    {"bytes beside each other",
     "v_lshrrev_b32 v2, 2, v0\n v_lshlrev_b32 v2, 2, v2\n s_lshr_b32 s20, s12, 10\n"
     "v_add_u32 v2, s20, v2\n ds_write_b8 v2, v4",
     CHECK_CLEAN, 0, 4, 0, 0},
    {"bytes of another wave",
     "s_lshr_b32 s20, s12, 10\n s_lshr_b32 s21, s13, 10\n v_add_u32 v2, s20, v0\n"
     "v_add_u32 v3, s21, v0\n ds_write_b8 v2, v4\n" WAIT "ds_read_u8 v5, v3",
     SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    // The lanes of one instruction write all the bytes of a dword.
    {"bytes of one instruction, waited for", BYTES_BY_LANE WAIT BARRIER READ_BYTE("0"), CHECK_CLEAN, 0, 4, 0,
     0},
    {"the first byte of one instruction's dword, without a barrier", BYTES_BY_LANE WAIT READ_BYTE("0"),
     SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    {"the last byte of one instruction's dword, without a barrier", BYTES_BY_LANE WAIT READ_BYTE("3"),
     SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    {"a byte beside one that is written after the barrier",
     OWN_AND_NEXT "ds_write_b8 v2, v4\n" WAIT BARRIER "ds_write_b8 v2, v4 offset:1\n" WAIT READ_BYTE("0"),
     CHECK_CLEAN, 0, 4, 0, 0},
    {"the byte that is written after the barrier",
     OWN_AND_NEXT "ds_write_b8 v2, v4\n" WAIT BARRIER "ds_write_b8 v2, v4 offset:1\n" WAIT READ_BYTE("1"),
     SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    // Reads still in flight behind the barrier: just the bytes that they read count.
    LATE_READ("the byte before a late read", "ds_read_u8 v8, v3 offset:1\n", "ds_write_b8 v2, v4\n",
              CHECK_CLEAN),
    LATE_READ("the byte of a late read", "ds_read_u8 v8, v3 offset:1\n", "ds_write_b8 v2, v4 offset:1\n",
              SIM_FINDING_TIMING),
    LATE_READ("the byte behind a late read", "ds_read_u8 v8, v3 offset:1\n", "ds_write_b8 v2, v4 offset:2\n",
              CHECK_CLEAN),
    LATE_READ("the last dword of a late read", "ds_read_b64 v[8:9], v3\n", "ds_write_b32 v2, v4 offset:4\n",
              SIM_FINDING_TIMING),
    LATE_READ("the dword behind a late read", "ds_read_b64 v[8:9], v3\n", "ds_write_b32 v2, v4 offset:8\n",
              CHECK_CLEAN),
    LATE_READ("the first dword of a late pair", LATE_PAIR, "ds_write_b32 v2, v4\n", SIM_FINDING_TIMING),
    LATE_READ("the dword between a late pair", LATE_PAIR, "ds_write_b32 v2, v4 offset:4\n", CHECK_CLEAN),
    LATE_READ("the second dword of a late pair", LATE_PAIR, "ds_write_b32 v2, v4 offset:8\n",
              SIM_FINDING_TIMING),
    LATE_READ("the dword behind a late pair", LATE_PAIR, "ds_write_b32 v2, v4 offset:12\n", CHECK_CLEAN),
    {"atomics do not race", "ds_add_u32 v0, v1\n" WAIT BARRIER "ds_read_b32 v4, v0", CHECK_CLEAN, 0, 4, 0, 0},
    {"atomics race with reads", "ds_add_u32 v0, v1\n" WAIT "ds_read_b32 v4, v0", SIM_FINDING_LDS_RACE,
     "s_barrier", 4, 0, 0},
    {"a loop around compare-and-swap",
     "v_mov_b32 v2, 0\n s_cmp_lg_u32 s12, 0\n s_cbranch_scc1 2f\n ds_write_b32 v2, v4\n 2:" WAIT BARRIER
     "ds_read_b32 v4, v2\n 1: s_waitcnt lgkmcnt(0)\n v_mov_b32 v5, v4\n v_add_u32 v6, 1, v5\n"
     "ds_cmpst_rtn_b32 v4, v2, v5, v6\n s_waitcnt lgkmcnt(0)\n v_cmp_ne_u32 vcc, v4, v5\n"
     "s_and_b64 exec, exec, vcc\n s_cbranch_execnz 1b\n s_mov_b64 exec, -1",
     CHECK_CLEAN, 0, 4, 0, 0},
    {"compare-and-swap races with writes",
     "v_mov_b32 v2, 0\n ds_cmpst_b32 v2, v4, v5\n" WAIT "ds_write_b32 v2, v4", SIM_FINDING_LDS_RACE,
     "s_barrier", 4, 0, 0},
    // Ping-pong: the second half of the waves takes one barrier more at the beginning, the first at the end,
    // so that the halves stand at different barriers of the program all the time.
    {"skewed exchange",
     WRITE WAIT "s_cmp_lt_u32 s12, 2048\n s_cbranch_scc1 1f\n s_barrier\n 1:\n" BARRIER BARRIER READ
                "s_cmp_ge_u32 s12, 2048\n s_cbranch_scc1 1f\n s_barrier\n 1:\n",
     CHECK_CLEAN, 0, 4, 0, 0},
    {"skewed exchange, one barrier short",
     "s_cmp_lt_u32 s12, 2048\n s_cbranch_scc1 1f\n s_barrier\n 1:\n" WRITE WAIT BARRIER READ WAIT
     "s_cmp_ge_u32 s12, 2048\n s_cbranch_scc1 1f\n s_barrier\n 1:\n",
     SIM_FINDING_LDS_RACE, "s_barrier", 4, 0, 0},
    {"a barrier that one wave leaves out", "s_cmp_eq_u32 s12, 0\n s_cbranch_scc1 1f\n s_barrier\n 1:\n",
     SIM_FINDING_BARRIER, "every s_barrier", 4, 0, 0},
    {"a wave that never ends",
     "s_cmp_eq_u32 s12, 0\n s_cbranch_scc1 2f\n s_barrier\n s_endpgm\n 2:\n s_branch 2b\n",
     SIM_FINDING_DEADLOCK, "never ends", 2, 0, 0},
    {"M0 one state before a copy", "s_mov_b32 m0, s12\n buffer_load_dword v0, s[8:11], 0 offen lds",
     SIM_FINDING_TABLE, "M0", 1, 0, 0},
    {"M0 never set", "ds_read_addtid_b32 v4", SIM_FINDING_M0, "set m0", 1, 0, 1},
};

int main(void) {
  check_run("gfx942", cases, sizeof cases / sizeof *cases);
  check_run("gfx950", cases, sizeof cases / sizeof *cases);
  return test_result();
}
