// SPDX-License-Identifier: MIT
// Implements the attributes and numbers of streams, as HIP 7 has them. They steer caches, priorities and how
// a host thread waits, which no result depends on: they are kept for the caller.
#include <string.h>

#include "sim/hip/hip.h"

// This is hipLaunchAttributeID of HIP 7 (include/hip/hip_runtime_api.h of ROCm/rocm-systems), as far as
// streams have them.
enum { ACCESS_POLICY_WINDOW = 1, SYNCHRONIZATION_POLICY = 3, PRIORITY = 8 };
enum { LEGACY_ID = 1, PER_THREAD_ID = 2, FIRST_ID = 3 };

typedef union stream_attribute {
  char bytes[64];
  int number;
} stream_attribute;

#pragma GCC visibility push(default)
hipError_t hipStreamSetAttribute(hipStream_t stream, int attribute, const stream_attribute *value);
hipError_t hipStreamGetAttribute(hipStream_t stream, int attribute, stream_attribute *value);
hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src);
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id);
#pragma GCC visibility pop

static struct ihipStream_t implicit[2];  // what is kept of the null and of the per-thread stream

static struct ihipStream_t *kept(hipStream_t stream) {
  if (stream == hipStreamPerThread) return &implicit[1];
  return sim_hip_stream_is_implicit(stream) ? &implicit[0] : stream;
}

static hipError_t need(const char *call, hipStream_t stream, const void *value) {
  sim_hip_device *device;
  if (!value) return sim_hip_refuse(hipErrorInvalidValue, "%s: the value is null", call);
  return sim_hip_need_stream(call, stream, &device);
}

static hipError_t unknown(const char *call, int attribute) {
  return sim_hip_refuse(hipErrorInvalidValue, "%s: attribute %d is none that a stream has", call, attribute);
}

hipError_t hipStreamSetAttribute(hipStream_t stream, int attribute, const stream_attribute *value) {
  const char *call = "hipStreamSetAttribute";
  hipError_t error = need(call, stream, value);
  if (error != hipSuccess) return error;
  struct ihipStream_t *s = kept(stream);
  switch (attribute) {
    case ACCESS_POLICY_WINDOW: memcpy(s->access_policy, value->bytes, sizeof s->access_policy); break;
    case SYNCHRONIZATION_POLICY: s->synchronization_policy = value->number; break;
    case PRIORITY: s->priority = sim_hip_stream_clamp_priority(value->number); break;
    default: return unknown(call, attribute);
  }
  return hipSuccess;
}

hipError_t hipStreamGetAttribute(hipStream_t stream, int attribute, stream_attribute *value) {
  const char *call = "hipStreamGetAttribute";
  hipError_t error = need(call, stream, value);
  if (error != hipSuccess) return error;
  const struct ihipStream_t *s = kept(stream);
  switch (attribute) {
    case ACCESS_POLICY_WINDOW: memcpy(value->bytes, s->access_policy, sizeof s->access_policy); break;
    case SYNCHRONIZATION_POLICY: value->number = s->synchronization_policy; break;
    case PRIORITY: value->number = s->priority; break;
    default: return unknown(call, attribute);
  }
  return hipSuccess;
}

// A priority belongs to the stream it was given to.
hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src) {
  const char *call = "hipStreamCopyAttributes";
  sim_hip_device *device;
  hipError_t error = sim_hip_need_stream(call, dst, &device);
  if (error == hipSuccess) error = sim_hip_need_stream(call, src, &device);
  if (error != hipSuccess) return error;
  memcpy(kept(dst)->access_policy, kept(src)->access_policy, sizeof kept(dst)->access_policy);
  kept(dst)->synchronization_policy = kept(src)->synchronization_policy;
  return hipSuccess;
}

uint64_t sim_hip_stream_next_id(void) {
  static _Atomic uint64_t last = FIRST_ID;
  return atomic_fetch_add(&last, 1);
}

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id) {
  hipError_t error = need("hipStreamGetId", stream, id);
  if (error == hipSuccess)
    *id = stream == hipStreamPerThread         ? PER_THREAD_ID
          : sim_hip_stream_is_implicit(stream) ? LEGACY_ID
                                               : stream->id;
  return error;
}
