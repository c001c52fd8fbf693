// SPDX-License-Identifier: MIT
// Four waves exchange data through LDS and memory: with the right waits the result is the same under every
// schedule and seed; without a wait, `late` is wrong every time.
#include "tests/isa/buffer_test.h"

enum { WAVES = 4, TILE = 1024, SEEDS = 20 };

// Wave i copies tile i of the input to LDS (direct-to-LDS), multiplies it by 3 through registers into a
// second buffer, and stores what its neighbour i + 1 left there; every lane also takes a ticket from a
// counter. s[4:5] output, s12 = i * TILE, s13 = ((i + 1) % 4) * TILE, v1 = lane * 16, v0 = 0.
static const char *const exchange =
    "s_mov_b32 m0, s12\n"
    "v_add_u32 v2, s12, v1\n"
    "buffer_load_dwordx4 v2, s[8:11], 0 offen lds\n"
    "%s"  // the wait under test
    "ds_read_b128 v[4:7], v2\n"
    "s_waitcnt lgkmcnt(0)\n"
    "v_mul_lo_u32 v4, v4, 3\n v_mul_lo_u32 v5, v5, 3\n v_mul_lo_u32 v6, v6, 3\n v_mul_lo_u32 v7, v7, 3\n"
    "ds_write_b128 v2, v[4:7] offset:8192\n"
    "v_mov_b32 v15, 1\n v_mov_b32 v14, 0\n"
    "ds_add_u32 v14, v15 offset:16384\n"
    "global_atomic_add v14, v15, s[4:5] offset:2048\n"
    "s_waitcnt lgkmcnt(0)\n"
    "s_barrier\n"
    "v_add_u32 v3, s13, v1\n"
    "ds_read_b64 v[8:9], v3 offset:8192\n"
    "ds_read2_b32 v[10:11], v3 offset0:2 offset1:3\n"
    "ds_read_b32 v13, v14 offset:16384\n"
    "s_waitcnt lgkmcnt(1)\n"
    "v_add_u32 v2, 4096, v2\n"
    "global_store_dwordx2 v2, v[8:9], s[4:5]\n"
    "global_store_dwordx2 v2, v[10:11], s[4:5] offset:8\n"
    "s_waitcnt lgkmcnt(0)\n"
    "global_store_dword v14, v13, s[4:5] offset:2052\n";

static bool right_result(const uint8_t *out) {
  uint32_t lds_count, memory_count;
  memcpy(&memory_count, out + 2048, 4);
  memcpy(&lds_count, out + 2052, 4);
  bool ok = memory_count == 64 * WAVES && lds_count == 64 * WAVES;
  for (unsigned i = 0; i < WAVES; ++i)
    for (unsigned k = 0; k < TILE / 4; ++k) {
      uint32_t value, from = (i + 1) % WAVES * TILE + 4 * k;
      memcpy(&value, out + 4096 + i * TILE + 4 * k, 4);
      // Words 0 and 1 of a lane come from the second buffer, 2 and 3 from the first.
      ok = ok && value == dword_at(from) * (k % 4 < 2 ? 3 : 1);
    }
  return ok;
}

static bool run_exchange(isa_program *p, size_t snippet, sim_schedule schedule, uint64_t seed) {
  sim_wave *w = isa_begin_waves(p, snippet, WAVES);
  uint8_t *in = pattern_memory(p, WAVES * TILE), *out = isa_memory(p, 4096 + WAVES * TILE);
  isa_group(p)->schedule = schedule;
  isa_group(p)->rng = seed;
  for (uint32_t i = 0; i < WAVES; ++i) {
    set_buffer(&w[i], in, 0, WAVES * TILE, RAW32);
    sim_set_s64(&w[i], 4, (uint64_t)(uintptr_t)out);
    w[i].s[12] = i * TILE;
    w[i].s[13] = (i + 1) % WAVES * TILE;
    for (unsigned l = 0; l < 64; ++l) w[i].v[1][l] = 16 * l;
  }
  CHECK_RUN(p);
  return right_result(out);
}

int main(void) {
  char good[2048], bad[2048];
  snprintf(good, sizeof good, exchange, "s_waitcnt vmcnt(0)\n");
  snprintf(bad, sizeof bad, exchange, "s_waitcnt lgkmcnt(0)\n");
  const char *const code[] = {good, bad};
  isa_program *p = isa_assemble("gfx950", code, 2);
  CHECK(run_exchange(p, 0, SIM_LATE, 0), "late");
  CHECK(run_exchange(p, 0, SIM_LATE_VMEM, 0), "late-vmem");
  CHECK(run_exchange(p, 0, SIM_LATE_LDS, 0), "late-lds");
  CHECK(run_exchange(p, 0, SIM_EARLY, 0), "early");
  CHECK(run_exchange(p, 0, SIM_LOCKSTEP, 0), "lockstep");
  CHECK(run_exchange(p, 0, SIM_TIMED, 0), "timed");
  for (uint64_t seed = 1; seed <= SEEDS; ++seed)
    CHECK(run_exchange(p, 0, SIM_RANDOM, seed), "random:%llu", (unsigned long long)seed);
  CHECK(!run_exchange(p, 1, SIM_LATE, 0), "the missing vmcnt must show under late");
  CHECK(!run_exchange(p, 1, SIM_LATE_VMEM, 0), "and under late-vmem");
  CHECK(run_exchange(p, 1, SIM_LATE_LDS, 0), "and hide under late-lds, where copies land at issue");
  CHECK(run_exchange(p, 1, SIM_EARLY, 0), "and under early");
  isa_free(p);
  return test_result();
}
