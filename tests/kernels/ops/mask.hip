// SPDX-License-Identifier: MIT
// Applies every mask, in every layout (OPS_OWN_LAYOUTS).
#include "device.h"

template <class T, class Layout>
WT_DEVICE void mask(const void *in, T *out, int row, int column, int window, int edge,
                    wt::detail::compute_t<T> value) {
  wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout> from, to;
  take(from, in);
  wt::make_causal(to, from, row, column, value);
  give(result_of(out, OPS_CAUSAL), to);
  wt::make_window(to, from, row, column, window, value);
  give(result_of(out, OPS_WINDOW), to);
  wt::right_fill(to, from, edge, value);
  give(result_of(out, OPS_RIGHT), to);
  wt::lower_fill(to, from, edge, value);
  give(result_of(out, OPS_LOWER), to);
}

#define KERNEL(layout, T)                                                                    \
  WT_KERNEL(64)                                                                              \
  mask_##T##_##layout(const void *in, wt::T *out, int row, int column, int window, int edge, \
                      wt::detail::compute_t<wt::T> value) {                                  \
    mask<wt::T, layouts::layout<wt::T>>(in, out, row, column, window, edge, value);          \
  }
OPS_OWN_LAYOUTS(KERNEL, f32)
OPS_OWN_LAYOUTS(KERNEL, f16)
OPS_OWN_LAYOUTS(KERNEL, bf16)
OPS_OWN_LAYOUTS(KERNEL, i32)
