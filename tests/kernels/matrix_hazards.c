// SPDX-License-Identifier: MIT
// The wait states that instructions need from software, by the table of check mode, on every path through
// every kernel. The compiler keeps them for its own instructions, but pinned tiles (rt_pinned) multiply in
// inline assembly, which it does not look into.
//
//   matrix_hazards DIRECTORY...: of code objects, *.<target>.co
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check/wait_states.h"
#include "sim/isa/program.h"
#include "sim/object/object.h"
#include "tests/check.h"
#include "tools/core/read_file.h"

typedef struct walk {
  const sim_program *program;
  const char *path;
  bool nops_count_once;
  unsigned hazards, matrix_ops;
} walk;

// The matrix instructions of a path, of which no more lie between two instructions than there are states.
typedef struct matrix_path {
  const sim_op *ops[SIM_WAIT_STATES_FAR];
  unsigned count;
} matrix_path;

// Returns whether `next` takes nothing of what `op` wrote but a C that a later matrix instruction wrote anew,
// as a whole. Then it waits for that one alone: so does the compiler, which looks for the nearest (LLVM,
// GCNHazardRecognizer.cpp, checkMAIHazards90A).
static bool is_written_anew(const sim_op *op, const matrix_path *between, const sim_op *next) {
  enum { C = 2 };
  if (op->info->klass != SIM_CLASS_MFMA || next->info->klass != SIM_CLASS_MFMA || next->src_count <= C ||
      sim_operands_overlap(&op->dst[0], &next->src[0]) || sim_operands_overlap(&op->dst[0], &next->src[1]))
    return false;
  const sim_operand *c = &next->src[C];
  for (unsigned i = 0; i < between->count; ++i) {
    const sim_operand *written = &between->ops[i]->dst[0];
    if (written->kind == c->kind && written->reg == c->reg && written->regs == c->regs) return true;
  }
  return false;
}

// Follows every path from `op`, `states` wait states after it. A matrix instruction is issued when the one
// before it has left the pipe, which is after `pipe_free` states (docs/check.md).
static void follow(walk *w, const sim_op *op, uint32_t at, unsigned states, unsigned pipe_free) {
  matrix_path between = {.count = 0};
  const unsigned far = sim_wait_states_horizon(w->program->chip, op);
  while (at < w->program->op_count && states < far) {
    const sim_op *next = &w->program->ops[at];
    if (!next->info) return;
    if (sim_wait_states_needed(w->program->chip, op, next, NULL).table.states > states &&
        !is_written_anew(op, &between, next)) {
      if (w->hazards++ == 0 && !w->nops_count_once)
        fprintf(stderr, "%s: %s\n  is followed after %u wait states by %s\n", w->path,
                sim_op_text(w->program, op), states, sim_op_text(w->program, next));
      return;
    }
    if (next->info->klass == SIM_CLASS_MFMA) {
      between.ops[between.count++] = next;
      if (states < pipe_free) states = pipe_free;
      pipe_free = states + sim_wait_states_held(w->program->chip, next);
    }
    states += w->nops_count_once ? 1 : sim_wait_states_of(next);
    if (next->info->klass == SIM_CLASS_BRANCH) {
      if (next->target != UINT32_MAX) follow(w, op, next->target, states, pipe_free);
      if (strcmp(next->info->name, "s_branch") == 0) return;
    }
    if (strncmp(next->info->name, "s_endpgm", 8) == 0) return;
    ++at;
  }
}

static void check_program(walk *w) {
  for (uint32_t i = 0; i < w->program->op_count; ++i) {
    const sim_op *op = &w->program->ops[i];
    w->matrix_ops += op->info && op->info->klass == SIM_CLASS_MFMA;
    const unsigned held = op->info ? sim_wait_states_held(w->program->chip, op) : 0;
    follow(w, op, i + 1, 0, held ? held - 1 : 0);
  }
}

typedef struct totals {
  unsigned objects, matrix_ops, without_nops;
} totals;

static void check_object(const char *path, bool gfx950, totals *t) {
  char message[256] = "";
  size_t size;
  unsigned char *data = read_file(path, &size);
  sim_object *object = NULL;
  sim_program *program = NULL;
  if (data && sim_object_load(data, size, gfx950 ? "gfx950" : "gfx942", &object, message, sizeof message) ==
                  SIM_OBJECT_OK)
    sim_program_create(object, gfx950 ? SIM_GFX950 : SIM_GFX942, &program, message, sizeof message);
  CHECK(program, "cannot read %s: %s", path, message);
  if (program) {
    walk w = {.program = program, .path = path};
    check_program(&w);
    CHECK(w.hazards == 0, "%s has %u places without the wait states that are needed", path, w.hazards);
    walk blind = {.program = program, .path = path, .nops_count_once = true};
    check_program(&blind);
    ++t->objects;
    t->matrix_ops += w.matrix_ops;
    t->without_nops += blind.hazards;
  }
  sim_program_free(program);
  sim_object_free(object);
  free(data);
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "usage: matrix_hazards DIRECTORY...\n"), 2;
  totals t = {0};
  for (int i = 1; i < argc; ++i) {
    DIR *directory = opendir(argv[i]);
    CHECK(directory, "cannot open %s", argv[i]);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
      const char *end = strstr(entry->d_name, ".gfx950.co");
      const bool gfx950 = end && strlen(end) == 10;
      if (!gfx950) end = strstr(entry->d_name, ".gfx942.co");
      if (!end || strlen(end) != 10) continue;
      char path[1024];
      snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
      check_object(path, gfx950, &t);
    }
    if (directory) closedir(directory);
  }
  CHECK(t.objects >= 40, "only %u code objects", t.objects);
  CHECK(t.without_nops > 0, "no kernel needs its s_nop: is anything looked at?");
  printf("%u matrix instructions in %u code objects; %u hazards if s_nop counted once\n", t.matrix_ops,
         t.objects, t.without_nops);
  return test_result();
}
