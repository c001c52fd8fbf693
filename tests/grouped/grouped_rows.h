// SPDX-License-Identifier: MIT
// Makes random grouped products: which row is whose, and how the array of the call says so.
#ifndef WT_TESTS_GROUPED_ROWS_H
#define WT_TESTS_GROUPED_ROWS_H

#include "grouped_matrix.h"

enum { MOST_GROUPS = 512, NOBODY = -1 };

// Says what the operands are: numbers, FP8 with F32 scales, any or powers of two, or from KIND_MX on a pair
// of MX formats.
typedef enum grouped_kind {
  KIND_BF16,
  KIND_F16,
  KIND_F8,
  KIND_TILES,
  KIND_ROWS,
  KIND_POWERS_OF_TILES,
  KIND_POWERS_OF_ROWS,
  KIND_MX
} grouped_kind;

typedef struct grouped_case {
  char what[480];
  wt_grouped_desc desc;
  wt_grouped_pass pass;
  int kind;                 // a grouped_kind, plus the number of the pair
  bool small;               // one of the cases that have each kind with each contract
  bool plain;               // every kernel of the forward pass for this chip can run it
  bool scaled;              // the operands have scales of blocks
  bool mx;                  // scaled, and in MX formats
  bool widened;             // mx, but the first operand is of BF16, without scales
  int grain;                // groups begin at multiples of so many rows
  int whole;                // what is summed over is a multiple of this
  int rows;                 // of x and y in memory
  int counts[MOST_GROUPS];  // rows of each group
  int *owner;               // of each row: its group, or NOBODY
  grouped_matrix x, w, y;   // or their gradients
  row_matrix places;        // I32
  row_matrix by_group, by_row, by_column, bias;
} grouped_case;

// Returns the rows that a group of `count` rows takes up.
static inline int whole_blocks(const grouped_case *c, int count) {
  return (count + c->grain - 1) / c->grain * c->grain;
}

static inline int64_t multiple_of(int64_t number, int64_t of) { return (number + of - 1) / of * of; }

// Makes groups that share `left` rows: empty ones, one with everything, and a few rows or many.
static inline void share_rows(grouped_case *c, int left, test_rng *rng) {
  const int groups = (int)c->desc.groups, kind = row_between(rng, 0, 4);
  const int only = row_between(rng, 0, groups - 1);
  memset(c->counts, 0, sizeof c->counts);
  if (kind == 0) c->counts[only] = left;
  if (kind == 0) return;
  const int each = left / groups;
  for (int g = 0; g < groups; ++g) {
    const int most = kind == 1 ? (each ? 2 * each : 1) : left;
    const int count = row_between(rng, 0, 3) == 0 ? 0 : kind == 2 ? each : row_between(rng, 0, most);
    c->counts[g] = count < left ? count : left;
    left -= c->counts[g];
  }
  // The end of a group is where the next one begins.
  for (int g = 0; g + 1 < groups && c->desc.contract == WT_GROUP_OFFSETS; ++g)
    c->counts[g] = whole_blocks(c, c->counts[g]);
}

static inline void put_place(grouped_case *c, int i, int value) {
  row_put(&c->places, 0, i, (uint32_t)value);
}

// Gives `count` rows from `row` on to a group.
static inline void own(grouped_case *c, int row, int count, int group) {
  for (int i = 0; i < count; ++i) c->owner[row + i] = group;
}

static inline void lay_offsets(grouped_case *c, int unused, test_rng *rng) {
  int row = row_between(rng, 0, unused) / c->grain * c->grain;
  for (int g = 0; g < c->desc.groups; ++g) {
    put_place(c, g, row);
    own(c, row, c->counts[g], g);
    row += c->counts[g];
  }
  put_place(c, (int)c->desc.groups, row);
}

// Lays groups in any order, with some of the unused rows between them.
static inline void lay_indices(grouped_case *c, int unused, test_rng *rng) {
  const int groups = (int)c->desc.groups, first = row_between(rng, 0, groups - 1);
  int row = 0;
  for (int i = 0; i < groups; ++i) {
    const int g = (first + i) % groups;
    const int gap = row_between(rng, 0, 2) ? 0 : row_between(rng, 0, unused) / c->grain * c->grain;
    own(c, row + gap, c->counts[g], g);
    row += gap + whole_blocks(c, c->counts[g]), unused -= gap;
  }
  for (int i = 0; i < c->rows; ++i) {
    const int stranger = row_between(rng, 0, 7) ? NOBODY : groups + row_between(rng, 0, 3);
    put_place(c, i, c->owner[i] == NOBODY ? stranger : c->owner[i]);
  }
}

static inline void lay_masked(grouped_case *c) {
  for (int g = 0; g < c->desc.groups; ++g) {
    put_place(c, g, c->counts[g]);
    own(c, g * (int)c->desc.m, c->counts[g], g);
  }
}

static inline void lay_rows(grouped_case *c, test_rng *rng) {
  wt_grouped_desc *d = &c->desc;
  const int unused = row_between(rng, 0, 1) ? row_between(rng, 0, 40) : 0;
  const bool masked = d->contract == WT_GROUP_MASKED;
  int sum = 0, most = 1;
  for (int g = 0; g < d->groups; ++g) {
    sum += whole_blocks(c, c->counts[g]);
    most = c->counts[g] > most ? c->counts[g] : most;
  }
  d->m = masked ? whole_blocks(c, most + unused / 8) : sum + unused > 0 ? sum + unused : 1;
  if (c->pass == WT_GROUPED_BACKWARD_WEIGHT) d->m = multiple_of(d->m, c->whole);
  c->rows = (int)d->m * (masked ? (int)d->groups : 1);
  c->owner = malloc((size_t)c->rows * sizeof *c->owner);
  for (int i = 0; i < c->rows; ++i) c->owner[i] = NOBODY;
  const int places = d->contract == WT_GROUP_INDICES ? (int)d->m : (int)d->groups + !masked;
  c->places = row_matrix_create(WT_TYPE_I32, 1, places, places, 4 * row_between(rng, 0, 3));
  switch (d->contract) {
    case WT_GROUP_OFFSETS: lay_offsets(c, unused, rng); break;
    case WT_GROUP_INDICES: lay_indices(c, unused, rng); break;
    case WT_GROUP_MASKED: lay_masked(c); break;
  }
}

#endif
