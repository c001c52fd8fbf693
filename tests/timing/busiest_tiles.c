// SPDX-License-Identifier: MIT
// Tests by what `wavetile tune` and `wavetile bench choice` rank kernels before they predict any: 17 tiles on
// 16 compute units take two rounds, or one and a sixteenth where a kernel shares the rounds that are not
// full.
#include "tools/predict/predict.h"

#include "tests/check.h"

enum { UNITS = 16, TILES = UNITS + 1 };

int main(void) {
  unsigned sharing = 0;
  for (size_t i = 0; i < wt_gemm_kernel_count(); ++i) {
    wt_gemm_kernel_info info = {.struct_size = sizeof info};
    CHECK(wt_gemm_kernel_at(i, &info) == WT_SUCCESS, "there is no kernel %zu", i);
    const double whole = predict_busiest_tiles(&info, TILES * info.tile_m, info.tile_n, 1, UNITS),
                 more = predict_busiest_tiles(&info, (TILES - 1) * info.tile_m + 1, info.tile_n, 1, UNITS),
                 parts = predict_busiest_tiles(&info, TILES * info.tile_m, info.tile_n, 4, UNITS);
    const double expected = info.shares_rounds ? (double)TILES / UNITS : 2;
    CHECK(whole == expected && more == expected, "%s: %g tiles, and %g where the last has one row, not %g",
          info.name, whole, more, expected);
    CHECK(parts == (info.shares_rounds ? expected : 5.0 / 4), "%s: %g tiles in 4 parts", info.name, parts);
    sharing += info.shares_rounds != 0;
  }
  CHECK(sharing > 0, "no kernel shares rounds");
  return test_result();
}
