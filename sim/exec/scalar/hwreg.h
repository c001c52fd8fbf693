// SPDX-License-Identifier: MIT
// Hardware registers as s_getreg and s_setreg see them.
#ifndef SIM_EXEC_SCALAR_HWREG_H
#define SIM_EXEC_SCALAR_HWREG_H

#include "sim/exec/wave.h"

// Returns the device clocks since the work-group began. Where rounds are not clocks, each round gives every
// wave one instruction, and a wave has one issue slot in four clocks.
static inline uint64_t sim_clock(const sim_wave *w) {
  return w->group->schedule == SIM_TIMED ? w->group->round : w->group->round * 4;
}

// Returns whether the operation may turn MODE.VSKIP on or off.
bool sim_sets_vskip(const sim_op *op);

void sim_run_getreg(sim_wave *w, const sim_op *op);
void sim_run_setreg(sim_wave *w, const sim_op *op);
void sim_run_setreg_imm32(sim_wave *w, const sim_op *op);
void sim_run_setvskip(sim_wave *w, const sim_op *op);

#endif
