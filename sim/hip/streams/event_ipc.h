// SPDX-License-Identifier: MIT
// Events that several processes record and wait for: those made with hipEventInterprocess, and what
// hipIpcOpenEventHandle makes. Each record of such an event, by whichever process, has a turn: its place
// among all records of the event, from 1.
#ifndef SIM_HIP_EVENT_IPC_H
#define SIM_HIP_EVENT_IPC_H

#include "sim/hip/hip.h"

typedef struct sim_hip_shared_event sim_hip_shared_event;

sim_hip_shared_event *sim_hip_shared_event_make(void);  // NULL when there is no memory or no file
void sim_hip_shared_event_drop(sim_hip_shared_event *shared);
// These must be called when a record is enqueued, and when it happens. Events that are not shared have no
// turns: 0.
uint64_t sim_hip_shared_event_record(sim_hip_shared_event *shared);
void sim_hip_shared_event_happens(sim_hip_shared_event *shared, uint64_t turn);
// Returns the turn of the last record if another process made it, otherwise 0: a record of this process is
// known by its number (order.h).
uint64_t sim_hip_shared_event_turn(const sim_hip_shared_event *shared);
bool sim_hip_shared_event_is_past(const sim_hip_shared_event *shared, uint64_t turn);

#endif
