// SPDX-License-Identifier: MIT
// Tests reductions that carry an index, against a search in C: many ties, zeros of both signs, infinities,
// rows and columns of NaN alone or among numbers. Every element of the spread results is one lane's copy of
// one result.
#include "host.h"

enum { TWO_ROWS = 2 * OPS_ROWS, TWO_COLUMNS = 2 * OPS_COLUMNS };

static ops_type type;
static bool on_gfx950;
static ops_element list[OPS_SIZE];
static double tile[2][OPS_ROWS][OPS_COLUMNS];  // [1]: the one beside, or below
static unsigned char *in[2], *out;

typedef struct found {
  double value;
  int index;
} found;

// Finds the first of `count` values, `step` apart: sign 1 for the greatest, -1 for the least.
static found search(const double *values, int count, int step, int sign) {
  found best = {values[0], 0};
  for (int i = 1; i < count; ++i) {
    const double x = values[i * step];
    if (isnan(x)) continue;
    if (isnan(best.value) || sign * x > sign * best.value) best = (found){x, i};
  }
  return best;
}

static found expected(int which, int row, int column) {
  static double joined[TWO_ROWS > TWO_COLUMNS ? TWO_ROWS : TWO_COLUMNS];
  found f;
  switch (which) {
    case OPS_ROW_ARGMAX: f = search(tile[0][row], OPS_COLUMNS, 1, 1); break;
    case OPS_COL_ARGMIN: f = search(&tile[0][0][column], OPS_ROWS, OPS_COLUMNS, -1); break;
    case OPS_ROW_ARGMIN_OF_TWO:
      memcpy(joined, tile[0][row], sizeof tile[0][row]);
      memcpy(joined + OPS_COLUMNS, tile[1][row], sizeof tile[1][row]);
      f = search(joined, TWO_COLUMNS, 1, -1);
      break;
    default:
      for (int r = 0; r < TWO_ROWS; ++r) joined[r] = tile[r / OPS_ROWS][r % OPS_ROWS][column];
      f = search(joined, TWO_ROWS, 1, 1);
  }
  const bool of_rows = which == OPS_ROW_ARGMAX || which == OPS_ROW_ARGMIN_OF_TWO;
  f.index += of_rows ? OPS_ARG_COLUMN : OPS_ARG_ROW;
  return f;
}

static double value_at(int place) {
  return ops_decode(type == OPS_i32 ? OPS_i32 : OPS_f32, on_gfx950, out + 4 * place);
}
static int index_at(int place) {
  int32_t index;
  memcpy(&index, out + 4 * place, 4);
  return index;
}
// Zeros are returned as +0.
static bool same_value(double a, double b) { return isnan(b) ? isnan(a) : a == b && (b != 0 || !signbit(a)); }

static void check_vector(const char *name, int which, found want) {
  for (int lane = 0; lane < OPS_LANES; ++lane) {
    const int place = 2 * OPS_ARG_REDUCED * OPS_SIZE + 2 * (lane * OPS_ARG_VECTORS + which);
    const double value = value_at(place);
    const int index = index_at(place + 1);
    CHECK(same_value(value, want.value) && index == want.index,
          "%s: lane %d has %g at %d for vector %d, expected %g at %d", name, lane, value, index, which,
          want.value, want.index);
  }
}

// Checks the results of the rows' kernel, or of the columns'.
static void check(const char *name, void *context) {
  const bool of_rows = *(const bool *)context;
  const int from = of_rows ? OPS_ROW_ARGMAX : OPS_COL_ARGMIN, to = of_rows ? OPS_COL_ARGMIN : OPS_ARG_REDUCED;
  double maxima[OPS_ROWS], minima[OPS_COLUMNS];
  for (int which = from; which < to; ++which) {
    for (int k = 0; k < OPS_SIZE; ++k) {
      const int row = list[k].row, column = list[k].column;
      const found want = expected(which, row, column);
      const double value = value_at(2 * which * OPS_SIZE + k);
      const int index = index_at((2 * which + 1) * OPS_SIZE + k);
      CHECK(same_value(value, want.value) && index == want.index,
            "%s: result %d of row %d, column %d is %g at %d in lane %d, expected %g at %d", name, which, row,
            column, value, index, list[k].lane, want.value, want.index);
    }
  }
  for (int r = 0; r < OPS_ROWS; ++r) maxima[r] = expected(OPS_ROW_ARGMAX, r, 0).value;
  for (int c = 0; c < OPS_COLUMNS; ++c) minima[c] = expected(OPS_COL_ARGMIN, 0, c).value;
  if (of_rows)
    check_vector(name, OPS_ARGMAX_OF_ROWS, search(maxima, OPS_ROWS, 1, 1));
  else
    check_vector(name, OPS_ARGMIN_OF_COLUMNS, search(minima, OPS_COLUMNS, 1, -1));
}

static double element(test_rng *rng, int row, int column) {
  if (type == OPS_i32) return ops_between(rng, -9, 9) * (row % 3 ? 1 : 100000000);
  if (row == 3 || column == 5) return NAN;              // NaN alone
  if (row == 4) return column == 40 ? -INFINITY : NAN;  // less than any number, but a number
  if (column == 6) return row == 17 ? 1 : NAN;
  if (row == 8) return column % 2 ? 0.0 : -0.0;  // equal
  if (row == 9) return column % 7 == 3 ? INFINITY : -INFINITY;
  if (test_random(rng) % 16 == 0) return NAN;
  return ops_between(rng, -9, 9);
}

static void check_layout(hipModule_t module, test_rng *rng, ops_layout layout) {
  const size_t bytes = (2 * OPS_ARG_REDUCED * OPS_SIZE + 2 * OPS_LANES * OPS_ARG_VECTORS) * 4;
  ops_elements(layout, type, on_gfx950, OPS_ROWS, OPS_COLUMNS, list);
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < OPS_SIZE; ++k) {
      const double x = element(rng, list[k].row, list[k].column);
      tile[i][list[k].row][list[k].column] = x;
      ops_encode(type, on_gfx950, x, in[i] + k * ops_bytes[type]);
    }
  }
  void *arguments[] = {&in[0], &in[1], &out};
  for (int i = 0; i < 2; ++i) {
    const bool of_rows = i == 0;
    char name[64];
    snprintf(name, sizeof name, "arg_%s_%s_%s", of_rows ? "rows" : "columns", ops_type_names[type],
             ops_layout_names[layout]);
    ops_each_schedule(module, name, arguments, out, bytes, check, (void *)(uintptr_t)&of_rows);
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = test_seed(31);
  on_gfx950 = gfx950;
#define LAYOUT(layout, name) \
  if (type == OPS_##name) check_layout(module, &rng, OPS_##layout);
  OPS_ARG_LAYOUTS(LAYOUT, f32)
  OPS_ARG_LAYOUTS(LAYOUT, bf16)
  OPS_ARG_LAYOUTS(LAYOUT, i32)
}

int main(int argc, char **argv) {
  type = ops_type_argument(&argc, &argv);
  in[0] = isa_memory(OPS_SIZE * 4);
  in[1] = isa_memory(OPS_SIZE * 4);
  out = isa_memory((2 * OPS_ARG_REDUCED * OPS_SIZE + 2 * OPS_LANES * OPS_ARG_VECTORS) * 4);
  return isa_main(argc, argv, check_device);
}
