// SPDX-License-Identifier: MIT
// The names that -fgpu-default-stream=per-thread substitutes. The null and the per-thread stream order work
// alike here, because work executes at the call.
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

hipError_t hipMemcpy_spt(void *dst, const void *src, size_t bytes, hipMemcpyKind kind) {
  return hipMemcpy(dst, src, bytes, kind);
}
hipError_t hipMemcpyAsync_spt(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                              hipStream_t stream) {
  return hipMemcpyAsync(dst, src, bytes, kind, stream);
}
hipError_t hipMemcpyToSymbol_spt(const void *symbol, const void *src, size_t bytes, size_t offset,
                                 hipMemcpyKind kind) {
  return hipMemcpyToSymbol(symbol, src, bytes, offset, kind);
}
hipError_t hipMemcpyFromSymbol_spt(void *dst, const void *symbol, size_t bytes, size_t offset,
                                   hipMemcpyKind kind) {
  return hipMemcpyFromSymbol(dst, symbol, bytes, offset, kind);
}
hipError_t hipMemcpy2D_spt(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                           size_t height, hipMemcpyKind kind) {
  return hipMemcpy2D(dst, dst_pitch, src, src_pitch, width, height, kind);
}
hipError_t hipMemcpy3D_spt(const struct hipMemcpy3DParms *p) { return hipMemcpy3D(p); }
hipError_t hipMemset_spt(void *dst, int value, size_t bytes) { return hipMemset(dst, value, bytes); }
hipError_t hipMemsetAsync_spt(void *dst, int value, size_t bytes, hipStream_t stream) {
  return hipMemsetAsync(dst, value, bytes, stream);
}
hipError_t hipMemset2D_spt(void *dst, size_t pitch, int value, size_t width, size_t height) {
  return hipMemset2D(dst, pitch, value, width, height);
}
hipError_t hipMemset3D_spt(hipPitchedPtr dst, int value, hipExtent extent) {
  return hipMemset3D(dst, value, extent);
}
hipError_t hipStreamQuery_spt(hipStream_t stream) { return hipStreamQuery(stream); }
hipError_t hipStreamSynchronize_spt(hipStream_t stream) { return hipStreamSynchronize(stream); }
hipError_t hipStreamGetPriority_spt(hipStream_t stream, int *priority) {
  return hipStreamGetPriority(stream, priority);
}
hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned *flags) {
  return hipStreamGetFlags(stream, flags);
}
hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return hipStreamWaitEvent(stream, event, flags);
}
hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) { return hipEventRecord(event, stream); }
hipError_t hipLaunchKernel_spt(const void *host, dim3 grid, dim3 block, void **args, size_t dynamic_lds,
                               hipStream_t stream) {
  return hipLaunchKernel(host, grid, block, args, dynamic_lds, stream);
}
hipError_t hipMemset2DAsync_spt(void *dst, size_t pitch, int value, size_t width, size_t height,
                                hipStream_t stream) {
  return hipMemset2DAsync(dst, pitch, value, width, height, stream);
}
hipError_t hipMemset3DAsync_spt(hipPitchedPtr dst, int value, hipExtent extent, hipStream_t stream) {
  return hipMemset3DAsync(dst, value, extent, stream);
}
hipError_t hipMemcpy2DAsync_spt(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                                size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return hipMemcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, kind, stream);
}
hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms *p, hipStream_t stream) {
  return hipMemcpy3DAsync(p, stream);
}
hipError_t hipMemcpyToSymbolAsync_spt(const void *symbol, const void *src, size_t bytes, size_t offset,
                                      hipMemcpyKind kind, hipStream_t stream) {
  return hipMemcpyToSymbolAsync(symbol, src, bytes, offset, kind, stream);
}
hipError_t hipMemcpyFromSymbolAsync_spt(void *dst, const void *symbol, size_t bytes, size_t offset,
                                        hipMemcpyKind kind, hipStream_t stream) {
  return hipMemcpyFromSymbolAsync(dst, symbol, bytes, offset, kind, stream);
}
hipError_t hipStreamAddCallback_spt(hipStream_t stream, hipStreamCallback_t callback, void *user,
                                    unsigned flags) {
  return hipStreamAddCallback(stream, callback, user, flags);
}
