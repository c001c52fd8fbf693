// SPDX-License-Identifier: MIT
// Implements memory pools and stream-ordered allocation. Memory is there when the call returns, and gone when
// its stream comes to the free: a pool holds nothing back, whatever its release threshold, and a use after
// hipFreeAsync is caught. What a pool reserves is therefore what is in use.
#include "sim/hip/memory/pool.h"

#include <stdlib.h>
#include <string.h>

struct ihipMemPoolHandle_t {
  sim_hip_device *device;
  bool standard;   // the device's default pool, which lives as long as the device
  bool destroyed;  // but some of its memory is still in use
  bool shareable;  // other processes may have handles
  bool imported;   // from another process, which allocates
  uint64_t most;   // bytes in use at a time; 0: what the device has
  uint64_t threshold, used, used_high, reserved_high;
  int reuse[3];             // hipMemPoolReuse*, kept for the caller
  _Atomic uint32_t access;  // bit d: device d may use the memory without peer access
};

typedef struct block {
  void *base;
  size_t size;
  hipMemPool_t pool;
  struct block *next;
} block;

enum { BUCKETS = 256 };
static block *buckets[BUCKETS];
static hipMemPool_t defaults[SIM_HIP_MAX_DEVICES], current[SIM_HIP_MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards everything in this file

static block **bucket(const void *base) {
  return &buckets[(uint64_t)(uintptr_t)base * 0x9e3779b97f4a7c15u >> 56];
}

static hipMemPool_t make(sim_hip_device *device) {
  hipMemPool_t pool = calloc(1, sizeof *pool);
  if (!pool) return NULL;
  *pool = (struct ihipMemPoolHandle_t){.device = device, .reuse = {1, 1, 1}, .access = 1u << device->ordinal};
  if (sim_hip_handle_add(pool, SIM_HIP_POOL, device)) return pool;
  free(pool);
  return NULL;
}

// Returns NULL when host memory runs out. The caller holds the lock.
static hipMemPool_t default_of(sim_hip_device *device) {
  hipMemPool_t *pool = &defaults[device->ordinal];
  if (!*pool && (*pool = make(device))) (*pool)->standard = true;
  return *pool;
}

static hipMemPool_t current_of(sim_hip_device *device) {
  hipMemPool_t pool = current[device->ordinal];
  return pool ? pool : default_of(device);
}

hipError_t sim_hip_need_pool(const char *call, hipMemPool_t pool) {
  if (sim_hip_handle_is(pool, SIM_HIP_POOL)) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: the pool is not a pool of this runtime", call);
}

static hipError_t need_device(const char *call, int ordinal, const void *result, sim_hip_device **out) {
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  if (!result) return sim_hip_refuse(hipErrorInvalidValue, "%s: the pool pointer is null", call);
  *out = sim_hip_device_at(ordinal);
  if (*out) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidDevice, "%s: device %d does not exist; there are %d", call, ordinal,
                        sim_hip_device_count());
}

// ROCm has another code for a device that is not there where its current pool is asked for, or one is made.
static hipError_t need_pool_device(const char *call, int ordinal, const void *result, sim_hip_device **out) {
  hipError_t error = need_device(call, ordinal, result, out);
  return error == hipErrorInvalidDevice ? sim_hip_result(hipErrorInvalidValue) : error;
}

// ---- the pools of a device

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int ordinal) {
  sim_hip_device *device;
  hipError_t error = need_device("hipDeviceGetDefaultMemPool", ordinal, pool, &device);
  if (error != hipSuccess) return error;
  pthread_mutex_lock(&lock);
  *pool = default_of(device);
  pthread_mutex_unlock(&lock);
  return sim_hip_result(*pool ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int ordinal) {
  sim_hip_device *device;
  hipError_t error = need_pool_device("hipDeviceGetMemPool", ordinal, pool, &device);
  if (error != hipSuccess) return error;
  pthread_mutex_lock(&lock);
  *pool = current_of(device);
  pthread_mutex_unlock(&lock);
  return sim_hip_result(*pool ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t hipDeviceSetMemPool(int ordinal, hipMemPool_t pool) {
  sim_hip_device *device;
  hipError_t error = need_pool_device("hipDeviceSetMemPool", ordinal, pool, &device);
  if (error == hipSuccess) error = sim_hip_need_pool("hipDeviceSetMemPool", pool);
  if (error != hipSuccess) return error;
  if (pool->device != device)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "hipDeviceSetMemPool: the pool's memory is on device %d, not %d",
                          pool->device->ordinal, ordinal);
  pthread_mutex_lock(&lock);
  current[ordinal] = pool;
  pthread_mutex_unlock(&lock);
  return hipSuccess;
}

#pragma GCC visibility push(default)
hipError_t hipMemGetDefaultMemPool(hipMemPool_t *pool, hipMemLocation *place, hipMemAllocationType type);
hipError_t hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *place, hipMemAllocationType type);
hipError_t hipMemSetMemPool(hipMemLocation *place, hipMemAllocationType type, hipMemPool_t pool);
#pragma GCC visibility pop

// HIP 7 names the place of a pool. Pinned memory of a device is the only kind there is.
static hipError_t need_device_memory(const char *call, const hipMemLocation *place,
                                     hipMemAllocationType type) {
  if (place && place->type == hipMemLocationTypeDevice && type == hipMemAllocationTypePinned)
    return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: pools are of pinned memory on a device", call);
}

hipError_t hipMemGetDefaultMemPool(hipMemPool_t *pool, hipMemLocation *place, hipMemAllocationType type) {
  hipError_t error = need_device_memory("hipMemGetDefaultMemPool", place, type);
  return error == hipSuccess ? hipDeviceGetDefaultMemPool(pool, place->id) : error;
}

hipError_t hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *place, hipMemAllocationType type) {
  hipError_t error = need_device_memory("hipMemGetMemPool", place, type);
  return error == hipSuccess ? hipDeviceGetMemPool(pool, place->id) : error;
}

hipError_t hipMemSetMemPool(hipMemLocation *place, hipMemAllocationType type, hipMemPool_t pool) {
  hipError_t error = need_device_memory("hipMemSetMemPool", place, type);
  return error == hipSuccess ? hipDeviceSetMemPool(place->id, pool) : error;
}

hipError_t hipMemPoolCreate(hipMemPool_t *pool, const hipMemPoolProps *props) {
  const char *call = "hipMemPoolCreate";
  if (!pool || !props)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %s is null", call, pool ? "pool_props" : "mem_pool");
  if (props->allocType != hipMemAllocationTypePinned || props->location.type != hipMemLocationTypeDevice)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the pool must be of pinned memory on a device", call);
  if (props->handleTypes != hipMemHandleTypeNone && props->handleTypes != hipMemHandleTypePosixFileDescriptor)
    return sim_hip_refuse(hipErrorNotSupported, "%s: handleTypes is %d, there are no such handles on Linux",
                          call, (int)props->handleTypes);
  sim_hip_device *device;
  hipError_t error = need_pool_device(call, props->location.id, pool, &device);
  if (error != hipSuccess) return error;
  *pool = make(device);
  if (*pool) {
    (*pool)->shareable = props->handleTypes == hipMemHandleTypePosixFileDescriptor;
    // maxSize of ROCm 6.1 lies where older headers keep bytes that must be 0.
    memcpy(&(*pool)->most, props->reserved, sizeof(*pool)->most);
  }
  return sim_hip_result(*pool ? hipSuccess : hipErrorOutOfMemory);
}

// ---- pools that processes share

sim_hip_device *sim_hip_pool_device(hipMemPool_t pool) { return pool->device; }
uint32_t sim_hip_pool_access(hipMemPool_t pool) { return pool->access; }
bool sim_hip_pool_is_shareable(hipMemPool_t pool) { return pool && pool->shareable; }
bool sim_hip_pool_is_imported(hipMemPool_t pool) { return pool->imported; }

hipMemPool_t sim_hip_pool_of(const void *base) {
  pthread_mutex_lock(&lock);
  block *b = *bucket(base);
  while (b && b->base != base) b = b->next;
  const hipMemPool_t pool = b ? b->pool : NULL;
  pthread_mutex_unlock(&lock);
  return pool;
}

hipMemPool_t sim_hip_pool_import(sim_hip_device *device, uint32_t access) {
  hipMemPool_t pool = make(device);
  if (!pool) return NULL;
  pool->imported = true;
  pool->access = access;
  return pool;
}

// ---- the end of a pool

// Frees a destroyed pool when its last memory is freed. The caller holds the lock.
static void drop_unused(hipMemPool_t pool) {
  if (pool->destroyed && !pool->used) free(pool);
}

static void destroy(hipMemPool_t pool) {
  sim_hip_handle_remove(pool, SIM_HIP_POOL);
  pthread_mutex_lock(&lock);
  if (current[pool->device->ordinal] == pool) current[pool->device->ordinal] = NULL;
  if (pool->standard) defaults[pool->device->ordinal] = NULL;
  pool->destroyed = true;
  drop_unused(pool);
  pthread_mutex_unlock(&lock);
}

hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  hipError_t error = sim_hip_need_pool("hipMemPoolDestroy", pool);
  if (error != hipSuccess) return error;
  if (pool->standard)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "hipMemPoolDestroy: a device's default pool cannot be destroyed");
  destroy(pool);
  return hipSuccess;
}

void sim_hip_pool_reset(sim_hip_device *device) {
  for (hipMemPool_t pool; (pool = sim_hip_handle_any(SIM_HIP_POOL, device));) destroy(pool);
}

// ---- memory

// Counts the bytes as used if the pool may have them.
static bool reserve(hipMemPool_t pool, size_t size) {
  pthread_mutex_lock(&lock);
  const bool fits = !pool->most || (pool->used <= pool->most && size <= pool->most - pool->used);
  if (fits) pool->used += size;
  pthread_mutex_unlock(&lock);
  return fits;
}

static void give_back(hipMemPool_t pool, size_t size) {
  pthread_mutex_lock(&lock);
  pool->used -= size;
  pthread_mutex_unlock(&lock);
}

static hipError_t allocate(const char *call, void **out, size_t size, hipMemPool_t pool) {
  if (pool->imported)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the pool is another process's, which allocates from it",
                          call);
  block *b = malloc(sizeof *b);
  if (!b) return sim_hip_result(hipErrorOutOfMemory);
  const bool fits = reserve(pool, size);
  hipError_t error =
      fits ? sim_hip_allocate_on(call, pool->device, out, size, 0, SIM_MEMORY_DEVICE, SIM_HIP_POOLED)
           : sim_hip_refuse(hipErrorOutOfMemory, "%s: %zu bytes do not fit into a pool of at most %llu", call,
                            size, (unsigned long long)pool->most);
  if (error != hipSuccess || !*out) {  // nothing is allocated for size 0
    if (fits) give_back(pool, size);
    free(b);
    return error;
  }
  pthread_mutex_lock(&lock);
  *b = (block){*out, size, pool, *bucket(*out)};
  *bucket(*out) = b;
  if (pool->used > pool->used_high) pool->used_high = pool->used;
  if (pool->used > pool->reserved_high) pool->reserved_high = pool->used;
  uint32_t access = pool->access;
  pthread_mutex_unlock(&lock);
  sim_memory_share((uintptr_t)*out, access);
  return hipSuccess;
}

void sim_hip_pool_released(const void *base) {
  pthread_mutex_lock(&lock);
  block **link = bucket(base), *b;
  while ((b = *link) && b->base != base) link = &b->next;
  if (b) {
    *link = b->next;
    b->pool->used -= b->size;
    drop_unused(b->pool);
    free(b);
  }
  pthread_mutex_unlock(&lock);
}

// ROCm has another code here than in other calls for a stream that is not there.
static hipError_t need_allocation_stream(const char *call, hipStream_t stream, sim_hip_device **device) {
  if (sim_hip_stream_device(stream, device)) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidHandle, "%s: the stream is not a stream of this runtime", call);
}

// Checks what both kinds of allocation have in common.
static hipError_t prepare(const char *call, void **out, hipStream_t stream, sim_hip_device **device) {
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  if (sim_hip_device_count() == 0) return sim_hip_result(hipErrorNoDevice);
  return need_allocation_stream(call, stream, device);
}

hipError_t hipMallocAsync(void **out, size_t size, hipStream_t stream) {
  sim_hip_device *device;
  hipError_t error = prepare("hipMallocAsync", out, stream, &device);
  if (error != hipSuccess ||
      sim_hip_graph_memory_captures("hipMallocAsync", out, size, device, stream, &error))
    return error;
  pthread_mutex_lock(&lock);
  hipMemPool_t pool = current_of(device);
  pthread_mutex_unlock(&lock);
  return pool ? allocate("hipMallocAsync", out, size, pool) : sim_hip_result(hipErrorOutOfMemory);
}

hipError_t hipMallocFromPoolAsync(void **out, size_t size, hipMemPool_t pool, hipStream_t stream) {
  sim_hip_device *device;
  const char *call = "hipMallocFromPoolAsync";
  hipError_t error = prepare(call, out, stream, &device);
  if (error == hipSuccess) error = sim_hip_need_pool(call, pool);
  if (error == hipSuccess && sim_hip_graph_memory_captures(call, out, size, pool->device, stream, &error))
    return error;
  return error == hipSuccess ? allocate(call, out, size, pool) : error;
}

hipError_t hipFreeAsync(void *base, hipStream_t stream) {
  sim_hip_device *device;
  const sim_hip_work work = {.type = SIM_HIP_NODE_FREE, .base = base};
  if (need_allocation_stream("hipFreeAsync", stream, &device)) return hipErrorInvalidHandle;
  if (!base) return sim_hip_refuse(hipErrorInvalidValue, "hipFreeAsync: the pointer is null");
  if (sim_hip_is_captured(stream)) return sim_hip_submit("hipFreeAsync", stream, &work, SIM_HIP_ASYNC);
  const sim_hip_queue queue = sim_hip_stream_queue(stream);
  uint64_t number;
  return sim_hip_work_enqueue("hipFreeAsync", &queue, &work, false, &number);
}

// Nothing is held back that could be given up.
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep) {
  (void)keep;
  return sim_hip_need_pool("hipMemPoolTrimTo", pool);
}

// ---- attributes

static hipError_t need_value(const char *call, hipMemPool_t pool, const void *value) {
  hipError_t error = sim_hip_need_pool(call, pool);
  if (error != hipSuccess || value) return error;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: the value is null", call);
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value) {
  const char *call = "hipMemPoolSetAttribute";
  hipError_t error = need_value(call, pool, value);
  if (error != hipSuccess) return error;
  pthread_mutex_lock(&lock);
  switch (attribute) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies: pool->reuse[attribute - 1] = *(int *)value != 0; break;
    case hipMemPoolAttrReleaseThreshold: pool->threshold = *(uint64_t *)value; break;
    case hipMemPoolAttrReservedMemHigh:
    case hipMemPoolAttrUsedMemHigh:
      if (*(uint64_t *)value)
        error = sim_hip_refuse(hipErrorInvalidValue, "%s: a high watermark can only be set to 0", call);
      else if (attribute == hipMemPoolAttrUsedMemHigh)
        pool->used_high = pool->used;
      else
        pool->reserved_high = pool->used;
      break;
    case hipMemPoolAttrReservedMemCurrent:
    case hipMemPoolAttrUsedMemCurrent:
    default:
      error = sim_hip_refuse(hipErrorInvalidValue, "%s: attribute %d is not known or cannot be set", call,
                             (int)attribute);
  }
  pthread_mutex_unlock(&lock);
  return error;
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value) {
  const char *call = "hipMemPoolGetAttribute";
  hipError_t error = need_value(call, pool, value);
  if (error != hipSuccess) return error;
  pthread_mutex_lock(&lock);
  switch (attribute) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies: *(int *)value = pool->reuse[attribute - 1]; break;
    case hipMemPoolAttrReleaseThreshold: *(uint64_t *)value = pool->threshold; break;
    case hipMemPoolAttrReservedMemHigh: *(uint64_t *)value = pool->reserved_high; break;
    case hipMemPoolAttrUsedMemHigh: *(uint64_t *)value = pool->used_high; break;
    case hipMemPoolAttrReservedMemCurrent:
    case hipMemPoolAttrUsedMemCurrent: *(uint64_t *)value = pool->used; break;
    default:
      error = sim_hip_refuse(hipErrorInvalidValue, "%s: attribute %d is not known", call, (int)attribute);
  }
  pthread_mutex_unlock(&lock);
  return error;
}

// ---- access from other devices

// All memory of the pool follows, also what has been allocated already.
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc *list, size_t count) {
  const char *call = "hipMemPoolSetAccess";
  hipError_t error = sim_hip_need_pool(call, pool);
  if (error != hipSuccess) return error;
  if (!list || !count) return sim_hip_refuse(hipErrorInvalidValue, "%s: the list is empty", call);
  uint32_t access = pool->access;
  for (size_t i = 0; i < count; ++i) {
    const int id = list[i].location.id;
    const bool none = list[i].flags == hipMemAccessFlagsProtNone;
    if (list[i].location.type != hipMemLocationTypeDevice)
      return sim_hip_refuse(hipErrorInvalidValue, "%s: entry %zu of the list is not for a device", call, i);
    if (!sim_hip_device_at(id))
      return sim_hip_refuse(hipErrorInvalidDevice, "%s: entry %zu is for device %d, which does not exist",
                            call, i, id);
    if (!none && list[i].flags != hipMemAccessFlagsProtReadWrite)
      return sim_hip_refuse(hipErrorInvalidValue,
                            "%s: entry %zu asks for access 0x%x, it must be none or read and write", call, i,
                            (unsigned)list[i].flags);
    if (none && id == pool->device->ordinal)
      return sim_hip_refuse(hipErrorInvalidValue, "%s: a pool's own device keeps its access", call);
    access = none ? access & ~(1u << id) : access | 1u << id;
  }
  pthread_mutex_lock(&lock);
  pool->access = access;
  for (int i = 0; i < BUCKETS; ++i)
    for (block *b = buckets[i]; b; b = b->next)
      if (b->pool == pool) sim_memory_share((uintptr_t)b->base, access);
  pthread_mutex_unlock(&lock);
  return hipSuccess;
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t pool, hipMemLocation *location) {
  const char *call = "hipMemPoolGetAccess";
  hipError_t error = sim_hip_need_pool(call, pool);
  if (error != hipSuccess) return error;
  if (!flags || !location || location->type != hipMemLocationTypeDevice || !sim_hip_device_at(location->id))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call,
                          flags && location ? "the location is not a device" : "a pointer is null");
  *flags = pool->access >> location->id & 1 ? hipMemAccessFlagsProtReadWrite : hipMemAccessFlagsProtNone;
  return hipSuccess;
}
