// SPDX-License-Identifier: MIT
// The picture of a graph has a line for each node and each dependency, and the nodes of a graph within it.
// Arguments: code object for gfx950 (device 0), the same for gfx942 (device 1).
#include "hip_capture.h"

hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path,
                                 unsigned flags);  // declared since HIP 5.5

static void nothing(void *unused) { (void)unused; }

static char text[8192];

static void read_text(const char *path) {
  FILE *file = fopen(path, "r");
  CHECK(file != NULL, "cannot read %s", path);
  text[file ? fread(text, 1, sizeof text - 1, file) : 0] = 0;
  if (file) fclose(file);
}

static unsigned times(const char *words) {
  unsigned found = 0;
  for (const char *at = text; (at = strstr(at, words)); ++at) ++found;
  return found;
}

int main(int argc, char **argv) {
  CHECK(argc >= 2, "arguments: the code object of each device in order");
  char path[] = "/tmp/wavetile-dot-XXXXXX", expected[128];
  const int file = mkstemp(path);
  hipModule_t module;
  hipFunction_t function;
  hipGraph_t graph, inner;
  hipGraphNode_t first, host, kernel, child, within;
  void *memory;
  OK(hipModuleLoad(&module, argv[1]));
  OK(hipModuleGetFunction(&function, module, "reads_nothing"));
  OK(hipMalloc(&memory, 64));
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphDebugDotPrint(graph, path, 0));
  read_text(path);
  CHECK(!strcmp(text, "digraph graph_1 {\n}\n"), "a graph without nodes: %s", text);
  OK(hipGraphCreate(&inner, 0));
  OK(hipGraphAddEmptyNode(&within, inner, NULL, 0));
  OK(hipGraphAddEmptyNode(&first, graph, NULL, 0));
  OK(hipGraphAddHostNode(&host, graph, &first, 1, &(hipHostNodeParams){nothing, NULL}));
  OK(hipGraphAddKernelNode(&kernel, graph, (hipGraphNode_t[]){first, host}, 2,
                           &(hipKernelNodeParams){.func = function,
                                                  .gridDim = {3, 4, 5},
                                                  .blockDim = {16, 2, 1},
                                                  .kernelParams = (void *[]){&memory}}));
  OK(hipGraphAddChildGraphNode(&child, graph, &kernel, 1, inner));
  OK(hipGraphDebugDotPrint(graph, path, 0));
  read_text(path);
  const struct {
    hipGraphNode_t from, to;
  } edges[] = {{first, host}, {first, kernel}, {host, kernel}, {kernel, child}};
  for (int i = 0; i < 4; ++i) {
    snprintf(expected, sizeof expected, "  \"%p\" -> \"%p\";\n", (void *)edges[i].from, (void *)edges[i].to);
    CHECK(times(expected) == 1, "no edge %s in: %s", expected, text);
  }
  CHECK(times(" -> ") == 4 && times("[label=\"") == 5, "%u edges, %u nodes: %s", times(" -> "),
        times("[label=\""), text);
  CHECK(times("reads_nothing\\n3 x 4 x 5 blocks of 16 x 2 x 1\"];\n") == 1, "the kernel: %s", text);
  snprintf(expected, sizeof expected, "  subgraph \"cluster_%p\" {\n", (void *)child);
  CHECK(times(expected) == 1 && times("subgraph") == 1, "the graph within: %s", text);
  CHECK(!strncmp(text, "digraph graph_1 {\n", 18) && !strcmp(text + strlen(text) - 2, "}\n"), "the whole: %s",
        text);
  SAYS(hipErrorInvalidValue, "the path is null", hipGraphDebugDotPrint(graph, NULL, 0));
  SAYS(hipErrorOperatingSystem, "cannot write \"/nonexistent/x\"",
       hipGraphDebugDotPrint(graph, "/nonexistent/x", 0));
  SAYS(hipErrorInvalidValue, "hipGraphDebugDotPrint", hipGraphDebugDotPrint((hipGraph_t)memory, path, 0));
  OK(hipGraphDestroy(graph));
  OK(hipGraphDestroy(inner));
  OK(hipModuleUnload(module));
  OK(hipFree(memory));
  close(file);
  unlink(path);
  return test_result();
}
