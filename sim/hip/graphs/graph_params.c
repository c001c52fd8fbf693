// SPDX-License-Identifier: MIT
// Nodes by one structure of parameters, whatever their type, and the driver's calls for copies and fills.
#include <stdlib.h>
#include <string.h>

#include "sim/hip/caller.h"
#include "sim/hip/graphs/graph.h"

// These are hipGraphNodeParams and HIP_MEMSET_NODE_PARAMS of HIP 6 (include/hip/hip_runtime_api.h of
// ROCm/HIP): an ABI.
typedef struct copy_params {
  int flags, reserved[3];
  hipMemcpy3DParms copy;
} copy_params;

typedef struct node_params {
  int type, reserved0[3];
  union {
    long long reserved1[29];
    hipKernelNodeParams kernel;
    copy_params copy;
    hipMemsetParams fill;
    hipHostNodeParams host;
    hipGraph_t graph;
    hipEvent_t event;
    hipMemAllocNodeParams allocate;
    void *base;
  };
  long long reserved2;
} node_params;
_Static_assert(sizeof(node_params) == 256, "hipGraphNodeParams is 256 bytes");

typedef struct driver_fill {
  hipDeviceptr_t dst;
  size_t pitch;
  unsigned value, element;
  size_t width, height;
} driver_fill;

#define ADD_ARGS hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *before, size_t before_count
#define ADD_PASS out, graph, before, before_count

#pragma GCC visibility push(default)
hipError_t hipGraphAddNode(ADD_ARGS, node_params *params);
hipError_t hipGraphNodeSetParams(hipGraphNode_t node, node_params *params);
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, node_params *params);
hipError_t hipDrvGraphAddMemcpyNode(ADD_ARGS, const void *copy, hipCtx_t context);
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, void *copy);
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const void *copy);
hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const void *copy,
                                              hipCtx_t context);
hipError_t hipDrvGraphAddMemsetNode(ADD_ARGS, const driver_fill *fill, hipCtx_t context);
hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                              const driver_fill *fill, hipCtx_t context);
#pragma GCC visibility pop

static hipError_t bad(const char *call, const char *why) {
  return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call, why);
}

// Makes the work that the parameters describe. What a kernel's work owns is the caller's to free.
static hipError_t work_of(const char *call, const node_params *p, sim_hip_work *work) {
  if (!p) return bad(call, "the parameters are null");
  switch (p->type) {
    case SIM_HIP_KERNEL_NODE6: return sim_hip_kernel_node_work(call, &p->kernel, work);
    case SIM_HIP_MEMCPY_NODE6: return sim_hip_box_work(call, &p->copy.copy, work);
    case SIM_HIP_MEMSET_NODE6: return sim_hip_fill_node_work(call, &p->fill, work);
    case SIM_HIP_HOST_NODE6: *work = (sim_hip_work){hipGraphNodeTypeHost, .host = p->host}; return hipSuccess;
    case SIM_HIP_EMPTY_NODE6: *work = (sim_hip_work){.type = hipGraphNodeTypeEmpty}; return hipSuccess;
    case SIM_HIP_GRAPH_NODE6:
      *work = (sim_hip_work){hipGraphNodeTypeGraph, .child = p->graph};
      return sim_hip_graph_need(call, p->graph, NULL, 0);
    case SIM_HIP_WAIT_EVENT_NODE6:
      *work = (sim_hip_work){hipGraphNodeTypeWaitEvent, .event = p->event};
      return hipSuccess;
    case SIM_HIP_EVENT_RECORD_NODE6:
      *work = (sim_hip_work){hipGraphNodeTypeEventRecord, .event = p->event};
      return hipSuccess;
    case SIM_HIP_FREE_NODE6: *work = (sim_hip_work){SIM_HIP_NODE_FREE, .base = p->base}; return hipSuccess;
    default:
      return sim_hip_refuse(hipErrorInvalidValue, "%s: nodes of type %d cannot be made here", call, p->type);
  }
}

static void drop(sim_hip_work *work) {
  if (work->type == hipGraphNodeTypeKernel) free(work->kernel.kernarg);
}

hipError_t hipGraphAddNode(ADD_ARGS, node_params *params) {
  const char *call = "hipGraphAddNode";
  sim_hip_work work;
  if (params && params->type == SIM_HIP_ALLOCATE_NODE6)
    return hipGraphAddMemAllocNode(ADD_PASS, &params->allocate);
  hipError_t error = work_of(call, params, &work);
  if (error != hipSuccess) return error;
  error = sim_hip_node_add(call, ADD_PASS, &work);
  drop(&work);
  return error;
}

// The memory of a graph stays where it is.
static hipError_t changeable(const char *call, const node_params *params, sim_hip_work *work) {
  hipError_t error = work_of(call, params, work);
  return error == hipSuccess && work->type == SIM_HIP_NODE_FREE
             ? bad(call, "a node that frees memory cannot be changed")
             : error;
}

hipError_t hipGraphNodeSetParams(hipGraphNode_t node, node_params *params) {
  const char *call = "hipGraphNodeSetParams";
  sim_hip_work work;
  hipError_t error = changeable(call, params, &work);
  if (error != hipSuccess) return error;
  error = sim_hip_node_change(call, node, &work);
  drop(&work);
  return error;
}

hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, node_params *params) {
  const char *call = "hipGraphExecNodeSetParams";
  sim_hip_work work;
  if (params && params->type == SIM_HIP_GRAPH_NODE6)
    return hipGraphExecChildGraphNodeSetParams(exec, node, params->graph);
  hipError_t error = changeable(call, params, &work);
  if (error != hipSuccess) return error;
  error = sim_hip_exec_change(call, exec, node, &work);
  drop(&work);
  return error;
}

// ---- the driver's copies. Every device has one context, so it says nothing.

hipError_t hipDrvGraphAddMemcpyNode(ADD_ARGS, const void *copy, hipCtx_t context) {
  const char *call = "hipDrvGraphAddMemcpyNode";
  sim_hip_work work;
  (void)context;
  hipError_t error = sim_hip_driver_box_work(call, SIM_HIP_CALLER, copy, &work);
  return error == hipSuccess ? sim_hip_node_add(call, ADD_PASS, &work) : error;
}

hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const void *copy) {
  const char *call = "hipDrvGraphMemcpyNodeSetParams";
  sim_hip_work work;
  hipError_t error = sim_hip_driver_box_work(call, SIM_HIP_CALLER, copy, &work);
  return error == hipSuccess ? sim_hip_node_change(call, node, &work) : error;
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const void *copy,
                                              hipCtx_t context) {
  const char *call = "hipDrvGraphExecMemcpyNodeSetParams";
  sim_hip_work work;
  (void)context;
  hipError_t error = sim_hip_driver_box_work(call, SIM_HIP_CALLER, copy, &work);
  return error == hipSuccess ? sim_hip_exec_change(call, exec, node, &work) : error;
}

static sim_hip_box_end end_of(const void *pointer, sim_hip_box layout, size_t height) {
  sim_allocation a;
  const bool on_device = sim_memory_find((uintptr_t)pointer, &a) && a.kind != SIM_MEMORY_HOST;
  void *const address = (void *)(uintptr_t)pointer;
  return (sim_hip_box_end){.type = on_device ? hipMemoryTypeDevice : hipMemoryTypeHost,
                           .host = on_device ? NULL : address,
                           .device = on_device ? address : NULL,
                           .pitch = layout.pitch,
                           .height = layout.pitch && layout.slice ? layout.slice / layout.pitch : height};
}

// The positions have become part of the pointers.
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, void *copy) {
  const char *call = "hipDrvGraphMemcpyNodeGetParams";
  if (!copy) return bad(call, "the result pointer is null");
  hipError_t error = sim_hip_node_need_type(call, node, hipGraphNodeTypeMemcpy);
  if (error != hipSuccess) return error;
  const sim_hip_copy_work *c = &node->work.copy;
  const sim_hip_box_copy description = {.src = end_of(c->src, c->from, c->height),
                                        .dst = end_of(c->dst, c->to, c->height),
                                        .width = c->width,
                                        .height = c->height,
                                        .depth = c->depth};
  sim_hip_write_box_copy(SIM_HIP_CALLER, &description, copy);
  return hipSuccess;
}

// ---- the driver's fills

static hipError_t driver_fill_work(const char *call, const driver_fill *f, sim_hip_work *work) {
  if (!f) return bad(call, "the parameters are null");
  const hipMemsetParams params = {f->dst, f->element, f->height, f->pitch, f->value, f->width};
  return sim_hip_fill_node_work(call, &params, work);
}

hipError_t hipDrvGraphAddMemsetNode(ADD_ARGS, const driver_fill *fill, hipCtx_t context) {
  const char *call = "hipDrvGraphAddMemsetNode";
  sim_hip_work work;
  (void)context;
  hipError_t error = driver_fill_work(call, fill, &work);
  return error == hipSuccess ? sim_hip_node_add(call, ADD_PASS, &work) : error;
}

hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                              const driver_fill *fill, hipCtx_t context) {
  const char *call = "hipDrvGraphExecMemsetNodeSetParams";
  sim_hip_work work;
  (void)context;
  hipError_t error = driver_fill_work(call, fill, &work);
  return error == hipSuccess ? sim_hip_exec_change(call, exec, node, &work) : error;
}
