// SPDX-License-Identifier: MIT
// Makes what work-groups do to each other happen in one order, whatever the number of host threads: each has
// the order once, the next one in dispatch order when the one before has ended. A work-group that only polls
// is parked and gives the order on; when all that fit on the device have had it, the parked ones have it
// again in turn. This file also hands out work-groups, because what has ended is known only where they start.
#ifndef SIM_EXEC_ORDER_H
#define SIM_EXEC_ORDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { SIM_MAX_THREADS = 256 };

typedef struct sim_parked {
  uint64_t position;
  void *slot;
} sim_parked;

typedef struct sim_order {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  uint64_t next, total;               // next work-group to hand out; number of work-groups
  uint64_t limit;                     // that the device holds at a time
  uint64_t running[SIM_MAX_THREADS];  // the work-group each thread runs, UINT64_MAX when it has none
  unsigned threads;
  uint64_t fault_index;  // lowest work-group that faulted, UINT64_MAX when none did
  uint64_t holder;       // work-group that has the order, UINT64_MAX when none is left
  uint64_t first_new;    // work-groups from here on have never had it
  sim_parked *parked;
  uint64_t parked_count, parked_room;
  uint64_t after;  // the parked ones have the order again from this position on
  bool moved;      // a work-group has changed something since the parked ones were gone through
  bool stalled;    // the holder is the first of a round in which nothing can change by itself
} sim_order;

void sim_order_init(sim_order *order, uint64_t total, uint64_t limit, unsigned threads);
void sim_order_destroy(sim_order *order);

// Ends the thread's work-group and returns its next one; UINT64_MAX when there is none left (or a lower one
// has faulted). *slot is that of a parked one which has the order again, else NULL. *stalled tells that all
// work-groups have been gone through and only poll, so that someone else must be let do something.
uint64_t sim_order_next(sim_order *order, unsigned thread, void **slot, bool *stalled);
// Parks the thread's work-group; moved: it has changed memory since it had the order. Returns false when host
// memory runs out.
bool sim_order_park(sim_order *order, unsigned thread, void *slot, bool moved);
// Records a fault of work-group `index`. Returns true when it is the lowest so far: its report is the
// launch's report.
bool sim_order_fault(sim_order *order, uint64_t index);
// Waits until work-group `index` has the order; or until no work-group below it runs. They return false when
// one of them faulted: the caller then gives up.
bool sim_order_wait(sim_order *order, uint64_t index);
bool sim_order_wait_for_lower(sim_order *order, uint64_t index);

#endif
