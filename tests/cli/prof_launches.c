// SPDX-License-Identifier: MIT
// This is a program to profile: it multiplies one pair of small matrices COUNT times, with a factor that
// takes KINDS values in turn, prints the predicted nanoseconds between two events, and ends with CODE. usage:
// prof_launches COUNT KINDS CODE
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavetile.h>

enum { SIZE = 64 };

int main(int argc, char **argv) {
  const long count = argc > 1 ? atol(argv[1]) : 1, kinds = argc > 2 ? atol(argv[2]) : 1;
  wt_context *context;
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  hipEvent_t begin, end;
  float milliseconds = 0;
  void *a, *b, *c;
  desc.m = desc.n = desc.k = SIZE;
  desc.type_a = desc.type_b = desc.type_c = WT_TYPE_BF16;
  if (hipMalloc(&a, SIZE * SIZE * 2) || hipMalloc(&b, SIZE * SIZE * 2) || hipMalloc(&c, SIZE * SIZE * 2) ||
      hipMemset(a, 0, SIZE * SIZE * 2) || hipMemset(b, 0, SIZE * SIZE * 2) ||
      wt_context_create(0, &context) || hipEventCreate(&begin) || hipEventCreate(&end) ||
      hipEventRecord(begin, NULL))
    return 3;
  for (long i = 0; i < count; ++i) {
    desc.alpha = 1 + (float)(i % kinds);
    if (wt_gemm(context, &desc, a, b, c, NULL)) return fprintf(stderr, "%s\n", wt_last_error(context)), 3;
  }
  if (hipEventRecord(end, NULL) || hipEventSynchronize(end) || hipEventElapsedTime(&milliseconds, begin, end))
    return 3;
  printf("%.0f\n", 1e6 * milliseconds);
  wt_context_destroy(context);
  return argc > 3 ? atoi(argv[3]) : 0;
}
