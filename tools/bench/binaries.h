// SPDX-License-Identifier: MIT
// `wavetile bench binaries`: launches of anybody's code objects, which a JSON file describes, in the timing
// model beside what was measured of them. docs/guide/binaries.md has the form of the file.
#ifndef WT_TOOLS_BENCH_BINARIES_H
#define WT_TOOLS_BENCH_BINARIES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/bench.h"
#include "sim/machine/machine.h"

// These are the names of what a launch finds in the last-level cache, by wt_sim_timing_repeat; NULL: no case
// can be so.
enum { BINARY_MEMORIES = WT_SIM_TIMING_COLD + 1 };
extern const char *const binary_memory_names[BINARY_MEMORIES];

typedef enum binary_fill {
  BINARY_FILL_ZEROS,
  BINARY_FILL_VALUE,   // one value again and again
  BINARY_FILL_COUNT,   // 0, 1, 2, ...
  BINARY_FILL_RANDOM,  // random bytes, the same in every run
} binary_fill;

// Describes the type of a value, by its name in the file.
typedef struct binary_type {
  const char *name;
  uint32_t bytes;
  bool real;
  json_int_t least, most;  // of a whole number
} binary_type;

typedef struct binary_buffer {
  uint64_t bytes;
  uint32_t place;  // where its address stands in the arguments
  binary_fill fill;
  const binary_type *type;  // of values and of counts
  unsigned char value[8];
} binary_buffer;

// Holds what is known of a predicted launch.
typedef enum binary_number {
  BINARY_US,  // with what a launch costs besides its waves, as a profiler reports it
  BINARY_CYCLES,
  BINARY_WRITE_BACK,  // cycles to write L2 back at the end
  BINARY_CLOCK,
  BINARY_BUSY,  // share of the launch that the matrix pipes are busy
  BINARY_LOOP,  // ... of the hot loop
  BINARY_L2,    // share of look-ups that hit
  BINARY_LLC,
  BINARY_HBM_READ,  // bytes
  BINARY_HBM_WRITTEN,
  BINARY_NUMBERS
} binary_number;

extern const char *const binary_number_names[BINARY_NUMBERS];

enum { BINARY_ARGUMENTS = 4096, BINARY_BUFFERS = 64 };

// Describes a launch. Texts belong to the JSON document.
typedef struct binary_case {
  const char *group, *name, *kernel, *source;
  const char *code_object;  // as the file has it, relative to the file's folder
  char *path;               // of the code object
  const sim_machine *machine;
  uint32_t grid[3], block[3], lds;  // in work-groups, work-items, bytes of dynamic LDS
  wt_sim_timing_repeat memory;
  bench_role role;  // BENCH_COMPARE or BENCH_CHOOSE
  double measured;  // microseconds; NaN: nobody has measured it
  uint32_t size;    // bytes of the arguments
  unsigned char arguments[BINARY_ARGUMENTS];
  uint32_t buffer_count;
  binary_buffer buffer[BINARY_BUFFERS];
  uint64_t key;  // of all that the prediction depends on, the contents of the code object among it
  bool predicted;
  double number[BINARY_NUMBERS];  // NaN: not known
} binary_case;

typedef struct binary_cases {
  json_t *document;
  binary_case *cases;
  size_t count;
  const char *keep;  // the file that predictions are added to; NULL: none
} binary_cases;

// Reads a file of cases. Reports and returns an exit code when there is a mistake in it. Free with
// binary_cases_free.
int binary_cases_read(const char *path, binary_cases *out);
void binary_cases_free(binary_cases *cases);

// Predicts all cases that have no prediction yet, `jobs` at a time, each in a process of its own, and adds
// them to the file `keep`. Returns the first exit code that is not TOOL_OK; cases that failed have no
// prediction then.
int binary_predict_all(binary_cases *cases, size_t jobs);

// Takes from a file the predictions that it has; there may be no file.
int binary_keep_read(const char *path, binary_cases *cases);
int binary_keep_add(const char *path, const binary_case *c);

// Returns the error of the predicted time in percent, positive when the prediction is longer; NaN when there
// is no prediction or no measurement.
double binary_error(const binary_case *c);

#endif
