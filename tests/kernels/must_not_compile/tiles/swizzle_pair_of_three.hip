// SPDX-License-Identifier: MIT
// Among three accesses the two that disagree are named, and not the third.
// expect: write_b64_of_16x16, read_b128_of_16x32>.: no swizzle .*[^0-9]1 error generated
// target: gfx950
#include "tiles/swizzle_solver.h"

struct write_b64_of_16x16 {
  static constexpr wt::lds_access access =
      wt::lds_access_of<wt::lds_op::write_b64, [](int lane) { return lane % 16 * 32 + lane / 16 * 8; }>();
};
struct read_b32_of_rows {
  static constexpr wt::lds_access access =
      wt::lds_access_of<wt::lds_op::read_b32, [](int lane) { return lane * 4; }>();
};
struct read_b128_of_16x32 {
  static constexpr wt::lds_access access =
      wt::lds_access_of<wt::lds_op::read_b128, [](int lane) { return lane % 16 * 64 + lane / 16 * 16; }>();
};
constexpr wt::swizzle kSwizzle =
    wt::solve_swizzle<wt::target::chip::gfx950, write_b64_of_16x16, read_b32_of_rows, read_b128_of_16x32>;
