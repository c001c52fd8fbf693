// SPDX-License-Identifier: MIT
// Matrices beyond 4 GB: A spans 6.4 GB and C 12.8 GB, of which only the elements are touched, so every
// kernel must form its row addresses in 64 bits. Both chips; small integers, so the result is exact. A kernel
// whose tiles cannot span so much is refused.
#include <hip/hip_runtime_api.h>

#include "include/wavetile.h"
#include "tests/check.h"
#include "tests/kernels/fp8.h"

enum { M = 400, N = 2, K = 448, LDA = 16000000, LDC = 8000000 };

static bool ok(hipError_t status, const char *what) {
  CHECK(status == hipSuccess, "%s: %s", what, hipGetErrorString(status));
  return status == hipSuccess;
}

static void check_kernel(wt_context *context, const char *kernel, wt_type type, const int *a, const int *b,
                         const void *a_device, const void *b_device, float *c_device) {
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = M, desc.n = N, desc.k = K, desc.lda = LDA, desc.ldc = LDC;
  desc.type_a = desc.type_b = type, desc.type_c = WT_TYPE_F32, desc.kernel = kernel;
  static float c[M][N];
  memset(c, 0xff, sizeof c);
  if (!ok(hipMemcpy2D(c_device, LDC * sizeof(float), c, sizeof *c, sizeof *c, M, hipMemcpyHostToDevice),
          "clear C"))
    return;
  const wt_status status = wt_gemm(context, &desc, a_device, b_device, c_device, NULL);
  if (status == WT_ERROR_UNSUPPORTED_KERNEL) {
    const char *why = wt_last_error(context);
    static const char *const reasons[] = {"2 GB", "needs m of at most", "needs k of at least",
                                          "not compiled for gfx942"};
    bool known = false;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i) known = known || strstr(why, reasons[i]);
    CHECK(known, "%s: %s", kernel, why);
    return;
  }
  CHECK(status == WT_SUCCESS, "%s: %s", kernel, wt_last_error(context));
  if (!ok(hipMemcpy2D(c, sizeof *c, c_device, LDC * sizeof(float), sizeof *c, M, hipMemcpyDeviceToHost),
          kernel))
    return;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      int want = 0;
      for (int k = 0; k < K; ++k) want += a[i * K + k] * b[j * K + k];
      CHECK(c[i][j] == (float)want, "%s on %s: row %d column %d is %g, expected %d", kernel,
            wt_context_target(context), i, j, (double)c[i][j], want);
    }
  }
}

static void fill(int *values, unsigned char *codes, int count, wt_type type, test_rng *rng) {
  for (int i = 0; i < count; ++i) {
    values[i] = (int)(test_random(rng) % 9) - 4;
    codes[i] = fp8_nearest(type, values[i]);
  }
}

static void check_device(int device, test_rng *rng) {
  static int a[M * K], b[N * K];
  static unsigned char a_codes[M * K], b_codes[N * K];
  wt_context *context;
  const wt_status status = wt_context_create(device, &context);
  CHECK(status == WT_SUCCESS, "device %d: %s", device, wt_last_error(NULL));
  if (status != WT_SUCCESS || !ok(hipSetDevice(device), "hipSetDevice")) return;
  const wt_type type =
      strcmp(wt_context_target(context), "gfx950") == 0 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  fill(a, a_codes, M * K, type, rng);
  fill(b, b_codes, N * K, type, rng);
  void *a_device = NULL, *b_device = NULL, *c_device = NULL;
  if (ok(hipMalloc(&a_device, (size_t)(M - 1) * LDA + K), "hipMalloc of A") &&
      ok(hipMalloc(&b_device, sizeof b_codes), "hipMalloc of B") &&
      ok(hipMalloc(&c_device, ((size_t)(M - 1) * LDC + N) * sizeof(float)), "hipMalloc of C") &&
      ok(hipMemcpy2D(a_device, LDA, a_codes, K, K, M, hipMemcpyHostToDevice), "copy of A") &&
      ok(hipMemcpy(b_device, b_codes, sizeof b_codes, hipMemcpyHostToDevice), "copy of B")) {
    for (size_t i = 0; i < wt_gemm_kernel_count(); ++i) {
      wt_gemm_kernel_info info = {.struct_size = sizeof info};
      CHECK(wt_gemm_kernel_at(i, &info) == WT_SUCCESS, "kernel %zu", i);
      check_kernel(context, info.name, type, a, b, a_device, b_device, c_device);
    }
  }
  ok(hipFree(a_device), "hipFree");
  ok(hipFree(b_device), "hipFree");
  ok(hipFree(c_device), "hipFree");
  wt_context_destroy(context);
}

int main(void) {
  test_rng rng = test_seed(4096);
  int devices = 0;
  if (!ok(hipGetDeviceCount(&devices), "hipGetDeviceCount")) return test_result();
  for (int device = 0; device < devices; ++device) check_device(device, &rng);
  return test_result();
}
