// SPDX-License-Identifier: MIT
// Says who watches a launch while it executes, and who decides how much of it is executed. The executor calls
// what stands in these tables and knows nothing else of check mode and of the timing model, which fill them.
#ifndef SIM_EXEC_OBSERVER_H
#define SIM_EXEC_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sim_group sim_group;
typedef struct sim_wave sim_wave;
typedef struct sim_op sim_op;

// Describes the calls of an observer. `state` is what `open` has returned: one for each work-group that runs
// at the same time, used by one host thread at a time. Calls that an observer does not need are NULL, except
// open, close, begin and end.
typedef struct sim_observer {
  void *(*open)(void *context);  // returns NULL when host memory runs out
  void (*close)(void *state);
  // A work-group begins, whose waves are initialised, and it has ended.
  void (*begin)(void *state, sim_group *g);
  void (*end)(void *state, sim_group *g);
  // These are called before and after each instruction.
  void (*before)(sim_wave *w, const sim_op *op);
  void (*after)(sim_wave *w, const sim_op *op);
  // A barrier is about to release the waves that wait at it.
  void (*release)(sim_group *g);
  // The SGPR offset of a buffer access decides whether these lanes are in range.
  void (*range)(sim_wave *w, const sim_op *op, uint64_t lanes);
} sim_observer;

// A launch and each of its work-groups have a seat for every observer that there can be.
typedef enum sim_seat { SIM_SEAT_CHECK, SIM_SEAT_TIMING, SIM_SEATS } sim_seat;

// Describes an observer of a launch. Without calls nobody sits there.
typedef struct sim_watch {
  const sim_observer *calls;
  void *context;
} sim_watch;

typedef enum sim_extent {
  SIM_EXTENT_WHOLE,      // the work-group is executed to its end
  SIM_EXTENT_BEGINNING,  // it ends without a fault when its budget is used up
  SIM_EXTENT_NONE        // it is not executed
} sim_extent;

// Says how one work-group is executed.
typedef struct sim_share {
  sim_extent extent;
  uint64_t budget;  // wave-instructions; SIM_EXTENT_BEGINNING only
  bool timed;       // the observer in SIM_SEAT_TIMING watches it
  bool counts_lds;  // its bank conflicts are counted whatever the launch says
  int part;         // for the observer, in sim_group.part
} sim_share;

// Says which work-groups of a launch are executed, and in which order.
typedef struct sim_selection {
  void *context;
  // Returns the work-group that is executed as number `position`. Each work-group has one position.
  uint64_t (*nth)(void *context, uint64_t position);
  // Returns how many work-groups must have ended before the share of the one at this position is asked for;
  // 0: none.
  uint64_t (*waits_for)(void *context, uint64_t position);
  sim_share (*share)(void *context, uint64_t group);
  // This is the same where every work-group is executed to its end, because others may wait for it.
  sim_share (*whole)(void *context, uint64_t group);
  bool unread;  // nobody looks at what the launch leaves in memory: it is executed for its time only
} sim_selection;

#endif
