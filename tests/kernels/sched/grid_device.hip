// SPDX-License-Identifier: MIT
// Computes the grid order in a kernel: work-group w stores the tile and the part of id first + w, and the
// tile rotated.
#include "ops/isa/ids.h"
#include "sched/grid.h"

// It is also a constant expression.
constexpr wt_grid_map kMap = wt_grid_map_of({5, 7, 8, 2, 3, 0});
static_assert(kMap.tiles.divisor == 35);
static_assert(wt_grid_tile_of(kMap, 8).m == 1 && wt_grid_tile_of(kMap, 8).n == 0);
static_assert(wt_grid_tile_of(kMap, 34).m == 4 && wt_grid_tile_of(kMap, 34).n == 6);

struct placed {
  wt_grid_tile tile;
  wt_grid_part part;
  wt_grid_tile turned;
};

WT_KERNEL(64) grid_device(wt_grid_map map, placed *out, int first, wt_grid_rotation rotation) {
  const int id = first + wt::workgroup_x();
  const wt_grid_tile tile = wt_grid_tile_of(map, id);
  if (wt::lane_id() == 0)
    out[wt::workgroup_x()] = {tile, wt_grid_part_of(map, id), wt_grid_rotated(rotation, map, tile)};
}
