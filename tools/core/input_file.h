// SPDX-License-Identifier: MIT
// Reads the .npy files that options name, with a line about what their conversion loses.
#ifndef WT_TOOLS_INPUT_FILE_H
#define WT_TOOLS_INPUT_FILE_H

#include "element.h"
#include "npy.h"

// Reads the file of an option (without its dashes), an array of `least` to `most` dimensions. float64 and
// int64, and int32 that does not fit, are converted to float32: one line to stderr says so, and what that
// loses. Returns TOOL_OK, or reports and returns TOOL_USAGE.
int tool_read_array(const char *option, const char *path, int least, int most, npy_array *out);

// Refuses an array with a number beyond a type of the device. Returns TOOL_OK, or reports and returns
// TOOL_USAGE.
int tool_fits_type(const char *option, const char *path, const npy_array *array, const element_type *type);

// Returns whether a finite number becomes infinite in a file of float16.
bool tool_beyond_float16(float value);

#endif
