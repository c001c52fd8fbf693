// SPDX-License-Identifier: MIT
// Four waves copy to LDS and read what their neighbour has copied. Where a wave waits for its copy only
// behind the barrier, every result is wrong on hardware (a published analysis of a race detector, which did
// not see it): check mode finds it, and it is wrong under `timed`, too.
#include "tests/check/snippets.h"

#define COPY                                                                      \
  "v_add_u32 v2, s12, v0\n v_add_u32 v3, s13, v0\n s_mov_b32 m0, s12\n s_nop 0\n" \
  "buffer_load_dword v2, s[8:11], 0 offen lds\n"
#define READ "ds_read_b32 v8, v3\n"

enum { WAVES = 4, BYTES = 65536 };

static const check_case cases[] = {
    {"a wait behind the barrier", COPY "s_barrier\n" READ "s_waitcnt vmcnt(0) lgkmcnt(0)\n",
     SIM_FINDING_LDS_BEFORE_WAIT, "s_waitcnt vmcnt(0) is needed before the writer's s_barrier", WAVES, 0, 0},
    {"a wait before the barrier", COPY "s_waitcnt vmcnt(0)\n s_barrier\n" READ "s_waitcnt lgkmcnt(0)\n",
     CHECK_CLEAN, 0, WAVES, 0, 0},
};
enum { LATE, RIGHT, CASES };

static uint32_t pattern(uint32_t dword) { return 0x51000000u + dword * 7; }

// Returns how many of the lanes have read something else than what their neighbour copied.
static unsigned wrong_lanes(isa_program *p, size_t number, uint32_t *memory) {
  sim_wave *w = isa_begin_waves(p, number, WAVES);
  sim_group *g = isa_group(p);
  unsigned wrong = 0;
  for (uint32_t i = 0; i < BYTES / 4; ++i) memory[i] = pattern(i);
  check_prepare(w, WAVES, 0, memory);
  g->schedule = SIM_TIMED;
  while (!sim_group_run(g)) continue;  // one that only polls is run on
  CHECK(g->fault == SIM_FAULT_NONE, "%s: %s", cases[number].name, isa_report(p));
  for (uint32_t i = 0; i < WAVES; ++i)
    for (uint32_t l = 0; l < SIM_LANES; ++l) {
      const uint32_t neighbour = (i + 1) % WAVES;
      wrong += w[i].v[8][l] != pattern(neighbour * 256 + l);
    }
  return wrong;
}

static void every_result_is_wrong_under_timed(const char *target) {
  const char *code[CASES] = {cases[LATE].code, cases[RIGHT].code};
  isa_program *p = isa_assemble(target, code, CASES);
  uint32_t *memory = isa_memory(p, BYTES);
  const unsigned late = wrong_lanes(p, LATE, memory), right = wrong_lanes(p, RIGHT, memory);
  CHECK(late == WAVES * SIM_LANES, "%s: only %u of %u results are wrong", target, late, WAVES * SIM_LANES);
  CHECK(right == 0, "%s: with the wait at its place %u results are wrong", target, right);
  isa_free(p);
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  for (int i = 0; i < 2; ++i) {
    check_run(targets[i], cases, CASES);
    every_result_is_wrong_under_timed(targets[i]);
  }
  return test_result();
}
