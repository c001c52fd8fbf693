// SPDX-License-Identifier: MIT
// Tells what is known about a pointer: attributes, address range, size.
#include <string.h>

#include "sim/hip/caller.h"

// A pointer outside every allocation is no error of the program: callers probe. So nothing is said, only
// returned.
static hipError_t attributes_of(const void *caller, hipPointerAttribute_t *out, const void *pointer) {
  if (!out)
    return sim_hip_refuse(hipErrorInvalidValue, "hipPointerGetAttributes: the result pointer is null");
  *out = (hipPointerAttribute_t){.device = hipInvalidDeviceId};
  sim_allocation a;
  if (!sim_memory_find((uintptr_t)pointer, &a)) return sim_hip_result(hipErrorInvalidValue);
  bool on_host = a.kind == SIM_MEMORY_HOST, shared = on_host || a.kind == SIM_MEMORY_MANAGED;
  *out = (hipPointerAttribute_t){
      .memoryType = (hipMemoryType)sim_hip_memory_type_for(caller, a.kind),
      .device = a.device,
      .devicePointer = (void *)(uintptr_t)pointer,
      .hostPointer = shared ? (void *)(uintptr_t)pointer : NULL,
      .isManaged = a.kind == SIM_MEMORY_MANAGED,
      .allocationFlags = a.flags & ~(unsigned)SIM_HIP_OWN_FLAGS,
  };
  return hipSuccess;
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *out, const void *pointer) {
  return attributes_of(SIM_HIP_CALLER, out, pointer);
}

// ROCm's runtime writes 32 bits, and programs have no more for it.
static hipError_t range_size(uint32_t *out, size_t size) {
  if (size > UINT32_MAX)
    return sim_hip_refuse(
        hipErrorInvalidValue,
        "hipPointerGetAttribute: HIP_POINTER_ATTRIBUTE_RANGE_SIZE has 32 bits, the range has %zu "
        "bytes; ask hipMemPtrGetInfo",
        size);
  *out = (uint32_t)size;
  return hipSuccess;
}

static hipError_t attribute_of(const void *caller, void *data, hipPointer_attribute attribute,
                               hipDeviceptr_t pointer) {
  if (!data)
    return sim_hip_refuse(hipErrorInvalidValue, "hipPointerGetAttribute: the result pointer is null");
  sim_allocation a;
  bool mapped = sim_memory_find((uintptr_t)pointer, &a);
  if (attribute == HIP_POINTER_ATTRIBUTE_MAPPED) {
    *(bool *)data = mapped;
    return hipSuccess;
  }
  hipPointerAttribute_t all;
  hipError_t error = attributes_of(caller, &all, pointer);
  if (error != hipSuccess) return error;
  switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned *)data = all.memoryType; return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER: *(void **)data = all.devicePointer; return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
      *(void **)data = all.hostPointer;
      return sim_hip_result(all.hostPointer ? hipSuccess : hipErrorInvalidValue);
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED: *(bool *)data = all.isManaged; return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = all.device; return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *(void **)data = (void *)(uintptr_t)a.base;
      return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE: return range_size(data, a.size);
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(bool *)data = !(a.flags & SIM_HIP_UNORDERED); return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS: *(uint32_t *)data = all.allocationFlags; return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID: *(uint32_t *)data = (uint32_t)a.number; return hipSuccess;
    default:
      return sim_hip_refuse(hipErrorNotSupported,
                            "hipPointerGetAttribute: attribute %d is not available on the simulated device",
                            (int)attribute);
  }
}

hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t pointer) {
  return attribute_of(SIM_HIP_CALLER, data, attribute, pointer);
}

// Copies and fills by calls without "Async" in their name have always happened when the call returns: what is
// set is kept for the caller.
SIM_HIP_EXPORT hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute,
                                                 hipDeviceptr_t pointer);
hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute, hipDeviceptr_t pointer) {
  const char *call = "hipPointerSetAttribute";
  sim_allocation a;
  unsigned wish;
  if (!value || !pointer)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the %s is null", call, value ? "pointer" : "value");
  if (attribute != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "%s: attribute %d cannot be set, only HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS", call,
                          (int)attribute);
  memcpy(&wish, value, sizeof wish);
  if (wish > 1)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the value is %u, it must be 0 or 1", call, wish);
  if (!sim_memory_find((uintptr_t)pointer, &a))
    return sim_hip_refuse(hipErrorInvalidDevicePointer, "%s: %p is in no allocation", call, pointer);
  sim_memory_mark(a.base, wish ? 0 : SIM_HIP_UNORDERED, wish ? SIM_HIP_UNORDERED : 0);
  return hipSuccess;
}

hipError_t hipDrvPointerGetAttributes(unsigned count, hipPointer_attribute *attributes, void **data,
                                      hipDeviceptr_t pointer) {
  if (!attributes || !data)
    return sim_hip_refuse(hipErrorInvalidValue, "hipDrvPointerGetAttributes: %s is null",
                          attributes ? "data" : "attributes");
  if (!count) return sim_hip_refuse(hipErrorInvalidValue, "hipDrvPointerGetAttributes: the list is empty");
  for (unsigned i = 0; i < count; ++i) {
    hipError_t error = attribute_of(SIM_HIP_CALLER, data[i], attributes[i], pointer);
    // Memory without an address on the host says so in the list: the address is null.
    if (error != hipSuccess && attributes[i] == HIP_POINTER_ATTRIBUTE_HOST_POINTER && !*(void **)data[i])
      error = sim_memory_find((uintptr_t)pointer, &(sim_allocation){0}) ? hipSuccess : error;
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *size, hipDeviceptr_t pointer) {
  sim_allocation a;
  if (!sim_memory_find((uintptr_t)pointer, &a))
    return sim_hip_refuse(hipErrorNotFound, "hipMemGetAddressRange: %p is in no allocation", pointer);
  if (base) *base = (hipDeviceptr_t)(uintptr_t)a.base;
  if (size) *size = a.size;
  return hipSuccess;
}

hipError_t hipMemPtrGetInfo(void *pointer, size_t *size) {
  sim_allocation a;
  if (!size) return sim_hip_refuse(hipErrorInvalidValue, "hipMemPtrGetInfo: the result pointer is null");
  if (!sim_memory_find((uintptr_t)pointer, &a))
    return sim_hip_refuse(hipErrorInvalidValue, "hipMemPtrGetInfo: %p is in no allocation", pointer);
  *size = a.size;
  return hipSuccess;
}
