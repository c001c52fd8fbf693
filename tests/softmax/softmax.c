// SPDX-License-Identifier: MIT
// Tests wt_softmax and wt_softmax_backward against float64: random lengths, numbers of rows, strides,
// alignments, types and contents, in place and not, on both simulated chips; the same bits under every
// schedule, nothing written between the rows, no LDS bank conflict.
//
//   softmax CASES SHORTEST LONGEST
#include "softmax_reference.h"

typedef struct softmax_case {
  char what[200];
  wt_type type;
  int rows, columns;
  row_matrix x, y, dy, dx;  // x holds y when it is computed in place; so does dx, or dy
  int in_place;             // 0: no, 1: y is x and dx is y, 2: dx is dy
} softmax_case;

static softmax_case make_case(test_rng *rng, const char *target, int shortest, int longest) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  softmax_case c = {.type = types[row_between(rng, 0, 2)],
                    .columns = softmax_columns(rng, shortest, longest)};
  const int most = 6000 / c.columns;
  c.rows = row_between(rng, 1, most < 1 ? 1 : most > 40 ? 40 : most) + (c.columns < 5000);
  c.in_place = row_between(rng, 0, 2);
  const int element = (int)row_element(c.type), step = row_between(rng, 0, 2) ? 1 : 16 / element;
  row_matrix *const matrices[] = {&c.x, &c.y, &c.dy, &c.dx};
  for (int i = 0; i < 4; ++i) {
    const int ld = (c.columns + row_between(rng, 0, 20) + step - 1) / step * step;
    const int offset = step > 1 ? 0 : row_between(rng, 0, 16) * element;
    *matrices[i] = row_matrix_create(c.type, c.rows, c.columns, ld, offset);
  }
  snprintf(c.what, sizeof c.what,
           "%s type %d rows %d columns %d ld %d %d %d %d offsets %d %d %d %d in place %d", target, c.type,
           c.rows, c.columns, c.x.ld, c.y.ld, c.dy.ld, c.dx.ld, c.x.offset, c.y.offset, c.dy.offset,
           c.dx.offset, c.in_place);
  return c;
}

static void check_forward(const softmax_case *c, const row_matrix *out, const unsigned char *result) {
  double *x = malloc((size_t)c->columns * sizeof *x);
  for (int i = 0; i < c->rows; ++i) {
    for (int j = 0; j < c->columns; ++j) x[j] = row_value(&c->x, c->x.host, i, j);
    const softmax_row row = softmax_of(x, c->columns);
    for (int j = 0; j < c->columns; ++j) {
      double error;
      const double want = softmax_probability(&row, x[j], &error), got = row_value(out, result, i, j);
      CHECK(softmax_close(c->type, got, want, error),
            "%s: y of row %d column %d is %.9g, expected %.9g +- %g", c->what, i, j, got, want, error);
    }
  }
  free(x);
}

// Here dx = y * (dy - s), and s is a sum of products (2u each); then come a difference and a product.
static void check_backward(const softmax_case *c, const row_matrix *out, const unsigned char *result) {
  for (int i = 0; i < c->rows; ++i) {
    double sum = 0, magnitude = 0;
    for (int j = 0; j < c->columns; ++j) {
      const double product = row_value(&c->y, c->y.host, i, j) * row_value(&c->dy, c->dy.host, i, j);
      sum += product;
      magnitude += fabs(product);
    }
    const double sum_error = (row_chain(c->columns) + 1) * kU * magnitude + c->columns * 0x1p-149;
    for (int j = 0; j < c->columns; ++j) {
      const double y = row_value(&c->y, c->y.host, i, j), dy = row_value(&c->dy, c->dy.host, i, j);
      const double want = y * (dy - sum), got = row_value(out, result, i, j);
      const double error = fabs(y) * (sum_error + 2 * kU * (fabs(dy - sum) + sum_error)) + 0x1p-149;
      CHECK(softmax_close(c->type, got, want, error),
            "%s: dx of row %d column %d is %.9g, expected %.9g +- %g", c->what, i, j, got, want, error);
    }
  }
}

typedef wt_status run_function(wt_context *context, const softmax_case *c, row_matrix **out);

static wt_status run_forward(wt_context *context, const softmax_case *c, row_matrix **out) {
  *out = (row_matrix *)(c->in_place == 1 ? &c->x : &c->y);
  wt_softmax_desc desc = WT_SOFTMAX_DESC_INIT;
  desc.rows = c->rows, desc.columns = c->columns, desc.type = c->type;
  desc.ldx = c->x.ld, desc.ldy = (*out)->ld;
  row_upload(&c->x);
  if (*out != &c->x) row_upload(&c->y);
  return wt_softmax(context, &desc, c->x.device, (*out)->device, NULL);
}

static wt_status run_backward(wt_context *context, const softmax_case *c, row_matrix **out) {
  *out = (row_matrix *)(c->in_place == 1 ? &c->y : c->in_place == 2 ? &c->dy : &c->dx);
  wt_softmax_desc desc = WT_SOFTMAX_DESC_INIT;
  desc.rows = c->rows, desc.columns = c->columns, desc.type = c->type;
  desc.ldy = c->y.ld, desc.lddy = c->dy.ld, desc.lddx = (*out)->ld;
  row_upload(&c->y);
  row_upload(&c->dy);
  if (*out == &c->dx) row_upload(&c->dx);
  return wt_softmax_backward(context, &desc, c->y.device, c->dy.device, (*out)->device, NULL);
}

static void run(wt_context *context, const softmax_case *c, run_function *enqueue,
                void (*check)(const softmax_case *, const row_matrix *, const unsigned char *)) {
  unsigned char *first = NULL, *result = NULL;
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    row_matrix *out;
    const wt_status status = enqueue(context, c, &out);
    CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
    if (status || !row_ok(hipDeviceSynchronize(), c->what)) break;
    if (s == 0) first = malloc(out->bytes), result = malloc(out->bytes);
    row_download(out, s ? result : first);
    if (s == 0) {
      check(c, out, first);
      CHECK(row_gaps_kept(out, first), "%s: something between the rows was written", c->what);
    } else {
      CHECK(memcmp(first, result, out->bytes) == 0, "%s: schedule %s gives other bits than %s", c->what,
            schedules[s], schedules[0]);
    }
  }
  free(first);
  free(result);
}

// Makes probabilities as a softmax leaves them, and gradients that are anything.
static void fill_backward(softmax_case *c, test_rng *rng) {
  for (int i = 0; i < c->rows; ++i) {
    const double spread = row_between(rng, 0, 1) ? 1 : 6;
    for (int j = 0; j < c->columns; ++j) {
      row_put(&c->y, i, j, row_encode(c->type, fmin(1, exp(spread * row_normal(rng)) / c->columns)));
      row_put(&c->dy, i, j, row_encode(c->type, row_normal(rng)));
    }
  }
}

static int shortest, longest;  // rows

static void run_case(wt_context *context, test_rng *rng) {
  softmax_case c = make_case(rng, wt_context_target(context), shortest, longest);
  softmax_fill(&c.x, rng);
  run(context, &c, run_forward, check_forward);
  fill_backward(&c, rng);
  run(context, &c, run_backward, check_backward);
  row_matrix_destroy(&c.x);
  row_matrix_destroy(&c.y);
  row_matrix_destroy(&c.dy);
  row_matrix_destroy(&c.dx);
}

int main(int argc, char **argv) {
  if (argc != 4) return fprintf(stderr, "usage: softmax CASES SHORTEST LONGEST\n"), 2;
  shortest = atoi(argv[2]), longest = atoi(argv[3]);
  test_rng rng = test_seed(11);
  row_each_device(atoi(argv[1]), &rng, run_case);
  return test_result();
}
