// SPDX-License-Identifier: MIT
// Collects the LDS bank conflicts of launches by kernel and instruction, and reports them when the process
// ends. Names and texts are copied: a module may be unloaded by then.
#include "sim/report/lds_report.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/wavetile_sim.h"
#include "sim/isa/program.h"
#include "sim/object/grow.h"
#include "sim/report/finish.h"
#include "sim/settings/config.h"

typedef struct instruction {
  uint64_t offset;     // in the code image
  char *place, *text;  // "kernel+0x1c", disassembly
  sim_lds_count count;
} instruction;

typedef struct kernel {
  struct kernel *next;
  char *name;
  const char *target;  // of the machine
  instruction *instructions;
  size_t instruction_count, capacity;
} kernel;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool counting;
static kernel *kernels;       // in the order of their first launch
static bool incomplete;       // memory for the report ran out; the totals are right all the same
static sim_lds_count totals;  // of the process

static sim_lds_count kernel_total(const kernel *k) {
  sim_lds_count sum = {0, 0};
  for (size_t i = 0; i < k->instruction_count; ++i) {
    sum.executions += k->instructions[i].count.executions;
    sum.conflict_cycles += k->instructions[i].count.conflict_cycles;
  }
  return sum;
}

static int by_offset(const void *a, const void *b) {
  const instruction *x = a, *y = b;
  return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
                                : strcmp(x->text, y->text);
}

static void report(void) {
  pthread_mutex_lock(&lock);
  fprintf(stderr, "wavetile sim: LDS bank conflicts, modelled after published bank and phase tables\n");
  for (kernel *k = kernels; k; k = k->next) {
    if (k->instruction_count)
      qsort(k->instructions, k->instruction_count, sizeof *k->instructions, by_offset);
    sim_lds_count total = kernel_total(k);
    fprintf(stderr, "  kernel  %s (%s): %llu LDS instructions, %llu conflict cycles\n", k->name, k->target,
            (unsigned long long)total.executions, (unsigned long long)total.conflict_cycles);
    for (size_t i = 0; i < k->instruction_count; ++i) {
      const instruction *in = &k->instructions[i];
      if (in->count.conflict_cycles)
        fprintf(stderr, "  at      %s: %s: executed %llu times, %llu conflict cycles\n", in->place, in->text,
                (unsigned long long)in->count.executions, (unsigned long long)in->count.conflict_cycles);
    }
  }
  if (incomplete) fprintf(stderr, "  host memory ran out: some instructions are missing here\n");
  pthread_mutex_unlock(&lock);
}

static void begin(void) {
  if (!sim_configuration()->lds_conflicts) return;
  counting = true;
  atexit(report);
}

bool sim_report_counts_lds(void) {
  pthread_once(&once, begin);
  pthread_mutex_lock(&lock);
  bool result = counting;
  pthread_mutex_unlock(&lock);
  return result;
}

static kernel *kernel_of(const sim_launch *launch) {
  kernel **at = &kernels;
  for (; *at; at = &(*at)->next)
    if ((*at)->target == launch->machine->target && strcmp((*at)->name, launch->kernel->name) == 0)
      return *at;
  kernel *k = calloc(1, sizeof *k);
  if (k) k->name = strdup(launch->kernel->name);
  if (!k || !k->name) {
    free(k);
    return NULL;
  }
  k->target = launch->machine->target;
  return *at = k;
}

static bool append(kernel *k, const instruction *in) {
  if (!sim_grow((void **)&k->instructions, &k->capacity, k->instruction_count + 1, sizeof *k->instructions))
    return false;
  instruction added = {in->offset, strdup(in->place), strdup(in->text), in->count};
  if (!added.place || !added.text) {
    free(added.place);
    free(added.text);
    return false;
  }
  k->instructions[k->instruction_count++] = added;
  return true;
}

// Two modules may have different code under one kernel name: the text and the place tell it apart.
static bool same(const instruction *a, const instruction *b) {
  return a->offset == b->offset && strcmp(a->text, b->text) == 0 && strcmp(a->place, b->place) == 0;
}

// Instructions mostly come in the order of the launch before: the search goes on at *next.
static bool add(kernel *k, const instruction *in, size_t *next) {
  for (size_t tried = 0; tried < k->instruction_count; ++tried) {
    instruction *known = &k->instructions[(*next)++ % k->instruction_count];
    if (!same(known, in)) continue;
    known->count.executions += in->count.executions;
    known->count.conflict_cycles += in->count.conflict_cycles;
    return true;
  }
  return append(k, in);
}

void sim_report_lds(const sim_launch *launch, const sim_lds_count *counts) {
  const sim_program *program = launch->program;
  size_t next = 0;
  pthread_mutex_lock(&lock);
  kernel *k = kernel_of(launch);
  incomplete |= !k;
  for (uint32_t i = 0; i < program->op_count; ++i) {
    if (!counts[i].executions) continue;
    const sim_op *op = &program->ops[i];
    uint64_t begins;
    char place[512], text[256];
    const char *function = sim_function_at(launch, op->offset, &begins);
    snprintf(place, sizeof place, "%s+0x%llx", function, (unsigned long long)(op->offset - begins));
    snprintf(text, sizeof text, "%s", sim_op_text(program, op));
    totals.executions += counts[i].executions;
    totals.conflict_cycles += counts[i].conflict_cycles;
    incomplete |= k && !add(k, &(instruction){op->offset, place, text, counts[i]}, &next);
  }
  pthread_mutex_unlock(&lock);
}

int wtSimLdsConflicts(int enable, unsigned long long *accesses, unsigned long long *conflict_cycles) {
  sim_report_finish();
  pthread_once(&once, begin);
  pthread_mutex_lock(&lock);
  if (accesses) *accesses = totals.executions;
  if (conflict_cycles) *conflict_cycles = totals.conflict_cycles;
  if (enable >= 0) counting = enable > 0;
  pthread_mutex_unlock(&lock);
  return 0;
}
