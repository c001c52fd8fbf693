// SPDX-License-Identifier: MIT
// Calls from a running kernel to the host: device printf, assert and malloc, as ROCm's device library makes
// them. Launches run one after the other, so there is one buffer for the process; every function here belongs
// to the running launch.
#ifndef SIM_HIP_HOSTCALL_H
#define SIM_HIP_HOSTCALL_H

#include <stdio.h>

#include "sim/hip/hip.h"

// Prepares the services that the kernel's hidden arguments ask for. Where host memory runs out a service
// stays absent, and the kernel's first use of it is reported.
void sim_hip_hostcall_begin(sim_launch *launch, sim_hip_device *device);
// Must be called after the launch, whether it ended well or not. Returns true when the kernel wrote to
// standard error, which the device's assert does before it stops the kernel.
bool sim_hip_hostcall_end(const sim_launch *launch);

// ---- message.c: what printf and assert send comes in parts of at most 7 quadwords, one message per lane.
// `slots` are a lane's 8 quadwords: a descriptor and the part; slots[0] becomes the answer. Returns NULL, or
// a sentence on what is wrong.
const char *sim_hip_message_part(uint64_t slots[8]);
// Forgets unfinished messages. Returns true when one was written to standard error since the last call.
bool sim_hip_messages_end(void);

// ---- printf.c: `data` are a format and its arguments as the compiler packs them for the host: strings
// inline, padded to quadwords with their end, every number a quadword. Returns the number of bytes written,
// -1 for a bad format.
int sim_hip_printf(FILE *file, const uint64_t *data, size_t count);

#endif
