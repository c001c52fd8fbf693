// SPDX-License-Identifier: MIT
// Merges the instruction tables into one lookup by mnemonic, built once per process.
#include "sim/isa/tables.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/isa/lookup.h"

#define COUNT_TABLE(name) +1
enum { SCALAR_TABLES = 10, TABLE_COUNT = SCALAR_TABLES SIM_VECTOR_TABLES(COUNT_TABLE) };

static const sim_optable *const scalar_tables[SCALAR_TABLES] = {
    &sim_table_salu,       &sim_table_control, &sim_table_smem, &sim_table_crosslane, &sim_table_lds,
    &sim_table_lds_atomic, &sim_table_buffer,  &sim_table_flat, &sim_table_cache,     &sim_table_gws,
};
#define VARIANT_TABLES(name) SIM_VARIANTS_OF(name),
static const sim_optable *const vector_tables[][SIM_HOST_COUNT] = {SIM_VECTOR_TABLES(VARIANT_TABLES)};

static const sim_optable *all_tables[TABLE_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Open addressing; several rows may share a name when they differ by chip.
static sim_row_entry *entries;
static size_t entry_mask;

static size_t hash_name(const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (; *name; ++name) hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
  return (size_t)(hash ^ hash >> 32);
}

static void build(void) {
  size_t rows = 0, tables = 0;
  for (; tables < SCALAR_TABLES; ++tables) all_tables[tables] = scalar_tables[tables];
  for (size_t i = 0; tables < TABLE_COUNT; ++i) all_tables[tables++] = vector_tables[i][sim_host_variant()];
  for (size_t t = 0; t < TABLE_COUNT; ++t) rows += all_tables[t]->count;
  size_t capacity = 1024;
  while (capacity < rows * 2) capacity *= 2;
  entries = calloc(capacity, sizeof *entries);
  if (!entries) return;  // every lookup then fails and names the instruction
  entry_mask = capacity - 1;
  for (size_t t = 0; t < TABLE_COUNT; ++t) {
    for (size_t r = 0; r < all_tables[t]->count; ++r) {
      const sim_opinfo *row = &all_tables[t]->rows[r];
      size_t at = hash_name(row->name) & entry_mask;
      while (entries[at].row) at = (at + 1) & entry_mask;
      entries[at].row = row;
      entries[at].valid = sim_parse_signature(row->operands, &entries[at].signature);
    }
  }
}

const sim_row_entry *sim_find_row(const char *name, int chip_bit) {
  pthread_once(&once, build);
  if (!entries) return NULL;
  for (size_t at = hash_name(name) & entry_mask; entries[at].row; at = (at + 1) & entry_mask)
    if ((entries[at].row->chips & chip_bit) && strcmp(entries[at].row->name, name) == 0) return &entries[at];
  return NULL;
}

const sim_opinfo *sim_find_opinfo(const char *name, int chip_bit) {
  const sim_row_entry *entry = sim_find_row(name, chip_bit);
  return entry ? entry->row : NULL;
}
