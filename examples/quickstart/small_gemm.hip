// SPDX-License-Identifier: MIT
// C = A * B^T for FP8 matrices of any size, one wave per 16 x 16 tile of C: your own kernel in twenty lines.
#include <wavetile_device.h>

using fp8 = wt::fp8e4m3;
using operand = wt::mfma_16x16x128_operand;

WT_KERNEL(64) small_gemm(const fp8 *a, const fp8 *b, float *c, int m, int n, int k) {
  WT_SHARED wt::st<fp8, 16, 128> a_tile, b_tile;
  const int row = 16 * wt::workgroup_y(), column = 16 * wt::workgroup_x();
  const wt::gl<const fp8> A = {a, k, 1, m, k}, B = {b, k, 1, n, k};
  const wt::gl<float> C = {c, n, 1, m, n};
  wt::f32x4 sum[1][1] = {};
  for (int k0 = 0; k0 < k; k0 += 128) {
    wt::load_elementwise<64>(a_tile, A.from(row, k0));  // zeros beyond the edge
    wt::load_elementwise<64>(b_tile, B.from(column, k0));
    wt::barrier();
    wt::mma_ABt<fp8>(sum[0][0], wt::load_operand<operand>(a_tile, 0, 0),
                     wt::load_operand<operand>(b_tile, 0, 0));
    wt::barrier();
  }
  wt::store_scaled(C.from(row, column), sum, 1.0f, 0.0f);  // drops what lies outside
}
