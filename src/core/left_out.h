// SPDX-License-Identifier: MIT
// Names the kernels that exist, but that the build left out of the library. The build generates the table.
#ifndef WT_SRC_LEFT_OUT_H
#define WT_SRC_LEFT_OUT_H

#include <stddef.h>

typedef struct wt_left_out {
  const char *name;    // file stem, such as "gemm_01_naive"; NULL ends the table
  const char *family;  // such as "ladder"
  const char *target;  // such as "gfx950"
} wt_left_out;

extern const wt_left_out wt_left_out_table[];

// Users read this about such a kernel: a printf format for its name and its family.
#define WT_LEFT_OUT                                                                         \
  "kernel %s of the family %s was left out when this library was built; configure it with " \
  "-DWT_KERNELS=all, or run ./dev build in a clone"

#endif
