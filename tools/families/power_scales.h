// SPDX-License-Identifier: MIT
// Declares the F32 scales of commands that are promised to be powers of two.
#ifndef WT_TOOLS_POWER_SCALES_H
#define WT_TOOLS_POWER_SCALES_H

#include "family.h"

// Makes powers of two of random scales, and checks those of files: TOOL_OK, or reports, with the place of the
// first other number and what to pass instead, and returns an exit code. The tensor holds F32 numbers.
int power_scales_take(family_job *job, int tensor, const char *instead);

#endif
