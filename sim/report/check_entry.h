// SPDX-License-Identifier: MIT
// Describes one finding of the process as check mode reports it, and writes it.
#ifndef SIM_REPORT_CHECK_ENTRY_H
#define SIM_REPORT_CHECK_ENTRY_H

#include <stdio.h>

#include "sim/check/finding.h"

enum { SIM_CHECK_FRAMES = 8 };  // source lines that are told of an instruction

typedef struct sim_check_place {
  char function[256], text[160];
  uint64_t offset;  // from the function's first byte
  // These are "file:line" of the instruction, then of the calls into which it was inlined.
  char source[SIM_CHECK_FRAMES][256];
  size_t source_count;
} sim_check_place;

// What has one cause is one entry: findings of a kind in the same lines of the source, or at the same
// instructions where those are not known.
typedef struct sim_check_entry {
  struct sim_check_entry *next;
  char *kernel;        // as it is linked, which tells kernels apart ...
  char *title;         // ... and as the source names it
  const char *target;  // of the machine
  sim_finding finding;
  sim_check_place at, other;
  bool has_other;
  uint64_t (*places)[2];  // offsets of the instructions at which it was found
  size_t place_count;
} sim_check_entry;

void sim_check_print(const sim_check_entry *entry);            // text, on standard error
void sim_check_json(FILE *out, const sim_check_entry *entry);  // an object

#endif
