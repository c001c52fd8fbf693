// SPDX-License-Identifier: MIT
// Changes of layout between all pairs of layouts, and the transposition that follows from them.
#include "ops_device.h"

using wt::bf16, wt::f32, wt::fp8e4m3;

template <class T, int Rows, int Columns, class From, class To>
WT_DEVICE void change(const T *in, T *out) {
  wt::rt<T, Rows, Columns, From> from;
  wt::rt<T, Rows, Columns, To> to;
  take(from, in);
  wt::convert_layout(to, from);
  give(out, to);
}

#define KERNEL_OF(to, from, T, rows, columns)                                        \
  WT_KERNEL(64) layout_##T##_##from##_##to(const wt::T *in, wt::T *out) {            \
    change<wt::T, rows, columns, layouts::from<wt::T>, layouts::to<wt::T>>(in, out); \
  }
#define KERNEL(to, from, T) KERNEL_OF(to, from, T, OPS_ROWS, OPS_COLUMNS)
#define BYTE_KERNEL(to, from, T) KERNEL_OF(to, from, T, OPS_WIDE, OPS_WIDE)
OPS_WORD_LAYOUT_PAIRS(KERNEL, f32)
OPS_HALF_LAYOUT_PAIRS(KERNEL, bf16)
OPS_BYTE_LAYOUT_PAIRS(BYTE_KERNEL, fp8e4m3)

// The same layout with the transposed content.
template <class T, class Layout>
WT_DEVICE void turn(const T *in, T *out) {
  wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout> from;
  wt::rt<T, OPS_COLUMNS, OPS_ROWS, Layout> to;
  take(from, in);
  wt::transpose(to, from);
  give(out, to);
}
#define TURN(layout, T)                                                 \
  WT_KERNEL(64) transpose_##T##_##layout(const wt::T *in, wt::T *out) { \
    turn<wt::T, layouts::layout<wt::T>>(in, out);                       \
  }
OPS_LAYOUTS(TURN, f32)
OPS_LAYOUTS(TURN, bf16)
