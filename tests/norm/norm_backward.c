// SPDX-License-Identifier: MIT
// wt_norm_backward against float64: random shapes, strides, alignments, types, options and contents, in place
// and not, on both simulated chips; the same bits under every schedule, nothing written between the rows, no
// LDS bank conflict. Bounds follow the order of the arithmetic.
//
//   norm_backward CASES
#include "norm_case.h"

typedef struct backward_case {
  norm_case base;
  bool has_weight, has_dsum, has_dx, has_dresidual, has_dweight, has_dbias, dx_in_dy, dresidual_in_dsum;
  row_matrix dy, sum, dsum, dx, dresidual, weight, dweight, dbias, mean, rstd;
} backward_case;

enum { DX, DRESIDUAL, DWEIGHT, DBIAS, OUTPUTS };

// mean and rstd as a forward pass would have left them; they are inputs here, and count as exact.
static void fill_statistics(backward_case *b) {
  const norm_case *c = &b->base;
  for (int i = 0; i < c->rows; ++i) {
    double sum = 0, squares = 0;
    for (int j = 0; j < c->columns; ++j) sum += row_value(&b->sum, b->sum.host, i, j);
    const double mean = c->kind == WT_NORM_LAYER ? sum / c->columns : 0;
    for (int j = 0; j < c->columns; ++j) {
      const double d = row_value(&b->sum, b->sum.host, i, j) - mean;
      squares += d * d;
    }
    row_put(&b->mean, 0, i, row_encode(WT_TYPE_F32, mean));
    row_put(&b->rstd, 0, i, row_encode(WT_TYPE_F32, 1 / sqrt(squares / c->columns + (double)c->epsilon)));
  }
}

static backward_case make_case(test_rng *rng, const char *target) {
  backward_case b = {.base = norm_case_random(rng, target)};
  norm_case *c = &b.base;
  bool *const options[] = {&b.has_weight,  &b.has_dsum,  &b.has_dx,   &b.has_dresidual,
                           &b.has_dweight, &b.has_dbias, &b.dx_in_dy, &b.dresidual_in_dsum};
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) *options[i] = row_between(rng, 0, 1);
  b.has_dx = b.has_dx || !(b.has_dresidual || b.has_dweight || b.has_dbias);
  b.dx_in_dy = b.dx_in_dy && b.has_dx;
  b.dresidual_in_dsum = b.dresidual_in_dsum && b.has_dsum && b.has_dresidual;
  row_matrix *const matrices[] = {&b.dy, &b.sum, &b.dsum, &b.dx, &b.dresidual};
  for (int i = 0; i < 5; ++i) *matrices[i] = norm_matrix(c, rng, c->type);
  b.weight = norm_vector(c, rng, c->type_weight, c->columns);
  b.dweight = norm_vector(c, rng, c->type_weight, c->columns);
  b.dbias = norm_vector(c, rng, c->type_weight, c->columns);
  b.mean = norm_vector(c, rng, WT_TYPE_F32, c->rows);
  b.rstd = norm_vector(c, rng, WT_TYPE_F32, c->rows);
  norm_fill(&b.dy, rng, 0.5 * row_normal(rng), exp(row_normal(rng)));
  norm_fill(&b.sum, rng, row_normal(rng), exp(row_normal(rng)));
  norm_fill(&b.dsum, rng, 0, 1);
  norm_fill(&b.weight, rng, 1, 0.5);
  fill_statistics(&b);
  const size_t used = strlen(c->what);
  snprintf(c->what + used, sizeof c->what - used, ", options %d%d%d%d%d%d%d%d", b.has_weight, b.has_dsum,
           b.has_dx, b.has_dresidual, b.has_dweight, b.has_dbias, b.dx_in_dy, b.dresidual_in_dsum);
  return b;
}

static void destroy_case(backward_case *b) {
  row_matrix *const all[] = {&b->dy,     &b->sum,     &b->dsum,  &b->dx,   &b->dresidual,
                             &b->weight, &b->dweight, &b->dbias, &b->mean, &b->rstd};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_matrix_destroy(all[i]);
}

static double weight_at(const backward_case *b, int j) {
  return b->has_weight ? row_value(&b->weight, b->weight.host, 0, j) : 1;
}

// n = (z - mean) * rstd takes two roundings, g = dy * w one, and so g * n four with its own.
static void check_row(const backward_case *b, int i, const norm_result *results) {
  const norm_case *c = &b->base;
  const bool layer = c->kind == WT_NORM_LAYER;
  const double mean = layer ? row_value(&b->mean, b->mean.host, 0, i) : 0,
               rstd = row_value(&b->rstd, b->rstd.host, 0, i), scale = 1 / (1 - norm_dropout(c));
  double sum_gn = 0, sum_g = 0, all_gn = 0, all_g = 0;
  for (int j = 0; j < c->columns; ++j) {
    const double n = (row_value(&b->sum, b->sum.host, i, j) - mean) * rstd,
                 g = row_value(&b->dy, b->dy.host, i, j) * weight_at(b, j);
    sum_gn += g * n, sum_g += g, all_gn += fabs(g * n), all_g += fabs(g);
  }
  const double chain = row_chain(c->columns) + c->columns / 8192;
  const double gn = sum_gn / c->columns, mean_g = layer ? sum_g / c->columns : 0;
  const double gn_error = (chain + 5) * kU * all_gn / c->columns,
               g_error = layer ? (chain + 2) * kU * all_g / c->columns : 0;
  for (int j = 0; j < c->columns; ++j) {
    const double n = (row_value(&b->sum, b->sum.host, i, j) - mean) * rstd,
                 g = row_value(&b->dy, b->dy.host, i, j) * weight_at(b, j);
    const double more = b->has_dsum ? row_value(&b->dsum, b->dsum.host, i, j) : 0;
    const double inner = g - mean_g - n * gn, want = inner * rstd + more;
    const double inner_error = kU * fabs(g) + g_error + fabs(n) * gn_error + 3 * kU * fabs(n * gn) +
                               kU * fabs(g - mean_g) + kU * fabs(inner);
    const double error = 1.01 * (rstd * (inner_error + kU * fabs(inner)) + kU * fabs(want));
    if (b->has_dresidual) {
      const double got = row_value(results[DRESIDUAL].matrix, results[DRESIDUAL].first, i, j);
      CHECK(norm_close(c->type, got, want, error),
            "%s: dresidual of row %d column %d is %.9g, expected %.9g +- %g", c->what, i, j, got, want,
            error);
    }
    if (b->has_dx) {
      const double got = row_value(results[DX].matrix, results[DX].first, i, j);
      const bool kept = norm_kept(c, i, j);
      const double dx = kept ? want * scale : 0;
      const double dx_error = kept ? scale * error + (c->dropout > 0 ? 2 * kU * fabs(dx) : 0) : 0;
      CHECK(norm_close(c->type, got, dx, dx_error), "%s: dx of row %d column %d is %.9g, expected %.9g +- %g",
            c->what, i, j, got, dx, dx_error);
    }
  }
}

// Sums over rows: in whatever order, an element goes through fewer additions than there are rows.
static void check_weights(const backward_case *b, const norm_result *results) {
  const norm_case *c = &b->base;
  for (int j = 0; j < c->columns; ++j) {
    double dweight = 0, dbias = 0, all_weight = 0, all_bias = 0;
    for (int i = 0; i < c->rows; ++i) {
      const double mean = c->kind == WT_NORM_LAYER ? row_value(&b->mean, b->mean.host, 0, i) : 0;
      const double n = (row_value(&b->sum, b->sum.host, i, j) - mean) *
                       row_value(&b->rstd, b->rstd.host, 0, i),
                   dy = row_value(&b->dy, b->dy.host, i, j);
      dweight += dy * n, dbias += dy, all_weight += fabs(dy * n), all_bias += fabs(dy);
    }
    const double error = 1.01 * kU * (c->rows + 3) * all_weight, bias_error = 1.01 * kU * c->rows * all_bias;
    if (b->has_dweight) {
      const double got = row_value(&b->dweight, results[DWEIGHT].first, 0, j);
      CHECK(norm_close(c->type_weight, got, dweight, error), "%s: dweight %d is %.9g, expected %.9g +- %g",
            c->what, j, got, dweight, error);
    }
    if (b->has_dbias) {
      const double got = row_value(&b->dbias, results[DBIAS].first, 0, j);
      CHECK(norm_close(c->type_weight, got, dbias, bias_error), "%s: dbias %d is %.9g, expected %.9g +- %g",
            c->what, j, got, dbias, bias_error);
    }
  }
}

static wt_status enqueue(wt_context *context, backward_case *b, norm_result *results, void *workspace,
                         size_t workspace_bytes, size_t *needed) {
  const norm_case *c = &b->base;
  row_matrix *dx = b->dx_in_dy ? &b->dy : &b->dx,
             *dresidual = b->dresidual_in_dsum ? &b->dsum : &b->dresidual;
  row_matrix *const outputs[] = {dx, dresidual, &b->dweight, &b->dbias};
  row_matrix *const inputs[] = {&b->dy, &b->sum, &b->dsum, &b->weight, &b->mean, &b->rstd};
  for (int i = 0; i < OUTPUTS; ++i) results[i].matrix = outputs[i], row_upload(outputs[i]);
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; ++i) row_upload(inputs[i]);
  wt_norm_backward_desc d = WT_NORM_BACKWARD_DESC_INIT;
  d.rows = c->rows, d.columns = c->columns, d.kind = c->kind, d.type = c->type,
  d.type_weight = c->type_weight;
  d.dropout = c->dropout, d.seed = c->seed;
  d.lddy = b->dy.ld, d.ldsum = b->sum.ld, d.lddx = dx->ld;
  d.rstd = (const float *)b->rstd.device;
  if (c->kind == WT_NORM_LAYER) d.mean = (const float *)b->mean.device;
  if (b->has_weight) d.weight = b->weight.device;
  if (b->has_dsum) d.dsum = b->dsum.device, d.lddsum = b->dsum.ld;
  if (b->has_dresidual) d.dresidual = dresidual->device, d.lddresidual = dresidual->ld;
  if (b->has_dweight) d.dweight = b->dweight.device;
  if (b->has_dbias) d.dbias = b->dbias.device;
  if (needed) return wt_norm_backward_workspace_size(context, &d, needed);
  d.workspace = workspace, d.workspace_bytes = workspace_bytes;
  return wt_norm_backward(context, &d, b->dy.device, b->sum.device, b->has_dx ? dx->device : NULL, NULL);
}

static void one(wt_context *context, test_rng *rng) {
  backward_case b = make_case(rng, wt_context_target(context));
  norm_result results[OUTPUTS] = {0};
  size_t bytes = 0;
  CHECK(enqueue(context, &b, results, NULL, 0, &bytes) == WT_SUCCESS, "%s: %s", b.base.what,
        wt_last_error(context));
  CHECK((bytes > 0) == (b.has_dweight || b.has_dbias), "%s: workspace of %zu bytes", b.base.what, bytes);
  void *workspace = NULL;
  if (bytes) {
    row_ok(hipMalloc(&workspace, bytes), "workspace");
    row_ok(hipMemset(workspace, ROW_POISON, bytes), "workspace");
  }
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    const wt_status status = enqueue(context, &b, results, workspace, bytes, NULL);
    CHECK(status == WT_SUCCESS, "%s: %s", b.base.what, wt_last_error(context));
    if (status || !row_ok(hipDeviceSynchronize(), b.base.what)) break;
    norm_collect(results, OUTPUTS, s, b.base.what);
    if (s == 0) {
      for (int i = 0; i < b.base.rows; ++i) check_row(&b, i, results);
      check_weights(&b, results);
    }
  }
  row_ok(hipFree(workspace), "hipFree");
  norm_release(results, OUTPUTS);
  destroy_case(&b);
}

int main(int argc, char **argv) { return norm_main(argc, argv, one); }
