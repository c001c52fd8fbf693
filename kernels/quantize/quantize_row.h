// SPDX-License-Identifier: MIT
// Defines what the quantisation kernels do to the part of a row that a team holds.
#ifndef WT_KERNELS_QUANTIZE_ROW_H
#define WT_KERNELS_QUANTIZE_ROW_H

#include "fp8_scale.h"
#include "kernels/row_kernel.h"
#include "quantize_args.h"

namespace quantize {

// Returns the largest magnitude among the finite values that this thread has, or `start` if that is larger.
template <class Row>
WT_DEVICE float largest_own(const Row &x, const wt::row_slice<Row> &slice, float start) {
  Row magnitudes;
  map(magnitudes, [](float v) WT_INLINE { return finite_magnitude(v); }, x);
  return max_own(magnitudes, slice, start);
}

// Stores piece P of x * inverse.
template <int P, class Q, class Row, class V>
WT_DEVICE void store_piece_quantized(Q *q, const wt::row_slice<Row> &slice, V x, float inverse) {
  const auto limited = [&](float v) WT_INLINE { return scaled<Q>(v, inverse); };
  wt::store_piece<P, wt::overflow::nonfinite>(q, slice, wt::each_element(limited, x));
}
template <class Q, class Row>
WT_DEVICE void store_quantized(Q *q, const wt::row_slice<Row> &slice, const Row &x, float inverse) {
  wt::each_piece<Row>([&](auto p)
                          WT_INLINE { store_piece_quantized<p>(q, slice, x.template piece<p>(), inverse); });
}

}  // namespace quantize

#endif
