// SPDX-License-Identifier: MIT
// Tells about a launch that runs long, after five seconds and when the process is interrupted (Ctrl-C): who
// sits before a terminal sees which kernel it is, how far it has come, and in which instructions it loops.
#ifndef SIM_EXEC_MONITOR_H
#define SIM_EXEC_MONITOR_H

#include "sim/exec/wave.h"

typedef struct sim_monitor {
  const sim_launch *launch;
  bool wanted;   // stderr is a terminal, or WT_SIM_PROGRESS=1
  double begun;  // seconds
  _Atomic bool said;
  _Atomic uint64_t ended, instructions;  // work-groups that have ended, and what they have executed
} sim_monitor;

void sim_monitor_begin(sim_monitor *monitor, const sim_launch *launch);
void sim_monitor_end(sim_monitor *monitor);
void sim_monitor_count(sim_monitor *monitor, const sim_group *ended);
// Must be called for a wave whenever its work-group has used up its share of instructions. Returns the next
// share.
uint64_t sim_monitor_look(sim_wave *w);

#endif
