// SPDX-License-Identifier: MIT
// Implements FLAT, GLOBAL and SCRATCH instructions (CDNA4 ISA 10). All of them end in host addresses at
// issue: LDS and scratch are host memory too, so one land function serves every address space.
#include "sim/exec/aperture.h"
#include "sim/exec/memory/atomic.h"
#include "sim/exec/memory/common_rows.h"

// Operands in text order: [vdst,] vaddr [, data] [, saddr]; FLAT has no saddr.
static const sim_operand *scalar_address(const sim_op *op) { return &op->src[op->src_count - 1]; }

static uint64_t pair(const uint32_t (*row)[SIM_LANES], int l) {
  return row[0][l] | (uint64_t)row[1][l] << 32;
}

static bool global_addresses(sim_wave *w, const sim_op *op, sim_access *a, uint32_t bytes) {
  const sim_operand *saddr = scalar_address(op);
  const uint32_t (*row)[SIM_LANES] = (const uint32_t (*)[SIM_LANES]) & w->v[op->src[0].reg];
  uint64_t offset = (uint64_t)(int64_t)op->imm;
  if (saddr->kind == SIM_OPND_SGPR) {
    offset += sim_s64(w, saddr->reg);
    for (int l = 0; l < SIM_LANES; ++l) a->address[l] = offset + row[0][l];
  } else {
    for (int l = 0; l < SIM_LANES; ++l) a->address[l] = offset + pair(row, l);
  }
  return sim_check_addresses(w, op, a->address, a->lanes, bytes);
}

// Returns the host address of byte `offset` of a lane's scratch; 0 after a fault.
static uint64_t scratch_address(sim_wave *w, const sim_op *op, int l, uint32_t offset, uint32_t bytes) {
  if ((uint64_t)offset + bytes <= w->scratch_stride)
    return w->scratch + (uint64_t)l * w->scratch_stride + offset;
  sim_fault(w, SIM_FAULT_ADDRESS, op, l,
            "%u bytes at scratch address 0x%x; the kernel has %u bytes of scratch per lane", bytes, offset,
            w->scratch_stride);
  return 0;
}

static bool scratch_addresses(sim_wave *w, const sim_op *op, sim_access *a, uint32_t bytes) {
  const sim_operand *vaddr = &op->src[0], *saddr = scalar_address(op);
  uint32_t uniform = (uint32_t)op->imm + (saddr->kind == SIM_OPND_OFF ? 0 : sim_src32(w, saddr));
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    uint32_t offset = uniform + (vaddr->kind == SIM_OPND_VGPR ? w->v[vaddr->reg][l] : 0);
    if (!(a->address[l] = scratch_address(w, op, l, offset, bytes))) return false;
  }
  return true;
}

static bool flat_addresses(sim_wave *w, const sim_op *op, sim_access *a, uint32_t bytes) {
  const uint32_t (*row)[SIM_LANES] = (const uint32_t (*)[SIM_LANES]) & w->v[op->src[0].reg];
  uint32_t offset = (uint32_t)op->imm & 0xfff;  // 12 bits unsigned (CDNA4 ISA table 54)
  uint64_t shared = 0, in_scratch = 0;
  for (int l = 0; l < SIM_LANES; ++l) {
    uint64_t address = pair(row, l) + offset;
    a->address[l] = address;
    shared |= (uint64_t)(address >> 32 == SIM_SHARED_APERTURE) << l;
    in_scratch |= (uint64_t)(address >> 32 == SIM_PRIVATE_APERTURE) << l;
  }
  // This comes before LDS and scratch become host addresses: those may be aligned differently.
  if (sim_atomic_kind_of(op) && !sim_check_alignment(w, op, a->address, a->lanes, bytes, "atomic address"))
    return false;
  if (!sim_check_addresses(w, op, a->address, a->lanes & ~(shared | in_scratch), bytes)) return false;
  if (shared & a->lanes) {
    uint32_t low[SIM_LANES];
    uint64_t checked[SIM_LANES];
    for (int l = 0; l < SIM_LANES; ++l) low[l] = (uint32_t)a->address[l];
    if (!sim_lds_addresses(w, op, shared & a->lanes, low, 0, bytes, checked)) return false;
    sim_reaches_lds(w, a);
    // The lanes that reach LDS count as a DS instruction of that width would.
    bool reads = op->dst_count || sim_atomic_kind_of(op);
    sim_count_lds(w, op, reads ? SIM_LDS_READ : SIM_LDS_WRITE, bytes, shared & a->lanes, checked, NULL);
    for (uint64_t lanes = shared & a->lanes; lanes; lanes &= lanes - 1) {
      int l = __builtin_ctzll(lanes);
      a->address[l] = (uint64_t)(uintptr_t)w->group->lds + checked[l];
    }
  }
  for (uint64_t lanes = in_scratch & a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    if (!(a->address[l] = scratch_address(w, op, l, (uint32_t)a->address[l], bytes))) return false;
  }
  return true;
}

static sim_access *issue(sim_wave *w, const sim_op *op, sim_land_fn land) {
  uint32_t arg = op->info->arg, bytes = arg & SIM_M_BYTES;
  sim_access *a = arg & SIM_M_SPACE_FLAT ? sim_issue_flat(w, op, land) : sim_issue_vm(w, op, land);
  a->bytes = bytes;
  bool ok = arg & SIM_M_SPACE_FLAT      ? flat_addresses(w, op, a, bytes)
            : arg & SIM_M_SPACE_SCRATCH ? scratch_addresses(w, op, a, bytes)
                                        : global_addresses(w, op, a, bytes);
  return ok ? a : NULL;
}

static void run_load(sim_wave *w, const sim_op *op) {
  sim_access *a = issue(w, op, sim_land_load);
  if (a) sim_commit(w);
}

static void run_store(sim_wave *w, const sim_op *op) {
  sim_access *a = issue(w, op, sim_land_store);
  if (!a) return;
  uint32_t bytes = sim_m_bytes(op);
  sim_capture_store(w, a, op->src[1].reg, bytes < 4 ? 1 : bytes / 4);
  sim_commit(w);
}

// All bits of the memory address count, as in other loads: the driver runs these chips with unaligned
// accesses allowed (Linux amdkfd, SH_MEM_CONFIG.ALIGNMENT_MODE; LLVM AMDGPUUsage, unaligned-access-mode).
static void run_direct(sim_wave *w, const sim_op *op) {
  sim_access *a = issue(w, op, sim_land_direct);
  if (a && sim_direct_setup(w, op, a, sim_m_bytes(op))) sim_commit(w);
}

static void run_atomic(sim_wave *w, const sim_op *op) {
  sim_access *a = issue(w, op, sim_land_atomic);
  if (!a) return;
  sim_atomic_capture(w, op, a, op->src[1].reg);
  bool flat = op->info->arg & SIM_M_SPACE_FLAT;
  if (flat || sim_check_alignment(w, op, a->address, a->lanes, sim_m_bytes(op), "atomic address"))
    sim_commit(w);
}

#define ROW(mnemonic, signature, handler, on, argument, facts_) \
  {.name = mnemonic,                                            \
   .operands = signature,                                       \
   .run = handler,                                              \
   .chips = on,                                                 \
   .klass = SIM_CLASS_VMEM,                                     \
   .arg = (uint32_t)(argument),                                 \
   .facts = facts_}
// Makes the rows of one mnemonic in the three segments. FLAT takes an address pair; the others take one or
// two dwords and saddr.
#define LOAD(name, type, argument)                                                                  \
  ROW("flat_load_" name, "=" type ",b64", run_load, SIM_ON_BOTH, (argument) | SIM_M_SPACE_FLAT, 0), \
      ROW("global_load_" name, "=" type ",any,any", run_load, SIM_ON_BOTH, argument, 0),            \
      ROW("scratch_load_" name, "=" type ",any,any", run_load, SIM_ON_BOTH,                         \
          (argument) | SIM_M_SPACE_SCRATCH, 0)
#define STORE(name, type, argument)                                                                    \
  ROW("flat_store_" name, "b64," type, run_store, SIM_ON_BOTH, (argument) | SIM_M_SPACE_FLAT,          \
      SIM_ROW_STORES),                                                                                 \
      ROW("global_store_" name, "any," type ",any", run_store, SIM_ON_BOTH, argument, SIM_ROW_STORES), \
      ROW("scratch_store_" name, "any," type ",any", run_store, SIM_ON_BOTH,                           \
          (argument) | SIM_M_SPACE_SCRATCH, SIM_ROW_STORES)
#define DIRECT(name, argument)                                                                            \
  ROW("global_load_lds_" name, "any,any", run_direct, SIM_ON_BOTH, argument, SIM_ROW_DIRECT),             \
      ROW("scratch_load_lds_" name, "any,any", run_direct, SIM_ON_BOTH, (argument) | SIM_M_SPACE_SCRATCH, \
          SIM_ROW_DIRECT)
#define ATOMIC_WITH(name, result, data, size, kind, facts)                                                 \
  ROW("flat_atomic_" name, "=" result "?,b64," data, run_atomic, SIM_ON_BOTH,                              \
      (size) | (uint32_t)SIM_AT_##kind << SIM_M_KIND | SIM_M_SPACE_FLAT, SIM_ROW_GLOBAL_ATOMIC | (facts)), \
      ROW("global_atomic_" name, "=" result "?,any," data ",any", run_atomic, SIM_ON_BOTH,                 \
          (size) | (uint32_t)SIM_AT_##kind << SIM_M_KIND, SIM_ROW_GLOBAL_ATOMIC | (facts))
#define ATOMIC(name, result, data, size, kind) ATOMIC_WITH(name, result, data, size, kind, 0)
#define INTEGER(name, kind) ATOMIC(name, "b32", "b32", 4, kind), ATOMIC(name "_x2", "b64", "b64", 8, kind)

static const sim_opinfo rows[] = {
    SIM_M_TRANSFERS(LOAD, STORE),
    DIRECT("ubyte", 1),
    DIRECT("sbyte", 1 | SIM_M_SIGNED),
    DIRECT("ushort", 2),
    DIRECT("sshort", 2 | SIM_M_SIGNED),
    DIRECT("dword", 4),
    ROW("global_load_lds_dwordx3", "any,any", run_direct, SIM_ON_GFX950, 12, SIM_ROW_DIRECT),
    ROW("global_load_lds_dwordx4", "any,any", run_direct, SIM_ON_GFX950, 16, SIM_ROW_DIRECT),
    SIM_M_INTEGER_ATOMICS(INTEGER),
    ATOMIC_WITH("cmpswap", "b32", "b64", 4, CMPSWAP, SIM_ROW_COMPARES),
    ATOMIC_WITH("cmpswap_x2", "b64", "b128", 8, CMPSWAP, SIM_ROW_COMPARES),
    ATOMIC("add_f32", "b32", "b32", 4, FADD),
    ATOMIC("add_f64", "b64", "b64", 8, FADD),
    ATOMIC("min_f64", "b64", "b64", 8, FMIN),
    ATOMIC("max_f64", "b64", "b64", 8, FMAX),
    ATOMIC("pk_add_f16", "b32", "b32", 4, PK_ADD_F16),
    ATOMIC("pk_add_bf16", "b32", "b32", 4, PK_ADD_BF16),
};

const sim_optable sim_table_flat = {rows, sizeof rows / sizeof rows[0]};
