// SPDX-License-Identifier: MIT
// Host threads that use the runtime at the same time, each with streams, events, memory and graphs of its own
// on one of the devices, and one stream that all share: no call disturbs another. Arguments: code objects for
// gfx950 (device 0) and gfx942 (device 1). It is meant for the thread sanitizer too.
#include <pthread.h>

#include "hip_capture.h"

enum { THREADS = 6, ROUNDS = 12, N = 64 };

static hipFunction_t add_table[2];
static hipStream_t shared[2];
static int *shared_memory[2];
static _Atomic int wrong;

static void expect(int condition) { wrong += !condition; }

static void count(void *counter) { ++*(int *)counter; }

static void one_round(int device, int round, int *calls) {
  hipStream_t stream;
  hipEvent_t event;
  hipGraph_t graph = NULL;
  hipGraphExec_t exec = NULL;
  int *memory = NULL, host[N] = {0};
  expect(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) == hipSuccess);
  expect(hipEventCreate(&event) == hipSuccess);
  expect(hipMallocAsync((void **)&memory, sizeof host, stream) == hipSuccess);
  for (int i = 0; i < N; ++i) host[i] = round;
  void *params[] = {&memory}, *common[] = {&shared_memory[device]};
  expect(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed) == hipSuccess);
  expect(hipMemcpyAsync(memory, host, sizeof host, hipMemcpyHostToDevice, stream) == hipSuccess);
  expect(hipModuleLaunchKernel(add_table[device], 1, 1, 1, N, 1, 1, 0, stream, params, NULL) == hipSuccess);
  expect(hipLaunchHostFunc(stream, count, calls) == hipSuccess);
  expect(hipStreamEndCapture(stream, &graph) == hipSuccess);
  expect(hipGraphInstantiate(&exec, graph, NULL, NULL, 0) == hipSuccess);
  expect(hipGraphLaunch(exec, stream) == hipSuccess);
  expect(hipModuleLaunchKernel(add_table[device], 1, 1, 1, N, 1, 1, 0, shared[device], common, NULL) ==
         hipSuccess);
  expect(hipEventRecord(event, stream) == hipSuccess);
  expect(hipStreamWaitEvent(shared[device], event, 0) == hipSuccess);
  expect(hipEventSynchronize(event) == hipSuccess);
  expect(hipMemcpyAsync(host, memory, sizeof host, hipMemcpyDeviceToHost, stream) == hipSuccess);
  expect(hipStreamSynchronize(stream) == hipSuccess);
  for (int i = 0; i < N; ++i) expect(host[i] == round + 10 * (i % 4 + 1));
  expect(hipGetLastError() == hipSuccess);  // of this thread: others fail on purpose
  expect(hipFree((void *)host) == hipErrorInvalidValue);
  expect(hipGetLastError() == hipErrorInvalidValue);
  expect(hipGraphExecDestroy(exec) == hipSuccess);
  expect(hipGraphDestroy(graph) == hipSuccess);
  expect(hipFreeAsync(memory, stream) == hipSuccess);
  expect(hipEventDestroy(event) == hipSuccess);
  expect(hipStreamDestroy(stream) == hipSuccess);
}

static void *work(void *argument) {
  int device = (int)(intptr_t)argument % 2, calls = 0;
  expect(hipSetDevice(device) == hipSuccess);
  for (int round = 0; round < ROUNDS; ++round) one_round(device, round, &calls);
  expect(calls == ROUNDS);
  int current = -1;
  expect(hipGetDevice(&current) == hipSuccess && current == device);
  return NULL;
}

int main(int argc, char **argv) {
  hipModule_t modules[2] = {NULL, NULL};
  pthread_t threads[THREADS];
  CHECK(argc == 3, "arguments: the code object of each device in order");
  if (argc != 3) return test_result();
  for (int device = 0; device < 2; ++device) {
    OK(hipSetDevice(device));
    OK(hipModuleLoad(&modules[device], argv[device + 1]));
    OK(hipModuleGetFunction(&add_table[device], modules[device], "add_table"));
    OK(hipStreamCreateWithFlags(&shared[device], hipStreamNonBlocking));
    OK(hipMalloc((void **)&shared_memory[device], N * sizeof(int)));
    OK(hipMemset(shared_memory[device], 0, N * sizeof(int)));
  }
  for (intptr_t i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0, "thread %d", (int)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  CHECK(wrong == 0, "%d things went wrong in the threads", wrong);
  for (int device = 0; device < 2; ++device) {
    int value = 0;
    OK(hipMemcpy(&value, shared_memory[device], sizeof value, hipMemcpyDeviceToHost));
    CHECK(value == THREADS / 2 * ROUNDS * 10, "device %d: launches of several threads add up to %d", device,
          value);
    OK(hipFree(shared_memory[device]));
    OK(hipStreamDestroy(shared[device]));
    OK(hipModuleUnload(modules[device]));
  }
  return test_result();
}
