// SPDX-License-Identifier: MIT
// Brings into LDS what rungs 03 and later cannot load by their own path: a dword by a load for each of its
// elements; so few registers does it take that even sixteen waves can.
#ifndef WT_EXAMPLES_GEMM_ELEMENTWISE_H
#define WT_EXAMPLES_GEMM_ELEMENTWISE_H

#include "wavetile_device.h"

// Fills an LDS tile from the leading part of `from`, zeros outside; right for any strides. Threads threads
// share the work, a dword at a time: all of the work-group, or the lanes of a wave for a tile of its own. A
// barrier must follow.
template <int Threads, class T, int Rows, int Columns, wt::swizzle S>
WT_DEVICE void load_elementwise(wt::st<T, Rows, Columns, S> &to, const wt::gl<const T> &from) {
  constexpr int kPerDword = 4 / sizeof(T), kBits = 8 * sizeof(T), kDwords = Rows * Columns / kPerDword;
  using bits = unsigned _BitInt(kBits);
  constexpr wt::u32 kElement = (wt::u32{1} << kBits) - 1;
  static_assert(sizeof(T) <= 2 && kDwords % Threads == 0, "whole dwords of small elements for every thread");
#pragma unroll 1
  for (int i = 0; i < kDwords / Threads; ++i) {
    const int thread = Threads == wt::target::kWaveLanes ? wt::lane_id() : wt::thread_id();
    const int dword = i * Threads + thread;
    const int row = dword / (Columns / kPerDword), column = dword % (Columns / kPerDword) * kPerDword;
    wt::u32 packed = 0, inside = 0;
#pragma unroll
    for (int e = 0; e < kPerDword; ++e) {
      packed |= static_cast<wt::u32>(__builtin_bit_cast(bits, from.load_clamped(row, column + e)))
                << (kBits * e);
      inside |= from.contains(row, column + e) ? kElement << (kBits * e) : 0;
    }
    // Masked together: a mask per element would make the compiler branch around each load and wait for it
    // alone.
    to.template at<wt::u32>(wt::swizzled<S>(dword * 4)) = packed & inside;
  }
}

#endif
