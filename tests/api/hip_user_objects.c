// SPDX-License-Identifier: MIT
// User objects are destroyed with their last reference, whether a program or a graph has it; nodes are made
// and changed by one structure; streams are captured into a graph of the program's.
#include "hip_capture.h"

typedef struct user_object *object_t;
hipError_t hipUserObjectCreate(object_t *out, void *data, hipHostFn_t destroy, unsigned count,
                               unsigned flags);
hipError_t hipUserObjectRelease(object_t object, unsigned count);
hipError_t hipUserObjectRetain(object_t object, unsigned count);
hipError_t hipGraphRetainUserObject(hipGraph_t graph, object_t object, unsigned count, unsigned flags);
hipError_t hipGraphReleaseUserObject(hipGraph_t graph, object_t object, unsigned count);

// This is hipGraphNodeParams of HIP 6, as far as it is used here.
typedef struct node_params {
  int type, reserved0[3];
  union {
    long long reserved1[29];
    hipMemsetParams fill;
    hipHostNodeParams host;
  };
  long long reserved2;
} node_params;
enum { FILL_NODE = 2, HOST_NODE = 3, SEMAPHORE_NODE = 8, FREE_NODE = 11 };
hipError_t hipGraphAddNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *before, size_t count,
                           node_params *params);
hipError_t hipGraphNodeSetParams(hipGraphNode_t node, node_params *params);
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, node_params *params);
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *before,
                                        const void *edge_data, size_t count, hipStreamCaptureMode mode);

enum { NO_SYNC = 1, MOVE = 1 };
static int destroyed;
static void destroy(void *data) { destroyed += *(int *)data; }

static void the_last_reference_destroys(void) {
  int weight = 1;
  object_t object;
  hipGraph_t graph, clone;
  hipGraphExec_t exec;
  OK(hipUserObjectCreate(&object, &weight, destroy, 2, NO_SYNC));
  OK(hipUserObjectRetain(object, 1));
  OK(hipUserObjectRelease(object, 2));
  CHECK(destroyed == 0, "one reference is left");
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphRetainUserObject(graph, object, 3, 0));
  OK(hipGraphReleaseUserObject(graph, object, 2));
  OK(hipUserObjectRelease(object, 1));
  CHECK(destroyed == 0, "the graph has a reference");
  OK(hipGraphClone(&clone, graph));
  OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  OK(hipGraphDestroy(graph));
  OK(hipGraphDestroy(clone));
  CHECK(destroyed == 0, "the executable graph has a reference");
  OK(hipGraphExecDestroy(exec));
  CHECK(destroyed == 1, "the last one is gone");
  SAYS(hipSuccess, "destroyed already", hipUserObjectRetain(object, 1));  // as ROCm has it
  SAYS(hipErrorInvalidValue, "null", hipUserObjectRelease(NULL, 1));
  OK(hipGraphCreate(&graph, 0));
  OK(hipUserObjectCreate(&object, &weight, destroy, 1, NO_SYNC));
  OK(hipGraphRetainUserObject(graph, object, 1, MOVE));
  CHECK(destroyed == 1, "moving keeps the count");
  OK(hipGraphDestroy(graph));
  CHECK(destroyed == 2, "the graph has taken the reference over");
  SAYS(hipErrorInvalidValue, "destructor", hipUserObjectCreate(&object, &weight, NULL, 1, NO_SYNC));
  SAYS(hipErrorInvalidValue, "count", hipUserObjectCreate(&object, &weight, destroy, 0, NO_SYNC));
  SAYS(hipErrorInvalidValue, "flags", hipUserObjectCreate(&object, &weight, destroy, 1, 0));
}

static void note(void *data) { ++*(int *)data; }

static void nodes_by_one_structure(void) {
  int calls = 0;
  unsigned *word;
  hipGraph_t graph;
  hipGraphNode_t fill, host;
  hipGraphExec_t exec;
  OK(hipMallocManaged((void **)&word, 4, hipMemAttachGlobal));
  node_params p = {.type = FILL_NODE,
                   .fill = {.dst = word, .elementSize = 4, .value = 11, .width = 1, .height = 1}};
  node_params h = {.type = HOST_NODE, .host = {note, &calls}}, wrong = {.type = SEMAPHORE_NODE};
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddNode(&fill, graph, NULL, 0, &p));
  OK(hipGraphAddNode(&host, graph, &fill, 1, &h));
  SAYS(hipErrorInvalidValue, "type 8", hipGraphAddNode(&host, graph, NULL, 0, &wrong));
  p.fill.value = 12;
  OK(hipGraphNodeSetParams(fill, &p));
  SAYS(hipErrorInvalidValue, "the call is for type", hipGraphNodeSetParams(fill, &h));
  node_params frees = {.type = FREE_NODE};
  SAYS(hipErrorInvalidValue, "frees memory cannot be changed", hipGraphNodeSetParams(fill, &frees));
  OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  OK(hipGraphLaunch(exec, NULL));
  OK(hipDeviceSynchronize());
  CHECK(*word == 12 && calls == 1, "word %u, %d calls", *word, calls);
  p.fill.value = 13;
  OK(hipGraphExecNodeSetParams(exec, fill, &p));
  OK(hipGraphLaunch(exec, NULL));
  OK(hipDeviceSynchronize());
  CHECK(*word == 13 && calls == 2, "word %u, %d calls", *word, calls);
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
  OK(hipFree(word));
}

static void a_capture_goes_on_with_a_graph(void) {
  int calls = 0;
  char *bytes;
  size_t count = 0;
  hipGraph_t graph, ended;
  hipGraphNode_t host, before[2];
  hipStream_t stream, thread = hipStreamPerThread;
  OK(hipMalloc((void **)&bytes, 8));
  OK(hipStreamCreate(&stream));
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddHostNode(&host, graph, NULL, 0, &(hipHostNodeParams){note, &calls}));
  OK(hipStreamBeginCaptureToGraph(stream, graph, &host, NULL, 1, hipStreamCaptureModeRelaxed));
  SAYS(hipErrorInvalidValue, "captured into already",
       hipStreamBeginCaptureToGraph(thread, graph, NULL, NULL, 0, hipStreamCaptureModeRelaxed));
  OK(hipMemsetAsync(bytes, 1, 8, stream));
  OK(hipStreamEndCapture(stream, &ended));
  CHECK(ended == graph, "the capture ends with the same graph");
  OK(hipGraphGetNodes(graph, NULL, &count));
  CHECK(count == 2, "%zu nodes", count);
  hipGraphNode_t nodes[2];
  OK(hipGraphGetNodes(graph, nodes, &count));
  count = 2;
  OK(hipGraphNodeGetDependencies(nodes[1], before, &count));
  CHECK(count == 1 && before[0] == host, "the captured node depends on the given one");
  OK(hipGraphDestroy(graph));
  OK(hipStreamBeginCapture(thread, hipStreamCaptureModeGlobal));
  OK(hipMemsetAsync(bytes, 2, 8, thread));
  OK(hipStreamEndCapture(thread, &graph));
  OK(hipGraphGetNodes(graph, NULL, &count));
  CHECK(count == 1, "the thread's own stream was captured: %zu nodes", count);
  OK(hipGraphDestroy(graph));
  OK(hipStreamDestroy(stream));
  OK(hipFree(bytes));
}

// What is captured into the graph of a node runs with the node; where the graph goes, the capture ends.
static void a_capture_goes_into_a_graph_of_a_node(void) {
  unsigned char *bytes, got[2];
  hipGraph_t outer, inner, ended;
  hipGraphNode_t first, node;
  hipGraphExec_t exec;
  hipStream_t stream;
  OK(hipMalloc((void **)&bytes, 2));
  OK(hipMemset(bytes, 0, 2));
  OK(hipStreamCreate(&stream));
  OK(hipGraphCreate(&outer, 0));
  OK(hipGraphCreate(&inner, 0));
  const hipMemsetParams fill = {.dst = bytes, .elementSize = 1, .height = 1, .value = 3, .width = 1};
  OK(hipGraphAddMemsetNode(&first, inner, NULL, 0, &fill));
  OK(hipGraphAddChildGraphNode(&node, outer, NULL, 0, inner));
  OK(hipGraphDestroy(inner));  // the node has its own
  OK(hipGraphChildGraphNodeGetGraph(node, &inner));
  OK(hipStreamBeginCaptureToGraph(stream, inner, NULL, NULL, 0, hipStreamCaptureModeRelaxed));
  OK(hipMemsetAsync(bytes + 1, 4, 1, stream));
  SAYS(hipErrorInvalidValue, "belongs to a node", hipGraphDestroy(inner));
  OK(hipStreamEndCapture(stream, &ended));
  CHECK(ended == inner, "the capture ends with the graph of the node");
  SAYS(hipErrorInvalidValue, "belongs to a node", hipGraphDestroy(inner));
  OK(hipGraphInstantiate(&exec, outer, NULL, NULL, 0));
  OK(hipGraphLaunch(exec, stream));
  OK(hipStreamSynchronize(stream));
  OK(hipMemcpy(got, bytes, 2, hipMemcpyDeviceToHost));
  CHECK(got[0] == 3 && got[1] == 4, "bytes %d %d", got[0], got[1]);

  OK(hipStreamBeginCaptureToGraph(stream, inner, NULL, NULL, 0, hipStreamCaptureModeRelaxed));
  OK(hipGraphDestroy(outer));
  SAYS(hipErrorStreamCaptureInvalidated, "hipMemsetAsync", hipMemsetAsync(bytes, 5, 1, stream));
  SAYS(hipErrorStreamCaptureInvalidated, "hipStreamEndCapture", hipStreamEndCapture(stream, &ended));
  OK(hipMemsetAsync(bytes, 5, 1, stream));  // the stream is free again
  OK(hipStreamSynchronize(stream));
  OK(hipGraphExecDestroy(exec));
  OK(hipStreamDestroy(stream));
  OK(hipFree(bytes));
}

int main(void) {
  the_last_reference_destroys();
  nodes_by_one_structure();
  a_capture_goes_on_with_a_graph();
  a_capture_goes_into_a_graph_of_a_node();
  return test_result();
}
