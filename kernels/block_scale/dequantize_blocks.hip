// SPDX-License-Identifier: MIT
// Converts from an MX format: each thread takes a block of 32 elements.
#include "block.h"

namespace block_scale {

template <class T, class Q>
WT_DEVICE void dequantize(const wt_block_scale_args &args) {
  each_of_lines<WT_BLOCK_THREADS>(args, [&](unsigned slow, unsigned fast) WT_INLINE {
    const place at(args, slow, fast);
    const wt::u32 scale = args.scale[at.row * args.scale_row_bytes + at.block];
    block values = block(__builtin_nanf(""));
    if (scale < 255)
      values = wt::mx_to_f32<Q>(load_packed<Q>(address_of<Q>(args, at.row, at.block)), wt::e8m0_scale(scale));
    store_together(static_cast<T *>(args.x) + at.x, values);
  });
}

}  // namespace block_scale

#define TO(type, from)                                                                      \
  WT_KERNEL(WT_BLOCK_THREADS) dequantize_blocks_##type##_##from(wt_block_scale_args args) { \
    block_scale::dequantize<wt::type, wt::from>(args);                                      \
  }
#define FROM(from) \
  TO(f32, from)    \
  TO(bf16, from)   \
  TO(f16, from)
FROM(fp8e4m3)
FROM(fp8e5m2)
FROM(fp6e2m3)
FROM(fp6e3m2)
FROM(fp4e2m1)
