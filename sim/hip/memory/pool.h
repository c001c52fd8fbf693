// SPDX-License-Identifier: MIT
// Describes memory pools (pool.c) and what they need of the allocator (allocate.c).
#ifndef SIM_HIP_POOL_H
#define SIM_HIP_POOL_H

#include "sim/hip/streams/work.h"

// Returns whether the program may free what is at base. ROCm's hipFree frees memory of the host too, and its
// hipHostFree memory of a device.
hipError_t sim_hip_check_free(const char *call, const void *base);
// Allocates device memory again at addresses that sim_hip_release has kept reserved, as it does for a
// graph's.
hipError_t sim_hip_restore(const char *call, sim_hip_device *device, void *base, size_t size, unsigned flags);
// Takes bytes of the device's memory; false when less is left. They are given back by the second.
bool sim_hip_take(sim_hip_device *device, size_t bytes);
void sim_hip_give(sim_hip_device *device, size_t bytes);
// Reserves addresses that nothing may access, at `wish` if that is free. Returns NULL when there are none.
void *sim_hip_reserve(void *wish, size_t size, size_t alignment);
// ---- ipc.c; a handle for another process has 64 bytes
hipError_t sim_hip_ipc_export(const char *call, const sim_allocation *a, const void *pointer, void *handle);
// Maps the memory as an allocation with SIM_HIP_IMPORTED of the device.
hipError_t sim_hip_ipc_import(const char *call, const void *handle, sim_hip_device *device, void **out);
// Must be called when such an allocation is freed.
void sim_hip_ipc_unmap(void *base, size_t size);
// Must be called when device memory has been freed, which may have been shared with other processes.
void sim_hip_ipc_forget(const void *base);

// ---- pool.c, for pools that processes share (pool_ipc.c)
hipError_t sim_hip_need_pool(const char *call, hipMemPool_t pool);
sim_hip_device *sim_hip_pool_device(hipMemPool_t pool);
uint32_t sim_hip_pool_access(hipMemPool_t pool);
bool sim_hip_pool_is_shareable(hipMemPool_t pool);  // with file descriptors; NULL is not
bool sim_hip_pool_is_imported(hipMemPool_t pool);
hipMemPool_t sim_hip_pool_of(const void *base);  // NULL when no pool has allocated it
hipMemPool_t sim_hip_pool_import(sim_hip_device *device, uint32_t access);  // NULL: no memory

// Unmaps and releases what hipMemCreate made on the device.
void sim_hip_virtual_reset(sim_hip_device *device);
// Gives up addresses that were kept reserved.
void sim_hip_unmap(void *base, size_t size);
// Must be called when memory with SIM_HIP_GRAPHED has been freed. Returns true when its addresses remain
// reserved for the graph that allocates it.
bool sim_hip_graph_memory_freed(void *base);
// Must be called when a stream is to free memory, as work of this number.
void sim_hip_graph_memory_freeing(const void *base, uint64_t number);
// Returns whether the memory waits for the first launch of its graph.
bool sim_hip_graph_memory_planned(const void *base);
// Must be called when managed memory has been freed (advice.c).
void sim_hip_advice_forget(const void *base, size_t size);
// Must be called when memory with SIM_HIP_POOLED has been freed.
void sim_hip_pool_released(const void *base);
// Destroys all pools of the device; default ones are made again when they are asked for.
void sim_hip_pool_reset(sim_hip_device *device);

#endif
