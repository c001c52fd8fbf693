// SPDX-License-Identifier: MIT
// This is the whole test framework: CHECK counts, test_result() is the exit code. A test program is a main()
// that calls CHECKs.
#ifndef WT_TESTS_CHECK_H
#define WT_TESTS_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// These are weak, so that there is one pair for all files of a program. Atomic: callbacks of streams check
// too, in threads of the runtime.
extern _Atomic int check_count, check_failures;
__attribute__((weak)) _Atomic int check_count = 0, check_failures = 0;

// CHECK(condition, printf-style context): counts, and prints the place and the context on failure.
#define CHECK(cond, ...)                                                   \
  do {                                                                     \
    ++check_count;                                                         \
    if (!(cond)) {                                                         \
      if (++check_failures <= 20) {                                        \
        fprintf(stderr, "%s:%d: failed: %s: ", __FILE__, __LINE__, #cond); \
        fprintf(stderr, __VA_ARGS__);                                      \
        fputc('\n', stderr);                                               \
      }                                                                    \
    }                                                                      \
  } while (0)

// Prints the verdict and returns the process exit code; a program that checked nothing fails.
static inline int test_result(void) {
  printf("%d checks, %d failed\n", check_count, check_failures);
  return check_failures != 0 || check_count == 0;
}

// Small deterministic generator (splitmix64); the seed is WT_TEST_SEED or the default, and is printed by
// test_seed().
typedef struct test_rng {
  uint64_t state;
} test_rng;

static inline uint64_t test_random(test_rng *rng) {
  uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline test_rng test_seed(uint64_t default_seed) {
  const char *env = getenv("WT_TEST_SEED");
  test_rng rng = {env ? strtoull(env, NULL, 0) : default_seed};
  printf("seed %llu\n", (unsigned long long)rng.state);
  return rng;
}

#endif
