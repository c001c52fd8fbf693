// SPDX-License-Identifier: MIT
// Reading fixtures, and loading bytes placed at the end of a buffer of exactly their size, so that
// AddressSanitizer sees the first byte read beyond them.
#ifndef WT_TESTS_OBJECT_FILES_H
#define WT_TESTS_OBJECT_FILES_H

#include "check.h"
#include "sim/object/object.h"

typedef struct test_file {
  uint8_t *data;
  size_t size;
} test_file;

static inline test_file test_read_file(const char *path) {
  test_file file = {NULL, 0};
  FILE *stream = fopen(path, "rb");
  if (stream == NULL || fseek(stream, 0, SEEK_END) != 0) {
    fprintf(stderr, "cannot open %s\n", path);
    exit(1);
  }
  file.size = (size_t)ftell(stream);
  rewind(stream);
  file.data = malloc(file.size + 1);
  if (file.data == NULL || fread(file.data, 1, file.size, stream) != file.size) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
  }
  file.data[file.size] = 0;
  fclose(stream);
  return file;
}

static char test_message[512];

// Loads an exact-size copy; the object must not depend on it, so the copy is gone when it is looked at.
static inline sim_object_status test_load(const uint8_t *data, size_t size, const char *target,
                                          sim_object **out) {
  uint8_t *copy = malloc(size);
  if (copy == NULL) exit(1);
  memcpy(copy, data, size);
  sim_object_status status = sim_object_load(copy, size, target, out, test_message, sizeof test_message);
  free(copy);
  CHECK((status == SIM_OBJECT_OK) == (*out != NULL), "status %d", status);
  CHECK((status == SIM_OBJECT_OK) == (test_message[0] == '\0'), "status %d says \"%s\"", status,
        test_message);
  return status;
}

static inline void test_expect(test_file file, size_t size, const char *target, sim_object_status expected,
                               const char *words) {
  sim_object *object;
  sim_object_status status = test_load(file.data, size, target, &object);
  CHECK(status == expected, "status %d, expected %d: \"%s\"", status, expected, test_message);
  CHECK(strstr(test_message, words) != NULL, "\"%s\" does not say \"%s\"", test_message, words);
  sim_object_free(object);
}

// The only place in the file where `text` stands, or exits: fixtures are compiled, so offsets move.
static inline size_t test_find(test_file file, const char *text, size_t size) {
  for (size_t at = 0; at + size <= file.size; ++at) {
    if (memcmp(file.data + at, text, size) == 0) return at;
  }
  fprintf(stderr, "the fixture does not contain \"%.*s\"\n", (int)size, text);
  exit(1);
}

#endif
