// SPDX-License-Identifier: MIT
// Declares what the option --scales says of weights in commands whose scales are numbers or MX formats.
#ifndef WT_TOOLS_WEIGHT_SCALES_H
#define WT_TOOLS_WEIGHT_SCALES_H

#include "wavetile.h"

// What scales weights have: none, an F32 number for 128 rows together or for each row, or the E8M0 bytes of
// MX formats.
typedef enum weight_scales { SCALES_NONE, SCALES_TILES, SCALES_ROWS, SCALES_MX } weight_scales;

// Finds what the word of --scales says: whose they are, and what numbers. TOOL_OK, or reports and returns an
// exit code.
int weight_scales_option(const char *word, weight_scales *scales, wt_block_scales *kind);

// Returns the option to pass where numbers for tiles or rows are no powers of two: "--scales tiles".
const char *weight_scales_any(weight_scales scales);

#endif
