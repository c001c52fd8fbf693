// SPDX-License-Identifier: MIT
// Ordinary kernels, of which mutation.c removes waits and barriers. Each is launched with two blocks of 256
// threads, has 512 integers for each block to read and as many to write, and leaves the same whatever the
// order of its threads.
#include <hip/hip_runtime.h>

constexpr int kThreads = 256, kItems = 512;

#define KERNEL(name) \
  extern "C" __global__ __launch_bounds__(kThreads) void name(const unsigned *in, unsigned *out)

__device__ int first() { return blockIdx.x * kItems; }

// Transposes 16 rows of 32 numbers.
KERNEL(transpose) {
  __shared__ unsigned tile[16][33];
  for (int i = threadIdx.x; i < kItems; i += kThreads) tile[i / 32][i % 32] = in[first() + i];
  __syncthreads();
  for (int i = threadIdx.x; i < kItems; i += kThreads) out[first() + i] = tile[i % 16][i / 16];
}

// Computes the sum of the block's numbers: a tree in LDS, the last six levels by shuffles.
KERNEL(reduction) {
  __shared__ unsigned sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = in[first() + t] + in[first() + t + kThreads];
  for (int step = kThreads / 2; step >= 64; step /= 2) {
    __syncthreads();
    if (t < step) sums[t] += sums[t + step];
  }
  if (t >= 64) return;
  unsigned sum = sums[t];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (t == 0) out[first()] = sum;
}

// Computes sums of all numbers up to each, from two buffers in turn.
KERNEL(scan) {
  __shared__ unsigned buffer[2][kThreads];
  const int t = threadIdx.x;
  int from = 0;
  buffer[0][t] = in[first() + t];
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2, from ^= 1) {
    buffer[from ^ 1][t] = buffer[from][t] + (t >= step ? buffer[from][t - step] : 0);
    __syncthreads();
  }
  out[first() + t] = buffer[from][t];
}

// Makes three rounds of sums of neighbours, the block's numbers as a ring.
KERNEL(stencil) {
  __shared__ unsigned ring[kItems];
  const int a = threadIdx.x, b = a + kThreads;
  ring[a] = in[first() + a], ring[b] = in[first() + b];
  for (int round = 0; round < 3; ++round) {
    __syncthreads();
    const unsigned at_a = ring[(a + kItems - 1) % kItems] + ring[a] + ring[a + 1];
    const unsigned at_b = ring[b - 1] + ring[b] + ring[(b + 1) % kItems];
    __syncthreads();
    ring[a] = at_a, ring[b] = at_b;
  }
  out[first() + a] = ring[a], out[first() + b] = ring[b];
}

// Multiplies 16 x 16 by 16 x 16, from the first and the second half of the numbers, in steps of 4.
KERNEL(matrix_product) {
  __shared__ unsigned a[16][4], b[4][16];
  const int row = threadIdx.x / 16, column = threadIdx.x % 16;
  unsigned sum = 0;
  for (int k = 0; k < 16; k += 4) {
    if (threadIdx.x < 64) {
      a[threadIdx.x / 4][threadIdx.x % 4] = in[first() + threadIdx.x / 4 * 16 + k + threadIdx.x % 4];
    } else if (threadIdx.x < 128) {
      b[row - 4][column] = in[first() + 256 + (k + row - 4) * 16 + column];
    }
    __syncthreads();
    for (int i = 0; i < 4; ++i) sum += a[row][i] * b[i][column];
    __syncthreads();
  }
  out[first() + threadIdx.x] = sum;
}

// Counts how often each of 64 values occurs.
KERNEL(histogram) {
  __shared__ unsigned counts[64];
  if (threadIdx.x < 64) counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < kItems; i += kThreads) atomicAdd(&counts[in[first() + i] % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64) out[first() + threadIdx.x] = counts[threadIdx.x];
}

// Does a bitonic sort.
KERNEL(sort) {
  __shared__ unsigned keys[kItems];
  const int t = threadIdx.x;
  keys[t] = in[first() + t], keys[t + kThreads] = in[first() + t + kThreads];
  for (int size = 2; size <= kItems; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const int low = t / distance * distance * 2 + t % distance, high = low + distance;
      const unsigned x = keys[low], y = keys[high];
      if ((x > y) == ((low & size) == 0)) keys[low] = y, keys[high] = x;
    }
  }
  __syncthreads();
  out[first() + t] = keys[t], out[first() + t + kThreads] = keys[t + kThreads];
}

// The next numbers are loaded while those of before are taken from the other of two buffers.
KERNEL(double_buffer) {
  __shared__ unsigned buffer[2][64];
  const int t = threadIdx.x;
  unsigned sum = 0, next = t < 64 ? in[first() + t] : 0;
  for (int step = 0; step < kItems / 64; ++step) {
    if (t < 64) buffer[step % 2][t] = next;
    __syncthreads();
    if (t < 64 && step + 1 < kItems / 64) next = in[first() + (step + 1) * 64 + t];
    for (int i = 0; i < 8; ++i) sum = sum * 5 + buffer[step % 2][(t + i * 9) % 64];
  }
  out[first() + t] = sum;
}
