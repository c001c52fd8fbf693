// SPDX-License-Identifier: MIT
// Implements the reference of grouped products and their gradients, in float64.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "grouped.h"

// These are the factors of a row of the result: those of its group and its own one, and those of its columns,
// or NULL.
typedef struct row_factors {
  double of_row;
  const float *of_columns;
} row_factors;

static double factor_at(const row_factors *f, int64_t column) {
  return f->of_row * (f->of_columns ? (double)f->of_columns[column] : 1);
}

// `row` counts those of all groups.
static row_factors factors_of(const family_job *job, int64_t group, int64_t row) {
  const grouped_own *own = job->own;
  const float *of_group = family_row(job, GROUP_SCALE, 0), *rows = family_row(job, ROW_SCALE, 0);
  const double scale = (double)(float)own->alpha * (of_group ? (double)of_group[group] : 1);
  return (row_factors){scale * (rows ? (double)rows[row] : 1), family_row(job, COLUMN_SCALE, group)};
}

// Adds the sum of `count` products and of their magnitudes.
static void add_products(const float *a, const float *b, int64_t step_b, int64_t count, double *sum,
                         double *size) {
  *sum = *size = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double product = (double)a[i] * (double)b[i * step_b];
    *sum += product, *size += fabs(product);
  }
}

// Describes row `row` of the first of two operands with scales, and what the rows of the second one are. Sums
// look at this many times, so it is made once.
typedef struct scaled_row {
  grouped_factors f;
  grouped_lines lines;
  int64_t block;
  const float *a, *of_a;
} scaled_row;

static scaled_row scaled_row_of(const family_job *job, int64_t row) {
  const grouped_factors f = grouped_factors_of(job);
  return (scaled_row){f, grouped_lines_of(job), grouped_block(job), family_row(job, f.a, row),
                      family_row(job, f.a_scale, row)};
}

// Does the same for blocks `from` up to `to` of such a row and row j of matrix `group` of the second operand.
static void add_blocks(const family_job *job, const scaled_row *r, int64_t group, int64_t j, int64_t from,
                       int64_t to, double *sum, double *size) {
  const grouped_own *own = job->own;
  const bool mx = own->scales == SCALES_MX;
  const float *b = family_row(job, r->f.b, group * r->lines.b_rows + j), *of_a = r->of_a;
  const float *of_b =
      family_row(job, r->f.b_scale, group * r->lines.b_scaled_rows + grouped_scaled_row(job, j));
  *sum = *size = 0;
  for (int64_t n = from; n < to; ++n) {
    const double scale =
        mx ? (of_a ? mx_scale((int)of_a[n]) : 1) * mx_scale((int)of_b[n]) : (double)of_a[n] * (double)of_b[n];
    const int64_t first = n * r->block, next = first + r->block;
    for (int64_t i = first; i < next && i < r->lines.depth; ++i) {
      const double product =
          (double)mx_element(r->f.type_a, r->a, i) * (double)mx_element(r->f.type_b, b, i) * scale;
      *sum += product, *size += fabs(product);
    }
  }
}

// Does the same for a row of what the pass multiplies and row j of the group's matrix.
static void add_row_of_b(const family_job *job, const scaled_row *r, int64_t row, int64_t group, int64_t j,
                         double *sum, double *size) {
  const grouped_own *own = job->own;
  const grouped_sizes s = grouped_sizes_of(job);
  if (own->scales)
    add_blocks(job, r, group, j, 0, (r->lines.depth - 1) / r->block + 1, sum, size);
  else if (job->backward)
    add_products(family_row(job, DY, row), family_row(job, W, group * s.n) + j, s.k, s.n, sum, size);
  else
    add_products(family_row(job, X, row), family_row(job, W, group * s.n + j), 1, s.k, sum, size);
}

static void want_forward(const family_job *job, int64_t row, int group, double *want, double *bound) {
  const grouped_own *own = job->own;
  const grouped_sizes s = grouped_sizes_of(job);
  const row_factors factors = factors_of(job, group, row);
  const float *bias = family_row(job, BIAS, group);
  const scaled_row scaled = scaled_row_of(job, row);
  for (int64_t j = 0; j < s.n; ++j) {
    double sum, size, slack;
    add_row_of_b(job, &scaled, row, group, j, &sum, &size);
    const double factor = factor_at(&factors, j);
    const double added = bias ? (double)bias[j] : 0;
    want[j] = family_activated(own->activation, sum * factor + added, &slack);
    const double error =
        (family_sum_error(s.k) + 8 * family_u) * size * fabs(factor) + 2 * family_u * fabs(added);
    bound[j] = family_rounded(job, Y, want[j], (own->activation ? 1.2 * error : error) + slack);
  }
}

static void want_input(const family_job *job, int64_t row, int group, double *want, double *bound) {
  const grouped_sizes s = grouped_sizes_of(job);
  const row_factors factors = factors_of(job, group, row);
  const scaled_row scaled = scaled_row_of(job, row);
  for (int64_t l = 0; l < s.k; ++l) {
    double sum, size;
    const double factor = factor_at(&factors, l);
    add_row_of_b(job, &scaled, row, group, l, &sum, &size);
    want[l] = sum * factor;
    bound[l] = family_rounded(job, DX, want[l], (family_sum_error(s.n) + 8 * family_u) * size * fabs(factor));
  }
}

void grouped_reference_row(family_job *job, int64_t row, double *scratch) {
  const grouped_own *own = job->own;
  double *want = scratch, *bound = scratch + job->columns;
  const int group = own->owner[row];
  if (job->backward && !job->tensors[DX].wanted) return;
  memset(scratch, 0, 2 * (size_t)job->columns * sizeof *scratch);
  if (group >= 0) (job->backward ? want_input : want_forward)(job, row, group, want, bound);
  family_compare(job, job->backward ? DX : Y, row * job->columns, job->columns, want, bound);
}

// Computes a row of a group's gradient of the weights, where rows of the group are from `first` up to `end`.
static void want_weight(family_job *job, int64_t row_of_w, int64_t first, int64_t end, double *scratch) {
  const grouped_sizes s = grouped_sizes_of(job);
  const int64_t group = row_of_w / s.n, j = row_of_w % s.n;
  const grouped_own *own = job->own;
  double *want = scratch, *bound = scratch + s.k;
  memset(scratch, 0, 2 * (size_t)s.k * sizeof *scratch);
  const scaled_row scaled = scaled_row_of(job, j);
  const int64_t from = first / scaled.block, to = (end + scaled.block - 1) / scaled.block;
  for (int64_t l = 0; own->scales && l < s.k; ++l)
    add_blocks(job, &scaled, 0, l, from, to, &want[l], &bound[l]);
  for (int64_t row = first; row < end && !own->scales; ++row) {
    const double dy = (double)family_row(job, DY, row)[j];
    const float *x = family_row(job, X, row);
    for (int64_t l = 0; l < s.k; ++l) want[l] += dy * (double)x[l], bound[l] += fabs(dy * (double)x[l]);
  }
  const row_factors factors = factors_of(job, group, row_of_w);
  const double error = family_sum_error(end - first) + 8 * family_u;
  for (int64_t l = 0; l < s.k; ++l) {
    const double factor = factor_at(&factors, l);
    want[l] *= factor;
    bound[l] = family_rounded(job, DW, want[l], error * bound[l] * fabs(factor));
  }
  family_compare(job, DW, row_of_w * s.k, s.k, want, bound);
}

typedef struct weight_rows {
  family_job *job;
  int64_t first, end, group;
} weight_rows;

static void reference_weights(void *pointer, int64_t begin, int64_t end) {
  const weight_rows *rows = pointer;
  const grouped_sizes s = grouped_sizes_of(rows->job);
  double *scratch = malloc(2 * (size_t)s.k * sizeof *scratch);
  for (int64_t j = begin; scratch && j < end; ++j)
    want_weight(rows->job, rows->group * s.n + j, rows->first, rows->end, scratch);
  free(scratch);
}

void grouped_reference_end(family_job *job) {
  const grouped_own *own = job->own;
  if (!job->backward || !job->tensors[DW].wanted) return;
  const grouped_sizes s = grouped_sizes_of(job);
  for (int64_t g = 0; g < s.groups; ++g) {
    weight_rows rows = {.job = job, .group = g};
    while (rows.first < s.rows && own->owner[rows.first] != g) ++rows.first;
    for (rows.end = rows.first; rows.end < s.rows && own->owner[rows.end] == g;) ++rows.end;
    parallel_for(s.n, reference_weights, &rows);
  }
}
