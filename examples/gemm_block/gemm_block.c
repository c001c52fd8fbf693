// SPDX-License-Identifier: MIT
// A product of two matrices in F32, by way of FP8 with F32 scales: activations have one for 128 elements of a
// row, weights one for 128 x 128 elements.
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/gemm_block/gemm_block.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o gemm_block
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetile.h>

enum { M = 64, N = 384, K = 1024, BLOCK = WT_F32_BLOCK_ELEMENTS, BLOCKS = K / BLOCK };

static void check(wt_context *context, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(context));
  exit(1);
}

// Returns memory that host and device share.
static void *memory(size_t bytes) {
  void *pointer = NULL;
  if (hipHostMalloc(&pointer, bytes, 0) != hipSuccess) exit(1);
  return pointer;
}

static float *random_matrix(int rows, unsigned *state) {
  float *x = memory((size_t)rows * K * sizeof *x);
  for (int i = 0; i < rows * K; ++i) {
    *state = *state * 1664525 + 1013904223;
    x[i] = (float)(*state >> 16) / 32768 - 1;
  }
  return x;
}

// Rounds a matrix to FP8, with a scale for 128 elements of a row, or for 128 x 128 elements.
static void quantize(wt_context *context, wt_type type, int rows, const float *x, wt_block_shape shape,
                     void *q, float *scale) {
  wt_block_scale_desc desc = WT_BLOCK_SCALE_DESC_INIT;
  desc.rows = rows, desc.columns = K;
  desc.type_x = WT_TYPE_F32, desc.type_q = type;
  desc.scales = WT_BLOCK_SCALES_F32, desc.shape = shape;
  check(context, wt_quantize_blocks(context, &desc, x, q, scale, NULL));
}

int main(void) {
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  const int ocp = strcmp(wt_context_target(context), "gfx950") == 0;
  const wt_type type = ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  unsigned state = 1;
  float *a = random_matrix(M, &state), *b = random_matrix(N, &state), *c = memory(M * N * sizeof *c);
  unsigned char *qa = memory(M * K), *qb = memory(N * K);
  float *scale_a = memory(M * BLOCKS * sizeof *scale_a);
  float *scale_b = memory(N / BLOCK * BLOCKS * sizeof *scale_b);

  quantize(context, type, M, a, WT_BLOCKS_OF_LINES, qa, scale_a);
  quantize(context, type, N, b, WT_BLOCKS_OF_SQUARES, qb, scale_b);

  wt_gemm_block_desc desc = WT_GEMM_BLOCK_DESC_INIT;
  desc.m = M, desc.n = N, desc.k = K;
  desc.type_ab = type, desc.type_c = WT_TYPE_F32;
  check(context, wt_gemm_block(context, &desc, qa, scale_a, qb, scale_b, c, NULL));
  if (hipDeviceSynchronize() != hipSuccess) return 1;

  double error = 0, size = 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double want = 0;
      for (int k = 0; k < K; ++k) want += (double)a[i * K + k] * (double)b[j * K + k];
      error += (c[i * N + j] - want) * (c[i * N + j] - want), size += want * want;
    }
  printf("the product is off by %.1f%% (root mean square)\n", 100 * sqrt(error / size));
  wt_context_destroy(context);
  return !(sqrt(error / size) < 0.05);
}
