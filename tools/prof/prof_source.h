// SPDX-License-Identifier: MIT
// Finds the source lines of a kernel with the cycles that its waves spend on them, where it was compiled with
// -g or -gline-tables-only.
#ifndef WT_TOOLS_PROF_SOURCE_H
#define WT_TOOLS_PROF_SOURCE_H

#include "prof.h"

// Describes a line of a file: all instructions that were compiled from it, or from a function that was
// inlined there.
typedef struct prof_line {
  uint32_t line;
  double cycles;                // of all waves timed in detail
  double stall[WT_SIM_STALLS];  // cycles of these that were lost, by cause
  double idle;  // cycles that the matrix pipe idles before MFMAs of the line, in an iteration of the hot loop
} prof_line;

typedef struct prof_file {
  const char *path;  // memory of the launch
  prof_line *lines;  // those with instructions, in order
  size_t count;
  double cycles;  // of all lines
} prof_file;

typedef struct prof_sources {
  prof_file *files;  // most cycles first
  size_t count;
  size_t own;     // index of the user's own file: the one that defines the kernel, or that it consists of
  double cycles;  // of all instructions
} prof_sources;

// Returns no files when the code has no line tables, or host memory ran out. The caller frees the result.
prof_sources prof_find_sources(const sim_profile_launch *launch);
void prof_free_sources(prof_sources *sources);

// Returns the innermost line of an op in a file; 0 when it has none there.
uint32_t prof_op_line(const sim_profile_launch *launch, const sim_profile_op *op, const char *path);

// Describes the lines of a source file; there are none when it cannot be read. The caller frees it.
typedef struct prof_text_file {
  char *text;    // with zero bytes between lines
  char **lines;  // line n is lines[n - 1]
  size_t count;
} prof_text_file;
prof_text_file prof_read_text(const char *path);
const char *prof_short_path(const char *path);  // without the working folder, if the file lies in it
void prof_free_text(prof_text_file *file);

#endif
