// SPDX-License-Identifier: MIT
// Describes a piece of work that a stream takes: enqueued, or kept as a node of the graph that the stream is
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
  uint32_t stack_bytes;  // of a work-item whose stack the compiler cannot bound, when the work was enqueued
} sim_hip_kernel_work;

// Names memory that a graph allocates (graph_memory.c).
typedef struct sim_hip_graph_memory sim_hip_graph_memory;

typedef struct sim_hip_value_work {
  void *word;
  unsigned bytes;  // 4 or 8
  uint64_t value, mask;
  unsigned flags;  // how a wait compares: hipStreamWaitValue*
} sim_hip_value_work;

typedef struct sim_hip_callback_work {
  hipStream_t stream;
  hipStreamCallback_t function;
  void *user;
} sim_hip_callback_work;

// Types of nodes that the HIP headers used here do not have, and types of work that no graph has.
#define SIM_HIP_NODE_ALLOCATE ((hipGraphNodeType)hipGraphNodeTypeCount)
#define SIM_HIP_NODE_FREE ((hipGraphNodeType)(hipGraphNodeTypeCount + 1))
#define SIM_HIP_CALLBACK ((hipGraphNodeType)(hipGraphNodeTypeCount + 2))
#define SIM_HIP_WRITE_VALUE ((hipGraphNodeType)(hipGraphNodeTypeCount + 3))
#define SIM_HIP_WAIT_VALUE ((hipGraphNodeType)(hipGraphNodeTypeCount + 4))

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
    sim_hip_callback_work callback;
    sim_hip_value_work value;  // to write or to wait for
  };
  uint64_t turn;  // of the record of an event that processes share (event_ipc.h), made or waited for
} sim_hip_work;

// ---- work.c
// Returns the error with which the device would refuse to run the work, as far as its arguments tell.
hipError_t sim_hip_work_check(const char *call, const sim_hip_work *work);
hipError_t sim_hip_work_run(const char *call, const sim_hip_work *work);
// Work that needs no time, and may be a wait: finish returns false as long as what it waits for is not there.
bool sim_hip_work_is_instant(const sim_hip_work *work);
bool sim_hip_work_finish(const sim_hip_work *work);
// Makes copies of what the work points to, so that it can be run later; false when host memory runs out.
bool sim_hip_work_keep(sim_hip_work *work);
void sim_hip_work_enqueued(sim_hip_work *work, uint64_t number);
void sim_hip_work_drop(sim_hip_work *work);
// Checks the work and gives it to the stream. The caller keeps what the work points to. With SIM_HIP_SYNC,
// and for copies from and to host memory that is not pinned, it returns when the work is done, with the error
// of a kernel that faulted.
hipError_t sim_hip_submit(const char *call, hipStream_t stream, const sim_hip_work *work, sim_hip_pace pace);
// Gives checked work to a queue; *number is its place (order.h).
hipError_t sim_hip_work_enqueue(const char *call, const sim_hip_queue *queue, const sim_hip_work *work,
                                bool awaited, uint64_t *number);

// ---- pitch.c, symbol.c
hipError_t sim_hip_box_work(const char *call, const hipMemcpy3DParms *params, sim_hip_work *work);
// This is HIP_MEMCPY3D of HIP 6 (include/hip/driver_types.h of ROCm/HIP): an ABI.
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
hipError_t sim_hip_kernel_run(const char *call, const sim_hip_kernel_work *kernel);

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
// Marks a capture as not valid any more when its graph is freed with the node that it belongs to.
void sim_hip_capture_lose(hipGraph_t graph);
// Drops the capture of a stream that is destroyed.
void sim_hip_capture_forget(hipStream_t stream);

#endif
