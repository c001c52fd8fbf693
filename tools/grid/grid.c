// SPDX-License-Identifier: MIT
// Implements `wavetile grid`: which work-group computes which tile of C, on which die, and what the L2s load
// for it.
#include "grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/tool.h"
#include "core/whole_file.h"

enum {
  OPTIONS = 16,
  TILES_MAX = 1 << 22,          // counted in a second
  PICTURE_TILES_MAX = 1 << 14,  // a few megabytes of SVG
  ROUNDS_SHOWN = 16,
  // These are the sizes of the tables on a terminal.
  TABLE_ROWS = 64,
  ID_COLUMNS = 16,
  XCD_COLUMNS = 96
};

typedef struct grid_options {
  long long m, n, tile_m, tile_n, tiles_m, tiles_n, xcds, chunk, window, per_cu;
  const char *chip, *out, *title, *mark;
  bool by_columns, help;
} grid_options;

static void option_table(grid_options *o, tool_option *table) {
  const tool_option rows[OPTIONS] = {
      {"m", TOOL_SIZE, &o->m, "M", "rows of C"},
      {"n", TOOL_SIZE, &o->n, "N", "columns of C"},
      {"tile-m", TOOL_SIZE, &o->tile_m, "256", "rows of a tile (default 256)"},
      {"tile-n", TOOL_SIZE, &o->tile_n, "256", "columns of a tile (default 256)"},
      {"tiles-m", TOOL_SIZE, &o->tiles_m, "COUNT", "tile rows, instead of --m"},
      {"tiles-n", TOOL_SIZE, &o->tiles_n, "COUNT", "tile columns, instead of --n"},
      {"xcds", TOOL_SIZE, &o->xcds, "8",
       "number of dies that positions are distributed over; 1: no remap; default: the chip's"},
      {"chunk", TOOL_SIZE, &o->chunk, "COUNT",
       "number of consecutive positions that one die gets; 1: no remap; default: as many as its compute "
       "units hold at once, or its even share if that is less"},
      {"window", TOOL_SIZE, &o->window, "4",
       "height of a window in tile rows: a window is walked column by column; 1: row by row"},
      {"by-columns", TOOL_FLAG, &o->by_columns, NULL,
       "make windows of tile columns and walk each row by row"},
      {"chip", TOOL_STRING, &o->chip, "mi355x", "the chip: mi355x (default) or mi300x"},
      {"per-cu", TOOL_SIZE, &o->per_cu, "1",
       "number of work-groups that a compute unit holds at once (default 1)"},
      {"out", TOOL_STRING, &o->out, "FILE.svg", "draw the order to this file instead of printing it"},
      {"mark", TOOL_STRING, &o->mark, "numbers",
       "what the tiles show: numbers (ids), path (of XCD 0) or none"},
      {"title", TOOL_STRING, &o->title, "TEXT", "the picture's title"},
      {"help", TOOL_FLAG, &o->help, NULL, "print this help"}};
  memcpy(table, rows, sizeof rows);
}

static void print_help(const tool_option *table) {
  tool_help(
      "usage: wavetile grid --m M --n N [options]\n"
      "       wavetile grid --tiles-m COUNT --tiles-n COUNT [options]\n\n"
      "Shows which work-group computes which tile of C = A * B^T and on which die (XCD) it runs, and counts "
      "what the L2 of each die has to load for it. The order is that of include/sched/grid.h.\n",
      table, OPTIONS);
}

// Sets one axis: its size and its tiles from --m or --tiles-m.
static int set_axis(const char *axis, long long size, long long tiles, long long tile, int *out_size,
                    int *out_tiles) {
  if (size && tiles)
    return tool_error(TOOL_USAGE, "both --%s and --tiles-%s are given; pass one or the other", axis, axis);
  if (!size && !tiles)
    return tool_error(TOOL_USAGE, "the size of C is missing; pass --%s or --tiles-%s", axis, axis);
  if (tiles > TILES_MAX || tiles * tile > INT32_MAX)
    return tool_error(TOOL_USAGE, "--tiles-%s is %lld, which is too large with tiles of %lld; pass fewer",
                      axis, tiles, tile);
  *out_size = (int)(size ? size : tiles * tile);
  *out_tiles = wt_grid_tiles(*out_size, (int)tile);
  return TOOL_OK;
}

static int set_machine(const grid_options *o, grid_job *job) {
  job->machine = sim_machine_find(o->chip);
  if (!job->machine) return tool_error(TOOL_USAGE, "--chip is \"%s\"; pass mi355x or mi300x", o->chip);
  const long long most = (long long)job->machine->simds_per_cu * job->machine->waves_per_simd;
  if (o->per_cu > most)
    return tool_error(TOOL_USAGE, "--per-cu is %lld, but a compute unit holds at most %lld waves; pass fewer",
                      o->per_cu, most);
  job->resident = (int)(o->per_cu * job->machine->cus);
  return TOOL_OK;
}

static int set_picture(const grid_options *o, grid_job *job) {
  static const char *const names[] = {"none", "numbers", "path"};  // of grid_mark
  if (!o->out && (o->mark || o->title))
    return tool_error(TOOL_USAGE, "--%s is for pictures; pass --out too", o->mark ? "mark" : "title");
  job->mark = grid_default_mark(job);
  if (o->mark) {
    int found = -1;
    for (int i = 0; i < 3; ++i)
      if (strcmp(o->mark, names[i]) == 0) found = i;
    if (found < 0) return tool_error(TOOL_USAGE, "--mark is \"%s\"; pass numbers, path or none", o->mark);
    job->mark = (grid_mark)found;
  }
  if (o->out && job->count > PICTURE_TILES_MAX)
    return tool_error(TOOL_USAGE,
                      "--out draws at most %d tiles, and C has %d; pass larger tiles or a smaller C",
                      PICTURE_TILES_MAX, job->count);
  char message[WHOLE_FILE_PATH + 512];
  if (o->out && !whole_file_allowed(o->out, message, sizeof message))
    return tool_error(TOOL_USAGE, "--out %s", message);
  return TOOL_OK;
}

static int set_job(const grid_options *o, grid_job *job) {
  *job = (grid_job){.tile_m = (int)o->tile_m, .tile_n = (int)o->tile_n};
  int code = set_machine(o, job);
  if (!code) code = set_axis("m", o->m, o->tiles_m, o->tile_m, &job->m, &job->order.tiles_m);
  if (!code) code = set_axis("n", o->n, o->tiles_n, o->tile_n, &job->n, &job->order.tiles_n);
  if (code) return code;
  const long long tiles = (long long)job->order.tiles_m * job->order.tiles_n;
  if (tiles > TILES_MAX)
    return tool_error(TOOL_USAGE, "C has %d x %d tiles, and at most %d can be counted; pass larger tiles",
                      job->order.tiles_m, job->order.tiles_n, TILES_MAX);
  job->count = (int)tiles;
  job->order.xcds = o->xcds ? (int)o->xcds : (int)job->machine->xcds;
  const int held = job->resident / (int)job->machine->xcds;
  job->order.chunk = o->chunk ? (int)o->chunk : wt_grid_chunk(job->count, job->order.xcds, held);
  job->order.window = (int)o->window;
  job->order.by_columns = o->by_columns;
  return TOOL_OK;
}

// Returns the work-group of each tile, row by row; the caller frees it.
static int *ids_by_tile(const grid_job *job) {
  const wt_grid_map map = wt_grid_map_of(job->order);
  int *ids = malloc((size_t)job->count * sizeof *ids);
  for (int id = 0; ids && id < job->count; ++id) {
    const wt_grid_tile tile = wt_grid_tile_of(map, id);
    ids[tile.m * job->order.tiles_n + tile.n] = id;
  }
  return ids;
}

// A file receives whole tables; a terminal, what fits.
static bool on_terminal(void) { return isatty(STDOUT_FILENO); }

static void print_tables(const grid_job *job, const int *ids) {
  const int rows = job->order.tiles_m, columns = job->order.tiles_n;
  if (on_terminal() && (rows > TABLE_ROWS || columns > XCD_COLUMNS)) {
    printf(
        "\nThe grid is too large for a terminal; --out FILE.svg draws it, and > FILE writes its tables.\n");
    return;
  }
  if (!on_terminal() || columns <= ID_COLUMNS) {
    const int width = job->count > 99999 ? 8 : 6;
    printf("\nwork-group of each tile\n");
    for (int m = 0; m < rows; ++m)
      for (int n = 0; n < columns; ++n)
        printf("%*d%s", width, ids[m * columns + n], n + 1 == columns ? "\n" : "");
  }
  printf("\nXCD of each tile\n");
  for (int m = 0; m < rows; ++m) {
    printf("  ");
    for (int n = 0; n < columns; ++n) putchar('0' + grid_xcd_of(job, ids[m * columns + n]));
    putchar('\n');
  }
}

static void print_round(grid_job *job, int round) {
  const int begin = round * job->resident;
  const grid_need chip = grid_need_of_chip(job, job->order, round);
  printf("%7d %8d-%-8d", round + 1, begin, begin + chip.workgroups - 1);
  for (int xcd = 0; xcd < (int)job->machine->xcds; ++xcd) {
    const grid_need need = grid_need_of_xcd(job, job->order, round, xcd);
    char text[32];
    snprintf(text, sizeof text, "%d+%d", need.rows, need.columns);
    printf(" %7s", text);
  }
  char text[32];
  snprintf(text, sizeof text, "%d+%d", chip.rows, chip.columns);
  printf(" %9s %9lld\n", text, grid_loads(job, job->order, round));
}

static void print_rounds(grid_job *job) {
  const int rounds = grid_rounds(job);
  const int shown = on_terminal() && rounds > ROUNDS_SHOWN ? ROUNDS_SHOWN : rounds;
  printf(
      "\nTile rows of A + tile columns of B that the work-groups of each XCD need, by round of %d resident "
      "work-groups,\nand the rows of A and B (each K long) that all L2s load if an XCD loads none twice in a "
      "round:\n\n  round work-groups     ",
      job->resident);
  for (unsigned xcd = 0; xcd < job->machine->xcds; ++xcd) printf("   XCD %u", xcd);
  printf("  all XCDs    loaded\n");
  long long loads = 0, plain = 0, least = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round < shown) print_round(job, round);
    loads += grid_loads(job, job->order, round);
    plain += grid_loads(job, grid_plain_order(job), round);
    least += grid_least_loads(job, round);
  }
  if (rounds > shown) printf("    ... %d more; > FILE writes all of them\n", rounds - shown);
  printf("\nloaded in all rounds: %lld rows; row by row without remap: %lld; no order needs less than %lld\n",
         loads, plain, least);
}

static void print_report(grid_job *job, const int *ids) {
  const sim_machine *machine = job->machine;
  const wt_grid_order *order = &job->order;
  printf("C is %d x %d: %d x %d tiles of %d x %d\n", job->m, job->n, order->tiles_m, order->tiles_n,
         job->tile_m, job->tile_n);
  char text[128];
  grid_order_text(order, text, sizeof text);
  printf("%s: %u compute units in %u XCDs hold %d work-groups at once\norder: %s\n", machine->name,
         machine->cus, machine->xcds, job->resident, text);
  if (ids) print_tables(job, ids);
  print_rounds(job);
}

static int run(grid_job *job, const grid_options *o) {
  job->seen_rows = calloc((size_t)job->order.tiles_m, sizeof *job->seen_rows);
  job->seen_columns = calloc((size_t)job->order.tiles_n, sizeof *job->seen_columns);
  int *ids = o->out ? NULL : ids_by_tile(job);
  int code = TOOL_OK;
  char message[WHOLE_FILE_PATH + 512];
  if (!job->seen_rows || !job->seen_columns || (!o->out && !ids))
    code = tool_error(TOOL_FAILED, "out of memory for %d tiles; pass larger tiles", job->count);
  else if (o->out && !grid_draw(job, o->out, o->title, message, sizeof message))
    code = tool_error(TOOL_FAILED, "--out %s", message);
  else
    print_report(job, ids);
  free(ids);
  free(job->seen_rows);
  free(job->seen_columns);
  return code;
}

int tool_grid(int argc, char **argv) {
  grid_options o = {.tile_m = 256, .tile_n = 256, .window = 4, .per_cu = 1, .chip = "mi355x"};
  tool_option table[OPTIONS];
  option_table(&o, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, NULL, 0);
  if (code) return code;
  if (o.help) {
    print_help(table);
    return TOOL_OK;
  }
  grid_job job;
  code = set_job(&o, &job);
  if (!code) code = set_picture(&o, &job);
  return code ? code : run(&job, &o);
}
