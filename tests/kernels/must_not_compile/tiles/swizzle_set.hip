// SPDX-License-Identifier: MIT
// Rows of 64 bytes have two bits for the place of 16. Each access needs two of its offsets to flip them
// independently: 1024 has to differ from 256, from 512 and from both together, and there is nothing left.
// expect: a swizzle can serve any two of these accesses, but none serves all of them together
#include "tiles/swizzle_solver.h"

// Holds the differences within a phase of gfx950's ds_read_b128: lane bits 0, 1, and both 2 and 4 beside bit
// 3.
template <int First, int Second>
struct rows {
  static constexpr wt::lds_access access = {wt::lds_op::read_b128, {64, 128, First, 0, Second, 16}};
};
constexpr wt::swizzle kSwizzle =
    wt::solve_swizzle_within<wt::target::chip::gfx950, wt::swizzle_limits{64, 2048}, rows<256, 1024>,
                             rows<512, 1024>, rows<768, 1024>>();
