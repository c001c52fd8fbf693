// SPDX-License-Identifier: MIT
// Defines the names that -fgpu-default-stream=per-thread substitutes: the null stream becomes the calling
// thread's.
#include "sim/hip/hip.h"

#pragma GCC visibility push(default)
#include <hip/amd_detail/amd_hip_runtime_pt_api.h>
hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream);
hipError_t hipMemsetAsync_spt(void *dst, int value, size_t bytes, hipStream_t stream);
hipError_t hipMemset2DAsync_spt(void *dst, size_t pitch, int value, size_t width, size_t height,
                                hipStream_t stream);
hipError_t hipMemset3DAsync_spt(hipPitchedPtr dst, int value, hipExtent extent, hipStream_t stream);
hipError_t hipMemcpy2DAsync_spt(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                                size_t height, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms *p, hipStream_t stream);
hipError_t hipMemcpyToSymbolAsync_spt(const void *symbol, const void *src, size_t bytes, size_t offset,
                                      hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyFromSymbolAsync_spt(void *dst, const void *symbol, size_t bytes, size_t offset,
                                        hipMemcpyKind kind, hipStream_t stream);
hipError_t hipStreamAddCallback_spt(hipStream_t stream, hipStreamCallback_t callback, void *user,
                                    unsigned flags);
#pragma GCC visibility pop

// Ends a synchronous call, whose work has been given to the thread's stream.
static hipError_t finish(hipError_t error) {
  return error == hipSuccess ? hipStreamSynchronize(hipStreamPerThread) : error;
}

hipError_t hipMemcpy_spt(void *dst, const void *src, size_t bytes, hipMemcpyKind kind) {
  return hipMemcpyWithStream(dst, src, bytes, kind, hipStreamPerThread);
}
hipError_t hipMemcpyAsync_spt(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                              hipStream_t stream) {
  return hipMemcpyAsync(dst, src, bytes, kind, sim_hip_of_thread(stream));
}
hipError_t hipMemcpyToSymbol_spt(const void *symbol, const void *src, size_t bytes, size_t offset,
                                 hipMemcpyKind kind) {
  return finish(hipMemcpyToSymbolAsync(symbol, src, bytes, offset, kind, hipStreamPerThread));
}
hipError_t hipMemcpyFromSymbol_spt(void *dst, const void *symbol, size_t bytes, size_t offset,
                                   hipMemcpyKind kind) {
  return finish(hipMemcpyFromSymbolAsync(dst, symbol, bytes, offset, kind, hipStreamPerThread));
}
hipError_t hipMemcpy2D_spt(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                           size_t height, hipMemcpyKind kind) {
  return finish(hipMemcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, kind, hipStreamPerThread));
}
hipError_t hipMemcpy3D_spt(const struct hipMemcpy3DParms *p) {
  return finish(hipMemcpy3DAsync(p, hipStreamPerThread));
}
hipError_t hipMemset_spt(void *dst, int value, size_t bytes) {
  return finish(hipMemsetAsync(dst, value, bytes, hipStreamPerThread));
}
hipError_t hipMemsetAsync_spt(void *dst, int value, size_t bytes, hipStream_t stream) {
  return hipMemsetAsync(dst, value, bytes, sim_hip_of_thread(stream));
}
hipError_t hipMemset2D_spt(void *dst, size_t pitch, int value, size_t width, size_t height) {
  return finish(hipMemset2DAsync(dst, pitch, value, width, height, hipStreamPerThread));
}
hipError_t hipMemset3D_spt(hipPitchedPtr dst, int value, hipExtent extent) {
  return finish(hipMemset3DAsync(dst, value, extent, hipStreamPerThread));
}
hipError_t hipStreamQuery_spt(hipStream_t stream) { return hipStreamQuery(sim_hip_of_thread(stream)); }
hipError_t hipStreamSynchronize_spt(hipStream_t stream) {
  return hipStreamSynchronize(sim_hip_of_thread(stream));
}
hipError_t hipStreamGetPriority_spt(hipStream_t stream, int *priority) {
  return hipStreamGetPriority(sim_hip_of_thread(stream), priority);
}
hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned *flags) {
  return hipStreamGetFlags(sim_hip_of_thread(stream), flags);
}
hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return hipStreamWaitEvent(sim_hip_of_thread(stream), event, flags);
}
hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) {
  return hipEventRecord(event, sim_hip_of_thread(stream));
}
hipError_t hipLaunchKernel_spt(const void *host, dim3 grid, dim3 block, void **args, size_t dynamic_lds,
                               hipStream_t stream) {
  return hipLaunchKernel(host, grid, block, args, dynamic_lds, sim_hip_of_thread(stream));
}
hipError_t hipMemset2DAsync_spt(void *dst, size_t pitch, int value, size_t width, size_t height,
                                hipStream_t stream) {
  return hipMemset2DAsync(dst, pitch, value, width, height, sim_hip_of_thread(stream));
}
hipError_t hipMemset3DAsync_spt(hipPitchedPtr dst, int value, hipExtent extent, hipStream_t stream) {
  return hipMemset3DAsync(dst, value, extent, sim_hip_of_thread(stream));
}
hipError_t hipMemcpy2DAsync_spt(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                                size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return hipMemcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, kind, sim_hip_of_thread(stream));
}
hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms *p, hipStream_t stream) {
  return hipMemcpy3DAsync(p, sim_hip_of_thread(stream));
}
hipError_t hipMemcpyToSymbolAsync_spt(const void *symbol, const void *src, size_t bytes, size_t offset,
                                      hipMemcpyKind kind, hipStream_t stream) {
  return hipMemcpyToSymbolAsync(symbol, src, bytes, offset, kind, sim_hip_of_thread(stream));
}
hipError_t hipMemcpyFromSymbolAsync_spt(void *dst, const void *symbol, size_t bytes, size_t offset,
                                        hipMemcpyKind kind, hipStream_t stream) {
  return hipMemcpyFromSymbolAsync(dst, symbol, bytes, offset, kind, sim_hip_of_thread(stream));
}
hipError_t hipStreamAddCallback_spt(hipStream_t stream, hipStreamCallback_t callback, void *user,
                                    unsigned flags) {
  return hipStreamAddCallback(sim_hip_of_thread(stream), callback, user, flags);
}
