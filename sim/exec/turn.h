// SPDX-License-Identifier: MIT
// Makes order-sensitive global atomics of different work-groups happen in dispatch order, whatever the number
// of host threads. It also hands out work-groups, because "every earlier work-group has finished" is known
// only where they start.
#ifndef SIM_EXEC_TURN_H
#define SIM_EXEC_TURN_H

#include <pthread.h>
#include <stdint.h>

enum { SIM_MAX_THREADS = 256 };

typedef struct sim_turn {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  uint64_t next, total;               // next work-group to hand out; number of work-groups
  uint64_t running[SIM_MAX_THREADS];  // index of the work-group each thread runs, UINT64_MAX when it has none
  unsigned threads;
  uint64_t fault_index;  // lowest work-group that faulted, UINT64_MAX when none did
} sim_turn;

void sim_turn_init(sim_turn *turn, uint64_t total, unsigned threads);
void sim_turn_destroy(sim_turn *turn);
// Ends the thread's work-group and returns its next one; UINT64_MAX when there is none left (or a lower one
// has faulted).
uint64_t sim_turn_next(sim_turn *turn, unsigned thread);
// Records a fault of work-group `index`. Returns 1 when it is the lowest so far: its report is the launch's
// report.
int sim_turn_fault(sim_turn *turn, uint64_t index);
// Waits until every work-group below `index` has finished. Returns 0 when one of them faulted: the caller
// then gives up.
int sim_turn_wait(sim_turn *turn, uint64_t index);

#endif
