// SPDX-License-Identifier: MIT
// The parts of `wavetile norm`: options, tensors, the run on the device.
#ifndef WT_TOOLS_NORM_H
#define WT_TOOLS_NORM_H

#include "core/device.h"
#include "core/element.h"
#include "core/npy.h"
#include "core/tool.h"

// What a call reads and writes, each a file if it has an option. The names are those of wavetile/norm.h.
typedef enum norm_tensor_id {
  NORM_X,
  NORM_RESIDUAL,
  NORM_DY,
  NORM_DSUM,
  NORM_WEIGHT,
  NORM_BIAS,
  NORM_OUT,  // y, or dx of the backward pass
  NORM_SUM,
  NORM_DRESIDUAL,
  NORM_DWEIGHT,
  NORM_DBIAS,
  NORM_TENSORS
} norm_tensor_id;

typedef struct norm_tensor {
  const char *option;  // of its file
  bool vector;         // one row
  bool output;
  const char *path;  // NULL: there is no such tensor
  const element_type *type;
  npy_matrix values;
  void *device;
} norm_tensor;

typedef struct norm_job {
  norm_tensor tensors[NORM_TENSORS];
  const char *dtype, *type_weight, *out_dtype, *device_spec;
  bool rms, layer, help;
  bool backward;  // dy is given
  double epsilon, dropout;
  unsigned long long seed;
  int64_t rows, columns;
  npy_type file_type;  // of the outputs
  tool_device device;
  bool counted;
  unsigned long long instructions, workgroups;
  double run_seconds;
} norm_job;

// Runs on job->device through the C API: uploads the inputs and downloads the outputs.
int norm_run(norm_job *job);

#endif
