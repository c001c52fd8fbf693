// SPDX-License-Identifier: MIT
// This header plans while compiling how registers travel from one layout to another. A layout of powers of
// two puts every bit of an element's row and column into one place: a bit of the lane's number, of the
// register's number, or of the position inside a register. So a conversion is a permutation of these places,
// and every permutation is a sequence of exchanges of two of them.
#ifndef WT_OPS_LAYOUT_PLAN_H
#define WT_OPS_LAYOUT_PLAN_H

#include "../tiles/evaluated.h"
#include "../tiles/layout.h"

namespace wt {

// Return whether a number is a power of two, and a power's logarithm.
constexpr bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }
constexpr int log2_of(int power) { return __builtin_ctz(static_cast<unsigned>(power)); }

// These are the number of bits of the lane, and the most places there are. Places are numbered: bits of the
// lane, then bits inside a register, then bits of the register's number.
constexpr int kLaneBits = 6, kMostPlaces = 20;

// Says which bit of the coordinate (row bits, then column bits) each place of a block of Rows x Columns
// holds; it is negative when the layout cannot be described so. Registers count through a fragment, then
// along a row of fragments, then down.
template <class Layout, int Rows, int Columns>
struct layout_bits {
  static constexpr int kWide = Columns / Layout::kColumns;
  static constexpr int kCount = kLaneBits + log2_of(Layout::kElements * kWide * (Rows / Layout::kRows));
  int of[kMostPlaces] = {};

  // Returns the coordinate of the lane's element number `element`, counted through the block's fragments.
  static constexpr int coordinate(int lane, int element) {
    const int fragment = element / Layout::kElements, e = element % Layout::kElements;
    const int row = fragment / kWide * Layout::kRows + Layout::row(lane, e);
    const int column = fragment % kWide * Layout::kColumns + Layout::column(lane, e);
    return row | column * Rows;
  }
  static constexpr int place_coordinate(int places) {
    return coordinate(places % target::kWaveLanes, places / target::kWaveLanes);
  }
  constexpr layout_bits() {
    for (int place = 0; place < kCount; ++place) of[place] = log2_of(place_coordinate(1 << place));
  }
  // Returns whether these bits describe the whole layout. Fragments lie side by side, so it is enough to look
  // at one of them.
  constexpr bool exact() const {
    for (int places = 0; places < target::kWaveLanes * Layout::kElements; ++places) {
      int expected = 0;
      for (int rest = places; rest != 0; rest &= rest - 1)
        expected |= 1 << of[__builtin_ctz(static_cast<unsigned>(rest))];
      if (place_coordinate(places) != expected) return false;
    }
    return true;
  }
};

// Says whether the layout_bits Bits describe their layout.
template <class Bits>
constexpr bool is_exact = evaluated<Bits{}.exact()>;

// These are the steps of a conversion, in order: exchanges of a place (a bit of the lane or inside a
// register) with a register bit; then one permutation of the lanes, the same for all registers; then
// registers take other numbers.
//
// A plan is for blocks of Rows x Columns, which are whole fragments of both layouts. Bits is the size of an
// element.
template <class From, class To, int Bits, int Rows = (From::kRows > To::kRows) ? From::kRows : To::kRows,
          int Columns = (From::kColumns > To::kColumns) ? From::kColumns : To::kColumns>
struct layout_plan {
  static constexpr int kRows = Rows, kColumns = Columns;
  static_assert(is_power_of_two(From::kRows) && is_power_of_two(From::kColumns) &&
                    is_power_of_two(To::kRows) && is_power_of_two(To::kColumns),
                "convert_layout works on fragments of a power of two rows and columns: go through LDS");
  using from_bits = layout_bits<From, kRows, kColumns>;
  using to_bits = layout_bits<To, kRows, kColumns>;
  static_assert(is_exact<from_bits> && is_exact<to_bits>,
                "a layout does not put each bit of row and column into one place: go through LDS");
  static constexpr int kPlaces = from_bits::kCount;
  static constexpr int kInside = log2_of(32 / Bits);  // bits of the position inside a register
  static constexpr int kFirstRegisterBit = kLaneBits + kInside;
  static_assert(kFirstRegisterBit <= kPlaces,
                "a lane's elements must fill whole registers: convert more of them");
  static constexpr int kRegisters = 1 << (kPlaces - kFirstRegisterBit);  // registers of a block

  struct exchange {
    int place, register_bit;
  };
  struct steps {
    exchange exchanges[2 * kMostPlaces] = {};
    int count = 0;
    bool permutes_lanes = false;
    // After the exchanges, each bit of the lane's number must come from this place.
    int lane_bit[kLaneBits] = {};
    // After that, each bit of the register's number is found in this bit.
    int register_bit[kMostPlaces] = {};
    bool possible = true;  // false for a single register, which has no other one to exchange elements with
  };

  static constexpr steps make() {
    steps plan;
    int now[kMostPlaces] = {}, wanted[kMostPlaces] = {};
    for (int p = 0; p < kPlaces; ++p) now[p] = from_bits{}.of[p], wanted[p] = to_bits{}.of[p];
    const auto place_of = [&](int bit) {
      int p = 0;
      while (now[p] != bit) ++p;
      return p;
    };
    const auto apply = [&](int place, int register_place) {
      plan.exchanges[plan.count++] = {place, register_place - kFirstRegisterBit};
      const int kept = now[place];
      now[place] = now[register_place];
      now[register_place] = kept;
    };
    // Whatever lies in a register bit and belongs elsewhere goes there at once. The bits that are then left
    // outside register bits belong to lanes and to positions inside registers, and change places among
    // themselves. Lanes alone can be permuted; where a bit inside registers takes part, a register bit is
    // lent.
    for (bool more = true; more;) {
      more = false;
      for (int p = 0; p < kFirstRegisterBit; ++p) {
        if (now[p] == wanted[p] || place_of(wanted[p]) < kFirstRegisterBit) continue;
        apply(p, place_of(wanted[p]));
        more = true;
      }
      for (int p = kLaneBits; p < kFirstRegisterBit && !more; ++p) {
        if (now[p] == wanted[p]) continue;
        if (kPlaces == kFirstRegisterBit) {
          plan.possible = false;
          return plan;
        }
        apply(p, kFirstRegisterBit);
        more = true;
      }
    }
    for (int p = 0; p < kLaneBits; ++p) {
      plan.lane_bit[p] = place_of(wanted[p]);
      plan.permutes_lanes = plan.permutes_lanes || plan.lane_bit[p] != p;
    }
    for (int p = kFirstRegisterBit; p < kPlaces; ++p)
      plan.register_bit[p - kFirstRegisterBit] = place_of(wanted[p]) - kFirstRegisterBit;
    return plan;
  }
  static constexpr steps kSteps = evaluated<make()>;
  // Returns the register that, after all exchanges, becomes register `number` of the destination's block.
  static constexpr int source(int number) {
    int from = 0;
    for (int bit = 0; bit < kPlaces - kFirstRegisterBit; ++bit)
      from |= (number >> bit & 1) << kSteps.register_bit[bit];
    return from;
  }
};

}  // namespace wt

#endif
