// SPDX-License-Identifier: MIT
// wt_activate and wt_activate_backward refuse every kind of wrong argument with its own status and a sentence
// that names argument and value; nothing is launched and no memory changes.
#include "refusal.h"

enum { ROWS = 5, COLUMNS = 33, BYTES = ROWS * COLUMNS * 4 };

typedef struct call {
  wt_activation_desc desc;
  const void *x, *gate, *dy;
  void *y, *dx, *dgate;
} call;

static wt_status forward(const void *arguments) {
  const call *c = arguments;
  return wt_activate(refusal_context, &c->desc, c->x, c->gate, c->y, NULL);
}

static wt_status backward(const void *arguments) {
  const call *c = arguments;
  return wt_activate_backward(refusal_context, &c->desc, c->x, c->gate, c->dy, c->dx, c->dgate, NULL);
}

// Returns parts of the arena, 2 KB apart.
static void *part(int i) { return refusal_arena + i * 2048; }

static void test_activation(void) {
  static float unknown[ROWS * COLUMNS];
  call good = {.desc = WT_ACTIVATION_DESC_INIT,
               .x = part(0),
               .gate = part(1),
               .dy = part(2),
               .y = part(3),
               .dx = part(4),
               .dgate = part(5)};
  good.desc.rows = ROWS, good.desc.columns = COLUMNS, good.desc.type = WT_TYPE_F32;
  good.desc.activation = WT_ACTIVATION_SILU;
  REFUSED(forward, good, desc.struct_size = 3, WT_ERROR_STRUCT_SIZE, "struct_size is 3",
          "WT_ACTIVATION_DESC_INIT");
  REFUSED(forward, good, desc.rows = 0, WT_ERROR_SIZE, "desc->rows is 0");
  REFUSED(forward, good, desc.columns = (1 << 30) + 1, WT_ERROR_SIZE, "desc->columns is 1073741825");
  REFUSED(forward, good, desc.type = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE, "desc->type is WT_TYPE_I8",
          "WT_TYPE_BF16");
  REFUSED(forward, good, desc.activation = (wt_activation)4, WT_ERROR_VALUE, "desc->activation is 4",
          "WT_ACTIVATION_");
  REFUSED(forward, good, desc.ldx = COLUMNS - 1, WT_ERROR_LEADING_DIMENSION, "desc->ldx is 32");
  REFUSED(forward, good, desc.ldgate = 1, WT_ERROR_LEADING_DIMENSION, "desc->ldgate is 1");
  REFUSED(forward, good, desc.ldy = -1, WT_ERROR_LEADING_DIMENSION, "desc->ldy is -1");
  REFUSED(forward, good, x = NULL, WT_ERROR_NULL_ARGUMENT, "x is NULL");
  REFUSED(forward, good, y = NULL, WT_ERROR_NULL_ARGUMENT, "y is NULL");
  REFUSED(forward, good, x = (char *)part(0) + 2, WT_ERROR_MISALIGNED, "x is 0x", "4 bytes");
  REFUSED(forward, good, gate = unknown, WT_ERROR_BUFFER, "gate is 0x", "hipMalloc");
  REFUSED(forward, good, y = (char *)part(1) + 4, WT_ERROR_OVERLAP, "y (0x", "overlaps gate");
  REFUSED(forward, good, desc.row_count = (int32_t *)((char *)part(6) + 2), WT_ERROR_MISALIGNED,
          "desc->row_count is 0x");
  REFUSED(forward, good, desc.row_count = part(3), WT_ERROR_OVERLAP, "y (0x", "overlaps desc->row_count");
  refusal_accepted("forward", forward, &good);
  call older = good;
  older.desc.row_count = (const int32_t *)(const void *)unknown;  // which the older version does not have
  older.desc.struct_size = offsetof(wt_activation_desc, row_count);
  refusal_accepted("a descriptor of the first version", forward, &older);
  call over_gate = good, plain = good;
  over_gate.y = part(1);
  plain.gate = plain.dgate = NULL;
  refusal_accepted("y over the gate", forward, &over_gate);
  refusal_accepted("without a gate", forward, &plain);

  REFUSED(backward, good, dgate = NULL, WT_ERROR_NULL_ARGUMENT, "dgate is NULL, but gate is not");
  REFUSED(backward, good, gate = NULL, WT_ERROR_NULL_ARGUMENT, "gate is NULL, but dgate is not");
  REFUSED(backward, good, dy = NULL, WT_ERROR_NULL_ARGUMENT, "dy is NULL");
  REFUSED(backward, good, dx = NULL, WT_ERROR_NULL_ARGUMENT, "dx is NULL");
  REFUSED(backward, good, desc.lddy = 2, WT_ERROR_LEADING_DIMENSION, "desc->lddy is 2");
  REFUSED(backward, good, desc.lddx = 2, WT_ERROR_LEADING_DIMENSION, "desc->lddx is 2");
  REFUSED(backward, good, desc.lddgate = 2, WT_ERROR_LEADING_DIMENSION, "desc->lddgate is 2");
  REFUSED(backward, good, dgate = part(4), WT_ERROR_OVERLAP, "overlaps");
  REFUSED(backward, good, dx = (char *)part(2) + 4, WT_ERROR_OVERLAP, "dx (0x", "overlaps dy");
  call swapped = good;  // each in the place of another input
  swapped.dx = part(1), swapped.dgate = part(0);
  refusal_accepted("backward", backward, &good);
  refusal_accepted("backward in place", backward, &swapped);
  refusal_accepted("backward without a gate", backward, &plain);
}

int main(void) {
  int devices = 0;
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 2, "%d devices, expected 2", devices);
  for (int device = 0; device < devices; ++device) {
    refusal_begin(device);
    test_activation();
    refusal_end();
  }
  return test_result();
}
