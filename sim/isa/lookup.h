// SPDX-License-Identifier: MIT
// Holds table rows with their parsed signatures, as the decoder looks them up.
#ifndef SIM_ISA_LOOKUP_H
#define SIM_ISA_LOOKUP_H

#include "sim/isa/operand.h"

typedef struct sim_row_entry {
  const sim_opinfo *row;
  sim_signature signature;
  bool valid;  // the signature could be parsed
} sim_row_entry;

const sim_row_entry *sim_find_row(const char *name, int chip_bit);

#endif
