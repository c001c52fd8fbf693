// SPDX-License-Identifier: MIT
// What the processes of one run did on the simulated devices, summed up in memory that they share with
// whoever started them. It is written launch by launch, so it also holds what a process did that ended by a
// signal. It is shared by programs of one build on one host, so numbers stand in it as they do in memory.
#ifndef SIM_REPORT_TALLY_H
#define SIM_REPORT_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/check/finding.h"

enum { SIM_TALLY_CHIPS = 8 };  // the most machines that sim_machine_at may list

typedef struct sim_tally {
  uint64_t magic;                              // identifies this layout
  _Atomic uint64_t processes;                  // processes that made a HIP call
  _Atomic uint64_t launches[SIM_TALLY_CHIPS];  // by chip, including those that faulted
  _Atomic uint64_t faults;                     // launches that faulted
  _Atomic uint64_t instructions, workgroups;   // instructions that waves executed; work-groups executed
  _Atomic uint64_t predicted, picoseconds;     // launches that were predicted, and their time
  _Atomic uint64_t found[SIM_FOUND_CLASSES];   // places that check mode found, summed over processes
} sim_tally;

// Makes zeroed memory for a tally that other processes can open under `path` (written here, a buffer of
// `size` bytes) as long as this process lives. Returns NULL when that fails (errno).
sim_tally *sim_tally_create(char *path, size_t size);
// Opens the tally under a path. Returns NULL when that fails or when the file is no tally (errno).
sim_tally *sim_tally_open(const char *path);

#endif
