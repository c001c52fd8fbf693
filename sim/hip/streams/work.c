// SPDX-License-Identifier: MIT
// Checks work at the call that enqueues it, and runs it later.
#include "sim/hip/streams/work.h"

#include <stdlib.h>
#include <string.h>

#include "sim/check/written.h"
#include "sim/hip/graphs/graph.h"
#include "sim/hip/memory/pool.h"
#include "sim/hip/streams/event_ipc.h"
#include "sim/hip/streams/order.h"

// Returns the bytes from the first to the end of the last byte of the box; SIZE_MAX when that overflows.
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

static bool holds(const sim_hip_value_work *w) {
  const uint64_t now = w->bytes == 4 ? __atomic_load_n((uint32_t *)w->word, __ATOMIC_ACQUIRE)
                                     : __atomic_load_n((uint64_t *)w->word, __ATOMIC_ACQUIRE);
  switch (w->flags) {
    case hipStreamWaitValueGte: return (now & w->mask) >= w->value;
    case hipStreamWaitValueEq: return (now & w->mask) == w->value;
    case hipStreamWaitValueAnd: return ((now & w->mask) & w->value) != 0;
    default: return (~((now & w->mask) | (w->value & w->mask)) & w->mask) != 0;
  }
}

static void write_value(const sim_hip_value_work *w) {
  if (w->bytes == 4)
    __atomic_store_n((uint32_t *)w->word, (uint32_t)w->value, __ATOMIC_RELEASE);
  else
    __atomic_store_n((uint64_t *)w->word, w->value, __ATOMIC_RELEASE);
  sim_written_mark((uintptr_t)w->word, w->bytes);
}

bool sim_hip_work_is_instant(const sim_hip_work *work) {
  return work->type == hipGraphNodeTypeEventRecord || work->type == hipGraphNodeTypeWaitEvent ||
         work->type == SIM_HIP_WRITE_VALUE || work->type == SIM_HIP_WAIT_VALUE;
}

bool sim_hip_work_finish(const sim_hip_work *work) {
  if (work->type == hipGraphNodeTypeEventRecord) sim_hip_event_happens(work->event, work->turn);
  if (work->type == hipGraphNodeTypeWaitEvent)
    return !work->turn || sim_hip_shared_event_is_past(work->event->shared, work->turn);
  if (work->type == SIM_HIP_WRITE_VALUE) write_value(&work->value);
  return work->type != SIM_HIP_WAIT_VALUE || holds(&work->value);
}

hipError_t sim_hip_work_run(const char *call, const sim_hip_work *work) {
  if (work->type == hipGraphNodeTypeKernel) return sim_hip_kernel_run(call, &work->kernel);
  if (work->type == hipGraphNodeTypeMemset)
    run_fill(&work->fill);
  else if (work->type == hipGraphNodeTypeHost)
    work->host.fn(work->host.userData);
  else if (work->type == SIM_HIP_CALLBACK)
    work->callback.function(work->callback.stream, hipSuccess, work->callback.user);
  else if (work->type == SIM_HIP_NODE_FREE)
    sim_hip_release(work->base);
  else
    run_copy(&work->copy);
  return hipSuccess;
}

static bool has_event(const sim_hip_work *work) {
  return work->type == hipGraphNodeTypeEventRecord || work->type == hipGraphNodeTypeWaitEvent;
}

bool sim_hip_work_keep(sim_hip_work *work) {
  if (has_event(work)) atomic_fetch_add(&work->event->holders, 1);
  if (work->type != hipGraphNodeTypeKernel) return true;
  uint8_t *kernarg = malloc(work->kernel.kernarg_size + 1);
  if (kernarg && work->kernel.kernarg_size) memcpy(kernarg, work->kernel.kernarg, work->kernel.kernarg_size);
  work->kernel.kernarg = kernarg;
  return kernarg != NULL;
}

void sim_hip_work_enqueued(sim_hip_work *work, uint64_t number) {
  if (work->type == hipGraphNodeTypeEventRecord) {
    work->turn = sim_hip_shared_event_record(work->event->shared);
    atomic_store(&work->event->capture, 0);
    atomic_store(&work->event->number, number);
  }
  if (work->type == SIM_HIP_NODE_FREE) sim_hip_graph_memory_freeing(work->base, number);
}

void sim_hip_work_drop(sim_hip_work *work) {
  if (has_event(work)) sim_hip_event_drop(work->event);
  if (work->type == hipGraphNodeTypeKernel) free(work->kernel.kernarg);
}

hipError_t sim_hip_work_enqueue(const char *call, const sim_hip_queue *queue, const sim_hip_work *work,
                                bool awaited, uint64_t *number) {
  if (work->type == hipGraphNodeTypeEmpty) return hipSuccess;
  if (work->type == hipGraphNodeTypeGraph) return sim_hip_graph_enqueue(call, work->child, queue);
  if (work->type == SIM_HIP_NODE_ALLOCATE) return sim_hip_graph_memory_allocate(call, work->memory);
  if (work->type == SIM_HIP_NODE_FREE) {
    hipError_t error = sim_hip_check_free(call, work->base);
    if (error != hipSuccess) return error;
    sim_memory_mark((uintptr_t)work->base, SIM_HIP_FREED, 0);
  }
  sim_hip_work kept = *work;
  uint64_t after = 0;
  if (work->type == hipGraphNodeTypeWaitEvent) {
    kept.turn = sim_hip_shared_event_turn(work->event->shared);
    after = kept.turn ? 0 : atomic_load(&work->event->number);
  }
  if (!sim_hip_work_keep(&kept)) return sim_hip_result(hipErrorOutOfMemory);
  *number = sim_hip_enqueue(call, queue, &kept, after, awaited);
  if (*number) return hipSuccess;
  sim_hip_work_drop(&kept);
  return sim_hip_result(hipErrorOutOfMemory);
}

static bool is_copy(const sim_hip_work *work) {
  return work->type == hipGraphNodeTypeMemcpy || work->type == hipGraphNodeTypeMemcpy1D ||
         work->type == hipGraphNodeTypeMemcpyFromSymbol || work->type == hipGraphNodeTypeMemcpyToSymbol;
}

// HIP copies at the call what is not pinned (hip_runtime_api.h, hipMemcpyAsync).
static bool is_pageable(const sim_hip_work *work) {
  sim_allocation a;
  return is_copy(work) &&
         (!sim_memory_find((uintptr_t)work->copy.src, &a) || !sim_memory_find((uintptr_t)work->copy.dst, &a));
}

hipError_t sim_hip_submit(const char *call, hipStream_t stream, const sim_hip_work *work, sim_hip_pace pace) {
  sim_hip_device *device;
  hipError_t error;
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  if (sim_hip_need_stream(call, stream, &device)) return hipErrorContextIsDestroyed;
  error = sim_hip_work_check(call, work);
  if (error != hipSuccess || sim_hip_captures(call, stream, work, &error)) return error;
  const bool waits = pace == SIM_HIP_SYNC || is_pageable(work);
  if (waits && sim_hip_in_host_function())
    return sim_hip_refuse(hipErrorNotSupported,
                          "%s: a host function of a stream cannot wait for the work that it enqueues; use an "
                          "asynchronous call and pinned memory",
                          call);
  const sim_hip_queue queue = sim_hip_stream_queue(stream);
  uint64_t number = 0;
  error = sim_hip_work_enqueue(call, &queue, work, waits, &number);
  if (error != hipSuccess || !waits) return error;
  sim_hip_wait_for(number);
  return sim_hip_result(sim_hip_deliver(device, number));
}
