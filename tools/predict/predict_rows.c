// SPDX-License-Identifier: MIT
// Calls that memory bounds: one pass over a matrix. What they must move is each input and output once.
#include <string.h>

#include "predict.h"

typedef struct matrix {
  int64_t rows, columns, ld;
  double elements, bytes;  // of one matrix of the type, without what lies behind rows
} matrix;

static int read_matrix(predict_run *run, matrix *x) {
  const predict_shape *s = &run->call->shape;
  if (s->sizes != 2) return predict_refuse_sizes(run, "rows x columns");
  x->rows = s->size[0], x->columns = s->size[1];
  x->ld = x->columns + predict_option(s, "pad", 0);
  x->elements = (double)x->rows * (double)x->columns;
  x->bytes = x->elements * (double)run->type->size;
  run->result->bytes = 2 * x->bytes;
  return 0;
}

// Returns memory for a matrix like it, of `element` bytes an element.
static void *like(predict_run *run, const matrix *x, double element) {
  const long long shift = predict_option(&run->call->shape, "shift", 0);
  return predict_shifted(run, (double)x->rows * (double)x->ld, element, shift);
}
static void *memory(predict_run *run, const matrix *x) { return like(run, x, (double)run->type->size); }

int predict_norm(predict_run *run) {
  matrix x = {0};
  int code = read_matrix(run, &x);
  if (code) return code;
  const bool fused = strcmp(run->call->kernel, "norm_fused") == 0;
  wt_norm_desc desc = WT_NORM_DESC_INIT;
  desc.rows = x.rows, desc.columns = x.columns, desc.type = run->device_type;
  desc.kind = strcmp(run->call->kernel, "norm_rms") == 0 ? WT_NORM_RMS : WT_NORM_LAYER;
  desc.ldx = desc.ldy = desc.ldresidual = desc.ldsum = x.ld;
  void *in = memory(run, &x), *out = memory(run, &x);
  desc.weight = predict_memory(run, 4 * (double)x.columns);
  if (fused) {
    desc.residual = memory(run, &x);
    desc.sum = memory(run, &x);
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
  desc.ldx = desc.ldy = x.ld;
  void *in = memory(run, &x), *out = memory(run, &x);
  return predict_status(run, run->code ? WT_SUCCESS : wt_softmax(run->context, &desc, in, out, NULL));
}

// With the gradient; all labels are 0.
int predict_cross_entropy(predict_run *run) {
  matrix x = {0};
  int code = read_matrix(run, &x);
  if (code) return code;
  wt_cross_entropy_desc desc = WT_CROSS_ENTROPY_DESC_INIT;
  desc.rows = x.rows, desc.columns = x.columns, desc.type = run->device_type;
  desc.ldx = desc.lddx = x.ld;
  void *in = memory(run, &x), *gradient = memory(run, &x);
  int32_t *labels = predict_memory(run, 4 * (double)x.rows);
  float *loss = predict_memory(run, 4 * (double)x.rows);
  return predict_status(
      run, run->code ? WT_SUCCESS : wt_cross_entropy(run->context, &desc, in, labels, loss, gradient, NULL));
}

int predict_activation(predict_run *run) {
  matrix x = {0};
  int code = read_matrix(run, &x);
  if (code) return code;
  wt_activation_desc desc = WT_ACTIVATION_DESC_INIT;
  desc.rows = x.rows, desc.columns = x.columns, desc.type = run->device_type;
  desc.activation = WT_ACTIVATION_SILU;
  desc.ldx = desc.ldgate = desc.ldy = x.ld;
  void *in = memory(run, &x), *gate = memory(run, &x);
  void *out = memory(run, &x);
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
  desc.ldx = desc.ldq = x.ld;
  void *in = memory(run, &x), *out = like(run, &x, 1);
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
  // This is one matrix with a row for each of the batch's.
  const int64_t columns = desc.heads * desc.head_dim;
  const matrix x = {.rows = desc.batch * desc.rows, .ld = columns + predict_option(s, "pad", 0)};
  desc.strides_in.row = desc.strides_out.row = x.ld;
  desc.strides_in.batch = desc.strides_out.batch = desc.rows * x.ld;
  void *in = memory(run, &x), *out = memory(run, &x);
  run->result->bytes = 2 * (double)x.rows * (double)columns * (double)run->type->size;
  return predict_status(run, run->code ? WT_SUCCESS : wt_rotary(run->context, &desc, in, out, NULL));
}
