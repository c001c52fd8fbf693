// SPDX-License-Identifier: MIT
// Describes what a wave did, for the timing model: the branches it took, for each memory instruction what it
// asked of LDS, the caches or the scalar cache, and whether it skips vector instructions. All else follows
// from the program. A trace is a stream of variable-length numbers per wave, written while the wave executes
// and read once, in order.
#ifndef SIM_TIMING_TRACE_H
#define SIM_TIMING_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/isa/op.h"
#include "sim/isa/program.h"

enum { SIM_TRACE_LINE = 128, SIM_TRACE_LINES = 256, SIM_TRACE_ALLOCATIONS = 8, SIM_TRACE_PARTS = 16 };

// Describes an allocation, or a part of one that an argument of the launch points to, and the line of it that
// was touched first.
typedef struct sim_trace_touch {
  uint64_t begin, first;  // numbers of lines
  uint64_t at;            // instructions the wave had executed by then
} sim_trace_touch;

typedef struct sim_wave_trace {
  uint8_t *bytes;
  size_t size, capacity;
  sim_trace_touch touch[SIM_TRACE_ALLOCATIONS];  // by vector memory instructions; allocations beyond these
                                                 // are not told apart
  uint32_t touched;
  uint32_t first;   // index of the wave's first op
  bool sets_vskip;  // the wave has executed ops that may turn MODE.VSKIP on: each is followed by what it did
  uint64_t last_line;  // state of the encoder: the line of the access before
  uint64_t last_scalar;
} sim_wave_trace;

// Says where arguments of a launch point into allocations: operands that lie in one allocation are told apart
// by that. Pointers to their beginnings are not listed, nor those beyond the first ones.
typedef struct sim_trace_parts {
  uint32_t count;
  uint64_t begin[SIM_TRACE_PARTS];  // numbers of lines
} sim_trace_parts;

typedef struct sim_group_trace {
  const sim_trace_parts *parts;
  uint32_t wave_count;
  sim_wave_trace *waves;  // NULL: this work-group was not traced
  bool out_of_memory;
} sim_group_trace;

// Begins a trace for a work-group of `waves` waves; sets out_of_memory when host memory runs out. The parts
// must outlive the execution.
void sim_trace_begin(sim_group_trace *trace, const sim_trace_parts *parts, uint32_t waves);
void sim_trace_free(sim_group_trace *trace);

// Records what op `op`, which the wave has just executed, left to record. It is called after every
// instruction of a traced wave.
void sim_trace_step(sim_group_trace *trace, sim_wave *w, const sim_op *op);

// ---- reading

typedef struct sim_trace_reader {
  const uint8_t *at, *end;
  uint32_t op;  // index of the next op that the wave executed: those that MODE.VSKIP skips are left out
  uint64_t last_line, last_scalar;
  const sim_program *program;  // NULL unless the trace tells of MODE.VSKIP
  bool vskip;
} sim_trace_reader;

// Describes one line of a vector memory instruction: its number (byte address / 128), and which 64-byte
// halves of it are touched.
typedef struct sim_trace_access {
  uint64_t line;
  uint8_t halves;
} sim_trace_access;

sim_trace_reader sim_trace_read(const sim_wave_trace *trace, const sim_program *program);
bool sim_trace_ended(const sim_trace_reader *r);
// These return what was recorded for the op at r->op, whose kind the caller knows, and move r->op to the next
// op.
void sim_trace_next_plain(sim_trace_reader *r);
bool sim_trace_next_branch(sim_trace_reader *r);   // true when the wave went elsewhere than to the next op
uint32_t sim_trace_next_lds(sim_trace_reader *r);  // conflict cycles + 1; 0: no lane was active
// Returns the number of lines. *tags becomes the number of look-ups: lanes whose data passes in one cycle
// look a line up once.
uint32_t sim_trace_next_vmem(sim_trace_reader *r, sim_trace_access lines[SIM_TRACE_LINES], uint32_t *tags);
uint64_t sim_trace_next_scalar(sim_trace_reader *r);  // byte address / 64
// Moves past one op of any kind. Returns the number of lines it touches, 0 for all but vector memory.
uint32_t sim_trace_next_access(sim_trace_reader *r, const sim_program *program,
                               sim_trace_access lines[SIM_TRACE_LINES]);

#endif
