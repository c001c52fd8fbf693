// SPDX-License-Identifier: MIT
// Tests wt_activate and wt_activate_backward against float64: every function with and without a gate, random
// shapes, strides, alignments and types, in place and not, of all rows or of as many as memory of the device
// says, on both simulated chips; the same bits under every schedule, nothing written between the rows.
//
//   activation CASES LONGEST
#include <wavetile.h>

#include "row_matrix.h"

static const double kU = 0x1p-24;  // half the distance between neighbours of f32, relative

typedef enum role { X, GATE, DY, Y, DX, DGATE, ROLES } role;

typedef struct activation_case {
  char what[200];
  wt_activation_desc desc;
  bool gated;
  int in_place;  // 0: no, 1: y takes the place of x, dx of dy, dgate of the gate
  row_matrix of[ROLES];
  int counted;  // rows that count; count: where the device has the number of them
  row_matrix count;
} activation_case;

// Describes a number and how far a result in f32 may be from it.
typedef struct bounded {
  double value, error;
} bounded;

// Returns what the sigmoid is taken of, and its derivative by x (include/ops/functions.h).
static double argument_of(wt_activation kind, double x) {
  return kind == WT_ACTIVATION_GELU ? 2 * sqrt(2 / M_PI) * (x + 0.044715 * x * x * x) : x;
}
static double argument_slope(wt_activation kind, double x) {
  return kind == WT_ACTIVATION_GELU ? 2 * sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x) : 1;
}

// A relative error e of the sigmoid's argument t is one of |t| e in its exponential, and at most that in the
// sigmoid: four roundings in t, two in its product with log2(e), 1 ulp each of exp2 and the reciprocal.
static double sigmoid_error(double t) { return (6 * fabs(t) + 6) * kU; }

static bounded value_of(wt_activation kind, double x) {
  if (kind == WT_ACTIVATION_NONE) return (bounded){x, 0};
  if (kind == WT_ACTIVATION_RELU) return (bounded){x > 0 ? x : 0, 0};
  const double t = argument_of(kind, x), value = x / (1 + exp(-t));
  return (bounded){value, fabs(value) * (sigmoid_error(t) + kU) + fabs(x) * 0x1p-126};
}

static bounded slope_of(wt_activation kind, double x) {
  if (kind == WT_ACTIVATION_NONE) return (bounded){1, 0};
  if (kind == WT_ACTIVATION_RELU) return (bounded){x > 0, 0};
  const double t = argument_of(kind, x), s = 1 / (1 + exp(-t)), slope = argument_slope(kind, x);
  // These are the errors of s + x s (1 - s) t', of which each factor has its error, 1 - s that of s and not
  // less; then six roundings.
  const double terms = s + fabs(x * slope) * s;
  return (bounded){s + x * s * (1 - s) * slope,
                   terms * (3 * sigmoid_error(t) + 12 * kU) + (1 + fabs(x * slope)) * 0x1p-126};
}

static bounded times(bounded a, double b) {
  return (bounded){a.value * b, fabs(b) * a.error + (fabs(a.value * b) + fabs(b) * a.error) * kU};
}

static void check_element(const activation_case *c, const row_matrix *out, const unsigned char *result,
                          const char *name, int i, int j, bounded want) {
  const double got = row_value(out, result, i, j);
  const double most = fabs(want.value) + want.error;
  const double error = want.error + row_roundoff(out->type) * most + row_smallest(out->type) + 0x1p-126;
  CHECK(fabs(got - want.value) <= error, "%s: %s of row %d column %d is %.9g, expected %.9g +- %g", c->what,
        name, i, j, got, want.value, error);
}

// Returns the matrix that an output is written to.
static row_matrix *place(activation_case *c, role out) {
  static const role replaced[ROLES] = {[Y] = X, [DX] = DY, [DGATE] = GATE};
  return &c->of[c->in_place ? replaced[out] : out];
}

static void check_forward(activation_case *c, unsigned char *const results[]) {
  for (int i = 0; i < c->counted; ++i)
    for (int j = 0; j < c->of[X].columns; ++j) {
      const double x = row_value(&c->of[X], c->of[X].host, i, j);
      const double g = row_value(&c->of[GATE], c->of[GATE].host, i, j);
      const wt_activation kind = c->desc.activation;
      check_element(c, place(c, Y), results[0], "y", i, j,
                    c->gated ? times(value_of(kind, g), x) : value_of(kind, x));
    }
}

static void check_backward(activation_case *c, unsigned char *const results[]) {
  for (int i = 0; i < c->counted; ++i)
    for (int j = 0; j < c->of[X].columns; ++j) {
      const double x = row_value(&c->of[X], c->of[X].host, i, j);
      const double g = row_value(&c->of[GATE], c->of[GATE].host, i, j);
      const double dy = row_value(&c->of[DY], c->of[DY].host, i, j);
      const wt_activation kind = c->desc.activation;
      check_element(c, place(c, DX), results[0], "dx", i, j,
                    times(c->gated ? value_of(kind, g) : slope_of(kind, x), dy));
      if (c->gated)
        check_element(c, place(c, DGATE), results[1], "dgate", i, j, times(times(slope_of(kind, g), x), dy));
    }
}

// In half of the cases memory says how many rows count, which is cut to what there is.
static void set_count(activation_case *c, test_rng *rng) {
  const int rows = (int)c->desc.rows, said = row_between(rng, -1, rows + 1);
  c->counted = rows;
  c->count = row_matrix_create(WT_TYPE_I32, 1, 1, 1, 4);
  row_put(&c->count, 0, 0, (uint32_t)said);
  row_upload(&c->count);
  if (row_between(rng, 0, 1)) return;
  c->desc.row_count = (const int32_t *)(const void *)c->count.device;
  c->counted = said < 0 ? 0 : said < rows ? said : rows;
}

// Rows that do not count keep their bits.
static bool others_kept(const activation_case *c, const row_matrix *out, const unsigned char *got) {
  const size_t at = (size_t)c->counted * (size_t)out->ld * out->element;
  return at >= out->bytes || memcmp(got + at, out->host + at, out->bytes - at) == 0;
}

static activation_case make_case(test_rng *rng, const char *target, int longest) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  activation_case c = {.desc = WT_ACTIVATION_DESC_INIT, .gated = row_between(rng, 0, 1)};
  wt_activation_desc *d = &c.desc;
  d->type = types[row_between(rng, 0, 2)];
  d->activation = (wt_activation)row_between(rng, WT_ACTIVATION_NONE, WT_ACTIVATION_SILU);
  d->columns = row_between(rng, 1, row_between(rng, 0, 1) ? 200 : longest);
  d->rows = row_between(rng, 1, 1 + 4000 / (int)d->columns);
  c.in_place = row_between(rng, 0, 1);
  const int element = (int)row_element(d->type), step = row_between(rng, 0, 2) ? 1 : 16 / element;
  int64_t *const lds[ROLES] = {&d->ldx, &d->ldgate, &d->lddy, &d->ldy, &d->lddx, &d->lddgate};
  for (int p = 0; p < ROLES; ++p) {
    const int ld = ((int)d->columns + row_between(rng, 0, 20) + step - 1) / step * step;
    const int offset = step > 1 ? 0 : row_between(rng, 0, 16) * element;
    c.of[p] = row_matrix_create(d->type, (int)d->rows, (int)d->columns, ld, offset);
    for (int i = 0; i < d->rows; ++i)
      for (int j = 0; j < d->columns; ++j) row_put(&c.of[p], i, j, row_encode(d->type, 4 * row_normal(rng)));
  }
  for (int p = 0; p < ROLES; ++p) *lds[p] = p < Y ? c.of[p].ld : place(&c, (role)p)->ld;
  set_count(&c, rng);
  snprintf(c.what, sizeof c.what, "%s type %d activation %d%s rows %d of %d columns %d ldx %d offset %d%s",
           target, d->type, d->activation, c.gated ? " gated" : "", c.counted, (int)d->rows, (int)d->columns,
           c.of[X].ld, c.of[X].offset, c.in_place ? " in place" : "");
  return c;
}

static wt_status enqueue(wt_context *context, activation_case *c, bool back) {
  void *at[ROLES];
  for (int p = 0; p < ROLES; ++p) {
    row_upload(&c->of[p]);
    at[p] = p < Y ? c->of[p].device : place(c, (role)p)->device;
  }
  if (!c->gated) at[GATE] = at[DGATE] = NULL;
  return back ? wt_activate_backward(context, &c->desc, at[X], at[GATE], at[DY], at[DX], at[DGATE], NULL)
              : wt_activate(context, &c->desc, at[X], at[GATE], at[Y], NULL);
}

static void run(wt_context *context, activation_case *c, bool back) {
  row_matrix *const outs[2] = {place(c, back ? DX : Y), place(c, DGATE)};
  const int count = back && c->gated ? 2 : 1;
  unsigned char *first[2], *result[2];
  for (int o = 0; o < 2; ++o) first[o] = malloc(outs[o]->bytes), result[o] = malloc(outs[o]->bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    const wt_status status = enqueue(context, c, back);
    CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
    if (status || !row_ok(hipDeviceSynchronize(), c->what)) break;
    for (int o = 0; o < count; ++o) {
      row_download(outs[o], s ? result[o] : first[o]);
      CHECK(row_gaps_kept(outs[o], s ? result[o] : first[o]), "%s: something between the rows was written",
            c->what);
      CHECK(others_kept(c, outs[o], s ? result[o] : first[o]), "%s: a row that does not count was written",
            c->what);
      CHECK(!s || memcmp(first[o], result[o], outs[o]->bytes) == 0, "%s: %s gives other bits than %s",
            c->what, schedules[s], schedules[0]);
    }
    if (s == 0) back ? check_backward(c, first) : check_forward(c, first);
  }
  for (int o = 0; o < 2; ++o) free(first[o]), free(result[o]);
}

static int longest;  // row

static void run_case(wt_context *context, test_rng *rng) {
  activation_case c = make_case(rng, wt_context_target(context), longest);
  run(context, &c, false);
  run(context, &c, true);
  for (int p = 0; p < ROLES; ++p) row_matrix_destroy(&c.of[p]);
  row_matrix_destroy(&c.count);
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: activation CASES LONGEST\n"), 2;
  longest = atoi(argv[2]);
  test_rng rng = test_seed(23);
  row_each_device(atoi(argv[1]), &rng, run_case);
  return test_result();
}
