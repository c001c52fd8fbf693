// SPDX-License-Identifier: MIT
// Writes graphs as files for Graphviz.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/hip/graphs/graph.h"

SIM_HIP_EXPORT hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned flags);

static const char *name_of(const sim_hip_work *work) {
  static const char *const names[] = {[hipGraphNodeTypeKernel] = "kernel",
                                      [hipGraphNodeTypeMemcpy] = "memcpy",
                                      [hipGraphNodeTypeMemset] = "memset",
                                      [hipGraphNodeTypeHost] = "host",
                                      [hipGraphNodeTypeGraph] = "graph",
                                      [hipGraphNodeTypeEmpty] = "empty",
                                      [hipGraphNodeTypeWaitEvent] = "event wait",
                                      [hipGraphNodeTypeEventRecord] = "event record",
                                      [hipGraphNodeTypeMemcpy1D] = "memcpy 1D",
                                      [hipGraphNodeTypeMemcpyFromSymbol] = "memcpy from symbol",
                                      [hipGraphNodeTypeMemcpyToSymbol] = "memcpy to symbol"};
  if (work->type == SIM_HIP_NODE_ALLOCATE) return "allocate";
  return work->type == SIM_HIP_NODE_FREE ? "free" : names[work->type];
}

static void label(FILE *file, const sim_hip_work *work) {
  fprintf(file, "%s", name_of(work));
  if (work->type == hipGraphNodeTypeKernel && sim_hip_handle_is(work->kernel.function, SIM_HIP_FUNCTION))
    fprintf(file, "\\n%s\\n%u x %u x %u blocks of %u x %u x %u", work->kernel.function->kernel->name,
            work->kernel.grid[0], work->kernel.grid[1], work->kernel.grid[2], work->kernel.block[0],
            work->kernel.block[1], work->kernel.block[2]);
}

static void print_nodes(FILE *file, hipGraph_t graph) {
  for (size_t i = 0; i < graph->count; ++i) {
    const hipGraphNode_t node = graph->nodes[i];
    fprintf(file, "  \"%p\" [label=\"", (void *)node);
    label(file, &node->work);
    fprintf(file, "\"];\n");
    for (size_t k = 0; k < node->before_count; ++k)
      fprintf(file, "  \"%p\" -> \"%p\";\n", (void *)node->before[k], (void *)node);
    if (node->work.type != hipGraphNodeTypeGraph) continue;
    fprintf(file, "  subgraph \"cluster_%p\" {\n", (void *)node);
    print_nodes(file, node->work.child);
    fprintf(file, "  }\n");
  }
}

// The flags ask for more about nodes of some types; every node says what it is.
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned flags) {
  const char *call = "hipGraphDebugDotPrint";
  (void)flags;
  hipError_t error = sim_hip_graph_need(call, graph, NULL, 0);
  if (error != hipSuccess) return error;
  if (!path) return sim_hip_refuse(hipErrorInvalidValue, "%s: the path is null", call);
  FILE *file = fopen(path, "w");
  if (!file)
    return sim_hip_refuse(hipErrorOperatingSystem, "%s: cannot write \"%s\": %s", call, path,
                          strerror(errno));
  fprintf(file, "digraph graph_1 {\n");
  print_nodes(file, graph);
  fprintf(file, "}\n");
  if (!fclose(file)) return hipSuccess;
  return sim_hip_refuse(hipErrorOperatingSystem, "%s: cannot write \"%s\": %s", call, path, strerror(errno));
}
