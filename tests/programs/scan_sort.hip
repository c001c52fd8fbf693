// SPDX-License-Identifier: MIT
// Prefix sums across blocks, a wave scan by DPP, bitonic sort of several key types, radix sort by ballots,
// and a sum whose last block to finish adds the parts of all.
#include "program.h"

#include <algorithm>

constexpr int kBlock = 256, kWave = 64;

__global__ void scan_blocks(const int *in, int *out, int *totals, int count) {
  extern __shared__ int part[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < count ? in[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < static_cast<int>(blockDim.x); distance *= 2) {
    const int left = t >= distance ? part[t - distance] : 0;
    __syncthreads();
    part[t] += left;
    __syncthreads();
  }
  if (i < count) out[i] = part[t];
  if (totals != nullptr && t + 1 == static_cast<int>(blockDim.x)) totals[blockIdx.x] = part[t];
}

__global__ void add_totals(int *out, const int *totals, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < count) out[i] += totals[blockIdx.x - 1];
}

template <int kControl, int kRows>
__device__ int from_lane(int value) {
  return __builtin_amdgcn_update_dpp(0, value, kControl, kRows, 0xf, false);
}

// Scans a wave inclusively: shifts within rows of 16, then broadcasts of the last lanes 15 and 31.
__global__ void scan_waves(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = in[i];
  sum += from_lane<0x111, 0xf>(sum);
  sum += from_lane<0x112, 0xf>(sum);
  sum += from_lane<0x114, 0xf>(sum);
  sum += from_lane<0x118, 0xf>(sum);
  sum += from_lane<0x142, 0xa>(sum);
  sum += from_lane<0x143, 0xc>(sum);
  out[i] = sum;
}

template <class Key>
__global__ __launch_bounds__(kBlock) void bitonic_sort(Key *keys) {
  __shared__ Key part[2 * kBlock];
  const int t = threadIdx.x;
  Key *const mine = keys + blockIdx.x * 2 * kBlock;
  part[t] = mine[t];
  part[t + kBlock] = mine[t + kBlock];
  for (int run = 2; run <= 2 * kBlock; run *= 2) {
    for (int distance = run / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const int i = 2 * t - (t & (distance - 1));
      const Key a = part[i], b = part[i + distance];
      if ((b < a) == ((i & run) == 0)) part[i] = b, part[i + distance] = a;
    }
  }
  __syncthreads();
  mine[t] = part[t];
  mine[t + kBlock] = part[t + kBlock];
}

__global__ __launch_bounds__(kBlock) void radix_sort(unsigned *keys) {
  __shared__ unsigned part[kBlock];
  __shared__ int zeros[kBlock / kWave];
  const int t = threadIdx.x, lane = t % kWave, wave = t / kWave;
  part[t] = keys[blockIdx.x * kBlock + t];
  for (int bit = 0; bit < 32; ++bit) {
    __syncthreads();
    const unsigned key = part[t];
    const bool zero = (key >> bit & 1) == 0;
    const unsigned long long ballot = __ballot(zero);
    if (lane == 0) zeros[wave] = __popcll(ballot);
    __syncthreads();
    int before = __popcll(ballot & ((1ull << lane) - 1)), all = 0;
    for (int w = 0; w < kBlock / kWave; ++w) before += w < wave ? zeros[w] : 0, all += zeros[w];
    part[zero ? before : all + t - before] = key;
  }
  __syncthreads();
  keys[blockIdx.x * kBlock + t] = part[t];
}

__device__ unsigned finished;

__global__ void sum_by_last_block(const float *in, volatile float *parts, float *out, int count) {
  __shared__ float part[kBlock];
  __shared__ bool last;
  const int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * kBlock + t; i < count; i += gridDim.x * kBlock) sum += in[i];
  part[t] = sum;
  for (int width = kBlock / 2; width > 0; width /= 2) {
    __syncthreads();
    if (t < width) part[t] += part[t + width];
  }
  if (t == 0) {
    parts[blockIdx.x] = part[0];
    __threadfence();
    last = atomicAdd(&finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || t != 0) return;
  sum = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) sum += parts[block];
  *out = sum;
  finished = 0;
}

template <class Key>
void check_bitonic(checker &check, std::vector<Key> keys) {
  Key *const device = to_device(keys);
  bitonic_sort<<<keys.size() / (2 * kBlock), kBlock>>>(device);
  const std::vector<Key> got = to_host(device, keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i % (2 * kBlock) == 0) std::sort(&keys[i], &keys[i] + 2 * kBlock);
    check.near(got[i] == keys[i], 1, 0, i);
  }
  HIP_CHECK(hipFree(device));
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"scan_sort"};
  generator random{21};
  constexpr int kCount = 5000, kBlocks = (kCount + kBlock - 1) / kBlock, kParts = 37;
  std::vector<int> in(kCount);
  for (int &value : in) value = static_cast<int>(random.bits() % 100) - 50;
  int *const in_device = to_device(in), *out_device = nullptr, *totals = nullptr;
  HIP_CHECK(hipMalloc(&out_device, kCount * sizeof(int)));
  HIP_CHECK(hipMalloc(&totals, kBlocks * sizeof(int)));
  scan_blocks<<<kBlocks, kBlock, kBlock * sizeof(int)>>>(in_device, out_device, totals, kCount);
  scan_blocks<<<1, kBlock, kBlock * sizeof(int)>>>(totals, totals, nullptr, kBlocks);
  add_totals<<<kBlocks, kBlock>>>(out_device, totals, kCount);
  std::vector<int> got = to_host(out_device, kCount);
  for (int i = 0, sum = 0; i < kCount; ++i) check.near(got[i], sum += in[i], 0, i);
  scan_waves<<<kCount / kBlock, kBlock>>>(in_device, out_device);
  got = to_host(out_device, kCount / kBlock * kBlock);
  for (int i = 0, sum = 0; i < kCount / kBlock * kBlock; ++i) {
    sum = i % kWave == 0 ? in[i] : sum + in[i];
    check.near(got[i], sum, 0, i);
  }

  std::vector<uint64_t> wide(4 * kBlock);
  std::vector<double> numbers(4 * kBlock);
  std::vector<unsigned char> bytes(4 * kBlock);
  std::vector<unsigned> keys(4 * kBlock);
  for (int i = 0; i < 4 * kBlock; ++i) {
    wide[i] = static_cast<uint64_t>(random.bits()) << 32 | random.bits();
    numbers[i] = random.uniform(-1, 1);
    bytes[i] = static_cast<unsigned char>(random.bits());
    keys[i] = random.bits();
  }
  check_bitonic(check, wide);
  check_bitonic(check, numbers);
  check_bitonic(check, bytes);
  unsigned *const keys_device = to_device(keys);
  radix_sort<<<4, kBlock>>>(keys_device);
  const std::vector<unsigned> sorted = to_host(keys_device, keys.size());
  for (int i = 0; i < 4 * kBlock; ++i) {
    if (i % kBlock == 0) std::sort(&keys[i], &keys[i] + kBlock);
    check.near(sorted[i], keys[i], 0, i);
  }

  std::vector<float> addends(in.begin(), in.end());  // small integers: every order gives the same sum
  float *const addends_device = to_device(addends), *const parts = to_device(std::vector<float>(kParts + 1));
  for (int repetition = 0; repetition < 2; ++repetition) {
    sum_by_last_block<<<kParts, kBlock>>>(addends_device, parts, parts + kParts, kCount);
    double want = 0;
    for (const int value : in) want += value;
    check.near(to_host(parts + kParts, 1)[0], want, 0, repetition);
  }
  return check.verdict();
}
