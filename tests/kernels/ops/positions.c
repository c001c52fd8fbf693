// SPDX-License-Identifier: MIT
// Maps that know where an element lies, maps of functions of single numbers, and clamps, bit by bit. All
// numbers are small enough to be exact in every type, so that only the place can be wrong.
#include "maps.h"

static ops_map *m;
static double number;

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

static void check(const char *name, void *context) {
  (void)context;
  for (int k = 0; k < OPS_SIZE; ++k) {
    const int row = m->list[k].row, column = m->list[k].column;
    const int far_row = OPS_AT_ROW + row, far_column = OPS_AT_COLUMN + column;
    const double a = ops_argument(m, 0, k);
    const double want[OPS_POSITIONS] = {[OPS_AT_ORIGIN] = a + 2 * far_row - far_column,
                                        [OPS_AT_FILL] = row - column,
                                        [OPS_AT_IN_PLACE] = row == column ? 0 : a,
                                        [OPS_AT_ARGUMENTS] = far_row % 2 ? a : row + 1 - number,
                                        [OPS_AT_COLUMN_VECTOR] = row + 1 + far_row,
                                        [OPS_AT_ROW_VECTOR] = column + 1 - number + column,
                                        [OPS_IOTA] = OPS_AT_ROW + 3 * row - column,
                                        [OPS_IOTA_COLUMN_VECTOR] = OPS_AT_COLUMN + row,
                                        [OPS_IOTA_ROW_VECTOR] = column,
                                        [OPS_MAP_OF_NUMBERS] = a > column + 1 ? a - (column + 1) : 0,
                                        [OPS_MAP_IN_PLACE] = fabs(a),
                                        [OPS_CLAMP_TO_NUMBERS] = smaller(larger(a, number), -number),
                                        [OPS_CLAMP_TO_VECTORS] = smaller(larger(a, row + 1), column + 1)};
    for (int i = 0; i < OPS_POSITIONS; ++i) {
      const double got = ops_result(m, i, k);
      CHECK(got == want[i], "%s: result %d in lane %d at row %d, column %d is %.9g, expected %.9g", name, i,
            m->list[k].lane, row, column, got, want[i]);
    }
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = test_seed(21);
  m->gfx950 = gfx950;
  ops_number given = ops_number_of(m, -6);
  number = -6;
  for (int k = 0; k < OPS_SIZE; ++k) ops_set(m, 0, k, ops_between(&rng, -60, 60));
  void *arguments[] = {&m->in[0], &given, &m->out};
  ops_each_layout(m, module, "positions", arguments, check, NULL);
}

int main(int argc, char **argv) {
  m = ops_new_map(ops_type_argument(&argc, &argv));
  return isa_main(argc, argv, check_device);
}
