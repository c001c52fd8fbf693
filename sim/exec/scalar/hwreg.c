// SPDX-License-Identifier: MIT
// Implements s_getreg and s_setreg. Register numbers and fields are those of CDNA3 ISA 3.1 to 3.5 and
// "S_GETREG_B32", names those that LLVM prints. What a register says about the place of a wave follows the
// published dispatch order (work-group i goes to XCD i mod XCDs, work-groups of an XCD rotate over its shader
// engines, waves i and i + 4 share a SIMD).
#include "sim/exec/scalar/hwreg.h"

#include "sim/exec/aperture.h"

enum {
  HW_MODE = 1,
  HW_STATUS = 2,
  HW_TRAPSTS = 3,
  HW_HW_ID = 4,
  HW_GPR_ALLOC = 5,
  HW_LDS_ALLOC = 6,
  HW_IB_STS = 7,
  HW_SH_MEM_BASES = 15,
  HW_XCC_ID = 20
};

// Both chips have four shader engines per XCD.
enum { ENGINES = 4, SIMDS = 4 };

static uint32_t status(const sim_wave *w) {
  uint32_t execz = sim_exec(w) == 0, vccz = sim_s64(w, SIM_VCC) == 0, in_group = w->group->wave_count > 1;
  return w->scc | w->priority << 3 | execz << 9 | vccz << 10 | in_group << 11 | 1u << 16;  // bit 16: VALID
}

static uint32_t hw_id(const sim_wave *w) {
  const sim_machine *m = w->group->launch->machine;
  uint64_t local = w->group->index / m->xcds;  // work-group within its XCD
  uint32_t cus = m->cus / m->xcds / ENGINES;
  uint32_t engine = (uint32_t)(local % ENGINES), cu = (uint32_t)(local / ENGINES % cus);
  return (w->id / SIMDS & 15) | w->id % SIMDS << 4 | cu << 8 | engine << 13;
}

static uint32_t lds_alloc(const sim_wave *w) {
  return (w->group->lds_bytes + 255) / 256 << 12;  // LDS_SIZE 20:12, in 64 dwords
}

static uint32_t ib_sts(const sim_wave *w) {
  const sim_pending *p = &w->pending;
  uint32_t vm = p->vm.count, lgkm = p->lds.count + p->smem_weight + p->flat;
  return (vm & 15) | lgkm << 8 | (vm >> 4) << 22;
}

static bool read_register(sim_wave *w, const sim_op *op, uint32_t id, uint32_t *value) {
  switch (id) {
    case HW_MODE: *value = w->mode; return true;
    case HW_STATUS: *value = status(w); return true;
    case HW_TRAPSTS: *value = 0; return true;  // no exception is ever recorded: MODE.EXCP_EN stays 0
    case HW_HW_ID: *value = hw_id(w); return true;
    case HW_GPR_ALLOC: *value = (w->group->launch->kernel->rsrc1 & 63) << 8; return true;  // VGPR_SIZE 13:8
    case HW_LDS_ALLOC: *value = lds_alloc(w); return true;
    case HW_IB_STS: *value = ib_sts(w); return true;
    case HW_SH_MEM_BASES:  // upper halves of the apertures' high dwords
      *value = (uint32_t)SIM_PRIVATE_APERTURE >> 16 | ((uint32_t)SIM_SHARED_APERTURE & 0xffff0000);
      return true;
    case HW_XCC_ID: *value = (uint32_t)(w->group->index % w->group->launch->machine->xcds); return true;
    default:
      sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "the simulated device has no hardware register %u", id);
      return false;
  }
}

typedef struct field {
  uint32_t id, offset, mask;
} field;

static field field_of(const sim_op *op) {
  uint32_t simm = op->raw[0] & 0xffff, size = (simm >> 11) + 1;
  return (field){simm & 63, simm >> 6 & 31, size == 32 ? ~0u : (1u << size) - 1};
}

void sim_run_getreg(sim_wave *w, const sim_op *op) {
  field f = field_of(op);
  uint32_t value;
  if (read_register(w, op, f.id, &value)) sim_dst32(w, &op->dst[0], value >> f.offset & f.mask);
}

static void set_mode(sim_wave *w, const sim_op *op, uint32_t mode) {
  if (mode & SIM_MODE_EXCP_EN) {
    sim_fault(
        w, SIM_FAULT_UNSUPPORTED, op, -1,
        "MODE would enable floating-point exceptions (EXCP_EN); the simulated device never traps on them");
  } else {
    w->mode = mode;
  }
}

static void set_register(sim_wave *w, const sim_op *op, uint32_t value) {
  field f = field_of(op);
  uint32_t mask = f.mask << f.offset;
  value = value << f.offset & mask;
  if (f.id == HW_MODE) {
    set_mode(w, op, (w->mode & ~mask) | value);
  } else if (f.id != HW_TRAPSTS || value) {  // clearing TRAPSTS changes nothing: no bit of it is ever set
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "a user program cannot write hardware register %u here",
              f.id);
  }
}

void sim_run_setreg(sim_wave *w, const sim_op *op) { set_register(w, op, sim_src32(w, &op->src[1])); }
void sim_run_setreg_imm32(sim_wave *w, const sim_op *op) { set_register(w, op, op->raw[1]); }

bool sim_names_vskip(const sim_op *op) {
  if (!op->info || !(op->info->facts & (SIM_ROW_GETREG | SIM_ROW_SETREG)))
    return op->info && op->info->run == sim_run_setvskip;
  const field f = field_of(op);
  return f.id == HW_MODE && f.mask << f.offset & SIM_MODE_VSKIP;
}

bool sim_sets_vskip(const sim_op *op) { return sim_names_vskip(op) && !(op->info->facts & SIM_ROW_GETREG); }

// While VSKIP is set, vector instructions are not issued, and those of memory count nothing (CDNA4 ISA,
// S_SETVSKIP): sim_group_step leaves them out.
void sim_run_setvskip(sim_wave *w, const sim_op *op) {
  uint32_t bit = sim_src32(w, &op->src[0]) >> (sim_src32(w, &op->src[1]) & 31) & 1;
  set_mode(w, op, (w->mode & ~(uint32_t)SIM_MODE_VSKIP) | bit * SIM_MODE_VSKIP);
}
