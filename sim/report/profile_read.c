// SPDX-License-Identifier: MIT
// Reads records of launches back. A process that was killed may leave half a record at the end.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/report/profile.h"

enum { MOST_STRING = 1 << 20 };  // beyond it a size is not one of ours

static bool get(FILE *file, void *out, size_t size) { return size == 0 || fread(out, size, 1, file) == 1; }

// Returns how many rows of `size` bytes the rest of the file has.
static uint64_t rows_left(FILE *file, size_t size) {
  struct stat status;
  const off_t at = ftello(file);
  return at >= 0 && !fstat(fileno(file), &status) && status.st_size > at
             ? (uint64_t)(status.st_size - at) / size
             : 0;
}

// Returns `count` rows of `size` bytes and a zero byte; NULL when they are not there.
static void *get_rows(FILE *file, uint64_t count, size_t size) {
  if (count > rows_left(file, size)) return NULL;
  char *rows = calloc(count * size + 1, 1);
  if (rows && get(file, rows, count * size)) return rows;
  free(rows);
  return NULL;
}

static char *get_string(FILE *file) {
  uint64_t size;
  return get(file, &size, sizeof size) && size <= MOST_STRING ? get_rows(file, size, 1) : NULL;
}

static bool indices_are_right(const sim_profile_launch *l) {
  const sim_profile_facts *f = &l->facts;
  bool right = f->loop_branch == UINT32_MAX || f->loop_branch < f->op_count;
  for (uint64_t i = 0; i < f->op_count; ++i) {
    const sim_profile_op *op = &l->ops[i];
    right &= (uint64_t)op->frame + op->frame_count <= f->frame_count;
    right &= op->text < f->text_size && (op->target == UINT32_MAX || op->target < f->op_count);
  }
  for (uint64_t i = 0; i < f->frame_count; ++i) right &= l->frames[i].file < f->text_size;
  for (uint64_t i = 0; i < f->issue_count; ++i) right &= l->issues[i].op < f->op_count;
  return right;
}

static sim_profile_launch *get_launch(FILE *file) {
  sim_profile_launch *l = calloc(1, sizeof *l);
  if (!l) return NULL;
  sim_profile_facts *f = &l->facts;
  if (get(file, f, sizeof *f) && (l->kernel = get_string(file)) && (l->chip = get_string(file)) &&
      (l->target = get_string(file)) && (l->ops = get_rows(file, f->op_count, sizeof *l->ops)) &&
      (l->text = get_rows(file, f->text_size, 1)) &&
      (l->issues = get_rows(file, f->issue_count, sizeof *l->issues)) &&
      (l->frames = get_rows(file, f->frame_count, sizeof *l->frames)) && indices_are_right(l))
    return l;
  sim_profile_launch_free(l);
  return NULL;
}

bool sim_profile_read(FILE *file, sim_profile_record *out, bool *broken) {
  uint64_t head[2];
  size_t there = fread(head, 1, sizeof head, file);
  *broken = there > 0;
  if (there < sizeof head || head[0] < SIM_PROFILE_TIMED || head[0] > SIM_PROFILE_ALIKE) return false;
  *out = (sim_profile_record){.kind = (sim_profile_kind)head[0], .shape = head[1]};
  if (out->kind == SIM_PROFILE_TIMED) {
    out->launch = get_launch(file);
    if (!out->launch) return false;
  }
  *broken = false;
  return true;
}

void sim_profile_launch_free(sim_profile_launch *l) {
  if (!l) return;
  free(l->kernel);
  free(l->chip);
  free(l->target);
  free(l->ops);
  free(l->text);
  free(l->issues);
  free(l->frames);
  free(l);
}
