// SPDX-License-Identifier: MIT
// expect: rows of operands are swizzled in powers of two of at least 64 bytes
#include "tiles/row_swizzle.h"

constexpr wt::swizzle kSwizzle = wt::swizzle_for_row<96, wt::target::chip::gfx950>;
