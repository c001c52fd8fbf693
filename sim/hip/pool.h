// SPDX-License-Identifier: MIT
// Memory pools (pool.c) and what they need of the allocator (allocate.c).
#ifndef SIM_HIP_POOL_H
#define SIM_HIP_POOL_H

#include "sim/hip/work.h"

// Frees what sim_hip_allocate_on has allocated: host memory, or device and managed memory.
hipError_t sim_hip_free(const char *call, void *base, bool host);
// Device memory again where sim_hip_release has left its addresses, as it does when they are a graph's.
hipError_t sim_hip_restore(const char *call, sim_hip_device *device, void *base, size_t size, unsigned flags);
// Gives up such addresses.
void sim_hip_unmap(void *base, size_t size);
// Memory with SIM_HIP_GRAPHED has been freed. True when its addresses stay with the graph that allocates it.
bool sim_hip_graph_memory_freed(void *base);
// Whether the memory waits for the first launch of its graph.
bool sim_hip_graph_memory_planned(const void *base);
// Managed memory has been freed (advice.c).
void sim_hip_advice_forget(const void *base, size_t size);
// Memory with SIM_HIP_POOLED has been freed.
void sim_hip_pool_released(const void *base);
// Destroys all pools of the device; default ones come back when they are asked for.
void sim_hip_pool_reset(sim_hip_device *device);

#endif
