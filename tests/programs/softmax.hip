// SPDX-License-Identifier: MIT
// Computes softmax of each row: maximum and sum by shuffles and LDS, the exponential from the device library.
#include "program.h"

constexpr int kThreads = 256, kWave = 64;

// Returns the reduction of one value per thread by `combine`, known to the whole block.
template <class Combine>
__device__ float block_reduce(float value, Combine combine) {
  __shared__ float partial[kThreads / kWave];
  for (int distance = kWave / 2; distance > 0; distance /= 2) {
    value = combine(value, __shfl_xor(value, distance));
  }
  if (threadIdx.x % kWave == 0) partial[threadIdx.x / kWave] = value;
  __syncthreads();
  value = partial[0];
  for (int i = 1; i < kThreads / kWave; ++i) value = combine(value, partial[i]);
  __syncthreads();
  return value;
}

__global__ void softmax(const float *in, float *out, int columns) {
  in += static_cast<size_t>(blockIdx.x) * columns;
  out += static_cast<size_t>(blockIdx.x) * columns;
  float highest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += kThreads) highest = fmaxf(highest, in[i]);
  highest = block_reduce(highest, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) sum += expf(in[i] - highest);
  sum = block_reduce(sum, [](float a, float b) { return a + b; });
  for (int i = threadIdx.x; i < columns; i += kThreads) out[i] = expf(in[i] - highest) / sum;
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  constexpr int kRows = 37, kColumns = 1003;
  generator random{4};
  std::vector<float> in(kRows * kColumns);
  for (float &value : in) value = random.uniform(-30, 30);
  float *const in_device = to_device(in);
  float *const out_device = to_device(std::vector<float>(in.size(), NAN));

  softmax<<<kRows, kThreads>>>(in_device, out_device, kColumns);
  HIP_CHECK(hipDeviceSynchronize());

  const std::vector<float> out = to_host(out_device, in.size());
  checker check{"softmax"};
  for (int r = 0; r < kRows; ++r) {
    const float *const row = &in[r * kColumns];
    double highest = row[0], sum = 0;
    for (int c = 0; c < kColumns; ++c) highest = std::fmax(highest, row[c]);
    for (int c = 0; c < kColumns; ++c) sum += std::exp(row[c] - highest);
    for (int c = 0; c < kColumns; ++c) {
      // A subtraction rounded at magnitude 64 moves the exponent by up to 2^-19; the rest is a few f32
      // roundings.
      const double want = std::exp(row[c] - highest) / sum;
      check.near(out[r * kColumns + c], want, want * 1e-5 + 1e-37, r * kColumns + c);
    }
  }
  HIP_CHECK(hipFree(in_device));
  HIP_CHECK(hipFree(out_device));
  return check.verdict();
}
