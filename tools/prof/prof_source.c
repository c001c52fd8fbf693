// SPDX-License-Identifier: MIT
// Lays the cycles of instructions on source lines. An instruction of an inlined function counts for its own
// line, and in the files of the callers for the line of the call.
#include "prof_source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/read_file.h"

// A kernel may do no more than call a function that stands elsewhere. It is taken for one that does when it
// has at most so many lines, of which one has so much of its cycles: then the callee's file is to be shown.
#define ONE_LINE 0.9
enum { WRAPPER_LINES = 3 };

// ---- lines of files

static prof_file *file_of(prof_sources *s, const char *path) {
  for (size_t i = 0; i < s->count; ++i)
    if (s->files[i].path == path || strcmp(s->files[i].path, path) == 0) return &s->files[i];
  prof_file *grown = realloc(s->files, (s->count + 1) * sizeof *grown);
  if (!grown) return NULL;
  s->files = grown;
  grown[s->count] = (prof_file){.path = path};
  return &grown[s->count++];
}

// The line's place in the order, found by halving; made when it is not there.
static prof_line *line_of(prof_file *f, uint32_t number) {
  size_t low = 0, high = f->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (f->lines[middle].line < number)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < f->count && f->lines[low].line == number) return &f->lines[low];
  prof_line *grown = realloc(f->lines, (f->count + 1) * sizeof *grown);
  if (!grown) return NULL;
  f->lines = grown;
  memmove(&grown[low + 1], &grown[low], (f->count - low) * sizeof *grown);
  grown[low] = (prof_line){.line = number};
  ++f->count;
  return &grown[low];
}

static const char *path_of(const sim_profile_launch *l, const sim_profile_op *op, uint32_t frame) {
  return l->text + l->frames[op->frame + frame].file;
}

uint32_t prof_op_line(const sim_profile_launch *l, const sim_profile_op *op, const char *path) {
  for (uint32_t i = 0; i < op->frame_count; ++i)
    if (strcmp(path_of(l, op, i), path) == 0) return l->frames[op->frame + i].line;
  return 0;
}

// Returns whether an inner frame of the op is in the same file, which has counted it.
static bool counted(const sim_profile_launch *l, const sim_profile_op *op, uint32_t frame) {
  for (uint32_t i = 0; i < frame; ++i)
    if (l->frames[op->frame + i].file == l->frames[op->frame + frame].file) return true;
  return false;
}

static bool add_op(prof_sources *s, const sim_profile_launch *l, const sim_profile_op *op) {
  const double cycles = prof_op_cycles(op);
  for (uint32_t i = 0; i < op->frame_count; ++i) {
    if (counted(l, op, i)) continue;
    prof_file *file = file_of(s, path_of(l, op, i));
    prof_line *line = file ? line_of(file, l->frames[op->frame + i].line) : NULL;
    if (!line) return false;
    file->cycles += cycles;
    line->cycles += cycles;
    line->idle += prof_op_idle(op);
    for (int k = 0; k < WT_SIM_STALLS; ++k) line->stall[k] += (double)op->seen.stall[k];
  }
  return true;
}

// ---- the user's file

static const prof_line *hottest(const prof_file *f) {
  const prof_line *most = NULL;
  for (size_t i = 0; i < f->count; ++i)
    if (!most || f->lines[i].cycles > most->cycles) most = &f->lines[i];
  return most;
}

// Returns the file of what most cycles of a line were inlined from, next to the line itself; NULL: the line's
// own code.
static const char *callee_of(const sim_profile_launch *l, const char *path, uint32_t line) {
  const sim_profile_op *most = NULL;
  for (uint64_t i = 0; i < l->facts.op_count; ++i) {
    const sim_profile_op *op = &l->ops[i];
    if (prof_op_line(l, op, path) == line && (!most || prof_op_cycles(op) > prof_op_cycles(most))) most = op;
  }
  for (uint32_t i = 1; most && i < most->frame_count; ++i)
    if (strcmp(path_of(l, most, i), path) == 0) return path_of(l, most, i - 1);
  return NULL;
}

// Goes from the file of the outermost frame with most cycles towards the callees, until a file has more than
// a call.
static const char *own_path(const prof_sources *s, const sim_profile_launch *l) {
  const sim_profile_op *most = NULL;
  for (uint64_t i = 0; i < l->facts.op_count; ++i)
    if (l->ops[i].frame_count && (!most || prof_op_cycles(&l->ops[i]) > prof_op_cycles(most)))
      most = &l->ops[i];
  const char *path = most ? path_of(l, most, most->frame_count - 1) : NULL;
  for (size_t step = 0; path && step < s->count; ++step) {
    const prof_file *file = NULL;
    for (size_t i = 0; i < s->count; ++i)
      if (strcmp(s->files[i].path, path) == 0) file = &s->files[i];
    const prof_line *line = file ? hottest(file) : NULL;
    if (!line || file->count > WRAPPER_LINES || line->cycles < ONE_LINE * file->cycles) break;
    const char *callee = callee_of(l, path, line->line);
    if (!callee) break;
    path = callee;
  }
  return path;
}

static int by_cycles(const void *a, const void *b) {
  const prof_file *x = a, *y = b;
  if (x->cycles != y->cycles) return x->cycles < y->cycles ? 1 : -1;
  return strcmp(x->path, y->path);
}

prof_sources prof_find_sources(const sim_profile_launch *l) {
  prof_sources s = {.files = NULL};
  bool good = true;
  for (uint64_t i = 0; good && i < l->facts.op_count; ++i) {
    s.cycles += prof_op_cycles(&l->ops[i]);
    if (l->ops[i].seen.issued) good = add_op(&s, l, &l->ops[i]);
  }
  if (!good) prof_free_sources(&s);
  const char *own = own_path(&s, l);
  if (s.count) qsort(s.files, s.count, sizeof *s.files, by_cycles);
  for (size_t i = 0; i < s.count; ++i)
    if (strcmp(s.files[i].path, own) == 0) s.own = i;
  return s;
}

void prof_free_sources(prof_sources *s) {
  for (size_t i = 0; i < s->count; ++i) free(s->files[i].lines);
  free(s->files);
  *s = (prof_sources){.files = NULL};
}

// ---- texts

prof_text_file prof_read_text(const char *path) {
  size_t size = 0, lines = 1;
  struct stat info;
  const bool regular = stat(path, &info) == 0 && S_ISREG(info.st_mode);
  unsigned char *data = regular ? read_file(path, &size) : NULL;
  prof_text_file f = {.text = data ? malloc(size + 1) : NULL};
  if (f.text) {
    memcpy(f.text, data, size);
    f.text[size] = 0;
  }
  free(data);
  for (size_t i = 0; f.text && i < size; ++i) lines += f.text[i] == '\n';
  f.lines = f.text ? malloc(lines * sizeof *f.lines) : NULL;
  if (!f.lines) return f;
  f.lines[f.count++] = f.text;
  for (size_t i = 0; i < size; ++i) {
    if (f.text[i] == '\r') f.text[i] = 0;
    if (f.text[i] != '\n') continue;
    f.text[i] = 0;
    f.lines[f.count++] = f.text + i + 1;
  }
  return f;
}

const char *prof_short_path(const char *path) {
  char here[4096];
  const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
  return length && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

void prof_free_text(prof_text_file *file) {
  free(file->text);
  free(file->lines);
}
