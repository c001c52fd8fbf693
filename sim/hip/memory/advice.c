// SPDX-License-Identifier: MIT
// Implements advice about managed memory and prefetching. Host and device share every page, so there is
// nothing to move; what a program has said is kept, by pages, for when it asks.
#include <stdlib.h>

#include "sim/hip/memory/pool.h"

enum { PAGE = 4096 };

typedef struct advice {
  bool read_mostly, coarse, by_host;
  int preferred, prefetched;  // hipInvalidDeviceId: none
  uint32_t by;                // bit d: accessed by device d
} advice;

typedef struct span {
  uint64_t begin, end;
  advice advice;
  struct span *next;
} span;

static const advice none = {.preferred = hipInvalidDeviceId, .prefetched = hipInvalidDeviceId};
static span *spans;  // by address, without overlap; where there is none, no advice was given
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards the spans

static hipError_t need_managed(const char *call, const void *pointer, size_t count) {
  sim_allocation a;
  if (!pointer || !sim_memory_find((uintptr_t)pointer, &a) || a.kind != SIM_MEMORY_MANAGED)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %p is not managed memory", call, pointer);
  if (!count) return sim_hip_refuse(hipErrorInvalidValue, "%s: the range is empty", call);
  return sim_hip_check_range(call, "range", pointer, count, SIM_HIP_ON_DEVICE);
}

static hipError_t need_place(const char *call, int ordinal) {
  if (ordinal == hipCpuDeviceId || sim_hip_device_at(ordinal)) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidDevice, "%s: device %d does not exist", call, ordinal);
}

static uint64_t first_page(const void *pointer) { return (uintptr_t)pointer / PAGE * PAGE; }
static uint64_t behind_pages(const void *pointer, size_t count) {
  return ((uintptr_t)pointer + count + PAGE - 1) / PAGE * PAGE;
}

// ---- spans; the caller holds the lock

static bool insert(span **link, uint64_t begin, uint64_t end, advice a) {
  span *s = malloc(sizeof *s);
  if (!s) return false;
  *s = (span){begin, end, a, *link};
  *link = s;
  return true;
}

static bool split(uint64_t at) {
  span *s = spans;
  while (s && s->end <= at) s = s->next;
  if (!s || s->begin >= at) return true;
  if (!insert(&s->next, at, s->end, s->advice)) return false;
  s->end = at;
  return true;
}

// Makes [begin, end) consist of whole spans. Returns false when host memory runs out.
static bool cover(uint64_t begin, uint64_t end) {
  if (!split(begin) || !split(end)) return false;
  span **link = &spans;
  while (*link && (*link)->end <= begin) link = &(*link)->next;
  for (uint64_t at = begin; at < end; at = (*link)->end, link = &(*link)->next) {
    const uint64_t next = *link && (*link)->begin < end ? (*link)->begin : end;
    if (at < next && !insert(link, at, next, none)) return false;
  }
  return true;
}

// Returns what all the pages have in common; *mixed becomes true when some are coarse and some are not.
static advice common(uint64_t begin, uint64_t end, bool *mixed) {
  uint64_t at = begin;
  advice all = none;
  *mixed = false;
  for (const span *s = spans; s && at < end; s = s->next) {
    if (s->end <= begin) continue;
    const bool gap = s->begin > at, first = at == begin && !gap;
    if (gap || s->begin >= end) break;
    const advice *a = &s->advice;
    if (!first && a->coarse != all.coarse) *mixed = true;
    if (first) {
      all = *a;
    } else {
      all.read_mostly &= a->read_mostly;
      all.by_host &= a->by_host;
      all.by &= a->by;
      if (all.preferred != a->preferred) all.preferred = hipInvalidDeviceId;
      if (all.prefetched != a->prefetched) all.prefetched = hipInvalidDeviceId;
    }
    at = s->end;
  }
  if (at >= end) return all;
  *mixed = false;  // some pages have no advice, so they are not coarse
  for (const span *s = spans; s && s->begin < end; s = s->next)
    if (s->end > begin && s->advice.coarse) *mixed = true;
  return none;
}

void sim_hip_advice_forget(const void *base, size_t size) {
  const uint64_t begin = first_page(base), end = behind_pages(base, size);
  pthread_mutex_lock(&lock);
  for (span **link = &spans; *link;) {
    span *s = *link;
    if (s->begin >= begin && s->end <= end) {
      *link = s->next;
      free(s);
    } else {
      link = &s->next;
    }
  }
  pthread_mutex_unlock(&lock);
}

// ---- giving advice

static void change(advice *a, hipMemoryAdvise what, int ordinal) {
  // Where the device plays no part it may be one that does not exist.
  const uint32_t bit = ordinal >= 0 && ordinal < SIM_HIP_MAX_DEVICES ? 1u << ordinal : 0;
  switch (what) {
    case hipMemAdviseSetReadMostly: a->read_mostly = true; break;
    case hipMemAdviseUnsetReadMostly: a->read_mostly = false; break;
    case hipMemAdviseSetPreferredLocation: a->preferred = ordinal; break;
    case hipMemAdviseUnsetPreferredLocation: a->preferred = hipInvalidDeviceId; break;
    case hipMemAdviseSetAccessedBy:
      a->by |= bit;
      a->by_host |= !bit;
      break;
    case hipMemAdviseUnsetAccessedBy:
      a->by &= ~bit;
      a->by_host &= bit != 0;
      break;
    case hipMemAdviseSetCoarseGrain: a->coarse = true; break;
    case hipMemAdviseUnsetCoarseGrain: a->coarse = false; break;
  }
}

enum { PREFETCH = -1 };

static hipError_t advise(const void *pointer, size_t count, int what, int ordinal) {
  const uint64_t begin = first_page(pointer), end = behind_pages(pointer, count);
  pthread_mutex_lock(&lock);
  const bool ok = cover(begin, end);
  for (span *s = spans; ok && s && s->begin < end; s = s->next) {
    if (s->begin < begin) continue;
    if (what == PREFETCH)
      s->advice.prefetched = ordinal;
    else
      change(&s->advice, (hipMemoryAdvise)what, ordinal);
  }
  pthread_mutex_unlock(&lock);
  return sim_hip_result(ok ? hipSuccess : hipErrorOutOfMemory);
}

// ROCm 5 and 6 give the place as the number of a device, HIP 7 as a location, in which host memory has kinds.
enum { LOCATION_HOST = 2, LOCATION_HOST_NUMA = 3, LOCATION_HOST_NUMA_CURRENT = 4 };

#pragma GCC visibility push(default)
hipError_t hipMemPrefetchAsync_v2(const void *pointer, size_t count, hipMemLocation place, unsigned flags,
                                  hipStream_t stream);
hipError_t hipMemAdvise_v2(const void *pointer, size_t count, hipMemoryAdvise what, hipMemLocation place);
hipError_t hipMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count, hipMemLocation *places,
                                    size_t *starts, size_t place_count, unsigned long long flags,
                                    hipStream_t stream);
#pragma GCC visibility pop

static hipError_t ordinal_of(const char *call, hipMemLocation place, int *out) {
  switch ((int)place.type) {
    case hipMemLocationTypeDevice: *out = place.id; return need_place(call, place.id);
    case LOCATION_HOST:
    case LOCATION_HOST_NUMA:  // the nodes of the host are one here
    case LOCATION_HOST_NUMA_CURRENT: *out = hipCpuDeviceId; return hipSuccess;
    default:
      return sim_hip_refuse(hipErrorInvalidValue, "%s: a location of type %d is not known", call,
                            (int)place.type);
  }
}

static hipError_t prefetch(const char *call, const void *pointer, size_t count, int ordinal,
                           hipStream_t stream) {
  sim_hip_device *device;
  if (sim_hip_need_stream(call, stream, &device)) return hipErrorContextIsDestroyed;
  hipError_t error = need_place(call, ordinal);
  if (error == hipSuccess) error = need_managed(call, pointer, count);
  return error == hipSuccess ? advise(pointer, count, PREFETCH, ordinal) : error;
}

hipError_t hipMemPrefetchAsync(const void *pointer, size_t count, int ordinal, hipStream_t stream) {
  return prefetch("hipMemPrefetchAsync", pointer, count, ordinal, stream);
}

hipError_t hipMemPrefetchAsync_v2(const void *pointer, size_t count, hipMemLocation place, unsigned flags,
                                  hipStream_t stream) {
  const char *call = "hipMemPrefetchAsync_v2";
  int ordinal = hipInvalidDeviceId;
  if (flags) return sim_hip_refuse(hipErrorInvalidValue, "%s: flags is 0x%x, it must be 0", call, flags);
  hipError_t error = ordinal_of(call, place, &ordinal);
  return error == hipSuccess ? prefetch(call, pointer, count, ordinal, stream) : error;
}

// Each place is for the ranges from its start in the list to the next place's.
hipError_t hipMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count, hipMemLocation *places,
                                    size_t *starts, size_t place_count, unsigned long long flags,
                                    hipStream_t stream) {
  const char *call = "hipMemPrefetchBatchAsync";
  if (!pointers || !sizes || !count || !places || !starts || !place_count || flags || starts[0])
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call,
                          flags ? "flags must be 0" : "a list is null, empty or does not begin at 0");
  hipError_t error = hipSuccess;
  for (size_t i = 0, at = 0; error == hipSuccess && i < count; ++i) {
    int ordinal = hipInvalidDeviceId;
    while (at + 1 < place_count && starts[at + 1] <= i) ++at;
    error = ordinal_of(call, places[at], &ordinal);
    if (error == hipSuccess) error = prefetch(call, pointers[i], sizes[i], ordinal, stream);
  }
  return error;
}

static hipError_t give_advice(const char *call, const void *pointer, size_t count, hipMemoryAdvise what,
                              int ordinal) {
  const bool known = (what >= hipMemAdviseSetReadMostly && what <= hipMemAdviseUnsetAccessedBy) ||
                     what == hipMemAdviseSetCoarseGrain || what == hipMemAdviseUnsetCoarseGrain;
  // The device plays no part in this advice, so it is not looked at (HIP API reference).
  const bool placeless = what == hipMemAdviseSetReadMostly || what == hipMemAdviseUnsetReadMostly ||
                         what == hipMemAdviseUnsetPreferredLocation;
  if (!known) return sim_hip_refuse(hipErrorInvalidValue, "%s: advice %d is not known", call, (int)what);
  hipError_t error = placeless ? hipSuccess : need_place(call, ordinal);
  if (error == hipSuccess) error = need_managed(call, pointer, count);
  return error == hipSuccess ? advise(pointer, count, (int)what, ordinal) : error;
}

hipError_t hipMemAdvise(const void *pointer, size_t count, hipMemoryAdvise what, int ordinal) {
  return give_advice("hipMemAdvise", pointer, count, what, ordinal);
}

hipError_t hipMemAdvise_v2(const void *pointer, size_t count, hipMemoryAdvise what, hipMemLocation place) {
  int ordinal = hipInvalidDeviceId;
  hipError_t error = ordinal_of("hipMemAdvise_v2", place, &ordinal);
  return error == hipSuccess ? give_advice("hipMemAdvise_v2", pointer, count, what, ordinal) : error;
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *pointer, size_t length, unsigned flags) {
  const char *call = "hipStreamAttachMemAsync";
  sim_hip_device *device;
  if (sim_hip_need_stream(call, stream, &device)) return hipErrorContextIsDestroyed;
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost && flags != hipMemAttachSingle)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: flags is 0x%x, not a hipMemAttach", call, flags);
  if (flags == hipMemAttachSingle && !stream)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: hipMemAttachSingle needs a stream, not the null stream",
                          call);
  hipError_t error = need_managed(call, pointer, length ? length : 1);  // 0: all of it
  sim_allocation a;
  if (error != hipSuccess || !length || !sim_memory_find((uintptr_t)pointer, &a)) return error;
  if (a.base == (uintptr_t)pointer && a.size == length) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue,
                        "%s: %zu bytes at %p; the length must be 0 or that of the whole allocation", call,
                        length, pointer);
}

// ---- asking for it

static hipError_t read_attribute(const char *call, void *data, size_t size, hipMemRangeAttribute attribute,
                                 const advice *a, bool mixed) {
  int *const out = data;
  if (!data || !size || size % sizeof *out ||
      (attribute != hipMemRangeAttributeAccessedBy && size != sizeof *out))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %s for attribute %d", call,
                          data ? "data_size is not right" : "the data is null", (int)attribute);
  switch (attribute) {
    case hipMemRangeAttributeReadMostly: *out = a->read_mostly; return hipSuccess;
    case hipMemRangeAttributePreferredLocation: *out = a->preferred; return hipSuccess;
    case hipMemRangeAttributeLastPrefetchLocation: *out = a->prefetched; return hipSuccess;
    case hipMemRangeAttributeCoherencyMode:
      *out = mixed       ? hipMemRangeCoherencyModeIndeterminate
             : a->coarse ? hipMemRangeCoherencyModeCoarseGrain
                         : hipMemRangeCoherencyModeFineGrain;
      return hipSuccess;
    case hipMemRangeAttributeAccessedBy: {
      size_t count = 0;
      if (a->by_host) out[count++] = hipCpuDeviceId;
      for (int d = 0; d < SIM_HIP_MAX_DEVICES && count < size / sizeof *out; ++d)
        if (a->by >> d & 1) out[count++] = d;
      while (count < size / sizeof *out) out[count++] = hipInvalidDeviceId;
      return hipSuccess;
    }
    default:
      return sim_hip_refuse(hipErrorInvalidValue, "%s: attribute %d is not known", call, (int)attribute);
  }
}

// Memory of a device, about which no advice is taken, is coarse-grained.
static bool asks_for_grain_of_device(hipMemRangeAttribute attribute, const void *pointer, size_t count) {
  sim_allocation a;
  return attribute == hipMemRangeAttributeCoherencyMode && count && sim_memory_find((uintptr_t)pointer, &a) &&
         a.kind == SIM_MEMORY_DEVICE && count <= a.base + a.size - (uintptr_t)pointer;
}

static hipError_t look_up(const char *call, const void *pointer, size_t count, advice *a, bool *mixed) {
  hipError_t error = need_managed(call, pointer, count);
  if (error != hipSuccess) return error;
  pthread_mutex_lock(&lock);
  *a = common(first_page(pointer), behind_pages(pointer, count), mixed);
  pthread_mutex_unlock(&lock);
  return hipSuccess;
}

hipError_t hipMemRangeGetAttribute(void *data, size_t size, hipMemRangeAttribute attribute,
                                   const void *pointer, size_t count) {
  advice a;
  bool mixed;
  const char *call = "hipMemRangeGetAttribute";
  if (asks_for_grain_of_device(attribute, pointer, count))
    return read_attribute(call, data, size, attribute, &(advice){.coarse = true}, false);
  hipError_t error = look_up(call, pointer, count, &a, &mixed);
  return error == hipSuccess ? read_attribute(call, data, size, attribute, &a, mixed) : error;
}

hipError_t hipMemRangeGetAttributes(void **data, size_t *sizes, hipMemRangeAttribute *attributes,
                                    size_t number, const void *pointer, size_t count) {
  const char *call = "hipMemRangeGetAttributes";
  advice a;
  bool mixed;
  if (!data || !sizes || !attributes || !number)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: a list is null or empty", call);
  hipError_t error = look_up(call, pointer, count, &a, &mixed);
  for (size_t i = 0; error == hipSuccess && i < number; ++i)
    error = read_attribute(call, data[i], sizes[i], attributes[i], &a, mixed);
  return error;
}
