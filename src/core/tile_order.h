// SPDX-License-Identifier: MIT
// Chooses the order of a matrix product's tiles: runs of tiles for each die, and the window that shapes them.
#ifndef WT_SRC_TILE_ORDER_H
#define WT_SRC_TILE_ORDER_H

#include "context.h"
#include "sched/grid.h"

// Describes the tiles of C, tile_m x tile_n elements each.
typedef struct wt_tiles {
  int64_t tiles_m, tiles_n;
  unsigned tile_m, tile_n;
} wt_tiles;

// Returns how many consecutive tiles a die takes: a work-group on each of its compute units.
int wt_tile_chunk(const wt_context *context, const wt_tiles *tiles);

// Returns the rows of A and B that a die loads for a chunk of tiles in windows of so many tile rows, in the
// mean, where a tile has rows_a of A and rows_b of B.
double wt_tile_rows_loaded(const wt_tiles *tiles, double rows_a, double rows_b, int chunk, int window);

// Returns the tile rows of the window that makes of a chunk a block of C that needs few rows of A and of B
// (docs/guide/grid.md).
int wt_tile_window(const wt_tiles *tiles, int chunk);

// Returns what so many tiles of C cost, to rank kernels by, in a unit that is the same for all: rounds of
// them, one on each compute unit, times what a round takes. `efficiency` is the percent of the matrix cores'
// rate that a kernel's K loop reaches.
double wt_tile_rounds_cost(const wt_context *context, double tiles, unsigned tile_m, unsigned tile_n,
                           double efficiency);

// Returns the map of all tiles in this order, for kernels.
wt_grid_map wt_tile_map(const wt_context *context, const wt_tiles *tiles);

// Returns the order of tiles for persistent work-groups: each die has its share of all tiles, one after the
// other, so that no other die brings the same rows of A from memory.
wt_grid_order wt_tile_order_by_dies(const wt_context *context, const wt_tiles *tiles);

#endif
