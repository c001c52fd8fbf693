// SPDX-License-Identifier: MIT
// Calls that memory bounds: one pass over a matrix. What they must move is each input and output once.
#include <string.h>

#include "predict.h"

typedef struct matrix {
  int64_t rows, columns;
  double elements, bytes;  // of one matrix of the type
} matrix;

static int read_matrix(predict_run *run, matrix *x) {
  const predict_shape *s = &run->call->shape;
  if (s->sizes != 2) return predict_refuse_sizes(run, "rows x columns");
  x->rows = s->size[0], x->columns = s->size[1];
  x->elements = (double)x->rows * (double)x->columns;
  x->bytes = x->elements * (double)run->type->size;
  run->result->bytes = 2 * x->bytes;
  return 0;
}

int predict_norm(predict_run *run) {
  matrix x = {0};
  int code = read_matrix(run, &x);
  if (code) return code;
  const bool fused = strcmp(run->call->kernel, "norm_fused") == 0;
  wt_norm_desc desc = WT_NORM_DESC_INIT;
  desc.rows = x.rows, desc.columns = x.columns, desc.type = run->device_type;
  desc.kind = strcmp(run->call->kernel, "norm_rms") == 0 ? WT_NORM_RMS : WT_NORM_LAYER;
  void *in = predict_memory(run, x.bytes), *out = predict_memory(run, x.bytes);
  desc.weight = predict_memory(run, 4 * (double)x.columns);
  if (fused) {
    desc.residual = predict_memory(run, x.bytes);
    desc.sum = predict_memory(run, x.bytes);
    desc.dropout = 0.1f;
    run->result->bytes = 4 * x.bytes;
  }
  return predict_status(run, run->code ? WT_SUCCESS : wt_norm(run->context, &desc, in, out, NULL));
}

int predict_softmax(predict_run *run) {
  matrix x = {0};
  int code = read_matrix(run, &x);
  if (code) return code;
  wt_softmax_desc desc = WT_SOFTMAX_DESC_INIT;
  desc.rows = x.rows, desc.columns = x.columns, desc.type = run->device_type;
  void *in = predict_memory(run, x.bytes), *out = predict_memory(run, x.bytes);
  return predict_status(run, run->code ? WT_SUCCESS : wt_softmax(run->context, &desc, in, out, NULL));
}

int predict_activation(predict_run *run) {
  matrix x = {0};
  int code = read_matrix(run, &x);
  if (code) return code;
  wt_activation_desc desc = WT_ACTIVATION_DESC_INIT;
  desc.rows = x.rows, desc.columns = x.columns, desc.type = run->device_type;
  desc.activation = WT_ACTIVATION_SILU;
  void *in = predict_memory(run, x.bytes), *gate = predict_memory(run, x.bytes);
  void *out = predict_memory(run, x.bytes);
  run->result->bytes = 3 * x.bytes;
  return predict_status(run, run->code ? WT_SUCCESS : wt_activate(run->context, &desc, in, gate, out, NULL));
}

int predict_quantize(predict_run *run) {
  matrix x = {0};
  int code = read_matrix(run, &x);
  if (code) return code;
  const bool fnuz = strcmp(wt_context_target(run->context), "gfx942") == 0;
  wt_quantize_desc desc = WT_QUANTIZE_DESC_INIT;
  desc.rows = x.rows, desc.columns = x.columns, desc.type_x = run->device_type;
  desc.type_q = fnuz ? WT_TYPE_F8E4M3_FNUZ : WT_TYPE_F8E4M3;
  desc.scaling = WT_SCALING_ROW;
  void *in = predict_memory(run, x.bytes), *out = predict_memory(run, x.elements);
  float *scale = predict_memory(run, 4 * (double)x.rows);
  run->result->bytes = x.bytes + x.elements;
  return predict_status(run, run->code ? WT_SUCCESS : wt_quantize(run->context, &desc, in, out, scale, NULL));
}

int predict_rotary(predict_run *run) {
  const predict_shape *s = &run->call->shape;
  if (s->sizes != 4) return predict_refuse_sizes(run, "batch x rows x heads x head_dim");
  wt_rotary_desc desc = WT_ROTARY_DESC_INIT;
  desc.batch = s->size[0], desc.rows = s->size[1], desc.heads = s->size[2], desc.head_dim = s->size[3];
  desc.type = run->device_type;
  const double bytes =
      (double)(s->size[0] * s->size[1]) * (double)(s->size[2] * s->size[3]) * (double)run->type->size;
  void *in = predict_memory(run, bytes), *out = predict_memory(run, bytes);
  run->result->bytes = 2 * bytes;
  return predict_status(run, run->code ? WT_SUCCESS : wt_rotary(run->context, &desc, in, out, NULL));
}
