// SPDX-License-Identifier: MIT
// Rows further apart than 32 bits reach: 4 GB from one to the next, of which only the elements are touched.
// The rows are the same, and so must be what becomes of them. It runs on both chips, norms and rotary
// embedding.
#include "tests/row_matrix.h"
#include "wavetile.h"

enum { ROWS = 2, COLUMNS = 600, HEAD = 100 };
static const int64_t kApart = (int64_t)1 << 31;  // elements of 2 bytes

static void *far_rows(void) {
  void *memory = NULL;
  row_ok(hipMalloc(&memory, (size_t)(kApart + COLUMNS) * 2), "hipMalloc");
  return memory;
}

static void put(void *memory, const uint16_t *row) {
  for (int64_t i = 0; i < ROWS; ++i)
    row_ok(hipMemcpy((uint16_t *)memory + i * kApart, row, COLUMNS * 2, hipMemcpyHostToDevice),
           "to the device");
}

// The rows are equal, and different from `before`.
static void check_rows(const char *what, const void *memory, const uint16_t *before) {
  uint16_t rows[ROWS][COLUMNS];
  for (int64_t i = 0; i < ROWS; ++i)
    row_ok(hipMemcpy(rows[i], (const uint16_t *)memory + i * kApart, COLUMNS * 2, hipMemcpyDeviceToHost),
           what);
  CHECK(memcmp(rows[0], rows[1], sizeof rows[0]) == 0, "%s: the rows differ", what);
  CHECK(memcmp(rows[0], before, sizeof rows[0]) != 0, "%s: nothing was written", what);
}

static void check_device(wt_context *context, const uint16_t *row) {
  void *x = far_rows(), *y = far_rows();
  float *rstd = NULL;
  row_ok(hipMalloc((void **)&rstd, ROWS * sizeof *rstd), "hipMalloc");
  put(x, row), put(y, row);
  wt_norm_desc d = WT_NORM_DESC_INIT;
  d.kind = WT_NORM_RMS, d.type = WT_TYPE_BF16, d.rows = ROWS, d.columns = COLUMNS;
  d.ldx = d.ldy = kApart, d.rstd = rstd;
  CHECK(wt_norm(context, &d, x, y, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  check_rows("norm", y, row);
  wt_norm_backward_desc b = WT_NORM_BACKWARD_DESC_INIT;
  b.kind = WT_NORM_RMS, b.type = WT_TYPE_BF16, b.rows = ROWS, b.columns = COLUMNS;
  b.lddy = b.ldsum = b.lddx = kApart, b.rstd = rstd;
  put(y, row);
  CHECK(wt_norm_backward(context, &b, y, x, y, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  check_rows("norm backward", y, row);
  wt_rotary_desc r = WT_ROTARY_DESC_INIT;
  r.batch = ROWS, r.rows = 1, r.heads = COLUMNS / HEAD, r.head_dim = HEAD, r.type = WT_TYPE_BF16,
  r.offset = 7;
  r.strides_in.batch = r.strides_out.batch = kApart;
  CHECK(wt_rotary(context, &r, x, x, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  check_rows("rotary", x, row);
  row_ok(hipFree(x), "hipFree"), row_ok(hipFree(y), "hipFree"), row_ok(hipFree(rstd), "hipFree");
}

int main(void) {
  test_rng rng = test_seed(4);
  uint16_t row[COLUMNS];
  for (int i = 0; i < COLUMNS; ++i) row[i] = (uint16_t)row_encode(WT_TYPE_BF16, row_normal(&rng));
  int devices = 0;
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 2, "%d devices, expected 2", devices);
  for (int device = 0; device < devices; ++device) {
    wt_context *context;
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
    if (!context || !row_ok(hipSetDevice(device), "hipSetDevice")) break;
    check_device(context, row);
    wt_context_destroy(context);
  }
  return test_result();
}
