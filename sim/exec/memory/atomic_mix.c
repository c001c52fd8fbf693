// SPDX-License-Identifier: MIT
#include "sim/exec/memory/atomic.h"
#include "sim/isa/program.h"

bool sim_mixes_atomics(const sim_program *p) {
  sim_atomic_order seen = SIM_ORDER_NONE;
  unsigned seen_bytes = 0;
  for (uint32_t i = 0; i < p->op_count; ++i) {
    const sim_op *op = &p->ops[i];
    bool scalar = op->info && op->info->klass == SIM_CLASS_SMEM && op->info->facts & SIM_ROW_ATOMIC;
    sim_atomic_order order = scalar ? SIM_ORDER_FIXED : sim_atomic_order_of(op);
    if (order == SIM_ORDER_NONE) continue;
    unsigned bytes = scalar ? 0 : sim_m_bytes(op);
    if (seen != SIM_ORDER_NONE && (order != seen || bytes != seen_bytes)) return true;
    seen = order;
    seen_bytes = bytes;
  }
  return false;
}
