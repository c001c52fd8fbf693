// SPDX-License-Identifier: MIT
// Fuzz target of the code object loader. With clang -fsanitize=fuzzer it is a libFuzzer target; otherwise
// (WT_FUZZ_DRIVER) its own main mutates the given seed files for some seconds, deterministically by seed.
// usage: fuzz_object SECONDS FILE...
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A loaded object must be consistent: whatever it names lies inside its image.
static void require(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "a loaded object breaks its promise: %s\n", what);
  abort();
}

static void inspect(const sim_object *object) {
  uint64_t sum = 0;
  for (size_t i = 0; i < object->kernel_count; ++i) {
    const sim_kernel *k = &object->kernels[i];
    require(sim_object_kernel(object, k->name) == k, "kernels are found by name");
    require(k->entry < object->image_size && k->entry % 256 == 0, "entries lie in the image");
    for (uint32_t a = 0; a < k->arg_count; ++a) {
      require((uint64_t)k->args[a].offset + k->args[a].size <= k->kernarg_bytes,
              "arguments lie in the segment");
    }
  }
  for (size_t i = 0; i < object->global_count; ++i) {
    const sim_global *g = &object->globals[i];
    require(sim_object_global(object, g->name) == g, "globals are found by name");
    require(g->offset <= object->image_size && g->size <= object->image_size - g->offset,
            "globals lie in the image");
  }
  for (size_t i = 0; i < object->text_count; ++i) {
    require(object->text[i].begin < object->text[i].end && object->text[i].end <= object->image_size,
            "code lies in the image");
    sum += object->image[object->text[i].begin] + object->image[object->text[i].end - 1];
  }
  for (size_t i = 0; i < object->function_count; ++i) {
    const sim_function *f = &object->functions[i];
    require(f->begin < f->end && f->end <= object->image_size, "functions lie in the image");
    sum += strlen(f->name);
  }
  require(sum != UINT64_MAX, "unreachable");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char message[256];
  static const char *const targets[] = {"gfx950", "gfx942"};
  for (size_t i = 0; size != 0 && i < 2; ++i) {  // a size of 0 would mean that the headers are to be trusted
    sim_object *object = NULL;
    if (sim_object_load(data, size, targets[i], &object, message, sizeof message) == SIM_OBJECT_OK)
      inspect(object);
    sim_object_free(object);
  }
  return 0;
}

#ifdef WT_FUZZ_DRIVER
#include <time.h>

#include "object_files.h"

// A few local changes: bits, interesting words, blocks copied over others, a cut.
static size_t mutate(test_rng *rng, uint8_t *data, size_t size) {
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

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  double seconds = strtod(argv[1], NULL);
  test_rng rng = test_seed(20240229);
  size_t runs = 0;
  clock_t start = clock();
  while ((double)(clock() - start) < seconds * CLOCKS_PER_SEC) {
    for (int i = 2; i < argc; ++i) {
      test_file file = test_read_file(argv[i]);
      if (runs == 0) CHECK(LLVMFuzzerTestOneInput(file.data, file.size) == 0, "%s", argv[i]);
      uint8_t *copy = malloc(file.size);
      if (copy == NULL) return 1;
      for (unsigned n = 0; n < 64; ++n, ++runs) {
        memcpy(copy, file.data, file.size);
        size_t size = mutate(&rng, copy, file.size);
        uint8_t *exact = malloc(size);  // AddressSanitizer guards its end
        if (exact == NULL) return 1;
        memcpy(exact, copy, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
      }
      free(copy);
      free(file.data);
    }
  }
  printf("%zu mutations\n", runs);
  CHECK(runs >= 64, "too few mutations");
  return test_result();
}
#endif
