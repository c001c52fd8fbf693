// SPDX-License-Identifier: MIT
// Adds nodes to a graph, reads their parameters, and changes them there or in an executable graph.
#include <stdlib.h>

#include "sim/hip/graphs/graph.h"

#pragma GCC visibility push(default)
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to);
#pragma GCC visibility pop

#define ADD_ARGS hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *before, size_t before_count
#define ADD_PASS out, graph, before, before_count

hipError_t sim_hip_node_add(const char *call, ADD_ARGS, const sim_hip_work *work) {
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  hipError_t error = sim_hip_graph_need(call, graph, before, before_count);
  if (error == hipSuccess) error = sim_hip_work_check(call, work);
  if (error != hipSuccess) return error;
  *out = sim_hip_graph_add(graph, work, before, before_count);
  return sim_hip_result(*out ? hipSuccess : hipErrorOutOfMemory);
}

static bool is_copy(hipGraphNodeType type) {
  return type == hipGraphNodeTypeMemcpy || type == hipGraphNodeTypeMemcpy1D ||
         type == hipGraphNodeTypeMemcpyFromSymbol || type == hipGraphNodeTypeMemcpyToSymbol;
}

bool sim_hip_node_is_copy(hipGraphNode_t node) { return is_copy(node->work.type); }

hipError_t sim_hip_node_need_type(const char *call, hipGraphNode_t node, hipGraphNodeType type) {
  if (!sim_hip_node_is(node))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the node is not a node of this runtime", call);
  if (node->work.type == type || (is_copy(type) && is_copy(node->work.type))) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: the node is of type %d, the call is for type %d", call,
                        (int)node->work.type, (int)type);
}

hipError_t sim_hip_node_change(const char *call, hipGraphNode_t node, const sim_hip_work *work) {
  hipError_t error = sim_hip_node_need_type(call, node, work->type);
  if (error == hipSuccess) error = sim_hip_work_check(call, work);
  if (error != hipSuccess) return error;
  return sim_hip_result(sim_hip_node_set(node, work) ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t sim_hip_exec_change(const char *call, hipGraphExec_t exec, hipGraphNode_t node,
                               const sim_hip_work *work) {
  hipGraphNode_t mine = sim_hip_exec_node(call, exec, node);
  if (!mine) return hipErrorInvalidValue;
  if (is_copy(work->type) && is_copy(mine->work.type) && mine->work.copy.kind != work->copy.kind)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "%s: a copy of kind %d cannot become one of kind %d in an executable graph", call,
                          (int)mine->work.copy.kind, (int)work->copy.kind);
  return sim_hip_node_change(call, mine, work);
}

static hipError_t null_params(const char *call) {
  return sim_hip_refuse(hipErrorInvalidValue, "%s: the parameters are null", call);
}

// ---- kernels

hipError_t sim_hip_kernel_node_work(const char *call, const hipKernelNodeParams *p, sim_hip_work *work) {
  sim_hip_device *device = sim_hip_current();
  if (!p) return null_params(call);
  if (!device) return sim_hip_result(hipErrorNoDevice);
  sim_hip_launch_args args = {.grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
                              .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                              .dynamic_lds = p->sharedMemBytes,
                              .params = p->kernelParams,
                              .extra = p->extra,
                              .named = p->func};
  if (sim_hip_handle_is(p->func, SIM_HIP_FUNCTION)) {
    args.function = p->func;
    device = args.function->module->device;
  } else {
    hipError_t error = sim_hip_host_function(call, p->func, device, &args.function);
    if (error != hipSuccess) return error;
  }
  return sim_hip_kernel_prepare(call, &args, device, work);
}

hipError_t hipGraphAddKernelNode(ADD_ARGS, const hipKernelNodeParams *params) {
  sim_hip_work work;
  hipError_t error = sim_hip_kernel_node_work("hipGraphAddKernelNode", params, &work);
  if (error != hipSuccess) return error;
  error = sim_hip_node_add("hipGraphAddKernelNode", ADD_PASS, &work);
  free(work.kernel.kernarg);
  return error;
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *params) {
  sim_hip_work work;
  hipError_t error = sim_hip_kernel_node_work("hipGraphKernelNodeSetParams", params, &work);
  if (error != hipSuccess) return error;
  error = sim_hip_node_change("hipGraphKernelNodeSetParams", node, &work);
  free(work.kernel.kernarg);
  return error;
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams *params) {
  sim_hip_work work;
  hipError_t error = sim_hip_kernel_node_work("hipGraphExecKernelNodeSetParams", params, &work);
  if (error != hipSuccess) return error;
  error = sim_hip_exec_change("hipGraphExecKernelNodeSetParams", exec, node, &work);
  free(work.kernel.kernarg);
  return error;
}

// The pointers given out are into the node and live as long as its parameters.
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *params) {
  const char *call = "hipGraphKernelNodeGetParams";
  if (!params) return null_params(call);
  hipError_t error = sim_hip_node_need_type(call, node, hipGraphNodeTypeKernel);
  if (error != hipSuccess) return error;
  const sim_hip_kernel_work *k = &node->work.kernel;
  if (!sim_hip_handle_is(k->function, SIM_HIP_FUNCTION))
    return sim_hip_refuse(hipErrorInvalidHandle, "%s: the kernel's module has been unloaded", call);
  const sim_kernel *kernel = k->function->kernel;
  if (!node->params) node->params = calloc(kernel->explicit_arg_count + 1u, sizeof *node->params);
  if (!node->params) return sim_hip_result(hipErrorOutOfMemory);
  for (uint32_t i = 0; i < kernel->explicit_arg_count; ++i)
    node->params[i] = k->kernarg + kernel->args[i].offset;
  *params = (hipKernelNodeParams){.blockDim = {k->block[0], k->block[1], k->block[2]},
                                  .func = (void *)(uintptr_t)k->named,
                                  .gridDim = {k->grid[0], k->grid[1], k->grid[2]},
                                  .kernelParams = node->params,
                                  .sharedMemBytes = (unsigned)k->dynamic_lds};
  return hipSuccess;
}

// Cooperation changes what a launch does. Access policies and priorities, which no result depends on, are
// kept for the caller. hipLaunchAttributePriority came with ROCm 5.5.
enum { ATTRIBUTE_PRIORITY = 8 };

static hipError_t unknown_attribute(const char *call, int attribute) {
  return sim_hip_refuse(hipErrorInvalidValue, "%s: attribute %d is not known", call, attribute);
}

// The devices set no part of the cache aside, so the window of an access policy is empty.
static hipError_t check_window(const char *call, const hipAccessPolicyWindow *w) {
  const bool known = (int)w->hitProp >= hipAccessPropertyNormal &&
                     w->hitProp <= hipAccessPropertyPersisting &&
                     (int)w->missProp >= hipAccessPropertyNormal && w->missProp <= hipAccessPropertyStreaming;
  if (!w->num_bytes && w->hitRatio >= 0 && w->hitRatio <= 1 && known) return hipSuccess;
  return sim_hip_refuse(
      hipErrorInvalidValue,
      "%s: a window of %zu bytes with hit ratio %g; the largest has 0 bytes, the ratio is 0 to "
      "1, and misses cannot persist",
      call, w->num_bytes, (double)w->hitRatio);
}

SIM_HIP_EXPORT hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute,
                                                         const hipKernelNodeAttrValue *value) {
  const char *call = "hipGraphKernelNodeSetAttribute";
  if (!value) return null_params(call);
  hipError_t error = sim_hip_node_need_type(call, node, hipGraphNodeTypeKernel);
  if (error != hipSuccess) return error;
  switch ((int)attribute) {
    case hipKernelNodeAttributeCooperative: node->work.kernel.cooperative = value->cooperative; break;
    case ATTRIBUTE_PRIORITY: node->priority = value->cooperative; break;  // the union's only other number
    case hipKernelNodeAttributeAccessPolicyWindow:
      error = check_window(call, &value->accessPolicyWindow);
      if (error == hipSuccess) node->window = value->accessPolicyWindow;
      return error;
    default: return unknown_attribute(call, (int)attribute);
  }
  return hipSuccess;
}

SIM_HIP_EXPORT hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute,
                                                         hipKernelNodeAttrValue *value) {
  const char *call = "hipGraphKernelNodeGetAttribute";
  if (!value) return null_params(call);
  hipError_t error = sim_hip_node_need_type(call, node, hipGraphNodeTypeKernel);
  if (error != hipSuccess) return error;
  switch ((int)attribute) {
    case hipKernelNodeAttributeCooperative: value->cooperative = node->work.kernel.cooperative; break;
    case ATTRIBUTE_PRIORITY: value->cooperative = node->priority; break;
    case hipKernelNodeAttributeAccessPolicyWindow: value->accessPolicyWindow = node->window; break;
    default: return unknown_attribute(call, (int)attribute);
  }
  return hipSuccess;
}

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to) {
  const char *call = "hipGraphKernelNodeCopyAttributes";
  hipError_t error = sim_hip_node_need_type(call, from, hipGraphNodeTypeKernel);
  if (error == hipSuccess) error = sim_hip_node_need_type(call, to, hipGraphNodeTypeKernel);
  if (error != hipSuccess) return error;
  to->work.kernel.cooperative = from->work.kernel.cooperative;
  to->priority = from->priority;
  to->window = from->window;
  return hipSuccess;
}

// ---- fills

hipError_t sim_hip_fill_node_work(const char *call, const hipMemsetParams *p, sim_hip_work *work) {
  if (!p) return null_params(call);
  if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: elementSize is %u, it must be 1, 2 or 4", call,
                          p->elementSize);
  if (!p->height) return sim_hip_refuse(hipErrorInvalidValue, "%s: the height is 0", call);
  *work = (sim_hip_work){hipGraphNodeTypeMemset,
                         .fill = {p->dst, {p->pitch, 0}, p->value, p->elementSize, p->width, p->height, 1}};
  return hipSuccess;
}

hipError_t hipGraphAddMemsetNode(ADD_ARGS, const hipMemsetParams *params) {
  sim_hip_work work;
  hipError_t error = sim_hip_fill_node_work("hipGraphAddMemsetNode", params, &work);
  return error == hipSuccess ? sim_hip_node_add("hipGraphAddMemsetNode", ADD_PASS, &work) : error;
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *params) {
  sim_hip_work work;
  hipError_t error = sim_hip_fill_node_work("hipGraphMemsetNodeSetParams", params, &work);
  return error == hipSuccess ? sim_hip_node_change("hipGraphMemsetNodeSetParams", node, &work) : error;
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipMemsetParams *params) {
  sim_hip_work work;
  hipError_t error = sim_hip_fill_node_work("hipGraphExecMemsetNodeSetParams", params, &work);
  return error == hipSuccess ? sim_hip_exec_change("hipGraphExecMemsetNodeSetParams", exec, node, &work)
                             : error;
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *params) {
  if (!params) return null_params("hipGraphMemsetNodeGetParams");
  hipError_t error = sim_hip_node_need_type("hipGraphMemsetNodeGetParams", node, hipGraphNodeTypeMemset);
  if (error != hipSuccess) return error;
  const sim_hip_fill_work *f = &node->work.fill;
  *params = (hipMemsetParams){f->dst, f->element, f->height, f->layout.pitch, f->value, f->width};
  return hipSuccess;
}

// ---- host functions

static const hipHostNodeParams no_function;

static sim_hip_work host_work(const hipHostNodeParams *p) {
  return (sim_hip_work){hipGraphNodeTypeHost, .host = p ? *p : no_function};
}

hipError_t hipGraphAddHostNode(ADD_ARGS, const hipHostNodeParams *params) {
  const sim_hip_work work = host_work(params);
  return sim_hip_node_add("hipGraphAddHostNode", ADD_PASS, &work);
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *params) {
  const sim_hip_work work = host_work(params);
  return sim_hip_node_change("hipGraphHostNodeSetParams", node, &work);
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                         const hipHostNodeParams *params) {
  const sim_hip_work work = host_work(params);
  return sim_hip_exec_change("hipGraphExecHostNodeSetParams", exec, node, &work);
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *params) {
  if (!params) return null_params("hipGraphHostNodeGetParams");
  hipError_t error = sim_hip_node_need_type("hipGraphHostNodeGetParams", node, hipGraphNodeTypeHost);
  if (error == hipSuccess) *params = node->work.host;
  return error;
}

// ---- graphs, nothing, events

hipError_t hipGraphAddChildGraphNode(ADD_ARGS, hipGraph_t child) {
  hipError_t error = sim_hip_graph_need("hipGraphAddChildGraphNode", child, NULL, 0);
  if (error != hipSuccess) return error;
  return sim_hip_node_add("hipGraphAddChildGraphNode", ADD_PASS,
                          &(sim_hip_work){hipGraphNodeTypeGraph, .child = child});
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *child) {
  if (!child)
    return sim_hip_refuse(hipErrorInvalidValue, "hipGraphChildGraphNodeGetGraph: the result pointer is null");
  hipError_t error = sim_hip_node_need_type("hipGraphChildGraphNodeGetGraph", node, hipGraphNodeTypeGraph);
  if (error == hipSuccess) *child = node->work.child;
  return error;
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraph_t child) {
  const char *call = "hipGraphExecChildGraphNodeSetParams";
  hipError_t error = sim_hip_graph_need(call, child, NULL, 0);
  if (error != hipSuccess) return error;
  hipGraph_t sorted = sim_hip_graph_copy(child);
  if (!sorted) return sim_hip_result(hipErrorOutOfMemory);
  hipGraphNode_t mine = sim_hip_exec_node(call, exec, node);
  if (!mine)
    error = hipErrorInvalidValue;
  else if (!sim_hip_graph_sort(sorted))
    error = sim_hip_refuse(hipErrorInvalidValue, "%s: the dependencies of the graph form a circle", call);
  else if (mine->work.type == hipGraphNodeTypeGraph && !sim_hip_graph_same_shape(mine->work.child, sorted))
    error = sim_hip_refuse(hipErrorGraphExecUpdateFailure,
                           "%s: the graph has other nodes or edges than the one it is to replace", call);
  else
    error = sim_hip_node_change(call, mine, &(sim_hip_work){hipGraphNodeTypeGraph, .child = sorted});
  sim_hip_graph_free(sorted);
  return error;
}

hipError_t hipGraphAddEmptyNode(ADD_ARGS) {
  return sim_hip_node_add("hipGraphAddEmptyNode", ADD_PASS, &(sim_hip_work){.type = hipGraphNodeTypeEmpty});
}

// Defines the calls for event nodes of both kinds: NAME is the middle of the calls' names.
#define EVENT_NODES(NAME, TYPE)                                                                             \
  hipError_t hipGraphAdd##NAME##Node(ADD_ARGS, hipEvent_t event) {                                          \
    return sim_hip_node_add("hipGraphAdd" #NAME "Node", ADD_PASS, &(sim_hip_work){TYPE, .event = event});   \
  }                                                                                                         \
  hipError_t hipGraph##NAME##NodeSetEvent(hipGraphNode_t node, hipEvent_t event) {                          \
    return sim_hip_node_change("hipGraph" #NAME "NodeSetEvent", node,                                       \
                               &(sim_hip_work){TYPE, .event = event});                                      \
  }                                                                                                         \
  hipError_t hipGraphExec##NAME##NodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event) { \
    return sim_hip_exec_change("hipGraphExec" #NAME "NodeSetEvent", exec, node,                             \
                               &(sim_hip_work){TYPE, .event = event});                                      \
  }                                                                                                         \
  hipError_t hipGraph##NAME##NodeGetEvent(hipGraphNode_t node, hipEvent_t *event) {                         \
    if (!event) return null_params("hipGraph" #NAME "NodeGetEvent");                                        \
    hipError_t error = sim_hip_node_need_type("hipGraph" #NAME "NodeGetEvent", node, TYPE);                 \
    if (error == hipSuccess) *event = node->work.event;                                                     \
    return error;                                                                                           \
  }
EVENT_NODES(EventRecord, hipGraphNodeTypeEventRecord)
EVENT_NODES(EventWait, hipGraphNodeTypeWaitEvent)
