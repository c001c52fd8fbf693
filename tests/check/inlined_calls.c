// SPDX-License-Identifier: MIT
// The lines of a code object's instructions, and those they were inlined into. Without further arguments
// prints them for every fourth byte of the first function, one line for each address; with "damage" reads the
// object with any bytes of its debug sections changed, which must do no harm. usage: inlined_calls OBJECT
// TARGET [damage]
#include "sim/object/inlined_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST = 1 << 16, DAMAGES = 3000 };

static unsigned char *read_all(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(1);
  unsigned char *data = malloc(1 << 24);
  *size = data ? fread(data, 1, 1 << 24, file) : 0;
  fclose(file);
  return data;
}

// Returns the number of places, and prints it where asked for.
static size_t walk(const sim_object *object, bool print) {
  static uint64_t offset[MOST];
  static uint32_t call[MOST];
  size_t count = 0, places = 0;
  const sim_function *f = &object->functions[0];
  sim_source_lines *lines = sim_source_lines_read(object);
  sim_inlined_calls *calls = sim_inlined_calls_read(object);
  for (uint64_t at = f->begin; at < f->end && count < MOST; at += 4) offset[count++] = at;
  sim_inlined_calls_around(calls, offset, count, call);
  for (size_t i = 0; i < count; ++i) {
    sim_source_place place;
    if (print) printf("0x%llx", (unsigned long long)offset[i]);
    const bool known = sim_source_place_at(lines, offset[i], &place);
    places += known;
    if (print && known) printf(" %s:%u", place.file, place.line);
    for (uint32_t c = call[i]; c; c = sim_inlined_call_around(calls, c)) {
      const bool found = sim_inlined_call_place(calls, lines, c, &place);
      places += found;
      if (print && found) printf(" %s:%u", place.file, place.line);
    }
    if (print) putchar('\n');
  }
  sim_inlined_calls_free(calls);
  sim_source_lines_free(lines);
  return places;
}

static void damage(sim_object *object) {
  const size_t whole = walk(object, false);
  size_t less = 0;
  test_rng rng = test_seed(77);
  CHECK(whole > 0, "no places");
  for (int i = 0; i < DAMAGES; ++i) {
    sim_section *section = &object->debug[test_random(&rng) % SIM_DEBUG_SECTIONS];
    if (!section->size) continue;
    uint8_t *byte = &section->data[test_random(&rng) % section->size], before = *byte;
    const size_t size = section->size;
    if (test_random(&rng) % 4 == 0) section->size = test_random(&rng) % size;
    *byte = (uint8_t)test_random(&rng);
    less += walk(object, false) != whole;
    *byte = before;
    section->size = size;
  }
  CHECK(less > 0, "no damage makes a difference");
  CHECK(walk(object, false) == whole, "damage remains");
}

int main(int argc, char **argv) {
  char message[256];
  size_t size;
  sim_object *object;
  if (argc < 3) return 2;
  unsigned char *data = read_all(argv[1], &size);
  if (sim_object_load(data, size, argv[2], &object, message, sizeof message))
    return fprintf(stderr, "%s\n", message), 1;
  if (argc > 3)
    damage(object);
  else
    walk(object, true);
  sim_object_free(object);
  free(data);
  return argc > 3 ? test_result() : 0;
}
