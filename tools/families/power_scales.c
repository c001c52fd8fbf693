// SPDX-License-Identifier: MIT
// Takes F32 scales that are powers of two, random ones or those of files.
#include "power_scales.h"

#include <math.h>

// Returns whether a scale is a power of two that products take as one.
static bool is_power_of_two(float scale) {
  int exponent;
  return frexpf(scale, &exponent) == 0.5f && exponent > -127 && exponent <= 128;
}

int power_scales_take(family_job *job, int tensor, const char *instead) {
  const npy_array *values = &job->tensors[tensor].values;
  for (int64_t i = 0; i < npy_count(values); ++i) {
    float *scale = &values->data[i];
    int exponent;
    if (!job->files) {
      (void)frexpf(*scale, &exponent);
      *scale = ldexpf(1, exponent);
    } else if (!is_power_of_two(*scale)) {
      char place[80];
      npy_place_text(values, i, place, sizeof place);
      return tool_error(
          TOOL_USAGE, "--%s %s: element [%s] is %g, no power of two from 2^-127 to 2^127; pass %s",
          job->family->tensors[tensor].option, job->tensors[tensor].path, place, (double)*scale, instead);
    }
  }
  return TOOL_OK;
}
