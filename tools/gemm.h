// SPDX-License-Identifier: MIT
// The parts of `wavetile gemm`: options, matrices, the run on the device, the report.
#ifndef WT_TOOLS_GEMM_H
#define WT_TOOLS_GEMM_H

#include <stdint.h>

#include "device.h"
#include "fp8.h"
#include "npy.h"
#include "tool.h"
#include "verify.h"
#include "wavetile.h"

typedef struct gemm_options {
  const char *a, *b, *c, *out;  // files
  long long m, n, k;            // or sizes
  unsigned long long seed;
  const char *dtype, *out_dtype, *kernel, *device;
  bool trans_a, trans_b, verify, no_verify, progress, help;
  double alpha, beta;
} gemm_options;

// One input: after gemm_quantise, `values` holds what its FP8 codes stand for.
typedef struct gemm_input {
  npy_matrix values;
  uint8_t *codes;
  float amax, scale;  // values were divided by scale = amax / largest FP8 number
} gemm_input;

typedef struct gemm_job {
  gemm_options options;
  bool e5m2, store_f16;  // store_f16: the output file is float16
  wt_type type_c;        // what the device stores
  int64_t m, n, k;
  gemm_input a, b;
  npy_matrix c0, c;  // c0.data is NULL when beta is 0
  tool_device device;
  const fp8_format *format;
  char target[32];
  const char *kernel;
  bool counted;
  unsigned long long instructions, workgroups;
  double input_seconds, run_seconds, verify_seconds;
  verify_problem problem;
  verify_result verified;
} gemm_job;

// Reads the files of the options, or makes normally distributed matrices; checks that the shapes fit
// together.
int gemm_make_inputs(gemm_job *job);

// Scales the input into FP8 and rounds it.
int gemm_quantise(gemm_input *input, const fp8_format *format);

// Runs on job->device through the C API, filling c and what was counted.
int gemm_run(gemm_job *job);

int gemm_verify(gemm_job *job);
void gemm_report(const gemm_job *job);
double gemm_seconds(void);  // of a monotonic clock

#endif
