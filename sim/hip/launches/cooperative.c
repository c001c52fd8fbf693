// SPDX-License-Identifier: MIT
// Cooperative launches, whose blocks are all on the device at once and may sync, and launches on several
// devices.
#include "sim/hip/hip.h"

#pragma GCC visibility push(default)
hipError_t hipLaunchCooperativeKernel_spt(const void *host, dim3 grid, dim3 block, void **params,
                                          uint32_t dynamic_lds, hipStream_t stream);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned grid_x, unsigned grid_y,
                                            unsigned grid_z, unsigned block_x, unsigned block_y,
                                            unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                            void **params);
#pragma GCC visibility pop

hipError_t hipLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **params,
                                      unsigned dynamic_lds, hipStream_t stream) {
  return sim_hip_launch_host("hipLaunchCooperativeKernel", host,
                             &(sim_hip_launch_args){.grid = {grid.x, grid.y, grid.z},
                                                    .block = {block.x, block.y, block.z},
                                                    .dynamic_lds = dynamic_lds,
                                                    .stream = stream,
                                                    .params = params,
                                                    .cooperative = true});
}

hipError_t hipLaunchCooperativeKernel_spt(const void *host, dim3 grid, dim3 block, void **params,
                                          uint32_t dynamic_lds, hipStream_t stream) {
  return hipLaunchCooperativeKernel(host, grid, block, params, dynamic_lds, sim_hip_of_thread(stream));
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned grid_x, unsigned grid_y,
                                            unsigned grid_z, unsigned block_x, unsigned block_y,
                                            unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                            void **params) {
  return sim_hip_launch("hipModuleLaunchCooperativeKernel",
                        &(sim_hip_launch_args){.function = f,
                                               .grid = {grid_x, grid_y, grid_z},
                                               .block = {block_x, block_y, block_z},
                                               .dynamic_lds = dynamic_lds,
                                               .stream = stream,
                                               .params = params,
                                               .cooperative = true});
}

// One kernel per device, which need not know of each other. The flags only relax what a launch waits for.
hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *launches, int count, unsigned flags) {
  const char *call = "hipExtLaunchMultiKernelMultiDevice";
  const unsigned known = hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync;
  if (!launches || count < 1 || count > sim_hip_device_count() || flags & ~known)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call,
                          !launches        ? "the list is null"
                          : flags & ~known ? "flags has unknown bits"
                                           : "the number of launches is not 1 to the number of devices");
  for (int i = 0; i < count; ++i) {
    const hipLaunchParams *l = &launches[i];
    hipError_t error =
        sim_hip_launch_host(call, l->func,
                            &(sim_hip_launch_args){.grid = {l->gridDim.x, l->gridDim.y, l->gridDim.z},
                                                   .block = {l->blockDim.x, l->blockDim.y, l->blockDim.z},
                                                   .dynamic_lds = l->sharedMem,
                                                   .stream = l->stream,
                                                   .params = l->args});
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}
