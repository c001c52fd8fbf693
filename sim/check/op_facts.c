// SPDX-License-Identifier: MIT
// Registers and counters of every op of a program.
#include "sim/check/op_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check/wait_states.h"
#include "sim/exec/memory/atomic.h"

#define SIM_VARIANT portable  // the flags are the same in every variant
#include "sim/exec/vector/vector.h"

static bool begins(const char *name, const char *with) { return strncmp(name, with, strlen(with)) == 0; }

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

// Returns whether the op subtracts a whole register from itself without a carry, which is an idiom for
// writing zero.
static bool cancels(const sim_op *op) {
  static const char *const names[] = {"v_xor_b32", "v_sub_u32", "v_subrev_u32", "v_sub_i32",   "s_xor_b32",
                                      "s_xor_b64", "s_sub_u32", "s_sub_i32",    "s_andn2_b32", "s_andn2_b64"};
  if (op->src_count != 2 || (op->encoding != SIM_ENC_PLAIN && op->encoding != SIM_ENC_VOP3)) return false;
  const sim_operand *a = &op->src[0], *b = &op->src[1];
  if (a->kind != b->kind || a->reg != b->reg || (a->kind != SIM_OPND_VGPR && a->kind != SIM_OPND_SGPR))
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(op->info->name, names[i]) == 0) return true;
  return false;
}

static void vector_facts(sim_op_facts *f, const sim_op *op) {
  const char *name = op->info->name;
  f->spread = SIM_SPREAD_LANES;
  if (op->info->klass == SIM_CLASS_MFMA) {
    f->spread = SIM_SPREAD_MATRIX;
    f->flags |= SIM_FACT_ALL_LANES;
    if (begins(name, "v_smfmac_")) add_read(f, range_of(&op->dst[0]));
    return;
  }
  if (begins(name, "v_permlane")) {
    f->spread = SIM_SPREAD_SWAP_ROWS;
  } else if (strcmp(name, "v_readfirstlane_b32") == 0) {
    f->spread = SIM_SPREAD_FIRST;
  } else if (strcmp(name, "v_readlane_b32") == 0) {
    f->spread = SIM_SPREAD_READLANE;
  } else if (strcmp(name, "v_writelane_b32") == 0) {
    f->spread = SIM_SPREAD_WRITELANE;
  } else if (strcmp(name, "v_swap_b32") == 0) {
    f->spread = SIM_SPREAD_SWAP;
  } else if (cancels(op)) {
    f->spread = SIM_SPREAD_CLEAR;
  } else {
    if (strcmp(name, "v_cndmask_b32") == 0) f->spread = SIM_SPREAD_CHOICE;
    if (strcmp(name, "v_perm_b32") == 0) f->spread = SIM_SPREAD_PERM;
    if (op->info->run && op->encoding == SIM_ENC_VOP3P && op->dst_count == 1 && op->dst[0].regs == 2 &&
        op->dst[0].kind == SIM_OPND_VGPR && begins(name, "v_pk_"))
      f->spread = SIM_SPREAD_PACKED;
    // Conversions keep the rest of their destination: no one means to read what is there before it is whole.
    if ((op->info->flags & SIM_V_READS_DST) && !begins(name, "v_cvt_")) add_read(f, range_of(&op->dst[0]));
    const unsigned type = op->dst_count ? op->dst[0].type : SIM_T_NONE;
    if ((type == SIM_T_U64 || type == SIM_T_I64 || type == SIM_T_B64 || type == SIM_T_PKF32) &&
        !strstr(name, "shrrev"))
      f->flags |= SIM_FACT_LOW_FROM_LOW;
    if (op->info->flags & SIM_V_READS_VCC) add_scalar_read(f, SIM_VCC, 2);
    if (op->info->flags & SIM_V_CMPX) {
      f->flags |= SIM_FACT_EXEC_OUT;
      add_write(f, (sim_reg_run){SIM_REG_SGPR + SIM_EXEC, 2});
    }
  }
  if (f->spread == SIM_SPREAD_SWAP || f->spread == SIM_SPREAD_SWAP_ROWS) {
    add_read(f, range_of(&op->dst[0]));
    add_write(f, range_of(&op->src[0]));
  }
}

// How scalar instructions spread undefined bits, by the beginning of their names; all others are
// SIM_SPREAD_SCALAR.
static const struct {
  const char *name;
  sim_spread spread;
} scalar_spreads[] = {
    {"s_and_b", SIM_SPREAD_AND},
    {"s_and_saveexec", SIM_SPREAD_AND},
    {"s_nand_", SIM_SPREAD_AND},
    {"s_or_b", SIM_SPREAD_OR},
    {"s_or_saveexec", SIM_SPREAD_OR},
    {"s_nor_", SIM_SPREAD_OR},
    {"s_andn1_", SIM_SPREAD_ANDN1},
    {"s_andn2_", SIM_SPREAD_ANDN2},
    {"s_orn1_", SIM_SPREAD_ORN1},
    {"s_orn2_", SIM_SPREAD_ORN2},
    {"s_mov_b", SIM_SPREAD_BITS},
    {"s_not_b", SIM_SPREAD_BITS},
    {"s_xor_b", SIM_SPREAD_BITS},
    {"s_xnor_b", SIM_SPREAD_BITS},
    {"s_cselect_b", SIM_SPREAD_SELECT},
    {"s_set_gpr_idx", SIM_SPREAD_INDEX},
    {"s_set_gpr_idx_off", SIM_SPREAD_NONE},
};

static void scalar_facts(sim_op_facts *f, const sim_op *op) {
  const char *name = op->info->name;
  f->spread = SIM_SPREAD_SCALAR;
  for (size_t i = 0; i < sizeof scalar_spreads / sizeof *scalar_spreads; ++i)
    if (begins(name, scalar_spreads[i].name)) f->spread = scalar_spreads[i].spread;
  if (cancels(op)) f->spread = SIM_SPREAD_CLEAR;
  bool saves = strstr(name, "saveexec") || strstr(name, "wrexec");
  if (saves) {
    f->flags |= SIM_FACT_EXEC_OUT;
    add_read(f, (sim_reg_run){SIM_REG_SGPR + SIM_EXEC, 2});
    add_write(f, (sim_reg_run){SIM_REG_SGPR + SIM_EXEC, 2});
  }
  bool keeps = begins(name, "s_cmov") || begins(name, "s_bitset") || strcmp(name, "s_addk_i32") == 0 ||
               strcmp(name, "s_mulk_i32") == 0;
  if (keeps && op->dst_count) add_read(f, range_of(&op->dst[0]));
  if (begins(name, "s_addc") || begins(name, "s_subb") || begins(name, "s_cselect") || begins(name, "s_cmov"))
    f->flags |= SIM_FACT_SCC_IN;
  bool quiet = begins(name, "s_mov") || begins(name, "s_cmov") || begins(name, "s_cselect") ||
               begins(name, "s_mul") || begins(name, "s_pack") || begins(name, "s_sext") ||
               begins(name, "s_bfm") || begins(name, "s_bitset") || begins(name, "s_ff") ||
               begins(name, "s_flbit") || begins(name, "s_brev") || begins(name, "s_getpc") ||
               begins(name, "s_getreg") || begins(name, "s_setreg") || begins(name, "s_set");
  if (!quiet) f->flags |= SIM_FACT_SCC_OUT;
  if (begins(name, "s_movrel")) f->flags |= SIM_FACT_READS_M0;
}

static void lds_facts(sim_op_facts *f, const sim_op *op) {
  const char *name = op->info->name;
  f->path = SIM_PATH_LDS;
  f->flags |= SIM_FACT_LDS;
  if (op->dst_count) f->flags |= SIM_FACT_RETURNS;
  if (begins(name, "ds_swizzle") || begins(name, "ds_permute") || begins(name, "ds_bpermute")) {
    f->spread = SIM_SPREAD_PERMUTE;
    f->flags &= (uint16_t)~SIM_FACT_LDS;
    return;
  }
  if (strcmp(name, "ds_nop") == 0) {
    f->flags &= (uint16_t)~SIM_FACT_LDS;
    return;
  }
  f->pair = begins(name, "ds_read2") || begins(name, "ds_write2") || begins(name, "ds_wrxchg2");
  f->counts = begins(name, "ds_append") || begins(name, "ds_consume");
  f->exchanges = strstr(name, "_tr_") != NULL;
  if (strstr(name, "addtid") || f->counts) f->flags |= SIM_FACT_READS_M0;
  if (begins(name, "ds_write")) {
    f->flags |= SIM_FACT_STORES;
  } else if (!begins(name, "ds_read")) {
    f->flags |= SIM_FACT_ATOMIC | SIM_FACT_STORES;
  }
  if (f->flags & SIM_FACT_STORES) {  // the address is first, but for add-TID, which has none
    bool no_address = strstr(name, "addtid") != NULL;
    if (op->src_count > (no_address ? 0 : 1)) f->data = range_of(&op->src[no_address ? 0 : 1]);
  }
}

static void vmem_facts(sim_op_facts *f, const sim_op *op) {
  const char *name = op->info->name;
  if (begins(name, "buffer_inv") || begins(name, "buffer_wbl2") || begins(name, "buffer_gl")) {
    if (begins(name, "buffer_inv")) f->flags |= SIM_FACT_ACQUIRES;
    if (begins(name, "buffer_wbl2")) {
      f->flags |= SIM_FACT_RELEASES;
      f->path = SIM_PATH_VM;
    }
    return;
  }
  f->path = begins(name, "flat_") ? SIM_PATH_FLAT : SIM_PATH_VM;
  if (begins(name, "scratch_")) f->flags |= SIM_FACT_SCRATCH;
  bool buffer = begins(name, "buffer_") || begins(name, "tbuffer_");
  bool atomic = strstr(name, "_atomic_") != NULL, store = strstr(name, "_store_") != NULL;
  if (op->dst_count || (atomic && buffer && (op->flags & SIM_F_SC0))) f->flags |= SIM_FACT_RETURNS;
  if (op->flags & SIM_F_LDS) {
    f->flags |= SIM_FACT_DIRECT | SIM_FACT_READS_M0;
    f->flags &= (uint16_t)~SIM_FACT_RETURNS;
  }
  if (atomic) f->flags |= SIM_FACT_ATOMIC | SIM_FACT_STORES | SIM_FACT_RELEASES | SIM_FACT_ACQUIRES;
  if (store) f->flags |= SIM_FACT_STORES;
  if (store && op->flags & SIM_F_SC1) f->flags |= SIM_FACT_RELEASES;
  if (atomic || store) f->data = range_of(&op->src[buffer ? 0 : 1]);
  // A buffer atomic that returns gives the old value in its data registers.
  if (atomic && buffer && (op->flags & SIM_F_SC0)) {
    sim_reg_run result = f->data;
    if (strstr(name, "cmpswap")) result.count /= 2;
    add_write(f, result);
  }
}

static void smem_facts(sim_op_facts *f, const sim_op *op) {
  const char *name = op->info->name;
  if (begins(name, "s_dcache") || begins(name, "s_atc")) return;
  bool atomic = strstr(name, "_atomic_") != NULL, store = strstr(name, "_store_") != NULL;
  unsigned dwords = op->dst_count ? op->dst[0].regs : op->src_count ? op->src[0].regs : 1;
  f->path = SIM_PATH_SMEM;
  f->weight = dwords > 1 ? 2 : 1;
  if (op->dst_count) f->flags |= SIM_FACT_RETURNS;
  if (atomic || store) {
    f->flags |= SIM_FACT_STORES;
    f->data = range_of(&op->src[0]);
  }
  if (atomic) f->flags |= SIM_FACT_ATOMIC | SIM_FACT_RELEASES | SIM_FACT_ACQUIRES;
  if (store && (op->flags & SIM_F_SC0)) f->flags |= SIM_FACT_RELEASES;
  if (atomic && (op->flags & SIM_F_SC0)) {
    f->flags |= SIM_FACT_RETURNS;
    add_write(f, f->data);
  }
}

static void branch_facts(sim_op_facts *f, const sim_op *op) {
  const char *name = op->info->name;
  f->flags |= SIM_FACT_BRANCH;
  if (begins(name, "s_cbranch_vcc")) add_scalar_read(f, SIM_VCC, 2);
  if (begins(name, "s_cbranch_scc")) f->flags |= SIM_FACT_SCC_IN;
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
      f->flags |= strcmp(op->info->name, "s_barrier") == 0 ? (uint16_t)SIM_FACT_BARRIER
                                                           : SIM_FACT_ACQUIRES | SIM_FACT_RELEASES;
      break;
    case SIM_CLASS_WAIT:
    case SIM_CLASS_OTHER: break;
  }
  if (f->flags & SIM_FACT_READS_M0) add_scalar_read(f, SIM_M0, 1);
  f->horizon = (uint8_t)sim_wait_states_horizon(chip, op);
}

static bool overlap(sim_reg_run a, sim_reg_run b) {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

// Returns whether the DS instruction finds the same address in every iteration of the loop of ops first to
// last.
static bool is_loop_invariant(const sim_program *program, const sim_op_facts *facts, uint32_t first,
                              uint32_t last, uint32_t op) {
  const sim_reg_run address = facts[op].read[0];
  for (uint32_t i = first; i <= last; ++i)
    for (unsigned k = 0; k < facts[i].write_count; ++k)
      if (overlap(facts[i].write[k], address) && !begins(program->ops[i].info->name, "v_mov_b32"))
        return false;
  return facts[op].read_count > 0;
}

// Loops that a wave spends waiting are short, and LDS is all the memory that they touch.
static void find_polls(const sim_program *program, sim_op_facts *facts, uint32_t first, uint32_t last) {
  enum { SHORT = 32 };
  if (last - first >= SHORT) return;
  for (uint32_t i = first; i <= last; ++i) {
    const sim_opinfo *info = program->ops[i].info;
    if (!info || info->klass == SIM_CLASS_VMEM || info->klass == SIM_CLASS_MFMA ||
        info->klass == SIM_CLASS_BARRIER)
      return;
    if (info->klass == SIM_CLASS_LDS && begins(info->name, "ds_write")) return;
  }
  for (uint32_t i = first; i <= last; ++i)
    if (facts[i].flags & SIM_FACT_LDS && is_loop_invariant(program, facts, first, last, i))
      facts[i].polls = true;
}

sim_op_facts *sim_op_facts_of(const sim_program *program) {
  sim_op_facts *facts = calloc(program->op_count + 1u, sizeof *facts);
  for (uint32_t i = 0; facts && i < program->op_count; ++i)
    sim_op_facts_find(&facts[i], &program->ops[i], program->chip);
  for (uint32_t i = 0; facts && i < program->op_count; ++i) {
    const sim_op *op = &program->ops[i];
    if (op->info && op->info->klass == SIM_CLASS_BRANCH && op->target <= i)
      find_polls(program, facts, op->target, i);
  }
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
