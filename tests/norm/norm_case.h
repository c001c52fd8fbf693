// SPDX-License-Identifier: MIT
// Makes a random call of the norms and its reference in float64: what the tests of the forward and of the
// backward pass share.
#ifndef WT_TESTS_NORM_CASE_H
#define WT_TESTS_NORM_CASE_H

#include "tests/row_matrix.h"
#include "tools/core/philox.h"
#include "wavetile.h"

static const double kU = 0x1p-24;  // unit roundoff of f32

typedef struct norm_case {
  char what[256];
  wt_norm_kind kind;
  wt_type type, type_weight;
  int rows, columns;
  float epsilon, dropout;
  uint64_t seed;
  bool aligned;  // rows at multiples of 16 bytes
} norm_case;

// Returns the longest rows that the kernels hold in 16 threads, a wave, and so on; the last is beyond all.
static inline int norm_columns(test_rng *rng) {
  static const int limits[] = {1, 128, 1024, 4096, 8192, 16384, 40000};
  const int i = row_between(rng, 0, 5);
  switch (row_between(rng, 0, 5)) {
    case 0: return limits[i + 1];
    case 1: return limits[i] + (i > 0);
    default: return row_between(rng, limits[i], limits[i + 1]);
  }
}

static inline norm_case norm_case_random(test_rng *rng, const char *target) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  static const float epsilons[] = {1e-5f, 1e-6f, 1e-3f};
  norm_case c = {.kind = row_between(rng, 0, 1) ? WT_NORM_RMS : WT_NORM_LAYER,
                 .type = types[row_between(rng, 0, 2)],
                 .columns = norm_columns(rng),
                 .epsilon = epsilons[row_between(rng, 0, 2)],
                 .dropout = row_between(rng, 0, 1) ? (float)row_between(rng, 0, 100) / 100.00001f : 0,
                 .seed = test_random(rng),
                 .aligned = row_between(rng, 0, 1)};
  c.type_weight = row_between(rng, 0, 1) ? c.type : WT_TYPE_F32;
  const int most = 20000 / c.columns;
  c.rows = row_between(rng, 1, most < 2 ? 2 : most > 300 ? 300 : most);
  snprintf(c.what, sizeof c.what,
           "%s %s of type %d, weights %d, %d x %d, epsilon %g, dropout %g, seed 0x%llx, %saligned", target,
           c.kind == WT_NORM_RMS ? "RMS" : "layer", c.type, c.type_weight, c.rows, c.columns,
           (double)c.epsilon, (double)c.dropout, (unsigned long long)c.seed, c.aligned ? "" : "not ");
  return c;
}

// Returns a matrix of the case, with a stride and an alignment of its own.
static inline row_matrix norm_matrix(const norm_case *c, test_rng *rng, wt_type type) {
  const int element = (int)row_element(type), step = c->aligned ? 16 / element : 1;
  const int ld = (c->columns + row_between(rng, 0, 20) + step - 1) / step * step;
  return row_matrix_create(type, c->rows, c->columns, ld, c->aligned ? 0 : row_between(rng, 0, 16) * element);
}
static inline row_matrix norm_vector(const norm_case *c, test_rng *rng, wt_type type, int count) {
  return row_matrix_create(type, 1, count, count,
                           c->aligned ? 0 : row_between(rng, 0, 16) * (int)row_element(type));
}

// middle + spread * a normal number for each element, rounded to the matrix's type.
static inline void norm_fill(row_matrix *x, test_rng *rng, double middle, double spread) {
  for (int i = 0; i < x->rows; ++i)
    for (int j = 0; j < x->columns; ++j)
      row_put(x, i, j, row_encode(x->type, middle + spread * row_normal(rng)));
}

// Returns the probability of dropping an element: a multiple of 2^-16 below 1.
static inline double norm_dropout(const norm_case *c) {
  const double p = rint((double)c->dropout * 65536) / 65536;
  return p < 1 ? p : 65535.0 / 65536;
}

static inline bool norm_kept(const norm_case *c, int row, int column) {
  return philox_half(c->seed, (uint64_t)row, (uint32_t)column) >= norm_dropout(c) * 65536;
}

// Tells whether a result is `want` computed with an error of up to `error`, then rounded to the type.
static inline bool norm_close(wt_type type, double got, double want, double error) {
  const double most = fabs(want) + error;
  if (!(most < (type == WT_TYPE_F16 ? 65504 : 3e38))) return true;  // may overflow
  return fabs(got - want) <= error + most * row_roundoff(type) + row_smallest(type);
}

// Describes the result of one schedule, against the first's.
typedef struct norm_result {
  row_matrix *matrix;
  unsigned char *first, *other;
} norm_result;

static inline void norm_collect(norm_result *all, int count, int schedule, const char *what) {
  for (int i = 0; i < count; ++i) {
    norm_result *r = &all[i];
    if (schedule == 0) r->first = malloc(r->matrix->bytes), r->other = malloc(r->matrix->bytes);
    row_download(r->matrix, schedule ? r->other : r->first);
    CHECK(schedule == 0 || memcmp(r->first, r->other, r->matrix->bytes) == 0,
          "%s: output %d has other bits under %s than under %s", what, i, getenv("WT_SIM_SCHEDULE"),
          row_schedules[0]);
    CHECK(schedule != 0 || row_gaps_kept(r->matrix, r->first), "%s: output %d was written between its rows",
          what, i);
  }
}

static inline void norm_release(norm_result *all, int count) {
  for (int i = 0; i < count; ++i) free(all[i].first), free(all[i].other);
}

// Runs `one` case after the other on both devices, and sees that LDS has no bank conflict.
static inline int norm_main(int argc, char **argv, void (*one)(wt_context *context, test_rng *rng)) {
  const int cases = argc == 2 ? atoi(argv[1]) : 0;
  if (cases <= 0) return fprintf(stderr, "usage: %s CASES\n", argv[0]), 2;
  test_rng rng = test_seed(13);
  row_each_device(cases, &rng, one);
  return test_result();
}

#endif
