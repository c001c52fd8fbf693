// SPDX-License-Identifier: MIT
// Replaces each s_waitcnt, and each s_barrier if asked to, that a kernel executes by s_nop in turn, and
// counts how often its result changes or its launch faults under one of the orders that hardware may choose.
#ifndef WT_TESTS_KERNELS_REMOVAL_H
#define WT_TESTS_KERNELS_REMOVAL_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/isa/program.h"
#include "tests/check.h"
#include "tools/core/read_file.h"

typedef enum removal_result { REMOVAL_RIGHT, REMOVAL_WRONG, REMOVAL_FAULT } removal_result;
typedef enum removal_kind { REMOVAL_WAIT, REMOVAL_BARRIER, REMOVAL_KINDS } removal_kind;

// One launch of `kernel`, whose object is loaded.
typedef removal_result removal_launch(hipModule_t module, const char *kernel);

typedef struct removal_counts {
  int executed[REMOVAL_KINDS], unseen[REMOVAL_KINDS];
} removal_counts;

// `late` sees most of what is missing, and is first. But under it a read may land so late that it finds what
// it has not waited for, and a copy so late that the read that it should not overtake is over: `late-vmem`
// and `late-lds` tell.
static const char *const removal_schedules[] = {"late", "late-vmem", "late-lds", "random:1"};
enum { REMOVAL_SCHEDULES = sizeof removal_schedules / sizeof *removal_schedules };

// Under the first so many schedules.
static inline removal_result removal_run(const void *image, const char *kernel, removal_launch *launch,
                                         int schedules) {
  hipModule_t module;
  if (hipModuleLoadData(&module, image) != hipSuccess) return REMOVAL_FAULT;
  removal_result result = REMOVAL_RIGHT;
  for (int s = 0; s < schedules && result == REMOVAL_RIGHT; ++s) {
    setenv("WT_SIM_SCHEDULE", removal_schedules[s], 1);
    result = launch(module, kernel);
  }
  hipModuleUnload(module);
  return result;
}

// REMOVAL_KINDS: neither. Waits for nothing, of which the compiler leaves some, count as none.
static inline removal_kind removal_kind_of(const sim_op *op) {
  static const uint32_t for_nothing = 0xbf8ccf7f;  // vmcnt(63) expcnt(7) lgkmcnt(15)
  if (!op->info || memcmp(op->raw, &for_nothing, 4) == 0) return REMOVAL_KINDS;
  if (strcmp(op->info->name, "s_waitcnt") == 0) return REMOVAL_WAIT;
  return strcmp(op->info->name, "s_barrier") == 0 ? REMOVAL_BARRIER : REMOVAL_KINDS;
}

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

typedef struct removal_trial {
  unsigned char *file, *code;  // the kernel's, in the file
  uint64_t entry;
  const char *name;
  removal_launch *launch;
  const sim_op **ops;  // that may be removed
  bool *reached;       // of each, whether it is executed
} removal_trial;

static inline void removal_put(const removal_trial *t, int op, const void *word) {
  memcpy(t->code + (t->ops[op]->offset - t->entry), word, 4);
}

// Of some ops: all become traps at once, and if one of them is met, each half of them.
static inline void removal_find_reached(const removal_trial *t, int first, int count) {
  static const uint32_t s_trap = 0xbf920000;  // SOPP encoding with simm16 = 0
  for (int i = first; i < first + count; ++i) removal_put(t, i, &s_trap);
  const bool reached = count > 0 && removal_run(t->file, t->name, t->launch, 1) == REMOVAL_FAULT;
  for (int i = first; i < first + count; ++i) removal_put(t, i, t->ops[i]->raw);
  if (reached && count == 1) t->reached[first] = true;
  if (!reached || count == 1) return;
  removal_find_reached(t, first, count / 2);
  removal_find_reached(t, first + count / 2, count - count / 2);
}

static inline void removal_each_op(const removal_trial *t, int count, const sim_program *program,
                                   removal_counts *counts) {
  static const uint32_t s_nop = 0xbf800000;
  CHECK(removal_run(t->file, t->name, t->launch, REMOVAL_SCHEDULES) == REMOVAL_RIGHT,
        "the unchanged %s is wrong", t->name);
  removal_find_reached(t, 0, count);
  for (int i = 0; i < count; ++i) {
    if (!t->reached[i]) continue;
    const removal_kind kind = removal_kind_of(t->ops[i]);
    removal_put(t, i, &s_nop);
    const bool unseen = removal_run(t->file, t->name, t->launch, REMOVAL_SCHEDULES) == REMOVAL_RIGHT;
    removal_put(t, i, t->ops[i]->raw);
    ++counts->executed[kind];
    counts->unseen[kind] += unseen;
    if (unseen)
      printf("%s: not missed: +0x%llx %s\n", t->name, (unsigned long long)(t->ops[i]->offset - t->entry),
             sim_op_text(program, t->ops[i]));
  }
}

static inline void removal_in_object(unsigned char *file, size_t size, const sim_program *program,
                                     const char *name, bool barriers, removal_launch *launch,
                                     removal_counts *counts) {
  const sim_kernel *kernel = sim_object_kernel(program->object, name);
  size_t bytes = 0;
  removal_trial t = {.file = file, .name = name, .launch = launch};
  t.code = kernel ? removal_code(file, size, program->object, name, &bytes) : NULL;
  t.ops = calloc(program->op_count, sizeof *t.ops);
  t.reached = calloc(program->op_count, sizeof *t.reached);
  CHECK(t.code && t.ops && t.reached, "no kernel %s", name);
  if (t.code && t.ops && t.reached) {
    int count = 0;
    t.entry = kernel->entry;
    for (uint32_t i = 0; i < program->op_count; ++i) {
      const sim_op *op = &program->ops[i];
      const removal_kind kind = removal_kind_of(op);
      const bool wanted = kind == REMOVAL_WAIT || (kind == REMOVAL_BARRIER && barriers);
      if (wanted && op->offset >= t.entry && op->offset < t.entry + bytes) t.ops[count++] = op;
    }
    removal_each_op(&t, count, program, counts);
  }
  free(t.ops);
  free(t.reached);
}

// Tries the kernel `name` of the code object at `path` on the current device, whose target is gfx942 or
// gfx950. What is not missed is printed. The smaller the object, the faster: each trial loads it anew.
static inline removal_counts removal_try_each(const char *path, const char *target, const char *name,
                                              bool barriers, removal_launch *launch) {
  removal_counts counts = {{0, 0}, {0, 0}};
  char message[512] = "cannot be read";
  size_t size = 0;
  unsigned char *file = read_file(path, &size);
  sim_object *object = NULL;
  sim_program *program = NULL;
  const bool loaded =
      file && sim_object_load(file, size, target, &object, message, sizeof message) == SIM_OBJECT_OK &&
      sim_program_create(object, strcmp(target, "gfx950") ? SIM_GFX942 : SIM_GFX950, &program, message,
                         sizeof message);
  CHECK(loaded, "%s: %s", path, message);
  if (loaded) removal_in_object(file, size, program, name, barriers, launch, &counts);
  static const char *const plural[] = {"waits", "barriers"};
  for (int kind = 0; kind < REMOVAL_KINDS; ++kind)
    printf("%s on %s: %d of %d removed %s are unseen\n", name, target, counts.unseen[kind],
           counts.executed[kind], plural[kind]);
  sim_program_free(program);
  sim_object_free(object);
  free(file);
  return counts;
}

#endif
