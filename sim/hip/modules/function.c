// SPDX-License-Identifier: MIT
// Tells the attributes of kernels, by function handle and by host address.
#include "sim/hip/hip.h"

// A kernel can use what LDS it does not claim itself.
static int dynamic_lds_limit(hipFunction_t f) {
  return (int)(f->module->device->machine->lds_bytes - f->kernel->lds_bytes);
}

// The limit that the program has set, else the kernel's own.
static int dynamic_lds_shown(hipFunction_t f) {
  return f->limits_lds ? f->dynamic_lds : dynamic_lds_limit(f);
}

static int block_limit(hipFunction_t f) {
  uint32_t device = f->module->device->machine->max_workgroup_size, kernel = f->kernel->max_workgroup_size;
  return (int)(kernel && kernel < device ? kernel : device);
}

// Returns the bytes of the __constant__ variables that the kernel's code object has.
static size_t constant_bytes(hipFunction_t f) {
  const sim_object *object = f->module->object;
  size_t bytes = 0;
  for (size_t i = 0; i < object->global_count; ++i)
    if (object->globals[i].constant) bytes += object->globals[i].size;
  return bytes;
}

// "Binary version": major * 10 + minor of the target, as ROCm reports it.
static int binary_version(hipFunction_t f) {
  hipDeviceProp_t p;
  sim_hip_properties(f->module->device, &p);
  return p.major * 10 + p.minor;
}

hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t f) {
  if (!value) return sim_hip_refuse(hipErrorInvalidValue, "hipFuncGetAttribute: the result pointer is null");
  if (!sim_hip_handle_is(f, SIM_HIP_FUNCTION))
    return sim_hip_refuse(hipErrorInvalidHandle,
                          "hipFuncGetAttribute: the function is not a function of this runtime");
  switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = block_limit(f); return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)f->kernel->lds_bytes; return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)f->kernel->scratch_bytes; return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)f->kernel->vgpr_count; return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION: *value = binary_version(f); return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = dynamic_lds_shown(f); return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)constant_bytes(f); return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = f->carveout; return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_MAX: break;
  }
  return sim_hip_refuse(hipErrorInvalidValue, "hipFuncGetAttribute: attribute %d is not known",
                        (int)attribute);
}

hipError_t hipFuncGetAttributes(struct hipFuncAttributes *out, const void *host) {
  sim_hip_device *device = sim_hip_current();
  hipFunction_t f;
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "hipFuncGetAttributes: the result pointer is null");
  if (!device) return sim_hip_result(hipErrorNoDevice);
  hipError_t error = sim_hip_host_function("hipFuncGetAttributes", host, device, &f);
  if (error != hipSuccess) return error;
  *out = (struct hipFuncAttributes){
      .binaryVersion = binary_version(f),
      .constSizeBytes = constant_bytes(f),
      .localSizeBytes = f->kernel->scratch_bytes,
      .maxDynamicSharedSizeBytes = dynamic_lds_shown(f),
      .maxThreadsPerBlock = block_limit(f),
      .numRegs = (int)f->kernel->vgpr_count,
      .preferredShmemCarveout = f->carveout,
      .ptxVersion = binary_version(f),
      .sharedSizeBytes = f->kernel->lds_bytes,
  };
  return hipSuccess;
}

hipError_t hipFuncSetAttribute(const void *host, hipFuncAttribute attribute, int value) {
  sim_hip_device *device = sim_hip_current();
  hipFunction_t f;
  if (!device) return sim_hip_result(hipErrorNoDevice);
  hipError_t error = sim_hip_host_function("hipFuncSetAttribute", host, device, &f);
  if (error != hipSuccess) return error;
  switch (attribute) {
    case hipFuncAttributeMaxDynamicSharedMemorySize:  // needs no opt-in on these chips; only the limit is
                                                      // checked
      if (value < 0 || value > dynamic_lds_limit(f))
        return sim_hip_refuse(
            hipErrorInvalidValue,
            "hipFuncSetAttribute: %d bytes of dynamic LDS; kernel %s leaves 0 to %d on this device", value,
            f->kernel->name, dynamic_lds_limit(f));
      f->limits_lds = true;
      f->dynamic_lds = value;
      return hipSuccess;
    case hipFuncAttributePreferredSharedMemoryCarveout:  // LDS and L1 are separate
      if (value < -1 || value > 100)
        return sim_hip_refuse(hipErrorInvalidValue,
                              "hipFuncSetAttribute: a carveout of %d; it is -1 or a percentage", value);
      f->carveout = value;
      return hipSuccess;
    case hipFuncAttributeMax: break;
  }
  return sim_hip_refuse(hipErrorInvalidValue, "hipFuncSetAttribute: attribute %d is not known",
                        (int)attribute);
}

static hipError_t need_host_function(const char *call, const void *host) {
  sim_hip_device *device = sim_hip_current();
  hipFunction_t f;
  if (!device) return sim_hip_result(hipErrorNoDevice);
  return sim_hip_host_function(call, host, device, &f);
}

// This is a hint for chips that divide one memory between LDS and L1.
hipError_t hipFuncSetCacheConfig(const void *host, hipFuncCache_t config) {
  hipError_t error = need_host_function("hipFuncSetCacheConfig", host);
  return error == hipSuccess ? sim_hip_check_cache_config("hipFuncSetCacheConfig", config) : error;
}

// This is a hint for chips with configurable LDS banks.
hipError_t hipFuncSetSharedMemConfig(const void *host, hipSharedMemConfig config) {
  hipError_t error = need_host_function("hipFuncSetSharedMemConfig", host);
  return error == hipSuccess ? sim_hip_check_lds_config("hipFuncSetSharedMemConfig", config) : error;
}

const char *hipKernelNameRef(const hipFunction_t f) {
  return sim_hip_handle_is(f, SIM_HIP_FUNCTION) ? f->kernel->name : NULL;
}

const char *hipKernelNameRefByPtr(const void *host, hipStream_t stream) {
  sim_hip_device *device;
  hipFunction_t f;
  if (!sim_hip_stream_device(stream, &device)) return NULL;
  return sim_hip_host_function("hipKernelNameRefByPtr", host, device, &f) == hipSuccess ? f->kernel->name
                                                                                        : NULL;
}
