// SPDX-License-Identifier: MIT
// The verification of `wavetile gemm` accepts a correctly rounded product and rejects planted errors: one
// wrong element anywhere, NaN, a lost block of K, swapped rows, a forgotten beta.
#include <math.h>
#include <stdbool.h>

#include "check.h"
#include "tools/verify.h"

enum { M = 150, N = 117, K = 200 };

static float a[M * K], b[N * K], c[M * N], c0[M * N];

static verify_problem problem(void) {
  return (verify_problem){.m = M,
                          .n = N,
                          .k = K,
                          .a = a,
                          .b = b,
                          .c = c,
                          .c0 = c0,
                          .alpha = 0.75,
                          .beta = -0.5,
                          .output_roundoff = 0x1p-24,
                          .seed = 9};
}

static void multiply(int first_k, double beta) {
  for (int row = 0; row < M; ++row)
    for (int col = 0; col < N; ++col) {
      double sum = 0;
      for (int k = first_k; k < K; ++k) sum += (double)a[row * K + k] * b[col * K + k];
      c[row * N + col] = (float)(0.75 * sum + beta * c0[row * N + col]);
    }
}

static verify_result verified(void) {
  verify_problem p = problem();
  verify_result result;
  CHECK(verify_gemm(&p, &result), "memory");
  return result;
}

static void expect_rejected(const char *what) {
  verify_result result = verified();
  CHECK(!result.passed, "%s: accepted (group %g, sample %g of the bound)", what, result.group.ratio,
        result.sample.ratio);
}

// The planted error is restored afterwards.
static void reject_element(int row, int col, float wrong, const char *what) {
  float right = c[row * N + col];
  c[row * N + col] = wrong;
  expect_rejected(what);
  verify_result result = verified();
  CHECK(result.group.row == row && result.group.col == col / VERIFY_GROUP * VERIFY_GROUP,
        "%s: found at [%lld][%lld..], planted at [%d][%d]", what, (long long)result.group.row,
        (long long)result.group.col, row, col);
  c[row * N + col] = right;
}

int main(void) {
  test_rng rng = test_seed(11);
  for (int i = 0; i < M * K; ++i) a[i] = (float)((int)(test_random(&rng) % 33) - 16) / 24;
  for (int i = 0; i < N * K; ++i) b[i] = (float)((int)(test_random(&rng) % 33) - 16) / 24;
  for (int i = 0; i < M * N; ++i) c0[i] = (float)((int)(test_random(&rng) % 33) - 16);
  multiply(0, -0.5);
  verify_result result = verified();
  CHECK(result.passed, "the right product: group %g, sample %g of the bound", result.group.ratio,
        result.sample.ratio);
  CHECK(result.samples == VERIFY_SAMPLES, "%lld samples", (long long)result.samples);
  CHECK(result.largest_error > 0 && result.largest_error < 1e-4, "largest error %g", result.largest_error);

  // By Freivalds' check alone, at places the samples may miss.
  for (int i = 0; i < 50; ++i) {
    int row = (int)(test_random(&rng) % M), col = (int)(test_random(&rng) % N);
    reject_element(row, col, c[row * N + col] + 0.125f, "one element off by 1/8");
    reject_element(row, col, NAN, "one NaN");
    reject_element(row, col, -INFINITY, "one infinity");
  }
  float saved = c[0];
  for (int i = 0; i < M * N; ++i) c[i] = NAN;
  expect_rejected("all NaN");
  multiply(0, -0.5);
  CHECK(c[0] == saved && verified().passed, "restored");
  multiply(8, -0.5);
  expect_rejected("the first 8 of K lost");
  multiply(0, 0.0);
  expect_rejected("beta forgotten");
  multiply(0, -0.5);
  for (int col = 0; col < N; ++col) {
    float swapped = c[5 * N + col];
    c[5 * N + col] = c[6 * N + col];
    c[6 * N + col] = swapped;
  }
  expect_rejected("two rows swapped");
  return test_result();
}
