// SPDX-License-Identifier: MIT
// Threads of one block that hand each other data through global memory. __syncthreads is all there is between
// the store of one wave and the load of another, and compilers make no wait of it: a compute unit takes the
// vector memory operations of its waves in the order of issue.
#include "program.h"

constexpr int kThreads = 512, kBlocks = 3, kSteps = 40;

// Each step every thread reads what its partner stored in the step before, which another wave did.
__global__ void rotate_in_place(int *values) {
  int *const mine = values + blockIdx.x * kThreads;
  const int i = threadIdx.x;
  for (int step = 0; step < kSteps; ++step) {
    const int next = mine[(i + 37 * (step + 1)) % kThreads];
    __syncthreads();  // the load is before the store that replaces it
    mine[i] = next + step;
    __syncthreads();
  }
}

// A value stored twice, by different waves, is the later one; an atomic comes between.
__global__ void overwrite(int *values, int *sums) {
  int *const mine = values + blockIdx.x * kThreads;
  const int i = threadIdx.x;
  mine[i] = -1;
  __syncthreads();
  mine[kThreads - 1 - i] = i;
  __syncthreads();
  atomicAdd(&mine[(i + 64) % kThreads], 1000);
  __syncthreads();
  sums[blockIdx.x * kThreads + i] = mine[(i + 128) % kThreads] + mine[(i + 192) % kThreads];
}

// The first wave produces, the last one consumes; a flag in LDS says when, with a release that the memory
// model confines to the work-group.
__global__ void flagged(int *buffer, int *out) {
  __shared__ int flag;
  int *const mine = buffer + blockIdx.x * 64;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 64) {
    mine[threadIdx.x] = 3 * static_cast<int>(threadIdx.x) + static_cast<int>(blockIdx.x);
    __hip_atomic_fetch_add(&flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
  } else if (threadIdx.x >= kThreads - 64) {
    while (__hip_atomic_load(&flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) != 64) {
    }
    const int lane = static_cast<int>(threadIdx.x) - (kThreads - 64);
    out[blockIdx.x * 64 + lane] = mine[63 - lane];
  }
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"exchange"};
  generator random{2024};
  constexpr int count = kThreads * kBlocks;

  std::vector<int> host(count);
  for (int &value : host) value = static_cast<int>(random.bits() >> 8);
  int *const values = to_device(host);
  rotate_in_place<<<kBlocks, kThreads>>>(values);
  HIP_CHECK(hipGetLastError());
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<int> before = host;
    for (int b = 0; b < kBlocks; ++b)
      for (int i = 0; i < kThreads; ++i)
        host[b * kThreads + i] = before[b * kThreads + (i + 37 * (step + 1)) % kThreads] + step;
  }
  const std::vector<int> rotated = to_host(values, count);
  for (int i = 0; i < count; ++i) check.near(rotated[i], host[i], 0, i);

  int *const sums = to_device(host);
  overwrite<<<kBlocks, kThreads>>>(values, sums);
  HIP_CHECK(hipGetLastError());
  const std::vector<int> summed = to_host(sums, count);
  const auto stored = [](int i) { return kThreads - 1 - i % kThreads + 1000; };
  for (int i = 0; i < count; ++i)
    check.near(summed[i], stored(i % kThreads + 128) + stored(i % kThreads + 192), 0, i);

  int *const out = to_device(std::vector<int>(64 * kBlocks, -1));
  flagged<<<kBlocks, kThreads>>>(values, out);
  HIP_CHECK(hipGetLastError());
  const std::vector<int> consumed = to_host(out, 64 * kBlocks);
  for (int i = 0; i < 64 * kBlocks; ++i) check.near(consumed[i], 3 * (63 - i % 64) + i / 64, 0, i);
  return check.verdict();
}
