// SPDX-License-Identifier: MIT
// This is the first HIP program of everybody: c = a + b, with a size that leaves the last block partly empty.
#include "program.h"

__global__ void vector_add(const float *a, const float *b, float *c, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  constexpr int kCount = 100003;
  generator random{1};
  std::vector<float> a(kCount), b(kCount);
  for (int i = 0; i < kCount; ++i) {
    a[i] = random.uniform(-100, 100);
    b[i] = random.uniform(-100, 100);
  }
  float *const a_device = to_device(a), *const b_device = to_device(b);
  float *const c_device = to_device(std::vector<float>(kCount, NAN));

  vector_add<<<(kCount + 255) / 256, 256>>>(a_device, b_device, c_device, kCount);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  const std::vector<float> c = to_host(c_device, kCount);
  checker check{"vector_add"};
  for (int i = 0; i < kCount; ++i) check.near(c[i], a[i] + b[i], 0, i);
  HIP_CHECK(hipFree(a_device));
  HIP_CHECK(hipFree(b_device));
  HIP_CHECK(hipFree(c_device));
  return check.verdict();
}
