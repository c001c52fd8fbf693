// SPDX-License-Identifier: MIT
// Linear copies, checked against the bounds of the allocations they touch.
#include "sim/hip/streams/work.h"

enum { MEMCPY_DEVICE_TO_DEVICE_NO_CU = 1024 };  // hipMemcpyKind of ROCm 6: a device-to-device copy by DMA

hipError_t sim_hip_check_range(const char *call, const char *what, const void *pointer, size_t bytes,
                               sim_hip_side side) {
  uint64_t address = (uintptr_t)pointer;
  if (bytes == 0) return hipSuccess;
  if (!pointer) return sim_hip_refuse(hipErrorInvalidValue, "%s: the %s is null", call, what);
  sim_allocation a;
  if (sim_memory_find(address, &a)) {
    if (a.flags & SIM_HIP_FREED)
      return sim_hip_refuse(hipErrorInvalidValue, "%s: the %s %p is in memory that hipFreeAsync has freed",
                            call, what, pointer);
    uint64_t room = a.base + a.size - address;
    sim_allocation next = a;
    // Mappings of hipMemMap side by side are one range.
    while (bytes > room && next.flags & SIM_HIP_MAPPED && sim_memory_find(address + room, &next))
      room = next.base + next.size - address;
    if (bytes <= room) return hipSuccess;
    return sim_hip_refuse(
        hipErrorInvalidValue,
        "%s: the %s, %zu bytes at %p, overruns its allocation of %llu bytes at 0x%llx by %llu bytes", call,
        what, bytes, pointer, (unsigned long long)a.size, (unsigned long long)a.base,
        (unsigned long long)(bytes - room));
  }
  if (side == SIM_HIP_ANY) return hipSuccess;
  if (!sim_memory_nearest(address, &a))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the %s %p is in no allocation; there is none", call,
                          what, pointer);
  return sim_hip_refuse(hipErrorInvalidValue,
                        "%s: the %s %p is in no allocation; the nearest is %llu bytes at 0x%llx", call, what,
                        pointer, (unsigned long long)a.size, (unsigned long long)a.base);
}

hipError_t sim_hip_copy_sides(const char *call, hipMemcpyKind kind, sim_hip_side *dst, sim_hip_side *src) {
  switch ((int)kind) {
    case hipMemcpyHostToHost:
    case hipMemcpyDefault: *dst = *src = SIM_HIP_ANY; return hipSuccess;
    case hipMemcpyHostToDevice: *dst = SIM_HIP_ON_DEVICE, *src = SIM_HIP_ANY; return hipSuccess;
    case hipMemcpyDeviceToHost: *dst = SIM_HIP_ANY, *src = SIM_HIP_ON_DEVICE; return hipSuccess;
    case MEMCPY_DEVICE_TO_DEVICE_NO_CU:
    case hipMemcpyDeviceToDevice: *dst = *src = SIM_HIP_ON_DEVICE; return hipSuccess;
  }
  return sim_hip_refuse(hipErrorInvalidMemcpyDirection, "%s: kind %d is not a hipMemcpyKind", call,
                        (int)kind);
}

hipError_t sim_hip_copy(const char *call, void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                        hipStream_t stream, sim_hip_pace pace) {
  const sim_hip_box row = {bytes, bytes};
  return sim_hip_submit(
      call, stream,
      &(sim_hip_work){hipGraphNodeTypeMemcpy1D, .copy = {dst, src, row, row, bytes, 1, 1, kind}}, pace);
}

hipError_t hipMemcpy(void *dst, const void *src, size_t bytes, hipMemcpyKind kind) {
  return sim_hip_copy("hipMemcpy", dst, src, bytes, kind, NULL, SIM_HIP_SYNC);
}
hipError_t hipMemcpyAsync(void *dst, const void *src, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
  return sim_hip_copy("hipMemcpyAsync", dst, src, bytes, kind, stream, SIM_HIP_ASYNC);
}
hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream) {
  return sim_hip_copy("hipMemcpyWithStream", dst, src, bytes, kind, stream, SIM_HIP_SYNC);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t bytes) {
  return sim_hip_copy("hipMemcpyHtoD", dst, src, bytes, hipMemcpyHostToDevice, NULL, SIM_HIP_SYNC);
}
hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t bytes) {
  return sim_hip_copy("hipMemcpyDtoH", dst, src, bytes, hipMemcpyDeviceToHost, NULL, SIM_HIP_SYNC);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes) {
  return sim_hip_copy("hipMemcpyDtoD", dst, src, bytes, hipMemcpyDeviceToDevice, NULL, SIM_HIP_SYNC);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t bytes, hipStream_t stream) {
  return sim_hip_copy("hipMemcpyHtoDAsync", dst, src, bytes, hipMemcpyHostToDevice, stream, SIM_HIP_ASYNC);
}
hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream) {
  return sim_hip_copy("hipMemcpyDtoHAsync", dst, src, bytes, hipMemcpyDeviceToHost, stream, SIM_HIP_ASYNC);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream) {
  return sim_hip_copy("hipMemcpyDtoDAsync", dst, src, bytes, hipMemcpyDeviceToDevice, stream, SIM_HIP_ASYNC);
}

static hipError_t copy_peer(const char *call, void *dst, int dst_device, const void *src, int src_device,
                            size_t bytes, hipStream_t stream, sim_hip_pace pace) {
  if (!sim_hip_device_at(dst_device) || !sim_hip_device_at(src_device))
    return sim_hip_refuse(hipErrorInvalidDevice, "%s: device %d does not exist; there are %d", call,
                          sim_hip_device_at(dst_device) ? src_device : dst_device, sim_hip_device_count());
  return sim_hip_copy(call, dst, src, bytes, hipMemcpyDeviceToDevice, stream, pace);
}

hipError_t hipMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes) {
  return copy_peer("hipMemcpyPeer", dst, dst_device, src, src_device, bytes, NULL, SIM_HIP_SYNC);
}
hipError_t hipMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
                              hipStream_t stream) {
  return copy_peer("hipMemcpyPeerAsync", dst, dst_device, src, src_device, bytes, stream, SIM_HIP_ASYNC);
}
