// SPDX-License-Identifier: MIT
// A column of 16-byte reads in rows of 32 bytes has two places to go, and each phase needs more.
// expect: narrow_column>.: no swizzle within the limits serves this access .*not even alone
#include "tiles/swizzle_solver.h"

struct narrow_column {
  static constexpr wt::lds_access access =
      wt::lds_access_of<wt::lds_op::read_b128, [](int lane) { return lane * 256; }>();
};
constexpr wt::swizzle kSwizzle =
    wt::solve_swizzle_within<wt::target::chip::gfx950, wt::swizzle_limits{32, 16384}, narrow_column>();
