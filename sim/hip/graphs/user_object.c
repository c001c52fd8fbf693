// SPDX-License-Identifier: MIT
// User objects are what a program wants destroyed when no graph needs it any more. They count references of
// the program and of graphs; the last one that goes calls the destructor.
#include <stdlib.h>

#include "sim/hip/graphs/graph.h"

enum {
  NO_DESTRUCTOR_SYNC = 1,
  GRAPH_TAKES_OVER = 1
};  // hipUserObjectNoDestructorSync, hipGraphUserObjectMove

struct sim_hip_user_object {
  void *data;
  hipHostFn_t destroy;
  unsigned count;
};

typedef sim_hip_user_object *object_t;

#pragma GCC visibility push(default)
hipError_t hipUserObjectCreate(object_t *out, void *data, hipHostFn_t destroy, unsigned count,
                               unsigned flags);
hipError_t hipUserObjectRelease(object_t object, unsigned count);
hipError_t hipUserObjectRetain(object_t object, unsigned count);
hipError_t hipGraphRetainUserObject(hipGraph_t graph, object_t object, unsigned count, unsigned flags);
hipError_t hipGraphReleaseUserObject(hipGraph_t graph, object_t object, unsigned count);
#pragma GCC visibility pop

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards the counts

static hipError_t bad(const char *call, const char *why) {
  return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call, why);
}

// ROCm takes an object that is gone without an error, so this only says that there is nothing to do: *there
// is then false.
static hipError_t need(const char *call, object_t object, unsigned count, bool *there) {
  *there = sim_hip_handle_is(object, SIM_HIP_USER_OBJECT);
  if (!object) return bad(call, "the object is null");
  if (!count || count > INT32_MAX) return bad(call, "the count is not 1 to 2^31 - 1");
  if (!*there) sim_say("%s: the object has been destroyed already, or is none of this runtime", call);
  return hipSuccess;
}

static void retain(object_t object, unsigned count) {
  pthread_mutex_lock(&lock);
  object->count += count;
  pthread_mutex_unlock(&lock);
}

// The destructor may use the runtime, so it is called without the lock. A program that has released more than
// it retained has taken the references of graphs, which then find nothing to release.
static void release(object_t object, unsigned count) {
  if (!sim_hip_handle_is(object, SIM_HIP_USER_OBJECT)) return;
  pthread_mutex_lock(&lock);
  object->count = count < object->count ? object->count - count : 0;
  const bool last = !object->count;
  pthread_mutex_unlock(&lock);
  if (!last) return;
  sim_hip_handle_remove(object, SIM_HIP_USER_OBJECT);
  object->destroy(object->data);
  free(object);
}

hipError_t hipUserObjectCreate(object_t *out, void *data, hipHostFn_t destroy, unsigned count,
                               unsigned flags) {
  const char *call = "hipUserObjectCreate";
  if (!out || !destroy) return bad(call, out ? "the destructor is null" : "the result pointer is null");
  if (!count || count > INT32_MAX) return bad(call, "the count is not 1 to 2^31 - 1");
  if (flags != NO_DESTRUCTOR_SYNC) return bad(call, "flags must be hipUserObjectNoDestructorSync");
  object_t object = malloc(sizeof *object);
  if (object) *object = (sim_hip_user_object){data, destroy, count};
  if (!object || !sim_hip_handle_add(object, SIM_HIP_USER_OBJECT, NULL)) {
    free(object);
    return sim_hip_result(hipErrorOutOfMemory);
  }
  *out = object;
  return hipSuccess;
}

hipError_t hipUserObjectRetain(object_t object, unsigned count) {
  bool there;
  hipError_t error = need("hipUserObjectRetain", object, count, &there);
  if (error == hipSuccess && there) retain(object, count);
  return error;
}

hipError_t hipUserObjectRelease(object_t object, unsigned count) {
  bool there;
  hipError_t error = need("hipUserObjectRelease", object, count, &there);
  if (error == hipSuccess && there) release(object, count);
  return error;
}

// ---- references of graphs

static size_t find(hipGraph_t graph, object_t object) {
  size_t i = 0;
  while (i < graph->held_count && graph->held[i].object != object) ++i;
  return i;
}

static bool hold(hipGraph_t graph, object_t object, unsigned count) {
  const size_t at = find(graph, object);
  if (at == graph->held_count) {
    sim_hip_held *larger = realloc(graph->held, (at + 1) * sizeof *larger);
    if (!larger) return false;
    graph->held = larger;
    graph->held[graph->held_count++] = (sim_hip_held){object, 0};
  }
  graph->held[at].count += count;
  return true;
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, object_t object, unsigned count, unsigned flags) {
  const char *call = "hipGraphRetainUserObject";
  hipError_t error = sim_hip_graph_need(call, graph, NULL, 0);
  bool there = false;
  if (error == hipSuccess) error = need(call, object, count, &there);
  if (error != hipSuccess || !there) return error;
  if (flags & ~(unsigned)GRAPH_TAKES_OVER) return bad(call, "flags must be 0 or hipGraphUserObjectMove");
  if (!hold(graph, object, count)) return sim_hip_result(hipErrorOutOfMemory);
  if (!(flags & GRAPH_TAKES_OVER)) retain(object, count);
  return hipSuccess;
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, object_t object, unsigned count) {
  const char *call = "hipGraphReleaseUserObject";
  hipError_t error = sim_hip_graph_need(call, graph, NULL, 0);
  bool there = false;
  if (error == hipSuccess) error = need(call, object, count, &there);
  if (error != hipSuccess || !there) return error;
  const size_t at = find(graph, object);
  if (at == graph->held_count) return bad(call, "the graph has no reference to the object");
  if (count > graph->held[at].count) count = graph->held[at].count;  // as ROCm does
  graph->held[at].count -= count;
  if (!graph->held[at].count) graph->held[at] = graph->held[--graph->held_count];
  release(object, count);
  return hipSuccess;
}

bool sim_hip_user_objects_copy(hipGraph_t to, hipGraph_t from) {
  for (size_t i = 0; i < from->held_count; ++i) {
    if (!hold(to, from->held[i].object, from->held[i].count)) return false;
    retain(from->held[i].object, from->held[i].count);
  }
  return true;
}

void sim_hip_user_objects_drop(hipGraph_t graph) {
  for (size_t i = 0; i < graph->held_count; ++i) release(graph->held[i].object, graph->held[i].count);
  free(graph->held);
}
