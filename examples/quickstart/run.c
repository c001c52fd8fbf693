// SPDX-License-Identifier: MIT
// Launches small_gemm on matrices of small integers in the device's own FP8 and checks every element of C.
// Usage: run CODE_OBJECT [M N K]
// Build: wavetile hipcc --kernel examples/quickstart/small_gemm.hip -o small_gemm.co
// Build: cc -D__HIP_PLATFORM_AMD__ examples/quickstart/run.c -Lbuild/lib -lamdhip64 -o small_gemm
#include "../host.h"

static unsigned char *fp8_matrix(const signed char *values, size_t count, int fnuz) {
  unsigned char *matrix = shared_memory(count);
  for (size_t i = 0; i < count; ++i) matrix[i] = fp8_of_integer(values[i], fnuz);
  return matrix;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 5) return fprintf(stderr, "usage: %s CODE_OBJECT [M N K]\n", argv[0]), 2;
  int m = argc > 2 ? atoi(argv[2]) : 50, n = argc > 2 ? atoi(argv[3]) : 40,
      k = argc > 2 ? atoi(argv[4]) : 300;
  if (m < 1 || n < 1 || k < 1)
    return fprintf(stderr, "M is %d, N %d and K %d: each must be at least 1\n", m, n, k), 2;
  hipDeviceProp_t device;
  CALL(hipGetDeviceProperties(&device, 0));
  signed char *a_values = random_integers((size_t)m * k), *b_values = random_integers((size_t)n * k);
  unsigned char *a = fp8_matrix(a_values, (size_t)m * k, has_fnuz(&device));
  unsigned char *b = fp8_matrix(b_values, (size_t)n * k, has_fnuz(&device));
  float *c = shared_memory((size_t)m * n * sizeof *c);

  hipModule_t module;
  hipFunction_t kernel;
  CALL(hipModuleLoad(&module, argv[1]));
  CALL(hipModuleGetFunction(&kernel, module, "small_gemm"));
  void *arguments[] = {&a, &b, &c, &m, &n, &k};
  const unsigned wide = (n + 15) / 16, tall = (m + 15) / 16;
  CALL(hipModuleLaunchKernel(kernel, wide, tall, 1, 64, 1, 1, 0, NULL, arguments, NULL));
  CALL(hipDeviceSynchronize());
  const int wrong = wrong_elements_f32(c, a_values, b_values, m, n, k);
  printf("A * B^T, %d x %d x %d: %d of %zu elements are wrong\n", m, n, k, wrong, (size_t)m * n);
  return wrong != 0;
}
