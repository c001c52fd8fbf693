// SPDX-License-Identifier: MIT
// Ten thousand launches leave nothing behind: no heap, no mappings, no threads; nor do they in check mode,
// with bank conflicts counted, and, fewer, with the timing model. Arguments: code objects for gfx950 (device
// 0) and gfx942 (device 1), and "check", "lds" or "timing".
#include <malloc.h>
#include <stdbool.h>

#include "hip_capture.h"
#include "wavetile_sim.h"

enum { WARM = 200, LAUNCHES = 10000, TIMED_LAUNCHES = 400, N = 64 };
enum { MOST_KB = 300 << 10 };  // by which mappings grow: sanitizers keep 256 MB of freed memory aside

typedef struct footprint {
  size_t heap, mappings, address_kb, threads;
} footprint;

static size_t count_lines(const char *path, const char *prefix) {
  char line[512];
  size_t lines = 0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, prefix, strlen(prefix)) == 0)
      lines = *prefix ? (size_t)atoi(line + strlen(prefix)) : lines + 1;
  if (file) fclose(file);
  return lines;
}

// Counts bytes in use by malloc, mappings of the process and the KB of addresses that they have (neighbours
// become one mapping), and threads.
static footprint measure(void) {
  struct mallinfo2 info = mallinfo2();
  return (footprint){info.uordblks + info.hblkhd, count_lines("/proc/self/maps", ""),
                     count_lines("/proc/self/status", "VmSize:"),
                     count_lines("/proc/self/status", "Threads:")};
}

// Makes a launch, what usually stands around it, and the same by a graph; the kernel adds 10 to the first
// element each time.
static void launch(hipFunction_t add_table, hipGraphExec_t exec, int *memory, hipStream_t stream,
                   hipEvent_t event) {
  void *params[] = {&memory}, *scratch;
  int value = -1;
  OK(hipMallocAsync(&scratch, 4096, stream));
  OK(hipModuleLaunchKernel(add_table, 1, 1, 1, N, 1, 1, 0, stream, params, NULL));
  OK(hipEventRecord(event, stream));
  OK(hipMemcpyAsync(scratch, memory, sizeof *memory, hipMemcpyDeviceToDevice, stream));
  OK(hipMemcpyAsync(&value, scratch, sizeof value, hipMemcpyDeviceToHost, stream));
  OK(hipGraphLaunch(exec, stream));
  OK(hipStreamSynchronize(stream));
  OK(hipFreeAsync(scratch, stream));
  CHECK(value % 20 == 10, "the kernel left %d", value);
}

int main(int argc, char **argv) {
  hipModule_t module;
  hipFunction_t add_table;
  hipStream_t stream;
  hipEvent_t event;
  hipGraph_t graph;
  hipGraphNode_t node;
  hipGraphExec_t exec;
  int *memory;
  CHECK(argc == 3 || argc == 4, "arguments: the code object of each device in order, and perhaps a mode");
  const char *mode = argc > 3 ? argv[3] : "";
  const bool timed = strcmp(mode, "timing") == 0;
  const int launches = timed ? TIMED_LAUNCHES : LAUNCHES, warm = timed ? WARM / 4 : WARM;
  wtSimCheck(strcmp(mode, "check") == 0, NULL, NULL);
  wtSimLdsConflicts(strcmp(mode, "lds") == 0, NULL, NULL);
  wtSimTiming(timed, NULL, 0);
  OK(hipModuleLoad(&module, argc > 1 ? argv[1] : ""));
  OK(hipModuleGetFunction(&add_table, module, "add_table"));
  OK(hipStreamCreate(&stream));
  OK(hipEventCreate(&event));
  OK(hipMalloc((void **)&memory, N * sizeof *memory));
  OK(hipMemset(memory, 0, N * sizeof *memory));
  OK(hipGraphCreate(&graph, 0));
  void *params[] = {&memory};
  hipKernelNodeParams kernel = {
      .func = add_table, .gridDim = {1, 1, 1}, .blockDim = {N, 1, 1}, .kernelParams = params};
  OK(hipGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
  OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  for (int i = 0; i < warm; ++i) launch(add_table, exec, memory, stream, event);
  OK(hipDeviceSynchronize());
  footprint before = measure();
  for (int i = warm; i < launches / 2; ++i)
    launch(add_table, exec, memory, stream, event);  // two launches each
  OK(hipDeviceSynchronize());
  footprint after = measure();
  CHECK(after.heap <= before.heap + 4096, "the heap has grown from %zu to %zu bytes", before.heap,
        after.heap);
  CHECK(after.mappings <= before.mappings + 16, "%zu mappings became %zu", before.mappings, after.mappings);
  CHECK(after.address_kb <= before.address_kb + MOST_KB, "mappings of %zu KB became %zu KB",
        before.address_kb, after.address_kb);
  CHECK(after.threads <= before.threads + 2, "%zu threads became %zu", before.threads, after.threads);
  int value = 0;
  OK(hipMemcpy(&value, memory, sizeof value, hipMemcpyDeviceToHost));
  CHECK(value == 10 * launches, "%d launches have run", value / 10);
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
  OK(hipFree(memory));
  OK(hipEventDestroy(event));
  OK(hipStreamDestroy(stream));
  OK(hipModuleUnload(module));
  return test_result();
}
