// SPDX-License-Identifier: MIT
// From FP8 with F32 scales for blocks of 128 elements, or for squares of 128 x 128: each thread converts 16
// elements at a time.
#include "../each_of_lines.h"
#include "elements.h"
#include "fp8_block_args.h"

namespace block_scale {

template <class T, class Q>
WT_DEVICE void dequantize_fp8(const wt_fp8_block_args &args) {
  static constexpr int kEach = WT_FP8_PIECE;
  each_of_lines<WT_FP8_BLOCK_THREADS>(args, [&](unsigned row, unsigned number) WT_INLINE {
    const int column = static_cast<int>(number) * kEach, count = args.q_columns - column;
    const unsigned scale_row = args.shape == WT_FP8_BLOCK_SQUARE ? row / WT_FP8_BLOCK : row;
    const float scale = args.scale[scale_row * args.scale_row + column / WT_FP8_BLOCK * args.scale_block];
    const Q *const from = static_cast<const Q *>(args.q) + row * args.q_row + column;
    T *const to = static_cast<T *>(args.x) + row * args.x_row + column;
    if (count >= kEach) {
      const auto codes = wt::global_load<wt::registers<Q, kEach>>(from);
      store_together<T>(to, wt::to_f32<Q>(codes) * scale);
      return;
    }
    for (int i = 0; i < count; ++i) to[i] = wt::from_f32<T>(wt::to_f32(from[i]) * scale);
  });
}

}  // namespace block_scale

#define TO(type, from)                                                                            \
  WT_KERNEL(WT_FP8_BLOCK_THREADS) dequantize_fp8_blocks_##type##_##from(wt_fp8_block_args args) { \
    block_scale::dequantize_fp8<wt::type, wt::from>(args);                                        \
  }
#define FROM(from) \
  TO(f32, from)    \
  TO(bf16, from)   \
  TO(f16, from)
FROM(fp8e4m3)
FROM(fp8e5m2)
