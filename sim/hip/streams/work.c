// SPDX-License-Identifier: MIT
// Checks and runs work. Everything runs at the call, in the order of the calls, which every stream's rules
// allow.
#include "sim/hip/streams/work.h"

#include <string.h>

#include "sim/check/written.h"
#include "sim/hip/graphs/graph.h"
#include "sim/hip/memory/pool.h"

// Bytes from the first to the end of the last byte of the box; SIZE_MAX when that overflows.
static size_t span(sim_hip_box layout, size_t width, size_t height, size_t depth) {
  size_t planes, rows, sum;
  if (width == 0 || height == 0 || depth == 0) return 0;
  if (__builtin_mul_overflow(layout.slice, depth - 1, &planes) ||
      __builtin_mul_overflow(layout.pitch, height - 1, &rows) || __builtin_add_overflow(planes, rows, &sum) ||
      __builtin_add_overflow(sum, width, &sum))
    return SIZE_MAX;
  return sum;
}

static hipError_t check_pitch(const char *call, const char *what, sim_hip_box layout, size_t width,
                              size_t height) {
  if (layout.pitch >= width || height <= 1) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidPitchValue,
                        "%s: the pitch of the %s is %zu bytes, less than the width %zu", call, what,
                        layout.pitch, width);
}

static hipError_t check_copy(const char *call, const sim_hip_copy_work *c) {
  sim_hip_side dst_side = SIM_HIP_ANY, src_side = SIM_HIP_ANY;
  hipError_t error = sim_hip_copy_sides(call, c->kind, &dst_side, &src_side);
  if (error == hipSuccess) error = check_pitch(call, "destination", c->to, c->width, c->height);
  if (error == hipSuccess) error = check_pitch(call, "source", c->from, c->width, c->height);
  if (error == hipSuccess)
    error = sim_hip_check_range(call, "destination", c->dst, span(c->to, c->width, c->height, c->depth),
                                dst_side);
  if (error == hipSuccess)
    error =
        sim_hip_check_range(call, "source", c->src, span(c->from, c->width, c->height, c->depth), src_side);
  return error;
}

static hipError_t check_fill(const char *call, const sim_hip_fill_work *f) {
  size_t bytes;
  if (__builtin_mul_overflow(f->width, (size_t)f->element, &bytes)) bytes = SIZE_MAX;
  hipError_t error = check_pitch(call, "destination", f->layout, bytes, f->height);
  if (error == hipSuccess)
    error = sim_hip_check_range(call, "destination", f->dst, span(f->layout, bytes, f->height, f->depth),
                                SIM_HIP_ON_DEVICE);
  if (error != hipSuccess) return error;
  if (((uintptr_t)f->dst | (f->height > 1 ? f->layout.pitch : 0)) % f->element)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the destination %p is not aligned to %u bytes", call,
                          f->dst, f->element);
  return hipSuccess;
}

hipError_t sim_hip_work_check(const char *call, const sim_hip_work *work) {
  switch (work->type) {
    case hipGraphNodeTypeMemcpy:
    case hipGraphNodeTypeMemcpy1D:
    case hipGraphNodeTypeMemcpyFromSymbol:
    case hipGraphNodeTypeMemcpyToSymbol: return check_copy(call, &work->copy);
    case hipGraphNodeTypeMemset: return check_fill(call, &work->fill);
    case hipGraphNodeTypeHost:
      if (work->host.fn) return hipSuccess;
      return sim_hip_refuse(hipErrorInvalidValue, "%s: the function is null", call);
    case hipGraphNodeTypeEventRecord:
    case hipGraphNodeTypeWaitEvent:
      if (sim_hip_handle_is(work->event, SIM_HIP_EVENT)) return hipSuccess;
      return sim_hip_refuse(hipErrorInvalidValue, "%s: the event is not an event of this runtime", call);
    default: break;
  }
  return work->type == SIM_HIP_NODE_FREE ? sim_hip_graph_memory_check_free(call, work->base) : hipSuccess;
}

static void run_copy(const sim_hip_copy_work *c) {
  for (size_t z = 0; z < c->depth && c->width; ++z)
    for (size_t y = 0; y < c->height; ++y) {
      char *to = (char *)c->dst + z * c->to.slice + y * c->to.pitch;
      const char *from = (const char *)c->src + z * c->from.slice + y * c->from.pitch;
      memmove(to, from, c->width);
      sim_written_copy((uintptr_t)to, (uintptr_t)from, c->width);
    }
}

static void fill_row(void *row, uint32_t value, unsigned element, size_t count) {
  if (element == 1) memset(row, (int)value, count);
  for (size_t i = 0; element == 2 && i < count; ++i) ((uint16_t *)row)[i] = (uint16_t)value;
  for (size_t i = 0; element == 4 && i < count; ++i) ((uint32_t *)row)[i] = value;
}

static void run_fill(const sim_hip_fill_work *f) {
  for (size_t z = 0; z < f->depth && f->width; ++z)
    for (size_t y = 0; y < f->height; ++y) {
      char *row = (char *)f->dst + z * f->layout.slice + y * f->layout.pitch;
      fill_row(row, f->value, f->element, f->width);
      sim_written_mark((uintptr_t)row, f->width * f->element);
    }
}

// Bytes that a copy moves may be the result of a kernel that has faulted: it is told so instead.
static hipError_t run_checked_copy(const sim_hip_copy_work *copy, sim_hip_device *device) {
  hipError_t error = sim_hip_synchronize(device);
  if (error == hipSuccess) run_copy(copy);
  return sim_hip_result(error);
}

hipError_t sim_hip_work_run(const char *call, const sim_hip_work *work, sim_hip_device *device) {
  switch (work->type) {
    case hipGraphNodeTypeKernel: return sim_hip_kernel_run(call, &work->kernel, device);
    case hipGraphNodeTypeMemcpy:
    case hipGraphNodeTypeMemcpy1D:
    case hipGraphNodeTypeMemcpyFromSymbol:
    case hipGraphNodeTypeMemcpyToSymbol: return run_checked_copy(&work->copy, device);
    case hipGraphNodeTypeMemset: run_fill(&work->fill); return hipSuccess;
    case hipGraphNodeTypeHost: work->host.fn(work->host.userData); return hipSuccess;
    case hipGraphNodeTypeEventRecord: return sim_hip_event_record(work->event);
    case hipGraphNodeTypeGraph: return sim_hip_graph_run(call, work->child, device);
    case hipGraphNodeTypeWaitEvent:  // recorded events have happened
    default: break;
  }
  if (work->type == SIM_HIP_NODE_ALLOCATE) return sim_hip_graph_memory_allocate(call, work->memory);
  if (work->type == SIM_HIP_NODE_FREE) return sim_hip_free(call, work->base, false);
  return hipSuccess;
}

hipError_t sim_hip_submit(const char *call, hipStream_t stream, const sim_hip_work *work) {
  sim_hip_device *device;
  hipError_t error;
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  if (sim_hip_need_stream(call, stream, &device)) return hipErrorContextIsDestroyed;
  error = sim_hip_work_check(call, work);
  if (error != hipSuccess || sim_hip_captures(call, stream, work, &error)) return error;
  return sim_hip_work_run(call, work, device);
}
