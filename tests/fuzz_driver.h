// SPDX-License-Identifier: MIT
// This is the main of a fuzz target where there is no libFuzzer: it replays files, then runs mutations of
// them and inputs of the target's own making for some seconds, deterministically by seed. usage: PROGRAM
// SECONDS FILE...
#ifndef WT_TESTS_FUZZ_DRIVER_H
#define WT_TESTS_FUZZ_DRIVER_H

#include <stdbool.h>
#include <time.h>

#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Writes an input of at most `capacity` bytes and returns its size.
typedef size_t fuzz_generator(test_rng *rng, uint8_t *data, size_t capacity);

// A few local changes: bits, interesting words, blocks copied over others, a cut. Returns the new size.
static inline size_t fuzz_mutate(test_rng *rng, uint8_t *data, size_t size) {
  static const uint64_t words[] = {0,   1, 0x7f, 0xff, 0x7fffffff, 0xffffffff, UINT64_MAX, UINT64_C(1) << 63,
                                   4096};
  unsigned changes = 1 + test_random(rng) % 6;
  for (unsigned i = 0; i < changes; ++i) {
    // Half of the changes go to the first KiB and the last, where the headers are.
    size_t at = test_random(rng) % size, near = test_random(rng) % (size < 1024 ? size : 1024);
    if (test_random(rng) & 1) at = test_random(rng) & 1 ? near : size - 1 - near;
    size_t width = (size_t)1 << test_random(rng) % 4;
    if (width > size - at) width = 1;
    switch (test_random(rng) % 4) {
      case 0: data[at] ^= (uint8_t)(1u << test_random(rng) % 8); break;
      case 1: memcpy(data + at, &words[test_random(rng) % (sizeof words / sizeof words[0])], width); break;
      case 2: data[at] = (uint8_t)test_random(rng); break;
      default: {
        size_t from = test_random(rng) % size, length = test_random(rng) % 64;
        if (length > size - at) length = size - at;
        if (length > size - from) length = size - from;
        memmove(data + at, data + from, length);
      }
    }
  }
  return test_random(rng) % 16 == 0 ? 1 + test_random(rng) % size : size;
}

// Runs a copy of exactly the input's size: AddressSanitizer guards its end.
static inline void fuzz_run(const uint8_t *data, size_t size) {
  uint8_t *exact = malloc(size ? size : 1);
  if (!exact) exit(1);
  if (size) memcpy(exact, data, size);
  CHECK(LLVMFuzzerTestOneInput(exact, size) == 0, "an input of %zu bytes", size);
  free(exact);
}

static inline uint8_t *fuzz_read(const char *path, size_t *size) {
  FILE *stream = fopen(path, "rb");
  if (!stream || fseek(stream, 0, SEEK_END) != 0) {
    fprintf(stderr, "cannot open %s\n", path);
    exit(1);
  }
  *size = (size_t)ftell(stream);
  rewind(stream);
  uint8_t *data = malloc(*size + 1);
  if (!data || fread(data, 1, *size, stream) != *size) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
  }
  fclose(stream);
  return data;
}

// `generate` may be NULL.
static inline int fuzz_main(int argc, char **argv, fuzz_generator *generate) {
  enum { ROOM = 65536, IN_A_ROW = 64 };
  static uint8_t made[ROOM];
  const double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
  test_rng rng = test_seed(20240229);
  size_t runs = 0;
  for (int i = 2; i < argc; ++i) {
    size_t size;
    uint8_t *data = fuzz_read(argv[i], &size);
    fuzz_run(data, size);
    free(data);
  }
  const clock_t start = clock();
  // Turn by turn the files, then inputs that are made.
  const int turns = argc - 2 + (generate != NULL);
  for (int turn = 0; turns > 0 && (runs == 0 || (double)(clock() - start) < seconds * CLOCKS_PER_SEC);
       turn = (turn + 1) % turns) {
    const bool makes = turn == argc - 2;
    size_t size = 0;
    uint8_t *data = makes ? NULL : fuzz_read(argv[2 + turn], &size), *copy = malloc(size + 1);
    if (!copy) exit(1);
    for (int n = 0; n < IN_A_ROW; ++n, ++runs) {
      if (size) memcpy(copy, data, size);
      if (makes)
        fuzz_run(made, generate(&rng, made, ROOM));
      else if (size)
        fuzz_run(copy, fuzz_mutate(&rng, copy, size));
    }
    free(copy);
    free(data);
  }
  fprintf(stderr, "%zu inputs\n", runs);
  CHECK(runs >= IN_A_ROW, "too few inputs");
  return test_result();
}

#endif
