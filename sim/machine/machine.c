// SPDX-License-Identifier: MIT
// Holds the table of simulated chips and its lookup. A new chip is a new file with its numbers and one line
// here.
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

double sim_level_read_rate(const sim_machine *m, wt_sim_level level) {
  const sim_timing *t = m->timing;
  switch (level) {
    case WT_SIM_LEVEL_L1: return (double)t->tcp_clock_bytes * m->cus;
    case WT_SIM_LEVEL_L2: return t->l2_read_bytes * t->l2_channels * m->xcds;
    case WT_SIM_LEVEL_LLC: return t->llc_rate * m->xcds;
    case WT_SIM_LEVEL_HBM: return t->hbm_rate * m->xcds;
    case WT_SIM_LEVELS: break;
  }
  return 0;
}

double sim_level_write_rate(const sim_machine *m, wt_sim_level level) {
  const sim_timing *t = m->timing;
  switch (level) {
    case WT_SIM_LEVEL_L2: return t->l2_write_bytes * t->l2_channels * m->xcds;
    case WT_SIM_LEVEL_HBM: return t->hbm_write_rate * m->xcds;
    case WT_SIM_LEVEL_L1:
    case WT_SIM_LEVEL_LLC:
    case WT_SIM_LEVELS: break;
  }
  return sim_level_read_rate(m, level);
}
