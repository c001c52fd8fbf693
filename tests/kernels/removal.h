// SPDX-License-Identifier: MIT
// Replaces each s_waitcnt, and each s_barrier if asked to, that a kernel executes by s_nop in turn, and
// counts how often its result changes or its launch faults under one of the orders that hardware may choose,
// and how often check mode reports it. If asked to, also lets each s_waitcnt wait for one operation less, by
// either counter, and shortens each s_nop to one state.
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
#include "wavetile_sim.h"

typedef enum removal_result { REMOVAL_RIGHT, REMOVAL_WRONG, REMOVAL_FAULT } removal_result;
typedef enum removal_kind {
  REMOVAL_WAIT,
  REMOVAL_BARRIER,
  REMOVAL_WEAKER,  // a wait; tried under `late` alone
  REMOVAL_NOP,     // no simulated result depends on it: only check mode tells
  REMOVAL_KINDS
} removal_kind;

// Makes one launch of `kernel`, whose object is loaded.
typedef removal_result removal_launch(hipModule_t module, const char *kernel);

// missed: the result changes and check mode says nothing.
typedef struct removal_counts {
  int executed[REMOVAL_KINDS], unseen[REMOVAL_KINDS], reported[REMOVAL_KINDS], missed[REMOVAL_KINDS];
} removal_counts;

// `late` sees most of what is missing, and is first. But under it a read may land so late that it finds what
// it has not waited for, and a copy so late that the read that it should not overtake is over: `late-vmem`
// and `late-lds` tell.
static const char *const removal_schedules[] = {"late", "late-vmem", "late-lds", "random:1"};
enum { REMOVAL_SCHEDULES = sizeof removal_schedules / sizeof *removal_schedules };

// Runs under the first so many schedules; under the first of them in check mode, if *reported shall tell of
// it.
static inline removal_result removal_run(const void *image, const char *kernel, removal_launch *launch,
                                         int schedules, bool *reported) {
  hipModule_t module;
  if (hipModuleLoadData(&module, image) != hipSuccess) return REMOVAL_FAULT;
  removal_result result = REMOVAL_RIGHT;
  for (int s = 0; s < schedules && result == REMOVAL_RIGHT; ++s) {
    wt_sim_check_counts before, after;
    setenv("WT_SIM_SCHEDULE", removal_schedules[s], 1);
    const bool check = reported && s == 0;
    if (check) {
      wtSimCheckCounts(&before, sizeof before);
      wtSimCheck(1, NULL, NULL);
    }
    result = launch(module, kernel);
    if (!check) continue;
    wtSimCheck(0, NULL, NULL);
    wtSimCheckCounts(&after, sizeof after);
    *reported = after.errors + after.timing + after.table > before.errors + before.timing + before.table;
  }
  hipModuleUnload(module);
  return result;
}

// REMOVAL_KINDS: neither. Waits for nothing, of which the compiler leaves some, count as none.
static inline removal_kind removal_kind_of(const sim_op *op) {
  static const uint32_t for_nothing = 0xbf8ccf7f;  // vmcnt(63) expcnt(7) lgkmcnt(15)
  if (!op->info || memcmp(op->raw, &for_nothing, 4) == 0) return REMOVAL_KINDS;
  if (strcmp(op->info->name, "s_waitcnt") == 0) return REMOVAL_WAIT;
  if (strcmp(op->info->name, "s_nop") == 0 && (op->raw[0] & 15)) return REMOVAL_NOP;
  return strcmp(op->info->name, "s_barrier") == 0 ? REMOVAL_BARRIER : REMOVAL_KINDS;
}

// Returns s_waitcnt for one operation more left in flight, of vmcnt (bits 15:14 and 3:0) or of lgkmcnt
// (11:8); 0 where it does not wait for that counter.
static inline uint32_t removal_weaker(uint32_t word, bool vm) {
  const uint32_t vmcnt = (word & 15) | (word >> 14 & 3) << 4, lgkmcnt = word >> 8 & 15;
  if (vm) return vmcnt == 63 ? 0 : (word & ~0xc00fu) | ((vmcnt + 1) & 15) | ((vmcnt + 1) >> 4) << 14;
  return lgkmcnt == 15 ? 0 : word + 0x100;
}

// Returns where the kernel's code stands in the file; *bytes is its length.
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

// Finds which of `count` ops are executed: all of them become traps at once, and if one is met, each half is
// tried in the same manner.
static inline void removal_find_reached(const removal_trial *t, int first, int count) {
  static const uint32_t s_trap = 0xbf920000;  // SOPP encoding with simm16 = 0
  for (int i = first; i < first + count; ++i) removal_put(t, i, &s_trap);
  const bool reached = count > 0 && removal_run(t->file, t->name, t->launch, 1, NULL) == REMOVAL_FAULT;
  for (int i = first; i < first + count; ++i) removal_put(t, i, t->ops[i]->raw);
  if (reached && count == 1) t->reached[first] = true;
  if (!reached || count == 1) return;
  removal_find_reached(t, first, count / 2);
  removal_find_reached(t, first + count / 2, count - count / 2);
}

static inline void removal_try(const removal_trial *t, int i, removal_kind kind, uint32_t word,
                               const sim_program *program, removal_counts *counts) {
  static const int schedules[REMOVAL_KINDS] = {REMOVAL_SCHEDULES, REMOVAL_SCHEDULES, 1, 1};
  bool reported = false;
  removal_put(t, i, &word);
  const bool unseen = removal_run(t->file, t->name, t->launch, schedules[kind], &reported) == REMOVAL_RIGHT;
  removal_put(t, i, t->ops[i]->raw);
  ++counts->executed[kind];
  counts->unseen[kind] += unseen;
  counts->reported[kind] += reported;
  counts->missed[kind] += !unseen && !reported;
  const unsigned long long at = t->ops[i]->offset - t->entry;
  const char *text = sim_op_text(program, t->ops[i]);
  if (unseen && kind < REMOVAL_WEAKER) printf("%s: not missed: +0x%llx %s\n", t->name, at, text);
  CHECK(unseen || reported,
        "%s: without +0x%llx %s (word 0x%x in its place) the result is wrong, and nothing is reported",
        t->name, at, text, word);
}

static inline void removal_each_op(const removal_trial *t, int count, bool weaken, const sim_program *program,
                                   removal_counts *counts) {
  static const uint32_t s_nop = 0xbf800000;
  bool reported = false;
  CHECK(removal_run(t->file, t->name, t->launch, REMOVAL_SCHEDULES, &reported) == REMOVAL_RIGHT,
        "the unchanged %s is wrong", t->name);
  CHECK(!reported, "check mode reports something in the unchanged %s", t->name);
  removal_find_reached(t, 0, count);
  for (int i = 0; i < count; ++i) {
    if (!t->reached[i]) continue;
    const removal_kind kind = removal_kind_of(t->ops[i]);
    removal_try(t, i, kind, s_nop, program, counts);
    for (int vm = 0; weaken && kind == REMOVAL_WAIT && vm < 2; ++vm) {
      const uint32_t word = removal_weaker(t->ops[i]->raw[0], vm);
      if (word) removal_try(t, i, REMOVAL_WEAKER, word, program, counts);
    }
  }
}

static inline void removal_in_object(unsigned char *file, size_t size, const sim_program *program,
                                     const char *name, bool barriers, bool weaken, removal_launch *launch,
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
      const bool wanted =
          kind == REMOVAL_WAIT || (kind == REMOVAL_BARRIER && barriers) || (kind == REMOVAL_NOP && weaken);
      if (wanted && op->offset >= t.entry && op->offset < t.entry + bytes) t.ops[count++] = op;
    }
    removal_each_op(&t, count, weaken, program, counts);
  }
  free(t.ops);
  free(t.reached);
}

// Tries the kernel `name` of the code object at `path` on the current device, whose target is gfx942 or
// gfx950. What is not missed is printed. The smaller the object, the faster: each trial loads it anew.
static inline removal_counts removal_try_each(const char *path, const char *target, const char *name,
                                              bool barriers, bool weaken, removal_launch *launch) {
  removal_counts counts = {0};
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
  if (loaded) removal_in_object(file, size, program, name, barriers, weaken, launch, &counts);
  static const char *const plural[] = {"removed waits", "removed barriers", "weaker waits", "shorter s_nops"};
  for (int kind = 0; kind < REMOVAL_KINDS; ++kind)
    printf("%s on %s: %d of %d %s are unseen, %d reported\n", name, target, counts.unseen[kind],
           counts.executed[kind], plural[kind], counts.reported[kind]);
  sim_program_free(program);
  sim_object_free(object);
  free(file);
  return counts;
}

static inline bool removal_holds(const char *text, size_t size, const char *part, size_t length) {
  for (size_t i = 0; text && i + length <= size; ++i)
    if (memcmp(text + i, part, length) == 0) return true;
  return false;
}

// What a launch has left, beside what the first one, of the unchanged kernel, left in `right`.
static inline removal_result removal_compare(void *right, bool *know_right, const void *got, size_t bytes) {
  if (!*know_right) memcpy(right, got, bytes);
  *know_right = true;
  return memcmp(right, got, bytes) == 0 ? REMOVAL_RIGHT : REMOVAL_WRONG;
}

// At most so many removed waits and barriers may go unseen.
static inline void removal_check_unseen(const removal_counts *counts, const int allowed[2]) {
  static const char *const names[] = {"waits", "barriers"};
  for (int kind = REMOVAL_WAIT; kind <= REMOVAL_BARRIER; ++kind)
    CHECK(counts->unseen[kind] <= allowed[kind], "%d %s are unseen, of which only %d should be",
          counts->unseen[kind], names[kind], allowed[kind]);
}

// Compares with the row of the table in the document, if it has one for the kernel: of each kind how many
// were tried, of what was removed how many gave a wrong result, and how many were reported. Whether a wait
// for one operation less gives a wrong result can depend on what a register held before, which may be an
// address.
static inline void removal_compare_score(const char *path, const char *name, const char *target,
                                         const removal_counts *n) {
  char row[256], *document;
  size_t size = 0;
  int used = snprintf(row, sizeof row, "| `%s` | %s |", name, target);
  const size_t name_length = (size_t)used;
  for (int kind = 0; kind < REMOVAL_KINDS; ++kind) {
    used += snprintf(row + used, sizeof row - (size_t)used, " %d /", n->executed[kind]);
    if (kind < REMOVAL_WEAKER)
      used += snprintf(row + used, sizeof row - (size_t)used, " %d /", n->executed[kind] - n->unseen[kind]);
    used += snprintf(row + used, sizeof row - (size_t)used, " %d |", n->reported[kind]);
  }
  printf("score: %s\n", row);
  document = (char *)read_file(path, &size);
  CHECK(removal_holds(document, size, row, strlen(row)), "%s has %s row than %s", path,
        removal_holds(document, size, row, name_length) ? "another" : "no", row);
  free(document);
}

#endif
