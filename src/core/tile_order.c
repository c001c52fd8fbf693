// SPDX-License-Identifier: MIT
// The order of tiles by how many rows of A and B each die has to load.
#include "tile_order.h"

#include <limits.h>
#include <math.h>

#include "sched/grid.h"

int wt_tile_chunk(const wt_context *context, const wt_tiles *tiles) {
  const int64_t count = tiles->tiles_m * tiles->tiles_n;
  return wt_grid_chunk(count < INT_MAX ? (int)count : INT_MAX, WT_XCDS, context->compute_units / WT_XCDS);
}

// Rows of A and B that a die loads for a run of tiles in a window of so many tile rows, in the mean: a run
// that does not end with a column of the window begins anywhere in one.
static double rows_loaded(const wt_tiles *tiles, int run, int window) {
  const double columns = (run + (run % window ? window - 1.0 : 0)) / window;
  return tiles->tile_m * window + tiles->tile_n * columns;
}

int wt_tile_window(const wt_tiles *tiles, int chunk) {
  double least = INFINITY;
  int best = 1;
  for (int window = 1; window <= chunk && window <= tiles->tiles_m && tiles->tile_m * window < least;
       ++window) {
    const double last = (double)(tiles->tiles_m % window);
    double loaded = rows_loaded(tiles, chunk, window) * ((double)tiles->tiles_m - last);
    if (last > 0) loaded += rows_loaded(tiles, chunk, (int)last) * last;
    loaded /= (double)tiles->tiles_m;
    if (loaded < least) least = loaded, best = window;
  }
  return best;
}
