// SPDX-License-Identifier: MIT
// Declares what the ordinary HIP programs share: a checked call, the device from the command line, random
// data, the verdict.
#ifndef WT_TESTS_PROGRAMS_PROGRAM_H
#define WT_TESTS_PROGRAMS_PROGRAM_H

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                               \
  do {                                                                                                \
    const hipError_t status_ = (call);                                                                \
    if (status_ != hipSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(status_)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (0)

// Selects the device whose ordinal is the first argument (default 0) and prints its name.
inline void select_device(int argc, char **argv) {
  const int device = argc > 1 ? std::atoi(argv[1]) : 0;
  HIP_CHECK(hipSetDevice(device));
  hipDeviceProp_t properties;
  HIP_CHECK(hipGetDeviceProperties(&properties, device));
  std::printf("device %d: %s\n", device, properties.gcnArchName);
}

// Return a device copy of a host vector, and back.
template <class T>
T *to_device(const std::vector<T> &host) {
  T *device = nullptr;
  HIP_CHECK(hipMalloc(reinterpret_cast<void **>(&device), host.size() * sizeof(T)));
  HIP_CHECK(hipMemcpy(device, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
  return device;
}

template <class T>
std::vector<T> to_host(const T *device, size_t count) {
  std::vector<T> host(count);
  HIP_CHECK(hipMemcpy(host.data(), device, count * sizeof(T), hipMemcpyDeviceToHost));
  return host;
}

// Makes deterministic numbers: 32 random bits from a 64-bit linear congruential generator.
struct generator {
  uint64_t state;
  uint32_t bits() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 32);
  }
  float uniform(float low, float high) {
    return low + (high - low) * static_cast<float>(bits() >> 8) * 0x1p-24f;
  }
};

// Counts what is wrong; the program's exit code is verdict().
struct checker {
  const char *name;
  size_t checked = 0, wrong = 0;

  // Accepts only when within the bound, so a NaN is wrong.
  void near(double got, double want, double bound, size_t index) {
    ++checked;
    if (!(std::fabs(got - want) <= bound)) {
      if (++wrong <= 5) {
        std::fprintf(stderr, "%s: element %zu is %.9g, expected %.9g within %.3g\n", name, index, got, want,
                     bound);
      }
    }
  }
  int verdict() const {
    std::printf("%s: %zu checked, %zu wrong\n", name, checked, wrong);
    return wrong != 0 || checked == 0;
  }
};

#endif
