// SPDX-License-Identifier: MIT
// wt_norm and wt_norm_backward refuse every kind of wrong argument with its own status and a sentence that
// names argument and value; nothing is launched and no memory changes.
#include "tests/refusal.h"

#include <math.h>

enum { ROWS = 4, COLUMNS = 6, LD = 8 };  // of BF16: 60 bytes from the first to past the last element

typedef struct forward_call {
  wt_norm_desc desc;
  const void *x;
  void *y;
} forward_call;

typedef struct backward_call {
  wt_norm_backward_desc desc;
  const void *dy, *sum;
  void *dx;
} backward_call;

static wt_status forward(const void *arguments) {
  const forward_call *c = arguments;
  return wt_norm(refusal_context, &c->desc, c->x, c->y, NULL);
}

static wt_status backward(const void *arguments) {
  const backward_call *c = arguments;
  return wt_norm_backward(refusal_context, &c->desc, c->dy, c->sum, c->dx, NULL);
}

// Returns parts of the arena, 1 KB apart, and what lies `bytes` before its end.
static void *part(int i) { return refusal_arena + i * 1024; }
static void *before_end(int bytes) { return refusal_arena + REFUSAL_BYTES - bytes; }

static void test_shape(forward_call good) {
  REFUSED(forward, good, desc.struct_size = 8, WT_ERROR_STRUCT_SIZE, "struct_size is 8", "WT_NORM_DESC_INIT");
  REFUSED(forward, good, desc.rows = 0, WT_ERROR_SIZE, "desc->rows is 0", "from 1");
  REFUSED(forward, good, desc.rows = 1ll << 31, WT_ERROR_SIZE, "desc->rows is 2147483648");
  REFUSED(forward, good, desc.columns = 0, WT_ERROR_SIZE, "desc->columns is 0", "from 1");
  REFUSED(forward, good, desc.columns = (1 << 30) + 1, WT_ERROR_SIZE, "desc->columns is 1073741825",
          "1073741824");
  REFUSED(forward, good, desc.kind = (wt_norm_kind)7, WT_ERROR_VALUE, "desc->kind is 7", "WT_NORM_RMS");
  REFUSED(forward, good, desc.type = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE, "desc->type is WT_TYPE_I8",
          "WT_TYPE_BF16");
  REFUSED(forward, good, desc.type = (wt_type)0, WT_ERROR_UNSUPPORTED_TYPE, "desc->type is unknown type (0)");
  REFUSED(forward, good, desc.type_weight = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_weight is WT_TYPE_F16", "WT_TYPE_BF16 it must be WT_TYPE_F32");
  REFUSED(forward, good, desc.dropout = 1, WT_ERROR_VALUE, "desc->dropout is 1", "below 1");
  REFUSED(forward, good, desc.dropout = -0.25f, WT_ERROR_VALUE, "desc->dropout is -0.25", "from 0");
  REFUSED(forward, good, desc.dropout = NAN, WT_ERROR_VALUE, "desc->dropout is", "nan");
  REFUSED(forward, good, desc.epsilon = -1, WT_ERROR_VALUE, "desc->epsilon is -1", "0 or more");
  REFUSED(forward, good, desc.epsilon = INFINITY, WT_ERROR_VALUE, "epsilon is inf", "finite");
}

static void test_forward_memory(forward_call good) {
  REFUSED(forward, good, desc.ldx = 5, WT_ERROR_LEADING_DIMENSION, "desc->ldx is 5", "6 elements");
  REFUSED(forward, good, desc.ldy = -1, WT_ERROR_LEADING_DIMENSION, "desc->ldy is -1", "packed");
  REFUSED(forward, good, desc.ldresidual = 3, WT_ERROR_LEADING_DIMENSION, "desc->ldresidual is 3",
          "6 elements");
  REFUSED(forward, good, desc.ldsum = 3, WT_ERROR_LEADING_DIMENSION, "desc->ldsum is 3", "6 elements");
  REFUSED(forward, good, desc.ldmask = 3, WT_ERROR_LEADING_DIMENSION, "desc->ldmask is 3", "6 elements");
  REFUSED(forward, good, desc.ldx = 1ll << 62, WT_ERROR_SIZE, "desc->ldx is 4611686018427387904", "2^63");
  REFUSED(forward, good, x = NULL, WT_ERROR_NULL_ARGUMENT, "x is NULL");
  REFUSED(forward, good, y = NULL, WT_ERROR_NULL_ARGUMENT, "y is NULL");
  REFUSED(forward, good, x = (char *)part(0) + 1, WT_ERROR_MISALIGNED, "x is 0x", "2 bytes");
  REFUSED(forward, good, desc.bias = (char *)part(4) + 2, WT_ERROR_MISALIGNED, "desc->bias is 0x", "4 bytes");
  REFUSED(forward, good, x = before_end(58), WT_ERROR_BUFFER, "x needs 60 bytes", "58");
  REFUSED(forward, good, desc.residual = before_end(58), WT_ERROR_BUFFER, "desc->residual needs 60 bytes",
          "58");
  REFUSED(forward, good, desc.mask = before_end(20), WT_ERROR_BUFFER, "desc->mask needs 24 bytes", "20");
  REFUSED(forward, good, desc.weight = before_end(20), WT_ERROR_BUFFER, "desc->weight needs 24 bytes", "20");
  REFUSED(forward, good, desc.rstd = before_end(12), WT_ERROR_BUFFER, "desc->rstd needs 16 bytes", "12");
  REFUSED(forward, good, y = (char *)part(0) + 2, WT_ERROR_OVERLAP, "y (0x", "overlaps x");
  REFUSED(forward, good, y = part(4), WT_ERROR_OVERLAP, "y (0x", "overlaps desc->weight");
  REFUSED(forward, good, desc.sum = part(1), WT_ERROR_OVERLAP, "overlaps desc->sum");
  REFUSED(forward, good, desc.mean = part(4), WT_ERROR_OVERLAP, "desc->mean", "overlaps desc->weight");

  forward_call in_place = good;  // with x, element by element
  in_place.y = part(0);
  refusal_accepted("y in the place of x", forward, &in_place);
  REFUSED(forward, in_place, desc.ldy = COLUMNS, WT_ERROR_OVERLAP, "y (0x", "overlaps x");
  REFUSED(forward, in_place, desc.sum = part(0), WT_ERROR_OVERLAP, "overlaps", "desc->sum");
  in_place.desc.sum = part(2);
  refusal_accepted("sum in the place of the residual", forward, &in_place);
}

static void test_backward(backward_call good) {
  REFUSED(backward, good, desc.struct_size = 1, WT_ERROR_STRUCT_SIZE, "struct_size is 1",
          "WT_NORM_BACKWARD_DESC_INIT");
  REFUSED(backward, good, desc.kind = (wt_norm_kind)-1, WT_ERROR_VALUE, "desc->kind is -1", "WT_NORM_LAYER");
  REFUSED(backward, good, dx = NULL, WT_ERROR_NULL_ARGUMENT, "dx, desc->dresidual", "for a gradient");
  REFUSED(backward, good, dy = NULL, WT_ERROR_NULL_ARGUMENT, "dy is NULL");
  REFUSED(backward, good, sum = NULL, WT_ERROR_NULL_ARGUMENT, "sum is NULL");
  REFUSED(backward, good, desc.rstd = NULL, WT_ERROR_NULL_ARGUMENT, "desc->rstd is NULL");
  REFUSED(backward, good, desc.mean = NULL, WT_ERROR_NULL_ARGUMENT, "desc->mean is NULL");
  REFUSED(backward, good, desc.lddy = 1, WT_ERROR_LEADING_DIMENSION, "desc->lddy is 1", "6 elements");
  REFUSED(backward, good, desc.lddx = 1, WT_ERROR_LEADING_DIMENSION, "desc->lddx is 1", "6 elements");
  REFUSED(backward, good, desc.ldsum = 1, WT_ERROR_LEADING_DIMENSION, "desc->ldsum is 1", "6 elements");
  REFUSED(backward, good, sum = before_end(58), WT_ERROR_BUFFER, "sum needs 60 bytes", "58");
  REFUSED(backward, good, dx = (char *)part(1) + 4, WT_ERROR_OVERLAP, "dx (0x", "overlaps sum");
  REFUSED(backward, good, desc.dresidual = part(2), WT_ERROR_OVERLAP, "overlaps", "desc->dresidual");
  REFUSED(backward, good, desc.dbias = part(8), WT_ERROR_NULL_ARGUMENT, "desc->workspace is NULL",
          "24 bytes");

  backward_call more = good;  // with every gradient
  more.desc.dsum = part(6), more.desc.dresidual = part(7), more.desc.dweight = part(8),
  more.desc.dbias = part(9);
  more.desc.workspace = part(10), more.desc.workspace_bytes = 48;
  REFUSED(backward, more, desc.lddsum = 1, WT_ERROR_LEADING_DIMENSION, "desc->lddsum is 1", "6 elements");
  REFUSED(backward, more, desc.lddresidual = 1, WT_ERROR_LEADING_DIMENSION, "desc->lddresidual is 1",
          "6 elements");
  REFUSED(backward, more, desc.workspace_bytes = 47, WT_ERROR_BUFFER, "desc->workspace_bytes is 47", "48");
  REFUSED(backward, more, desc.workspace = before_end(44), WT_ERROR_BUFFER, "desc->workspace needs 48 bytes",
          "44");
  REFUSED(backward, more, desc.workspace = part(0), WT_ERROR_OVERLAP, "desc->workspace", "overlaps dy");
  REFUSED(backward, more, desc.weight = part(8), WT_ERROR_OVERLAP, "desc->dweight", "overlaps desc->weight");
  REFUSED(backward, more, desc.dbias = part(8), WT_ERROR_OVERLAP, "desc->dbias");
  refusal_accepted("every gradient", backward, &more);
  more.desc.kind = WT_NORM_RMS, more.desc.mean = NULL;
  refusal_accepted("RMS without a mean", backward, &more);
}

static void test_workspace_size(backward_call good) {
  wt_norm_backward_desc d = good.desc;
  size_t bytes = 1;
  CHECK(wt_norm_backward_workspace_size(refusal_context, &d, &bytes) == WT_SUCCESS && bytes == 0, "%zu bytes",
        bytes);
  d.dweight = part(8);
  CHECK(wt_norm_backward_workspace_size(refusal_context, &d, &bytes) == WT_SUCCESS && bytes == 24,
        "%zu bytes", bytes);
  CHECK(wt_norm_backward_workspace_size(refusal_context, &d, NULL) == WT_ERROR_NULL_ARGUMENT, "bytes NULL");
  d.rows = -1;
  CHECK(wt_norm_backward_workspace_size(refusal_context, &d, &bytes) == WT_ERROR_SIZE && bytes == 0,
        "%zu bytes", bytes);
}

int main(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (int device = 0; device < count; ++device) {
    refusal_begin(device);
    forward_call f = {.desc = WT_NORM_DESC_INIT, .x = part(0), .y = part(1)};
    f.desc.rows = ROWS, f.desc.columns = COLUMNS, f.desc.type = WT_TYPE_BF16;
    f.desc.ldx = f.desc.ldy = f.desc.ldresidual = f.desc.ldsum = LD;
    f.desc.residual = part(2), f.desc.sum = part(3), f.desc.mask = part(5), f.desc.weight = part(4);
    refusal_accepted("the forward pass", forward, &f);
    test_shape(f);
    test_forward_memory(f);
    backward_call b = {.desc = WT_NORM_BACKWARD_DESC_INIT, .dy = part(0), .sum = part(1), .dx = part(2)};
    b.desc.rows = ROWS, b.desc.columns = COLUMNS, b.desc.type = WT_TYPE_BF16;
    b.desc.lddy = b.desc.ldsum = b.desc.lddx = b.desc.lddsum = b.desc.lddresidual = LD;
    b.desc.mean = part(12), b.desc.rstd = part(13);
    refusal_accepted("the backward pass", backward, &b);
    test_backward(b);
    test_workspace_size(b);
    CHECK(wt_norm(NULL, &f.desc, f.x, f.y, NULL) == WT_ERROR_NULL_ARGUMENT, "no context");
    CHECK(wt_norm(refusal_context, NULL, f.x, f.y, NULL) == WT_ERROR_NULL_ARGUMENT, "no descriptor");
    refusal_end();
  }
  return test_result();
}
