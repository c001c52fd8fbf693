// SPDX-License-Identifier: MIT
// Memory pools (pool.c) and what they need of the allocator (allocate.c).
#ifndef SIM_HIP_POOL_H
#define SIM_HIP_POOL_H

#include "sim/hip/work.h"

// Frees what sim_hip_allocate_on has allocated: host memory, or device and managed memory.
hipError_t sim_hip_free(const char *call, void *base, bool host);
// Memory with SIM_HIP_POOLED has been freed.
void sim_hip_pool_released(const void *base);
// Destroys all pools of the device; default ones come back when they are asked for.
void sim_hip_pool_reset(sim_hip_device *device);

#endif
