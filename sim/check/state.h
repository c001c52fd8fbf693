// SPDX-License-Identifier: MIT
// Describes what check mode keeps of a launch, of a work-group and of each of its waves. Each file of this
// folder owns one part.
#ifndef SIM_CHECK_STATE_H
#define SIM_CHECK_STATE_H

#include <pthread.h>

#include "sim/check/check.h"
#include "sim/check/op_facts.h"
#include "sim/check/wait_states.h"
#include "sim/exec/wave.h"

// ---- operations in flight (counters.c)

// The operations of a queue land in the order in which they were issued, except that scalar loads
// (SIM_QUEUE_SMEM) land in any order.
typedef enum sim_queue_kind { SIM_QUEUE_VM, SIM_QUEUE_LDS, SIM_QUEUE_SMEM, SIM_QUEUES } sim_queue_kind;

enum { SIM_QUEUE_LENGTH = 64 };  // a power of two above every counter's depth

typedef struct sim_flight {
  uint32_t op;      // index
  uint32_t serial;  // number in its queue, from 1
  uint64_t lanes;
  bool flat;  // a FLAT operation whose lgkmcnt has not been waited for yet
  // These describe what an LDS read reads: it is checked again after a barrier that did not wait for it. For
  // a copy to LDS address[0] and `bytes` say what it writes.
  bool reads_lds, copies;
  uint32_t bytes, parts, step;
  uint32_t address[SIM_LANES];
} sim_flight;

typedef struct sim_queue_state {
  uint32_t issued, retired;           // serials: retired < s <= issued are in flight
  uint32_t released, released_issue;  // retired and issued when the last barrier opened
  sim_flight flight[SIM_QUEUE_LENGTH];
} sim_queue_state;

// ---- software wait states (check_wait_states.c)

enum { SIM_HISTORY = 32, SIM_PATHS = 4 };

typedef struct sim_history {
  uint32_t op[SIM_HISTORY];  // ring of executed ops ...
  uint64_t at[SIM_HISTORY];  // ... and the states that had passed before each
  uint32_t count;
  uint64_t states;     // wait states that have passed so far
  uint64_t pipe_free;  // states at which the last matrix instruction leaves the pipe
  uint64_t path;       // the path on which the last ops were reached; 0: a straight line
  uint64_t branch_at[SIM_PATHS], branch[SIM_PATHS];
  uint32_t next_branch;
} sim_history;

// ---- a wave

typedef struct sim_check_wave {
  sim_queue_state queue[SIM_QUEUES];
  uint32_t smem_weight, flats;  // what is in flight in lgkmcnt besides LDS operations
  // These are serials in the vector memory queue up to which lgkmcnt says that FLAT operations are over: now,
  // and when the last barrier opened.
  uint32_t flat_retired, flat_released;
  uint64_t busy[SIM_REGISTERS / 64];    // registers that a load in flight will write ...
  uint32_t busy_serial[SIM_REGISTERS];  // ... its serial ...
  uint8_t busy_queue[SIM_REGISTERS];    // ... and its queue
  uint64_t stored[SIM_REGISTERS / 64];  // SGPRs that a scalar store in flight may still read
  uint64_t undefined[SIM_REG_SGPR];     // lanes that nothing has written
  uint32_t undefined_bits[128];         // bits of SGPRs that nothing has written
  bool undefined_scc;
  uint32_t undefined_from;  // op that last brought something undefined in, or SIM_NO_OP
  uint32_t barriers;
  uint64_t epoch_begin;        // instructions of the wave when the last barrier opened
  uint64_t exec;               // EXEC before the instruction
  uint64_t address_undefined;  // lanes whose address is undefined
  uint64_t moved_undefined;    // undefined lanes that a ds_permute will bring
  uint64_t data_undefined[4];  // undefined lanes of the data operands, dword by dword
  sim_history history;
  uint32_t poll_op, poll_count;  // a load repeated from one address
  uint64_t poll_address;
} sim_check_wave;

// ---- LDS

// Says when the first and the last of several accesses happened: instructions that the wave had executed
// since the last barrier.
typedef struct sim_span {
  uint32_t first, last;
} sim_span;

// Says what is known of a dword of LDS; check_lds.c says what stands in the words.
typedef struct sim_lds_dword {
  uint64_t write, read, source;
  sim_span written_at, read_at;
} sim_lds_dword;

// Describes one host thread's part of a launch: the work-group that it runs.
typedef struct sim_check_group {
  sim_check *check;
  const sim_group *group;
  sim_check_wave *waves;
  sim_lds_dword *lds;
  uint32_t epoch;      // number of barriers so far
  uint64_t *verified;  // two per op: paths on which its wait states were found right
  uint8_t *verified_next;
  uint64_t page_number;  // number of the page of global memory used last
  struct sim_page *page;
  bool released, acquired;
  bool polled;  // a volatile load has waited for another work-group
  bool flags;   // waves wait for flags in LDS
  // Findings of this thread, and an index of them by kind and place.
  sim_finding *findings;
  size_t finding_count, finding_capacity;
  bool incomplete;
} sim_check_group;

struct sim_check {
  const sim_launch *launch;
  const sim_program *program;
  sim_op_facts *facts;
  uint32_t waves, lds_bytes;
  uint64_t groups;
  pthread_mutex_t lock;
  sim_finding *findings;
  size_t finding_count, finding_capacity;
  bool incomplete;
  bool flags;               // waves wait for flags in LDS
  struct sim_pages *pages;  // global memory (check_global.c)
};

static inline sim_check_group *sim_check_group_of(const sim_group *g) {
  return g->observer_state[SIM_SEAT_CHECK];
}
static inline sim_check_wave *sim_check_wave_of(const sim_wave *w) {
  return &sim_check_group_of(w->group)->waves[w->id];
}
static inline const sim_op_facts *sim_facts_of(const sim_wave *w, const sim_op *op) {
  return &sim_check_group_of(w->group)->check->facts[op - w->group->program->ops];
}
static inline uint32_t sim_index_of(const sim_wave *w, const sim_op *op) {
  return (uint32_t)(op - w->group->program->ops);
}

// ---- findings.c
// Ends a host thread's part, whose findings become the launch's.
void sim_check_close(void *state);

// Counts a finding of a kind at an op (and another op). Returns the finding when it is the first of its kind
// and place, so that the caller fills in detail and remedy; else NULL.
sim_finding *sim_find(sim_wave *w, sim_finding_kind kind, uint32_t op, uint32_t other, int lane);

// ---- counters.c

void sim_counters_begin(sim_check_wave *c);
// Takes note that the op has been issued with these lanes. Returns the newest flight of its queue, or NULL
// for an op that no queue takes.
sim_flight *sim_counters_issue(sim_check_wave *c, const sim_op_facts *f, uint32_t op, uint64_t lanes);
void sim_counters_wait(sim_check_wave *c, const sim_op_facts *facts, uint32_t vm, uint32_t lgkm);
void sim_counters_release(sim_check_wave *c);
// Writes the wait after which the flight has landed, as text.
void sim_counters_remedy(const sim_check_wave *c, sim_queue_kind queue, uint32_t serial, char *out,
                         size_t size);

// ---- indexed.c

// Gives the op with the registers that it means once M0's index is added, and the facts of that op. Returns
// false if they are the registers that it names, or lie outside the register file, where executing the op is
// a fault.
bool sim_check_indexed(const sim_wave *w, const sim_op *op, const sim_op_facts *f, sim_op *meant,
                       sim_op_facts *meant_facts);

// ---- check_registers.c: before each instruction

void sim_check_registers(sim_wave *w, const sim_op *op, const sim_op_facts *f);

// ---- check_wait_states.c

void sim_check_wait_states(sim_wave *w, const sim_op *op, const sim_op_facts *f);
void sim_check_branched(sim_wave *w, const sim_op *op);  // after a branch was taken

// ---- check_lds.c

void sim_check_lds_begin(sim_check_group *g);
// Takes note that a DS instruction, a copy to LDS or the LDS lanes of a FLAT instruction has been issued.
void sim_check_lds(sim_wave *w, const sim_op *op, const sim_op_facts *f, const sim_access *a,
                   sim_flight *flight);
void sim_check_lds_release(sim_group *g);

// ---- check_uninitialised.c

void sim_undefined_begin(sim_wave *w);
// `meant` is the op with the registers it means, which are those it names unless M0 holds an index; `f` has
// the facts of `meant`.
void sim_undefined_before(sim_wave *w, const sim_op *op, const sim_op *meant, const sim_op_facts *f);
void sim_undefined_after(sim_wave *w, const sim_op *op, const sim_op_facts *f, const sim_access *a);
// Returns the lanes of a FLAT access that reach the work-group's LDS.
uint64_t sim_lds_lanes(const sim_wave *w, const sim_access *a);
// Takes note that LDS has given undefined dwords to these lanes of a result row.
void sim_undefined_loaded(sim_wave *w, const sim_op *op, unsigned row, uint64_t lanes, uint64_t undefined);

// ---- check_global.c

struct sim_pages *sim_pages_create(uint64_t groups);
void sim_pages_free(struct sim_pages *pages);
void sim_check_order(sim_wave *w, const sim_op_facts *f);  // called for an op that orders work-groups
void sim_check_global(sim_wave *w, const sim_op *op, const sim_op_facts *f, const sim_access *a);

// ---- check_ranges.c
void sim_check_range(sim_wave *w, const sim_op *op, uint64_t lanes);

// ---- check_written.c

// Returns the lanes of a load for which a byte of this dword was never written.
uint64_t sim_unwritten_lanes(const sim_access *a, unsigned dword);
void sim_check_written(sim_wave *w, const sim_op *op, const sim_op_facts *f, const sim_access *a);

// ---- check_barriers.c

void sim_check_barrier_end(sim_group *g);  // called when the work-group has ended or faulted

#endif
