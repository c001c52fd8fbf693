// SPDX-License-Identifier: MIT
// Stream capture: what a captured stream is given runs at the graph's launches and not before; forks and
// joins through events; what makes a capture invalid. Arguments: code objects for gfx950 (device 0) and
// gfx942 (device 1).
#include <pthread.h>

#include "hip_capture.h"

enum { N = 64 };
static hipFunction_t add_table;  // out[i] += {10, 20, 30, 40}[i & 3]

static int order[16], order_count;
static void note(void *number) { order[order_count++ & 15] = (int)(intptr_t)number; }

static hipStream_t new_stream(void) {
  hipStream_t stream;
  OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  return stream;
}

static hipStreamCaptureStatus status_of(hipStream_t stream) {
  hipStreamCaptureStatus status = (hipStreamCaptureStatus)9;
  OK(hipStreamIsCapturing(stream, &status));
  return status;
}

static void captured_work_runs_at_the_launches(void) {
  hipStream_t stream = new_stream();
  int *d, host[N], pushed[N];
  hipEvent_t start, stop;
  OK(hipEventCreate(&start));
  OK(hipEventCreate(&stop));
  OK(hipMallocManaged((void **)&d, N * sizeof *d, hipMemAttachGlobal));
  for (int i = 0; i < N; ++i) d[i] = -1, pushed[i] = i;
  void *params[] = {&d};
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  CHECK(status_of(stream) == hipStreamCaptureStatusActive, "active");
  OK(hipMemcpyAsync(d, pushed, sizeof pushed, hipMemcpyHostToDevice, stream));
  OK(hipModuleLaunchKernel(add_table, 1, 1, 1, N, 1, 1, 0, stream, params, NULL));
  OK(hipMemsetD8Async((hipDeviceptr_t)d, 0, 4, stream));
  OK(hipMemcpy2DAsync(host, 16, d, 8, 8, 4, hipMemcpyDeviceToHost, stream));
  OK(hipLaunchHostFunc(stream, note, (void *)3));
  params[0] = NULL;  // the arguments were taken at the call
  hipGraph_t graph;
  OK(hipStreamEndCapture(stream, &graph));
  CHECK(status_of(stream) == hipStreamCaptureStatusNone && d[0] == -1 && order_count == 0,
        "nothing has run yet");
  size_t nodes = 0, edges = 0;
  OK(hipGraphGetNodes(graph, NULL, &nodes));
  OK(hipGraphGetEdges(graph, NULL, NULL, &edges));
  CHECK(nodes == 5 && edges == 4, "%zu nodes in a row, %zu edges", nodes, edges);
  hipGraphExec_t exec;
  OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  for (int launch = 1; launch <= 2; ++launch) {
    memset(host, 0xff, sizeof host);
    OK(hipEventRecord(start, stream));
    OK(hipGraphLaunch(exec, stream));
    OK(hipEventRecord(stop, stream));
    OK(hipStreamSynchronize(stream));
    CHECK(host[0] == 0 && host[1] == 21 && host[4] == 32 && host[5] == 43 && host[2] == -1,
          "rows: %d %d %d %d %d", host[0], host[1], host[4], host[5], host[2]);
    CHECK(order_count == launch && order[0] == 3, "%d calls", order_count);
  }
  // A launch into another captured stream becomes a graph inside its graph.
  hipGraph_t outer;
  hipGraphNode_t node;
  hipGraphNodeType type;
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  OK(hipGraphLaunch(exec, stream));
  OK(hipStreamEndCapture(stream, &outer));
  nodes = 1;
  OK(hipGraphGetNodes(outer, &node, &nodes));
  OK(hipGraphNodeGetType(node, &type));
  CHECK(nodes == 1 && type == hipGraphNodeTypeGraph, "%zu nodes, type %d", nodes, (int)type);
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphInstantiate(&exec, outer, NULL, NULL, 0));
  order_count = 0;
  OK(hipGraphLaunch(exec, NULL));
  OK(hipStreamSynchronize(NULL));
  CHECK(order_count == 1, "the inner graph runs");
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(outer));
  OK(hipGraphDestroy(graph));
  OK(hipEventDestroy(start));
  OK(hipEventDestroy(stop));
  OK(hipFree(d));
  OK(hipStreamDestroy(stream));
}

static void events_fork_and_join(void) {
  hipStream_t a = new_stream(), b = new_stream(), c = new_stream();
  hipEvent_t fork, join, outside;
  OK(hipEventCreate(&fork));
  OK(hipEventCreate(&join));
  OK(hipEventCreate(&outside));
  OK(hipEventRecord(outside, c));
  OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
  OK(hipLaunchHostFunc(a, note, (void *)1));
  OK(hipEventRecord(fork, a));
  OK(hipStreamWaitEvent(b, fork, 0));
  CHECK(status_of(b) == hipStreamCaptureStatusActive, "b has joined");
  unsigned long long id_a = 0, id_b = 1;
  hipStreamCaptureStatus status;
  OK(hipStreamGetCaptureInfo(a, &status, &id_a));
  OK(hipStreamGetCaptureInfo(b, &status, &id_b));
  CHECK(id_a == id_b, "captures %llu and %llu", id_a, id_b);
  OK(hipLaunchHostFunc(b, note, (void *)2));
  OK(hipLaunchHostFunc(a, note, (void *)3));
  SAYS(hipErrorCapturedEvent, "captured stream", hipEventQuery(fork));
  SAYS(hipErrorCapturedEvent, "captured stream", hipEventSynchronize(fork));
  hipGraph_t graph = (hipGraph_t)1, running;
  SAYS(hipErrorStreamCaptureUnmatched, "another stream", hipStreamEndCapture(b, &graph));
  OK(hipEventRecord(join, b));
  OK(hipStreamWaitEvent(a, join, 0));
  const hipGraphNode_t *last;
  size_t count = 0;
  OK(hipStreamGetCaptureInfo_v2(a, &status, &id_a, &running, &last, &count));
  CHECK(count == 2, "%zu nodes to depend on", count);
  OK(hipLaunchHostFunc(a, note, (void *)4));
  OK(hipStreamEndCapture(a, &graph));
  CHECK(graph == running && status_of(b) == hipStreamCaptureStatusNone, "the capture is over for b too");
  size_t nodes = 0, edges = 0, roots = 0;
  OK(hipGraphGetNodes(graph, NULL, &nodes));
  OK(hipGraphGetEdges(graph, NULL, NULL, &edges));
  OK(hipGraphGetRootNodes(graph, NULL, &roots));
  CHECK(nodes == 4 && edges == 4 && roots == 1, "a diamond: %zu nodes, %zu edges, %zu roots", nodes, edges,
        roots);
  OK(hipGraphDestroy(graph));

  OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
  OK(hipEventRecord(fork, a));
  OK(hipStreamWaitEvent(b, fork, 0));
  OK(hipLaunchHostFunc(b, note, (void *)2));
  SAYS(hipErrorStreamCaptureUnjoined, "not waited for", hipStreamEndCapture(a, &graph));
  CHECK(graph == NULL && status_of(a) == hipStreamCaptureStatusNone, "it ends all the same");

  OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
  SAYS(hipErrorStreamCaptureIsolation, "outside", hipStreamWaitEvent(a, outside, 0));
  CHECK(status_of(a) == hipStreamCaptureStatusInvalidated, "invalid");
  SAYS(hipErrorStreamCaptureInvalidated, "end it", hipLaunchHostFunc(a, note, NULL));
  SAYS(hipErrorStreamCaptureInvalidated, "end it", hipStreamEndCapture(a, &graph));

  OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
  OK(hipStreamBeginCapture(b, hipStreamCaptureModeThreadLocal));
  OK(hipEventRecord(fork, a));
  SAYS(hipErrorStreamCaptureMerge, "another capture", hipStreamWaitEvent(b, fork, 0));
  SAYS(hipErrorStreamCaptureInvalidated, "end it", hipStreamEndCapture(a, &graph));
  SAYS(hipErrorStreamCaptureInvalidated, "end it", hipStreamEndCapture(b, &graph));
  OK(hipEventRecord(fork, a));
  OK(hipEventQuery(fork));  // recorded anew

  hipGraphNode_t extra;
  OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
  OK(hipStreamGetCaptureInfo_v2(a, &status, NULL, &running, NULL, NULL));
  OK(hipGraphAddEmptyNode(&extra, running, NULL, 0));
  SAYS(hipErrorInvalidValue, "is being captured", hipGraphDestroy(running));
  OK(hipStreamUpdateCaptureDependencies(a, &extra, 1, hipStreamSetCaptureDependencies));
  OK(hipLaunchHostFunc(a, note, (void *)1));
  OK(hipStreamEndCapture(a, &graph));
  edges = 0;
  OK(hipGraphGetEdges(graph, NULL, NULL, &edges));
  CHECK(edges == 1, "%zu edges", edges);
  OK(hipGraphDestroy(graph));
  SAYS(hipErrorIllegalState, "not being captured", hipStreamUpdateCaptureDependencies(a, &extra, 1, 0));

  // What the origin has waited for stays joined when the program puts another node in its place.
  OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
  OK(hipEventRecord(fork, a));
  OK(hipStreamWaitEvent(b, fork, 0));
  OK(hipLaunchHostFunc(b, note, (void *)2));
  OK(hipEventRecord(join, b));
  OK(hipStreamWaitEvent(a, join, 0));
  OK(hipStreamGetCaptureInfo_v2(a, &status, NULL, &running, NULL, NULL));
  OK(hipGraphAddEmptyNode(&extra, running, NULL, 0));
  OK(hipStreamUpdateCaptureDependencies(a, &extra, 1, hipStreamSetCaptureDependencies));
  OK(hipStreamEndCapture(a, &graph));
  nodes = 0;
  OK(hipGraphGetNodes(graph, NULL, &nodes));
  CHECK(nodes == 2, "%zu nodes", nodes);
  OK(hipGraphDestroy(graph));
  OK(hipEventDestroy(fork));
  OK(hipEventDestroy(join));
  OK(hipEventDestroy(outside));
  OK(hipStreamDestroy(a));
  OK(hipStreamDestroy(b));
  OK(hipStreamDestroy(c));
}

static void *end_elsewhere(void *stream) {
  hipGraph_t graph;
  hipError_t error = hipStreamEndCapture(stream, &graph);
  return (void *)(intptr_t)error;
}

static void *allocate_elsewhere(void *unused) {
  void *memory = unused;
  hipError_t error = hipMalloc(&memory, 16);
  if (error == hipSuccess) error = hipFree(memory);
  return (void *)(intptr_t)error;
}

static hipError_t in_thread(void *(*function)(void *), void *argument) {
  pthread_t thread;
  void *result = NULL;
  CHECK(pthread_create(&thread, NULL, function, argument) == 0, "a thread");
  pthread_join(thread, &result);
  return (hipError_t)(intptr_t)result;
}

static void modes_say_what_else_is_allowed(void) {
  hipStream_t stream = new_stream(), blocking;
  hipGraph_t graph;
  void *memory;
  OK(hipStreamCreate(&blocking));
  SAYS(hipErrorStreamCaptureUnsupported, "create one",
       hipStreamBeginCapture(NULL, hipStreamCaptureModeGlobal));
  SAYS(hipErrorIllegalState, "not being captured", hipStreamEndCapture(stream, &graph));
  SAYS(hipErrorInvalidValue, "mode 7", hipStreamBeginCapture(stream, (hipStreamCaptureMode)7));

  // allocation: [capture mode][in the same thread?] allowed
  static const bool allowed[3][2] = {{false, false}, {true, false}, {true, true}};
  for (int mode = 0; mode < 3; ++mode)
    for (int same = 0; same < 2; ++same) {
      OK(hipStreamBeginCapture(stream, (hipStreamCaptureMode)mode));
      SAYS(hipErrorIllegalState, "already", hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
      char said[1024];
      hip_capture quiet = capture_begin();
      hipError_t error =
          same ? (hipError_t)(intptr_t)allocate_elsewhere(NULL) : in_thread(allocate_elsewhere, NULL);
      hipError_t ended = hipStreamEndCapture(stream, &graph);
      capture_end(quiet, said);
      CHECK(error == (allowed[mode][same] ? hipSuccess : hipErrorStreamCaptureUnsupported),
            "mode %d, %s thread: %s", mode, same ? "same" : "other", hipGetErrorName(error));
      CHECK(ended == (error ? hipErrorStreamCaptureInvalidated : hipSuccess), "mode %d: %s", mode,
            hipGetErrorName(ended));
      if (ended == hipSuccess) OK(hipGraphDestroy(graph));
      (void)hipGetLastError();
    }

  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  OK(hipThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == hipStreamCaptureModeGlobal, "the mode before was %d", (int)mode);
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  OK(hipMalloc(&memory, 16));
  OK(hipFree(memory));
  OK(hipThreadExchangeStreamCaptureMode(&mode));
  CHECK(in_thread(end_elsewhere, stream) == hipErrorStreamCaptureWrongThread,
        "another thread must not end it");
  SAYS(hipErrorStreamCaptureUnsupported, "while the stream", hipStreamSynchronize(stream));
  SAYS(hipErrorStreamCaptureInvalidated, "end it", hipStreamEndCapture(stream, &graph));

  OK(hipMalloc(&memory, 16));
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  OK(hipMemsetD8Async(memory, 0, 16, NULL));  // the stream does not block the null stream
  OK(hipStreamEndCapture(stream, &graph));
  OK(hipGraphDestroy(graph));
  OK(hipStreamBeginCapture(blocking, hipStreamCaptureModeGlobal));
  SAYS(hipErrorStreamCaptureImplicit, "hipStreamNonBlocking", hipMemset(memory, 0, 16));
  SAYS(hipErrorStreamCaptureInvalidated, "end it", hipStreamEndCapture(blocking, &graph));
  OK(hipStreamBeginCapture(blocking, hipStreamCaptureModeGlobal));
  OK(hipLaunchHostFunc(blocking, note, NULL));
  OK(hipStreamDestroy(blocking));  // takes its capture with it
  OK(hipMemset(memory, 0, 16));
  OK(hipFree(memory));
  OK(hipStreamDestroy(stream));
}

int main(int argc, char **argv) {
  CHECK(argc == 3, "arguments: the code object of each device in order");
  for (int device = 0; device < argc - 1; ++device) {
    hipModule_t module;
    OK(hipSetDevice(device));
    OK(hipModuleLoad(&module, argv[device + 1]));
    OK(hipModuleGetFunction(&add_table, module, "add_table"));
    order_count = 0;
    captured_work_runs_at_the_launches();
    events_fork_and_join();
    modes_say_what_else_is_allowed();
    OK(hipModuleUnload(module));
  }
  return test_result();
}
