// SPDX-License-Identifier: MIT
// Program control: SOPP, and the SOP1, SOP2, SOPC and SOPK operations that move the program counter, use
// indexed registers or touch hardware registers (CDNA3 ISA, chapters 4 and 12).
#include "sim/exec/scalar/hwreg.h"
#include "sim/isa/tables.h"

// ---- program counter

static uint64_t image_address(const sim_wave *w) {
  return (uint64_t)(uintptr_t)w->group->program->object->image;
}

static uint64_t next_address(const sim_wave *w, const sim_op *op) {
  return image_address(w) + op->offset + op->size;
}

static uint64_t target_address(const sim_wave *w, const sim_op *op) {
  return next_address(w, op) + (uint64_t)((int64_t)op->imm * 4);
}

static void jump_to(sim_wave *w, const sim_op *op, uint64_t address) {
  sim_jump(w, op, address - image_address(w));
}

static void take_branch(sim_wave *w, const sim_op *op) {
  if (op->target != UINT32_MAX) {
    w->pc = op->target;
  } else {
    jump_to(w, op, target_address(w, op));  // faults: no instruction begins there
  }
}

static void run_branch(sim_wave *w, const sim_op *op) { take_branch(w, op); }

// Conditional branches, with their facts: the name of the handler says when it is taken.
#define BRANCH_LIST(X)                                            \
  X(s_cbranch_scc0, SIM_ROW_SCC_IN, !w->scc)                      \
  X(s_cbranch_scc1, SIM_ROW_SCC_IN, w->scc)                       \
  X(s_cbranch_vccz, SIM_ROW_READS_VCC, sim_s64(w, SIM_VCC) == 0)  \
  X(s_cbranch_vccnz, SIM_ROW_READS_VCC, sim_s64(w, SIM_VCC) != 0) \
  X(s_cbranch_execz, 0, sim_exec(w) == 0)                         \
  X(s_cbranch_execnz, 0, sim_exec(w) != 0)
#define BRANCH_RUN(name, facts, condition)                \
  static void run_##name(sim_wave *w, const sim_op *op) { \
    if (condition) take_branch(w, op);                    \
  }
BRANCH_LIST(BRANCH_RUN)

static void run_call(sim_wave *w, const sim_op *op) {
  sim_dst64(w, &op->dst[0], next_address(w, op));
  take_branch(w, op);
}

static void run_getpc(sim_wave *w, const sim_op *op) { sim_dst64(w, &op->dst[0], next_address(w, op)); }
static void run_setpc(sim_wave *w, const sim_op *op) { jump_to(w, op, sim_src64(w, &op->src[0])); }

static void run_swappc(sim_wave *w, const sim_op *op) {
  uint64_t address = sim_src64(w, &op->src[0]);
  sim_dst64(w, &op->dst[0], next_address(w, op));
  jump_to(w, op, address);
}

// ---- fork and join: the branch stack lives in SGPRs, four per entry, MODE.CSP points past the top

static uint32_t *stack_entry(sim_wave *w, uint32_t csp) { return &w->s[csp * 4]; }

static void set_csp(sim_wave *w, uint32_t csp) {
  w->mode = (w->mode & ~(7u << SIM_MODE_CSP_SHIFT)) | (csp & 7) << SIM_MODE_CSP_SHIFT;
}

// Runs the side with fewer lanes first and pushes the other: its address and its lanes.
static void fork_to(sim_wave *w, const sim_op *op, uint64_t mask, uint64_t target) {
  uint64_t exec = sim_exec(w), pass = mask & exec, fail = ~mask & exec, next = next_address(w, op);
  if (pass == exec) {
    jump_to(w, op, target);
  } else if (fail != exec) {
    bool fail_first = __builtin_popcountll(fail) < __builtin_popcountll(pass);
    uint32_t csp = w->mode >> SIM_MODE_CSP_SHIFT;
    uint32_t *entry = stack_entry(w, csp);
    uint64_t pushed_pc = fail_first ? target : next, pushed_exec = fail_first ? pass : fail;
    memcpy(entry, &pushed_pc, 8);
    memcpy(entry + 2, &pushed_exec, 8);
    set_csp(w, csp + 1);
    sim_set_s64(w, SIM_EXEC, fail_first ? fail : pass);
    if (!fail_first) jump_to(w, op, target);
  }
}

static void run_g_fork(sim_wave *w, const sim_op *op) {
  fork_to(w, op, sim_src64(w, &op->src[0]), sim_src64(w, &op->src[1]));
}

static void run_i_fork(sim_wave *w, const sim_op *op) {
  fork_to(w, op, sim_src64(w, &op->src[0]), target_address(w, op));
}

static void run_join(sim_wave *w, const sim_op *op) {
  uint32_t csp = w->mode >> SIM_MODE_CSP_SHIFT;
  if (csp == sim_src32(w, &op->src[0])) return;
  csp = (csp - 1) & 7;
  set_csp(w, csp);
  uint64_t pc, exec;
  memcpy(&pc, stack_entry(w, csp), 8);
  memcpy(&exec, stack_entry(w, csp) + 2, 8);
  sim_set_s64(w, SIM_EXEC, exec);
  jump_to(w, op, pc);
}

// ---- waiting, ending, messages

static void run_waitcnt(sim_wave *w, const sim_op *op) { sim_wait(w, sim_op_vmcnt(op), sim_op_lgkmcnt(op)); }

static void run_endpgm(sim_wave *w, const sim_op *op) {
  (void)op;
  sim_end_wave(w);
}

static void run_barrier(sim_wave *w, const sim_op *op) {
  (void)op;
  sim_barrier(w);
}

static void run_setprio(sim_wave *w, const sim_op *op) { w->priority = op->raw[0] & 3; }

// These are timing, instruction and scalar caches, performance counters, and wake-ups of waves that only
// sleep: a program's results show nothing of them. The COND_DBG branches are never taken: no debugger sets
// their bits.
static void run_nothing(sim_wave *w, const sim_op *op) {
  (void)w;
  (void)op;
}

// What a sleeping wave waits for may depend on another work-group, so the other resident work-groups are
// resumed.
static void run_sleep(sim_wave *w, const sim_op *op) {
  w->group->sleepy |= w->group->grid && w->group->schedule != SIM_TIMED;
  w->group->clocks_skipped += 64 * ((uint32_t)op->imm & 127);  // CDNA4 ISA 12, S_SLEEP
}

static void run_sendmsg(sim_wave *w, const sim_op *op) {
  // MSG_INTERRUPT wakes the host, for which a wave that has written a request waits.
  const sim_launch *launch = w->group->launch;
  const char *wrong = "no one receives this message on the simulated device";
  if ((op->raw[0] & 15) == 1) wrong = launch->interrupt ? launch->interrupt(launch->interrupt_context) : NULL;
  if (wrong) sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "%s", wrong);
}

static void run_sethalt(sim_wave *w, const sim_op *op) {
  if (op->raw[0] & 1)
    sim_fault(w, SIM_FAULT_DEADLOCK, op, -1, "the wave halts itself and nothing can resume it");
}

static void run_setkill(sim_wave *w, const sim_op *op) {
  if (op->raw[0] & 1) sim_fault(w, SIM_FAULT_TRAP, op, -1, "the wave kills itself");
}

// By LLVM AMDGPUUsage, "Trap Handler ABI", trap 2 is llvm.trap, trap 3 is llvm.debugtrap, which continues
// when no debugger is attached.
static void run_trap(sim_wave *w, const sim_op *op) {
  unsigned id = op->raw[0] & 255;
  if (id == 3) return;
  sim_fault(w, SIM_FAULT_TRAP, op, -1, "the kernel stopped itself with trap %u%s", id,
            id == 2 ? " (abort, failed assertion or __builtin_trap)" : "");
}

// These are operations of trap handlers and of graphics; a compute kernel has no use for them.
static void run_refuse(sim_wave *w, const sim_op *op) {
  sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "%s belongs to %s, which the simulated device does not run",
            op->info->name, op->info->arg ? "graphics" : "trap handlers");
}

// ---- indexed registers

// M0 holds index (7:0) and enables (15:12); vector operations read it there.
static void set_index(sim_wave *w, uint32_t mask, uint32_t value) {
  w->s[SIM_M0] = (w->s[SIM_M0] & ~mask) | (value & mask);
}

static void run_idx_on(sim_wave *w, const sim_op *op) {
  w->mode |= SIM_MODE_GPR_IDX;
  set_index(w, 0xf0ff, (sim_src32(w, &op->src[0]) & 255) | (op->raw[0] >> 8 & 15) << 12);
}

static void run_idx_off(sim_wave *w, const sim_op *op) {
  (void)op;
  w->mode &= ~(uint32_t)SIM_MODE_GPR_IDX;
}

static void run_idx_idx(sim_wave *w, const sim_op *op) { set_index(w, 0xff, sim_src32(w, &op->src[0])); }
static void run_idx_mode(sim_wave *w, const sim_op *op) { set_index(w, 0xf000, op->raw[0] << 12); }

// s_movrels and s_movreld access the register whose number is that in the instruction plus M0. info->arg is
// the dword count. Returns false after a fault.
static bool indexed(sim_wave *w, const sim_op *op, const sim_operand *base, uint32_t *reg) {
  uint64_t number = (uint64_t)base->reg + w->s[SIM_M0];
  *reg = (uint32_t)number;
  if (number + op->info->arg <= SIM_VCC + 2) return true;
  sim_fault(w, SIM_FAULT_PROGRAM, op, -1, "register number %u plus m0 (%u) is past the last SGPR", base->reg,
            w->s[SIM_M0]);
  return false;
}

static void run_movrels(sim_wave *w, const sim_op *op) {
  uint32_t reg;
  if (indexed(w, op, &op->src[0], &reg)) memmove(&w->s[op->dst[0].reg], &w->s[reg], op->info->arg * 4);
}

static void run_movreld(sim_wave *w, const sim_op *op) {
  uint32_t reg;
  if (!indexed(w, op, &op->dst[0], &reg)) return;
  uint64_t value = op->info->arg == 2 ? sim_src64(w, &op->src[0]) : sim_src32(w, &op->src[0]);
  memcpy(&w->s[reg], &value, op->info->arg * 4);
}

// ---- rows

#define ROW_WITH(mnemonic, signature, handler, class, argument, facts_) \
  {.name = #mnemonic,                                                   \
   .operands = signature,                                               \
   .run = handler,                                                      \
   .chips = SIM_ON_BOTH,                                                \
   .klass = SIM_CLASS_##class,                                          \
   .arg = argument,                                                     \
   .facts = facts_}
#define ROW(mnemonic, signature, handler, class, argument) \
  ROW_WITH(mnemonic, signature, handler, class, argument, 0)
#define BRANCH_ROW(mnemonic, facts, condition) \
  ROW_WITH(mnemonic, "any", run_##mnemonic, BRANCH, 0, SIM_ROW_TARGET | (facts)),

static const sim_opinfo rows[] = {
    // clang-format off
    BRANCH_LIST(BRANCH_ROW)
    // clang-format on
    ROW_WITH(s_branch, "any", run_branch, BRANCH, 0, SIM_ROW_TARGET),
    ROW_WITH(s_call_b64, "=b64,any", run_call, BRANCH, 0, SIM_ROW_TARGET),
    ROW(s_getpc_b64, "=b64", run_getpc, SALU, 0),
    ROW(s_setpc_b64, "b64", run_setpc, BRANCH, 0),
    ROW(s_swappc_b64, "=b64,b64", run_swappc, BRANCH, 0),
    ROW(s_cbranch_g_fork, "b64,b64", run_g_fork, BRANCH, 0),
    ROW(s_cbranch_i_fork, "b64,any", run_i_fork, BRANCH, 0),
    ROW(s_cbranch_join, "b32", run_join, BRANCH, 0),
    ROW(s_cbranch_cdbgsys, "any", run_nothing, BRANCH, 0),
    ROW(s_cbranch_cdbguser, "any", run_nothing, BRANCH, 0),
    ROW(s_cbranch_cdbgsys_or_user, "any", run_nothing, BRANCH, 0),
    ROW(s_cbranch_cdbgsys_and_user, "any", run_nothing, BRANCH, 0),
    ROW(s_waitcnt, "any?", run_waitcnt, WAIT, 0),
    ROW(s_barrier, "", run_barrier, BARRIER, 0),
    ROW_WITH(s_endpgm, "any?", run_endpgm, OTHER, 0, SIM_ROW_END),
    ROW_WITH(s_nop, "any", run_nothing, OTHER, 0, SIM_ROW_NOP),
    ROW_WITH(s_sleep, "any", run_sleep, OTHER, 0, SIM_ROW_SLEEP),
    ROW(s_wakeup, "", run_nothing, OTHER, 0),
    ROW_WITH(s_setprio, "any", run_setprio, OTHER, 0, SIM_ROW_PRIORITY),
    ROW(s_icache_inv, "", run_nothing, OTHER, 0),
    ROW(s_incperflevel, "any", run_nothing, OTHER, 0),
    ROW(s_decperflevel, "any", run_nothing, OTHER, 0),
    ROW(s_ttracedata, "", run_nothing, OTHER, 0),
    ROW_WITH(s_sendmsg, "any", run_sendmsg, OTHER, 0, SIM_ROW_READS_M0),
    ROW_WITH(s_sendmsghalt, "any", run_refuse, OTHER, 0, SIM_ROW_READS_M0),
    ROW(s_sethalt, "any", run_sethalt, OTHER, 0),
    ROW(s_setkill, "any", run_setkill, OTHER, 0),
    ROW(s_trap, "any", run_trap, OTHER, 0),
    ROW(s_rfe_b64, "b64", run_refuse, BRANCH, 0),
    ROW(s_rfe_restore_b64, "b64,b32", run_refuse, BRANCH, 0),
    ROW_WITH(s_endpgm_saved, "", run_refuse, OTHER, 0, SIM_ROW_END),
    ROW_WITH(s_endpgm_ordered_ps_done, "", run_refuse, OTHER, 1, SIM_ROW_END),
    ROW_WITH(s_getreg_b32, "=b32,any", sim_run_getreg, SALU, 0, SIM_ROW_GETREG),
    ROW_WITH(s_setreg_b32, "any,b32", sim_run_setreg, SALU, 0, SIM_ROW_SETREG),
    ROW_WITH(s_setreg_imm32_b32, "any,any", sim_run_setreg_imm32, SALU, 0, SIM_ROW_SETREG),
    ROW(s_setvskip, "b32,b32", sim_run_setvskip, SALU, 0),
    ROW_WITH(s_set_gpr_idx_on, "b32,any", run_idx_on, SALU, 0,
             SIM_ROW_SPREAD(INDEX) | SIM_ROW_SETS_INDEX | SIM_ROW_SETS_INDEX_MODE),
    ROW(s_set_gpr_idx_off, "", run_idx_off, SALU, 0),
    ROW_WITH(s_set_gpr_idx_idx, "b32", run_idx_idx, SALU, 0, SIM_ROW_SPREAD(INDEX) | SIM_ROW_SETS_INDEX),
    ROW_WITH(s_set_gpr_idx_mode, "any", run_idx_mode, SALU, 0,
             SIM_ROW_SPREAD(INDEX) | SIM_ROW_SETS_INDEX_MODE),
    ROW_WITH(s_movrels_b32, "=b32,b32", run_movrels, SALU, 1, SIM_ROW_READS_M0 | SIM_ROW_INDEXES_SOURCE),
    ROW_WITH(s_movrels_b64, "=b64,b64", run_movrels, SALU, 2, SIM_ROW_READS_M0 | SIM_ROW_INDEXES_SOURCE),
    ROW_WITH(s_movreld_b32, "=b32,b32", run_movreld, SALU, 1, SIM_ROW_READS_M0),
    ROW_WITH(s_movreld_b64, "=b64,b64", run_movreld, SALU, 2, SIM_ROW_READS_M0),
};
const sim_optable sim_table_control = {rows, sizeof rows / sizeof rows[0]};
