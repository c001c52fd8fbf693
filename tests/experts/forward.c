// SPDX-License-Identifier: MIT
// wt_experts_forward against plain loops over tokens, slots and networks: random sizes (304 and 336 tokens
// among them), types, strides and alignments, experts with every token and with none, slots that are
// nobody's, with and without a shared network, on both simulated chips. Numbers are whole, so that products
// are exact in any order; without SiLU all bits are compared, also those of the weighted sum, whose weights
// are any and whose order is that of the slots. The bits are the same under every schedule, and there is no
// LDS bank conflict but in the sort.
//
//   forward CASES
#include "forward_case.h"
#include "layer_runs.h"

// ---- the reference

// Describes a vector, and how far what the device has may be from it; no errors say that it is exact.
typedef struct vector {
  double *values, *errors;
} vector;

static vector vector_of(int64_t count) {
  return (vector){calloc((size_t)count, sizeof(double)), calloc((size_t)count, sizeof(double))};
}

static void vector_free(vector v) { free(v.values), free(v.errors); }

static double rounded(wt_type type, double value) { return row_decode(type, row_encode(type, value)); }

// Rounds to the type. What is not exact may be rounded to either side.
static void put(const forward_case *c, vector *to, int i, double value, double error) {
  const wt_type type = c->desc.type;
  to->values[i] = error == 0 ? rounded(type, value) : value;
  to->errors[i] = error == 0 ? 0 : error + row_roundoff(type) * (fabs(value) + error) + row_smallest(type);
}

// Sums of whole numbers are exact in f32 below 2^24; others have an error for each addition.
static double product(const forward_case *c, const vector *a, const row_matrix *w, int64_t row,
                      double *error) {
  double sum = 0, magnitude = 0;
  *error = 0;
  for (int i = 0; i < w->columns; ++i) {
    const double factor = row_value(w, w->host, (int)row, i);
    sum += a->values[i] * factor;
    magnitude += fabs(a->values[i] * factor);
    *error += a->errors[i] * fabs(factor);
  }
  if (*error > 0) *error += (magnitude + *error) * 0x1p-24 * (w->columns + 1);
  CHECK(magnitude < 0x1p24, "%s: sums of %g are not exact", c->what, magnitude);
  return sum;
}

static double activated(wt_activation kind, double gate, double *error) {
  *error = 0;
  if (kind == WT_ACTIVATION_NONE) return gate;
  if (kind == WT_ACTIVATION_RELU) return gate > 0 ? gate : 0;
  const double value = gate / (1 + exp(-gate));
  *error = fabs(value) * (6 * fabs(gate) + 8) * 0x1p-24 + 0x1p-126;
  return value;
}

// Computes out = (activation(gate) * up) * down^T for the network whose rows begin at `first` of gate_up and
// at `row` of down.
static void run_network(const forward_case *c, const vector *x, const row_matrix *gate_up, int64_t first,
                        const row_matrix *down, int64_t row, vector *out) {
  const int inner = down->columns;
  vector gated = vector_of(inner);
  for (int j = 0; j < inner; ++j) {
    double error;
    const double gate = rounded(c->desc.type, product(c, x, gate_up, first + j, &error));
    const double up = rounded(c->desc.type, product(c, x, gate_up, first + inner + j, &error));
    const double value = activated(c->desc.activation, gate, &error) * up;
    put(c, &gated, j, value, error == 0 ? 0 : error * fabs(up) + fabs(value) * 0x1p-23);
  }
  for (int i = 0; i < c->desc.hidden; ++i) {
    double error;
    const double sum = product(c, &gated, down, row + i, &error);
    put(c, out, i, sum, error);
  }
  vector_free(gated);
}

// Adds a network's result to the sum of a token, as f32 does it.
static void add(const forward_case *c, vector *sum, const vector *result, float weight) {
  for (int i = 0; i < c->desc.hidden; ++i) {
    sum->errors[i] += fabs((double)weight) * result->errors[i];
    if (sum->errors[i] > 0)
      sum->errors[i] += (fabs(sum->values[i]) + fabs((double)weight * result->values[i])) * 0x1p-22;
    sum->values[i] = (double)fmaf(weight, (float)result->values[i], (float)sum->values[i]);
  }
}

static void run_token(const forward_case *c, int token, vector *sum) {
  const wt_experts_desc *d = &c->desc;
  vector x = vector_of(d->hidden), result = vector_of(d->hidden);
  for (int i = 0; i < d->hidden; ++i) x.values[i] = row_value(&c->x, c->x.host, token, i);
  if (d->shared_inner) run_network(c, &x, &c->shared_gate_up, 0, &c->shared_down, 0, sum);
  for (int s = 0; s < d->top_k; ++s) {
    const int id = (int)row_value(&c->ids, c->ids.host, token, s);
    if (id < 0 || id >= d->experts) continue;
    run_network(c, &x, &c->gate_up, id * 2 * d->inner, &c->down, id * d->hidden, &result);
    add(c, sum, &result, (float)row_value(&c->weights, c->weights.host, token, s));
  }
  vector_free(x), vector_free(result);
}

static int exact_elements;

static void check_token(const void *of, const unsigned char *got, int token) {
  const forward_case *c = of;
  vector want = vector_of(c->desc.hidden);
  run_token(c, token, &want);
  for (int i = 0; i < c->desc.hidden; ++i) {
    const double value = row_value(&c->y, got, token, i), error = want.errors[i];
    put(c, &want, i, want.values[i], error);
    exact_elements += error == 0;
    CHECK(fabs(value - want.values[i]) <= want.errors[i],
          "%s: element %d of token %d is %.9g, expected %.9g +- %g", c->what, i, token, value, want.values[i],
          want.errors[i]);
  }
  vector_free(want);
}

// ---- runs

static void upload(const void *of) {
  const forward_case *c = of;
  const row_matrix *const all[] = {&c->x,           &c->gate_up, &c->down,    &c->shared_gate_up,
                                   &c->shared_down, &c->ids,     &c->weights, &c->y};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_upload(all[i]);
}

static void run_case(wt_context *context, test_rng *rng) {
  static int numbers[2];
  forward_case c = make_case(numbers[strcmp(wt_context_target(context), "gfx950") == 0]++, rng);
  const layer_case layer = {c.what,     &c.desc, &c.x, &c.gate_up, &c.down,    &c.ids,
                            &c.weights, &c.y,    &c,   upload,     check_token};
  layer_run(context, &layer, rng);
  destroy_case(&c);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: forward CASES\n"), 2;
  test_rng rng = test_seed(20261127);
  row_run_devices(atoi(argv[1]), &rng, run_case);
  CHECK(exact_elements > 0, "no element is exact");
  printf("%d elements to the bit\n", exact_elements);
  return test_result();
}
