// SPDX-License-Identifier: MIT
// This is the body of programs that are built against the installed package, as C and as C++: one product on
// device 0, and one query that sees one key.
#ifndef WT_TESTS_PACKAGE_CONSUMER_H
#define WT_TESTS_PACKAGE_CONSUMER_H

#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <wavetile.h>

/* O is V. */
static int attend_to_one(wt_context *context, void *memory) {
  enum { D = 64, BF16_ONE = 0x3f80 };
  wt_attention_desc desc = WT_ATTENTION_DESC_INIT;
  unsigned short *q = (unsigned short *)memory;
  int i, wrong = 0;
  for (i = 0; i < 3 * D; ++i) q[i] = BF16_ONE;
  desc.type = WT_TYPE_BF16;
  desc.head_dim = D;
  desc.queries = 1;
  if (wt_attention_forward(context, &desc, q, q + D, q + 2 * D, q + 3 * D, NULL, NULL) != WT_SUCCESS ||
      hipDeviceSynchronize())
    return fprintf(stderr, "%s\n", wt_last_error(context)), 1;
  for (i = 0; i < D; ++i) wrong += q[3 * D + i] != BF16_ONE;
  return wrong;
}

static int multiply_ones(void) {
  enum { M = 33, N = 17, K = 65, ONE = 0x38 }; /* 0x38 is 1.0 in OCP E4M3 */
  wt_context *context = NULL;
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  void *a = NULL, *b = NULL, *c = NULL;
  int i, wrong = 0;
  if (wt_context_create(0, &context) != WT_SUCCESS) return fprintf(stderr, "%s\n", wt_last_error(NULL)), 1;
  if (hipHostMalloc(&a, M * K, 0) || hipHostMalloc(&b, N * K, 0) ||
      hipHostMalloc(&c, M * N * sizeof(float), 0))
    return 1;
  for (i = 0; i < M * K; ++i) ((unsigned char *)a)[i] = ONE;
  for (i = 0; i < N * K; ++i) ((unsigned char *)b)[i] = ONE;
  desc.m = M;
  desc.n = N;
  desc.k = K;
  desc.type_a = desc.type_b = WT_TYPE_F8E4M3;
  desc.type_c = WT_TYPE_F32;
  if (wt_gemm(context, &desc, a, b, c, NULL) != WT_SUCCESS || hipDeviceSynchronize())
    return fprintf(stderr, "%s\n", wt_last_error(context)), 1;
  for (i = 0; i < M * N; ++i) wrong += !(((float *)c)[i] == (float)K);
  wrong += attend_to_one(context, a);
  hipHostFree(a);
  hipHostFree(b);
  hipHostFree(c);
  wt_context_destroy(context);
  printf("wavetile %s: %d of %d elements wrong\n", wt_version(), wrong, M * N);
  return wrong != 0;
}

#endif
