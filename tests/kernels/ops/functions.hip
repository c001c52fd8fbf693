// SPDX-License-Identifier: MIT
// The functions of OPS_TYPE that include/ops has beyond those of functions.h: on tiles, and pow in its four
// forms.
#include "device.h"

#define KERNEL(layout, name, T)                                          \
  WT_KERNEL(64) map_##name##_##T##_##layout(const void *in, void *out) { \
    wt::rt<wt::T, OPS_ROWS, OPS_COLUMNS, layouts::layout<wt::T>> tile;   \
    take(tile, in);                                                      \
    wt::name(tile, tile);                                                \
    give(out, tile);                                                     \
  }
#define KERNELS_OF(name, T) OPS_FUNCTION_LAYOUTS(KERNEL, name, T)
#define KERNELS(name) KERNELS_OF(name, OPS_TYPE)
OPS_FUNCTIONS(KERNELS)

// The vectors hold row and column numbers, from 1. Each form takes its tile anew, so that the compiler keeps
// nothing of one for the next.
template <class T, class Layout>
WT_DEVICE void powers(const T *first, const T *second, float number, T *out) {
  wt::rt<T, OPS_ROWS, OPS_COLUMNS, Layout> a, b, result;
  take(a, first);
  take(b, second);
  wt::pow(result, a, b);
  give(result_of(out, OPS_WITH_TILE), result);
  take(a, first);
  wt::pow(result, a, number);
  give(result_of(out, OPS_WITH_NUMBER), result);
  take(a, first);
  wt::pow_row(result, a, row_numbers<T>(a));
  give(result_of(out, OPS_WITH_COLUMN_VECTOR), result);
  take(a, first);
  wt::pow_col(result, a, column_numbers<T>(a));
  give(result_of(out, OPS_WITH_ROW_VECTOR), result);
}
#define POWERS(layout, T)                                                                                   \
  WT_KERNEL(64) map_pow_##T##_##layout(const wt::T *first, const wt::T *second, float number, wt::T *out) { \
    powers<wt::T, layouts::layout<wt::T>>(first, second, number, out);                                      \
  }
#define POWERS_OF(T) OPS_FUNCTION_LAYOUTS(POWERS, T)
POWERS_OF(OPS_TYPE)

// Calls the forms of the functions that take single floats.
WT_KERNEL(64) of_numbers(const float *in, float *out) {
  const int lane = wt::lane_id();
  const float x = in[lane];
  float *to = out + lane * 8;
  to[0] = wt::sin(x);
  to[1] = wt::cos(x);
  to[2] = wt::erf(x);
  to[3] = wt::pow(x, 1.5f);
  to[4] = wt::floor(x);
  to[5] = wt::ceil(x);
  to[6] = wt::trunc(x);
  to[7] = wt::clamp(x, -1.0f, 2.0f);
}
