// SPDX-License-Identifier: MIT
#ifndef SIM_EXEC_OCCUPANCY_H
#define SIM_EXEC_OCCUPANCY_H

#include "sim/object/object.h"

// Registers of a lane that a wave of the kernel occupies, unified: of the 512 of a SIMD's lane.
uint32_t sim_allocated_vgprs(const sim_kernel *kernel);

#endif
