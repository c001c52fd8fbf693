// SPDX-License-Identifier: MIT
// Reads the files of options, and says what conversions lose.
#include "input_file.h"

#include <math.h>
#include <stdio.h>

#include "tool.h"

static void say_conversion(const char *option, const char *path, const npy_array *array) {
  const npy_loss *loss = &array->loss;
  fprintf(stderr, "wavetile: --%s %s: %s converted to float32: ", option, path, npy_type_name(array->type));
  if (!loss->inexact) {
    fputs("nothing is lost\n", stderr);
    return;
  }
  fprintf(stderr, "%lld of %lld elements rounded, largest relative error %.3g", (long long)loss->inexact,
          (long long)npy_count(array), loss->largest);
  if (loss->vanished) fprintf(stderr, ", %lld became 0", (long long)loss->vanished);
  fputc('\n', stderr);
}

int tool_read_array(const char *option, const char *path, int least, int most, npy_array *out) {
  char message[4608];
  if (!npy_read_path(path, least, most, out, message, sizeof message))
    return tool_error(TOOL_USAGE, "--%s %s", option, message);
  if (out->type == NPY_F64 || out->type == NPY_I64 || out->loss.inexact) say_conversion(option, path, out);
  return TOOL_OK;
}

bool tool_beyond_float16(float value) {
  return isfinite(value) && fabsf(value) >= 65520.0f;  // half an ulp above 65504, the largest
}

int tool_fits_type(const char *option, const char *path, const npy_array *array, const element_type *type) {
  for (int64_t i = 0; i < npy_count(array); ++i)
    if (element_overflows(type, array->data[i]))
      return tool_error(TOOL_USAGE, "--%s %s holds %g, beyond %s; pass %s as its type", option, path,
                        (double)array->data[i], type->title,
                        type->ocp == WT_TYPE_F16 ? "bf16 or f32" : "f32");
  return TOOL_OK;
}
