// SPDX-License-Identifier: MIT
// Natural loops by reachability: kernels have thousands of instructions, so one walk per branch is cheap
// enough.
#include "isa_loops.h"

#include <stdlib.h>
#include <string.h>

typedef struct walk {
  const sim_program *program;
  uint32_t first, count;  // ops first .. first + count - 1, below numbered from 0
  uint32_t *pending;
  uint32_t *fall_from;    // the op that falls through to this one
  uint32_t *branch_from;  // the last branch to this op; further ones follow in next_branch
  uint32_t *next_branch;
} walk;

enum { NONE = UINT32_MAX };

static const sim_op *op_at(const walk *w, uint32_t i) { return &w->program->ops[w->first + i]; }

static bool is_op(const sim_op *op, const char *name) {
  return op->info && strcmp(op->info->name, name) == 0;
}

// Returns whether control can go on to the next op.
static bool falls_through(const sim_op *op) {
  return !is_op(op, "s_branch") && !is_op(op, "s_endpgm") && !is_op(op, "s_setpc_b64");
}

static uint32_t branch_target(const walk *w, uint32_t i) {
  const sim_op *op = op_at(w, i);
  if (!op->info || op->info->klass != SIM_CLASS_BRANCH || op->target == NONE) return NONE;
  return op->target >= w->first && op->target - w->first < w->count ? op->target - w->first : NONE;
}

static void find_predecessors(walk *w) {
  for (uint32_t i = 0; i < w->count; ++i) w->fall_from[i] = w->branch_from[i] = w->next_branch[i] = NONE;
  for (uint32_t i = 0; i < w->count; ++i) {
    if (i + 1 < w->count && falls_through(op_at(w, i))) w->fall_from[i + 1] = i;
    const uint32_t target = branch_target(w, i);
    if (target == NONE) continue;
    w->next_branch[i] = w->branch_from[target];
    w->branch_from[target] = i;
  }
}

static void visit(const walk *w, uint32_t i, bool *seen, uint32_t *depth) {
  if (i == NONE || seen[i]) return;
  seen[i] = true;
  w->pending[(*depth)++] = i;
}

// Marks every op from which `from` can be reached without passing `head`; says whether the kernel's entry is
// among them.
static bool reach_back(const walk *w, uint32_t from, uint32_t head, bool *seen) {
  uint32_t depth = 0;
  visit(w, from, seen, &depth);
  while (depth) {
    const uint32_t i = w->pending[--depth];
    if (i == head) continue;
    visit(w, w->fall_from[i], seen, &depth);
    for (uint32_t b = w->branch_from[i]; b != NONE; b = w->next_branch[b]) visit(w, b, seen, &depth);
  }
  return seen[0] && head != 0;
}

// Adds the loop that comes back to `head` from `from`; false when `from` can be reached without passing the
// head, so that going from it to the head is no coming back.
static bool add_loop(const walk *w, uint32_t from, uint32_t head, bool *member, bool *scratch) {
  memset(scratch, 0, w->count);
  if (reach_back(w, from, head, scratch)) return false;
  for (uint32_t i = 0; i < w->count; ++i) member[i] |= scratch[i];
  return member[head] = true;
}

// Finds the loop with this head, or one without members when nothing comes back to it. The compiler may place
// the head anywhere in its loop: what comes back may be a branch from before it, or the op before it.
static bool loop_at(const walk *w, uint32_t head, bool *member, bool *scratch) {
  bool found = false;
  for (uint32_t b = w->branch_from[head]; b != NONE; b = w->next_branch[b])
    found |= add_loop(w, b, head, member, scratch);
  if (w->branch_from[head] != NONE && w->fall_from[head] != NONE)
    found |= add_loop(w, w->fall_from[head], head, member, scratch);
  return found;
}

static isa_loop *collect(const walk *w, uint32_t *count) {
  isa_loop *loops = NULL;
  bool *member = calloc(w->count, 1), *scratch = calloc(w->count, 1);
  for (uint32_t head = 0; member && scratch && head < w->count; ++head) {
    if (!loop_at(w, head, member, scratch)) continue;
    isa_loop *grown = realloc(loops, (*count + 1) * sizeof *loops);
    if (!grown) break;
    loops = grown;
    isa_loop *loop = &loops[(*count)++];
    *loop = (isa_loop){.head = w->first + head, .depth = 1, .member = member};
    for (uint32_t i = 0; i + 1 < *count; ++i) loop->depth += loops[i].member[head];
    member = calloc(w->count, 1);
  }
  free(member);
  free(scratch);
  return loops;
}

isa_loop *isa_loops_find(const sim_program *program, uint32_t first, uint32_t last, uint32_t *count) {
  walk w = {.program = program, .first = first, .count = last - first + 1};
  *count = 0;
  w.pending = malloc(w.count * sizeof *w.pending);
  w.fall_from = malloc(w.count * sizeof *w.fall_from);
  w.branch_from = malloc(w.count * sizeof *w.branch_from);
  w.next_branch = malloc(w.count * sizeof *w.next_branch);
  isa_loop *loops = NULL;
  if (w.pending && w.fall_from && w.branch_from && w.next_branch) {
    find_predecessors(&w);
    loops = collect(&w, count);
  }
  free(w.pending);
  free(w.fall_from);
  free(w.branch_from);
  free(w.next_branch);
  return loops;
}

void isa_loops_free(isa_loop *loops, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) free(loops[i].member);
  free(loops);
}
