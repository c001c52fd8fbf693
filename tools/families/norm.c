// SPDX-License-Identifier: MIT
// Implements `wavetile norm`: layer norm or RMS norm of rows, with dropout and a residual, forward and
// backward.
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <string.h>

#include "norm_reference.h"

static const family_tensor tensors[NORM_TENSORS] = {
    [NORM_X] = {"x", "X.npy",
                "the rows, along the last of 2 to 4 axes: float32, float64, float16 or whole numbers", "x",
                FAMILY_MATRIX, FAMILY_VALUE, false, false, "ldx",
                "elements between the starts of rows of X on the device (default: rows are packed)"},
    [NORM_RESIDUAL] = {"residual", "R.npy", "added to the rows before, after the dropout of X", "residual",
                       FAMILY_MATRIX, FAMILY_VALUE, false, false, "ldresidual",
                       "elements between the starts of rows of the residual (default: packed)"},
    [NORM_WEIGHT] = {"weight", "V.npy", "a factor for each column", "weight", FAMILY_COLUMNS, FAMILY_WEIGHT,
                     false, false, NULL, NULL},
    [NORM_BIAS] = {"bias", "V.npy", "a summand for each column", "bias", FAMILY_COLUMNS, FAMILY_WEIGHT, false,
                   false, NULL, NULL},
    [NORM_Y] = {"out", "Y.npy", "where the result goes", "y", FAMILY_MATRIX, FAMILY_VALUE, true, false, "ldy",
                "elements between the starts of rows of Y (default: packed)"},
    [NORM_SUM] = {"sum", "S.npy", "where dropout(X) + residual goes", "sum", FAMILY_MATRIX, FAMILY_VALUE,
                  true, false, "ldsum", "elements between the starts of rows of the sum (default: packed)"},
    [NORM_MEAN] = {NULL, NULL, NULL, "mean", FAMILY_ROWS, FAMILY_F32, true, false, NULL, NULL},
    [NORM_RSTD] = {NULL, NULL, NULL, "rstd", FAMILY_ROWS, FAMILY_F32, true, false, NULL, NULL},
    [NORM_DY] = {"dy", "DY.npy", "the gradient of Y: runs the backward pass as well", "dy", FAMILY_MATRIX,
                 FAMILY_VALUE, false, true, "lddy",
                 "elements between the starts of rows of DY (default: packed)"},
    [NORM_DSUM] = {"dsum", "DS.npy", "the gradient that arrives at the sum by other paths", "dsum",
                   FAMILY_MATRIX, FAMILY_VALUE, false, true, "lddsum",
                   "elements between the starts of rows of DSUM (default: packed)"},
    [NORM_DX] = {"dx", "DX.npy", "where the gradient of X goes", "dx", FAMILY_MATRIX, FAMILY_VALUE, true,
                 true, "lddx", "elements between the starts of rows of DX (default: packed)"},
    [NORM_DRESIDUAL] = {"dresidual", "DR.npy", "where the gradient of the residual goes", "dresidual",
                        FAMILY_MATRIX, FAMILY_VALUE, true, true, "lddresidual",
                        "elements between the starts of rows of DRESIDUAL (default: packed)"},
    [NORM_DWEIGHT] = {"dweight", "DW.npy", "where the gradient of the weight goes", "dweight", FAMILY_COLUMNS,
                      FAMILY_WEIGHT, true, true, NULL, NULL},
    [NORM_DBIAS] = {"dbias", "DB.npy", "where the gradient of the bias goes", "dbias", FAMILY_COLUMNS,
                    FAMILY_WEIGHT, true, true, NULL, NULL},
    [NORM_Q] = BLOCK_RESULT_Q,
    [NORM_SCALE] = BLOCK_RESULT_SCALE,
};

static int options(family_job *job, tool_option *table) {
  norm_own *own = job->own;
  const tool_option rows[] = {
      {"layer", TOOL_FLAG, &own->layer, NULL, "layer norm (default)"},
      {"rms", TOOL_FLAG, &own->rms, NULL, "RMS norm"},
      {"epsilon", TOOL_FLOAT, &own->epsilon, "E", "added to the variance or mean square (default 1e-5)"},
      {"dropout", TOOL_FLOAT, &own->dropout, "P",
       "probability with which an element of X becomes 0 (default 0); --seed says which ones"},
      {"fused", TOOL_FLAG, &own->fused, NULL, "without files: with a residual, and the sum is written"},
  };
  memcpy(table, rows, sizeof rows);
  const int count = sizeof rows / sizeof *rows;
  return count + block_result_options(&own->blocks, table + count);
}

// Chooses which tensors of a random run take part, beside X and Y.
static void choose_random(family_job *job) {
  const norm_own *own = job->own;
  family_data *t = job->tensors;
  t[NORM_RESIDUAL].wanted = t[NORM_SUM].wanted = own->fused;
  t[NORM_DRESIDUAL].wanted = own->fused && job->backward;
  t[NORM_WEIGHT].wanted = t[NORM_BIAS].wanted = true;
  t[NORM_DSUM].wanted = false;
}

static int check(family_job *job) {
  norm_own *own = job->own;
  family_data *t = job->tensors;
  if (own->rms && own->layer)
    return tool_error(TOOL_USAGE, "--layer and --rms are both given; pass one of them");
  if (!(own->dropout >= 0 && (float)own->dropout < 1))
    return tool_error(TOOL_USAGE, "--dropout is %g; pass a probability from 0 to below 1", own->dropout);
  if (own->epsilon < 0) return tool_error(TOOL_USAGE, "--epsilon is %g; pass 0 or more", own->epsilon);
  if (job->files && own->fused)
    return tool_error(TOOL_USAGE, "--fused is for random inputs; pass --residual and --sum");
  if (!job->files) choose_random(job);
  t[NORM_Y].wanted = true;  // the forward pass has no other result, unless it is quantised
  const int code = block_result_check(job, &own->blocks);
  if (code || !job->backward) return code;
  // What the backward pass takes from the forward pass.
  t[NORM_SUM].wanted = t[NORM_RSTD].wanted = t[NORM_MEAN].wanted = true;
  return TOOL_OK;
}

static int forward(family_job *job) {
  const norm_own *own = job->own;
  const family_data *t = job->tensors;
  wt_norm_desc d = WT_NORM_DESC_INIT;
  d.rows = job->rows, d.columns = job->columns, d.kind = own->rms ? WT_NORM_RMS : WT_NORM_LAYER;
  d.type = job->type->ocp, d.type_weight = job->type_of_weight->ocp;
  d.epsilon = (float)own->epsilon, d.dropout = (float)own->dropout, d.seed = job->run_options.seed;
  d.residual = t[NORM_RESIDUAL].device, d.weight = t[NORM_WEIGHT].device, d.bias = t[NORM_BIAS].device;
  d.sum = t[NORM_SUM].device, d.mean = t[NORM_MEAN].device, d.rstd = t[NORM_RSTD].device;
  d.ldx = t[NORM_X].ld, d.ldy = t[NORM_Y].ld, d.ldresidual = t[NORM_RESIDUAL].ld, d.ldsum = t[NORM_SUM].ld;
  d.output = block_result_output(job, &own->blocks);
  void *to = block_result_to(job, &own->blocks);
  return family_status(job, wt_norm(job->context, &d, t[NORM_X].device, to, NULL));
}

static int backward(family_job *job) {
  const norm_own *own = job->own;
  const family_data *t = job->tensors;
  size_t bytes = 0;
  wt_norm_backward_desc d = WT_NORM_BACKWARD_DESC_INIT;
  d.rows = job->rows, d.columns = job->columns, d.kind = own->rms ? WT_NORM_RMS : WT_NORM_LAYER;
  d.type = job->type->ocp, d.type_weight = job->type_of_weight->ocp;
  d.dropout = (float)own->dropout, d.seed = job->run_options.seed;
  d.weight = t[NORM_WEIGHT].device, d.mean = t[NORM_MEAN].device, d.rstd = t[NORM_RSTD].device;
  d.dsum = t[NORM_DSUM].device, d.dresidual = t[NORM_DRESIDUAL].device;
  d.dweight = t[NORM_DWEIGHT].device, d.dbias = t[NORM_DBIAS].device;
  d.lddy = t[NORM_DY].ld, d.ldsum = t[NORM_SUM].ld, d.lddx = t[NORM_DX].ld, d.lddsum = t[NORM_DSUM].ld;
  d.lddresidual = t[NORM_DRESIDUAL].ld;
  int code = family_status(job, wt_norm_backward_workspace_size(job->context, &d, &bytes));
  if (!code) code = family_workspace(job, bytes);
  if (code) return code;
  d.workspace = job->workspace, d.workspace_bytes = bytes;
  return family_status(job, wt_norm_backward(job->context, &d, t[NORM_DY].device, t[NORM_SUM].device,
                                             t[NORM_DX].device, NULL));
}

static int prepare(family_job *job) { return job->backward ? forward(job) : TOOL_OK; }

static int call(family_job *job) { return job->backward ? backward(job) : forward(job); }

static int64_t width(const family_job *job, int tensor) {
  const norm_own *own = job->own;
  return block_result_width(job, &own->blocks, tensor);
}

static void dims(const family_job *job, int tensor, npy_array *out) {
  (void)tensor;  // shuffled scales are the only tensor of this kind
  block_result_dims(job, out);
}

static int lay_out(family_job *job) {
  const norm_own *own = job->own;
  return block_result_complete(job, &own->blocks);
}

static void describe(const family_job *job, record *r) {
  const norm_own *own = job->own;
  record_text(r, "kind", own->rms ? "rms" : "layer"), record_brief(r);
  record_number(r, "epsilon", own->epsilon);
  record_number(r, "dropout", own->dropout), record_brief(r);
  record_flag(r, "residual", job->tensors[NORM_RESIDUAL].wanted), record_brief(r);
  block_result_describe(&own->blocks, r);
}

int tool_norm(int argc, char **argv) {
  static const family norm = {
      .name = "norm",
      .text =
          "usage: wavetile norm --x X.npy --out Y.npy [options]\n"
          "       wavetile norm --x X.npy --quantize TYPE --q Q.npy --scale S.npy [options]\n"
          "       wavetile norm --x X.npy --dy DY.npy --dx DX.npy [options]\n"
          "       wavetile norm --rows N --columns N [options]\n\n"
          "Computes sum = dropout(X) + residual, Y = (sum - mean) / sqrt(variance + epsilon) * weight + bias "
          "for each row (with --rms without the mean), or the gradients of that.\n",
      .tensors = tensors,
      .tensor_count = NORM_TENSORS,
      .main = NORM_X,
      .has_backward = true,
      .has_weight = true,
      .options = options,
      .check = check,
      .width = width,
      .dims = dims,
      .lay_out = lay_out,
      .prepare = prepare,
      .call = call,
      .reference_row = norm_reference_row,
      .reference_column = norm_reference_column,
      .scratch = NORM_SCRATCH,
      .kept = NORM_KEPT,
      .describe = describe,
  };
  norm_own own = {.epsilon = 1e-5, .blocks = {.y = NORM_Y, .q = NORM_Q, .scale = NORM_SCALE}};
  return family_main(&norm, &own, argc, argv);
}
