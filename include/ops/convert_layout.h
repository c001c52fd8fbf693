// SPDX-License-Identifier: MIT
// The same matrix in another layout, without LDS: accumulators become operands, tiles are transposed.
#ifndef WT_OPS_CONVERT_LAYOUT_H
#define WT_OPS_CONVERT_LAYOUT_H

#include "../tiles/rt.h"
#include "lanes.h"
#include "layout_plan.h"
#include "list.h"

namespace wt {

// Exchanges bit Bit of the lane's number with the choice between a and b: lanes without the bit give b for
// the a of the lane with it. On gfx950 bits 16 and 32 are one instruction (v_permlane*_swap); else it is
// three selects and what lane_xor costs.
template <int Bit>
WT_DEVICE void exchange_lane_bit(unsigned int &a, unsigned int &b) {
  if constexpr (Bit == 16 && target::kGfx950) {
    permlane16_swap(a, b);
  } else if constexpr (Bit == 32 && target::kGfx950) {
    permlane32_swap(a, b);
  } else {
    const bool upper = (lane_id() & Bit) != 0;
    const unsigned int received = lane_xor<Bit>(upper ? a : b);
    a = upper ? received : a;
    b = upper ? b : received;
  }
}

// The same with a bit of the position inside a register, for pieces of 8 or 16 bits: two v_perm_b32.
template <int Piece>
WT_DEVICE void exchange_inside(unsigned int &a, unsigned int &b) {
  static_assert(Piece == 8 || Piece == 16, "registers hold pieces of 8 or 16 bits");
  constexpr unsigned int kLow = Piece == 16 ? 0xffff : 0xff00ff;
  const unsigned int low = (a & kLow) | (b & kLow) << Piece;
  b = (a >> Piece & kLow) | (b & ~kLow);
  a = low;
}

namespace detail {

// The registers of a block of Rows x Columns of a tile, fragment by fragment.
template <class Layout, int Bits, int Rows, int Columns>
struct block_registers {
  static constexpr int kTall = Rows / Layout::kRows, kWide = Columns / Layout::kColumns;
  static constexpr int kEach = Layout::kElements * Bits / 32;  // per fragment
  using bits = unsigned int __attribute__((ext_vector_type(kEach)));

  template <int I, int J, class Tile, class F>
  WT_DEVICE static void each_fragment(Tile &tile, const F &f) {
    unrolled<kTall * kWide>(
        [&](auto n) WT_INLINE { f(n, tile.fragment[I * kTall + n / kWide][J * kWide + n % kWide]); });
  }
};

}  // namespace detail

// to = from: one shape and element type, any two layouts of fragments of powers of two. The cost is planned:
// see layout_plan<FromLayout, ToLayout, kBits<T>>::kSteps. A permutation of lanes takes one ds_bpermute per
// register.
template <class T, int Rows, int Columns, class To, class From>
WT_DEVICE void convert_layout(rt<T, Rows, Columns, To> &to, const rt<T, Rows, Columns, From> &from) {
  using plan = layout_plan<From, To, kBits<T>>;
  static_assert(kBits<T> == 8 || kBits<T> == 16 || kBits<T> == 32,
                "convert_layout moves elements of 8, 16 or 32 bits: convert the tile's type first");
  static_assert(Rows % plan::kRows == 0 && Columns % plan::kColumns == 0,
                "the tile must be whole fragments of both layouts in both directions: convert a larger tile");
  using source = detail::block_registers<From, kBits<T>, plan::kRows, plan::kColumns>;
  using destination = detail::block_registers<To, kBits<T>, plan::kRows, plan::kColumns>;
  constexpr int kWide = Columns / plan::kColumns;

  int lane = 0;  // whose registers this lane takes
  if constexpr (plan::kSteps.permutes_lanes) {
    const int own = lane_id();
#pragma unroll
    for (int bit = 0; bit < kLaneBits; ++bit) lane |= (own >> bit & 1) << plan::kSteps.lane_bit[bit];
  }
  unrolled<Rows / plan::kRows * kWide>([&](auto block) WT_INLINE {
    constexpr int kI = block / kWide, kJ = block % kWide;
    unsigned int value[plan::kRegisters];
    source::template each_fragment<kI, kJ>(from, [&](auto n, const auto &fragment) WT_INLINE {
      const auto bits = __builtin_bit_cast(typename source::bits, fragment);
      unrolled<source::kEach>([&](auto r) WT_INLINE { value[n * source::kEach + r] = bits[r.value]; });
    });
    unrolled<plan::kSteps.count>([&](auto step) WT_INLINE {
      constexpr int kPlace = plan::kSteps.exchanges[step].place,
                    kBit = 1 << plan::kSteps.exchanges[step].register_bit;
      unrolled<plan::kRegisters / 2>([&](auto pair) WT_INLINE {
        constexpr int kFirst = pair / kBit * kBit * 2 + pair % kBit;
        if constexpr (kPlace < kLaneBits) {
          exchange_lane_bit<1 << kPlace>(value[kFirst], value[kFirst + kBit]);
        } else {
          exchange_inside<kBits<T> << (kPlace - kLaneBits)>(value[kFirst], value[kFirst + kBit]);
        }
      });
    });
    destination::template each_fragment<kI, kJ>(to, [&](auto n, auto &fragment) WT_INLINE {
      typename destination::bits bits;
      unrolled<destination::kEach>([&](auto r) WT_INLINE {
        const unsigned int held = value[plan::source(n * destination::kEach + r)];
        if constexpr (plan::kSteps.permutes_lanes) {
          bits[r.value] = ds_bpermute(lane, held);
        } else {
          bits[r.value] = held;
        }
      });
      fragment = __builtin_bit_cast(registers<T, To::kElements>, bits);
    });
  });
}

// ---- transposition
// The same registers as the transposed matrix: costs nothing.
template <class T, int Rows, int Columns, class Layout>
WT_DEVICE auto transposed_view(const rt<T, Rows, Columns, Layout> &from) {
  rt<T, Columns, Rows, transpose_t<Layout>> to;
  using tile = rt<T, Rows, Columns, Layout>;
  unrolled<tile::kTall * tile::kWide>([&](auto n) WT_INLINE {
    constexpr int kI = n / tile::kWide, kJ = n % tile::kWide;
    to.fragment[kJ][kI] = from.fragment[kI][kJ];
  });
  return to;
}

// The transposed matrix in any layout, such as the one it had; costs what convert_layout from the transposed
// layout costs.
template <class T, int Rows, int Columns, class To, class From>
WT_DEVICE void transpose(rt<T, Columns, Rows, To> &to, const rt<T, Rows, Columns, From> &from) {
  convert_layout(to, transposed_view(from));
}

}  // namespace wt

#endif
