// SPDX-License-Identifier: MIT
// Every mask, in every layout.
#include "ops_device.h"

using wt::bf16, wt::f32;

template <class T, class Layout>
WT_DEVICE void mask(const void *in, T *out, int row, int column, int window, int edge, float value) {
  wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout> from, to;
  constexpr int kSize = OPS_ROWS * OPS_COLUMNS;
  take(from, in);
  wt::make_causal(to, from, row, column, value);
  give(out + OPS_CAUSAL * kSize, to);
  wt::make_window(to, from, row, column, window, value);
  give(out + OPS_WINDOW * kSize, to);
  wt::right_fill(to, from, edge, value);
  give(out + OPS_RIGHT * kSize, to);
  wt::lower_fill(to, from, edge, value);
  give(out + OPS_LOWER * kSize, to);
}

#define KERNEL(layout, T)                                                                               \
  WT_KERNEL(64)                                                                                         \
  mask_##T##_##layout(const void *in, T *out, int row, int column, int window, int edge, float value) { \
    mask<T, layouts::layout<T>>(in, out, row, column, window, edge, value);                             \
  }
OPS_LAYOUTS(KERNEL, f32)
OPS_LAYOUTS(KERNEL, bf16)
