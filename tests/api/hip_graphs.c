// SPDX-License-Identifier: MIT
// Graphs made of nodes: what they compute, in which order, how they are read, changed and refused. Arguments:
// code objects for gfx950 (device 0) and gfx942 (device 1).
#include "hip_capture.h"

hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned enabled);
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned *enabled);
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to);

enum { N = 64 };
static hipFunction_t add_table;  // out[i] += {10, 20, 30, 40}[i & 3]
static hipStream_t stream;

static int order[64], order_count;
static void note(void *number) { order[order_count++ & 63] = (int)(intptr_t)number; }

static hipKernelNodeParams kernel_params(void **params) {
  return (hipKernelNodeParams){
      .func = add_table, .gridDim = {1, 1, 1}, .blockDim = {N, 1, 1}, .kernelParams = params};
}

static void graphs_compute(void) {
  int *d, *e, host[N] = {0};
  OK(hipMalloc((void **)&d, N * sizeof *d));
  OK(hipMalloc((void **)&e, 4 * N * sizeof *e));
  hipGraph_t graph;
  hipGraphNode_t set, kernel, twice, box, read;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddMemsetNode(
      &set, graph, NULL, 0,
      &(hipMemsetParams){.dst = d, .elementSize = 4, .value = 7, .width = N, .height = 1}));
  void *params[] = {&d};
  hipKernelNodeParams kp = kernel_params(params);
  OK(hipGraphAddKernelNode(&kernel, graph, &set, 1, &kp));
  OK(hipGraphAddKernelNode(&twice, graph, &kernel, 1, &kp));
  // This is a box of 4 rows of 4 numbers into rows of N.
  hipMemcpy3DParms copy = {.srcPtr = {d, 16, 16, 4},
                           .dstPtr = {e, N * 4, 16, 4},
                           .extent = {16, 4, 1},
                           .kind = hipMemcpyDeviceToDevice};
  OK(hipGraphAddMemcpyNode(&box, graph, &twice, 1, &copy));
  OK(hipGraphAddMemcpyNode1D(&read, graph, &box, 1, host, e + 2 * N, 16, hipMemcpyDeviceToHost));
  hipGraphExec_t exec;
  char log[8] = "unset";
  OK(hipGraphInstantiate(&exec, graph, NULL, log, sizeof log));
  CHECK(log[0] == 0, "the log says %s", log);
  OK(hipGraphUpload(exec, stream));
  OK(hipGraphDestroy(graph));  // the executable graph is on its own
  for (int launch = 0; launch < 3; ++launch) {
    memset(host, 0, sizeof host);
    OK(hipGraphLaunch(exec, stream));
    OK(hipStreamSynchronize(stream));
    for (int i = 0; i < 4; ++i)
      CHECK(host[i] == 7 + 2 * 10 * (i + 1), "launch %d: element %d is %d", launch, i, host[i]);
  }
  OK(hipFree(e));  // now a node points to nothing
  SAYS(hipErrorInvalidValue, "hipGraphLaunch: the destination", hipGraphLaunch(exec, stream));
  OK(hipGraphExecDestroy(exec));
  SAYS(hipErrorInvalidValue, "executable graph", hipGraphLaunch(exec, stream));
  OK(hipFree(d));
}

// Adds nodes 0 to 5 with edges against the order in which they were added: the result is the first
// topological order.
static void dependencies_order_the_nodes(void) {
  static const int edges[][2] = {{5, 0}, {3, 1}, {4, 3}, {1, 2}, {0, 2}};
  hipGraph_t graph;
  hipGraphNode_t nodes[6], empty, list[8], to[8];
  OK(hipGraphCreate(&graph, 0));
  for (intptr_t i = 0; i < 6; ++i)
    OK(hipGraphAddHostNode(&nodes[i], graph, NULL, 0, &(hipHostNodeParams){note, (void *)i}));
  for (int i = 0; i < 5; ++i) OK(hipGraphAddDependencies(graph, &nodes[edges[i][0]], &nodes[edges[i][1]], 1));
  OK(hipGraphAddEmptyNode(&empty, graph, &nodes[2], 1));

  size_t count = 0;
  OK(hipGraphGetNodes(graph, NULL, &count));
  CHECK(count == 7, "%zu nodes", count);
  OK(hipGraphGetEdges(graph, NULL, NULL, &count));
  CHECK(count == 6, "%zu edges", count);
  count = 8;
  OK(hipGraphGetRootNodes(graph, list, &count));
  CHECK(count == 2 && list[0] == nodes[4] && list[1] == nodes[5] && !list[2], "%zu roots", count);
  count = 8;
  OK(hipGraphNodeGetDependencies(nodes[2], list, &count));
  CHECK(count == 2 && list[0] == nodes[1] && list[1] == nodes[0], "%zu dependencies", count);
  count = 1;
  OK(hipGraphNodeGetDependentNodes(nodes[2], list, &count));
  CHECK(count == 1 && list[0] == empty, "%zu dependents", count);
  count = 8;
  OK(hipGraphGetEdges(graph, list, to, &count));
  CHECK(count == 6 && list[0] == nodes[5] && to[0] == nodes[0], "the first edge");

  hipGraphExec_t exec;
  OK(hipGraphInstantiateWithFlags(&exec, graph, 0));
  static const int expected[6] = {4, 3, 1, 5, 0, 2};
  order_count = 0;
  OK(hipGraphLaunch(exec, NULL));
  OK(hipDeviceSynchronize());
  CHECK(order_count == 6 && memcmp(order, expected, sizeof expected) == 0, "%d nodes ran: %d %d %d %d %d %d",
        order_count, order[0], order[1], order[2], order[3], order[4], order[5]);
  OK(hipGraphExecDestroy(exec));

  SAYS(hipErrorInvalidValue, "exists already", hipGraphAddDependencies(graph, &nodes[5], &nodes[0], 1));
  SAYS(hipErrorInvalidValue, "depend on itself", hipGraphAddDependencies(graph, &nodes[5], &nodes[5], 1));
  SAYS(hipErrorInvalidValue, "does not exist", hipGraphRemoveDependencies(graph, &nodes[0], &nodes[5], 1));
  OK(hipGraphAddDependencies(graph, &nodes[2], &nodes[4], 1));
  SAYS(hipErrorInvalidValue, "circle", hipGraphInstantiateWithFlags(&exec, graph, 0));
  OK(hipGraphRemoveDependencies(graph, &nodes[2], &nodes[4], 1));
  OK(hipGraphDestroyNode(nodes[1]));
  OK(hipGraphInstantiateWithFlags(&exec, graph, 0));
  order_count = 0;
  OK(hipGraphLaunch(exec, stream));
  OK(hipDeviceSynchronize());
  CHECK(order_count == 5 && order[0] == 4, "%d nodes ran without node 1", order_count);
  OK(hipGraphExecDestroy(exec));
  SAYS(hipErrorInvalidValue, "not a node", hipGraphDestroyNode(nodes[1]));
  OK(hipGraphDestroy(graph));
  SAYS(hipErrorInvalidValue, "not a node", hipGraphNodeGetType(nodes[0], &(hipGraphNodeType){0}));
}

static void parameters_are_read_and_changed(void) {
  int *d, *e;
  OK(hipMallocManaged((void **)&d, N * sizeof *d, hipMemAttachGlobal));
  OK(hipMallocManaged((void **)&e, N * sizeof *e, hipMemAttachGlobal));
  hipGraph_t graph;
  hipGraphNode_t kernel, set, host, copy, clone_node;
  hipGraphNodeType type;
  OK(hipGraphCreate(&graph, 0));
  void *params[] = {&d}, *other[] = {&e};
  hipKernelNodeParams kp = kernel_params(params), got;
  OK(hipGraphAddMemsetNode(
      &set, graph, NULL, 0,
      &(hipMemsetParams){.dst = d, .elementSize = 2, .value = 1, .width = 2 * N, .height = 1}));
  OK(hipGraphAddKernelNode(&kernel, graph, &set, 1, &kp));
  OK(hipGraphAddHostNode(&host, graph, &kernel, 1, &(hipHostNodeParams){note, (void *)1}));
  OK(hipGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, e, d, 8, hipMemcpyDefault));
  OK(hipGraphNodeGetType(copy, &type));
  CHECK(type == hipGraphNodeTypeMemcpy1D, "type %d", (int)type);

  OK(hipGraphKernelNodeGetParams(kernel, &got));
  CHECK(
      got.func == add_table && got.gridDim.x == 1 && got.blockDim.x == N && *(int **)got.kernelParams[0] == d,
      "kernel parameters");
  hipMemsetParams fill;
  OK(hipGraphMemsetNodeGetParams(set, &fill));
  CHECK(fill.dst == d && fill.elementSize == 2 && fill.value == 1 && fill.width == 2 * N && fill.height == 1,
        "memset parameters");
  hipHostNodeParams function;
  OK(hipGraphHostNodeGetParams(host, &function));
  CHECK(function.fn == note && function.userData == (void *)1, "host parameters");
  hipMemcpy3DParms box;
  OK(hipGraphMemcpyNodeGetParams(copy, &box));
  CHECK(box.srcPtr.ptr == d && box.dstPtr.ptr == e && box.extent.width == 8 && box.extent.height == 1,
        "memcpy parameters");

  hipGraphExec_t exec;
  OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  hipGraph_t clone;
  SAYS(hipErrorInvalidValue, "not a graph", hipGraphClone(&clone, NULL));
  OK(hipGraphClone(&clone, graph));
  OK(hipGraphNodeFindInClone(&clone_node, kernel, clone));
  CHECK(clone_node && clone_node != kernel, "the clone has its own node");
  SAYS(hipErrorInvalidValue, "no clone", hipGraphNodeFindInClone(&clone_node, clone_node, graph));
  OK(hipGraphDestroy(clone));

  // In the graph, only later instantiations see it. In the executable graph, it is seen at once.
  kp.kernelParams = other;
  OK(hipGraphKernelNodeSetParams(kernel, &kp));
  memset(e, 0, N * sizeof *e);
  OK(hipGraphLaunch(exec, stream));
  OK(hipDeviceSynchronize());
  CHECK(d[0] == 0x10001 + 10 && e[0] == d[0] && e[2] == 0, "the old arguments: %#x, %#x", (unsigned)d[0],
        (unsigned)e[0]);
  OK(hipGraphExecKernelNodeSetParams(exec, kernel, &kp));
  OK(hipGraphExecMemsetNodeSetParams(
      exec, set, &(hipMemsetParams){.dst = e, .elementSize = 4, .value = 5, .width = N, .height = 1}));
  OK(hipGraphExecHostNodeSetParams(exec, host, &(hipHostNodeParams){note, (void *)9}));
  OK(hipGraphExecMemcpyNodeSetParams1D(exec, copy, d + 1, e + 3, 4, hipMemcpyDefault));
  order_count = 0;
  OK(hipGraphLaunch(exec, stream));
  OK(hipDeviceSynchronize());
  CHECK(e[0] == 15 && e[3] == 45 && d[1] == 45 && order_count == 1 && order[0] == 9,
        "the new arguments: %d %d %d", e[0], e[3], d[1]);

  unsigned enabled = 7;
  OK(hipGraphNodeSetEnabled(exec, kernel, 0));
  OK(hipGraphNodeGetEnabled(exec, kernel, &enabled));
  OK(hipGraphLaunch(exec, stream));
  OK(hipDeviceSynchronize());
  CHECK(enabled == 0 && e[0] == 5, "a node that is switched off");
  SAYS(hipErrorInvalidValue, "can be switched", hipGraphNodeSetEnabled(exec, host, 0));

  SAYS(hipErrorInvalidValue, "of type", hipGraphKernelNodeSetParams(host, &kp));
  SAYS(hipErrorInvalidValue, "elementSize is 3",
       hipGraphMemsetNodeSetParams(set, &(hipMemsetParams){.dst = e, .elementSize = 3, .width = 1}));
  SAYS(hipErrorInvalidValue, "overruns", hipGraphMemcpyNodeSetParams1D(copy, d, e, 5 * N, hipMemcpyDefault));
  SAYS(hipErrorInvalidValue, "the function is null",
       hipGraphAddHostNode(&host, graph, NULL, 0, &(hipHostNodeParams){NULL, NULL}));
  SAYS(hipErrorInvalidValue, "the parameters are null", hipGraphAddKernelNode(&kernel, graph, NULL, 0, NULL));
  kp.blockDim.x = 4096;
  SAYS(hipErrorInvalidConfiguration, "more than", hipGraphAddKernelNode(&kernel, graph, NULL, 0, &kp));
  SAYS(hipErrorInvalidValue, "flags is 0x4", hipGraphCreate(&graph, 4));
  SAYS(hipErrorInvalidValue, "not a graph", hipGraphDestroy((hipGraph_t)d));
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
  OK(hipFree(d));
  OK(hipFree(e));
}

static void graphs_contain_graphs_and_events(void) {
  hipGraph_t outer, inner, kept;
  hipGraphNode_t a, b, child, record, wait;
  hipEvent_t event, other, got;
  hipGraphExec_t exec;
  OK(hipEventCreate(&event));
  OK(hipEventCreate(&other));
  OK(hipGraphCreate(&outer, 0));
  OK(hipGraphCreate(&inner, 0));
  OK(hipGraphAddHostNode(&b, inner, NULL, 0, &(hipHostNodeParams){note, (void *)2}));
  OK(hipGraphAddHostNode(&a, inner, NULL, 0, &(hipHostNodeParams){note, (void *)1}));
  OK(hipGraphAddDependencies(inner, &a, &b, 1));
  OK(hipGraphAddChildGraphNode(&child, outer, NULL, 0, inner));
  OK(hipGraphAddEventRecordNode(&record, outer, &child, 1, event));
  OK(hipGraphAddEventWaitNode(&wait, outer, &record, 1, event));
  OK(hipGraphEventRecordNodeGetEvent(record, &got));
  CHECK(got == event, "the event to record");
  OK(hipGraphChildGraphNodeGetGraph(child, &kept));
  SAYS(hipErrorInvalidValue, "belongs to a node", hipGraphDestroy(kept));
  OK(hipGraphInstantiate(&exec, outer, NULL, NULL, 0));
  OK(hipGraphExecEventRecordNodeSetEvent(exec, record, other));
  order_count = 0;
  float ms;
  OK(hipGraphLaunch(exec, stream));
  OK(hipDeviceSynchronize());
  CHECK(order_count == 2 && order[0] == 1 && order[1] == 2, "the inner graph: %d %d", order[0], order[1]);
  SAYS(hipErrorInvalidHandle, "start event was never recorded", hipEventElapsedTime(&ms, event, other));
  OK(hipGraphHostNodeSetParams(b, &(hipHostNodeParams){note, (void *)3}));
  OK(hipGraphExecChildGraphNodeSetParams(exec, child, inner));
  order_count = 0;
  OK(hipGraphLaunch(exec, stream));
  OK(hipDeviceSynchronize());
  CHECK(order_count == 2 && order[0] == 1 && order[1] == 3, "the new inner graph: %d %d", order[0], order[1]);
  OK(hipGraphAddHostNode(&b, inner, &b, 1, &(hipHostNodeParams){note, (void *)4}));
  SAYS(hipErrorGraphExecUpdateFailure, "other nodes",
       hipGraphExecChildGraphNodeSetParams(exec, child, inner));
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(inner));
  OK(hipGraphDestroy(outer));
  OK(hipEventDestroy(event));
  OK(hipEventDestroy(other));
}

static hipGraph_t two_notes(intptr_t first, intptr_t second, hipGraphNode_t nodes[2]) {
  hipGraph_t graph;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddHostNode(&nodes[0], graph, NULL, 0, &(hipHostNodeParams){note, (void *)first}));
  OK(hipGraphAddHostNode(&nodes[1], graph, &nodes[0], 1, &(hipHostNodeParams){note, (void *)second}));
  return graph;
}

static void executable_graphs_are_updated_as_a_whole(void) {
  hipGraphNode_t nodes[2], new_nodes[2], where;
  hipGraph_t graph = two_notes(1, 2, nodes), same = two_notes(5, 6, new_nodes);
  hipGraphExec_t exec;
  hipGraphExecUpdateResult result;
  OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  OK(hipGraphExecUpdate(exec, same, &where, &result));
  order_count = 0;
  OK(hipGraphLaunch(exec, stream));
  OK(hipDeviceSynchronize());
  CHECK(result == hipGraphExecUpdateSuccess && order[0] == 5 && order[1] == 6, "updated: %d %d", order[0],
        order[1]);
  OK(hipGraphExecHostNodeSetParams(exec, nodes[1], &(hipHostNodeParams){note, (void *)8}));
  OK(hipGraphAddEmptyNode(&where, same, NULL, 0));
  SAYS(hipErrorGraphExecUpdateFailure, "other nodes", hipGraphExecUpdate(exec, same, &where, &result));
  CHECK(result == hipGraphExecUpdateErrorTopologyChanged, "result %d", (int)result);
  hipGraph_t other;
  hipGraphNode_t list[2];
  OK(hipGraphCreate(&other, 0));
  OK(hipGraphAddHostNode(&list[0], other, NULL, 0, &(hipHostNodeParams){note, NULL}));
  OK(hipGraphAddEmptyNode(&list[1], other, list, 1));
  SAYS(hipErrorGraphExecUpdateFailure, "other nodes", hipGraphExecUpdate(exec, other, &where, &result));
  CHECK(result == hipGraphExecUpdateErrorNodeTypeChanged && where == list[1], "result %d", (int)result);
  order_count = 0;
  OK(hipGraphLaunch(exec, stream));
  OK(hipDeviceSynchronize());
  CHECK(order[0] == 5 && order[1] == 8, "unchanged by updates that fail: %d %d", order[0], order[1]);
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
  OK(hipGraphDestroy(same));
  OK(hipGraphDestroy(other));
}

// Tests whether a kernel node is launched as a cooperative one: off at first, kept, and copied from node to
// node.
static void kernel_nodes_keep_their_attributes(void) {
  int *d;
  OK(hipMallocManaged((void **)&d, N * sizeof *d, hipMemAttachGlobal));
  hipGraph_t graph;
  hipGraphNode_t from, to;
  void *params[] = {&d};
  const hipKernelNodeParams kp = kernel_params(params);
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddKernelNode(&from, graph, NULL, 0, &kp));
  OK(hipGraphAddKernelNode(&to, graph, NULL, 0, &kp));
  hipKernelNodeAttrValue value = {.cooperative = 7};
  OK(hipGraphKernelNodeGetAttribute(from, hipKernelNodeAttributeCooperative, &value));
  CHECK(value.cooperative == 0, "a new node's attribute is %d", value.cooperative);
  for (int cooperative = 1; cooperative >= 0; --cooperative) {
    value.cooperative = cooperative;
    OK(hipGraphKernelNodeSetAttribute(from, hipKernelNodeAttributeCooperative, &value));
    OK(hipGraphKernelNodeCopyAttributes(from, to));
    for (int i = 0; i < 2; ++i) {
      value.cooperative = 7;
      OK(hipGraphKernelNodeGetAttribute(i ? to : from, hipKernelNodeAttributeCooperative, &value));
      CHECK(value.cooperative == cooperative, "node %d was set to %d and has %d", i, cooperative,
            value.cooperative);
    }
  }
  SAYS(hipErrorInvalidValue, "hipGraphKernelNodeSetAttribute: attribute 99",
       hipGraphKernelNodeSetAttribute(from, (hipKernelNodeAttrID)99, &value));
  OK(hipGraphDestroy(graph));
  OK(hipFree(d));
}

// A kernel of device 0 runs there when its graph is launched in a stream of device 1, and no kernel of device
// 1 takes its place.
static void kernels_stay_on_their_device(char **paths) {
  hipModule_t modules[2];
  hipStream_t streams[2];
  hipGraph_t graphs[2];
  hipGraphNode_t nodes[2], where = NULL;
  hipGraphExec_t exec;
  hipGraphExecUpdateResult result;
  int *d;
  void *params[] = {&d};
  OK(hipMallocManaged((void **)&d, N * sizeof *d, hipMemAttachGlobal));
  for (int i = 0; i < N; ++i) d[i] = i;
  for (int device = 0; device < 2; ++device) {
    OK(hipSetDevice(device));
    OK(hipModuleLoad(&modules[device], paths[device]));
    OK(hipModuleGetFunction(&add_table, modules[device], "add_table"));
    OK(hipStreamCreate(&streams[device]));
    OK(hipGraphCreate(&graphs[device], 0));
    const hipKernelNodeParams kp = kernel_params(params);
    OK(hipGraphAddKernelNode(&nodes[device], graphs[device], NULL, 0, &kp));
  }
  OK(hipGraphInstantiate(&exec, graphs[0], NULL, NULL, 0));
  OK(hipGraphLaunch(exec, streams[1]));
  OK(hipStreamSynchronize(streams[1]));
  int wrong = 0;
  for (int i = 0; i < N; ++i) wrong += d[i] != i + 10 * ((i & 3) + 1);
  CHECK(wrong == 0, "%d results are wrong", wrong);
  SAYS(hipErrorGraphExecUpdateFailure, "hipGraphExecUpdate",
       hipGraphExecUpdate(exec, graphs[1], &where, &result));
  CHECK(result == hipGraphExecUpdateErrorUnsupportedFunctionChange && where == nodes[1], "result %d",
        (int)result);
  OK(hipGraphExecDestroy(exec));
  for (int device = 0; device < 2; ++device) {
    OK(hipGraphDestroy(graphs[device]));
    OK(hipStreamDestroy(streams[device]));
    OK(hipModuleUnload(modules[device]));
  }
  OK(hipFree(d));
}

int main(int argc, char **argv) {
  CHECK(argc == 3, "arguments: the code object of each device in order");
  for (int device = 0; device < argc - 1; ++device) {
    hipModule_t module;
    OK(hipSetDevice(device));
    OK(hipModuleLoad(&module, argv[device + 1]));
    OK(hipModuleGetFunction(&add_table, module, "add_table"));
    OK(hipStreamCreate(&stream));
    graphs_compute();
    dependencies_order_the_nodes();
    parameters_are_read_and_changed();
    kernel_nodes_keep_their_attributes();
    graphs_contain_graphs_and_events();
    executable_graphs_are_updated_as_a_whole();
    OK(hipStreamDestroy(stream));
    OK(hipModuleUnload(module));
  }
  kernels_stay_on_their_device(argv + 1);
  return test_result();
}
