// SPDX-License-Identifier: MIT
// wt_norm against float64: random shapes, strides, alignments, types, options and contents, in place and not,
// on both simulated chips; the same bits under every schedule, nothing written between the rows, no LDS bank
// conflict. Bounds follow the order of the arithmetic.
//
//   norm_forward CASES
#include "norm_case.h"

typedef struct forward_case {
  norm_case base;
  bool has_residual, has_weight, has_bias, has_sum, has_mask, has_statistics;
  bool y_in_x, sum_in_residual;
  row_matrix x, residual, weight, bias, sum, y, mask, mean, rstd;
} forward_case;

static forward_case make_case(test_rng *rng, const char *target) {
  forward_case f = {.base = norm_case_random(rng, target)};
  norm_case *c = &f.base;
  bool *const options[] = {&f.has_residual, &f.has_weight,     &f.has_bias, &f.has_sum,
                           &f.has_mask,     &f.has_statistics, &f.y_in_x,   &f.sum_in_residual};
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) *options[i] = row_between(rng, 0, 1);
  f.sum_in_residual = f.sum_in_residual && f.has_residual && f.has_sum;
  f.x = norm_matrix(c, rng, c->type);
  f.residual = norm_matrix(c, rng, c->type);
  f.sum = norm_matrix(c, rng, c->type);
  f.y = norm_matrix(c, rng, c->type);
  f.mask = norm_matrix(c, rng, WT_TYPE_I8);
  f.weight = norm_vector(c, rng, c->type_weight, c->columns);
  f.bias = norm_vector(c, rng, c->type_weight, c->columns);
  f.mean = norm_vector(c, rng, WT_TYPE_F32, c->rows);
  f.rstd = norm_vector(c, rng, WT_TYPE_F32, c->rows);
  // The middle is far from zero: the variance must not be the difference of large sums.
  norm_fill(&f.x, rng, row_between(rng, 0, 2) ? 0 : 100 * row_normal(rng), exp(2 * row_normal(rng)));
  norm_fill(&f.residual, rng, row_normal(rng), exp(row_normal(rng)));
  norm_fill(&f.weight, rng, 1, 0.5);
  norm_fill(&f.bias, rng, 0, 1);
  const size_t used = strlen(c->what);
  snprintf(c->what + used, sizeof c->what - used, ", options %d%d%d%d%d%d%d%d", f.has_residual, f.has_weight,
           f.has_bias, f.has_sum, f.has_mask, f.has_statistics, f.y_in_x, f.sum_in_residual);
  return f;
}

static void destroy_case(forward_case *f) {
  row_matrix *const all[] = {&f->x, &f->residual, &f->weight, &f->bias, &f->sum,
                             &f->y, &f->mask,     &f->mean,   &f->rstd};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_matrix_destroy(all[i]);
}

// Describes a row in float64, with what f32 makes of it at most.
typedef struct reference_row {
  double *z, *z_error;
  double mean, rstd, mean_error, rstd_error;
} reference_row;

static void sum_of(const forward_case *f, int row, reference_row *r) {
  const norm_case *c = &f->base;
  const double scale = 1 / (1 - norm_dropout(c));
  for (int j = 0; j < c->columns; ++j) {
    const bool kept = norm_kept(c, row, j);
    const double x = kept ? row_value(&f->x, f->x.host, row, j) * scale : 0;
    r->z[j] = x + (f->has_residual ? row_value(&f->residual, f->residual.host, row, j) : 0);
    // This adds the scale's rounding, the product's and the sum's.
    r->z_error[j] = (c->dropout > 0 ? 2 * kU * fabs(x) : 0) + kU * fabs(r->z[j]);
  }
}

static void statistics_of(const norm_case *c, reference_row *r) {
  const int n = c->columns;
  // This counts the roundings on the way of one element into a sum: its thread's and the tree's additions,
  // and where the row is taken in slices the formula that joins them, 8 operations each.
  const double chain = row_chain(n) + 10 + 8 * (n / 8192);
  double sum = 0, magnitude = 0, errors = 0, square_errors = 0, squares = 0;
  for (int j = 0; j < n; ++j) {
    sum += r->z[j], magnitude += fabs(r->z[j]);
    errors += r->z_error[j], square_errors += r->z_error[j] * r->z_error[j];
  }
  const bool layer = c->kind == WT_NORM_LAYER;
  r->mean = layer ? sum / n : 0;
  r->mean_error = layer ? chain * kU * magnitude / n + errors / n + kU * fabs(r->mean) : 0;
  for (int j = 0; j < n; ++j) squares += (r->z[j] - r->mean) * (r->z[j] - r->mean);
  const double variance = squares / n;
  // This is d(d^2) = 2 d dd, summed by Cauchy and Schwarz; then the terms' own roundings follow.
  const double around = r->mean_error + sqrt(square_errors / n);
  const double error = 1.01 * (2 * sqrt(variance) * around + around * around + (chain + 4) * kU * variance);
  const double exact = variance + (double)c->epsilon, low = (exact - error) * (1 - 2 * kU),
               high = (exact + error) * (1 + 2 * kU);
  r->rstd = 1 / sqrt(exact);
  r->rstd_error = low > 0 ? fmax(1 / sqrt(low) - r->rstd, r->rstd - 1 / sqrt(high)) : INFINITY;
  r->rstd_error += 2 * kU * (r->rstd + r->rstd_error);  // v_rsq_f32: 1 ulp
}

static void check_row(const forward_case *f, int i, const reference_row *r, const norm_result *results) {
  const norm_case *c = &f->base;
  const unsigned char *y = results[0].first, *sum = results[1].first, *mask = results[2].first;
  for (int j = 0; j < c->columns; ++j) {
    const double w = f->has_weight ? row_value(&f->weight, f->weight.host, 0, j) : 1,
                 b = f->has_bias ? row_value(&f->bias, f->bias.host, 0, j) : 0;
    const double d = r->z[j] - r->mean, want = d * r->rstd * w + b;
    const double d_error = r->z_error[j] + r->mean_error + kU * fabs(d);
    const double rstd_most = r->rstd + r->rstd_error;
    const double error = 1.01 * (fabs(w) * (d_error * rstd_most + fabs(d) * r->rstd_error) +
                                 3 * kU * fabs(d * rstd_most * w) + kU * fabs(want));
    const double got = row_value(results[0].matrix, y, i, j);
    CHECK(norm_close(c->type, got, want, error), "%s: y of row %d column %d is %.9g, expected %.9g +- %g",
          c->what, i, j, got, want, error);
    if (f->has_sum) {
      const double z = row_value(results[1].matrix, sum, i, j);
      CHECK(norm_close(c->type, z, r->z[j], r->z_error[j]),
            "%s: sum of row %d column %d is %.9g, expected %.9g", c->what, i, j, z, r->z[j]);
    }
    if (f->has_mask)
      CHECK(row_get(&f->mask, mask, i, j) == norm_kept(c, i, j), "%s: mask of row %d column %d", c->what, i,
            j);
  }
  if (!f->has_statistics) return;
  const double mean = row_value(&f->mean, results[3].first, 0, i),
               rstd = row_value(&f->rstd, results[4].first, 0, i);
  CHECK(norm_close(WT_TYPE_F32, mean, r->mean, r->mean_error),
        "%s: mean of row %d is %.9g, expected %.9g +- %g", c->what, i, mean, r->mean, r->mean_error);
  CHECK(norm_close(WT_TYPE_F32, rstd, r->rstd, r->rstd_error),
        "%s: rstd of row %d is %.9g, expected %.9g +- %g", c->what, i, rstd, r->rstd, r->rstd_error);
}

static void check_results(const forward_case *f, const norm_result *results) {
  const size_t bytes = (size_t)f->base.columns * sizeof(double);
  reference_row r = {.z = malloc(bytes), .z_error = malloc(bytes)};
  for (int i = 0; i < f->base.rows; ++i) {
    sum_of(f, i, &r);
    statistics_of(&f->base, &r);
    check_row(f, i, &r, results);
  }
  free(r.z), free(r.z_error);
}

static wt_status enqueue(wt_context *context, forward_case *f, norm_result *results) {
  const norm_case *c = &f->base;
  row_matrix *y = f->y_in_x ? &f->x : &f->y, *sum = f->sum_in_residual ? &f->residual : &f->sum;
  row_matrix *const outputs[] = {y, sum, &f->mask, &f->mean, &f->rstd};
  for (int i = 0; i < 5; ++i) results[i].matrix = outputs[i], row_upload(outputs[i]);
  row_upload(&f->x), row_upload(&f->residual), row_upload(&f->weight), row_upload(&f->bias);
  wt_norm_desc d = WT_NORM_DESC_INIT;
  d.rows = c->rows, d.columns = c->columns, d.kind = c->kind, d.type = c->type,
  d.type_weight = c->type_weight;
  d.epsilon = c->epsilon, d.dropout = c->dropout, d.seed = c->seed;
  d.ldx = f->x.ld, d.ldy = y->ld;
  if (f->has_residual) d.residual = f->residual.device, d.ldresidual = f->residual.ld;
  if (f->has_weight) d.weight = f->weight.device;
  if (f->has_bias) d.bias = f->bias.device;
  if (f->has_sum) d.sum = sum->device, d.ldsum = sum->ld;
  if (f->has_mask) d.mask = f->mask.device, d.ldmask = f->mask.ld;
  if (f->has_statistics) d.mean = (float *)f->mean.device, d.rstd = (float *)f->rstd.device;
  return wt_norm(context, &d, f->x.device, y->device, NULL);
}

static void one(wt_context *context, test_rng *rng) {
  forward_case f = make_case(rng, wt_context_target(context));
  norm_result results[5] = {0};
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    const wt_status status = enqueue(context, &f, results);
    CHECK(status == WT_SUCCESS, "%s: %s", f.base.what, wt_last_error(context));
    if (status || !row_ok(hipDeviceSynchronize(), f.base.what)) break;
    norm_collect(results, 5, s, f.base.what);
    if (s == 0) check_results(&f, results);
  }
  norm_release(results, 5);
  destroy_case(&f);
}

int main(int argc, char **argv) { return norm_main(argc, argv, one); }
