// SPDX-License-Identifier: MIT
// What the quantisation kernels do to the part of a row that a team holds.
#ifndef WT_KERNELS_QUANTIZE_ROW_H
#define WT_KERNELS_QUANTIZE_ROW_H

#include "kernels/row_kernel.h"
#include "quantize_args.h"

namespace quantize {

// The magnitude of a finite value; 0 for the others.
WT_DEVICE float finite_magnitude(float v) {
  const float magnitude = wt::abs(v);
  return magnitude < __builtin_inff() ? magnitude : 0.0f;
}

// The largest magnitude among the finite values that this thread has, or `start` if that is larger.
template <class Row>
WT_DEVICE float largest_own(const Row &x, const wt::row_slice<Row> &slice, float start) {
  Row magnitudes;
  map(magnitudes, [](float v) WT_INLINE { return finite_magnitude(v); }, x);
  return max_own(magnitudes, slice, start);
}

// The scale that makes `largest` the largest number of Q. Its inverse is finite.
template <class Q>
WT_DEVICE float scale_of(float largest) {
  constexpr float kSmallest = 0x1p-126f;
  return largest > 0.0f ? wt::max(largest / wt::kLargest<Q>, kSmallest) : 1.0f;
}

// q = x * inverse. A finite number becomes a finite number, even where the product overflows.
template <int P, class Q, class Row, class V>
WT_DEVICE void store_piece_quantized(Q *q, const wt::row_slice<Row> &slice, V x, float inverse) {
  const auto limited = [&](float v) WT_INLINE {
    const float scaled = v * inverse;
    return __builtin_isfinite(v) ? wt::med3(scaled, -wt::kLargest<Q>, wt::kLargest<Q>) : scaled;
  };
  wt::store_piece<P, wt::overflow::nonfinite>(q, slice, wt::each_element(limited, x));
}
template <class Q, class Row>
WT_DEVICE void store_quantized(Q *q, const wt::row_slice<Row> &slice, const Row &x, float inverse) {
  wt::each_piece<Row>([&](auto p)
                          WT_INLINE { store_piece_quantized<p>(q, slice, x.template piece<p>(), inverse); });
}

}  // namespace quantize

#endif
