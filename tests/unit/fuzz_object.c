// SPDX-License-Identifier: MIT
// This is the fuzz target of the code object loader. With clang -fsanitize=fuzzer it is a libFuzzer target;
// otherwise (WT_FUZZ_DRIVER) see tests/fuzz_driver.h.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sim/object/internal.h"

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
  sim_note note;
  for (size_t at = 0; sim_object_note(object, &at, &note);) {
    require(at <= object->notes.size, "notes lie in their sections");
    sum += strlen(note.owner) + (note.size ? note.data[note.size - 1] : 0);
  }
  require(sum != UINT64_MAX, "unreachable");
}

static sim_object_status load(const uint8_t *data, size_t size, const char *target) {
  char message[256];
  sim_object *object = NULL;
  const sim_object_status status = sim_object_load(data, size, target, &object, message, sizeof message);
  if (status == SIM_OBJECT_OK) inspect(object);
  sim_object_free(object);
  return status;
}

// Mutations of a compressed bundle end at its hash. So bundles are also packed here, and must then load as
// they do unpacked.
static void load_compressed(const uint8_t *data, size_t size, const char *target,
                            sim_object_status expected) {
  enum { HEADER = 20 };
  uLongf packed = compressBound(size);
  uint8_t *file = calloc(1, HEADER + packed);
  if (!file) exit(1);
  const uint16_t version = 1;  // and method 0, zlib
  const uint32_t unpacked = (uint32_t)size;
  const uint64_t hash = sim_md5_low((sim_bytes){data, size});
  memcpy(file, "CCOB", 4);
  memcpy(file + 4, &version, sizeof version);
  memcpy(file + 8, &unpacked, sizeof unpacked);
  memcpy(file + 12, &hash, sizeof hash);
  require(compress2(file + HEADER, &packed, data, size, 1) == Z_OK, "zlib compresses");
  require(load(file, HEADER + packed, target) == expected, "a bundle loads the same when compressed");
  free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const targets[] = {"gfx950", "gfx942"};
  for (size_t i = 0; size != 0 && i < 2; ++i) {  // a size of 0 would mean that the headers are to be trusted
    const sim_object_status status = load(data, size, targets[i]);
    if (sim_bundle_is((sim_bytes){data, size})) load_compressed(data, size, targets[i], status);
  }
  return 0;
}

#ifdef WT_FUZZ_DRIVER
#include "fuzz_driver.h"

int main(int argc, char **argv) { return fuzz_main(argc, argv, NULL); }
#endif
