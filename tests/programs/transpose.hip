// SPDX-License-Identifier: MIT
// Matrix transpose through a padded LDS tile, two-dimensional blocks, sizes that are no multiple of the tile.
#include "program.h"

constexpr int kTile = 32, kRowsPerPass = 8;

__global__ void transpose(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRowsPerPass) {
    if (x < columns && y + i < rows) {
      tile[threadIdx.y + i][threadIdx.x] = in[static_cast<size_t>(y + i) * columns + x];
    }
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRowsPerPass) {
    if (x < rows && y + i < columns) {
      out[static_cast<size_t>(y + i) * rows + x] = tile[threadIdx.x][threadIdx.y + i];
    }
  }
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  constexpr int kRows = 301, kColumns = 187;
  std::vector<float> in(kRows * kColumns);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  float *const in_device = to_device(in);
  float *const out_device = to_device(std::vector<float>(in.size(), NAN));

  const dim3 grid((kColumns + kTile - 1) / kTile, (kRows + kTile - 1) / kTile), block(kTile, kRowsPerPass);
  transpose<<<grid, block>>>(in_device, out_device, kRows, kColumns);
  HIP_CHECK(hipDeviceSynchronize());

  const std::vector<float> out = to_host(out_device, in.size());
  checker check{"transpose"};
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c)
      check.near(out[c * kRows + r], in[r * kColumns + c], 0, r * kColumns + c);
  }
  HIP_CHECK(hipFree(in_device));
  HIP_CHECK(hipFree(out_device));
  return check.verdict();
}
