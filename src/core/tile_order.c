// SPDX-License-Identifier: MIT
// Chooses the order of tiles by how many rows of A and B each die has to load.
#include "tile_order.h"

#include <limits.h>
#include <math.h>

int wt_tile_chunk(const wt_context *context, const wt_tiles *tiles) {
  const int64_t count = tiles->tiles_m * tiles->tiles_n;
  return wt_grid_chunk(count < INT_MAX ? (int)count : INT_MAX, WT_XCDS, context->compute_units / WT_XCDS);
}

// A run that does not end with a column of the window begins anywhere in one.
static double rows_of_window(double rows_a, double rows_b, int run, int window) {
  const double columns = (run + (run % window ? window - 1.0 : 0)) / window;
  return rows_a * window + rows_b * columns;
}

double wt_tile_rows_loaded(const wt_tiles *tiles, double rows_a, double rows_b, int chunk, int window) {
  const double last = (double)(tiles->tiles_m % window);  // tile rows of the last window, if it is lower
  double loaded = rows_of_window(rows_a, rows_b, chunk, window) * ((double)tiles->tiles_m - last);
  if (last > 0) loaded += rows_of_window(rows_a, rows_b, chunk, (int)last) * last;
  return loaded / (double)tiles->tiles_m;
}

int wt_tile_window(const wt_tiles *tiles, int chunk) {
  double least = INFINITY;
  int best = 1;
  for (int window = 1; window <= chunk && window <= tiles->tiles_m && tiles->tile_m * window < least;
       ++window) {
    const double loaded = wt_tile_rows_loaded(tiles, tiles->tile_m, tiles->tile_n, chunk, window);
    if (loaded < least) least = loaded, best = window;
  }
  return best;
}

double wt_tile_rounds_cost(const wt_context *context, double tiles, unsigned tile_m, unsigned tile_n,
                           double efficiency) {
  return ceil(tiles / context->compute_units) * tile_m * tile_n / efficiency;
}

wt_grid_map wt_tile_map(const wt_context *context, const wt_tiles *tiles) {
  const int chunk = wt_tile_chunk(context, tiles);
  return wt_grid_map_of((wt_grid_order){.tiles_m = (int)tiles->tiles_m,
                                        .tiles_n = (int)tiles->tiles_n,
                                        .xcds = WT_XCDS,
                                        .chunk = chunk,
                                        .window = wt_tile_window(tiles, chunk)});
}

// Where two shapes of a round load as many rows, the taller one brings new rows of A less often.
wt_grid_order wt_tile_order_by_dies(const wt_context *context, const wt_tiles *tiles) {
  const int round = wt_tile_chunk(context, tiles), flat = wt_tile_window(tiles, round), tall = round / flat;
  const double rows = wt_tile_rows_loaded(tiles, tiles->tile_m, tiles->tile_n, round, flat);
  const bool takes_tall = tall > flat && tall <= tiles->tiles_m &&
                          wt_tile_rows_loaded(tiles, tiles->tile_m, tiles->tile_n, round, tall) <= rows;
  const int64_t share = tiles->tiles_m * tiles->tiles_n / WT_XCDS;
  return (wt_grid_order){.tiles_m = (int)tiles->tiles_m,
                         .tiles_n = (int)tiles->tiles_n,
                         .xcds = WT_XCDS,
                         .chunk = (int)(share > round ? share : round),
                         .window = takes_tall ? tall : flat};
}
