// SPDX-License-Identifier: MIT
// Follows global memory that nothing has written: what a load brings from there is undefined, as what it
// would bring from such LDS is.
#include "sim/check/state.h"
#include "sim/check/written.h"
#include "sim/exec/memory/atomic.h"

uint64_t sim_unwritten_lanes(const sim_access *a, unsigned dword) {
  uint64_t undefined = 0;
  const uint32_t bytes = a->bytes < 4 ? a->bytes : 4;
  if (!sim_written_any()) return 0;
  for (uint64_t lanes = a->lanes & a->in_range[dword & 3]; lanes; lanes &= lanes - 1) {
    const int l = __builtin_ctzll(lanes);
    if (!sim_written(a->address[l] + 4 * dword, bytes)) undefined |= 1ull << l;
  }
  return undefined;
}

static void scalar(sim_wave *w, const sim_op *op, const sim_op_facts *f, const sim_access *a) {
  sim_check_wave *c = sim_check_wave_of(w);
  if (f->flags & SIM_FACT_STORES) sim_written_mark(a->address[0], a->bytes);
  if (f->flags & SIM_FACT_STORES || !a->address[0]) return;
  for (unsigned i = 0; i < a->bytes / 4; ++i) {
    if (sim_written(a->address[0] + 4 * i, 4)) continue;
    c->undefined_bits[(op->dst[0].reg + i) & 127] = ~0u;
    c->undefined_from = sim_index_of(w, op);
  }
}

// What an atomic finds unwritten stays so, unless it puts a value of its own there.
static void store(const sim_op *op, const sim_access *a) {
  if (op->info->facts & SIM_ROW_ATOMIC && op->info->arg >> SIM_M_KIND != SIM_AT_SWAP) return;
  const uint32_t dwords = a->bytes < 4 ? 1 : a->bytes / 4, bytes = a->bytes < 4 ? a->bytes : 4;
  for (uint32_t i = 0; i < dwords; ++i)
    for (uint64_t lanes = a->lanes & a->in_range[i & 3]; lanes; lanes &= lanes - 1)
      sim_written_mark(a->address[__builtin_ctzll(lanes)] + 4 * i, bytes);
}

void sim_check_written(sim_wave *w, const sim_op *op, const sim_op_facts *f, const sim_access *a) {
  if (!sim_written_any() || !a->bytes || f->flags & SIM_FACT_SCRATCH) return;
  if (f->path == SIM_PATH_SMEM) {
    scalar(w, op, f, a);
    return;
  }
  if (f->flags & SIM_FACT_STORES) store(op, a);
  // Part of a register, and what is converted on its way, count as written.
  const bool whole = !(op->info->arg & SIM_M_D16) && !(op->info->facts & (SIM_ROW_FORMAT | SIM_ROW_ATOMIC));
  if (!whole || !(f->flags & SIM_FACT_RETURNS) || !op->dst_count) return;
  const unsigned dwords = a->bytes < 4 ? 1 : a->bytes / 4;
  for (unsigned i = 0; i < dwords; ++i) {
    const uint64_t undefined = sim_unwritten_lanes(a, i);
    if (undefined) sim_undefined_loaded(w, op, op->dst[0].reg + i, undefined, undefined);
  }
}
