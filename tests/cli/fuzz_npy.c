// SPDX-License-Identifier: MIT
// The .npy reader survives any bytes: what it accepts is a finite matrix of the stated size, what it refuses
// leaves a sentence. LLVMFuzzerTestOneInput is for libFuzzer; with WT_FUZZ_DRIVER a main() runs a fixed
// corpus and mutations of it.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/core/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t accepted;

static void require(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "fuzz_npy: %s\n", what);
  abort();
}

// Returns the bytes as a file. Its size is known, as that of a regular file, or not, as that of a pipe.
static FILE *opened(const uint8_t *data, size_t size) {
  FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
  require(file != NULL, "out of memory");
  return file;
}

static void read_array(const uint8_t *data, size_t size, int least, int most, bool known) {
  char message[256] = "";
  npy_array array;
  FILE *file = opened(data, size);
  if (npy_read(file, known ? (int64_t)size : -1, least, most, &array, message, sizeof message)) {
    require(npy_count(&array) > 0 && array.data && (uint64_t)npy_count(&array) <= size,
            "an accepted array is larger than its file");
    require(array.rank >= least && array.rank <= most, "an array of another rank");
    for (int64_t i = 0; i < npy_count(&array); ++i) require(isfinite(array.data[i]), "accepted NaN");
    require(array.loss.inexact <= npy_count(&array) && array.loss.vanished <= array.loss.inexact &&
                array.loss.largest <= 1,
            "a loss that cannot be");
    accepted += most == 2;
  } else {
    require(!array.data, "a refused file left memory behind");
    require(message[0] && strlen(message) < sizeof message - 1, "a refusal without a sentence");
  }
  fclose(file);
  npy_array_free(&array);
}

static void read_integers(const uint8_t *data, size_t size, bool known) {
  char message[256] = "";
  npy_integers integers;
  FILE *file = opened(data, size);
  if (npy_read_integers(file, known ? (int64_t)size : -1, &integers, message, sizeof message)) {
    require(integers.count > 0 && integers.data && (uint64_t)integers.count * 4 <= size,
            "accepted integers are larger than their file");
  } else {
    require(!integers.data, "a refused file left memory behind");
    require(message[0] && strlen(message) < sizeof message - 1, "a refusal without a sentence");
  }
  fclose(file);
  npy_integers_free(&integers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;  // fmemopen has no empty files
  for (int known = 0; known < 2; ++known) {
    read_array(data, size, 2, 2, known);
    read_array(data, size, 1, NPY_ARRAY_RANK, known);
    read_integers(data, size, known);
  }
  return 0;
}

#ifdef WT_FUZZ_DRIVER
static const char *const headers[] = {
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n",
    "{'descr': '<f2', 'fortran_order': True, 'shape': (3, 4), }          \n",
    "{'descr': '<f2', 'fortran_order': True, 'shape': (2, 1, 2, 3), }\n",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }\n",
    "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }\n",
    "{\"shape\":(3,4),\"fortran_order\":False,\"descr\":\"<f4\"}",
    "{'descr': '>f8', 'fortran_order': False, 'shape': (3, 4)}",
    "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (3,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4611686018427387904)}",
};
enum { HEADERS = sizeof headers / sizeof *headers, LARGEST = 4096 };

// Returns the header in a version of the format, and 12 elements of zeros.
static size_t make_file(uint8_t *out, const char *header, int version, size_t element) {
  size_t length = strlen(header), prefix = version == 1 ? 10 : 12;
  memcpy(out, "\x93NUMPY", 6);
  out[6] = (uint8_t)version;
  out[7] = 0;
  memset(out + 8, 0, prefix - 8);
  out[8] = (uint8_t)length;
  memcpy(out + prefix, header, length);
  memset(out + prefix + length, 0, 12 * element);
  return prefix + length + 12 * element;
}

static uint64_t state;
static uint64_t next(void) {  // xorshift64
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

// The bytes go to a block of exactly their size, so that the sanitizer sees a read past the end.
static void run(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size + !size);
  require(copy != NULL, "out of memory");
  memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

int main(int argc, char **argv) {
  static const char tokens[] = "{}()[]':,\"<f42TrueFalse shape descr fortran_order 0123456789\\\n";
  uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000,
           seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  state = seed * 0x9e3779b97f4a7c15u + 1;
  printf("seed %llu\n", (unsigned long long)seed);
  uint8_t file[LARGEST], mutated[LARGEST];
  for (int h = 0; h < HEADERS; ++h)
    for (int version = 0; version < 5; ++version) {
      size_t size = make_file(file, headers[h], version,
                              strstr(headers[h], "f2")   ? 2
                              : strstr(headers[h], "f8") ? 8
                                                         : 4);
      for (size_t cut = 0; cut <= size; ++cut) run(file, cut);
      for (uint64_t round = 0; round < rounds / (HEADERS * 5); ++round) {
        memcpy(mutated, file, size);
        for (uint64_t count = 1 + next() % 4; count-- > 0;) {
          uint8_t byte = next() & 1 ? (uint8_t)next() : (uint8_t)tokens[next() % (sizeof tokens - 1)];
          mutated[next() % size] = byte;
        }
        run(mutated, size - (next() % 8 == 0 ? next() % size : 0));
      }
    }
  printf("%zu files accepted\n", accepted);
  return accepted < 6;  // the three good headers in three versions, unless the reader accepts nothing at all
}
#endif
