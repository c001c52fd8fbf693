// SPDX-License-Identifier: MIT
// Verifies an integer GEMM, exact modulo 2^32: the sum of weight_j * C_ij over a row is compared with alpha *
// A * (B^T weights) + beta * the same sum over C0. A wrong element is missed by one vector of random weights
// only if its error times its weight is a multiple of 2^32.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "verify.h"

typedef struct integer_work {
  const verify_problem *problem;
  const int32_t *c;
  verify_result *result;
  pthread_mutex_t mutex;
  uint32_t *projected;  // k elements: B^T weights
  uint64_t seed;        // of this vector of weights
} integer_work;

static uint32_t bits_of(double whole) { return (uint32_t)(int64_t)whole; }

static uint32_t weight(const integer_work *work, int64_t col) {
  return (uint32_t)(random_at(work->seed, (uint64_t)col) >> 32) | 1;
}

static void project(void *pointer, int64_t begin, int64_t end) {
  integer_work *work = pointer;
  const verify_problem *p = work->problem;
  for (int64_t col = 0; col < p->n; ++col) {
    const uint32_t w = weight(work, col);
    for (int64_t k = begin; k < end; ++k) work->projected[k] += w * bits_of(p->b[col * p->k + k]);
  }
}

static void check_rows(void *pointer, int64_t begin, int64_t end) {
  integer_work *work = pointer;
  const verify_problem *p = work->problem;
  for (int64_t row = begin; row < end; ++row) {
    uint32_t product = 0, got = 0, before = 0;
    for (int64_t k = 0; k < p->k; ++k) product += bits_of(p->a[row * p->k + k]) * work->projected[k];
    for (int64_t col = 0; col < p->n; ++col) {
      got += weight(work, col) * (uint32_t)work->c[row * p->n + col];
      if (p->c0) before += weight(work, col) * bits_of(p->c0[row * p->n + col]);
    }
    if (got == bits_of(p->alpha) * product + bits_of(p->beta) * before) continue;
    pthread_mutex_lock(&work->mutex);
    verify_worst *worst = &work->result->group;
    if (!isinf(worst->ratio) || row < worst->row) *worst = (verify_worst){INFINITY, INFINITY, 0, row, 0};
    pthread_mutex_unlock(&work->mutex);
  }
}

// Recomputes elements one by one: the corners, and random ones.
static void check_samples(const integer_work *work) {
  const verify_problem *p = work->problem;
  verify_result *out = work->result;
  const bool all = p->m * p->n <= VERIFY_SAMPLES;
  out->samples = all ? p->m * p->n : VERIFY_SAMPLES;
  for (int64_t i = 0; i < out->samples; ++i) {
    const int64_t at =
        all ? i : (int64_t)(random_at(p->seed ^ 0x53414d50u, (uint64_t)i) % (uint64_t)(p->m * p->n));
    const int64_t row = at / p->n, col = at % p->n;
    uint32_t sum = 0;
    for (int64_t k = 0; k < p->k; ++k) sum += bits_of(p->a[row * p->k + k]) * bits_of(p->b[col * p->k + k]);
    const uint32_t want = bits_of(p->alpha) * sum + (p->c0 ? bits_of(p->beta) * bits_of(p->c0[at]) : 0);
    const double error = fabs((double)(int32_t)(want - (uint32_t)work->c[at]));
    if (error > out->largest_error) out->largest_error = error;
    if (error > 0 && !isinf(out->sample.ratio)) out->sample = (verify_worst){INFINITY, error, 0, row, col};
  }
}

bool verify_integers(const verify_problem *p, const int32_t *c, verify_result *out) {
  memset(out, 0, sizeof *out);
  const size_t size = (size_t)p->k * sizeof(uint32_t);
  integer_work work = {.problem = p, .c = c, .result = out, .projected = malloc(size)};
  if (!work.projected) return false;
  pthread_mutex_init(&work.mutex, NULL);
  for (int vector = 0; vector < VERIFY_VECTORS; ++vector) {
    work.seed = random_at(p->seed ^ 0x56454354u, (uint64_t)vector);
    memset(work.projected, 0, size);
    parallel_for(p->k, project, &work);
    parallel_for(p->m, check_rows, &work);
  }
  pthread_mutex_destroy(&work.mutex);
  check_samples(&work);
  out->passed = out->group.ratio == 0 && out->sample.ratio == 0;
  free(work.projected);
  return true;
}
