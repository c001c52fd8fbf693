// SPDX-License-Identifier: MIT
// Runs one kernel launch to its end: the boundary between the HIP surface (sim/hip) and the executing device.
#ifndef SIM_EXEC_LAUNCH_H
#define SIM_EXEC_LAUNCH_H

#include <stdbool.h>

#include "sim/exec/lds_conflicts.h"
#include "sim/exec/observer.h"
#include "sim/machine/machine.h"
#include "sim/object/object.h"

typedef struct sim_program sim_program;  // decoded code object, sim/isa/program.h

// Says why a launch did not finish.
typedef enum sim_fault_kind {
  SIM_FAULT_NONE,
  SIM_FAULT_ADDRESS,      // access outside every allocation                 -> hipErrorIllegalAddress
  SIM_FAULT_LDS_RANGE,    // LDS access beyond the work-group's allocation    -> hipErrorLaunchFailure
  SIM_FAULT_ALIGNMENT,    // misaligned direct-to-LDS copy or LDS access     -> hipErrorLaunchFailure (HIP has
                          // no code of its own)
  SIM_FAULT_BUDGET,       // instruction budget used up: never ends          -> hipErrorLaunchTimeOut
  SIM_FAULT_DEADLOCK,     // no wave can make progress                       -> hipErrorLaunchTimeOut
  SIM_FAULT_UNSUPPORTED,  // instruction, operand or feature not known       -> hipErrorNotSupported
  SIM_FAULT_TRAP,         // s_trap                                          -> hipErrorLaunchFailure
  SIM_FAULT_PROGRAM       // pc outside the code, bad descriptor ...         -> hipErrorLaunchFailure
} sim_fault_kind;

// This is ROCm's default stack limit.
enum { SIM_STACK_BYTES = 16384 };

// This is the value of registers that nothing has written and of arguments that were left out: a NaN as f32
// and no valid address.
#define SIM_UNWRITTEN 0xffc0deadu

typedef struct sim_launch {
  const sim_machine *machine;
  const sim_object *object;
  const sim_program *program;
  const sim_kernel *kernel;
  uint32_t grid[3];   // work-groups
  uint32_t block[3];  // work-items per work-group
  uint32_t dynamic_lds;
  uint32_t stack_bytes;  // per work-item where the compiler cannot bound the stack; 0: SIM_STACK_BYTES
  // Holds the explicit arguments, packed at the offsets of the metadata; hidden ones are added by the launch.
  const void *kernarg;
  size_t kernarg_size;
  int device;                      // ordinal of the device
  uint32_t peers;                  // a bit for each other device whose memory the kernel may use
  bool cooperative;                // all work-groups run at the same time and may wait for each other
  uint64_t hostcall_buffer, heap;  // addresses of the kernel's services; 0: the first use is a fault
  // This is called when a wave interrupts the host (s_sendmsg). Returns NULL, or a sentence on what is wrong.
  const char *(*interrupt)(void *context);
  void *interrupt_context;
  // This is called when nothing can go on before someone else changes memory: the host, or other work. It
  // lets them run for a while; NULL: there is nobody else.
  void (*give_way)(void);
  bool count_lds;  // count bank conflicts: sim_result.lds_counts
  sim_watch watch[SIM_SEATS];
  const sim_selection *selection;  // NULL: every work-group, in order
} sim_launch;

typedef struct sim_result {
  sim_fault_kind fault;
  char report[2048];      // empty, or the report: kernel, offset, disassembly, wave, lane, address, nearest
                          // allocation
  uint64_t instructions;  // wave-instructions executed
  uint64_t workgroups, waves;
  // Points to one count per op of the program, which the caller frees. It is NULL when not asked for, or when
  // the launch faulted (what other work-groups still executed then depends on the host's threads).
  sim_lds_count *lds_counts;
} sim_result;

static inline uint64_t sim_launch_groups(const sim_launch *l) {
  return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}
// Returns the waves of a work-group, 64 work-items each.
static inline uint32_t sim_launch_waves(const sim_launch *l) {
  return (uint32_t)(((uint64_t)l->block[0] * l->block[1] * l->block[2] + 63) / 64);
}
static inline uint32_t sim_launch_lds(const sim_launch *l) { return l->kernel->lds_bytes + l->dynamic_lds; }

// Checks the launch against the machine and the kernel (block size, LDS, grid) and runs it to its end. The
// result is the same for any number of host threads (WT_SIM_THREADS). Returns result->fault.
sim_fault_kind sim_launch_run(const sim_launch *launch, sim_result *result);

// Returns the name of the function around a byte offset of the code image, which is the kernel or one it
// calls, and sets *begin to the offset of its first byte.
const char *sim_function_at(const sim_launch *launch, uint64_t offset, uint64_t *begin);

// Returns the largest number of work-groups of this kernel that one CU holds at a time, by registers, LDS and
// wave slots. block_size is in work-items, dynamic_lds in bytes.
uint32_t sim_occupancy(const sim_machine *machine, const sim_kernel *kernel, uint32_t block_size,
                       uint32_t dynamic_lds);

#endif
