// SPDX-License-Identifier: MIT
// This is an ordinary HIP program: the dot product of two vectors, with nothing of wavetile in it. Compiled
// with -DFORGET_BARRIER, it relies on luck.
// Build: wavetile hipcc examples/ordinary/dot_product.hip -o dot_product
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 256;

__global__ void dot_product(const float *a, const float *b, float *sum, int n) {
  __shared__ float partial[kThreads];
  const int thread = threadIdx.x, step = gridDim.x * kThreads;
  float own = 0;
  for (int i = blockIdx.x * kThreads + thread; i < n; i += step) own += a[i] * b[i];
  partial[thread] = own;
  for (int half = kThreads / 2; half > 0; half /= 2) {
#ifndef FORGET_BARRIER
    __syncthreads();
#endif
    if (thread < half) partial[thread] += partial[thread + half];
  }
  if (thread == 0) atomicAdd(sum, partial[0]);
}

static void need(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "dot_product: %s\n", hipGetErrorString(error));
  std::exit(2);
}

int main() {
  constexpr int n = 100000, blocks = 64;
  const std::vector<float> ones(n, 1.0f), twos(n, 2.0f);
  float *a, *b, *sum, result = 0;
  need(hipMalloc(&a, n * sizeof *a));
  need(hipMalloc(&b, n * sizeof *b));
  need(hipMalloc(&sum, sizeof *sum));
  need(hipMemcpy(a, ones.data(), n * sizeof *a, hipMemcpyHostToDevice));
  need(hipMemcpy(b, twos.data(), n * sizeof *b, hipMemcpyHostToDevice));
  need(hipMemset(sum, 0, sizeof *sum));
  dot_product<<<blocks, kThreads>>>(a, b, sum, n);
  need(hipGetLastError());
  need(hipMemcpy(&result, sum, sizeof result, hipMemcpyDeviceToHost));
  std::printf("the dot product is %g, and should be %d\n", result, 2 * n);
  return result != 2 * n;
}
