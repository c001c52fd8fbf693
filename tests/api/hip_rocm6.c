// SPDX-License-Identifier: MIT
// A program built with the headers of ROCm 6 or 7 is answered in their numbers: kinds of memory and types of
// graph nodes have others than in ROCm 5, and sizes in a description of the driver are wider. The program is
// built once for each way of telling: a symbol of a later version node, the note that headers of 6 and of 7
// leave (later_headers/ stands in for them), and a library that is needed under the name of ROCm 7.
#include "hip_capture.h"

#ifdef TELLS_BY_SYMBOL
hipError_t hipGetDevicePropertiesR0600(void *out, int device);
#endif
hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *before,
                                    size_t before_count, const void *copy, hipCtx_t context);
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, void *copy);
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const void *copy);
enum { UNREGISTERED6, HOST6, DEVICE6, MANAGED6, ARRAY6 = 10, UNIFIED6 };
enum { KERNEL6, MEMCPY6, MEMSET6, HOST_NODE6, GRAPH6, EMPTY6, WAIT6, RECORD6 };

static void kinds_of_memory_are_told(void) {
  void *device, *host, *managed;
  OK(hipMalloc(&device, 64));
  OK(hipHostMalloc(&host, 64, 0));
  OK(hipMallocManaged(&managed, 64, hipMemAttachGlobal));
  void *const pointers[] = {device, host, managed};
  const unsigned want[] = {DEVICE6, HOST6, MANAGED6};
  for (int i = 0; i < 3; ++i) {
    hipPointerAttribute_t all;
    unsigned one = 99, listed = 99;
    hipPointer_attribute which = HIP_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void *results[] = {&listed};
    OK(hipPointerGetAttributes(&all, pointers[i]));
    OK(hipPointerGetAttribute(&one, which, pointers[i]));
    OK(hipDrvPointerGetAttributes(1, &which, results, pointers[i]));
    CHECK((unsigned)all.memoryType == want[i] && one == want[i] && listed == want[i],
          "memory %d is of type %u, %u, %u, expected %u", i, (unsigned)all.memoryType, one, listed, want[i]);
  }
  OK(hipFree(device));
  OK(hipHostFree(host));
  OK(hipFree(managed));
}

// This is HIP_MEMCPY3D as ROCm 6 has it.
typedef struct end6 {
  size_t x, y, z, lod;
  unsigned type;
  const void *host;
  void *device, *array;
  size_t pitch, height;
} end6;
typedef struct memcpy3d6 {
  end6 src, dst;
  size_t width, height, depth;
} memcpy3d6;

static void driver_copies_take_them(void) {
  char in[64], out[64] = {0}, *device;
  for (int i = 0; i < 64; ++i) in[i] = (char)(3 * i);
  OK(hipMalloc((void **)&device, 64));
  hip_Memcpy2D there = {.srcMemoryType = (hipMemoryType)HOST6,
                        .srcHost = in,
                        .srcPitch = 16,
                        .dstMemoryType = (hipMemoryType)DEVICE6,
                        .dstDevice = device,
                        .dstPitch = 16,
                        .WidthInBytes = 16,
                        .Height = 4};
  OK(hipMemcpyParam2D(&there));
  const memcpy3d6 back = {.src = {.type = DEVICE6, .device = device, .pitch = 16, .height = 4},
                          .dst = {.type = HOST6, .host = out, .pitch = 16, .height = 4},
                          .width = 16,
                          .height = 4,
                          .depth = 1};
  OK(hipDrvMemcpy3D((const HIP_MEMCPY3D *)&back));
  CHECK(!memcmp(in, out, sizeof in), "the bytes come back");
  there.srcMemoryType = (hipMemoryType)ARRAY6;
  SAYS(hipErrorNotSupported, "arrays", hipMemcpyParam2D(&there));
  OK(hipFree(device));
}

static bool same_end(const end6 *a, const end6 *b) {
  return a->type == b->type && a->host == b->host && a->device == b->device && a->pitch == b->pitch &&
         a->height == b->height;
}

static void expect_copy(hipGraphNode_t node, const memcpy3d6 *want) {
  memcpy3d6 told;
  memset(&told, 0xff, sizeof told);
  OK(hipDrvGraphMemcpyNodeGetParams(node, &told));
  CHECK(same_end(&told.src, &want->src) && same_end(&told.dst, &want->dst) && told.width == want->width &&
            told.height == want->height && told.depth == want->depth,
        "from a memory of type %u to one of %u: told is one from %u to %u, of %zu x %zu x %zu bytes",
        want->src.type, want->dst.type, told.src.type, told.dst.type, told.width, told.height, told.depth);
}

// What is told is what was set, and a copy that is told can be set again.
static void driver_copies_of_graphs_are_told(void) {
  hipGraph_t graph;
  hipGraphNode_t node;
  hipGraphExec_t exec;
  char in[64], out[64] = {0}, *device;
  for (int i = 0; i < 64; ++i) in[i] = (char)(5 * i);
  OK(hipMalloc((void **)&device, 64));
  OK(hipGraphCreate(&graph, 0));
  const memcpy3d6 there = {.src = {.type = HOST6, .host = in, .pitch = 16, .height = 4},
                           .dst = {.type = DEVICE6, .device = device, .pitch = 32, .height = 2},
                           .width = 16,
                           .height = 2,
                           .depth = 1},
                  back = {.src = {.type = DEVICE6, .device = device, .pitch = 32, .height = 2},
                          .dst = {.type = HOST6, .host = out, .pitch = 16, .height = 2},
                          .width = 16,
                          .height = 2,
                          .depth = 1};
  OK(hipDrvGraphAddMemcpyNode(&node, graph, NULL, 0, &there, NULL));
  expect_copy(node, &there);
  for (int i = 0; i < 2; ++i) {
    memcpy3d6 told;
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(hipGraphLaunch(exec, NULL));
    OK(hipDeviceSynchronize());
    OK(hipGraphExecDestroy(exec));
    OK(hipDrvGraphMemcpyNodeSetParams(node, &back));
    OK(hipDrvGraphMemcpyNodeGetParams(node, &told));
    OK(hipDrvGraphMemcpyNodeSetParams(node, &told));
    expect_copy(node, &back);
  }
  CHECK(!memcmp(in, out, 32) && !out[32], "the bytes come back");
  SAYS(hipErrorInvalidValue, "result pointer is null", hipDrvGraphMemcpyNodeGetParams(node, NULL));
  OK(hipGraphDestroy(graph));
  OK(hipFree(device));
}

static void nothing(void *unused) { (void)unused; }

static void types_of_nodes_are_told(void) {
  hipGraph_t graph, child;
  hipGraphNode_t node[5];
  hipGraphNodeType type;
  static char from[8], to[8];
  void *device;
  OK(hipMalloc(&device, 64));
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphCreate(&child, 0));
  OK(hipGraphAddMemcpyNode1D(&node[0], graph, NULL, 0, to, from, sizeof to, hipMemcpyHostToHost));
  OK(hipGraphAddMemsetNode(&node[1], graph, NULL, 0,
                           &(hipMemsetParams){.dst = device, .elementSize = 1, .width = 64, .height = 1}));
  OK(hipGraphAddHostNode(&node[2], graph, NULL, 0, &(hipHostNodeParams){nothing, NULL}));
  OK(hipGraphAddChildGraphNode(&node[3], graph, NULL, 0, child));
  OK(hipGraphAddEmptyNode(&node[4], graph, NULL, 0));
  for (int i = 0; i < 5; ++i) {
    OK(hipGraphNodeGetType(node[i], &type));
    CHECK((int)type == MEMCPY6 + i, "node %d is of type %d", i, (int)type);
  }
  OK(hipGraphDestroy(graph));
  OK(hipGraphDestroy(child));
  OK(hipFree(device));
}

int main(void) {
#ifdef TELLS_BY_SYMBOL
  char properties[1472];  // sizeof(hipDeviceProp_tR0600)
  OK(hipGetDevicePropertiesR0600(properties, 0));
#endif
  kinds_of_memory_are_told();
  driver_copies_take_them();
  driver_copies_of_graphs_are_told();
  types_of_nodes_are_told();
  return test_result();
}
