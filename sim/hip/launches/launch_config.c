// SPDX-License-Identifier: MIT
// The launches of newer ROCm releases, which take a configuration with attributes.
#include "sim/hip/hip.h"

// These are layouts and numbers of hip_runtime_api.h of ROCm 6.5 (hipLaunchAttribute, HIP_LAUNCH_CONFIG,
// hipLaunchConfig_t): an ABI.
enum { ATTRIBUTE_COOPERATIVE = 2 };

typedef struct launch_attribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int cooperative;
  };
} launch_attribute;
_Static_assert(sizeof(launch_attribute) == 72, "hipLaunchAttribute is 72 bytes");

typedef struct driver_config {
  unsigned grid[3], block[3], dynamic_lds;
  hipStream_t stream;
  const launch_attribute *attributes;
  unsigned attribute_count;
} driver_config;

typedef struct runtime_config {
  dim3 grid, block;
  size_t dynamic_lds;
  hipStream_t stream;
  const launch_attribute *attributes;
  unsigned attribute_count;
} runtime_config;

#pragma GCC visibility push(default)
hipError_t hipDrvLaunchKernelEx(const driver_config *config, hipFunction_t f, void **params, void **extra);
hipError_t hipLaunchKernelExC(const runtime_config *config, const void *host, void **params);
#pragma GCC visibility pop

// The other attributes steer caches, priorities and synchronisation that no result depends on.
static bool cooperative(const launch_attribute *attributes, unsigned count) {
  for (unsigned i = 0; attributes && i < count; ++i)
    if (attributes[i].id == ATTRIBUTE_COOPERATIVE) return attributes[i].cooperative != 0;
  return false;
}

hipError_t hipDrvLaunchKernelEx(const driver_config *c, hipFunction_t f, void **params, void **extra) {
  if (!c) return sim_hip_refuse(hipErrorInvalidValue, "hipDrvLaunchKernelEx: the configuration is null");
  return sim_hip_launch(
      "hipDrvLaunchKernelEx",
      &(sim_hip_launch_args){.function = f,
                             .grid = {c->grid[0], c->grid[1], c->grid[2]},
                             .block = {c->block[0], c->block[1], c->block[2]},
                             .dynamic_lds = c->dynamic_lds,
                             .stream = c->stream,
                             .params = params,
                             .extra = extra,
                             .cooperative = cooperative(c->attributes, c->attribute_count)});
}

hipError_t hipLaunchKernelExC(const runtime_config *c, const void *host, void **params) {
  if (!c) return sim_hip_refuse(hipErrorInvalidValue, "hipLaunchKernelExC: the configuration is null");
  return sim_hip_launch_host(
      "hipLaunchKernelExC", host,
      &(sim_hip_launch_args){.grid = {c->grid.x, c->grid.y, c->grid.z},
                             .block = {c->block.x, c->block.y, c->block.z},
                             .dynamic_lds = c->dynamic_lds,
                             .stream = c->stream,
                             .params = params,
                             .cooperative = cooperative(c->attributes, c->attribute_count)});
}
