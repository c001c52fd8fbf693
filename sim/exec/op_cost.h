// SPDX-License-Identifier: MIT
// Describes what the compute unit must know of an instruction besides what it did: unit, cycles, registers.
// There is one row per op of a program, made once per launch.
#ifndef SIM_EXEC_OP_COST_H
#define SIM_EXEC_OP_COST_H

#include "sim/isa/program.h"
#include "sim/machine/machine.h"

enum {
  SIM_CU_SIMDS = 4,
  SIM_CU_PAIRS = 2  // of SIMDs: 0 and 2, 1 and 3 (GGT docs/lds_throughput.md)
};

typedef enum sim_unit {
  SIM_UNIT_VALU,
  SIM_UNIT_MFMA,
  SIM_UNIT_LDS,
  SIM_UNIT_VMEM,
  SIM_UNIT_SCALAR,  // SALU and scalar memory share a category (rocprofiler-compute documentation)
  SIM_UNIT_BRANCH,
  SIM_UNIT_INTERNAL,  // consumed by the sequencer: waits, barriers, s_nop, s_setprio, s_endpgm
  SIM_UNITS
} sim_unit;

typedef enum sim_internal {
  SIM_INTERNAL_NONE,
  SIM_INTERNAL_WAIT,
  SIM_INTERNAL_BARRIER,
  SIM_INTERNAL_PAUSE,  // s_nop, s_sleep: the wave pauses for `cycles`
  SIM_INTERNAL_PRIORITY,
  SIM_INTERNAL_END
} sim_internal;

typedef struct sim_registers {
  uint16_t first, count;  // rows: v0 to v255 are 0 to 255, a0 to a255 are 256 to 511
} sim_registers;

enum { SIM_OP_SOURCES = 6, SIM_OP_RESULTS = 2 };

typedef struct sim_op_cost {
  uint8_t unit;                        // sim_unit
  uint8_t internal;                    // sim_internal
  uint8_t klass;                       // sim_class, which says what the trace holds for the op
  uint32_t first_window, last_window;  // windows of instruction fetch where the encoding begins and ends
  uint8_t source_count, result_count;
  sim_registers source[SIM_OP_SOURCES], result[SIM_OP_RESULTS];  // memory instructions have no results here
  uint32_t cycles;  // VALU: cycles of its port; pause: of the wave; MFMA: of the matrix pipe
  // MFMA: source 2 is the accumulator.
  uint32_t read_cycles;                  // cycles in which no other vector or memory instruction issues
  uint32_t port_cycles;                  // cycles in which no other vector instruction issues
  uint32_t lead_cycles;                  // cycles for loading scales, which may overlap the MFMA before
  uint32_t to_use, to_overlap, to_same;  // cycles from its issue to the issue of a consumer
  bool packed;                           // packed f32: does not run beside an MFMA
  // LDS
  uint32_t phases;               // cycles of the banks without conflicts
  bool bank_reads, bank_writes;  // which of the banks' two ports it takes; atomics take both
  uint32_t in_bytes, out_bytes;  // bytes to LDS, addresses and data; bytes back
  bool returns;                  // data
  // VMEM
  uint32_t bytes;  // bytes per lane
  bool store, direct, counted;
  bool bypass;  // bypasses L1: device scope or wider, and streaming (ISA4, "Memory scopes")
  // s_waitcnt
  uint8_t vm, lgkm;
  uint8_t priority;
  uint8_t scalar_weight;  // what it adds to lgkmcnt
  bool clock;             // s_memtime
} sim_op_cost;

// Returns one row per op and one for the end of the program, which the caller frees; NULL when host memory
// runs out.
sim_op_cost *sim_op_costs(const sim_program *program, const sim_machine *machine);

#endif
