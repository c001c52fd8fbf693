// SPDX-License-Identifier: MIT
// Finds the largest magnitude of a block whose elements several lanes hold.
#ifndef WT_KERNELS_LARGEST_OF_LANES_H
#define WT_KERNELS_LARGEST_OF_LANES_H

#include <wavetile_device.h>

namespace block_scale {

// Returns the largest of the magnitudes of the lanes whose numbers differ only in bits of Mask, in the order
// of wt::largest_or_nan: infinity is more than every number, and NaN more than infinity.
template <int Mask>
WT_DEVICE float largest_of_lanes(float magnitude) {
  const auto larger = [](wt::u32 a, wt::u32 b) WT_INLINE { return a > b ? a : b; };
  return __builtin_bit_cast(float, wt::reduce_lanes<Mask>(__builtin_bit_cast(wt::u32, magnitude), larger));
}

}  // namespace block_scale

#endif
