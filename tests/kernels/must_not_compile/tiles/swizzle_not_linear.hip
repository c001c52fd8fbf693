// SPDX-License-Identifier: MIT
// expect: offsets are not linear in the bits of the lane: use rows and runs of a power of two
#include "tiles/lds_access.h"

constexpr wt::lds_access kAccess =
    wt::lds_access_of<wt::lds_op::read_b64, [](int lane) { return lane * 24; }>();
