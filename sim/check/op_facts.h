// SPDX-License-Identifier: MIT
// Describes what check mode needs to know of an op: the registers that it reads and writes, implied ones too,
// and the counter that counts it. The facts are found once per launch.
#ifndef SIM_CHECK_OP_FACTS_H
#define SIM_CHECK_OP_FACTS_H

#include "sim/isa/program.h"

// Registers are numbered in one sequence: VGPR rows as in sim_wave.v, then SGPRs.
enum { SIM_REG_SGPR = 512, SIM_REGISTERS = SIM_REG_SGPR + 128 };

typedef struct sim_reg_run {
  uint16_t first, count;
} sim_reg_run;

typedef enum sim_memory_path {
  SIM_PATH_NONE,
  SIM_PATH_LDS,
  SIM_PATH_VM,
  SIM_PATH_FLAT,
  SIM_PATH_SMEM
} sim_memory_path;

enum {  // sim_op_facts.flags
  SIM_FACT_RETURNS = 1 << 0,
  SIM_FACT_STORES = 1 << 1,
  SIM_FACT_ATOMIC = 1 << 2,
  SIM_FACT_DIRECT = 1 << 3,  // copies to LDS
  SIM_FACT_SCRATCH = 1 << 4,
  SIM_FACT_READS_M0 = 1 << 5,
  SIM_FACT_LDS = 1 << 6,     // accesses LDS memory, as a DS instruction
  SIM_FACT_SCC_IN = 1 << 7,  // its result depends on SCC
  SIM_FACT_SCC_OUT = 1 << 8,
  SIM_FACT_ALL_LANES = 1 << 9,  // ignores EXEC
  SIM_FACT_BRANCH = 1 << 10,
  SIM_FACT_EXEC_OUT = 1 << 11,
  SIM_FACT_ACQUIRES = 1 << 12,
  SIM_FACT_RELEASES = 1 << 13,
  SIM_FACT_BARRIER = 1 << 15,      // a barrier of the work-group
  SIM_FACT_LOW_FROM_LOW = 1 << 14  // the low dword of its result depends on low dwords only
};

enum { SIM_FACT_READS = 8, SIM_FACT_WRITES = 3 };

typedef struct sim_op_facts {
  uint8_t read_count, write_count;
  uint8_t implied;  // the first of the reads that no source operand names
  uint8_t path;     // sim_memory_path: which counter counts the op
  uint8_t weight;   // SMEM: what the op adds to lgkmcnt
  uint8_t spread;
  uint8_t horizon;  // wait states after which nothing depends on it any more
  // These are of DS instructions. `pair`: accesses two places; `counts`: appends or consumes; `exchanges`:
  // exchanges what it reads among lanes.
  bool pair, counts, exchanges;
  uint16_t flags;
  sim_reg_run read[SIM_FACT_READS], write[SIM_FACT_WRITES];
  sim_reg_run data;  // what a store or atomic stores; count 0: nothing
} sim_op_facts;

// Returns one entry per op of the program, which the caller frees; NULL when host memory runs out.
sim_op_facts *sim_op_facts_of(const sim_program *program);

// Finds the facts of one op.
void sim_op_facts_find(sim_op_facts *facts, const sim_op *op, sim_chip chip);

// Writes the name of register `reg` as the disassembly has it: "v3", "a[4:7]", "s12", "vcc_lo".
void sim_register_name(char *out, size_t size, unsigned reg);

#endif
