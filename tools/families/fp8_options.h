// SPDX-License-Identifier: MIT
// Declares the options that `wavetile quantize` and `wavetile dequantize` share: the FP8 type, and one scale
// or many.
#ifndef WT_TOOLS_FP8_OPTIONS_H
#define WT_TOOLS_FP8_OPTIONS_H

#include "family.h"

typedef struct fp8_options {
  const char *type_name;     // --type-q
  bool by_row;               // a scale for each row
  const element_type *type;  // of that name, set by fp8_check
  float largest;             // quantize: the largest magnitude of X, in the type of the device
} fp8_options;

#define FP8_OPTIONS_INIT (fp8_options){.type_name = "f8e4m3"}

// These are for family->options, a part of family->check, and for family->describe; job->own is an
// fp8_options.
int fp8_option_rows(family_job *job, tool_option *table);
int fp8_check(family_job *job);
void fp8_describe(const family_job *job, record *r);

// Returns a descriptor with the shape and the types of a job.
wt_quantize_desc fp8_descriptor(const family_job *job);

#endif
