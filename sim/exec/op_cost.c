// SPDX-License-Identifier: MIT
// Finds unit, cycles and registers of every op of a program.
#include "sim/exec/op_cost.h"

#include <stdlib.h>

#include "sim/exec/memory/memory_ops.h"

#define SIM_VARIANT portable  // the shapes are the same in every variant
#include "sim/exec/mfma/mfma.h"

static bool has(const sim_op *op, uint64_t fact) { return op->info->facts & fact; }

static void add_source(sim_op_cost *c, const sim_operand *o) {
  if (o->kind != SIM_OPND_VGPR || c->source_count == SIM_OP_SOURCES) return;
  c->source[c->source_count++] = (sim_registers){o->reg, o->regs};
}

static void add_registers(sim_op_cost *c, const sim_op *op) {
  for (unsigned i = 0; i < op->src_count; ++i) add_source(c, &op->src[i]);
  for (unsigned i = 0; i < op->dst_count && i < SIM_OP_RESULTS; ++i)
    if (op->dst[i].kind == SIM_OPND_VGPR)
      c->result[c->result_count++] = (sim_registers){op->dst[i].reg, op->dst[i].regs};
}

// ---- vector

static void cost_valu(sim_op_cost *c, const sim_op *op, const sim_timing *t) {
  c->unit = SIM_UNIT_VALU;
  c->cycles = op->info->klass == SIM_CLASS_TRANS ? t->trans_cycles : t->slot_cycles;
  c->packed = has(op, SIM_ROW_PACKED_DWORDS);  // packed 16-bit instructions are ordinary ones
  add_registers(c, op);
  if (has(op, SIM_ROW_USES_DST)) add_source(c, &op->dst[0]);
}

static unsigned row_of(unsigned passes) { return passes <= 2 ? 0 : passes <= 4 ? 1 : passes <= 8 ? 2 : 3; }

static void cost_mfma(sim_op_cost *c, const sim_op *op, const sim_machine *m) {
  const sim_timing *t = m->timing;
  const uint32_t slot = t->slot_cycles;
  c->unit = SIM_UNIT_MFMA;
  add_registers(c, op);
  if (has(op, SIM_ROW_SCALE_LOAD)) {
    c->unit = SIM_UNIT_VALU;
    c->cycles = t->mfma_scale_cycles;
    return;
  }
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  unsigned passes = sim_mfma_passes(op, m->chip), row = row_of(passes);
  unsigned widest = op->src[0].regs > op->src[1].regs ? op->src[0].regs : op->src[1].regs;
  c->cycles = passes * 4;
  c->lead_cycles = has(op, SIM_ROW_SCALED) ? t->mfma_scale_cycles : 0;
  c->read_cycles = widest * t->mfma_read_cycles;
  if (c->read_cycles < t->mfma_least_read) c->read_cycles = t->mfma_least_read;
  if (c->read_cycles > c->cycles) c->read_cycles = c->cycles;
  c->read_cycles += c->lead_cycles;
  // f32 and f64 leave no issue slots for vector instructions (CALC).
  bool alone = shape->a == SIM_ELEM_F32 || shape->a == SIM_ELEM_F64;
  c->port_cycles = alone ? c->cycles : c->read_cycles;
  c->to_use = (t->mfma_to_use[row] + 1) * slot;
  c->to_overlap = (t->mfma_to_overlap[row] + 1) * slot;
  c->to_same = (t->mfma_to_same[row] + 1) * slot;
  if (c->to_same < c->cycles) c->to_same = c->cycles;
}

// ---- memory

static void cost_lds(sim_op_cost *c, const sim_op *op, const sim_machine *m) {
  const bool two = has(op, SIM_ROW_PAIR), atomic = has(op, SIM_ROW_ATOMIC);
  const bool write = has(op, SIM_ROW_STORES) && !atomic;
  const bool permute = sim_row_spread(op->info) == SIM_SPREAD_PERMUTE;
  const bool read = !write && !atomic && !has(op, SIM_ROW_NO_MEMORY);
  uint32_t bytes = sim_m_bytes(op);
  if (bytes > 16 || bytes == 0) bytes = 4;
  const sim_lds_rule *rule = &m->lds_banks->rule[write ? SIM_LDS_WRITE : SIM_LDS_READ][(bytes + 3) / 4 - 1];
  c->unit = SIM_UNIT_LDS;
  for (unsigned i = 0; i < op->src_count; ++i) add_source(c, &op->src[i]);
  c->phases = rule->phases * (two ? 2 : 1);
  c->returns = op->dst_count > 0;
  c->bank_reads = !write;
  c->bank_writes = !read;
  const uint32_t data = SIM_LANES * bytes * (two ? 2 : 1), addresses = SIM_LANES * 4;
  c->in_bytes = addresses + (read && !permute ? 0 : data);
  c->out_bytes = c->returns ? data : 0;
}

static void cost_vmem(sim_op_cost *c, const sim_op *op) {
  c->unit = SIM_UNIT_VMEM;
  for (unsigned i = 0; i < op->src_count; ++i) add_source(c, &op->src[i]);
  uint32_t components = op->info->arg >> SIM_M_COMPONENTS & 7;
  c->bytes = has(op, SIM_ROW_FORMAT) ? components * 4 : sim_m_bytes(op);
  c->direct = op->flags & SIM_F_LDS;
  c->store = has(op, SIM_ROW_STORES);
  c->returns = op->dst_count > 0;
  c->bypass = op->flags & (SIM_F_SC1 | SIM_F_NT);
  c->counted = !has(op, SIM_ROW_NO_MEMORY) || has(op, SIM_ROW_RELEASES);  // a write-back is counted
}

// ---- control

static void cost_internal(sim_op_cost *c, const sim_op *op, const sim_timing *t) {
  uint32_t simm = op->raw[0];
  c->unit = SIM_UNIT_INTERNAL;
  if (op->info->klass == SIM_CLASS_WAIT) {
    c->internal = SIM_INTERNAL_WAIT;
    c->vm = (uint8_t)sim_op_vmcnt(op);
    c->lgkm = (uint8_t)sim_op_lgkmcnt(op);
  } else if (op->info->klass == SIM_CLASS_BARRIER) {
    c->internal = SIM_INTERNAL_BARRIER;
  } else if (has(op, SIM_ROW_NOP)) {
    c->internal = SIM_INTERNAL_PAUSE;  // N + 1 wait states (ISA4), one slot each
    c->cycles = ((simm & 15) + 1) * t->slot_cycles;
  } else if (has(op, SIM_ROW_SLEEP)) {
    c->internal = SIM_INTERNAL_PAUSE;  // 64 clocks each (ISA4)
    c->cycles = (simm & 127) * 64 + t->slot_cycles;
  } else if (has(op, SIM_ROW_PRIORITY)) {
    c->internal = SIM_INTERNAL_PRIORITY;
    c->priority = simm & 3;
  } else if (has(op, SIM_ROW_END)) {
    c->internal = SIM_INTERNAL_END;
  }
}

static void cost_of(sim_op_cost *c, const sim_op *op, const sim_machine *m) {
  const sim_timing *t = m->timing;
  *c = (sim_op_cost){.unit = SIM_UNIT_INTERNAL};
  if (!op->info) return;
  c->klass = op->info->klass;
  c->first_window = (uint32_t)(op->offset / t->fetch_bytes);
  c->last_window = (uint32_t)((op->offset + op->size - 1) / t->fetch_bytes);
  switch ((sim_class)op->info->klass) {
    case SIM_CLASS_VALU:
    case SIM_CLASS_TRANS: cost_valu(c, op, t); break;
    case SIM_CLASS_MFMA: cost_mfma(c, op, m); break;
    case SIM_CLASS_LDS: cost_lds(c, op, m); break;
    case SIM_CLASS_VMEM: cost_vmem(c, op); break;
    case SIM_CLASS_SMEM:
      c->unit = SIM_UNIT_SCALAR;
      c->scalar_weight = op->dst_count && op->dst[0].regs <= 1 ? 1 : 2;
      c->clock = has(op, SIM_ROW_CLOCK);
      break;
    case SIM_CLASS_SALU: c->unit = SIM_UNIT_SCALAR; break;
    case SIM_CLASS_BRANCH: c->unit = SIM_UNIT_BRANCH; break;
    case SIM_CLASS_WAIT:
    case SIM_CLASS_BARRIER:
    case SIM_CLASS_OTHER: cost_internal(c, op, t); break;
  }
}

sim_op_cost *sim_op_costs(const sim_program *program, const sim_machine *machine) {
  sim_op_cost *costs = calloc(program->op_count + 1u, sizeof *costs);
  if (!costs) return NULL;
  for (uint32_t i = 0; i < program->op_count; ++i) cost_of(&costs[i], &program->ops[i], machine);
  costs[program->op_count].internal = SIM_INTERNAL_END;
  costs[program->op_count].unit = SIM_UNIT_INTERNAL;
  return costs;
}
