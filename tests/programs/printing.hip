// SPDX-License-Identifier: MIT
// printf and assert in kernels: what arrives on the host's streams is what the host's own printf writes.
#include <unistd.h>

#include <cassert>
#include <string>

#include "program.h"

// Keeps what the process writes to a stream until text() ends the capture.
struct capture {
  FILE *stream;
  int saved;
  FILE *file = std::tmpfile();

  explicit capture(FILE *s) : stream(s), saved(dup(fileno(s))) {
    std::fflush(stream);
    dup2(fileno(file), fileno(stream));
  }
  std::string text() {
    std::fflush(stream);
    dup2(saved, fileno(stream));
    close(saved);
    std::string all;
    std::rewind(file);
    for (int c; (c = std::fgetc(file)) != EOF;) all += static_cast<char>(c);
    std::fclose(file);
    return all;
  }
};

template <class... Arguments>
std::string formatted(const char *format, Arguments... arguments) {
  char text[512];
  std::snprintf(text, sizeof text, format, arguments...);
  return text;
}

#define EVERY_CONVERSION                                                                                   \
  "%d %i %5d|%-6d|%+d %06d %u %o %x %#X %ld %lld %hd %hhd %zu %lx %c%c %s|%10s|%-8s|%.3s| %f %8.3f %e %G " \
  "%*d %.*f %%\n"
#define ITS_ARGUMENTS                                                                                   \
  -7, 42, 13, -9, 5, -77, 4000000000u, 8u, 255u, 255u, -5000000000l, 1ll << 60, static_cast<short>(-3), \
      static_cast<signed char>(-4), sizeof(int), 0x123456789abcul, 'w', 't', "text", "right", "left",   \
      "abcdef", 1.5, -2.25, 1.0e10, 1.0e-10, 7, 99, 2, 3.14159

__global__ void every_conversion() { printf(EVERY_CONVERSION, ITS_ARGUMENTS); }

__global__ void say(const char *word, int *written) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 3 == 0) written[i] = printf("%s from %d of block %d\n", word, i, static_cast<int>(blockIdx.x));
}

// Prints more than a packet holds, from more waves than one.
__global__ void say_much(float scale) {
  if (threadIdx.x % 64 == 5)
    printf(
        "a line with a text that needs several packets of fifty-six bytes: %d %g %g %g %g %g %g %g %g %g\n",
        static_cast<int>(threadIdx.x), scale, 2 * scale, 3 * scale, 4 * scale, 5 * scale, 6 * scale,
        7 * scale, 8 * scale, 9 * scale);
}

__global__ void at_most(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"printing"};

  capture conversions(stdout);
  every_conversion<<<1, 1>>>();
  HIP_CHECK(hipDeviceSynchronize());
  const std::string got = conversions.text(), want = formatted(EVERY_CONVERSION, ITS_ARGUMENTS);
  if (got != want) std::fprintf(stderr, "got  %swant %s", got.c_str(), want.c_str());
  check.near(got == want, 1, 0, 0);

  constexpr int kBlocks = 5, kThreads = 70;
  char *const word = to_device(std::vector<char>{'w', 'o', 'r', 'd', 0});
  int *const written = to_device(std::vector<int>(kBlocks * kThreads, -1));
  capture words(stdout);
  say<<<kBlocks, kThreads>>>(word, written);
  HIP_CHECK(hipDeviceSynchronize());
  const std::string said = words.text();
  const std::vector<int> lengths = to_host(written, kBlocks * kThreads);
  std::string expected;
  for (int i = 0; i < kBlocks * kThreads; ++i) {
    const std::string line = formatted("word from %d of block %d\n", i, i / kThreads);
    if (i % 3 == 0) expected += line;
    check.near(lengths[i], i % 3 == 0 ? static_cast<int>(line.size()) : -1, 0, i);
  }
  check.near(said == expected, 1, 0, 1);  // work-groups speak in dispatch order, lanes in theirs

  capture long_lines(stdout);
  say_much<<<3, 256>>>(0.5f);
  HIP_CHECK(hipDeviceSynchronize());
  const std::string lines = long_lines.text();
  for (int i = 5; i < 256; i += 64) {
    const std::string line = formatted("bytes: %d 0.5 1 1.5 2 2.5 3 3.5 4 4.5\n", i);
    size_t found = 0, at = 0;
    while ((at = lines.find(line, at)) != std::string::npos) ++found, ++at;
    check.near(found, 3, 0, i);
  }

  at_most<<<1, 64>>>(64);
  check.near(hipDeviceSynchronize(), hipSuccess, 0, 2);
  capture complaint(stderr);
  at_most<<<1, 64>>>(63);
  const hipError_t error = hipDeviceSynchronize();
  const std::string complained = complaint.text();
  check.near(error, hipErrorAssert, 0, 3);
  check.near(complained.find("static_cast<int>(threadIdx.x) < limit") != std::string::npos, 1, 0, 4);
  check.near(complained.find("printing.hip") != std::string::npos, 1, 0, 5);
  at_most<<<1, 64>>>(64);
  check.near(hipDeviceSynchronize(), hipSuccess, 0, 6);  // the device lives on

  HIP_CHECK(hipFree(word));
  HIP_CHECK(hipFree(written));
  return check.verdict();
}
