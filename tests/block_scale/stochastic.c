// SPDX-License-Identifier: MIT
// Stochastic rounding of wt_quantize_blocks is unbiased: in every MX format the sum of the errors of many
// random numbers is what chance allows, and numbers a part p of the step above their lower neighbour become
// the upper one in a share p of the cases. The same seed gives the same bytes, and another seed others.
#include "mx.h"

enum { ROWS = 256, COLUMNS = 1024, COUNT = ROWS * COLUMNS, BINS = 16 };

// Neighbours that share a word have bits of which one is shifted. The variance of a sum of them is then at
// most 1 + 2 (1/2 + 1/4 + ...) = 3 times that of as many independent ones.
static const double kMostVariance = 3, kMostDeviations = 6;

static unsigned char *quantize(wt_context *context, const mx_format *f, const void *x, uint64_t seed) {
  wt_block_scale_desc desc = WT_BLOCK_SCALE_DESC_INIT;
  desc.rows = ROWS, desc.columns = COLUMNS, desc.type_x = WT_TYPE_F32, desc.type_q = f->type;
  desc.element_rounding = WT_ELEMENT_STOCHASTIC, desc.seed = seed;
  const size_t bytes = (size_t)(COUNT / MX_BLOCK * mx_block_bytes(f));
  void *q = NULL, *scale = NULL;
  unsigned char *host = calloc(1, bytes);
  row_ok(hipMalloc(&q, bytes), "hipMalloc"), row_ok(hipMalloc(&scale, COUNT / MX_BLOCK), "hipMalloc");
  CHECK(wt_quantize_blocks(context, &desc, x, q, scale, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  row_ok(hipMemcpy(host, q, bytes, hipMemcpyDeviceToHost), "copy from the device");
  row_ok(hipFree(q), "hipFree"), row_ok(hipFree(scale), "hipFree");
  return host;
}

// The first number of a block is the largest of the format, so that its scale is 1.
static void fill(const mx_format *f, test_rng *rng, float *x) {
  for (int i = 0; i < COUNT; ++i) {
    const double unit = (double)(test_random(rng) >> 11) * 0x1p-53;
    x[i] = (float)(i % MX_BLOCK ? (2 * unit - 1) * f->largest : f->largest);
  }
}

static void check_mean(const mx_format *f, const float *x, const unsigned char *q) {
  double error = 0, variance = 0, up[BINS] = {0}, expected[BINS] = {0}, spread[BINS] = {0};
  for (int i = 0; i < COUNT; ++i) {
    const double value = (double)x[i], magnitude = fabs(value), part = mx_part_of_step(f, magnitude);
    const unsigned low = mx_lower_code(f, magnitude);
    const double below = mx_value(f, low), step = mx_value(f, low + 1) - below;
    const double got = mx_value(f, mx_code(f, q + i / MX_BLOCK * mx_block_bytes(f), i % MX_BLOCK));
    CHECK(fabs(got) == below || fabs(got) == below + step, "type %d: %.9g became %g", (int)f->type, value,
          got);
    const int bin = part < 1 ? (int)(part * BINS) : BINS - 1;
    error += got - value, variance += part * (1 - part) * step * step;
    up[bin] += fabs(got) > below, expected[bin] += part, spread[bin] += part * (1 - part);
  }
  const double bound = kMostDeviations * sqrt(kMostVariance * variance);
  CHECK(fabs(error) <= bound, "type %d: the errors of %d numbers sum to %g, bound %g", (int)f->type, COUNT,
        error, bound);
  for (int b = 0; b < BINS; ++b) {
    const double most = kMostDeviations * sqrt(kMostVariance * spread[b]);
    CHECK(fabs(up[b] - expected[b]) <= most,
          "type %d: from %d/%d of a step on, %g numbers were rounded up, expected %g, bound %g", (int)f->type,
          b, BINS, up[b], expected[b], most);
  }
}

static void test_format(wt_context *context, const mx_format *f, test_rng *rng) {
  float *x = malloc(COUNT * sizeof *x);
  void *on_device = NULL;
  fill(f, rng, x);
  row_ok(hipMalloc(&on_device, COUNT * sizeof *x), "hipMalloc");
  row_ok(hipMemcpy(on_device, x, COUNT * sizeof *x, hipMemcpyHostToDevice), "copy to the device");
  const uint64_t seed = test_random(rng);
  const size_t bytes = (size_t)(COUNT / MX_BLOCK * mx_block_bytes(f));
  unsigned char *q = quantize(context, f, on_device, seed), *again = quantize(context, f, on_device, seed);
  unsigned char *other = quantize(context, f, on_device, seed ^ (uint64_t)1 << 40);
  check_mean(f, x, q);
  CHECK(memcmp(q, again, bytes) == 0, "type %d: one seed gives different bytes", (int)f->type);
  CHECK(memcmp(q, other, bytes) != 0, "type %d: two seeds give the same bytes", (int)f->type);
  row_ok(hipFree(on_device), "hipFree");
  free(x), free(q), free(again), free(other);
}

int main(void) {
  test_rng rng = test_seed(49);
  wt_context *context;
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  for (int i = 0; i < MX_FORMATS && context; ++i) test_format(context, &mx_formats[i], &rng);
  wt_context_destroy(context);
  return test_result();
}
