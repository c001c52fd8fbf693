// SPDX-License-Identifier: MIT
// The parts of `wavetile gemm`: options, matrices, the run on the device, the report.
#ifndef WT_TOOLS_GEMM_H
#define WT_TOOLS_GEMM_H

#include <stdint.h>

#include "core/device.h"
#include "core/element.h"
#include "core/npy.h"
#include "core/report.h"
#include "core/run_options.h"
#include "core/tool.h"
#include "verify.h"
#include "wavetile.h"

typedef struct gemm_options {
  const char *a, *b, *c, *out;  // files
  const char *bias, *row_scale, *column_scale;
  long long m, n, k;  // or sizes
  long long split_k;
  unsigned long long workspace;
  const char *dtype, *type_a, *type_b, *type_c, *out_dtype, *activation, *kernel;
  bool trans_a, trans_b;
  double alpha, beta;
  tool_run_options run;
} gemm_options;

// One input: after gemm_quantise, `values` holds what its codes stand for.
typedef struct gemm_input {
  const element_type *type;
  npy_matrix values;
  uint8_t *codes;
  float amax, scale;  // values were divided by scale
} gemm_input;

typedef struct gemm_job {
  gemm_options options;
  const element_type *type_c;  // what the device stores
  npy_type file_type;          // of the output file
  wt_activation activation;
  int64_t m, n, k;
  gemm_input a, b;
  npy_matrix c0, c;                          // c0.data is NULL when beta is 0; c.integers holds I32
  npy_matrix bias, row_scale, column_scale;  // data is NULL when there is none
  tool_device device;
  char target[32];
  const char *kernel;
  bool counted;
  unsigned long long instructions, workgroups;
  size_t workspace_used;
  double input_seconds, run_seconds, verify_seconds;
  verify_problem problem;
  verify_result verified;
} gemm_job;

// Reads the files of the options, or makes normally distributed matrices; checks that the shapes fit
// together.
int gemm_make_inputs(gemm_job *job);

// Scales the input where its type asks for it, and rounds it.
int gemm_quantise(const gemm_job *job, gemm_input *input, const char *name);

// Runs on job->device through the C API, filling c and what was counted; or explains how it would.
int gemm_run(gemm_job *job);

int gemm_verify(gemm_job *job);
void gemm_report(const gemm_job *job);

#endif
