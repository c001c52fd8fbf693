// SPDX-License-Identifier: MIT
// Handles words of memory that streams write and wait for.
#include "sim/hip/streams/work.h"

static hipError_t check(const char *call, hipStream_t stream, const void *pointer, size_t bytes) {
  sim_hip_device *device;
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  if (sim_hip_need_stream(call, stream, &device)) return hipErrorContextIsDestroyed;
  hipError_t error = sim_hip_check_range(call, "word", pointer, bytes, SIM_HIP_ON_DEVICE);
  if (error == hipSuccess && (uintptr_t)pointer % bytes)
    error = sim_hip_refuse(hipErrorInvalidValue, "%s: %p is not aligned to %zu bytes", call, pointer, bytes);
  return error == hipSuccess ? sim_hip_capture_refuses(call, stream) : error;
}

static hipError_t wait(const char *call, hipStream_t stream, void *pointer, unsigned bytes, uint64_t value,
                       unsigned flags, uint64_t mask) {
  hipError_t error = check(call, stream, pointer, bytes);
  if (error != hipSuccess) return error;
  if (flags > hipStreamWaitValueNor)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: flags is 0x%x, it must be a hipStreamWaitValue", call,
                          flags);
  return sim_hip_submit(call, stream,
                        &(sim_hip_work){SIM_HIP_WAIT_VALUE, .value = {pointer, bytes, value, mask, flags}},
                        SIM_HIP_ASYNC);
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void *pointer, uint32_t value, unsigned flags,
                                uint32_t mask) {
  return wait("hipStreamWaitValue32", stream, pointer, 4, value, flags, mask);
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void *pointer, uint64_t value, unsigned flags,
                                uint64_t mask) {
  return wait("hipStreamWaitValue64", stream, pointer, 8, value, flags, mask);
}

// The flags ask for less ordering than there is.
static hipError_t write(const char *call, hipStream_t stream, void *pointer, unsigned bytes, uint64_t value) {
  hipError_t error = check(call, stream, pointer, bytes);
  if (error != hipSuccess) return error;
  return sim_hip_submit(call, stream,
                        &(sim_hip_work){SIM_HIP_WRITE_VALUE, .value = {pointer, bytes, value, 0, 0}},
                        SIM_HIP_ASYNC);
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void *pointer, uint32_t value, unsigned flags) {
  (void)flags;
  return write("hipStreamWriteValue32", stream, pointer, 4, value);
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void *pointer, uint64_t value, unsigned flags) {
  (void)flags;
  return write("hipStreamWriteValue64", stream, pointer, 8, value);
}
