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

// ---- operands with scales

static void decode(const void *context, int operand, int64_t row, float *numbers, float *factors) {
  const family_job *job = context;
  const bool mx = ((const grouped_own *)job->own)->scales == SCALES_MX;
  const grouped_factors f = grouped_factors_of(job);
  const grouped_lines lines = grouped_lines_of(job);
  const mx_type *type = operand ? f.type_b : f.type_a;
  const int64_t scaled =
      operand ? row / lines.b_rows * lines.b_scaled_rows + grouped_scaled_row(job, row % lines.b_rows) : row;
  const float *codes = family_row(job, operand ? f.b : f.a, row);
  const float *scales = family_row(job, operand ? f.b_scale : f.a_scale, scaled);
  for (int64_t i = 0; i < lines.depth; ++i) numbers[i] = mx_element(type, codes, i);
  for (int64_t n = 0; n < job->operands.blocks; ++n)
    factors[n] = !scales ? 1 : mx ? (float)mx_scale((int)scales[n]) : scales[n];
}

// The gradient of the weights is summed over the rows of all groups, and its second operand has no group.
bool grouped_reference_begin(family_job *job) {
  if (!((const grouped_own *)job->own)->scales) return true;
  const grouped_sizes s = grouped_sizes_of(job);
  const grouped_lines lines = grouped_lines_of(job);
  const bool weights = grouped_pass_of(job) == WT_GROUPED_BACKWARD_WEIGHT;
  const int64_t rows[2] = {weights ? s.n : s.rows, weights ? lines.b_rows : s.groups * lines.b_rows};
  return scaled_operands_make(&job->operands, rows, lines.depth, grouped_block(job), decode, job);
}

// ---- products

// Multiplies numbers with others that lie `step` apart.
static dot_sum strided_dot(const float *a, const float *b, int64_t step, int64_t count) {
  dot_sum all = {0, 0};
  for (int64_t i = 0; i < count; ++i) {
    const double product = (double)a[i] * (double)b[i * step];
    all.sum += product, all.size += fabs(product);
  }
  return all;
}

// Multiplies a row of what the pass multiplies with row j of the group's matrix.
static dot_sum row_product(const family_job *job, const grouped_sizes *s, int64_t row, int64_t group,
                           int64_t j) {
  const grouped_own *own = job->own;
  if (own->scales) return scaled_dot(&job->operands, row, group * (job->backward ? s->k : s->n) + j);
  if (job->backward)
    return strided_dot(family_row(job, DY, row), family_row(job, W, group * s->n) + j, s->k, s->n);
  return dot(family_row(job, X, row), family_row(job, W, group * s->n + j), s->k);
}

static void want_forward(const family_job *job, int64_t row, int group, double *want, double *bound) {
  const grouped_own *own = job->own;
  const grouped_sizes s = grouped_sizes_of(job);
  const row_factors factors = factors_of(job, group, row);
  const float *bias = family_row(job, BIAS, group);
  for (int64_t j = 0; j < s.n; ++j) {
    const dot_sum products = row_product(job, &s, row, group, j);
    double slack;
    const double factor = factor_at(&factors, j);
    const double added = bias ? (double)bias[j] : 0;
    want[j] = family_activated(own->activation, products.sum * factor + added, &slack);
    const double error =
        (family_sum_error(s.k) + 8 * family_u) * products.size * fabs(factor) + 2 * family_u * fabs(added);
    bound[j] = family_rounded(job, Y, want[j], (own->activation ? 1.2 * error : error) + slack);
  }
}

static void want_input(const family_job *job, int64_t row, int group, double *want, double *bound) {
  const grouped_sizes s = grouped_sizes_of(job);
  const row_factors factors = factors_of(job, group, row);
  const double error = family_sum_error(s.n) + 8 * family_u;
  for (int64_t l = 0; l < s.k; ++l) {
    const dot_sum products = row_product(job, &s, row, group, l);
    const double factor = factor_at(&factors, l);
    want[l] = products.sum * factor;
    bound[l] = family_rounded(job, DX, want[l], error * products.size * fabs(factor));
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
  const int64_t block = grouped_block(job), from = first / block, to = (end + block - 1) / block;
  for (int64_t l = 0; own->scales && l < s.k; ++l) {
    const dot_sum products = scaled_dot_blocks(&job->operands, j, l, from, to);
    want[l] = products.sum, bound[l] = products.size;
  }
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
