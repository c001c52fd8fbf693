// SPDX-License-Identifier: MIT
// Copies and fills of pitched 2D and 3D boxes of bytes in linear memory. Arrays (image memory) are not
// available.
#include <limits.h>
#include <string.h>

#include "sim/hip/caller.h"
#include "sim/hip/streams/work.h"

typedef struct extent {
  size_t width, height, depth;  // bytes, rows, planes
} extent;

static hipError_t copy_box(const char *call, void *dst, sim_hip_box to, const void *src, sim_hip_box from,
                           extent e, hipMemcpyKind kind, hipStream_t stream, sim_hip_pace pace) {
  return sim_hip_submit(
      call, stream,
      &(sim_hip_work){hipGraphNodeTypeMemcpy, .copy = {dst, src, to, from, e.width, e.height, e.depth, kind}},
      pace);
}

static hipError_t fill_box(const char *call, void *dst, sim_hip_box layout, int value, extent e,
                           hipStream_t stream, sim_hip_pace pace) {
  return sim_hip_submit(call, stream,
                        &(sim_hip_work){hipGraphNodeTypeMemset,
                                        .fill = {dst, layout, (uint8_t)value, 1, e.width, e.height, e.depth}},
                        pace);
}

// ---- 2D

hipError_t hipMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                            size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return copy_box("hipMemcpy2DAsync", dst, (sim_hip_box){dst_pitch, 0}, src, (sim_hip_box){src_pitch, 0},
                  (extent){width, height, 1}, kind, stream, SIM_HIP_ASYNC);
}

hipError_t hipMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                       size_t height, hipMemcpyKind kind) {
  return copy_box("hipMemcpy2D", dst, (sim_hip_box){dst_pitch, 0}, src, (sim_hip_box){src_pitch, 0},
                  (extent){width, height, 1}, kind, NULL, SIM_HIP_SYNC);
}

hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream) {
  return fill_box("hipMemset2DAsync", dst, (sim_hip_box){pitch, 0}, value, (extent){width, height, 1}, stream,
                  SIM_HIP_ASYNC);
}

hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) {
  return fill_box("hipMemset2D", dst, (sim_hip_box){pitch, 0}, value, (extent){width, height, 1}, NULL,
                  SIM_HIP_SYNC);
}

static hipError_t no_arrays(const char *call) {
  return sim_hip_refuse(hipErrorNotSupported, "%s: arrays are not available on the simulated device", call);
}

// Rows of `width` bytes from byte x on do not reach into the next row.
static hipError_t check_row(const char *call, const char *what, size_t pitch, size_t x, size_t width) {
  if (width <= pitch && x <= pitch - width) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue,
                        "%s: rows of %zu bytes from byte %zu do not fit the pitch of the %s, %zu bytes", call,
                        width, x, what, pitch);
}

// Where the bytes of one end of the driver's description start, and how its rows lie. A pitch or a height of
// 0 says that nothing lies between rows or planes.
static hipError_t place_end(const char *call, const char *what, const sim_hip_box_copy *c,
                            const sim_hip_box_end *end, char **first, sim_hip_box *layout) {
  char *base = end->type == hipMemoryTypeHost ? end->host : end->device;
  const size_t pitch = end->pitch ? end->pitch : c->width;
  if (end->type == hipMemoryTypeArray) return no_arrays(call);
  if (!base) return sim_hip_refuse(hipErrorInvalidValue, "%s: the %s is null", call, what);
  const bool has_rows = c->height > 1 || c->depth > 1;
  hipError_t error = has_rows ? check_row(call, what, pitch, end->x, c->width) : hipSuccess;
  if (error != hipSuccess) return error;
  if (c->depth > 1 && end->height && end->height < c->height)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %zu rows do not fit the height of the %s, %zu", call,
                          c->height, what, end->height);
  *layout = (sim_hip_box){pitch, pitch * (end->height ? end->height : c->height)};
  *first = base + end->z * layout->slice + end->y * pitch + end->x;
  return hipSuccess;
}

static hipError_t driver_work(const char *call, const sim_hip_box_copy *c, hipMemcpyKind kind,
                              sim_hip_work *work) {
  char *dst = NULL, *src = NULL;
  sim_hip_box to = {0}, from = {0};
  hipError_t error = place_end(call, "source", c, &c->src, &src, &from);
  if (error == hipSuccess) error = place_end(call, "destination", c, &c->dst, &dst, &to);
  *work = (sim_hip_work){hipGraphNodeTypeMemcpy,
                         .copy = {dst, src, to, from, c->width, c->height, c->depth, kind}};
  return error;
}

static hipError_t param_2d(const void *caller, const hip_Memcpy2D *p, hipStream_t stream, sim_hip_pace pace) {
  const char *call = "hipMemcpyParam2D";
  if (!p) return sim_hip_refuse(hipErrorInvalidValue, "%s: the description is null", call);
  const sim_hip_box_copy c = {.src = {.x = p->srcXInBytes,
                                      .y = p->srcY,
                                      .type = sim_hip_memory_type_of(caller, p->srcMemoryType),
                                      .host = (void *)(uintptr_t)p->srcHost,
                                      .device = p->srcDevice,
                                      .pitch = p->srcPitch},
                              .dst = {.x = p->dstXInBytes,
                                      .y = p->dstY,
                                      .type = sim_hip_memory_type_of(caller, p->dstMemoryType),
                                      .host = p->dstHost,
                                      .device = p->dstDevice,
                                      .pitch = p->dstPitch},
                              .width = p->WidthInBytes,
                              .height = p->Height,
                              .depth = 1};
  const bool from_host = c.src.type == hipMemoryTypeHost, to_host = c.dst.type == hipMemoryTypeHost;
  const hipMemcpyKind kind = from_host ? (to_host ? hipMemcpyHostToHost : hipMemcpyHostToDevice)
                                       : (to_host ? hipMemcpyDeviceToHost : hipMemcpyDeviceToDevice);
  sim_hip_work work;
  hipError_t error = driver_work(call, &c, kind, &work);
  return error == hipSuccess ? sim_hip_submit(call, stream, &work, pace) : error;
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *p, hipStream_t stream) {
  return param_2d(SIM_HIP_CALLER, p, stream, SIM_HIP_ASYNC);
}
hipError_t hipMemcpyParam2D(const hip_Memcpy2D *p) { return param_2d(SIM_HIP_CALLER, p, NULL, SIM_HIP_SYNC); }
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *p) {
  return param_2d(SIM_HIP_CALLER, p, NULL, SIM_HIP_SYNC);
}

// ---- 3D

static sim_hip_box box_of(hipPitchedPtr p) { return (sim_hip_box){p.pitch, p.pitch * p.ysize}; }

// A pitch that is less than the width alone has a code of its own, see sim_hip_work_check.
static hipError_t check_end(const char *call, const char *what, hipPitchedPtr end, hipPos at, hipExtent e) {
  if (end.pitch >= INT_MAX)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "%s: the pitch of the %s is %zu bytes, it must be less than %d", call, what,
                          end.pitch, INT_MAX);
  const bool has_rows = e.height * e.depth > 1;
  return has_rows && end.pitch >= e.width ? check_row(call, what, end.pitch, at.x, e.width) : hipSuccess;
}

hipError_t sim_hip_box_work(const char *call, const hipMemcpy3DParms *p, sim_hip_work *work) {
  if (!p) return sim_hip_refuse(hipErrorInvalidValue, "%s: the description is null", call);
  if (p->srcArray || p->dstArray) return no_arrays(call);
  if (!p->srcPtr.ptr || !p->dstPtr.ptr)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the %s is null", call,
                          p->srcPtr.ptr ? "destination" : "source");
  sim_hip_box to = box_of(p->dstPtr), from = box_of(p->srcPtr);
  if (p->extent.depth > 1 && (p->srcPtr.ysize < p->extent.height || p->dstPtr.ysize < p->extent.height))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: ysize is less than the height %zu of the box", call,
                          p->extent.height);
  hipError_t error = check_end(call, "destination", p->dstPtr, p->dstPos, p->extent);
  if (error == hipSuccess) error = check_end(call, "source", p->srcPtr, p->srcPos, p->extent);
  if (error != hipSuccess) return error;
  char *dst = (char *)p->dstPtr.ptr + p->dstPos.z * to.slice + p->dstPos.y * to.pitch + p->dstPos.x;
  const char *src = (char *)p->srcPtr.ptr + p->srcPos.z * from.slice + p->srcPos.y * from.pitch + p->srcPos.x;
  *work = (sim_hip_work){hipGraphNodeTypeMemcpy, .copy = {dst, src, to, from, p->extent.width,
                                                          p->extent.height, p->extent.depth, p->kind}};
  return hipSuccess;
}

static hipError_t copy_3d(const char *call, const hipMemcpy3DParms *p, hipStream_t stream,
                          sim_hip_pace pace) {
  sim_hip_work work;
  hipError_t error = sim_hip_box_work(call, p, &work);
  return error == hipSuccess ? sim_hip_submit(call, stream, &work, pace) : error;
}

hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms *p, hipStream_t stream) {
  return copy_3d("hipMemcpy3DAsync", p, stream, SIM_HIP_ASYNC);
}

hipError_t hipMemcpy3D(const struct hipMemcpy3DParms *p) {
  return copy_3d("hipMemcpy3D", p, NULL, SIM_HIP_SYNC);
}

// HIP 6 widened the sizes of this description under the same name.
static sim_hip_box_copy read_box_copy(const void *caller, const void *description) {
  sim_hip_box_copy out;
  if (sim_hip_caller_is_of_rocm6(caller)) {
    memcpy(&out, description, sizeof out);
  } else {
    const HIP_MEMCPY3D *p = description;
    out = (sim_hip_box_copy){
        .src = {p->srcXInBytes, p->srcY, p->srcZ, p->srcLOD, p->srcMemoryType, (void *)(uintptr_t)p->srcHost,
                p->srcDevice, p->srcArray, p->srcPitch, p->srcHeight},
        .dst = {p->dstXInBytes, p->dstY, p->dstZ, p->dstLOD, p->dstMemoryType, p->dstHost, p->dstDevice,
                p->dstArray, p->dstPitch, p->dstHeight},
        .width = p->WidthInBytes,
        .height = p->Height,
        .depth = p->Depth};
  }
  out.src.type = sim_hip_memory_type_of(caller, out.src.type);
  out.dst.type = sim_hip_memory_type_of(caller, out.dst.type);
  return out;
}

void sim_hip_write_box_copy(const void *caller, const sim_hip_box_copy *c, void *out) {
  sim_hip_box_copy numbered = *c;
  numbered.src.type = sim_hip_memory_type_number(caller, c->src.type);
  numbered.dst.type = sim_hip_memory_type_number(caller, c->dst.type);
  if (sim_hip_caller_is_of_rocm6(caller)) {
    memcpy(out, &numbered, sizeof numbered);
    return;
  }
  const sim_hip_box_end *s = &numbered.src, *d = &numbered.dst;
  *(HIP_MEMCPY3D *)out = (HIP_MEMCPY3D){.srcMemoryType = s->type,
                                        .srcHost = s->host,
                                        .srcDevice = s->device,
                                        .srcPitch = (unsigned)s->pitch,
                                        .srcHeight = (unsigned)s->height,
                                        .dstMemoryType = d->type,
                                        .dstHost = d->host,
                                        .dstDevice = d->device,
                                        .dstPitch = (unsigned)d->pitch,
                                        .dstHeight = (unsigned)d->height,
                                        .WidthInBytes = (unsigned)c->width,
                                        .Height = (unsigned)c->height,
                                        .Depth = (unsigned)c->depth};
}

hipError_t sim_hip_driver_box_work(const char *call, const void *caller, const void *description,
                                   sim_hip_work *work) {
  if (!description) return sim_hip_refuse(hipErrorInvalidValue, "%s: the description is null", call);
  const sim_hip_box_copy c = read_box_copy(caller, description);
  return driver_work(call, &c, hipMemcpyDefault, work);
}

static hipError_t param_3d(const void *caller, const HIP_MEMCPY3D *p, hipStream_t stream, sim_hip_pace pace) {
  const char *call = "hipDrvMemcpy3D";
  sim_hip_work work;
  hipError_t error = sim_hip_driver_box_work(call, caller, p, &work);
  return error == hipSuccess ? sim_hip_submit(call, stream, &work, pace) : error;
}

hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *p, hipStream_t stream) {
  return param_3d(SIM_HIP_CALLER, p, stream, SIM_HIP_ASYNC);
}
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *p) { return param_3d(SIM_HIP_CALLER, p, NULL, SIM_HIP_SYNC); }

hipError_t hipMemset3DAsync(hipPitchedPtr dst, int value, hipExtent e, hipStream_t stream) {
  return fill_box("hipMemset3DAsync", dst.ptr, box_of(dst), value, (extent){e.width, e.height, e.depth},
                  stream, SIM_HIP_ASYNC);
}

hipError_t hipMemset3D(hipPitchedPtr dst, int value, hipExtent e) {
  return fill_box("hipMemset3D", dst.ptr, box_of(dst), value, (extent){e.width, e.height, e.depth}, NULL,
                  SIM_HIP_SYNC);
}
