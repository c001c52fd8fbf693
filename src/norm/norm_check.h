// SPDX-License-Identifier: MIT
// The checks that the forward and the backward pass of the norms share.
#ifndef WT_SRC_NORM_CHECK_H
#define WT_SRC_NORM_CHECK_H

#include "core/operand.h"
#include "kernels/norm/norm_args.h"

// Describes the members that both descriptors have.
typedef struct norm_shape {
  int64_t rows, columns;
  wt_norm_kind kind;
  wt_type type, type_weight;
  float dropout;
  uint64_t seed;
} norm_shape;

wt_status norm_check_shape(wt_context *context, const norm_shape *shape);

wt_norm_dropout norm_dropout_of(const norm_shape *shape);

const char *norm_kind_name(wt_norm_kind kind);

// Writes a kernel's name without that of its shape, such as "norm_forward_layer_bf16_f32".
void norm_kernel_name(char *name, size_t size, const char *stem, const char *kind, const norm_shape *shape);

enum { NORM_MOST_OPERANDS = 12 };

// Holds the memory of a call, as it is collected.
typedef struct norm_operands {
  wt_operand all[NORM_MOST_OPERANDS];
  int count;
} norm_operands;

// Adds a matrix of the shape. An output that takes the place of an input added before, element by element, is
// checked as one operand with it. A NULL pointer adds nothing, unless `needed`.
wt_status norm_add_matrix(wt_context *context, norm_operands *to, const norm_shape *shape, const char *name,
                          const void *pointer, wt_type type, const char *ld_name, int64_t ld, bool written,
                          bool needed);

// Adds `count` elements, unless the pointer is NULL.
void norm_add_vector(norm_operands *to, const char *name, const void *pointer, wt_type type, int64_t count,
                     bool written);

// Returns the elements from row to row: ld, or those of packed rows.
static inline int64_t norm_stride(int64_t ld, const norm_shape *shape) { return ld ? ld : shape->columns; }

#endif
