// SPDX-License-Identifier: MIT
// wt_cross_entropy against float64: random lengths, numbers of rows, strides, alignments, types, contents,
// labels (ignored ones and ones that do not exist among them), smoothing and reductions, with and without the
// gradient, in place and not, on both simulated chips; the same bits under every schedule, nothing written
// between the rows, no LDS bank conflict.
//
//   cross_entropy CASES SHORTEST LONGEST
#include "softmax_reference.h"

typedef struct entropy_case {
  char what[240];
  wt_type type;
  int rows, columns;
  row_matrix x, dx;  // x holds dx when it is computed in place
  row_matrix labels, loss, lse, total;
  bool in_place, gradient, lse_wanted;
  wt_cross_entropy_desc desc;
} entropy_case;

static entropy_case make_case(test_rng *rng, const char *target, int shortest, int longest) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  static const float smoothings[] = {0, 0, 0.1f, 0.25f, 1};
  static const int ignored[] = {-100, 0, 1, -1};
  entropy_case c = {.type = types[row_between(rng, 0, 2)],
                    .columns = softmax_columns(rng, shortest, longest)};
  const int most = 6000 / c.columns;
  c.rows = row_between(rng, 1, most < 1 ? 1 : most > 40 ? 40 : most) + (c.columns < 5000);
  c.gradient = row_between(rng, 0, 4) > 0;
  c.in_place = c.gradient && row_between(rng, 0, 1);
  c.lse_wanted = row_between(rng, 0, 1);
  const int element = (int)row_element(c.type), step = row_between(rng, 0, 2) ? 1 : 16 / element;
  row_matrix *const matrices[] = {&c.x, &c.dx};
  for (int i = 0; i < 2; ++i) {
    const int ld = (c.columns + row_between(rng, 0, 20) + step - 1) / step * step;
    const int offset = step > 1 ? 0 : row_between(rng, 0, 16) * element;
    *matrices[i] = row_matrix_create(c.type, c.rows, c.columns, ld, offset);
  }
  c.labels = row_matrix_create(WT_TYPE_I32, 1, c.rows, c.rows, 4);
  c.loss = row_matrix_create(WT_TYPE_F32, 1, c.rows, c.rows, 4);
  c.lse = row_matrix_create(WT_TYPE_F32, 1, c.rows, c.rows, 8);
  c.total = row_matrix_create(WT_TYPE_F32, 1, 1, 1, 4);
  c.desc = (wt_cross_entropy_desc)WT_CROSS_ENTROPY_DESC_INIT;
  c.desc.rows = c.rows, c.desc.columns = c.columns, c.desc.type = c.type;
  c.desc.ldx = c.x.ld, c.desc.lddx = c.in_place ? c.x.ld : c.dx.ld;
  c.desc.ignore_index = ignored[row_between(rng, 0, 3)];
  c.desc.label_smoothing = smoothings[row_between(rng, 0, 4)];
  c.desc.reduction = (wt_reduction)row_between(rng, 0, 2);
  c.desc.grad_scale = row_between(rng, 0, 1) ? 1.0f : -0.75f;
  if (c.desc.reduction) c.desc.total = (float *)(void *)c.total.device;
  if (c.lse_wanted) c.desc.lse = (float *)(void *)c.lse.device;
  snprintf(c.what, sizeof c.what,
           "%s type %d rows %d columns %d ld %d %d offsets %d %d ignored %d smoothing %g reduction %d scale "
           "%g%s%s",
           target, c.type, c.rows, c.columns, c.x.ld, c.dx.ld, c.x.offset, c.dx.offset, c.desc.ignore_index,
           (double)c.desc.label_smoothing, c.desc.reduction, (double)c.desc.grad_scale,
           c.gradient ? "" : " no gradient", c.in_place ? " in place" : "");
  return c;
}

static void destroy(entropy_case *c) {
  row_matrix *const all[] = {&c->x, &c->dx, &c->labels, &c->loss, &c->lse, &c->total};
  for (int i = 0; i < 6; ++i) row_matrix_destroy(all[i]);
}

static void fill_labels(entropy_case *c, test_rng *rng) {
  const bool wrong = row_between(rng, 0, 3) == 0, all_ignored = row_between(rng, 0, 9) == 0;
  for (int i = 0; i < c->rows; ++i) {
    int label = row_between(rng, 0, c->columns - 1);
    if (all_ignored || row_between(rng, 0, 4) == 0) label = c->desc.ignore_index;
    if (wrong && row_between(rng, 0, 5) == 0)
      label = row_between(rng, 0, 1) ? c->columns : -2 - row_between(rng, 0, 5);
    row_put(&c->labels, 0, i, (uint32_t)label);
  }
}

typedef struct results {
  unsigned char *dx, *loss, *lse, *total;
} results;

// log(sum) is off by the sum's error and 3 ulp (include/ops/functions.h), 6u at most; three terms are added
// and two of them were differences before.
static double loss_of(const entropy_case *c, const double *x, const softmax_row *row, int label,
                      double *error) {
  const double s = (double)c->desc.label_smoothing;
  double sum = 0, magnitude = 0;
  for (int j = 0; j < c->columns; ++j) sum += x[j], magnitude += fabs(x[j]);
  *error = 0;
  if (row->nan || label < 0 || label >= c->columns) return NAN;
  if (row->sum == 0 || x[label] == -INFINITY) return INFINITY;
  const double log_sum = log(row->sum), above = row->max - x[label];
  const double mean = s == 0 ? 0 : sum / c->columns;
  if (isinf(mean)) return INFINITY;
  *error = row->sum_error * 1.01 + 6 * kU * log_sum + 0x1p-126;
  *error += 4 * kU * (log_sum + fabs(above)) + (s == 0 ? 0 : 6 * kU * s * (fabs(mean) + fabs(row->max)));
  *error += s == 0 ? 0 : s * (row_chain(c->columns) + 2) * kU * magnitude / c->columns;
  return log_sum + (1 - s) * above + s * (row->max - mean);
}

static void check_gradient(const entropy_case *c, const double *x, const softmax_row *row, int i, int label,
                           double share, const unsigned char *dx) {
  const row_matrix *out = c->in_place ? &c->x : &c->dx;
  const double s = (double)c->desc.label_smoothing, scale = (double)c->desc.grad_scale * share;
  const bool ignored = label == c->desc.ignore_index, wrong = label < 0 || label >= c->columns;
  for (int j = 0; j < c->columns; ++j) {
    double p_error = 0, want = 0, error = 0;
    if (!ignored) {
      const double p = wrong ? NAN : softmax_probability(row, x[j], &p_error);
      want = scale * (p - (j == label) * (1 - s) - s / c->columns);
      error = fabs(scale) * (p_error + 6 * kU * (p + 1.0 / c->columns + (j == label))) + 0x1p-126;
    }
    const double got = row_value(out, dx, i, j);
    CHECK(softmax_close(c->type, got, want, error),
          "%s: dx of row %d (label %d) column %d is %.9g, expected %.9g +- %g", c->what, i, label, j, got,
          want, error);
  }
}

static void check(const entropy_case *c, const results *r) {
  double *x = malloc((size_t)c->columns * sizeof *x);
  int counted = 0;
  for (int i = 0; i < c->rows; ++i)
    counted += (int)row_value(&c->labels, c->labels.host, 0, i) != c->desc.ignore_index;
  const double share = c->desc.reduction != WT_REDUCTION_MEAN ? 1 : counted ? 1.0 / counted : 0;
  double total = 0, magnitude = 0;
  for (int i = 0; i < c->rows; ++i) {
    for (int j = 0; j < c->columns; ++j) x[j] = row_value(&c->x, c->x.host, i, j);
    const softmax_row row = softmax_of(x, c->columns);
    const int label = (int)row_value(&c->labels, c->labels.host, 0, i);
    const bool ignored = label == c->desc.ignore_index;
    double error = 0;
    const double want = ignored ? 0 : loss_of(c, x, &row, label, &error);
    const double got = row_value(&c->loss, r->loss, 0, i);
    CHECK(softmax_close(WT_TYPE_F32, got, want, error),
          "%s: loss of row %d (label %d) is %.9g, expected %.9g +- %g", c->what, i, label, got, want, error);
    total += got;
    magnitude += fabs(got);
    if (c->lse_wanted) {
      const double lse = ignored ? 0 : row.nan ? NAN : row.sum == 0 ? -INFINITY : row.max + log(row.sum);
      const double lse_error = row.sum_error * 1.01 + 6 * kU * fabs(log(row.sum)) + 0x1p-126;
      CHECK(softmax_close(WT_TYPE_F32, row_value(&c->lse, r->lse, 0, i), lse, ignored ? 0 : lse_error),
            "%s: lse of row %d is %.9g, expected %.9g", c->what, i, row_value(&c->lse, r->lse, 0, i), lse);
    }
    if (c->gradient) check_gradient(c, x, &row, i, label, share, r->dx);
  }
  if (c->desc.reduction) {  // of the losses as they are
    const double got = row_value(&c->total, r->total, 0, 0),
                 error = (row_chain(c->rows) + 3) * kU * magnitude * share;
    CHECK(softmax_close(WT_TYPE_F32, got, total * share, error), "%s: the total is %.9g, expected %.9g +- %g",
          c->what, got, total * share, error);
  }
  free(x);
}

static void download(const row_matrix *x, unsigned char **to) {
  *to = malloc(x->bytes);
  row_download(x, *to);
}

static void run(wt_context *context, const entropy_case *c) {
  const row_matrix *out = c->in_place ? &c->x : &c->dx;
  results first = {NULL, NULL, NULL, NULL};
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    const row_matrix *const all[] = {&c->x, &c->dx, &c->labels, &c->loss, &c->lse, &c->total};
    for (int i = 0; i < 6; ++i) row_upload(all[i]);
    const wt_status status =
        wt_cross_entropy(context, &c->desc, c->x.device, (const int32_t *)(const void *)c->labels.device,
                         (float *)(void *)c->loss.device, c->gradient ? out->device : NULL, NULL);
    CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
    if (status || !row_ok(hipDeviceSynchronize(), c->what)) break;
    results r;
    download(out, &r.dx), download(&c->loss, &r.loss), download(&c->lse, &r.lse),
        download(&c->total, &r.total);
    if (s == 0) {
      first = r;
      check(c, &r);
      CHECK(row_gaps_kept(out, r.dx), "%s: something between the rows was written", c->what);
      continue;
    }
    CHECK(memcmp(r.dx, first.dx, out->bytes) == 0 && memcmp(r.loss, first.loss, c->loss.bytes) == 0 &&
              memcmp(r.lse, first.lse, c->lse.bytes) == 0 &&
              memcmp(r.total, first.total, c->total.bytes) == 0,
          "%s: schedule %s gives other bits than %s", c->what, schedules[s], schedules[0]);
    free(r.dx), free(r.loss), free(r.lse), free(r.total);
  }
  free(first.dx), free(first.loss), free(first.lse), free(first.total);
}

static int shortest, longest;  // rows

static void run_case(wt_context *context, test_rng *rng) {
  entropy_case c = make_case(rng, wt_context_target(context), shortest, longest);
  softmax_fill(&c.x, rng);
  fill_labels(&c, rng);
  run(context, &c);
  destroy(&c);
}

int main(int argc, char **argv) {
  if (argc != 4) return fprintf(stderr, "usage: cross_entropy CASES SHORTEST LONGEST\n"), 2;
  shortest = atoi(argv[2]), longest = atoi(argv[3]);
  test_rng rng = test_seed(12);
  row_each_device(atoi(argv[1]), &rng, run_case);
  return test_result();
}
