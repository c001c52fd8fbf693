// SPDX-License-Identifier: MIT
// The verification of `wavetile gemm` accepts a correctly rounded product and rejects planted errors: one
// wrong element anywhere, NaN, a lost block of K, swapped rows, a forgotten beta, scale, bias or activation;
// and integers off by one.
#include <math.h>
#include <stdbool.h>

#include "check.h"
#include "tools/gemm/verify.h"

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

static float row_scale[M], column_scale[N], bias[N];

// Applies the whole formula, with parts of it forgotten on request.
static void apply_epilogue(bool scales, bool with_bias, int activation) {
  multiply(0, 0.0);
  for (int row = 0; row < M; ++row)
    for (int col = 0; col < N; ++col) {
      double x = c[row * N + col];
      if (scales) x *= (double)row_scale[row] * column_scale[col];
      x += -0.5 * c0[row * N + col] + (with_bias ? bias[col] : 0);
      if (activation == 1) x = x > 0 ? x : 0;
      if (activation == 2) x = x / (1 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
      if (activation == 3) x = x / (1 + exp(-x));
      c[row * N + col] = (float)x;
    }
}

static void expect_epilogue(int activation, bool accepted, const char *what) {
  verify_problem p = problem();
  p.row_scale = row_scale, p.column_scale = column_scale, p.bias = bias, p.activation = activation;
  verify_result result;
  CHECK(verify_gemm(&p, &result), "memory");
  CHECK(result.passed == accepted, "%s, activation %d: group %g, sample %g of the bound", what, activation,
        result.group.ratio, result.sample.ratio);
}

static void test_epilogues(test_rng *rng) {
  for (int i = 0; i < M; ++i) row_scale[i] = (float)((int)(test_random(rng) % 33) - 16) / 8;
  for (int i = 0; i < N; ++i) column_scale[i] = (float)(test_random(rng) % 33 + 1) / 8;
  for (int i = 0; i < N; ++i) bias[i] = (float)(test_random(rng) % 33) / 8 + 0.125f;
  for (int activation = 0; activation < 4; ++activation) {
    apply_epilogue(true, true, activation);
    expect_epilogue(activation, true, "the right result");
    float right = c[77 * N + 101];
    c[77 * N + 101] = right + 0.125f;
    expect_epilogue(activation, false, "one element off by 1/8");
    apply_epilogue(false, true, activation);
    expect_epilogue(activation, false, "scales forgotten");
    apply_epilogue(true, false, activation);
    expect_epilogue(activation, false, "bias forgotten");
    apply_epilogue(true, true, (activation + 1) % 4);
    expect_epilogue(activation, false, "another activation");
  }
}

static void test_integers(test_rng *rng) {
  static int32_t whole[M * N];
  for (int i = 0; i < M * K; ++i) a[i] = (float)((int)(test_random(rng) % 256) - 128);
  for (int i = 0; i < N * K; ++i) b[i] = (float)((int)(test_random(rng) % 256) - 128);
  verify_problem p = problem();
  p.alpha = 16777213, p.beta = -3;  // the results wrap
  for (int row = 0; row < M; ++row)
    for (int col = 0; col < N; ++col) {
      int64_t sum = 0;
      for (int k = 0; k < K; ++k) sum += (int64_t)a[row * K + k] * (int64_t)b[col * K + k];
      whole[row * N + col] = (int32_t)(uint32_t)(16777213 * sum - 3 * (int64_t)c0[row * N + col]);
    }
  verify_result result;
  CHECK(verify_integers(&p, whole, &result) && result.passed, "the right integers");
  for (int i = 0; i < 50; ++i) {
    int at = (int)(test_random(rng) % (M * N));
    int32_t right = whole[at];
    whole[at] = (int32_t)((uint32_t)right + (i % 2 ? 1u : 1u << 31));
    CHECK(verify_integers(&p, whole, &result) && !result.passed && result.group.row == at / N,
          "one integer of row %d is wrong", at / N);
    whole[at] = right;
  }
  p.beta = 0, p.c0 = NULL;
  CHECK(verify_integers(&p, whole, &result) && !result.passed, "beta forgotten");
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
  test_epilogues(&rng);
  test_integers(&rng);
  return test_result();
}
