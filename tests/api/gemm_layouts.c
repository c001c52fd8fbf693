// SPDX-License-Identifier: MIT
// Arrangements of memory wt_gemm accepts: output beside an input in one matrix, batches side by side, one
// input for a whole batch, host memory, and more batches or tile rows than one launch has.
#include "gemm_device.h"

static wt_context *context;

// Small integers, exact in FP8, so that results are exact too.
static int a_value(int64_t row, int64_t k) { return (int)((row * 3 + k * 5) % 7) - 3; }
static int b_value(int64_t row, int64_t k) { return (int)((row + k * 2) % 5) - 2; }

static float expected(int64_t a_row, int64_t b_row, int k) {
  int sum = 0;
  for (int i = 0; i < k; ++i) sum += a_value(a_row, i) * b_value(b_row, i);
  return (float)sum;
}

static void *host_memory(size_t size) {
  void *pointer = NULL;
  CHECK(hipHostMalloc(&pointer, size, 0) == hipSuccess, "hipHostMalloc of %zu bytes", size);
  memset(pointer, 0xff, size);
  return pointer;
}

static uint8_t code(int value) { return fp8_encode(e4m3_format(context), (float)value); }

static bool run(const wt_gemm_desc *desc, const void *a, const void *b, void *c, const char *what) {
  bool good = wt_gemm(context, desc, a, b, c, NULL) == WT_SUCCESS;
  CHECK(good, "%s: %s", what, wt_last_error(context));
  CHECK(hipDeviceSynchronize() == hipSuccess, "%s", what);
  return good;
}

// Takes one matrix of 256-byte rows: A in bytes 0-31 of each, C (8 floats) in bytes 64-95, B in bytes
// 128-159.
static void test_columns_of_one_matrix(void) {
  enum { ROWS = 8, PITCH = 256, K = 32 };
  uint8_t *memory = host_memory(ROWS * PITCH);
  for (int row = 0; row < ROWS; ++row)
    for (int k = 0; k < K; ++k) {
      memory[row * PITCH + k] = code(a_value(row, k));
      memory[row * PITCH + 128 + k] = code(b_value(row, k));
    }
  wt_gemm_desc desc = small_desc(context);
  desc.m = desc.n = ROWS;
  desc.k = K;
  desc.lda = desc.ldb = PITCH;
  desc.ldc = PITCH / 4;
  if (run(&desc, memory, memory + 128, memory + 64, "C between A and B"))
    for (int row = 0; row < ROWS; ++row)
      for (int col = 0; col < ROWS; ++col) {
        float got = ((const float *)(memory + row * PITCH + 64))[col];
        CHECK(got == expected(row, col, K), "C[%d][%d] is %g", row, col, (double)got);
      }
  // One column further left, C would cover the last bytes of A.
  desc.k = K + 36;
  CHECK(wt_gemm(context, &desc, memory, memory + 128, memory + 64, NULL) == WT_ERROR_OVERLAP,
        "columns overlap");
  (void)hipHostFree(memory);
}

// Makes three products whose outputs lie side by side in the rows of one matrix, all with the same A.
static void test_batch_side_by_side(void) {
  enum { M = 5, N = 6, K = 19, BATCH = 3 };
  uint8_t *a = host_memory(M * K), *b = host_memory(BATCH * N * K);
  float *c = host_memory(M * N * BATCH * sizeof *c);
  for (int row = 0; row < M; ++row)
    for (int k = 0; k < K; ++k) a[row * K + k] = code(a_value(row, k));
  for (int row = 0; row < BATCH * N; ++row)
    for (int k = 0; k < K; ++k) b[row * K + k] = code(b_value(row, k));
  wt_gemm_desc desc = small_desc(context);
  desc.m = M;
  desc.n = N;
  desc.k = K;
  desc.batch = BATCH;
  desc.stride_b = N * K;
  desc.stride_c = N;
  desc.ldc = N * BATCH;
  if (run(&desc, a, b, c, "batch side by side"))
    for (int row = 0; row < M; ++row)
      for (int col = 0; col < N * BATCH; ++col)
        CHECK(c[row * N * BATCH + col] == expected(row, col, K), "C[%d][%d] is %g", row, col,
              (double)c[row * N * BATCH + col]);
  (void)hipHostFree(a);
  (void)hipHostFree(b);
  (void)hipHostFree(c);
}

// A work-group id has 16 bits in y and z: beyond that one call takes several launches.
static void test_more_than_one_launch(int64_t m, int64_t batch) {
  enum { K = 3 };
  int64_t rows = m * batch;
  uint8_t *a = host_memory((size_t)rows * K), *b = host_memory(K);
  float *c = host_memory((size_t)rows * sizeof *c);
  for (int64_t row = 0; row < rows; ++row)
    for (int k = 0; k < K; ++k) a[row * K + k] = code(a_value(row, k));
  for (int k = 0; k < K; ++k) b[k] = code(b_value(0, k));
  wt_gemm_desc desc = small_desc(context);
  desc.m = m;
  desc.n = 1;
  desc.k = K;
  desc.batch = batch;
  desc.stride_a = m * K;
  desc.stride_c = m;
  desc.kernel = "gemm_01_naive";
  if (run(&desc, a, b, c, "more than one launch"))
    for (int64_t row = 0; row < rows; ++row)
      CHECK(c[row] == expected(row, 0, K), "m %lld, batch %lld: C[%lld] is %g", (long long)m,
            (long long)batch, (long long)row, (double)c[row]);
  (void)hipHostFree(a);
  (void)hipHostFree(b);
  (void)hipHostFree(c);
}

int main(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (int device = 0; device < count; ++device) {
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
    CHECK(hipSetDevice(device) == hipSuccess, "device");
    test_columns_of_one_matrix();
    test_batch_side_by_side();
    wt_context_destroy(context);
  }
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  CHECK(hipSetDevice(0) == hipSuccess, "device");
  test_more_than_one_launch(1, 65535 + 2);
  test_more_than_one_launch(65535 * 16 + 5, 1);
  wt_context_destroy(context);
  return test_result();
}
