// SPDX-License-Identifier: MIT
// Declares graphs of work. Nodes and edges keep the order in which they were added, and so do launches where
// the edges leave a choice: a graph always runs in the same order.
#ifndef SIM_HIP_GRAPH_H
#define SIM_HIP_GRAPH_H

#include "sim/hip/streams/work.h"

struct hipGraphNode {
  hipGraph_t graph;
  sim_hip_work work;
  hipGraphNode_t *before;  // dependencies: the nodes that must have run
  size_t before_count;
  hipGraphNode_t original;       // of a clone: the node it was made from; may be gone
  bool disabled;                 // does nothing when the graph runs
  void **params;                 // one pointer per kernel argument, made when a program asks for them
  hipAccessPolicyWindow window;  // of a kernel, kept for the caller
  int priority;                  // likewise
  size_t waiting;                // for sorting: dependencies that have no place yet
};

typedef struct sim_hip_user_object sim_hip_user_object;
typedef struct sim_hip_held {
  sim_hip_user_object *object;
  unsigned count;  // references
} sim_hip_held;

struct ihipGraph {
  hipGraphNode_t *nodes;
  size_t count, capacity;
  hipGraph_t original;  // of a clone: the graph it was made from; may be gone
  sim_hip_held *held;   // user objects
  size_t held_count;
  bool inner;     // belongs to a node or an executable graph: not the program's to destroy
  bool captured;  // a stream is being captured into it: the program may look at it, but not destroy it
};

struct hipGraphExec {
  hipGraph_t graph;          // its own clone, with its nodes sorted
  unsigned long long flags;  // hipGraphInstantiateFlag*
  hipGraph_t source;         // the graph it was made from; NULL: gone
  hipGraphExec_t next;
};

// ---- graph_exec.c
void sim_hip_exec_forget_source(hipGraph_t graph);

// ---- graph.c; graphs are not thread-safe, each belongs to one thread at a time (HIP)
hipGraph_t sim_hip_graph_new(void);
void sim_hip_graph_free(hipGraph_t graph);
// Returns a deep copy, in which the `original` links of graph and nodes are set; NULL when host memory runs
// out.
hipGraph_t sim_hip_graph_copy(hipGraph_t graph);
// Adds a node that keeps a copy of the work, which is not checked. Returns NULL when host memory runs out.
hipGraphNode_t sim_hip_graph_add(hipGraph_t graph, const sim_hip_work *work, const hipGraphNode_t *before,
                                 size_t before_count);
bool sim_hip_graph_link(hipGraphNode_t from, hipGraphNode_t to);
// Replaces the work of a node. Returns false when host memory runs out.
bool sim_hip_node_set(hipGraphNode_t node, const sim_hip_work *work);
// Sorts the nodes, also those of graphs inside, so that each comes after its dependencies. Returns false when
// the dependencies form a circle.
bool sim_hip_graph_sort(hipGraph_t graph);
bool sim_hip_graph_is(hipGraph_t graph);
bool sim_hip_node_is(hipGraphNode_t node);
// Returns hipErrorInvalidValue, after a sentence, unless these are a graph and nodes of it.
hipError_t sim_hip_graph_need(const char *call, hipGraph_t graph, const hipGraphNode_t *nodes, size_t count);

// ---- graph_node.c: the work is checked, and kept as a copy
hipError_t sim_hip_node_add(const char *call, hipGraphNode_t *out, hipGraph_t graph,
                            const hipGraphNode_t *before, size_t before_count, const sim_hip_work *work);
// The node must be of the kind that the call is for; all copies are of one kind.
hipError_t sim_hip_node_need_type(const char *call, hipGraphNode_t node, hipGraphNodeType type);
bool sim_hip_node_is_copy(hipGraphNode_t node);
hipError_t sim_hip_node_change(const char *call, hipGraphNode_t node, const sim_hip_work *work);
hipError_t sim_hip_exec_change(const char *call, hipGraphExec_t exec, hipGraphNode_t node,
                               const sim_hip_work *work);

// Make the work of a node from its parameters. What a kernel's work owns is the caller's to free.
hipError_t sim_hip_kernel_node_work(const char *call, const hipKernelNodeParams *params, sim_hip_work *work);
hipError_t sim_hip_fill_node_work(const char *call, const hipMemsetParams *params, sim_hip_work *work);

// ---- graph_memory.c
// This is hipMemAllocNodeParams of ROCm 5.5 (include/hip/hip_runtime_api.h of ROCm/HIP): an ABI.
typedef struct hipMemAllocNodeParams {
  hipMemPoolProps poolProps;
  const hipMemAccessDesc *accessDescs;
  size_t accessDescCount, bytesize;
  void *dptr;
} hipMemAllocNodeParams;
SIM_HIP_EXPORT hipError_t hipGraphAddMemAllocNode(hipGraphNode_t *out, hipGraph_t graph,
                                                  const hipGraphNode_t *before, size_t before_count,
                                                  hipMemAllocNodeParams *params);

// ---- user_object.c: a copy of a graph has references of its own
bool sim_hip_user_objects_copy(hipGraph_t to, hipGraph_t from);  // false when host memory runs out
void sim_hip_user_objects_drop(hipGraph_t graph);

// ---- graph_exec.c
// Enqueues the work of the sorted nodes; the first error ends the launch.
hipError_t sim_hip_graph_enqueue(const char *call, hipGraph_t graph, const sim_hip_queue *queue);
// Compares sorted graphs: whether an executable graph made of one can be changed to the other.
bool sim_hip_graph_same_shape(hipGraph_t a, hipGraph_t b);
// Returns the node of the executable graph that was made from `node`; NULL (after a sentence) when there is
// none.
hipGraphNode_t sim_hip_exec_node(const char *call, hipGraphExec_t exec, hipGraphNode_t node);

#endif
