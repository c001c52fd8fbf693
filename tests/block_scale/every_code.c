// SPDX-License-Identifier: MIT
// wt_dequantize_blocks with every code of every MX format under every scale, and wt_quantize_blocks with
// every number of BF16 as a block's largest magnitude, under each rounding of the scale, and with every
// number of BF16 and F16 beside the largest of its type, against the OCP Microscaling specification v1.0.
#include "mx.h"

static void *on_device(const void *host, size_t bytes) {
  void *device = NULL;
  row_ok(hipMalloc(&device, bytes), "hipMalloc");
  if (host) row_ok(hipMemcpy(device, host, bytes, hipMemcpyHostToDevice), "copy to the device");
  return device;
}

static void *to_host(const void *device, size_t bytes) {
  void *host = malloc(bytes);
  row_ok(hipMemcpy(host, device, bytes, hipMemcpyDeviceToHost), "copy from the device");
  return host;
}

// Tests a row for each scale, with all codes in it.
static void test_every_code(wt_context *context, const mx_format *f) {
  enum { SCALES = 256 };
  const int codes = 1 << f->bits < MX_BLOCK ? MX_BLOCK : 1 << f->bits, blocks = codes / MX_BLOCK;
  const int row = blocks * mx_block_bytes(f);
  unsigned char *q = calloc(SCALES, (size_t)row), *scale = malloc((size_t)(SCALES * blocks));
  for (int s = 0; s < SCALES; ++s) {
    memset(scale + s * blocks, s, (size_t)blocks);
    for (int i = 0; i < codes; ++i)
      mx_put_code(f, q + s * row + i / MX_BLOCK * mx_block_bytes(f), i % MX_BLOCK,
                  (unsigned)i & ((1u << f->bits) - 1));
  }
  wt_block_scale_desc desc = WT_BLOCK_SCALE_DESC_INIT;
  desc.rows = SCALES, desc.columns = codes, desc.type_x = WT_TYPE_F32, desc.type_q = f->type;
  const size_t bytes = (size_t)(SCALES * codes) * sizeof(float);
  void *on_q = on_device(q, (size_t)(SCALES * row)), *on_x = on_device(NULL, bytes);
  uint8_t *on_scale = on_device(scale, (size_t)(SCALES * blocks));
  CHECK(wt_dequantize_blocks(context, &desc, on_q, on_scale, on_x, NULL) == WT_SUCCESS, "%s",
        wt_last_error(context));
  float *x = to_host(on_x, bytes);
  for (int s = 0; s < SCALES; ++s)
    for (int i = 0; i < codes; ++i) {
      const float got = x[s * codes + i];
      const float want = (float)(mx_value(f, (unsigned)i & ((1u << f->bits) - 1)) * mx_scale(s));
      CHECK(isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want),
            "type %d code 0x%02x at scale %d is %.9g, expected %.9g", (int)f->type, i, s, (double)got,
            (double)want);
    }
  row_ok(hipFree(on_q), "hipFree"), row_ok(hipFree(on_scale), "hipFree"), row_ok(hipFree(on_x), "hipFree");
  free(q), free(scale), free(x);
}

// Tests a block for each number, which its first element is; the others are half of it.
static void test_every_magnitude(wt_context *context, const mx_format *f) {
  enum { NUMBERS = 1 << 16, COLUMNS = 256 * MX_BLOCK, ROWS = NUMBERS / 256 };
  uint16_t *x = malloc((size_t)NUMBERS * MX_BLOCK * sizeof *x);
  for (int n = 0; n < NUMBERS; ++n)
    for (int i = 0; i < MX_BLOCK; ++i) {
      const float number = bf16_value((uint16_t)n);
      x[n * MX_BLOCK + i] = i ? bf16_nearest(isfinite(number) ? number / 2 : 0) : (uint16_t)n;
    }
  wt_block_scale_desc desc = WT_BLOCK_SCALE_DESC_INIT;
  desc.rows = ROWS, desc.columns = COLUMNS, desc.type_x = WT_TYPE_BF16, desc.type_q = f->type;
  void *on_x = on_device(x, (size_t)NUMBERS * MX_BLOCK * sizeof *x);
  void *on_q = on_device(NULL, (size_t)NUMBERS * (size_t)mx_block_bytes(f));
  uint8_t *on_scale = on_device(NULL, NUMBERS);
  for (int rounding = WT_SCALE_UP; rounding <= WT_SCALE_CEIL; ++rounding) {
    desc.rounding = (wt_scale_rounding)rounding;
    CHECK(wt_quantize_blocks(context, &desc, on_x, on_q, on_scale, NULL) == WT_SUCCESS, "%s",
          wt_last_error(context));
    unsigned char *scale = to_host(on_scale, NUMBERS);
    unsigned char *q = to_host(on_q, (size_t)NUMBERS * (size_t)mx_block_bytes(f));
    for (int n = 0; n < NUMBERS; ++n) {
      const double number = (double)bf16_value((uint16_t)n);
      const int want = isfinite(number) ? mx_scale_of(f, fabs(number), desc.rounding) : MX_SCALE_NAN;
      const unsigned code = mx_code(f, q + n * mx_block_bytes(f), 0);
      const unsigned expected = isfinite(number) ? mx_encode(f, number / mx_scale(want)) : 0;
      CHECK(scale[n] == want && code == expected,
            "type %d rounding %d: %g has scale %d and code 0x%02x, expected %d and 0x%02x", (int)f->type,
            rounding, number, scale[n], code, want, expected);
    }
    free(scale), free(q);
  }
  row_ok(hipFree(on_q), "hipFree"), row_ok(hipFree(on_scale), "hipFree"), row_ok(hipFree(on_x), "hipFree");
  free(x);
}

// Makes blocks that begin with the largest number of the type, followed by all others in the order of their
// bits; in place of those that are not finite there are zeros.
static void test_every_neighbour(wt_context *context, const mx_format *f, wt_type type,
                                 wt_scale_rounding rounding) {
  enum { NUMBERS = 1 << 16, OTHERS = MX_BLOCK - 1, BLOCKS = (NUMBERS + OTHERS - 1) / OTHERS };
  const uint16_t largest = type == WT_TYPE_BF16 ? 0x7f7f : 0x7bff;
  uint16_t *x = calloc((size_t)BLOCKS * MX_BLOCK, sizeof *x);
  for (int n = 0; n < NUMBERS; ++n)
    if (isfinite(row_decode(type, (uint32_t)n))) x[n / OTHERS * MX_BLOCK + 1 + n % OTHERS] = (uint16_t)n;
  for (int b = 0; b < BLOCKS; ++b) x[b * MX_BLOCK] = largest;
  wt_block_scale_desc desc = WT_BLOCK_SCALE_DESC_INIT;
  desc.rows = BLOCKS, desc.columns = MX_BLOCK, desc.type_x = type, desc.type_q = f->type;
  desc.rounding = rounding;
  void *on_x = on_device(x, (size_t)BLOCKS * MX_BLOCK * sizeof *x);
  void *on_q = on_device(NULL, (size_t)BLOCKS * (size_t)mx_block_bytes(f));
  uint8_t *on_scale = on_device(NULL, BLOCKS);
  CHECK(wt_quantize_blocks(context, &desc, on_x, on_q, on_scale, NULL) == WT_SUCCESS, "%s",
        wt_last_error(context));
  unsigned char *scale = to_host(on_scale, BLOCKS);
  unsigned char *q = to_host(on_q, (size_t)BLOCKS * (size_t)mx_block_bytes(f));
  const int want = mx_scale_of(f, row_decode(type, largest), rounding);
  for (int b = 0; b < BLOCKS; ++b) {
    CHECK(scale[b] == want, "type %d of type %d rounding %d: block %d has scale %d, expected %d",
          (int)f->type, (int)type, (int)rounding, b, scale[b], want);
    for (int i = 0; i < MX_BLOCK; ++i) {
      const double number = row_decode(type, x[b * MX_BLOCK + i]);
      const unsigned code = mx_code(f, q + b * mx_block_bytes(f), i);
      const unsigned expected = mx_encode(f, number / mx_scale(want));
      CHECK(code == expected,
            "type %d of type %d rounding %d: %g at scale %d has code 0x%02x, expected 0x%02x", (int)f->type,
            (int)type, (int)rounding, number, want, code, expected);
    }
  }
  row_ok(hipFree(on_q), "hipFree"), row_ok(hipFree(on_scale), "hipFree"), row_ok(hipFree(on_x), "hipFree");
  free(x), free(scale), free(q);
}

int main(void) {
  wt_context *context;
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  for (int i = 0; i < MX_FORMATS && context; ++i) {
    test_every_code(context, &mx_formats[i]);
    test_every_magnitude(context, &mx_formats[i]);
    test_every_neighbour(context, &mx_formats[i], WT_TYPE_BF16, (wt_scale_rounding)(i % 4));
    test_every_neighbour(context, &mx_formats[i], WT_TYPE_F16, (wt_scale_rounding)((i + 2) % 4));
  }
  wt_context_destroy(context);
  return test_result();
}
