// SPDX-License-Identifier: MIT
// Launches pipelined_gemm on matrices of small integers and checks every bit of C. With `time` it launches
// once, says what HIP's events measured or the simulated device predicted, and leaves C unchecked. Usage: run
// CODE_OBJECT [M N K [time]]
// Build: wavetile hipcc --kernel examples/pipelined_gemm/pipelined_gemm.hip -o pipelined_gemm.co
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/pipelined_gemm/run.c -Lbuild/lib -lamdhip64 -o pipelined_gemm
#include <sched/grid.h>

#include "../host.h"

enum { TILE = 256, STEP = 64, LEAST_STEPS = 2, THREADS = 256, DIES = 8, WINDOW = 4 };

static uint16_t *bf16_matrix(const signed char *values, size_t count) {
  uint16_t *matrix = shared_memory(count * sizeof *matrix);
  for (size_t i = 0; i < count; ++i) matrix[i] = bf16_of_float(values[i]);
  return matrix;
}

// Returns the tiles of C in the order in which work-groups compute them: each die computes neighbouring
// tiles, in windows of WINDOW tile rows.
static wt_grid_map grid_of(int m, int n) {
  hipDeviceProp_t device;
  CALL(hipGetDeviceProperties(&device, 0));
  wt_grid_order order = {
      .tiles_m = wt_grid_tiles(m, TILE), .tiles_n = wt_grid_tiles(n, TILE), .xcds = DIES, .window = WINDOW};
  order.chunk = wt_grid_chunk(wt_grid_count(order), DIES, device.multiProcessorCount / DIES);
  return wt_grid_map_of(order);
}

static int wrong_elements(const uint16_t *c, const signed char *a, const signed char *b, int m, int n,
                          int k) {
  int wrong = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const uint16_t expected = bf16_of_float((float)product_element(a, b, k, i, j)),
                     got = c[(size_t)i * n + j];
      if (got != expected && wrong++ == 0)
        printf("C[%d][%d] is %g, expected %g\n", i, j, float_of_bf16(got), float_of_bf16(expected));
    }
  }
  return wrong;
}

int main(int argc, char **argv) {
  const int timed = argc == 6 && strcmp(argv[5], "time") == 0;
  if (argc != 2 && argc != 5 && !timed)
    return fprintf(stderr, "usage: %s CODE_OBJECT [M N K [time]]\n", argv[0]), 2;
  int m = argc > 2 ? atoi(argv[2]) : 512, n = argc > 2 ? atoi(argv[3]) : 384,
      k = argc > 2 ? atoi(argv[4]) : 256;
  if (m < 1 || n < 1 || k < LEAST_STEPS * STEP || k % STEP != 0)
    return fprintf(stderr,
                   "M is %d, N %d and K %d: M and N must be at least 1, K a multiple of %d and at least %d\n",
                   m, n, k, STEP, LEAST_STEPS * STEP),
           2;
  signed char *a_values = random_integers((size_t)m * k), *b_values = random_integers((size_t)n * k);
  uint16_t *a = bf16_matrix(a_values, (size_t)m * k), *b = bf16_matrix(b_values, (size_t)n * k);
  uint16_t *c = shared_memory((size_t)m * n * sizeof *c);

  hipModule_t module;
  hipFunction_t kernel;
  hipEvent_t begin, end;
  CALL(hipModuleLoad(&module, argv[1]));
  CALL(hipModuleGetFunction(&kernel, module, "pipelined_gemm"));
  CALL(hipEventCreate(&begin));
  CALL(hipEventCreate(&end));
  wt_grid_map grid = grid_of(m, n);
  void *arguments[] = {&a, &b, &c, &m, &n, &k, &grid};
  CALL(hipEventRecord(begin, NULL));
  CALL(hipModuleLaunchKernel(kernel, grid.tiles.divisor, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL));
  CALL(hipEventRecord(end, NULL));
  CALL(hipDeviceSynchronize());
  if (timed) {
    float ms;
    CALL(hipEventElapsedTime(&ms, begin, end));
    printf("A * B^T, %d x %d x %d: %.2f us, %.1f TFLOP/s\n", m, n, k, ms * 1e3, 2e-9 * m * n * k / ms);
    return 0;
  }
  const int wrong = wrong_elements(c, a_values, b_values, m, n, k);
  printf("A * B^T, %d x %d x %d: %d of %zu elements have wrong bits\n", m, n, k, wrong, (size_t)m * n);
  return wrong != 0;
}
