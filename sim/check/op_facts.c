// SPDX-License-Identifier: MIT
// Finds registers and counters of every op of a program.
#include "sim/check/op_facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/check/wait_states.h"
#include "sim/exec/memory/memory_ops.h"

static sim_reg_run range_of(const sim_operand *o) {
  // A program may name registers past the last one.
  if (o->kind == SIM_OPND_VGPR && o->reg + o->regs > SIM_REG_SGPR)
    return (sim_reg_run){o->reg, (uint16_t)(SIM_REG_SGPR - o->reg)};
  if (o->kind == SIM_OPND_VGPR) return (sim_reg_run){o->reg, o->regs};
  if (o->kind == SIM_OPND_SGPR) return (sim_reg_run){(uint16_t)(SIM_REG_SGPR + o->reg), o->regs};
  return (sim_reg_run){0, 0};
}

static void add_read(sim_op_facts *f, sim_reg_run r) {
  if (r.count && r.first + r.count <= SIM_REGISTERS && f->read_count < SIM_FACT_READS)
    f->read[f->read_count++] = r;
}
static void add_write(sim_op_facts *f, sim_reg_run r) {
  if (r.count && r.first + r.count <= SIM_REGISTERS && f->write_count < SIM_FACT_WRITES)
    f->write[f->write_count++] = r;
}
static void add_scalar_read(sim_op_facts *f, unsigned reg, unsigned count) {
  add_read(f, (sim_reg_run){(uint16_t)(SIM_REG_SGPR + reg), (uint16_t)count});
}

static bool has(const sim_op *op, uint64_t fact) { return op->info->facts & fact; }

// Returns whether the op subtracts a whole register from itself without a carry, which is an idiom for
// writing zero.
static bool cancels(const sim_op *op) {
  if (!has(op, SIM_ROW_CANCELS) || op->src_count != 2) return false;
  if (op->encoding != SIM_ENC_PLAIN && op->encoding != SIM_ENC_VOP3) return false;
  const sim_operand *a = &op->src[0], *b = &op->src[1];
  return a->kind == b->kind && a->reg == b->reg && (a->kind == SIM_OPND_VGPR || a->kind == SIM_OPND_SGPR);
}

// Sets how undefined bits spread: as the row says, or else as in most instructions of the class.
static void set_spread(sim_op_facts *f, const sim_op *op, sim_spread usual) {
  const sim_spread own = sim_row_spread(op->info);
  f->spread = (uint8_t)(cancels(op) ? SIM_SPREAD_CLEAR : own != SIM_SPREAD_NONE ? own : usual);
}

static void vector_facts(sim_op_facts *f, const sim_op *op) {
  if (op->info->klass == SIM_CLASS_MFMA) {
    f->spread = SIM_SPREAD_MATRIX;
    f->flags |= SIM_FACT_ALL_LANES;
    if (has(op, SIM_ROW_SPARSE)) add_read(f, range_of(&op->dst[0]));
    return;
  }
  const sim_operand *d = op->dst_count ? &op->dst[0] : NULL;
  const bool packed = has(op, SIM_ROW_PACKED_DWORDS) && d && d->kind == SIM_OPND_VGPR;
  set_spread(f, op, packed ? SIM_SPREAD_PACKED : SIM_SPREAD_LANES);
  // A conversion that keeps the rest of its destination does not use it: no one means to read what is there
  // before it is whole.
  if (has(op, SIM_ROW_USES_DST)) add_read(f, range_of(&op->dst[0]));
  const unsigned type = d ? d->type : SIM_T_NONE;
  if ((type == SIM_T_U64 || type == SIM_T_I64 || type == SIM_T_B64 || type == SIM_T_PKF32) &&
      !has(op, SIM_ROW_HIGH_TO_LOW))
    f->flags |= SIM_FACT_LOW_FROM_LOW;
  if (has(op, SIM_ROW_READS_VCC)) add_scalar_read(f, SIM_VCC, 2);
  if (has(op, SIM_ROW_WRITES_EXEC)) {
    f->flags |= SIM_FACT_EXEC_OUT;
    add_write(f, (sim_reg_run){SIM_REG_SGPR + SIM_EXEC, 2});
  }
  if (f->spread == SIM_SPREAD_SWAP || f->spread == SIM_SPREAD_SWAP_ROWS) {
    add_read(f, range_of(&op->dst[0]));
    add_write(f, range_of(&op->src[0]));
  }
}

static void scalar_facts(sim_op_facts *f, const sim_op *op) {
  set_spread(f, op, SIM_SPREAD_SCALAR);
  if (has(op, SIM_ROW_WRITES_EXEC)) {
    f->flags |= SIM_FACT_EXEC_OUT;
    add_read(f, (sim_reg_run){SIM_REG_SGPR + SIM_EXEC, 2});
    add_write(f, (sim_reg_run){SIM_REG_SGPR + SIM_EXEC, 2});
  }
  if (has(op, SIM_ROW_USES_DST) && op->dst_count) add_read(f, range_of(&op->dst[0]));
  if (has(op, SIM_ROW_SCC_IN)) f->flags |= SIM_FACT_SCC_IN;
  if (has(op, SIM_ROW_SCC_OUT)) f->flags |= SIM_FACT_SCC_OUT;
  if (has(op, SIM_ROW_READS_M0)) f->flags |= SIM_FACT_READS_M0;
}

// Fills in what an instruction does to memory, whichever way it gets there.
static void access_facts(sim_op_facts *f, const sim_op *op) {
  if (has(op, SIM_ROW_STORES)) f->flags |= SIM_FACT_STORES;
  if (has(op, SIM_ROW_ATOMIC)) f->flags |= SIM_FACT_ATOMIC;
  if (has(op, SIM_ROW_ACQUIRES)) f->flags |= SIM_FACT_ACQUIRES;
  if (has(op, SIM_ROW_RELEASES)) f->flags |= SIM_FACT_RELEASES;
}

static void lds_facts(sim_op_facts *f, const sim_op *op) {
  f->path = SIM_PATH_LDS;
  if (op->dst_count) f->flags |= SIM_FACT_RETURNS;
  f->spread = (uint8_t)sim_row_spread(op->info);
  if (f->spread == SIM_SPREAD_PERMUTE || has(op, SIM_ROW_NO_MEMORY)) return;
  f->flags |= SIM_FACT_LDS;
  access_facts(f, op);
  f->pair = has(op, SIM_ROW_PAIR);
  f->counts = has(op, SIM_ROW_COUNTS);
  f->exchanges = has(op, SIM_ROW_EXCHANGES);
  if (has(op, SIM_ROW_READS_M0)) f->flags |= SIM_FACT_READS_M0;
  const unsigned data = has(op, SIM_ROW_NO_ADDRESS) ? 0 : 1;  // the address is first
  if ((f->flags & SIM_FACT_STORES) && op->src_count > data) f->data = range_of(&op->src[data]);
}

static void vmem_facts(sim_op_facts *f, const sim_op *op) {
  access_facts(f, op);
  if (has(op, SIM_ROW_NO_MEMORY)) {
    if (has(op, SIM_ROW_RELEASES)) f->path = SIM_PATH_VM;  // a write-back is counted
    return;
  }
  f->path = op->info->arg & SIM_M_SPACE_FLAT ? SIM_PATH_FLAT : SIM_PATH_VM;
  if (op->info->arg & SIM_M_SPACE_SCRATCH) f->flags |= SIM_FACT_SCRATCH;
  const bool buffer = has(op, SIM_ROW_BUFFER), atomic = has(op, SIM_ROW_ATOMIC);
  // A buffer atomic that returns gives the old value in its data registers.
  const bool in_place = atomic && buffer && (op->flags & SIM_F_SC0);
  if (op->dst_count || in_place) f->flags |= SIM_FACT_RETURNS;
  if (op->flags & SIM_F_LDS) {
    f->flags |= SIM_FACT_DIRECT | SIM_FACT_READS_M0;
    f->flags &= (uint16_t)~SIM_FACT_RETURNS;
  }
  if (!has(op, SIM_ROW_STORES)) return;
  if (!atomic && op->flags & SIM_F_SC1) f->flags |= SIM_FACT_RELEASES;
  f->data = range_of(&op->src[buffer ? 0 : 1]);
  if (!in_place) return;
  sim_reg_run result = f->data;
  if (has(op, SIM_ROW_COMPARES)) result.count /= 2;
  add_write(f, result);
}

static void smem_facts(sim_op_facts *f, const sim_op *op) {
  if (has(op, SIM_ROW_NO_MEMORY)) return;
  const unsigned dwords = op->dst_count ? op->dst[0].regs : op->src_count ? op->src[0].regs : 1;
  f->path = SIM_PATH_SMEM;
  f->weight = dwords > 1 ? 2 : 1;
  access_facts(f, op);
  if (op->dst_count) f->flags |= SIM_FACT_RETURNS;
  if (!has(op, SIM_ROW_STORES)) return;
  f->data = range_of(&op->src[0]);
  if (!(op->flags & SIM_F_SC0)) return;
  if (has(op, SIM_ROW_ATOMIC)) {
    f->flags |= SIM_FACT_RETURNS;
    add_write(f, f->data);
  } else {
    f->flags |= SIM_FACT_RELEASES;
  }
}

static void branch_facts(sim_op_facts *f, const sim_op *op) {
  f->flags |= SIM_FACT_BRANCH;
  if (has(op, SIM_ROW_READS_VCC)) add_scalar_read(f, SIM_VCC, 2);
  if (has(op, SIM_ROW_SCC_IN)) f->flags |= SIM_FACT_SCC_IN;
}

void sim_op_facts_find(sim_op_facts *f, const sim_op *op, sim_chip chip) {
  *f = (sim_op_facts){0};
  if (!op->info) return;
  for (unsigned i = 0; i < op->src_count; ++i) add_read(f, range_of(&op->src[i]));
  f->implied = f->read_count;
  for (unsigned i = 0; i < op->dst_count; ++i) {
    const sim_operand *o = &op->dst[i];
    sim_reg_run r = range_of(o);
    add_write(f, r);
    if (o->kind == SIM_OPND_SGPR && o->reg + o->regs > SIM_EXEC) f->flags |= SIM_FACT_EXEC_OUT;
  }
  switch ((sim_class)op->info->klass) {
    case SIM_CLASS_VALU:
    case SIM_CLASS_TRANS:
    case SIM_CLASS_MFMA: vector_facts(f, op); break;
    case SIM_CLASS_SALU: scalar_facts(f, op); break;
    case SIM_CLASS_LDS: lds_facts(f, op); break;
    case SIM_CLASS_VMEM: vmem_facts(f, op); break;
    case SIM_CLASS_SMEM: smem_facts(f, op); break;
    case SIM_CLASS_BRANCH: branch_facts(f, op); break;
    case SIM_CLASS_BARRIER:
      // That of the grid orders all work-groups.
      f->flags |= has(op, SIM_ROW_GRID) ? SIM_FACT_ACQUIRES | SIM_FACT_RELEASES : (uint16_t)SIM_FACT_BARRIER;
      break;
    case SIM_CLASS_WAIT:
    case SIM_CLASS_OTHER: break;
  }
  if (f->flags & SIM_FACT_READS_M0) add_scalar_read(f, SIM_M0, 1);
  f->horizon = (uint8_t)sim_wait_states_horizon(chip, op);
}

sim_op_facts *sim_op_facts_of(const sim_program *program) {
  sim_op_facts *facts = calloc(program->op_count + 1u, sizeof *facts);
  for (uint32_t i = 0; facts && i < program->op_count; ++i)
    sim_op_facts_find(&facts[i], &program->ops[i], program->chip);
  return facts;
}

void sim_register_name(char *out, size_t size, unsigned reg) {
  static const struct {
    unsigned reg;
    const char *name;
  } special[] = {{SIM_VCC, "vcc_lo"},
                 {SIM_VCC + 1, "vcc_hi"},
                 {SIM_M0, "m0"},
                 {SIM_EXEC, "exec_lo"},
                 {SIM_EXEC + 1, "exec_hi"}};
  for (size_t i = 0; i < sizeof special / sizeof *special; ++i)
    if (reg == SIM_REG_SGPR + special[i].reg) {
      snprintf(out, size, "%s", special[i].name);
      return;
    }
  if (reg >= SIM_REG_SGPR)
    snprintf(out, size, "s%u", reg - SIM_REG_SGPR);
  else
    snprintf(out, size, "%c%u", reg < SIM_ACC ? 'v' : 'a', reg % SIM_ACC);
}
