// SPDX-License-Identifier: MIT
// Keeps what launches have left in the last-level cache of each device, for the launches that follow them.
#ifndef SIM_TIMING_LEFT_OVER_H
#define SIM_TIMING_LEFT_OVER_H

#include "sim/timing/memory.h"

// Takes what earlier launches have left on the device with this number; without tags where that is nothing.
// The caller frees it, or puts it back.
sim_cache sim_left_over_take(int device);
// Keeps *llc for the next launch, and takes it from the caller: it is without tags afterwards.
void sim_left_over_put(int device, sim_cache *llc);
// Drops what is kept of all devices.
void sim_left_over_forget(void);

#endif
