// SPDX-License-Identifier: MIT
// One compute unit: four SIMDs with their resident waves, LDS, and the path to memory. Time is in cycles from
// the start of the launch. compute_unit.c issues instructions, lds.c and vmem.c serve them.
#ifndef SIM_TIMING_COMPUTE_UNIT_H
#define SIM_TIMING_COMPUTE_UNIT_H

#include "sim/exec/op_cost.h"
#include "sim/timing/alike.h"
#include "sim/timing/fetch.h"
#include "sim/timing/memory.h"
#include "sim/timing/timing.h"

enum {
  SIM_CU_WAVES = 8,  // per SIMD
  SIM_CU_ROWS = 512,
  SIM_CU_OTHERS = 7,  // dies besides the one timed in detail
  SIM_CU_QUEUE = 16   // the most a queue of the model holds
};

#define SIM_CU_UNKNOWN UINT64_MAX  // an operation whose end is not known yet

typedef struct sim_cu_group {
  uint32_t live, arrived;
} sim_cu_group;

// Describes the result of an MFMA in a register, for the MFMAs that accumulate on it.
typedef struct sim_cu_result {
  uint64_t ready;          // when it is ready for any other use
  uint64_t overlap, same;  // when it is ready for accumulation
  const sim_opinfo *info;  // NULL: not the result of an MFMA
  uint16_t first;          // first register of the result that it belongs to
} sim_cu_result;

typedef struct sim_cu_other {
  sim_trace_reader reader;
  uint64_t group;     // its index in the launch
  sim_stand_in like;  // whose trace it takes
} sim_cu_other;

typedef struct sim_cu_wave {
  sim_cu_group *group;  // NULL: the place is free
  sim_trace_reader reader;
  const sim_op_cost *cost;  // cost of the next op
  uint64_t next;            // cycle before which it issues nothing
  uint64_t started;
  uint32_t number;  // number among the unit's waves, in the order of their start
  bool at_barrier;
  uint32_t simd, priority;
  uint64_t paused;  // since when it waits at a barrier
  // Instruction fetch: the window the last instruction began in, and when the first of it issued.
  uint32_t window;
  uint64_t window_begun;
  // These are the cycles in which the operations that a counter counts are done, oldest first.
  uint64_t vm[64], lds[16], scalar[16];
  uint8_t scalar_weight[16];
  uint32_t vm_head, vm_count, lds_head, lds_count, scalar_count;
  // These say when the hot loop's branch was first and last passed, and for how many cycles the matrix pipe
  // had been busy by then.
  uint64_t loop_first, loop_last, loop_busy_first, loop_busy_last;
  uint64_t clock_first, clock_last;  // when the wave first and last read the clock
  // These are the same wave of the work-groups that run on the other dies at the same time; reader.at NULL:
  // none.
  sim_cu_other other[SIM_CU_OTHERS];
  sim_cu_result row[SIM_CU_ROWS];
} sim_cu_wave;

typedef struct sim_simd {
  sim_cu_wave *wave[SIM_CU_WAVES];  // in order of age
  uint32_t count;
  uint64_t port_free;              // VALU port
  uint64_t matrix_free;            // matrix pipe
  uint64_t operand_free;           // register ports: no vector, LDS or memory instruction issues before
  uint64_t matrix_busy;            // cycles of all MFMAs issued
  const sim_cu_wave *matrix_wave;  // the wave whose MFMA is the last
} sim_simd;

typedef struct sim_lds_request {
  sim_cu_wave *wave;
  uint32_t slot;  // in wave->lds
  bool reads, writes;
  uint32_t bank_cycles, in_cycles, out_cycles;
} sim_lds_request;

typedef struct sim_lds_pair {
  sim_lds_request waiting[SIM_CU_QUEUE];
  uint64_t served[SIM_CU_QUEUE];  // when a served request leaves the queue
  uint32_t head, count, served_head, served_count;
  uint64_t in_free, out_free;  // when the path to LDS and the path back are free
} sim_lds_pair;

typedef struct sim_lds_copy {  // the data of a direct-to-LDS load
  sim_cu_wave *wave;
  uint32_t slot;  // in wave->vm
  uint32_t cycles;
  uint64_t arrives;
} sim_lds_copy;

enum { SIM_CU_COPIES = 512, SIM_CU_LINES = 1024 };

typedef struct sim_lds {
  sim_lds_pair pair[SIM_CU_PAIRS];
  sim_lds_copy copy[SIM_CU_COPIES];
  uint32_t copy_head, copy_count, turn;
  uint64_t read_free, write_free;  // the banks' ports
} sim_lds;

typedef struct sim_vmem_request {
  sim_cu_wave *wave;
  const sim_op_cost *cost;
  uint32_t slot, count, tags;
  sim_trace_access line[SIM_TRACE_LINES];
} sim_vmem_request;

typedef struct sim_flight {  // lines in flight, oldest first
  uint64_t done[SIM_CU_LINES];
  uint32_t head, count;
} sim_flight;

typedef struct sim_vmem {
  sim_vmem_request queue[SIM_CU_QUEUE];
  uint32_t head, count;
  uint64_t address_free, store_free, data_free;
  double fill_free;
  uint32_t loads;  // number of loads so far
  sim_flight reads, writes;
  sim_cache tcp, scalar;
} sim_vmem;

typedef struct sim_cu {
  const sim_machine *machine;
  const sim_timing *timing;
  const sim_program *program;
  const sim_op_cost *costs;
  const sim_alike *alike;  // finds traces for work-groups of other dies
  sim_memory_model *memory;
  sim_fetch *fetch;
  wt_sim_timing_result *result;  // sums over all units
  sim_timing_op *ops;            // what is seen of each op; NULL when nobody asks
  sim_timing_issues *issues;     // the unit's issues in a stretch of time; NULL when nobody asks
  uint32_t hot_branch;           // op that closes the hot loop
  sim_simd simd[SIM_CU_SIMDS];
  sim_cu_wave *waves;    // SIM_CU_SIMDS * SIM_CU_WAVES places
  sim_cu_group *groups;  // as many places as waves
  sim_lds lds;
  sim_vmem vmem;
  uint32_t resident;    // work-groups that run
  uint32_t started;     // waves started so far
  uint64_t sleeps;      // cycle before which nothing happens
  uint64_t last_write;  // when the last store is in L2
  double loop_cycles, loop_busy;
} sim_cu;

// The caller has set the fields up to hot_branch. Returns false when host memory runs out.
bool sim_cu_make(sim_cu *cu);
void sim_cu_free(sim_cu *cu);
// Starts work-group `index` at cycle `now`; the caller knows that it fits. The `others` work-groups that
// follow it in the launch run on the other dies. The work-group has ended when the result's `live` is 0.
const sim_cu_group *sim_cu_start(sim_cu *cu, const sim_group_trace *trace, uint64_t index, uint32_t others,
                                 uint64_t now);
// Runs one cycle. Returns the number of work-groups that ended in it.
uint32_t sim_cu_step(sim_cu *cu, uint64_t now);

// ---- lds.c
bool sim_lds_full(sim_lds *lds, uint32_t simd, const sim_timing *t, uint64_t now);
void sim_lds_enqueue(sim_cu *cu, sim_cu_wave *w, const sim_op_cost *cost, uint32_t conflicts);
void sim_lds_step(sim_cu *cu, uint64_t now);
bool sim_lds_idle(const sim_lds *lds);

// ---- vmem.c
bool sim_vmem_make(sim_vmem *v, const sim_timing *t);
void sim_vmem_free(sim_vmem *v);
bool sim_vmem_full(const sim_vmem *v, const sim_timing *t);
void sim_vmem_step(sim_cu *cu, uint64_t now);
// Returns the cycle in which a scalar access of this line is done.
uint64_t sim_vmem_scalar(sim_cu *cu, uint64_t line, uint64_t now);

#endif
