// SPDX-License-Identifier: MIT
// Describes the note in which a kernel tells tools which pipeline it runs (pipeline_note.h writes it,
// `wavetile schedule` reads it), in C and C++. It is an ELF note of owner "wavetile" in section
// ".note.wavetile". It has the address of a place in the kernel's code, 8 bytes, and these structs of bytes:
//
//   wt_note_pipeline      once
//   wt_note_buffer        `buffers` times
//   wt_note_op            `ops` times
//   wt_note_boundary      for each row of the plan, in front of each of its clusters
//
// The rows are `depth` iterations of the prologue, `storing` that store, `phases` of the body, which repeat,
// and `drains` of the epilogue.
#ifndef WT_SCHED_PIPELINE_NOTE_FORMAT_H
#define WT_SCHED_PIPELINE_NOTE_FORMAT_H

// Names the type of the note, which is the version of this format as well.
#define WT_NOTE_PIPELINE_1 1

// These are the values of wt_note_op.what, in the order of wt::sched::does.
enum {
  WT_NOTE_COPY,
  WT_NOTE_FETCH,
  WT_NOTE_PUT,
  WT_NOTE_READ,
  WT_NOTE_MULTIPLY,
  WT_NOTE_VECTOR,
  WT_NOTE_ADVANCE,
  WT_NOTE_STORE,
  WT_NOTE_APPLY,
  WT_NOTE_DOES  // how many there are
};

// This stands for the fragment and the buffer of scales or of a start that a product does not take, for the
// buffer of a fragment that comes from none (a vector makes it, or it is loaded before the run), and for no
// pointer.
enum { WT_NOTE_NONE = 255 };

// These counts in a wt_note_waits wait for nothing (ops/isa/sync.h).
enum { WT_NOTE_ANY_VMEM = 63, WT_NOTE_ANY_LDS = 15 };

// This is a wave's wait: the counts of vmcnt and lgkmcnt that may remain.
typedef struct wt_note_waits {
  unsigned char vmem, lds;
} wt_note_waits;

// This is a schedule (wt::sched::schedule), and what was derived of it as a whole.
typedef struct wt_note_pipeline {
  unsigned char buffers, ops, clusters;
  unsigned char lag_from;        // the first wave that lags, in ping-pong; 0: in step
  unsigned char leaders;         // in step: so many waves, the first ones, lead; 0: none do
  unsigned char by_register;     // 1: the compiler waits for the reads of an interval's own operands; else 0
  unsigned char copies_first;    // 1: the prologue issues its copies and fetches before all else; else 0
  unsigned char stores_between;  // that the caller issues behind them
  unsigned char depth, storing, phases, drains;
  unsigned char least_steps;
  wt_note_waits settled;  // at the end of the prologue
} wt_note_pipeline;

// This is a buffer: its name, padded with zeros and empty if it has none, and its stages.
typedef struct wt_note_buffer {
  char name[7];
  unsigned char stages;
} wt_note_buffer;

// This is an op (wt::sched::op).
typedef struct wt_note_op {
  unsigned char what, cluster, events;
  unsigned char buffer, part, fragment, ahead;
  unsigned char pointer;            // addresses that a read uses or an advance is for; WT_NOTE_NONE: none
  unsigned char through_registers;  // 1: a copy that lgkmcnt counts; else 0
  unsigned char a_fragment, a_buffer, b_fragment, b_buffer, sum;
  unsigned char scale_a_fragment, scale_a_buffer, scale_b_fragment, scale_b_buffer;
  unsigned char start_fragment, start_buffer;
  unsigned char steps, iterations;
  // These are of a vector: its number, its name as of a buffer, and a bit for each sum that it takes,
  // fragment that it makes and sum that it updates, from the lowest bit of the first byte on.
  unsigned char number;
  char name[7];
  unsigned char takes[4], makes[4], updates[4];
} wt_note_op;

// This is what stands in front of a cluster (wt::sched::boundary).
typedef struct wt_note_boundary {
  wt_note_waits before;
  unsigned char barrier;  // 0 or 1
  wt_note_waits after;
} wt_note_boundary;

#endif
