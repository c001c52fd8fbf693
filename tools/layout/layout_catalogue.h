// SPDX-License-Identifier: MIT
// Declares the constexpr layouts of include/tiles as data: what layout_catalogue.hip, compiled for a device,
// holds in its constants, and how C reads them.
#ifndef WT_TOOLS_LAYOUT_CATALOGUE_H
#define WT_TOOLS_LAYOUT_CATALOGUE_H

enum { LAYOUT_LANES = 64, LAYOUT_ELEMENTS = 32, LAYOUT_OFFSET_BITS = 18, LAYOUT_BANKS = 64 };

// These are bits of the fields named chips.
enum { LAYOUT_GFX942 = 1, LAYOUT_GFX950 = 2 };

// Describes operands and accumulators of one MFMA; natural: natural_operand, the fragment of rt_a and rt_b.
enum { LAYOUT_OPERAND, LAYOUT_ACCUMULATOR, LAYOUT_NATURAL };

typedef struct layout_place {
  unsigned char block, row, column;
} layout_place;

typedef struct layout_map {
  char type[12];  // of the elements, as in namespace wt
  unsigned char kind, chips;
  unsigned char bits;  // of an element
  unsigned char rows, columns, blocks, elements;
  layout_place place[LAYOUT_LANES][LAYOUT_ELEMENTS];
} layout_map;

// Describes one instruction that accesses LDS, on one chip.
typedef struct layout_lds_op {
  char name[16];
  unsigned char chips;
  unsigned char bytes, banks, phases;  // bytes: of a lane
  unsigned char phase[LAYOUT_LANES];
} layout_lds_op;

// A swizzle flips the bits target[j] of an offset whose bit j is set.
typedef struct layout_swizzle {
  char name[24];
  unsigned char chips;
  int row_bytes;  // bytes of the rows that it is for; 0: any
  int granule, period;
  unsigned target[LAYOUT_OFFSET_BITS];
} layout_swizzle;

#ifndef __cplusplus
#include <stdbool.h>
#include <stddef.h>

struct sim_object;
typedef struct layout_catalogue {
  struct sim_object *object;  // holds what the others point to
  const layout_map *maps;
  const layout_lds_op *ops;
  const layout_swizzle *swizzles;
  size_t map_count, op_count, swizzle_count;
} layout_catalogue;

// Reads the code object of layout_catalogue.hip for `target`. On failure there is nothing to free, and
// `message` has a sentence.
bool layout_catalogue_read(layout_catalogue *catalogue, const void *image, size_t size, const char *target,
                           char *message, size_t message_size);
void layout_catalogue_free(layout_catalogue *catalogue);
#endif

#endif
