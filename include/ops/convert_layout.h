// SPDX-License-Identifier: MIT
// This header brings a matrix into another layout without LDS: accumulators become operands, and tiles are
// transposed.
#ifndef WT_OPS_CONVERT_LAYOUT_H
#define WT_OPS_CONVERT_LAYOUT_H

#include "../tiles/rt.h"
#include "lanes.h"
#include "layout_plan.h"
#include "list.h"

namespace wt {

// Exchanges bit Bit of the lane's number with the choice between a and b: lanes without the bit give b for
// the a of the lane with it. Bits 16 and 32 take one instruction on gfx950 (v_permlane*_swap), where gfx942
// takes three selects and what lane_xor costs. Bits 4 and 8 take two DPP moves that leave the other lanes
// alone, bits 1 and 2 two DPP moves and two selects.
//
// scope: wave; operands: two registers; leaves: none; waits: nobody; LDS: none; registers: 1; chips: both
template <int Bit>
WT_DEVICE void exchange_lane_bit(unsigned int &a, unsigned int &b) {
  if constexpr (Bit == 16 && target::kGfx950) {
    permlane16_swap(a, b);
  } else if constexpr (Bit == 32 && target::kGfx950) {
    permlane32_swap(a, b);
  } else if constexpr (Bit == 4 || Bit == 8) {
    // These are masks of rows, and of banks of four lanes.
    static constexpr int kRows = 15, kUpper = Bit == 4 ? 0b1010 : 0b1100;
    const unsigned int kept = a;
    a = update_dpp<dpp::row_shr(Bit), kRows, kUpper>(a, b);
    b = update_dpp<dpp::row_shl(Bit), kRows, kUpper ^ 15>(b, kept);
  } else if constexpr (Bit == 1 || Bit == 2) {
    const bool upper = (lane_id() & Bit) != 0;
    const unsigned int from_a = lane_xor<Bit>(a), from_b = lane_xor<Bit>(b);
    a = upper ? from_b : a;
    b = upper ? b : from_a;
  } else {
    const bool upper = (lane_id() & Bit) != 0;
    const unsigned int received = lane_xor<Bit>(upper ? a : b);
    a = upper ? received : a;
    b = upper ? b : received;
  }
}

// Exchanges a bit of the position inside a register with the choice between a and b, for pieces of 8 or 16
// bits, by two v_perm_b32.
//
// scope: lane; operands: two registers; leaves: none; waits: nobody; LDS: none; registers: 1; chips: both
template <int Piece>
WT_DEVICE void exchange_inside(unsigned int &a, unsigned int &b) {
  static_assert(Piece == 8 || Piece == 16, "registers hold pieces of 8 or 16 bits");
  constexpr unsigned int kLow = Piece == 16 ? 0xffff : 0xff00ff;
  const unsigned int low = (a & kLow) | (b & kLow) << Piece;
  b = (a >> Piece & kLow) | (b & ~kLow);
  a = low;
}

namespace detail {

// Takes the registers of block (i, j) out of a tile, in blocks of Rows x Columns, fragment after fragment,
// and puts them back.
template <class Tile, int Rows, int Columns>
struct block_registers {
  using layout = typename Tile::layout;
  static constexpr int kTall = Rows / layout::kRows, kWide = Columns / layout::kColumns;
  static constexpr int kEach = layout::kElements * kBits<typename Tile::element> / 32;  // of a fragment
  using bits = unsigned int __attribute__((ext_vector_type(kEach)));

  WT_DEVICE static void take(unsigned int (&value)[kTall * kWide * kEach], const Tile &tile, int i, int j) {
#pragma unroll
    for (int n = 0; n < kTall * kWide; ++n) {
      const auto all = __builtin_bit_cast(bits, tile.fragment[i * kTall + n / kWide][j * kWide + n % kWide]);
#pragma unroll
      for (int r = 0; r < kEach; ++r) value[n * kEach + r] = all[r];
    }
  }
  WT_DEVICE static void give(Tile &tile, const unsigned int (&value)[kTall * kWide * kEach], int i, int j) {
#pragma unroll
    for (int n = 0; n < kTall * kWide; ++n) {
      bits all;
#pragma unroll
      for (int r = 0; r < kEach; ++r) all[r] = value[n * kEach + r];
      tile.fragment[i * kTall + n / kWide][j * kWide + n % kWide] =
          __builtin_bit_cast(typename Tile::fragment_type, all);
    }
  }
};

// Returns the plan for the smallest block of a tile of Rows x Columns in which the exchange is possible.
template <class From, class To, int Bits, int Rows, int Columns>
constexpr auto plan_for() {
  using smallest = layout_plan<From, To, Bits>;
  if constexpr (smallest::kSteps.possible) {
    return smallest{};
  } else {
    constexpr bool kWider = Columns % (2 * smallest::kColumns) == 0;
    static_assert(kWider || Rows % (2 * smallest::kRows) == 0,
                  "one register per lane has no second one to exchange its elements with: convert a larger "
                  "tile at once");
    return layout_plan<From, To, Bits, smallest::kRows *(kWider ? 1 : 2),
                       smallest::kColumns *(kWider ? 2 : 1)>{};
  }
}

}  // namespace detail

// Sets to = from, two tiles of one shape and element type in any two layouts whose fragments have powers of
// two of rows and columns. The cost is planned while compiling: see layout_plan<FromLayout, ToLayout,
// kBits<T>>::kSteps. A permutation of lanes takes one ds_bpermute per register.
//
// scope: wave; operands: rt to rt, layouts of powers of two; leaves: lgkmcnt where it permutes lanes; waits:
// compiler; LDS: none; registers: two blocks of the plan; chips: both
template <class T, int Rows, int Columns, class To, class From>
WT_DEVICE void convert_layout(rt<T, Rows, Columns, To> &to, const rt<T, Rows, Columns, From> &from) {
  static_assert(kBits<T> == 8 || kBits<T> == 16 || kBits<T> == 32,
                "convert_layout moves elements of 8, 16 or 32 bits: convert the tile's type first");
  using plan = decltype(detail::plan_for<From, To, kBits<T>, Rows, Columns>());
  using source = detail::block_registers<rt<T, Rows, Columns, From>, plan::kRows, plan::kColumns>;
  using destination = detail::block_registers<rt<T, Rows, Columns, To>, plan::kRows, plan::kColumns>;

  int lane = 0;  // the lane whose registers this lane takes
  if constexpr (plan::kSteps.permutes_lanes) {
    const int own = lane_id();
    unrolled<kLaneBits>([&](auto bit) WT_INLINE { lane |= (own >> bit & 1) << plan::kSteps.lane_bit[bit]; });
  }
#pragma unroll
  for (int i = 0; i < Rows / plan::kRows; ++i) {
#pragma unroll
    for (int j = 0; j < Columns / plan::kColumns; ++j) {
      unsigned int value[plan::kRegisters], moved[plan::kRegisters];
      source::take(value, from, i, j);
      unrolled<plan::kSteps.count>([&](auto step) WT_INLINE {
        static constexpr int kPlace = plan::kSteps.exchanges[step].place;
        static constexpr int kStep = 1 << plan::kSteps.exchanges[step].register_bit;
#pragma unroll
        for (int pair = 0; pair < plan::kRegisters / 2; ++pair) {
          const int first = pair / kStep * kStep * 2 + pair % kStep;
          if constexpr (kPlace < kLaneBits) {
            exchange_lane_bit<1 << kPlace>(value[first], value[first + kStep]);
          } else {
            exchange_inside<kBits<T> << (kPlace - kLaneBits)>(value[first], value[first + kStep]);
          }
        }
      });
      unrolled<plan::kRegisters>([&](auto n) WT_INLINE {
        const unsigned int held = value[plan::source(n)];
        if constexpr (plan::kSteps.permutes_lanes) {
          moved[n] = ds_bpermute(lane, held);
        } else {
          moved[n] = held;
        }
      });
      destination::give(to, moved, i, j);
    }
  }
}

// ---- transposition
// Returns the transposed matrix in the same registers, which costs nothing.
//
// scope: wave; operands: rt of any layout; leaves: none; waits: nobody; LDS: none; registers: none; chips:
// both
template <class T, int Rows, int Columns, class Layout>
WT_DEVICE auto transposed_view(const rt<T, Rows, Columns, Layout> &from) {
  rt<T, Columns, Rows, transpose_t<Layout>> to;
  using tile = rt<T, Rows, Columns, Layout>;
#pragma unroll
  for (int i = 0; i < tile::kTall; ++i) {
#pragma unroll
    for (int j = 0; j < tile::kWide; ++j) to.fragment[j][i] = from.fragment[i][j];
  }
  return to;
}

// Sets `to` to the transposed matrix in any layout, such as the one it had. It costs what convert_layout from
// the transposed layout costs.
//
// scope: wave; operands: rt to rt, layouts of powers of two; leaves: lgkmcnt where it permutes lanes; waits:
// compiler; LDS: none; registers: two blocks of the plan; chips: both
template <class T, int Rows, int Columns, class To, class From>
WT_DEVICE void transpose(rt<T, Columns, Rows, To> &to, const rt<T, Rows, Columns, From> &from) {
  convert_layout(to, transposed_view(from));
}

}  // namespace wt

#endif
