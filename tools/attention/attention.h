// SPDX-License-Identifier: MIT
// Declares the parts of `wavetile attention`: options, tensors, the run on the device, the verification, the
// report.
#ifndef WT_TOOLS_ATTENTION_H
#define WT_TOOLS_ATTENTION_H

#include <stdint.h>

#include "core/device.h"
#include "core/device_run.h"
#include "core/element.h"
#include "core/matrix_layout.h"
#include "core/npy.h"
#include "core/report.h"
#include "core/run_options.h"
#include "core/sizes.h"
#include "core/tool.h"
#include "wavetile.h"

typedef struct attention_options {
  const char *q, *k, *v, *out, *lse;                                      // files
  const char *dout, *dq, *dk, *dv;                                        // files of the backward pass
  const char *q_offsets, *k_offsets;                                      // files of packed batches
  const char *sinks, *dsinks, *alibi_slopes;                              // files
  tool_sizes batch, heads, kv_heads, queries, keys, head_dim, value_dim;  // or sizes
  // These are the elements between the starts of rows and of batch members on the device; 0: packed.
  long long ldq, ldk, ldv, ldo, stride_q, stride_k, stride_v, stride_o;
  long long window, waves;
  const char *dtype, *out_dtype;
  bool causal, backward, deterministic;
  double scale, soft_cap;  // NaN: not given
  double dropout;          // 0: none
  tool_run_options run;
} attention_options;

// Elements are in the order [batch][row][head][element], whatever the file's dimensions; a packed batch has
// batch 1. After attention_quantise `values` holds what the codes stand for.
typedef struct attention_tensor {
  const char *name;
  npy_array values;      // with the file's dimensions
  matrix_layout layout;  // on the device: rows of all heads
  uint8_t *codes;        // as on the device
  float amax, scale;     // values were divided by scale
} attention_tensor;

typedef struct attention_result {
  double ratio;           // the largest of error / bound, infinite when they cannot be compared
  double largest_error;   // largest error of those that can be compared
  int64_t sequence, row;  // where the ratio is
  int64_t head, element;
} attention_result;

typedef enum attention_output {
  ATTENTION_O,
  ATTENTION_LSE,
  ATTENTION_DQ,
  ATTENTION_DK,
  ATTENTION_DV,
  ATTENTION_DSINKS,
  ATTENTION_RESULTS
} attention_output;

typedef struct attention_job {
  attention_options options;
  const element_type *type, *output_type;
  npy_type file_type;
  int rank;  // dimensions of the tensors in files
  // `queries` and `keys` are those of the longest sequence.
  int64_t batch, heads, kv_heads, queries, keys, head_dim, value_dim;
  bool packed;
  int32_t *q_starts, *k_starts;  // of packed sequences, batch + 1 row numbers each
  int64_t q_rows, k_rows;        // rows of a tensor's batch member: of all sequences together when packed
  float softmax_scale, soft_cap;
  bool backward;
  attention_tensor q, k, v, dout;
  npy_array o, lse, dq, dk, dv;
  npy_array sinks, dsinks;  // of all heads; without data: there are none
  npy_array slopes;         // of all heads, or [batch][head]; without data: there are none
  tool_device device;
  char target[32];
  device_run run;
  bool verified;
  bool gaps_kept;  // nothing was written between the rows of results
  size_t workspace;
  double input_seconds, verify_seconds;
  attention_result results[ATTENTION_RESULTS];
} attention_job;

extern const char *const attention_result_names[ATTENTION_RESULTS];

// Reads the files of the options, or makes normally distributed tensors; checks that the shapes fit together.
int attention_make_inputs(attention_job *job);

// Takes the sequences of --q-offsets and --k-offsets, if they are given, into the job.
int attention_read_packing(attention_job *job);

// Returns the slope of ALiBi, 0 where there is none.
float attention_slope(const attention_job *job, int64_t batch, int64_t head);

// Describes one sequence: its first rows, batch members one after the other, and how many there are.
typedef struct attention_sequence {
  int64_t q_first, queries, k_first, keys;
} attention_sequence;

attention_sequence attention_sequence_of(const attention_job *job, int64_t batch);

// Scales the tensor where its type asks for it, and rounds it.
int attention_quantise(const attention_job *job, attention_tensor *tensor);

// Returns an array with the dimensions of the files, without data.
npy_array attention_shape(const attention_job *job, int64_t rows, int64_t heads, int64_t dim);

// Asks the C API, on job->device, whether it takes the passes. The tensors need shapes and layouts alone.
int attention_check_call(attention_job *job);
// Prints how the library would run one pass after the other.
int attention_explain(attention_job *job);
// Runs on job->device through the C API, filling the results and what was counted.
int attention_run(attention_job *job);

// Compares every element of every result with float64.
int attention_verify(attention_job *job);
bool attention_passed(const attention_job *job);

void attention_report(const void *job);
void attention_describe(const void *job, record *r);

#endif
