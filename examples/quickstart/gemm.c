// SPDX-License-Identifier: MIT
// Computes C = A * B^T in FP8 through the C API, on a GPU or on the simulated one. A is all ones, so a row of
// C sums a row of B.
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/quickstart/gemm.c -Lbuild/lib -lwavetile -lamdhip64 -o gemm
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <string.h>
#include <wavetile.h>

int main(void) {
  enum { M = 128, N = 256, K = 512, ONE = 0x38 };  // 0x38 is 1.0 in E4M3
  unsigned char *a, *b;
  float *c;
  hipHostMalloc((void **)&a, M * K, 0), memset(a, ONE, M * K);
  hipHostMalloc((void **)&b, N * K, 0), memset(b, ONE, N * K);
  hipHostMalloc((void **)&c, M * N * sizeof *c, 0);
  wt_context *context;
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = M, desc.n = N, desc.k = K;
  desc.type_a = desc.type_b = WT_TYPE_F8E4M3, desc.type_c = WT_TYPE_F32;
  if (wt_context_create(0, &context) || wt_gemm(context, &desc, a, b, c, NULL))
    return fprintf(stderr, "%s\n", wt_last_error(context)), 1;
  hipDeviceSynchronize();
  printf("c[0] = %g, expected %d\n", c[0], K);
  wt_context_destroy(context);
  return c[0] != K;
}
