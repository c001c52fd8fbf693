// SPDX-License-Identifier: MIT
// The grid order says which tile of C a work-group computes, as a pure function of its id. The same code
// serves kernels (HIP C++), the C API's host side, the simulator's cache study and the pictures (C17 and
// C++).
#ifndef WT_SCHED_GRID_H
#define WT_SCHED_GRID_H

#include "divisor.h"

// This is the order in which work-groups walk over the tiles of C. Two steps take an id to a tile.
//
// 1. The remap comes first. Hardware gives work-group i to die (XCD) i mod 8 (nod-ai/amd-shark-ai, AMDGPU
// optimization guide; tingqli/pyhip, se-dispatch, measured it on MI350X), so neighbouring ids never share an
// L2. The remap hands each die runs of `chunk` consecutive positions. It is the published chunked remap (ROCm
// blogs, FP8 GEMM for CDNA 4) with its limit: ids of the last, incomplete block of xcds * chunk keep their
// position. Without that rule the formula is a bijection only when the number of work-groups is a multiple of
// xcds * chunk, or one more or one less.
//
// 2. The window comes next. Positions walk windows of `window` tile rows column by column, so that
// consecutive positions share tiles of A and of B. The last window may have fewer rows.
//
// All sizes are at least 1 and tiles_m * tiles_n is at most 2^31 - 1. With xcds = 1 or chunk = 1, ids keep
// their positions; window = 1 walks row by row, window >= tiles_m column by column.
//
// In a launch of several parts (y or z in the grid, or wt_grid_part_of) the ids of part p start at die p *
// tiles_m * tiles_n mod 8: the dies trade places, and each still has its runs.
typedef struct wt_grid_order {
  int tiles_m, tiles_n;  // rows and columns of tiles of C
  int xcds, chunk;       // dies, and consecutive positions that one die takes
  int window;            // tile rows of a window
  int by_columns;        // not 0: windows are of tile columns and walked row by row
} wt_grid_order;

// This is a tile of C: its row and column among the tiles, from 0.
typedef struct wt_grid_tile {
  int m, n;
} wt_grid_tile;

// This is one part of the work (a split of K, or a batch) and the id within it, both from 0.
typedef struct wt_grid_part {
  int part, id;
} wt_grid_part;

// Returns how many tiles of `tile` elements cover `size` >= 1 elements.
WT_ANYWHERE int wt_grid_tiles(int size, int tile) { return (size - 1) / tile + 1; }

// Returns the number of tiles of an order.
WT_ANYWHERE int wt_grid_count(wt_grid_order order) { return order.tiles_m * order.tiles_n; }

// Returns a chunk that makes a die's part of a round one run. It has as many work-groups as a die holds at
// once (resident_per_xcd), or the die's share of all `count` when that is less; a larger chunk would leave
// every id where it is.
WT_ANYWHERE int wt_grid_chunk(int count, int xcds, int resident_per_xcd) {
  const int share = count / xcds;
  return share < 1 ? 1 : share < resident_per_xcd ? share : resident_per_xcd;
}

// This is an order made ready for kernels, as a kernel's argument: it has a divisor for everything that ids
// are divided by. A work-group's first loads wait for its tile, and dividing would be most of what that
// takes.
typedef struct wt_grid_map {
  wt_divisor tiles;        // all tiles
  wt_divisor dies, run;    // for the remap
  wt_divisor window;       // tiles of a whole window
  wt_divisor height;       // tile rows of a whole window, or columns when by_columns
  wt_divisor last_height;  // the same of a window that is not whole
  unsigned whole_windows;
  int by_columns;
} wt_grid_map;

// Makes an order ready for kernels.
WT_ANYWHERE wt_grid_map wt_grid_map_of(wt_grid_order order) {
  const unsigned across = (unsigned)(order.by_columns ? order.tiles_n : order.tiles_m);
  const unsigned along = (unsigned)(order.by_columns ? order.tiles_m : order.tiles_n);
  const unsigned height = (unsigned)order.window < across ? (unsigned)order.window : across;
  const unsigned last = across % height;
  const wt_grid_map map = {.tiles = wt_divisor_of(across * along),
                           .dies = wt_divisor_of((unsigned)order.xcds),
                           .run = wt_divisor_of((unsigned)order.chunk),
                           .window = wt_divisor_of(height * along),
                           .height = wt_divisor_of(height),
                           .last_height = wt_divisor_of(last == 0 ? height : last),
                           .whole_windows = across / height,
                           .by_columns = order.by_columns};
  return map;
}

// Returns the position of the id that is number `local` of its die, in the die's run number `round`: the
// remap.
WT_ANYWHERE int wt_grid_remapped(int id, int count, unsigned dies, unsigned run, unsigned local,
                                 unsigned round) {
  const unsigned start = round * run * dies, die = (unsigned)id - local * dies;
  const unsigned long long block =
      (unsigned long long)dies * run;  // may exceed 32 bits: none is complete then
  if ((unsigned)count - start < block) return id;
  return (int)(start + die * run + (local - round * run));
}

// Returns the position of an id: the remap, a bijection of 0 .. count - 1 for every count, number of dies and
// chunk.
WT_ANYWHERE int wt_grid_remap(int id, int count, int xcds, int chunk) {
  // Unsigned divisions are the cheaper ones.
  const unsigned dies = (unsigned)xcds, run = (unsigned)chunk, local = (unsigned)id / dies;
  return wt_grid_remapped(id, count, dies, run, local, local / run);
}

// Returns the tile at a position: the window, a bijection of 0 .. tiles_m * tiles_n - 1 onto the tiles.
WT_ANYWHERE wt_grid_tile wt_grid_walk(wt_grid_map map, int position) {
  const unsigned index = wt_divide((unsigned)position, map.window);
  const unsigned rest = (unsigned)position - index * map.window.divisor;
  const wt_divisor height = index < map.whole_windows ? map.height : map.last_height;
  const unsigned step = wt_divide(rest, height);
  const int a = (int)(index * map.height.divisor + (rest - step * height.divisor)), b = (int)step;
  const wt_grid_tile tile = {map.by_columns ? b : a, map.by_columns ? a : b};
  return tile;
}

// Returns the tile of an id, which is less than the number of tiles: the remap, then the window.
WT_ANYWHERE wt_grid_tile wt_grid_tile_of(wt_grid_map map, int id) {
  const unsigned local = wt_divide((unsigned)id, map.dies), round = wt_divide(local, map.run);
  return wt_grid_walk(
      map, wt_grid_remapped(id, (int)map.tiles.divisor, map.dies.divisor, map.run.divisor, local, round));
}

// This rotates the columns of each window, for orders of which a die takes several windows one after the
// other. Dies start with their windows at the same time; rotated, they start with different columns and
// together bring all of B to the last-level cache. Otherwise all would wait for the same part of it.
typedef struct wt_grid_rotation {
  wt_divisor windows;  // of the order
  int columns;         // of tiles
} wt_grid_rotation;
WT_ANYWHERE wt_grid_rotation wt_grid_rotation_of(wt_grid_order order) {
  const wt_grid_rotation rotation = {wt_divisor_of((unsigned)wt_grid_tiles(order.tiles_m, order.window)),
                                     order.tiles_n};
  return rotation;
}

// Returns the tile with its column rotated by its window's share of all windows: a bijection of the tiles of
// a window. The order is not by columns.
WT_ANYWHERE wt_grid_tile wt_grid_rotated(wt_grid_rotation rotation, wt_grid_map map, wt_grid_tile tile) {
  const unsigned index = wt_divide((unsigned)tile.m, map.height);
  const int column = tile.n + (int)wt_divide(index * (unsigned)rotation.columns, rotation.windows);
  const wt_grid_tile result = {tile.m, column < rotation.columns ? column : column - rotation.columns};
  return result;
}

// Splits the id of a one-dimensional launch of several parts, whose ids follow one part after the other.
WT_ANYWHERE wt_grid_part wt_grid_part_of(wt_grid_map map, int id) {
  const unsigned part = wt_divide((unsigned)id, map.tiles);
  const wt_grid_part result = {(int)part, (int)((unsigned)id - part * map.tiles.divisor)};
  return result;
}

#endif
