// SPDX-License-Identifier: MIT
// Answers occupancy queries, by function handle and by host address.
#include "sim/hip/hip.h"

// They choose a caching behaviour that these chips do not have.
static hipError_t check_flags(const char *call, unsigned flags) {
  enum { DISABLE_CACHING_OVERRIDE = 1 };  // hipOccupancyDisableCachingOverride
  if (flags <= DISABLE_CACHING_OVERRIDE) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: flags is 0x%x, it must be 0 or 1", call, flags);
}

static int resident(hipFunction_t f, int block, size_t dynamic_lds) {
  const sim_machine *machine = f->module->device->machine;
  return (uint32_t)block > machine->max_workgroup_size || dynamic_lds > machine->lds_bytes
             ? 0
             : (int)sim_occupancy(machine, f->kernel, (uint32_t)block, (uint32_t)dynamic_lds);
}

static hipError_t blocks_per_cu(const char *call, int *out, hipFunction_t f, int block, size_t dynamic_lds) {
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  if (!sim_hip_handle_is(f, SIM_HIP_FUNCTION))
    return sim_hip_refuse(hipErrorInvalidHandle, "%s: the function is not a function of this runtime", call);
  if (block <= 0)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: blockSize is %d, it must be 1 or more", call, block);
  *out = resident(f, block, dynamic_lds);
  return hipSuccess;
}

// Finds the block size with the most resident work-items; the larger block wins a tie.
static hipError_t best_block(const char *call, int *grid, int *block, hipFunction_t f, size_t dynamic_lds,
                             int limit) {
  if (!grid || !block)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %s is null", call, grid ? "blockSize" : "gridSize");
  if (!sim_hip_handle_is(f, SIM_HIP_FUNCTION))
    return sim_hip_refuse(hipErrorInvalidHandle, "%s: the function is not a function of this runtime", call);
  const sim_machine *machine = f->module->device->machine;
  int most = (int)machine->max_workgroup_size, best = 0;
  if (f->kernel->max_workgroup_size && (int)f->kernel->max_workgroup_size < most)
    most = (int)f->kernel->max_workgroup_size;
  if (limit > 0 && limit < most) most = limit;
  *grid = *block = 0;
  for (int size = most; size > 0; size = (size - 1) / 64 * 64) {
    const int blocks = resident(f, size, dynamic_lds);
    if (blocks * size <= best) continue;
    best = blocks * size;
    *block = size;
    *grid = blocks * (int)machine->cus;
  }
  return hipSuccess;
}

static hipError_t from_host(const char *call, const void *host, hipFunction_t *f) {
  sim_hip_device *device = sim_hip_current();
  return device ? sim_hip_host_function(call, host, device, f) : sim_hip_result(hipErrorNoDevice);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *out, hipFunction_t f, int block,
                                                              size_t dynamic_lds) {
  return blocks_per_cu("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", out, f, block, dynamic_lds);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, hipFunction_t f, int block,
                                                                       size_t dynamic_lds, unsigned flags) {
  hipError_t error = check_flags("hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", flags);
  if (error != hipSuccess) return error;
  return blocks_per_cu("hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", out, f, block,
                       dynamic_lds);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *host, int block,
                                                        size_t dynamic_lds) {
  hipFunction_t f;
  hipError_t error = from_host("hipOccupancyMaxActiveBlocksPerMultiprocessor", host, &f);
  return error == hipSuccess
             ? blocks_per_cu("hipOccupancyMaxActiveBlocksPerMultiprocessor", out, f, block, dynamic_lds)
             : error;
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, const void *host, int block,
                                                                 size_t dynamic_lds, unsigned flags) {
  hipError_t error = check_flags("hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", flags);
  if (error != hipSuccess) return error;
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(out, host, block, dynamic_lds);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t f, size_t dynamic_lds,
                                                   int limit) {
  return best_block("hipModuleOccupancyMaxPotentialBlockSize", grid, block, f, dynamic_lds, limit);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, hipFunction_t f,
                                                            size_t dynamic_lds, int limit, unsigned flags) {
  hipError_t error = check_flags("hipModuleOccupancyMaxPotentialBlockSizeWithFlags", flags);
  if (error != hipSuccess) return error;
  return best_block("hipModuleOccupancyMaxPotentialBlockSizeWithFlags", grid, block, f, dynamic_lds, limit);
}

hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *host, size_t dynamic_lds,
                                             int limit) {
  hipFunction_t f;
  hipError_t error = from_host("hipOccupancyMaxPotentialBlockSize", host, &f);
  return error == hipSuccess
             ? best_block("hipOccupancyMaxPotentialBlockSize", grid, block, f, dynamic_lds, limit)
             : error;
}

SIM_HIP_EXPORT hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *host, int blocks,
                                                                   int block);
// Finds the most dynamic LDS with which as many blocks fit on a compute unit. More LDS never lets more blocks
// fit.
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *host, int blocks, int block) {
  const char *call = "hipOccupancyAvailableDynamicSMemPerBlock";
  hipFunction_t f;
  int fit = 0;
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  hipError_t error = from_host(call, host, &f);
  if (error == hipSuccess) error = blocks_per_cu(call, &fit, f, block, 0);
  if (error != hipSuccess) return error;
  if (blocks < 1 || blocks > fit)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %d blocks; 1 to %d of this size fit on a compute unit",
                          call, blocks, fit);
  size_t low = 0, high = f->module->device->machine->lds_bytes - f->kernel->lds_bytes;
  while (low < high) {
    const size_t middle = high - (high - low) / 2;
    error = blocks_per_cu(call, &fit, f, block, middle);
    if (error != hipSuccess) return error;
    if (fit >= blocks)
      low = middle;
    else
      high = middle - 1;
  }
  *out = low;
  return hipSuccess;
}
