// SPDX-License-Identifier: MIT
// Declares files in memory by which processes of one machine, of one user, share memory and events.
#ifndef SIM_HIP_SHARED_FILE_H
#define SIM_HIP_SHARED_FILE_H

#include <stdbool.h>
#include <stdint.h>

// Says what a handle for other processes says about the file. The serial is part of the file's name, so that
// a handle never fits another file that the process has opened under the same number since.
typedef struct sim_hip_shared_file {
  int32_t process, file;
  uint32_t serial;
} sim_hip_shared_file;

// Makes an empty file, which this process holds until it closes out->file. Returns false, with errno set,
// when there can be none.
bool sim_hip_share_file(sim_hip_shared_file *out);
// Opens the file that a process holds; -1 when that is no longer the file that is meant.
int sim_hip_open_shared_file(const sim_hip_shared_file *file);

#endif
