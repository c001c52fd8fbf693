// SPDX-License-Identifier: MIT
// Words of memory that streams write and wait for.
#include "sim/hip/streams/work.h"

#include "sim/check/written.h"

static hipError_t check(const char *call, hipStream_t stream, const void *pointer, size_t bytes) {
  sim_hip_device *device;
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  if (sim_hip_need_stream(call, stream, &device)) return hipErrorContextIsDestroyed;
  hipError_t error = sim_hip_check_range(call, "word", pointer, bytes, SIM_HIP_ON_DEVICE);
  if (error == hipSuccess && (uintptr_t)pointer % bytes)
    error = sim_hip_refuse(hipErrorInvalidValue, "%s: %p is not aligned to %zu bytes", call, pointer, bytes);
  return error == hipSuccess ? sim_hip_capture_refuses(call, stream) : error;
}

static bool holds(uint64_t now, uint64_t value, unsigned flags, uint64_t mask) {
  switch (flags) {
    case hipStreamWaitValueGte: return (now & mask) >= value;
    case hipStreamWaitValueEq: return (now & mask) == value;
    case hipStreamWaitValueAnd: return ((now & mask) & value) != 0;
    default: return (~((now & mask) | (value & mask)) & mask) != 0;
  }
}

// All work given to streams so far has run, so a value that is not there can only come from another host
// thread or from work that is given later: the call cannot wait for either.
static hipError_t wait(const char *call, uint64_t now, uint64_t value, unsigned flags, uint64_t mask) {
  if (flags > hipStreamWaitValueNor)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: flags is 0x%x, it must be a hipStreamWaitValue", call,
                          flags);
  if (holds(now, value, flags, mask)) return hipSuccess;
  return sim_hip_refuse(
      hipErrorNotSupported,
      "%s: the word is 0x%llx and work runs at its call here; give the stream what writes the word before "
      "what waits for it",
      call, (unsigned long long)now);
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void *pointer, uint32_t value, unsigned flags,
                                uint32_t mask) {
  hipError_t error = check("hipStreamWaitValue32", stream, pointer, 4);
  if (error != hipSuccess) return error;
  return wait("hipStreamWaitValue32", __atomic_load_n((uint32_t *)pointer, __ATOMIC_ACQUIRE), value, flags,
              mask);
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void *pointer, uint64_t value, unsigned flags,
                                uint64_t mask) {
  hipError_t error = check("hipStreamWaitValue64", stream, pointer, 8);
  if (error != hipSuccess) return error;
  return wait("hipStreamWaitValue64", __atomic_load_n((uint64_t *)pointer, __ATOMIC_ACQUIRE), value, flags,
              mask);
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void *pointer, uint32_t value, unsigned flags) {
  (void)flags;  // they ask for less ordering than there is
  hipError_t error = check("hipStreamWriteValue32", stream, pointer, 4);
  if (error != hipSuccess) return error;
  __atomic_store_n((uint32_t *)pointer, value, __ATOMIC_RELEASE);
  sim_written_mark((uintptr_t)pointer, sizeof value);
  return error;
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void *pointer, uint64_t value, unsigned flags) {
  (void)flags;
  hipError_t error = check("hipStreamWriteValue64", stream, pointer, 8);
  if (error != hipSuccess) return error;
  __atomic_store_n((uint64_t *)pointer, value, __ATOMIC_RELEASE);
  sim_written_mark((uintptr_t)pointer, sizeof value);
  return error;
}
