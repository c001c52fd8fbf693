// SPDX-License-Identifier: MIT
// hipGetDevicePropertiesR0600: the same description in the layout of ROCm 6 and 7, which programs built
// against those headers ask for under this name.
#include <limits.h>
#include <string.h>

#include "sim/hip/hip.h"

// Layout of hipDeviceProp_tR0600 (ROCm/HIP include/hip/hip_runtime_api.h of ROCm 6.0): an ABI, so no field
// may move.
typedef struct properties_r0600 {
  char name[256];
  hipUUID uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2];
  int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
  int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
  int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
  int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess;
  int computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseHipArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingHipArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int reserved[63], hipReserved[32];
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate;
  hipDeviceArch_t arch;
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  int cooperativeMultiDeviceUnmatchedFunc, cooperativeMultiDeviceUnmatchedGridDim;
  int cooperativeMultiDeviceUnmatchedBlockDim, cooperativeMultiDeviceUnmatchedSharedMem;
  int isLargeBar, asicRevision;
} properties_r0600;

_Static_assert(sizeof(properties_r0600) == 1472, "size of hipDeviceProp_tR0600");
_Static_assert(offsetof(properties_r0600, totalGlobalMem) == 288, "hipDeviceProp_tR0600.totalGlobalMem");
_Static_assert(offsetof(properties_r0600, gcnArchName) == 1160, "hipDeviceProp_tR0600.gcnArchName");

SIM_HIP_EXPORT hipError_t hipGetDevicePropertiesR0600(void *out, int ordinal);
hipError_t hipGetDevicePropertiesR0600(void *out, int ordinal) {
  if (!out)
    return sim_hip_refuse(hipErrorInvalidValue, "hipGetDevicePropertiesR0600: the result pointer is null");
  hipDeviceProp_t p;
  hipError_t error = hipGetDeviceProperties(&p, ordinal);
  if (error != hipSuccess) return error;
  properties_r0600 *r = out;
  *r = (properties_r0600){
      .totalGlobalMem = p.totalGlobalMem,
      .sharedMemPerBlock = p.sharedMemPerBlock,
      .regsPerBlock = p.regsPerBlock,
      .warpSize = p.warpSize,
      .memPitch = p.memPitch,
      .maxThreadsPerBlock = p.maxThreadsPerBlock,
      .clockRate = p.clockRate,
      .totalConstMem = p.totalConstMem,
      .major = p.major,
      .minor = p.minor,
      .textureAlignment = p.textureAlignment,
      .texturePitchAlignment = p.texturePitchAlignment,
      .multiProcessorCount = p.multiProcessorCount,
      .canMapHostMemory = p.canMapHostMemory,
      .computeMode = p.computeMode,
      .concurrentKernels = p.concurrentKernels,
      .ECCEnabled = p.ECCEnabled,
      .pciBusID = p.pciBusID,
      .pciDeviceID = p.pciDeviceID,
      .pciDomainID = p.pciDomainID,
      .unifiedAddressing = 1,
      .memoryClockRate = p.memoryClockRate,
      .memoryBusWidth = p.memoryBusWidth,
      .l2CacheSize = p.l2CacheSize,
      .maxThreadsPerMultiProcessor = p.maxThreadsPerMultiProcessor,
      .streamPrioritiesSupported = 1,
      .sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor,
      .regsPerMultiprocessor = p.regsPerBlock,
      .managedMemory = p.managedMemory,
      .concurrentManagedAccess = p.concurrentManagedAccess,
      .cooperativeLaunch = p.cooperativeLaunch,
      .memoryPoolsSupported = 1,
      .canUseHostPointerForRegisteredMem = 1,
      .sharedMemPerBlockOptin = p.sharedMemPerBlock,
      .directManagedMemAccessFromHost = p.directManagedMemAccessFromHost,
      .hostRegisterSupported = 1,
      .maxSharedMemoryPerMultiProcessor = p.maxSharedMemoryPerMultiProcessor,
      .clockInstructionRate = p.clockInstructionRate,
      .arch = p.arch,
      .isLargeBar = p.isLargeBar,
      .asicRevision = p.asicRevision,
  };
  sim_hip_uuid(sim_hip_device_at(ordinal), &r->uuid);
  memcpy(r->name, p.name, sizeof r->name);
  memcpy(r->gcnArchName, p.gcnArchName, sizeof r->gcnArchName);
  memcpy(r->maxThreadsDim, p.maxThreadsDim, sizeof r->maxThreadsDim);
  memcpy(r->maxGridSize, p.maxGridSize, sizeof r->maxGridSize);
  return hipSuccess;
}

SIM_HIP_EXPORT hipError_t hipChooseDeviceR0600(int *ordinal, const void *wanted);
// Looks at what hipChooseDevice looks at.
hipError_t hipChooseDeviceR0600(int *ordinal, const void *wanted) {
  const properties_r0600 *w = wanted;
  if (!w) return hipChooseDevice(ordinal, NULL);
  return hipChooseDevice(ordinal, &(hipDeviceProp_t){.major = w->major,
                                                     .minor = w->minor,
                                                     .totalGlobalMem = w->totalGlobalMem,
                                                     .sharedMemPerBlock = w->sharedMemPerBlock,
                                                     .maxThreadsPerBlock = w->maxThreadsPerBlock,
                                                     .multiProcessorCount = w->multiProcessorCount,
                                                     .clockRate = w->clockRate});
}
