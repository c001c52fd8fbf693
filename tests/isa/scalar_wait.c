// SPDX-License-Identifier: MIT
// Tests s_waitcnt and the lateness of scalar memory: a missing wait reads the old register under `late`, a
// wait that covers the operation makes it visible under every schedule.
#include "tests/isa/harness.h"

enum { S = 8, D = 32, OLD = 7, NEW = 42 };

static const char *const code[] = {
    "s_load_dword s32, s[8:9], 0x0\n s_mov_b32 s0, s32\n s_waitcnt lgkmcnt(0)\n s_mov_b32 s1, s32",
    "s_load_dword s32, s[8:9], 0x0\n s_waitcnt vmcnt(0)\n s_mov_b32 s0, s32",
    "s_load_dword s32, s[8:9], 0x0\n s_waitcnt lgkmcnt(1)\n s_mov_b32 s0, s32",
    "s_load_dwordx2 s[32:33], s[8:9], 0x0\n s_waitcnt lgkmcnt(1)\n s_mov_b32 s0, s32",
    "s_load_dword s32, s[8:9], 0x0\n s_load_dword s33, s[8:9], 0x0\n s_waitcnt lgkmcnt(1)\n s_mov_b32 s0, "
    "s32",
    "s_waitcnt vmcnt(17)\n s_getreg_b32 s0, hwreg(HW_REG_IB_STS)",
    "s_waitcnt lgkmcnt(6)\n s_getreg_b32 s0, hwreg(HW_REG_IB_STS)",
    "s_waitcnt expcnt(0)\n s_getreg_b32 s0, hwreg(HW_REG_IB_STS)",
    "s_memtime s[32:33]\n s_nop 0\n s_nop 0\n s_memtime s[34:35]\n s_memrealtime s[36:37]\n s_waitcnt "
    "lgkmcnt(0)",
    "s_load_dwordx2 s[32:33], s[8:9], 0x0\n s_load_dword s34, s[8:9], 0x0\n s_getreg_b32 s0, "
    "hwreg(HW_REG_IB_STS)",
};
enum { MISSING, VM_ONLY, COUNT_ONE, COUNT_PAIR, COUNT_TWO, VM_DEPTH, LGKM_DEPTH, EXP_ONLY, TIME, WEIGHTS };

static sim_wave *begin(isa_program *p, size_t snippet, const uint32_t *memory) {
  sim_wave *w = isa_begin(p, snippet);
  sim_set_s64(w, S, (uint64_t)(uintptr_t)memory);
  w->s[D] = w->s[D + 1] = OLD;
  return w;
}

static void land_nothing(sim_wave *w, sim_access *access) {
  (void)w;
  (void)access;
}

static void decodes_fields(isa_program *p, const uint32_t *memory) {
  // 40 vector memory and 9 LDS operations are outstanding when the program begins. IB_STS shows the counters:
  // vmcnt in 3:0 and 23:22, lgkmcnt in 11:8.
  static const struct {
    size_t snippet;
    uint32_t vm, lgkm;
  } cases[] = {{VM_DEPTH, 17, 9}, {LGKM_DEPTH, 40, 6}, {EXP_ONLY, 40, 9}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    sim_wave *w = begin(p, cases[i].snippet, memory);
    const sim_op *op = isa_group(p)->program->ops;
    for (int n = 0; n < 40; ++n) sim_issue_vm(w, op, land_nothing), sim_commit(w);
    for (int n = 0; n < 9; ++n) sim_issue_lds(w, op, land_nothing), sim_commit(w);
    CHECK_RUN(p);
    CHECK_S32(p, 0, (cases[i].vm & 15) | cases[i].lgkm << 8 | cases[i].vm >> 4 << 22);
  }
}

static void time_advances(isa_program *p, const uint32_t *memory) {
  uint64_t first[2];
  for (int run = 0; run < 2; ++run) {
    sim_wave *w = begin(p, TIME, memory);
    CHECK_RUN(p);
    uint64_t a = sim_s64(w, D), b = sim_s64(w, D + 2), real = sim_s64(w, D + 4);
    first[run] = a;
    CHECK(b > a, "s_memtime went from %llu to %llu", (unsigned long long)a, (unsigned long long)b);
    CHECK(real <= b, "the 100 MHz clock (%llu) ran ahead of the core clock (%llu)", (unsigned long long)real,
          (unsigned long long)b);
  }
  sim_wave *w = begin(p, TIME, memory);
  isa_group(p)->round = 1ull << 40;
  CHECK_RUN(p);
  CHECK(sim_s64(w, D) >> 42 == 1, "the upper half of the time is lost");
  CHECK(first[0] == first[1], "s_memtime differs between equal runs");
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  for (int t = 0; t < 2; ++t) {
    isa_program *p = isa_assemble(targets[t], code, sizeof code / sizeof code[0]);
    uint32_t *memory = isa_memory(p, 64);
    memory[0] = memory[1] = NEW;

    begin(p, MISSING, memory);
    CHECK_RUN(p);
    CHECK_S32(p, 0, OLD);  // no wait: the load has not landed
    CHECK_S32(p, 1, NEW);
    begin(p, VM_ONLY, memory);
    CHECK_RUN(p);
    CHECK_S32(p, 0, OLD);  // vmcnt does not count scalar memory
    begin(p, COUNT_ONE, memory);
    CHECK_RUN(p);
    CHECK_S32(p, 0, OLD);  // one dword counts 1
    begin(p, COUNT_PAIR, memory);
    CHECK_RUN(p);
    CHECK_S32(p, 0, NEW);  // more than one dword counts 2
    begin(p, COUNT_TWO, memory);
    CHECK_RUN(p);
    CHECK_S32(p, 0, OLD);  // scalar loads return in any order: the first may be the one still out

    begin(p, MISSING, memory);
    isa_group(p)->schedule = SIM_EARLY;
    CHECK_RUN(p);
    CHECK_S32(p, 0, NEW);
    static const sim_schedule schedules[] = {SIM_EARLY, SIM_LOCKSTEP, SIM_TIMED, SIM_RANDOM};
    for (int i = 0; i < 4; ++i) {
      for (uint64_t seed = 1; seed <= 8; ++seed) {
        begin(p, MISSING, memory);
        isa_group(p)->schedule = schedules[i];
        isa_group(p)->rng = seed;
        CHECK_RUN(p);
        CHECK_S32(p, 1, NEW);
      }
    }
    decodes_fields(p, memory);
    time_advances(p, memory);
    begin(p, WEIGHTS, memory);
    CHECK_RUN(p);
    CHECK_S32(p, 0, 3 << 8);  // a pair counts 2, a single dword 1
    isa_free(p);
  }
  return test_result();
}
