// SPDX-License-Identifier: MIT
// expect: this access to LDS has bank conflicts under the tile's swizzle: let solve_swizzle choose
#include "tiles/row_swizzle.h"

constexpr auto checked =
    (wt::require_conflict_free<wt::target::chip::gfx950, wt::no_swizzle, wt::read_of_operand<16, 128>>(),
     true);
