// SPDX-License-Identifier: MIT
// F32 scales of FP8 elements: what a scale is, and what it makes of a number. Elements that share a scale are
// x divided by it; the largest finite magnitude among them decides it.
#ifndef WT_KERNELS_FP8_SCALE_H
#define WT_KERNELS_FP8_SCALE_H

#include <wavetile_device.h>

namespace quantize {

// Returns the magnitude of a finite value, and 0 for others.
WT_DEVICE float finite_magnitude(float v) {
  const float magnitude = wt::abs(v);
  return magnitude < __builtin_inff() ? magnitude : 0.0f;
}

// Returns the scale that makes `largest` the largest number of Q. Its inverse is finite.
template <class Q>
WT_DEVICE float scale_of(float largest) {
  constexpr float kSmallest = 0x1p-126f;
  return largest > 0.0f ? wt::max(largest / wt::kLargest<Q>, kSmallest) : 1.0f;
}

// Returns the smallest power of two, from 2^-126 on, with which `largest` is no more than the largest number
// of Q, and 1 for 0.
template <class Q>
WT_DEVICE float power_of_two_of(float largest) {
  static constexpr wt::u32 kMost = __builtin_bit_cast(wt::u32, wt::kLargest<Q>), kFraction = 0x7fffff;
  static constexpr int kTop = static_cast<int>(kMost >> 23) - 127;
  const wt::u32 carried = __builtin_bit_cast(wt::u32, largest) + kFraction - (kMost & kFraction);
  const int exponent = static_cast<int>(carried >> 23) - kTop;
  return largest > 0.0f ? __builtin_bit_cast(float, (exponent > 1 ? exponent : 1) << 23) : 1.0f;
}

// Returns v * inverse, where a finite number remains within Q even if the product overflows.
template <class Q>
WT_DEVICE float scaled(float v, float inverse) {
  const float product = v * inverse;
  return __builtin_isfinite(v) ? wt::med3(product, -wt::kLargest<Q>, wt::kLargest<Q>) : product;
}

}  // namespace quantize

#endif
