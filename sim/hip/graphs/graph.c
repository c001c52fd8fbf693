// SPDX-License-Identifier: MIT
// Makes, copies and destroys graphs, and says what edges they have and what they are made of.
#include "sim/hip/graphs/graph.h"

#include <stdlib.h>
#include <string.h>

#include "sim/hip/caller.h"

// ---- what other files use

hipGraph_t sim_hip_graph_new(void) {
  hipGraph_t graph = calloc(1, sizeof *graph);
  if (graph && sim_hip_handle_add(graph, SIM_HIP_GRAPH, NULL)) return graph;
  free(graph);
  return NULL;
}

static void free_work(sim_hip_work *work) {
  if (work->type == hipGraphNodeTypeKernel) free(work->kernel.kernarg);
  if (work->type == hipGraphNodeTypeGraph && work->child) sim_hip_graph_free(work->child);
  if (work->type == SIM_HIP_NODE_ALLOCATE) sim_hip_graph_memory_drop(work->memory);
}

static void free_node(hipGraphNode_t node) {
  sim_hip_handle_remove(node, SIM_HIP_NODE);
  free_work(&node->work);
  free(node->before);
  free(node->params);
  free(node);
}

void sim_hip_graph_free(hipGraph_t graph) {
  if (graph->captured) sim_hip_capture_lose(graph);
  if (!graph->inner) sim_hip_exec_forget_source(graph);
  sim_hip_handle_remove(graph, SIM_HIP_GRAPH);
  for (size_t i = 0; i < graph->count; ++i) free_node(graph->nodes[i]);
  sim_hip_user_objects_drop(graph);
  free(graph->nodes);
  free(graph);
}

// Makes a copy of the work that owns what it points to; false when host memory runs out.
static bool copy_work(sim_hip_work *to, const sim_hip_work *from) {
  *to = *from;
  if (from->type == hipGraphNodeTypeKernel) {
    to->kernel.kernarg = malloc(from->kernel.kernarg_size + 1);
    if (!to->kernel.kernarg) return false;
    if (from->kernel.kernarg_size)
      memcpy(to->kernel.kernarg, from->kernel.kernarg, from->kernel.kernarg_size);
  }
  if (from->type == SIM_HIP_NODE_ALLOCATE) sim_hip_graph_memory_hold(to->memory);
  if (from->type == hipGraphNodeTypeGraph) {
    to->child = sim_hip_graph_copy(from->child);
    if (!to->child) return false;
    to->child->inner = true;
  }
  return true;
}

hipGraphNode_t sim_hip_graph_add(hipGraph_t graph, const sim_hip_work *work, const hipGraphNode_t *before,
                                 size_t before_count) {
  if (graph->count == graph->capacity) {
    size_t capacity = graph->capacity ? 2 * graph->capacity : 16;
    hipGraphNode_t *larger = realloc(graph->nodes, capacity * sizeof *larger);
    if (!larger) return NULL;
    graph->nodes = larger;
    graph->capacity = capacity;
  }
  hipGraphNode_t node = calloc(1, sizeof *node);
  if (!node) return NULL;
  node->graph = graph;
  bool ok = copy_work(&node->work, work);
  for (size_t i = 0; ok && i < before_count; ++i) ok = sim_hip_graph_link(before[i], node);
  if (!ok || !sim_hip_handle_add(node, SIM_HIP_NODE, NULL)) {
    free_node(node);
    return NULL;
  }
  return graph->nodes[graph->count++] = node;
}

static size_t find_link(hipGraphNode_t from, hipGraphNode_t to) {
  size_t i = 0;
  while (i < to->before_count && to->before[i] != from) ++i;
  return i;
}

bool sim_hip_graph_link(hipGraphNode_t from, hipGraphNode_t to) {
  if (find_link(from, to) < to->before_count) return true;
  hipGraphNode_t *larger = realloc(to->before, (to->before_count + 1) * sizeof *larger);
  if (!larger) return false;
  to->before = larger;
  to->before[to->before_count++] = from;
  return true;
}

bool sim_hip_node_set(hipGraphNode_t node, const sim_hip_work *work) {
  sim_hip_work copy;
  if (!copy_work(&copy, work)) return false;
  free_work(&node->work);
  free(node->params);
  node->params = NULL;
  node->work = copy;
  return true;
}

hipGraph_t sim_hip_graph_copy(hipGraph_t graph) {
  hipGraph_t copy = sim_hip_graph_new();
  if (!copy) return NULL;
  copy->original = graph;
  bool ok = sim_hip_user_objects_copy(copy, graph);
  for (size_t i = 0; ok && i < graph->count; ++i) {
    hipGraphNode_t node = sim_hip_graph_add(copy, &graph->nodes[i]->work, NULL, 0);
    ok = node != NULL;
    if (!ok) break;
    node->original = graph->nodes[i];
    node->disabled = graph->nodes[i]->disabled;
    node->window = graph->nodes[i]->window;
    node->priority = graph->nodes[i]->priority;
    graph->nodes[i]->waiting = i;  // where its copy is
  }
  for (size_t i = 0; ok && i < graph->count; ++i)
    for (size_t k = 0; ok && k < graph->nodes[i]->before_count; ++k)
      ok = sim_hip_graph_link(copy->nodes[graph->nodes[i]->before[k]->waiting], copy->nodes[i]);
  if (ok) return copy;
  sim_hip_graph_free(copy);
  return NULL;
}

// Takes, again and again, the first node that waits for none that has no place yet.
bool sim_hip_graph_sort(hipGraph_t graph) {
  for (size_t i = 0; i < graph->count; ++i) graph->nodes[i]->waiting = 1;
  for (size_t placed = 0; placed < graph->count; ++placed) {
    size_t at = placed;
    for (; at < graph->count; ++at) {
      hipGraphNode_t node = graph->nodes[at];
      size_t k = 0;
      while (k < node->before_count && !node->before[k]->waiting) ++k;
      if (k == node->before_count) break;
    }
    if (at == graph->count) return false;
    hipGraphNode_t node = graph->nodes[at];
    memmove(graph->nodes + placed + 1, graph->nodes + placed, (at - placed) * sizeof node);
    graph->nodes[placed] = node;
    node->waiting = 0;
  }
  bool ok = true;
  for (size_t i = 0; ok && i < graph->count; ++i)
    if (graph->nodes[i]->work.type == hipGraphNodeTypeGraph)
      ok = sim_hip_graph_sort(graph->nodes[i]->work.child);
  return ok;
}

bool sim_hip_graph_is(hipGraph_t graph) { return sim_hip_handle_is(graph, SIM_HIP_GRAPH); }
bool sim_hip_node_is(hipGraphNode_t node) { return sim_hip_handle_is(node, SIM_HIP_NODE); }

hipError_t sim_hip_graph_need(const char *call, hipGraph_t graph, const hipGraphNode_t *nodes, size_t count) {
  if (!sim_hip_graph_is(graph))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the graph is not a graph of this runtime", call);
  if (count && !nodes)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %zu nodes are announced but not given", call, count);
  for (size_t i = 0; i < count; ++i)
    if (!sim_hip_node_is(nodes[i]) || nodes[i]->graph != graph)
      return sim_hip_refuse(hipErrorInvalidValue, "%s: node %zu of the list is not a node of the graph", call,
                            i);
  return hipSuccess;
}

static hipError_t need_node(const char *call, hipGraphNode_t node) {
  if (sim_hip_node_is(node)) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: the node is not a node of this runtime", call);
}

static hipError_t need_result(const char *call, const void *result) {
  if (result) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
}

// ---- graphs

hipError_t hipGraphCreate(hipGraph_t *out, unsigned flags) {
  hipError_t error = need_result("hipGraphCreate", out);
  if (error != hipSuccess) return error;
  if (flags)
    return sim_hip_refuse(hipErrorInvalidValue, "hipGraphCreate: flags is 0x%x, it must be 0", flags);
  *out = sim_hip_graph_new();
  return sim_hip_result(*out ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  hipError_t error = sim_hip_graph_need("hipGraphDestroy", graph, NULL, 0);
  if (error != hipSuccess) return error;
  if (graph->inner || graph->captured)
    return sim_hip_refuse(
        hipErrorInvalidValue,
        "hipGraphDestroy: the graph belongs to a node of another graph or is being captured");
  sim_hip_graph_free(graph);
  return hipSuccess;
}

hipError_t hipGraphClone(hipGraph_t *out, hipGraph_t graph) {
  hipError_t error = need_result("hipGraphClone", out);
  if (error == hipSuccess) error = sim_hip_graph_need("hipGraphClone", graph, NULL, 0);
  if (error != hipSuccess) return error;
  *out = sim_hip_graph_copy(graph);
  return sim_hip_result(*out ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t *out, hipGraphNode_t node, hipGraph_t clone) {
  hipError_t error = need_result("hipGraphNodeFindInClone", out);
  if (error == hipSuccess) error = need_node("hipGraphNodeFindInClone", node);
  if (error == hipSuccess) error = sim_hip_graph_need("hipGraphNodeFindInClone", clone, NULL, 0);
  for (size_t i = 0; error == hipSuccess && i < clone->count; ++i)
    if (clone->nodes[i]->original == node) {
      *out = clone->nodes[i];
      return hipSuccess;
    }
  if (error != hipSuccess) return error;
  return sim_hip_refuse(hipErrorInvalidValue, "hipGraphNodeFindInClone: the graph has no clone of the node");
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
  hipError_t error = need_node("hipGraphDestroyNode", node);
  if (error != hipSuccess) return error;
  hipGraph_t graph = node->graph;
  size_t kept = 0;
  for (size_t i = 0; i < graph->count; ++i) {
    hipGraphNode_t other = graph->nodes[i];
    size_t link = find_link(node, other);
    if (link < other->before_count) other->before[link] = other->before[--other->before_count];
    if (other != node) graph->nodes[kept++] = other;
  }
  graph->count = kept;
  free_node(node);
  return hipSuccess;
}

// ---- edges

static hipError_t need_pairs(const char *call, hipGraph_t graph, const hipGraphNode_t *from,
                             const hipGraphNode_t *to, size_t count) {
  hipError_t error = sim_hip_graph_need(call, graph, from, count);
  if (error == hipSuccess) error = sim_hip_graph_need(call, graph, to, count);
  for (size_t i = 0; error == hipSuccess && i < count; ++i)
    if (from[i] == to[i])
      error =
          sim_hip_refuse(hipErrorInvalidValue, "%s: node %zu of the list would depend on itself", call, i);
  return error;
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                   size_t count) {
  hipError_t error = need_pairs("hipGraphAddDependencies", graph, from, to, count);
  for (size_t i = 0; error == hipSuccess && i < count; ++i) {
    if (find_link(from[i], to[i]) < to[i]->before_count)
      return sim_hip_refuse(hipErrorInvalidValue,
                            "hipGraphAddDependencies: edge %zu of the list exists already", i);
    if (!sim_hip_graph_link(from[i], to[i])) error = sim_hip_result(hipErrorOutOfMemory);
  }
  return error;
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                      size_t count) {
  hipError_t error = need_pairs("hipGraphRemoveDependencies", graph, from, to, count);
  for (size_t i = 0; error == hipSuccess && i < count; ++i) {
    size_t link = find_link(from[i], to[i]);
    if (link == to[i]->before_count)
      return sim_hip_refuse(hipErrorInvalidValue,
                            "hipGraphRemoveDependencies: edge %zu of the list does not exist", i);
    memmove(to[i]->before + link, to[i]->before + link + 1,
            (to[i]->before_count - link - 1) * sizeof *to[i]->before);
    --to[i]->before_count;
  }
  return error;
}

// ---- questions. Lists go to an array of *count places; without one only their length is given. Places left
// over become null, and *count says how many are filled.

typedef struct list {
  hipGraphNode_t *first, *second;  // the caller's arrays, NULL for none
  size_t places, found;
} list;

static void put(list *l, hipGraphNode_t first, hipGraphNode_t second) {
  if (l->first && l->found < l->places) l->first[l->found] = first;
  if (l->second && l->found < l->places) l->second[l->found] = second;
  ++l->found;
}

static hipError_t finish(list *l, size_t *count) {
  for (size_t i = l->found; i < l->places; ++i) {
    if (l->first) l->first[i] = NULL;
    if (l->second) l->second[i] = NULL;
  }
  *count = l->first && l->places < l->found ? l->places : l->found;
  return hipSuccess;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  hipError_t error = need_result("hipGraphGetNodes", count);
  if (error == hipSuccess) error = sim_hip_graph_need("hipGraphGetNodes", graph, NULL, 0);
  if (error != hipSuccess) return error;
  list l = {nodes, NULL, *count, 0};
  for (size_t i = 0; i < graph->count; ++i) put(&l, graph->nodes[i], NULL);
  return finish(&l, count);
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  hipError_t error = need_result("hipGraphGetRootNodes", count);
  if (error == hipSuccess) error = sim_hip_graph_need("hipGraphGetRootNodes", graph, NULL, 0);
  if (error != hipSuccess) return error;
  list l = {nodes, NULL, *count, 0};
  for (size_t i = 0; i < graph->count; ++i)
    if (!graph->nodes[i]->before_count) put(&l, graph->nodes[i], NULL);
  return finish(&l, count);
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count) {
  hipError_t error = need_result("hipGraphGetEdges", count);
  if (error == hipSuccess) error = sim_hip_graph_need("hipGraphGetEdges", graph, NULL, 0);
  if (error != hipSuccess) return error;
  if (!from != !to)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "hipGraphGetEdges: one of the arrays is null, give both or none");
  list l = {from, to, *count, 0};
  for (size_t i = 0; i < graph->count; ++i)
    for (size_t k = 0; k < graph->nodes[i]->before_count; ++k)
      put(&l, graph->nodes[i]->before[k], graph->nodes[i]);
  return finish(&l, count);
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count) {
  hipError_t error = need_result("hipGraphNodeGetDependencies", count);
  if (error == hipSuccess) error = need_node("hipGraphNodeGetDependencies", node);
  if (error != hipSuccess) return error;
  list l = {nodes, NULL, *count, 0};
  for (size_t k = 0; k < node->before_count; ++k) put(&l, node->before[k], NULL);
  return finish(&l, count);
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count) {
  hipError_t error = need_result("hipGraphNodeGetDependentNodes", count);
  if (error == hipSuccess) error = need_node("hipGraphNodeGetDependentNodes", node);
  if (error != hipSuccess) return error;
  list l = {nodes, NULL, *count, 0};
  for (size_t i = 0; i < node->graph->count; ++i) {
    hipGraphNode_t other = node->graph->nodes[i];
    if (find_link(node, other) < other->before_count) put(&l, other, NULL);
  }
  return finish(&l, count);
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type) {
  hipError_t error = need_result("hipGraphNodeGetType", type);
  if (error == hipSuccess) error = need_node("hipGraphNodeGetType", node);
  if (error == hipSuccess) *type = (hipGraphNodeType)sim_hip_node_type_for(SIM_HIP_CALLER, node->work.type);
  return error;
}
