// SPDX-License-Identifier: MIT
// Numbers that mean one thing to programs built with the headers of ROCm 5 and another to programs built with
// later ones.
#ifndef SIM_HIP_CALLER_H
#define SIM_HIP_CALLER_H

#include "sim/hip/hip.h"

// In an exported function, this is where the program called it from.
#define SIM_HIP_CALLER __builtin_return_address(0)

// This is hipMemoryType of ROCm 6 (include/hip/hip_runtime_api.h of ROCm/HIP).
enum {
  SIM_HIP_UNREGISTERED6 = 0,
  SIM_HIP_HOST6 = 1,
  SIM_HIP_DEVICE6 = 2,
  SIM_HIP_MANAGED6 = 3,
  SIM_HIP_ARRAY6 = 10,
  SIM_HIP_UNIFIED6 = 11
};

// These values of hipGraphNodeType are those of ROCm 6. Its runtime tells every copy as one type.
enum {
  SIM_HIP_KERNEL_NODE6 = 0,
  SIM_HIP_MEMCPY_NODE6 = 1,
  SIM_HIP_MEMSET_NODE6 = 2,
  SIM_HIP_HOST_NODE6 = 3,
  SIM_HIP_GRAPH_NODE6 = 4,
  SIM_HIP_EMPTY_NODE6 = 5,
  SIM_HIP_WAIT_EVENT_NODE6 = 6,
  SIM_HIP_EVENT_RECORD_NODE6 = 7,
  SIM_HIP_ALLOCATE_NODE6 = 10,
  SIM_HIP_FREE_NODE6 = 11
};

bool sim_hip_caller_is_of_rocm6(const void *return_address);
// The first returns the caller's number for this kind of memory (to ROCm 5, managed memory is memory of a
// device), the second likewise for a type. The third returns the type that the caller means by its number.
unsigned sim_hip_memory_type_for(const void *caller, sim_memory_kind kind);
hipMemoryType sim_hip_memory_type_number(const void *caller, hipMemoryType type);  // host or device
hipMemoryType sim_hip_memory_type_of(const void *caller, hipMemoryType type);
// Returns the caller's number for this type of node.
unsigned sim_hip_node_type_for(const void *caller, hipGraphNodeType type);

#endif
