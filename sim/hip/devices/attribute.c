// SPDX-License-Identifier: MIT
// hipDeviceGetAttribute: one table from attribute to the field of hipDeviceProp_t it repeats, or to a
// constant.
#include <limits.h>
#include <string.h>

#include "sim/hip/hip.h"

typedef enum source { FIELD_INT, FIELD_SIZE, FIELD_POINTER, CONSTANT } source;

typedef struct row {
  hipDeviceAttribute_t attribute;
  source from;
  int value;  // byte offset of the field, or the constant
} row;

#define INT(attribute, field) \
  {hipDeviceAttribute##attribute, FIELD_INT, (int)offsetof(hipDeviceProp_t, field)}
#define SIZE(attribute, field) \
  {hipDeviceAttribute##attribute, FIELD_SIZE, (int)offsetof(hipDeviceProp_t, field)}
// The caller passes the address of a pointer, which ROCm writes as well.
#define POINTER(attribute, field) \
  {hipDeviceAttribute##attribute, FIELD_POINTER, (int)offsetof(hipDeviceProp_t, field)}
#define IS(attribute, constant) {hipDeviceAttribute##attribute, CONSTANT, constant}

// These are attributes of later HIP: 5.3, 5.4, 6.2 and 6.3. CDNA3 ISA 3.6.4: a wave has up to 512 VGPRs.
#define VIRTUAL_MEMORY_MANAGEMENT ((hipDeviceAttribute_t)89)
#define WALL_CLOCK_RATE ((hipDeviceAttribute_t)10017)
#define NUMBER_OF_XCCS ((hipDeviceAttribute_t)10018)
#define AVAILABLE_VGPRS ((hipDeviceAttribute_t)10019)

static const row rows[] = {
    INT(EccEnabled, ECCEnabled),
    INT(CanMapHostMemory, canMapHostMemory),
    IS(CanUseHostPointerForRegisteredMem, 1),  // device addresses are host addresses
    INT(ClockRate, clockRate),
    INT(ComputeMode, computeMode),
    INT(ConcurrentKernels, concurrentKernels),
    INT(ConcurrentManagedAccess, concurrentManagedAccess),
    INT(CooperativeLaunch, cooperativeLaunch),
    INT(CooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
    INT(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    POINTER(HdpMemFlushCntl, hdpMemFlushCntl),
    POINTER(HdpRegFlushCntl, hdpRegFlushCntl),
    INT(Integrated, integrated),
    INT(IsMultiGpuBoard, isMultiGpuBoard),
    INT(KernelExecTimeout, kernelExecTimeoutEnabled),
    INT(L2CacheSize, l2CacheSize),
    INT(ComputeCapabilityMajor, major),
    INT(ManagedMemory, managedMemory),
    INT(MaxBlockDimX, maxThreadsDim[0]),
    INT(MaxBlockDimY, maxThreadsDim[1]),
    INT(MaxBlockDimZ, maxThreadsDim[2]),
    INT(MaxGridDimX, maxGridSize[0]),
    INT(MaxGridDimY, maxGridSize[1]),
    INT(MaxGridDimZ, maxGridSize[2]),
    // No image or texture instruction exists on these chips.
    IS(MaxSurface1D, 0),
    IS(MaxSurface2D, 0),
    IS(MaxSurface3D, 0),
    IS(MaxTexture1DWidth, 0),
    IS(MaxTexture1DLinear, 0),
    IS(MaxTexture2DWidth, 0),
    IS(MaxTexture2DHeight, 0),
    IS(MaxTexture3DWidth, 0),
    IS(MaxTexture3DHeight, 0),
    IS(MaxTexture3DDepth, 0),
    INT(MaxThreadsPerBlock, maxThreadsPerBlock),
    INT(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    SIZE(MaxPitch, memPitch),
    INT(MemoryBusWidth, memoryBusWidth),
    INT(MemoryClockRate, memoryClockRate),
    INT(ComputeCapabilityMinor, minor),
    INT(MultiprocessorCount, multiProcessorCount),
    INT(PageableMemoryAccess, pageableMemoryAccess),
    INT(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
    INT(PciBusId, pciBusID),
    INT(PciDeviceId, pciDeviceID),
    INT(PciDomainID, pciDomainID),
    INT(MaxRegistersPerBlock, regsPerBlock),
    INT(MaxRegistersPerMultiprocessor, regsPerBlock),
    SIZE(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    SIZE(SharedMemPerBlockOptin, sharedMemPerBlock),
    SIZE(SharedMemPerMultiprocessor, maxSharedMemoryPerMultiProcessor),
    IS(ReservedSharedMemPerBlock, 0),
    IS(StreamPrioritiesSupported, 1),
    INT(TccDriver, tccDriver),
    SIZE(TextureAlignment, textureAlignment),
    SIZE(TexturePitchAlignment, texturePitchAlignment),
    SIZE(TotalConstantMemory, totalConstMem),
    SIZE(TotalGlobalMem, totalGlobalMem),
    IS(UnifiedAddressing, 1),
    INT(WarpSize, warpSize),
    IS(MemoryPoolsSupported, 1),
    INT(ClockInstructionRate, clockInstructionRate),
    SIZE(MaxSharedMemoryPerMultiprocessor, maxSharedMemoryPerMultiProcessor),
    INT(GcnArch, gcnArch),
    INT(CooperativeMultiDeviceUnmatchedFunc, cooperativeMultiDeviceUnmatchedFunc),
    INT(CooperativeMultiDeviceUnmatchedGridDim, cooperativeMultiDeviceUnmatchedGridDim),
    INT(CooperativeMultiDeviceUnmatchedBlockDim, cooperativeMultiDeviceUnmatchedBlockDim),
    INT(CooperativeMultiDeviceUnmatchedSharedMem, cooperativeMultiDeviceUnmatchedSharedMem),
    INT(IsLargeBar, isLargeBar),
    INT(AsicRevision, asicRevision),
    IS(HostNativeAtomicSupported, 1),  // host and device share the memory
    IS(AccessPolicyMaxWindowSize, 0),  // no part of the cache can be set aside
    IS(CanUseStreamWaitValue, 1),
    IS(ImageSupport, 0),
    INT(PhysicalMultiProcessorCount, multiProcessorCount),
    IS(FineGrainSupport, 1),
    {VIRTUAL_MEMORY_MANAGEMENT, CONSTANT, 1},
    {WALL_CLOCK_RATE, FIELD_INT, (int)offsetof(hipDeviceProp_t, clockInstructionRate)},
    {AVAILABLE_VGPRS, CONSTANT, 512},
};

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int ordinal) {
  if (!value)
    return sim_hip_refuse(hipErrorInvalidValue, "hipDeviceGetAttribute: the result pointer is null");
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  sim_hip_device *device = sim_hip_device_at(ordinal);
  if (!device)
    return sim_hip_refuse(hipErrorInvalidDevice,
                          "hipDeviceGetAttribute: device %d does not exist; there are %d", ordinal,
                          sim_hip_device_count());
  if (attribute == NUMBER_OF_XCCS) {
    *value = (int)device->machine->xcds;
    return hipSuccess;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].attribute != attribute) continue;
    hipDeviceProp_t p;
    sim_hip_properties(device, &p);
    if (rows[i].from == CONSTANT) {
      *value = rows[i].value;
    } else if (rows[i].from == FIELD_INT) {
      memcpy(value, (char *)&p + rows[i].value, sizeof *value);
    } else if (rows[i].from == FIELD_POINTER) {
      memcpy(value, (char *)&p + rows[i].value, sizeof(void *));
    } else {
      size_t size;
      memcpy(&size, (char *)&p + rows[i].value, sizeof size);
      *value = size > INT_MAX ? INT_MAX : (int)size;  // the API has 32 bits: saturate, as ROCm does
    }
    return hipSuccess;
  }
  return sim_hip_refuse(
      hipErrorInvalidValue,
      "hipDeviceGetAttribute: attribute %d is not defined for AMD devices, see hipDeviceAttribute_t",
      (int)attribute);
}
