// SPDX-License-Identifier: MIT
// Brings elements of a matrix to a thread's registers as f32, and back.
#ifndef WT_KERNELS_BLOCK_SCALE_ELEMENTS_H
#define WT_KERNELS_BLOCK_SCALE_ELEMENTS_H

#include <wavetile_device.h>

namespace block_scale {

// Says which way the elements of a block lie in x. In q, and in the matrix of scales, they always lie along a
// row, so that q is the transpose of x where blocks lie along the columns of x.
enum class axis { row, column };

// Reads N elements that lie together, at any alignment, 16 bytes at a time.
template <int N, class T>
WT_DEVICE wt::vector<wt::f32, N> load_together(const T *from) {
  static constexpr int kAtOnce = 16 / static_cast<int>(sizeof(T));
  wt::vector<wt::f32, N> values;
#pragma unroll
  for (int i = 0; i < N; i += kAtOnce) {
    const auto part = wt::to_f32(wt::global_load<wt::vector<T, kAtOnce>>(from + i));
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) values[i + j] = part[j];
  }
  return values;
}

// Reads N elements that are `step` apart.
template <int N, class T>
WT_DEVICE wt::vector<wt::f32, N> load_apart(const T *from, long long step) {
  wt::vector<wt::f32, N> values;
#pragma unroll
  for (int i = 0; i < N; ++i) values[i] = wt::to_f32(wt::global_load<T>(from + i * step));
  return values;
}

// Writes N elements that lie together, at any alignment, 16 bytes at a time.
template <class T, int N>
WT_DEVICE void store_together(T *to, wt::vector<wt::f32, N> values) {
  static constexpr int kAtOnce = 16 / static_cast<int>(sizeof(T));
#pragma unroll
  for (int i = 0; i < N; i += kAtOnce) {
    wt::vector<wt::f32, kAtOnce> part;
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) part[j] = values[i + j];
    wt::global_store(to + i, wt::from_f32<T>(part));
  }
}

}  // namespace block_scale

#endif
