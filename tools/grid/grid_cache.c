// SPDX-License-Identifier: MIT
// What a grid order makes the L2 of each die load, counted round by round.
#include <stdio.h>

#include "grid.h"

wt_grid_order grid_plain_order(const grid_job *job) {
  return (wt_grid_order){
      .tiles_m = job->order.tiles_m, .tiles_n = job->order.tiles_n, .xcds = 1, .chunk = 1, .window = 1};
}

void grid_order_text(const wt_grid_order *order, char *text, size_t size) {
  char remap[64] = "no remap";
  if (order->xcds > 1 && order->chunk > 1)
    snprintf(remap, sizeof remap, "runs of %d for each of %d XCDs", order->chunk, order->xcds);
  const char *across = order->by_columns ? "column" : "row", *along = order->by_columns ? "row" : "column";
  if (order->window > 1)
    snprintf(text, size, "%s; windows of %d tile %ss, %s by %s", remap, order->window, across, along, along);
  else
    snprintf(text, size, "%s; %s by %s", remap, across, across);
}

int grid_rounds(const grid_job *job) { return wt_grid_tiles(job->count, job->resident); }

int grid_xcd_of(const grid_job *job, int id) { return id % (int)job->machine->xcds; }

// Returns what the work-groups first, first + step, ... of a round need.
static grid_need need_of(grid_job *job, wt_grid_order order, int round, int first, int step) {
  const int begin = round * job->resident;
  const int end = job->count - begin < job->resident ? job->count : begin + job->resident;
  const wt_grid_map map = wt_grid_map_of(order);
  grid_need need = {0};
  ++job->seen;
  for (int id = begin + first; id < end; id += step) {
    const wt_grid_tile tile = wt_grid_tile_of(map, id);
    ++need.workgroups;
    need.rows += job->seen_rows[tile.m] != job->seen;
    need.columns += job->seen_columns[tile.n] != job->seen;
    job->seen_rows[tile.m] = job->seen_columns[tile.n] = job->seen;
  }
  return need;
}

// A round begins at a multiple of the number of XCDs, since every XCD holds the same number of work-groups.
grid_need grid_need_of_xcd(grid_job *job, wt_grid_order order, int round, int xcd) {
  return need_of(job, order, round, xcd, (int)job->machine->xcds);
}

grid_need grid_need_of_chip(grid_job *job, wt_grid_order order, int round) {
  return need_of(job, order, round, 0, 1);
}

long long grid_loads(grid_job *job, wt_grid_order order, int round) {
  long long rows = 0;
  for (int xcd = 0; xcd < (int)job->machine->xcds; ++xcd) {
    const grid_need need = grid_need_of_xcd(job, order, round, xcd);
    rows += (long long)need.rows * job->tile_m + (long long)need.columns * job->tile_n;
  }
  return rows;
}

// Returns the cost of the cheapest rectangle of tiles that holds `workgroups` of them.
static long long least_of(const grid_job *job, int workgroups) {
  long long least = 0;
  for (int rows = 1; rows <= job->order.tiles_m && rows <= workgroups; ++rows) {
    const int columns = wt_grid_tiles(workgroups, rows);
    const long long loads = (long long)rows * job->tile_m + (long long)columns * job->tile_n;
    if (columns <= job->order.tiles_n && (least == 0 || loads < least)) least = loads;
  }
  return least;
}

long long grid_least_loads(const grid_job *job, int round) {
  const int xcds = (int)job->machine->xcds, begin = round * job->resident;
  const int here = job->count - begin < job->resident ? job->count - begin : job->resident;
  long long rows = 0;
  for (int xcd = 0; xcd < xcds; ++xcd) rows += least_of(job, here / xcds + (xcd < here % xcds));
  return rows;
}
