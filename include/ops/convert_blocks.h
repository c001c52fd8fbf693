// SPDX-License-Identifier: MIT
// This header converts between a tile of numbers and a tile of block-scaled elements with the tile of their
// scales (tiles/rs.h). All have the layout of the operand, which convert_layout brings other tiles to.
//
// A block of 32 elements of 6 or 4 bits lies in the lane that has its scale. Elements of 8 bits come in two
// halves of 16, from two blocks, and the scales of both lie in other lanes: permutations bring them.
#ifndef WT_OPS_CONVERT_BLOCKS_H
#define WT_OPS_CONVERT_BLOCKS_H

#include "../tiles/rs.h"
#include "block_scale.h"
#include "convert_tile.h"
#include "isa/convert_mx.h"
#include "isa/ids.h"
#include "lanes.h"
#include "random.h"
#include "vector_part.h"

namespace wt {

// This says where a tile lies in a matrix that is rounded stochastically: the seed of the random bits, and
// the row and column of the tile's first element. The column is a multiple of 32.
struct random_origin {
  unsigned long long seed, row;
  int column;
};

namespace detail {

// This is one MFMA's share of a fragment: the 32 elements that a lane has of it, `step` counts MFMAs.
template <class T, class Layout>
struct lane_block {
  static constexpr bool kInHalves = is_fp8<T>;  // of two blocks
  static constexpr int kRows = Layout::kRows, kGroups = target::kWaveLanes / kRows;

  // Returns the lane that has the scale of half `half` of this lane's elements. A group of lanes, one for
  // each row, has the scale of the instruction's block of the group's number, and 16 of its columns come from
  // two groups.
  WT_DEVICE static int lane_of_scale(int half) {
    return lane_id() % kRows + kRows * ((half * kGroups + lane_id() / kRows) / 2);
  }
  // Returns the scale of this lane's block from those that all lanes found for their halves.
  WT_DEVICE static u32 own_scale(u32 first, u32 second) {
    const int group = lane_id() / kRows, half = group / (kGroups / 2);
    const u32 both =
        ds_bpermute(lane_id() % kRows + 2 * kRows * (group % (kGroups / 2)), first | second << 8);
    return both >> (8 * half) & 255;
  }
};

template <class V>
WT_DEVICE V joined_halves(V first, V second) {
  static constexpr int kHalf = kElementsOf<V> / 2;
  using half = vector<__remove_cvref(decltype(first[0])), kHalf>;
  put_part<kHalf>(first, vector_part<half, kHalf>(second));
  return first;
}

template <class T, class Layout, class Scales>
constexpr bool check_block_conversion() {
  static_assert(scales_for<Scales, typename Scales::operand> && __is_same(typename Scales::T, T) &&
                    __is_same(typename Scales::layout, Layout),
                "the scales belong to another tile: convert with rs<the tile of elements>");
  static_assert(target::kGfx950,
                "gfx942 has no conversions with a scale: convert to fp8e4m3 and scale the sums of products");
  return true;
}

}  // namespace detail

// Sets `to` to the elements of `from` times their scales, rounded to nearest even where To lacks the digits
// or the range. What has the scale 255 becomes NaN.
//
// scope: wave; operands: rt of f32, bf16 or f16, rt of elements and its rs or rs_shuffled, of one layout;
// leaves: lgkmcnt of 8-bit elements; waits: compiler; LDS: none; registers: 32 and a few; chips: gfx950
template <class To, class From, int Rows, int Columns, class Layout, class Scales>
WT_DEVICE void convert(rt<To, Rows, Columns, Layout> &to, const rt<From, Rows, Columns, Layout> &from,
                       const Scales &scales) {
  static_assert(is_one_of<To, f32, bf16, f16>,
                "elements of blocks become f32, bf16 or f16: name one of them");
  using block = detail::lane_block<From, Layout>;
  if constexpr (detail::check_block_conversion<From, Layout, Scales>()) {
    static constexpr int kSteps = Scales::kSteps, kWide = Scales::kWide;
    const auto widened = [](registers<From, 32> elements, u32 byte) WT_INLINE {
      const f32x32 values = mx_to_f32<From>(elements, e8m0_scale(byte));
      return byte == 255 ? f32x32(__builtin_nanf("")) : values;
    };
    unrolled<Scales::kTall * kWide * kSteps>([&](auto n) WT_INLINE {
      static constexpr int kStep = n % kSteps, kJ = n / kSteps % kWide, kI = n / kSteps / kWide;
      const u32 word = scales.template of<kI, kJ, kStep>();
      const auto byte_of = [](u32 of) WT_INLINE { return of >> (8 * Scales::byte(kI, kStep)) & 255; };
      const auto elements = vector_part<registers<From, 32>, kStep * kBits<From>>(from.fragment[kI][kJ]);
      f32x32 values;
      if constexpr (block::kInHalves) {
        values =
            detail::joined_halves(widened(elements, byte_of(ds_bpermute(block::lane_of_scale(0), word))),
                                  widened(elements, byte_of(ds_bpermute(block::lane_of_scale(1), word))));
      } else {
        values = widened(elements, byte_of(word));
      }
      put_part<32 * kStep>(to.fragment[kI][kJ], from_f32<To>(values));
    });
  }
}

namespace detail {

// Says how elements of T are rounded; `at` is for the 32 that a lane has of MFMA number `step` of the
// fragment from these rows and columns of the tile on, and converts them.
template <class T>
struct nearest_elements {
  WT_DEVICE auto at(int, int, int) const {
    return [](f32x32 values, float scale) WT_INLINE { return mx_from_f32<T>(values, scale); };
  }
};
template <class T, class Layout>
struct stochastic_elements {
  random_origin origin;

  WT_DEVICE auto at(int first_row, int first_column, int step) const {
    return [random = words(first_row, first_column, step)](f32x32 values, float scale)
               WT_INLINE { return mx_from_f32_stochastic<T>(values, scale, random); };
  }

 private:
  WT_DEVICE vector<u32, kMxRandomWords<T>> words(int first_row, int first_column, int step) const {
    const int lane = lane_id();
    const unsigned long long row =
        origin.row + static_cast<unsigned long long>(first_row + Layout::row(lane, 0));
    const auto word_at = [&](int element) WT_INLINE {
      return (origin.column + first_column + Layout::column(lane, element)) / kMxElementsOfWord<T>;
    };
    if constexpr (is_fp8<T>) {
      vector<u32, 32> all = {};
      put_part<0>(all, random_words<16>(origin.seed, row, word_at(32 * step)));
      put_part<16>(all, random_words<16>(origin.seed, row, word_at(32 * step + 16)));
      return all;
    } else {
      return random_words<kMxRandomWords<T>>(origin.seed, row, word_at(32 * step));
    }
  }
};

template <class To, class From, int Rows, int Columns, class Layout, class Scales, class Elements>
WT_DEVICE void convert_to_blocks(rt<To, Rows, Columns, Layout> &to, Scales &scales,
                                 const rt<From, Rows, Columns, Layout> &from, scale_rounding rounding,
                                 const Elements &how) {
  static_assert(is_one_of<From, f32, bf16, f16>,
                "numbers of f32, bf16 or f16 become elements of blocks: convert to one of them first");
  using block = lane_block<To, Layout>;
  static constexpr int kSteps = Scales::kSteps, kWide = Scales::kWide;
  scales = {};
  unrolled<Scales::kTall * kWide * kSteps>([&](auto n) WT_INLINE {
    static constexpr int kStep = n % kSteps, kJ = n / kSteps % kWide, kI = n / kSteps / kWide;
    const f32x32 values = to_f32(vector_part<registers<From, 32>, 32 * kStep>(from.fragment[kI][kJ]));
    const auto rounded = how.at(kI * Layout::kRows, kJ * Layout::kColumns, kStep);
    const auto narrowed = [&](u32 byte) WT_INLINE {
      const registers<To, 32> elements = rounded(values, e8m0_scale(byte)), none = {};
      return byte == 255 ? none : elements;
    };
    registers<To, 32> elements;
    u32 scale;
    if constexpr (block::kInHalves) {
      const auto scale_of = [&](f32x16 half) WT_INLINE {
        const u32 own = __builtin_bit_cast(u32, largest_or_nan<16>(half)),
                  other = lane_xor<Layout::kRows>(own);
        return e8m0_of<To>(__builtin_bit_cast(float, own > other ? own : other), rounding);
      };
      const u32 first = scale_of(vector_part<f32x16, 0>(values));
      const u32 second = scale_of(vector_part<f32x16, 16>(values));
      elements = joined_halves(narrowed(first), narrowed(second));
      scale = block::own_scale(first, second);
    } else {
      scale = e8m0_of<To>(largest_or_nan<32>(values), rounding);
      elements = narrowed(scale);
    }
    put_part<kStep * kBits<To>>(to.fragment[kI][kJ], elements);
    scales.template set<kI, kJ, kStep>(scale);
  });
}

}  // namespace detail

// Sets `to` and `scales` to `from` in a block-scaled format: each block of 32 elements of a row gets the
// scale that `rounding` finds for its largest magnitude, and its elements are divided by that and rounded to
// nearest even. What is too large becomes the largest number. A block with an infinity or NaN gets the scale
// 255 and zeros. The bits are those of wt_quantize_blocks.
//
// scope: wave; operands: rt of elements and its rs or rs_shuffled, rt of f32, bf16 or f16, of one layout;
// leaves: lgkmcnt of 8-bit elements; waits: compiler; LDS: none; registers: 40 and a few; chips: gfx950
template <class To, class From, int Rows, int Columns, class Layout, class Scales>
WT_DEVICE void convert(rt<To, Rows, Columns, Layout> &to, Scales &scales,
                       const rt<From, Rows, Columns, Layout> &from, scale_rounding rounding) {
  if constexpr (detail::check_block_conversion<To, Layout, Scales>())
    detail::convert_to_blocks(to, scales, from, rounding, detail::nearest_elements<To>{});
}

// Does the same with stochastic rounding of the elements. The tile lies at `origin` of the matrix, and the
// bits are again those of wt_quantize_blocks: every element has random bits of its own, whichever tile it is
// in.
//
// scope: wave; operands: rt of elements and its rs or rs_shuffled, rt of f32, bf16 or f16, of one layout;
// leaves: lgkmcnt of 8-bit elements; waits: compiler; LDS: none; registers: 100 and a few; chips: gfx950
template <class To, class From, int Rows, int Columns, class Layout, class Scales>
WT_DEVICE void convert(rt<To, Rows, Columns, Layout> &to, Scales &scales,
                       const rt<From, Rows, Columns, Layout> &from, scale_rounding rounding,
                       random_origin origin) {
  if constexpr (detail::check_block_conversion<To, Layout, Scales>())
    detail::convert_to_blocks(to, scales, from, rounding, detail::stochastic_elements<To, Layout>{origin});
}

}  // namespace wt

#endif
