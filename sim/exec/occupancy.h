// SPDX-License-Identifier: MIT
#ifndef SIM_EXEC_OCCUPANCY_H
#define SIM_EXEC_OCCUPANCY_H

#include "sim/object/object.h"

// Returns how many of the 512 unified registers of a SIMD's lane a wave of the kernel occupies.
uint32_t sim_allocated_vgprs(const sim_kernel *kernel);

#endif
