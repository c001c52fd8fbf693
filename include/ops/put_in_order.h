// SPDX-License-Identifier: MIT
// This header puts the sums of interleaved rows (row_order) in the order of the matrix.
#ifndef WT_OPS_PUT_IN_ORDER_H
#define WT_OPS_PUT_IN_ORDER_H

#include "../tiles/row_order.h"
#include "../tiles/rt.h"
#include "isa/crosslane.h"
#include "list.h"

namespace wt {

// Changes a tile of sums whose rows and columns are interleaved (row_order), since the rows of both factors
// were, to their natural order. Columns are renamed; rows change lanes.
//
// scope: wave; operands: rt_ct of f32 with fragments of 32x32; leaves: none; waits: nobody; LDS: none;
// registers: none; chips: gfx950
template <int Rows, int Columns>
WT_DEVICE void put_in_order(rt_ct<f32, Rows, Columns, 32> &c) {
  static_assert(Rows % 64 == 0 && Columns % 64 == 0,
                "rows are interleaved in every 64: use a tile of whole 64 rows and columns");
  using layout = typename rt_ct<f32, Rows, Columns, 32>::layout;
  unrolled<Rows / 32 * (Columns / 64)>([&](auto n) WT_INLINE {
    constexpr int kI = n % (Rows / 32), kJ = n / (Rows / 32) * 2;
    unrolled<layout::kElements / 2>([&](auto e) WT_INLINE {
      const f32 left = c.fragment[kI][kJ][e + layout::kElements / 2];
      c.fragment[kI][kJ][e + layout::kElements / 2] = c.fragment[kI][kJ + 1][e.value];
      c.fragment[kI][kJ + 1][e.value] = left;
    });
  });
  unrolled<Rows / 64 * (Columns / 32)>([&](auto n) WT_INLINE {
    constexpr int kI = n % (Rows / 64) * 2, kJ = n / (Rows / 64);
    unrolled<layout::kElements>([&](auto e) WT_INLINE {
      f32 upper = c.fragment[kI][kJ][e.value], lower = c.fragment[kI + 1][kJ][e.value];
      permlane16_swap(upper, lower);
      c.fragment[kI][kJ][e.value] = upper, c.fragment[kI + 1][kJ][e.value] = lower;
    });
  });
}

}  // namespace wt

#endif
