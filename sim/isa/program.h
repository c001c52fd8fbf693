// SPDX-License-Identifier: MIT
// Describes a code object decoded once into dense operations (sim/isa/op.h).
#ifndef SIM_ISA_PROGRAM_H
#define SIM_ISA_PROGRAM_H

#include <stdbool.h>

#include "sim/isa/op.h"
#include "sim/machine/machine.h"
#include "sim/object/object.h"

typedef struct sim_program {
  sim_chip chip;
  const sim_object *object;
  sim_op *ops;  // in address order
  uint32_t op_count;
  uint32_t
      *index;  // index[(offset - index_base) / 4] = op that begins at that byte of the image, or UINT32_MAX
  uint64_t index_base;  // byte offset of the first executable range
  size_t index_count;
  // The program mixes global atomics that do not commute with each other, so that even those that commute
  // among themselves must happen in dispatch order for results to be independent of host threads.
  bool ordered_atomics;
  // Some loop polls memory: its loads and atomics have SIM_F_POLLS, and what others may wait for happens in
  // dispatch order.
  bool polls;
  char *text;  // disassembly of all ops, NUL separated
} sim_program;

// Decodes every executable range of the object with LLVM's disassembler. An instruction that the tables do
// not know becomes an op that faults with its name when it is executed; message reports only failures of the
// decoder itself.
bool sim_program_create(const sim_object *object, sim_chip chip, sim_program **out, char *message,
                        size_t message_size);
void sim_program_free(sim_program *program);

// Finds sim_program.ordered_atomics; the executor defines it (sim/exec/memory/atomic_mix.c).
bool sim_mixes_atomics(const sim_program *program);
// Sets SIM_F_POLLS and SIM_F_SPINS of the program's ops, and returns whether there is one of the first.
bool sim_mark_polls(sim_program *program);

// Returns the op at a byte offset of the image, NULL when none begins there.
const sim_op *sim_program_at(const sim_program *program, uint64_t offset);
const char *sim_op_text(const sim_program *program, const sim_op *op);

#endif
