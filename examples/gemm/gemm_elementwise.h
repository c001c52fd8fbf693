// SPDX-License-Identifier: MIT
// How rungs 03 and later bring into LDS what they cannot load in their own way: four bytes of a row by four
// loads; so few registers does it take that even sixteen waves can.
#ifndef WT_EXAMPLES_GEMM_ELEMENTWISE_H
#define WT_EXAMPLES_GEMM_ELEMENTWISE_H

#include "wavetile_device.h"

// Fills an LDS tile from the leading part of `from`, zeros outside; right for any strides. Threads threads
// share the work, a dword of four elements at a time: all of the work-group, or the lanes of a wave for a
// tile of its own. A barrier must follow.
template <int Threads, class T, int Rows, int Columns, wt::swizzle S>
WT_DEVICE void load_elementwise(wt::st<T, Rows, Columns, S> &to, const wt::gl<const T> &from) {
  constexpr int kDwords = Rows * Columns / 4;
  static_assert(sizeof(T) == 1 && kDwords % Threads == 0, "whole dwords of bytes for every thread");
#pragma unroll 1
  for (int i = 0; i < kDwords / Threads; ++i) {
    const int thread = Threads == wt::target::kWaveLanes ? wt::lane_id() : wt::thread_id();
    const int dword = i * Threads + thread;
    const int row = dword / (Columns / 4), column = dword % (Columns / 4) * 4;
    wt::u32 packed = 0, inside = 0;
#pragma unroll
    for (int byte = 0; byte < 4; ++byte) {
      packed |= static_cast<wt::u32>(from.load_clamped(row, column + byte).bits) << (8 * byte);
      inside |= from.contains(row, column + byte) ? 0xffu << (8 * byte) : 0;
    }
    // Masked together: a mask per byte would make the compiler branch around each load and wait for it alone.
    to.template at<wt::u32>(wt::swizzled<S>(dword * 4)) = packed & inside;
  }
}

#endif
