// SPDX-License-Identifier: MIT
// Has the known pair: a bf16 tile written as 16x16 by ds_write_b64 and read as 16x32 by ds_read_b128. The
// message names both.
// expect: write_b64_of_16x16, read_b128_of_16x32>': no swizzle within the limits serves these two accesses
#include "tiles/swizzle_solver.h"

struct write_b64_of_16x16 {
  static constexpr wt::lds_access access =
      wt::lds_access_of<wt::lds_op::write_b64, [](int lane) { return lane % 16 * 32 + lane / 16 * 8; }>();
};
struct read_b128_of_16x32 {
  static constexpr wt::lds_access access =
      wt::lds_access_of<wt::lds_op::read_b128, [](int lane) { return lane % 16 * 64 + lane / 16 * 16; }>();
};
constexpr wt::swizzle kSwizzle =
    wt::solve_swizzle<wt::target::chip::gfx950, write_b64_of_16x16, read_b128_of_16x32>;
