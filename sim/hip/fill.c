// SPDX-License-Identifier: MIT
// Linear fills with 8, 16 or 32-bit values.
#include <string.h>

#include "sim/hip/hip.h"

hipError_t sim_hip_fill(const char *call, void *dst, uint32_t value, unsigned width, size_t count,
                        hipStream_t stream) {
  sim_hip_device *device;
  size_t bytes;
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  if (!sim_hip_stream_device(stream, &device))
    return sim_hip_refuse(hipErrorInvalidHandle, "%s: the stream is not a stream of this runtime", call);
  if (__builtin_mul_overflow(count, (size_t)width, &bytes)) bytes = SIZE_MAX;
  hipError_t error = sim_hip_check_range(call, "destination", dst, bytes, SIM_HIP_ON_DEVICE);
  if (error != hipSuccess) return error;
  if ((uintptr_t)dst % width)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the destination %p is not aligned to %u bytes", call,
                          dst, width);
  if (width == 1) {
    if (count) memset(dst, (int)value, count);
  } else if (width == 2) {
    for (size_t i = 0; i < count; ++i) ((uint16_t *)dst)[i] = (uint16_t)value;
  } else {
    for (size_t i = 0; i < count; ++i) ((uint32_t *)dst)[i] = value;
  }
  return hipSuccess;
}

hipError_t hipMemset(void *dst, int value, size_t bytes) {
  return sim_hip_fill("hipMemset", dst, (uint8_t)value, 1, bytes, NULL);
}
hipError_t hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream) {
  return sim_hip_fill("hipMemsetAsync", dst, (uint8_t)value, 1, bytes, stream);
}
hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count) {
  return sim_hip_fill("hipMemsetD8", dst, value, 1, count, NULL);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream) {
  return sim_hip_fill("hipMemsetD8Async", dst, value, 1, count, stream);
}
hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count) {
  return sim_hip_fill("hipMemsetD16", dst, value, 2, count, NULL);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count, hipStream_t stream) {
  return sim_hip_fill("hipMemsetD16Async", dst, value, 2, count, stream);
}
hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count) {
  return sim_hip_fill("hipMemsetD32", dst, (uint32_t)value, 4, count, NULL);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
  return sim_hip_fill("hipMemsetD32Async", dst, (uint32_t)value, 4, count, stream);
}
