// SPDX-License-Identifier: MIT
// State of a wave and of its work-group while a kernel runs, and the operand access every handler shares.
#ifndef SIM_EXEC_WAVE_H
#define SIM_EXEC_WAVE_H

#include <string.h>

#include "sim/exec/bits.h"
#include "sim/exec/launch.h"
#include "sim/exec/lds_conflicts.h"
#include "sim/exec/memory.h"
#include "sim/exec/mode.h"
#include "sim/exec/observer.h"
#include "sim/exec/pending.h"
#include "sim/exec/timed.h"
#include "sim/isa/op.h"
#include "sim/isa/program.h"

enum {
  SIM_LANES = 64,
  SIM_ACC = 256,  // row of a0
  SIM_VCC = 106,  // SGPR numbers: CDNA3 ISA 3.1 and table "SGPR / constant encodings"
  SIM_M0 = 124,
  SIM_EXEC = 126
};

enum { SIM_RECENT = 4 };  // allocations a work-group remembers

typedef enum sim_wave_state {
  SIM_WAVE_RUN,
  SIM_WAVE_BARRIER,
  SIM_WAVE_GRID,  // waits for other work-groups (sim/exec/resident.h)
  SIM_WAVE_DONE
} sim_wave_state;

typedef struct sim_group sim_group;

struct sim_wave {
  _Alignas(64) uint32_t v[512][SIM_LANES];  // VGPR rows: v0..v255, a0..a255
  _Alignas(64) uint32_t s[128];             // SGPRs by hardware number
  uint32_t scc;
  uint32_t mode;      // MODE register: SIM_MODE_*
  uint32_t priority;  // s_setprio
  uint32_t pc;        // index of the next op; already advanced when a handler runs; branches overwrite it
  uint32_t id;        // number of the wave in the work-group
  sim_wave_state state;
  uint64_t due;     // `timed`: the cycle before which it issues nothing
  uint64_t opened;  // sim_grid.opened when the wave began to wait for it
  uint64_t instructions;
  struct {                  // the last reading of the clock
    uint64_t instructions;  // at that time
    uint32_t vm, lds;       // operations issued then
    uint32_t polls;
    uint32_t row;    // readings in a row with nothing but arithmetic between them
    uint64_t begun;  // clock at the first of them
  } clock;
  // Holds the host address of the wave's scratch: byte b of lane l is at scratch + l * scratch_stride + b.
  uint64_t scratch;
  uint32_t scratch_stride;  // bytes per work-item
  sim_group *group;
  sim_pending pending;
};

typedef enum sim_schedule {
  SIM_LATE,
  SIM_EARLY,
  SIM_LOCKSTEP,
  SIM_RANDOM,
  SIM_LATE_VMEM,
  SIM_LATE_LDS,
  SIM_TIMED
} sim_schedule;

// Says how products of one matrix instruction are added (WT_SIM_MFMA).
typedef enum sim_mfma_mode {
  SIM_MFMA_EXACT,  // as the hardware does (sim/exec/mfma/grouped.c)
  SIM_MFMA_FAST    // one after the other, each with one rounding
} sim_mfma_mode;

struct sim_group {
  const sim_launch *launch;
  const sim_program *program;
  uint8_t *lds;
  uint32_t lds_bytes;                   // size of this work-group's allocation: static + dynamic
  sim_lds_count *lds_counts;            // one per op of the program; NULL unless bank conflicts are counted
  sim_lds_count lds_total, lds_traced;  // their sum, and how much of it the timing model has seen
  bool observed;                        // by at least one observer
  const sim_observer *observer[SIM_SEATS];  // NULL where nobody watches this work-group
  void *observer_state[SIM_SEATS];
  int part;  // sim_share.part
  sim_wave *waves;
  uint32_t wave_count;
  uint32_t id[3];
  uint64_t index;     // position in dispatch order
  uint64_t position;  // position in the order of execution; equal to index unless sim_selection.nth reorders
  uint64_t round;     // scheduler rounds so far; `timed`: cycles
  uint64_t issued;    // vector memory operations so far (pending.c)
  uint32_t writes;    // number of those outstanding that write memory
  uint64_t rng;       // state of the schedule fuzzer
  uint32_t leader, lead_left;  // `late`: the wave that runs ahead, and for how many instructions still
  sim_schedule schedule;
  sim_timed timed;
  uint64_t budget;  // instructions left
  bool probe;       // the work-group ends without a fault when its budget is used up (sim/timing)
  // Range checks of buffers by byte count the SGPR offset too, as gfx950 does (ROCm/rocm-systems #10928).
  // CDNA4 ISA 9.1.5.2 and LLVM say that it takes no part; a program should be right under both.
  bool soffset_in_range;
  bool fault_by_page;  // an access faults outside the pages of every allocation, not outside its bytes
  sim_mfma_mode mfma;
  sim_fault_kind fault;
  char report[2048];
  // The last allocations found, valid while memory_generation is sim_memory_generation().
  sim_allocation recent[SIM_RECENT];
  uint32_t next_recent;
  uint64_t memory_generation;
  // Orders what work-groups do to each other; NULL when not needed.
  struct sim_order *order;
  bool unread;  // nobody looks at what the launch leaves in memory: it is executed for its time only
  struct sim_grid *grid;  // shared by work-groups that run at the same time; NULL where each runs to its end
  bool sleepy;  // others are to run first: a wave of a grid has executed s_sleep (not under `timed`), or all
                // waves only poll
  bool moved;   // memory has been changed since this work-group was last resumed
  uint32_t idle_polls;                     // polls since memory was last changed
  sim_memory_kind watched;                 // where the last poll looked
  uint64_t clocks_skipped;                 // by sleeps and by loops that only wait for the clock
  uint64_t reserve;                        // instructions that are added to the budget when it is used up
  struct sim_monitor *monitor;             // NULL: nobody watches how long it takes
  uint32_t samples, loop_begin, loop_end;  // monitor.c: looks to come; ops between which the waves were
};

// Lets an observer watch the work-group.
static inline void sim_watch_group(sim_group *g, sim_seat seat, const sim_observer *calls, void *state) {
  g->observed = true;
  g->observer[seat] = calls;
  g->observer_state[seat] = state;
}

// ---- registers

static inline uint64_t sim_s64(const sim_wave *w, unsigned reg) {
  return w->s[reg] | (uint64_t)w->s[reg + 1] << 32;
}

static inline void sim_set_s64(sim_wave *w, unsigned reg, uint64_t value) {
  w->s[reg] = (uint32_t)value;
  w->s[reg + 1] = (uint32_t)(value >> 32);
}

static inline uint64_t sim_exec(const sim_wave *w) { return sim_s64(w, SIM_EXEC); }

// Reads a scalar source operand: SGPR, constant or special register. Modifiers are not applied.
uint64_t sim_special(const sim_wave *w, unsigned code);

static inline uint32_t sim_src32(const sim_wave *w, const sim_operand *o) {
  if (o->kind == SIM_OPND_SGPR) return w->s[o->reg];
  if (o->kind == SIM_OPND_CONST) return (uint32_t)o->value;
  return (uint32_t)sim_special(w, o->reg);
}

static inline uint64_t sim_src64(const sim_wave *w, const sim_operand *o) {
  if (o->kind == SIM_OPND_SGPR) return sim_s64(w, o->reg);
  if (o->kind == SIM_OPND_CONST) return o->value;
  return sim_special(w, o->reg);
}

static inline void sim_dst32(sim_wave *w, const sim_operand *o, uint32_t value) { w->s[o->reg] = value; }
static inline void sim_dst64(sim_wave *w, const sim_operand *o, uint64_t value) {
  sim_set_s64(w, o->reg, value);
}

// Returns dword `index` of a vector source for all lanes: the register row itself, or `scratch` filled with
// the scalar. Modifiers are not applied; s_set_gpr_idx indexing is not applied (sim/exec/vector does both for
// VALU operations).
static inline const uint32_t *sim_row(const sim_wave *w, const sim_operand *o, unsigned index,
                                      uint32_t scratch[SIM_LANES]) {
  if (o->kind == SIM_OPND_VGPR) return w->v[o->reg + index];
  uint32_t value = o->kind == SIM_OPND_SGPR    ? w->s[o->reg + index]
                   : o->kind == SIM_OPND_CONST ? (uint32_t)(o->value >> (32 * (index & 1)))
                                               : (uint32_t)(sim_special(w, o->reg) >> (32 * (index & 1)));
  for (int lane = 0; lane < SIM_LANES; ++lane) scratch[lane] = value;
  return scratch;
}

// ---- memory

// Returns the allocation that contains `address`, NULL when there is none. It is valid until the next call.
// The group keeps the last few: a GEMM alternates between its matrices.
const sim_allocation *sim_find_allocation(sim_group *g, uint64_t address);

// Returns true when every active lane's [address, address + bytes) lies inside one allocation each; else
// raises SIM_FAULT_ADDRESS with the first offending lane and returns false. It is fast when all lanes fall
// into one allocation.
bool sim_check_addresses(sim_wave *w, const sim_op *op, const uint64_t address[SIM_LANES], uint64_t lanes,
                         uint32_t bytes);

// Waits until it is this work-group's part to change or read what others share (order.h), when the program
// needs that for results that do not depend on the number of host threads. It is called before landing an
// order-sensitive global atomic.
void sim_wait_in_order(sim_wave *w);
// Must be called when an operation with SIM_F_POLLS looks at an address: a work-group that only polls is to
// let others run.
void sim_note_poll(sim_wave *w, uint64_t address);
// Must be called when memory has been changed.
static inline void sim_move(sim_group *g) {
  g->moved = true;
  g->idle_polls = 0;
}

// ---- faults (sim/exec/fault.c)

// Stops the work-group and writes the report: kernel, offset, disassembly, work-group, wave, then the
// formatted detail. lane < 0: the whole wave. The first fault of a work-group is kept.
__attribute__((format(printf, 5, 6))) void sim_fault(sim_wave *w, sim_fault_kind kind, const sim_op *op,
                                                     int lane, const char *format, ...);
// Calls sim_fault(SIM_FAULT_ADDRESS) with the address, the size of the access and the nearest allocation.
void sim_fault_address(sim_wave *w, const sim_op *op, int lane, uint64_t address, uint32_t bytes);

// ---- running (sim/exec/group.c)

// Runs the work-group's waves, interleaved instruction by instruction under the schedule, until all have
// ended or one faulted. Returns false when they only poll: others are to run before it is run on.
bool sim_group_run(sim_group *group);
// Runs one instruction of the wave, or ends the work-group with a fault when its budget is used up.
void sim_group_step(sim_wave *w);
// Runs a work-group that has a grid for about so many rounds, or until a wave sleeps or all wait for other
// work-groups. Returns false when no wave could run at all.
bool sim_group_run_for(sim_group *group, uint64_t rounds);

// Makes the wave wait at a barrier until every wave of the work-group that has not ended waits too.
void sim_barrier(sim_wave *w);
// Moves the wave to a byte offset of the code image; faults when no instruction begins there.
void sim_jump(sim_wave *w, const sim_op *op, uint64_t offset);
// Ends the wave: lands everything outstanding.
void sim_end_wave(sim_wave *w);

#endif
