// SPDX-License-Identifier: MIT
// Describes one prepared launch while the host's threads execute it.
#ifndef SIM_EXEC_DISPATCH_H
#define SIM_EXEC_DISPATCH_H

#include "sim/exec/wave.h"

// A launch with everything its waves need besides their ids.
typedef struct sim_dispatch {
  const sim_launch *launch;
  uint64_t kernarg;        // host address of the complete argument segment
  uint64_t packet;         // host address of the dispatch packet
  uint64_t queue;          // host address of the queue block (apertures)
  uint32_t lds_bytes;      // static + dynamic
  uint32_t scratch_bytes;  // per work-item
  uint32_t waves;          // per work-group
  uint64_t groups;
  sim_schedule schedule;
  const sim_op_cost *costs;  // one per op of the program under `timed`, else NULL
  uint64_t seed;
  uint64_t threads;       // host threads wanted
  uint64_t budget;        // wave-instructions per work-group
  bool soffset_in_range;  // see sim_group
  bool fault_by_page;     // see sim_group
  sim_mfma_mode mfma;
  struct sim_monitor *monitor;
  bool resident;  // work-groups run at the same time (sim/exec/resident.h)
} sim_dispatch;

// Sets the initial register state of a wave (sim/exec/wave_init.c): LLVM AMDGPUUsage, "Initial Kernel
// Execution State".
void sim_wave_init(const sim_dispatch *d, sim_group *g, uint32_t wave, uint8_t *scratch);
// Checks what sim_wave_init relies on. Returns false, with a message, for a descriptor that asks for
// something unknown.
bool sim_wave_init_check(const sim_launch *launch, char *message, size_t message_size);

// Runs all work-groups on the host's threads.
void sim_dispatch_run(const sim_dispatch *d, sim_result *result);

#endif
