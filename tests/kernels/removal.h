// SPDX-License-Identifier: MIT
// Replaces each s_waitcnt, and each s_barrier if asked to, that a kernel executes by s_nop in turn, and
// counts how often its result changes or its launch faults.
#ifndef WT_TESTS_KERNELS_REMOVAL_H
#define WT_TESTS_KERNELS_REMOVAL_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/isa/program.h"
#include "tests/check.h"

typedef enum removal_result { REMOVAL_RIGHT, REMOVAL_WRONG, REMOVAL_FAULT } removal_result;

// Runs the kernel of the code object.
typedef removal_result removal_run(const void *image, const char *kernel);

typedef struct removal_counts {
  int executed, caught;
} removal_counts;

// Where the kernel's code stands in the file; *bytes is its length.
static inline unsigned char *removal_code(unsigned char *file, size_t size, const sim_object *object,
                                          const char *name, size_t *bytes) {
  for (size_t f = 0; f < object->function_count; ++f) {
    const sim_function *function = &object->functions[f];
    if (strcmp(function->name, name) != 0) continue;
    *bytes = function->end - function->begin;
    for (size_t at = 0; at + *bytes <= size; at += 4)
      if (memcmp(file + at, object->image + function->begin, *bytes) == 0) return file + at;
  }
  return NULL;
}

static inline bool removal_concerns(const sim_op *op, bool barriers) {
  return op->info &&
         (strcmp(op->info->name, "s_waitcnt") == 0 || (barriers && strcmp(op->info->name, "s_barrier") == 0));
}

typedef struct removal_files {
  unsigned char *file[2];  // as it is, and with early reads
  size_t place;            // of the kernel's code in both
  const char *kernel;
  removal_run *run;
} removal_files;

static inline removal_result removal_run_both(const removal_files *f) {
  const removal_result result = f->run(f->file[0], f->kernel);
  return result == REMOVAL_RIGHT ? f->run(f->file[1], f->kernel) : result;
}

static inline void removal_put(const removal_files *f, uint64_t offset, const void *word) {
  for (int i = 0; i < 2; ++i) memcpy(f->file[i] + f->place + offset, word, 4);
}

static inline void removal_each_op(const removal_files *f, const sim_program *program, uint64_t entry,
                                   size_t bytes, bool barriers, removal_counts *counts) {
  static const uint32_t s_nop = 0xbf800000, s_trap = 0xbf920000;  // SOPP encodings with simm16 = 0
  static const uint32_t wait_for_lds = 0xbf8cc07f;                // s_waitcnt lgkmcnt(0)
  for (size_t at = 0; at < bytes; at += 4)
    if (memcmp(f->file[1] + f->place + at, &s_nop, 4) == 0)
      memcpy(f->file[1] + f->place + at, &wait_for_lds, 4);
  CHECK(removal_run_both(f) == REMOVAL_RIGHT, "the unchanged %s is wrong", f->kernel);
  for (uint32_t i = 0; i < program->op_count; ++i) {
    const sim_op *op = &program->ops[i];
    if (!removal_concerns(op, barriers) || op->offset < entry || op->offset >= entry + bytes) continue;
    removal_put(f, op->offset - entry, &s_trap);
    const bool reached = f->run(f->file[0], f->kernel) == REMOVAL_FAULT;
    removal_put(f, op->offset - entry, &s_nop);
    const bool caught = reached && removal_run_both(f) != REMOVAL_RIGHT;
    removal_put(f, op->offset - entry, op->raw);
    counts->executed += reached;
    counts->caught += caught;
    if (reached && !caught)
      printf("%s: not missed: +0x%llx %s\n", f->kernel, (unsigned long long)(op->offset - entry),
             sim_op_text(program, op));
  }
}

// `target` is gfx942 or gfx950. The file is as before afterwards.
static inline removal_counts removal_try_each(unsigned char *file, size_t size, const char *target,
                                              const char *name, bool barriers, removal_run *run) {
  removal_counts counts = {0, 0};
  char message[512] = "";
  sim_object *object = NULL;
  sim_program *program = NULL;
  const bool loaded =
      sim_object_load(file, size, target, &object, message, sizeof message) == SIM_OBJECT_OK &&
      sim_program_create(object, strcmp(target, "gfx950") ? SIM_GFX942 : SIM_GFX950, &program, message,
                         sizeof message);
  CHECK(loaded, "%s", message);
  if (!loaded) return counts;
  const sim_kernel *kernel = sim_object_kernel(object, name);
  size_t bytes = 0;
  unsigned char *code = kernel ? removal_code(file, size, object, name, &bytes) : NULL;
  unsigned char *early = malloc(size);
  CHECK(code && early, "no kernel %s", name);
  if (code && early) {
    memcpy(early, file, size);
    const removal_files files = {{file, early}, (size_t)(code - file), name, run};
    removal_each_op(&files, program, kernel->entry, bytes, barriers, &counts);
    printf("%s on %s: %d of %d removed waits%s are caught\n", name, target, counts.caught, counts.executed,
           barriers ? " and barriers" : "");
  }
  free(early);
  sim_program_free(program);
  sim_object_free(object);
  return counts;
}

#endif
