// SPDX-License-Identifier: MIT
// expect: gfx942 neither transposes nor copies 16 bytes per lane
#include "tiles/swizzle_solver.h"

struct columns {
  static constexpr wt::lds_access access =
      wt::lds_access_of<wt::lds_op::read_b64_tr, [](int lane) { return lane * 8; }>();
};
constexpr wt::swizzle kSwizzle = wt::solve_swizzle<wt::target::chip::gfx942, columns>;
