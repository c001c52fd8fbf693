// SPDX-License-Identifier: MIT
// Implements events. An event happens when the work before its record has ended. The time between two events
// is the device's predicted time where launches are predicted (docs/timing.md). Elsewhere it is host time: it
// says how long the simulation took and nothing about a device.
#include <stdlib.h>
#include <time.h>

#include "sim/hip/streams/event_ipc.h"
#include "sim/hip/streams/order.h"
#include "sim/report/timing_report.h"

// ROCm tells an event that was destroyed from none at all.
static hipError_t bad_event(const char *call, hipEvent_t event) {
  return sim_hip_refuse(event ? hipErrorContextIsDestroyed : hipErrorInvalidHandle,
                        "%s: the event is not an event of this runtime", call);
}

// hipEventDisableSystemFence of ROCm 5.3 changes nothing: the memory of host and device is the same here.
#define DISABLE_SYSTEM_FENCE 0x20000000u

hipError_t sim_hip_event_make(sim_hip_device *device, unsigned flags, struct sim_hip_shared_event *shared,
                              hipEvent_t *out) {
  hipEvent_t event = malloc(sizeof *event);
  if (event) *event = (struct ihipEvent_t){.device = device, .flags = flags, .holders = 1, .shared = shared};
  if (!event || !sim_hip_handle_add(event, SIM_HIP_EVENT, device)) {
    free(event);
    sim_hip_shared_event_drop(shared);
    return sim_hip_result(hipErrorOutOfMemory);
  }
  *out = event;
  return hipSuccess;
}

hipError_t hipEventCreateWithFlags(hipEvent_t *out, unsigned flags) {
  const unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                         (unsigned)hipEventReleaseToDevice | (unsigned)hipEventReleaseToSystem |
                         DISABLE_SYSTEM_FENCE;
  const unsigned releases =
      flags & ((unsigned)hipEventReleaseToDevice | (unsigned)hipEventReleaseToSystem | DISABLE_SYSTEM_FENCE);
  sim_hip_device *device = sim_hip_current();
  if (!out)
    return sim_hip_refuse(hipErrorInvalidValue, "hipEventCreateWithFlags: the result pointer is null");
  if (!device) return sim_hip_result(hipErrorNoDevice);
  if (flags & ~known)
    return sim_hip_refuse(hipErrorInvalidValue, "hipEventCreateWithFlags: flags 0x%x has unknown bits 0x%x",
                          flags, flags & ~known);
  if (releases & (releases - 1))
    return sim_hip_refuse(hipErrorInvalidValue,
                          "hipEventCreateWithFlags: flags 0x%x asks for several kinds of release", flags);
  if (flags & hipEventInterprocess && !(flags & hipEventDisableTiming))
    return sim_hip_refuse(hipErrorInvalidValue,
                          "hipEventCreateWithFlags: an event for several processes needs "
                          "hipEventDisableTiming as well");
  struct sim_hip_shared_event *shared = NULL;
  if (flags & hipEventInterprocess && !(shared = sim_hip_shared_event_make()))
    return sim_hip_refuse(
        hipErrorOutOfMemory,
        "hipEventCreateWithFlags: there is no memory or no file for an event that processes "
        "share");
  return sim_hip_event_make(device, flags, shared, out);
}

hipError_t hipEventCreate(hipEvent_t *out) { return hipEventCreateWithFlags(out, hipEventDefault); }

void sim_hip_event_drop(hipEvent_t event) {
  if (atomic_fetch_sub(&event->holders, 1) > 1) return;
  sim_hip_shared_event_drop(event->shared);
  free(event->last);
  free(event);
}

// Records of it may be on their way.
hipError_t hipEventDestroy(hipEvent_t event) {
  if (!sim_hip_handle_remove(event, SIM_HIP_EVENT)) return bad_event("hipEventDestroy", event);
  sim_hip_event_drop(event);
  return hipSuccess;
}

void sim_hip_event_happens(hipEvent_t event, uint64_t turn) {
  sim_hip_shared_event_happens(event->shared, turn);
  if (sim_report_timing()) {
    atomic_store(&event->time, sim_report_timing_now(event->device->ordinal));
    return;
  }
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  atomic_store(&event->time, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  sim_hip_device *device;
  if (!sim_hip_handle_is(event, SIM_HIP_EVENT)) return bad_event("hipEventRecord", event);
  if (sim_hip_need_stream("hipEventRecord", stream, &device)) return hipErrorContextIsDestroyed;
  if (device != event->device)
    return sim_hip_refuse(hipErrorInvalidHandle,
                          "hipEventRecord: the event belongs to device %d, the stream to device %d",
                          event->device->ordinal, device->ordinal);
  hipError_t error;
  if (sim_hip_capture_record("hipEventRecord", event, stream, &error)) return error;
  return sim_hip_submit("hipEventRecord", stream,
                        &(sim_hip_work){hipGraphNodeTypeEventRecord, .event = event}, SIM_HIP_ASYNC);
}

// The flag asks for a node of its own where the stream is captured, which no other call could tell from none.
enum { RECORD_EXTERNAL = 1 };

SIM_HIP_EXPORT hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags);
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags) {
  if (flags & ~(unsigned)RECORD_EXTERNAL)
    return sim_hip_refuse(hipErrorInvalidValue, "hipEventRecordWithFlags: flags is 0x%x, it must be 0 or 1",
                          flags);
  return hipEventRecord(event, stream);
}

// An event last recorded in a captured stream stands for nodes, not for a moment.
static hipError_t captured(const char *call, hipEvent_t event) {
  if (!atomic_load(&event->capture)) return hipSuccess;
  return sim_hip_refuse(hipErrorCapturedEvent, "%s: the event was last recorded in a captured stream", call);
}

// Another process does the work that the event stands for: nothing tells when it is done but the event
// itself.
static hipError_t wait_for_other(hipEvent_t event, uint64_t turn) {
  const struct timespec pause = {.tv_nsec = 500000};
  while (!sim_hip_shared_event_is_past(event->shared, turn)) nanosleep(&pause, NULL);
  return hipSuccess;
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  if (!sim_hip_handle_is(event, SIM_HIP_EVENT)) return bad_event("hipEventSynchronize", event);
  hipError_t error = captured("hipEventSynchronize", event);
  if (error != hipSuccess) return error;
  const uint64_t turn = sim_hip_shared_event_turn(event->shared);
  if (turn) return wait_for_other(event, turn);
  const uint64_t number = atomic_load(&event->number);
  sim_hip_wait_for(number);
  return sim_hip_result(sim_hip_deliver(event->device, number));
}

hipError_t hipEventQuery(hipEvent_t event) {
  if (!sim_hip_handle_is(event, SIM_HIP_EVENT)) return bad_event("hipEventQuery", event);
  hipError_t error = captured("hipEventQuery", event);
  if (error != hipSuccess) return error;
  const uint64_t turn = sim_hip_shared_event_turn(event->shared);
  const bool pending = turn ? !sim_hip_shared_event_is_past(event->shared, turn)
                            : sim_hip_is_pending(atomic_load(&event->number));
  return pending ? hipErrorNotReady : hipSuccess;
}

hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) {
  if (!ms) return sim_hip_refuse(hipErrorInvalidValue, "hipEventElapsedTime: the result pointer is null");
  if (!sim_hip_handle_is(start, SIM_HIP_EVENT) || !sim_hip_handle_is(stop, SIM_HIP_EVENT))
    return bad_event("hipEventElapsedTime", sim_hip_handle_is(start, SIM_HIP_EVENT) ? stop : start);
  if ((start->flags | stop->flags) & hipEventDisableTiming)
    return sim_hip_refuse(hipErrorInvalidHandle,
                          "hipEventElapsedTime: the %s event was created with hipEventDisableTiming",
                          start->flags & hipEventDisableTiming ? "start" : "stop");
  if (start->device != stop->device)
    return sim_hip_refuse(
        hipErrorInvalidHandle,
        "hipEventElapsedTime: the start event belongs to device %d, the stop event to device %d",
        start->device->ordinal, stop->device->ordinal);
  hipError_t error = captured("hipEventElapsedTime", atomic_load(&start->capture) ? start : stop);
  if (error != hipSuccess) return error;
  const uint64_t first = atomic_load(&start->number), second = atomic_load(&stop->number);
  if (!first || !second)
    return sim_hip_refuse(hipErrorInvalidHandle, "hipEventElapsedTime: the %s event was never recorded",
                          first ? "stop" : "start");
  if (sim_hip_is_pending(first) || sim_hip_is_pending(second)) return hipErrorNotReady;
  const uint64_t begin = atomic_load(&start->time), end = atomic_load(&stop->time);
  *ms = (float)((double)(int64_t)(end - begin) * 1e-6);
  return hipSuccess;
}
