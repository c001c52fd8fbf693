// SPDX-License-Identifier: MIT
// Products of random shapes, alignments, leading dimensions, orders and epilogues by the kernel that the
// library chooses, against a float64 reference (gemm_reference.h), on both simulated chips.
//
//   random_products COUNT: products on each chip
#include <hip/hip_runtime_api.h>

#include "tests/gemm/gemm_reference.h"

static const char *const schedules[] = {"late", "early", "timed", "random:1", "random:2"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules, MOST_COUNT = 1000000 };

static test_rng rng;

static int one_of(const int *from, int count) { return from[test_random(&rng) % (uint64_t)count]; }
#define ONE_OF(...) \
  one_of((const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))

// Few rows are as frequent as many.
static gemm_ranges random_ranges(void) {
  const int most_m = ONE_OF(1, 16, 64, 300, 600), most_n = ONE_OF(1, 32, 300, 600);
  return (gemm_ranges){.most_m = most_m,
                       .most_n = most_n,
                       .least_k = 1,
                       .most_k = ONE_OF(8, 100, 600, 2000),
                       .orders = GEMM_ANY_ORDER,
                       .alignment = ONE_OF(1, 4, 16),
                       .epilogues = true};
}

static void check_product(wt_context *context, const gemm_types *types, int number) {
  const gemm_ranges ranges = random_ranges();
  const wt_type type_c = types->outputs[test_random(&rng) % (uint64_t)types->output_count];
  const gemm_case c = gemm_case_random(&rng, &ranges, types->a, types->b, type_c);
  CHECK(gemm_case_run(context, NULL, &c, &schedules[number % SCHEDULES], 1, &rng),
        "%s, product %d: %d x %d x %d", wt_context_target(context), number, c.m, c.n, c.k);
}

int main(int argc, char **argv) {
  char *end = NULL;
  const long count = argc == 2 ? strtol(argv[1], &end, 10) : 0;
  if (count < 1 || count > MOST_COUNT || *end)
    return fprintf(stderr, "usage: random_products COUNT, from 1 to %d\n", MOST_COUNT), 2;
  rng = test_seed(2025);
  int devices = 0;
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 2, "%d devices, expected 2", devices);
  for (int device = 0; device < devices; ++device) {
    wt_context *context;
    const wt_status status = wt_context_create(device, &context);
    CHECK(status == WT_SUCCESS && hipSetDevice(device) == hipSuccess, "device %d: %s", device,
          wt_last_error(NULL));
    if (status) break;
    gemm_types types[GEMM_TYPES];
    gemm_types_of(context, types);
    for (int i = 0; i < count; ++i) check_product(context, &types[i % GEMM_TYPES], i);
    wt_context_destroy(context);
  }
  return test_result();
}
