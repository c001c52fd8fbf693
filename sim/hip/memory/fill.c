// SPDX-License-Identifier: MIT
// Linear fills with 8, 16 or 32-bit values.
#include "sim/hip/streams/work.h"

hipError_t sim_hip_fill(const char *call, void *dst, uint32_t value, unsigned width, size_t count,
                        hipStream_t stream, sim_hip_pace pace) {
  return sim_hip_submit(
      call, stream,
      &(sim_hip_work){hipGraphNodeTypeMemset, .fill = {dst, {SIZE_MAX, SIZE_MAX}, value, width, count, 1, 1}},
      pace);
}

hipError_t hipMemset(void *dst, int value, size_t bytes) {
  return sim_hip_fill("hipMemset", dst, (uint8_t)value, 1, bytes, NULL, SIM_HIP_SYNC);
}
hipError_t hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream) {
  return sim_hip_fill("hipMemsetAsync", dst, (uint8_t)value, 1, bytes, stream, SIM_HIP_ASYNC);
}
hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count) {
  return sim_hip_fill("hipMemsetD8", dst, value, 1, count, NULL, SIM_HIP_SYNC);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream) {
  return sim_hip_fill("hipMemsetD8Async", dst, value, 1, count, stream, SIM_HIP_ASYNC);
}
hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count) {
  return sim_hip_fill("hipMemsetD16", dst, value, 2, count, NULL, SIM_HIP_SYNC);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count, hipStream_t stream) {
  return sim_hip_fill("hipMemsetD16Async", dst, value, 2, count, stream, SIM_HIP_ASYNC);
}
hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count) {
  return sim_hip_fill("hipMemsetD32", dst, (uint32_t)value, 4, count, NULL, SIM_HIP_SYNC);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
  return sim_hip_fill("hipMemsetD32Async", dst, (uint32_t)value, 4, count, stream, SIM_HIP_ASYNC);
}
