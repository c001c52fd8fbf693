// SPDX-License-Identifier: MIT
// Dynamic LDS holds tiles and vectors where they are placed, under every schedule; a launch with too little
// or too much of it fails, in words that say so.
#include "dynamic_lds.h"

#include "tests/kernels/ops/isa/run.h"

enum { SIZE = 16, ELEMENTS = SIZE * SIZE, THREADS = 128, RESULTS = 2 * ELEMENTS + 4 };

static const char *const schedules[] = {"late", "early", "lockstep", "timed", "random:1", "random:2"};
static float *in, *out;

static hipError_t launch(hipModule_t module, const char *name, unsigned bytes, void **arguments) {
  hipFunction_t function = NULL;
  memset(out, 0xff, RESULTS * sizeof *out);
  if (!isa_ok(hipModuleGetFunction(&function, module, name), name)) return hipErrorNotFound;
  const hipError_t error =
      hipModuleLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, bytes, NULL, arguments, NULL);
  return error == hipSuccess ? hipDeviceSynchronize() : error;
}

// Wave 0 reads twice the tile, wave 1 the tile with each row's sum added.
static void check_results(const char *name, const char *schedule) {
  for (int row = 0; row < SIZE; ++row) {
    float sum = 0;
    for (int column = 0; column < SIZE; ++column) sum += in[row * SIZE + column];
    for (int column = 0; column < SIZE; ++column) {
      const float x = in[row * SIZE + column], twice = out[row * SIZE + column],
                  summed = out[ELEMENTS + row * SIZE + column];
      CHECK(twice == 2 * x, "%s under %s: wave 0 reads %g in row %d, column %d, expected %g", name, schedule,
            (double)twice, row, column, (double)(2 * x));
      CHECK(summed == x + sum, "%s under %s: wave 1 has %g in row %d, column %d, expected %g", name, schedule,
            (double)summed, row, column, (double)(x + sum));
    }
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  const unsigned most = gfx950 ? 160 * 1024 : 64 * 1024;
  void *ordered[] = {&in, &out};
  for (size_t s = 0; s < sizeof schedules / sizeof *schedules; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    CHECK(launch(module, "in_order", OPS_DYNAMIC_BYTES, ordered) == hipSuccess, "in_order under %s",
          schedules[s]);
    check_results("in_order", schedules[s]);
    CHECK(launch(module, "in_order", most, ordered) == hipSuccess, "in_order with all LDS under %s",
          schedules[s]);
    check_results("in_order with all LDS", schedules[s]);

    int first = 5 * 1024, second = 1024, sums = 48;
    const unsigned bytes = 6 * 1024;
    void *placed[] = {&in, &out, &first, &second, &sums};
    CHECK(launch(module, "by_offset", bytes, placed) == hipSuccess, "by_offset under %s", schedules[s]);
    check_results("by_offset", schedules[s]);
    for (int i = 0; i < 3; ++i)
      CHECK(out[2 * ELEMENTS + i] == (float)(i + 1),
            "by_offset under %s overwrites the kernel's own LDS: %g at %d", schedules[s],
            (double)out[2 * ELEMENTS + i], i);
    CHECK(out[2 * ELEMENTS + 3] == (float)bytes, "dynamic_lds_bytes is %g under %s, expected %u",
          (double)out[2 * ELEMENTS + 3], schedules[s], bytes);

    // Too little: the first kernel looks by itself; the second goes beyond the end.
    CHECK(launch(module, "in_order", OPS_DYNAMIC_BYTES - 1, ordered) == hipErrorLaunchFailure,
          "require lets a launch with a byte too little pass under %s", schedules[s]);
    CHECK(launch(module, "by_offset", bytes - 16, placed) == hipErrorLaunchFailure,
          "an access beyond the dynamic LDS passes under %s", schedules[s]);
  }
  CHECK(launch(module, "in_order", most + 1, ordered) == hipErrorInvalidValue,
        "a launch with more LDS than the chip has passes");
  CHECK(launch(module, "by_offset", most, ordered) == hipErrorLaunchOutOfResources,
        "a launch passes whose dynamic LDS fits only without the kernel's own");
}

int main(int argc, char **argv) {
  in = isa_memory(ELEMENTS * sizeof *in);
  out = isa_memory(RESULTS * sizeof *out);
  test_rng rng = test_seed(51);
  for (int i = 0; i < ELEMENTS; ++i) in[i] = (float)(test_random(&rng) % 2001) - 1000;
  return isa_main(argc, argv, check_device);
}
