// SPDX-License-Identifier: MIT
// Describes the element types of matrices on a device: names, sizes, and rounding on the host.
#ifndef WT_TOOLS_ELEMENT_H
#define WT_TOOLS_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "fp8.h"
#include "wavetile.h"

// Describes an element type; FP8 is OCP or FNUZ as the device has it.
typedef struct element_type {
  const char *name, *title;  // name in options, name in reports
  size_t size;
  wt_type ocp, fnuz;
  const fp8_format *format_ocp, *format_fnuz;  // NULL unless FP8
  bool input, output;
  double roundoff;  // unit roundoff as an output type
} element_type;

// Returns the type of that name; NULL when no input (or output) type has it.
const element_type *element_type_find(const char *name, bool output);
wt_type element_type_on(const element_type *type, const char *target);
const fp8_format *element_format_on(const element_type *type, const char *target);
const char *element_type_title(const element_type *type, const char *target);

// Returns whether a finite number becomes infinite when it is rounded to BF16 or F16.
bool element_overflows(const element_type *type, float value);

// Convert one element to its code, rounded to nearest even, and back. `format` is that of element_format_on.
void element_encode(const element_type *type, const fp8_format *format, float value, void *out);
float element_decode(const element_type *type, const fp8_format *format, const void *code);

#endif
