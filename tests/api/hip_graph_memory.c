// SPDX-License-Identifier: MIT
// Tests memory that graphs allocate: it is made of nodes or captured, it is there between its allocation and
// its free, launch after launch, and mistakes are refused. Arguments: code objects for gfx950 (device 0) and
// gfx942 (device 1).
#include "hip_capture.h"

// HIP declares this since 5.5.
typedef struct alloc_params {
  hipMemPoolProps poolProps;
  const hipMemAccessDesc *accessDescs;
  size_t accessDescCount, bytesize;
  void *dptr;
} alloc_params;
hipError_t hipGraphAddMemAllocNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *before,
                                   size_t count, alloc_params *params);
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *before,
                                  size_t count, void *base);
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, alloc_params *params);
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *base);
hipError_t hipDeviceGetGraphMemAttribute(int device, int attribute, void *value);
hipError_t hipDeviceSetGraphMemAttribute(int device, int attribute, void *value);
hipError_t hipDeviceGraphMemTrim(int device);
hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags);
enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH };

enum { N = 64, BYTES = 4 * N };
static hipFunction_t add_table;  // out[i] += {10, 20, 30, 40}[i & 3]
static hipStream_t stream;
static int device;

static uint64_t attribute(int which) {
  uint64_t value = 0;
  OK(hipDeviceGetGraphMemAttribute(device, which, &value));
  return value;
}

static alloc_params on_device(size_t bytes) {
  return (alloc_params){
      .poolProps = {.allocType = hipMemAllocationTypePinned, .location = {hipMemLocationTypeDevice, device}},
      .bytesize = bytes};
}

static void add_kernel(hipGraphNode_t *out, hipGraph_t graph, hipGraphNode_t before, void *memory) {
  void *arguments[] = {&memory};
  hipKernelNodeParams params = {
      .func = add_table, .gridDim = {1, 1, 1}, .blockDim = {N, 1, 1}, .kernelParams = arguments};
  OK(hipGraphAddKernelNode(out, graph, &before, 1, &params));
}

static void memory_is_there_from_its_node_to_its_free(void) {
  int host[N];
  size_t before, after, total;
  alloc_params params = on_device(BYTES), got;
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipGraphNode_t node[5];
  void *freed = NULL;
  OK(hipMemGetInfo(&before, &total));
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddMemAllocNode(&node[0], graph, NULL, 0, &params));
  CHECK(params.dptr != NULL, "the address is known when the node is added");
  OK(hipGraphAddMemsetNode(
      &node[1], graph, &node[0], 1,
      &(hipMemsetParams){.dst = params.dptr, .elementSize = 4, .value = 5, .width = N, .height = 1}));
  add_kernel(&node[2], graph, node[1], params.dptr);
  OK(hipGraphAddMemcpyNode1D(&node[3], graph, &node[2], 1, host, params.dptr, BYTES, hipMemcpyDeviceToHost));
  OK(hipGraphAddMemFreeNode(&node[4], graph, &node[3], 1, params.dptr));
  OK(hipGraphMemAllocNodeGetParams(node[0], &got));
  CHECK(!memcmp(&got, &params, sizeof got), "the parameters are those given, with %p for %p", got.dptr,
        params.dptr);
  OK(hipGraphMemFreeNodeGetParams(node[4], &freed));
  CHECK(freed == params.dptr, "what is freed");
  CHECK(attribute(USED) == 0 && attribute(RESERVED) == BYTES, "planned");
  SAYS(hipErrorInvalidValue, "has not been launched", hipFree(params.dptr));
  OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  OK(hipGraphDestroy(graph));
  for (int launch = 0; launch < 3; ++launch) {
    memset(host, 0, sizeof host);
    OK(hipGraphLaunch(exec, stream));
    OK(hipStreamSynchronize(stream));
    for (int i = 0; i < N; ++i)
      CHECK(host[i] == 5 + 10 * (1 + i % 4), "launch %d: element %d is %d", launch, i, host[i]);
    SAYS(hipErrorInvalidValue, "in no allocation", hipMemset(params.dptr, 0, 1));
    CHECK(attribute(USED) == 0 && attribute(USED_HIGH) == BYTES, "used during the launch");
  }
  OK(hipGraphExecDestroy(exec));
  CHECK(attribute(RESERVED) == 0 && attribute(RESERVED_HIGH) == BYTES, "nothing is left");
  uint64_t zero = 0;
  OK(hipDeviceSetGraphMemAttribute(device, USED_HIGH, &zero));
  OK(hipDeviceSetGraphMemAttribute(device, RESERVED_HIGH, &zero));
  CHECK(attribute(USED_HIGH) == 0 && attribute(RESERVED_HIGH) == 0, "the watermarks begin anew");
  SAYS(hipErrorInvalidValue, "only high watermarks", hipDeviceSetGraphMemAttribute(device, USED, &zero));
  OK(hipDeviceGraphMemTrim(device));
  OK(hipMemGetInfo(&after, &total));
  CHECK(before == after, "%zu bytes are missing", before - after);
}

static void memory_without_a_free_is_the_programs(void) {
  alloc_params params = on_device(BYTES);
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipGraphNode_t node[2];
  int host[N];
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddMemAllocNode(&node[0], graph, NULL, 0, &params));
  OK(hipGraphAddMemsetNode(
      &node[1], graph, node, 1,
      &(hipMemsetParams){.dst = params.dptr, .elementSize = 4, .value = 9, .width = N, .height = 1}));
  OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  OK(hipGraphLaunch(exec, stream));
  SAYS(hipErrorInvalidValue, "has not been freed since the last launch", hipGraphLaunch(exec, stream));
  OK(hipFreeAsync(params.dptr, stream));
  OK(hipGraphLaunch(exec, stream));
  OK(hipGraphExecDestroy(exec));

  unsigned long long flags = 0;
  OK(hipGraphInstantiateWithFlags(&exec, graph, 1));  // hipGraphInstantiateFlagAutoFreeOnLaunch
  OK(hipGraphExecGetFlags(exec, &flags));
  CHECK(flags == 1, "the flags are kept");
  for (int launch = 0; launch < 3; ++launch) OK(hipGraphLaunch(exec, stream));
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
  CHECK(attribute(RESERVED) == 0, "no graph has it any more");
  OK(hipMemcpy(host, params.dptr, BYTES, hipMemcpyDeviceToHost));  // but the program has
  CHECK(host[0] == 9 && host[N - 1] == 9, "elements %d, %d", host[0], host[N - 1]);
  OK(hipFree(params.dptr));
}

static void captured_streams_allocate(void) {
  int *memory = NULL, host[N];
  hipGraph_t graph;
  hipGraphExec_t exec;
  size_t count = 0;
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  OK(hipMallocAsync((void **)&memory, BYTES, stream));
  OK(hipMemsetAsync(memory, 0, BYTES, stream));
  void *arguments[] = {&memory};
  OK(hipModuleLaunchKernel(add_table, 1, 1, 1, N, 1, 1, 0, stream, arguments, NULL));
  OK(hipMemcpyAsync(host, memory, BYTES, hipMemcpyDeviceToHost, stream));
  OK(hipFreeAsync(memory, stream));
  OK(hipStreamEndCapture(stream, &graph));
  OK(hipGraphGetNodes(graph, NULL, &count));
  CHECK(count == 5, "%zu nodes", count);
  OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  for (int launch = 0; launch < 2; ++launch) {
    host[3] = 0;
    OK(hipGraphLaunch(exec, stream));
    OK(hipStreamSynchronize(stream));
    CHECK(host[3] == 40, "launch %d: element 3 is %d", launch, host[3]);
  }
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
  CHECK(attribute(RESERVED) == 0, "nothing is left");
}

static void what_is_refused(void) {
  alloc_params params = on_device(0);
  hipGraph_t graph;
  hipGraphNode_t node;
  int *other;
  OK(hipGraphCreate(&graph, 0));
  SAYS(hipErrorInvalidValue, "bytesize is 0", hipGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
  params = on_device(BYTES);
  params.poolProps.location.id = 9;
  SAYS(hipErrorInvalidValue, "pinned memory of a device",
       hipGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
  params = on_device((size_t)1 << 50);
  SAYS(hipErrorOutOfMemory, "do not fit", hipGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
  params = on_device(BYTES);
  SAYS(hipErrorInvalidValue, "result pointer", hipGraphAddMemAllocNode(NULL, graph, NULL, 0, &params));
  OK(hipMalloc((void **)&other, BYTES));
  SAYS(hipErrorInvalidValue, "not memory that a graph allocates",
       hipGraphAddMemFreeNode(&node, graph, NULL, 0, other));
  OK(hipFree(other));
  OK(hipGraphDestroy(graph));
  CHECK(attribute(RESERVED) == 0, "nothing is left");
}

static void what_is_freed_belongs_to_one_executable_graph_at_a_time(void) {
  alloc_params params = on_device(BYTES);
  hipGraph_t allocates, frees;
  hipGraphNode_t node;
  hipGraphExec_t exec, second;
  OK(hipGraphCreate(&allocates, 0));
  OK(hipGraphCreate(&frees, 0));
  OK(hipGraphAddMemAllocNode(&node, allocates, NULL, 0, &params));
  OK(hipGraphAddMemFreeNode(&node, frees, NULL, 0, params.dptr));
  OK(hipGraphInstantiate(&exec, frees, NULL, NULL, 0));
  SAYS(hipErrorNotSupported, "once at a time", hipGraphInstantiate(&second, frees, NULL, NULL, 0));
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphInstantiate(&exec, frees, NULL, NULL, 0));
  OK(hipGraphDestroy(frees));
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(allocates));
}

int main(int argc, char **argv) {
  CHECK(argc == 3, "arguments: the code object of each device in order");
  for (device = 0; device < argc - 1; ++device) {
    hipModule_t module;
    OK(hipSetDevice(device));
    OK(hipModuleLoad(&module, argv[device + 1]));
    OK(hipModuleGetFunction(&add_table, module, "add_table"));
    OK(hipStreamCreate(&stream));
    memory_is_there_from_its_node_to_its_free();
    memory_without_a_free_is_the_programs();
    captured_streams_allocate();
    what_is_refused();
    what_is_freed_belongs_to_one_executable_graph_at_a_time();
    OK(hipStreamDestroy(stream));
    OK(hipModuleUnload(module));
  }
  return test_result();
}
