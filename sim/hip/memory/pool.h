// SPDX-License-Identifier: MIT
// Memory pools (pool.c) and what they need of the allocator (allocate.c).
#ifndef SIM_HIP_POOL_H
#define SIM_HIP_POOL_H

#include "sim/hip/streams/work.h"

typedef enum sim_hip_memory_side {
  SIM_HIP_DEVICE_MEMORY,  // and managed memory
  SIM_HIP_HOST_MEMORY
} sim_hip_memory_side;
// Returns whether the program may free what is at base as memory of this side.
hipError_t sim_hip_check_free(const char *call, const void *base, sim_hip_memory_side side);
// Allocates device memory again at addresses that sim_hip_release has kept reserved, as it does for a
// graph's.
hipError_t sim_hip_restore(const char *call, sim_hip_device *device, void *base, size_t size, unsigned flags);
// Takes bytes of the device's memory; false when less is left. They are given back by the second.
bool sim_hip_take(sim_hip_device *device, size_t bytes);
void sim_hip_give(sim_hip_device *device, size_t bytes);
// Reserves addresses that nothing may access, at `wish` if that is free. Returns NULL when there are none.
void *sim_hip_reserve(void *wish, size_t size, size_t alignment);
// Called when memory of hipMalloc has been freed, which may have been shared with other processes (ipc.c).
void sim_hip_ipc_forget(const void *base);
// Unmaps and releases what hipMemCreate made on the device.
void sim_hip_virtual_reset(sim_hip_device *device);
// Gives up addresses that were kept reserved.
void sim_hip_unmap(void *base, size_t size);
// Called when memory with SIM_HIP_GRAPHED has been freed. Returns true when its addresses remain reserved for
// the graph that allocates it.
bool sim_hip_graph_memory_freed(void *base);
// Called when a stream is to free memory, as work of this number.
void sim_hip_graph_memory_freeing(const void *base, uint64_t number);
// Returns whether the memory waits for the first launch of its graph.
bool sim_hip_graph_memory_planned(const void *base);
// Called when managed memory has been freed (advice.c).
void sim_hip_advice_forget(const void *base, size_t size);
// Called when memory with SIM_HIP_POOLED has been freed.
void sim_hip_pool_released(const void *base);
// Destroys all pools of the device; default ones are made again when they are asked for.
void sim_hip_pool_reset(sim_hip_device *device);

#endif
