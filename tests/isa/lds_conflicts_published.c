// SPDX-License-Identifier: MIT
// What has been published about bank conflicts comes out of the count: saturated counters, the order of
// strided reads, swizzles without conflicts. And counting changes nothing.
#include "tests/isa/lds_conflicts.h"

static uint64_t cycles_of(const char *target, const char *code, const uint32_t address[SIM_LANES]) {
  isa_program *p = isa_assemble(target, &code, 1);
  sim_wave *w = isa_begin(p, 0);
  memcpy(w->v[1], address, sizeof w->v[1]);
  sim_lds_count count = lds_run_counted(p);
  CHECK(count.executions == 1, "%s executed %llu times", code, (unsigned long long)count.executions);
  isa_free(p);
  return count.conflict_cycles;
}

// ---- strided reads: nod-ai/amd-shark-ai docs/empirical-lds. Clock cycles of 64 reads, by stride; the
// conflict counter of gfx942 saturates at 62, 60 and 56 per read.

enum { STRIDES = 6 };

static void strided_reads(void) {
  static const struct {
    const char *target, *code;
    unsigned stride, clocks[STRIDES];
    unsigned cycles[STRIDES];  // phases * (ways - 1)
  } row[] = {
      {"gfx942", "ds_read_b32 v8, v1", 4, {501, 570, 957, 1833, 3512, 6810}, {0, 2, 6, 14, 30, 62}},
      {"gfx942", "ds_read_b64 v[8:9], v1", 8, {852, 991, 1856, 3625, 7158}, {0, 4, 12, 28, 60}},
      {"gfx942", "ds_read_b128 v[8:11], v1", 16, {1384, 1941, 3804, 7615}, {0, 8, 24, 56}},
      {"gfx950", "ds_read_b64 v[8:9], v1", 8, {583, 819, 1490, 2759, 5090, 10025}, {0, 2, 6, 14, 30, 62}},
  };
  for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
    uint64_t cycles[STRIDES] = {0};
    for (unsigned k = 0; k < STRIDES; ++k) {
      uint32_t address[SIM_LANES];
      for (unsigned l = 0; l < SIM_LANES; ++l) address[l] = (row[i].stride << k) * l;
      cycles[k] = cycles_of(row[i].target, row[i].code, address);
      if (row[i].clocks[k])
        CHECK(cycles[k] == row[i].cycles[k], "%s %s, stride %u: %llu conflict cycles, expected %u",
              row[i].target, row[i].code, row[i].stride << k, (unsigned long long)cycles[k],
              row[i].cycles[k]);
    }
    for (unsigned k = 1; k < STRIDES && row[i].clocks[k]; ++k)
      CHECK((cycles[k] > cycles[k - 1]) == (row[i].clocks[k] > row[i].clocks[k - 1]),
            "%s %s, stride %u: the published order", row[i].target, row[i].code, row[i].stride << k);
  }
}

// ---- published swizzles, as functions of the byte offset in a tile

static uint32_t as_it_is(uint32_t offset) { return offset; }
// Swizzles 16x128 bytes: the 16-byte column ^= row / 2 (HazyResearch/HipKittens; ROCm blog on FP8 GEMM, 4
// waves).
static uint32_t by_row_pair(uint32_t offset) { return offset ^ (offset / 256 & 7) << 4; }
// 16x128 bytes: the same with neighbouring pairs exchanged (ROCm blog on FP8 GEMM, 8 waves).
static uint32_t by_mixed_row_pair(uint32_t offset) {
  uint32_t pair = offset / 256 & 7;
  return offset ^ (pair ^ (((pair >> 1) ^ (pair >> 2)) & 1)) << 4;
}
// Swizzles 16x128 bytes: the 16-byte column ^= row, the pattern for 32 banks.
static uint32_t by_row(uint32_t offset) { return offset ^ (offset / 128 & 7) << 4; }
// Swizzles 16x32 and 16x16 bf16 (HazyResearch/HipKittens).
static uint32_t bf16_rows_of_64(uint32_t offset) { return offset ^ (offset % 1024 >> 9) << 5; }
static uint32_t bf16_rows_of_32(uint32_t offset) { return offset ^ (offset % 512 >> 7) << 3; }

static void swizzles(void) {
  enum { ANY = -1 };  // some conflicts
  static const struct {
    const char *name, *code;
    uint32_t (*swizzle)(uint32_t);
    unsigned row_bytes, lane_bytes;
    int on_gfx942, on_gfx950;
  } tile[] = {
      {"16x128", "ds_read_b128 v[8:11], v1", as_it_is, 128, 16, ANY, ANY},
      {"16x128 by row pair", "ds_read_b128 v[8:11], v1", by_row_pair, 128, 16, ANY, 0},
      {"16x128 by mixed row pair", "ds_read_b128 v[8:11], v1", by_mixed_row_pair, 128, 16, ANY, 0},
      {"16x128 by row", "ds_read_b128 v[8:11], v1", by_row, 128, 16, 0, 0},
      {"16x32 bf16", "ds_read_b128 v[8:11], v1", as_it_is, 64, 16, ANY, ANY},
      {"16x32 bf16 swizzled", "ds_read_b128 v[8:11], v1", bf16_rows_of_64, 64, 16, ANY, 0},
      {"16x16 bf16", "ds_write_b64 v1, v[8:9]", as_it_is, 32, 8, ANY, ANY},
      {"16x16 bf16 swizzled", "ds_write_b64 v1, v[8:9]", bf16_rows_of_32, 32, 8, 0, 0},
  };
  static const char *const targets[] = {"gfx942", "gfx950"};
  for (size_t i = 0; i < sizeof tile / sizeof tile[0]; ++i)
    for (int chip = 0; chip < 2; ++chip) {
      uint32_t address[SIM_LANES];
      for (unsigned l = 0; l < SIM_LANES; ++l)
        address[l] = tile[i].swizzle(l % 16 * tile[i].row_bytes + l / 16 * tile[i].lane_bytes);
      uint64_t cycles = cycles_of(targets[chip], tile[i].code, address);
      int expected = chip ? tile[i].on_gfx950 : tile[i].on_gfx942;
      CHECK(expected == ANY ? cycles > 0 : cycles == 0, "%s, %s: %llu conflict cycles", targets[chip],
            tile[i].name, (unsigned long long)cycles);
    }
}

// ---- the same execution with counting on and off, the same counts under every schedule

enum { WAVES = 4 };

static const char exchange[] =
    "ds_write_b64 v1, v[2:3]\n s_barrier\n ds_read_b128 v[8:11], v4\n ds_add_rtn_u32 v12, v13, v14 "
    "offset:8192\n"
    "s_waitcnt lgkmcnt(0)\n v_add_u32 v2, v8, v12\n ds_write2st64_b32 v1, v2, v8 offset0:64 offset1:65\n"
    "s_waitcnt lgkmcnt(0)\n s_barrier\n ds_read2_b32 v[16:17], v4 offset0:1 offset1:32\n s_waitcnt "
    "lgkmcnt(0)";

typedef struct outcome {
  uint32_t v[WAVES][32][SIM_LANES];
  uint64_t instructions[WAVES], round;
  uint8_t lds[ISA_LDS_BYTES];
  sim_lds_count count;
} outcome;

static void run_exchange(isa_program *p, sim_schedule schedule, bool count, outcome *out) {
  test_rng rng = {7};
  sim_wave *w = isa_begin_waves(p, 0, WAVES);
  isa_group(p)->schedule = schedule;
  isa_group(p)->rng = 11;
  memset(out, 0, sizeof *out);
  for (unsigned i = 0; i < WAVES; ++i)
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      w[i].v[1][l] = 1024 * i + l * 8 % 1024;
      w[i].v[2][l] = (uint32_t)test_random(&rng);
      w[i].v[4][l] = (uint32_t)test_random(&rng) % 4096 & ~15u;
      w[i].v[13][l] = 256 * i + (uint32_t)test_random(&rng) % 64 * 4;  // each wave its own: no order matters
      w[i].v[14][l] = l;
    }
  if (count)
    out->count = lds_run_counted(p);
  else
    CHECK_RUN(p);
  for (unsigned i = 0; i < WAVES; ++i) {
    memcpy(out->v[i], w[i].v, sizeof out->v[i]);
    out->instructions[i] = w[i].instructions;
  }
  out->round = isa_group(p)->round;
  memcpy(out->lds, isa_group(p)->lds, sizeof out->lds);
}

static void counting_changes_nothing(void) {
  static const char *const code[] = {exchange}, *const targets[] = {"gfx942", "gfx950"};
  static const sim_schedule schedules[] = {SIM_LATE, SIM_EARLY, SIM_LOCKSTEP, SIM_TIMED, SIM_RANDOM};
  static outcome off, on;
  for (int chip = 0; chip < 2; ++chip) {
    isa_program *p = isa_assemble(targets[chip], code, 1);
    sim_lds_count first = {0, 0};
    for (int i = 0; i < 5; ++i) {
      run_exchange(p, schedules[i], false, &off);
      run_exchange(p, schedules[i], true, &on);
      sim_lds_count count = on.count;
      if (i == 0) first = count;
      on.count = off.count;
      CHECK(memcmp(&off, &on, sizeof on) == 0, "%s, schedule %d: counting changed the execution",
            targets[chip], i);
      CHECK(count.executions == 5 * WAVES && count.conflict_cycles > 0, "%s: %llu executions, %llu cycles",
            targets[chip], (unsigned long long)count.executions, (unsigned long long)count.conflict_cycles);
      CHECK(count.executions == first.executions && count.conflict_cycles == first.conflict_cycles,
            "%s, schedule %d counts %llu cycles, the first %llu", targets[chip], i,
            (unsigned long long)count.conflict_cycles, (unsigned long long)first.conflict_cycles);
    }
    isa_free(p);
  }
}

int main(void) {
  strided_reads();
  swizzles();
  counting_changes_nothing();
  return test_result();
}
