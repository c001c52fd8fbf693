// SPDX-License-Identifier: MIT
// Computes C = A * B^T for FP8 matrices of any size, one wave per 16 x 16 tile of C: your own kernel in
// twenty lines.
#include <wavetile_device.h>

using fp8 = wt::fp8e4m3;

WT_KERNEL(64) small_gemm(const fp8 *a, const fp8 *b, float *c, int m, int n, int k) {
  const int row = 16 * wt::workgroup_y(), column = 16 * wt::workgroup_x();
  const wt::gl<const fp8> A = {a, k, 1, m, k}, B = {b, k, 1, n, k};
  const wt::gl<float> C = {c, n, 1, m, n};
  wt::rt_ct<float, 16, 16> sums = {};
  for (int k0 = 0; k0 < k; k0 += 128) {
    wt::rt_a<fp8, 16, 128> a_tile;
    wt::rt_b<fp8, 16, 128> b_tile;
    wt::load(a_tile, A, row, k0);  // zeros beyond the edge
    wt::load(b_tile, B, column, k0);
    wt::mma_ABt(sums, a_tile, b_tile);
  }
  wt::store(C, sums, row, column);  // drops what lies outside
}
