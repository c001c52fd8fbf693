// SPDX-License-Identifier: MIT
// Implements streams. What their work waits for, and when it runs, is decided in order.c.
#include <stdlib.h>

#include "sim/hip/streams/order.h"

// hipStreamLegacy of ROCm 6 is 1; hipStreamPerThread is 2.
bool sim_hip_stream_is_implicit(hipStream_t stream) {
  return (uintptr_t)stream <= (uintptr_t)hipStreamPerThread;
}

bool sim_hip_stream_device(hipStream_t stream, sim_hip_device **out) {
  if (sim_hip_stream_is_implicit(stream)) return (*out = sim_hip_current()) != NULL;
  if (!sim_hip_handle_is(stream, SIM_HIP_STREAM)) return false;
  *out = stream->device;
  return true;
}

static sim_hip_queue per_thread_queue(sim_hip_device *device) {
  static __thread uint64_t ids[SIM_HIP_MAX_DEVICES], lasts[SIM_HIP_MAX_DEVICES];
  uint64_t *id = &ids[device->ordinal];
  if (!*id) *id = sim_hip_stream_next_id();
  return (sim_hip_queue){device, SIM_HIP_BLOCKING_QUEUE, *id, &lasts[device->ordinal]};
}

sim_hip_queue sim_hip_stream_queue(hipStream_t stream) {
  if (stream == hipStreamPerThread) return per_thread_queue(sim_hip_current());
  if (sim_hip_stream_is_implicit(stream)) {
    sim_hip_device *device = sim_hip_current();
    return (sim_hip_queue){device, SIM_HIP_NULL_QUEUE, 0, &device->null_last};
  }
  return (sim_hip_queue){stream->device,
                         stream->flags & hipStreamNonBlocking ? SIM_HIP_OWN_QUEUE : SIM_HIP_BLOCKING_QUEUE,
                         stream->id, &stream->last_work};
}

// Refuses, with ROCm's code, a stream that is not there (any more).
static hipError_t refuse_stream(const char *call) {
  return sim_hip_refuse(hipErrorContextIsDestroyed, "%s: the stream is not a stream of this runtime", call);
}

hipError_t sim_hip_need_stream(const char *call, hipStream_t stream, sim_hip_device **out) {
  return sim_hip_stream_device(stream, out) ? hipSuccess : refuse_stream(call);
}

static hipError_t bad_stream(const char *call) {
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  return refuse_stream(call);
}

// A priority out of range is clamped (HIP API reference).
int sim_hip_stream_clamp_priority(int priority) {
  int least, greatest;
  (void)hipDeviceGetStreamPriorityRange(&least, &greatest);
  return priority > least ? least : priority < greatest ? greatest : priority;
}

static hipError_t create(const char *call, hipStream_t *out, unsigned flags, int priority) {
  sim_hip_device *device = sim_hip_current();
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  if (!device) return sim_hip_result(hipErrorNoDevice);
  if (flags & ~(unsigned)hipStreamNonBlocking)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "%s: flags 0x%x is neither hipStreamDefault nor hipStreamNonBlocking", call, flags);
  hipStream_t stream = malloc(sizeof *stream);
  if (stream)
    *stream = (struct ihipStream_t){.device = device,
                                    .flags = flags,
                                    .priority = sim_hip_stream_clamp_priority(priority),
                                    .id = sim_hip_stream_next_id()};
  if (!stream || !sim_hip_handle_add(stream, SIM_HIP_STREAM, device)) {
    free(stream);
    return sim_hip_result(hipErrorOutOfMemory);
  }
  *out = stream;
  return hipSuccess;
}

hipError_t hipStreamCreate(hipStream_t *out) { return create("hipStreamCreate", out, hipStreamDefault, 0); }
hipError_t hipStreamCreateWithFlags(hipStream_t *out, unsigned flags) {
  return create("hipStreamCreateWithFlags", out, flags, 0);
}
hipError_t hipStreamCreateWithPriority(hipStream_t *out, unsigned flags, int priority) {
  return create("hipStreamCreateWithPriority", out, flags, priority);
}

// The mask only chooses compute units, which changes no result.
hipError_t hipExtStreamCreateWithCUMask(hipStream_t *out, uint32_t words, const uint32_t *mask) {
  const char *call = "hipExtStreamCreateWithCUMask";
  if (!words || !mask)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call,
                          words ? "the mask is null" : "the mask has no words");
  hipError_t error = create(call, out, hipStreamDefault, 0);
  for (uint32_t i = 0; error == hipSuccess && i < SIM_HIP_CU_WORDS; ++i) {
    (*out)->cu_mask[i] = i < words ? mask[i] : 0;
    (*out)->masked |= (*out)->cu_mask[i] != 0;  // an empty mask stands for all units
  }
  return error;
}

// Names all units where no mask was given.
hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t words, uint32_t *mask) {
  sim_hip_device *device;
  if (!sim_hip_stream_device(stream, &device)) return bad_stream("hipExtStreamGetCUMask");
  const uint32_t needed = (device->machine->cus + 31) / 32;
  if (!mask || words < needed)
    return sim_hip_refuse(hipErrorInvalidValue, "hipExtStreamGetCUMask: %u words at %p; %s has %u", words,
                          (void *)mask, device->machine->product, needed);
  for (uint32_t i = 0; i < words; ++i) {
    const uint32_t units = i < needed ? device->machine->cus - 32 * i : 0,
                   all = units < 32 ? (1u << units) - 1 : ~0u;
    const bool set = !sim_hip_stream_is_implicit(stream) && i < SIM_HIP_CU_WORDS && stream->masked;
    mask[i] = set ? stream->cu_mask[i] & all : all;
  }
  return hipSuccess;
}

void sim_hip_stream_free(hipStream_t stream) {
  sim_hip_handle_remove(stream, SIM_HIP_STREAM);
  sim_hip_capture_forget(stream);
  free(stream);
}

// Callbacks of its work are given the stream.
hipError_t hipStreamDestroy(hipStream_t stream) {
  if (sim_hip_stream_is_implicit(stream))
    return sim_hip_refuse(hipErrorInvalidHandle, "hipStreamDestroy: the null and the per-thread stream stay");
  if (!sim_hip_handle_is(stream, SIM_HIP_STREAM)) return bad_stream("hipStreamDestroy");
  const sim_hip_queue queue = sim_hip_stream_queue(stream);
  sim_hip_wait_for_queue(&queue);
  sim_hip_stream_free(stream);
  return hipSuccess;
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  sim_hip_device *device;
  if (!sim_hip_stream_device(stream, &device)) return bad_stream("hipStreamSynchronize");
  hipError_t error = sim_hip_capture_refuses("hipStreamSynchronize", stream);
  if (error == hipSuccess) error = sim_hip_capture_refuses_unsafe("hipStreamSynchronize");
  if (error != hipSuccess) return error;
  const sim_hip_queue queue = sim_hip_stream_queue(stream);
  const uint64_t last = sim_hip_queue_last(&queue);
  sim_hip_wait_for_queue(&queue);
  return sim_hip_result(sim_hip_deliver(device, last));
}

hipError_t hipStreamQuery(hipStream_t stream) {
  sim_hip_device *device;
  if (!sim_hip_stream_device(stream, &device)) return bad_stream("hipStreamQuery");
  hipError_t error = sim_hip_capture_refuses("hipStreamQuery", stream);
  if (error != hipSuccess) return error;
  const sim_hip_queue queue = sim_hip_stream_queue(stream);
  const uint64_t last = sim_hip_queue_last(&queue);
  if (sim_hip_queue_is_pending(&queue)) return hipErrorNotReady;
  return sim_hip_result(sim_hip_deliver(device, last));
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  sim_hip_device *device;
  if (!sim_hip_stream_device(stream, &device))  // ROCm has another code here than elsewhere
    return sim_hip_refuse(hipErrorInvalidHandle,
                          "hipStreamWaitEvent: the stream is not a stream of this runtime");
  if (!sim_hip_handle_is(event, SIM_HIP_EVENT))
    return sim_hip_refuse(hipErrorInvalidHandle,
                          "hipStreamWaitEvent: the event is not an event of this runtime");
  if (flags)
    return sim_hip_refuse(hipErrorInvalidValue, "hipStreamWaitEvent: flags is 0x%x, it must be 0", flags);
  hipError_t error = hipSuccess;
  if (sim_hip_capture_wait("hipStreamWaitEvent", event, stream, &error)) return error;
  return sim_hip_submit("hipStreamWaitEvent", stream,
                        &(sim_hip_work){hipGraphNodeTypeWaitEvent, .event = event}, SIM_HIP_ASYNC);
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags) {
  sim_hip_device *device;
  if (!stream || !flags)
    return sim_hip_refuse(hipErrorInvalidValue, "hipStreamGetFlags: the %s is null",
                          stream ? "result pointer" : "stream");
  if (!sim_hip_stream_device(stream, &device)) return bad_stream("hipStreamGetFlags");
  *flags = sim_hip_stream_is_implicit(stream) ? hipStreamDefault : stream->flags;
  return hipSuccess;
}

hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) {
  sim_hip_device *device;
  if (!priority)
    return sim_hip_refuse(hipErrorInvalidValue, "hipStreamGetPriority: the result pointer is null");
  if (!sim_hip_stream_device(stream, &device)) return bad_stream("hipStreamGetPriority");
  *priority = sim_hip_stream_is_implicit(stream) ? 0 : stream->priority;
  return hipSuccess;
}

SIM_HIP_EXPORT hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *ordinal);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *ordinal) {
  sim_hip_device *device;
  if (!ordinal) return sim_hip_refuse(hipErrorInvalidValue, "hipStreamGetDevice: the result pointer is null");
  if (!sim_hip_stream_device(stream, &device)) return bad_stream("hipStreamGetDevice");
  *ordinal = device->ordinal;
  return hipSuccess;
}

int hipGetStreamDeviceId(hipStream_t stream) {
  sim_hip_device *device;
  return sim_hip_stream_device(stream, &device) ? device->ordinal : -1;
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *user,
                                unsigned flags) {
  sim_hip_device *device;
  if (!sim_hip_stream_device(stream, &device)) return bad_stream("hipStreamAddCallback");
  if (!callback || flags)
    return sim_hip_refuse(hipErrorInvalidValue, "hipStreamAddCallback: %s",
                          callback ? "flags must be 0" : "callback is null");
  hipError_t error = sim_hip_capture_refuses("hipStreamAddCallback", stream);
  if (error != hipSuccess) return error;
  return sim_hip_submit("hipStreamAddCallback", stream,
                        &(sim_hip_work){SIM_HIP_CALLBACK, .callback = {stream, callback, user}},
                        SIM_HIP_ASYNC);
}

#pragma GCC visibility push(default)
hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t function, void *user);
#pragma GCC visibility pop

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *user) {
  return sim_hip_submit("hipLaunchHostFunc", stream,
                        &(sim_hip_work){hipGraphNodeTypeHost, .host = {function, user}}, SIM_HIP_ASYNC);
}

hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t function, void *user) {
  return hipLaunchHostFunc(sim_hip_of_thread(stream), function, user);
}
