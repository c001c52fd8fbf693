// SPDX-License-Identifier: MIT
// wt_softmax, wt_softmax_backward and wt_cross_entropy refuse every kind of wrong argument with its own
// status and a sentence that names argument and value; nothing is launched and no memory changes.
#include "refusal.h"

#include <math.h>

enum { ROWS = 5, COLUMNS = 33, BYTES = ROWS * COLUMNS * 4 };

typedef struct softmax_call {
  wt_softmax_desc desc;
  const void *in, *upstream;  // upstream: of the backward pass
  void *out;
} softmax_call;

typedef struct entropy_call {
  wt_cross_entropy_desc desc;
  const void *x, *labels;
  void *loss, *dx;
} entropy_call;

static wt_status forward(const void *arguments) {
  const softmax_call *c = arguments;
  return wt_softmax(refusal_context, &c->desc, c->in, c->out, NULL);
}

static wt_status backward(const void *arguments) {
  const softmax_call *c = arguments;
  return wt_softmax_backward(refusal_context, &c->desc, c->in, c->upstream, c->out, NULL);
}

static wt_status entropy(const void *arguments) {
  const entropy_call *c = arguments;
  return wt_cross_entropy(refusal_context, &c->desc, c->x, c->labels, c->loss, c->dx, NULL);
}

// Returns parts of the arena, 2 KB apart, and where it ends.
static void *part(int i) { return refusal_arena + i * 2048; }
static char *arena_end(void) { return (char *)refusal_arena + REFUSAL_BYTES; }

static void test_softmax(void) {
  static float unknown[ROWS * COLUMNS];
  softmax_call good = {.desc = WT_SOFTMAX_DESC_INIT, .in = part(0), .upstream = part(2), .out = part(4)};
  good.desc.rows = ROWS, good.desc.columns = COLUMNS, good.desc.type = WT_TYPE_F32;
  REFUSED(forward, good, desc.struct_size = 0, WT_ERROR_STRUCT_SIZE, "struct_size is 0",
          "WT_SOFTMAX_DESC_INIT");
  REFUSED(forward, good, desc.rows = 0, WT_ERROR_SIZE, "desc->rows is 0");
  REFUSED(forward, good, desc.rows = 1ll << 31, WT_ERROR_SIZE, "desc->rows is 2147483648");
  REFUSED(forward, good, desc.columns = 0, WT_ERROR_SIZE, "desc->columns is 0", "1073741824");
  REFUSED(forward, good, desc.columns = (1 << 30) + 1, WT_ERROR_SIZE, "desc->columns is 1073741825");
  REFUSED(forward, good, desc.type = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE, "desc->type is WT_TYPE_I8",
          "WT_TYPE_BF16");
  REFUSED(forward, good, desc.type = (wt_type)0, WT_ERROR_UNSUPPORTED_TYPE, "desc->type is unknown type (0)");
  REFUSED(forward, good, desc.ldx = COLUMNS - 1, WT_ERROR_LEADING_DIMENSION, "desc->ldx is 32",
          "33 elements");
  REFUSED(forward, good, desc.ldy = -1, WT_ERROR_LEADING_DIMENSION, "desc->ldy is -1");
  REFUSED(forward, good, desc.ldx = INT64_MAX, WT_ERROR_SIZE, "desc->ldx is 9223372036854775807", "x spans");
  REFUSED(forward, good, in = NULL, WT_ERROR_NULL_ARGUMENT, "x is NULL");
  REFUSED(forward, good, out = NULL, WT_ERROR_NULL_ARGUMENT, "y is NULL");
  REFUSED(forward, good, in = (char *)part(0) + 2, WT_ERROR_MISALIGNED, "x is 0x", "4 bytes");
  REFUSED(forward, good, in = unknown, WT_ERROR_BUFFER, "x is 0x", "hipMalloc");
  REFUSED(forward, good, out = arena_end() - BYTES + 4, WT_ERROR_BUFFER, "y needs 660 bytes", "656");
  REFUSED(forward, good, out = (char *)part(0) + 4, WT_ERROR_OVERLAP, "y (0x", "overlaps x");
  softmax_call shifted = good;  // in place, but for the stride
  shifted.out = part(0);
  REFUSED(forward, shifted, desc.ldy = COLUMNS + 1, WT_ERROR_OVERLAP, "overlaps x");
  refusal_accepted("in place", forward, &shifted);
  softmax_call row = shifted;  // strides lie between rows
  row.desc.ldy = COLUMNS + 1;
  REFUSED(forward, row, desc.rows = 2, WT_ERROR_OVERLAP, "overlaps x");
  row.desc.rows = 1;
  refusal_accepted("one row in place", forward, &row);
  refusal_accepted("forward", forward, &good);

  REFUSED(backward, good, upstream = NULL, WT_ERROR_NULL_ARGUMENT, "dy is NULL");
  REFUSED(backward, good, in = NULL, WT_ERROR_NULL_ARGUMENT, "y is NULL");
  REFUSED(backward, good, out = NULL, WT_ERROR_NULL_ARGUMENT, "dx is NULL");
  REFUSED(backward, good, desc.lddy = 1, WT_ERROR_LEADING_DIMENSION, "desc->lddy is 1");
  REFUSED(backward, good, desc.lddx = 32, WT_ERROR_LEADING_DIMENSION, "desc->lddx is 32");
  REFUSED(backward, good, out = (char *)part(2) + 8, WT_ERROR_OVERLAP, "dx (0x", "overlaps dy");
  REFUSED(backward, good, out = (char *)part(0) + 8, WT_ERROR_OVERLAP, "overlaps y");
  softmax_call over_dy = good;
  over_dy.out = part(2);
  refusal_accepted("dx over dy", backward, &over_dy);
  refusal_accepted("backward", backward, &good);
}

static void test_cross_entropy(void) {
  entropy_call good = {
      .desc = WT_CROSS_ENTROPY_DESC_INIT, .x = part(0), .labels = part(2), .loss = part(4), .dx = part(6)};
  good.desc.rows = ROWS, good.desc.columns = COLUMNS, good.desc.type = WT_TYPE_F32;
  REFUSED(entropy, good, desc.struct_size = 8, WT_ERROR_STRUCT_SIZE, "struct_size is 8", "CROSS_ENTROPY");
  REFUSED(entropy, good, desc.rows = -1, WT_ERROR_SIZE, "desc->rows is -1");
  REFUSED(entropy, good, desc.columns = 0, WT_ERROR_SIZE, "desc->columns is 0");
  REFUSED(entropy, good, desc.type = WT_TYPE_F8E4M3, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type is WT_TYPE_F8E4M3");
  REFUSED(entropy, good, desc.ldx = 3, WT_ERROR_LEADING_DIMENSION, "desc->ldx is 3");
  REFUSED(entropy, good, desc.lddx = 3, WT_ERROR_LEADING_DIMENSION, "desc->lddx is 3");
  REFUSED(entropy, good, desc.label_smoothing = -0.5f, WT_ERROR_VALUE, "label_smoothing is -0.5");
  REFUSED(entropy, good, desc.label_smoothing = 1.5f, WT_ERROR_VALUE, "label_smoothing is 1.5");
  REFUSED(entropy, good, desc.label_smoothing = NAN, WT_ERROR_VALUE, "label_smoothing is");
  REFUSED(entropy, good, desc.grad_scale = INFINITY, WT_ERROR_VALUE, "grad_scale is inf");
  REFUSED(entropy, good, desc.reduction = (wt_reduction)3, WT_ERROR_VALUE, "desc->reduction is 3");
  REFUSED(entropy, good, desc.reduction = WT_REDUCTION_SUM, WT_ERROR_NULL_ARGUMENT, "desc->total is NULL");
  REFUSED(entropy, good, x = NULL, WT_ERROR_NULL_ARGUMENT, "x is NULL");
  REFUSED(entropy, good, labels = NULL, WT_ERROR_NULL_ARGUMENT, "labels is NULL");
  REFUSED(entropy, good, loss = NULL, WT_ERROR_NULL_ARGUMENT, "loss is NULL");
  REFUSED(entropy, good, labels = (char *)part(2) + 1, WT_ERROR_MISALIGNED, "labels is 0x");
  REFUSED(entropy, good, labels = arena_end() - 16, WT_ERROR_BUFFER, "labels needs 20 bytes", "16");
  REFUSED(entropy, good, dx = arena_end() - 16, WT_ERROR_BUFFER, "dx needs 660 bytes");
  REFUSED(entropy, good, loss = part(2), WT_ERROR_OVERLAP, "loss (0x", "overlaps labels");
  REFUSED(entropy, good, dx = part(4), WT_ERROR_OVERLAP, "overlaps");
  REFUSED(entropy, good, dx = (char *)part(0) + 4, WT_ERROR_OVERLAP, "overlaps");
  REFUSED(entropy, good, desc.lse = part(4), WT_ERROR_OVERLAP, "overlaps");
  entropy_call sum = good;
  sum.desc.reduction = WT_REDUCTION_MEAN, sum.desc.total = part(8), sum.dx = part(0);
  REFUSED(entropy, sum, desc.total = (float *)part(4) + 4, WT_ERROR_OVERLAP, "desc->total");
  refusal_accepted("in place, with a mean", entropy, &sum);
  entropy_call alone = good;
  alone.dx = NULL, alone.desc.lse = part(8);
  refusal_accepted("without a gradient", entropy, &alone);
  refusal_accepted("cross-entropy", entropy, &good);
}

int main(void) {
  int devices = 0;
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 2, "%d devices, expected 2", devices);
  for (int device = 0; device < devices; ++device) {
    refusal_begin(device);
    test_softmax();
    test_cross_entropy();
    refusal_end();
  }
  return test_result();
}
