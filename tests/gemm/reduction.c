// SPDX-License-Identifier: MIT
// The reduction of a split K adds the parts in their order, for random shapes, and touches no byte of the
// workspace that nothing has written: the columns that pad a row are filled with NaN, and after the last row
// the allocation ends. Arguments: gemm_reduce for gfx950 and for gfx942.
#include <math.h>

#include "kernels/gemm/gemm_reduce_args.h"
#include "tests/kernels/ops/isa/run.h"

enum { CASES = 40, THREADS = WT_REDUCE_THREADS, COLUMNS = WT_REDUCE_COLUMNS };

static test_rng rng;

static int between(int least, int most) {
  return least + (int)(test_random(&rng) % (uint64_t)(most - least + 1));
}

static float random_float(void) { return (float)between(-1000000, 1000000) / 1024; }

static void check_case(hipFunction_t kernel, bool integers) {
  const int m = between(1, 9), n = between(1, 70), parts = between(1, 5), batch = between(1, 2);
  const int row = (n + COLUMNS - 1) / COLUMNS * COLUMNS, per_batch = m * row, per_part = batch * per_batch;
  const int count = parts * per_part - (row - n);  // without the padding of the last row
  void *sums = NULL;
  if (!isa_ok(hipMalloc(&sums, (size_t)count * 4), "hipMalloc")) return;
  uint32_t *host = malloc((size_t)count * 4), *c = isa_memory((size_t)(batch * m * n) * 4);
  for (int i = 0; i < count; ++i) {
    const float value = i % row < n ? random_float() : NAN;
    memcpy(host + i, &value, 4);
    if (integers && i % row < n) host[i] = (uint32_t)test_random(&rng);
  }
  isa_ok(hipMemcpy(sums, host, (size_t)count * 4, hipMemcpyHostToDevice), "hipMemcpy");
  wt_gemm_reduce_args args = {.product = {.a = sums,
                                          .c = c,
                                          .m = m,
                                          .n = n,
                                          .alpha = 1,
                                          .a_row = row,
                                          .a_batch = per_batch,
                                          .c_part = per_part,
                                          .c_row = n,
                                          .c_batch = m * n,
                                          .type_c = integers ? WT_KERNEL_I32 : WT_KERNEL_F32},
                              .row = wt_divisor_of((unsigned)(row / COLUMNS)),
                              .parts = parts};
  void *params[] = {&args};
  const unsigned groups = (unsigned)(m * (row / COLUMNS) + THREADS - 1) / THREADS;
  CHECK(hipModuleLaunchKernel(kernel, groups, 1, (unsigned)batch, THREADS, 1, 1, 0, NULL, params, NULL) ==
                hipSuccess &&
            hipDeviceSynchronize() == hipSuccess,
        "%d x %d, %d parts, batch of %d: it reads what is no sum", m, n, parts, batch);
  for (int i = 0; i < batch * m * n; ++i) {
    const uint32_t *from = host + i / n * row + i % n;
    float sum;
    uint32_t wrapped = from[0];
    memcpy(&sum, from, 4);
    for (int p = 1; p < parts; ++p) {
      float term;
      memcpy(&term, from + p * per_part, 4);
      sum += term, wrapped += from[p * per_part];
    }
    if (!integers) memcpy(&wrapped, &sum, 4);
    CHECK(c[i] == wrapped, "%d x %d, %d parts, batch of %d: element %d is 0x%x, not 0x%x", m, n, parts, batch,
          i, c[i], wrapped);
  }
  isa_ok(hipFree(sums), "hipFree");
  free(host);
}

static void check_device(hipModule_t module, bool gfx950) {
  (void)gfx950;
  for (int integers = 0; integers < 2; ++integers) {
    hipFunction_t kernel;
    const char *name = integers ? "gemm_reduce_i32" : "gemm_reduce_f32";
    if (!isa_ok(hipModuleGetFunction(&kernel, module, name), name)) continue;
    for (int i = 0; i < CASES; ++i) check_case(kernel, integers);
  }
}

int main(int argc, char **argv) {
  rng = test_seed(29);
  return isa_main(argc, argv, check_device);
}
