// SPDX-License-Identifier: MIT
// Keeps a hash table for each chip. What an instruction is does not depend on where it stands; the program
// sets offsets and targets of branches (program.c).
#include "sim/isa/known.h"

#include <pthread.h>
#include <string.h>

#include "sim/object/grow.h"

// The library's largest module has some 20,000 different instructions; a table of MOST takes 18 MB.
enum { MOST = 1 << 16, SLOTS = 2 * MOST, WORD = 4 };

typedef struct table {
  uint32_t *slots;  // 1 + the number of the op; 0: free
  sim_op *ops;      // each with its place in `text`
  char *text;
  size_t count, capacity, text_size, text_capacity;
} table;

static table tables[SIM_ON_BOTH + 1];  // by SIM_ON_*
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The length of an instruction follows from its first word, so that no longer one begins with the word of a
// short one.
static size_t slot_of(const uint32_t raw[2], bool is_short) {
  uint64_t hash = raw[0] | (is_short ? 0 : (uint64_t)raw[1] << 32);
  hash *= 0x9e3779b97f4a7c15u;
  return (size_t)(hash >> 40) % SLOTS;
}

static bool is_same(const sim_op *op, const uint8_t *code, size_t left, bool is_short) {
  return (op->size == WORD) == is_short && op->size <= left && memcmp(op->raw, code, op->size) == 0;
}

static const sim_op *find(const table *t, const uint8_t *code, size_t left, bool is_short) {
  uint32_t raw[2] = {0};
  memcpy(raw, code, left < sizeof raw ? left : sizeof raw);
  for (size_t at = slot_of(raw, is_short); t->slots[at]; at = (at + 1) % SLOTS) {
    const sim_op *op = &t->ops[t->slots[at] - 1];
    if (is_same(op, code, left, is_short)) return op;
  }
  return NULL;
}

bool sim_known_find(int chip_bit, const uint8_t *code, size_t left, sim_op *op, char text[SIM_KNOWN_TEXT]) {
  const table *t = &tables[chip_bit];
  pthread_mutex_lock(&lock);
  const sim_op *found = t->slots ? find(t, code, left, true) : NULL;
  if (t->slots && !found) found = find(t, code, left, false);
  if (found) {
    *op = *found;
    op->text = 0;
    strcpy(text, t->text + found->text);
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static void add(table *t, const sim_op *op, const char *text) {
  const size_t length = strlen(text) + 1;
  if (!t->slots) t->slots = calloc(SLOTS, sizeof *t->slots);
  if (!t->slots || t->count == MOST || length > SIM_KNOWN_TEXT) return;
  if (!sim_grow((void **)&t->ops, &t->capacity, t->count + 1, sizeof *t->ops)) return;
  if (!sim_grow((void **)&t->text, &t->text_capacity, t->text_size + length, 1)) return;
  t->ops[t->count] = *op;
  t->ops[t->count].offset = 0;
  t->ops[t->count].text = (uint32_t)t->text_size;
  memcpy(t->text + t->text_size, text, length);
  t->text_size += length;
  size_t at = slot_of(op->raw, op->size == WORD);
  while (t->slots[at]) at = (at + 1) % SLOTS;
  t->slots[at] = (uint32_t)++t->count;
}

void sim_known_add(int chip_bit, const sim_op *op, const char *text) {
  pthread_mutex_lock(&lock);
  add(&tables[chip_bit], op, text);
  pthread_mutex_unlock(&lock);
}
