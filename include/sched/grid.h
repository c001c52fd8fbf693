// SPDX-License-Identifier: MIT
// Grid order: which tile of C a work-group computes, as a pure function of its id. The same code serves
// kernels (HIP C++), the C API's host side, the simulator's cache study and the pictures (C17 and C++).
#ifndef WT_SCHED_GRID_H
#define WT_SCHED_GRID_H

#include "../tiles/target.h"

// Two steps take an id to a tile.
//
// 1. The remap. Hardware gives work-group i to die (XCD) i mod 8 (nod-ai/amd-shark-ai, AMDGPU optimization
//    guide; tingqli/pyhip, se-dispatch, measured it on MI350X), so neighbouring ids never share an L2. The
//    remap hands each die runs of `chunk` consecutive positions. It is the published chunked remap (ROCm
//    blogs, FP8 GEMM for CDNA 4) with its limit: ids of the last, incomplete block of xcds * chunk keep their
//    place. Without that rule the formula is a bijection only when the number of work-groups is a multiple of
//    xcds * chunk, or one more or one less.
// 2. The window. Positions walk windows of `window` tile rows column by column, so that consecutive positions
//    share tiles of A and of B. The last window may have fewer rows.
//
// All sizes are at least 1 and tiles_m * tiles_n at most 2^31 - 1. Identities: xcds = 1 or chunk = 1 leaves
// ids where they are; window = 1 walks row by row, window >= tiles_m column by column.
//
// In a launch of several parts (y or z in the grid, or wt_grid_part_of) part p's ids start at die
// p * tiles_m * tiles_n mod 8: the dies trade places, each still has its runs.
typedef struct wt_grid_order {
  int tiles_m, tiles_n;  // of C
  int xcds, chunk;
  int window;
  int by_columns;  // not 0: windows of tile columns, walked row by row
} wt_grid_order;

typedef struct wt_grid_tile {
  int m, n;
} wt_grid_tile;

// One part of the work (a split of K, or a batch) and the id within it.
typedef struct wt_grid_part {
  int part, id;
} wt_grid_part;

// Tiles of `tile` elements needed to cover `size` >= 1 elements.
WT_ANYWHERE int wt_grid_tiles(int size, int tile) { return (size - 1) / tile + 1; }

WT_ANYWHERE int wt_grid_count(wt_grid_order order) { return order.tiles_m * order.tiles_n; }

// A chunk that makes a die's part of a round one run: as many work-groups as a die holds at once, or its
// share of all when that is less (a larger chunk would leave every id where it is).
WT_ANYWHERE int wt_grid_chunk(int count, int xcds, int resident_per_xcd) {
  const int share = count / xcds;
  return share < 1 ? 1 : share < resident_per_xcd ? share : resident_per_xcd;
}

// Step 1: a bijection of 0 .. count - 1 for every count, number of dies and chunk.
WT_ANYWHERE int wt_grid_remap(int id, int count, int xcds, int chunk) {
  // Unsigned divisions are the cheaper ones; the block may exceed 32 bits where no block is complete.
  const unsigned dies = (unsigned)xcds, run = (unsigned)chunk;
  const unsigned local = (unsigned)id / dies, die = (unsigned)id - local * dies;
  const unsigned round = local / run, start = round * run * dies;
  const unsigned long long block = (unsigned long long)dies * run;
  if ((unsigned)count - start < block) return id;
  return (int)(start + die * run + (local - round * run));
}

// Step 2: a bijection of 0 .. tiles_m * tiles_n - 1 onto the tiles.
WT_ANYWHERE wt_grid_tile wt_grid_walk(wt_grid_order order, int position) {
  const unsigned across = (unsigned)(order.by_columns ? order.tiles_n : order.tiles_m);
  const unsigned along = (unsigned)(order.by_columns ? order.tiles_m : order.tiles_n);
  const unsigned window = (unsigned)order.window < across ? (unsigned)order.window : across;
  const unsigned index = (unsigned)position / (window * along);
  const unsigned first = index * window, rest = (unsigned)position - first * along;
  const unsigned height = across - first < window ? across - first : window;
  const unsigned step = rest / height;
  const int a = (int)(first + (rest - step * height)), b = (int)step;
  const wt_grid_tile tile = {order.by_columns ? b : a, order.by_columns ? a : b};
  return tile;
}

// Both steps. `id` is less than wt_grid_count(order).
WT_ANYWHERE wt_grid_tile wt_grid_tile_of(wt_grid_order order, int id) {
  return wt_grid_walk(order, wt_grid_remap(id, wt_grid_count(order), order.xcds, order.chunk));
}

// Splits the id of a one-dimensional launch of several parts, one part after the other.
WT_ANYWHERE wt_grid_part wt_grid_part_of(wt_grid_order order, int id) {
  const unsigned count = (unsigned)wt_grid_count(order), part = (unsigned)id / count;
  const wt_grid_part result = {(int)part, (int)((unsigned)id - part * count)};
  return result;
}

#endif
