// SPDX-License-Identifier: MIT
// Proves while compiling what is planned while compiling: who shares rows and columns, and what changes of
// layout cost.
#include "device.h"

namespace {

using wt::axis, wt::axis_map, wt::operand, wt::accumulator, wt::transposed;

// A lane of an operand has one row, shared by the lanes of the other k; and Run columns, shared by all rows.
static_assert(axis_map<operand<16, 32>, axis::row>::kSlots == 1);
static_assert(axis_map<operand<16, 32>, axis::row>::kSharedLanes == 0x30);
static_assert(axis_map<operand<16, 32>, axis::column>::kSlots == 8);
static_assert(axis_map<operand<16, 32>, axis::column>::kSharedLanes == 0x0f);
static_assert(axis_map<operand<32, 16>, axis::row>::kSharedLanes == 0x20);
static_assert(axis_map<operand<4, 64>, axis::row>::kSharedLanes == 0x3c);
static_assert(axis_map<operand<4, 64>, axis::column>::kSharedLanes == 0x03);
// A lane of an accumulator has one column, and 4 or 16 rows.
static_assert(axis_map<accumulator<16, 16>, axis::row>::kSlots == 4);
static_assert(axis_map<accumulator<32, 32>, axis::row>::kSlots == 16);
static_assert(axis_map<accumulator<32, 32>, axis::row>::kSharedLanes == 0x1f);
static_assert(axis_map<transposed<accumulator<16, 16>>, axis::row>::kSlots == 1);
static_assert(axis_map<transposed<accumulator<16, 16>>, axis::row>::kSharedLanes == 0x30);
// The values of an online softmax are one register per 16 queries.
static_assert(wt::col_vec<float, wt::rt_ct<float, 32, 64>>::kElements == 2);

template <class From, class To, int Bits>
constexpr int exchanges(int lane_bits) {
  using plan = wt::layout_plan<From, To, Bits>;
  int count = 0;
  for (int i = 0; i < plan::kSteps.count; ++i) {
    const int place = plan::kSteps.exchanges[i].place;
    count += place < wt::kLaneBits && (lane_bits >> place & 1) != 0;
  }
  return plan::kSteps.permutes_lanes || plan::kSteps.count != count ? -1 : count;
}
constexpr int kBits16And32 = 0x30;

// Attention's P, held transposed as the MFMA leaves it, becomes an operand by exchanges of lane bits 16 and
// 32 alone: on gfx950 one instruction per register with 16 rows, half of one with 32.
static_assert(exchanges<transposed<accumulator<16, 16>>, operand<16, 32, 8>, 16>(kBits16And32) == 2);
static_assert(exchanges<transposed<accumulator<32, 32>>, operand<32, 16, 8>, 16>(kBits16And32) == 1);
static_assert(exchanges<accumulator<16, 16>, transposed<operand<16, 32, 8>>, 16>(kBits16And32) == 2);
static_assert(exchanges<transposed<accumulator<16, 16>>, operand<16, 64, 16>, 8>(kBits16And32) == 2);
// Depths that fit need nothing at all.
static_assert(exchanges<transposed<accumulator<16, 16>>, operand<16, 16, 4>, 16>(kBits16And32) == 0);
static_assert(exchanges<transposed<accumulator<32, 32>>, operand<32, 8, 4>, 16>(kBits16And32) == 0);

// Transposed reads of operands of 6- and 4-bit elements from tiles of 64 to 256 columns have bank conflicts,
// and swizzles that leave bytes in their rows serve them all, of 16 and of 32 rows together.
template <class T, class Layout, int RowBytes>
struct read_of_narrow {
  using operand = wt::transposed_operand<T, Layout, wt::target::chip::gfx950>;
  static constexpr wt::lds_access access =
      wt::lds_access_of<operand::kOp, [](int lane) { return operand::template offset<RowBytes>(lane); }>();
};
template <class T, int RowBytes>
constexpr bool served_by_swizzles_alone() {
  constexpr auto kChip = wt::target::chip::gfx950;
  using low = read_of_narrow<T, operand<16, 128, 32>, RowBytes>;
  using high = read_of_narrow<T, operand<32, 64, 32>, RowBytes>;
  constexpr wt::swizzle kSwizzle =
      wt::solve_swizzle_within<kChip, wt::swizzle_limits{RowBytes, 64 * RowBytes}, low, high>();
  return !wt::conflict_free(kChip, low::access, wt::no_swizzle) &&
         !wt::conflict_free(kChip, high::access, wt::no_swizzle) &&
         wt::conflict_free(kChip, low::access, kSwizzle) && wt::conflict_free(kChip, high::access, kSwizzle);
}
static_assert(served_by_swizzles_alone<wt::fp4e2m1, 32>() && served_by_swizzles_alone<wt::fp4e2m1, 64>() &&
              served_by_swizzles_alone<wt::fp4e2m1, 128>());
static_assert(served_by_swizzles_alone<wt::fp6e2m3, 64>() && served_by_swizzles_alone<wt::fp6e2m3, 128>() &&
              served_by_swizzles_alone<wt::fp6e2m3, 256>());

}  // namespace

WT_KERNEL(64) ops_laws() {}
