// SPDX-License-Identifier: MIT
// The table of simulated chips and its lookup. A new chip is a new file with its numbers and one line here.
#include "sim/machine/machine.h"

#include <string.h>

#include "sim/machine/chips.h"

static const sim_machine *const chips[] = {&sim_machine_mi355x, &sim_machine_mi300x};

const sim_machine *sim_machine_at(size_t index) {
  return index < sizeof chips / sizeof chips[0] ? chips[index] : NULL;
}

const sim_machine *sim_machine_find(const char *name) {
  for (size_t i = 0; name != NULL && i < sizeof chips / sizeof chips[0]; ++i) {
    if (strcmp(chips[i]->name, name) == 0) return chips[i];
  }
  return NULL;
}
