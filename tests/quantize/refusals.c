// SPDX-License-Identifier: MIT
// wt_quantize and wt_dequantize refuse every kind of wrong argument with its own status and a sentence that
// names argument and value; nothing is launched and no memory changes.
#include "refusal.h"

enum { ROWS = 5, COLUMNS = 33, BYTES = ROWS * COLUMNS * 4 };

typedef struct quantize_call {
  wt_quantize_desc desc;
  void *x, *q, *scale;
} quantize_call;

static wt_status quantize(const void *arguments) {
  const quantize_call *c = arguments;
  return wt_quantize(refusal_context, &c->desc, c->x, c->q, c->scale, NULL);
}

static wt_status dequantize(const void *arguments) {
  const quantize_call *c = arguments;
  return wt_dequantize(refusal_context, &c->desc, c->q, c->scale, c->x, NULL);
}

// Returns parts of the arena, 2 KB apart, and where it ends.
static void *part(int i) { return refusal_arena + i * 2048; }
static char *arena_end(void) { return (char *)refusal_arena + REFUSAL_BYTES; }

static void test_quantize(void) {
  static float unknown[ROWS * COLUMNS];
  const bool ocp = strcmp(wt_context_target(refusal_context), "gfx950") == 0;
  const wt_type own = ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  const wt_type foreign = ocp ? WT_TYPE_F8E4M3_FNUZ : WT_TYPE_F8E4M3;
  quantize_call good = {.desc = WT_QUANTIZE_DESC_INIT, .x = part(0), .q = part(2), .scale = part(4)};
  good.desc.rows = ROWS, good.desc.columns = COLUMNS;
  good.desc.type_x = WT_TYPE_F32, good.desc.type_q = own;
  good.desc.workspace = part(6), good.desc.workspace_bytes = WT_QUANTIZE_WORKSPACE_BYTES;
  REFUSED(quantize, good, desc.struct_size = 1, WT_ERROR_STRUCT_SIZE, "struct_size is 1",
          "WT_QUANTIZE_DESC_INIT");
  REFUSED(quantize, good, desc.rows = 0, WT_ERROR_SIZE, "desc->rows is 0");
  REFUSED(quantize, good, desc.columns = -2, WT_ERROR_SIZE, "desc->columns is -2");
  REFUSED(quantize, good, desc.type_x = WT_TYPE_I32, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_x is WT_TYPE_I32");
  REFUSED(quantize, good, desc.type_q = foreign, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_q is WT_TYPE_F8E4M3",
          ocp ? "gfx950 is WT_TYPE_F8E4M3 or" : "gfx942 is WT_TYPE_F8E4M3_FNUZ or");
  REFUSED(quantize, good, desc.type_q = WT_TYPE_BF16, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_q is WT_TYPE_BF16");
  REFUSED(quantize, good, desc.scaling = (wt_scaling)2, WT_ERROR_VALUE, "desc->scaling is 2");
  REFUSED(quantize, good, desc.given = 2, WT_ERROR_VALUE, "given is 2");
  REFUSED(quantize, good, desc.workspace = NULL, WT_ERROR_NULL_ARGUMENT, "desc->workspace is NULL", "4096");
  REFUSED(quantize, good, desc.workspace_bytes = 4095, WT_ERROR_BUFFER, "desc->workspace_bytes is 4095",
          "4096");
  REFUSED(quantize, good, desc.workspace = arena_end() - 8, WT_ERROR_BUFFER, "desc->workspace needs 4096",
          "8");
  REFUSED(quantize, good, desc.workspace = (char *)part(6) + 1, WT_ERROR_MISALIGNED, "desc->workspace is 0x");
  REFUSED(quantize, good, desc.workspace = part(3), WT_ERROR_OVERLAP, "desc->workspace", "overlaps");
  REFUSED(quantize, good, desc.ldx = 32, WT_ERROR_LEADING_DIMENSION, "desc->ldx is 32", "33 elements");
  REFUSED(quantize, good, desc.ldq = 1, WT_ERROR_LEADING_DIMENSION, "desc->ldq is 1");
  REFUSED(quantize, good, desc.ldq = INT64_MAX / 2, WT_ERROR_SIZE, "desc->ldq is", "q spans");
  REFUSED(quantize, good, x = NULL, WT_ERROR_NULL_ARGUMENT, "x is NULL");
  REFUSED(quantize, good, q = NULL, WT_ERROR_NULL_ARGUMENT, "q is NULL");
  REFUSED(quantize, good, scale = NULL, WT_ERROR_NULL_ARGUMENT, "scale is NULL");
  REFUSED(quantize, good, x = (char *)part(0) + 2, WT_ERROR_MISALIGNED, "x is 0x", "4 bytes");
  REFUSED(quantize, good, x = unknown, WT_ERROR_BUFFER, "x is 0x", "hipMalloc");
  REFUSED(quantize, good, q = arena_end() - 100, WT_ERROR_BUFFER, "q needs 165 bytes", "100");
  REFUSED(quantize, good, q = part(0), WT_ERROR_OVERLAP, "q (0x", "overlaps x");
  REFUSED(quantize, good, scale = part(2), WT_ERROR_OVERLAP, "overlaps");
  quantize_call rows = good;
  rows.desc.scaling = WT_SCALING_ROW, rows.desc.workspace = NULL;
  REFUSED(quantize, rows, scale = arena_end() - 16, WT_ERROR_BUFFER, "scale needs 20 bytes", "16");
  refusal_accepted("by rows, without a workspace", quantize, &rows);
  quantize_call given = good;
  given.desc.given = 1, given.desc.workspace = NULL;
  refusal_accepted("with a scale", quantize, &given);
  refusal_accepted("with a computed scale", quantize, &good);

  REFUSED(dequantize, good, x = part(2), WT_ERROR_OVERLAP, "x (0x", "overlaps q");
  REFUSED(dequantize, good, x = arena_end() - BYTES + 4, WT_ERROR_BUFFER, "x needs 660 bytes");
  REFUSED(dequantize, good, q = NULL, WT_ERROR_NULL_ARGUMENT, "q is NULL");
  REFUSED(dequantize, good, desc.type_q = foreign, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_q is");
  refusal_accepted("back", dequantize, &good);
}

int main(void) {
  int devices = 0;
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 2, "%d devices, expected 2", devices);
  for (int device = 0; device < devices; ++device) {
    refusal_begin(device);
    test_quantize();
    refusal_end();
  }
  return test_result();
}
