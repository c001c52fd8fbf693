// SPDX-License-Identifier: MIT
// This is a program as people write them: two streams joined by an event, two kernels, dynamic LDS, atomics,
// __constant__ and __device__ variables, pinned memory and timing.
#include "program.h"

constexpr int kCoefficients = 4;
__constant__ float coefficients[kCoefficients];
__device__ unsigned negatives;

// Computes out[i] = polynomial of in[i], counting how many results are negative.
__global__ void evaluate(const float *in, float *out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float value = coefficients[kCoefficients - 1];
  for (int k = kCoefficients - 2; k >= 0; --k) value = value * in[i] + coefficients[k];
  out[i] = value;
  if (value < 0) atomicAdd(&negatives, 1u);
}

// Reverses each block's part in dynamic LDS.
__global__ void reverse_blocks(const float *in, float *out) {
  extern __shared__ float part[];
  const int base = blockIdx.x * blockDim.x;
  part[threadIdx.x] = in[base + threadIdx.x];
  __syncthreads();
  out[base + threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  constexpr int kThreads = 128, kCount = kThreads * 96;
  constexpr size_t kBytes = kCount * sizeof(float);
  const float host_coefficients[kCoefficients] = {-1.5f, 0.25f, 2.0f,
                                                  -0.5f};  // exact in binary: so are small sums
  const unsigned zero = 0;

  float *in = nullptr, *out = nullptr, *in_device = nullptr, *middle_device = nullptr, *out_device = nullptr;
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void **>(&in), kBytes, 0));
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void **>(&out), kBytes, 0));
  HIP_CHECK(hipMalloc(reinterpret_cast<void **>(&in_device), kBytes));
  HIP_CHECK(hipMalloc(reinterpret_cast<void **>(&middle_device), kBytes));
  HIP_CHECK(hipMalloc(reinterpret_cast<void **>(&out_device), kBytes));
  for (int i = 0; i < kCount; ++i) in[i] = static_cast<float>(i % 33 - 16) * 0.25f;
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), host_coefficients, sizeof host_coefficients));
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(negatives), &zero, sizeof zero));

  hipStream_t first, second;
  hipEvent_t begin, evaluated, end;
  HIP_CHECK(hipStreamCreate(&first));
  HIP_CHECK(hipStreamCreate(&second));
  HIP_CHECK(hipEventCreate(&begin));
  HIP_CHECK(hipEventCreate(&evaluated));
  HIP_CHECK(hipEventCreate(&end));

  HIP_CHECK(hipMemcpyAsync(in_device, in, kBytes, hipMemcpyHostToDevice, first));
  HIP_CHECK(hipEventRecord(begin, first));
  evaluate<<<kCount / kThreads, kThreads, 0, first>>>(in_device, middle_device, kCount);
  HIP_CHECK(hipEventRecord(evaluated, first));
  HIP_CHECK(hipStreamWaitEvent(second, evaluated, 0));
  reverse_blocks<<<kCount / kThreads, kThreads, kThreads * sizeof(float), second>>>(middle_device,
                                                                                    out_device);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipEventRecord(end, second));
  HIP_CHECK(hipMemcpyAsync(out, out_device, kBytes, hipMemcpyDeviceToHost, second));
  HIP_CHECK(hipStreamSynchronize(second));
  HIP_CHECK(hipEventSynchronize(end));
  float milliseconds = -1;
  HIP_CHECK(hipEventElapsedTime(&milliseconds, begin, end));
  unsigned negatives_found = 0;
  HIP_CHECK(hipMemcpyFromSymbol(&negatives_found, HIP_SYMBOL(negatives), sizeof negatives_found));

  checker check{"ordinary"};
  unsigned negatives_expected = 0;
  for (int i = 0; i < kCount; ++i) {
    const float x = in[i];
    const double want = ((-0.5 * x + 2.0) * x + 0.25) * x - 1.5;
    negatives_expected += want < 0;
    check.near(out[i / kThreads * kThreads + kThreads - 1 - i % kThreads], want, 0, i);
  }
  check.near(negatives_found, negatives_expected, 0, kCount);
  check.near(milliseconds >= 0, 1, 0, kCount + 1);
  std::printf("%u of %d results are negative\n", negatives_found, kCount);

  HIP_CHECK(hipEventDestroy(begin));
  HIP_CHECK(hipEventDestroy(evaluated));
  HIP_CHECK(hipEventDestroy(end));
  HIP_CHECK(hipStreamDestroy(first));
  HIP_CHECK(hipStreamDestroy(second));
  HIP_CHECK(hipHostFree(in));
  HIP_CHECK(hipHostFree(out));
  HIP_CHECK(hipFree(in_device));
  HIP_CHECK(hipFree(middle_device));
  HIP_CHECK(hipFree(out_device));
  return check.verdict();
}
