// SPDX-License-Identifier: MIT
// Declares the parts of `wavetile grid`: what a grid order makes each die's L2 load, and its picture.
#ifndef WT_TOOLS_GRID_H
#define WT_TOOLS_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/grid.h"
#include "sim/machine/machine.h"

typedef enum grid_mark { GRID_MARK_NONE, GRID_MARK_NUMBERS, GRID_MARK_PATH } grid_mark;

typedef struct grid_job {
  const sim_machine *machine;
  wt_grid_order order;
  int m, n, tile_m, tile_n;
  int count;     // work-groups, one for each tile
  int resident;  // work-groups that the chip holds at once, which is a round
  // Scratch of grid_need_*: the number of the last count that each tile row and column was in, and the number
  // of the current count.
  int *seen_rows, *seen_columns, seen;
  grid_mark mark;  // of the picture
} grid_job;

// Counts what some work-groups need: the number of tile rows of A and of tile columns of B, each counted
// once.
typedef struct grid_need {
  int workgroups, rows, columns;
} grid_need;

// Returns the order that others are compared with: row by row, without remap.
wt_grid_order grid_plain_order(const grid_job *job);

// Writes the order in words.
void grid_order_text(const wt_grid_order *order, char *text, size_t size);

int grid_rounds(const grid_job *job);
int grid_xcd_of(const grid_job *job, int id);

// Return what the work-groups of one round need: those of one XCD, or all of them.
grid_need grid_need_of_xcd(grid_job *job, wt_grid_order order, int round, int xcd);
grid_need grid_need_of_chip(grid_job *job, wt_grid_order order, int round);

// Return the rows of A plus rows of B (which is N x K), each K long, that the L2s of all XCDs load in one
// round when the work-groups of an XCD share perfectly; and the least that any order loads.
long long grid_loads(grid_job *job, wt_grid_order order, int round);
long long grid_least_loads(const grid_job *job, int round);

// Draws the picture. Returns false, with a sentence that begins with the path, when it could not be written.
bool grid_draw(grid_job *job, const char *path, const char *title, char *message, size_t message_size);
// Returns the mark that suits the size of the tiles in the picture.
grid_mark grid_default_mark(const grid_job *job);

#endif
