// SPDX-License-Identifier: MIT
// This is what `wavetile gemm-mx` and `wavetile gemm-block` do with a product: alpha * product + beta * C +
// bias, and an activation. It is the options, the tensors and the reference that they share.
#ifndef WT_TOOLS_EPILOGUE_H
#define WT_TOOLS_EPILOGUE_H

#include "family.h"

// Options, and what they stand for once they are checked. It is a member of the families' own options, and
// begins as EPILOGUE_INIT with its tensors.
typedef struct epilogue {
  int out, bias, c;  // the tensors: the result in elements of --dtype, the summands, C before the call
  double alpha, beta;
  const char *activation_name;
  wt_activation activation;
} epilogue;

#define EPILOGUE_INIT(out_tensor, bias_tensor, c_tensor) \
  {.out = (out_tensor), .bias = (bias_tensor), .c = (c_tensor), .alpha = 1, .activation_name = "none"}

// These are two rows of a family's table of tensors.
#define EPILOGUE_BIAS \
  {"bias", "V.npy", "N numbers, added to each row", "bias", FAMILY_OWN, FAMILY_F32, false, false, NULL, NULL}
#define EPILOGUE_C                                                                         \
  {"c",        "C.npy",    "matrix C before the call, M x N; needed when --beta is not 0", \
   "c_before", FAMILY_OWN, FAMILY_VALUE,                                                   \
   false,      false,      NULL,                                                           \
   NULL}

// Writes the rows of --alpha, --beta and --activation to the table, and returns their number.
int epilogue_options(epilogue *e, tool_option *table);
// These are parts of family->check, which needs to have said whether `out` is wanted, and of
// family->prepare: TOOL_OK, or they report and return an exit code.
int epilogue_check(family_job *job, epilogue *e);
int epilogue_prepare(const family_job *job, const epilogue *e);
// Sets the shape of one of the two tensors, for results of `rows` x `columns`.
void epilogue_dims(const epilogue *e, int tensor, int64_t rows, int64_t columns, npy_array *out);

// Returns the result at `row` and `column`, given the exact sum of products, and sets a bound of what the
// device may be off by, before the last rounding: `error` is how far the device's own sum may be off.
double epilogue_apply(const family_job *job, const epilogue *e, int64_t row, int64_t column, double sum,
                      double error, double *bound);

// This is a part of family->describe.
void epilogue_describe(const epilogue *e, record *r);

#endif
