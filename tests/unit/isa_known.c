// SPDX-License-Identifier: MIT
// Code that is decoded again, when its instructions are known, becomes the same program: op by op and text by
// text, on each chip as that chip reads it, and in threads at the same time. usage: isa_known OBJECT...
#include <pthread.h>

#include "object_files.h"
#include "sim/isa/known.h"
#include "sim/isa/program.h"

static sim_program *decoded(const sim_object *object, sim_chip chip) {
  sim_program *program = NULL;
  char message[256] = "";
  CHECK(sim_program_create(object, chip, &program, message, sizeof message), "%s", message);
  return program;
}

static bool same_op(const sim_program *a, const sim_program *b, uint32_t i) {
  const sim_op *x = &a->ops[i], *y = &b->ops[i];
  return memcmp(x, y, sizeof *x) == 0 && strcmp(sim_op_text(a, x), sim_op_text(b, y)) == 0;
}

static void compare(const char *path, const sim_program *first, const sim_program *again) {
  CHECK(first->op_count == again->op_count, "%s: %u ops became %u", path, first->op_count, again->op_count);
  for (uint32_t i = 0; i < first->op_count && i < again->op_count; ++i)
    CHECK(same_op(first, again, i), "%s: op %u is \"%s\", at first \"%s\"", path, i,
          sim_op_text(again, &again->ops[i]), sim_op_text(first, &first->ops[i]));
}

typedef struct work {
  const sim_object *object;
  sim_chip chip;
  sim_program *program;
} work;

static void *decode_in_thread(void *pointer) {
  work *w = pointer;
  w->program = decoded(w->object, w->chip);
  return NULL;
}

static void check_object(const char *path) {
  enum { THREADS = 4 };
  const char *target = strstr(path, "gfx942") ? "gfx942" : "gfx950";
  const sim_chip chip = strcmp(target, "gfx942") ? SIM_GFX950 : SIM_GFX942;
  test_file file = test_read_file(path);
  sim_object *object = NULL;
  CHECK(test_load(file.data, file.size, target, &object) == SIM_OBJECT_OK, "%s: %s", path, test_message);
  work works[THREADS];
  pthread_t threads[THREADS];
  sim_program *first = decoded(object, chip);
  for (int i = 0; i < THREADS; ++i) {
    works[i] = (work){object, chip, NULL};
    CHECK(pthread_create(&threads[i], NULL, decode_in_thread, &works[i]) == 0, "thread %d", i);
  }
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
    compare(path, first, works[i].program);
    sim_program_free(works[i].program);
  }
  sim_program_free(first);
  sim_object_free(object);
  free(file.data);
}

// s_nop 0 is 4 bytes, v_mov_b32 v0 with a literal 8.
static void check_lookups(void) {
  static const uint32_t nop = 0xbf800000, mov[2] = {0x7e0002ff, 0x12345678}, other[2] = {0x7e0002ff, 5};
  sim_op op = {.size = 4, .raw = {nop}}, found;
  char text[SIM_KNOWN_TEXT];
  const int chip = SIM_ON_BOTH;  // which no program is decoded for
  sim_known_add(chip, &op, "s_nop 0");
  CHECK(sim_known_find(chip, (const uint8_t *)&nop, 4, &found, text) && found.size == 4, "s_nop");
  CHECK(strcmp(text, "s_nop 0") == 0, "text \"%s\"", text);
  CHECK(!sim_known_find(chip, (const uint8_t *)mov, sizeof mov, &found, text), "unknown v_mov");
  op = (sim_op){.size = 8, .raw = {mov[0], mov[1]}};
  sim_known_add(chip, &op, "v_mov_b32 v0, 0x12345678");
  CHECK(sim_known_find(chip, (const uint8_t *)mov, sizeof mov, &found, text) && found.size == 8, "v_mov");
  CHECK(!sim_known_find(chip, (const uint8_t *)other, sizeof other, &found, text), "another literal");
  CHECK(!sim_known_find(chip, (const uint8_t *)mov, 4, &found, text), "half of v_mov");
}

int main(int argc, char **argv) {
  check_lookups();
  for (int i = 1; i < argc; ++i) check_object(argv[i]);
  return test_result();
}
