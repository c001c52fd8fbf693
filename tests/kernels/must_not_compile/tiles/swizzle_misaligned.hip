// SPDX-License-Identifier: MIT
// expect: offsets are not multiples of what the instruction accesses
#include "tiles/swizzle_solver.h"

struct half_steps {
  static constexpr wt::lds_access access =
      wt::lds_access_of<wt::lds_op::read_b128, [](int lane) { return lane * 8; }>();
};
constexpr wt::swizzle kSwizzle = wt::solve_swizzle<wt::target::chip::gfx950, half_steps>;
