// SPDX-License-Identifier: MIT
// hipGetDeviceProperties returns the chip's description in the layout of ROCm 5 (hipDeviceProp_t of the HIP
// 5.2 headers).
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hip/hip.h"

void sim_hip_uuid(const sim_hip_device *device, hipUUID *out) {
  // No chip has this id: it says what the device is.
  char text[sizeof out->bytes + 1];
  snprintf(text, sizeof text, "sim-%s-%02d", device->machine->target, device->ordinal);
  memset(out->bytes, 0, sizeof out->bytes);
  memcpy(out->bytes, text, strlen(text));
}

void sim_hip_properties(const sim_hip_device *device, hipDeviceProp_t *out) {
  const sim_machine *m = device->machine;
  // "gfx950": the digits after "gfx" are major, minor and stepping (LLVM AMDGPUUsage, "Processors").
  const char *digits = m->target + strlen("gfx");
  *out = (hipDeviceProp_t){
      .totalGlobalMem = m->memory_bytes,
      .sharedMemPerBlock = m->lds_bytes,
      .regsPerBlock = 65536,  // what ROCm reports for every chip of the family
      .warpSize = 64,
      .maxThreadsPerBlock = (int)m->max_workgroup_size,
      .maxThreadsDim = {(int)m->max_workgroup_size, (int)m->max_workgroup_size, (int)m->max_workgroup_size},
      // Work-groups per dimension: AQL dispatch packets carry 32-bit grid sizes in work-items and the command
      // processor 16-bit work-group ids in y and z (what ROCm reports).
      .maxGridSize = {INT_MAX, SIM_HIP_MOST_BLOCKS_YZ, SIM_HIP_MOST_BLOCKS_YZ},
      .clockRate = (int)m->clock_mhz * 1000,
      .memoryClockRate = (int)m->memory_clock_mhz * 1000,
      .memoryBusWidth = (int)m->memory_bus_bits,
      .totalConstMem = INT_MAX,
      .major = digits[0] - '0',
      .minor = digits[1] - '0',
      .multiProcessorCount = (int)m->cus,
      .l2CacheSize = (int)m->l2_bytes,
      .maxThreadsPerMultiProcessor = (int)(m->simds_per_cu * m->waves_per_simd * 64),
      .computeMode = hipComputeModeDefault,
      .clockInstructionRate =
          100000,  // s_memrealtime counts the 100 MHz reference clock (HIP docs, wall_clock64)
      .arch = {.hasGlobalInt32Atomics = 1,
               .hasGlobalFloatAtomicExch = 1,
               .hasSharedInt32Atomics = 1,
               .hasSharedFloatAtomicExch = 1,
               .hasFloatAtomicAdd = 1,
               .hasGlobalInt64Atomics = 1,
               .hasSharedInt64Atomics = 1,
               .hasDoubles = 1,
               .hasWarpVote = 1,
               .hasWarpBallot = 1,
               .hasWarpShuffle = 1,
               .hasThreadFenceSystem = 1,
               .has3dGrid = 1},
      .concurrentKernels = 1,
      .pciBusID = 0x10 + device->ordinal,
      .maxSharedMemoryPerMultiProcessor = m->lds_bytes,
      .canMapHostMemory = 1,
      .cooperativeLaunch = 1,
      .gcnArch = atoi(digits),
      .memPitch = INT_MAX,
      .textureAlignment = 256,
      .texturePitchAlignment = 256,
      .ECCEnabled = 1,
      .isLargeBar = 1,
      .managedMemory = 1,
      .directManagedMemAccessFromHost = 1,
      .concurrentManagedAccess = 1,
  };
  snprintf(out->name, sizeof out->name, "%s", m->product);
  snprintf(out->gcnArchName, sizeof out->gcnArchName, "%s", m->target_id);
}

static hipError_t properties(const char *call, hipDeviceProp_t *out, int ordinal) {
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  sim_hip_device *device = sim_hip_device_at(ordinal);
  if (!device)
    return sim_hip_refuse(hipErrorInvalidDevice, "%s: device %d does not exist; there are %d", call, ordinal,
                          sim_hip_device_count());
  sim_hip_properties(device, out);
  return hipSuccess;
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t *out, int ordinal) {
  return properties("hipGetDeviceProperties", out, ordinal);
}

SIM_HIP_EXPORT hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_t *out, int ordinal);
hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_t *out, int ordinal) {
  return properties("hipGetDevicePropertiesR0000", out, ordinal);
}

// Counts the wishes a device meets; a zero field is no wish.
static int score(const hipDeviceProp_t *have, const hipDeviceProp_t *want) {
  return (want->major && have->major >= want->major) + (want->minor && have->minor >= want->minor) +
         (want->totalGlobalMem && have->totalGlobalMem >= want->totalGlobalMem) +
         (want->sharedMemPerBlock && have->sharedMemPerBlock >= want->sharedMemPerBlock) +
         (want->maxThreadsPerBlock && have->maxThreadsPerBlock >= want->maxThreadsPerBlock) +
         (want->multiProcessorCount && have->multiProcessorCount >= want->multiProcessorCount) +
         (want->clockRate && have->clockRate >= want->clockRate);
}

hipError_t hipChooseDevice(int *ordinal, const hipDeviceProp_t *want) {
  if (!ordinal || !want)
    return sim_hip_refuse(hipErrorInvalidValue, "hipChooseDevice: %s is null", ordinal ? "prop" : "device");
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  int best = -1;
  for (int i = 0; i < sim_hip_device_count(); ++i) {
    hipDeviceProp_t have;
    sim_hip_properties(sim_hip_device_at(i), &have);
    if (score(&have, want) > best) {
      best = score(&have, want);
      *ordinal = i;
    }
  }
  return hipSuccess;
}
