// SPDX-License-Identifier: MIT
// Quantises to an MX format: each thread finds the scale of a block of 32 elements, converts them, and stores
// both; along columns by way of LDS. The kernels of one rounding of elements are one object.
#ifndef WT_KERNELS_BLOCK_SCALE_QUANTIZE_BLOCKS_H
#define WT_KERNELS_BLOCK_SCALE_QUANTIZE_BLOCKS_H

#include "block.h"
#include "largest_of_lanes.h"
#include "line_exchange.h"

namespace block_scale {

using rounding = wt::element_rounding;

// Returns the scale of a block, or of the squares of which 32 neighbouring lanes have the blocks.
template <class Q>
WT_DEVICE wt::u32 scale_of(const wt_block_scale_args &args, block values) {
  float largest = wt::largest_or_nan(values);
  if (args.square_blocks != 0) largest = largest_of_lanes<kElements - 1>(largest);
  return wt::e8m0_of<Q>(largest, static_cast<wt::scale_rounding>(args.rounding));
}

// Returns the elements of block `number` of a row of q.
template <class Q, rounding Rounding>
WT_DEVICE packed<Q> elements_of(const wt_block_scale_args &args, long long row, int number, block values,
                                wt::u32 scale) {
  if (scale == 255) return packed<Q>{};
  if constexpr (Rounding == rounding::nearest) {
    return wt::mx_from_f32<Q>(values, wt::e8m0_scale(scale));
  } else {
    static constexpr int kWords = wt::kMxRandomWords<Q>;
    const auto random =
        wt::random_words<kWords>(args.seed, static_cast<unsigned long long>(row), number * kWords);
    return wt::mx_from_f32_stochastic<Q>(values, wt::e8m0_scale(scale), random);
  }
}

template <class T, class Q, rounding Rounding>
WT_DEVICE void quantize_rows(const wt_block_scale_args &args) {
  each_of_lines<WT_BLOCK_THREADS>(args, [&](unsigned slow, unsigned fast) WT_INLINE {
    const place at(args, slow, fast);
    const block values = load_together<kElements>(static_cast<const T *>(args.x) + at.x);
    const wt::u32 scale = scale_of<Q>(args, values);
    if (!at.exists) return;
    store_packed<Q>(address_of<Q>(args, at.row, at.block),
                    elements_of<Q, Rounding>(args, at.row, at.block, values, scale));
    args.scale[at.row * args.scale_row_bytes + at.block] = static_cast<unsigned char>(scale);
  });
}

// Neighbouring lanes read neighbouring columns. They hold different rows of q, so that these go through LDS.
template <class T, class Q, rounding Rounding>
WT_DEVICE void quantize_columns(const wt_block_scale_args &args) {
  static constexpr int kColumns = WT_BLOCK_TILE_COLUMNS, kBlocks = WT_BLOCK_TILE_BLOCKS;
  static constexpr int kPiece = wt::is_fp6<Q> ? 8 : 16;
  using exchange = line_exchange<kColumns, kBlocks * kBytes<Q>, kPiece, kBytes<Q>>;
  WT_SHARED exchange lines;
  WT_SHARED unsigned char scales[kBlocks][kColumns];
  const int line = wt::thread_id() % kColumns, own = wt::thread_id() / kColumns;
  for (auto tile = static_cast<unsigned>(wt::workgroup_x()); tile < args.slow * args.fast;
       tile += args.threads / WT_BLOCK_THREADS) {
    const int first = static_cast<int>(tile / args.fast) * kBlocks;
    const long long row = static_cast<long long>(tile % args.fast) * kColumns;
    const int rows = static_cast<int>(args.q_rows - row), blocks = args.q_blocks - first;
    // Threads beyond the matrix take what is in it once more.
    const long long from_row = static_cast<long long>(first + (own < blocks ? own : blocks - 1)) * kElements;
    const T *from =
        static_cast<const T *>(args.x) + from_row * args.x_row + row + (line < rows ? line : rows - 1);
    const block values = load_apart<kElements>(from, args.x_row);
    const wt::u32 scale = scale_of<Q>(args, values);
    const packed<Q> elements = elements_of<Q, Rounding>(args, row + line, first + own, values, scale);
    scales[own][line] = static_cast<unsigned char>(scale);
    wt::unrolled<kBytes<Q> / kPiece>([&](auto i) WT_INLINE {
      lines.put(line, own * kBytes<Q> + i * kPiece,
                wt::vector_part<typename exchange::piece, i * kPiece / 4>(elements));
    });
    wt::barrier();
    char *const to = address_of<Q>(args, row, first);
    lines.template each_piece<WT_BLOCK_THREADS>([&](int l, int at, auto piece) WT_INLINE {
      if (l < rows && at < blocks * kBytes<Q>) wt::global_store(to + l * args.q_row_bytes + at, piece);
    });
    const int l = wt::thread_id() / kBlocks, b = wt::thread_id() % kBlocks;
    if (l < rows && b < blocks) args.scale[(row + l) * args.scale_row_bytes + first + b] = scales[b][l];
    wt::barrier();  // before the next tile
  }
}

}  // namespace block_scale

// These are the kernels of one rounding: for each type of x, each format, and both axes of blocks.
#define WT_QUANTIZE_BLOCKS_KERNEL(name, type, to, along, how)                             \
  WT_KERNEL(WT_BLOCK_THREADS) name##_##type##_##to##_##along(wt_block_scale_args args) {  \
    block_scale::quantize_##along##s<wt::type, wt::to, block_scale::rounding::how>(args); \
  }
#define WT_QUANTIZE_BLOCKS_TO(name, type, to, how)    \
  WT_QUANTIZE_BLOCKS_KERNEL(name, type, to, row, how) \
  WT_QUANTIZE_BLOCKS_KERNEL(name, type, to, column, how)
#define WT_QUANTIZE_BLOCKS_FROM(name, type, how)  \
  WT_QUANTIZE_BLOCKS_TO(name, type, fp8e4m3, how) \
  WT_QUANTIZE_BLOCKS_TO(name, type, fp8e5m2, how) \
  WT_QUANTIZE_BLOCKS_TO(name, type, fp6e2m3, how) \
  WT_QUANTIZE_BLOCKS_TO(name, type, fp6e3m2, how) \
  WT_QUANTIZE_BLOCKS_TO(name, type, fp4e2m1, how)
#define WT_QUANTIZE_BLOCKS_KERNELS(name, how) \
  WT_QUANTIZE_BLOCKS_FROM(name, f32, how)     \
  WT_QUANTIZE_BLOCKS_FROM(name, bf16, how)    \
  WT_QUANTIZE_BLOCKS_FROM(name, f16, how)

#endif
