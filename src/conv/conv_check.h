// SPDX-License-Identifier: MIT
// Declares what the checks of a convolution and of its gradients have in common. Each refuses with one
// sentence.
#ifndef WT_SRC_CONV_CHECK_H
#define WT_SRC_CONV_CHECK_H

#include "core/operand.h"

// Copies the descriptor and checks all of it but its types. *p and *q are the rows and columns of an image of
// y.
wt_status wt_conv_check_begin(wt_context *context, const wt_conv_desc *desc, wt_conv_desc *copy, int64_t *p,
                              int64_t *q);

// Describes a member of the descriptor that is a type.
typedef struct wt_conv_type {
  const char *name;
  wt_type type;
} wt_conv_type;

// Checks that `input` is FP8 of the device, BF16 or F16, and so is `other`, which it is multiplied with, and
// that the result is F32, BF16 or F16.
wt_status wt_conv_check_types(wt_context *context, wt_conv_type input, wt_conv_type other,
                              wt_conv_type output);

// Checks that a gradient has no epilogue but alpha and beta.
wt_status wt_conv_check_plain(wt_context *context, const wt_conv_desc *d);

// Sets *out to the product of up to three sizes, and refuses one of more than 2^31 - 1.
wt_status wt_conv_check_product(wt_context *context, const char *what, const char *remedy, int64_t a,
                                int64_t b, int64_t c, int64_t *out);

// Makes the operand of an array without gaps, and refuses one of more than 2^63 bytes.
wt_status wt_conv_tensor(wt_context *context, const char *name, const void *pointer, wt_type type,
                         const int64_t sizes[4], wt_operand *out);

#endif
