// SPDX-License-Identifier: MIT
// wt_rotary refuses every kind of wrong argument with its own status and a sentence that names argument and
// value; nothing is launched and no memory changes.
#include "tests/refusal.h"

#include <math.h>

enum { ROWS = 3, HEADS = 2, DIMS = 8, BYTES = ROWS * HEADS * DIMS * 4 };

typedef struct call {
  wt_rotary_desc desc;
  const void *in;
  void *out;
} call;

static wt_status run(const void *arguments) {
  const call *c = arguments;
  return wt_rotary(refusal_context, &c->desc, c->in, c->out, NULL);
}

// Returns parts of the arena, 1 KB apart, and what lies `bytes` before its end.
static void *part(int i) { return refusal_arena + i * 1024; }
static void *before_end(int bytes) { return refusal_arena + REFUSAL_BYTES - bytes; }

static void test_sizes(call good) {
  REFUSED(run, good, desc.struct_size = 8, WT_ERROR_STRUCT_SIZE, "struct_size is 8", "WT_ROTARY_DESC_INIT");
  REFUSED(run, good, desc.batch = 0, WT_ERROR_SIZE, "desc->batch is 0", "from 1");
  REFUSED(run, good, desc.rows = -1, WT_ERROR_SIZE, "desc->rows is -1");
  REFUSED(run, good, desc.batch = 1 << 30, WT_ERROR_SIZE, "desc->batch is 1073741824", "3 rows");
  REFUSED(run, good, desc.heads = 524281, WT_ERROR_SIZE, "desc->heads is 524281", "524280");
  REFUSED(run, good, desc.head_dim = 0, WT_ERROR_SIZE, "desc->head_dim is 0");
  REFUSED(run, good, desc.head_dim = 1, WT_ERROR_SIZE, "desc->rotary_dim is 1", "even");
  REFUSED(run, good, desc.rotary_dim = 7, WT_ERROR_SIZE, "desc->rotary_dim is 7", "even");
  REFUSED(run, good, desc.rotary_dim = 10, WT_ERROR_SIZE, "desc->rotary_dim is 10", "8");
  REFUSED(run, good, desc.head_dim = 9, WT_ERROR_SIZE, "desc->rotary_dim is 9", "even");
  REFUSED(run, good, desc.head_dim = 514, WT_ERROR_SIZE, "desc->rotary_dim is 514", "512");
  REFUSED(run, good, desc.type = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE, "desc->type is WT_TYPE_I8",
          "WT_TYPE_BF16");
  REFUSED(run, good, desc.layout = (wt_rotary_layout)2, WT_ERROR_VALUE, "desc->layout is 2",
          "WT_ROTARY_HALF");
  REFUSED(run, good, desc.inverse = 2, WT_ERROR_VALUE, "desc->inverse is 2", "0 or 1");
}

static void test_angles(call good) {
  static const double frequencies[4] = {1, 0.5, 0.25, 0.125}, bad_frequencies[4] = {1, INFINITY, 1, 1};
  REFUSED(run, good, desc.theta = 0, WT_ERROR_VALUE, "desc->theta is 0", "positive");
  REFUSED(run, good, desc.theta = INFINITY, WT_ERROR_VALUE, "desc->theta is inf");
  REFUSED(run, good, desc.frequencies = bad_frequencies, WT_ERROR_VALUE, "desc->frequencies[1] is inf",
          "finite");
  REFUSED(run, good, desc.cosine = part(3), WT_ERROR_NULL_ARGUMENT, "desc->sine is NULL", "both");
  REFUSED(run, good, desc.sine = part(3), WT_ERROR_NULL_ARGUMENT, "desc->cosine is NULL", "both");
  REFUSED(run, good, desc.offset = 1ll << 31, WT_ERROR_VALUE, "desc->offset is 2147483648", "32-bit");
  REFUSED(run, good, desc.offset = INT32_MAX - 1, WT_ERROR_VALUE, "desc->offset is 2147483646", "3 rows");
  REFUSED(run, good, desc.positions = before_end(8), WT_ERROR_BUFFER, "desc->positions needs 12 bytes", "8");
  REFUSED(run, good, desc.positions = (int32_t *)good.out, WT_ERROR_OVERLAP, "overlaps desc->positions");

  call tables = good;
  tables.desc.cosine = part(3), tables.desc.sine = part(4), tables.desc.table_rows = ROWS;
  refusal_accepted("tables", run, &tables);
  REFUSED(run, tables, desc.frequencies = frequencies, WT_ERROR_VALUE, "desc->frequencies", "tables");
  REFUSED(run, tables, desc.table_rows = 0, WT_ERROR_SIZE, "desc->table_rows is 0");
  REFUSED(run, tables, desc.table_rows = 2, WT_ERROR_VALUE, "desc->offset is 0", "2 rows");
  REFUSED(run, tables, desc.offset = -1, WT_ERROR_VALUE, "desc->offset is -1", "3 rows");
  REFUSED(run, tables, desc.ldtable = 3, WT_ERROR_LEADING_DIMENSION, "desc->ldtable is 3", "4 elements");
  REFUSED(run, tables, desc.sine = before_end(44), WT_ERROR_BUFFER, "desc->sine needs 48 bytes", "44");
  tables.desc.positions = part(5);
  REFUSED(run, tables, desc.positions_batch = -4, WT_ERROR_STRIDE, "desc->positions_batch is -4");
}

static void test_memory(call good) {
  REFUSED(run, good, in = NULL, WT_ERROR_NULL_ARGUMENT, "in is NULL");
  REFUSED(run, good, out = NULL, WT_ERROR_NULL_ARGUMENT, "out is NULL");
  REFUSED(run, good, in = (char *)part(0) + 2, WT_ERROR_MISALIGNED, "in is 0x", "4 bytes");
  REFUSED(run, good, in = before_end(BYTES - 4), WT_ERROR_BUFFER, "in needs 192 bytes", "188");
  REFUSED(run, good, out = (char *)part(0) + 4, WT_ERROR_OVERLAP, "out (0x", "overlaps in");
  REFUSED(run, good, desc.strides_in.head = -8, WT_ERROR_STRIDE, "desc->strides_in", "-8");
  REFUSED(run, good, desc.strides_out.head = 7, WT_ERROR_STRIDE, "desc->strides_out", "7", "overlaps itself");
  REFUSED(run, good, desc.strides_in.row = INT64_MAX, WT_ERROR_SIZE, "desc->strides_in", "2^63");
  call in_place = good;
  in_place.out = part(0);
  refusal_accepted("in place", run, &in_place);
  REFUSED(run, in_place, desc.strides_out.row = 32, WT_ERROR_OVERLAP, "out (0x", "overlaps in");
}

int main(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (int device = 0; device < count; ++device) {
    refusal_begin(device);
    call good = {.desc = WT_ROTARY_DESC_INIT, .in = part(0), .out = part(1)};
    good.desc.rows = ROWS, good.desc.heads = HEADS, good.desc.head_dim = DIMS, good.desc.type = WT_TYPE_F32;
    refusal_accepted("the good call", run, &good);
    test_sizes(good);
    test_angles(good);
    test_memory(good);
    CHECK(wt_rotary(NULL, &good.desc, good.in, good.out, NULL) == WT_ERROR_NULL_ARGUMENT, "no context");
    CHECK(wt_rotary(refusal_context, NULL, good.in, good.out, NULL) == WT_ERROR_NULL_ARGUMENT,
          "no descriptor");
    refusal_end();
  }
  return test_result();
}
