// SPDX-License-Identifier: MIT
// Shows that the snippet runner notices what it should. Without argument everything must pass; with one, the
// planted mistake must end the process with failure.
#include "tests/isa/harness.h"

static void passes(void) {
  static const char *const code[] = {"s_add_u32 s0, s2, s4\n v_readfirstlane_b32 s1, v3", "s_trap 2",
                                     "s_mov_b32 s0, s2"};
  isa_program *p = isa_assemble("gfx950", code, 3);
  sim_wave *w = isa_begin(p, 0);
  w->s[2] = 40;
  w->s[4] = 2;
  w->v[3][0] = 7;
  CHECK_RUN(p);
  CHECK_S32(p, 0, 42);
  CHECK_S64(p, 0, 7ull << 32 | 42);
  CHECK(!isa_same_s32(p, 0, 43) && strstr(isa_why(), "s0 is 0x2a, expected 0x2b"), "%s", isa_why());
  CHECK(!isa_same_v32(p, 3, 0, 8) && strstr(isa_why(), "v3 lane 0 is 0x7, expected 0x8"), "%s", isa_why());
  CHECK(!isa_same_v32(p, SIM_ACC + 1, 0, 8) && strstr(isa_why(), "a1 lane 0"), "%s", isa_why());
  isa_begin(p, 1);
  CHECK_FAULT(p, SIM_FAULT_TRAP, "s_trap 2");
  // A new work-group forgets the last one.
  w = isa_begin_waves(p, 2, 3);
  CHECK(w[0].s[0] == 0 && w[0].v[3][0] == 0 && isa_group(p)->fault == SIM_FAULT_NONE, "state was kept");
  for (uint32_t i = 0; i < 3; ++i) w[i].s[2] = 10 + i;
  CHECK_RUN(p);
  for (uint32_t i = 0; i < 3; ++i) CHECK(w[i].s[0] == 10 + i, "wave %u has %u", i, w[i].s[0]);
  // Memory has exactly the bytes asked for.
  char *memory = isa_memory(p, 10);
  sim_allocation found;
  CHECK(sim_memory_find((uint64_t)(uintptr_t)memory + 9, &found) && found.size == 10,
        "buffer not registered");
  CHECK(!sim_memory_find((uint64_t)(uintptr_t)memory + 10, &found), "the buffer is longer than asked for");
  isa_free(p);
  CHECK(!sim_memory_find((uint64_t)(uintptr_t)memory, &found), "the buffer outlives its program");

  static const char *const lines[] = {"s_add_u32 s0, s1, s2", "v_permlane16_swap_b32 v0, v1",
                                      "s_nonsense s0"};
  bool accepted[3];
  isa_accepted("gfx942", lines, 3, accepted);
  CHECK(accepted[0] && !accepted[1] && !accepted[2], "gfx942 accepts %d %d %d", accepted[0], accepted[1],
        accepted[2]);
  isa_accepted("gfx950", lines, 3, accepted);
  CHECK(accepted[0] && accepted[1] && !accepted[2], "gfx950 accepts %d %d %d", accepted[0], accepted[1],
        accepted[2]);
}

static void planted(const char *mistake) {
  static const char *const good[] = {"s_mov_b32 s0, 1"}, *const trap[] = {"s_trap 2"},
                           *const bad[] = {"s_mov_b33"};
  isa_program *p = isa_assemble("gfx950",
                                strcmp(mistake, "assembly") == 0 ? bad
                                : strcmp(mistake, "fault") == 0  ? trap
                                                                 : good,
                                1);
  isa_begin(p, 0);
  CHECK_RUN(p);
  if (strcmp(mistake, "value") == 0) CHECK_S32(p, 0, 2);
  isa_free(p);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    planted(argv[1]);
  } else {
    passes();
  }
  return test_result();
}
