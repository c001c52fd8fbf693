// SPDX-License-Identifier: MIT
// Describes hardware registers as s_getreg and s_setreg see them.
#ifndef SIM_EXEC_SCALAR_HWREG_H
#define SIM_EXEC_SCALAR_HWREG_H

#include "sim/exec/wave.h"

// Returns the device clocks since the work-group began. Where rounds are not clocks, each round gives every
// wave one instruction, and a wave has one issue slot in four clocks.
static inline uint64_t sim_clock(const sim_wave *w) {
  const sim_group *g = w->group;
  return g->schedule == SIM_TIMED ? g->round : g->round * 4 + g->clocks_skipped;
}

// Returns whether the operation is s_setvskip, or an s_getreg or s_setreg of bits with MODE.VSKIP among them.
bool sim_names_vskip(const sim_op *op);
// Returns whether the operation may turn MODE.VSKIP on or off.
bool sim_sets_vskip(const sim_op *op);

void sim_run_getreg(sim_wave *w, const sim_op *op);
void sim_run_setreg(sim_wave *w, const sim_op *op);
void sim_run_setreg_imm32(sim_wave *w, const sim_op *op);
void sim_run_setvskip(sim_wave *w, const sim_op *op);

#endif
