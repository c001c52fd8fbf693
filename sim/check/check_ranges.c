// SPDX-License-Identifier: MIT
// Buffers whose range check is documented in two conflicting forms: CDNA4 ISA 9.1.5.2 and LLVM leave the SGPR
// offset out, gfx950 counts it (ROCm/rocm-systems #10928).
#include <stdio.h>

#include "sim/check/state.h"

void sim_check_range(sim_wave *w, const sim_op *op, uint64_t lanes) {
  sim_finding *found = sim_find(w, SIM_FINDING_RANGE, sim_index_of(w, op), SIM_NO_OP, __builtin_ctzll(lanes));
  if (!found) return;
  snprintf(found->detail, sizeof found->detail,
           "the lane is past the end of the buffer only if the SGPR offset counts: gfx950 counts it, the ISA "
           "manual does not; here WT_SIM_SOFFSET=%s",
           w->group->soffset_in_range ? "counted" : "ignored");
  snprintf(found->remedy, sizeof found->remedy,
           "put into the VGPR offset what shall be checked, or into the base what shall not");
}
