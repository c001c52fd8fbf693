// SPDX-License-Identifier: MIT
// Positions times frequencies are reduced to a turn exactly, and cosines and sines are within what angle.h
// says, at the ends of each eighth of a turn and in between.
#include <math.h>

#include "tests/kernels/ops/isa/run.h"

enum { COUNT = 4096 };
static const double kTurn = 6.283185307179586476925;

static void check_angles(hipModule_t module, test_rng *rng) {
  static const int32_t ends[] = {0, 1, -1, INT32_MAX, INT32_MIN, INT32_MIN + 1};
  int32_t *positions = isa_memory(COUNT * sizeof *positions);
  uint64_t *frequencies = isa_memory(COUNT * sizeof *frequencies);
  uint32_t *angles = isa_memory(COUNT * sizeof *angles);
  int count = COUNT;
  for (int i = 0; i < COUNT; ++i) {
    positions[i] = i % 8 < 6 ? ends[i % 8] : (int32_t)test_random(rng);
    frequencies[i] = test_random(rng) >> (i / 8 % 64);
  }
  void *arguments[] = {&positions, &frequencies, &angles, &count};
  if (!isa_run(module, "angle_of_positions", 256, arguments)) return;
  for (int i = 0; i < COUNT; ++i) {
    // 64 bits of the product are all of it that is not whole turns.
    const uint64_t fraction = (uint64_t)(int64_t)positions[i] * frequencies[i];
    const uint32_t want = (uint32_t)(((fraction >> 31) + 1) >> 1);
    CHECK(angles[i] == want, "position %d, frequency %llu: %u, expected %u", positions[i],
          (unsigned long long)frequencies[i], angles[i], want);
  }
}

static void check_cosines(hipModule_t module, test_rng *rng) {
  uint32_t *angles = isa_memory(COUNT * sizeof *angles);
  float *cosines = isa_memory(COUNT * sizeof *cosines), *sines = isa_memory(COUNT * sizeof *sines);
  int count = COUNT;
  for (int i = 0; i < COUNT; ++i) angles[i] = i < 24 ? (uint32_t)(i / 3) << 29 : (uint32_t)test_random(rng);
  for (int i = 0; i < 24; ++i) angles[i] += (uint32_t)(i % 3) - 1;  // around each eighth of a turn
  void *arguments[] = {&angles, &cosines, &sines, &count};
  if (!isa_run(module, "angle_cosines", 256, arguments)) return;
  for (int i = 0; i < COUNT; ++i) {
    const double angle = (double)angles[i] * 0x1p-32 * kTurn;
    CHECK(fabs((double)cosines[i] - cos(angle)) <= 0x1p-22, "cosine of %u is %.9g, expected %.9g", angles[i],
          (double)cosines[i], cos(angle));
    CHECK(fabs((double)sines[i] - sin(angle)) <= 0x1p-22, "sine of %u is %.9g, expected %.9g", angles[i],
          (double)sines[i], sin(angle));
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  (void)gfx950;
  test_rng rng = test_seed(1979);
  check_angles(module, &rng);
  check_cosines(module, &rng);
}

int main(int argc, char **argv) { return isa_main(argc, argv, check_device); }
