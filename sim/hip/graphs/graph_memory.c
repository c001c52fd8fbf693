// SPDX-License-Identifier: MIT
// Keeps memory that graphs allocate and free. Its address is known when the node is added, so its place is
// taken then: until the first launch the memory counts as there, because the nodes that use it are checked
// when they are added. After the first launch it is valid from its allocation node, or from its launch, until
// it is freed; a use of it outside is caught as with other memory.
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/hip/graphs/graph.h"
#include "sim/hip/memory/pool.h"
#include "sim/hip/streams/order.h"

// HIP declares these since 5.5.
enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH, GRAPH_ATTRIBUTES };  // hipGraphMemAttributeType

#define ADD_ARGS hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *before, size_t before_count
#define ADD_PASS out, graph, before, before_count
#pragma GCC visibility push(default)
hipError_t hipGraphAddMemFreeNode(ADD_ARGS, void *base);
hipError_t hipDrvGraphAddMemFreeNode(ADD_ARGS, hipDeviceptr_t base);
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *params);
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *base);
hipError_t hipDeviceGetGraphMemAttribute(int ordinal, int attribute, void *value);
hipError_t hipDeviceSetGraphMemAttribute(int ordinal, int attribute, void *value);
hipError_t hipDeviceGraphMemTrim(int ordinal);
#pragma GCC visibility pop

typedef enum state { PLANNED, THERE, GONE } state;

struct sim_hip_graph_memory {
  void *base;
  size_t size;
  sim_hip_device *device;
  hipMemAllocNodeParams params;
  uint32_t shared;  // bit d: device d may use it without peer access
  size_t holders;   // nodes that allocate it, of the graph and of what was made from it; who adds the first
  state state;
  uint64_t freeing;  // number of the work that frees it (order.h), or of work that has ended
  sim_hip_graph_memory *next;
};

static sim_hip_graph_memory *all;
static uint64_t counters[SIM_HIP_MAX_DEVICES][GRAPH_ATTRIBUTES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards everything in this file

// The caller holds the lock.
static void count(const sim_hip_graph_memory *m, int what, int64_t bytes) {
  uint64_t *now = &counters[m->device->ordinal][what], *high = now + 1;
  *now += (uint64_t)bytes;
  if (*now > *high) *high = *now;
}

static sim_hip_graph_memory *find(const void *base) {
  sim_hip_graph_memory *m = all;
  while (m && m->base != base) m = m->next;
  return m;
}

// ---- the life of an allocation

static hipError_t plan(const char *call, const hipMemAllocNodeParams *params, uint32_t shared,
                       sim_hip_graph_memory **out) {
  sim_hip_device *device = sim_hip_device_at(params->poolProps.location.id);
  const size_t size = params->bytesize;
  sim_hip_graph_memory *m = calloc(1, sizeof *m);
  if (!m) return sim_hip_result(hipErrorOutOfMemory);
  *m = (sim_hip_graph_memory){
      .size = size, .device = device, .params = *params, .shared = shared, .holders = 1};
  hipError_t error = sim_hip_allocate_on(call, device, &m->base, size, 0, SIM_MEMORY_DEVICE, SIM_HIP_GRAPHED);
  if (error != hipSuccess) {
    free(m);
    return error;
  }
  m->params.dptr = m->base;
  sim_memory_share((uintptr_t)m->base, shared);
  pthread_mutex_lock(&lock);
  m->next = all;
  all = m;
  count(m, RESERVED, (int64_t)size);
  pthread_mutex_unlock(&lock);
  *out = m;
  return hipSuccess;
}

void sim_hip_graph_memory_hold(sim_hip_graph_memory *m) {
  pthread_mutex_lock(&lock);
  ++m->holders;
  pthread_mutex_unlock(&lock);
}

bool sim_hip_graph_memory_shared(sim_hip_graph_memory *m) {
  pthread_mutex_lock(&lock);
  const bool shared = m->holders > 1;
  pthread_mutex_unlock(&lock);
  return shared;
}

// Memory that is there outlives its graph: it has become the program's.
void sim_hip_graph_memory_drop(sim_hip_graph_memory *m) {
  pthread_mutex_lock(&lock);
  const bool last = !--m->holders;
  if (last) {
    sim_hip_graph_memory **link = &all;
    while (*link != m) link = &(*link)->next;
    *link = m->next;
    if (m->state == THERE) count(m, USED, -(int64_t)m->size);
    count(m, RESERVED, -(int64_t)m->size);
  }
  pthread_mutex_unlock(&lock);
  if (!last) return;
  if (m->state == GONE)
    sim_hip_unmap(m->base, m->size);
  else if (m->state == PLANNED)
    sim_hip_release(m->base);
  free(m);
}

bool sim_hip_graph_memory_freed(void *base) {
  pthread_mutex_lock(&lock);
  sim_hip_graph_memory *m = find(base);
  if (m) {
    if (m->state == THERE) count(m, USED, -(int64_t)m->size);
    m->state = GONE;
    madvise(base, m->size, MADV_DONTNEED);  // as fresh as other memory when it comes back
  }
  pthread_mutex_unlock(&lock);
  return m != NULL;
}

void sim_hip_graph_memory_freeing(const void *base, uint64_t number) {
  pthread_mutex_lock(&lock);
  sim_hip_graph_memory *m = find(base);
  if (m) m->freeing = number;
  pthread_mutex_unlock(&lock);
}

bool sim_hip_graph_memory_planned(const void *base) {
  pthread_mutex_lock(&lock);
  const sim_hip_graph_memory *m = find(base);
  const bool planned = m && m->state == PLANNED;
  pthread_mutex_unlock(&lock);
  return planned;
}

hipError_t sim_hip_graph_memory_allocate(const char *call, sim_hip_graph_memory *m) {
  hipError_t error = hipSuccess;
  sim_hip_wait_for(m->freeing);  // of an earlier launch
  if (m->state == THERE)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "%s: the graph's memory %p has not been freed since the last launch; free it, or "
                          "instantiate with hipGraphInstantiateFlagAutoFreeOnLaunch",
                          call, m->base);
  if (m->state == GONE) error = sim_hip_restore(call, m->device, m->base, m->size, SIM_HIP_GRAPHED);
  if (error != hipSuccess) return error;
  sim_memory_share((uintptr_t)m->base, m->shared);
  pthread_mutex_lock(&lock);
  m->state = THERE;
  count(m, USED, (int64_t)m->size);
  pthread_mutex_unlock(&lock);
  return hipSuccess;
}

void sim_hip_graph_memory_sweep(sim_hip_graph_memory *m) {
  sim_hip_hold(m->device);
  if (m->state == THERE) sim_hip_release(m->base);
  sim_hip_let_go();
}

// ---- nodes

// The devices besides its own that may use the memory.
static hipError_t shares(const char *call, const hipMemAllocNodeParams *params, uint32_t *out) {
  *out = 1u << params->poolProps.location.id;
  for (size_t i = 0; i < params->accessDescCount; ++i) {
    const hipMemAccessDesc *access = &params->accessDescs[i];
    if (access->location.type != hipMemLocationTypeDevice || !sim_hip_device_at(access->location.id) ||
        access->flags != hipMemAccessFlagsProtReadWrite)
      return sim_hip_refuse(hipErrorInvalidValue,
                            "%s: entry %zu of the access list is not a device that reads and writes", call,
                            i);
    *out |= 1u << access->location.id;
  }
  return hipSuccess;
}

hipError_t hipGraphAddMemAllocNode(ADD_ARGS, hipMemAllocNodeParams *params) {
  const char *call = "hipGraphAddMemAllocNode";
  uint32_t shared;
  if (!params || !params->bytesize || (params->accessDescCount && !params->accessDescs))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call,
                          !params             ? "the parameters are null"
                          : !params->bytesize ? "bytesize is 0"
                                              : "the access list is null");
  const hipMemPoolProps *props = &params->poolProps;
  if (props->allocType != hipMemAllocationTypePinned || props->location.type != hipMemLocationTypeDevice ||
      !sim_hip_device_at(props->location.id))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the memory must be pinned memory of a device", call);
  hipError_t error = shares(call, params, &shared);
  if (error != hipSuccess) return error;
  sim_hip_work work = {.type = SIM_HIP_NODE_ALLOCATE};
  error = plan(call, params, shared, &work.memory);
  if (error != hipSuccess) return error;
  params->dptr = work.memory->base;
  error = sim_hip_node_add(call, ADD_PASS, &work);
  sim_hip_graph_memory_drop(work.memory);
  return error;
}

hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *params) {
  const char *call = "hipGraphMemAllocNodeGetParams";
  if (!params) return sim_hip_refuse(hipErrorInvalidValue, "%s: the parameters are null", call);
  hipError_t error = sim_hip_node_need_type(call, node, SIM_HIP_NODE_ALLOCATE);
  if (error != hipSuccess) return error;
  *params = node->work.memory->params;
  return hipSuccess;
}

static hipError_t add_free(const char *call, ADD_ARGS, void *base) {
  return sim_hip_node_add(call, ADD_PASS, &(sim_hip_work){.type = SIM_HIP_NODE_FREE, .base = base});
}
hipError_t hipGraphAddMemFreeNode(ADD_ARGS, void *base) {
  return add_free("hipGraphAddMemFreeNode", ADD_PASS, base);
}
hipError_t hipDrvGraphAddMemFreeNode(ADD_ARGS, hipDeviceptr_t base) {
  return add_free("hipDrvGraphAddMemFreeNode", ADD_PASS, base);
}

hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *base) {
  const char *call = "hipGraphMemFreeNodeGetParams";
  if (!base) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  hipError_t error = sim_hip_node_need_type(call, node, SIM_HIP_NODE_FREE);
  if (error == hipSuccess) *(void **)base = node->work.base;
  return error;
}

hipError_t sim_hip_graph_memory_check_free(const char *call, const void *base) {
  pthread_mutex_lock(&lock);
  const bool known = find(base) != NULL;
  pthread_mutex_unlock(&lock);
  if (known) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: %p is not memory that a graph allocates", call, base);
}

// ---- allocation in a captured stream

bool sim_hip_graph_memory_captures(const char *call, void **out, size_t size, sim_hip_device *device,
                                   hipStream_t stream, hipError_t *error) {
  if (!size || !sim_hip_is_captured(stream)) return false;
  sim_hip_work work = {.type = SIM_HIP_NODE_ALLOCATE};
  const hipMemAllocNodeParams params = {
      .poolProps = {.allocType = hipMemAllocationTypePinned,
                    .location = {hipMemLocationTypeDevice, device->ordinal}},
      .bytesize = size};
  *error = plan(call, &params, 1u << device->ordinal, &work.memory);
  if (*error != hipSuccess) return true;
  sim_hip_captures(call, stream, &work, error);
  *out = *error == hipSuccess ? work.memory->base : NULL;
  sim_hip_graph_memory_drop(work.memory);
  return true;
}

// ---- what a device's graphs take

static hipError_t need(const char *call, int ordinal, int attribute, const void *value) {
  if (!sim_hip_device_at(ordinal))
    return sim_hip_refuse(hipErrorInvalidDevice, "%s: device %d does not exist", call, ordinal);
  if (value && attribute >= 0 && attribute < GRAPH_ATTRIBUTES) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call,
                        value ? "the attribute is not known" : "the value is null");
}

hipError_t hipDeviceGetGraphMemAttribute(int ordinal, int attribute, void *value) {
  hipError_t error = need("hipDeviceGetGraphMemAttribute", ordinal, attribute, value);
  if (error != hipSuccess) return error;
  pthread_mutex_lock(&lock);
  *(uint64_t *)value = counters[ordinal][attribute];
  pthread_mutex_unlock(&lock);
  return hipSuccess;
}

hipError_t hipDeviceSetGraphMemAttribute(int ordinal, int attribute, void *value) {
  const char *call = "hipDeviceSetGraphMemAttribute";
  hipError_t error = need(call, ordinal, attribute, value);
  if (error != hipSuccess) return error;
  if ((attribute != USED_HIGH && attribute != RESERVED_HIGH) || *(uint64_t *)value)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: only high watermarks can be set, and only to 0", call);
  pthread_mutex_lock(&lock);
  counters[ordinal][attribute] = counters[ordinal][attribute - 1];
  pthread_mutex_unlock(&lock);
  return hipSuccess;
}

// Nothing is held back that could be given up.
hipError_t hipDeviceGraphMemTrim(int ordinal) {
  const uint64_t unused = 0;
  return need("hipDeviceGraphMemTrim", ordinal, USED, &unused);
}
