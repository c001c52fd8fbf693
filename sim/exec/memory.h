// SPDX-License-Identifier: MIT
// Declares the device-visible address space: a table of allocations. Device addresses are host addresses.
// It is thread-safe.
#ifndef SIM_EXEC_MEMORY_H
#define SIM_EXEC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A GPU's memory is mapped in units of this size (Linux, drivers/gpu/drm/amd/amdgpu/amdgpu_gart.h,
// AMDGPU_GPU_PAGE_SIZE).
enum { SIM_MEMORY_PAGE = 4096 };

typedef enum sim_memory_kind {
  SIM_MEMORY_DEVICE,
  SIM_MEMORY_HOST,
  SIM_MEMORY_MANAGED,
  SIM_MEMORY_CODE
} sim_memory_kind;

typedef struct sim_allocation {
  uint64_t base;
  uint64_t size;  // bytes the user asked for: an access at base + size is outside
  sim_memory_kind kind;
  int device;       // owning device ordinal
  uint32_t shared;  // bit d: device d may use it without peer access; only device memory is restricted
  uint32_t flags;   // HIP allocation flags, kept for queries
  uint64_t place;   // an address that does not depend on the host; sim_memory_add sets it
  uint64_t number;  // which addition this was, from 1 on; sim_memory_add sets it
} sim_allocation;

// Adds an allocation. Returns false when it overlaps another one or memory for the table is exhausted.
bool sim_memory_add(sim_allocation allocation);
// Removes the allocation that begins at base. Returns false when there is none.
bool sim_memory_remove(uint64_t base);
// Sets sim_allocation.shared of the allocation that begins at base. Returns false when there is none.
bool sim_memory_share(uint64_t base, uint32_t devices);
// Adds bits to sim_allocation.flags of the allocation that begins at base, and takes others away. Returns
// false when there is none.
bool sim_memory_mark(uint64_t base, uint32_t add, uint32_t take);
// Returns whether kernels of a device with these peers (bit d: device d) may use the allocation.
static inline bool sim_memory_allows(const sim_allocation *a, int device, uint32_t peers) {
  if (a->kind != SIM_MEMORY_DEVICE || a->device == device) return true;
  return (peers >> a->device | a->shared >> device) & 1;
}
// Finds the allocation that contains addr. Returns false when there is none.
bool sim_memory_find(uint64_t addr, sim_allocation *out);
// Finds the allocation in whose pages addr lies, and gives it as large as these pages; code and arguments
// have none beyond their bytes. Returns false when there is no such allocation.
bool sim_memory_find_pages(uint64_t addr, sim_allocation *out);
// Finds the allocation closest to addr, for reports. Returns false when there is none.
bool sim_memory_nearest(uint64_t addr, sim_allocation *out);
// The bytes between addr and the allocation's begin or end; 0 inside it.
uint64_t sim_memory_distance(const sim_allocation *a, uint64_t addr);
// Returns a number that changes with every add and remove, so that a wave can keep a lookup until the table
// changes.
uint64_t sim_memory_generation(void);

#endif
