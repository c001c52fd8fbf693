// SPDX-License-Identifier: MIT
// Describes the block-scaled format of a layer's weights, and of what is quantised on the way.
#ifndef WT_SRC_EXPERTS_SCALES_H
#define WT_SRC_EXPERTS_SCALES_H

#include "core/operand.h"

typedef enum experts_format {
  EXPERTS_PLAIN,       // all of one 16-bit type, without scales
  EXPERTS_F32_SCALES,  // FP8 E4M3
  EXPERTS_MX           // MX formats
} experts_format;
experts_format experts_format_of(const wt_experts_desc *desc);

// Returns whether tokens and activations are quantised; BF16 is multiplied by weights in an MX format as it
// is.
bool experts_quantizes(const wt_experts_desc *desc);

// Checks the members about scales, and sets type_q where it is at its default.
wt_status experts_check_scales(wt_context *context, wt_experts_desc *desc);

// Returns the bytes of a row of so many elements of this type, and those of its scales.
int64_t experts_row_bytes(wt_type type, int64_t elements);
int64_t experts_scale_bytes(const wt_experts_desc *desc, int64_t elements);

// Makes the operand of `matrices` packed scales, each of a matrix of weights of rows x elements.
wt_operand experts_scale_operand(const wt_experts_desc *desc, const char *name, const void *pointer,
                                 int64_t matrices, int64_t rows, int64_t elements);

// Returns what an activation shall write, with its scales at `scale`.
wt_block_output experts_output(const wt_experts_desc *desc, void *scale);

#endif
