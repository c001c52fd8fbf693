// SPDX-License-Identifier: MIT
// Declares what the tests of convolutions and of their gradients share: random sizes, types, kernels and
// contents.
#ifndef WT_TESTS_CONV_SIZES_H
#define WT_TESTS_CONV_SIZES_H

#include "row_matrix.h"
#include "wavetile.h"

enum { MOST_PRODUCTS = 3000000, SIZES_TEXT = 240 };

static inline int64_t out_size(int64_t size, int64_t before, int64_t after, int64_t taps, int64_t dilation,
                               int64_t stride) {
  const int64_t room = size + before + after - (taps - 1) * dilation - 1;
  return room < 0 ? 0 : room / stride + 1;
}

// Returns channels of whole 16 bytes in two of three cases.
static inline int channels_of(test_rng *rng, int element) {
  const int chunk = 16 / element;
  switch (row_between(rng, 0, 5)) {
    case 0: return row_between(rng, 1, 3);
    case 1: return row_between(rng, 1, 70);
    case 2: return 128 / element * row_between(rng, 1, 2);
    default: return chunk * row_between(rng, 1, 9);
  }
}

// Sets random sizes, for inputs whose elements have so many bytes.
static inline void set_sizes(wt_conv_desc *d, int element, test_rng *rng) {
  do {
    d->n = row_between(rng, 1, 4);
    d->h = row_between(rng, 1, 14), d->w = row_between(rng, 1, 14);
    d->c = channels_of(rng, element);
    d->k = row_between(rng, 0, 3) ? row_between(rng, 1, 150) : 64 * row_between(rng, 1, 3);
    d->r = row_between(rng, 1, 4), d->s = row_between(rng, 0, 2) ? d->r : row_between(rng, 1, 7);
    d->stride_h = row_between(rng, 1, 3), d->stride_w = row_between(rng, 1, 3);
    d->dilation_h = row_between(rng, 0, 1) ? 1 : row_between(rng, 1, 3);
    d->dilation_w = row_between(rng, 0, 1) ? 1 : row_between(rng, 1, 3);
    d->pad_top = row_between(rng, 0, 3), d->pad_bottom = row_between(rng, 0, 3);
    d->pad_left = row_between(rng, 0, 3), d->pad_right = row_between(rng, 0, 9) ? d->pad_left : 20;
  } while (out_size(d->h, d->pad_top, d->pad_bottom, d->r, d->dilation_h, 1) == 0 ||
           out_size(d->w, d->pad_left, d->pad_right, d->s, d->dilation_w, 1) == 0 ||
           d->n * (d->h + 6) * (d->w + 6) * d->k * d->r * d->s * d->c > MOST_PRODUCTS);
}

static inline void out_sizes(const wt_conv_desc *d, int *p, int *q) {
  *p = (int)out_size(d->h, d->pad_top, d->pad_bottom, d->r, d->dilation_h, d->stride_h);
  *q = (int)out_size(d->w, d->pad_left, d->pad_right, d->s, d->dilation_w, d->stride_w);
}

static inline void describe_sizes(const wt_conv_desc *d, char text[SIZES_TEXT]) {
  snprintf(text, SIZES_TEXT,
           "n %d h %d w %d c %d k %d r %d s %d stride %d %d pad %d %d %d %d dilation %d %d types %d %d %d",
           (int)d->n, (int)d->h, (int)d->w, (int)d->c, (int)d->k, (int)d->r, (int)d->s, (int)d->stride_h,
           (int)d->stride_w, (int)d->pad_top, (int)d->pad_bottom, (int)d->pad_left, (int)d->pad_right,
           (int)d->dilation_h, (int)d->dilation_w, (int)d->type_x, (int)d->type_w, (int)d->type_y);
}

static inline wt_type input_of(test_rng *rng, bool gfx950) {
  const wt_type types[] = {gfx950 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ,
                           gfx950 ? WT_TYPE_F8E5M2 : WT_TYPE_F8E5M2_FNUZ, WT_TYPE_BF16, WT_TYPE_F16};
  return types[row_between(rng, 0, 3)];
}

static inline wt_type result_of(test_rng *rng) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  return types[row_between(rng, 0, 2)];
}

static inline const char *kernel_of(test_rng *rng) {
  static const char *const names[] = {"conv_general_64x64", "conv_4wave_64x64", "conv_4wave_128x128"};
  return names[row_between(rng, 0, 2)];
}

// Every FP8 type has the whole numbers up to 3.
static inline uint32_t code_of(wt_type type, double value) {
  return row_element(type) == 1 ? fp8_nearest(type, value) : row_encode(type, value);
}

static inline void fill_matrix(row_matrix *x, bool whole, test_rng *rng) {
  for (int i = 0; i < x->rows; ++i)
    for (int j = 0; j < x->columns; ++j)
      row_put(x, i, j, code_of(x->type, whole ? row_between(rng, -3, 3) : row_normal(rng)));
}

#endif
