// SPDX-License-Identifier: MIT
// Copies as nodes of graphs: of boxes, of bytes, and of device variables. The four can be changed into each
// other.
#include "sim/hip/graphs/graph.h"

#define ADD_ARGS hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *before, size_t before_count
#define ADD_PASS out, graph, before, before_count

// hipMemcpy3DParms

hipError_t hipGraphAddMemcpyNode(ADD_ARGS, const hipMemcpy3DParms *params) {
  sim_hip_work work;
  hipError_t error = sim_hip_box_work("hipGraphAddMemcpyNode", params, &work);
  return error == hipSuccess ? sim_hip_node_add("hipGraphAddMemcpyNode", ADD_PASS, &work) : error;
}

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *params) {
  sim_hip_work work;
  hipError_t error = sim_hip_box_work("hipGraphMemcpyNodeSetParams", params, &work);
  return error == hipSuccess ? sim_hip_node_change("hipGraphMemcpyNodeSetParams", node, &work) : error;
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           hipMemcpy3DParms *params) {
  sim_hip_work work;
  hipError_t error = sim_hip_box_work("hipGraphExecMemcpyNodeSetParams", params, &work);
  return error == hipSuccess ? sim_hip_exec_change("hipGraphExecMemcpyNodeSetParams", exec, node, &work)
                             : error;
}

// The positions have become part of the pointers.
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *params) {
  const char *call = "hipGraphMemcpyNodeGetParams";
  if (!params) return sim_hip_refuse(hipErrorInvalidValue, "%s: the parameters are null", call);
  hipError_t error = sim_hip_node_need_type(call, node, hipGraphNodeTypeMemcpy);
  if (error != hipSuccess) return error;
  const sim_hip_copy_work *c = &node->work.copy;
  const size_t to_rows = c->to.pitch ? c->to.slice / c->to.pitch : 0;
  const size_t from_rows = c->from.pitch ? c->from.slice / c->from.pitch : 0;
  *params = (hipMemcpy3DParms){
      .srcPtr = {(void *)(uintptr_t)c->src, c->from.pitch, c->width, from_rows ? from_rows : c->height},
      .dstPtr = {c->dst, c->to.pitch, c->width, to_rows ? to_rows : c->height},
      .extent = {c->width, c->height, c->depth},
      .kind = c->kind};
  return hipSuccess;
}

// Bytes

static sim_hip_work line_work(void *dst, const void *src, size_t bytes, hipMemcpyKind kind) {
  const sim_hip_box row = {bytes, bytes};
  return (sim_hip_work){hipGraphNodeTypeMemcpy1D, .copy = {dst, src, row, row, bytes, 1, 1, kind}};
}

#define LINE_ARGS void *dst, const void *src, size_t bytes, hipMemcpyKind kind

hipError_t hipGraphAddMemcpyNode1D(ADD_ARGS, LINE_ARGS) {
  const sim_hip_work work = line_work(dst, src, bytes, kind);
  return sim_hip_node_add("hipGraphAddMemcpyNode1D", ADD_PASS, &work);
}

// A node may copy nothing when it is made, but cannot be changed to do so.
static hipError_t check_line(const char *call, const sim_hip_work *work) {
  if (!work->copy.width) return sim_hip_refuse(hipErrorInvalidValue, "%s: there are no bytes to copy", call);
  if (work->copy.dst != work->copy.src) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: source and destination are the same", call);
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, LINE_ARGS) {
  const sim_hip_work work = line_work(dst, src, bytes, kind);
  hipError_t error = check_line("hipGraphMemcpyNodeSetParams1D", &work);
  return error != hipSuccess ? error : sim_hip_node_change("hipGraphMemcpyNodeSetParams1D", node, &work);
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, LINE_ARGS) {
  const sim_hip_work work = line_work(dst, src, bytes, kind);
  hipError_t error = check_line("hipGraphExecMemcpyNodeSetParams1D", &work);
  return error != hipSuccess ? error
                             : sim_hip_exec_change("hipGraphExecMemcpyNodeSetParams1D", exec, node, &work);
}

// Device variables of the current device

static hipError_t from_symbol(const char *call, void *dst, const void *symbol, size_t bytes, size_t offset,
                              hipMemcpyKind kind, sim_hip_work *work) {
  sim_hip_device *device = sim_hip_current();
  void *address = NULL;
  if (!device) return sim_hip_result(hipErrorNoDevice);
  hipError_t error = sim_hip_symbol_range(call, symbol, bytes, offset, device, &address);
  if (error != hipSuccess) return error;
  *work = line_work(dst, address, bytes, kind);
  work->type = hipGraphNodeTypeMemcpyFromSymbol;
  return hipSuccess;
}

static hipError_t to_symbol(const char *call, const void *symbol, const void *src, size_t bytes,
                            size_t offset, hipMemcpyKind kind, sim_hip_work *work) {
  sim_hip_device *device = sim_hip_current();
  void *address = NULL;
  if (!device) return sim_hip_result(hipErrorNoDevice);
  hipError_t error = sim_hip_symbol_range(call, symbol, bytes, offset, device, &address);
  if (error != hipSuccess) return error;
  *work = line_work(address, src, bytes, kind);
  work->type = hipGraphNodeTypeMemcpyToSymbol;
  return hipSuccess;
}

#define SYMBOL_NODES(NAME, MAKE, FIRST, SECOND)                                                              \
  hipError_t hipGraphAddMemcpyNode##NAME(ADD_ARGS, FIRST, SECOND, size_t bytes, size_t offset,               \
                                         hipMemcpyKind kind) {                                               \
    sim_hip_work work;                                                                                       \
    hipError_t error = MAKE("hipGraphAddMemcpyNode" #NAME, first, second, bytes, offset, kind, &work);       \
    return error == hipSuccess ? sim_hip_node_add("hipGraphAddMemcpyNode" #NAME, ADD_PASS, &work) : error;   \
  }                                                                                                          \
  hipError_t hipGraphMemcpyNodeSetParams##NAME(hipGraphNode_t node, FIRST, SECOND, size_t bytes,             \
                                               size_t offset, hipMemcpyKind kind) {                          \
    sim_hip_work work;                                                                                       \
    hipError_t error = MAKE("hipGraphMemcpyNodeSetParams" #NAME, first, second, bytes, offset, kind, &work); \
    if (error == hipSuccess) error = check_line("hipGraphMemcpyNodeSetParams" #NAME, &work);                 \
    return error == hipSuccess ? sim_hip_node_change("hipGraphMemcpyNodeSetParams" #NAME, node, &work)       \
                               : error;                                                                      \
  }                                                                                                          \
  hipError_t hipGraphExecMemcpyNodeSetParams##NAME(hipGraphExec_t exec, hipGraphNode_t node, FIRST, SECOND,  \
                                                   size_t bytes, size_t offset, hipMemcpyKind kind) {        \
    sim_hip_work work;                                                                                       \
    hipError_t error =                                                                                       \
        MAKE("hipGraphExecMemcpyNodeSetParams" #NAME, first, second, bytes, offset, kind, &work);            \
    if (error == hipSuccess) error = check_line("hipGraphExecMemcpyNodeSetParams" #NAME, &work);             \
    return error == hipSuccess                                                                               \
               ? sim_hip_exec_change("hipGraphExecMemcpyNodeSetParams" #NAME, exec, node, &work)             \
               : error;                                                                                      \
  }
SYMBOL_NODES(FromSymbol, from_symbol, void *first, const void *second)
SYMBOL_NODES(ToSymbol, to_symbol, const void *first, const void *second)
