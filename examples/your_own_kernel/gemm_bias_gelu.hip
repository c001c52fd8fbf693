// SPDX-License-Identifier: MIT
// C = gelu(A * B^T + bias) for bf16 matrices of any size: your own kernel in a page. docs/guide/
// your_own_kernel.md explains it step by step.
#include <wavetile_device.h>

using wt::bf16;

// A work-group of 4 waves computes 128 x 128 elements of C, a wave 64 x 64 of them; k is walked in steps of
// 64, which is 128 bytes.
constexpr int kTile = 128, kWaveTile = 64, kStep = 64, kWaves = 4, kThreads = 64 * kWaves;

using lds_tile = wt::st<bf16, kTile, kStep, wt::swizzle_for_row<2 * kStep>>;
using operand = wt::rt_a<bf16, kWaveTile, kStep>;
using sums = wt::rt_ct<float, kWaveTile, kWaveTile>;
using copier = wt::lds_copier<lds_tile, kWaves>;
using reader = wt::lds_reader<lds_tile, operand::layout>;

WT_KERNEL(kThreads)
gemm_bias_gelu(const bf16 *a, const bf16 *b, const float *bias, bf16 *c, int m, int n, int k) {
  WT_SHARED lds_tile a_lds, b_lds;
  const int row = kTile * wt::workgroup_y(), column = kTile * wt::workgroup_x();
  const auto A = wt::row_major(a, m, k).from(row, 0);
  const auto B = wt::row_major(b, n, k).from(column, 0);
  const auto C = wt::row_major(c, m, n);

  const bool direct = A.rows_aligned(16) && B.rows_aligned(16) && A.fits_buffer(kTile);
  const wt::buffer a_memory = wt::memory_of(A, kTile), b_memory = wt::memory_of(B, kTile);
  const copier copy_a(A, 0), copy_b(B, 0);
  const int wave_row = wt::wave_id() / 2 * kWaveTile, wave_column = wt::wave_id() % 2 * kWaveTile;
  const reader read_a = reader(wave_row).at(a_lds);
  const reader read_b = reader(wave_column).at(b_lds);

  sums sum;
  wt::zero(sum);
  for (int k0 = 0; k0 < k; k0 += kStep) {
    if (direct && k0 + kStep <= k) {  // whole rows of the tile: straight to LDS
      issue_all(copy_a.copies(a_memory, k0 / kStep, a_lds));
      issue_all(copy_b.copies(b_memory, k0 / kStep, b_lds));
      wt::wait_vmem<0>();
    } else {  // the end of k, or odd rows: zeros beyond the edge
      wt::load_masked<kThreads>(a_lds, A.from(0, k0));
      wt::load_masked<kThreads>(b_lds, B.from(0, k0));
    }
    wt::barrier();  // all of both tiles is there
    operand x, y;
    wt::load(x, read_a);
    wt::load(y, read_b);
    wt::mma_ABt(sum, x, y);
    wt::barrier();  // nobody reads them any more
  }

  wt::row_vec<float, sums> column_bias;  // one value per column of C
  wt::load(column_bias, bias + column + wave_column, n - column - wave_column);
  wt::add_col(sum, sum, column_bias);
  wt::gelu(sum, sum);
  wt::rt_ct<bf16, kWaveTile, kWaveTile> result;
  wt::copy(result, sum);
  wt::store(C, result, row + wave_row, column + wave_column);
}
