// SPDX-License-Identifier: MIT
// The README's kernel gives exact results on integer-valued data of any shape, on both chips.
#include <hip/hip_runtime_api.h>

#include "check.h"

// Small integers as E4M3 bytes: OCP has bias 7, FNUZ bias 8 (one exponent step higher).
static unsigned char fp8_of(int value, int fnuz) {
  static const unsigned char ocp[] = {0x00, 0x38, 0x40, 0x44, 0x48};  // 0 1 2 3 4
  int magnitude = value < 0 ? -value : value;
  unsigned char byte = ocp[magnitude];
  if (byte && fnuz) byte += 8;
  return byte ? (unsigned char)(byte | (value < 0 ? 0x80 : 0)) : 0;
}

static void one_shape(hipFunction_t function, int m, int n, int k, int fnuz, test_rng *rng) {
  signed char *a = malloc((size_t)m * k), *b = malloc((size_t)n * k);
  unsigned char *device_a, *device_b;
  float *device_c;
  hipHostMalloc((void **)&device_a, (size_t)m * k, 0);
  hipHostMalloc((void **)&device_b, (size_t)n * k, 0);
  hipHostMalloc((void **)&device_c, (size_t)m * n * sizeof *device_c, 0);
  for (int i = 0; i < m * k; ++i)
    device_a[i] = fp8_of(a[i] = (signed char)((int)(test_random(rng) % 9) - 4), fnuz);
  for (int i = 0; i < n * k; ++i)
    device_b[i] = fp8_of(b[i] = (signed char)((int)(test_random(rng) % 9) - 4), fnuz);
  void *args[] = {&device_a, &device_b, &device_c, &m, &n, &k};
  hipError_t error =
      hipModuleLaunchKernel(function, (n + 15) / 16, (m + 15) / 16, 1, 64, 1, 1, 0, NULL, args, NULL);
  CHECK(error == hipSuccess && hipDeviceSynchronize() == hipSuccess, "launch of %dx%dx%d", m, n, k);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int e = 0; e < k; ++e) sum += a[i * k + e] * b[j * k + e];
      CHECK(device_c[i * n + j] == (float)sum, "%dx%dx%d: C[%d][%d] = %g, expected %d", m, n, k, i, j,
            (double)device_c[i * n + j], sum);
    }
  }
  hipHostFree(device_a);
  hipHostFree(device_b);
  hipHostFree(device_c);
  free(a);
  free(b);
}

int main(int argc, char **argv) {
  test_rng rng = test_seed(5);
  for (int device = 0; device + 1 < argc; ++device) {
    hipModule_t module;
    hipFunction_t function;
    hipSetDevice(device);
    hipError_t error = hipModuleLoad(&module, argv[device + 1]);
    CHECK(error == hipSuccess, "%s: %s", argv[device + 1], hipGetErrorString(error));
    if (error || hipModuleGetFunction(&function, module, "small_gemm")) continue;
    one_shape(function, 1, 1, 1, device == 1, &rng);
    one_shape(function, 16, 16, 128, device == 1, &rng);
    for (int i = 0; i < 6; ++i) {
      int m = 1 + (int)(test_random(&rng) % 50), n = 1 + (int)(test_random(&rng) % 50),
          k = 1 + (int)(test_random(&rng) % 300);
      one_shape(function, m, n, k, device == 1, &rng);
    }
    hipModuleUnload(module);
  }
  return test_result();
}
