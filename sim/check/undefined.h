// SPDX-License-Identifier: MIT
// Declares what the parts of check_uninitialised.c share. The undefined bits of a wave are described at
// sim_check_wave.
#ifndef SIM_CHECK_UNDEFINED_H
#define SIM_CHECK_UNDEFINED_H

#include "sim/check/state.h"

// Reports that `use` is made of what nothing has written.
void sim_undefined_report(sim_wave *w, const sim_op *op, int lane, const char *use);

// Returns the undefined bits of a pair of SGPRs.
static inline uint64_t sim_undefined_mask(const sim_check_wave *c, unsigned sgpr) {
  return c->undefined_bits[sgpr] | (uint64_t)c->undefined_bits[sgpr + 1] << 32;
}
static inline void sim_undefined_set_mask(sim_check_wave *c, unsigned sgpr, uint64_t undefined) {
  c->undefined_bits[sgpr] = (uint32_t)undefined;
  c->undefined_bits[(sgpr + 1) & 127] = (uint32_t)(undefined >> 32);
}

// Follow undefined bits through a scalar instruction and a branch (check_undefined_scalar.c); findings name
// `named`, and `op` is what it means.
void sim_undefined_scalar(sim_wave *w, const sim_op *named, const sim_op *op, const sim_op_facts *f);
void sim_undefined_branch(sim_wave *w, const sim_op *op, const sim_op_facts *f);

#endif
