// SPDX-License-Identifier: MIT
// Exchanges between lanes through the wrappers, against what the manual says each lane reads (CDNA4 ISA: DPP,
// DS_SWIZZLE_B32, DS_PERMUTE_B32, DS_BPERMUTE_B32, V_PERMLANE16_SWAP_B32, V_PERMLANE32_SWAP_B32).
#include "run.h"

enum { LANES = 64, ROWS = 30, NONE = -1 };

static uint32_t *in, *out;
static int next_row;
static const char *chip;

static void check_row(const char *what, const uint32_t want[LANES]) {
  for (int lane = 0; lane < LANES; ++lane) {
    const uint32_t got = out[next_row * LANES + lane];
    CHECK(got == want[lane], "%s on %s: lane %d is %08x, expected %08x", what, chip, lane, got, want[lane]);
  }
  ++next_row;
}

// Lane l reads lane source(l, x), and without one becomes `otherwise`.
static void check_source(const char *what, int (*source)(int lane, int x), int x, const uint32_t *otherwise) {
  uint32_t want[LANES];
  for (int lane = 0; lane < LANES; ++lane) {
    const int from = source(lane, x);
    want[lane] = from != NONE ? in[from] : otherwise ? otherwise[lane] : 0;
  }
  check_row(what, want);
}

static int quad(int lane, int pattern) { return lane / 4 * 4 + (pattern >> (lane % 4 * 4) & 15); }
static int in_row(int lane, int place) { return place >= 0 && place < 16 ? lane / 16 * 16 + place : NONE; }
static int from_right(int lane, int count) { return in_row(lane, lane % 16 + count); }
static int from_left(int lane, int count) { return in_row(lane, lane % 16 - count); }
static int rotated(int lane, int count) { return in_row(lane, (lane % 16 + 16 - count) % 16); }
static int mirrored(int lane, int size) { return lane / size * size + size - 1 - lane % size; }
static int broadcast(int lane, int place) { return in_row(lane, place); }
static int rotated_partly(int lane, int count) {  // rows 0 and 2, lanes 8 to 15
  return lane / 16 % 2 == 0 && lane % 16 >= 8 ? rotated(lane, count) : NONE;
}
static int last_of_previous(int lane, int size) {  // to odd groups of `size` lanes
  return lane / size % 2 != 0 ? lane / size * size - 1 : NONE;
}
static int fixed(int lane, int from) { return (void)lane, from; }
static int looked_up(int lane, int x) { return (void)x, (int)in[128 + lane]; }
static int bits(int lane, int masks) {  // and, or, xor: five bits each
  const int place = (((lane % 32) & masks) | masks >> 5) ^ masks >> 10;
  return lane / 32 * 32 + (place & 31);
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = test_seed(73);
  chip = gfx950 ? "gfx950" : "gfx942";
  for (int i = 0; i < 2 * LANES; ++i) in[i] = (uint32_t)test_random(&rng) | 1;
  for (int i = 0; i < LANES; ++i) in[128 + i] = (uint32_t)(test_random(&rng) % LANES);
  memset(out, 0, ROWS * LANES * 4);
  int uniform = 37;
  void *arguments[] = {&in, &out, &uniform};
  if (!isa_run(module, "exchanges", LANES, arguments)) return;
  const uint32_t *old = in + LANES;
  uint32_t want[LANES], other[LANES];
  next_row = 0;
  check_source("quad_perm 1032", quad, 0x2301, NULL);
  check_source("quad_perm 3301", quad, 0x1033, NULL);
  check_source("row_shl 1", from_right, 1, NULL);
  check_source("row_shl 15", from_right, 15, NULL);
  check_source("row_shr 1", from_left, 1, NULL);
  check_source("row_shr 8", from_left, 8, NULL);
  check_source("row_ror 4", rotated, 4, NULL);
  check_source("row_mirror", mirrored, 16, NULL);
  check_source("row_half_mirror", mirrored, 8, NULL);
  check_source("row_newbcast 0", broadcast, 0, NULL);
  check_source("row_newbcast 11", broadcast, 11, NULL);
  check_source("row_shr 4, old kept", from_left, 4, old);
  check_source("row_ror 2, masked", rotated_partly, 2, old);
  check_source("row_bcast15", last_of_previous, 16, old);
  check_source("row_bcast31", last_of_previous, 32, old);
  check_source("readlane", fixed, uniform, NULL);
  check_source("readfirstlane", fixed, 0, NULL);
  memcpy(want, in, sizeof want);
  want[uniform] = old[0];
  check_row("writelane", want);
  check_source("ds_bpermute", looked_up, 0, NULL);
  memset(want, 0, sizeof want);
  for (int lane = 0; lane < LANES; ++lane) want[in[128 + lane]] = in[lane];
  check_row("ds_permute", want);
  check_source("ds_swizzle xor 17", bits, 0x1f | 0x11 << 10, NULL);
  check_source("ds_swizzle and or xor", bits, 0x18 | 0x03 << 5 | 0x04 << 10, NULL);
  check_source("ds_swizzle quad", quad, 0x1302, NULL);
  uint64_t votes = 0;
  for (int lane = 0; lane < LANES; ++lane) votes |= (uint64_t)(in[lane] % 3 == 0) << lane;
  for (int half = 0; half < 2; ++half) {
    for (int lane = 0; lane < LANES; ++lane) want[lane] = (uint32_t)(votes >> 32 * half);
    check_row("ballot", want);
  }
  for (int lane = 0; lane < LANES; ++lane) want[lane] = 1 + 4;
  check_row("any_lane and all_lanes", want);
  for (int rows = 2; gfx950 && rows >= 1; --rows) {  // of 16 lanes, that change places together
    const int size = 16 * rows;
    for (int lane = 0; lane < LANES; ++lane) {
      want[lane] = lane / size % 2 != 0 ? old[lane - size] : in[lane];
      other[lane] = lane / size % 2 == 0 ? in[lane + size] : old[lane];
    }
    check_row("permlane swap, first", want);
    check_row("permlane swap, second", other);
  }
  float *data = (float *)out;
  for (int lane = 0; lane < LANES; ++lane) data[lane] = (float)(lane - 10);
  void *float_arguments[] = {&out};
  if (!isa_run(module, "floats", LANES, float_arguments)) return;
  for (int lane = 0; lane < LANES; ++lane) {
    const float neighbour = lane % 16 != 0 ? (float)(lane - 11) : 0.0f;
    CHECK(data[lane] == -3.0f + neighbour, "floats on %s: lane %d is %g", chip, lane, (double)data[lane]);
  }
}

int main(int argc, char **argv) {
  in = isa_memory(3 * LANES * 4), out = isa_memory(ROWS * LANES * 4);
  return isa_main(argc, argv, check_device);
}
