// SPDX-License-Identifier: MIT
// The mathematical functions of the device library in f32 and f64 against long double on the host, each
// within the bound of units in the last place that suits the library.
#include "program.h"

struct function {
  const char *name;
  double ulps;  // of the result's type
};
constexpr function kFunctions[] = {
    {"sqrt", 1},      {"rsqrt", 2}, {"sin", 4},   {"cos", 4},     {"tan", 6},   {"exp", 3},
    {"exp2", 3},      {"log", 3},   {"log2", 3},  {"log10", 3},   {"log1p", 3}, {"expm1", 4},
    {"pow", 16},      {"erf", 16},  {"erfc", 16}, {"tgamma", 64}, {"fmod", 0},  {"hypot", 4},
    {"remainder", 0}, {"cbrt", 2},  {"atan2", 6}, {"tanh", 5},    {"sinh", 5},  {"asin", 4},
    {"divide", 1},    {"fma", 0.5}, {"rint", 0},  {"round", 0},   {"trunc", 0}, {"ldexp", 0}};
constexpr int kCount = sizeof kFunctions / sizeof kFunctions[0];

// This is one body for the device and for the reference: T is float, double or long double.
template <class T>
__host__ __device__ T evaluate(int function, T x, T y) {
  using namespace std;
  const T magnitude = fabs(x);
  switch (function) {
    case 0: return sqrt(magnitude);
    case 2: return sin(x);
    case 3: return cos(x);
    case 4: return tan(x);
    case 5: return exp(x);
    case 6: return exp2(x);
    case 7: return log(magnitude);
    case 8: return log2(magnitude);
    case 9: return log10(magnitude);
    case 10: return log1p(magnitude);
    case 11: return expm1(x);
    case 12: return pow(magnitude, y);
    case 13: return erf(x);
    case 14: return erfc(y);
    case 15: return tgamma(magnitude);
    case 16: return fmod(x, y);
    case 17: return hypot(x, y);
    case 18: return remainder(x, y);
    case 19: return cbrt(x);
    case 20: return atan2(x, y);
    case 21: return tanh(x);
    case 22: return sinh(x);
    case 23: return asin(x * T(0.03125));  // exact: a power of two
    case 24: return x / y;
    case 25: return fma(x, y, T(1));
    case 26: return rint(x);
    case 27: return round(x);
    case 28: return trunc(x);
    case 29: return ldexp(x, static_cast<int>(y));
  }
  return 0;
}

template <class T>
__global__ void evaluate_all(const T *x, const T *y, T *out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (int f = 0; f < kCount; ++f) {
    out[f * count + i] = f == 1 ? rsqrt(fabs(x[i])) : evaluate<T>(f, x[i], y[i]);
  }
}

// Checks one type; `digits` are the bits of the significand after the leading one.
template <class T>
void check_type(checker &check, int digits) {
  constexpr int kInputs = 1000;
  generator random{17};
  std::vector<T> x(kInputs), y(kInputs);
  for (int i = 0; i < kInputs; ++i) {
    x[i] = random.uniform(-20, 20);
    y[i] = random.uniform(-7, 7);
  }
  T *const x_device = to_device(x), *const y_device = to_device(y);
  T *out_device = nullptr;
  HIP_CHECK(hipMalloc(&out_device, kCount * kInputs * sizeof(T)));
  evaluate_all<<<(kInputs + 255) / 256, 256>>>(x_device, y_device, out_device, kInputs);
  const std::vector<T> out = to_host(out_device, kCount * kInputs);
  for (int f = 0; f < kCount; ++f) {
    const size_t wrong_before = check.wrong;
    for (int i = 0; i < kInputs; ++i) {
      const long double wide_x = x[i], wide_y = y[i];
      const long double want =
          f == 1 ? 1 / std::sqrt(std::fabs(wide_x)) : evaluate<long double>(f, wide_x, wide_y);
      // In units of the expected result's last place, so that the check's difference is not rounded.
      const long double unit = std::ldexp(1.0L, (want == 0 ? 0 : std::ilogb(want)) - digits);
      check.near(static_cast<double>((out[f * kInputs + i] - want) / unit), 0, kFunctions[f].ulps, i);
    }
    if (check.wrong != wrong_before) {
      std::fprintf(stderr, "in %s with %zu bytes\n", kFunctions[f].name, sizeof(T));
    }
  }
  HIP_CHECK(hipFree(x_device));
  HIP_CHECK(hipFree(y_device));
  HIP_CHECK(hipFree(out_device));
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"math_functions"};
  check_type<float>(check, 23);
  check_type<double>(check, 52);
  return check.verdict();
}
