// SPDX-License-Identifier: MIT
// Draws the picture of a grid order: the tiles of C in the colours of their dies, and beside it what the dies
// load.
#include <stdio.h>
#include <stdlib.h>

#include "core/svg.h"
#include "grid.h"

enum { MARGIN = 24, HEAD = 112, AXIS = 34, PANEL = 292, PANEL_GAP = 34, LINE = 22, TEXT = 600 };

// Tiles shrink as the grid grows; a number of four digits needs about 24.
static const double kLargest = 36, kSmallest = 4, kNumbered = 24, kGapped = 10, kGridSide = 640;

typedef struct grid_view {
  svg svg;
  grid_job *job;
  wt_grid_map map;                        // of its order
  double cell, left, top, width, height;  // of the grid
  double panel;                           // left side of the panel
} grid_view;

static double cell_of(const wt_grid_order *order) {
  const int side = order->tiles_m > order->tiles_n ? order->tiles_m : order->tiles_n;
  const double cell = kGridSide / side;
  return cell > kLargest ? kLargest : cell < kSmallest ? kSmallest : cell;
}

grid_mark grid_default_mark(const grid_job *job) {
  return cell_of(&job->order) >= kNumbered ? GRID_MARK_NUMBERS : GRID_MARK_PATH;
}

static void draw_head(grid_view *v, const char *title) {
  const grid_job *job = v->job;
  char order[128];
  grid_order_text(&job->order, order, sizeof order);
  svg_text(&v->svg, MARGIN, 40, (svg_style){.size = 18, .bold = true}, "%s", title);
  svg_text(&v->svg, MARGIN, 62, (svg_style){.size = 13, .fill = SVG_FAINT},
           "C is %d x %d in %d x %d tiles; %s holds %d work-groups at once", job->m, job->n,
           job->order.tiles_m, job->order.tiles_n, job->machine->name, job->resident);
  svg_text(&v->svg, MARGIN, 80, (svg_style){.size = 13, .fill = SVG_FAINT}, "Order: %s", order);
}

// Draws numbers along an axis, at steps wide enough for them.
static void draw_axes(grid_view *v) {
  const svg_style label = {.size = 12, .fill = SVG_FAINT, .anchor = SVG_MIDDLE};
  int step = 1;
  while (step * v->cell < 22) step *= 2;
  for (int n = 0; n < v->job->order.tiles_n; n += step)
    svg_text(&v->svg, v->left + (n + 0.5) * v->cell, v->top - 8, label, "%d", n);
  svg_style side = label;
  side.anchor = SVG_END;
  for (int m = 0; m < v->job->order.tiles_m; m += step)
    svg_text(&v->svg, v->left - 8, v->top + (m + 0.5) * v->cell + 4, side, "%d", m);
}

static void draw_tile(grid_view *v, int id) {
  const grid_job *job = v->job;
  const wt_grid_tile tile = wt_grid_tile_of(v->map, id);
  const int xcd = grid_xcd_of(job, id);
  const bool first_round = id < job->resident;
  const double gap = v->cell < kGapped ? 0 : 2, x = v->left + tile.n * v->cell, y = v->top + tile.m * v->cell;
  char hover[96];
  snprintf(hover, sizeof hover, "work-group %d on XCD %d: tile (%d, %d)", id, xcd, tile.m, tile.n);
  svg_rect(&v->svg, x + gap / 2, y + gap / 2, v->cell - gap, v->cell - gap,
           (svg_style){.fill = svg_category((size_t)xcd),
                       .opacity = first_round ? 0 : 0.4,
                       .radius = gap,
                       .title = hover});
  if (job->mark == GRID_MARK_NUMBERS && first_round && v->cell >= kNumbered)
    svg_text(&v->svg, x + v->cell / 2, y + v->cell / 2 + 4,
             (svg_style){.size = v->cell / 3, .anchor = SVG_MIDDLE, .fill = SVG_ON_CATEGORY}, "%d", id);
}

// Draws the lines where one window ends and the next begins.
static void draw_windows(grid_view *v) {
  const wt_grid_order *order = &v->job->order;
  const int across = order->by_columns ? order->tiles_n : order->tiles_m;
  const svg_style style = {.stroke = SVG_INK, .stroke_width = 1.5, .dash = "5 4"};
  if (order->window == 1) return;
  for (long long at = order->window; at < across; at += order->window) {
    const double here = (double)at * v->cell;
    if (order->by_columns)
      svg_line(&v->svg, v->left + here, v->top - 4, v->left + here, v->top + v->height + 4, style);
    else
      svg_line(&v->svg, v->left - 4, v->top + here, v->left + v->width + 4, v->top + here, style);
  }
}

// Draws the first round's tiles of XCD 0 in the order in which its work-groups start, on a halo that sets it
// off.
static void draw_path(grid_view *v) {
  const grid_job *job = v->job;
  const int step = (int)job->machine->xcds;
  const int end = job->count < job->resident ? job->count : job->resident;
  svg_point *points = calloc((size_t)wt_grid_tiles(end, step), sizeof *points);
  if (!points) {
    v->svg.failed = true;
    return;
  }
  size_t count = 0;
  for (int id = 0; id < end; id += step) {
    const wt_grid_tile tile = wt_grid_tile_of(v->map, id);
    points[count++] = (svg_point){v->left + (tile.n + 0.5) * v->cell, v->top + (tile.m + 0.5) * v->cell};
  }
  const double width = v->cell / 9 < 1.2 ? 1.2 : v->cell / 9 > 2.5 ? 2.5 : v->cell / 9;
  svg_polyline(&v->svg, points, count, (svg_style){.stroke = "#ffffff", .stroke_width = 2.4 * width});
  svg_polyline(&v->svg, points, count, (svg_style){.stroke = SVG_ON_CATEGORY, .stroke_width = width});
  svg_circle(&v->svg, points[0].x, points[0].y, 2.2 * width,
             (svg_style){.fill = SVG_ON_CATEGORY, .stroke = "#ffffff", .stroke_width = width / 2});
  svg_circle(&v->svg, points[count - 1].x, points[count - 1].y, 2.2 * width,
             (svg_style){.fill = "#ffffff", .stroke = SVG_ON_CATEGORY, .stroke_width = width});
  free(points);
}

// Draws the colours, and what each die needs in the first round. Returns the y below it.
static double draw_needs(grid_view *v, double y) {
  grid_job *job = v->job;
  const svg_style head = {.size = 12, .fill = SVG_FAINT, .anchor = SVG_END};
  const double x = v->panel, last = x + PANEL;
  svg_text(&v->svg, x, y, (svg_style){.size = 13, .bold = true}, "First round");
  svg_text(&v->svg, x + 124, y, head, "tiles");
  svg_text(&v->svg, x + 206, y, head, "tile rows");
  svg_text(&v->svg, last, y, head, "tile columns");
  for (int xcd = 0; xcd < (int)job->machine->xcds; ++xcd) {
    const grid_need need = grid_need_of_xcd(job, job->order, 0, xcd);
    const svg_style number = {.size = 13, .anchor = SVG_END};
    y += LINE;
    svg_rect(&v->svg, x, y - 12, 15, 15, (svg_style){.fill = svg_category((size_t)xcd), .radius = 2});
    svg_text(&v->svg, x + 24, y, (svg_style){.size = 13}, "XCD %d", xcd);
    svg_text(&v->svg, x + 124, y, number, "%d", need.workgroups);
    svg_text(&v->svg, x + 206, y, number, "%d", need.rows);
    svg_text(&v->svg, last, y, number, "%d", need.columns);
  }
  return y + 1.8 * LINE;
}

// Draws what all L2s load in the first round, as bars: with this order, with the plain one, and the least
// possible.
static double draw_loads(grid_view *v, double y) {
  grid_job *job = v->job;
  const struct {
    const char *name;
    long long rows;
    const char *colour;
  } bars[] = {{"this order", grid_loads(job, job->order, 0), svg_category(0)},
              {"row by row, no remap", grid_loads(job, grid_plain_order(job), 0), SVG_FAINT},
              {"least possible", grid_least_loads(job, 0), SVG_RULE}};
  long long most = 1;
  for (int i = 0; i < 3; ++i) most = bars[i].rows > most ? bars[i].rows : most;
  svg_text(&v->svg, v->panel, y, (svg_style){.size = 13, .bold = true},
           "Rows of A and B that the L2s load in it");
  y += 6;
  for (int i = 0; i < 3; ++i) {
    y += LINE - 4;
    svg_text(&v->svg, v->panel, y, (svg_style){.size = 12, .fill = SVG_FAINT}, "%s", bars[i].name);
    svg_text(&v->svg, v->panel + PANEL, y, (svg_style){.size = 12, .anchor = SVG_END}, "%lld", bars[i].rows);
    svg_rect(&v->svg, v->panel, y + 5, PANEL * (double)bars[i].rows / (double)most, 8,
             (svg_style){.fill = bars[i].colour, .radius = 2});
    y += LINE - 4;
  }
  return y + LINE;
}

// Draws what the marks mean. Returns the y of the last line.
static double draw_key(grid_view *v, double y) {
  const svg_style text = {.size = 12, .fill = SVG_FAINT};
  const double x = v->panel;
  if (v->job->mark == GRID_MARK_NUMBERS && v->cell >= kNumbered)
    svg_text(&v->svg, x, y, text, "Numbers: work-group ids; id mod %u is the XCD.", v->job->machine->xcds);
  else if (v->job->mark == GRID_MARK_PATH)
    svg_text(&v->svg, x, y, text, "Line: XCD 0's first round, from the full dot on.");
  else
    y -= LINE;
  if (v->job->count > v->job->resident)
    svg_text(&v->svg, x, y += LINE - 2, text, "Pale tiles belong to later rounds.");
  if (v->job->order.window > 1) svg_text(&v->svg, x, y += LINE - 2, text, "Dashed lines divide the windows.");
  return y;
}

bool grid_draw(grid_job *job, const char *path, const char *title, char *message, size_t message_size) {
  grid_view v = {.job = job,
                 .map = wt_grid_map_of(job->order),
                 .cell = cell_of(&job->order),
                 .left = MARGIN + AXIS,
                 .top = HEAD + 12};
  v.width = v.cell * job->order.tiles_n, v.height = v.cell * job->order.tiles_m;
  v.panel = v.left + v.width + PANEL_GAP;
  // The lines at the head need about TEXT; the panel has a line for each XCD and as much as ten others.
  if (v.panel + PANEL < MARGIN + TEXT) v.panel = MARGIN + TEXT - PANEL;
  const double panel_height = LINE * (job->machine->xcds + 10.5);
  const double height = v.top + (v.height > panel_height ? v.height : panel_height) + MARGIN;
  char description[256], order[128];
  grid_order_text(&job->order, order, sizeof order);
  snprintf(description, sizeof description,
           "The %d x %d tiles of C, coloured by the XCD on which their work-group runs. Order: %s.",
           job->order.tiles_m, job->order.tiles_n, order);
  if (!title) title = "Which die computes which tile of C";
  svg_begin(&v.svg, v.panel + PANEL + MARGIN, height, title, description);
  draw_head(&v, title);
  draw_axes(&v);
  for (int id = 0; id < job->count; ++id) draw_tile(&v, id);
  draw_windows(&v);
  if (job->mark == GRID_MARK_PATH) draw_path(&v);
  double y = draw_needs(&v, v.top + 4);
  y = draw_loads(&v, y);
  draw_key(&v, y);
  const bool good = svg_write(&v.svg, path, message, message_size);
  svg_free(&v.svg);
  return good;
}
