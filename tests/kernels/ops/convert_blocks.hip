// SPDX-License-Identifier: MIT
// Conversions of register tiles with block scales, in every format and of fragments of one and of several
// MFMAs. Lanes load and store the elements of a tile where its layout says that they lie.
#include "convert_blocks.h"

#include <wavetile_device.h>

namespace {

using namespace wt;

template <class Operand, bool Shuffled>
struct scales_type {
  using type = rs<Operand>;
};
template <class Operand>
struct scales_type<Operand, true> {
  using type = rs_shuffled<Operand>;
};

enum class kept { separate, shuffled };
template <class Q, int Rows, int Depth, kept Kept>
struct layout_type {
  using type = scaled_operand<Q, Depth, Rows>;
};
template <class Q, int Rows, int Depth>
struct layout_type<Q, Rows, Depth, kept::shuffled> {
  using type = shuffled_operand<Q, Depth>;
};

template <class T, class Q, int Rows, int Depth, int Tall, int Wide, kept Kept>
struct tiles {
  using layout = typename layout_type<Q, Rows, Depth, Kept>::type;
  static constexpr int kRows = Tall * Rows, kColumns = Wide * Depth, kBlocks = kColumns / kScaleBlock;
  using numbers = rt<T, kRows, kColumns, layout>;
  using elements = rt<Q, kRows, kColumns, layout>;
  using scales = typename scales_type<elements, Kept == kept::shuffled>::type;
  static constexpr int kSteps = scales::kSteps;

  template <class F>
  WT_DEVICE static void each_fragment(const F &f) {
    unrolled<Tall>([&](auto i) WT_INLINE { unrolled<Wide>([&](auto j) WT_INLINE { f(i, j); }); });
  }
  WT_DEVICE static int row(int i, int element) { return i * Rows + layout::row(lane_id(), element); }
  WT_DEVICE static int column(int j, int element) { return j * Depth + layout::column(lane_id(), element); }

  // Calls f with each number and its place in memory.
  template <class F>
  WT_DEVICE static void each_number(numbers &tile, const convert_blocks_args &args, const F &f) {
    T *const memory = static_cast<T *>(args.numbers);
    each_fragment([&](auto i, auto j) WT_INLINE {
      unrolled<layout::kElements>(
          [&](auto e) WT_INLINE { f(tile.fragment[i][j], e, memory + row(i, e) * kColumns + column(j, e)); });
    });
  }
  // The same for every dword of elements. 16 of them lie together.
  template <class F>
  WT_DEVICE static void each_dword(elements &tile, const convert_blocks_args &args, const F &f) {
    constexpr int kDwords = kBits<Q> / 2;
    each_fragment([&](auto i, auto j) WT_INLINE {
      unrolled<elements::kRegisters / Tall / Wide>([&](auto d) WT_INLINE {
        const int first = d / kDwords * 16;
        const int byte = (row(i, first) * kColumns + column(j, first)) * kBits<Q> / 8 + d % kDwords * 4;
        f(tile.fragment[i][j], d, reinterpret_cast<u32 *>(args.q + byte));
      });
    });
  }
  // Does the same for every scale.
  template <class F>
  WT_DEVICE static void each_scale(const convert_blocks_args &args, const F &f) {
    each_fragment([&](auto i, auto j) WT_INLINE {
      unrolled<kSteps>([&](auto step) WT_INLINE {
        const int block = j * (Depth / kScaleBlock) + scales::block(lane_id(), step);
        f(i, j, step, args.scale + row(i, 0) * kBlocks + block);
      });
    });
  }

  template <element_rounding Rounding>
  WT_DEVICE static void to_blocks(const convert_blocks_args &args) {
    numbers from;
    elements to;
    scales by;
    each_number(from, args, [](auto &registers, int e, T *memory) WT_INLINE { registers[e] = *memory; });
    const auto rounding = static_cast<scale_rounding>(args.rounding);
    if constexpr (Rounding == element_rounding::nearest) {
      convert(to, by, from, rounding);
    } else {
      convert(to, by, from, rounding, random_origin{args.seed, args.row, args.column});
    }
    each_dword(to, args, [](auto &registers, int d, u32 *memory) WT_INLINE { *memory = registers[d]; });
    each_scale(args, [&](auto i, auto j, auto step, unsigned char *memory) WT_INLINE {
      *memory = static_cast<unsigned char>(by.template of<i, j, step>() >> (8 * scales::byte(i, step)));
    });
  }

  WT_DEVICE static void from_blocks(const convert_blocks_args &args) {
    elements from;
    scales by = {};
    numbers to;
    each_dword(from, args, [](auto &registers, int d, u32 *memory) WT_INLINE { registers[d] = *memory; });
    each_scale(args, [&](auto i, auto j, auto step, unsigned char *memory)
                         WT_INLINE { by.template set<i, j, step>(*memory); });
    convert(to, from, by);
    each_number(to, args, [](auto &registers, int e, T *memory) WT_INLINE { *memory = registers[e]; });
  }
};

}  // namespace

#define KERNELS(T, Q, ROWS, DEPTH, TALL, WIDE, KEPT)                                                         \
  WT_KERNEL(64) nearest_##T##_##Q##_##ROWS##_##DEPTH##_##KEPT(convert_blocks_args args) {                    \
    tiles<wt::T, wt::Q, ROWS, DEPTH, TALL, WIDE, kept::KEPT>::to_blocks<element_rounding::nearest>(args);    \
  }                                                                                                          \
  WT_KERNEL(64) stochastic_##T##_##Q##_##ROWS##_##DEPTH##_##KEPT(convert_blocks_args args) {                 \
    tiles<wt::T, wt::Q, ROWS, DEPTH, TALL, WIDE, kept::KEPT>::to_blocks<element_rounding::stochastic>(args); \
  }                                                                                                          \
  WT_KERNEL(64) back_##T##_##Q##_##ROWS##_##DEPTH##_##KEPT(convert_blocks_args args) {                       \
    tiles<wt::T, wt::Q, ROWS, DEPTH, TALL, WIDE, kept::KEPT>::from_blocks(args);                             \
  }
CONVERT_BLOCKS_KERNELS(KERNELS)
