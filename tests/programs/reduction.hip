// SPDX-License-Identifier: MIT
// Sums in three ways: shuffles, data-parallel primitives (DPP) and a tree in LDS; blocks meet in an atomic.
#include "program.h"

constexpr int kThreads = 256, kWave = 64;

// Every lane ends with the sum of its wave.
__device__ int wave_sum_shuffle(int value) {
  for (int distance = kWave / 2; distance > 0; distance /= 2) value += __shfl_xor(value, distance);
  return value;
}

template <int Control, int RowMask = 0xf>
__device__ int plus_dpp(int value) {
  return value + __builtin_amdgcn_update_dpp(0, value, Control, RowMask, 0xf, true);
}

// Lane 63 ends with the sum of its wave: shifts within rows of 16 lanes, then row broadcasts.
__device__ int wave_sum_dpp(int value) {
  value = plus_dpp<0x111>(value);                                                // row_shr:1
  value = plus_dpp<0x112>(value);                                                // row_shr:2
  value = plus_dpp<0x114>(value);                                                // row_shr:4
  value = plus_dpp<0x118>(value);                                                // row_shr:8
  value += __builtin_amdgcn_update_dpp(0, value, 0x142, 0xa, 0xf, false);        // row_bcast:15
  return value + __builtin_amdgcn_update_dpp(0, value, 0x143, 0xc, 0xf, false);  // row_bcast:31
}

__global__ void sum_shuffle(const int *data, int count, int *total) {
  __shared__ int partial[kThreads / kWave];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += data[i];
  sum = wave_sum_shuffle(sum);
  if (threadIdx.x % kWave == 0) partial[threadIdx.x / kWave] = sum;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, partial[0] + partial[1] + partial[2] + partial[3]);
}

__global__ void sum_dpp(const int *data, int count, int *total) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += data[i];
  sum = wave_sum_dpp(sum);
  if (threadIdx.x % kWave == kWave - 1) atomicAdd(total, sum);
}

__global__ void sum_lds(const int *data, int count, int *total) {
  __shared__ int tree[kThreads];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += data[i];
  tree[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) tree[threadIdx.x] += tree[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(total, tree[0]);
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  constexpr int kCount = 65536 + 77;
  generator random{2};
  std::vector<int> data(kCount);
  int expected = 0;
  for (int &value : data) {
    value = static_cast<int>(random.bits() % 2001) - 1000;
    expected += value;
  }
  int *const data_device = to_device(data);
  int *const totals_device = to_device(std::vector<int>(3, 0));

  sum_shuffle<<<20, kThreads>>>(data_device, kCount, totals_device);
  sum_dpp<<<20, kThreads>>>(data_device, kCount, totals_device + 1);
  sum_lds<<<20, kThreads>>>(data_device, kCount, totals_device + 2);
  HIP_CHECK(hipDeviceSynchronize());

  const std::vector<int> totals = to_host(totals_device, 3);
  checker check{"reduction"};
  for (int i = 0; i < 3; ++i) check.near(totals[i], expected, 0, i);
  HIP_CHECK(hipFree(data_device));
  HIP_CHECK(hipFree(totals_device));
  return check.verdict();
}
