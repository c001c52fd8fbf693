// SPDX-License-Identifier: MIT
// Adds along the lanes of a wave, by DPP.
#ifndef WT_KERNELS_LANE_SUM_H
#define WT_KERNELS_LANE_SUM_H

#include <wavetile_device.h>

namespace lanes {

// Returns the sum of this lane's value and those of all lanes before it.
WT_DEVICE int sum_up_to(int value) {
  value += wt::mov_dpp<wt::dpp::row_shr(1)>(value);
  value += wt::mov_dpp<wt::dpp::row_shr(2)>(value);
  value += wt::mov_dpp<wt::dpp::row_shr(4)>(value);
  value += wt::mov_dpp<wt::dpp::row_shr(8)>(value);
  value += wt::update_dpp<wt::dpp::kRowBcast15, 0b1010>(0, value);
  return value + wt::update_dpp<wt::dpp::kRowBcast31, 0b1100>(0, value);
}

}  // namespace lanes

#endif
