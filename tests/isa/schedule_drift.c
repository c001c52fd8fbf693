// SPDX-License-Identifier: MIT
// Under `late` and `late-lds` a wait or barrier that is missing between the waves of a work-group gives a
// wrong answer every time, also when all waves do the same, and under `late-vmem` a barrier does; under every
// schedule the complete program gives the right one.
#include "harness.h"

enum { WAVES = 4 };

// v1: this lane's place in LDS, v2: the same place of the next wave, v0: a value that names wave and lane.
#define WRITE "ds_write_b32 v1, v0\n"
#define WAIT "s_waitcnt lgkmcnt(0)\n"
#define BARRIER "s_barrier\n"
#define READ "ds_read_b32 v3, v2\n"
#define WRITE_OTHER "ds_write_b32 v1, v4\n"

static const struct {
  const char *name, *code;
  bool correct, with_early_lds;
} programs[] = {
    {"complete", WRITE WAIT BARRIER READ WAIT BARRIER WRITE_OTHER WAIT, true, true},
    {"waits after the barrier", WRITE BARRIER WAIT READ WAIT BARRIER WRITE_OTHER WAIT, false, true},
    {"no wait before the barrier", WRITE BARRIER READ WAIT BARRIER WRITE_OTHER WAIT, false, true},
    {"no barrier after the write", WRITE WAIT READ WAIT BARRIER WRITE_OTHER WAIT, false, false},
    {"no barrier before the overwrite", WRITE WAIT BARRIER READ WAIT WRITE_OTHER WAIT, false, false},
    {"no wait before the second barrier", WRITE WAIT BARRIER READ BARRIER WRITE_OTHER WAIT, false, true},
    {"no wait before the result is used", WRITE WAIT BARRIER READ "v_mov_b32 v3, v3\n" BARRIER WRITE_OTHER,
     false, true},
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static uint32_t value_of(uint32_t wave, uint32_t lane) { return 0x1000 * (wave + 1) + lane; }

static int wrong_lanes(isa_program *p, size_t snippet, sim_schedule schedule, uint64_t seed) {
  sim_wave *waves = isa_begin_waves(p, snippet, WAVES);
  sim_group *g = isa_group(p);
  g->schedule = schedule;
  g->rng = seed;
  for (uint32_t w = 0; w < WAVES; ++w) {
    for (uint32_t l = 0; l < SIM_LANES; ++l) {
      waves[w].v[0][l] = value_of(w, l);
      waves[w].v[1][l] = (w * SIM_LANES + l) * 4;
      waves[w].v[2][l] = ((w + 1) % WAVES * SIM_LANES + l) * 4;
      waves[w].v[4][l] = 0xdead;
    }
  }
  CHECK_RUN(p);
  int wrong = 0;
  for (uint32_t w = 0; w < WAVES; ++w)
    for (uint32_t l = 0; l < SIM_LANES; ++l) wrong += waves[w].v[3][l] != value_of((w + 1) % WAVES, l);
  return wrong;
}

int main(void) {
  const char *code[PROGRAMS];
  for (int i = 0; i < PROGRAMS; ++i) code[i] = programs[i].code;
  isa_program *p = isa_assemble("gfx950", code, PROGRAMS);
  for (size_t i = 0; i < PROGRAMS; ++i) {
    int wrong = wrong_lanes(p, i, SIM_LATE, 0);
    CHECK((wrong == 0) == programs[i].correct, "%s: %d wrong lanes under late", programs[i].name, wrong);
    wrong = wrong_lanes(p, i, SIM_LATE_LDS, 0);
    CHECK((wrong == 0) == programs[i].correct, "%s: %d wrong lanes under late-lds", programs[i].name, wrong);
    wrong = wrong_lanes(p, i, SIM_LATE_VMEM, 0);
    CHECK((wrong == 0) == programs[i].with_early_lds, "%s: %d wrong lanes under late-vmem", programs[i].name,
          wrong);
  }
  CHECK(wrong_lanes(p, 0, SIM_EARLY, 0) == 0, "the complete program under early");
  CHECK(wrong_lanes(p, 0, SIM_LOCKSTEP, 0) == 0, "the complete program under lockstep");
  CHECK(wrong_lanes(p, 0, SIM_TIMED, 0) == 0, "the complete program under timed");
  for (uint64_t seed = 1; seed <= 200; ++seed)
    CHECK(wrong_lanes(p, 0, SIM_RANDOM, seed) == 0, "the complete program under random:%llu",
          (unsigned long long)seed);
  for (size_t i = 1; i < PROGRAMS; ++i) {
    int caught = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed) caught += wrong_lanes(p, i, SIM_RANDOM, seed) != 0;
    CHECK(caught > 0, "%s: no seed of 200 shows it", programs[i].name);
  }
  isa_free(p);
  return test_result();
}
