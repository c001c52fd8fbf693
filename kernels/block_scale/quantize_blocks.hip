// SPDX-License-Identifier: MIT
// Quantises to a block-scaled format: each thread finds the scale of a block of 32 elements, converts them,
// and stores both.
#include "block.h"

namespace block_scale {

template <axis Along, class T, class Q>
WT_DEVICE void quantize(const wt_block_scale_args &args) {
  const auto rounding = static_cast<wt::scale_rounding>(args.rounding);
  each_of_lines<WT_BLOCK_THREADS>(args, [&](unsigned slow, unsigned fast) WT_INLINE {
    const place<Along> at(args, slow, fast);
    const T *from = static_cast<const T *>(args.x) + at.x;
    block values;
    if constexpr (Along == axis::row) {
      values = load_together(from);
    } else {
      values = load_apart(from, args.x_row);
    }
    const wt::u32 scale = wt::e8m0_of<Q>(wt::largest_or_nan(values), rounding);
    packed<Q> elements = {};
    if (scale < 255) elements = wt::mx_from_f32<Q>(values, wt::e8m0_scale(scale));
    store_packed<Q>(address_of<Q>(args, at.row, at.block), elements);
    args.scale[at.row * args.scale_row + at.block] = static_cast<unsigned char>(scale);
  });
}

}  // namespace block_scale

#define ALONG(type, to, along)                                                                    \
  WT_KERNEL(WT_BLOCK_THREADS) quantize_blocks_##type##_##to##_##along(wt_block_scale_args args) { \
    block_scale::quantize<block_scale::axis::along, wt::type, wt::to>(args);                      \
  }
#define TO(type, to)   \
  ALONG(type, to, row) \
  ALONG(type, to, column)
#define FROM(type)  \
  TO(type, fp8e4m3) \
  TO(type, fp8e5m2) \
  TO(type, fp6e2m3) \
  TO(type, fp6e3m2) \
  TO(type, fp4e2m1)
FROM(f32)
FROM(bf16)
FROM(f16)
