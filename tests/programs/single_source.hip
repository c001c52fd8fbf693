// SPDX-License-Identifier: MIT
// Uses wavetile in an ordinary HIP program: host and device code are in one file beside the HIP headers, and
// the kernel of examples/your_own_kernel is launched with <<<>>>.
#include "program.h"

#include "examples/your_own_kernel/gemm_bias_gelu.hip"

// Layouts and sizes are known to the host as well: the lane and element that hold each entry of an operand.
static_assert(operand::layout::column(17, 3) == 8 + 3 && lds_tile::kBytes == kTile * kStep * 2);

// A bf16 is the upper half of a float. (Rounding on the host would need a newer run-time library than libgcc
// 12's.)
static bf16 truncated(float value) {
  return __builtin_bit_cast(bf16, static_cast<uint16_t>(__builtin_bit_cast(uint32_t, value) >> 16));
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  constexpr int kM = 150, kN = 136, kK = 200;
  generator random{3};
  std::vector<bf16> a(kM * kK), b(kN * kK);
  std::vector<float> bias(kN);
  for (bf16 &x : a) x = truncated(random.uniform(-1, 1));
  for (bf16 &x : b) x = truncated(random.uniform(-1, 1));
  for (float &x : bias) x = random.uniform(-1, 1);
  bf16 *const a_device = to_device(a), *const b_device = to_device(b);
  bf16 *const c_device = to_device(std::vector<bf16>(kM * kN, truncated(NAN)));
  float *const bias_device = to_device(bias);

  const dim3 grid((kN + kTile - 1) / kTile, (kM + kTile - 1) / kTile);
  gemm_bias_gelu<<<grid, kThreads>>>(a_device, b_device, bias_device, c_device, kM, kN, kK);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  const std::vector<bf16> c = to_host(c_device, kM * kN);
  checker check{"gemm_bias_gelu"};
  for (int i = 0; i < kM; ++i) {
    for (int j = 0; j < kN; ++j) {
      double x = bias[j];
      for (int e = 0; e < kK; ++e) {
        x += static_cast<double>(static_cast<float>(a[i * kK + e])) * static_cast<float>(b[j * kK + e]);
      }
      const double gelu = x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
      check.near(static_cast<float>(c[i * kN + j]), gelu, std::fabs(gelu) / 250 + 1e-4, i * kN + j);
    }
  }
  HIP_CHECK(hipFree(a_device));
  HIP_CHECK(hipFree(b_device));
  HIP_CHECK(hipFree(c_device));
  HIP_CHECK(hipFree(bias_device));
  return check.verdict();
}
