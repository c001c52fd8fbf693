// SPDX-License-Identifier: MIT
// Decides the order in which the work of all streams runs. Work runs on threads of its own, one piece at a
// time, and of what the rules of streams allow always the piece that was enqueued first. Two things let later
// work pass: a piece that waits for the host or for another stream, and a host function that takes long.
#ifndef SIM_HIP_ORDER_H
#define SIM_HIP_ORDER_H

#include "sim/hip/streams/work.h"

typedef struct sim_hip_task sim_hip_task;

// Enqueues a copy of the work, which takes over what sim_hip_work_keep has made for it. `after` is the number
// of a piece of another stream that has to end before; 0: none. `awaited` says that the caller is about to
// wait for it. Returns the number of the piece, the next in the order of all calls, or 0 when host memory has
// run out.
uint64_t sim_hip_enqueue(const char *call, const sim_hip_queue *queue, const sim_hip_work *work,
                         uint64_t after, bool awaited);
// Wait for a piece of work; for all that a queue has; for all that a device has. Work that is enqueued during
// the wait is not waited for. A host function of a stream waits for what was enqueued before itself only.
void sim_hip_wait_for(uint64_t number);
void sim_hip_wait_for_queue(const sim_hip_queue *queue);
void sim_hip_wait_for_device(const sim_hip_device *device);  // NULL: all devices
bool sim_hip_is_pending(uint64_t number);
bool sim_hip_queue_is_pending(const sim_hip_queue *queue);
// Returns whether the calling thread runs a host function of a stream.
bool sim_hip_in_host_function(void);

// Keep work of the device (NULL: of all devices) from running: what was enqueued before has ended when the
// first returns, and what comes later begins after the second.
void sim_hip_hold(const sim_hip_device *device);
void sim_hip_let_go(void);

// Called by a piece of work that cannot go on before the host or another stream has done something: lets
// other work run for a while.
void sim_hip_give_way(void);

// Records the error of the piece of work that the calling thread runs; the first stands until it is
// delivered.
void sim_hip_fault(sim_hip_device *device, hipError_t error);
// Returns the error once, and hipSuccess afterwards. Only work up to `number` counts, so that the answer does
// not depend on how far later work has come.
hipError_t sim_hip_deliver(sim_hip_device *device, uint64_t number);
// Returns the number of what was enqueued last: in a queue; at all.
uint64_t sim_hip_queue_last(const sim_hip_queue *queue);
uint64_t sim_hip_last(void);

#endif
