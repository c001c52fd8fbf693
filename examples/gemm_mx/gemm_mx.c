// SPDX-License-Identifier: MIT
// Multiplies two matrices in F32 by way of MXFP4 and of MXFP8: both are quantised with a scale for every 32
// elements along K, and multiplied as they are; then again with the scales shuffled, which is faster for
// large matrices and gives the same bits where K is not split (MI355X).
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/gemm_mx/gemm_mx.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o gemm_mx
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavetile.h>

enum { M = 64, N = 96, K = 1024, BLOCKS = K / WT_BLOCK_ELEMENTS };

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

static void quantize(wt_context *context, wt_type type, int rows, const float *x, void *q, uint8_t *scale) {
  wt_block_scale_desc desc = WT_BLOCK_SCALE_DESC_INIT;
  desc.rows = rows, desc.columns = K;
  desc.type_x = WT_TYPE_F32, desc.type_q = type;
  check(context, wt_quantize_blocks(context, &desc, x, q, scale, NULL));
}

static void shuffle(wt_context *context, int rows, const uint8_t *scale, uint8_t *shuffled) {
  wt_shuffle_scales_desc desc = WT_SHUFFLE_SCALES_DESC_INIT;
  desc.rows = rows, desc.blocks = BLOCKS;
  check(context, wt_shuffle_scales(context, &desc, scale, shuffled, NULL));
}

int main(void) {
  static const struct {
    const char *name;
    wt_type type;
    double most;  // of the error that is accepted
  } formats[] = {{"MXFP8", WT_TYPE_F8E4M3, 0.05}, {"MXFP4", WT_TYPE_F4E2M1, 0.25}};
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  unsigned state = 1;
  float *a = random_matrix(M, &state), *b = random_matrix(N, &state), *c = memory(M * N * sizeof *c);
  unsigned char *qa = memory(M * K), *qb = memory(N * K);
  uint8_t *scale_a = memory(M * BLOCKS), *scale_b = memory(N * BLOCKS);
  float *again = memory(M * N * sizeof *again);
  uint8_t *shuffled_a = memory((size_t)wt_shuffled_scale_bytes(M, BLOCKS));
  uint8_t *shuffled_b = memory((size_t)wt_shuffled_scale_bytes(N, BLOCKS));
  int wrong = 0;
  for (int f = 0; f < 2; ++f) {
    quantize(context, formats[f].type, M, a, qa, scale_a);
    quantize(context, formats[f].type, N, b, qb, scale_b);
    wt_gemm_mx_desc desc = WT_GEMM_MX_DESC_INIT;
    desc.m = M, desc.n = N, desc.k = K;
    desc.type_a = desc.type_b = formats[f].type;
    desc.type_c = WT_TYPE_F32;
    check(context, wt_gemm_mx(context, &desc, qa, scale_a, qb, scale_b, c, NULL));
    shuffle(context, M, scale_a, shuffled_a);
    shuffle(context, N, scale_b, shuffled_b);
    desc.scale_layout = WT_SCALES_SHUFFLED;
    check(context, wt_gemm_mx(context, &desc, qa, shuffled_a, qb, shuffled_b, again, NULL));
    if (hipDeviceSynchronize() != hipSuccess) return 1;
    double error = 0, change = 0, size = 0;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        double want = 0;
        for (int k = 0; k < K; ++k) want += (double)a[i * K + k] * (double)b[j * K + k];
        const double off = c[i * N + j] - want, changed = again[i * N + j] - c[i * N + j];
        error += off * off, change += changed * changed, size += want * want;
      }
    printf("%s: the product is off by %.1f%% (root mean square)\n", formats[f].name,
           100 * sqrt(error / size));
    wrong |= !(sqrt(error / size) < formats[f].most) || !(sqrt(change / size) < 1e-5);
  }
  wt_context_destroy(context);
  return wrong;
}
