// SPDX-License-Identifier: MIT
// Predicts in processes of their own: addresses are the same for each, whatever was predicted before, and
// what one kernel does wrong stays with it.
#ifndef WT_TOOLS_BENCH_JOBS_H
#define WT_TOOLS_BENCH_JOBS_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_JOB_BYTES = 4096 };

// Says what is to be done, in pieces 0 to count - 1. The functions that return an exit code have reported
// what is wrong when it is not TOOL_OK.
typedef struct bench_work {
  void *context;
  size_t count;
  size_t bytes;                                           // of a result, at most BENCH_JOB_BYTES
  bool (*is_done)(void *context, size_t piece);           // nothing is left to do of it
  const char *(*name)(void *context, size_t piece);       // for messages
  int (*run)(void *context, size_t piece, void *result);  // in a process of its own
  int (*take)(void *context, size_t piece, const void *result);
} bench_work;

// Does all pieces that are not done, `jobs` at a time. No device may have been used in this process before.
// Returns the first exit code that is not TOOL_OK; the results of pieces that failed are not taken.
int bench_jobs_run(const bench_work *work, size_t jobs);

#endif
