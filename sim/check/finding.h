// SPDX-License-Identifier: MIT
// Describes what check mode finds: one entry per kind and place, with how often it was met.
#ifndef SIM_CHECK_FINDING_H
#define SIM_CHECK_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sim_finding_kind {
  SIM_FINDING_READ_BEFORE_WAIT,    // a register that a load has not filled yet
  SIM_FINDING_OVERWRITE_PENDING,   // a register that a load will still write
  SIM_FINDING_SOURCE_OVERWRITTEN,  // a register that a scalar store has not read yet
  SIM_FINDING_WAIT_STATES,
  SIM_FINDING_LDS_BEFORE_WAIT,  // LDS that will still be changed by a copy or write of this wave, or of a
                                // wave that did not wait
  SIM_FINDING_LDS_RACE,
  SIM_FINDING_GLOBAL_RACE,
  SIM_FINDING_UNINITIALISED,
  SIM_FINDING_BARRIER,
  SIM_FINDING_DEADLOCK,
  SIM_FINDING_M0,
  SIM_FINDING_LEAK,    // memory of the program that is never freed; no op has part in it
  SIM_FINDING_TIMING,  // right only by timing; no error
  SIM_FINDING_TABLE,   // fewer wait states than the manual's table asks for, but production code has no more
  SIM_FINDING_RANGE,   // manual and hardware differ on whether a buffer access is in range; no error
  SIM_FINDING_KINDS
} sim_finding_kind;

enum { SIM_NO_OP = 0xffffffffu };

typedef struct sim_finding {
  sim_finding_kind kind;
  uint32_t op, other;  // indices of the program's ops; other: what it collides with, or SIM_NO_OP
  uint64_t count;      // how often it was met, in wave-instructions
  uint64_t group;      // where it was met first: the work-group in dispatch order ...
  uint32_t id[3];      // ... its coordinates ...
  uint32_t wave;       // ... and its wave
  int lane;            // -1: the whole wave
  const char *rule;    // which of several rules of the kind is broken, in words; NULL: there is one
  char detail[224], remedy[128];
} sim_finding;

// Says how much a finding weighs. Errors fail a run under WT_SIM_CHECK=fail; timing and table under strict,
// too.
typedef enum sim_finding_class {
  SIM_FOUND_ERROR,
  SIM_FOUND_TIMING,   // right only by timing
  SIM_FOUND_TABLE,    // the manual's table asks for it, production code does without
  SIM_FOUND_READING,  // manual and hardware differ
  SIM_FOUND_CLASSES
} sim_finding_class;

// Return the short names for reports: of a kind ("lds-race") and of its class ("error").
const char *sim_finding_name(sim_finding_kind kind);
sim_finding_class sim_finding_class_of(sim_finding_kind kind);
const char *sim_finding_class_name(sim_finding_class class);

#endif
