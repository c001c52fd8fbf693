// SPDX-License-Identifier: MIT
// While a snippet runs, each operation's handler is replaced by one that notes the operation and calls the
// real one. An operation counts as executed when it returned without a fault, as refused when it faulted as
// unsupported. The file <WT_ISA_RECORDS>/<program>.txt gets a line "gfx950 executed v_add_f32" for each.
#define _GNU_SOURCE  // program_invocation_short_name
#include "tests/isa/record.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NAMES = 8192 };

typedef struct noted {
  char name[ISA_NAME_SIZE];
  sim_chip chip;
  bool executed, refused;
} noted;

static noted names[MOST_NAMES];
static size_t name_count;
static pthread_mutex_t names_mutex = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local sim_program *recorded;
static _Thread_local sim_exec_fn *handlers;  // of `recorded`, by op
static _Thread_local uint8_t *seen;          // 1 executed, 2 refused

void isa_mnemonic(const char *line, char name[ISA_NAME_SIZE]) {
  static const char *const suffixes[] = {"_e32", "_e64", "_sdwa", "_dpp"};
  size_t length = strcspn(line, " \t");
  if (length >= ISA_NAME_SIZE) length = ISA_NAME_SIZE - 1;
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; ++i) {
    size_t n = strlen(suffixes[i]);
    if (length > n && memcmp(line + length - n, suffixes[i], n) == 0) {
      length -= n;
      break;
    }
  }
  memcpy(name, line, length);
  name[length] = 0;
}

static void write_records(void) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.txt", WT_ISA_RECORDS, program_invocation_short_name);
  FILE *f = fopen(path, "w");
  if (!f) {
    fprintf(stderr, "isa harness: cannot write %s\n", path);
    return;
  }
  for (size_t i = 0; i < name_count; ++i) {
    const char *target = names[i].chip == SIM_GFX950 ? "gfx950" : "gfx942";
    if (names[i].executed) fprintf(f, "%s executed %s\n", target, names[i].name);
    if (names[i].refused) fprintf(f, "%s refused %s\n", target, names[i].name);
  }
  fclose(f);
}

void isa_record_open(void) {
  static bool open;
  if (!open) atexit(write_records);
  open = true;
}

static void note(const sim_program *program, const sim_op *op, bool refused) {
  char name[ISA_NAME_SIZE];
  isa_mnemonic(sim_op_text(program, op), name);
  pthread_mutex_lock(&names_mutex);
  size_t i = 0;
  while (i < name_count && (names[i].chip != program->chip || strcmp(names[i].name, name) != 0)) ++i;
  if (i == name_count) {
    if (name_count++ == MOST_NAMES) abort();
    names[i].chip = program->chip;
    memcpy(names[i].name, name, sizeof name);
  }
  *(refused ? &names[i].refused : &names[i].executed) = true;
  pthread_mutex_unlock(&names_mutex);
}

static void run_and_see(sim_wave *w, const sim_op *op) {
  size_t index = (size_t)(op - recorded->ops);
  handlers[index](w, op);
  if (!w->group->fault)
    seen[index] |= 1;
  else if (w->group->fault == SIM_FAULT_UNSUPPORTED)
    seen[index] |= 2;
}

void isa_record_begin(sim_program *program) {
  size_t count = program->op_count + 1u;  // with the one behind the last
  recorded = program;
  handlers = malloc(count * sizeof *handlers);
  seen = calloc(count, 1);
  if (!handlers || !seen) abort();
  for (size_t i = 0; i < count; ++i) {
    handlers[i] = program->ops[i].run;
    program->ops[i].run = run_and_see;
  }
}

void isa_record_end(void) {
  for (size_t i = 0; i <= recorded->op_count; ++i) {
    recorded->ops[i].run = handlers[i];
    if (i == recorded->op_count) break;
    if (seen[i] & 1) note(recorded, &recorded->ops[i], false);
    if (seen[i] & 2) note(recorded, &recorded->ops[i], true);
  }
  free(handlers);
  free(seen);
}

void isa_record_op(const sim_program *program, const sim_op *op) { note(program, op, false); }
