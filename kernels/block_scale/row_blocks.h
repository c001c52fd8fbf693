// SPDX-License-Identifier: MIT
// Block-scaled results of kernels over rows. A team quantises the part of a row that it holds in f32 where it
// is: the chunks of a block lie in neighbouring lanes, which find its largest magnitude together, and each
// lane converts and stores its own chunk. The numbers are those of wt_quantize_blocks, and of wt_quantize
// for rows of 128.
#ifndef WT_KERNELS_BLOCK_SCALE_ROW_BLOCKS_H
#define WT_KERNELS_BLOCK_SCALE_ROW_BLOCKS_H

#include "kernels/quantize/quantize_row.h"
#include "largest_of_lanes.h"
#include "row_blocks_args.h"

namespace row_blocks {

// Says what a kernel over rows makes of its result: it rounds it to the type of its input, or quantises it.
enum class output { rounded, quantized };

constexpr int kMxBlock = 32;    // elements that share a scale (OCP Microscaling specification v1.0)
constexpr int kFp8Block = 128;  // the same for F32 scales (WT_F32_BLOCK_ELEMENTS)

// Spreads a block of Block elements over this many neighbouring lanes, in as many consecutive pieces.
template <class Row, int Block>
struct spread {
  static constexpr int kChunks = Block / Row::kEach;
  static constexpr int kLanes = kChunks < Row::kThreads ? kChunks : Row::kThreads;
  static constexpr int kPieces = kChunks / kLanes;
  static_assert(kLanes * kPieces * Row::kEach == Block && Row::kChunks % kPieces == 0,
                "a team must hold whole blocks: give its threads chunks that divide a block");
};

// ---- scales in memory
WT_DEVICE long long scale_place(const wt_row_blocks &to, long long row, int block) {
  if (to.layout == WT_ROW_BLOCKS_BY_ROWS) return row * to.scale_row + block * to.scale_block;
  // ops/shuffled_scales.h has the layout.
  const int r = static_cast<int>(row % wt::kShuffledRows), b = block % wt::kShuffledScales;
  return row / wt::kShuffledRows * to.scale_row + block / wt::kShuffledScales * wt::kShuffledBytes +
         64 * (b % 4) + 4 * (r % 16) + 2 * (b / 4) + r / 16;
}

WT_DEVICE void store_e8m0(const wt_row_blocks &to, long long row, int block, wt::u32 scale) {
  static_cast<unsigned char *>(to.scale)[scale_place(to, row, block)] = static_cast<unsigned char>(scale);
}

// Fills what the matrix leaves of shuffled groups: the last blocks of a row do so along it, and those of the
// last row below them. Each thread of a team does this for one block of the slice.
template <class Row>
WT_DEVICE void pad_shuffled(const wt_row_blocks &to, long long number, const wt::row_slice<Row> &slice) {
  static constexpr wt::u32 kOne = 127;
  static_assert(Row::kChunks * Row::kEach <= kMxBlock && Row::kThreads >= 2 * wt::kShuffledScales,
                "each thread pads one block: let threads hold no more values than a block has");
  const int block = slice.first / kMxBlock + slice.rank;
  int end = slice.first / kMxBlock + slice.chunks / (kMxBlock / Row::kEach);
  if (end == to.blocks) end = (end + wt::kShuffledScales - 1) / wt::kShuffledScales * wt::kShuffledScales;
  if (block >= end) return;
  const long long last = static_cast<int>(number) + 1 == to.rows ? number | (wt::kShuffledRows - 1) : number;
#pragma unroll 1
  for (long long row = block < to.blocks ? number + 1 : number; row <= last; ++row)
    store_e8m0(to, row, block, kOne);
}

// ---- MX
// Stores the first Bytes of packed elements, at any alignment.
template <int Bytes, class V>
WT_DEVICE void store_bytes(unsigned char *to, V packed) {
  static constexpr int kWhole = Bytes / 4;
  if constexpr (kWhole > 0)
    wt::global_store(to, wt::vector_part<wt::vector<unsigned int, kWhole>, 0>(packed));
  if constexpr (Bytes % 4 >= 2) wt::global_store(to + 4 * kWhole, static_cast<wt::u16>(packed[kWhole]));
  if constexpr (Bytes % 2 == 1) to[Bytes - 1] = static_cast<unsigned char>(packed[kWhole] >> 16);
}

// Carries a type as an argument.
template <class T>
struct of_type {
  using type = T;
};

// f(of_type<element>): the choice is uniform.
template <class F>
WT_DEVICE void with_element(int element, const F &f) {
  switch (element) {
    case WT_ROW_BLOCKS_FP8E4M3: return f(of_type<wt::fp8e4m3>{});
    case WT_ROW_BLOCKS_FP8E5M2: return f(of_type<wt::fp8e5m2>{});
    case WT_ROW_BLOCKS_FP6E2M3: return f(of_type<wt::fp6e2m3>{});
    case WT_ROW_BLOCKS_FP6E3M2: return f(of_type<wt::fp6e3m2>{});
    default: return f(of_type<wt::fp4e2m1>{});
  }
}

// `scale` has that of the block of each piece.
template <class Q, class Row>
WT_DEVICE void store_elements(const wt_row_blocks &to, long long number, const wt::row_slice<Row> &slice,
                              const Row &y, const wt::u32 (&scale)[Row::kChunks]) {
  static constexpr int kBytes = Row::kEach * wt::kBits<Q> / 8;
  wt::unrolled<Row::kChunks>([&](auto p) WT_INLINE {
    if (!slice.template has<p>()) return;
    int chunk = slice.template column<p>() / Row::kEach;
    float nothing = 0;
    wt::forget(chunk), wt::forget(nothing);  // or a loop over slices holds them for every format
    wt::f32x32 block = nothing;              // of which FP6 alone converts the rest
    wt::put_part<0>(block, y.template piece<p>());
    wt::registers<Q, kMxBlock> elements = {};
    if (scale[p] < 255) elements = wt::mx_from_f32<Q>(block, wt::e8m0_scale(scale[p]));
    store_bytes<kBytes>(to.q + number * to.q_row_bytes + static_cast<long long>(chunk) * kBytes, elements);
  });
}

template <class Row>
WT_DEVICE void store_mx(const wt_row_blocks &to, long long number, const wt::row_slice<Row> &slice,
                        const Row &y) {
  using blocks = spread<Row, kMxBlock>;
  static_assert(blocks::kPieces == 1, "a block lies in one piece: use a team of more threads");
  wt::u32 scale[Row::kChunks];
  float largest[Row::kChunks];
  wt::unrolled<Row::kChunks>([&](auto p) WT_INLINE {
    largest[p] = block_scale::largest_of_lanes<blocks::kLanes - 1>(wt::largest_or_nan(y.template piece<p>()));
  });
  with_element(to.element, [&](auto element) WT_INLINE {
    wt::unrolled<Row::kChunks>([&](auto p) WT_INLINE {
      scale[p] = wt::e8m0_of<typename decltype(element)::type>(largest[p],
                                                               static_cast<wt::scale_rounding>(to.rounding));
    });
  });
  wt::unrolled<Row::kChunks>([&](auto p) WT_INLINE {
    int column = slice.template column<p>();
    wt::forget(column);
    if (slice.template has<p>() && column % kMxBlock == 0)
      store_e8m0(to, number, column / kMxBlock, scale[p]);
  });
  if (to.layout == WT_ROW_BLOCKS_SHUFFLED) pad_shuffled(to, number, slice);
  with_element(to.element, [&](auto element) WT_INLINE {
    store_elements<typename decltype(element)::type>(to, number, slice, y, scale);
  });
}

// ---- FP8 with F32 scales
template <class Q, class Row>
WT_DEVICE void store_fp8(const wt_row_blocks &to, long long number, const wt::row_slice<Row> &slice,
                         const Row &y) {
  using blocks = spread<Row, kFp8Block>;
  wt::unrolled<Row::kChunks / blocks::kPieces>([&](auto g) WT_INLINE {
    static constexpr int kFirst = g * blocks::kPieces;
    float largest = 0;
    wt::unrolled<blocks::kPieces>([&](auto i) WT_INLINE {
      static constexpr int kPiece = kFirst + i;
      const float own = wt::largest_or_nan(wt::each_element(
          [](float v) WT_INLINE { return quantize::finite_magnitude(v); }, y.template piece<kPiece>()));
      largest = slice.template has<kPiece>() ? wt::max(largest, own) : largest;
    });
    largest = block_scale::largest_of_lanes<blocks::kLanes - 1>(largest);
    const float scale = to.scales == WT_ROW_BLOCKS_POWER_OF_TWO ? quantize::power_of_two_of<Q>(largest)
                                                                : quantize::scale_of<Q>(largest);
    const float inverse = 1.0f / scale;
    wt::unrolled<blocks::kPieces>([&](auto i) WT_INLINE {
      static constexpr int kPiece = kFirst + i;
      quantize::store_piece_quantized<kPiece>(reinterpret_cast<Q *>(to.q + number * to.q_row_bytes), slice,
                                              y.template piece<kPiece>(), inverse);
    });
    int column = slice.template column<kFirst>();
    wt::forget(column);
    if (slice.template has<kFirst>() && column % kFp8Block == 0)
      static_cast<float *>(to.scale)[scale_place(to, number, column / kFp8Block)] = scale;
  });
}

// ---- all formats
// Stores what a team holds of row `number`, `slice`, in the format that `to` asks for. Rows have whole blocks
// of 32 elements.
template <class Row>
WT_DEVICE void store(const wt_row_blocks &to, long long number, const wt::row_slice<Row> &slice,
                     const Row &y) {
  if constexpr (wt::target::kGfx950)
    if (to.scales == WT_ROW_BLOCKS_E8M0) return store_mx(to, number, slice, y);
  if (to.element == WT_ROW_BLOCKS_FP8E4M3) return store_fp8<wt::fp8e4m3>(to, number, slice, y);
  store_fp8<wt::fp8e5m2>(to, number, slice, y);
}

}  // namespace row_blocks

#endif
