// SPDX-License-Identifier: MIT
// The context calls of HIP's driver interface: every device has one context, its handle is the device itself.
#include "sim/hip/hip.h"

enum { STACK = 32 };
static __thread struct {
  int device[STACK];
  int depth;
} saved;

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static hipCtx_t context_of(sim_hip_device *device) { return (hipCtx_t)(void *)device; }

// Returns the device of a context handle, NULL for anything else.
static sim_hip_device *device_of(hipCtx_t context) {
  for (int i = 0; i < sim_hip_device_count(); ++i)
    if (context_of(sim_hip_device_at(i)) == context) return sim_hip_device_at(i);
  return NULL;
}

static hipError_t bad_context(const char *call) {
  return sim_hip_refuse(hipErrorInvalidContext, "%s: the context is not one of this runtime", call);
}

static hipError_t bad_device(const char *call, int ordinal) {
  return sim_hip_refuse(hipErrorInvalidDevice, "%s: device %d does not exist; there are %d", call, ordinal,
                        sim_hip_device_count());
}

hipError_t hipCtxPushCurrent(hipCtx_t context) {
  sim_hip_device *device = device_of(context), *current = sim_hip_current();
  if (!device) return bad_context("hipCtxPushCurrent");
  if (saved.depth == STACK)
    return sim_hip_refuse(hipErrorInvalidContext, "hipCtxPushCurrent: more than %d contexts on the stack",
                          (int)STACK);
  saved.device[saved.depth++] = current->ordinal;
  return sim_hip_result(sim_hip_set_current(device->ordinal));
}

hipError_t hipCtxPopCurrent(hipCtx_t *context) {
  if (saved.depth == 0)
    return sim_hip_refuse(hipErrorInvalidContext, "hipCtxPopCurrent: no context has been pushed");
  if (context) *context = context_of(sim_hip_current());
  return sim_hip_result(sim_hip_set_current(saved.device[--saved.depth]));
}

hipError_t hipCtxCreate(hipCtx_t *context, unsigned flags, hipDevice_t ordinal) {
  (void)flags;  // scheduling hints for the waiting host thread
  sim_hip_device *device = sim_hip_device_at(ordinal);
  if (!context) return sim_hip_refuse(hipErrorInvalidValue, "hipCtxCreate: the result pointer is null");
  if (!device) return bad_device("hipCtxCreate", ordinal);
  *context = context_of(device);
  return hipCtxPushCurrent(*context);
}

hipError_t hipCtxDestroy(hipCtx_t context) {
  return device_of(context) ? hipSuccess : bad_context("hipCtxDestroy");
}

hipError_t hipCtxSetCurrent(hipCtx_t context) {
  sim_hip_device *device = device_of(context);
  return device ? sim_hip_result(sim_hip_set_current(device->ordinal)) : bad_context("hipCtxSetCurrent");
}

hipError_t hipCtxGetCurrent(hipCtx_t *context) {
  if (!context) return sim_hip_refuse(hipErrorInvalidValue, "hipCtxGetCurrent: the result pointer is null");
  sim_hip_device *device = sim_hip_current();
  *context = device ? context_of(device) : NULL;
  return sim_hip_result(device ? hipSuccess : hipErrorNoDevice);
}

hipError_t hipCtxGetDevice(hipDevice_t *ordinal) { return hipGetDevice(ordinal); }

hipError_t hipCtxGetApiVersion(hipCtx_t context, int *version) {
  if (!version)
    return sim_hip_refuse(hipErrorInvalidValue, "hipCtxGetApiVersion: the result pointer is null");
  if (!device_of(context)) return bad_context("hipCtxGetApiVersion");
  *version = HIP_VERSION_MAJOR;
  return hipSuccess;
}

hipError_t hipCtxSynchronize(void) { return hipDeviceSynchronize(); }
hipError_t hipCtxGetFlags(unsigned *flags) { return hipGetDeviceFlags(flags); }

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t ordinal, unsigned *flags, int *active) {
  if (!sim_hip_device_at(ordinal)) return bad_device("hipDevicePrimaryCtxGetState", ordinal);
  if (flags) *flags = 0;
  if (active) *active = 1;
  return hipSuccess;
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *context, hipDevice_t ordinal) {
  sim_hip_device *device = sim_hip_device_at(ordinal);
  if (!context)
    return sim_hip_refuse(hipErrorInvalidValue, "hipDevicePrimaryCtxRetain: the result pointer is null");
  if (!device) return bad_device("hipDevicePrimaryCtxRetain", ordinal);
  *context = context_of(device);
  return hipSuccess;
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t ordinal) {
  return sim_hip_device_at(ordinal) ? hipSuccess : bad_device("hipDevicePrimaryCtxRelease", ordinal);
}

hipError_t hipDevicePrimaryCtxReset(hipDevice_t ordinal) {
  sim_hip_device *current = sim_hip_current();
  if (!sim_hip_device_at(ordinal)) return bad_device("hipDevicePrimaryCtxReset", ordinal);
  hipError_t error = sim_hip_set_current(ordinal);
  if (error == hipSuccess) error = hipDeviceReset();
  sim_hip_set_current(current->ordinal);
  return error;
}

hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t ordinal, unsigned flags) {
  (void)flags;  // scheduling hints for the waiting host thread
  return sim_hip_device_at(ordinal) ? hipSuccess : bad_device("hipDevicePrimaryCtxSetFlags", ordinal);
}

hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned flags) {
  sim_hip_device *device = device_of(peer);
  return device ? hipDeviceEnablePeerAccess(device->ordinal, flags) : bad_context("hipCtxEnablePeerAccess");
}

hipError_t hipCtxDisablePeerAccess(hipCtx_t peer) {
  sim_hip_device *device = device_of(peer);
  return device ? hipDeviceDisablePeerAccess(device->ordinal) : bad_context("hipCtxDisablePeerAccess");
}

hipError_t hipCtxGetCacheConfig(hipFuncCache_t *config) { return hipDeviceGetCacheConfig(config); }
hipError_t hipCtxSetCacheConfig(hipFuncCache_t config) { return hipDeviceSetCacheConfig(config); }
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *config) {
  return hipDeviceGetSharedMemConfig(config);
}
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config) { return hipDeviceSetSharedMemConfig(config); }
