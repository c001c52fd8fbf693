// SPDX-License-Identifier: MIT
// Instantiates, launches and updates executable graphs.
#include <stdio.h>
#include <stdlib.h>

#include "sim/hip/graphs/graph.h"

#pragma GCC visibility push(default)
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphLaunch_spt(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned enabled);
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned *enabled);
hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags);
#pragma GCC visibility pop

// hipGraphInstantiateFlag*: free the graph's memory, and all that there are.
enum { AUTO_FREE_ON_LAUNCH = 1, INSTANTIATE_FLAGS = 15 };

// ROCm takes one of the flags at a time.
static hipError_t check_flags(const char *call, unsigned long long flags) {
  if (!(flags & ~(unsigned long long)INSTANTIATE_FLAGS) && !(flags & (flags - 1))) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue,
                        "%s: flags is 0x%llx, it must be 0 or one hipGraphInstantiateFlag", call, flags);
}

static hipError_t need_exec(const char *call, hipGraphExec_t exec) {
  if (sim_hip_handle_is(exec, SIM_HIP_GRAPH_EXEC)) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: the executable graph is not one of this runtime", call);
}

hipGraphNode_t sim_hip_exec_node(const char *call, hipGraphExec_t exec, hipGraphNode_t node) {
  if (need_exec(call, exec) != hipSuccess) return NULL;
  for (size_t i = 0; sim_hip_node_is(node) && i < exec->graph->count; ++i)
    if (exec->graph->nodes[i]->original == node) return exec->graph->nodes[i];
  sim_hip_refuse(hipErrorInvalidValue, "%s: the executable graph was not made from the node's graph", call);
  return NULL;
}

static hipGraphExec_t execs;  // all that there are
static pthread_mutex_t execs_lock = PTHREAD_MUTEX_INITIALIZER;

static void list(hipGraphExec_t exec) {
  pthread_mutex_lock(&execs_lock);
  exec->next = execs;
  execs = exec;
  pthread_mutex_unlock(&execs_lock);
}

static void unlist(hipGraphExec_t exec) {
  pthread_mutex_lock(&execs_lock);
  hipGraphExec_t *link = &execs;
  while (*link != exec) link = &(*link)->next;
  *link = exec->next;
  pthread_mutex_unlock(&execs_lock);
}

void sim_hip_exec_forget_source(hipGraph_t graph) {
  pthread_mutex_lock(&execs_lock);
  for (hipGraphExec_t e = execs; e; e = e->next)
    if (e->source == graph) e->source = NULL;
  pthread_mutex_unlock(&execs_lock);
}

static bool is_instantiated(hipGraph_t graph) {
  pthread_mutex_lock(&execs_lock);
  hipGraphExec_t e = execs;
  while (e && e->source != graph) e = e->next;
  pthread_mutex_unlock(&execs_lock);
  return e != NULL;
}

// The memory that a node allocates or frees belongs to one executable graph.
static bool is_taken(const sim_hip_work *work, hipGraph_t graph) {
  return (work->type == SIM_HIP_NODE_ALLOCATE && sim_hip_graph_memory_shared(work->memory)) ||
         (work->type == SIM_HIP_NODE_FREE && is_instantiated(graph));
}

static hipError_t instantiate(const char *call, hipGraphExec_t *out, hipGraph_t graph,
                              unsigned long long flags) {
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  hipError_t error = sim_hip_graph_need(call, graph, NULL, 0);
  if (error != hipSuccess) return error;
  for (size_t i = 0; i < graph->count; ++i)
    if (is_taken(&graph->nodes[i]->work, graph))
      return sim_hip_refuse(
          hipErrorNotSupported,
          "%s: the graph allocates or frees memory, so it can be instantiated once at a time", call);
  hipGraph_t copy = sim_hip_graph_copy(graph);
  hipGraphExec_t exec = malloc(sizeof *exec);
  if (copy) copy->inner = true;
  bool sorted = copy && sim_hip_graph_sort(copy);
  if (sorted && exec && sim_hip_handle_add(exec, SIM_HIP_GRAPH_EXEC, NULL)) {
    *exec = (struct hipGraphExec){.graph = copy, .flags = flags, .source = graph};
    list(exec);
    *out = exec;
    return hipSuccess;
  }
  if (copy) sim_hip_graph_free(copy);
  free(exec);
  if (copy && !sorted)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the dependencies of the graph form a circle", call);
  return sim_hip_result(hipErrorOutOfMemory);
}

hipError_t hipGraphInstantiate(hipGraphExec_t *out, hipGraph_t graph, hipGraphNode_t *error_node, char *log,
                               size_t size) {
  hipError_t error = instantiate("hipGraphInstantiate", out, graph, 0);
  if (error_node) *error_node = NULL;
  if (log && size) snprintf(log, size, "%s", error == hipSuccess ? "" : hipGetErrorString(error));
  return error;
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *out, hipGraph_t graph, unsigned long long flags) {
  // The flags ask for upload, device launch and node priorities, of which no result here depends.
  hipError_t error = check_flags("hipGraphInstantiateWithFlags", flags);
  return error == hipSuccess ? instantiate("hipGraphInstantiateWithFlags", out, graph, flags) : error;
}

// This is hipGraphInstantiateParams of ROCm 6.1 (include/hip/hip_runtime_api.h of ROCm/HIP): an ABI.
typedef struct instantiate_params {
  hipGraphNode_t error_node;
  unsigned long long flags;
  int result;
  hipStream_t upload;
} instantiate_params;
enum { INSTANTIATE_SUCCESS = 0, INSTANTIATE_ERROR = 1 };  // hipGraphInstantiateResult

SIM_HIP_EXPORT hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *out, hipGraph_t graph,
                                                        instantiate_params *params);
hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *out, hipGraph_t graph, instantiate_params *params) {
  const char *call = "hipGraphInstantiateWithParams";
  if (!params) return sim_hip_refuse(hipErrorInvalidValue, "%s: the parameters are null", call);
  hipError_t error = check_flags(call, params->flags);
  if (error == hipSuccess) error = instantiate(call, out, graph, params->flags);
  params->error_node = NULL;
  params->result = error == hipSuccess ? INSTANTIATE_SUCCESS : INSTANTIATE_ERROR;
  return error;
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags) {
  hipError_t error = need_exec("hipGraphExecGetFlags", exec);
  if (error != hipSuccess) return error;
  if (!flags) return sim_hip_refuse(hipErrorInvalidValue, "hipGraphExecGetFlags: the result pointer is null");
  *flags = exec->flags;
  return hipSuccess;
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  hipError_t error = need_exec("hipGraphExecDestroy", exec);
  if (error != hipSuccess) return error;
  sim_hip_handle_remove(exec, SIM_HIP_GRAPH_EXEC);
  unlist(exec);
  sim_hip_graph_free(exec->graph);
  free(exec);
  return hipSuccess;
}

// What a node points to may have been freed since it was added.
hipError_t sim_hip_graph_enqueue(const char *call, hipGraph_t graph, const sim_hip_queue *queue) {
  hipError_t error = hipSuccess;
  uint64_t number;
  for (size_t i = 0; error == hipSuccess && i < graph->count; ++i) {
    if (graph->nodes[i]->disabled) continue;
    error = sim_hip_work_check(call, &graph->nodes[i]->work);
    if (error == hipSuccess)
      error = sim_hip_work_enqueue(call, queue, &graph->nodes[i]->work, false, &number);
  }
  return error;
}

static hipError_t launch(const char *call, hipGraphExec_t exec, hipStream_t stream) {
  hipError_t error = need_exec(call, exec);
  if (error != hipSuccess) return error;
  for (size_t i = 0; exec->flags & AUTO_FREE_ON_LAUNCH && i < exec->graph->count; ++i)
    if (exec->graph->nodes[i]->work.type == SIM_HIP_NODE_ALLOCATE)
      sim_hip_graph_memory_sweep(exec->graph->nodes[i]->work.memory);
  return sim_hip_submit(call, stream, &(sim_hip_work){hipGraphNodeTypeGraph, .child = exec->graph},
                        SIM_HIP_ASYNC);
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return launch("hipGraphLaunch", exec, stream);
}
hipError_t hipGraphLaunch_spt(hipGraphExec_t exec, hipStream_t stream) {
  return launch("hipGraphLaunch_spt", exec, sim_hip_of_thread(stream));
}

// There is no other memory that a graph could be brought to.
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
  sim_hip_device *device;
  hipError_t error = need_exec("hipGraphUpload", exec);
  if (error == hipSuccess) error = sim_hip_need_stream("hipGraphUpload", stream, &device);
  return error;
}

// ---- changes

// Kernels, copies and fills can be switched.
static hipGraphNode_t switchable(const char *call, hipGraphExec_t exec, hipGraphNode_t node) {
  hipGraphNode_t mine = sim_hip_exec_node(call, exec, node);
  if (!mine) return NULL;
  if (mine->work.type == hipGraphNodeTypeKernel || mine->work.type == hipGraphNodeTypeMemset ||
      sim_hip_node_is_copy(mine))
    return mine;
  sim_hip_refuse(hipErrorInvalidValue, "%s: only kernel, memset and memcpy nodes can be switched", call);
  return NULL;
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned enabled) {
  hipGraphNode_t mine = switchable("hipGraphNodeSetEnabled", exec, node);
  if (!mine) return hipErrorInvalidValue;
  mine->disabled = !enabled;
  return hipSuccess;
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned *enabled) {
  hipGraphNode_t mine = switchable("hipGraphNodeGetEnabled", exec, node);
  if (!mine) return hipErrorInvalidValue;
  if (!enabled)
    return sim_hip_refuse(hipErrorInvalidValue, "hipGraphNodeGetEnabled: the result pointer is null");
  *enabled = !mine->disabled;
  return hipSuccess;
}

// Modules may have been unloaded since the nodes were added.
static bool same_device(hipFunction_t a, hipFunction_t b) {
  return sim_hip_handle_is(a, SIM_HIP_FUNCTION) && sim_hip_handle_is(b, SIM_HIP_FUNCTION) &&
         a->module->device == b->module->device;
}

// Compares a sorted graph with the one that is to replace it, node by node.
static hipGraphExecUpdateResult compare(hipGraph_t old, hipGraph_t new, hipGraphNode_t *where) {
  *where = NULL;
  if (old->count != new->count) return hipGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < new->count; ++i) new->nodes[i]->waiting = old->nodes[i]->waiting = i;
  for (size_t i = 0; i < new->count; ++i) {
    hipGraphNode_t a = old->nodes[i], b = new->nodes[i];
    *where = b->original;
    if (a->work.type != b->work.type) return hipGraphExecUpdateErrorNodeTypeChanged;
    if (a->before_count != b->before_count) return hipGraphExecUpdateErrorTopologyChanged;
    for (size_t k = 0; k < a->before_count; ++k)
      if (a->before[k]->waiting != b->before[k]->waiting) return hipGraphExecUpdateErrorTopologyChanged;
    if (a->work.type == hipGraphNodeTypeKernel &&
        !same_device(a->work.kernel.function, b->work.kernel.function))
      return hipGraphExecUpdateErrorUnsupportedFunctionChange;
    if (sim_hip_node_is_copy(a) && a->work.copy.kind != b->work.copy.kind)
      return hipGraphExecUpdateErrorParametersChanged;
  }
  *where = NULL;
  return hipGraphExecUpdateSuccess;
}

bool sim_hip_graph_same_shape(hipGraph_t a, hipGraph_t b) {
  hipGraphNode_t where;
  return compare(a, b, &where) == hipGraphExecUpdateSuccess;
}

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *error_node,
                              hipGraphExecUpdateResult *result) {
  const char *call = "hipGraphExecUpdate";
  hipError_t error = need_exec(call, exec);
  if (error == hipSuccess) error = sim_hip_graph_need(call, graph, NULL, 0);
  if (error != hipSuccess) return error;
  if (!error_node || !result)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %s is null", call,
                          result ? "the error node" : "the result");
  hipGraph_t copy = sim_hip_graph_copy(graph);
  if (!copy) return sim_hip_result(hipErrorOutOfMemory);
  copy->inner = true;
  *result = sim_hip_graph_sort(copy) ? compare(exec->graph, copy, error_node)
                                     : hipGraphExecUpdateErrorTopologyChanged;
  if (*result == hipGraphExecUpdateSuccess) {
    // Later calls name nodes of the graph the executable one was first made from.
    for (size_t i = 0; i < copy->count; ++i) copy->nodes[i]->original = exec->graph->nodes[i]->original;
    sim_hip_graph_free(exec->graph);
    exec->graph = copy;
    return hipSuccess;
  }
  sim_hip_graph_free(copy);
  return sim_hip_refuse(hipErrorGraphExecUpdateFailure,
                        "%s: the new graph has other nodes or edges than the one that was instantiated",
                        call);
}
