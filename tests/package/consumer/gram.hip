// SPDX-License-Identifier: MIT
// Computes G = X * X^T for a bf16 matrix X of any size, one wave per 16 x 16 tile of G.
#include <wavetile_device.h>

WT_KERNEL(64) gram(const wt::bf16 *x, float *g, int rows, int columns) {
  const int row = 16 * wt::workgroup_y(), column = 16 * wt::workgroup_x();
  const wt::gl<const wt::bf16> X = {x, columns, 1, rows, columns};
  const wt::gl<float> G = {g, rows, 1, rows, rows};
  wt::rt_ct<float, 16, 16> sums = {};
  for (int k = 0; k < columns; k += 64) {
    wt::rt_a<wt::bf16, 16, 64> left;
    wt::rt_b<wt::bf16, 16, 64> right;
    wt::load(left, X, row, k);
    wt::load(right, X, column, k);
    wt::mma_ABt(sums, left, right);
  }
  wt::store(G, sums, row, column);
}
