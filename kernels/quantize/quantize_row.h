// SPDX-License-Identifier: MIT
// What the quantisation kernels do to the part of a row that a team holds.
#ifndef WT_KERNELS_QUANTIZE_ROW_H
#define WT_KERNELS_QUANTIZE_ROW_H

#include "kernels/row_kernel.h"
#include "quantize_args.h"

namespace quantize {

// The largest magnitude among the finite values that this thread has, or `start` if that is larger.
template <class Row>
WT_DEVICE float largest_own(const Row &x, const wt::row_slice<Row> &slice, float start) {
  Row magnitudes;
  const auto finite = [](float v) WT_INLINE {
    const float magnitude = wt::abs(v);
    return magnitude < __builtin_inff() ? magnitude : 0.0f;
  };
  map(magnitudes, finite, x);
  return max_own(magnitudes, slice, start);
}

// The scale that makes `largest` the largest number of Q. Its inverse is finite.
template <class Q>
WT_DEVICE float scale_of(float largest) {
  constexpr float kSmallest = 0x1p-126f;
  return largest > 0.0f ? wt::max(largest / wt::kLargest<Q>, kSmallest) : 1.0f;
}

// q = x * inverse. A finite number becomes a finite number, even where the product overflows.
template <class Q, class Row>
WT_DEVICE void store_quantized(Q *q, const wt::row_slice<Row> &slice, const Row &x, float inverse) {
  const auto limited = [&](float v) WT_INLINE {
    const float scaled = v * inverse;
    return __builtin_isfinite(v) ? wt::med3(scaled, -wt::kLargest<Q>, wt::kLargest<Q>) : scaled;
  };
  wt::each_piece<Row>([&](auto p) WT_INLINE {
    wt::store_piece<p, wt::overflow::nonfinite>(q, slice, wt::each_element(limited, x.template piece<p>()));
  });
}

}  // namespace quantize

#endif
