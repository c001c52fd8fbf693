// SPDX-License-Identifier: MIT
// Tests one rung of the GEMM ladder, through the C API, against a float64 reference (gemm_reference.h):
// directed and random shapes, leading dimensions, byte offsets, transpositions, alpha, beta and batches, on
// every device, with the same bits under every schedule: of the directed cases each, of the random ones the
// first and two others, which take turns.
//
//   ladder KERNEL [RANDOM_CASES]
#include <hip/hip_runtime_api.h>

#include "tests/gemm/gemm_reference.h"

static const char *const schedules[] = {"late",  "late-vmem", "late-lds", "early",   "lockstep",
                                        "timed", "random:1",  "random:2", "random:3"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules, PER_RANDOM_CASE = 3 };

static const gemm_case directed[] = {
    {.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1, .batch = 1, .alpha = 1, .integers = true},
    // exactly one tile of the larger rungs, on their fast path only
    {.m = 128,
     .n = 128,
     .k = 256,
     .lda = 256,
     .ldb = 256,
     .ldc = 128,
     .batch = 1,
     .alpha = 1,
     .integers = true},
    // the fast path, then a tail in K, with edges in M and N over two tiles
    {.m = 130,
     .n = 140,
     .k = 301,
     .lda = 304,
     .ldb = 320,
     .ldc = 151,
     .batch = 1,
     .alpha = 0.5f,
     .beta = 2,
     .integers = true},
    // rows at addresses that are multiples of 4 but not of 16
    {.m = 65, .n = 33, .k = 140, .lda = 140, .ldb = 148, .ldc = 33, .offset_b = 4, .batch = 1, .alpha = -1},
    // rows at odd addresses
    {.m = 37,
     .n = 70,
     .k = 131,
     .lda = 131,
     .ldb = 131,
     .ldc = 70,
     .offset_a = 1,
     .offset_b = 3,
     .batch = 2,
     .alpha = 1,
     .beta = 1},
    // one B for the whole batch
    {.m = 20,
     .n = 18,
     .k = 160,
     .lda = 160,
     .ldb = 160,
     .ldc = 18,
     .batch = 3,
     .gap_b = -1,
     .alpha = 2,
     .integers = true},
    // rows so far apart that 32-bit offsets of rows past the end would come round to row 0: for A and B row
    // 64, for C row 32
    {.m = 1,
     .n = 1,
     .k = 130,
     .lda = 1 << 26,
     .ldb = 1 << 26,
     .ldc = 1 << 25,
     .batch = 1,
     .alpha = 1,
     .integers = true},
    // rows so far apart that a tile does not fit behind one buffer descriptor
    {.m = 2,
     .n = 2,
     .k = 130,
     .lda = 17000000,
     .ldb = 17000000,
     .ldc = 8500000,
     .batch = 1,
     .alpha = 1,
     .beta = 0.5f,
     .integers = true},
};

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: ladder KERNEL [RANDOM_CASES]\n");
    return 2;
  }
  const char *kernel = argv[1];
  const int random_cases = argc > 2 ? atoi(argv[2]) : 6;
  const gemm_ranges ranges = {.most_m = 150,
                              .most_n = 150,
                              .least_k = 1,
                              .most_k = 280,
                              .alignment = 1,
                              .orders = kernel[5] == '0' && kernel[6] <= '3'
                                            ? GEMM_ANY_ORDER
                                            : GEMM_K_CONTIGUOUS};  // gemm_01 to gemm_03 take any strides
  test_rng rng = test_seed(20260101);
  int devices = 0, next = 0;
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices >= 1, "there is no device");
  for (int device = 0; device < devices; ++device) {
    wt_context *context;
    const wt_status status = wt_context_create(device, &context);
    CHECK(status == WT_SUCCESS, "device %d: %s", device, wt_last_error(NULL));
    CHECK(hipSetDevice(device) == hipSuccess, "device %d", device);
    if (status != WT_SUCCESS) break;
    const bool ocp = strcmp(wt_context_target(context), "gfx950") == 0;
    const bool bf16 = strncmp(kernel, "gemm_pc_", 8) == 0;
    const wt_type ins[2] = {bf16  ? WT_TYPE_BF16
                            : ocp ? WT_TYPE_F8E4M3
                                  : WT_TYPE_F8E4M3_FNUZ,
                            bf16  ? WT_TYPE_BF16
                            : ocp ? WT_TYPE_F8E5M2
                                  : WT_TYPE_F8E5M2_FNUZ};
    const wt_type outs[2] = {WT_TYPE_BF16, WT_TYPE_F32};
    const int directed_cases = sizeof directed / sizeof *directed;
    for (int i = 0; i < directed_cases + random_cases; ++i) {  // every combination of types comes round
      const wt_type in = ins[i % 2], out = outs[i / 2 % 2];
      gemm_case c = i < directed_cases ? directed[i] : gemm_case_random(&rng, &ranges, in, in, out);
      c.type_a = c.type_b = in, c.type_c = out;
      if (bf16 && i < directed_cases) c.offset_a *= 2, c.offset_b *= 2;  // bytes: whole elements
      const bool is_directed = i < directed_cases;
      const char *chosen[PER_RANDOM_CASE] = {schedules[0]};
      for (int s = 1; s < PER_RANDOM_CASE; ++s) chosen[s] = schedules[1 + next++ % (SCHEDULES - 1)];
      CHECK(gemm_case_run(context, kernel, &c, is_directed ? schedules : chosen,
                          is_directed ? SCHEDULES : PER_RANDOM_CASE, &rng),
            "case %d", i);
    }
    wt_context_destroy(context);
  }
  return test_result();
}
