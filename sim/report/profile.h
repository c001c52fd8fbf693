// SPDX-License-Identifier: MIT
// Describes what the simulated runtime leaves behind for a profiler: a stream of records in one file per
// process. It is written and read by programs of one build on one host, so numbers stand in it as they do in
// memory.
#ifndef SIM_REPORT_PROFILE_H
#define SIM_REPORT_PROFILE_H

#include <stdio.h>

#include "sim/timing/timing.h"

// Describes one op of the code, between the first and the last that was issued.
typedef struct sim_profile_op {
  uint64_t offset;      // bytes from the kernel's first instruction
  uint32_t klass;       // sim_class
  uint32_t target;      // where a direct branch goes: index in this list; UINT32_MAX for other ops, and for
                        // places outside it
  uint32_t text, size;  // disassembly: offset in `text`; bytes of the encoding
  // These are the source lines that it was compiled from: `frame` is the index in `frames` of the innermost,
  // which is followed by those that it was inlined into; there are none without line tables.
  uint32_t frame, frame_count;
  sim_timing_op seen;
} sim_profile_op;

typedef struct sim_profile_frame {
  uint32_t file, line;  // file: its path, an offset in `text`
} sim_profile_frame;

// Describes a launch that was timed. Numbers of the chip stand here so that a reader needs no table of its
// own.
typedef struct sim_profile_facts {
  uint64_t shape;  // number of kernel, grid, block and arguments: launches with equal ones are taken as equal
  uint32_t grid[3], block[3];
  uint32_t static_lds, dynamic_lds, vgprs, allocated_vgprs, agprs, sgprs, scratch_bytes, vgpr_spills,
      sgpr_spills;
  uint32_t groups_per_cu, group_waves;  // work-groups that a compute unit holds; waves of a work-group
  uint32_t cu_lds;                      // LDS bytes of a compute unit
  uint32_t cus, simds_per_cu, waves_per_simd, xcds, clock_mhz;
  double hbm_bytes_per_second;  // peak
  // The levels pass on at most so many bytes per second, at the highest clock (sim_level_read_rate).
  double read_limit[WT_SIM_LEVELS], write_limit[WT_SIM_LEVELS];
  uint32_t mode;  // wt_sim_timing_mode
  // Index in `ops` of the branch that closes the loop with most matrix work, or UINT32_MAX.
  uint32_t loop_branch;
  wt_sim_timing_result result;
  uint64_t op_count, text_size, issue_count, frame_count;
} sim_profile_facts;

typedef struct sim_profile_launch {
  sim_profile_facts facts;
  char *kernel, *chip, *target;  // name; "AMD Instinct MI355X (simulated)"; "gfx950"
  sim_profile_op *ops;
  char *text;  // op_count strings, and those of frames
  sim_profile_frame *frames;
  sim_timing_issue *issues;  // of one compute unit, in order; .op is an index in `ops`
} sim_profile_launch;

typedef enum sim_profile_kind {
  SIM_PROFILE_TIMED = 1,  // a sim_profile_launch
  SIM_PROFILE_EQUAL,      // shape of a launch that was not timed, but taken as equal to the timed one before
  SIM_PROFILE_ALIKE  // as SIM_PROFILE_EQUAL, but its arguments differ from those of any launch that was timed
} sim_profile_kind;

typedef struct sim_profile_record {
  sim_profile_kind kind;
  uint64_t shape;              // number of the launch whose time it takes
  sim_profile_launch *launch;  // set for SIM_PROFILE_TIMED; else NULL
} sim_profile_record;

// Appends a record. Returns false when it could not be written (errno).
bool sim_profile_write_launch(FILE *file, const sim_profile_launch *launch);
bool sim_profile_write_shape(FILE *file, sim_profile_kind kind, uint64_t shape);

// Reads the next record. Returns false at the end of the file, and also, with *broken set, when what follows
// is no record. The caller frees the launch.
bool sim_profile_read(FILE *file, sim_profile_record *out, bool *broken);
void sim_profile_launch_free(sim_profile_launch *launch);

#endif
