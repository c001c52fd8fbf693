// SPDX-License-Identifier: MIT
// Says what is done with a product before it is stored.
#include "epilogue.h"

#include <math.h>
#include <string.h>

#include "core/device_memory.h"

int epilogue_options(epilogue *e, tool_option *table) {
  const tool_option rows[] = {
      {"alpha", TOOL_FLOAT, &e->alpha, "X", "factor of the product (default 1)"},
      {"beta", TOOL_FLOAT, &e->beta, "X", "factor of C (default 0)"},
      {"activation", TOOL_STRING, &e->activation_name, "NAME",
       "relu, gelu (tanh form) or silu, applied last"},
  };
  memcpy(table, rows, sizeof rows);
  return sizeof rows / sizeof *rows;
}

int epilogue_check(family_job *job, epilogue *e) {
  const char *c = job->tensors[e->c].path;
  const int activation = tool_activation_word(e->activation_name);
  if (activation < 0)
    return tool_error(TOOL_USAGE, "--activation is \"%s\"; pass none, relu, gelu or silu",
                      e->activation_name);
  e->activation = (wt_activation)activation;
  if (e->beta != 0 && !job->tensors[e->out].wanted)
    return tool_error(TOOL_USAGE, "--beta is %g, but nothing can be added to C in an MX format; leave it out",
                      e->beta);
  if (e->beta != 0 && job->files && !c)
    return tool_error(TOOL_USAGE, "--beta is %g, which needs the C it multiplies; pass --c", e->beta);
  if (e->beta == 0 && c)
    return tool_error(TOOL_USAGE, "--c is %s, but --beta is 0, so it would not be used; pass --beta", c);
  job->tensors[e->c].wanted = e->beta != 0;
  return TOOL_OK;
}

// C before the call is put where the result goes, as the call expects it.
int epilogue_prepare(const family_job *job, const epilogue *e) {
  const family_data *c = &job->tensors[e->c], *out = &job->tensors[e->out];
  if (!c->wanted) return TOOL_OK;
  const size_t size = c->type->size;
  const hipError_t error =
      hipMemcpy2D(out->device, (size_t)out->layout.ld * size, c->device, (size_t)c->layout.ld * size,
                  (size_t)c->layout.cols * size, (size_t)c->layout.rows, hipMemcpyDeviceToDevice);
  return error == hipSuccess ? TOOL_OK : tool_hip_failed("copying C", error);
}

void epilogue_dims(const epilogue *e, int tensor, int64_t rows, int64_t columns, npy_array *out) {
  out->rank = tensor == e->c ? 2 : 1;
  out->shape[0] = tensor == e->c ? rows : columns;
  if (tensor == e->c) out->shape[1] = columns;
}

// gemm/verify.h has the reasons for the bound.
double epilogue_apply(const family_job *job, const epilogue *e, int64_t row, int64_t column, double sum,
                      double error, double *bound) {
  const float *bias_row = family_row(job, e->bias, 0), *c_row = family_row(job, e->c, row);
  const double alpha = (double)(float)e->alpha, beta = (double)(float)e->beta;
  const double bias = bias_row ? (double)bias_row[column] : 0, c = c_row ? beta * (double)c_row[column] : 0;
  double slack;
  const double want = family_activated(e->activation, alpha * sum + c + bias, &slack);
  *bound = error * fabs(alpha) + family_u * (3 * fabs(c) + 2 * fabs(bias));
  if (e->activation) *bound = 1.2 * *bound + slack;
  return want;
}

void epilogue_describe(const epilogue *e, record *r) { record_text(r, "activation", e->activation_name); }
