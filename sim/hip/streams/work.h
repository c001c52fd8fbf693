// SPDX-License-Identifier: MIT
// A piece of work that a stream takes: run at once, or kept as a node of the graph that the stream is
// captured into.
#ifndef SIM_HIP_WORK_H
#define SIM_HIP_WORK_H

#include "sim/hip/hip.h"

typedef struct sim_hip_copy_work {
  void *dst;
  const void *src;
  sim_hip_box to, from;
  size_t width, height, depth;  // bytes, rows, planes
  hipMemcpyKind kind;
} sim_hip_copy_work;

typedef struct sim_hip_fill_work {
  void *dst;
  sim_hip_box layout;
  uint32_t value;
  unsigned element;             // bytes: 1, 2 or 4
  size_t width, height, depth;  // elements, rows, planes
} sim_hip_fill_work;

typedef struct sim_hip_kernel_work {
  hipFunction_t function;
  const void *named;  // how the program named the kernel: a host address, or the function
  uint32_t grid[3], block[3];
  size_t dynamic_lds;
  int cooperative;   // not 0: all blocks are on the device at once
  uint8_t *kernarg;  // explicit arguments, packed; owned by the node that keeps the work
  size_t kernarg_size;
} sim_hip_kernel_work;

// Memory that a graph allocates (graph_memory.c).
typedef struct sim_hip_graph_memory sim_hip_graph_memory;

// Types of nodes that the HIP headers used here do not have.
#define SIM_HIP_NODE_ALLOCATE ((hipGraphNodeType)hipGraphNodeTypeCount)
#define SIM_HIP_NODE_FREE ((hipGraphNodeType)(hipGraphNodeTypeCount + 1))

typedef struct sim_hip_work {
  hipGraphNodeType type;
  union {
    sim_hip_kernel_work kernel;
    sim_hip_copy_work copy;  // hipGraphNodeTypeMemcpy and its kinds
    sim_hip_fill_work fill;
    hipHostNodeParams host;
    hipEvent_t event;              // event to record or to wait for
    hipGraph_t child;              // owned by the node that keeps the work
    sim_hip_graph_memory *memory;  // memory to allocate
    void *base;                    // address of memory to free
  };
} sim_hip_work;

// ---- work.c
// Returns the error with which the device would refuse to run the work, as far as its arguments tell.
hipError_t sim_hip_work_check(const char *call, const sim_hip_work *work);
hipError_t sim_hip_work_run(const char *call, const sim_hip_work *work, sim_hip_device *device);
// Checks the work and gives it to the stream. The caller keeps what the work points to.
hipError_t sim_hip_submit(const char *call, hipStream_t stream, const sim_hip_work *work);

// ---- pitch.c, symbol.c
hipError_t sim_hip_box_work(const char *call, const hipMemcpy3DParms *params, sim_hip_work *work);
// HIP_MEMCPY3D of HIP 6 (include/hip/driver_types.h of ROCm/HIP): an ABI.
typedef struct sim_hip_box_end {
  size_t x, y, z, lod;
  hipMemoryType type;
  void *host;
  hipDeviceptr_t device;
  hipArray *array;
  size_t pitch, height;
} sim_hip_box_end;

typedef struct sim_hip_box_copy {
  sim_hip_box_end src, dst;
  size_t width, height, depth;
} sim_hip_box_copy;

// Reads the driver's description in the layout that the caller means.
hipError_t sim_hip_driver_box_work(const char *call, const void *caller, const void *description,
                                   sim_hip_work *work);
// Writes a description without positions in the layout that the caller means.
void sim_hip_write_box_copy(const void *caller, const sim_hip_box_copy *copy, void *out);
// Finds the address of [offset, offset + bytes) of a device variable.
hipError_t sim_hip_symbol_range(const char *call, const void *symbol, size_t bytes, size_t offset,
                                sim_hip_device *device, void **out);

// ---- graph_memory.c: each node that allocates holds its memory
void sim_hip_graph_memory_hold(sim_hip_graph_memory *memory);
void sim_hip_graph_memory_drop(sim_hip_graph_memory *memory);
bool sim_hip_graph_memory_shared(sim_hip_graph_memory *memory);  // by several nodes
hipError_t sim_hip_graph_memory_allocate(const char *call, sim_hip_graph_memory *memory);
// Frees what the last launch of the graph has left allocated.
void sim_hip_graph_memory_sweep(sim_hip_graph_memory *memory);
hipError_t sim_hip_graph_memory_check_free(const char *call, const void *base);
// Handles hipMallocAsync in a captured stream. Returns false when the stream is not captured.
bool sim_hip_graph_memory_captures(const char *call, void **out, size_t size, sim_hip_device *device,
                                   hipStream_t stream, hipError_t *error);

// ---- launch.c
// Checks a launch and packs its arguments; work->kernel.kernarg is the caller's to free.
hipError_t sim_hip_kernel_prepare(const char *call, const sim_hip_launch_args *args, sim_hip_device *device,
                                  sim_hip_work *work);
hipError_t sim_hip_kernel_run(const char *call, const sim_hip_kernel_work *kernel, sim_hip_device *device);

// ---- capture.c
// Returns true when the stream is being captured, or must not be used because another is: the work has then
// become a node or has been refused, as *error says.
bool sim_hip_captures(const char *call, hipStream_t stream, const sim_hip_work *work, hipError_t *error);
bool sim_hip_is_captured(hipStream_t stream);
// Used by calls that no stream can capture. A NULL `stream` stands for a call that waits for or changes the
// device, which the capture modes restrict. Returns hipSuccess where nothing forbids the call.
hipError_t sim_hip_capture_refuses(const char *call, hipStream_t stream);
hipError_t sim_hip_capture_refuses_unsafe(const char *call);
// Used by a call that waits for all streams, those in a relaxed capture of the thread among them.
hipError_t sim_hip_capture_refuses_wait(const char *call);
// Record an event in a captured stream, and make another stream wait for it. They return true when nothing
// else is left to do.
bool sim_hip_capture_record(const char *call, hipEvent_t event, hipStream_t stream, hipError_t *error);
bool sim_hip_capture_wait(const char *call, hipEvent_t event, hipStream_t stream, hipError_t *error);
// Drops the capture of a stream that is destroyed.
void sim_hip_capture_forget(hipStream_t stream);

#endif
