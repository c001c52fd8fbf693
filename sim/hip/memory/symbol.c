// SPDX-License-Identifier: MIT
// Finds device variables of <<<>>> programs by the address of their host shadow.
#include "sim/hip/streams/work.h"

hipError_t hipGetSymbolAddress(void **out, const void *symbol) {
  sim_hip_device *device = sim_hip_current();
  size_t size;
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "hipGetSymbolAddress: the result pointer is null");
  if (!device) return sim_hip_result(hipErrorNoDevice);
  return sim_hip_host_symbol("hipGetSymbolAddress", symbol, device, out, &size);
}

hipError_t hipGetSymbolSize(size_t *out, const void *symbol) {
  sim_hip_device *device = sim_hip_current();
  void *address;
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "hipGetSymbolSize: the result pointer is null");
  if (!device) return sim_hip_result(hipErrorNoDevice);
  return sim_hip_host_symbol("hipGetSymbolSize", symbol, device, &address, out);
}

hipError_t sim_hip_symbol_range(const char *call, const void *symbol, size_t bytes, size_t offset,
                                sim_hip_device *device, void **out) {
  void *address;
  size_t size;
  hipError_t error = sim_hip_host_symbol(call, symbol, device, &address, &size);
  if (error != hipSuccess) return error;
  if (offset > size || bytes > size - offset)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "%s: %zu bytes at offset %zu overrun the variable of %zu bytes", call, bytes,
                          offset, size);
  *out = (char *)address + offset;
  return hipSuccess;
}

static hipError_t locate(const char *call, const void *symbol, size_t bytes, size_t offset,
                         hipStream_t stream, void **out) {
  sim_hip_device *device;
  if (sim_hip_need_stream(call, stream, &device)) return hipErrorContextIsDestroyed;
  return sim_hip_symbol_range(call, symbol, bytes, offset, device, out);
}

static hipError_t to_symbol(const char *call, const void *symbol, const void *src, size_t bytes,
                            size_t offset, hipMemcpyKind kind, hipStream_t stream, sim_hip_pace pace) {
  void *address = NULL;
  hipError_t error = locate(call, symbol, bytes, offset, stream, &address);
  return error == hipSuccess ? sim_hip_copy(call, address, src, bytes, kind, stream, pace) : error;
}

static hipError_t from_symbol(const char *call, void *dst, const void *symbol, size_t bytes, size_t offset,
                              hipMemcpyKind kind, hipStream_t stream, sim_hip_pace pace) {
  void *address = NULL;
  hipError_t error = locate(call, symbol, bytes, offset, stream, &address);
  return error == hipSuccess ? sim_hip_copy(call, dst, address, bytes, kind, stream, pace) : error;
}

hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream) {
  return to_symbol("hipMemcpyToSymbolAsync", symbol, src, bytes, offset, kind, stream, SIM_HIP_ASYNC);
}

hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) {
  return from_symbol("hipMemcpyFromSymbolAsync", dst, symbol, bytes, offset, kind, stream, SIM_HIP_ASYNC);
}

hipError_t hipMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                             hipMemcpyKind kind) {
  return to_symbol("hipMemcpyToSymbol", symbol, src, bytes, offset, kind, NULL, SIM_HIP_SYNC);
}

hipError_t hipMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset,
                               hipMemcpyKind kind) {
  return from_symbol("hipMemcpyFromSymbol", dst, symbol, bytes, offset, kind, NULL, SIM_HIP_SYNC);
}
