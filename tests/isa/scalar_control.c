// SPDX-License-Identifier: MIT
// Program control: branches, calls, fork and join, barriers, traps, and jumps that lead nowhere.
#include "tests/isa/harness.h"

// Skips the first move when taken: s0 tells.
#define BRANCH(name) name " 1f\n s_mov_b32 s0, 1\n1: s_mov_b32 s1, 1"

static void conditions(const char *target) {
  static const struct {
    const char *code;
    unsigned scc;
    uint64_t vcc, exec;
    bool taken;
  } cases[] = {
      {BRANCH("s_branch"), 0, 0, 0, true},
      {BRANCH("s_cbranch_scc0"), 0, 0, 0, true},
      {BRANCH("s_cbranch_scc0"), 1, 0, 0, false},
      {BRANCH("s_cbranch_scc1"), 1, 0, 0, true},
      {BRANCH("s_cbranch_scc1"), 0, 0, 0, false},
      {BRANCH("s_cbranch_vccz"), 0, 0, ~0ull, true},
      {BRANCH("s_cbranch_vccz"), 0, 1ull << 63, 0, false},
      {BRANCH("s_cbranch_vccnz"), 0, 1ull << 63, 0, true},
      {BRANCH("s_cbranch_vccnz"), 0, 0, ~0ull, false},
      {BRANCH("s_cbranch_execz"), 0, ~0ull, 0, true},
      {BRANCH("s_cbranch_execz"), 0, 0, 1ull << 32, false},
      {BRANCH("s_cbranch_execnz"), 0, 0, 1ull << 32, true},
      {BRANCH("s_cbranch_execnz"), 0, ~0ull, 0, false},
      {BRANCH("s_cbranch_cdbgsys"), 0, 0, 0, false},
      {BRANCH("s_cbranch_cdbguser"), 0, 0, 0, false},
      {BRANCH("s_cbranch_cdbgsys_or_user"), 0, 0, 0, false},
      {BRANCH("s_cbranch_cdbgsys_and_user"), 0, 0, 0, false},
  };
  enum { COUNT = sizeof cases / sizeof cases[0] };
  const char *code[COUNT];
  for (int i = 0; i < COUNT; ++i) code[i] = cases[i].code;
  isa_program *p = isa_assemble(target, code, COUNT);
  for (int i = 0; i < COUNT; ++i) {
    sim_wave *w = isa_begin(p, (size_t)i);
    w->scc = cases[i].scc;
    sim_set_s64(w, SIM_VCC, cases[i].vcc);
    sim_set_s64(w, SIM_EXEC, cases[i].exec);
    CHECK_RUN(p);
    CHECK_S32(p, 0, !cases[i].taken);
    CHECK_S32(p, 1, 1);
  }
  isa_free(p);
}

static void program_counter(const char *target) {
  static const char *const code[] = {
      // This is a loop of ten iterations.
      "s_movk_i32 s0, 10\n1: s_add_u32 s1, s1, s0\n s_sub_u32 s0, s0, 1\n s_cmp_lg_u32 s0, 0\n "
      "s_cbranch_scc1 1b",
      "s_nop 0\n s_getpc_b64 s[0:1]\n s_nop 0",
      "s_call_b64 s[0:1], 1f\n s_mov_b32 s2, 5\n s_endpgm\n1: s_mov_b32 s3, 6\n s_setpc_b64 s[0:1]",
      // Computes the address of label 1 and calls it.
      "s_getpc_b64 s[4:5]\n2: s_add_u32 s4, s4, 1f-2b\n s_addc_u32 s5, s5, 0\n s_swappc_b64 s[0:1], s[4:5]\n"
      " s_mov_b32 s2, 5\n s_endpgm\n1: s_mov_b32 s3, 6\n s_setpc_b64 s[0:1]",
      // The return address may replace the target.
      "s_getpc_b64 s[4:5]\n2: s_add_u32 s4, s4, 1f-2b\n s_addc_u32 s5, s5, 0\n s_swappc_b64 s[4:5], s[4:5]\n"
      " s_mov_b32 s2, 5\n s_endpgm\n1: s_mov_b32 s3, 6\n s_setpc_b64 s[4:5]",
      "s_setpc_b64 s[0:1]",
      "s_branch 0x7000",
      "1: s_branch 1b",
  };
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof code[0]);
  isa_begin(p, 0);
  CHECK_RUN(p);
  CHECK_S32(p, 1, 55);
  isa_begin(p, 1);
  CHECK_RUN(p);
  CHECK_S64(p, 0, isa_address(p, 1) + 8);
  for (size_t i = 2; i < 5; ++i) {
    isa_begin(p, i);
    CHECK_RUN(p);
    CHECK_S32(p, 2, 5);
    CHECK_S32(p, 3, 6);
  }
  isa_begin(p, 2);
  CHECK_RUN(p);
  CHECK_S64(p, 0, isa_address(p, 2) + 4);
  static const uint64_t nowhere[] = {0, ~0ull, 2};
  for (int i = 0; i < 3; ++i) {
    sim_set_s64(isa_begin(p, 5), 0, i == 2 ? isa_address(p, 0) + 2 : nowhere[i]);
    CHECK_FAULT(p, SIM_FAULT_PROGRAM, "no instruction begins");
  }
  isa_begin(p, 6);
  CHECK_FAULT(p, SIM_FAULT_PROGRAM, "no instruction begins");
  isa_begin(p, 7);
  CHECK_FAULT(p, SIM_FAULT_BUDGET, "instruction budget");
  isa_free(p);
}

// Both sides of a divergent fork run, the smaller one first; an agreed one runs one side only. s[20:21] is
// the mask, s[22:23] and s[24:25] are EXEC on the passing and failing side, s26 and s27 their order.
#define SIDES                                                                          \
  " s_mov_b64 s[24:25], exec\n s_addk_i32 s28, 1\n s_mov_b32 s27, s28\n s_branch 2f\n" \
  "1: s_mov_b64 s[22:23], exec\n s_addk_i32 s28, 1\n s_mov_b32 s26, s28\n"             \
  "2: s_cbranch_join s30"

static void fork_and_join(const char *target) {
  static const char *const code[] = {
      "s_cbranch_i_fork s[20:21], 1f\n" SIDES,
      "s_getpc_b64 s[4:5]\n3: s_add_u32 s4, s4, 1f-3b\n s_addc_u32 s5, s5, 0\n"
      " s_cbranch_g_fork s[20:21], s[4:5]\n" SIDES,
  };
  static const struct {
    uint64_t mask, exec, pass, fail;
    uint32_t pass_order, fail_order;
  } cases[] = {
      {0xf, ~0ull, 0xf, ~0xfull, 1, 2},      // four lanes pass: they go first
      {~0xfull, ~0ull, ~0xfull, 0xf, 2, 1},  // four lanes fail: they go first
      {0xff, 0xf, 0xf, 0, 1, 0},             // all active lanes pass
      {0xf0, 0xf, 0, 0xf, 0, 1},             // none passes
      {0x3, 0xf, 0x3, 0xc, 1, 2},            // equal halves: the passing side first
  };
  isa_program *p = isa_assemble(target, code, 2);
  for (size_t snippet = 0; snippet < 2; ++snippet) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
      sim_wave *w = isa_begin(p, snippet);
      sim_set_s64(w, 20, cases[i].mask);
      sim_set_s64(w, SIM_EXEC, cases[i].exec);
      CHECK_RUN(p);
      CHECK_S64(p, 22, cases[i].pass);
      CHECK_S64(p, 24, cases[i].fail);
      CHECK_S32(p, 26, cases[i].pass_order);
      CHECK_S32(p, 27, cases[i].fail_order);
      CHECK(w->mode >> 29 == 0, "the branch stack is not empty at the end");
    }
  }
  isa_free(p);
}

static void barriers(const char *target) {
  // Wave 0 (s0 = 0) stores before the barrier, the others load after it.
  static const char *const code[] = {
      "s_cmp_lg_u32 s0, 0\n s_cbranch_scc1 1f\n s_nop 0\n s_nop 0\n s_nop 0\n s_store_dword s1, s[8:9], 0x0\n"
      " s_waitcnt lgkmcnt(0)\n1: s_barrier\n s_load_dword s2, s[8:9], 0x0\n s_waitcnt lgkmcnt(0)",
      // Wave 0 ends without the barrier: an ended wave counts as arrived.
      "s_cmp_lg_u32 s0, 0\n s_cbranch_scc1 1f\n s_nop 0\n s_nop 0\n s_endpgm\n1: s_barrier\n s_mov_b32 s2, "
      "77",
  };
  static const sim_schedule schedules[] = {SIM_LATE, SIM_EARLY, SIM_LOCKSTEP, SIM_TIMED, SIM_RANDOM};
  isa_program *p = isa_assemble(target, code, 2);
  uint32_t *memory = isa_memory(p, 4);
  for (int schedule = 0; schedule < 5; ++schedule) {
    for (uint64_t seed = 1; seed <= 16; ++seed) {
      for (size_t snippet = 0; snippet < 2; ++snippet) {
        sim_wave *w = isa_begin_waves(p, snippet, 4);
        isa_group(p)->schedule = schedules[schedule];
        isa_group(p)->rng = seed;
        memory[0] = 0;
        for (uint32_t i = 0; i < 4; ++i) {
          w[i].s[0] = i;
          w[i].s[1] = 77;
          sim_set_s64(&w[i], 8, (uint64_t)(uintptr_t)memory);
        }
        CHECK_RUN(p);
        for (int i = 1; i < 4; ++i)
          CHECK(w[i].s[2] == 77, "snippet %zu schedule %d seed %d: wave %d has %u", snippet, schedule,
                (int)seed, i, w[i].s[2]);
      }
    }
  }
  isa_free(p);
}

static void traps_and_messages(const char *target) {
  static const struct {
    const char *code;
    sim_fault_kind fault;
    const char *text;
  } cases[] = {
      {"s_trap 2", SIM_FAULT_TRAP, "trap 2 (abort"},
      {"s_trap 1", SIM_FAULT_TRAP, "trap 1\n"},
      {"s_sethalt 1", SIM_FAULT_DEADLOCK, "halts"},
      {"s_setkill 1", SIM_FAULT_TRAP, "kills"},
      {"s_sendmsg sendmsg(MSG_GET_DOORBELL)", SIM_FAULT_UNSUPPORTED, "s_sendmsg"},
      {"s_trap 3", SIM_FAULT_NONE, ""},
      {"s_sethalt 0", SIM_FAULT_NONE, ""},
      {"s_setkill 0", SIM_FAULT_NONE, ""},
      {"s_sendmsg sendmsg(MSG_INTERRUPT)", SIM_FAULT_NONE, ""},
      {"s_sleep 5\n s_nop 15\n s_icache_inv\n s_wakeup", SIM_FAULT_NONE, ""},
      {"s_dcache_inv\n s_dcache_wb\n s_dcache_inv_vol\n s_dcache_wb_vol", SIM_FAULT_NONE, ""},
      {"s_incperflevel 1\n s_decperflevel 1\n s_ttracedata", SIM_FAULT_NONE, ""},
      {"s_atc_probe 0, s[2:3], 0x0\n s_atc_probe_buffer 0, s[4:7], 0x0", SIM_FAULT_NONE, ""},
      {"s_dcache_discard s[2:3], 0x0\n s_dcache_discard_x2 s[2:3], 0x0", SIM_FAULT_NONE, ""},
  };
  enum { COUNT = sizeof cases / sizeof cases[0] };
  const char *code[COUNT];
  char text[COUNT][160];
  for (int i = 0; i < COUNT; ++i) {
    snprintf(text[i], sizeof text[i], "%s\n s_mov_b32 s0, 9", cases[i].code);
    code[i] = text[i];
  }
  isa_program *p = isa_assemble(target, code, COUNT);
  for (int i = 0; i < COUNT; ++i) {
    isa_begin(p, (size_t)i);
    if (cases[i].fault == SIM_FAULT_NONE) {
      CHECK_RUN(p);
      CHECK_S32(p, 0, 9);
    } else {
      CHECK_FAULT(p, cases[i].fault, cases[i].text);
    }
  }
  isa_free(p);
}

int main(void) {
  conditions("gfx942");
  conditions("gfx950");
  program_counter("gfx942");
  program_counter("gfx950");
  fork_and_join("gfx942");
  fork_and_join("gfx950");
  barriers("gfx942");
  barriers("gfx950");
  traps_and_messages("gfx942");
  traps_and_messages("gfx950");
  return test_result();
}
