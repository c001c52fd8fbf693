// SPDX-License-Identifier: MIT
// Histogram of bytes: each block counts in LDS with atomics, then adds its counts to the global ones with
// atomics.
#include "program.h"

constexpr int kBins = 256;

__global__ void histogram(const unsigned char *data, int count, unsigned *bins) {
  __shared__ unsigned local[kBins];
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[data[i]], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) {
    if (local[i] != 0) atomicAdd(&bins[i], local[i]);
  }
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  constexpr int kCount = 70001;
  generator random{3};
  std::vector<unsigned char> data(kCount);
  std::vector<unsigned> expected(kBins, 0);
  for (unsigned char &value : data) {
    value = static_cast<unsigned char>(random.bits() % 256 & random.bits());  // low values are more frequent
    ++expected[value];
  }
  unsigned char *const data_device = to_device(data);
  unsigned *bins_device = nullptr;
  HIP_CHECK(hipMalloc(reinterpret_cast<void **>(&bins_device), kBins * sizeof(unsigned)));
  HIP_CHECK(hipMemset(bins_device, 0, kBins * sizeof(unsigned)));

  histogram<<<16, 192>>>(data_device, kCount, bins_device);
  HIP_CHECK(hipDeviceSynchronize());

  const std::vector<unsigned> bins = to_host(bins_device, kBins);
  checker check{"histogram"};
  for (int i = 0; i < kBins; ++i) check.near(bins[i], expected[i], 0, i);
  HIP_CHECK(hipFree(data_device));
  HIP_CHECK(hipFree(bins_device));
  return check.verdict();
}
