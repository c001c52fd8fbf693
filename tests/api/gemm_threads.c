// SPDX-License-Identifier: MIT
// Threads share one context: each gets its own results on its own stream, and its own last-error sentence.
#include <pthread.h>

#include "gemm_device.h"

enum { THREADS = 4, ROUNDS = 6, M = 20, N = 24, K = 40 };

static wt_context *context;

typedef struct worker {
  pthread_t thread;
  int index, failures;
} worker;

// A is all ones, B all `index + 1`: every element of C is K * (index + 1).
static int run_round(int index, void *a, void *b, float *c, hipStream_t stream) {
  static const uint8_t codes[THREADS] = {1, 2, 3, 4};
  const fp8_format *format = e4m3_format(context);
  wt_gemm_desc desc = small_desc(context);
  desc.m = M;
  desc.n = N;
  desc.k = K;
  float value = codes[index];
  if (hipMemset(a, fp8_encode(format, 1.0f), M * K) || hipMemset(b, fp8_encode(format, value), N * K))
    return 1;
  if (wt_gemm(context, &desc, a, b, c, stream) || hipStreamSynchronize(stream)) return 1;
  float result[M * N];
  if (hipMemcpy(result, c, sizeof result, hipMemcpyDeviceToHost)) return 1;
  for (int i = 0; i < M * N; ++i)
    if (!(result[i] == K * value)) return 1;
  desc.m = -(index + 1);
  char expected[64];
  snprintf(expected, sizeof expected, "desc->m is %d;", -(index + 1));
  if (wt_gemm(context, &desc, a, b, c, stream) != WT_ERROR_SIZE) return 1;
  return strstr(wt_last_error(context), expected) == NULL;
}

static void *work(void *pointer) {
  worker *me = pointer;
  void *a = NULL, *b = NULL, *c = NULL;
  hipStream_t stream = NULL;
  if (hipMalloc(&a, M * K) || hipMalloc(&b, N * K) || hipMalloc(&c, M * N * sizeof(float)) ||
      hipStreamCreate(&stream)) {
    me->failures = ROUNDS;
    return NULL;
  }
  for (int round = 0; round < ROUNDS; ++round) me->failures += run_round(me->index, a, b, c, stream);
  (void)hipStreamDestroy(stream);
  (void)hipFree(a);
  (void)hipFree(b);
  (void)hipFree(c);
  return NULL;
}

int main(void) {
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  worker workers[THREADS] = {{0}};
  for (int i = 0; i < THREADS; ++i) {
    workers[i].index = i;
    CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "thread %d", i);
  }
  for (int i = 0; i < THREADS; ++i) {
    CHECK(pthread_join(workers[i].thread, NULL) == 0, "thread %d", i);
    CHECK(workers[i].failures == 0, "thread %d: %d of %d rounds failed", i, workers[i].failures, ROUNDS);
  }
  CHECK(strcmp(wt_last_error(context), "") == 0, "this thread's calls did not fail: %s",
        wt_last_error(context));
  wt_context_destroy(context);
  return test_result();
}
