// SPDX-License-Identifier: MIT
// The kernels of code objects and their main loops, for tests of what the compiler made of them.
#ifndef WT_TESTS_KERNELS_CODE_LOOPS_H
#define WT_TESTS_KERNELS_CODE_LOOPS_H

#include "sim/isa/program.h"
#include "sim/object/object.h"
#include "tools/isa/isa_loops.h"

// A kernel, its ops first .. last of the program, and its main loop: of the loops with matrix instructions
// that hold no other such loop, the one with the most. It is NULL when there is none.
typedef struct code_kernel {
  const char *target;
  const sim_program *program;
  const sim_kernel *kernel;
  uint32_t first, last;
  const isa_loop *loop;
} code_kernel;

// Calls `check` for every kernel of <directory>/<stem>.<target>.co, in their order; returns how many there
// are. An object that cannot be read, or a kernel without a symbol, fails the test.
size_t code_each_kernel(const char *directory, const char *stem, const char *target,
                        void (*check)(const code_kernel *kernel, void *context), void *context);

// How many ops of the main loop have a text that begins with `start`.
unsigned code_count(const code_kernel *kernel, const char *start);

// Fails the test unless the main loop exists and holds at most so many moves and no access to scratch, and
// the kernel neither spills nor uses scratch.
void code_check_tight(const code_kernel *kernel, unsigned moves);
// Checks the same of a loop that has just so many moves from and to AGPRs.
void code_check_loop(const code_kernel *kernel, unsigned moves, unsigned agprs);

#endif
