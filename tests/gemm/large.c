// SPDX-License-Identifier: MIT
// Tests matrices beyond 4 GB: A spans 6.4 GB and C 12.8 GB, of which only the elements are touched, so every
// kernel must form its row addresses in 64 bits. It runs on both chips, in FP8, or BF16 where a kernel takes
// nothing else; the numbers are small integers, so the result is exact. A kernel whose tiles cannot span so
// much is refused.
#include <hip/hip_runtime_api.h>

#include "include/wavetile.h"
#include "tests/check.h"
#include "tests/kernels/fp8.h"

// These are the bytes from row to row of A, and the elements from row to row of C.
enum { M = 400, N = 2, K = 448, A_PITCH = 16000000, LDC = 8000000 };

// Holds A and B on the device as elements of one type.
typedef struct operands {
  wt_type type;
  int element_bytes;
  void *a, *b;
} operands;

static bool ok(hipError_t status, const char *what) {
  CHECK(status == hipSuccess, "%s: %s", what, hipGetErrorString(status));
  return status == hipSuccess;
}

static void check_kernel(wt_context *context, const char *kernel, const operands *in, const operands *bf16,
                         const int *a, const int *b, float *c_device) {
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = M, desc.n = N, desc.k = K, desc.lda = A_PITCH / in->element_bytes, desc.ldc = LDC;
  desc.type_a = desc.type_b = in->type, desc.type_c = WT_TYPE_F32, desc.kernel = kernel;
  static float c[M][N];
  memset(c, 0xff, sizeof c);
  if (!ok(hipMemcpy2D(c_device, LDC * sizeof(float), c, sizeof *c, sizeof *c, M, hipMemcpyHostToDevice),
          "clear C"))
    return;
  const wt_status status = wt_gemm(context, &desc, in->a, in->b, c_device, NULL);
  if (status == WT_ERROR_UNSUPPORTED_KERNEL) {
    const char *why = wt_last_error(context);
    if (in != bf16 && strstr(why, "takes BF16 inputs"))
      return check_kernel(context, kernel, bf16, bf16, a, b, c_device);
    static const char *const reasons[] = {"2 GB", "needs m of at most", "needs k of at least",
                                          "not compiled for gfx942", "needs A, B or both transposed"};
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

static void encode(const int *values, void *codes, int count, wt_type type) {
  for (int i = 0; i < count; ++i) {
    if (type == WT_TYPE_BF16)
      ((uint16_t *)codes)[i] = bf16_nearest((float)values[i]);
    else
      ((uint8_t *)codes)[i] = fp8_nearest(type, values[i]);
  }
}

static bool bring(operands *in, const int *a, const int *b) {
  static uint16_t a_codes[M * K], b_codes[N * K];
  const size_t row = (size_t)K * (size_t)in->element_bytes;
  encode(a, a_codes, M * K, in->type);
  encode(b, b_codes, N * K, in->type);
  return ok(hipMalloc(&in->a, (size_t)(M - 1) * A_PITCH + row), "hipMalloc of A") &&
         ok(hipMalloc(&in->b, N * row), "hipMalloc of B") &&
         ok(hipMemcpy2D(in->a, A_PITCH, a_codes, row, row, M, hipMemcpyHostToDevice), "copy of A") &&
         ok(hipMemcpy(in->b, b_codes, N * row, hipMemcpyHostToDevice), "copy of B");
}

static void check_device(int device, test_rng *rng) {
  static int a[M * K], b[N * K];
  wt_context *context;
  const wt_status status = wt_context_create(device, &context);
  CHECK(status == WT_SUCCESS, "device %d: %s", device, wt_last_error(NULL));
  if (status != WT_SUCCESS || !ok(hipSetDevice(device), "hipSetDevice")) return;
  for (int i = 0; i < M * K; ++i) a[i] = (int)(test_random(rng) % 9) - 4;
  for (int i = 0; i < N * K; ++i) b[i] = (int)(test_random(rng) % 9) - 4;
  const bool ocp = strcmp(wt_context_target(context), "gfx950") == 0;
  operands fp8 = {.type = ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ, .element_bytes = 1};
  operands bf16 = {.type = WT_TYPE_BF16, .element_bytes = 2};
  void *c_device = NULL;
  if (bring(&fp8, a, b) && bring(&bf16, a, b) &&
      ok(hipMalloc(&c_device, ((size_t)(M - 1) * LDC + N) * sizeof(float)), "hipMalloc of C")) {
    for (size_t i = 0; i < wt_gemm_kernel_count(); ++i) {
      wt_gemm_kernel_info info = {.struct_size = sizeof info};
      CHECK(wt_gemm_kernel_at(i, &info) == WT_SUCCESS, "kernel %zu", i);
      check_kernel(context, info.name, &fp8, &bf16, a, b, c_device);
    }
  }
  void *const all[] = {fp8.a, fp8.b, bf16.a, bf16.b, c_device};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) ok(hipFree(all[i]), "hipFree");
  wt_context_destroy(context);
}

int main(void) {
  test_rng rng = test_seed(4096);
  int devices = 0;
  if (!ok(hipGetDeviceCount(&devices), "hipGetDeviceCount")) return test_result();
  for (int device = 0; device < devices; ++device) check_device(device, &rng);
  return test_result();
}
