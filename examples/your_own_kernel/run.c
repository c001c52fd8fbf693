// SPDX-License-Identifier: MIT
// Launches gemm_bias_gelu on matrices of random numbers and checks every element of C.
// Usage: run CODE_OBJECT [M N K]
// Build: wavetile hipcc --kernel examples/your_own_kernel/gemm_bias_gelu.hip -o gemm_bias_gelu.co
// Build: cc -D__HIP_PLATFORM_AMD__ examples/your_own_kernel/run.c -Lbuild/lib -lamdhip64 -lm -o your_own_kernel
#include <math.h>

#include "../host.h"

// Returns a random multiple of 1/64 from -1 to 1, which is exact in bf16.
static float random_value(void) { return (float)((int)(next_random() >> 25) - 64) / 64; }

static uint16_t *random_matrix(size_t count) {
  uint16_t *matrix = shared_memory(count * sizeof *matrix);
  for (size_t i = 0; i < count; ++i) matrix[i] = bf16_of_float(random_value());
  return matrix;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 5) return fprintf(stderr, "usage: %s CODE_OBJECT [M N K]\n", argv[0]), 2;
  int m = argc > 2 ? atoi(argv[2]) : 300, n = argc > 2 ? atoi(argv[3]) : 200,
      k = argc > 2 ? atoi(argv[4]) : 192;
  uint16_t *a = random_matrix((size_t)m * k), *b = random_matrix((size_t)n * k);
  uint16_t *c = random_matrix((size_t)m * n);
  float *bias = shared_memory(n * sizeof *bias);
  for (int j = 0; j < n; ++j) bias[j] = random_value();

  hipModule_t module;
  hipFunction_t kernel;
  CALL(hipModuleLoad(&module, argv[1]));
  CALL(hipModuleGetFunction(&kernel, module, "gemm_bias_gelu"));
  void *arguments[] = {&a, &b, &bias, &c, &m, &n, &k};
  const unsigned wide = (n + 127) / 128, tall = (m + 127) / 128;
  CALL(hipModuleLaunchKernel(kernel, wide, tall, 1, 256, 1, 1, 0, NULL, arguments, NULL));
  CALL(hipDeviceSynchronize());

  double worst = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double x = bias[j];
      for (int e = 0; e < k; ++e)
        x += float_of_bf16(a[(size_t)i * k + e]) * float_of_bf16(b[(size_t)j * k + e]);
      const double gelu = x / 2 * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
      const double error = fabs(float_of_bf16(c[(size_t)i * n + j]) - gelu) / (fabs(gelu) + 1e-3);
      if (!(error <= worst)) worst = error;  // a NaN counts, too
    }
  }
  const double bound = 1.0 / 256 + 1e-4;  // rounding to bf16, and a little for sums and exp in f32
  printf("gelu(A * B^T + bias), %d x %d x %d: largest relative error %.2g, allowed %.2g\n", m, n, k, worst,
         bound);
  return !(worst <= bound);
}
