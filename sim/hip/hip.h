// SPDX-License-Identifier: MIT
// Declares what the files of the HIP surface share: devices, errors, handles, modules, launches. Functions
// are grouped by the file that defines them.
#ifndef SIM_HIP_HIP_H
#define SIM_HIP_HIP_H

#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/exec/launch.h"
#include "sim/exec/memory.h"
#include "sim/machine/machine.h"
#include "sim/object/object.h"
#include "sim/settings/say.h"

// Marks exported symbols that the HIP headers do not declare for C; the others are exported by their
// declaration.
#define SIM_HIP_EXPORT __attribute__((visibility("default")))

enum { SIM_HIP_MAX_DEVICES = 16 };
enum { SIM_HIP_CU_WORDS = 10 };           // 304 compute units of MI300X, a bit each
enum { SIM_HIP_MOST_BLOCKS_YZ = 65536 };  // hipDeviceProp_t.maxGridSize; that of x is INT_MAX

// HIP defines no code for a misaligned access; this is the number and the name CUDA, its model, gives it.
#define hipErrorMisalignedAddress ((hipError_t)716)

typedef struct sim_hip_device {
  int ordinal;
  const sim_machine *machine;
  _Atomic uint64_t used;  // bytes allocated of machine->memory_bytes
  hipError_t fault;       // of a kernel that faulted, until a call delivers it (order.c)
  uint64_t fault_number;  // of that kernel, see sim_hip_enqueue
  uint64_t null_last;     // number of the null stream's last work
  void *heap;             // heap of device malloc; NULL until a kernel asks for it
} sim_hip_device;

// Says what kind of stream the order of work sees (order.h).
typedef enum sim_hip_queue_kind {
  SIM_HIP_NULL_QUEUE,      // waits for all blocking ones of the device, and they for it
  SIM_HIP_BLOCKING_QUEUE,  // also the per-thread stream
  SIM_HIP_OWN_QUEUE        // hipStreamNonBlocking
} sim_hip_queue_kind;
typedef struct sim_hip_queue {
  sim_hip_device *device;
  sim_hip_queue_kind kind;
  uint64_t id;
  uint64_t *last;  // where the number of its last work is kept
} sim_hip_queue;

struct ihipStream_t {
  sim_hip_device *device;
  uint64_t last_work;  // see sim_hip_queue
  unsigned flags;
  int priority;
  bool masked;  // created with a mask of compute units, which is kept for the caller
  uint32_t cu_mask[SIM_HIP_CU_WORDS];
  struct sim_hip_capture *_Atomic capture;  // what its work is recorded in (capture.c); NULL: work is run
  hipGraphNode_t *last;                     // nodes of a capture that the next node depends on
  size_t last_count;
  uint64_t id;                 // hipStreamGetId
  char access_policy[32];      // kept for hipStreamGetAttribute: hipAccessPolicyWindow
  int synchronization_policy;  // likewise
};

struct ihipEvent_t {
  sim_hip_device *device;
  unsigned flags;
  _Atomic int holders;                  // records that have not happened, and the program
  _Atomic uint64_t number;              // of the last record among all work (order.h), 0: never recorded
  _Atomic uint64_t time;                // nanoseconds at the last record that has happened
  struct sim_hip_shared_event *shared;  // what other processes know of it (event_ipc.h); NULL: nothing
  // If it was last recorded in a captured stream: the capture's number, and the nodes that the record stands
  // for (capture.c).
  _Atomic uint64_t capture;
  hipGraphNode_t *last;
  size_t last_count;
};

struct ihipModuleSymbol_t {
  hipModule_t module;
  const sim_kernel *kernel;
  // This is what hipFuncSetAttribute was given; the hardware needs neither.
  bool limits_lds;
  int dynamic_lds, carveout;
};

struct ihipModule_t {
  sim_hip_device *device;
  sim_object *object;
  pthread_mutex_t decode_lock;           // guards program
  sim_program *program;                  // decoded at the first launch
  struct ihipModuleSymbol_t *functions;  // one per kernel of the object
  void **managed;  // per variable of the object: where a managed one is; NULL: they are the program's
};

// ---- error.c
// Sets the thread's last error, and returns its argument.
hipError_t sim_hip_result(hipError_t error);
// Writes the sentence as sim_say does, sets the thread's last error, and returns it.
__attribute__((format(printf, 2, 3))) hipError_t sim_hip_refuse(hipError_t error, const char *format, ...);

// ---- device.c
int sim_hip_device_count(void);
sim_hip_device *sim_hip_device_at(int ordinal);  // NULL when there is none
sim_hip_device *sim_hip_current(void);  // the calling thread's device, NULL when there are no devices
hipError_t sim_hip_set_current(int ordinal);
// Returns the stack bytes of a work-item whose stack the compiler cannot bound (hipLimitStackSize).
uint32_t sim_hip_stack_bytes(void);
// Returns a mask. Bit p: the device may use the memory of device p (hipDeviceEnablePeerAccess).
uint32_t sim_hip_peers(const sim_hip_device *device);
// Waits for all work of the device. Returns the error of a kernel that faulted once, then hipSuccess.
hipError_t sim_hip_synchronize(sim_hip_device *device);

// Refuse configurations that are not known; the known ones change nothing here.
hipError_t sim_hip_check_cache_config(const char *call, hipFuncCache_t config);
hipError_t sim_hip_check_lds_config(const char *call, hipSharedMemConfig config);

// ---- properties.c
void sim_hip_properties(const sim_hip_device *device, hipDeviceProp_t *out);
void sim_hip_uuid(const sim_hip_device *device, hipUUID *out);

// ---- handle.c
// Every pointer that is given out as a handle is in one table, so that a wrong one is refused instead of
// followed.
typedef enum sim_hip_kind {
  SIM_HIP_STREAM,
  SIM_HIP_EVENT,
  SIM_HIP_MODULE,
  SIM_HIP_FUNCTION,
  SIM_HIP_ALLOCATION,
  SIM_HIP_GRAPH,
  SIM_HIP_NODE,
  SIM_HIP_GRAPH_EXEC,
  SIM_HIP_POOL,
  SIM_HIP_USER_OBJECT,
  SIM_HIP_RTC_PROGRAM,
  SIM_HIP_RTC_LINK,
  SIM_HIP_PHYSICAL  // memory without an address (virtual.c)
} sim_hip_kind;
bool sim_hip_handle_add(const void *handle, sim_hip_kind kind, const sim_hip_device *device);
bool sim_hip_handle_is(const void *handle, sim_hip_kind kind);
bool sim_hip_handle_remove(const void *handle, sim_hip_kind kind);          // false when it was not there
void *sim_hip_handle_any(sim_hip_kind kind, const sim_hip_device *device);  // NULL when none is left

// ---- allocate.c
enum {                           // in sim_allocation.flags; no HIP flag uses these bits
  SIM_HIP_REGISTERED = 1 << 16,  // registered by hipHostRegister
  SIM_HIP_POOLED = 1 << 17,      // allocated from a memory pool
  SIM_HIP_GRAPHED = 1 << 18,     // allocated by a graph
  SIM_HIP_MAPPED = 1 << 19,      // mapped by hipMemMap
  SIM_HIP_FREED = 1 << 20,       // a stream frees it when it comes to that
  SIM_HIP_IMPORTED = 1 << 21,    // from a pool of another process
  SIM_HIP_UNORDERED = 1 << 22,   // the program needs no HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS
  SIM_HIP_OWN_FLAGS = SIM_HIP_REGISTERED | SIM_HIP_POOLED | SIM_HIP_GRAPHED | SIM_HIP_MAPPED | SIM_HIP_FREED |
                      SIM_HIP_IMPORTED | SIM_HIP_UNORDERED
};
hipError_t sim_hip_allocate(const char *call, void **out, size_t size, sim_memory_kind kind, unsigned flags);
// Allocates on a device that need not be current, aligned to `alignment`, a power of two that may exceed a
// page.
hipError_t sim_hip_allocate_on(const char *call, sim_hip_device *device, void **out, size_t size,
                               size_t alignment, sim_memory_kind kind, unsigned flags);
bool sim_hip_release(void *base);

typedef struct sim_hip_box {
  size_t pitch, slice;  // bytes from row to row, from plane to plane
} sim_hip_box;

// Says whether a call returns when the work has been enqueued, or when it has been done.
typedef enum sim_hip_pace { SIM_HIP_ASYNC, SIM_HIP_SYNC } sim_hip_pace;

// ---- copy.c
typedef enum sim_hip_side { SIM_HIP_ANY, SIM_HIP_ON_DEVICE } sim_hip_side;
// Checks [pointer, pointer + bytes) against the allocation it points into. A pointer outside every allocation
// is a host pointer, which SIM_HIP_ON_DEVICE refuses.
hipError_t sim_hip_check_range(const char *call, const char *what, const void *pointer, size_t bytes,
                               sim_hip_side side);
// Says what a copy of this kind needs each side to be. Returns hipErrorInvalidMemcpyDirection for an unknown
// kind.
hipError_t sim_hip_copy_sides(const char *call, hipMemcpyKind kind, sim_hip_side *dst, sim_hip_side *src);
hipError_t sim_hip_copy(const char *call, void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                        hipStream_t stream, sim_hip_pace pace);

// ---- fill.c
hipError_t sim_hip_fill(const char *call, void *dst, uint32_t value, unsigned width, size_t count,
                        hipStream_t stream, sim_hip_pace pace);

// ---- stream.c
// Finds the device that a stream belongs to; the null and per-thread streams belong to the current device.
// Returns false for a bad handle.
bool sim_hip_stream_device(hipStream_t stream, sim_hip_device **out);
// Finds the device of a stream for a call, which a refusal names. Returns
// hipErrorContextIsDestroyed for a bad handle.
hipError_t sim_hip_need_stream(const char *call, hipStream_t stream, sim_hip_device **out);

void sim_hip_stream_free(hipStream_t stream);
// Returns the stream that the calls for per-thread default streams mean.
static inline hipStream_t sim_hip_of_thread(hipStream_t stream) {
  return stream ? stream : hipStreamPerThread;
}
// The stream must be one of this runtime.
sim_hip_queue sim_hip_stream_queue(hipStream_t stream);
bool sim_hip_stream_is_implicit(hipStream_t stream);  // the null, the legacy or the per-thread stream
int sim_hip_stream_clamp_priority(int priority);
// ---- attribute.c of streams
uint64_t sim_hip_stream_next_id(void);

// ---- event.c
// Makes an event, which owns `shared`, also where there is no memory for it. sim_hip_event_happens must be
// called when the device has come to the record.
hipError_t sim_hip_event_make(sim_hip_device *device, unsigned flags, struct sim_hip_shared_event *shared,
                              hipEvent_t *out);
void sim_hip_event_happens(hipEvent_t event, uint64_t turn);  // turn: event_ipc.h
void sim_hip_event_drop(hipEvent_t event);

// ---- module.c
hipError_t sim_hip_module_load(const char *call, sim_hip_device *device, const void *data, size_t size,
                               hipModule_t *out);
void sim_hip_module_free(hipModule_t module);
// Returns the kernel's handle, NULL when the module has no kernel of that name.
hipFunction_t sim_hip_module_function(hipModule_t module, const char *name);
// Decodes the module if that has not happened, and returns its program; NULL (after a sentence) when it
// cannot be decoded.
const sim_program *sim_hip_module_program(const char *call, hipModule_t module);

// ---- fatbin.c
// Finds the kernel behind a host function address of a <<<>>> program, and loads it for the device.
hipError_t sim_hip_host_function(const char *call, const void *host, sim_hip_device *device,
                                 hipFunction_t *out);
// Finds the device variable behind a host shadow variable.
hipError_t sim_hip_host_symbol(const char *call, const void *host, sim_hip_device *device, void **address,
                               size_t *size);
// Returns how many of the registered fat binaries hold a code object for the machine.
int sim_hip_fatbins_for(const sim_machine *machine);
// Forgets what was loaded for the device; the next use loads it again.
void sim_hip_fatbin_reset(sim_hip_device *device);

// ---- launch.c
// `params` has one pointer per explicit argument, `extra` has HIP_LAUNCH_PARAM_BUFFER_*; one of the two is
// given.
typedef struct sim_hip_launch_args {
  hipFunction_t function;
  uint32_t grid[3], block[3];
  size_t dynamic_lds;
  hipStream_t stream;
  void **params, **extra;
  bool cooperative;   // all blocks are on the device at once, and may wait for each other
  const void *named;  // how the program names the kernel, if not by its function
} sim_hip_launch_args;
hipError_t sim_hip_launch(const char *call, const sim_hip_launch_args *args);
// Launches the kernel behind a host function address; args->function is not used.
hipError_t sim_hip_launch_host(const char *call, const void *host, const sim_hip_launch_args *args);

#endif
