// SPDX-License-Identifier: MIT
// Layers of experts with weights in block-scaled formats against plain loops over tokens, slots and networks:
// every pair of formats, and 304 and 336 tokens; random sizes, roundings of scales, experts with every token
// and with none, with and without a shared network, on both simulated chips. x and the elements of weights
// are whole numbers, so that gates and ups are known to the bit, and with them what is quantised, or rounded
// to bf16; what follows may differ by roundings in f32. The bits are the same under every schedule, and there
// is no LDS bank conflict but in the sort.
//
//   scaled CASES
#include "layer_runs.h"
#include "scaled_case.h"

// Describes a quantised vector: its elements, and the scale of each block.
typedef struct quantized {
  double *elements, *scales;
} quantized;

static double rounded(wt_type type, double value) { return row_decode(type, row_encode(type, value)); }

static void quantize_block(const scaled_case *c, wt_type type, const double *x, int count, double *elements,
                           double *scale) {
  const fp8_table t = case_is_mx(c) ? (fp8_table){0} : fp8_table_of(type);
  const mx_format *f = mx_format_of(type);
  double largest = 0;
  if (type == WT_TYPE_BF16) {
    *scale = 1;
    for (int i = 0; i < count; ++i) elements[i] = rounded(type, x[i]);
    return;
  }
  for (int i = 0; i < count; ++i) largest = fmax(largest, fabs(x[i]));
  if (case_is_mx(c)) {
    *scale = mx_scale(mx_scale_of(f, largest, c->desc.rounding));
    for (int i = 0; i < count; ++i) elements[i] = mx_value(f, mx_encode(f, x[i] / *scale));
    return;
  }
  const float s = c->desc.scales == WT_BLOCK_SCALES_F32 ? fp8_scale_of(&t, (float)largest)
                                                        : output_power_of_two(&t, (float)largest);
  const float inverse = 1.0f / s;
  *scale = (double)s;
  for (int i = 0; i < count; ++i)
    elements[i] = fp8_value(type, fp8_table_encode(&t, (double)((float)x[i] * inverse)));
}

static quantized quantize(const scaled_case *c, const double *x, int count) {
  const wt_type type = c->desc.type_q ? c->desc.type_q : c->desc.type_w;
  const int block = case_block(c);
  quantized q = {malloc((size_t)count * sizeof(double)), malloc((size_t)count * sizeof(double))};
  for (int i = 0; i < count; i += block)
    quantize_block(c, type, x + i, count - i < block ? count - i : block, q.elements + i,
                   &q.scales[i / block]);
  return q;
}

static void quantized_free(quantized q) { free(q.elements), free(q.scales); }

// Returns the product with a row of a matrix of weights, and the sum of the magnitudes of its terms.
static double product(const scaled_case *c, const quantized *x, const scaled_weights *w, int matrix, int row,
                      double *magnitude) {
  const double *values = w->values + (matrix * w->rows + row) * w->columns;
  const int block = case_block(c);
  double sum = 0;
  *magnitude = 0;
  for (int first = 0; first < w->columns; first += block) {
    const int count = w->columns - first < block ? w->columns - first : block;
    const float of_x = (float)x->scales[first / block],
                of_w = (float)weight_scale(c, w, matrix, row, first / block), scale = of_x * of_w;
    double terms = 0;
    for (int i = first; i < first + count; ++i) {
      terms += x->elements[i] * values[i];
      *magnitude += fabs(x->elements[i] * values[i] * (double)scale);
    }
    if (case_is_mx(c))
      sum += terms * (double)scale;
    else if (w->lines == w->rows)
      sum = (double)fmaf((float)terms * of_w, of_x, (float)sum);
    else
      sum = (double)fmaf((float)terms, scale, (float)sum);
  }
  return sum;
}

static double activated(wt_activation kind, double gate) {
  return kind == WT_ACTIVATION_RELU && gate < 0 ? 0 : gate;
}

// Adds weight * network(x) to a token's sum, and to how far the device's may be from it.
static void add_network(const scaled_case *c, const quantized *x, const scaled_weights *gate_up,
                        const scaled_weights *down, int matrix, double weight, double *sum, double *error) {
  const int inner = down->columns;
  double magnitude, *gated = malloc((size_t)inner * sizeof *gated);
  for (int j = 0; j < inner; ++j) {
    const double gate = rounded(c->desc.type, product(c, x, gate_up, matrix, j, &magnitude));
    const double up = rounded(c->desc.type, product(c, x, gate_up, matrix, inner + j, &magnitude));
    gated[j] = (double)(float)(activated(c->desc.activation, gate) * up);
  }
  const quantized q = quantize(c, gated, inner);
  for (int i = 0; i < c->desc.hidden; ++i) {
    const double result = product(c, &q, down, matrix, i, &magnitude);
    const double of_result = magnitude * (inner + 1) * 0x1p-24 + row_roundoff(c->desc.type) * fabs(result) +
                             row_smallest(c->desc.type);
    error[i] += fabs(weight) * of_result * 1.01 + (fabs(sum[i]) + fabs(weight * result)) * 0x1p-22;
    sum[i] += weight * result;
  }
  quantized_free(q), free(gated);
}

static void check_token(const void *of, const unsigned char *got, int token) {
  const scaled_case *c = of;
  const wt_experts_desc *d = &c->desc;
  const size_t bytes = (size_t)d->hidden * sizeof(double);
  double *values = malloc(bytes), *sum = malloc(bytes), *error = malloc(bytes);
  memset(sum, 0, bytes), memset(error, 0, bytes);
  for (int i = 0; i < d->hidden; ++i) values[i] = row_value(&c->x, c->x.host, token, i);
  const quantized x = quantize(c, values, (int)d->hidden);
  if (d->shared_inner) add_network(c, &x, &c->shared_gate_up, &c->shared_down, 0, 1, sum, error);
  for (int s = 0; s < d->top_k; ++s) {
    const int id = (int)row_value(&c->ids, c->ids.host, token, s);
    const double weight = row_value(&c->weights, c->weights.host, token, s);
    if (id >= 0) add_network(c, &x, &c->gate_up, &c->down, id, weight, sum, error);
  }
  for (int i = 0; i < d->hidden; ++i) {
    const double value = row_value(&c->y, got, token, i);
    const double most = error[i] + row_roundoff(d->type) * (fabs(sum[i]) + error[i]) + row_smallest(d->type);
    CHECK(fabs(value - sum[i]) <= most, "%s: element %d of token %d is %.9g, expected %.9g +- %g", c->what, i,
          token, value, sum[i], most);
  }
  quantized_free(x);
  free(values), free(sum), free(error);
}

// Weights were uploaded as they were made.
static void upload(const void *of) {
  const scaled_case *c = of;
  row_upload(&c->x), row_upload(&c->y), row_upload(&c->ids), row_upload(&c->weights);
}

static void run_case(wt_context *context, test_rng *rng) {
  static int numbers[2];
  const bool gfx950 = strcmp(wt_context_target(context), "gfx950") == 0;
  scaled_case c = make_case(gfx950, numbers[gfx950]++, rng);
  const layer_case layer = {c.what,     &c.desc, &c.x, &c.gate_up.q, &c.down.q,  &c.ids,
                            &c.weights, &c.y,    &c,   upload,       check_token};
  layer_run(context, &layer, rng);
  destroy_case(&c);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: scaled CASES\n"), 2;
  test_rng rng = test_seed(20261128);
  row_run_devices(atoi(argv[1]), &rng, run_case);
  return test_result();
}
