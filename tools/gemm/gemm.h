// SPDX-License-Identifier: MIT
// Declares the parts of `wavetile gemm`: options, matrices, the run on the device, the report.
#ifndef WT_TOOLS_GEMM_H
#define WT_TOOLS_GEMM_H

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
#include "verify.h"
#include "wavetile.h"

typedef struct gemm_options {
  const char *a, *b, *c, *out;  // files
  const char *bias, *row_scale, *column_scale;
  tool_sizes m, n, k, batch;  // or sizes
  long long lda, ldb, ldc;
  unsigned long long stride_a, stride_b, stride_c;  // UINT64_MAX: not given
  tool_sizes split_k;
  unsigned long long workspace;
  const char *dtype, *type_a, *type_b, *type_c, *out_dtype, *activation, *kernel;
  bool trans_a, trans_b, batch_invariant;
  double alpha, beta;
  tool_run_options run;
} gemm_options;

// Describes one input: after gemm_quantise, `values` holds what its codes stand for.
typedef struct gemm_input {
  const element_type *type;
  matrix_layout layout;
  npy_array values;   // the matrices of the batch one after the other, whatever the file's dimensions
  uint8_t *codes;     // as on the device
  float amax, scale;  // values were divided by scale
  double rounding;    // relative root mean square of what the rounding changed
} gemm_input;

typedef struct gemm_job {
  gemm_options options;
  const element_type *type_c;  // what the device stores
  npy_type file_type;          // of the output file
  wt_activation activation;
  int64_t m, n, k, batch;
  gemm_input a, b;
  matrix_layout layout_c;
  npy_array c0, c;                          // c0.data is NULL when beta is 0; c.integers holds I32
  npy_array bias, row_scale, column_scale;  // data is NULL when there is none
  bool gaps_kept;                           // nothing was written between the rows of C
  tool_device device;
  char target[32];
  const char *kernel;
  device_run run;
  size_t workspace_used;
  double input_seconds, verify_seconds;
  verify_result verified;
  int64_t worst_member;  // member of the batch that `verified` describes
} gemm_job;

// Reads the files of the options, or makes normally distributed matrices; checks that the shapes fit
// together. What the C API refuses is refused before random numbers are made.
int gemm_make_inputs(gemm_job *job);

// Returns an array with C's dimensions, without data; it has a batch's dimensions where A or B has them.
npy_array gemm_shape_of_c(const gemm_job *job);

// Scales the input where its type asks for it, and rounds it.
int gemm_quantise(const gemm_job *job, gemm_input *input, const char *name);

// Asks the C API, on job->device, whether it takes a call of these sizes, types and options. The matrices
// need not be there.
int gemm_check_call(gemm_job *job);

// Prints how the library would run the call.
int gemm_explain(gemm_job *job);

// Runs on job->device through the C API, filling c and what was counted.
int gemm_run(gemm_job *job);

int gemm_verify(gemm_job *job);
bool gemm_passed(const gemm_job *job);  // whether it was verified and is right
void gemm_report(const void *job);
void gemm_describe(const void *job, record *r);

#endif
